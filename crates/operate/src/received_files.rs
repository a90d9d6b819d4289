//! The files that came, for the user interface.

use std::path::Path;

use runtime::time::shown;
use store::{Answer, Page, Row, params};

use flow::flow_journal;
use flow::flow_journal::JournalError;

/// A file that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedFile {
    /// The number of its job.
    pub job: i64,
    /// Where it was collected.
    pub network_element: String,
    /// Its name.
    pub file: String,
    /// When it was done, `2026-11-21T14:05:00Z`.
    pub done: String,
    /// Its octets.
    pub octets: i64,
    /// The number of its records, and of those delivered, filtered, held, suspended and duplicate.
    pub counts: [i64; 6],
    /// The job of the file that it duplicates.
    pub duplicate_of: Option<i64>,
    /// Whether a user has let it come again without being a duplicate.
    pub may_come_again: bool,
}

/// A filter for files: all given conditions must hold.
#[derive(Clone, Debug, Default)]
pub struct ReceivedFileFilter {
    /// Where they were collected.
    pub network_element: Option<String>,
    /// A part of their names.
    pub name: Option<String>,
}

/// Returns done files, the last first, and whether there are more. Retries are not files.
pub fn received_files(
    flow: &Path,
    filter: &ReceivedFileFilter,
    page: Page,
) -> Result<(Vec<ReceivedFile>, bool), JournalError> {
    flow_journal::read(flow, |db| {
        let mut select = db.prepare(&format!(
            "SELECT id, network_element, name, done_ms, size, records, delivered, filtered, held, suspended, duplicate,
                    duplicate_of, NOT is_known
             FROM file
             WHERE id > ?1 AND id < ?2 AND retry_of IS NULL AND expired_in IS NULL
               AND (?3 IS NULL OR network_element = ?3) AND (?4 IS NULL OR instr(name, ?4) > 0)
             ORDER BY id {} LIMIT ?5",
            page.order()
        ))?;
        let ReceivedFileFilter { network_element, name } = filter;
        let wanted = params![page.above(), page.below(), network_element, name, page.one_more()];
        Ok(page.cut(select.query_map(wanted, ReceivedFile::of)?.collect::<Answer<_>>()?))
    })
}

impl ReceivedFile {
    fn of(row: &Row<'_>) -> Answer<Self> {
        let count = |place: usize| row.get(5 + place); // ORDER COUNTS
        Ok(ReceivedFile {
            job: row.get(0)?,
            network_element: row.get(1)?,
            file: row.get(2)?,
            done: shown(row.get(3)?),
            octets: row.get(4)?,
            counts: [count(0)?, count(1)?, count(2)?, count(3)?, count(4)?, count(5)?],
            duplicate_of: row.get(11)?,
            may_come_again: row.get(12)?,
        })
    }
}
