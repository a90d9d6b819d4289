//! Jobs that fire due timers. Like the jobs that end groups, they have outputs but no input. After
//! an interruption, the timers are found again.
//!
//! By event time, a timer is due when all network elements with records for its node have reached
//! its time. By arrival time, it is due when the guarded clock has reached its time.

use journal::Journal;
use node::{Aside, Time, Timer};
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult, params};

use super::word;
use crate::groups::expiry::{element_for, time};
use flow::topology::Topology;

/// The maximum number of timers in a job, so that no job delays the others for long.
const TIMERS_MAX: usize = 10_000;

/// The maximum number of timers that one search returns.
const FOUND_MAX: usize = 100_000;

/// The number of a timer in the journal. Numbers are never reused.
pub type TimerId = i64;

/// Due timers of a node, which files of one network element set.
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
    /// Returns jobs for the due timers of some nodes with numbers greater than `after`, and the
    /// number after which the search continues.
    pub fn find(
        flow: &Topology,
        journal: &Journal,
        db: &Connection,
        nodes: &[usize],
        after: TimerId,
    ) -> QueryResult<(Vec<TimerJob>, TimerId)> {
        let mut jobs = Vec::new();
        let (mut last, mut last_of_full): (TimerId, Option<TimerId>) = (after, None);
        for node in nodes.iter().copied() {
            let mut due = Vec::new();
            let event_ms = time(flow, db, node)?.map(|now_ms| (Time::Event, now_ms));
            for now in event_ms.into_iter().chain([(Time::Arrival, journal.now_ms())]) {
                let page = due_timers(db, &flow.graph.nodes[node].name, now, after)?;
                let Some((DueTimer { id, .. }, _)) = page.last() else { continue };
                last = last.max(*id);
                if page.len() == FOUND_MAX {
                    last_of_full = Some(last_of_full.map_or(*id, |first| first.min(*id)));
                }
                due.extend(page);
            }
            // A page is in the order of numbers, which differs from the order of times.
            due.sort_by_key(|(due, _)| (due.timer.at_ms, due.id));
            for (timer, network_element) in due {
                let Some(element) = element_for(flow, node, &network_element) else { continue };
                Self::add(&mut jobs, (node, element), timer);
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

    /// Returns the name from which output names are made. It is unique, since a timer fires once,
    /// and since a digit follows each `~` in the name of a file.
    pub fn name(&self, flow: &Topology) -> String {
        format!("{}~timer-{}", flow.graph.nodes[self.node].name, self.timers[0].id)
    }
}

/// Returns the due timers of a node, each with its network element, in the order of their numbers.
pub(super) fn due_timers(
    db: &Connection,
    node: &str,
    (by, now_ms): (Time, i64),
    after: TimerId,
) -> QueryResult<Vec<(DueTimer, String)>> {
    let mut select = db.prepare_cached(DUE)?;
    let values = params![node, word(by), now_ms, after, FOUND_MAX as i64];
    let timer = |row: &store::Row<'_>| {
        let timer = Timer { at_ms: row.get(2)?, by };
        Ok((DueTimer { id: row.get(0)?, key: row.get(1)?, timer }, row.get(3)?))
    };
    select.query_map(values, timer)?.collect()
}

/// Names the index, since SQLite would otherwise scan all timers by number.
pub(super) const DUE: &str =
    "SELECT id, key, at_ms, network_element FROM state_timer INDEXED BY state_timer_by_time
    WHERE node = ? AND waits_for = ? AND at_ms <= ? AND id > ? ORDER BY id LIMIT ?";
