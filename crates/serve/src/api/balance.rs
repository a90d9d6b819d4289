//! How the threads are divided among network elements, and the last decision about that.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flow::meters::{Decision, DeliveringSizes, GroupShare, GroupSize, Sizes, Threads};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer::Answered;
use super::guard::Viewer;
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    OpenApiRouter::new().routes(routes!(balance))
}

/// How many threads work for whom, and why.
#[derive(Serialize, ToSchema)]
struct Balance {
    /// Processors that the gateway may use.
    processors: usize,
    /// In the order of the flow file, and then that of the network elements that are in none.
    groups: Vec<BalancedGroup>,
    /// The threads of all groups that have none of their own.
    common: BalancedThreads,
    /// Whether the gateway finds itself how many those are; else the flow says so, or who started it.
    is_found: bool,
    /// Who carries files to receivers.
    delivering: BalancedDelivering,
    /// What was decided, the last first: a hundred at most.
    decisions: Vec<BalanceDecision>,
}

/// Threads that process files.
#[derive(Serialize, ToSchema)]
struct BalancedThreads {
    /// Processes beside the gateway's that have them; 0 where they are of the gateway's own.
    processes: usize,
    /// Threads of each process.
    threads: usize,
}

/// A group of network elements, with threads of its own or its part of the common ones.
#[derive(Serialize, ToSchema)]
struct BalancedGroup {
    /// None for those that are in no group.
    name: Option<String>,
    network_elements: Vec<String>,
    /// Its own threads, if it has any.
    own: Option<BalancedThreads>,
    /// Of the common threads: a group of a greater one goes first.
    priority: Option<i64>,
    /// Of the common threads: its part, among groups of one priority.
    weight: Option<u64>,
}

/// Threads that carry files to receivers, all of the gateway's own process.
#[derive(Serialize, ToSchema)]
struct BalancedDelivering {
    /// Those of all groups that have none of their own.
    threads: usize,
    /// In the order of the flow file, and then that of the receivers that are in none.
    groups: Vec<BalancedReceivers>,
}

/// A group of receivers that files are carried to, with threads of its own or its part of the common ones.
#[derive(Serialize, ToSchema)]
struct BalancedReceivers {
    /// None for those that are in no group.
    name: Option<String>,
    post_processing_systems: Vec<String>,
    /// Its own threads, if it has any.
    threads: Option<usize>,
    /// Of the common threads: a group of a greater one goes first.
    priority: Option<i64>,
    /// Of the common threads: its part, among groups of one priority.
    weight: Option<u64>,
}

/// What was decided.
#[derive(Serialize, ToSchema)]
struct BalanceDecision {
    at: String,
    what: String,
    why: String,
}

impl From<Threads> for BalancedThreads {
    fn from(Threads { processes, threads }: Threads) -> Self {
        BalancedThreads { processes, threads }
    }
}

impl From<GroupSize> for BalancedGroup {
    fn from(GroupSize { name, members: network_elements, share }: GroupSize) -> Self {
        let group =
            BalancedGroup { name, network_elements, own: None, priority: None, weight: None };
        match share {
            GroupShare::Own(threads) => BalancedGroup { own: Some(threads.into()), ..group },
            GroupShare::Common { priority, weight } => {
                BalancedGroup { priority: Some(priority), weight: Some(weight), ..group }
            }
        }
    }
}

impl From<GroupSize> for BalancedReceivers {
    fn from(GroupSize { name, members, share }: GroupSize) -> Self {
        let (threads, priority, weight) = match share {
            GroupShare::Own(own) => (Some(own.threads), None, None),
            GroupShare::Common { priority, weight } => (None, Some(priority), Some(weight)),
        };
        BalancedReceivers { name, post_processing_systems: members, threads, priority, weight }
    }
}

impl From<DeliveringSizes> for BalancedDelivering {
    fn from(DeliveringSizes { threads, groups }: DeliveringSizes) -> Self {
        BalancedDelivering { threads, groups: groups.into_iter().map(Into::into).collect() }
    }
}

impl From<Decision> for BalanceDecision {
    fn from(Decision { at_ms, what, why }: Decision) -> Self {
        BalanceDecision { at: runtime::time::shown(at_ms), what, why }
    }
}

/// How many threads work for whom, and what was decided last: what the gateway did, and why.
#[utoipa::path(get, path = "/api/balance", tag = "live", responses((status = 200, body = Balance)))]
async fn balance(State(served): State<Arc<Served>>, _: Viewer) -> Answered<Balance> {
    let Sizes { processors, groups, common, is_found, delivering, decisions } =
        served.meters.sizes();
    Ok(Json(Balance {
        processors,
        groups: groups.into_iter().map(BalancedGroup::from).collect(),
        common: common.into(),
        is_found,
        delivering: delivering.into(),
        decisions: decisions.into_iter().map(BalanceDecision::from).collect(),
    }))
}
