//! What is known of a name in a script: how a script would declare it, what it is, and how its module defines it.

use std::path::PathBuf;

use asn1::{DefinedAt, Modules};
use dup::analysis::{Analysis, Description, Origin, Symbol};

/// Most lines of a definition that are shown; real ones have hundreds.
const DEFINITION_LINES_MAX: usize = 24;

/// All that is known of a name.
pub(crate) struct Known {
    pub(crate) described: Description,
    /// Its own, and its type's.
    pub(crate) definitions: Vec<Definition>,
}

/// What a module says.
pub(crate) struct Definition {
    /// The module's file.
    pub(crate) path: PathBuf,
    /// From 1.
    pub(crate) line: usize,
    /// Of a long one the first lines.
    pub(crate) text: String,
}

impl Known {
    /// All that is known of a symbol.
    pub(crate) fn of(analysis: &Analysis, modules: &Modules, symbol: Symbol) -> Self {
        let own = defined_at(analysis, modules, symbol);
        // Of a value the type is what explains it: its own definition is one word.
        let own = own.filter(|_| !matches!(symbol, Symbol::Value { .. }));
        let ty =
            analysis.type_of(symbol).and_then(|ty| modules.type_defined_at(analysis.type_name(ty)));
        let of_type = ty.filter(|ty| !own.as_ref().is_some_and(|own| is_same(own, ty)));
        let definitions = own.iter().chain(&of_type).map(Definition::of).collect();
        Known { described: analysis.describe(symbol), definitions }
    }
}

impl Definition {
    fn of(defined: &DefinedAt) -> Self {
        let DefinedAt { source, name, whole } = defined;
        let text = &source.text[whole.start as usize..whole.end as usize];
        let mut lines: Vec<&str> = text.lines().take(DEFINITION_LINES_MAX).collect();
        if text.lines().count() > DEFINITION_LINES_MAX {
            lines.push("  …");
        }
        let line = source.place(name.start).line;
        Definition { path: PathBuf::from(&source.name), line, text: lines.join("\n") }
    }
}

/// Where a module defines a symbol; none if it is not of a module.
pub(crate) fn defined_at(
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

fn is_same(a: &DefinedAt, b: &DefinedAt) -> bool {
    a.source.name == b.source.name && a.whole == b.whole
}
