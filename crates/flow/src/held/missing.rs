//! Records that came to groups and that somebody refused on their way: they are in suspense, and join when they are
//! retried. So no group of their key is over before they were seen to, and none goes out without its last record.

use node::MissingPart;
use store::{Answer, Connection, params};

/// The records in suspense that groups of a key of a node wait for. What a group had become whose records were set aside
/// instead is missing too.
fn missing(node: &str, key: &str) -> String {
    format!(
        "SELECT suspense.id FROM held_missing AS missing CROSS JOIN set_aside AS suspense
         WHERE missing.node = {node} AND missing.key = {key} AND suspense.state = 'open'
             AND suspense.file = missing.file AND suspense.record = missing.record
         UNION ALL
         SELECT suspense.id FROM held_missing AS missing CROSS JOIN suspense
         WHERE missing.node = {node} AND missing.key = {key} AND suspense.state = 'open'
             AND suspense.of_group = missing.of_group"
    )
}

/// Whether a group waits for any (`held_group`).
pub(super) fn is_missing() -> String {
    format!("EXISTS ({})", missing("held_group.node", "held_group.key"))
}

/// Their numbers.
pub(super) fn numbers(db: &Connection, node: &str, key: &str) -> Answer<Vec<i64>> {
    let mut select = db.prepare_cached(&missing("?1", "?2"))?;
    let mut numbers: Vec<i64> =
        select.query_map([node, key], |row| row.get(0))?.collect::<Answer<_>>()?;
    numbers.sort_unstable();
    Ok(numbers)
}

/// Notes the records that a job brought.
pub(super) fn note(db: &Connection, job: i64, node: &str, missing: &[MissingPart]) -> Answer<()> {
    // A job that ended groups has those for records.
    let mut insert = db.prepare_cached(
        "INSERT OR IGNORE INTO held_missing (node, key, file, record, of_group)
         SELECT ?1, ?2, ifnull(retry_of, id), ?3, iif(expired_in IS NULL, NULL, ?3) FROM file WHERE id = ?4",
    )?;
    missing.iter().try_for_each(|MissingPart { key, record }| {
        insert.execute(params![node, key, *record as i64, job]).map(drop)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Journal;

    #[test]
    fn what_is_missing_is_found_by_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("flow.state");
        let journal = Journal::open(&state, &folder.path().join("flow.toml"), |_| ()).unwrap();
        let reader = journal.reader().unwrap();
        let select = format!("EXPLAIN QUERY PLAN SELECT id FROM held_group WHERE {}", is_missing());
        let mut plan = reader.prepare(&select).unwrap();
        let steps = plan.query_map([], |row| row.get::<_, String>(3)).unwrap();
        let steps = steps.collect::<Answer<Vec<String>>>().unwrap();
        let looks_through =
            |step: &&String| step.starts_with("SCAN") && !step.contains("held_group");
        assert_eq!(steps.iter().find(looks_through), None, "{steps:#?}");
        let by_number = |step: &&String| step.contains("(file=? AND record=?)");
        assert!(steps.iter().any(|step| by_number(&step)), "{steps:#?}");
        let of_job = |step: &String| step.contains("suspense_by_job (job=? AND record=?)");
        assert!(steps.iter().any(of_job), "{steps:#?}");
    }
}
