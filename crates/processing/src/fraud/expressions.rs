//! The expressions of rules, each evaluated once a record at most.

use node::{Evaluator, Expression, Value};
use record::{Memory, Record};

use crate::expression::DupExpression;

/// Evaluates the expressions of a pool on a record.
pub(super) struct Evaluated {
    evaluators: Vec<Box<dyn Evaluator>>,
    known: Vec<Known>,
}

#[derive(Clone, Copy)]
enum Known {
    NotYet,
    /// A number, or the digest of octets. `None`: the record has no such value, or it cannot be evaluated.
    Value(Option<Number>),
}

#[derive(Clone, Copy)]
enum Number {
    Integer(i64),
    Digest(i64),
}

impl Evaluated {
    pub(super) fn new(pool: &[DupExpression]) -> Self {
        let evaluators: Vec<_> = pool.iter().map(|of| of.evaluator()).collect();
        let known = vec![Known::NotYet; evaluators.len()];
        Evaluated { evaluators, known }
    }

    /// Begins a record.
    pub(super) fn begin(&mut self) {
        self.known.fill(Known::NotYet);
    }

    fn get(&mut self, memory: &mut Memory<'_>, record: Record, place: usize) -> Option<Number> {
        if let Known::Value(value) = self.known[place] {
            return value;
        }
        // A record that a rule cannot read does not count for it: it is not refused, since others need it.
        let value = self.evaluators[place].find(memory, record).ok().flatten();
        let value = value.map(|value| match value {
            Value::Integer(number) => Number::Integer(number),
            Value::Octets(octets) => Number::Digest(digest(octets)),
        });
        self.known[place] = Known::Value(value);
        value
    }

    /// Returns whether a condition is true.
    pub(super) fn is_true(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        place: usize,
    ) -> bool {
        matches!(self.get(memory, record, place), Some(Number::Integer(1..)))
    }

    /// Returns a number.
    pub(super) fn number(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        place: usize,
    ) -> Option<i64> {
        match self.get(memory, record, place)? {
            Number::Integer(number) => Some(number),
            Number::Digest(_) => None,
        }
    }

    /// Returns the digest of a value.
    pub(super) fn digest(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        place: usize,
    ) -> Option<i64> {
        Some(match self.get(memory, record, place)? {
            Number::Integer(number) => digest(&number.to_be_bytes()),
            Number::Digest(digest) => digest,
        })
    }
}

fn digest(octets: &[u8]) -> i64 {
    let digest = node::key_digest(octets);
    i64::from_le_bytes(*digest.first_chunk().expect("a digest has 16 octets"))
}
