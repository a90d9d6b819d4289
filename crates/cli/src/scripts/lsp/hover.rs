//! Describes a name as Markdown.

use super::naming::Naming;
use crate::scripts::known::{Definition, Known};

/// Returns the declaration, the description and the definitions of a name.
pub(super) fn text(Known { described, definitions }: &Known, naming: &Naming) -> String {
    let mut parts = vec![fenced("dup", &described.code)];
    if !described.text.is_empty() {
        parts.push(described.text.clone());
    }
    parts.extend(definitions.iter().map(|found| definition(found, naming)));
    parts.join("\n\n")
}

/// Returns the text of a definition and a link to it.
fn definition(Definition { path, line, text }: &Definition, naming: &Naming) -> String {
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let uri = naming.uri_of(path);
    format!("{}\n[{file}:{line}]({uri}#L{line})", fenced("asn1", text))
}

/// Returns code in Markdown, between fences that are longer than what looks like a fence in it (CommonMark, 4.5).
fn fenced(language: &str, code: &str) -> String {
    let runs = code.split(|letter| letter != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!("{fence}{language}\n{code}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stays_between_its_fences() {
        assert_eq!(fenced("dup", "INTEGER a"), "```dup\nINTEGER a\n```");
        assert_eq!(fenced("asn1", "a -- ````\n```\n<b>"), "`````asn1\na -- ````\n```\n<b>\n`````");
    }
}
