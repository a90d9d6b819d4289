//! Versions of a definition: its files as they were, each time a running system came to use other ones.

use std::path::{Path, PathBuf};

use accounts::AccountsError;
use diagnostics::{Source, hexadecimal, plain};
use ledger::Millis;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use store::Page;

use crate::back::BesideRow;
use crate::system::System;

/// Who the audit trail names for a change of the files: the system does not know who wrote them.
const WHO: &str = "the definition";

/// The action of the audit trail.
const ACTION: &str = "charging version";

/// The files of a definition, as they are on the disk: itself, and then those of its plans in the order of their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionFiles(Vec<(VersionFile, String)>);

/// A file of a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VersionFile {
    /// Its path: relative to the folder of the definition, if it is there.
    pub(crate) name: String,
    /// The SHA-256 digest of its text, in hexadecimal.
    pub(crate) digest: String,
}

/// A version, without the texts of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredVersion {
    pub(crate) number: i64,
    /// When it came into use.
    pub(crate) at: Millis,
    /// Its files: the definition, and then those of its plans.
    pub(crate) files: Vec<VersionFile>,
}

/// A version that is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewVersion {
    pub(crate) at: Millis,
    pub(crate) files: Vec<(VersionFile, String)>,
}

/// Why a version is not stored.
#[derive(Debug, thiserror::Error)]
pub enum VersionError {
    /// A file cannot be read.
    #[error("{} cannot be read: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The back fails.
    #[error(transparent)]
    Accounts(#[from] AccountsError),
}

impl StoredVersion {
    /// Reads a version with a number and a time, and its files as they are stored.
    pub(crate) fn read((number, at): (i64, Millis), files: &str) -> serde_json::Result<Self> {
        Ok(StoredVersion { number, at, files: serde_json::from_str(files)? })
    }
}

impl NewVersion {
    /// Returns the names and digests of the files as they are stored.
    pub(crate) fn names(&self) -> String {
        let files: Vec<&VersionFile> = self.files.iter().map(|(file, _)| file).collect();
        serde_json::json!(files).to_string()
    }
}

impl DefinitionFiles {
    /// Reads the files of a definition, itself included.
    ///
    /// # Errors
    ///
    /// One of them cannot be read.
    pub fn read(definition: &Path, files: &[PathBuf]) -> Result<Self, VersionError> {
        let folder = definition.parent().unwrap_or(Path::new(""));
        let mut read = Vec::new();
        // A plan names the files that it might have, too.
        for path in files.iter().filter(|path| path.exists()) {
            let name = path.strip_prefix(folder).unwrap_or(path).display().to_string();
            let text = text_of(path)?;
            read.push((VersionFile { name, digest: hexadecimal(&Sha256::digest(&text)) }, text));
        }
        let own = definition.file_name().unwrap_or_default().display().to_string();
        read.sort_by_key(|(file, _)| (file.name != own, file.name.clone()));
        read.dedup_by(|(one, _), (other, _)| one.name == other.name);
        Ok(DefinitionFiles(read))
    }
}

/// Reads a file of a definition.
pub(crate) fn text_of(path: &Path) -> Result<String, VersionError> {
    let unreadable = |why| VersionError::Unreadable { path: path.to_owned(), why };
    let octets = plain::read(path, plain::TABLE_OCTETS_MAX);
    let octets = octets.map_err(|why| unreadable(why.to_string()))?;
    let source = Source::decoded(path.display().to_string(), octets);
    Ok(source.map_err(|mistake| unreadable(mistake.to_string()))?.text.clone())
}

impl System {
    /// Stores the files of the definition that it uses as a version, unless the last version has the same.
    ///
    /// # Errors
    ///
    /// The back fails.
    pub fn note_version(&self, files: DefinitionFiles) -> Result<(), VersionError> {
        let (last, _) = self.back.versions(Page::newest(1))?;
        let before = last.first().map_or(&[][..], |last| &last.files);
        let now: Vec<VersionFile> = files.0.iter().map(|(file, _)| file.clone()).collect();
        let changed = changed(before, &now);
        if changed.is_empty() {
            return Ok(());
        }
        let (who, subject, because) = (WHO.to_owned(), changed.join(", "), String::new());
        let trail = BesideRow::Trail { who, action: ACTION, subject, because };
        let version = NewVersion { at: self.now_ms(), files: files.0 };
        Ok(self.back.commit(vec![BesideRow::Version(version), trail])?)
    }
}

/// Returns the names of the files that differ between two versions: they were changed, added or removed.
pub(crate) fn changed(before: &[VersionFile], now: &[VersionFile]) -> Vec<String> {
    let in_one = |one: &[VersionFile], other: &[VersionFile]| -> Vec<String> {
        one.iter().filter(|file| !other.contains(file)).map(|file| file.name.clone()).collect()
    };
    let mut names = [in_one(now, before), in_one(before, now)].concat();
    names.sort_unstable();
    names.dedup();
    names
}
