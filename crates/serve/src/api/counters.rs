//! The counters of rating nodes for a subscriber: used bundles and spent amounts; and the treatment of counters when
//! the flow has changed.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flow::{
    Counted, CountersDeed, CountersError, CountersInDoubt, Doubt, KeptOf, NodeInDoubt, RunOptions,
};
use rating::{KeptCounter, KeptCounters};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Body, Failure, Query, blocking, reason};
use super::guard::{Operator, Viewer};
use super::suspense::waited_enough;
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(counters)).routes(routes!(in_doubt)).routes(routes!(change))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Whose {
    /// The served number in its international form, digits alone, or what `account` of the node says.
    account: String,
    /// Those of this node alone.
    node: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct CountersOf {
    counters: Vec<SubscriberCounter>,
}

/// What was counted in a period of a bundle or discount.
#[derive(Serialize, ToSchema)]
struct SubscriberCounter {
    /// Who counts.
    node: String,
    /// `bundle` or `discount`.
    #[schema(value_type = String)]
    of: &'static str,
    /// What the plan calls that.
    name: String,
    /// `once`, a day or a month.
    period: String,
    /// Units that a bundle paid, or what was spent, in the plan's currency: a text, since a number would lose what it
    /// cannot hold.
    used: String,
    /// What is counted: `seconds`, or `spent`.
    #[schema(value_type = String)]
    unit: &'static str,
    /// The file whose record was counted last; none where the journal has forgotten it.
    changed_by: Option<String>,
}

/// What the rating nodes have counted of a subscriber; nothing of one of whom nothing was counted.
#[utoipa::path(get, path = "/api/counters", tag = "tariffs", params(Whose),
    responses((status = 200, body = CountersOf)))]
async fn counters(
    State(served): State<Arc<Served>>,
    _: Viewer,
    Query(Whose { account, node }): Query<Whose>,
) -> Answered<CountersOf> {
    let counters = blocking(move || {
        let mut kept = flow::kept(&served.flow, &account)?;
        kept.retain(|of| node.as_ref().is_none_or(|node| *node == of.node));
        let of_nodes = kept.into_iter().map(of_node).collect::<Result<Vec<_>, Failure>>()?;
        Ok(CountersOf { counters: of_nodes.into_iter().flatten().collect() })
    });
    Ok(Json(counters.await?))
}

fn of_node(KeptOf { node, octets, file }: KeptOf) -> Result<Vec<SubscriberCounter>, Failure> {
    let kept = KeptCounters::read(&octets).map_err(|fault| Failure::internal(&fault))?;
    let one = |KeptCounter { of, name, period, used, unit }| SubscriberCounter {
        node: node.clone(),
        of,
        name,
        period,
        used,
        unit,
        changed_by: file.clone(),
    };
    Ok(kept.all().map(one).collect())
}

/// Counters of which somebody has to say what becomes of them.
#[derive(Serialize, ToSchema)]
struct DoubtedCounters {
    /// The nodes that they were counted in; none where all counters count.
    nodes: Vec<DoubtedNode>,
    /// The nodes of the flow that keep counters, as its files are now: they may be moved to one of these.
    keeping: Vec<String>,
}

/// Counters that do not count, or may be of others.
#[derive(Serialize, ToSchema)]
struct DoubtedNode {
    /// The node that they were counted in.
    node: String,
    /// `orphaned`: the flow has no such node any more that keeps counters. `keyed-otherwise`: it says otherwise now whose
    /// counters count a record.
    #[schema(value_type = String)]
    why: Doubt,
    /// Of how many subscribers there are some; of a node that says otherwise now, those that were counted by what it said.
    subscribers: u64,
    /// Since when the alarm is raised.
    since: String,
    /// What was asked for and is not done yet.
    asked: Option<AskedOfCounters>,
}

/// What somebody has asked for.
#[derive(Serialize, ToSchema)]
struct AskedOfCounters {
    /// `move`, `accept` or `forget`.
    #[schema(value_type = String)]
    deed: &'static str,
    /// To where, if they are moved.
    to: Option<String>,
    who: String,
    because: String,
}

/// Counters that do not count since the flow has changed, or may be of others: those that alarms are about.
#[utoipa::path(get, path = "/api/counters/in-doubt", tag = "tariffs",
    responses((status = 200, body = DoubtedCounters)))]
async fn in_doubt(State(served): State<Arc<Served>>, _: Viewer) -> Answered<DoubtedCounters> {
    let doubted = blocking(move || Ok(flow::counters_in_doubt(&served.flow, served.parts)?));
    let CountersInDoubt { nodes, keeping } = doubted.await?;
    let asked = |flow::AskedOfCounters { deed, to, who, because }| AskedOfCounters {
        deed,
        to,
        who,
        because,
    };
    let of = |NodeInDoubt { node, why, subscribers, since, asked: wanted }| DoubtedNode {
        node,
        why,
        subscribers,
        since,
        asked: wanted.map(asked),
    };
    Ok(Json(DoubtedCounters { nodes: nodes.into_iter().map(of).collect(), keeping }))
}

/// What is to become of the counters of a node.
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
    /// In which they were counted.
    node: String,
    /// To which they are moved.
    to: Option<String>,
    because: String,
}

/// What became of counters.
#[derive(Serialize, ToSchema)]
struct ChangedCounters {
    /// Whether it is not done yet: the gateway does it as soon as the files in work are done. The rest is nothing then.
    waiting: bool,
    /// Whose counters were moved, accepted or forgotten.
    subscribers: u64,
    /// Those of them who had been counted in both nodes.
    added_up: u64,
    /// Whose counters are not forgotten, though they were counted by what the node said before, since they were also by what
    /// it says now.
    left: u64,
}

/// Moves the counters of a node to another, lets them count on, or gives them up: between two files, since counters of a
/// file in work are its own. Returns when it is done, or after five seconds that it is not yet.
#[utoipa::path(post, path = "/api/counters/change", tag = "tariffs", request_body = ChangeCounters,
    responses((status = 200, body = ChangedCounters),
        (status = 404, description = "There are none of this node"),
        (status = 409, description = "They count, or there is no node to have them, or the flow has mistakes"),
        (status = 422, description = "It is not said why, or to where")))]
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
    let enough = waited_enough(&served);
    let changed = blocking(move || {
        let options = RunOptions { stop: enough, ..RunOptions::once() };
        let by = (who.as_str(), because.as_str());
        let changed = flow::change_counters(&served.flow, served.parts, &deed, by, &options)?;
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
            CountersError::None { .. } => Failure::unknown(error),
            _ => Failure::conflict(error),
        }
    }
}
