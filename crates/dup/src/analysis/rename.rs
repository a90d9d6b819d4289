//! Renames a variable, a function, a table or a tariff.
//!
//! No rules decide whether the script still means the same. Instead, the changed text is analysed, and each name in it
//! must mean what it meant before.

use std::path::Path;

use diagnostics::{Diagnostic, Source, Span};
use record::Types;

use super::{Analysis, Symbol, Use};
use crate::lexer::{Token, items};
use crate::parser::RESERVED;

/// The reason why a name cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenameFault {
    /// There is no name.
    #[error("no name stands here")]
    Nothing,
    /// It is not defined in the script.
    #[error("\"{name}\" is not named by this script's variables, functions, tables and tariffs")]
    Foreign {
        /// The name.
        name: String,
    },
    /// The parts with mistakes may use it.
    #[error("the script has mistakes; mend them first, or uses of the name may be missed")]
    Mistakes,
    /// The new name is not a valid name.
    #[error("\"{name}\" is no name: letters, digits, _ and hyphens within, a letter first")]
    NoName {
        /// The new name.
        name: String,
    },
    /// The new name is a word of the language.
    #[error("\"{name}\" is a word of the language")]
    Reserved {
        /// The new name.
        name: String,
    },
    /// The new name has another meaning already.
    #[error("\"{name}\" is taken: {reason}")]
    Taken {
        /// The new name.
        name: String,
        /// The reason.
        reason: String,
    },
}

impl Analysis {
    /// Returns the name at an octet, if it can be changed.
    pub fn renamable(&self, offset: u32) -> Result<Use, RenameFault> {
        if diagnostics::has_errors(&self.diagnostics) {
            return Err(RenameFault::Mistakes);
        }
        let found = self.at(offset).ok_or(RenameFault::Nothing)?;
        match found.symbol {
            Symbol::Variable(_) | Symbol::Function(_) | Symbol::Table(_) | Symbol::Tariff(_) => {
                Ok(found)
            }
            _ => Err(RenameFault::Foreign { name: self.slice(found.span).to_owned() }),
        }
    }

    /// Returns the text with another name at the given places, which are in order.
    fn with_name(&self, places: &[Span], name: &str) -> String {
        let mut text = String::new();
        let mut copied = 0;
        for span in places {
            text.push_str(&self.source.text[copied..span.start as usize]);
            text.push_str(name);
            copied = span.end as usize;
        }
        text + &self.source.text[copied..]
    }
}

/// Returns the places of the name at an octet, which the new name has to replace. `folder` and `types` must be those of
/// the analysis.
pub fn rename(
    analysis: &Analysis,
    offset: u32,
    name: &str,
    folder: &Path,
    types: &mut dyn Types,
) -> Result<Vec<Span>, RenameFault> {
    let symbol = analysis.renamable(offset)?.symbol;
    check_name(name)?;
    let places: Vec<Span> = analysis.uses(symbol).map(|used| used.span).collect();
    let changed = Source::new(&analysis.source.name, analysis.with_name(&places, name));
    let after = Analysis::of(&changed, folder, types);
    let taken = |reason: String| RenameFault::Taken { name: name.to_owned(), reason };
    if let Some(mistake) = after.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
        return Err(taken(mistake.message.clone()));
    }
    let meanings = |analysis: &Analysis| -> Vec<Symbol> {
        analysis.notes.uses.iter().map(|used| used.symbol).collect()
    };
    if meanings(analysis) != meanings(&after) {
        return Err(taken("something else would be meant by it".to_owned()));
    }
    Ok(places)
}

fn check_name(name: &str) -> Result<(), RenameFault> {
    let mut mistakes: Vec<Diagnostic> = Vec::new();
    let words = items(&Source::new("name", name), &mut mistakes);
    let is_word = matches!(words.as_slice(), [only, _end] if only.token == Token::Word
        && only.span == Span::new(0, name.len()));
    if !is_word || !mistakes.is_empty() {
        return Err(RenameFault::NoName { name: name.to_owned() });
    }
    match RESERVED.contains(&name) || crate::parser::type_words().any(|word| word == name) {
        true => Err(RenameFault::Reserved { name: name.to_owned() }),
        false => Ok(()),
    }
}
