//! What was done with a case, and by whom.

use runtime::time::shown;
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult, params};
use utoipa::ToSchema;

/// A step in the life of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CaseStep {
    /// When.
    pub at: String,
    /// Who.
    pub who: String,
    /// What: a decision, `assigned`, `reopened`, `remark`, `action`.
    pub step: String,
    /// Why, to whom, or the remark itself.
    pub remark: String,
}

pub(crate) fn add(
    db: &Connection,
    case: i64,
    (who, now_ms): (&str, i64),
    (step, remark): (&str, &str),
) -> QueryResult<()> {
    let insert =
        "INSERT INTO fraud_case_step (fraud_case, at_ms, who, step, remark) VALUES (?, ?, ?, ?, ?)";
    db.prepare_cached(insert)?.execute(params![case, now_ms, who, step, remark])?;
    Ok(())
}

/// Adds a remark to a case. Returns whether the case is there.
pub fn remark(db: &Connection, case: i64, remark: &str, by: (&str, i64)) -> QueryResult<bool> {
    let is_there = db.prepare_cached("SELECT 1 FROM fraud_case WHERE id = ?")?.exists([case])?;
    if is_there {
        add(db, case, by, ("remark", remark))?;
    }
    Ok(is_there)
}

/// Notes that a person has requested an action about a case.
pub fn requested(
    db: &Connection,
    case: i64,
    by: (&str, i64),
    (action, reason): (&str, &str),
) -> QueryResult<()> {
    add(db, case, by, ("action", &format!("{action}: {reason}")))
}

/// Returns the steps of a case, the oldest first.
pub fn steps(db: &Connection, case: i64) -> QueryResult<Vec<CaseStep>> {
    let select =
        "SELECT at_ms, who, step, remark FROM fraud_case_step WHERE fraud_case = ? ORDER BY id";
    let mut select = db.prepare_cached(select)?;
    let rows = select.query_map([case], |row| {
        let at = shown(row.get(0)?);
        Ok(CaseStep { at, who: row.get(1)?, step: row.get(2)?, remark: row.get(3)? })
    })?;
    rows.collect()
}
