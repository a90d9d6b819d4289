//! Counts what waits, from the entries themselves: the audit compares it with the accounts of jobs.

use std::collections::BTreeMap;
use std::sync::Arc;

use node::{EntryNumber, GroupEntry, JobEntry, Summed};
use store::{Connection, QueryResult, params};

use super::entries::{Batch, EntryReader};
use super::page_state::{self, OpenBy};

/// What waits in nodes.
#[derive(Clone, Debug, Default)]
pub struct Census {
    /// How many groups wait, by node.
    pub groups: BTreeMap<String, i64>,
    /// How many records wait, by the job that brought them and node.
    pub records: BTreeMap<(JobEntry, String), i64>,
    /// The sums of what waits, by node and name.
    pub sums: BTreeMap<(String, String), Summed>,
}

impl Census {
    /// Counts everything that waits.
    pub fn of_all(db: &Connection) -> QueryResult<Self> {
        let mut census = Census::default();
        census.add(db, (0, EntryNumber::MAX))?;
        Ok(census)
    }

    /// Counts what these jobs have brought.
    pub fn of_jobs(db: &Connection, jobs: &[JobEntry]) -> QueryResult<Self> {
        let mut census = Census::default();
        let mut add =
            |batch: Arc<Batch>| census.add(db, (batch.first, batch.first + batch.entries));
        Batch::for_each_of_rows(db, &mut add)?;
        for job in jobs {
            Batch::of_job(db, *job)?.into_iter().try_for_each(&mut add)?;
        }
        Ok(census)
    }

    /// Adds the entries within a range of numbers.
    fn add(
        &mut self,
        db: &Connection,
        (first, end): (EntryNumber, EntryNumber),
    ) -> QueryResult<()> {
        let select = format!(
            "{} ORDER BY page",
            page_state::select_open(OpenBy::Number, "page >= ? AND page < ?")
        );
        let mut select = db.prepare_cached(&select)?;
        let mut rows = select.query(params![first, end])?;
        let (mut batches, mut begun) = (EntryReader::default(), EntryReader::default());
        while let Some(page) = page_state::next(&mut rows)? {
            page.for_each(db, |number, entry| {
                let Some(batch) = batches.batch(db, number)? else { return Ok(()) };
                let began = match entry.group {
                    Some(id) => begun.batch(db, id)?.unwrap_or_else(|| batch.clone()),
                    None => batch.clone(),
                };
                self.add_entry(&batch, &began, &entry);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Adds an entry of a group that began in another batch, or in the same.
    fn add_entry(&mut self, batch: &Batch, began: &Batch, entry: &GroupEntry) {
        if entry.group.is_none() {
            *self.groups.entry(batch.node.clone()).or_default() += 1;
        }
        for record in entry.records.iter().filter(|record| record.is_held) {
            let job = record.job.or(batch.job).unwrap_or_default();
            *self.records.entry((job, batch.node.clone())).or_default() += 1;
        }
        // A sum that the flow got after the group began is not checked against it.
        let sums = batch.sums.iter().zip(&entry.sums).filter(|(sum, _)| began.sums.contains(sum));
        for (sum, value) in sums {
            let place = (batch.node.clone(), sum.name.clone());
            *self.sums.entry(place).or_default() += Summed::from(*value);
        }
    }
}
