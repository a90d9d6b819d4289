//! The expressions of rules, each evaluated once a record at most.

use std::sync::Arc;

use node::{Evaluator, Expression, Value};
use record::{Memory, Record};

use super::OfRecord;
use super::limits::LimitTable;
use crate::expression::DupExpression;

/// A table of limits, and the expression of the number whose prefix is looked up.
#[derive(Clone)]
pub(super) struct LimitedBy {
    pub(super) table: Arc<LimitTable>,
    pub(super) by: Arc<DupExpression>,
}

/// Evaluates the expressions of a pool on a record.
pub(super) struct Evaluated {
    evaluators: Vec<Box<dyn Evaluator>>,
    known: Vec<Known>,
    limits: Vec<Limits>,
    /// The time of the record, by the clock.
    local: u32,
}

/// The limits of a record.
struct Limits {
    table: Arc<LimitTable>,
    by: Box<dyn Evaluator>,
    /// Whether `row` is that of this record.
    is_known: bool,
    row: Vec<Option<i64>>,
}

impl Limits {
    fn find(&mut self, memory: &mut Memory<'_>, record: Record, local: u32) {
        self.row.clear();
        self.is_known = true;
        let limits = match self.by.find(memory, record) {
            Ok(Some(Value::Integer(number))) => {
                self.table.find(number.to_string().as_bytes(), local)
            }
            Ok(Some(Value::Octets(number))) => self.table.find(number, local),
            _ => None,
        };
        self.row.extend(limits.into_iter().flatten());
    }
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
    pub(super) fn new(pool: &[DupExpression], limits: &[LimitedBy]) -> Self {
        let evaluators: Vec<_> = pool.iter().map(|of| of.evaluator()).collect();
        let known = vec![Known::NotYet; evaluators.len()];
        let of = |LimitedBy { table, by }: &LimitedBy| Limits {
            table: Arc::clone(table),
            by: by.evaluator(),
            is_known: false,
            row: Vec::new(),
        };
        Evaluated { evaluators, known, limits: limits.iter().map(of).collect(), local: 0 }
    }

    /// Begins a record of a time by the clock.
    pub(super) fn begin(&mut self, local: u32) {
        self.known.fill(Known::NotYet);
        self.limits.iter_mut().for_each(|limits| limits.is_known = false);
        self.local = local;
    }

    /// Returns a value of the record that conditions read.
    pub(super) fn of_record(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        of: OfRecord,
    ) -> Option<i64> {
        match of {
            OfRecord::Expression(place) => self.number(memory, record, place),
            OfRecord::Limit { table, column } => {
                let limits = &mut self.limits[table];
                if !limits.is_known {
                    limits.find(memory, record, self.local);
                }
                limits.row.get(column).copied().flatten()
            }
        }
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
