//! Groups whose time is over: as jobs, which have outputs but no input. A job is one transaction as that of a file is; one
//! that was interrupted finds its groups again.
//!
//! By the records' own time a group is over when all network elements whose records come to its node are past it; so one
//! that is silent holds it, until its time by arrival is over too. That does not go on for some time while a file of one lies
//! there and cannot be processed: the network element is not silent, and its file may have what the group waits for. Where
//! it waits for room in the node, that does go on, or neither ever would.

use std::time::Duration;

use journal::Journal;
use node::{GroupEnd, GroupId, Holds};
use serde::{Deserialize, Serialize};
use store::{Answer, Connection, params};

use super::missing::is_missing;
use super::reader::watermark;
use super::waiting_for_files;
use crate::definition::backlog::Unsettled;
use crate::definition::coupling::CoupledElements;
use crate::definition::topology::{Element, Topology};

/// Most groups of a job, so that none holds up the others for long.
const GROUPS_MAX: usize = 10_000;

/// Most groups that are looked for at once.
const LOOKED_FOR_MAX: usize = 100_000;

/// Groups of a node whose time is over, or that somebody asked to be ended, which one network element's record began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExpiryJob {
    /// The node's place in the flow.
    pub(crate) node: usize,
    /// The network element's.
    pub(crate) element: usize,
    /// How they end.
    pub(crate) end: GroupEnd,
    /// Not empty; in the order of their numbers.
    pub(crate) groups: Vec<(GroupId, String)>,
}

impl ExpiryJob {
    /// The groups of a circle's nodes with a number greater than `after` whose time is over; and where there are more of
    /// them, the number behind which those are. Files of `unsettled` network elements lie there.
    pub(crate) fn some(
        flow: &Topology,
        journal: &Journal,
        db: &Connection,
        (circle, unsettled): (&CoupledElements, &[Unsettled]),
        after: GroupId,
    ) -> Answer<(Vec<ExpiryJob>, Option<GroupId>)> {
        let (mut jobs, mut more): (Vec<ExpiryJob>, Option<GroupId>) = (Vec::new(), None);
        for node in circle.holding.iter().copied() {
            let at = &flow.graph.nodes[node];
            let Some(holds) = at.template.holds() else { continue };
            let Before { first_ms, came_ms } = Before::of(flow, journal, db, node, holds)?;
            let awaited = waiting_for_files::awaited(flow, node, unsettled);
            let times = (came_ms, journal.now_ms());
            let came_ms = waiting_for_files::came_ms(db, &at.name, holds, &awaited, times)?;
            // Each half has an index of its own.
            let is_missing = is_missing(holds.within);
            let mut select = db.prepare_cached(&format!(
                "SELECT id, key, network_element FROM held_group
                 WHERE node = ?1 AND released_ms IS NULL AND first_ms IS NOT NULL AND first_ms < ?2 AND id > ?4
                     AND asked IS NULL AND NOT {is_missing}
                 UNION
                 SELECT id, key, network_element FROM held_group
                 WHERE node = ?1 AND released_ms IS NULL AND came_ms < ?3 AND id > ?4
                     AND asked IS NULL AND NOT {is_missing}
                 ORDER BY id LIMIT ?5"
            ))?;
            let values = params![at.name, first_ms, came_ms, after, LOOKED_FOR_MAX as i64];
            let mut rows = select.query(values)?;
            let (mut found, mut last) = (0, after);
            while let Some(row) = rows.next()? {
                let (id, key, name): (GroupId, String, String) =
                    (row.get(0)?, row.get(1)?, row.get(2)?);
                (found, last) = (found + 1, id);
                let Some(element) = element_for(flow, node, &name) else { continue };
                Self::add(&mut jobs, (node, element), GroupEnd::Over, (id, key));
            }
            if found == LOOKED_FOR_MAX {
                more = Some(more.map_or(last, |more| more.min(last)));
            }
        }
        Ok((jobs, more))
    }

    /// Adds a group to those that end as it does.
    pub(crate) fn add(
        jobs: &mut Vec<ExpiryJob>,
        (node, element): (usize, usize),
        end: GroupEnd,
        group: (GroupId, String),
    ) {
        let same = |job: &&mut ExpiryJob| {
            (job.node, job.element, &job.end) == (node, element, &end)
                && job.groups.len() < GROUPS_MAX
        };
        match jobs.iter_mut().rev().find(same) {
            Some(job) => job.groups.push(group),
            None => jobs.push(ExpiryJob { node, element, end, groups: vec![group] }),
        }
    }

    /// The name that its outputs are made of: no other's, if its first group is one that it releases. A `~` in a file's
    /// own name has a digit behind it, and a group is released once.
    pub(crate) fn name(&self, flow: &Topology) -> String {
        format!("{}~expired-{}", flow.graph.nodes[self.node].name, self.groups[0].0)
    }
}

/// Before when a group of a node began that is over.
pub(crate) struct Before {
    /// When its first record was made.
    pub(crate) first_ms: Option<i64>,
    /// When that came.
    pub(crate) came_ms: Option<i64>,
}

impl Before {
    pub(crate) fn of(
        flow: &Topology,
        journal: &Journal,
        db: &Connection,
        node: usize,
        holds: Holds,
    ) -> Answer<Self> {
        let before = |now: i64, limit: Duration| {
            now.saturating_sub(i64::try_from(limit.as_millis()).unwrap_or(i64::MAX))
        };
        let first_ms = match holds.record_time {
            Some(limit) => time(flow, db, node)?.map(|now| before(now, limit)),
            None => None,
        };
        let came_ms = holds.arrival.map(|limit| before(journal.now_ms(), limit));
        Ok(Before { first_ms, came_ms })
    }
}

/// The network element for which groups of a node are released: the one that began them; where that is no more, or gives
/// the node no records now, another that does.
pub(crate) fn element_for(flow: &Topology, node: usize, began: &str) -> Option<usize> {
    let gives = |place: &usize| flow.elements[*place].remembering.contains(&node);
    let mut giving = (0..flow.elements.len()).filter(gives);
    let named = giving.clone().find(|place| flow.elements[*place].name == began);
    named.or_else(|| giving.next())
}

/// The network elements whose records come to a node.
pub(crate) fn giving(flow: &Topology, node: usize) -> impl Iterator<Item = &Element> {
    flow.elements.iter().filter(move |element| element.remembering.contains(&node))
}

/// The time that all network elements are at whose records come to a node.
pub(crate) fn time(flow: &Topology, db: &Connection, node: usize) -> Answer<Option<i64>> {
    let mut time = None;
    for element in giving(flow, node) {
        let Some(own) = watermark(db, &flow.graph.nodes[node].name, &element.name)? else {
            return Ok(None);
        };
        time = Some(time.map_or(own, |time: i64| time.min(own)));
    }
    Ok(time)
}
