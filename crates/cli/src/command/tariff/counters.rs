//! `tollgate tariff counters`: shows the counters of a subscriber at the rating nodes of a flow,
//! and moves, forgets or accepts counters after the flow has changed.

use std::path::Path;

use diagnostics::counted;
use operate::counters::{
    ChangeCounters, ChangedCounters, CountersAction, ShowCounters, SubscriberCounter,
};

use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::{perform, perform_interruptibly};
use crate::outcome::{CommandError, Outcome};
use crate::output;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, cell_of, number, text};

/// Arguments of `tollgate tariff counters`.
#[derive(Debug, clap::Args)]
pub(crate) struct Counters {
    #[command(flatten)]
    flow: FlowFile,
    /// Whose: the served number in its international form, or what `account` says
    #[arg(conflicts_with = "change")]
    account: Option<String>,
    /// Those of this node alone
    #[arg(long, conflicts_with = "change")]
    node: Option<String>,
    /// One JSON object a line; with a change, one with the result
    #[arg(long)]
    json: bool,
    /// The rating node OLD is called NEW now: give it all counters of OLD. Where both have counted,
    /// that is added up
    #[arg(long = "move", num_args = 2, value_names = ["OLD", "NEW"], group = "change", requires = "because")]
    renamed: Option<Vec<String>>,
    /// Give up the counters of a node that the flow has no more; or those that were counted when it
    /// said otherwise whose they are
    #[arg(long, value_name = "NODE", group = "change", requires = "because")]
    forget: Option<String>,
    /// Let the counters of a node count on, though it says otherwise now whose they are: the
    /// subscribers are the same
    #[arg(long, value_name = "NODE", group = "change", requires = "because")]
    accept: Option<String>,
    /// Why, for the trail
    #[arg(long, value_name = "TEXT", requires = "change")]
    because: Option<String>,
}

impl Counters {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let Counters { flow, account, node, json, renamed, forget, accept, because } = self;
        let because = because.unwrap_or_default();
        let renamed = renamed.and_then(|names| <[String; 2]>::try_from(names).ok());
        let (deed, node, to) = match (renamed, forget, accept) {
            (Some([from, to]), ..) => (CountersAction::Move, from, Some(to)),
            (_, Some(node), _) => (CountersAction::Forget, node, None),
            (_, _, Some(node)) => (CountersAction::Accept, node, None),
            (None, None, None) => {
                let (flow, account) = flow.and_one(account, "ACCOUNT")?;
                return show(&flow, ShowCounters { account, node }, json);
            }
        };
        change(&flow, ChangeCounters { deed, node, to, because }, json)
    }
}

fn change(flow: &Path, request: ChangeCounters, json: bool) -> Result<Outcome, CommandError> {
    let ChangeCounters { deed, node, to, .. } = request.clone();
    let changed = perform_interruptibly(flow, request)?;
    let ChangedCounters { waiting, subscribers, added_up, left } = changed;
    let outcome = if waiting { Outcome::Faults } else { Outcome::Clean };
    if json {
        json::line(&mut output::lines(), &changed)?;
        return Ok(outcome);
    }
    if waiting {
        say!("it is asked for, and done as soon as no file is in work")?;
        return Ok(outcome);
    }
    let of = format!("the counters of {}", counted(subscribers as usize, "subscriber"));
    let both = match added_up {
        0 => String::new(),
        both => format!("; {both} had been counted under both names: that is added up"),
    };
    let stay = match left {
        0 => String::new(),
        left => format!(
            "; those of {} stay, which were counted by what the node says now too",
            counted(left as usize, "subscriber")
        ),
    };
    let to = to.unwrap_or_default();
    match deed {
        CountersAction::Move => say!("{of} go from \"{node}\" to \"{to}\"{both}")?,
        CountersAction::Forget => say!("{of} in \"{node}\" are forgotten{stay}")?,
        CountersAction::Accept => say!("{of} in \"{node}\" count on")?,
    }
    Ok(outcome)
}

fn show(flow: &Path, request: ShowCounters, json: bool) -> Result<Outcome, CommandError> {
    let account = request.account.clone();
    let counters = perform(flow, request)?.counters;
    if counters.is_empty() {
        let message = format!(
            "no counters of \"{account}\" are kept; a subscriber is named as \"account\" of the rating node says, or by \
             the served number in its international form, digits alone: 46701234567"
        );
        return Err(CommandError::Mistakes(message));
    }
    let mut rows = Rows::begin(json, &COLUMNS);
    counters.iter().try_for_each(|counter| rows.row(counter, row))?;
    rows.end()?;
    Ok(Outcome::Clean)
}

const COLUMNS: [Column; 7] = [
    text("node"),
    text("counter"),
    text("name"),
    text("period"),
    number("used"),
    text("unit"),
    text("last file"),
];

fn row(counter: &SubscriberCounter) -> [Cell; 7] {
    let SubscriberCounter { node, of, name, period, used, unit, changed_by } = counter;
    let (of, unit) = (cell(of.word()), cell(unit.word()));
    let file = cell_of(changed_by.as_ref());
    [cell(node), of, cell(name), cell(period), cell(used), unit, file]
}
