//! Lists the files that were received and processed.

use std::ops::Range;

use people::Role;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use store::{Answer, Connection, Page, Row, params};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::page::PageQuery;
use crate::period::{Period, PeriodReadError};

/// Lists the input files that are done, the newest first.
///
/// The period chooses files by when they were done.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ListFiles {
    /// Only files of this network element.
    pub network_element: Option<String>,
    /// Only files whose names contain this text.
    pub name: Option<String>,
    /// Only files that were done in this period.
    #[serde(flatten)]
    pub period: Period,
    /// The page.
    #[serde(flatten)]
    pub page: PageQuery,
}

/// A page of input files.
#[derive(Debug, Serialize, ToSchema)]
pub struct Files {
    /// The files, the newest first.
    pub files: Vec<InputFile>,
    /// Whether there are more files.
    pub more: bool,
}

/// An input file that is done, with the outcomes of its records: `records` = `delivered` + `filtered` + `held` +
/// `suspended` + `duplicate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct InputFile {
    /// The number of the file's job.
    pub job: i64,
    /// The network element where it was collected.
    pub network_element: String,
    /// The file's name.
    pub file: String,
    /// When the file was done.
    pub done: String,
    /// The size of the file in octets.
    pub octets: i64,
    /// All records of the file.
    pub records: i64,
    /// Records that were delivered to a system.
    pub delivered: i64,
    /// Records that no node or system took.
    pub filtered: i64,
    /// Records that had to wait in a matching node.
    pub held: i64,
    /// Records that went to suspense.
    pub suspended: i64,
    /// Records that had come before.
    pub duplicate: i64,
    /// The job of the earlier file, if this file is a duplicate.
    pub duplicate_of: Option<i64>,
    /// Whether the file may be processed again: the same file is then no duplicate of this one.
    pub may_come_again: bool,
}

impl Operation for ListFiles {
    type Response = Files;
    type Error = PeriodReadError;

    const NAME: &'static str = "files list";
    const ROLE: Role = Role::Viewer;
    const IS_CHANGE: bool = false;

    fn perform(self, context: &Context<'_>) -> Result<Files, PeriodReadError> {
        let (page, done) = (self.page.rows(), self.period.range()?);
        let (files, more) = page.cut(context.read(|db| self.files(db, page, &done))?);
        Ok(Files { files, more })
    }
}

impl ListFiles {
    /// Returns the files of a page, and one more if there are more. Retries are not files.
    fn files(&self, db: &Connection, page: Page, done: &Range<i64>) -> Answer<Vec<InputFile>> {
        // Files are done nearly in the order of their numbers: between the first and the last number
        // of a period, which its index has, are few others.
        let bounds = match self.period.is_open() {
            true => "",
            false => {
                "AND id >= (SELECT min(id) FROM file INDEXED BY file_by_time
                            WHERE done_ms >= ?6 AND done_ms < ?7)
                 AND id <= (SELECT max(id) FROM file INDEXED BY file_by_time
                            WHERE done_ms >= ?6 AND done_ms < ?7)"
            }
        };
        let mut select = db.prepare(&format!(
            "SELECT id, network_element, name, done_ms, size, records, delivered, filtered, held,
                    suspended, duplicate, duplicate_of, NOT is_known
             FROM file
             WHERE id > ?1 AND id < ?2 AND retry_of IS NULL AND expired_in IS NULL
               AND (?3 IS NULL OR network_element = ?3) AND (?4 IS NULL OR instr(name, ?4) > 0)
               AND +done_ms >= ?6 AND +done_ms < ?7 {bounds}
             ORDER BY id {} LIMIT ?5",
            page.order()
        ))?;
        let ListFiles { network_element, name, .. } = self;
        let (above, below) = (page.above(), page.below());
        let values =
            params![above, below, network_element, name, page.one_more(), done.start, done.end];
        select.query_map(values, InputFile::of)?.collect()
    }
}

impl InputFile {
    fn of(row: &Row<'_>) -> Answer<Self> {
        Ok(InputFile {
            job: row.get(0)?,
            network_element: row.get(1)?,
            file: row.get(2)?,
            done: shown(row.get(3)?),
            octets: row.get(4)?,
            records: row.get(5)?,
            delivered: row.get(6)?,
            filtered: row.get(7)?,
            held: row.get(8)?,
            suspended: row.get(9)?,
            duplicate: row.get(10)?,
            duplicate_of: row.get(11)?,
            may_come_again: row.get(12)?,
        })
    }
}
