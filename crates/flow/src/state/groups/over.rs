//! When a group that waits will be over, and for whom it waits.

use std::time::Duration;

use runtime::time::shown;
use serde::Serialize;
use store::{Answer, Connection};

use super::missing;
use super::reader::watermark;
use super::waiting_for_files;
use crate::definition::topology::Topology;
use crate::state::groups::expiry::giving;

/// When a group will be over: whichever comes first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Over {
    /// When all network elements that give the node records are past this by their records' own time.
    pub past: Option<String>,
    /// Those that are not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<Awaited>,
    /// When this is the time of day.
    pub at: Option<String>,
    /// But by that not before files of these network elements were processed that wait.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub behind_files_of: Vec<String>,
    /// Or this is the time of day: so long they are waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_files_at: Option<String>,
    /// But not before these records in suspense were retried or discarded, which belong to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_before: Vec<i64>,
}

/// A network element whose records a group waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Awaited {
    /// Its name.
    pub network_element: String,
    /// How far its records are; none where none has come.
    pub at: Option<String>,
}

/// How long the groups of a flow's nodes wait, and how far the network elements are.
pub(crate) struct Waits(Vec<OfNode>);

struct OfNode {
    name: String,
    record_time_ms: Option<i64>,
    arrival_ms: Option<i64>,
    within: Option<Duration>,
    elements: Vec<(String, Option<i64>)>,
    files_ms: i64,
    /// With the time since when they are waited for.
    behind_files_of: Vec<(String, i64)>,
}

/// A group that is asked for.
pub(crate) struct Waiting<'g> {
    pub(crate) id: i64,
    pub(crate) node: &'g str,
    pub(crate) first_ms: Option<i64>,
    pub(crate) came_ms: i64,
}

impl Waits {
    pub(crate) fn look(flow: &Topology, db: &Connection) -> Answer<Self> {
        let ms = |limit: Option<Duration>| {
            limit.map(|limit| i64::try_from(limit.as_millis()).unwrap_or(i64::MAX))
        };
        let mut waits = Vec::new();
        for (place, node) in flow.graph.nodes.iter().enumerate() {
            let Some(holds) = node.template.holds() else { continue };
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
                record_time_ms: ms(holds.record_time),
                arrival_ms: ms(holds.arrival),
                within: holds.within,
                files_ms: waiting_for_files::files_ms(holds),
                elements: names.iter().map(element).collect::<Answer<_>>()?,
                behind_files_of,
            });
        }
        Ok(Waits(waits))
    }

    /// When a group will be over; nothing of a node that the flow has no more.
    pub(crate) fn over(&self, group: &Waiting<'_>, db: &Connection) -> Answer<Option<Over>> {
        let Some(of) = self.0.iter().find(|of| of.name == group.node) else { return Ok(None) };
        let past = of.record_time_ms.zip(group.first_ms);
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
            not_before: missing::numbers(db, group.id, of.within)?,
        }))
    }
}
