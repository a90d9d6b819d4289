//! Formulas over counters, such as `pmAbnormal / (pmNormal + pmAbnormal)`, and conditions such as `pmNormal + pmAbnormal >= 50`.
//!
//! | written | what it is |
//! |---|---|
//! | `12`, `0.5`, `1e6` | a number |
//! | `RRC.ConnEstabAtt.Cause` | a counter: letters, digits, `_` and `.`, not beginning with a digit |
//! | `"Bin 0-5"` | a counter with any other name; a quote in it is written twice |
//! | `name[3]` | an element of a counter that is a list; the first is 0 |
//! | `sum(name)` | the sum of the elements of a counter that is a list |
//! | `+ - * /`, `( )` | arithmetic; `-` also stands before a value |
//! | `min(a, b)`, `max(a, b)`, `abs(a)` | the least, the greatest, the value without its sign |
//! | `> >= < <= == !=`, `and`, `or` | conditions; `and` binds closer than `or` |
//!
//! NaN means that a value is not measured. What is made of it is not measured either, so a counter that is missing never counts as 0;
//! nor is a division by zero, or what is too large for an `f64`. A condition over such values is not known, unless the other side
//! of its `and` is false, or that of its `or` is true.

mod lexer;
mod parser;
mod program;
mod shown;
mod written;

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};

use parser::Kind;
use program::Program;
use written::Written;

pub use parser::{ELEMENT_MAX, NESTING_MAX, OCTETS_MAX};
pub use program::Scratch;
pub use shown::shown;

/// A value that a formula reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Column {
    /// The name of the counter.
    pub counter: String,
    /// What is read of it.
    pub part: Part,
}

/// What is read of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Its value.
    Whole,
    /// An element of its list, from 0.
    Element(u16),
    /// The sum of its list.
    Sum,
}

/// A formula: from the values of its columns to a value.
#[derive(Clone, Debug)]
pub struct Formula {
    written: Written,
    program: Program,
}

/// A condition: from the values of its columns to whether it holds.
#[derive(Clone, Debug)]
pub struct Condition {
    written: Written,
    program: Program,
}

impl Formula {
    /// Parses the formula in a part of a text.
    ///
    /// # Errors
    ///
    /// All mistakes, with their places.
    pub fn parse(source: &Arc<Source>, place: Span) -> Result<Self, Vec<Diagnostic>> {
        let (written, program) = parser::parse(source, place, Kind::Number)?;
        Ok(Formula { written, program })
    }

    /// Returns the values that it reads, each once, in the order of the text.
    pub fn columns(&self) -> &[Column] {
        &self.written.columns
    }

    /// Returns its text.
    pub fn text(&self) -> String {
        self.written.text()
    }

    /// Returns its text with values in place of its columns: `120 / (3,880 + 120)`. A value that is not there is not measured.
    pub fn with_values(&self, values: &[f64]) -> String {
        self.written.with_values(values)
    }

    /// Returns its value for the values of its columns; NaN if it is not measured. A value that is not there is not measured.
    pub fn evaluate(&self, values: &[f64]) -> f64 {
        self.program.evaluate(values)
    }

    /// Computes many values at once: the one at each place of `out` from the values at that place of its columns. They are the same,
    /// bit by bit, as those of [`evaluate`](Self::evaluate).
    ///
    /// # Panics
    ///
    /// There are not as many columns as it has, or a column is not as long as `out`.
    pub fn evaluate_all(&self, columns: &[&[f64]], scratch: &mut Scratch, out: &mut [f64]) {
        assert_eq!(columns.len(), self.columns().len(), "a formula has values for its columns");
        self.program.evaluate_all(columns, scratch, out);
    }
}

impl Condition {
    /// Parses the condition in a part of a text.
    ///
    /// # Errors
    ///
    /// All mistakes, with their places.
    pub fn parse(source: &Arc<Source>, place: Span) -> Result<Self, Vec<Diagnostic>> {
        let (written, program) = parser::parse(source, place, Kind::Truth)?;
        Ok(Condition { written, program })
    }

    /// Returns the values that it reads, each once, in the order of the text.
    pub fn columns(&self) -> &[Column] {
        &self.written.columns
    }

    /// Returns its text.
    pub fn text(&self) -> String {
        self.written.text()
    }

    /// Returns its text with values in place of its columns: `3,880 + 120 >= 50`.
    pub fn with_values(&self, values: &[f64]) -> String {
        self.written.with_values(values)
    }

    /// Returns whether it holds for the values of its columns; `None` if values that decide it are not measured.
    pub fn holds(&self, values: &[f64]) -> Option<bool> {
        let truth = self.program.evaluate(values);
        (!truth.is_nan()).then_some(truth != 0.0)
    }

    /// Computes many at once, as [`Formula::evaluate_all`]: 1 where it holds, 0 where it does not, NaN where it is not known.
    ///
    /// # Panics
    ///
    /// There are not as many columns as it has, or a column is not as long as `out`.
    pub fn hold_all(&self, columns: &[&[f64]], scratch: &mut Scratch, out: &mut [f64]) {
        assert_eq!(columns.len(), self.columns().len(), "a condition has values for its columns");
        self.program.evaluate_all(columns, scratch, out);
    }
}
