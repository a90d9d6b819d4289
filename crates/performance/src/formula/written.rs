//! The text of a formula, and its columns in it.

use diagnostics::Span;

use super::shown::shown;
use super::{Column, Part};

/// The text of a formula, cut at its columns.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) columns: Vec<Column>,
    /// The text before each mention of a column, and the place of that column.
    mentions: Vec<(String, usize)>,
    /// The text behind the last one.
    rest: String,
}

impl Written {
    /// Returns a text, which begins at a place of its source, cut at the mentions of its columns.
    pub(super) fn new(
        text: &str,
        begin: usize,
        columns: Vec<Column>,
        places: &[(Span, usize)],
    ) -> Written {
        let mut at = 0;
        let mut mentions = Vec::with_capacity(places.len());
        for (span, column) in places {
            let (start, end) = (span.start as usize - begin, span.end as usize - begin);
            mentions.push((on_one_line(text.get(at..start).unwrap_or_default()), *column));
            at = end;
        }
        Written { columns, mentions, rest: on_one_line(text.get(at..).unwrap_or_default()) }
    }

    /// Returns the text, with blanks and line ends as single blanks.
    pub(super) fn text(&self) -> String {
        self.filled(|column| name(&self.columns[column]))
    }

    /// Returns the text with values in place of columns.
    pub(super) fn with_values(&self, values: &[f64]) -> String {
        self.filled(|column| match values.get(column) {
            Some(value) if *value < 0.0 => format!("({})", shown(*value)),
            Some(value) => shown(*value),
            None => shown(f64::NAN),
        })
    }

    fn filled(&self, of: impl Fn(usize) -> String) -> String {
        let mentions =
            self.mentions.iter().flat_map(|(before, column)| [before.clone(), of(*column)]);
        let text: String = mentions.chain([self.rest.clone()]).collect();
        text.trim().to_owned()
    }
}

/// Returns a column as a formula has it.
fn name(column: &Column) -> String {
    let counter = &column.counter;
    let name = match super::lexer::is_plain_name(counter) {
        true => counter.clone(),
        false => format!("\"{}\"", counter.replace('"', "\"\"")),
    };
    match column.part {
        Part::Whole => name,
        Part::Element(place) => format!("{name}[{place}]"),
        Part::Sum => format!("sum({name})"),
    }
}

/// Returns a text with each run of blanks and line ends as one blank.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter.is_whitespace() {
            true if line.ends_with(' ') => {}
            true => line.push(' '),
            false => line.push(letter),
        }
    }
    line
}
