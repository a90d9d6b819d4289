//! What is done with cases: `tollgate fraud decide`, `assign`, `reopen` and `remark`.

use diagnostics::counted;
use investigation::Decision;
use operate::fraud::{
    AssignFraudCases, ChangedFraudCases, DecideFraudCases, RemarkFraudCase, ReopenFraudCase,
};

use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;

/// Arguments of `tollgate fraud decide`.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("decision").required(true))]
pub(crate) struct Decided {
    #[command(flatten)]
    flow: FlowFile,
    /// The numbers of the cases, as "tollgate fraud cases" shows them
    #[arg(value_name = "NUMBER")]
    cases: Vec<i64>,
    /// They are fraud
    #[arg(long, group = "decision")]
    fraud: bool,
    /// They are none
    #[arg(long, group = "decision")]
    not_fraud: bool,
    /// It cannot be known
    #[arg(long, group = "decision")]
    unsure: bool,
    /// Why, for others and the audit trail
    #[arg(long, value_name = "TEXT")]
    because: String,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate fraud assign`.
#[derive(Debug, clap::Args)]
pub(crate) struct Assigned {
    #[command(flatten)]
    flow: FlowFile,
    /// The numbers of the cases
    #[arg(value_name = "NUMBER")]
    cases: Vec<i64>,
    /// The user; without it, they are no one's
    #[arg(long, value_name = "USER")]
    to: Option<String>,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate fraud reopen`.
#[derive(Debug, clap::Args)]
pub(crate) struct Reopened {
    #[command(flatten)]
    flow: FlowFile,
    /// The number of the case
    #[arg(value_name = "NUMBER")]
    case: Option<i64>,
    /// Why, for others and the audit trail
    #[arg(long, value_name = "TEXT")]
    because: String,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate fraud remark`.
#[derive(Debug, clap::Args)]
pub(crate) struct Remarked {
    #[command(flatten)]
    flow: FlowFile,
    /// The number of the case
    #[arg(value_name = "NUMBER")]
    case: Option<i64>,
    /// The remark
    #[arg(long, value_name = "TEXT")]
    text: String,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl Decided {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Decided { flow, cases, fraud, not_fraud, because: reason, json, .. } = self;
        let decision = match (fraud, not_fraud) {
            (true, _) => Decision::Fraud,
            (_, true) => Decision::NotFraud,
            _ => Decision::Unsure,
        };
        let (flow, cases) = flow.and_numbers(cases, false)?;
        let changed = perform(&flow, DecideFraudCases { cases, decision, reason })?;
        result(&changed, "decided", json)
    }
}

impl Assigned {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Assigned { flow, cases, to, json } = self;
        let (flow, cases) = flow.and_numbers(cases, false)?;
        let changed = perform(&flow, AssignFraudCases { cases, to })?;
        result(&changed, "assigned", json)
    }
}

impl Reopened {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Reopened { flow, case, because: reason, json } = self;
        let (flow, id) = flow.and_one(case, "NUMBER")?;
        result(&perform(&flow, ReopenFraudCase { id, reason })?, "opened again", json)
    }
}

impl Remarked {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let Remarked { flow, case, text: remark, json } = self;
        let (flow, id) = flow.and_one(case, "NUMBER")?;
        result(&perform(&flow, RemarkFraudCase { id, remark })?, "remarked", json)
    }
}

fn result(changed: &ChangedFraudCases, done: &str, json: bool) -> Result<Outcome, CommandError> {
    match json {
        true => json::line(&mut output::lines(), changed)?,
        false => say!("{} {done}", counted(changed.changed, "case"))?,
    }
    Ok(if changed.changed == 0 { Outcome::Faults } else { Outcome::Clean })
}
