//! Lists the files that are refused as a whole, each with the reason.

use std::path::Path;

pub use collection::refused::RefusedFileKind;
use flow::reasons::{self, ReasonValue, SELECTED};
use people::Role;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use store::{Connection, Page, QueryResult, Row, params};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::page::PageQuery;
use crate::refusal::NamedReadError;
use crate::suspense::known_code;

/// Lists the input files that are refused as a whole, the newest first.
///
/// A file that was set aside has the ending `.poison`. To have it processed again, give it its name back. Files of a
/// remote place are listed as long as they are refused there, at most 1,000 of a place.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ListRefusedFiles {
    /// Only files of this network element.
    pub network_element: Option<String>,
    /// Only files that are refused in this way.
    pub kind: Option<RefusedFileKind>,
    /// Only files that are refused for the reason with this code.
    pub code: Option<String>,
    /// The page.
    #[serde(flatten)]
    pub page: PageQuery,
}

/// A page of files that are refused.
#[derive(Debug, Serialize, ToSchema)]
pub struct RefusedFiles {
    /// The files, the newest first.
    pub files: Vec<RefusedFile>,
    /// Whether there are more files.
    pub more: bool,
}

/// An input file that is refused as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RefusedFile {
    /// Its number in this list.
    pub id: i64,
    /// How it is refused.
    pub kind: RefusedFileKind,
    /// The network element where it was collected. Empty if it was set aside by a version that did not note it.
    pub network_element: String,
    /// Its name, without a folder. Empty if the reason is about all files of the remote place.
    pub file: String,
    /// The path of a file that was set aside; a relative one begins at the folder of the flow file. Otherwise the name of
    /// the file in its remote place.
    pub path: String,
    /// Since when it is refused.
    pub since: String,
    /// Whether a file that was set aside is still there under this name. True for other files.
    pub is_there: bool,
    /// Why it is refused.
    pub reason: String,
    /// The code of the reason. Empty if it comes from a version without codes.
    pub code: String,
    /// The values in the reason.
    pub values: Vec<ReasonValue>,
}

impl Operation for ListRefusedFiles {
    type Response = RefusedFiles;
    type Error = NamedReadError;

    const NAME: &'static str = "files refused";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<RefusedFiles, NamedReadError> {
        known_code(context, self.code.as_deref())?;
        let (page, folder) = (self.page.rows(), context.flow.parent().unwrap_or(Path::new("")));
        let (files, more) = page.cut(context.read(|db| self.files(db, folder, page))?);
        Ok(RefusedFiles { files, more })
    }
}

impl ListRefusedFiles {
    /// Returns the files of a page, and one more if there are more.
    fn files(&self, db: &Connection, folder: &Path, page: Page) -> QueryResult<Vec<RefusedFile>> {
        let mut select = db.prepare(&format!(
            "SELECT id, network_element, path, at_ms, reason, {SELECTED}, kind FROM refused_file
             WHERE id > ?1 AND id < ?2 AND (?3 IS NULL OR network_element = ?3)
               AND (?4 IS NULL OR reason_id IN (SELECT reason.id FROM reason WHERE code = ?4))
               AND (?6 IS NULL OR kind = ?6)
             ORDER BY id {} LIMIT ?5",
            page.order()
        ))?;
        let ListRefusedFiles { network_element, code, kind, .. } = self;
        let code = code.as_deref().filter(|code| !code.is_empty());
        let kind = kind.map(RefusedFileKind::word);
        let values =
            params![page.above(), page.below(), network_element, code, page.one_more(), kind];
        select.query_map(values, |row| RefusedFile::of(row, folder))?.collect()
    }
}

impl RefusedFile {
    fn of(row: &Row<'_>, folder: &Path) -> QueryResult<Self> {
        let path: String = row.get(2)?;
        let file = Path::new(&path).file_name().unwrap_or_default().to_string_lossy();
        let (code, values) = reasons::code_and_values(row, 5)?;
        let kind = RefusedFileKind::of(row.get_ref(8)?.as_str()?);
        Ok(RefusedFile {
            id: row.get(0)?,
            kind,
            network_element: row.get(1)?,
            file: file.into_owned(),
            since: shown(row.get(3)?),
            is_there: kind != RefusedFileKind::SetAside || folder.join(&path).exists(),
            reason: row.get(4)?,
            code,
            values,
            path,
        })
    }
}
