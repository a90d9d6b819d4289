//! The files that a flow file names as secrets, or with a secret in them.

use diagnostics::Span;
use toml_edit::{Document, TableLike};

use super::reader::{filled_in, item_span};

/// A certificate may have its key beside it.
pub(crate) const CERTIFICATE: &str = "certificate-file";

/// The keys of files that are secrets, or have one in them.
const SECRET_KEYS: [&str; 7] = [
    "password-file",
    "token-file",
    "key-file",
    "key-passphrase-file",
    "secret-key-file",
    "host-key-file",
    CERTIFICATE,
];

/// A file that is named so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SecretFile {
    /// By which key.
    pub(crate) key: &'static str,
    /// As the flow reads it, environment variables filled in.
    pub(crate) file: String,
    /// Where it stands.
    pub(crate) span: Span,
}

/// All that a text names, whatever else is wrong with it.
pub(crate) fn secrets(text: &str) -> Vec<SecretFile> {
    let mut found = Vec::new();
    if let Ok(document) = Document::parse(text) {
        within(document.as_table(), &mut found);
    }
    found
}

fn within(table: &dyn TableLike, found: &mut Vec<SecretFile>) {
    for (key, item) in table.iter() {
        let known = SECRET_KEYS.into_iter().find(|known| *known == key);
        match (known, item.as_str(), item.as_table_like()) {
            (Some(key), Some(file), _) => {
                // Quotes are not counted.
                let Span { start, end } = item_span(item);
                let span = Span { start: start + 1, end: end.saturating_sub(1) };
                found.push(SecretFile { key, file: filled_in(file), span });
            }
            (_, _, Some(table)) => within(table, found),
            _ => {}
        }
    }
}
