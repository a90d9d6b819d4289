//! The counters of the jobs that were done since a moment, from the journal. A gateway that was started since then adds
//! its own counters to them.

use std::path::Path;

use store::{Connection, QueryResult, Row, params};

use super::{OUTCOMES, OfElement, OfNode, Outcomes, Tallies, entry};
use crate::flow_journal::{self, JournalError};
use crate::report::SourceCount;

/// Returns the counters of the jobs that were done at `since_ms` or later, up to the job `last_job`.
///
/// # Errors
///
/// The journal does not exist yet, or cannot be read.
pub fn done_since(flow: &Path, since_ms: i64, last_job: i64) -> Result<Tallies, JournalError> {
    flow_journal::read(flow, |db| {
        let mut tallies = Tallies { last_job, ..Tallies::default() };
        let jobs = Jobs { db, since_ms, last_job };
        jobs.elements(&mut tallies)?;
        jobs.nodes(&mut tallies)?;
        jobs.sources(&mut tallies)?;
        jobs.outputs(&mut tallies)?;
        Ok(tallies)
    })
}

/// The jobs to count.
struct Jobs<'d> {
    db: &'d Connection,
    since_ms: i64,
    last_job: i64,
}

/// The condition for a job. With the plus, the jobs are found by the index of their times, and not by their numbers. In the
/// queries, `CROSS JOIN` keeps the order of the tables, so that only rows of these jobs are read.
const CHOSEN: &str = "file.done_ms >= ?1 AND +file.id <= ?2";

/// ORDER OUTCOMES
const SUMS: &str = "sum(delivered), sum(filtered), sum(held), sum(suspended), sum(duplicate)";

impl Jobs<'_> {
    fn each(
        &self,
        select: &str,
        mut each: impl FnMut(&Row<'_>) -> QueryResult<()>,
    ) -> QueryResult<()> {
        #[cfg(test)]
        tests::finds_jobs_by_their_time(self.db, select);
        let mut select = self.db.prepare(select)?;
        let mut rows = select.query(params![self.since_ms, self.last_job])?;
        while let Some(row) = rows.next()? {
            each(row)?;
        }
        Ok(())
    }

    /// Reads files, and jobs that retried records.
    fn elements(&self, tallies: &mut Tallies) -> QueryResult<()> {
        let select = format!(
            "SELECT network_element, retry_of IS NOT NULL, count(*), count(duplicate_of), sum(size), {SUMS}
             FROM file WHERE {CHOSEN} AND expired_in IS NULL GROUP BY 1, 2"
        );
        self.each(&select, |row| {
            let element: &mut OfElement = entry(&mut tallies.elements, &row.get::<_, String>(0)?);
            if row.get(1)? {
                element.retried = outcomes(row, 5)?;
                return Ok(());
            }
            element.files = count(row, 2)?;
            element.duplicate_files = count(row, 3)?;
            element.octets = count(row, 4)?;
            element.records = outcomes(row, 5)?;
            Ok(())
        })
    }

    fn nodes(&self, tallies: &mut Tallies) -> QueryResult<()> {
        let sums = SUMS.replace("sum(", "sum(passage.");
        let select = format!(
            "SELECT node, is_system, sum(made), sum(refused_later), {sums}
             FROM file CROSS JOIN passage ON passage.file = file.id WHERE {CHOSEN} GROUP BY 1, 2"
        );
        self.each(&select, |row| {
            let of = node(tallies, row)?;
            of.made = count(row, 2)?;
            of.refused_later = count(row, 3)?;
            of.records = outcomes(row, 4)?;
            Ok(())
        })
    }

    fn sources(&self, tallies: &mut Tallies) -> QueryResult<()> {
        let select = format!(
            "SELECT node, is_system, source.value ->> 0, source.value ->> 1, sum(source.value ->> 2)
             FROM file CROSS JOIN passage ON passage.file = file.id CROSS JOIN json_each(passage.sources) AS source
             WHERE {CHOSEN} GROUP BY 1, 2, 3, 4"
        );
        self.each(&select, |row| {
            let (from, stream) = (row.get(2)?, row.get(3)?);
            let source = SourceCount { from, stream, records: count(row, 4)? };
            node(tallies, row)?.sources.push(source);
            Ok(())
        })
    }

    /// Reads the files that were made for systems.
    fn outputs(&self, tallies: &mut Tallies) -> QueryResult<()> {
        let select = format!(
            "SELECT post_processing_system, true, count(*) FROM file CROSS JOIN output ON output.file = file.id
             WHERE {CHOSEN} AND post_processing_system IS NOT NULL GROUP BY 1"
        );
        self.each(&select, |row| {
            node(tallies, row)?.files = count(row, 2)?;
            Ok(())
        })
    }
}

/// Returns the counters of the node or system in the first two columns.
fn node<'t>(tallies: &'t mut Tallies, row: &Row<'_>) -> QueryResult<&'t mut OfNode> {
    let (name, is_system): (String, bool) = (row.get(0)?, row.get(1)?);
    let of = if is_system { &mut tallies.systems } else { &mut tallies.nodes };
    Ok(entry(of, &name))
}

fn count(row: &Row<'_>, column: usize) -> QueryResult<u64> {
    Ok(row.get::<_, i64>(column)? as u64)
}

fn outcomes(row: &Row<'_>, first: usize) -> QueryResult<Outcomes> {
    let mut outcomes = Outcomes([0; OUTCOMES.len()]);
    for (place, sum) in outcomes.0.iter_mut().enumerate() {
        *sum = count(row, first + place)?;
    }
    Ok(outcomes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts that a query reads no other jobs than those since the moment.
    pub(super) fn finds_jobs_by_their_time(db: &Connection, select: &str) {
        let mut plan = db.prepare(&format!("EXPLAIN QUERY PLAN {select}")).unwrap();
        let steps = plan.query_map(params![0, 0], |row| row.get::<_, String>(3)).unwrap();
        let steps: Vec<String> = steps.map(Result::unwrap).collect();
        assert!(steps[0].contains("file_by_time"), "{steps:?}");
        assert!(
            steps.iter().all(|step| !step.starts_with("SCAN") || step.contains("VIRTUAL")),
            "{steps:?}"
        );
    }

    #[test]
    fn today_is_read_by_the_time_of_jobs() {
        let folder = tempfile::tempdir().unwrap();
        let flow = folder.path().join("flow.toml");
        std::fs::write(&flow, "").unwrap();
        let state = folder.path().join("flow.state");
        let now = std::time::SystemTime::now;
        let _journal = flow_journal::open(&flow, &state, now).unwrap();
        assert_eq!(done_since(&flow, 0, 7).unwrap(), Tallies { last_job: 7, ..Tallies::default() });
    }
}
