//! What the flow file says of one node, each word with its place, so that a kind can report at it.

use std::path::PathBuf;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};

/// The table of one node, without `from`.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The node's name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// The flow file.
    pub source: Arc<Source>,
    /// The folder of the flow file, which paths in it are relative to.
    pub folder: PathBuf,
    /// The keys and values, in the order of the file.
    pub values: Vec<Setting>,
}

/// A key of a node's table and its value.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The key.
    pub key: String,
    /// The value as text, environment variables filled in.
    pub value: String,
    /// Where the value stands.
    pub span: Span,
}

impl Settings {
    /// The setting of this key.
    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.values.iter().find(|setting| setting.key == key)
    }

    /// All settings of this key: each element of a list is one.
    pub fn all<'s>(&'s self, key: &'s str) -> impl Iterator<Item = &'s Setting> {
        self.values.iter().filter(move |setting| setting.key == key)
    }

    /// The setting of a key that must be there.
    pub fn require(&self, key: &str) -> Result<&Setting, Diagnostic> {
        self.get(key).ok_or_else(|| {
            let message = format!("\"{}\" has no \"{key}\"", self.name);
            Diagnostic::error(&self.source, self.span, message)
        })
    }

    /// An error at a setting.
    pub fn error(&self, setting: &Setting, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(&self.source, setting.span, message)
    }

    /// The path a setting gives.
    pub fn path(&self, setting: &Setting) -> PathBuf {
        self.folder.join(&setting.value)
    }
}
