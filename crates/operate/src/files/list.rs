//! Lists the files that were received and processed.

use std::ops::Range;

use collection::duplicate_files::DuplicateFile;
use flow::flow_journal::JournalError;
use flow::reasons::ReasonValue;
use people::Role;
use reason::{Coded as _, Reason};
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use store::{Connection, Page, QueryResult, Row, TimeIndex, params};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::page::PageQuery;
use crate::period::{Period, PeriodError};
use crate::refusals;

/// Lists the input files that are done, the newest first.
///
/// The period chooses files by when they were done.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ListFiles {
    /// Only files of this network element.
    pub network_element: Option<String>,
    /// Only files whose names contain this text.
    pub name: Option<String>,
    /// Only files that were not processed, for the reason with this code. The only one is `file-duplicate`; other
    /// codes are refused. Files that are refused as a whole are in another list, at `GET /api/files/refused`.
    pub code: Option<String>,
    /// Only files that were done in this period.
    #[serde(flatten)]
    pub period: Period,
    /// The page.
    #[serde(flatten)]
    pub page: PageQuery,
}

/// Files are done nearly in the order of their numbers.
const BY_TIME: TimeIndex = TimeIndex { table: "file", name: "file_by_time", column: "done_ms" };

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
    /// Why no record of the file was processed, if so.
    pub reason: Option<String>,
    /// The code of the reason. Empty without one.
    pub code: String,
    /// The values in the reason.
    pub values: Vec<ReasonValue>,
    /// Whether the file may be processed again: the same file is then no duplicate of this one.
    pub may_come_again: bool,
}

refusals! {
    /// Why no files are listed.
    pub enum ListFilesError {
        /// No listed file has the code.
        Code { /** The code. */ code: String, /** The code that they have. */ known: String } =>
            Wrong "file-code-unknown"
            "no processed file has the code \"{code}\", only \"{known}\"; \"files refused\" lists files that are refused \
             as a whole",
        /// The period is wrong.
        Period(PeriodError) => [Wrong],
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

impl Operation for ListFiles {
    type Response = Files;
    type Error = ListFilesError;

    const NAME: &'static str = "files list";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<Files, ListFilesError> {
        let are_duplicates = self.are_duplicates()?;
        let (page, done) = (self.page.rows(), self.period.range()?);
        let (files, more) =
            page.cut(context.read(|db| self.files(db, page, &done, are_duplicates))?);
        Ok(Files { files, more })
    }
}

impl ListFiles {
    /// Returns whether only duplicates are listed: no other listed file has a code.
    fn are_duplicates(&self) -> Result<bool, ListFilesError> {
        let Some(code) = self.code.as_deref().filter(|code| !code.is_empty()) else {
            return Ok(false);
        };
        let known: Vec<&str> = DuplicateFile::codes().iter().map(|known| known.code).collect();
        match known.contains(&code) {
            true => Ok(true),
            false => {
                Err(ListFilesError::Code { code: code.to_owned(), known: known.join("\", \"") })
            }
        }
    }

    /// Returns the files of a page, and one more if there are more. Retries are not files.
    fn files(
        &self,
        db: &Connection,
        page: Page,
        done: &Range<i64>,
        are_duplicates: bool,
    ) -> QueryResult<Vec<InputFile>> {
        let (above, below) = page.between(BY_TIME.between(db, done)?);
        let mut select = db.prepare(&format!(
            "SELECT file.id, file.network_element, file.name, file.done_ms, file.size, file.records, file.delivered,
                    file.filtered, file.held, file.suspended, file.duplicate, file.duplicate_of, NOT file.is_known,
                    original.name, original.done_ms
             FROM file LEFT JOIN file AS original ON original.id = file.duplicate_of
             WHERE file.id > ?1 AND file.id < ?2 AND file.retry_of IS NULL AND file.expired_in IS NULL
               AND (?3 IS NULL OR file.network_element = ?3) AND (?4 IS NULL OR instr(file.name, ?4) > 0)
               AND (NOT ?8 OR file.duplicate_of IS NOT NULL)
               AND +file.done_ms >= ?6 AND +file.done_ms < ?7
             ORDER BY file.id {} LIMIT ?5",
            page.order()
        ))?;
        let ListFiles { network_element, name, .. } = self;
        let values = params![
            above,
            below,
            network_element,
            name,
            page.one_more(),
            done.start,
            done.end,
            are_duplicates
        ];
        select.query_map(values, InputFile::of)?.collect()
    }
}

impl InputFile {
    fn of(row: &Row<'_>) -> QueryResult<Self> {
        let reason = match row.get(13)? {
            Some(original) => Some(Reason::of(&DuplicateFile::of(original, row.get(14)?))),
            None => None,
        };
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
            reason: reason.as_ref().map(ToString::to_string),
            code: reason.as_ref().map(|reason| reason.code().to_owned()).unwrap_or_default(),
            values: reason.iter().flat_map(ReasonValue::all_of).collect(),
            may_come_again: row.get(12)?,
        })
    }
}
