//! How the threads are divided among network elements, and the last decision about that.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use flow::{
    meters::Decision, meters::DeliveringSizes, meters::GroupShare, meters::GroupSize,
    meters::Sizes, meters::Threads,
};
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

/// The assignment of threads to network elements and receivers.
#[derive(Serialize, ToSchema)]
struct Balance {
    /// The number of processors that the gateway may use.
    processors: usize,
    /// The groups in the order of the flow file, then one for the network elements that are in no group.
    groups: Vec<BalancedGroup>,
    /// The threads that all groups without threads of their own share.
    common: BalancedThreads,
    /// Whether the gateway determines the number of common threads itself. Otherwise the flow file or the command line
    /// sets it.
    is_found: bool,
    /// The threads that deliver files to receivers.
    delivering: BalancedDelivering,
    /// The last decisions, the newest first; 100 at most.
    decisions: Vec<BalanceDecision>,
}

/// Threads that process files.
#[derive(Serialize, ToSchema)]
struct BalancedThreads {
    /// The number of worker processes that have the threads. 0 if they are threads of the gateway itself.
    processes: usize,
    /// The number of threads of each process.
    threads: usize,
}

/// A group of network elements, with threads of its own or a share of the common ones.
#[derive(Serialize, ToSchema)]
struct BalancedGroup {
    /// The name of the group. Absent for the members that are in no group.
    name: Option<String>,
    network_elements: Vec<String>,
    /// The threads of the group. Absent if it uses the common threads.
    own: Option<BalancedThreads>,
    /// The priority for the common threads: the greatest goes first. Absent if the group has threads of its own.
    priority: Option<i64>,
    /// The share of the common threads, relative to other groups of the same priority. Absent if the group has threads
    /// of its own.
    weight: Option<u64>,
}

/// The threads that deliver files to receivers. They are threads of the gateway itself.
#[derive(Serialize, ToSchema)]
struct BalancedDelivering {
    /// The number of threads that all groups without threads of their own share.
    threads: usize,
    /// The groups in the order of the flow file, then one for the receivers that are in no group.
    groups: Vec<BalancedReceivers>,
}

/// A group of receivers, with threads of its own or a share of the common ones.
#[derive(Serialize, ToSchema)]
struct BalancedReceivers {
    /// The name of the group. Absent for the members that are in no group.
    name: Option<String>,
    post_processing_systems: Vec<String>,
    /// The number of threads of the group. Absent if it uses the common threads.
    threads: Option<usize>,
    /// The priority for the common threads: the greatest goes first. Absent if the group has threads of its own.
    priority: Option<i64>,
    /// The share of the common threads, relative to other groups of the same priority. Absent if the group has threads
    /// of its own.
    weight: Option<u64>,
}

/// A decision of the gateway about its threads.
#[derive(Serialize, ToSchema)]
struct BalanceDecision {
    /// When the gateway decided.
    at: String,
    /// The decision, in words.
    what: String,
    /// The reason, in words.
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

/// Shows how many threads work for which network elements and receivers.
///
/// The answer includes the gateway's last decisions about this, with the reasons.
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
