//! The row of a job that retried records.

use std::time::SystemTime;

use journal::JobId;
use runtime::time::since_epoch_ns;
use store::{Connection, QueryResult};

use super::{NewEntry, ResultRows};
use assurance::sequence;
use assurance::sequence::{DoneFile, Gathered};
use flow::report::FileAccount;
use suspense::{Ends, RetryJob};

/// A row to write for a job that is done.
#[derive(Debug)]
pub(crate) struct RetryRow {
    pub(crate) done_ms: i64,
    pub(crate) job: RetryJob,
    pub(crate) account: FileAccount,
    pub(crate) results: ResultRows,
    /// The findings of assurance for records that only now can be read, and the file they came in.
    pub(crate) gathered: Option<(String, Box<Gathered>)>,
    pub(crate) ends: Ends,
}

impl RetryRow {
    /// Inserts the job.
    pub(crate) fn insert(&self, db: &Connection) -> QueryResult<JobId> {
        let RetryRow { done_ms, job, account, results, gathered, ends } = self;
        let entry = NewEntry {
            network_element: &account.network_element,
            name: &account.file,
            retry_of: Some(job.file),
            counts: account.counts(),
            ..NewEntry::done(*done_ms)
        };
        let entry = entry.insert(db)?;
        results.insert(db, entry)?;
        if let Some((file, gathered)) = gathered {
            let (network_element, now) = (&account.network_element, SystemTime::now());
            let done = DoneFile { network_element, name: file, at_ms: *done_ms };
            sequence::note(db, done, since_epoch_ns(now), gathered)?;
        }
        ends.note(db, job, entry)?;
        Ok(entry)
    }
}
