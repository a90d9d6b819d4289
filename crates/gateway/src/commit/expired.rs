//! The row of a job that ended groups whose time was over, or in which timers fired.

use journal::JobId;
use store::{Connection, QueryResult};

use super::{NewEntry, ResultRows};
use state::timers::emitted;
use state::timers::emitted::EmittedRow;

/// A row to write for a job that is done.
#[derive(Debug)]
pub(crate) struct ExpiryRow {
    pub(crate) done_ms: i64,
    pub(crate) node: String,
    pub(crate) network_element: String,
    pub(crate) name: String,
    pub(crate) results: ResultRows,
    pub(crate) emitted: Vec<EmittedRow>,
}

impl ExpiryRow {
    /// Inserts the job. It counts no records of its own, since the records of its groups came with files, but for those that
    /// timers emitted and that are set aside.
    pub(crate) fn insert(&self, db: &Connection) -> QueryResult<JobId> {
        let ExpiryRow { done_ms, node, network_element, name, results, emitted } = self;
        let aside = emitted.len() as i64;
        let entry = NewEntry {
            network_element,
            name,
            digest: Some(&[]),
            expired_in: Some(node),
            is_known: false,
            counts: [aside, 0, 0, 0, aside, 0],
            ..NewEntry::done(*done_ms)
        };
        let entry = entry.insert(db)?;
        results.insert(db, entry)?;
        emitted::note(db, entry, emitted)?;
        Ok(entry)
    }
}
