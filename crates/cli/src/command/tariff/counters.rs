//! `tollgate tariff counters`: shows the counters of a subscriber at the rating nodes of a flow, and moves, forgets or
//! accepts counters after the flow has changed.

use std::io::Write;
use std::path::Path;

use diagnostics::counted;
use operate::CountersError;
use rating::{ShownCounter, SubscriberCounters};
use state::{Counted, CountersDeed, StoredValue};

use crate::asking;
use crate::flow_file::FlowFile;
use crate::json;
use crate::outcome::{CommandError, Outcome, chain, refused};
use crate::output;
use crate::product::PARTS;
use crate::who::who;

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
    /// One JSON object a line
    #[arg(long, conflicts_with = "change")]
    json: bool,
    /// The rating node OLD is called NEW now: give it all counters of OLD. Where both have counted, that is added up
    #[arg(long = "move", num_args = 2, value_names = ["OLD", "NEW"], group = "change", requires = "because")]
    renamed: Option<Vec<String>>,
    /// Give up the counters of a node that the flow has no more; or those that were counted when it said otherwise
    /// whose they are
    #[arg(long, value_name = "NODE", group = "change", requires = "because")]
    forget: Option<String>,
    /// Let the counters of a node count on, though it says otherwise now whose they are: the subscribers are the same
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
        match (renamed, forget, accept) {
            (Some([from, to]), ..) => change(&flow, CountersDeed::Move { from, to }, &because),
            (_, Some(node), _) => change(&flow, CountersDeed::Forget(node), &because),
            (_, _, Some(node)) => change(&flow, CountersDeed::Accept(node), &because),
            (None, None, None) => {
                let (flow, account) = flow.and_one(account, "ACCOUNT")?;
                show(&flow, &account, node.as_deref(), json)
            }
        }
    }
}

fn change(flow: &Path, deed: CountersDeed, because: &str) -> Result<Outcome, CommandError> {
    if because.trim().is_empty() {
        let message = "counters are changed for a reason: say it with --because";
        return Err(CommandError::Mistakes(message.into()));
    }
    let (who, options) = (who(), asking::options()?);
    let by = (who.as_str(), because.trim());
    let changed = operate::change_counters(flow, PARTS, &deed, by, &options);
    let changed = changed.map_err(|error| match error {
        CountersError::Ask(error) => asking::refused(error),
        error => CommandError::Mistakes(chain(&error)),
    })?;
    let Some(Counted { subscribers, added_up, left }) = changed else {
        say!("it is asked for, and done as soon as no file is in work")?;
        return Ok(Outcome::Faults);
    };
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
    match deed {
        CountersDeed::Move { from, to } => say!("{of} go from \"{from}\" to \"{to}\"{both}")?,
        CountersDeed::Forget(node) => say!("{of} in \"{node}\" are forgotten{stay}")?,
        CountersDeed::Accept(node) => say!("{of} in \"{node}\" count on")?,
    }
    Ok(Outcome::Clean)
}

fn show(
    flow: &Path,
    account: &str,
    node: Option<&str>,
    json: bool,
) -> Result<Outcome, CommandError> {
    let all = state::stored_values(flow, account);
    let mut all = all.map_err(refused)?;
    all.retain(|of| node.is_none_or(|node| node == of.node));
    if all.is_empty() {
        let message = format!(
            "no counters of \"{account}\" are kept; a subscriber is named as \"account\" of the rating node says, or by \
             the served number in its international form, digits alone: 46701234567"
        );
        return Err(CommandError::Mistakes(message));
    }
    let mut out = output::list();
    for StoredValue { node, octets, file } in &all {
        let counters = SubscriberCounters::read(octets)
            .map_err(|fault| CommandError::Mistakes(format!("\"{node}\": {fault}")))?;
        let file = file.as_deref().unwrap_or("-");
        for ShownCounter { of, name, period, used, unit } in counters.all() {
            if json {
                let counter = serde_json::json!({
                    "node": node, "of": of, "name": name, "period": period, "used": used, "unit": unit,
                    "changed_by": file,
                });
                json::line(&mut out, &counter)?;
            } else {
                let used = match of {
                    "bundle" => format!("{used} {unit} used"),
                    _ => format!("{used} {unit}"),
                };
                writeln!(out, "{node}  {of} {name:<20} {period:<10}  {used}, last by {file}")?;
            }
        }
    }
    Ok(Outcome::Clean)
}
