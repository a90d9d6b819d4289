//! What jobs ask the journal: also in processes beside the gateway's own, which do not write it.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use journal::{Folders, JobId, OpenError, View};
use runtime::sync::lock;
use runtime::time::since_epoch_ns;
use store::{Answer, Connection, OptionalExtension as _};
use transport::{Found, Mark};

use crate::collection::input::Digest;
use crate::definition::schema::SCHEMA;
use crate::lineage::Shelf;
use crate::state::groups::SpanFilters;

/// Most files that are known to have been compared.
const COMPARED_MAX: usize = 100_000;

/// A file that is done and not marked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DoneBefore {
    pub(crate) entry: JobId,
    /// How it is to be marked.
    pub(crate) mark: Mark,
    pub(crate) digest: Option<Digest>,
}

/// What jobs read of a journal.
#[derive(Clone, Debug)]
pub(crate) struct JobView {
    journal: View,
    /// Where more is of the trace than lies in it.
    pub(crate) shelf: Arc<Shelf>,
    /// Where in it groups of a key may be.
    pub(crate) filters: Arc<SpanFilters>,
    /// Files that are done and not marked, and since when what lies there was compared with them.
    compared: Arc<Mutex<BTreeMap<JobId, SystemTime>>>,
}

impl Deref for JobView {
    type Target = View;

    fn deref(&self) -> &View {
        &self.journal
    }
}

impl JobView {
    /// That of a gateway that runs, in another process.
    pub(crate) fn open(
        (flow, state): (&Path, &Path),
        is_kept: bool,
        machine: fn() -> SystemTime,
    ) -> Result<Self, OpenError> {
        let mut journal = View::open(folders(flow, state), &SCHEMA, machine)?;
        journal.is_kept = is_kept;
        Ok(Self::new(journal))
    }

    /// That of a journal.
    pub(crate) fn new(journal: View) -> Self {
        let shelf = Arc::new(Shelf::new(&journal.state()));
        JobView { journal, shelf, filters: Arc::default(), compared: Arc::default() }
    }

    /// What is known of a file of this path, size and time that is done already and only not marked.
    pub(crate) fn find(&self, reader: &Connection, found: &Found) -> Answer<Option<DoneBefore>> {
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

    /// Whether a file that is done was compared with what lies in its place, to which nothing was done since.
    pub(crate) fn is_compared(&self, entry: JobId, came: Option<SystemTime>) -> bool {
        came.is_some() && lock(&self.compared).get(&entry).copied() == came
    }

    /// It was, and is the same.
    pub(crate) fn compared(&self, entry: JobId, came: Option<SystemTime>) {
        let mut compared = lock(&self.compared);
        if compared.len() >= COMPARED_MAX {
            compared.clear();
        }
        compared.extend(came.map(|came| (entry, came)));
    }

    /// Whether an output of a file that is done has a name. All of them are looked through: it is asked only of a name that
    /// somebody has.
    pub(crate) fn has_output(&self, reader: &Connection, path: &Path) -> Answer<bool> {
        reader.prepare_cached("SELECT 1 FROM output WHERE path = ?")?.exists([self.noted(path)])
    }

    /// What tells a file that is not marked from one that took its place: that has another time.
    pub(crate) fn identity(&self, found: &Found) -> (String, i64, i64) {
        let (size, modified) = found.version;
        (self.noted(&found.path), size as i64, modified.map_or(0, since_epoch_ns))
    }
}

/// Where a flow has its journal, and the files that are noted in it.
pub(crate) fn folders<'f>(flow: &'f Path, state: &'f Path) -> Folders<'f> {
    Folders { state, base: flow.parent().unwrap_or(Path::new("")) }
}
