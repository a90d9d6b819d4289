//! The kinds of keys of a node's counters. After a change of the settings from which keys are made,
//! such as `account`, they distinguish old counters from new ones.

use node::ChangedValue;
use store::{Connection, QueryResult, params};

use journal::JobId;

use crate::timers;

/// The digest of the settings from which a node makes the keys of its counters. It is all zero for
/// a node without counters.
pub type KeyedBy = [u8; 16];

/// Selects the generations of a node with other kinds of keys.
const OTHERS: &str = "SELECT generation FROM kept_by WHERE node = ?1 AND keyed_by <> ?2";

/// Writes the values that a job changed.
pub fn note(
    db: &Connection,
    JobId(file): JobId,
    (node, keyed_by): (&str, KeyedBy),
    changed: &[ChangedValue],
) -> QueryResult<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let generation = generation(db, node, keyed_by)?;
    let mut insert = db.prepare_cached(
        "INSERT INTO kept (node, key, octets, changed_by, begun_by, last_by) VALUES (?1, ?2, ?3, ?4, ?5, ?5)
         ON CONFLICT DO UPDATE SET octets = excluded.octets, changed_by = excluded.changed_by,
             last_by = excluded.last_by",
    )?;
    let mut delete = db.prepare_cached("DELETE FROM kept WHERE node = ? AND key = ?")?;
    changed.iter().try_for_each(|ChangedValue { key, octets }| {
        let written = match octets {
            Some(octets) => insert.execute(params![node, key, octets, file, generation]),
            None => delete.execute(params![node, key]),
        };
        written.map(drop)
    })
}

fn generation(db: &Connection, node: &str, keyed_by: KeyedBy) -> QueryResult<i64> {
    let select = "SELECT min(generation) FROM kept_by WHERE node = ? AND keyed_by = ?";
    let known = db.prepare_cached(select)?.query_row(params![node, keyed_by], |row| row.get(0))?;
    if let Some(known) = known {
        return Ok(known);
    }
    // If no counters are left, their kinds are deleted too.
    let delete =
        "DELETE FROM kept_by WHERE node = ?1 AND NOT EXISTS (SELECT 1 FROM kept WHERE node = ?1)";
    db.execute(delete, [node])?;
    let insert = "INSERT INTO kept_by (node, generation, keyed_by)
                  SELECT ?1, ifnull(max(generation) + 1, 0), ?2 FROM kept_by WHERE node = ?1 RETURNING generation";
    db.query_row(insert, params![node, keyed_by], |row| row.get(0))
}

/// The kinds of keys that the counters of a node have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKinds {
    /// The node has no counters.
    None,
    /// The counters are from a version that did not store kinds.
    Unknown,
    /// Only the current kind.
    Current,
    /// Other kinds, possibly in addition to the current one.
    Others,
}

/// Returns which kinds of keys the counters of a node have; `keyed_by` is the current kind.
pub fn key_kinds(db: &Connection, node: &str, keyed_by: KeyedBy) -> QueryResult<KeyKinds> {
    if !db.prepare_cached("SELECT 1 FROM kept WHERE node = ?")?.exists([node])? {
        return Ok(KeyKinds::None);
    }
    let select = "SELECT max(keyed_by <> ?2) FROM kept_by WHERE node = ?1";
    Ok(match db.query_row(select, params![node, keyed_by], |row| row.get(0))? {
        None => KeyKinds::Unknown,
        Some(false) => KeyKinds::Current,
        Some(true) => KeyKinds::Others,
    })
}

/// Declares that all counters of a node have the current kind of keys.
pub fn accept(db: &Connection, node: &str, keyed_by: KeyedBy) -> QueryResult<()> {
    generation(db, node, keyed_by)?;
    let update = "UPDATE kept_by SET keyed_by = ?2 WHERE node = ?1";
    db.execute(update, params![node, keyed_by]).map(drop)
}

/// Deletes counters of a node that were written only with other kinds of keys. Returns their
/// number, and the number of those that were written with the current kind too; these stay.
pub fn forget_others(db: &Connection, node: &str, keyed_by: KeyedBy) -> QueryResult<(u64, u64)> {
    let delete = format!(
        "DELETE FROM kept WHERE node = ?1 AND begun_by IN ({OTHERS}) AND last_by IN ({OTHERS})"
    );
    let forgotten = db.execute(&delete, params![node, keyed_by])?;
    timers::forget_without_value(db, node)?;
    let left = of_others(db, node, keyed_by)?;
    accept(db, node, keyed_by)?;
    Ok((forgotten as u64, left))
}

/// Returns the number of counters of a node that were written with other kinds of keys, alone or in
/// addition to the current kind.
pub fn of_others(db: &Connection, node: &str, keyed_by: KeyedBy) -> QueryResult<u64> {
    let count = format!(
        "SELECT count(*) FROM kept WHERE node = ?1 AND (begun_by IN ({OTHERS}) OR last_by IN ({OTHERS}))"
    );
    let count: i64 = db.query_row(&count, params![node, keyed_by], |row| row.get(0))?;
    Ok(count as u64)
}

/// Moves the counters of a node to another. Their generations follow those of the other node.
/// `sums` has the sums for keys that both nodes have.
pub fn move_counters(
    db: &Connection,
    from: &str,
    to: &str,
    sums: &[ChangedValue],
) -> QueryResult<()> {
    let select = "SELECT ifnull(max(generation) + 1, 0) FROM kept_by WHERE node = ?";
    let offset: i64 = db.query_row(select, [to], |row| row.get(0))?;
    let mut update = db.prepare(
        "UPDATE kept SET octets = ?1, begun_by =
             (SELECT begun_by + ?2 FROM kept AS old WHERE old.node = ?3 AND old.key = ?5)
         WHERE node = ?4 AND key = ?5",
    )?;
    let mut delete = db.prepare("DELETE FROM kept WHERE node = ? AND key = ?")?;
    for ChangedValue { key, octets } in sums {
        update.execute(params![octets, offset, from, to, key])?;
        delete.execute([from, key])?;
    }
    let update = "UPDATE kept SET node = ?1, begun_by = begun_by + ?2, last_by = last_by + ?2 WHERE node = ?3";
    db.execute(update, params![to, offset, from])?;
    timers::move_timers(db, from, to)?;
    // The kinds move too, so that they are still compared with the current kind.
    let update = "UPDATE kept_by SET node = ?1, generation = generation + ?2 WHERE node = ?3";
    db.execute(update, params![to, offset, from]).map(drop)
}

/// Deletes all counters of a node, and returns how many.
pub fn forget(db: &Connection, node: &str) -> QueryResult<u64> {
    let forgotten = db.execute("DELETE FROM kept WHERE node = ?", [node])?;
    db.execute("DELETE FROM kept_by WHERE node = ?", [node])?;
    timers::forget_without_value(db, node)?;
    Ok(forgotten as u64)
}
