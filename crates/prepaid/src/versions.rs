//! Versions of a definition: its files as they were, each time a system came to use other ones.

use std::collections::BTreeMap;

use accounts::AccountsError;
use diagnostics::with_causes;
use ledger::Millis;
use rating::Moment;
use store::Page;

use crate::LOG;
use crate::back::{Back, BesideRow};
use crate::definition::{DefinitionFiles, VersionFile};

/// Who the audit trail names for a change of the files: the system does not know who wrote them.
const WHO: &str = "the definition";

/// The action of the audit trail.
const ACTION: &str = "charging version";

/// After how long calls that begin go by a version. A process has come to use it by then, so that no call that it began by
/// earlier plans goes by later ones.
const USED_AFTER: Millis = 1_000;

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

impl StoredVersion {
    /// Reads a version with a number and a time, and its files as they are stored.
    pub(crate) fn read((number, at): (i64, Millis), files: &str) -> serde_json::Result<Self> {
        Ok(StoredVersion { number, at, files: serde_json::from_str(files)? })
    }

    /// Returns whether its files are these.
    pub(crate) fn has(&self, files: &DefinitionFiles) -> bool {
        changed(&self.files, &files.names()).is_empty()
    }

    /// Returns the names and texts of its files. `None` if a text is missing.
    pub(crate) fn texts(
        &self,
        back: &Back,
    ) -> Result<Option<BTreeMap<String, String>>, AccountsError> {
        let text = |file: &VersionFile| {
            let text = back.version_text(&file.digest)?;
            Ok(text.map(|text| (file.name.clone(), text)))
        };
        self.files.iter().map(text).collect()
    }
}

impl NewVersion {
    /// Returns the names and digests of the files as they are stored.
    pub(crate) fn names(&self) -> String {
        let files: Vec<&VersionFile> = self.files.iter().map(|(file, _)| file).collect();
        serde_json::json!(files).to_string()
    }
}

/// Returns from when on calls that begin go by a version that came into use at a time.
pub(crate) fn calls_since(at: Millis) -> Moment {
    -(-at.saturating_add(USED_AFTER)).div_euclid(1_000)
}

/// A call that began at a moment goes by the last version that came into use at the time that this returns, or before.
pub(crate) fn used_by(start: Moment) -> Millis {
    start.saturating_mul(1_000).saturating_sub(USED_AFTER)
}

/// Returns the newest version.
pub(crate) fn newest(back: &Back) -> Result<Option<StoredVersion>, AccountsError> {
    let (mut newest, _) = back.versions(Page::newest(1))?;
    Ok(newest.pop())
}

/// Returns a version.
pub(crate) fn find(back: &Back, number: i64) -> Result<Option<StoredVersion>, AccountsError> {
    let one = Page { before: Some(number.saturating_add(1)), after: None, limit: 1 };
    let (mut found, _) = back.versions(one)?;
    Ok(found.pop().filter(|found| found.number == number))
}

/// Stores files as a version that comes into use, unless the newest version has the same. Returns this version; `None` if it
/// could not be stored, without which a system charges all the same.
pub(crate) fn store(back: &Back, files: DefinitionFiles) -> Option<StoredVersion> {
    stored(back, files).unwrap_or_else(|why| {
        let why = with_causes(&why);
        tracing::error!(target: LOG, "it is not known whether this version of the definition is stored: {why}");
        None
    })
}

fn stored(back: &Back, files: DefinitionFiles) -> Result<Option<StoredVersion>, AccountsError> {
    let last = newest(back)?;
    let before = last.as_ref().map_or(&[][..], |last| &last.files);
    let changed = changed(before, &files.names());
    if changed.is_empty() {
        return Ok(last);
    }
    let DefinitionFiles(files) = files;
    let (who, subject, because) = (WHO.to_owned(), changed.join(", "), String::new());
    let trail = BesideRow::Trail { who, action: ACTION, subject, because };
    let version = NewVersion { at: back.now_ms(), files };
    back.commit(vec![BesideRow::Version(version), trail])?;
    newest(back)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_go_by_a_version_from_the_second_after_its_first() {
        for (at, since) in [(0, 1), (1, 2), (999, 2), (1_000, 2), (1_001, 3)] {
            assert_eq!(calls_since(at), since);
            assert!(used_by(since) >= at && used_by(since - 1) < at, "{at}");
        }
    }
}
