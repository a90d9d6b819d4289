//! The queue of files to archive.

use std::path::PathBuf;

use journal::JobId;
use store::{Connection, QueryResult, Row, params};

use collection::input::Digest;
use collection::orphans;
use flow::topology::Topology;

/// A processed file that is due to be archived.
pub(super) struct Due {
    pub(super) file: i64,
    pub(super) network_element: String,
    pub(super) name: String,
    /// Its path when it was collected.
    pub(super) path: PathBuf,
    pub(super) size: u64,
    pub(super) modified_ns: i64,
    pub(super) digest: Vec<u8>,
    pub(super) done_ms: i64,
    /// Its path in the archive, if it is archived and only the input is to be removed.
    pub(super) archived_as: Option<PathBuf>,
}

/// The properties of a file that becomes due.
pub struct NewDue<'d> {
    /// The network element that it came from.
    pub network_element: &'d str,
    /// Its name, as the journal has it: in a subfolder, the folder's name stands before it.
    pub name: &'d str,
    /// The path of the input as the journal notes it, relative to the folder of the flow if it lies in it.
    pub path: &'d str,
    /// Its size on the disk in octets.
    pub size: i64,
    /// When it was last written, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// The digest of its unpacked contents, as the worker read them.
    pub digest: &'d Digest,
    /// When it was done, in milliseconds since 1970. The retention counts from then.
    pub done_ms: i64,
}

/// Inserts a file that is due to be archived.
pub fn note_due(db: &Connection, JobId(file): JobId, due: &NewDue<'_>) -> QueryResult<()> {
    let NewDue { network_element, name, path, size, modified_ns, digest, done_ms } = due;
    db.prepare_cached(
        "INSERT INTO archive (file, network_element, name, source, size, modified_ns, digest, done_ms, state)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'due')",
    )?
    .execute(params![file, network_element, name, path, size, modified_ns, digest, done_ms])
    .map(drop)
}

/// Returns the next files after `behind` to archive, or whose inputs are to be removed, of the network elements in the
/// JSON list `elements`. Their inputs are marked. The marks of other network elements are unknown: their files wait
/// until the flow has these again.
pub(super) fn due(
    db: &Connection,
    elements: &str,
    behind: i64,
    count: usize,
) -> QueryResult<Vec<Due>> {
    let mut select = db.prepare_cached(
        "SELECT archive.file, archive.network_element, archive.name, source, archive.size,
             archive.modified_ns, archive.digest, archive.done_ms, iif(state = 'archived', archive.path, NULL)
         FROM archive LEFT JOIN file ON file.id = archive.file
         WHERE (state = 'due' OR removal = 'due') AND archive.file > ?1 AND ifnull(marked, 2) <> 0
             AND archive.network_element IN (SELECT value FROM json_each(?3))
         ORDER BY archive.file LIMIT ?2",
    )?;
    let due = |row: &Row<'_>| {
        Ok(Due {
            file: row.get(0)?,
            network_element: row.get(1)?,
            name: row.get(2)?,
            path: PathBuf::from(row.get::<_, String>(3)?),
            size: row.get::<_, i64>(4)? as u64,
            modified_ns: row.get(5)?,
            digest: row.get(6)?,
            done_ms: row.get(7)?,
            archived_as: row.get::<_, Option<String>>(8)?.map(PathBuf::from),
        })
    };
    select.query_map(params![behind, count as i64, elements], due)?.collect()
}

/// Counts the files to archive whose network elements are not in the flow, by name of the network element.
pub fn of_unknown_elements(
    flow: &Topology,
    reader: &Connection,
) -> QueryResult<Vec<(String, usize)>> {
    let mut select = reader.prepare_cached(
        "SELECT network_element, count(*) FROM archive
         WHERE (state = 'due' OR removal = 'due')
             AND network_element NOT IN (SELECT value FROM json_each(?))
         GROUP BY network_element",
    )?;
    let files = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)? as usize));
    select.query_map([orphans::known(flow)], files)?.collect()
}
