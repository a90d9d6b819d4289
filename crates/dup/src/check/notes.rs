//! The checker's notes for editors: the meaning and place of every name. Ordinary compilation makes no notes.

use diagnostics::Span;
use record::TypeId;

use super::Checker;
use crate::builtin;
use crate::syntax::Name;
use crate::typed::Variable;

/// The meaning of a name in a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A function of the script, by its index.
    Function(usize),
    /// A parameter or variable, by its index among all of the script.
    Variable(usize),
    /// A table, by its index.
    Table(usize),
    /// A tariff, by its index.
    Tariff(usize),
    /// A built-in function.
    BuiltIn(&'static str),
    /// A type of a module or of the language.
    Type(TypeId),
    /// A component, or an alternative of a CHOICE.
    Field {
        /// The structure it is in.
        owner: TypeId,
        /// Its index there.
        place: usize,
    },
    /// A name that an ENUMERATED or INTEGER gives to a number.
    Value {
        /// The type.
        ty: TypeId,
        /// The index among its names.
        place: usize,
    },
}

/// A name in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Its place.
    pub span: Span,
    /// Its meaning.
    pub symbol: Symbol,
    /// Whether the name is defined here.
    pub defines: bool,
}

/// A parameter or variable, and its scope.
#[derive(Debug)]
pub(crate) struct NotedVariable {
    pub(crate) name: String,
    pub(crate) ty: TypeId,
    pub(crate) constant: bool,
    pub(crate) is_parameter: bool,
    /// From its name to the end of its scope.
    pub(crate) visible: Span,
}

/// All notes of a script.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) uses: Vec<Use>,
    pub(crate) variables: Vec<NotedVariable>,
    /// The result types of functions and the columns of tables, in the order of the text.
    pub(crate) results: Vec<TypeId>,
    pub(crate) columns: Vec<Vec<String>>,
    /// The descriptions of tariffs, in the same order.
    pub(crate) tariffs: Vec<String>,
    /// The ends of scopes, by variable of the current function.
    ends: Vec<(usize, Span)>,
}

impl Checker<'_> {
    pub(super) fn note(&mut self, span: Span, symbol: Symbol) {
        self.note_use(span, symbol, false);
    }

    pub(super) fn note_definition(&mut self, span: Span, symbol: Symbol) {
        self.note_use(span, symbol, true);
    }

    fn note_use(&mut self, span: Span, symbol: Symbol, defines: bool) {
        let Some(notes) = &mut self.notes else { return };
        let symbol = match symbol {
            // The variables of earlier functions come first.
            Symbol::Variable(place) => Symbol::Variable(notes.variables.len() + place),
            other => other,
        };
        notes.uses.push(Use { span, symbol, defines });
    }

    pub(super) fn note_called(&mut self, function: &Name) {
        if self.notes.is_none() {
            return;
        }
        let own = self.functions.get(&function.text).copied();
        let symbol = own.map(Symbol::Function).or_else(|| {
            builtin::described(&function.text).map(|found| Symbol::BuiltIn(found.name))
        });
        if let Some(symbol) = symbol {
            self.note(function.span, symbol);
        }
    }

    /// Notes the end of the scope of variables.
    pub(super) fn note_scope(&mut self, scope: &[(String, usize)], end: Span) {
        if let Some(notes) = &mut self.notes {
            notes.ends.extend(scope.iter().map(|(_, variable)| (*variable, end)));
        }
    }

    /// Notes the variables of a checked function. A variable without a noted scope lasts to the function's end.
    pub(super) fn note_variables(&mut self, parameters: usize, end: Span) {
        let Some(notes) = &mut self.notes else { return };
        let ends = std::mem::take(&mut notes.ends);
        for (place, variable) in self.body.variables.iter().enumerate() {
            let Variable { name, ty, constant, span, .. } = variable;
            let end = ends.iter().find(|(of, _)| *of == place).map_or(end, |(_, end)| *end);
            let symbol = Symbol::Variable(notes.variables.len());
            notes.uses.push(Use { span: *span, symbol, defines: true });
            notes.variables.push(NotedVariable {
                name: name.clone(),
                ty: *ty,
                constant: *constant,
                is_parameter: place < parameters,
                visible: Span { start: span.start, end: end.start },
            });
        }
    }
}
