//! `tollgate matching`: shows groups of records that wait for others and groups that ended, and ends groups on request.

use state::groups::request::GroupDeed;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use diagnostics::visible;
use operate::{
    ENDED_AT_ONCE, EndedGroup, EndedGroups, HeldGroup, HeldPart, HeldQuery, RequestedEnd,
};
use state::{Awaited, Over};

use crate::asking;
use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::outcome::{CommandError, Outcome, refused};
use crate::output;
use crate::product::PARTS;
use crate::who::who;

/// Show and end the groups of records that wait for others
#[derive(Debug, clap::Parser)]
#[command(name = "matching")]
pub(crate) enum Matching {
    /// List the groups that wait, the oldest first
    #[command(
        after_help = "Example:\n  tollgate matching list flow.toml --node longCalls --limit 20"
    )]
    List(ListGroups),
    /// Show the groups of a key: each record, when and where it came from, and why they wait no more
    #[command(after_help = "Example:\n  tollgate matching show flow.toml 4711")]
    Show(ShowGroup),
    /// Let what there is of a group go on, though its time is not over
    #[command(
        after_help = "Example:\n  tollgate matching release flow.toml 4711 --because \"the last part is lost\""
    )]
    Release(End),
    /// Set the records of a group aside, in suspense
    #[command(
        after_help = "Example:\n  tollgate matching suspend flow.toml 4711 --because \"parts of two calls\""
    )]
    Suspend(End),
    /// Give the records of a group up, which are counted as dropped
    #[command(
        after_help = "Example:\n  tollgate matching drop flow.toml 4711 --because \"a test call\""
    )]
    Drop(End),
}

impl Execute for Matching {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Matching::List(list) => list.run(),
            Matching::Show(show) => show.run(),
            Matching::Release(end) => end.run(GroupDeed::Release),
            Matching::Suspend(end) => end.run(GroupDeed::Suspend),
            Matching::Drop(end) => end.run(GroupDeed::Drop),
        }
    }
}

/// Arguments of `tollgate matching list`.
#[derive(Debug, clap::Args)]
pub(crate) struct ListGroups {
    #[command(flatten)]
    flow: FlowFile,
    /// Those of this node alone
    #[arg(long)]
    node: Option<String>,
    /// So many at most
    #[arg(long)]
    limit: Option<u64>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate matching show`.
#[derive(Debug, clap::Args)]
pub(crate) struct ShowGroup {
    #[command(flatten)]
    flow: FlowFile,
    /// What the records have in common, as `list` shows it
    #[arg(allow_negative_numbers = true)]
    key: Option<String>,
    /// Those of this node alone
    #[arg(long)]
    node: Option<String>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Arguments of `tollgate matching release`, `suspend` and `drop`.
#[derive(Debug, clap::Args)]
pub(crate) struct End {
    #[command(flatten)]
    flow: FlowFile,
    /// What the records have in common, as `list` shows it
    #[arg(allow_negative_numbers = true)]
    key: Option<String>,
    /// That in this node, where several have a group of the key
    #[arg(long)]
    node: Option<String>,
    /// That of this number, where the node has several of the key
    #[arg(long, value_name = "NUMBER")]
    group: Option<i64>,
    /// Why, for the trail
    #[arg(long = "because", value_name = "TEXT")]
    because: String,
    /// Show what became of them, one JSON object a line
    #[arg(long)]
    json: bool,
}

impl ListGroups {
    fn run(self) -> Result<Outcome, CommandError> {
        let ListGroups { flow, node, limit, json } = self;
        let groups = find_groups(&flow, &HeldQuery { node, limit, ..HeldQuery::default() })?;
        let mut out = output::list();
        for group in &groups {
            match json {
                true => json::line(&mut out, group)?,
                false => writeln!(out, "{}", visible(&line(group)))?,
            }
        }
        Ok(Outcome::Clean)
    }
}

impl ShowGroup {
    fn run(self) -> Result<Outcome, CommandError> {
        let ShowGroup { flow, key, node, json } = self;
        let (flow, key) = flow.and_one(key, "KEY")?;
        let query = HeldQuery {
            node,
            key: Some(key),
            released: true,
            records: true,
            ..HeldQuery::default()
        };
        let groups = find_groups(&flow, &query)?;
        if groups.is_empty() {
            let key = query.key.unwrap_or_default();
            let message = format!("no group \"{key}\" waits, or did as long as that is remembered");
            return Err(CommandError::Mistakes(message));
        }
        let mut out = output::list();
        for group in &groups {
            match json {
                true => json::line(&mut out, group)?,
                false => show(group, &mut out)?,
            }
        }
        Ok(Outcome::Clean)
    }
}

impl End {
    fn run(self, deed: GroupDeed) -> Result<Outcome, CommandError> {
        let End { flow, key, node, group, because, json } = self;
        let (flow, key) = flow.and_one(key, "KEY")?;
        if because.trim().is_empty() {
            let message = "groups are ended for a reason: say it with --because";
            return Err(CommandError::Mistakes(message.into()));
        }
        let ids = group.map(|group| vec![group]);
        let query = HeldQuery { node, key: Some(key), ids, ..HeldQuery::default() };
        let node = one_node(&flow, &query)?;
        let (options, by) = (asking::options()?, (who(), because));
        let by = (by.0.as_str(), by.1.trim());
        let ended = operate::end_groups(&flow, PARTS, &query, deed, by, &options);
        let EndedGroups { groups, more, problems } = ended.map_err(asking::refused)?;
        if groups.is_empty() {
            let message = format!(
                "the flow has no node \"{node}\" any more: give a matching node that name, then the group can be ended"
            );
            return Err(CommandError::Mistakes(message));
        }
        let mut out = output::list();
        for group in &groups {
            match json {
                true => json::line(&mut out, group)?,
                false => writeln!(out, "{}", visible(&end(group)))?,
            }
        }
        if more {
            tell!("{ENDED_AT_ONCE} groups are ended at once, and there are more: say it once more");
        }
        let wanted = match deed {
            GroupDeed::Release => "expired",
            GroupDeed::Suspend => "suspended",
            GroupDeed::Drop => "dropped",
        };
        let is_done = |group: &EndedGroup| group.release.as_deref() == Some(wanted);
        let clean = !more && problems.is_empty() && groups.iter().all(is_done);
        Ok(if clean { Outcome::Clean } else { Outcome::Faults })
    }
}

/// Returns the only node with a waiting group that matches the query. Fails if there is none, or more than one.
fn one_node(flow: &Path, query: &HeldQuery) -> Result<String, CommandError> {
    let nodes: BTreeSet<String> =
        find_groups(flow, query)?.into_iter().map(|group| group.node).collect();
    let key = query.key.as_deref().unwrap_or_default();
    match Vec::from_iter(nodes).as_slice() {
        [] => Err(CommandError::Mistakes(format!(
            "no such group \"{key}\" waits; \"tollgate matching list\" shows those that do"
        ))),
        [node] => Ok(node.clone()),
        nodes => Err(CommandError::Mistakes(format!(
            "groups \"{key}\" wait in several nodes: say with --node in which of \"{}\"",
            nodes.join("\", \"")
        ))),
    }
}

/// Describes how a group ended.
fn end(group: &EndedGroup) -> String {
    let EndedGroup { id, node, key, records, release, reason, refused_by } = group;
    let records = diagnostics::counted(*records as usize, "record");
    let release = match release.as_deref() {
        Some("expired") => "released",
        Some(release) => release,
        None => "waits still, until the gateway is started",
    };
    let why = match (refused_by, reason) {
        (Some(by), Some(reason)) => format!(": {by}: {reason}"),
        _ => String::new(),
    };
    format!("{id:>6}  {node}  {key}: {records}, {release}{why}")
}

fn find_groups(flow: &Path, query: &HeldQuery) -> Result<Vec<HeldGroup>, CommandError> {
    operate::held(flow, PARTS, query).map_err(refused)
}

/// Describes a group in a line.
fn line(group: &HeldGroup) -> String {
    let HeldGroup { id, node, key, since, first, records, over, .. } = group;
    let records = diagnostics::counted(*records as usize, "record");
    let made = first.as_ref().map_or(String::new(), |first| format!(", the first made {first}"));
    let over = over.as_ref().map_or(String::new(), when);
    format!("{id:>6}  {since}  {node}  {key}: {records}{made}{over}")
}

/// Describes when a group will be over.
fn when(over: &Over) -> String {
    let Over { past, waits_for, at, behind_files_of, without_files_at, not_before } = over;
    let awaited = |Awaited { network_element, at }: &Awaited| match at {
        Some(at) => format!("{network_element} (now at {at})"),
        None => format!("{network_element} (nothing came)"),
    };
    let past = past.as_ref().map(|past| match waits_for.as_slice() {
        [] => "now".to_owned(),
        awaits => {
            let awaits: Vec<String> = awaits.iter().map(awaited).collect();
            let are = if awaits.len() == 1 { "is" } else { "are" };
            format!("when {} {are} past {past}", awaits.join(" and "))
        }
    });
    let at = at.as_ref().map(|at| match behind_files_of.as_slice() {
        [] => format!("at {at}"),
        of => format!(
            "at {at}, but not before the files of \"{}\" are processed (see \"tollgate alarms\") or it is {}",
            of.join("\" and \""),
            without_files_at.as_deref().unwrap_or_default()
        ),
    });
    let ends: Vec<String> = past.into_iter().chain(at).collect();
    let numbers: Vec<String> = not_before.iter().map(i64::to_string).collect();
    let not_before = match numbers.as_slice() {
        [] => String::new(),
        numbers => format!(
            ", but not before record {} in suspense is retried or discarded",
            numbers.join(", ")
        ),
    };
    match ends.is_empty() {
        true => String::new(),
        false => format!("; it ends {}{not_before}", ends.join(" or ")),
    }
}

/// Prints a group and its records.
fn show(group: &HeldGroup, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", visible(&line(group)))?;
    for HeldPart { arrived, network_element, file, record, offset, made, .. } in &group.parts {
        let arrived = arrived.as_deref().unwrap_or("-");
        let element = network_element.as_deref().unwrap_or("-");
        let file = file.as_deref().unwrap_or("-");
        let made = made.as_ref().map_or(String::new(), |made| format!(", made {made}"));
        let row = format!("{arrived}  {element}/{file}  record {record} at octet {offset}{made}");
        writeln!(out, "        {}", visible(&row))?;
    }
    let HeldGroup { release, released, released_by, request, .. } = group;
    let request = request.as_ref().map_or(String::new(), |RequestedEnd { end, who, because }| {
        format!("; {who} asked to {end} it: {because}")
    });
    match (release, released) {
        (Some(release), Some(at)) => {
            let by = released_by.as_ref().map_or(String::new(), |by| format!(", by {by}"));
            writeln!(out, "        {at}  {release}{by}{request}")
        }
        _ => writeln!(out, "        it waits{request}"),
    }
}
