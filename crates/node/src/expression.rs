//! Expressions: values of records for parts that are no nodes, such as keys of duplicates, sequence
//! numbers and sums.
//!
//! A [`Language`] reads a setting once and makes an [`Expression`]. Each worker makes an
//! [`Evaluator`] of its own from it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use diagnostics::Diagnostic;
use record::{Memory, Opened, Path, Record, TypeId, Types};
use settings::{Setting, Settings};

use crate::Refusal;

/// A language for expressions.
pub trait Language: Sync {
    /// Reads a setting that is an expression over records of a type. If its table has a `script`,
    /// the setting may be the name of a function of the script that takes such a record. Returns
    /// all mistakes, not only the first.
    fn expression(
        &self,
        settings: &Settings,
        setting: &Setting,
        ty: TypeId,
        types: &mut dyn Types,
    ) -> Result<Box<dyn Expression>, Vec<Diagnostic>>;
}

/// An expression that has been read and checked.
pub trait Expression: Send + Sync {
    /// Returns the type of its values.
    fn value_type(&self) -> ValueType;

    /// Returns the components that it reads.
    fn opened(&self) -> Opened {
        Opened::All
    }

    /// Returns the field, if the expression is a single field. If the field has a value, the caller
    /// reads it directly and does not evaluate the expression.
    fn field(&self) -> Option<&Path> {
        None
    }

    /// Returns the files that it was made from. If one changes, the expression must be read again.
    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Returns warnings about fields that may be absent. A record without one is refused.
    fn warnings(&self) -> &[Diagnostic] {
        &[]
    }

    /// Makes an evaluator for one worker.
    fn evaluator(&self) -> Box<dyn Evaluator>;
}

/// An expression in one worker.
pub trait Evaluator: Send {
    /// Returns the value of a record, which does not change. Refuses the record because of a fault
    /// in it or in the script, such as an absent field.
    fn evaluate<'v>(
        &'v mut self,
        memory: &'v mut Memory<'_>,
        record: Record,
    ) -> Result<Value<'v>, Refusal>;

    /// Interrupts evaluations soon after `flag` is set, and refuses their records: the values are
    /// no longer needed.
    fn stop_when(&mut self, _flag: Arc<AtomicBool>) {}

    /// As [`evaluate`](Self::evaluate), but returns `None` if the expression is a single field that
    /// is absent.
    fn find<'v>(
        &'v mut self,
        memory: &'v mut Memory<'_>,
        record: Record,
    ) -> Result<Option<Value<'v>>, Refusal> {
        self.evaluate(memory, record).map(Some)
    }
}

/// The type of all values of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// [`Value::Integer`], of an INTEGER, ENUMERATED or BOOLEAN.
    Integers,
    /// [`Value::Octets`], of strings and times.
    Octets,
}

/// A value of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'v> {
    /// A number.
    Integer(i64),
    /// Octets, such as those of a string.
    Octets(&'v [u8]),
}

/// The language of a gateway without scripts: every expression is a mistake.
#[derive(Clone, Copy, Debug)]
pub struct NoLanguage;

impl Language for NoLanguage {
    fn expression(
        &self,
        settings: &Settings,
        setting: &Setting,
        _: TypeId,
        _: &mut dyn Types,
    ) -> Result<Box<dyn Expression>, Vec<Diagnostic>> {
        Err(vec![settings.error(setting, "this gateway does not support expressions")])
    }
}
