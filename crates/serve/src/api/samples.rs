//! Runs of an edited script on records that come to its node.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::Json;
use axum::extract::State;
use flow::{Sample, Samples, SamplesFrom, SamplesQuery, drawing};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, At, Body, Failure, blocking};
use super::concurrency::Stop;
use super::guard::Operator;
use super::scripts::one;
use crate::language::{CallingNode, Draft, Made, RanRecord, RecordResult};
use crate::served::Served;

/// The number of records in an answer.
const SAMPLES: u32 = 20;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(run))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SampleRun {
    /// The script as it is edited.
    text: String,
    /// Of the nodes that run it, the one whose records are taken.
    node: String,
    from: TakenFrom,
}

/// Where records are taken from.
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

/// What a script makes of records, as it is edited and as it runs.
#[derive(Serialize, ToSchema)]
struct SampleRuns {
    records: Vec<SampleRecord>,
    /// Nodes in which records wait, or that keep counters: what comes from behind these is not known beforehand.
    unknown_behind: Vec<String>,
    /// What the script as it is edited takes for a record, in machine code; none where no record ends well.
    edited_nanoseconds: Option<f64>,
    /// The same of the script that runs; none where that is the same text, too.
    now_nanoseconds: Option<f64>,
}

/// A record that comes to the node.
#[derive(Serialize, ToSchema)]
struct SampleRecord {
    network_element: String,
    file: String,
    /// Its number in the file, from 1.
    record: u64,
    /// Its number in suspense.
    suspended: Option<i64>,
    /// As it comes, in JSON; empty where it cannot be read.
    came: String,
    /// What becomes of it by the script as it is edited.
    edited: Became,
    /// By the script that runs; none where that is the same text.
    now: Option<Became>,
}

#[derive(Serialize, ToSchema)]
struct Became {
    /// Of a filter: by which of its streams it goes on.
    stream: Option<String>,
    /// What is made of it, each in JSON; of a filter nothing.
    records: Vec<String>,
    /// Why it would be refused.
    problem: Option<String>,
}

impl From<RecordResult> for Became {
    fn from(became: RecordResult) -> Self {
        let problem = match became {
            RecordResult::Made(Made { stream, records }) => {
                return Became { stream, records, problem: None };
            }
            RecordResult::Refused(reason) => reason,
            RecordResult::NotRun => "not run: those before it took all the time".into(),
        };
        Became { stream: None, records: Vec::new(), problem: Some(problem) }
    }
}

/// Runs a text that is edited, in the place of a script of the flow, on records that come to a node; beside it the script
/// that runs. Nothing changes by it. It may read tables from files, so it is for who may put a script.
#[utoipa::path(post, path = "/api/samples/{*file}", tag = "scripts", params(("file" = String, Path)),
    request_body = SampleRun,
    responses((status = 200, body = SampleRuns), (status = 404),
        (status = 409, description = "The flow has mistakes, or records cannot be read"),
        (status = 422, description = "The script has mistakes, or takes others than records of that type")))]
async fn run(
    State(served): State<Arc<Served>>,
    _: Operator,
    At(file): At<String>,
    Stop(stop): Stop,
    Body(asked): Body<SampleRun>,
) -> Answered<SampleRuns> {
    let _one_at_a_time = served.testing.acquire().await;
    let run = Arc::clone(&served);
    Ok(Json(blocking(move || ran(&run, &file, &asked, &stop)).await?))
}

fn ran(
    served: &Served,
    file: &str,
    asked: &SampleRun,
    stop: &Arc<AtomicBool>,
) -> Result<SampleRuns, Failure> {
    let SampleRun { text, node, from } = asked;
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
    let found = flow::samples(&served.flow, served.parts, &query)?;
    let Samples { samples, unknown_behind } = found;
    let run = |text: &str| {
        let draft = Draft { flow: &served.flow, script: file, text, stop };
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
        came: edited.came,
        edited: edited.became.into(),
        now: now.as_mut().and_then(Iterator::next).map(|ran| ran.became.into()),
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
