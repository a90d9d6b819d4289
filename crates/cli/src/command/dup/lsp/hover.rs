//! What is shown of a name: how a script would declare it, what it is, and how its module defines it.

use asn1::{DefinedAt, Modules};
use dup::analysis::{Analysis, Origin, Symbol};

use super::uri::uri_of;

/// Most lines of a definition that are shown; real ones have hundreds.
const DEFINITION_LINES_MAX: usize = 24;

/// Where a module defines a symbol; none if it is not of a module.
pub(super) fn defined_at(
    analysis: &Analysis,
    modules: &Modules,
    symbol: Symbol,
) -> Option<DefinedAt> {
    match analysis.origin(symbol) {
        Origin::Type(name) => modules.type_defined_at(&name),
        Origin::Field { owner, name } => modules.component_defined_at(&owner, &name),
        Origin::Value { ty, name } => modules.value_defined_at(&ty, &name),
        Origin::Script(_) | Origin::Language => None,
    }
}

/// All that is known of a symbol, as Markdown.
pub(super) fn text(analysis: &Analysis, modules: &Modules, symbol: Symbol) -> String {
    let described = analysis.describe(symbol);
    let mut parts = vec![format!("```dup\n{}\n```", described.code)];
    if !described.text.is_empty() {
        parts.push(described.text);
    }
    let own = defined_at(analysis, modules, symbol);
    // Of a value the type is what explains it: its own definition is one word.
    let own = own.filter(|_| !matches!(symbol, Symbol::Value { .. }));
    let ty =
        analysis.type_of(symbol).and_then(|ty| modules.type_defined_at(analysis.type_name(ty)));
    let of_type = ty.filter(|ty| !own.as_ref().is_some_and(|own| is_same(own, ty)));
    parts.extend(own.iter().chain(&of_type).map(definition));
    parts.join("\n\n")
}

fn is_same(a: &DefinedAt, b: &DefinedAt) -> bool {
    a.source.name == b.source.name && a.whole == b.whole
}

/// The text of a definition and where it stands.
fn definition(defined: &DefinedAt) -> String {
    let DefinedAt { source, name, whole } = defined;
    let text = &source.text[whole.start as usize..whole.end as usize];
    let mut lines: Vec<&str> = text.lines().take(DEFINITION_LINES_MAX).collect();
    if text.lines().count() > DEFINITION_LINES_MAX {
        lines.push("  …");
    }
    let line = source.place(name.start).line;
    let path = std::path::Path::new(&source.name);
    let file = path.file_name().map_or(source.name.clone(), |file| file.to_string_lossy().into());
    let uri = uri_of(path);
    format!("```asn1\n{}\n```\n[{file}:{line}]({uri}#L{line})", lines.join("\n"))
}
