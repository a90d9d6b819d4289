//! The outline of a script: its functions, tables, tariffs and tests.

use diagnostics::Span;

use super::{Analysis, Symbol};

/// An entry of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlined {
    /// Its name, or the text of a test.
    pub name: String,
    /// Its declaration; empty for a test.
    pub code: String,
    /// Its symbol; `None` for a test.
    pub symbol: Option<Symbol>,
    /// The place of its name.
    pub named: Span,
    /// The place of the whole declaration.
    pub whole: Span,
}

impl Analysis {
    /// Returns the functions, tables, tariffs and tests, in the order of the text.
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
