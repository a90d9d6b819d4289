//! Records that came to groups and that somebody refused on their way: they are in suspense, and join when they are
//! retried. So no group of their key is over before they were seen to, and none goes out without its last record.

use node::MissingPart;
use store::{Answer, Connection, params};

/// Whether a group (`held_group`) waits for any.
pub(super) const IS_MISSING: &str = "EXISTS (SELECT 1 FROM held_missing AS missing
    WHERE missing.node = held_group.node AND missing.key = held_group.key)";

/// Their numbers in suspense. What a group had become whose records were set aside instead is missing too.
const NUMBERS: &str = "SELECT suspense.id FROM held_missing AS missing CROSS JOIN set_aside AS suspense
    WHERE missing.node = ?1 AND missing.key = ?2 AND suspense.state = 'open' AND missing.of_group IS NULL
        AND suspense.file = missing.file AND suspense.record = missing.record
    UNION ALL
    SELECT suspense.id FROM held_missing AS missing CROSS JOIN suspense
    WHERE missing.node = ?1 AND missing.key = ?2 AND suspense.state = 'open'
        AND suspense.of_group = missing.of_group";

/// The numbers in suspense of those that groups of a key wait for.
pub(super) fn numbers(db: &Connection, node: &str, key: &str) -> Answer<Vec<i64>> {
    let mut select = db.prepare_cached(NUMBERS)?;
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
        let select = format!("EXPLAIN QUERY PLAN {NUMBERS}");
        let mut plan = reader.prepare(&select).unwrap();
        let steps = plan.query_map(["calls", "7"], |row| row.get::<_, String>(3)).unwrap();
        let steps = steps.collect::<Answer<Vec<String>>>().unwrap();
        let looks_through = |step: &&String| step.starts_with("SCAN");
        assert_eq!(steps.iter().find(looks_through), None, "{steps:#?}");
        let by_number = |step: &&String| step.contains("(file=? AND record=?)");
        assert!(steps.iter().any(|step| by_number(&step)), "{steps:#?}");
        let of_job = |step: &String| step.contains("suspense_by_job (job=? AND record=?)");
        assert!(steps.iter().any(of_job), "{steps:#?}");
    }
}
