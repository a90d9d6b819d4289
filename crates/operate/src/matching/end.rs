//! Ends groups before their time, by request. The groups are marked, and the gateway ends them at
//! its next look.

use std::cell::Cell;
use std::collections::BTreeSet;

use diagnostics::counted;
use flow::flow_journal::JournalError;
use inspection::masking::masked_key;
use node::{GroupId, ReleaseKind};
use people::Role;
use serde::{Deserialize, Serialize};
use state::groups::orphans::ORPHANED;
use state::groups::request::{GroupDeed, request_end};
use state::groups::{StoredGroup, StoredGroups, waits};
use store::{Connection, QueryResult};
use utoipa::ToSchema;

use super::group::{GroupQuery, numbers};
use crate::context::Context;
use crate::operation::Operation;
use crate::privacy::SubscriberDataError;
use crate::refusal::{ReasonError, reason};
use crate::refusals;
use crate::request::{AskError, RequestTarget, Waiting};

/// The most groups that one request ends. They are marked in one transaction, and the gateway waits
/// for it.
pub const ENDED_AT_ONCE: usize = 10_000;

/// The most group numbers in an entry of the audit trail, since users read it. Each group has the
/// number of its entry.
const NUMBERS_MAX: usize = 100;

/// The number of refused groups of which a response says why they were refused. It counts all of
/// them.
const REFUSED_MAX: usize = 100;

/// Ends groups before their time.
///
/// The groups are chosen by `ids`, by `node`, or by both. A group has to meet all given conditions.
/// The request returns when the groups are ended, or after five seconds; the gateway ends the rest
/// (`waiting`) later.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = EndMatching)]
pub struct EndGroups {
    /// How the groups end.
    pub end: GroupDeed,
    /// The numbers of the groups.
    pub ids: Option<Vec<i64>>,
    /// The groups that wait in this node.
    pub node: Option<String>,
    /// Only groups with this key. It needs the role that sees subscriber data.
    pub key: Option<String>,
    /// The reason, for the audit trail. It must not be empty.
    pub because: String,
}

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
    /// How the group ended; `complete` if the last record arrived at that moment. Absent while the
    /// group waits.
    pub release: Option<ReleaseKind>,
    /// Why the group's output was refused, if the group was set aside.
    pub reason: Option<String>,
    /// The node or system that refused the output.
    pub refused_by: Option<String>,
}

/// The result of a request to end groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = MatchingEnded)]
pub struct EndedGroups {
    /// The number of groups that the request was for.
    pub groups: usize,
    /// The number of records in them.
    pub records: i64,
    /// Groups that were released.
    pub released: usize,
    /// Groups whose records are in suspense.
    pub suspended: usize,
    /// Groups that were dropped.
    pub dropped: usize,
    /// Groups that became complete before they were ended.
    pub completed: usize,
    /// Groups that still wait. The gateway ends them as soon as it can.
    pub waiting: usize,
    /// Groups that were to be released and are in suspense, because a node or system refused their
    /// output; the first 100, with the reason.
    pub refused: Vec<EndedGroup>,
    /// Whether more groups meet the conditions. One request ends the 10,000 oldest.
    pub more: bool,
    /// The problems that kept groups from being ended.
    pub problems: Vec<String>,
    /// What became of each group. It is not in JSON, because there may be 10,000.
    #[serde(skip)]
    pub each: Vec<EndedGroup>,
}

refusals! {
    /// Why groups are not ended.
    pub enum EndGroupsError {
        /// The request does not say which groups.
        NothingChosen => Wrong "groups-not-chosen"
            "say which groups are meant: their numbers, or their node",
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// None of the groups waits.
        NotWaiting => Conflict "groups-not-waiting" "none of these groups waits",
        /// The groups wait in nodes that the flow no longer has.
        NoNode { /** The names of the nodes. */ nodes: String } => Conflict "groups-without-node"
            "the flow has no node \"{nodes}\" any more: give a matching node that name, then the \
             groups can be ended",
        /// The flow has mistakes, or its gateway does not answer.
        Request(AskError) => [Conflict, NotReady],
        /// The role does not see subscriber data.
        SubscriberData(SubscriberDataError) => [Forbidden],
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

impl Operation for EndGroups {
    type Response = EndedGroups;
    type Error = EndGroupsError;

    /// The actions depend on how the groups end.
    const NAME: &'static str = "matching end";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &["matching release", "matching suspend", "matching drop"];
    const IS_LONG: bool = true;

    /// Requests the end of the chosen groups, the oldest first, and waits until the gateway that
    /// runs the flow has ended them, or ends them if none runs. After a stop or a problem, some may
    /// be left: the next gateway ends those.
    fn perform(self, context: &Context<'_>) -> Result<EndedGroups, EndGroupsError> {
        let EndGroups { end, ids, node, key, because } = self;
        if ids.is_none() && node.is_none() {
            return Err(EndGroupsError::NothingChosen);
        }
        let access = context.subscriber_access();
        if key.is_some() {
            access.allow("a choice by key")?;
        }
        let because = reason(&because)?;
        let target = match end {
            // By the node's script, which a user may just have corrected.
            GroupDeed::Release => RequestTarget::new(context.flow, context.parts)?,
            GroupDeed::Suspend | GroupDeed::Drop => {
                RequestTarget::as_it_runs(context.flow, context.parts)?
            }
        };
        let nodes = target.flow.as_ref().map(|plan| {
            let nodes = plan.topology.graph.nodes.iter();
            let nodes = nodes.filter(|node| node.template.group_settings().is_some());
            nodes.map(|node| node.name.clone()).collect::<Vec<String>>()
        });
        let limit = ENDED_AT_ONCE + 1;
        let query = GroupQuery {
            node,
            key,
            ids,
            since: i64::MIN..i64::MAX,
            released: false,
            after: 0,
            limit,
        };
        let action = format!("matching {}", end.word());
        let ask = |db: &Connection| {
            let chosen = Chosen::of(db, &query, nodes.as_deref())?;
            if !chosen.ids.is_empty() {
                let subject = chosen.subject(query.key.as_deref());
                context.record(db, &action, |author| {
                    let entry = author.record(db, &subject, because)?;
                    request_end(db, &chosen.ids, entry, end)
                })?;
            }
            Ok(chosen)
        };
        // Groups that have ended stay ended: they are not checked again.
        let done = Cell::new(0);
        let so_far = |db: &Connection, Chosen { ids, .. }: &Chosen| {
            while let Some(id) = ids.get(done.get())
                && !waits(db, *id)?
            {
                done.set(done.get() + 1);
            }
            Ok(((), Waiting((ids.len() - done.get()) as u64)))
        };
        let (chosen, (), problems) = target.wait(ask, so_far, &context.run_options())?;
        if chosen.ids.is_empty() {
            return Err(chosen.refusal());
        }
        let mut each = context.read(|db| {
            let mut stored = StoredGroups::default();
            let groups = chosen.ids.iter().map(|id| ended(db, &mut stored, *id));
            groups.filter_map(QueryResult::transpose).collect::<QueryResult<Vec<EndedGroup>>>()
        })?;
        if let Some(mask) = access.mask() {
            for group in &mut each {
                group.key = masked_key(&group.key);
                group.reason = group.reason.as_deref().map(|reason| mask.reason(reason));
            }
        }
        Ok(EndedGroups::of(end, each, chosen.more, problems))
    }
}

impl EndedGroups {
    fn of(end: GroupDeed, each: Vec<EndedGroup>, more: bool, problems: Vec<String>) -> Self {
        let count_of = |release: Option<ReleaseKind>| {
            each.iter().filter(|group| group.release == release).count()
        };
        let is_refused = |group: &&EndedGroup| {
            end == GroupDeed::Release && group.release == Some(ReleaseKind::Suspended)
        };
        EndedGroups {
            groups: each.len(),
            records: each.iter().map(|group| group.records).sum(),
            released: count_of(Some(ReleaseKind::Expired)),
            suspended: count_of(Some(ReleaseKind::Suspended)),
            dropped: count_of(Some(ReleaseKind::Dropped)),
            completed: count_of(Some(ReleaseKind::Complete)),
            waiting: count_of(None),
            refused: each.iter().filter(is_refused).take(REFUSED_MAX).cloned().collect(),
            more,
            problems,
            each,
        }
    }
}

/// The groups that a request ends.
struct Chosen {
    /// The numbers of open groups of nodes that the flow has.
    ids: Vec<GroupId>,
    /// The nodes of these groups.
    nodes: BTreeSet<String>,
    /// The nodes of chosen groups that the flow no longer has.
    missing_nodes: BTreeSet<String>,
    /// Whether more groups are chosen than one request ends.
    more: bool,
}

impl Chosen {
    /// Returns the chosen groups. If the nodes of the flow are not given, they are those that the
    /// running gateway has noted: all except those of an alarm.
    fn of(db: &Connection, query: &GroupQuery, nodes: Option<&[String]>) -> QueryResult<Self> {
        let mut stored = StoredGroups::default();
        let mut found = numbers(db, &mut stored, query)?;
        let more = found.len() > ENDED_AT_ONCE;
        found.truncate(ENDED_AT_ONCE);
        let orphans: Vec<String> =
            alarm::subjects(db, ORPHANED)?.into_iter().map(|(node, _)| node).collect();
        let is_there = |node: &String| match nodes {
            Some(nodes) => nodes.contains(node),
            None => !orphans.contains(node),
        };
        let groups =
            found.into_iter().map(|id| stored.group(db, id)).filter_map(QueryResult::transpose);
        let groups: Vec<StoredGroup> = groups.collect::<QueryResult<_>>()?;
        let groups = groups.into_iter().map(|group| (group.id, group.node().to_owned()));
        let (present, missing): (Vec<_>, Vec<_>) = groups.partition(|(_, node)| is_there(node));
        Ok(Chosen {
            ids: present.iter().map(|(id, _)| *id).collect(),
            nodes: present.into_iter().map(|(_, node)| node).collect(),
            missing_nodes: missing.into_iter().map(|(_, node)| node).collect(),
            more,
        })
    }

    /// Returns why none of the groups is ended.
    fn refusal(self) -> EndGroupsError {
        match self.missing_nodes.is_empty() {
            true => EndGroupsError::NotWaiting,
            false => EndGroupsError::NoNode { nodes: quoted(&self.missing_nodes) },
        }
    }

    /// Returns which groups, in words for the audit trail.
    fn subject(&self, key: Option<&str>) -> String {
        let Chosen { ids, nodes, .. } = self;
        let key = key.map_or(String::new(), |key| format!(", key {key}"));
        let numbers: Vec<String> = ids.iter().take(NUMBERS_MAX).map(GroupId::to_string).collect();
        let others = match ids.len() - numbers.len() {
            0 => String::new(),
            others => format!(" and {others} more"),
        };
        let groups = counted(ids.len(), "group");
        format!("{groups} of \"{}\"{key}: {}{others}", quoted(nodes), numbers.join(", "))
    }
}

/// Returns names with quotes between them, for a text that has the outer quotes.
fn quoted(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<&str>>().join("\", \"")
}

/// Returns what became of a group. Returns `None` if the journal has forgotten it.
fn ended(
    db: &Connection,
    stored: &mut StoredGroups,
    id: GroupId,
) -> QueryResult<Option<EndedGroup>> {
    let Some(group) = stored.group(db, id)? else { return Ok(None) };
    let aside = "SELECT min(node), min(reason) FROM suspense WHERE of_group = ?";
    let (refused_by, reason) =
        db.prepare_cached(aside)?.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(Some(EndedGroup {
        id,
        node: group.node().to_owned(),
        key: group.key,
        records: group.records.len() as i64,
        release: group.release.map(|release| release.kind),
        reason,
        refused_by,
    }))
}
