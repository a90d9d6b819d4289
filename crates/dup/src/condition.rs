//! Conditions over values with names, such as the measures of a subject: `calls >= 50 && record.time - known <= 86400`.
//!
//! A condition is judged when its record is gone. So what it says of the record are values with names, too: the text of each such
//! part is its name.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};
use record::{TypeId, Types};

use crate::syntax::{Binary, Comparison, Name, WrittenExpression, WrittenExpressionWhat as What};
use crate::{Compiled, RECORD, check, lower, parser};

/// The name of the structure that has the values. No script can have a variable of this name.
const VALUES: &str = "the values";

/// A condition whose syntax is right.
#[derive(Clone, Debug)]
pub struct Condition {
    source: Arc<Source>,
    place: Span,
    written: WrittenExpression,
}

/// A part of a condition that has a value when it is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedValue<'c> {
    /// Its text.
    pub name: &'c str,
    /// Where it stands.
    pub place: Span,
    /// Whether it is a value of the record. Others are names.
    pub is_of_record: bool,
}

impl Condition {
    /// Parses a condition in a part of a text.
    ///
    /// # Errors
    ///
    /// Its syntax is wrong.
    pub fn parse(source: &Arc<Source>, place: Span) -> Result<Self, Vec<Diagnostic>> {
        let mut diagnostics = Vec::new();
        match parser::parse_expression(source, place, &mut diagnostics) {
            Ok(written) if !diagnostics::has_errors(&diagnostics) => {
                Ok(Condition { source: Arc::clone(source), place, written })
            }
            _ => Err(diagnostics),
        }
    }

    /// Returns the names and the values of the record in it, in the order of the text.
    pub fn values(&self) -> Vec<NamedValue<'_>> {
        let (mut found, mut parts) = (Vec::new(), vec![&self.written]);
        while let Some(part) = parts.pop() {
            let is_of_record = is_of_record(part);
            if is_of_record || matches!(part.what, What::Name(_)) {
                found.push(NamedValue { name: self.text(part), place: part.span, is_of_record });
            } else {
                parts.extend(within(part).into_iter().rev());
            }
        }
        found
    }

    /// Returns names and the least values that they must have for the condition to be true, as far as that is plain: of
    /// `calls >= 50 && short > 3`, 50 for `calls` and 4 for `short`.
    pub fn least(&self) -> Vec<(&str, i64)> {
        let (mut found, mut parts) = (Vec::new(), vec![&self.written]);
        while let Some(part) = parts.pop() {
            let What::Binary { operator, left, right } = &part.what else { continue };
            let (named, least) = match (operator, &left.what, &right.what) {
                (Binary::And, ..) => {
                    parts.extend([&**right, &**left]);
                    continue;
                }
                (Binary::Compare(Comparison::GreaterOrEqual), _, What::Number(least)) => {
                    (left, Some(*least))
                }
                (Binary::Compare(Comparison::Greater), _, What::Number(below)) => {
                    (left, below.checked_add(1))
                }
                (Binary::Compare(Comparison::LessOrEqual), What::Number(least), _) => {
                    (right, Some(*least))
                }
                (Binary::Compare(Comparison::Less), What::Number(below), _) => {
                    (right, below.checked_add(1))
                }
                _ => continue,
            };
            if let (What::Name(name), Some(least)) = (&named.what, least) {
                found.push((name.as_str(), least));
            }
        }
        found
    }

    /// Compiles it over the fields of a SEQUENCE: each name, and each value of the record by its text, is the field that `field_of`
    /// gives. The program has one function, which takes the SEQUENCE and returns the value.
    pub fn compile(
        &self,
        values: TypeId,
        field_of: &dyn Fn(&str) -> Option<String>,
        types: &mut dyn Types,
    ) -> Compiled {
        let mut diagnostics = Vec::new();
        let mut written = self.written.clone();
        self.read_from_fields(&mut written, field_of);
        let names = (VALUES, values);
        let function =
            check::check_expression(&self.source, &written, names, types, &mut diagnostics);
        let program = match function {
            Some(function) if !diagnostics::has_errors(&diagnostics) => {
                let checked =
                    check::CheckedScript { functions: vec![function], ..Default::default() };
                lower(&self.source, vec![self.place], checked, types, &mut diagnostics)
            }
            _ => None,
        };
        Compiled { program, diagnostics }
    }

    fn text(&self, part: &WrittenExpression) -> &str {
        self.source.text.get(part.span.start as usize..part.span.end as usize).unwrap_or_default()
    }

    /// Replaces what is a field of the values by that field.
    fn read_from_fields(
        &self,
        part: &mut WrittenExpression,
        field_of: &dyn Fn(&str) -> Option<String>,
    ) {
        let field = match &part.what {
            What::Name(name) => field_of(name),
            _ if is_of_record(part) => field_of(self.text(part)),
            _ => None,
        };
        if let Some(name) = field {
            let span = part.span;
            let of = Box::new(WrittenExpression { what: What::Name(VALUES.to_owned()), span });
            part.what = What::Field { of, field: Name { text: name, span } };
            return;
        }
        let all: Vec<&mut WrittenExpression> = match &mut part.what {
            What::Field { of, .. } => vec![of],
            What::Element { of, index } => vec![of, index],
            What::Call { arguments, .. } => arguments.iter_mut().collect(),
            What::Unary { operand, .. } => vec![operand],
            What::Binary { left, right, .. } => vec![left, right],
            What::In { value, .. } => vec![value],
            _ => Vec::new(),
        };
        all.into_iter().for_each(|part| self.read_from_fields(part, field_of));
    }
}

/// Returns the parts of an expression, in the order of the text.
fn within(part: &WrittenExpression) -> Vec<&WrittenExpression> {
    match &part.what {
        What::Field { of, .. } => vec![of],
        What::Element { of, index } => vec![of, index],
        What::Call { arguments, .. } => arguments.iter().collect(),
        What::Unary { operand, .. } => vec![operand],
        What::Binary { left, right, .. } => vec![left, right],
        What::In { value, .. } => vec![value],
        _ => Vec::new(),
    }
}

/// Returns whether a part is the record, or a place in it.
fn is_of_record(part: &WrittenExpression) -> bool {
    match &part.what {
        What::Name(name) => name == RECORD,
        What::Field { of, .. } | What::Element { of, .. } => is_of_record(of),
        _ => false,
    }
}
