//! `tollgate matching`: shows groups of records that wait for others and groups that ended, and
//! ends groups on request.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use diagnostics::visible;
use operate::matching::{
    ENDED_AT_ONCE, EndGroups, EndedGroup, EndedGroups, Groups, HeldGroup, HeldPart, ReleaseKind,
    RequestedEnd, ShowGroupError, ShownGroup,
};
use operate::page::ROWS_MAX;
use state::groups::request::GroupDeed;
use state::{Awaited, Over};

use crate::execute::Execute;
use crate::flow_file::FlowFile;
use crate::json;
use crate::operation::{attempt, perform, perform_interruptibly};
use crate::outcome::{CommandError, Outcome, refused};
use crate::output;
use crate::period::Period;
use crate::rows::Rows;
use crate::table::{Cell, Column, cell, cell_of, free, number, text};

/// Show and end the groups of records that wait for others
#[derive(Debug, clap::Parser)]
#[command(name = "matching")]
pub(crate) enum Matching {
    /// List the groups that wait, the oldest first
    #[command(
        after_help = "Example:\n  tollgate matching list flow.toml --node longCalls --limit 20"
    )]
    List(ListGroups),
    /// Show the groups of a key, or the group of a number: each record, when and where it came from, and why they wait no
    /// more
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
    #[command(flatten)]
    period: Period,
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
    /// What the records have in common, or the number of a group, as `list` shows them. A group with this key comes
    /// before one with this number
    #[arg(allow_negative_numbers = true)]
    key: Option<String>,
    /// Those of this node alone
    #[arg(long)]
    node: Option<String>,
    /// One JSON object a line, as in the API
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
    /// One JSON object with the result
    #[arg(long)]
    json: bool,
}

impl ListGroups {
    fn run(self) -> Result<Outcome, CommandError> {
        let ListGroups { flow, node, period, limit, json } = self;
        let period = period.request()?;
        let mut rows = Rows::begin(json, &COLUMNS);
        let request = operate::matching::ListGroups { node, period, ..Default::default() };
        each_group(&flow, request, limit.unwrap_or(u64::MAX), |group| rows.row(group, row))?;
        rows.end()?;
        Ok(Outcome::Clean)
    }
}

impl ShowGroup {
    fn run(self) -> Result<Outcome, CommandError> {
        let ShowGroup { flow, key, node, json } = self;
        let (flow, key) = flow.and_one(key, "KEY")?;
        let mut out = output::list();
        let mut is_found = false;
        let request = operate::matching::ListGroups {
            node: node.clone(),
            key: Some(key.clone()),
            records: true,
            ..Default::default()
        };
        each_group(&flow, request, u64::MAX, |group| {
            is_found = true;
            match json {
                true => json::line(&mut out, &ShownGroup { group: group.clone(), masked: false }),
                false => show(group, &mut out),
            }
        })?;
        let number = key.parse::<i64>().ok().filter(|_| !is_found);
        if let Some(shown) = number.map_or(Ok(None), |id| numbered(&flow, id, node.as_deref()))? {
            is_found = true;
            match json {
                true => json::line(&mut out, &shown)?,
                false => show(&shown.group, &mut out)?,
            }
        }
        if !is_found {
            let message = format!("no group \"{key}\" waits, or did as long as that is remembered");
            return Err(CommandError::Mistakes(message));
        }
        out.flush()?;
        Ok(Outcome::Clean)
    }
}

/// Returns the group of a number, if it is of the node.
fn numbered(flow: &Path, id: i64, node: Option<&str>) -> Result<Option<ShownGroup>, CommandError> {
    match attempt(flow, operate::matching::ShowGroup { id }) {
        Ok(shown) => Ok(Some(shown).filter(|of| node.is_none_or(|node| of.group.node == node))),
        Err(ShowGroupError::Unknown { .. }) => Ok(None),
        Err(error) => Err(refused(error)),
    }
}

/// Reads groups page by page, up to a number of them.
fn each_group(
    flow: &Path,
    request: operate::matching::ListGroups,
    groups_max: u64,
    mut each: impl FnMut(&HeldGroup) -> io::Result<()>,
) -> Result<(), CommandError> {
    let (mut left, mut after) = (groups_max, None);
    while left > 0 {
        let limit = u32::try_from(left).map_or(ROWS_MAX, |left| left.min(ROWS_MAX));
        let request =
            operate::matching::ListGroups { after, limit: Some(limit), ..request.clone() };
        let Groups { groups, more, .. } = perform(flow, request)?;
        groups.iter().try_for_each(&mut each)?;
        after = groups.last().map(|group| group.id);
        left = if more { left.saturating_sub(groups.len() as u64) } else { 0 };
    }
    Ok(())
}

impl End {
    fn run(self, end: GroupDeed) -> Result<Outcome, CommandError> {
        let End { flow, key, node, group, because, json } = self;
        let (flow, key) = flow.and_one(key, "KEY")?;
        let node = one_node(&flow, &key, node, group)?;
        let ids = group.map(|group| vec![group]);
        let request = EndGroups { end, ids, node: Some(node), key: Some(key), because };
        let ended = perform_interruptibly(&flow, request)?;
        let EndedGroups { groups, released, suspended, dropped, more, problems, each, .. } = &ended;
        let mut out = output::list();
        match json {
            true => json::line(&mut out, &ended)?,
            false => each
                .iter()
                .try_for_each(|group| writeln!(out, "{}", visible(&line_of_end(group))))?,
        }
        out.flush()?;
        if *more {
            tell!("{ENDED_AT_ONCE} groups are ended at once, and there are more: say it once more");
        }
        let done = match end {
            GroupDeed::Release => released,
            GroupDeed::Suspend => suspended,
            GroupDeed::Drop => dropped,
        };
        let is_clean = !more && problems.is_empty() && done == groups;
        Ok(if is_clean { Outcome::Clean } else { Outcome::Faults })
    }
}

/// Returns the only node in which groups of a key wait. Fails if there is none, or more than one.
fn one_node(
    flow: &Path,
    key: &str,
    node: Option<String>,
    number: Option<i64>,
) -> Result<String, CommandError> {
    let mut nodes = BTreeSet::new();
    let request =
        operate::matching::ListGroups { node, key: Some(key.to_owned()), ..Default::default() };
    each_group(flow, request, u64::MAX, |group| {
        let is_meant = number.is_none_or(|number| number == group.id);
        if is_meant && group.release.is_none() {
            nodes.insert(group.node.clone());
        }
        Ok(())
    })?;
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
fn line_of_end(group: &EndedGroup) -> String {
    let EndedGroup { id, node, key, records, release, reason, refused_by } = group;
    let records = diagnostics::counted(*records as usize, "record");
    let release = match release {
        Some(ReleaseKind::Expired) => "released",
        Some(release) => release.word(),
        None => "waits still, until the gateway is started",
    };
    let why = match (refused_by, reason) {
        (Some(by), Some(reason)) => format!(": {by}: {reason}"),
        _ => String::new(),
    };
    format!("{id:>6}  {node}  {key}: {records}, {release}{why}")
}

const COLUMNS: [Column; 7] = [
    number("number"),
    text("since"),
    text("node"),
    text("key"),
    number("records"),
    text("first made").extra(),
    free("ends"),
];

fn row(group: &HeldGroup) -> [Cell; 7] {
    let HeldGroup { id, node, key, since, first, records, over, .. } = group;
    [
        cell(id),
        cell(since),
        cell(node),
        cell(key),
        cell(records),
        cell_of(first.as_ref()),
        cell_of(over.as_ref().and_then(when)),
    ]
}

/// Describes a group in a line.
fn line(group: &HeldGroup) -> String {
    let HeldGroup { id, node, key, since, first, records, over, .. } = group;
    let records = diagnostics::counted(*records as usize, "record");
    let made = first.as_ref().map_or(String::new(), |first| format!(", the first made {first}"));
    let over = over.as_ref().and_then(when);
    let over = over.map_or(String::new(), |when| format!("; it ends {when}"));
    format!("{id:>6}  {since}  {node}  {key}: {records}{made}{over}")
}

/// Describes when a group will be over, if that is known.
fn when(over: &Over) -> Option<String> {
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
    (!ends.is_empty()).then(|| format!("{}{not_before}", ends.join(" or ")))
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
        format!("; {who} asked to {} it: {because}", end.word())
    });
    match (release, released) {
        (Some(release), Some(at)) => {
            let by = released_by.as_ref().map_or(String::new(), |by| format!(", by {by}"));
            writeln!(out, "        {at}  {}{by}{request}", release.word())
        }
        _ => writeln!(out, "        it waits{request}"),
    }
}
