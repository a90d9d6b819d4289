//! Describes a name in a script: its declaration, its meaning, and its definition in a module.

use std::path::PathBuf;

use asn1::{DefinedAt, Modules};
use dup::analysis::{Analysis, Description, Origin, Symbol};

/// The maximum number of lines of a definition. Some have hundreds.
const DEFINITION_LINES_MAX: usize = 24;

/// The description of a name.
pub(crate) struct Known {
    pub(crate) described: Description,
    /// The definition of the name, and that of its type.
    pub(crate) definitions: Vec<Definition>,
}

/// The definition in a module.
pub(crate) struct Definition {
    /// The module's file.
    pub(crate) path: PathBuf,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The text; only the first lines of a long one.
    pub(crate) text: String,
}

impl Known {
    /// Describes a symbol.
    pub(crate) fn of(analysis: &Analysis, modules: &Modules, symbol: Symbol) -> Self {
        let own = defined_at(analysis, modules, symbol);
        // A value's own definition is one word; that of its type explains it.
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

/// Returns where a module defines a symbol; `None` if no module does.
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
