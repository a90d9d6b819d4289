//! Records in suspense that belong to groups: a node refused them, or what their group became. They join their groups
//! when they are retried. So no group that they may belong to is over before they are retried or discarded, and none is
//! emitted without its last record.

use std::time::Duration;

use node::{GroupEntry, MissingPart, Times};
use store::{Connection, QueryResult, ToSql, params};

use super::stored::{StoredGroup, StoredGroups, is_before};

/// The condition that a missing record may belong to a group: its node (`?1`), key (`?2`), and the times of its first and
/// last record (`?3`, `?4`), which lie at most `?5` milliseconds apart.
const BELONGS: &str = "missing.node = ?1 AND missing.key = ?2 AND missing.is_open
     AND ifnull(missing.first_ms - ?3 <= ?5 AND ?4 - missing.last_ms <= ?5, TRUE)";

/// A group that may wait for missing records.
#[derive(Clone, Copy)]
pub(super) struct MayWait<'g> {
    pub(super) node: &'g str,
    pub(super) key: &'g str,
    pub(super) times: Option<Times>,
    /// The most time between records of a group.
    pub(super) within: Option<Duration>,
}

impl<'g> MayWait<'g> {
    pub(super) fn entry(node: &'g str, entry: &'g GroupEntry, within: Option<Duration>) -> Self {
        MayWait { node, key: &entry.key, times: entry.times, within }
    }

    pub(super) fn group(group: &'g StoredGroup, within: Option<Duration>) -> Self {
        MayWait { node: group.node(), key: &group.key, times: group.times, within }
    }

    /// Asks with the values of [`BELONGS`].
    fn ask<T>(&self, ask: impl FnOnce(&[&dyn ToSql]) -> T) -> T {
        let (first, last) = self.times.map(|times| (times.first_ms, times.last_ms)).unzip();
        let ms = |within: Duration| i64::try_from(within.as_millis()).unwrap_or(i64::MAX);
        ask(params![self.node, self.key, first, last, self.within.map(ms)])
    }
}

/// Returns the query whether a group waits for a missing record.
fn of_key() -> String {
    format!("SELECT 1 FROM held_missing AS missing INDEXED BY held_missing_open WHERE {BELONGS}")
}

/// Returns whether a group waits for a missing record.
pub(super) fn is_missing(db: &Connection, group: &MayWait<'_>) -> QueryResult<bool> {
    let mut select = db.prepare_cached(&of_key())?;
    group.ask(|values| select.exists(values))
}

/// Returns whether records are missing in a node at all: most nodes have none.
pub(super) fn is_any_missing(db: &Connection, node: &str) -> QueryResult<bool> {
    db.prepare_cached(KEYS)?.exists([node])
}

/// The keys of a node with missing records. It uses the index of open ones, so that discarded ones are not read with
/// every look.
const KEYS: &str =
    "SELECT DISTINCT key FROM held_missing INDEXED BY held_missing_open WHERE node = ? AND is_open";

/// Returns whether a group of a node waits for missing records although its first record was made, or came, before a
/// limit.
pub(super) fn is_any_overdue(
    db: &Connection,
    node: &str,
    within: Option<Duration>,
    (first_ms, came_ms): (Option<i64>, Option<i64>),
) -> QueryResult<bool> {
    let keys: Vec<String> = db
        .prepare_cached(KEYS)?
        .query_map([node], |row| row.get(0))?
        .collect::<QueryResult<_>>()?;
    let mut groups = StoredGroups::default();
    for key in keys {
        for group in groups.of_key(db, node, &key)? {
            let made_ms = group.times.map(|times| times.first_ms);
            let is_over = is_before(made_ms, first_ms) || is_before(Some(group.came_ms), came_ms);
            if group.release.is_none()
                && is_over
                && is_missing(db, &MayWait::group(&group, within))?
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns the query of the numbers in suspense of the records that a group waits for.
fn numbers_of_key() -> String {
    format!(
        "SELECT suspense.id FROM held_missing AS missing CROSS JOIN set_aside AS suspense
         WHERE {BELONGS} AND missing.of_group IS NULL AND suspense.state = 'open'
             AND suspense.file = missing.file AND suspense.record = missing.record
             AND suspense.offset >= missing.offset
             AND suspense.offset <= iif(missing.offset < 0, 9223372036854775807, missing.offset)
         UNION ALL
         SELECT suspense.id FROM held_missing AS missing CROSS JOIN suspense
         WHERE {BELONGS} AND suspense.state = 'open' AND suspense.of_group = missing.of_group"
    )
}

/// Returns the numbers in suspense of the records that a group waits for.
pub(super) fn numbers(db: &Connection, group: &MayWait<'_>) -> QueryResult<Vec<i64>> {
    let mut select = db.prepare_cached(&numbers_of_key())?;
    let numbers = group.ask(|values| {
        let numbers = select.query_map(values, |row| row.get(0))?;
        numbers.collect::<QueryResult<Vec<i64>>>()
    });
    let mut numbers = numbers?;
    numbers.sort_unstable();
    Ok(numbers)
}

/// Notes the missing records of a job. A retried record may now be refused for another reason, and no longer be
/// awaited.
pub(super) fn note(
    db: &Connection,
    job: i64,
    node: &str,
    missing: &[MissingPart],
) -> QueryResult<()> {
    // In a job that ends groups, the records are groups.
    let mut insert = db.prepare_cached(
        "INSERT OR IGNORE INTO held_missing (node, key, file, record, offset, of_group, first_ms, last_ms)
         SELECT ?1, ?2, ifnull(retry_of, id), ?3, ?4, iif(expired_in IS NULL, NULL, ?3), ?5, ?5
         FROM file WHERE id = ?6",
    )?;
    let mut delete = db.prepare_cached(
        "DELETE FROM held_missing WHERE node = ? AND key = ? AND record = ? AND offset = ?
             AND file = (SELECT ifnull(retry_of, id) FROM file WHERE id = ?)",
    )?;
    missing.iter().try_for_each(|MissingPart { key, time_ms, record, offset, is_awaited }| {
        let (record, offset) = (*record as i64, *offset as i64);
        let noted = match is_awaited {
            true => insert.execute(params![node, key, record, offset, time_ms, job]),
            false => delete.execute(params![node, key, record, offset, job]),
        };
        noted.map(drop)
    })
}

/// Notes that the records of a group are set aside together.
pub(super) fn note_group(
    db: &Connection,
    job: i64,
    (node, key, group): (&str, &str, i64),
    times: Option<Times>,
) -> QueryResult<()> {
    let (first, last) = times.map(|times| (times.first_ms, times.last_ms)).unzip();
    let insert =
        "INSERT OR IGNORE INTO held_missing (node, key, file, record, offset, of_group, first_ms, last_ms)
                  VALUES (?1, ?2, ?3, ?4, 0, ?4, ?5, ?6)";
    db.prepare_cached(insert)?.execute(params![node, key, job, group, first, last]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flow::schema::MIGRATIONS;

    /// Returns SQLite's plan of a query.
    fn plan(select: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("flow.state");
        let journal = flow::flow_journal::open(
            &folder.path().join("flow.toml"),
            &state,
            std::time::SystemTime::now,
        )
        .unwrap();
        let reader = journal.reader().unwrap();
        let mut plan = reader.prepare(&format!("EXPLAIN QUERY PLAN {select}")).unwrap();
        let values = std::iter::repeat_n(7, plan.parameter_count());
        let steps = plan.query_map(store::params_from_iter(values), |row| row.get(3)).unwrap();
        steps.collect::<QueryResult<Vec<String>>>().unwrap()
    }

    #[test]
    fn who_looks_for_what_groups_wait_for_does_not_look_through_what_was_given_up() {
        for select in [KEYS.to_owned(), of_key()] {
            let steps = plan(&select);
            let of_missing = |step: &&String| step.contains("missing");
            let is_of_open = |step: &String| step.contains("INDEX held_missing_open (");
            assert!(steps.iter().filter(of_missing).all(is_of_open), "{steps:#?}");
        }
    }

    #[test]
    fn what_is_missing_is_found_by_its_number() {
        let steps = plan(&numbers_of_key());
        let looks_through = |step: &&String| step.starts_with("SCAN");
        assert_eq!(steps.iter().find(looks_through), None, "{steps:#?}");
        let by_number =
            |step: &&String| step.contains("(file=? AND record=? AND offset>? AND offset<?)");
        assert!(steps.iter().any(|step| by_number(&step)), "{steps:#?}");
        let of_job = |step: &String| {
            step.contains("suspense_by_job (job=? AND record=? AND offset>? AND offset<?)")
        };
        assert!(steps.iter().any(of_job), "{steps:#?}");
    }

    #[test]
    fn what_was_noted_without_its_place_in_the_file_is_waited_for_by_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let before = MIGRATIONS.iter().position(|sql| sql.contains("held_missing_now")).unwrap();
        let store = store::Store::open(&path, &MIGRATIONS[..before]).unwrap();
        let found_in_one_piece = "
            INSERT INTO file (id, network_element, path, size, modified_ns, done_ms, records, delivered, filtered,
                held, suspended, duplicate) VALUES (1, 'boston', 'in/a.ber', 0, 0, 0, 3, 0, 0, 0, 3, 0);
            INSERT INTO suspense (file, why, record, offset, node, reason, octets)
                VALUES (1, 'suspended', 5, 70, 'priced', '', x''), (1, 'suspended', 5, 90, 'priced', '', x''),
                    (1, 'suspended', 6, 95, 'priced', '', x'');
            INSERT INTO held_missing (node, key, file, record) VALUES ('calls', '7', 1, 5), ('calls', '8', 1, 5),
                ('calls', '9', 1, 6);";
        store.commit(|db| db.execute_batch(found_in_one_piece)).unwrap();
        drop(store);
        let store = store::Store::open(&path, MIGRATIONS).unwrap();
        let seen_to = |number: i64, state: &'static str| {
            let open = "SELECT ifnull(group_concat(key, ' '), '') FROM held_missing WHERE is_open";
            store
                .commit(move |db| {
                    let update = "UPDATE suspense SET state = ? WHERE id = ?";
                    db.execute(update, params![state, number])?;
                    db.query_row(open, [], |row| row.get::<_, String>(0))
                })
                .unwrap()
        };
        assert_eq!(seen_to(1, "discarded"), "7 8 9");
        assert_eq!(seen_to(2, "discarded"), "9");
        assert_eq!(seen_to(1, "open"), "7 8 9");
        assert_eq!(seen_to(3, "retried"), "7 8");
        assert_eq!(seen_to(1, "retried"), "");
    }
}
