//! Holidays of countries: a table with the columns `country`, `date` and `name`, which tariffs have too.

use std::collections::BTreeMap;
use std::sync::Arc;

use cells::Table;
use diagnostics::{Diagnostic, Source};

use super::day::day;

/// The holidays of countries.
#[derive(Clone, Debug, Default)]
pub struct Holidays {
    /// In days since 1970.
    days: BTreeMap<String, Vec<i64>>,
}

impl Holidays {
    /// Reads a table with the columns `country`, `date` and `name`, of which the last one is for people.
    ///
    /// # Errors
    ///
    /// All mistakes, with their places.
    pub fn read(source: &Arc<Source>) -> Result<Holidays, Vec<Diagnostic>> {
        let (mut holidays, mut mistakes) = (Holidays::default(), Vec::new());
        if let Some(mut table) = Table::open(source, ["country", "date", "name?"], &mut mistakes) {
            while let Some(row) = table.next(&mut mistakes) {
                let [country, date, _] = &row.cells;
                if country.text.is_empty() {
                    mistakes.push(Diagnostic::error(
                        source,
                        country.span,
                        "a holiday has a country",
                    ));
                }
                let Some(day) = day(&date.text) else {
                    let message = format!("\"{}\" is no date", date.text);
                    let mistake = Diagnostic::error(source, date.span, message);
                    mistakes.push(mistake.hint("write 2026-06-19"));
                    continue;
                };
                let days = holidays.days.entry(country.text.to_string()).or_default();
                match days.binary_search(&day) {
                    Err(place) => days.insert(place, day),
                    Ok(_) => {
                        let message = "this day is a holiday of this country already";
                        mistakes.push(Diagnostic::error(source, date.span, message));
                    }
                }
            }
        }
        if mistakes.is_empty() { Ok(holidays) } else { Err(mistakes) }
    }

    /// Returns the countries that have some.
    pub fn countries(&self) -> impl Iterator<Item = &str> {
        self.days.keys().map(String::as_str)
    }

    /// Returns the holidays of a country, in days since 1970, in order. Empty if the table has none.
    pub fn of(&self, country: &str) -> &[i64] {
        self.days.get(country).map_or(&[], Vec::as_slice)
    }
}
