//! `tollgate action`: what rules and people want done.

use actions::RequestedAction;
use diagnostics::counted;
use operate::actions::{
    ActionList, ApproveActions, ChangedActions, ListActions, RefuseActions, RequestAction,
    ResumeActions, StopActions, StoppedActions, UndoActions,
};
use operate::page::PageQuery;

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::perform;
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, cell_of, free, number, text};

/// See what rules and people want done, such as barring a number, and let it go on
#[derive(Debug, clap::Parser)]
#[command(name = "action")]
pub(crate) enum Action {
    /// List actions, the oldest first: those that are open, or all
    #[command(after_help = "Example:\n  tollgate action list flow.toml --all --json")]
    List(Listed),
    /// Approve actions that wait for people
    #[command(after_help = "Example:\n  tollgate action approve flow.toml 17 18")]
    Approve(Approved),
    /// Refuse actions that were not carried out yet
    #[command(
        after_help = "Example:\n  tollgate action refuse flow.toml 17 --because \"the customer is known\""
    )]
    Refuse(Changed),
    /// Undo actions that were carried out
    #[command(
        after_help = "Example:\n  tollgate action undo flow.toml 17 --because \"it was no fraud\""
    )]
    Undo(Changed),
    /// Request an action about the subscriber of a case
    #[command(
        after_help = "Example:\n  tollgate action request flow.toml 4 --action bar --because \"a SIM box\""
    )]
    Request(OfCase),
    /// Stop all actions at once: none is carried out until they are resumed
    #[command(
        after_help = "Example:\n  tollgate action stop flow.toml --because \"the switch bars wrong numbers\""
    )]
    Stop(Switched),
    /// Resume actions: what waits is carried out
    #[command(
        after_help = "Example:\n  tollgate action resume flow.toml --because \"it is mended\""
    )]
    Resume(Switched),
}

/// Arguments of `tollgate action list`.
#[derive(Debug, clap::Args)]
pub(crate) struct Listed {
    #[command(flatten)]
    flow: FlowFile,
    /// Those that are done, refused or undone, too
    #[arg(long)]
    all: bool,
    /// Those of this name
    #[arg(long, value_name = "NAME")]
    action: Option<String>,
    /// Those about this key, such as a number
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate action approve`.
#[derive(Debug, clap::Args)]
pub(crate) struct Approved {
    #[command(flatten)]
    flow: FlowFile,
    /// The numbers of the actions, as "tollgate action list" shows them
    #[arg(value_name = "NUMBER")]
    actions: Vec<i64>,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate action refuse` and `undo`.
#[derive(Debug, clap::Args)]
pub(crate) struct Changed {
    #[command(flatten)]
    flow: FlowFile,
    /// The numbers of the actions, as "tollgate action list" shows them
    #[arg(value_name = "NUMBER")]
    actions: Vec<i64>,
    /// Why, for others and the audit trail
    #[arg(long, value_name = "TEXT")]
    because: String,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate action request`.
#[derive(Debug, clap::Args)]
pub(crate) struct OfCase {
    #[command(flatten)]
    flow: FlowFile,
    /// The number of the case, as "tollgate fraud cases" shows it
    #[arg(value_name = "CASE")]
    case: Option<i64>,
    /// The action of the flow
    #[arg(long, value_name = "NAME")]
    action: String,
    /// Why, for others and the audit trail
    #[arg(long, value_name = "TEXT")]
    because: String,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate action stop` and `resume`.
#[derive(Debug, clap::Args)]
pub(crate) struct Switched {
    #[command(flatten)]
    flow: FlowFile,
    /// Why, for others and the audit trail
    #[arg(long, value_name = "TEXT")]
    because: String,
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

const COLUMNS: [Column; 8] = [
    number("number"),
    text("action"),
    text("state"),
    text("subject"),
    text("key"),
    text("requested"),
    free("by"),
    free("because"),
];

impl Execute for Action {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Action::List(listed) => listed.run(),
            Action::Approve(Approved { flow, actions, json }) => {
                let (flow, actions) = flow.and_numbers(actions, false)?;
                changed(&perform(&flow, ApproveActions { actions })?, "approved", json)
            }
            Action::Refuse(Changed { flow, actions, because: reason, json }) => {
                let (flow, actions) = flow.and_numbers(actions, false)?;
                changed(&perform(&flow, RefuseActions { actions, reason })?, "refused", json)
            }
            Action::Undo(Changed { flow, actions, because: reason, json }) => {
                let (flow, actions) = flow.and_numbers(actions, false)?;
                changed(&perform(&flow, UndoActions { actions, reason })?, "to be undone", json)
            }
            Action::Request(OfCase { flow, case, action, because: reason, json }) => {
                let (flow, id) = flow.and_one(case, "CASE")?;
                changed(&perform(&flow, RequestAction { id, action, reason })?, "requested", json)
            }
            Action::Stop(Switched { flow, because: reason, json }) => {
                switched(&perform(&flow, StopActions { reason })?, json)
            }
            Action::Resume(Switched { flow, because: reason, json }) => {
                switched(&perform(&flow, ResumeActions { reason })?, json)
            }
        }
    }
}

impl Listed {
    fn run(self) -> Result<Outcome, CommandError> {
        let Listed { flow, all, action, key, json } = self;
        let mut rows = Rows::begin(json, &COLUMNS);
        let mut page = PageQuery::after(0);
        let stopped = loop {
            let (action, key) = (action.clone(), key.clone());
            let request = ListActions { open: !all, action, key, page };
            let ActionList { actions, more, stopped, .. } = perform(&flow, request)?;
            actions.iter().try_for_each(|action| rows.row(action, row))?;
            page.after = actions.last().map(|action| action.id);
            if !more {
                break stopped;
            }
        };
        rows.end()?;
        if let (Some(stop), false) = (stopped, json) {
            say!("all actions are stopped since {} by {}: {}", stop.since, stop.who, stop.because)?;
        }
        Ok(Outcome::Clean)
    }
}

fn row(action: &RequestedAction) -> [Cell; 8] {
    let RequestedAction { id, action: name, state, subject, key, requested, .. } = action;
    let by = action.rule.as_ref().or(action.requested_by.as_ref());
    let because = match &action.problem {
        Some(problem) => format!("{}; {problem}", action.because),
        None => action.because.clone(),
    };
    [
        cell(id),
        cell(name),
        cell(state.name()),
        cell(subject),
        cell(key),
        cell(requested),
        cell_of(by),
        cell(because),
    ]
}

fn changed(changed: &ChangedActions, done: &str, json: bool) -> Result<Outcome, CommandError> {
    match json {
        true => json::line(&mut output::lines(), changed)?,
        false => say!("{} {done}", counted(changed.changed, "action"))?,
    }
    Ok(if changed.changed == 0 { Outcome::Faults } else { Outcome::Clean })
}

fn switched(stopped: &StoppedActions, json: bool) -> Result<Outcome, CommandError> {
    match (json, &stopped.stopped) {
        (true, _) => json::line(&mut output::lines(), stopped)?,
        (false, Some(stop)) => {
            say!("all actions are stopped since {} by {}", stop.since, stop.who)?;
        }
        (false, None) => say!("actions are carried out")?,
    }
    Ok(Outcome::Clean)
}
