//! Files that a flow file names and that are secrets or contain one.

use diagnostics::Span;
use toml_edit::{Document, TableLike};

use super::reader::{filled_in, item_span};

/// The key of a certificate file, which may contain the private key too.
pub const CERTIFICATE: &str = "certificate-file";

/// The keys of files that are secrets or contain one.
const SECRET_KEYS: [&str; 7] = [
    "password-file",
    "token-file",
    "key-file",
    "key-passphrase-file",
    "secret-key-file",
    "host-key-file",
    CERTIFICATE,
];

/// A file that is a secret or contains one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretFile {
    /// The key that names it.
    pub key: &'static str,
    /// Its path, with environment variables filled in.
    pub file: String,
    /// Its place in the flow file.
    pub span: Span,
}

/// Returns all such files of a text; it may have mistakes, but must be TOML.
pub fn secrets(text: &str) -> Vec<SecretFile> {
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
                // The span excludes the quotes.
                let Span { start, end } = item_span(item);
                let span = Span { start: start + 1, end: end.saturating_sub(1) };
                found.push(SecretFile { key, file: filled_in(file), span });
            }
            (_, _, Some(table)) => within(table, found),
            _ => {}
        }
    }
}
