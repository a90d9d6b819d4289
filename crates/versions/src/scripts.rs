//! What versions must know of the script language.

/// The files that a script names, relative to its folder.
#[derive(Clone, Debug, Default)]
pub struct NamedFiles {
    /// The tables that it looks values up in.
    pub tables: Vec<String>,
    /// The tariff plans that it rates by.
    pub tariffs: Vec<String>,
    /// The files of records that its tests read.
    pub records: Vec<String>,
}

/// A language of scripts, as far as versions need it.
pub trait ScriptLanguage: Sync {
    /// Returns the files that a script names.
    fn named(&self, text: &str) -> NamedFiles;

    /// Returns whether a text is a script, even if it has mistakes in meaning.
    fn is_script(&self, text: &str) -> bool;
}

/// The language of flows without scripts.
#[derive(Clone, Copy, Debug)]
pub struct NoScripts;

impl ScriptLanguage for NoScripts {
    fn named(&self, _: &str) -> NamedFiles {
        NamedFiles::default()
    }

    fn is_script(&self, _: &str) -> bool {
        false
    }
}
