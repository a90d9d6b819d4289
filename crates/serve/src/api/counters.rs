//! The counters of rating nodes for a subscriber: used bundles and spent amounts; and the treatment of counters when
//! the flow has changed.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use gateway::RunOptions;
use operate::{CountersError, CountersInDoubt, Doubt, NodeInDoubt};
use rating::{ShownCounter, SubscriberCounters};
use serde::{Deserialize, Serialize};
use state::{Counted, CountersDeed, StoredValue};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Body, Failure, Query, blocking, reason};
use super::guard::{Operator, Viewer};
use super::operation::stop_of_waiting;
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(counters)).routes(routes!(in_doubt)).routes(routes!(change))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Whose {
    /// The subscriber: the served number in international form, digits only, or the value of the node's `account`.
    account: String,
    /// Only counters of this node.
    node: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct CountersOf {
    /// The counters; empty if nothing was counted for the subscriber.
    counters: Vec<SubscriberCounter>,
}

/// The counter of a bundle or discount for one period.
#[derive(Serialize, ToSchema)]
struct SubscriberCounter {
    /// The rating node.
    node: String,
    /// `bundle` or `discount`.
    #[schema(value_type = String)]
    of: &'static str,
    /// The name of the bundle or discount in the plan.
    name: String,
    /// The period: `once`, a day or a month.
    period: String,
    /// For a bundle, the units used; for a discount, the amount spent in the plan's currency. It is a text, because a
    /// JSON number could lose digits.
    used: String,
    /// The unit of `used`: that of the bundle, such as `seconds`, or `spent` for an amount.
    #[schema(value_type = String)]
    unit: &'static str,
    /// The file whose record was counted last. Absent if the journal has forgotten the file.
    changed_by: Option<String>,
}

/// Lists the counters of a subscriber in the rating nodes.
///
/// The list is empty for a subscriber for whom nothing was counted.
#[utoipa::path(get, path = "/api/counters", tag = "tariffs", params(Whose),
    responses((status = 200, body = CountersOf)))]
async fn counters(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(Whose { account, node }): Query<Whose>,
) -> Answered<CountersOf> {
    let counters = blocking(move || {
        let mut all = state::stored_values(&served.flow, &account)?;
        all.retain(|of| node.as_ref().is_none_or(|node| *node == of.node));
        let of_nodes = all.into_iter().map(of_node).collect::<Result<Vec<_>, Failure>>()?;
        Ok(CountersOf { counters: of_nodes.into_iter().flatten().collect() })
    });
    Ok(Json(counters.await?))
}

fn of_node(
    StoredValue { node, octets, file }: StoredValue,
) -> Result<Vec<SubscriberCounter>, Failure> {
    let counters = SubscriberCounters::read(&octets).map_err(|fault| Failure::internal(&fault))?;
    let one = |ShownCounter { of, name, period, used, unit }| SubscriberCounter {
        node: node.clone(),
        of,
        name,
        period,
        used,
        unit,
        changed_by: file.clone(),
    };
    Ok(counters.all().map(one).collect())
}

/// The counters that need a decision.
#[derive(Serialize, ToSchema)]
struct DoubtedCounters {
    /// The nodes whose counters need a decision; empty if no counters do.
    nodes: Vec<DoubtedNode>,
    /// The nodes that keep counters in the flow as its files are now. Counters can be moved to one of these. Empty if
    /// no counters need a decision.
    keeping: Vec<String>,
}

/// The counters of a node that are not in use, or that may belong to other subscribers.
#[derive(Serialize, ToSchema)]
struct DoubtedNode {
    /// The node that counted.
    node: String,
    why: DoubtReason,
    /// The number of subscribers with counters. For `keyed-otherwise`: only those that were counted in the old way.
    subscribers: u64,
    /// When the alarm about this was raised.
    since: String,
    /// The request that is not done yet.
    asked: Option<RequestedDeed>,
}

/// `orphaned`: the flow no longer has a node of this name that keeps counters. `keyed-otherwise`: the node now determines
/// the subscriber of a record in another way.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum DoubtReason {
    Orphaned,
    KeyedOtherwise,
}

impl From<Doubt> for DoubtReason {
    fn from(doubt: Doubt) -> Self {
        match doubt {
            Doubt::Orphaned => DoubtReason::Orphaned,
            Doubt::KeyedOtherwise => DoubtReason::KeyedOtherwise,
        }
    }
}

/// A request for the counters of a node that waits.
#[derive(Serialize, ToSchema)]
#[schema(as = AskedOfCounters)]
struct RequestedDeed {
    #[schema(value_type = CountersDo)]
    deed: &'static str,
    /// The target node of a move.
    to: Option<String>,
    /// The user or token.
    who: String,
    /// The reason that the user gave.
    because: String,
}

/// Lists the counters that need a decision.
///
/// After a change of the flow, counters may be without a node, or may belong to other subscribers. An alarm is raised
/// for each node in this list.
#[utoipa::path(get, path = "/api/counters/in-doubt", tag = "tariffs",
    responses((status = 200, body = DoubtedCounters)))]
async fn in_doubt(State(served): State<Arc<Served>>, _: Viewer) -> Answered<DoubtedCounters> {
    let doubted = blocking(move || Ok(operate::counters_in_doubt(&served.flow, served.parts)?));
    let CountersInDoubt { nodes, keeping } = doubted.await?;
    let request = |operate::RequestedDeed { deed, to, who, because }| RequestedDeed {
        deed,
        to,
        who,
        because,
    };
    let of = |NodeInDoubt { node, why, subscribers, since, request: wanted }| DoubtedNode {
        node,
        why: why.into(),
        subscribers,
        since,
        asked: wanted.map(request),
    };
    Ok(Json(DoubtedCounters { nodes: nodes.into_iter().map(of).collect(), keeping }))
}

/// `move`: they move to another node, because the node was renamed; counts in both nodes are added up. `accept`: they
/// stay, because the subscribers are the same. `forget`: they are dropped; of a node that the flow still has, only
/// those that were counted in the old way.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum CountersDo {
    /// They move to another node, since the node was renamed. The two counts are added up.
    Move,
    /// They stay, although the node now names the owner of usage differently: the subscribers are the same.
    Accept,
    /// They are dropped: all of a node that the flow no longer has; of another node, those from before it named the
    /// owner differently.
    Forget,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ChangeCounters {
    deed: CountersDo,
    /// The node that counted.
    node: String,
    /// The node to move the counters to. Required for `move`, refused otherwise.
    to: Option<String>,
    /// The reason, for the audit trail. It must not be empty.
    because: String,
}

/// The result of a change of counters.
#[derive(Serialize, ToSchema)]
struct ChangedCounters {
    /// Whether the change is not done yet. The gateway makes it as soon as the files in work are done. The other
    /// numbers are 0 then.
    waiting: bool,
    /// The number of subscribers whose counters were moved, accepted or forgotten.
    subscribers: u64,
    /// The part of them that had counters in both nodes.
    added_up: u64,
    /// The number of subscribers whose counters were not forgotten, because they were counted in the new way too.
    left: u64,
}

/// Moves, accepts or forgets the counters of a node.
///
/// The gateway makes the change between two files. The request returns when it is done, or after five seconds with
/// `waiting`; then the gateway makes the change later.
#[utoipa::path(post, path = "/api/counters/change", tag = "tariffs", request_body = ChangeCounters,
    responses((status = 200, body = ChangedCounters),
        (status = 404, description = "The node has no counters"),
        (status = 409, description = "The counters are in use, `to` keeps no counters, or the flow has mistakes"),
        (status = 422, description = "The reason is empty, or `to` is missing, or not allowed")))]
async fn change(
    State(served): State<Arc<Served>>,
    Operator(who): Operator,
    Body(ChangeCounters { deed, node, to, because }): Body<ChangeCounters>,
) -> Answered<ChangedCounters> {
    let deed = match (deed, to) {
        (CountersDo::Move, Some(to)) => CountersDeed::Move { from: node, to },
        (CountersDo::Move, None) => {
            return Err(Failure::wrong("say to which node they are moved"));
        }
        (CountersDo::Accept | CountersDo::Forget, Some(_)) => {
            return Err(Failure::wrong("only what is moved goes to another node"));
        }
        (CountersDo::Accept, None) => CountersDeed::Accept(node),
        (CountersDo::Forget, None) => CountersDeed::Forget(node),
    };
    let because = reason(&because)?;
    let enough = stop_of_waiting(&served);
    let changed = blocking(move || {
        let options = RunOptions { stop: enough, ..RunOptions::once() };
        let by = (who.as_str(), because.as_str());
        let changed = operate::change_counters(&served.flow, served.parts, &deed, by, &options)?;
        served.forget_standing();
        Ok(changed)
    });
    let changed = changed.await?;
    let none = Counted { subscribers: 0, added_up: 0, left: 0 };
    let Counted { subscribers, added_up, left } = changed.unwrap_or(none);
    Ok(Json(ChangedCounters { waiting: changed.is_none(), subscribers, added_up, left }))
}

impl From<CountersError> for Failure {
    fn from(error: CountersError) -> Self {
        match error {
            CountersError::Ask(error) => error.into(),
            CountersError::Refused(state::ChangeRefused::None { .. }) => Failure::unknown(error),
            _ => Failure::conflict(error),
        }
    }
}
