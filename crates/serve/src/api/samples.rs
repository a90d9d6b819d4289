//! Runs of an edited script on records that come to its node.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::Json;
use axum::extract::State;
use flow::drawing;
use inspection::{Sample, Samples, SamplesFrom, SamplesQuery};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, At, Body, Failure, blocking};
use super::concurrency::Stop;
use super::guard::Operator;
use super::scripts::one;
use crate::language::{CallingNode, EditedScript, Made, RanRecord, RecordResult};
use crate::served::Served;

/// The number of records in an answer.
const SAMPLES: u32 = 20;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(run))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SampleRun {
    /// The edited script.
    text: String,
    /// The node whose records are used. It must run the script.
    node: String,
    from: TakenFrom,
}

/// The source of the records: `stream` are records of the latest input files that come to the node, `suspense` are open
/// records in suspense that the node refused.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum TakenFrom {
    /// The latest input files, as far as their records come to the node.
    Stream,
    /// The records in suspense that the node refused.
    Suspense,
}

impl From<TakenFrom> for SamplesFrom {
    fn from(from: TakenFrom) -> Self {
        match from {
            TakenFrom::Stream => SamplesFrom::Stream,
            TakenFrom::Suspense => SamplesFrom::Suspense,
        }
    }
}

/// The results of the edited script and of the active one, for some records.
#[derive(Serialize, ToSchema)]
struct SampleRuns {
    /// The records; 20 at most.
    records: Vec<SampleRecord>,
    /// Matching nodes, and nodes that keep counters, before the node. The records behind them cannot be predicted, so
    /// they are not among the records.
    unknown_behind: Vec<String>,
    /// The mean time of the edited script per record in nanoseconds, as machine code. Absent if each record ended in an
    /// error.
    edited_nanoseconds: Option<f64>,
    /// The same for the active script. Absent also if the texts are the same.
    now_nanoseconds: Option<f64>,
}

/// A record that comes to the node, and its results.
#[derive(Serialize, ToSchema)]
struct SampleRecord {
    network_element: String,
    /// The file that the record came in.
    file: String,
    /// The record's number in the file, from 1.
    record: u64,
    /// The record's number in suspense. Absent if it is from an input file.
    suspended: Option<i64>,
    /// The record as it comes to the node, in JSON; empty if it cannot be shown.
    came: String,
    /// The result of the edited script.
    edited: ScriptResult,
    /// The result of the active script. Absent if the texts are the same.
    now: Option<ScriptResult>,
}

/// The result of a script for one record.
#[derive(Serialize, ToSchema)]
#[schema(as = Became)]
struct ScriptResult {
    /// The stream by which the record leaves the node. Present only for a filter.
    stream: Option<String>,
    /// The records that the script makes, each in JSON; empty for a filter.
    records: Vec<String>,
    /// Why the node would refuse the record, or why the script did not run.
    problem: Option<String>,
}

impl From<RecordResult> for ScriptResult {
    fn from(result: RecordResult) -> Self {
        let problem = match result {
            RecordResult::Made(Made { stream, records }) => {
                return ScriptResult { stream, records, problem: None };
            }
            RecordResult::Refused(reason) => reason,
            RecordResult::NotRun => "not run: those before it took all the time".into(),
        };
        ScriptResult { stream: None, records: Vec::new(), problem: Some(problem) }
    }
}

/// Runs an edited script on records that come to a node.
///
/// The active script runs on the same records for comparison. Nothing is saved. The script may read tables from files,
/// so this needs the role that may change scripts.
#[utoipa::path(post, path = "/api/samples/{*file}", tag = "scripts", params(("file" = String, Path)),
    request_body = SampleRun,
    responses((status = 200, body = SampleRuns), (status = 404),
        (status = 409, description = "The flow has mistakes, or its records cannot be read"),
        (status = 422, description = "The script has mistakes, or takes records of another type than the active one")))]
async fn run(
    State(served): State<Arc<Served>>,
    _: Operator,
    At(file): At<String>,
    Stop(stop): Stop,
    Body(sample_run): Body<SampleRun>,
) -> Answered<SampleRuns> {
    let _one_at_a_time = served.testing.acquire().await;
    let run = Arc::clone(&served);
    Ok(Json(blocking(move || ran(&run, &file, &sample_run, &stop)).await?))
}

fn ran(
    served: &Served,
    file: &str,
    sample_run: &SampleRun,
    stop: &Arc<AtomicBool>,
) -> Result<SampleRuns, Failure> {
    let SampleRun { text, node, from } = sample_run;
    let (listed, active) = one(served, file)?;
    if !listed.nodes.contains(node) {
        return Err(Failure::unknown(format!("no node \"{node}\" runs \"{file}\"")));
    }
    served.versions.script_may_be_read(file, text)?;
    let query = SamplesQuery {
        node: node.clone(),
        from: (*from).into(),
        limit: SAMPLES,
        stop: Arc::clone(stop),
    };
    let function = function(served, node)?;
    let calling = CallingNode { name: node, function: function.as_deref() };
    let found = inspection::samples(&served.flow, served.parts, &query)?;
    let Samples { samples, unknown_behind } = found;
    let run = |text: &str| {
        let draft = EditedScript { flow: &served.flow, script: file, text, stop };
        served.language.run(draft, calling, &samples).map_err(Failure::wrong)
    };
    let edited = run(text)?;
    let now = (*text != active).then(|| run(&active)).transpose()?;
    if let Some(now) = now.as_ref().filter(|now| now.takes != edited.takes) {
        let (takes, come) = (&edited.takes, &now.takes);
        let message = format!(
            "the script takes \"{takes}\" now, and to \"{node}\" come records of \"{come}\""
        );
        return Err(Failure::wrong(message));
    }
    let (now_nanoseconds, now) = now.map(|now| (now.nanoseconds, now.records)).unzip();
    let mut now = now.map(Vec::into_iter);
    let record = |(sample, edited): (&Sample, RanRecord)| SampleRecord {
        network_element: sample.network_element.clone(),
        file: sample.file.clone(),
        record: sample.record,
        suspended: sample.suspended,
        came: edited.input,
        edited: edited.result.into(),
        now: now.as_mut().and_then(Iterator::next).map(|ran| ran.result.into()),
    };
    Ok(SampleRuns {
        records: samples.iter().zip(edited.records).map(record).collect(),
        unknown_behind,
        edited_nanoseconds: edited.nanoseconds,
        now_nanoseconds: now_nanoseconds.flatten(),
    })
}

/// Returns the function that a node calls, if the flow file names one.
fn function(served: &Served, node: &str) -> Result<Option<String>, Failure> {
    let drawn = drawing::sketch(&served.text()?, served.parts.kinds);
    let found = drawn.into_iter().find(|drawn| drawn.name == node);
    Ok(found.and_then(|node| Some(node.settings.get("function")?.as_str()?.to_owned())))
}
