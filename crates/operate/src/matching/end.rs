//! Ends groups before their time, by request. The groups are marked, and the gateway ends them at its next look.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;

use diagnostics::counted;
use journal::audit_trail::Action;
use node::GroupId;
use serde::Serialize;
use store::{Answer, Connection};
use utoipa::ToSchema;

use super::report::{HeldQuery, numbers};
use crate::request::{AskError, RequestTarget, Waiting};
use flow::flow_journal;
use gateway::compile::prepare::Parts;
use gateway::execute::options::RunOptions;
use state::groups::orphans::ORPHANED;
use state::groups::request::{GroupDeed, request_end};
use state::groups::{StoredGroup, StoredGroups, waits};

/// The most groups that one request ends. They are marked in one transaction, and the gateway waits for it.
pub const ENDED_AT_ONCE: usize = 10_000;

/// The most group numbers in an entry of the audit trail, since users read it. Each group has the number of its entry.
const NUMBERS_MAX: usize = 100;

/// A group that a user asked to end, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RefusedGroup)]
pub struct EndedGroup {
    /// The group's number.
    #[schema(value_type = i64)]
    pub id: GroupId,
    /// The matching node.
    pub node: String,
    /// The key that the group's records share.
    pub key: String,
    /// The number of records.
    pub records: i64,
    /// `expired`, `suspended`, `dropped`, or `complete` if the last record arrived at that moment.
    /// Absent while the group waits.
    pub release: Option<String>,
    /// Why the group's output was refused, if the group was set aside.
    pub reason: Option<String>,
    /// The node or system that refused the output.
    pub refused_by: Option<String>,
}

/// The result of a request to end groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndedGroups {
    /// The groups that were open.
    pub groups: Vec<EndedGroup>,
    /// Whether there are more groups than one request ends.
    pub more: bool,
    /// The problems.
    pub problems: Vec<String>,
}

/// Ends the chosen open groups, the oldest first. The gateway that runs the flow ends them, or this call if none runs.
/// Returns when they are ended. After a stop or a problem, some may be left: the next gateway ends those.
pub fn end_groups(
    path: &Path,
    parts: Parts<'_>,
    query: &HeldQuery,
    deed: GroupDeed,
    (who, because): (&str, &str),
    options: &RunOptions,
) -> Result<EndedGroups, AskError> {
    let flow = match deed {
        // By the node's script, which a user may just have corrected.
        GroupDeed::Release => RequestTarget::new(path, parts)?,
        GroupDeed::Suspend | GroupDeed::Drop => RequestTarget::as_it_runs(path, parts)?,
    };
    let nodes = flow.flow.as_ref().map(|plan| {
        let nodes = plan
            .topology
            .graph
            .nodes
            .iter()
            .filter(|node| node.template.group_settings().is_some());
        nodes.map(|node| node.name.clone()).collect::<Vec<String>>()
    });
    let ask = |db: &Connection| ask(db, query, nodes.as_deref(), deed, (who, because));
    // Groups that have ended stay ended: they are not checked again.
    let done = Cell::new(0);
    let so_far = |db: &Connection, (ids, _): &(Vec<GroupId>, bool)| {
        while let Some(id) = ids.get(done.get())
            && !waits(db, *id)?
        {
            done.set(done.get() + 1);
        }
        Ok(((), Waiting((ids.len() - done.get()) as u64)))
    };
    let ((ids, more), (), problems) = flow.wait(ask, so_far, options)?;
    let ended_groups = |db: &Connection| {
        let mut stored = StoredGroups::default();
        let groups = ids.iter().filter_map(|id| ended(db, &mut stored, *id).transpose());
        groups.collect::<Answer<Vec<EndedGroup>>>()
    };
    Ok(EndedGroups { groups: flow_journal::read(path, ended_groups)?, more, problems })
}

/// Marks the chosen open groups of nodes that the flow has. Returns their numbers, and whether more are chosen than one
/// request ends. If the nodes are not given, they are those that the running gateway has noted: all except those of an
/// alarm.
fn ask(
    db: &Connection,
    query: &HeldQuery,
    nodes: Option<&[String]>,
    deed: GroupDeed,
    (who, reason): (&str, &str),
) -> Answer<(Vec<GroupId>, bool)> {
    let limit = Some(ENDED_AT_ONCE as u64 + 1);
    let mut stored = StoredGroups::default();
    let mut meant =
        numbers(db, &mut stored, &HeldQuery { released: false, limit, ..query.clone() })?;
    let more = meant.len() > ENDED_AT_ONCE;
    meant.truncate(ENDED_AT_ONCE);
    let orphans: Vec<String> =
        alarm::subjects(db, ORPHANED)?.into_iter().map(|(node, _)| node).collect();
    let is_there = |node: &String| match nodes {
        Some(nodes) => nodes.contains(node),
        None => !orphans.contains(node),
    };
    let groups = meant.into_iter().map(|id| stored.group(db, id)).filter_map(Answer::transpose);
    let groups: Vec<StoredGroup> = groups.collect::<Answer<_>>()?;
    let meant = groups.into_iter().map(|group| (group.id, group.node().to_owned()));
    let meant: Vec<(GroupId, String)> = meant.filter(|(_, node)| is_there(node)).collect();
    let ids: Vec<GroupId> = meant.iter().map(|(id, _)| *id).collect();
    let names: BTreeSet<String> = meant.into_iter().map(|(_, node)| node).collect();
    if ids.is_empty() {
        return Ok((ids, more));
    }
    let subject = subject(&ids, &names, query.key.as_deref());
    let action = format!("matching {}", deed.word());
    let entry =
        Action { who, action: &action, subject: &subject, reason, change: None }.record(db)?;
    request_end(db, &ids, entry, deed)?;
    Ok((ids, more))
}

/// Returns which groups, in words for the audit trail.
fn subject(ids: &[GroupId], nodes: &BTreeSet<String>, key: Option<&str>) -> String {
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    let key = key.map_or(String::new(), |key| format!(", key {key}"));
    let numbers: Vec<String> = ids.iter().take(NUMBERS_MAX).map(GroupId::to_string).collect();
    let others = match ids.len() - numbers.len() {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    let groups = counted(ids.len(), "group");
    format!("{groups} of \"{}\"{key}: {}{others}", nodes.join("\", \""), numbers.join(", "))
}

/// Returns what became of a group. None if the journal has forgotten it.
fn ended(db: &Connection, stored: &mut StoredGroups, id: GroupId) -> Answer<Option<EndedGroup>> {
    let Some(group) = stored.group(db, id)? else { return Ok(None) };
    let aside = "SELECT min(node), min(reason) FROM suspense WHERE of_group = ?";
    let (refused_by, reason) =
        db.prepare_cached(aside)?.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(Some(EndedGroup {
        id,
        node: group.node().to_owned(),
        key: group.key,
        records: group.records.len() as i64,
        release: group.release.map(|release| release.kind.word().to_owned()),
        reason,
        refused_by,
    }))
}
