//! Forms of state: what was stored in another form is read by the description of that form, if the node can, and is stored in its own form
//! then.

use journal::Journal;
use node::{InMemory, PARTS};
use store::{Connection, QueryResult, StoreError, params};

use super::snapshot::{SnapshotRows, insert};

/// The form that the state of a node is stored in.
pub(super) struct StoredForm {
    pub(super) name: String,
    /// Its description, if it is not the form of the node.
    pub(super) description: Option<Vec<u8>>,
    /// When the newest row was stored, if the node cannot read its form.
    pub(super) unread_ms: Option<i64>,
}

/// Returns the form in which the state of a node is read: that of the newest row, if the node can read it, or else its own.
pub(super) fn stored_form(
    reader: &Connection,
    (node, state): (&str, &dyn InMemory),
) -> QueryResult<StoredForm> {
    let own = state.form();
    let Some((name, done_ms)) = newest(reader, node)?.filter(|(newest, _)| *newest != own) else {
        return Ok(StoredForm { name: own, description: None, unread_ms: None });
    };
    let description = description(reader, (node, &name))?;
    Ok(match description.filter(|description| state.can_read(&name, description)) {
        Some(description) => StoredForm { name, description: Some(description), unread_ms: None },
        None => StoredForm { name: own, description: None, unread_ms: Some(done_ms) },
    })
}

/// Returns the form of the newest row of a node, and when its job was done.
fn newest(reader: &Connection, node: &str) -> QueryResult<Option<(String, i64)>> {
    // A delta that is in a snapshot may be stored for others.
    let select = "SELECT form, done_ms FROM (
                      SELECT * FROM (SELECT form, done_ms, job, 0 AS is_snapshot FROM state_delta WHERE node = ?1
                          ORDER BY job DESC LIMIT 1)
                      UNION ALL SELECT form, done_ms, through, 1 FROM state_snapshot WHERE node = ?1)
                  ORDER BY job DESC, is_snapshot DESC LIMIT 1";
    let mut select = reader.prepare(select)?;
    select.query([node])?.next()?.map(|row| Ok((row.get(0)?, row.get(1)?))).transpose()
}

fn description(reader: &Connection, (node, form): (&str, &str)) -> QueryResult<Option<Vec<u8>>> {
    let mut select =
        reader.prepare("SELECT description FROM state_form WHERE node = ? AND form = ?")?;
    select.query([node, form])?.next()?.map(|row| row.get(0)).transpose()
}

/// Notes the description of the form of a node, before any of its state is stored. Those of forms without state are forgotten.
pub(super) fn note(
    (reader, journal): (&Connection, &Journal),
    (node, state): (&str, &dyn InMemory),
) -> Result<(), StoreError> {
    let (form, Some(described)) = (state.form(), state.description()) else { return Ok(()) };
    if journal.answer(description(reader, (node, &form)))?.is_some_and(|of| of == described) {
        return Ok(());
    }
    let node = node.to_owned();
    journal.commit(move |db| {
        let insert = "INSERT OR REPLACE INTO state_form (node, form, description) VALUES (?, ?, ?)";
        db.execute(insert, params![node, form, described])?;
        let without_state = "DELETE FROM state_form AS of WHERE node = ?1 AND form <> ?2
            AND NOT EXISTS (SELECT 1 FROM state_delta WHERE node = of.node AND form = of.form)
            AND NOT EXISTS (SELECT 1 FROM state_snapshot WHERE node = of.node AND form = of.form)";
        db.execute(without_state, params![node, form]).map(drop)
    })
}

/// Stores state that was read from another form in the form of its node, in place of all that was read.
pub(super) fn store_again(
    journal: &Journal,
    (node, state): (&str, &dyn InMemory),
    read: StoredForm,
) -> Result<(), StoreError> {
    let mut parts = Vec::with_capacity(PARTS);
    while parts.len() < PARTS {
        let next = state.snapshot();
        // What could not be read whole stays as it is.
        if next.is_empty() {
            return Ok(());
        }
        parts.extend(next);
    }
    let rows = SnapshotRows { node: node.to_owned(), form: state.form(), parts };
    journal.commit(move |db| {
        insert(db, &rows)?;
        let of_read = params![rows.node, read.name];
        db.execute("DELETE FROM state_snapshot WHERE node = ? AND form = ?", of_read)?;
        db.execute("DELETE FROM state_form WHERE node = ? AND form = ?", of_read)?;
        let through = rows.parts.iter().map(|part| part.through).min();
        let deltas = "DELETE FROM state_delta WHERE node = ?1 AND form = ?2 AND job <= ?3
                      AND job <= ifnull((SELECT through FROM key_index WHERE node = ?1), 1 << 62)";
        db.execute(deltas, params![rows.node, read.name, through]).map(drop)
    })
}

/// Deletes the descriptions of forms in which a node that the flow does not have has no state any more.
pub(super) fn forget(db: &Connection, node: &str) -> QueryResult<()> {
    let delete = "DELETE FROM state_form WHERE node = ?1
                  AND NOT EXISTS (SELECT 1 FROM state_delta WHERE node = ?1)
                  AND NOT EXISTS (SELECT 1 FROM state_snapshot WHERE node = ?1)";
    db.execute(delete, [node]).map(drop)
}
