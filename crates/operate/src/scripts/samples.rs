//! Runs a draft of a script on records that come to its node.

use ::versions::VersionError;
use flow::drawing;
use inspection::{RecordsError, Sample, Samples, SamplesFrom, SamplesQuery};
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::language::{CallingNode, Made, Ran, RanRecord, RecordResult};
use super::{DraftError, ScriptDraft, ScriptError, one, one_at_a_time};
use crate::context::Context;
use crate::operation::Operation;
use crate::privacy::SubscriberDataError;
use crate::refusals;

/// The number of records in a response.
const SAMPLES: u32 = 20;

/// Runs an edited script on records that come to a node.
///
/// The active script runs on the same records for comparison. Nothing is saved. The script may read tables from files,
/// so this needs the role that may change scripts. It may also show any part of a record, so this needs the role that
/// sees subscriber data.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct RunSamples {
    /// The draft of a script of the flow.
    #[serde(flatten)]
    pub draft: ScriptDraft,
    /// The node whose records are used. It must run the script.
    pub node: String,
    /// The source of the records.
    pub from: TakenFrom,
}

/// The source of the records: `stream` are records of the latest input files that come to the node, `suspense` are open
/// records in suspense that the node refused.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TakenFrom {
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
#[derive(Debug, Serialize, ToSchema)]
pub struct SampleRuns {
    /// The records; 20 at most.
    pub records: Vec<SampleRecord>,
    /// Matching nodes, and nodes that keep counters, before the node. The records behind them cannot be predicted, so
    /// they are not among the records.
    pub unknown_behind: Vec<String>,
    /// The mean time of the edited script per record in nanoseconds, as machine code. Absent if each record ended in an
    /// error.
    pub edited_nanoseconds: Option<f64>,
    /// The same for the active script. Absent also if the texts are the same.
    pub now_nanoseconds: Option<f64>,
}

/// A record that comes to the node, and its results.
#[derive(Debug, Serialize, ToSchema)]
pub struct SampleRecord {
    /// The network element that the record came from.
    pub network_element: String,
    /// The file that the record came in.
    pub file: String,
    /// The record's number in the file, from 1.
    pub record: u64,
    /// The record's number in suspense. Absent if it is from an input file.
    pub suspended: Option<i64>,
    /// The record as it comes to the node, in JSON; empty if it cannot be shown.
    pub came: String,
    /// The result of the edited script.
    pub edited: ScriptResult,
    /// The result of the active script. Absent if the texts are the same.
    pub now: Option<ScriptResult>,
}

/// The result of a script for one record.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Became)]
pub struct ScriptResult {
    /// The stream by which the record leaves the node. Present only for a filter.
    pub stream: Option<String>,
    /// The records that the script makes, each in JSON; empty for a filter.
    pub records: Vec<String>,
    /// Why the node would refuse the record, or why the script did not run.
    pub problem: Option<String>,
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

refusals! {
    /// Why a draft is not run on records.
    pub enum RunSamplesError {
        /// The node does not run the script.
        Node {
            /// The node.
            node: String,
            /// The script.
            file: String
        } => Unknown "script-node-unknown" "no node \"{node}\" runs \"{file}\"",
        /// The draft takes records of another type than the active script.
        Type {
            /// The type that the draft takes.
            takes: String,
            /// The node.
            node: String,
            /// The type of the records that come to it.
            come: String
        } => Wrong "script-type-changed"
            "the script takes \"{takes}\" now, and to \"{node}\" come records of \"{come}\"",
        /// The flow has no such script.
        Script(ScriptError) => [Unknown],
        /// The files of the flow cannot be read.
        Versions(VersionError) => [],
        /// The draft has mistakes, or names a file that may not be read.
        Draft(DraftError) => [Wrong],
        /// The flow has mistakes, or its records cannot be read.
        Records(RecordsError) => [Conflict],
        /// The role does not see subscriber data, or the view cannot be recorded.
        SubscriberData(SubscriberDataError) => [Forbidden, NotReady],
    }
}

impl Operation for RunSamples {
    type Response = SampleRuns;
    type Error = RunSamplesError;

    const NAME: &'static str = "scripts samples";
    const ROLE: Role = Role::Operator;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<SampleRuns, RunSamplesError> {
        let RunSamples { draft, node, from } = self;
        let access = context.subscriber_access();
        access.allow("a run on records")?;
        let _one = one_at_a_time();
        let (listed, text) = one(context, &draft.file)?;
        if !listed.nodes.contains(&node) {
            return Err(RunSamplesError::Node { node, file: draft.file });
        }
        let store = context.shared.versions()?;
        store.script_may_be_read(&draft.file, &draft.text)?;
        let function = function(&store.flow_text()?, context, &node);
        let calling = CallingNode { name: &node, function: function.as_deref() };
        let (limit, stop) = (SAMPLES, context.stop.flag());
        let query = SamplesQuery { node: node.clone(), from: from.into(), limit, stop };
        let samples = inspection::samples(context.flow, context.parts, &query)?;
        let subject = format!("records that come to \"{node}\"");
        context.record_view(&access, Self::NAME, &subject)?;
        let run = |draft: &ScriptDraft| draft.run(context, calling, &samples.samples);
        let edited = run(&draft)?;
        let active = ScriptDraft { file: draft.file.clone(), text };
        let now = (active.text != draft.text).then(|| run(&active)).transpose()?;
        if let Some(now) = now.as_ref().filter(|now| now.takes != edited.takes) {
            let (takes, come) = (edited.takes, now.takes.clone());
            return Err(RunSamplesError::Type { takes, node, come });
        }
        Ok(SampleRuns::of(samples, edited, now))
    }
}

impl ScriptDraft {
    fn run(
        &self,
        context: &Context<'_>,
        node: CallingNode<'_>,
        records: &[Sample],
    ) -> Result<Ran, DraftError> {
        self.ask_language(context, |language, draft| language.run(draft, node, records))
    }
}

impl SampleRuns {
    fn of(of: Samples, edited: Ran, now: Option<Ran>) -> Self {
        let Samples { samples, unknown_behind } = of;
        let (now_nanoseconds, now) = now.map(|now| (now.nanoseconds, now.records)).unzip();
        let mut now = now.map(Vec::into_iter);
        let record = |(sample, edited): (Sample, RanRecord)| SampleRecord {
            network_element: sample.network_element,
            file: sample.file,
            record: sample.record,
            suspended: sample.suspended,
            came: edited.input,
            edited: edited.result.into(),
            now: now.as_mut().and_then(Iterator::next).map(|ran| ran.result.into()),
        };
        SampleRuns {
            records: samples.into_iter().zip(edited.records).map(record).collect(),
            unknown_behind,
            edited_nanoseconds: edited.nanoseconds,
            now_nanoseconds: now_nanoseconds.flatten(),
        }
    }
}

/// Returns the function that a node calls, if the flow file names one.
fn function(text: &str, context: &Context<'_>, node: &str) -> Option<String> {
    let drawn = drawing::sketch(text, context.parts.kinds);
    let node = drawn.into_iter().find(|drawn| drawn.name == node)?;
    Some(node.settings.get("function")?.as_str()?.to_owned())
}
