//! What the checker notes for editors: which name stands for what, and where. Ordinary compiling has no
//! notes and does nothing of this.

use diagnostics::Span;
use record::TypeId;

use super::Checker;
use crate::builtin;
use crate::syntax::Name;
use crate::typed::Variable;

/// What a name of a script stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A function of the script, by its place among them.
    Function(usize),
    /// A parameter or variable, by its place among all of the script.
    Variable(usize),
    /// A table, by its place among them.
    Table(usize),
    /// A tariff, by its place among them.
    Tariff(usize),
    /// A built-in function.
    BuiltIn(&'static str),
    /// A type of a module or of the language.
    Type(TypeId),
    /// A component, or an alternative of a CHOICE.
    Field {
        /// The structure it is in.
        owner: TypeId,
        /// Its place there.
        place: usize,
    },
    /// A name that an ENUMERATED or INTEGER gives to a number.
    Value {
        /// The type.
        ty: TypeId,
        /// The place among its names.
        place: usize,
    },
}

/// A name in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Where it stands.
    pub span: Span,
    /// What it stands for.
    pub symbol: Symbol,
    /// Whether it is made here.
    pub defines: bool,
}

/// A parameter or variable, and where it can be used.
#[derive(Debug)]
pub(crate) struct NotedVariable {
    pub(crate) name: String,
    pub(crate) ty: TypeId,
    pub(crate) constant: bool,
    pub(crate) is_parameter: bool,
    /// From its name to the end of its scope.
    pub(crate) visible: Span,
}

/// All that was noted of a script.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) uses: Vec<Use>,
    pub(crate) variables: Vec<NotedVariable>,
    /// What functions return, and the columns of tables, in the order of the text.
    pub(crate) results: Vec<TypeId>,
    pub(crate) columns: Vec<Vec<String>>,
    /// What is to be said of tariffs, likewise.
    pub(crate) tariffs: Vec<String>,
    /// Of variables of the function in hand: where their scopes end.
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
            // Those of earlier functions come first.
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

    /// Notes where the variables of a scope cease to be.
    pub(super) fn note_scope(&mut self, scope: &[(String, usize)], end: Span) {
        if let Some(notes) = &mut self.notes {
            notes.ends.extend(scope.iter().map(|(_, variable)| (*variable, end)));
        }
    }

    /// Notes the variables of a function that was checked; what has no scope of its own lasts to its end.
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
