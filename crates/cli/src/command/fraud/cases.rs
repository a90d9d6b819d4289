//! `tollgate fraud cases` and `tollgate fraud case`.

use clap::ValueEnum;
use investigation::{CaseState, FraudCase};
use operate::fraud::{FraudCases, ListFraudCases, ShowFraudCase, WholeFraudCase};
use operate::page::PageQuery;

use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, cell_of, free, number, text};

/// Arguments of `tollgate fraud cases`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListedCases {
    #[command(flatten)]
    flow: FlowFile,
    /// Which ones
    #[arg(long, value_enum, default_value_t = State::Open)]
    state: State,
    /// Those with an alert of this rule
    #[arg(long, value_name = "NAME")]
    rule: Option<String>,
    /// Those about this key, such as a number
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Those that are assigned to this user
    #[arg(long, value_name = "USER")]
    assigned: Option<String>,
    /// Those that are assigned to no one
    #[arg(long, conflicts_with = "assigned")]
    unassigned: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate fraud case`.
#[derive(Debug, clap::Args)]
pub(crate) struct ShownCase {
    #[command(flatten)]
    flow: FlowFile,
    /// The number of the case, as "tollgate fraud cases" shows it
    #[arg(value_name = "NUMBER")]
    case: Option<i64>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// Which cases are listed.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum State {
    /// Those that wait for a decision
    Open,
    /// Those that are decided
    Decided,
    /// All of them
    All,
}

const COLUMNS: [Column; 9] = [
    number("number"),
    number("score"),
    text("severity"),
    text("subject"),
    text("key"),
    free("rules"),
    text("last alert"),
    text("assigned").extra(),
    free("decision"),
];

impl ListedCases {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let ListedCases { flow, state, rule, key, assigned, unassigned, json } = self;
        let mut rows = Rows::begin(json, &COLUMNS);
        let (state, mut page) = match state {
            State::Open => (CaseState::Open, PageQuery::default()),
            State::Decided => (CaseState::Decided, PageQuery::after(0)),
            State::All => (CaseState::All, PageQuery::after(0)),
        };
        loop {
            let (rule, key, assigned) = (rule.clone(), key.clone(), assigned.clone());
            let request = ListFraudCases { state, key, rule, assigned, unassigned, page };
            let FraudCases { cases, more, .. } = perform(&flow, request)?;
            cases.iter().try_for_each(|case| rows.row(case, row))?;
            page.after = cases.last().map(|case| case.id);
            if !more || state == CaseState::Open {
                break;
            }
        }
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

fn row(case: &FraudCase) -> [Cell; 9] {
    let FraudCase { id, score, severity, subject, key, rules, last, assigned, decision, .. } = case;
    let reason = case.reason.as_deref().unwrap_or_default();
    let decision = decision.as_ref().map(|decision| format!("{decision}: {reason}"));
    [
        cell(id),
        cell(score),
        cell(severity),
        cell(subject),
        cell(key),
        cell(rules.join(", ")),
        cell(last),
        cell_of(assigned.as_ref()),
        cell_of(decision),
    ]
}

impl ShownCase {
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let ShownCase { flow, case, json } = self;
        let (flow, id) = flow.and_one(case, "NUMBER")?;
        let whole = perform(&flow, ShowFraudCase { id })?;
        if json {
            json::line(&mut output::lines(), &whole)?;
            return Ok(Outcome::Clean);
        }
        let WholeFraudCase { case, found, steps, others, .. } = whole;
        let FraudCase { subject, key, score, severity, first, last, opened, .. } = &case;
        say!("case {id}: {subject} {key}, {score} points, {severity}")?;
        say!("  alerts from {first} to {last}, opened {opened}")?;
        match (&case.decision, &case.assigned) {
            (Some(decision), _) => say!(
                "  {decision}: {} ({}, {})",
                case.reason.as_deref().unwrap_or_default(),
                case.decided_by.as_deref().unwrap_or_default(),
                case.decided.as_deref().unwrap_or_default(),
            )?,
            (None, Some(user)) => say!("  open, assigned to {user}")?,
            (None, None) => say!("  open")?,
        }
        say!("alerts, the newest first:")?;
        for alert in &found {
            let (file, record) = (alert.file.as_deref().unwrap_or("?"), alert.record);
            say!("  {} {}: {} ({file}, record {record})", alert.at, alert.rule, alert.condition)?;
        }
        if !steps.is_empty() {
            say!("what was done:")?;
        }
        for step in &steps {
            say!("  {} {}: {} {}", step.at, step.who, step.step, step.remark)?;
        }
        if !others.is_empty() {
            say!("other cases about the same key:")?;
        }
        for other in &others {
            say!("  case {}: {}", other.id, other.decision.as_deref().unwrap_or("open"))?;
        }
        Ok(Outcome::Clean)
    }
}
