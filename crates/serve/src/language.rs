//! The language of scripts, as far as who edits one asks for it. Here is what is asked; who knows the language answers.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use diagnostics::{Diagnostic, Place};
use flow::Sample;
use serde::Serialize;
use utoipa::ToSchema;

/// A text in the place of a script.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'d> {
    /// The flow that the script is of.
    pub flow: &'d Path,
    /// The script, as the flow names it.
    pub script: &'d str,
    /// What could stand there.
    pub text: &'d str,
    /// Set when the result is no longer needed.
    pub stop: &'d Arc<AtomicBool>,
}

/// The files that a script names, as it names them: seen from its folder.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// Those that it looks things up in.
    pub tables: Vec<String>,
    /// Plans that it rates by.
    pub tariffs: Vec<String>,
    /// Records that its tests read.
    pub records: Vec<String>,
}

/// Why nothing can be said of a draft.
#[derive(Debug, thiserror::Error)]
pub enum LanguageError {
    /// The modules of its flow cannot be read, or have mistakes.
    #[error("{0}")]
    Modules(Box<dyn Error + Send + Sync>),
    /// It has mistakes itself.
    #[error("{0}")]
    Draft(Box<dyn Error + Send + Sync>),
    /// It has no function that the node could call.
    #[error("{0}")]
    Function(Box<dyn Error + Send + Sync>),
}

/// A language of scripts.
pub trait Language: Sync {
    /// The files that a script names.
    fn named(&self, text: &str) -> Named;

    /// Whether a text is a script, whatever it means.
    fn is_script(&self, text: &str) -> bool;

    /// What is wrong with a draft.
    fn check(&self, draft: Draft<'_>) -> Result<Vec<Diagnostic>, LanguageError>;

    /// What can be written at a place of it.
    fn complete(&self, draft: Draft<'_>, at: Place) -> Result<Completions, LanguageError>;

    /// What becomes of its tests. They take the time and memory of records, and no more than a few seconds.
    fn test(&self, draft: Draft<'_>) -> Result<Tested, LanguageError>;

    /// What it makes of records that come to a node. They take the time and memory of records, and no more than a few
    /// seconds.
    fn run(
        &self,
        draft: Draft<'_>,
        node: CallingNode<'_>,
        records: &[Sample],
    ) -> Result<Ran, LanguageError>;

    /// What the name at a place of it is; none where there is no name.
    fn explain(&self, draft: Draft<'_>, at: Place) -> Result<Option<Explained>, LanguageError>;
}

/// What can be written at a place.
#[derive(Clone, Debug)]
pub struct Completions {
    /// Where the word begins that is written already, and would be replaced up to the place.
    pub from: Place,
    /// The nearest first.
    pub candidates: Vec<Candidate>,
}

/// Something that can be written.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What is written.
    pub name: String,
    /// What it is.
    pub sort: NameSort,
    /// As a script would declare it; empty for a word of the language.
    pub code: String,
    /// What is known beyond that; may be empty.
    pub text: String,
}

/// What something is that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NameSort {
    /// Of the script, or built in.
    Function,
    /// A parameter is one too.
    Variable,
    /// A table, or a tariff.
    Table,
    /// Of a module, or of the language.
    Type,
    /// Of a record.
    Field,
    /// A name for a number.
    Value,
    /// A word of the language.
    Word,
}

/// What a name is.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Where it begins.
    pub from: Place,
    /// Where it ends.
    pub to: Place,
    /// As a script would declare it.
    pub code: String,
    /// What is known beyond that; may be empty.
    pub text: String,
    /// How modules define it, and its type.
    pub definitions: Vec<Definition>,
}

/// What a module says.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The module's file, as seen from the flow's folder.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// Of a long one the first lines.
    pub text: String,
}

/// What became of the tests of a script.
#[derive(Clone, Debug)]
pub struct Tested {
    /// In the order of the text.
    pub tests: Vec<(TestOf, TestResult)>,
    /// The lines of functions, and whether a test ran them.
    pub lines: Vec<(usize, bool)>,
}

/// A test.
#[derive(Clone, Debug)]
pub struct TestOf {
    /// What it says of itself.
    pub name: String,
    /// Where it stands, from 1.
    pub line: usize,
}

/// How a test went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestResult {
    /// All is as it says.
    Passed,
    /// It is not, for this reason.
    Failed(String),
    /// Those before it took all the time that there is.
    NotRun,
}

/// A node that runs a script.
#[derive(Clone, Copy, Debug)]
pub struct CallingNode<'n> {
    /// Its name.
    pub name: &'n str,
    /// The function that the flow file says, if it says one.
    pub function: Option<&'n str>,
}

/// What a script made of records.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The type of records that it takes.
    pub takes: String,
    /// Of each record, in their order.
    pub records: Vec<RanRecord>,
    /// What a record took, without decoding; none where each ended in an error.
    pub nanoseconds: Option<f64>,
}

/// What a script made of a record.
#[derive(Clone, Debug)]
pub struct RanRecord {
    /// As it came, in JSON.
    pub came: String,
    /// What became of it, or why it would be refused.
    pub became: RecordResult,
}

/// What becomes of a record, or why it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordResult {
    /// The script went through.
    Made(Made),
    /// The node would refuse the record, for this reason.
    Refused(String),
    /// Those before it took all the time that there is.
    NotRun,
}

/// What becomes of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// By which of a filter's ways it goes on.
    pub stream: Option<String>,
    /// What was made of it, in JSON.
    pub records: Vec<String>,
}
