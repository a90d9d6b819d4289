//! The row of a job that ended groups whose time was over.

use journal::JobId;
use store::{Answer, Connection};

use super::{NewEntry, ResultRows};

/// A row to write for a job that is done.
#[derive(Debug)]
pub(crate) struct ExpiryRow {
    pub(crate) done_ms: i64,
    pub(crate) node: String,
    pub(crate) network_element: String,
    pub(crate) name: String,
    pub(crate) results: ResultRows,
}

impl ExpiryRow {
    /// Inserts the job. It counts no records of its own: the records of its groups came with files.
    pub(crate) fn insert(&self, db: &Connection) -> Answer<JobId> {
        let ExpiryRow { done_ms, node, network_element, name, results } = self;
        let entry = NewEntry {
            network_element,
            name,
            digest: Some(&[]),
            expired_in: Some(node),
            is_known: false,
            ..NewEntry::done(*done_ms)
        };
        let entry = entry.insert(db)?;
        results.insert(db, entry)?;
        Ok(entry)
    }
}
