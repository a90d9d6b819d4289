//! The functions, tables, tariffs and tests of a script, for a list beside it.

use diagnostics::Span;

use super::{Analysis, Symbol};

/// Something that stands on its own in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlined {
    /// Its name; of a test, the text.
    pub name: String,
    /// As it is declared; empty for a test.
    pub code: String,
    /// What it is; none for a test.
    pub symbol: Option<Symbol>,
    /// Its name in the text.
    pub named: Span,
    /// All of it.
    pub whole: Span,
}

impl Analysis {
    /// The functions, tables and tests, in the order of the text.
    pub fn outline(&self) -> Vec<Outlined> {
        let functions =
            self.script.functions.iter().enumerate().map(|(place, function)| Outlined {
                name: function.name.text.clone(),
                code: self.signature(function),
                symbol: Some(Symbol::Function(place)),
                named: function.name.span,
                whole: function.result.span.to(function.body.end),
            });
        let tables = self.script.tables.iter().enumerate().map(|(place, table)| Outlined {
            name: table.name.text.clone(),
            code: self.describe(Symbol::Table(place)).code,
            symbol: Some(Symbol::Table(place)),
            named: table.name.span,
            whole: table.name.span.to(table.file.span),
        });
        let tariffs = self.script.tariffs.iter().enumerate().map(|(place, tariff)| Outlined {
            name: tariff.name.text.clone(),
            code: self.describe(Symbol::Tariff(place)).code,
            symbol: Some(Symbol::Tariff(place)),
            named: tariff.name.span,
            whole: tariff.name.span.to(tariff.place.span),
        });
        let tests = self.script.tests.iter().map(|test| Outlined {
            name: test.name.text.clone(),
            code: String::new(),
            symbol: None,
            named: test.name.span,
            whole: test.name.span.to(test.body.end),
        });
        let mut all: Vec<Outlined> = functions.chain(tables).chain(tariffs).chain(tests).collect();
        all.sort_by_key(|outlined| outlined.whole.start);
        all
    }
}
