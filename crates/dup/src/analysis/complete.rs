//! Completion: what can be written at a place.

use diagnostics::Span;
use record::{Kind, TypeId};

use super::wanted::Expected;
use super::{Analysis, Description, Symbol};
use crate::{builtin, tariff};

/// A candidate for completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The text to insert.
    pub name: String,
    /// Its symbol; `None` for a word of the language, or a type that the script does not use yet.
    pub symbol: Option<Symbol>,
    /// Its description; empty for a word of the language.
    pub described: Description,
}

/// The candidates at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completions {
    /// The text before the cursor that the candidate replaces.
    pub replaces: Span,
    /// The most likely first: fields and values of the wanted type, variables, functions, words.
    pub candidates: Vec<Completion>,
}

/// The words at the beginning of statements.
const STATEMENTS: &[&str] = &[
    "declare", "if", "else", "while", "for", "switch", "case", "default", "return", "break",
    "continue", "delete", "assert",
];

/// The words in values.
const VALUES: &[&str] = &["TRUE", "FALSE", "NULL", "IN"];

/// The words in types, besides the types of one word.
const TYPES: &[&str] = &["SEQUENCE", "SET", "CHOICE", "ENUMERATED"];

impl Analysis {
    /// Returns the candidates at an octet.
    pub fn complete(&self, offset: u32) -> Completions {
        let (wanted, replaces) = self.wanted(offset);
        let mut candidates = Vec::new();
        match wanted {
            Expected::Nothing => {}
            Expected::Field(ty) => self.fields(ty, &mut candidates),
            Expected::Label(ty) => {
                self.names_of(ty, &mut candidates);
                if matches!(self.schema.kind(ty), Kind::Choice(_)) {
                    self.fields(ty, &mut candidates);
                }
            }
            Expected::Value(expected) => {
                if let Some(ty) = expected {
                    self.names_of(ty, &mut candidates);
                }
                self.named(replaces.start, &mut candidates);
                candidates.extend(words(VALUES));
            }
            Expected::Statement => {
                self.named(replaces.start, &mut candidates);
                candidates.extend(words(STATEMENTS));
            }
            Expected::Type(module) => self.types(module.as_deref(), &mut candidates),
            Expected::ParameterType => {
                candidates.extend(words(&["CONST"]));
                self.types(None, &mut candidates);
            }
            Expected::Declaration => {
                candidates.extend(words(&["test", "declare"]));
                self.types(None, &mut candidates);
            }
        }
        Completions { replaces, candidates }
    }

    fn completion(&self, name: &str, symbol: Symbol) -> Completion {
        let described = self.describe(symbol);
        Completion { name: name.to_owned(), symbol: Some(symbol), described }
    }

    fn fields(&self, owner: TypeId, candidates: &mut Vec<Completion>) {
        let fields = self.schema.kind(owner).fields().iter().enumerate();
        candidates
            .extend(fields.map(|(place, field)| {
                self.completion(&field.name, Symbol::Field { owner, place })
            }));
    }

    /// Adds the names that a type gives to numbers.
    fn names_of(&self, ty: TypeId, candidates: &mut Vec<Completion>) {
        let values = self.values(ty).into_iter().enumerate();
        candidates.extend(
            values.map(|(place, (name, _))| self.completion(&name, Symbol::Value { ty, place })),
        );
    }

    /// Adds the visible variables, the functions, tables, tariffs and built-in functions.
    fn named(&self, offset: u32, candidates: &mut Vec<Completion>) {
        let visible: Vec<_> = self.all_visible(offset).map(|variable| variable.visible).collect();
        for (place, variable) in self.notes.variables.iter().enumerate().rev() {
            let hidden = candidates.iter().any(|known| known.name == variable.name);
            if visible.contains(&variable.visible) && !hidden {
                candidates.push(self.completion(&variable.name, Symbol::Variable(place)));
            }
        }
        for (place, function) in self.script.functions.iter().enumerate() {
            candidates.push(self.completion(&function.name.text, Symbol::Function(place)));
        }
        for (place, table) in self.script.tables.iter().enumerate() {
            candidates.push(self.completion(&table.name.text, Symbol::Table(place)));
        }
        for (place, tariff) in self.script.tariffs.iter().enumerate() {
            candidates.push(self.completion(&tariff.name.text, Symbol::Tariff(place)));
        }
        let mut names: Vec<&'static str> = crate::built_in_names().collect();
        names.sort_unstable();
        let known = names.into_iter().filter_map(builtin::described);
        candidates
            .extend(known.map(|found| self.completion(found.name, Symbol::BuiltIn(found.name))));
    }

    /// Adds the types of all modules, or of one, and those of the language.
    fn types(&self, module: Option<&str>, candidates: &mut Vec<Completion>) {
        let last = |whole: &str| whole.split_once('.').map_or(0, |(module, _)| module.len() + 1);
        let mut counts = std::collections::HashMap::<&str, usize>::new();
        for whole in &self.type_names {
            *counts.entry(&whole[last(whole)..]).or_default() += 1;
        }
        let wanted = self
            .type_names
            .iter()
            .filter(|whole| module.is_none_or(|module| whole.starts_with(module)));
        candidates.extend(wanted.map(|whole| {
            let short = &whole[last(whole)..];
            let name = if module.is_some() || counts[short] == 1 { short } else { whole };
            let symbol = self.schema.find(whole).map(Symbol::Type);
            let described = match symbol {
                Some(symbol) => self.describe(symbol),
                None => Description { code: whole.clone(), text: String::new() },
            };
            Completion { name: name.to_owned(), symbol, described }
        }));
        if module.is_none() {
            for known in [crate::Context::TYPE, tariff::USAGE, tariff::PRICE] {
                if let Some(ty) = self.schema.find(known) {
                    candidates.push(self.completion(known, Symbol::Type(ty)));
                }
            }
            candidates.extend(words(TYPES));
            candidates.extend(crate::type_words().map(word));
        }
    }
}

fn words(words: &'static [&'static str]) -> impl Iterator<Item = Completion> {
    words.iter().copied().map(word)
}

fn word(word: &str) -> Completion {
    Completion { name: word.to_owned(), symbol: None, described: Description::default() }
}
