//! The files of a definition, with their texts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use diagnostics::{Source, hexadecimal, plain};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The files of a definition, with their texts: itself, and then those of its plans in the order of their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DefinitionFiles(pub(crate) Vec<(VersionFile, String)>);

/// A file of a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VersionFile {
    /// Its path: relative to the folder of the definition, if it is there.
    pub(crate) name: String,
    /// The SHA-256 digest of its text, in hexadecimal.
    pub(crate) digest: String,
}

/// A file cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be read: {why}", path.display())]
pub(crate) struct Unreadable {
    path: PathBuf,
    why: String,
}

impl DefinitionFiles {
    /// Reads the files of a definition, itself included.
    pub(super) fn read(definition: &Path, files: &[PathBuf]) -> Result<Self, Unreadable> {
        let folder = definition.parent().unwrap_or(Path::new(""));
        let mut texts = BTreeMap::new();
        // A plan names the files that it might have, too.
        for path in files.iter().filter(|path| path.exists()) {
            let name = path.strip_prefix(folder).unwrap_or(path).display().to_string();
            texts.insert(name, text_of(path)?);
        }
        Ok(Self::of(definition, texts))
    }

    /// Returns the names and digests of the files.
    pub(crate) fn names(&self) -> Vec<VersionFile> {
        self.0.iter().map(|(file, _)| file.clone()).collect()
    }

    /// Returns the files of a definition by their names and texts.
    pub(super) fn of(definition: &Path, texts: BTreeMap<String, String>) -> Self {
        let own = definition.file_name().unwrap_or_default().display().to_string();
        let file = |(name, text): (String, String)| {
            (VersionFile { name, digest: hexadecimal(&Sha256::digest(&text)) }, text)
        };
        let mut files: Vec<_> = texts.into_iter().map(file).collect();
        files.sort_by_key(|(file, _)| file.name != own);
        DefinitionFiles(files)
    }
}

/// Reads a file of a definition.
pub(crate) fn text_of(path: &Path) -> Result<String, Unreadable> {
    let unreadable = |why| Unreadable { path: path.to_owned(), why };
    let octets = plain::read(path, plain::TABLE_OCTETS_MAX);
    let octets = octets.map_err(|why| unreadable(why.to_string()))?;
    let source = Source::decoded(path.display().to_string(), octets);
    Ok(source.map_err(|mistake| unreadable(mistake.to_string()))?.text.clone())
}
