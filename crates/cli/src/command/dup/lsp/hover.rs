//! What is known of a name, as Markdown.

use super::uri::uri_of;
use crate::scripts::known::{Definition, Known};

/// All of it: how it is declared, what it is, and its definitions.
pub(super) fn text(Known { described, definitions }: &Known) -> String {
    let mut parts = vec![format!("```dup\n{}\n```", described.code)];
    if !described.text.is_empty() {
        parts.push(described.text.clone());
    }
    parts.extend(definitions.iter().map(definition));
    parts.join("\n\n")
}

/// The text of a definition and where it stands.
fn definition(Definition { path, line, text }: &Definition) -> String {
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let uri = uri_of(path);
    format!("```asn1\n{text}\n```\n[{file}:{line}]({uri}#L{line})")
}
