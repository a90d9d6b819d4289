//! Answers an editor's questions about a script: what a name means, where it is defined and used, what can be written
//! at a place. It is independent of an editor's protocol; places are octets of the text.
//!
//! If a script has mistakes, the answers cover the parts that could be parsed.
//!
//! ```
//! use diagnostics::Source;
//! use dup::analysis::{Analysis, Origin};
//! use record::Schema;
//! use std::path::Path;
//!
//! let script = Source::new("twice.dup", "INTEGER twice(n CONST INTEGER) { return n + n; }");
//! let analysis = Analysis::of(&script, Path::new("."), &mut Schema::new());
//! let found = analysis.at(40).expect("a name stands there");
//! assert_eq!(analysis.describe(found.symbol).code, "n CONST INTEGER");
//! assert_eq!(analysis.uses(found.symbol).count(), 3);
//! assert!(matches!(analysis.origin(found.symbol), Origin::Script(span) if span.start == 14));
//! ```

mod complete;
mod describe;
mod outline;
mod rename;
mod wanted;

use std::path::Path;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};
use record::{Kind, Schema, TypeId, Types};

use crate::check::{NotedVariable, Notes};
pub use crate::check::{Symbol, Use};
use crate::lexer::{Item, Token, items};
use crate::syntax::{Script, WrittenFunction};
pub use complete::{Completion, Completions};
pub use describe::Description;
pub use outline::Outlined;
pub use rename::{RenameFault, rename};

/// An analysed script.
#[derive(Debug)]
pub struct Analysis {
    source: Arc<Source>,
    diagnostics: Vec<Diagnostic>,
    script: Script,
    notes: Notes,
    /// The items of the text, with comments.
    items: Vec<Item>,
    schema: Schema,
    /// The names of the modules' types, as `Module.Type`.
    type_names: Vec<String>,
}

/// The place of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In the script.
    Script(Span),
    /// In a module: the type with this name in the [`Schema`].
    Type(String),
    /// In a module: a component or alternative.
    Field {
        /// The name of its type.
        owner: String,
        /// Its name.
        name: String,
    },
    /// In a module: the name of a number.
    Value {
        /// The name of its type.
        ty: String,
        /// Its name.
        name: String,
    },
    /// In the language.
    Language,
}

impl Analysis {
    /// Analyses a script. The files of its tables are relative to `folder`.
    pub fn of(source: &Arc<Source>, folder: &Path, types: &mut dyn Types) -> Analysis {
        let mut notes = Notes::default();
        let (script, compiled) = crate::compile_noting(source, folder, types, Some(&mut notes));
        // The checker may visit a place twice.
        notes.uses.sort_by_key(|used| (used.span.start, used.span.end, !used.defines));
        notes.uses.dedup_by_key(|used| used.span);
        Analysis {
            source: Arc::clone(source),
            diagnostics: compiled.diagnostics,
            script,
            notes,
            items: items(source, &mut Vec::new()),
            schema: types.schema().clone(),
            type_names: types.names(),
        }
    }

    /// Returns the script's text.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Returns the diagnostics of the script, in the order of the text.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the name at an octet, or the one that ends there.
    pub fn at(&self, offset: u32) -> Option<Use> {
        let touches = |used: &&Use| used.span.start <= offset && offset <= used.span.end;
        let found = self.notes.uses.iter().filter(touches);
        found.max_by_key(|used| used.span.start).copied()
    }

    /// Returns all uses of a symbol, with its definitions, in the order of the text.
    pub fn uses(&self, symbol: Symbol) -> impl Iterator<Item = Use> {
        self.notes.uses.iter().filter(move |used| used.symbol == symbol).copied()
    }

    /// Returns where a symbol is defined.
    pub fn origin(&self, symbol: Symbol) -> Origin {
        if let Some(here) = self.uses(symbol).find(|used| used.defines) {
            return Origin::Script(here.span);
        }
        match symbol {
            Symbol::Type(ty) if self.is_of_module(ty) => Origin::Type(self.type_name(ty).into()),
            Symbol::Field { owner, place } if self.is_of_module(owner) => Origin::Field {
                owner: self.type_name(owner).into(),
                name: self.schema.kind(owner).fields()[place].name.clone(),
            },
            Symbol::Value { ty, place } if self.is_of_module(ty) => {
                Origin::Value { ty: self.type_name(ty).into(), name: self.value(ty, place).0 }
            }
            _ => Origin::Language,
        }
    }

    /// Returns the type of a symbol; `None` for functions, tables and tariffs.
    pub fn type_of(&self, symbol: Symbol) -> Option<TypeId> {
        match symbol {
            Symbol::Variable(variable) => Some(self.notes.variables[variable].ty),
            Symbol::Field { owner, place } => Some(self.schema.kind(owner).fields()[place].ty),
            Symbol::Type(ty) | Symbol::Value { ty, .. } => Some(ty),
            Symbol::Function(_) | Symbol::Table(_) | Symbol::Tariff(_) | Symbol::BuiltIn(_) => None,
        }
    }

    /// Returns the name of a type, `Module.Type` for those of modules.
    pub fn type_name(&self, ty: TypeId) -> &str {
        &self.schema.get(ty).name
    }

    /// Returns whether a module defines the type, or the type it lies in: such a name is a word followed by a `.`.
    fn is_of_module(&self, ty: TypeId) -> bool {
        let before = self.type_name(ty).split_once('.').map(|(module, _)| module);
        before.is_some_and(|module| !module.contains([' ', '{']))
    }

    /// Returns the name and number of a value.
    fn value(&self, ty: TypeId, place: usize) -> (String, i64) {
        self.values(ty).into_iter().nth(place).unwrap_or_default()
    }

    /// Returns the names that a type gives to numbers.
    fn values(&self, ty: TypeId) -> Vec<(String, i64)> {
        match self.schema.kind(ty) {
            Kind::Enumerated { items, .. } => {
                items.iter().map(|item| (item.name.clone(), item.value)).collect()
            }
            Kind::Integer { names } => names.clone(),
            _ => Vec::new(),
        }
    }

    /// Returns the text of a span.
    fn slice(&self, span: Span) -> &str {
        &self.source.text[span.start as usize..span.end as usize]
    }

    /// Returns the visible variable with this name at an octet: the innermost, which is declared last.
    fn visible(&self, name: &str, offset: u32) -> Option<&NotedVariable> {
        self.all_visible(offset).filter(|variable| variable.name == name).last()
    }

    fn all_visible(&self, offset: u32) -> impl Iterator<Item = &NotedVariable> {
        let is_visible = move |variable: &&NotedVariable| {
            variable.visible.start < offset && offset <= variable.visible.end
        };
        self.notes.variables.iter().filter(is_visible)
    }

    /// Returns the function whose braces enclose an octet.
    fn function_at(&self, offset: u32) -> Option<usize> {
        let is_within = |function: &WrittenFunction| {
            (function.name.span.start..=function.body.end.start).contains(&offset)
        };
        self.script.functions.iter().position(is_within)
    }

    /// Returns the comment directly above an octet, without its hyphens.
    fn comment_above(&self, start: u32) -> String {
        let mut below = start as usize;
        let mut lines = Vec::new();
        let before = self.items.iter().rev().skip_while(|item| item.span.start >= start);
        for item in before.take_while(|item| item.token == Token::Comment) {
            let between = &self.source.text[item.span.end as usize..below];
            if between.matches('\n').count() != 1 {
                break;
            }
            lines.push(self.slice(item.span).trim_matches('-').trim());
            below = item.span.start as usize;
        }
        lines.reverse();
        lines.join("\n")
    }
}
