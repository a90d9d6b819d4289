//! The time when a waiting group will be over, and the network elements that it waits for.

use std::time::Duration;

use runtime::time::shown;
use serde::Serialize;
use store::{Connection, QueryResult};
use utoipa::ToSchema;

use super::missing::{self, MayWait};
use super::stored::StoredGroup;
use super::waiting_for_files;
use crate::event_time::watermark;
use crate::groups::expiry::giving;
use flow::topology::Topology;

/// When a waiting group expires: at `past` or at `at`, whichever comes first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WaitingUntil)]
pub struct Over {
    /// The group expires when the records of all network elements that feed the node are past this
    /// time, by the time in the records. Absent if the node has no limit by record time.
    pub past: Option<String>,
    /// The network elements whose records are not past it yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<Awaited>,
    /// The group expires at this time of the gateway's clock. Absent if the node has no limit by
    /// arrival.
    pub at: Option<String>,
    /// The network elements with files that could not be processed. At `at` the group does not
    /// expire before these files are processed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub behind_files_of: Vec<String>,
    /// When the group stops waiting for the files of `behind_files_of`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub without_files_at: Option<String>,
    /// The numbers of records in suspense that may belong to the group. It does not expire before
    /// they are retried or discarded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_before: Vec<i64>,
}

/// A network element for whose records a group waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WaitedFor)]
pub struct Awaited {
    /// The name of the network element.
    pub network_element: String,
    /// The latest record time from this network element; absent if it has sent no record.
    pub at: Option<String>,
}

/// The limits of a flow's nodes, and the latest record times of their network elements.
pub struct Waits(Vec<OfNode>);

struct OfNode {
    name: String,
    record_time_ms: Option<i64>,
    arrival_ms: Option<i64>,
    within: Option<Duration>,
    elements: Vec<(String, Option<i64>)>,
    files_ms: i64,
    /// Network elements with unprocessed files, with the time since which the groups wait.
    behind_files_of: Vec<(String, i64)>,
}

impl Waits {
    /// Reads the limits from the flow and the times from the journal.
    pub fn look(flow: &Topology, db: &Connection) -> QueryResult<Self> {
        let ms = |limit: Option<Duration>| {
            limit.map(|limit| i64::try_from(limit.as_millis()).unwrap_or(i64::MAX))
        };
        let mut waits = Vec::new();
        for (place, node) in flow.graph.nodes.iter().enumerate() {
            let Some(settings) = node.template.group_settings() else { continue };
            let giving = giving(flow, place);
            let element = |name: &String| Ok((name.clone(), watermark(db, &node.name, name)?));
            let names: Vec<String> = giving.map(|of| of.name.clone()).collect();
            let mut behind_files_of = Vec::new();
            for name in &names {
                if let Some(raised_ms) = waiting_for_files::raised_ms(db, name, &node.name)? {
                    behind_files_of.push((name.clone(), raised_ms));
                }
            }
            waits.push(OfNode {
                name: node.name.clone(),
                record_time_ms: ms(settings.record_time),
                arrival_ms: ms(settings.arrival),
                within: settings.within,
                files_ms: waiting_for_files::files_ms(settings),
                elements: names.iter().map(element).collect::<QueryResult<_>>()?,
                behind_files_of,
            });
        }
        Ok(Waits(waits))
    }

    /// Returns when a group will be over; none if the flow no longer has its node.
    pub fn over(&self, group: &StoredGroup, db: &Connection) -> QueryResult<Option<Over>> {
        let Some(of) = self.0.iter().find(|of| of.name == group.node()) else { return Ok(None) };
        let past = of.record_time_ms.zip(group.times.map(|times| times.first_ms));
        let past = past.map(|(limit, first)| first.saturating_add(limit));
        let is_awaited = |at: &Option<i64>| past.is_some_and(|past| at.is_none_or(|at| at <= past));
        let awaited = of.elements.iter().filter(|(_, at)| is_awaited(at));
        let awaited =
            awaited.map(|(name, at)| Awaited { network_element: name.clone(), at: at.map(shown) });
        let at = of.arrival_ms.map(|limit| group.came_ms.saturating_add(limit));
        let raised_ms = of.behind_files_of.iter().map(|(_, raised_ms)| *raised_ms).max();
        let without_files_at = at.zip(raised_ms).map(|(at, raised)| at.max(raised));
        Ok(Some(Over {
            past: past.map(shown),
            waits_for: awaited.collect(),
            at: at.map(shown),
            behind_files_of: of.behind_files_of.iter().map(|(name, _)| name.clone()).collect(),
            without_files_at: without_files_at.map(|at| shown(at.saturating_add(of.files_ms))),
            not_before: missing::numbers(db, &MayWait::group(group, of.within))?,
        }))
    }
}
