//! Records in suspense that belong to groups: a node refused them, or what their group became. They join their groups
//! when they are retried. So no group that they may belong to is over before they are retried or discarded, and none is
//! emitted without its last record.

use std::time::Duration;

use node::{MissingPart, Times};
use store::{Answer, Connection, params};

use super::by_key;

/// Returns the condition that a missing record may belong to a group (`held_group`); `within` is the most time between
/// records of a group.
fn belongs(within: Option<Duration>) -> String {
    let same_key =
        "missing.node = held_group.node AND missing.key = held_group.key AND missing.is_open";
    let Some(within) = within else { return same_key.into() };
    let ms = i64::try_from(within.as_millis()).unwrap_or(i64::MAX);
    format!(
        "{same_key} AND ifnull(missing.first_ms - held_group.first_ms <= {ms}
             AND held_group.last_ms - missing.last_ms <= {ms}, TRUE)"
    )
}

/// Returns the condition that a group waits for a missing record.
pub fn is_missing(within: Option<Duration>) -> String {
    let belongs = belongs(within);
    format!(
        "EXISTS (SELECT 1 FROM held_missing AS missing INDEXED BY held_missing_open WHERE {belongs})"
    )
}

/// The keys of a node with missing records. It uses the index of open ones, so that discarded ones are not read with
/// every look.
const KEYS: &str =
    "SELECT DISTINCT key FROM held_missing INDEXED BY held_missing_open WHERE node = ? AND is_open";

/// Counts the groups of a node that wait for missing records and whose first record was made, or came, before a limit.
pub(super) fn count_overdue(
    db: &Connection,
    node: &str,
    within: Option<Duration>,
    (first_ms, came_ms): (Option<i64>, Option<i64>),
) -> Answer<i64> {
    let mut select = db.prepare_cached(KEYS)?;
    let keys = select.query_map([node], |row| row.get::<_, String>(0))?;
    let of_key = |key: Answer<String>| by_key::numbers(db, node, &key?);
    let groups = keys.map(of_key).collect::<Answer<Vec<_>>>()?.concat();
    if groups.is_empty() {
        return Ok(0);
    }
    let groups = serde_json::to_string(&groups).expect("numbers");
    let values = params![groups, first_ms, came_ms];
    db.prepare_cached(&overdue(within))?.query_row(values, |row| row.get(0))
}

/// Returns the query that counts those of the groups with these numbers.
fn overdue(within: Option<Duration>) -> String {
    format!(
        "SELECT count(*) FROM held_group WHERE id IN (SELECT value FROM json_each(?1))
             AND released_ms IS NULL AND (first_ms < ?2 OR came_ms < ?3) AND {}",
        is_missing(within)
    )
}

/// Returns the query of the numbers in suspense of the records that a group waits for.
fn of_group(within: Option<Duration>) -> String {
    let belongs = belongs(within);
    format!(
        "SELECT suspense.id FROM held_group CROSS JOIN held_missing AS missing CROSS JOIN set_aside AS suspense
         WHERE held_group.id = ?1 AND {belongs} AND missing.of_group IS NULL AND suspense.state = 'open'
             AND suspense.file = missing.file AND suspense.record = missing.record
             AND suspense.offset >= missing.offset
             AND suspense.offset <= iif(missing.offset < 0, 9223372036854775807, missing.offset)
         UNION ALL
         SELECT suspense.id FROM held_group CROSS JOIN held_missing AS missing CROSS JOIN suspense
         WHERE held_group.id = ?1 AND {belongs} AND suspense.state = 'open'
             AND suspense.of_group = missing.of_group"
    )
}

/// Returns the numbers in suspense of the records that a group waits for.
pub(super) fn numbers(db: &Connection, group: i64, within: Option<Duration>) -> Answer<Vec<i64>> {
    let mut select = db.prepare_cached(&of_group(within))?;
    let numbers = select.query_map([group], |row| row.get(0))?;
    let mut numbers: Vec<i64> = numbers.collect::<Answer<_>>()?;
    numbers.sort_unstable();
    Ok(numbers)
}

/// Notes the missing records of a job. A retried record may now be refused for another reason, and no longer be
/// awaited.
pub(super) fn note(db: &Connection, job: i64, node: &str, missing: &[MissingPart]) -> Answer<()> {
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
) -> Answer<()> {
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
        steps.collect::<Answer<Vec<String>>>().unwrap()
    }

    #[test]
    fn who_looks_for_what_groups_wait_for_does_not_look_through_what_was_given_up() {
        for select in [
            KEYS.to_owned(),
            overdue(Some(Duration::ZERO)),
            format!("SELECT 1 FROM held_group WHERE id = 1 AND {}", is_missing(None)),
        ] {
            let steps = plan(&select);
            let of_missing = |step: &&String| step.contains("missing");
            let is_of_open = |step: &String| step.contains("INDEX held_missing_open (");
            assert!(steps.iter().filter(of_missing).all(is_of_open), "{steps:#?}");
        }
    }

    #[test]
    fn what_is_missing_is_found_by_its_number() {
        let steps = plan(&of_group(Some(Duration::ZERO)));
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
