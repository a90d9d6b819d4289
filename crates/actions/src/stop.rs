//! The switch that stops all actions.

use runtime::time::shown;
use serde::{Deserialize, Serialize};
use store::{Connection, OptionalExtension as _, QueryResult, params};
use utoipa::ToSchema;

/// That no action is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Stop {
    /// Since when.
    pub since: String,
    /// Who stopped them.
    pub who: String,
    /// Why.
    pub because: String,
}

/// Stops all actions until they are resumed. Returns whether they were not stopped before.
pub fn stop(db: &Connection, because: &str, (who, now_ms): (&str, i64)) -> QueryResult<bool> {
    let insert = "INSERT INTO action_stop (id, since_ms, who, because) VALUES (1, ?, ?, ?) ON CONFLICT DO NOTHING";
    Ok(db.prepare_cached(insert)?.execute(params![now_ms, who, because])? == 1)
}

/// Resumes actions. Returns whether they were stopped.
pub fn resume(db: &Connection) -> QueryResult<bool> {
    Ok(db.execute("DELETE FROM action_stop", [])? == 1)
}

/// Returns since when and why no action is sent. `None` if they are sent.
pub fn stopped(db: &Connection) -> QueryResult<Option<Stop>> {
    let select = "SELECT since_ms, who, because FROM action_stop";
    db.prepare_cached(select)?
        .query_row([], |row| {
            let since = shown(row.get(0)?);
            Ok(Stop { since, who: row.get(1)?, because: row.get(2)? })
        })
        .optional()
}
