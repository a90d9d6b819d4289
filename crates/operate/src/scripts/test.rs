//! Runs the tests of a draft of a script, and finds the lines that they cover.

use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::language::{TestOf, TestResult, Tested};
use super::{DraftError, ScriptDraft, one_at_a_time};
use crate::context::Context;
use crate::operation::Operation;

/// Runs the tests of an edited script.
///
/// The text takes the place of the script `file` of the flow, or of a script that no node runs yet. Nothing is saved.
/// Tests may read records from files, so this needs the role that may change scripts.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct TestScript {
    /// The draft.
    #[serde(flatten)]
    pub draft: ScriptDraft,
}

/// The results of a script's tests.
#[derive(Debug, Serialize, ToSchema)]
pub struct ScriptTests {
    /// The tests, in the order of the text.
    pub tests: Vec<ScriptTest>,
    /// The number of lines with code in the script's functions.
    pub lines: usize,
    /// The numbers, from 1, of those lines that no test ran.
    pub lines_not_run: Vec<usize>,
}

/// A test of a script, and its result.
#[derive(Debug, Serialize, ToSchema)]
pub struct ScriptTest {
    /// The name of the test.
    pub name: String,
    /// The line of the test, from 1.
    pub line: usize,
    /// The result.
    pub result: ScriptTestResult,
    /// Why the test failed. Absent unless it did.
    pub reason: Option<String>,
}

/// The result of a test: `not-run` if the tests before it took all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScriptTestResult {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It did not run.
    NotRun,
}

impl From<(TestOf, TestResult)> for ScriptTest {
    fn from((TestOf { name, line }, result): (TestOf, TestResult)) -> Self {
        let (result, reason) = match result {
            TestResult::Passed => (ScriptTestResult::Passed, None),
            TestResult::Failed(reason) => (ScriptTestResult::Failed, Some(reason)),
            TestResult::NotRun => (ScriptTestResult::NotRun, None),
        };
        ScriptTest { name, line, result, reason }
    }
}

impl Operation for TestScript {
    type Response = ScriptTests;
    type Error = DraftError;

    const NAME: &'static str = "scripts test";
    const ROLE: Role = Role::Operator;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<ScriptTests, DraftError> {
        let _one = one_at_a_time();
        let Tested { tests, lines } =
            self.draft.ask(context, |language, draft| language.test(draft))?;
        let not_run = lines.iter().filter(|(_, ran)| !ran).map(|(line, _)| *line);
        let mut tests: Vec<ScriptTest> = tests.into_iter().map(ScriptTest::from).collect();
        // A test may read records from a file, and fail with a value of them.
        if let Some(mask) = context.subscriber_access().mask() {
            let reasons = tests.iter_mut().filter_map(|test| test.reason.as_mut());
            reasons.for_each(|reason| *reason = mask.reason(reason));
        }
        Ok(ScriptTests { tests, lines: lines.len(), lines_not_run: not_run.collect() })
    }
}
