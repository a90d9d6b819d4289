//! Runs of a script's tests, and the lines that they cover.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, At, Body};
use super::concurrency::Stop;
use super::flow_file::Text;
use super::guard::Operator;
use super::scripts::with_draft;
use crate::language::{TestOf, TestResult, Tested};
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(test))
}

/// The results of a script's tests.
#[derive(Serialize, ToSchema)]
struct ScriptTests {
    /// The tests, in the order of the text.
    tests: Vec<ScriptTest>,
    /// The number of lines with code in the script's functions.
    lines: usize,
    /// The numbers, from 1, of those lines that no test ran.
    lines_not_run: Vec<usize>,
}

/// A test of a script, and its result.
#[derive(Serialize, ToSchema)]
struct ScriptTest {
    name: String,
    /// The line of the test, from 1.
    line: usize,
    result: ScriptTestResult,
    /// Why the test failed. Absent unless it did.
    reason: Option<String>,
}

/// The result of a test: `not-run` if the tests before it took all the time.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum ScriptTestResult {
    Passed,
    Failed,
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

/// Runs the tests of an edited script.
///
/// The text takes the place of the script `file` of the flow, or of a script that no node runs yet. Nothing is saved.
/// Tests may read records from files, so this needs the role that may change scripts.
#[utoipa::path(post, path = "/api/tests/{*file}", tag = "scripts", params(("file" = String, Path)),
    request_body = Text,
    responses((status = 200, body = ScriptTests), (status = 404),
        (status = 422, description = "The script has mistakes")))]
async fn test(
    State(served): State<Arc<Served>>,
    _: Operator,
    At(file): At<String>,
    stop: Stop,
    Body(Text { text }): Body<Text>,
) -> Answered<ScriptTests> {
    let _one_at_a_time = served.testing.acquire().await;
    let found =
        with_draft(Arc::clone(&served), (file, text), stop, |language, draft| language.test(draft));
    let Tested { tests, lines } = found.await?;
    Ok(Json(ScriptTests {
        tests: tests.into_iter().map(ScriptTest::from).collect(),
        lines: lines.len(),
        lines_not_run: lines.into_iter().filter(|(_, ran)| !ran).map(|(line, _)| line).collect(),
    }))
}
