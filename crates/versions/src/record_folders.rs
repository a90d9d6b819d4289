//! Folders of records: those that the flow collects from, delivers to and archives in. What lies there is subscriber data
//! and work of the gateway. A user who drafts a flow or a script cannot read it as a table, and writes no file there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use diagnostics::plain;

use super::found::{FILE_OCTETS_MAX, FileError};
use super::secret_files::{identity, resolved};
use super::{VersionError, VersionStore};

/// The folders of records that the flow file named when it could be read last.
#[derive(Default)]
pub(super) struct RecordFolders {
    named: Mutex<BTreeSet<String>>,
}

impl RecordFolders {
    /// Returns the folders for the text of the flow file on the disk. A text that is no TOML does not open the folders
    /// that the text before it named.
    fn of(&self, text: Option<&str>) -> BTreeSet<String> {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = text.filter(|text| flow::drawing::is_readable(text)) {
            *named = flow::drawing::record_folders(text);
        }
        named.clone()
    }
}

impl VersionStore {
    /// Returns why a file is not read as a table, if it lies in a folder of records. A file that the running flow reads
    /// as a table already is no records.
    pub(super) fn why_records(&self, path: &Path) -> Option<FileError> {
        let text = plain::read_text(&self.flow, FILE_OCTETS_MAX).ok();
        let folders = self.record_folders.of(text.as_deref());
        let (path, home) = (real(path), real(self.folder()));
        let is_in = |folder: &String| {
            let folder = real(&self.folder().join(folder));
            // The folder of the flow has scripts and tables beneath it, wherever it lies.
            match home.starts_with(&folder) {
                true => path.parent() == Some(&folder),
                false => path.starts_with(&folder),
            }
        };
        let is_open = || {
            let open = self.read_openly(text.as_deref().unwrap_or_default());
            open.iter().any(|open| real(open) == path) || self.read_by_scripts_now().contains(&path)
        };
        (folders.iter().any(is_in) && !is_open()).then_some(FileError::Records)
    }

    /// Returns whether the flow on the disk reads the file at a path, whatever name it has there.
    pub(super) fn is_in_flow(&self, path: &Path) -> Result<bool, VersionError> {
        let (file, path) = (identity(path), real(path));
        let is_same =
            |read: &Path| real(read) == path || (file.is_some() && identity(read) == file);
        let open = self.read_openly(&self.flow_text()?);
        Ok(open.iter().any(|read| is_same(read))
            || self.read_by_scripts_now().iter().any(|read| is_same(read)))
    }
}

/// Returns a path without links. What does not exist yet is where its nearest ancestor is.
fn real(path: &Path) -> PathBuf {
    resolved(path).map_or_else(|| path.to_owned(), |(there, rest)| there.join(rest))
}
