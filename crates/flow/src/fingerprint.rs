//! Fingerprints of a flow's files, by name: they show what changed between two states.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::PathBuf;

use diagnostics::plain;
use serde::{Deserialize, Serialize};

/// Digests by name: of the flow file, of a module, or of a node with its script and tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks(BTreeMap<String, u64>);

impl Marks {
    /// Notes the digest of some files under a name.
    pub fn note(&mut self, name: String, files: &[PathBuf]) {
        let mut digest = DefaultHasher::new();
        for file in files {
            file.hash(&mut digest);
            plain::read(file, plain::TABLE_OCTETS_MAX).ok().hash(&mut digest);
        }
        self.0.insert(name, digest.finish());
    }

    /// Returns the names of what is new or changed, and of what was removed, with a remark.
    pub fn changed(&self, before: &Marks) -> Vec<String> {
        let is_other = |(name, mark): &(&String, &u64)| before.0.get(*name) != Some(mark);
        let other = self.0.iter().filter(is_other).map(|(name, _)| name.clone());
        let gone = before.0.keys().filter(|name| !self.0.contains_key(*name));
        other.chain(gone.map(|name| format!("{name} (removed)"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_came_and_went_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let marks = |parts: &[(&str, &str)]| {
            let mut marks = Marks::default();
            for (name, text) in parts {
                let file = folder.path().join(name);
                std::fs::write(&file, text).expect("a file");
                marks.note((*name).into(), &[file]);
            }
            marks
        };
        let before = marks(&[("same", "1"), ("other", "1"), ("gone", "1")]);
        let now = marks(&[("same", "1"), ("other", "2"), ("new", "1")]);
        assert_eq!(now.changed(&before), ["new", "other", "gone (removed)"]);
        assert!(before.changed(&before).is_empty());
    }
}
