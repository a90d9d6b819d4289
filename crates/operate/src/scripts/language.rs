//! The script language as an editor needs it. This module defines the queries; a crate that knows the language answers
//! them.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ::versions::{NoScripts, ScriptLanguage};
use diagnostics::Diagnostic;
use inspection::Sample;
use serde_json::Value;

use crate::refusals;

/// A script that is being edited.
#[derive(Clone, Copy, Debug)]
pub struct EditedScript<'d> {
    /// The path of the flow file.
    pub flow: &'d Path,
    /// The script's name in the flow.
    pub script: &'d str,
    /// The edited text.
    pub text: &'d str,
    /// Set when the result is no longer needed.
    pub stop: &'d Arc<AtomicBool>,
}

/// The cause of a [`LanguageError`].
type Cause = Box<dyn Error + Send + Sync>;

refusals! {
    /// Why a draft cannot be analysed.
    pub enum LanguageError {
        /// The ASN.1 modules of its flow cannot be read, or have mistakes.
        Modules {
            /// Why.
            cause: Cause
        } => Wrong "script-modules-unusable" "{cause}",
        /// The draft itself has mistakes.
        Draft {
            /// The mistakes.
            cause: Cause
        } => Wrong "script-mistaken" "{cause}",
        /// The draft has no function that the node could call.
        Function {
            /// Why.
            cause: Cause
        } => Wrong "script-function-unusable" "{cause}",
        /// The request to the language server has no result.
        Request {
            /// Why.
            reason: String
        } => Wrong "script-request-refused" "{reason}",
    }
}

/// A script language.
pub trait Language: ScriptLanguage {
    /// Returns the mistakes of a draft.
    fn check(&self, draft: EditedScript<'_>) -> Result<Vec<Diagnostic>, LanguageError>;

    /// Answers a request of the Language Server Protocol 3.17 about a draft. Its columns are UTF-16 units, and it names
    /// files as the flow does: `flow:asn1/msc.asn1`.
    fn answer(
        &self,
        draft: EditedScript<'_>,
        request: LanguageRequest,
    ) -> Result<Value, LanguageError>;

    /// Runs the tests of a draft. They use processors and memory that records need too, for a few seconds at most.
    fn test(&self, draft: EditedScript<'_>) -> Result<Tested, LanguageError>;

    /// Runs a draft on records that come to a node. This uses processors and memory that records need too, for a few
    /// seconds at most.
    fn run(
        &self,
        draft: EditedScript<'_>,
        node: CallingNode<'_>,
        records: &[Sample],
    ) -> Result<Ran, LanguageError>;
}

type Answered<T> = Result<T, LanguageError>;

/// It finds nothing in any draft.
impl Language for NoScripts {
    fn check(&self, _: EditedScript<'_>) -> Answered<Vec<Diagnostic>> {
        Ok(Vec::new())
    }

    fn answer(&self, _: EditedScript<'_>, _: LanguageRequest) -> Answered<Value> {
        Ok(Value::Null)
    }

    fn test(&self, _: EditedScript<'_>) -> Answered<Tested> {
        Ok(Tested { tests: Vec::new(), lines: Vec::new() })
    }

    fn run(&self, _: EditedScript<'_>, _: CallingNode<'_>, _: &[Sample]) -> Answered<Ran> {
        Ok(Ran { takes: String::new(), records: Vec::new(), nanoseconds: None })
    }
}

/// A request of the Language Server Protocol.
#[derive(Clone, Debug)]
pub struct LanguageRequest {
    /// Its method: `textDocument/hover`.
    pub method: String,
    /// Its parameters.
    pub params: Value,
}

/// The results of a script's tests.
#[derive(Clone, Debug)]
pub struct Tested {
    /// The tests in the order of the text.
    pub tests: Vec<(TestOf, TestResult)>,
    /// The lines of functions, and whether a test ran them.
    pub lines: Vec<(usize, bool)>,
}

/// A test.
#[derive(Clone, Debug)]
pub struct TestOf {
    /// Its name.
    pub name: String,
    /// Its line, from 1.
    pub line: usize,
}

/// The result of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestResult {
    /// It passed.
    Passed,
    /// It failed, for this reason.
    Failed(String),
    /// It did not run, since the tests before it took all the time.
    NotRun,
}

/// A node that runs a script.
#[derive(Clone, Copy, Debug)]
pub struct CallingNode<'n> {
    /// Its name.
    pub name: &'n str,
    /// The function that the flow file names, if any.
    pub function: Option<&'n str>,
}

/// The results of a script for records.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The type of records that it takes.
    pub takes: String,
    /// The result for each record, in the order of the records.
    pub records: Vec<RanRecord>,
    /// The mean time per record without decoding; `None` if each record ended in an error.
    pub nanoseconds: Option<f64>,
}

/// The result of a script for one record.
#[derive(Clone, Debug)]
pub struct RanRecord {
    /// The record as it came, in JSON.
    pub input: String,
    /// The result.
    pub result: RecordResult,
}

/// The outcome for one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordResult {
    /// The script ran to its end.
    Made(Made),
    /// The node would refuse the record, for this reason.
    Refused(String),
    /// The script did not run, since the records before it took all the time.
    NotRun,
}

/// The output for one record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// The output stream of a filter that the record takes.
    pub stream: Option<String>,
    /// The records made from it, in JSON.
    pub records: Vec<String>,
}
