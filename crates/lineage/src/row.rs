//! The trace of a job in the journal.

use std::collections::BTreeSet;
use std::io;

use journal::{JobId, Journal, Pruned, for_each};
use runtime::time::at_ms;
use serde::{Deserialize, Serialize, Serializer};
use store::{Connection, QueryResult, StoreError, params};

use super::TraceSettings;
use super::shelf::{Piece, Shelf, TraceSyncError};

/// The rows that are deleted per transaction.
const ROWS_AT_ONCE: usize = 500;

/// The trace of a job's records.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TraceRow {
    /// The octets before the first record of each system.
    begun: Vec<(String, u64)>,
    /// The blocks on the shelf.
    pieces: Vec<Piece>,
    /// The blocks after those.
    #[serde(serialize_with = "at_once")]
    blocks: Vec<u8>,
}

/// Serializes octets at once. The result is the same as one by one.
fn at_once<S: Serializer>(octets: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(octets)
}

impl TraceRow {
    pub(super) fn begun(&mut self, system: &str, octets: u64) {
        self.begun.retain(|(known, _)| known != system);
        if octets > 0 {
            self.begun.push((system.to_owned(), octets));
        }
    }

    /// Returns the pieces on the shelf, and the blocks after them.
    pub fn parts(self) -> (Vec<Piece>, Vec<u8>) {
        (self.pieces, self.blocks)
    }

    /// Returns the octets before the first record for a system.
    pub fn before(&self, system: &str) -> u64 {
        self.begun.iter().find(|(known, _)| known == system).map_or(0, |(_, octets)| *octets)
    }

    pub(super) fn blocks(&mut self) -> &mut Vec<u8> {
        &mut self.blocks
    }

    pub(super) fn put_away(&mut self, piece: Piece) {
        self.pieces.push(piece);
        self.blocks.clear();
    }

    /// Syncs the pieces of several jobs to the disk.
    pub fn sync<'r>(
        shelf: &Shelf,
        rows: impl Iterator<Item = &'r TraceRow>,
    ) -> Result<(), TraceSyncError> {
        let pieces = rows.flat_map(|row| &row.pieces);
        let segments: BTreeSet<&str> = pieces.map(|piece| piece.segment.as_str()).collect();
        segments.into_iter().try_for_each(|segment| shelf.sync(segment))
    }

    /// Inserts the trace of a job. An empty trace gets no row.
    pub fn insert(&self, db: &Connection, JobId(file): JobId) -> QueryResult<()> {
        if self.pieces.is_empty() && self.blocks.is_empty() {
            return Ok(());
        }
        let row = postcard::to_stdvec(self).expect("numbers and texts can be written to memory");
        db.prepare_cached("INSERT INTO trace (file, row) VALUES (?, ?)")?
            .execute(params![file, row])
            .map(drop)
    }

    /// Calls `see` with the blocks, piece by piece, until it returns false.
    pub fn read(
        &self,
        shelf: &Shelf,
        mut see: impl FnMut(&[u8]) -> io::Result<bool>,
    ) -> io::Result<()> {
        for piece in &self.pieces {
            if !see(&shelf.read(piece)?)? {
                return Ok(());
            }
        }
        see(&self.blocks).map(drop)
    }
}

/// Deletes traces that are older than the flow keeps them.
pub fn forget(
    settings: &TraceSettings,
    shelf: &Shelf,
    journal: &Journal,
) -> Result<Pruned, StoreError> {
    let retention_ms = i64::try_from(settings.retention.as_millis()).unwrap_or(i64::MAX);
    let before_ms = journal.now_ms().saturating_sub(retention_ms);
    if let Err(error) = shelf.forget(at_ms(before_ms)) {
        tracing::warn!(target: "flow::trace", "the trace that is too old could not be removed: {error}");
    }
    journal.commit(move |db| {
        // Deletes from the first row up to one that is recent enough.
        let forgotten = db
            .prepare_cached(
                "DELETE FROM trace WHERE file IN
                     (SELECT file FROM trace WHERE file < ifnull(
                          (SELECT file FROM trace JOIN file AS job ON job.id = trace.file
                           WHERE done_ms >= ?1 ORDER BY trace.file LIMIT 1), 1 << 62)
                      ORDER BY file LIMIT ?2)",
            )?
            .execute(params![before_ms, ROWS_AT_ONCE as i64])?;
        Ok(if forgotten < ROWS_AT_ONCE { Pruned::All } else { Pruned::Some })
    })
}

/// Deletes the traces of jobs.
pub fn prune_files(db: &Connection, jobs: &[JobId]) -> QueryResult<()> {
    for_each(db, "DELETE FROM trace WHERE file = ?", jobs)
}
