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
use super::scripts::asked;
use crate::language::{TestOf, TestResult, Tested};
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(test))
}

/// What became of the tests of a script.
#[derive(Serialize, ToSchema)]
struct ScriptTests {
    /// In the order of the text.
    tests: Vec<ScriptTest>,
    /// How many lines its functions have.
    lines: usize,
    /// Those of them that no test ran, from 1.
    lines_not_run: Vec<usize>,
}

#[derive(Serialize, ToSchema)]
struct ScriptTest {
    name: String,
    /// Where it stands, from 1.
    line: usize,
    /// `passed`, `failed`, or `not-run`, where those before it took all the time that there is.
    #[schema(value_type = String)]
    result: &'static str,
    /// Why it failed.
    reason: Option<String>,
}

impl From<(TestOf, TestResult)> for ScriptTest {
    fn from((TestOf { name, line }, result): (TestOf, TestResult)) -> Self {
        let (result, reason) = match result {
            TestResult::Passed => ("passed", None),
            TestResult::Failed(reason) => ("failed", Some(reason)),
            TestResult::NotRun => ("not-run", None),
        };
        ScriptTest { name, line, result, reason }
    }
}

/// Runs the tests of a text that is edited, in the place of a script of the flow. They may read records from files, so it is
/// for who may put a script.
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
        asked(Arc::clone(&served), (file, text), stop, |language, draft| language.test(draft));
    let Tested { tests, lines } = found.await?;
    Ok(Json(ScriptTests {
        tests: tests.into_iter().map(ScriptTest::from).collect(),
        lines: lines.len(),
        lines_not_run: lines.into_iter().filter(|(_, ran)| !ran).map(|(line, _)| line).collect(),
    }))
}
