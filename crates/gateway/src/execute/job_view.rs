//! The part of the journal that jobs read. Worker processes, which do not write the journal, use it too.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use journal::{JobId, OpenError, View};
use runtime::sync::lock;
use runtime::time::since_epoch_ns;
use store::{Connection, OptionalExtension as _, QueryResult};
use transport::{FoundFile, Mark};

use collection::input::Digest;
use flow::flow_journal;
use flow::schema::SCHEMA;
use lineage::Shelf;
use state::groups::KeyIndex;

/// The most files whose comparison is remembered.
const COMPARED_MAX: usize = 100_000;

/// A file that is done and not marked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DoneBefore {
    pub(crate) entry: JobId,
    /// The mark that it gets.
    pub(crate) mark: Mark,
    pub(crate) digest: Option<Digest>,
}

/// A job's view of the journal.
#[derive(Clone, Debug)]
pub(crate) struct JobView {
    journal: View,
    /// Where the parts of the trace lie that are not in the journal.
    pub(crate) shelf: Arc<Shelf>,
    /// The index of the groups' keys.
    pub(crate) group_index: Arc<KeyIndex>,
    /// Files that are done and not marked, each with the time (`arrived_at`) for which the digests were compared.
    compared: Arc<Mutex<BTreeMap<JobId, SystemTime>>>,
}

impl Deref for JobView {
    type Target = View;

    fn deref(&self) -> &View {
        &self.journal
    }
}

impl JobView {
    /// Opens the view from another process while the gateway runs.
    pub(crate) fn open(
        (flow, state): (&Path, &Path),
        is_written: bool,
        machine: fn() -> SystemTime,
    ) -> Result<Self, OpenError> {
        let mut journal = View::open(flow_journal::folders(flow, state), &SCHEMA, machine)?;
        journal.is_written = is_written;
        Ok(Self::new(journal))
    }

    /// Makes the view of an open journal.
    pub(crate) fn new(journal: View) -> Self {
        let shelf = Arc::new(Shelf::new(&journal.state()));
        JobView { journal, shelf, group_index: Arc::default(), compared: Arc::default() }
    }

    /// Returns the entry of a file with this path, size and time that is done already and not yet marked.
    pub(crate) fn find(
        &self,
        reader: &Connection,
        found: &FoundFile,
    ) -> QueryResult<Option<DoneBefore>> {
        reader
            .prepare_cached(
                "SELECT id, duplicate_of IS NULL, digest FROM file
                 WHERE path = ? AND size = ? AND modified_ns = ? AND marked <> 1
                 ORDER BY id DESC LIMIT 1",
            )?
            .query_row(self.identity(found), |row| {
                let mark = if row.get(1)? { Mark::Done } else { Mark::Duplicate };
                Ok(DoneBefore { entry: JobId(row.get(0)?), mark, digest: row.get(2)? })
            })
            .optional()
    }

    /// Returns whether a done file was already compared with the file in its place, unchanged since.
    pub(crate) fn is_compared(&self, entry: JobId, arrived_at: Option<SystemTime>) -> bool {
        arrived_at.is_some() && lock(&self.compared).get(&entry).copied() == arrived_at
    }

    /// Remembers that they were compared and are the same.
    pub(crate) fn compared(&self, entry: JobId, arrived_at: Option<SystemTime>) {
        let mut compared = lock(&self.compared);
        if compared.len() >= COMPARED_MAX {
            compared.clear();
        }
        compared.extend(arrived_at.map(|arrived_at| (entry, arrived_at)));
    }

    /// Returns whether an output of a done file has this path. It scans the whole table: it is called only if a file
    /// lies there.
    pub(crate) fn has_output(&self, reader: &Connection, path: &Path) -> QueryResult<bool> {
        reader.prepare_cached("SELECT 1 FROM output WHERE path = ?")?.exists([self.noted(path)])
    }

    /// Returns path, size and time. They tell a file that is not marked from one that replaced it, which has another
    /// time.
    pub(crate) fn identity(&self, found: &FoundFile) -> (String, i64, i64) {
        let (size, modified) = found.version;
        (self.noted(&found.path), size as i64, modified.map_or(0, since_epoch_ns))
    }
}
