//! Jobs in which timers fire that are due. They have outputs but no input, as those that end groups; an interrupted one
//! finds its timers again.
//!
//! By event time, a timer is due when all network elements whose records come to its node have reached its time. By
//! arrival time, it is due when the guarded clock has.

use journal::Journal;
use node::{Aside, Time, Timer};
use serde::{Deserialize, Serialize};
use store::{Answer, Connection, params};

use super::word;
use crate::groups::expiry::{element_for, time};
use flow::topology::Topology;

/// The most timers of a job, so that no job delays the others for long.
const TIMERS_MAX: usize = 10_000;

/// The most timers that one look finds.
const LOOKED_FOR_MAX: usize = 100_000;

/// The number of a timer in the journal; none is given twice.
pub type TimerId = i64;

/// Timers of a node that are due. Files of one network element set them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimerJob {
    /// The place of the node in the flow.
    pub node: usize,
    /// The place of the network element.
    pub element: usize,
    /// The timers in the order of their times; not empty.
    pub timers: Vec<DueTimer>,
    /// Why all that they emit is set aside, if it is.
    pub aside: Option<Aside>,
}

/// A timer that is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DueTimer {
    /// Its number.
    pub id: TimerId,
    /// Its key.
    pub key: String,
    /// When it is due, and by which time.
    pub timer: Timer,
}

impl TimerJob {
    /// Returns the timers of some nodes that are due and have numbers greater than `after`, and the number after which
    /// others come.
    pub fn some(
        flow: &Topology,
        journal: &Journal,
        db: &Connection,
        nodes: &[usize],
        after: TimerId,
    ) -> Answer<(Vec<TimerJob>, TimerId)> {
        let mut jobs = Vec::new();
        let (mut last, mut last_of_full): (TimerId, Option<TimerId>) = (after, None);
        for node in nodes.iter().copied() {
            let mut due = Vec::new();
            let event_ms = time(flow, db, node)?.map(|now_ms| (Time::Event, now_ms));
            for now in event_ms.into_iter().chain([(Time::Arrival, journal.now_ms())]) {
                let page = of_node(db, &flow.graph.nodes[node].name, now, after)?;
                let Some((DueTimer { id, .. }, _)) = page.last() else { continue };
                last = last.max(*id);
                if page.len() == LOOKED_FOR_MAX {
                    last_of_full = Some(last_of_full.map_or(*id, |least| least.min(*id)));
                }
                due.extend(page);
            }
            // A page is in the order of numbers. There, a timer that was set again comes after later ones.
            due.sort_by_key(|(of, _)| (of.timer.at_ms, of.id));
            for (of, network_element) in due {
                let Some(element) = element_for(flow, node, &network_element) else { continue };
                Self::add(&mut jobs, (node, element), of);
            }
        }
        Ok((jobs, last_of_full.unwrap_or(last)))
    }

    fn add(jobs: &mut Vec<TimerJob>, (node, element): (usize, usize), timer: DueTimer) {
        let same = |job: &&mut TimerJob| {
            (job.node, job.element) == (node, element) && job.timers.len() < TIMERS_MAX
        };
        match jobs.iter_mut().rev().find(same) {
            Some(job) => job.timers.push(timer),
            None => jobs.push(TimerJob { node, element, timers: vec![timer], aside: None }),
        }
    }

    /// Returns the name from which output names are made. It is unique if the first timer fires in this job: in a file's
    /// own name, a digit follows a `~`, and a timer fires once.
    pub fn name(&self, flow: &Topology) -> String {
        format!("{}~timer-{}", flow.graph.nodes[self.node].name, self.timers[0].id)
    }
}

/// Returns the timers of a node that a time has reached, each with its network element, in the order of their numbers.
pub(super) fn of_node(
    db: &Connection,
    node: &str,
    (by, now_ms): (Time, i64),
    after: TimerId,
) -> Answer<Vec<(DueTimer, String)>> {
    let mut select = db.prepare_cached(DUE)?;
    let values = params![node, word(by), now_ms, after, LOOKED_FOR_MAX as i64];
    let timer = |row: &store::Row<'_>| {
        let timer = Timer { at_ms: row.get(2)?, by };
        Ok((DueTimer { id: row.get(0)?, key: row.get(1)?, timer }, row.get(3)?))
    };
    select.query_map(values, timer)?.collect()
}

/// By number, SQLite would look through all timers that are not due.
pub(super) const DUE: &str =
    "SELECT id, key, at_ms, network_element FROM state_timer INDEXED BY state_timer_by_time
    WHERE node = ? AND waits_for = ? AND at_ms <= ? AND id > ? ORDER BY id LIMIT ?";
