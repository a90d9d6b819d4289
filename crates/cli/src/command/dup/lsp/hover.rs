//! Describes a name as Markdown.

use super::uri::uri_of;
use crate::scripts::known::{Definition, Known};

/// Returns the declaration, the description and the definitions of a name.
pub(super) fn text(Known { described, definitions }: &Known) -> String {
    let mut parts = vec![format!("```dup\n{}\n```", described.code)];
    if !described.text.is_empty() {
        parts.push(described.text.clone());
    }
    parts.extend(definitions.iter().map(definition));
    parts.join("\n\n")
}

/// Returns the text of a definition and a link to it.
fn definition(Definition { path, line, text }: &Definition) -> String {
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let uri = uri_of(path);
    format!("```asn1\n{text}\n```\n[{file}:{line}]({uri}#L{line})")
}
