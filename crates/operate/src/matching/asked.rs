//! Ends groups before their time, by request. The groups are marked, and the gateway ends them at its next look.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;

use diagnostics::counted;
use journal::audit_trail::Action;
use node::GroupId;
use serde::Serialize;
use store::{Answer, Connection, OptionalExtension as _, Row, params};

use super::report::{HeldQuery, numbers};
use crate::request::{AskError, Asked, Waiting};
use flow::flow_journal;
use gateway::compile::prepare::Parts;
use gateway::execute::options::RunOptions;
use state::groups::orphans::ORPHANED;
use state::groups::request::{GroupDeed, request_end};

/// The most groups that one request ends. They are marked in one transaction, and the gateway waits for it.
pub const ENDED_AT_ONCE: usize = 10_000;

/// The most group numbers in an entry of the audit trail, since users read it. Each group has the number of its entry.
const TOLD_MAX: usize = 100;

/// A group that a user wanted to end, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EndedGroup {
    /// Its number.
    pub id: GroupId,
    /// The node it was in.
    pub node: String,
    /// The key that its records have in common.
    pub key: String,
    /// The number of its records.
    pub records: i64,
    /// `expired`, `suspended`, `dropped`, or `complete` if its last record came just then. None if it still waits.
    pub release: Option<String>,
    /// Why its result was rejected, if the group was set aside.
    pub reason: Option<String>,
    /// The node or system that rejected it.
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
        GroupDeed::Release => Asked::new(path, parts)?,
        GroupDeed::Suspend | GroupDeed::Drop => Asked::as_it_runs(path, parts)?,
    };
    let nodes = flow.flow.as_ref().map(|plan| {
        let nodes = plan.topology.graph.nodes.iter().filter(|node| node.template.holds().is_some());
        let nodes: Vec<&str> = nodes.map(|node| node.name.as_str()).collect();
        serde_json::to_string(&nodes).expect("texts")
    });
    let ask = |db: &Connection| ask(db, query, nodes.as_deref(), deed, (who, because));
    // Groups that have ended stay ended: they are not checked again.
    let done = Cell::new(0);
    let so_far = |db: &Connection, (ids, _): &(Vec<GroupId>, bool)| {
        while let Some(id) = ids.get(done.get())
            && !is_open(db, *id)?
        {
            done.set(done.get() + 1);
        }
        Ok(((), Waiting((ids.len() - done.get()) as u64)))
    };
    let ((ids, more), (), problems) = flow.wait(ask, so_far, options)?;
    let became = |db: &Connection| {
        let groups = ids.iter().filter_map(|id| ended(db, *id).transpose());
        groups.collect::<Answer<Vec<EndedGroup>>>()
    };
    Ok(EndedGroups { groups: flow_journal::read(path, became)?, more, problems })
}

fn is_open(db: &Connection, id: GroupId) -> Answer<bool> {
    let select = "SELECT EXISTS (SELECT 1 FROM held_group WHERE id = ? AND released_ms IS NULL)";
    db.prepare_cached(select)?.query_row([id], |row| row.get(0))
}

/// Marks the chosen open groups of nodes that the flow has. Returns their numbers, and whether more are chosen than one
/// request ends. If the nodes are not given, they are those that the running gateway has noted: all except those of an
/// alarm.
fn ask(
    db: &Connection,
    query: &HeldQuery,
    nodes: Option<&str>,
    deed: GroupDeed,
    (who, reason): (&str, &str),
) -> Answer<(Vec<GroupId>, bool)> {
    let limit = Some(ENDED_AT_ONCE as u64 + 1);
    let mut meant = numbers(db, &HeldQuery { released: false, limit, ..query.clone() })?;
    let more = meant.len() > ENDED_AT_ONCE;
    meant.truncate(ENDED_AT_ONCE);
    let mut select = db.prepare(
        "SELECT id, node FROM held_group WHERE id IN (SELECT value FROM json_each(?1))
             AND iif(?2 IS NULL,
                 node NOT IN (SELECT value FROM json_each(?3)),
                 node IN (SELECT value FROM json_each(?2)))
         ORDER BY id",
    )?;
    let orphans = alarm::subjects(db, ORPHANED)?.into_iter().map(|(node, _)| node);
    let orphans = serde_json::to_string(&orphans.collect::<Vec<_>>()).expect("texts");
    let values = params![serde_json::to_string(&meant).expect("numbers"), nodes, orphans];
    let meant = select.query_map(values, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let meant: Vec<(GroupId, String)> = meant.collect::<Answer<_>>()?;
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
    let numbers: Vec<String> = ids.iter().take(TOLD_MAX).map(GroupId::to_string).collect();
    let others = match ids.len() - numbers.len() {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    let groups = counted(ids.len(), "group");
    format!("{groups} of \"{}\"{key}: {}{others}", nodes.join("\", \""), numbers.join(", "))
}

/// Returns what became of a group. None if the journal has forgotten it.
fn ended(db: &Connection, id: GroupId) -> Answer<Option<EndedGroup>> {
    let mut select = db.prepare_cached(
        "SELECT id, node, key, (SELECT count(*) FROM held_part WHERE in_group = held_group.id), release,
             (SELECT min(node) FROM suspense WHERE of_group = held_group.id),
             (SELECT min(reason) FROM suspense WHERE of_group = held_group.id)
         FROM held_group WHERE id = ?",
    )?;
    let of = |row: &Row<'_>| {
        Ok(EndedGroup {
            id: row.get(0)?,
            node: row.get(1)?,
            key: row.get(2)?,
            records: row.get(3)?,
            release: row.get(4)?,
            refused_by: row.get(5)?,
            reason: row.get(6)?,
        })
    };
    select.query_row([id], of).optional()
}
