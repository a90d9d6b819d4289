//! Records that wait in matching nodes for others: their groups, the outcome of groups that wait no more, and ending
//! groups early.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use gateway::RunOptions;
use operate::{EndedGroup, EndedGroups, HeldGroup, HeldIn, HeldQuery};
use serde::{Deserialize, Serialize};
use state::groups::request::GroupDeed;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, At, Body, Failure, Query, blocking, reason};
use super::guard::{Operator, Viewer};
use super::operation::stop_of_waiting;
use super::{LINES, LINES_MAX};
use crate::served::Served;

/// The number of groups of which an answer says why they were refused. It counts all of them.
const REFUSED_MAX: usize = 100;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(nodes))
        .routes(routes!(show))
        .routes(routes!(end))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct GroupsQuery {
    /// Only groups of this node.
    node: Option<String>,
    /// Only groups with this key. With a key, the list includes released groups that the gateway still remembers.
    key: Option<String>,
    /// Only groups with a greater number: pass the number of the last group of the page before.
    after: Option<i64>,
    /// The maximum number of groups. Default 50, at most 1000.
    limit: Option<u32>,
}

#[derive(Serialize, ToSchema)]
struct MatchingGroups {
    /// The groups, the oldest first.
    groups: Vec<HeldGroup>,
    /// Whether there are more groups.
    more: bool,
}

/// Lists the groups of records that wait in matching nodes, the oldest first.
///
/// For each group the list shows since when it waits, and when it expires by the flow as its files are now.
#[utoipa::path(get, path = "/api/matching", tag = "matching", params(GroupsQuery),
    responses((status = 200, body = MatchingGroups)))]
async fn list(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(GroupsQuery { node, key, after, limit }): Query<GroupsQuery>,
) -> Answered<MatchingGroups> {
    let groups = blocking(move || {
        let limit = limit.unwrap_or(LINES).clamp(1, LINES_MAX) as usize;
        let query = HeldQuery {
            node,
            key,
            released: true,
            after: after.unwrap_or(0),
            limit: Some(limit as u64 + 1),
            ..HeldQuery::default()
        };
        let mut groups = operate::held(&served.flow, served.parts, &query)?;
        let more = groups.len() > limit;
        groups.truncate(limit);
        Ok(MatchingGroups { groups, more })
    });
    Ok(Json(groups.await?))
}

#[derive(Serialize, ToSchema)]
struct MatchingNodes {
    /// The nodes, by name.
    nodes: Vec<MatchingNode>,
}

/// A matching node in which groups wait.
#[derive(Serialize, ToSchema)]
struct MatchingNode {
    /// The name of the node.
    node: String,
    /// The number of groups that wait.
    groups: i64,
    /// When the first record of the oldest group arrived.
    since: String,
}

/// Counts the groups that wait, by node.
#[utoipa::path(get, path = "/api/matching/nodes", tag = "matching",
    responses((status = 200, body = MatchingNodes)))]
async fn nodes(State(served): State<Arc<Served>>, _: Viewer) -> Answered<MatchingNodes> {
    let nodes = blocking(move || Ok(operate::held_in(&served.flow)?)).await?.into_iter();
    let of = |HeldIn { node, groups, since }| MatchingNode { node, groups, since };
    Ok(Json(MatchingNodes { nodes: nodes.map(of).collect() }))
}

#[derive(Serialize, ToSchema)]
struct MatchingGroup {
    /// The group, with its records.
    group: HeldGroup,
}

/// Returns a group with its records.
///
/// The group waits, or was released and is still remembered.
#[utoipa::path(get, path = "/api/matching/{id}", tag = "matching", params(("id" = i64, Path)),
    responses((status = 200, body = MatchingGroup),
        (status = 404, description = "There is no such group, or it is no longer remembered")))]
async fn show(
    State(served): State<Arc<Served>>,
    _: Viewer,
    At(id): At<i64>,
) -> Answered<MatchingGroup> {
    let group = blocking(move || {
        let query = HeldQuery {
            ids: Some(vec![id]),
            released: true,
            records: true,
            ..HeldQuery::default()
        };
        let found = operate::held(&served.flow, served.parts, &query)?.pop();
        let group = found.ok_or_else(|| {
            Failure::unknown(format!("no group {id} waits, or did as long as that is remembered"))
        })?;
        Ok(MatchingGroup { group })
    });
    Ok(Json(group.await?))
}

/// How a group ends: `release` combines its records as they are and passes the result on, `suspend` moves them to
/// suspense, and `drop` gives them up and counts them as dropped.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum MatchingEnd {
    /// The records go on, although the time of their group is not over.
    Release,
    /// The records go to suspense.
    Suspend,
    /// The records are dropped, and counted as that.
    Drop,
}

impl From<MatchingEnd> for GroupDeed {
    fn from(end: MatchingEnd) -> Self {
        match end {
            MatchingEnd::Release => GroupDeed::Release,
            MatchingEnd::Suspend => GroupDeed::Suspend,
            MatchingEnd::Drop => GroupDeed::Drop,
        }
    }
}

/// The groups to end, by `ids`, by `node`, or by both. A group has to meet all given conditions.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct EndMatching {
    end: MatchingEnd,
    /// The numbers of the groups.
    ids: Option<Vec<i64>>,
    /// The groups that wait in this node.
    node: Option<String>,
    /// Only groups with this key.
    key: Option<String>,
    /// The reason, for the audit trail. It must not be empty.
    because: String,
}

/// The result of a request to end groups.
#[derive(Serialize, ToSchema)]
struct MatchingEnded {
    /// The number of groups that the request was for.
    groups: usize,
    /// The number of records in them.
    records: i64,
    /// Groups that were released.
    released: usize,
    /// Groups whose records are in suspense.
    suspended: usize,
    /// Groups that were dropped.
    dropped: usize,
    /// Groups that became complete before they were ended.
    completed: usize,
    /// Groups that still wait. The gateway ends them as soon as it can.
    waiting: usize,
    /// Groups that were to be released and are in suspense, because a node or system refused their output; the first
    /// 100, with the reason.
    refused: Vec<EndedGroup>,
    /// Whether more groups meet the conditions. One request ends the 10,000 oldest.
    more: bool,
    /// The problems that kept groups from being ended.
    problems: Vec<String>,
}

impl MatchingEnded {
    fn of(end: MatchingEnd, EndedGroups { mut groups, more, problems }: EndedGroups) -> Self {
        let count_of = |release: Option<&str>| {
            groups.iter().filter(|group| group.release.as_deref() == release).count()
        };
        let mut ended = MatchingEnded {
            groups: groups.len(),
            records: groups.iter().map(|group| group.records).sum(),
            released: count_of(Some("expired")),
            suspended: count_of(Some("suspended")),
            dropped: count_of(Some("dropped")),
            completed: count_of(Some("complete")),
            waiting: count_of(None),
            refused: Vec::new(),
            more,
            problems,
        };
        if matches!(end, MatchingEnd::Release) {
            groups.retain(|group| group.release.as_deref() == Some("suspended"));
            groups.truncate(REFUSED_MAX);
            ended.refused = groups;
        }
        ended
    }
}

/// Ends groups before their time.
///
/// The request returns when the groups are ended, or after five seconds; the gateway ends the rest (`waiting`) later.
#[utoipa::path(post, path = "/api/matching/end", tag = "matching", request_body = EndMatching,
    responses((status = 200, body = MatchingEnded),
        (status = 409, description = "None of the groups waits in a node of the flow, or the flow has mistakes"),
        (status = 422, description = "The reason is empty, or neither `ids` nor `node` is given")))]
async fn end(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(EndMatching { end, ids, node, key, because }): Body<EndMatching>,
) -> Answered<MatchingEnded> {
    if ids.is_none() && node.is_none() {
        return Err(Failure::wrong("say which groups are meant: ids, or a node"));
    }
    let because = reason(&because)?;
    let enough = stop_of_waiting(&served);
    let ended = blocking(move || {
        let query = HeldQuery { ids, node, key, ..HeldQuery::default() };
        let options = RunOptions { stop: enough, ..RunOptions::once() };
        let by = (who.as_str(), because.as_str());
        let ended =
            operate::end_groups(&served.flow, served.parts, &query, end.into(), by, &options)?;
        served.forget_standing();
        if ended.groups.is_empty() {
            return Err(Failure::conflict(
                "none of these groups waits any more, or the flow has no node of that name any more: give a matching \
                 node that name, then they can be ended",
            ));
        }
        Ok(MatchingEnded::of(end, ended))
    });
    Ok(Json(ended.await?))
}
