//! What rating nodes have counted of a subscriber: what bundles paid, and what was spent.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flow::KeptOf;
use rating::{KeptCounter, KeptCounters};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::{Answered, Failure, Query, blocking};
use super::guard::Viewer;
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(counters))
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
