//! Reasons in the journal: why a record is in suspense, a delivery failed or a file was set aside. The code and the
//! template of a reason are in a table of their own, since many rows share them. A row has the whole text, by which it is
//! searched, and the values. Rows of earlier versions have only the text.

use reason::Reason;
use runtime::time::now_ms;
use serde::Serialize;
use store::{Connection, OptionalExtension as _, QueryResult, Row, params};
use utoipa::ToSchema;

/// A value in a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ReasonValue)]
pub struct ReasonValue {
    /// Its name.
    pub name: String,
    /// The value.
    pub value: String,
}

impl ReasonValue {
    /// Returns the values of a reason.
    pub fn all_of(reason: &Reason) -> impl Iterator<Item = ReasonValue> {
        let value = |(name, value): (&str, &str)| ReasonValue {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        reason.parameters().map(value)
    }
}

/// A reason, as the columns of a row have it.
#[derive(Debug)]
pub struct Columns {
    /// The whole text.
    pub text: String,
    /// The number of its code and template.
    pub id: i64,
    /// Its values, in the order of the template: a list in JSON.
    pub values: String,
}

/// Returns the columns of a reason. Notes it if it is new.
pub fn columns(db: &Connection, reason: &Reason) -> QueryResult<Columns> {
    let of = [reason.code(), reason.template()];
    let select = "SELECT id FROM reason WHERE code = ? AND template = ?";
    let found = db.prepare_cached(select)?.query_row(of, |row| row.get(0)).optional()?;
    let id = match found {
        Some(id) => id,
        None => {
            let insert = "INSERT INTO reason (code, template, checked_ms) VALUES (?, ?, ?)";
            let new = params![reason.code(), reason.template(), now_ms()];
            db.prepare_cached(insert)?.insert(new)?
        }
    };
    let values = serde_json::to_string(reason.values()).map_err(store::undone)?;
    Ok(Columns { text: reason.to_string(), id, values })
}

/// The columns of a reason in a query of a table that has `reason_id` and `reason_values`: for [`code_and_values`] and
/// [`of_row`].
pub const SELECTED: &str = "(SELECT code FROM reason WHERE id = reason_id),
    (SELECT template FROM reason WHERE id = reason_id), reason_values";

/// Returns the values in a column. Damaged ones are none.
pub fn values(column: Option<&str>) -> Vec<String> {
    column.and_then(|values| serde_json::from_str(values).ok()).unwrap_or_default()
}

/// Reads the code and the values of a row whose columns [`SELECTED`] begin at `first`. A row of an earlier version has
/// neither.
pub fn code_and_values(row: &Row<'_>, first: usize) -> QueryResult<(String, Vec<ReasonValue>)> {
    let code = row.get_ref(first)?.as_str_or_null()?.unwrap_or_default().to_owned();
    let Some(template) = row.get_ref(first + 1)?.as_str_or_null()? else {
        return Ok((code, Vec::new()));
    };
    let values = values(row.get_ref(first + 2)?.as_str_or_null()?);
    let named = reason::names(template).zip(values);
    let named = named.map(|(name, value)| ReasonValue { name: name.to_owned(), value });
    Ok((code, named.collect()))
}

/// Reads the reason of a row whose columns [`SELECTED`] begin at `first`. The reason of an earlier version is `text`.
pub fn of_row(row: &Row<'_>, first: usize, text: &str) -> QueryResult<Reason> {
    let code: Option<String> = row.get(first)?;
    let template: Option<String> = row.get(first + 1)?;
    let values = values(row.get_ref(first + 2)?.as_str_or_null()?);
    Ok(match code.zip(template) {
        Some((code, template)) => Reason::stored(code, template, values),
        None => Reason::uncoded(text),
    })
}

/// The reasons that rows have, and those of no row.
const UNUSED: &str = "SELECT id FROM reason WHERE id NOT IN (
    SELECT reason_id FROM suspense WHERE reason_id IS NOT NULL
    UNION SELECT reason_id FROM delivery WHERE reason_id IS NOT NULL
    UNION SELECT reason_id FROM refused_file WHERE reason_id IS NOT NULL)";

/// Deletes the reasons that no row has any more. This reads all records in suspense, so it is done only if a reason
/// was noted, or last checked, before a time: once in the time that rows are kept.
pub fn prune(db: &Connection, before_ms: i64) -> QueryResult<()> {
    let is_due = "SELECT EXISTS (SELECT 1 FROM reason WHERE checked_ms < ?)";
    if !db.prepare_cached(is_due)?.query_row([before_ms], |row| row.get(0))? {
        return Ok(());
    }
    db.execute(&format!("DELETE FROM reason WHERE id IN ({UNUSED})"), [])?;
    db.execute("UPDATE reason SET checked_ms = ?", [now_ms()]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reason of a record, one of a delivery, and one that no row has any more.
    const REASONS: &str = "
        INSERT INTO reason (id, code, template, checked_ms) VALUES
            (1, 'no-prefix', 'no prefix of {number}', 5), (2, 'remote-full', 'full', 8), (3, 'old', 'old', 8);
        INSERT INTO suspense (job, why, record, offset, node, reason, octets, reason_id, reason_values)
            VALUES (1, 'suspended', 1, 0, 'rate', 'no prefix of 33', x'00', 1, '[\"33\"]');
        INSERT INTO delivery (post_processing_system, path, records, at_ms, problem, reason_id, reason_values)
            VALUES ('billing', 'a', 1, 0, 'full', 2, '[]')";

    #[test]
    fn a_reason_without_rows_is_deleted_when_the_oldest_is_due_to_be_checked() {
        let folder = tempfile::tempdir().unwrap();
        let (flow, state) = (folder.path().join("flow.toml"), folder.path().join("state"));
        let journal = crate::flow_journal::open(&flow, &state, std::time::SystemTime::now).unwrap();
        journal.commit(|db| db.execute_batch(REASONS)).unwrap();
        let left = |before_ms| {
            journal
                .commit(move |db| {
                    prune(db, before_ms)?;
                    let mut select = db.prepare("SELECT id FROM reason ORDER BY id")?;
                    select.query_map([], |row| row.get(0))?.collect::<QueryResult<Vec<i64>>>()
                })
                .unwrap()
        };
        assert_eq!(left(5), [1, 2, 3]);
        assert_eq!(left(6), [1, 2]);
    }
}
