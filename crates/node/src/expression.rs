//! A value of a record, for those who are no nodes: the key of a duplicate, a sequence number, what is summed.
//!
//! As with kinds and their nodes: a [`Language`] reads a setting once and makes an [`Expression`], which every
//! worker asks for an [`Evaluator`] of its own.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use diagnostics::Diagnostic;
use record::{Memory, Opened, Path, Record, TypeId, Types};
use settings::{Setting, Settings};

use crate::Refusal;

/// What expressions are written in.
pub trait Language: Sync {
    /// Reads a setting that is an expression over records of a type; or, where its table has a `script`, the name
    /// of a function of it that takes such a record. All mistakes are returned, not only the first.
    fn expression(
        &self,
        settings: &Settings,
        setting: &Setting,
        ty: TypeId,
        types: &mut dyn Types,
    ) -> Result<Box<dyn Expression>, Vec<Diagnostic>>;
}

/// An expression that has been read and found right.
pub trait Expression: Send + Sync {
    /// What its values are.
    fn gives(&self) -> Gives;

    /// Into which values of its records it looks.
    fn opened(&self) -> Opened {
        Opened::All
    }

    /// Returns the field, if the expression is a single field. Where the field has a value, the caller reads it and does
    /// not evaluate the expression.
    fn field(&self) -> Option<&Path> {
        None
    }

    /// The files it was made of, whose change would make it another.
    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Warnings about fields that may be absent; a record without one is refused.
    fn warnings(&self) -> &[Diagnostic] {
        &[]
    }

    /// For one worker.
    fn evaluator(&self) -> Box<dyn Evaluator>;
}

/// An expression in one worker.
pub trait Evaluator: Send {
    /// The value of a record, which stays as it is. What is refused is the record's fault or the script's: what
    /// was to be read is absent, say.
    fn evaluate<'v>(
        &'v mut self,
        memory: &'v mut Memory<'_>,
        record: Record,
    ) -> Result<Value<'v>, Refusal>;

    /// Once `flag` is set, records are refused soon, however long evaluation takes. The values are
    /// no longer needed.
    fn stop_when(&mut self, _flag: Arc<AtomicBool>) {}

    /// As [`evaluate`](Self::evaluate); none of an expression that is a field and no more, where that is absent.
    fn find<'v>(
        &'v mut self,
        memory: &'v mut Memory<'_>,
        record: Record,
    ) -> Result<Option<Value<'v>>, Refusal> {
        self.evaluate(memory, record).map(Some)
    }
}

/// Of what sort all values of an expression are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
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
    /// Octets, of a string as it lies in the record.
    Octets(&'v [u8]),
}

/// A gateway without scripts: every expression is a mistake.
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
        Err(vec![settings.error(setting, "this gateway knows no expressions")])
    }
}
