//! Jobs that end groups whose time is over. They have outputs but no input. Like the job of a file, each is one
//! transaction; an interrupted one finds its groups again.
//!
//! By record time, a group is over when all network elements whose records come to its node are past it. So a silent
//! network element delays it until its time by arrival is over too. The time by arrival is suspended, for a limited
//! time, while a network element has a file that cannot be processed: that network element is not silent, and the file
//! may have what the group waits for. If the file waits for room in the node, the time by arrival counts on; else
//! neither would ever end.

use std::time::Duration;

use journal::Journal;
use node::{EntryNumber, GroupEnd, GroupId, GroupSettings, Times};
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult, params};

use super::entries::EntryReader;
use super::missing::{MayWait, is_any_missing, is_missing};
use super::page_state::{self, OpenEntry};
use super::request::is_requested;
use super::stored::is_before;
use super::waiting_for_files;
use crate::event_time::watermark;
use flow::backlog::Unsettled;
use flow::coupling::CoupledElements;
use flow::topology::{Element, Topology};

/// The most groups of a job, so that no job delays the others for long.
const GROUPS_MAX: usize = 10_000;

/// When one look has found so many groups, it stops.
const LOOKED_FOR_MAX: usize = 100_000;

/// Groups of a node to be ended, because their time is over or a user requested it. Records of one network element
/// began them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpiryJob {
    /// The place of the node in the flow.
    pub node: usize,
    /// The place of the network element.
    pub element: usize,
    /// How they end.
    pub end: GroupEnd,
    /// The groups in the order of their numbers, with their keys; not empty.
    pub groups: Vec<(GroupId, String)>,
}

impl ExpiryJob {
    /// Returns the overdue groups of a circle's nodes with numbers greater than `after`. If there are more, it also
    /// returns the number after which they come. `unsettled` are the network elements with files that could not be
    /// processed.
    pub fn some(
        flow: &Topology,
        journal: &Journal,
        db: &Connection,
        (circle, unsettled): (&CoupledElements, &[Unsettled]),
        after: GroupId,
    ) -> QueryResult<(Vec<ExpiryJob>, Option<GroupId>)> {
        let (mut jobs, mut more): (Vec<ExpiryJob>, Option<GroupId>) = (Vec::new(), None);
        for node in circle.holding.iter().copied() {
            let at = &flow.graph.nodes[node];
            let Some(settings) = at.template.group_settings() else { continue };
            let Before { first_ms, came_ms } = Before::of(flow, journal, db, node, settings)?;
            let awaited = waiting_for_files::awaited(flow, node, unsettled);
            let times = (came_ms, journal.now_ms());
            let came_ms = waiting_for_files::came_ms(db, &at.name, settings, &awaited, times)?;
            let due = Due { node: &at.name, within: settings.within, first_ms, came_ms };
            let (groups, last) = due.groups(db, after)?;
            for DueGroup { id, key, network_element } in groups {
                let Some(element) = element_for(flow, node, &network_element) else { continue };
                Self::add(&mut jobs, (node, element), GroupEnd::Over, (id, key));
            }
            if let Some(last) = last {
                more = Some(more.map_or(last, |more| more.min(last)));
            }
        }
        Ok((jobs, more))
    }

    /// Adds a group to a job that ends groups in the same way.
    pub fn add(
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

    /// Returns the name from which output names are made. It is unique if this job releases its first group: in a
    /// file's own name, a digit follows a `~`, and a group is released once.
    pub fn name(&self, flow: &Topology) -> String {
        format!("{}~expired-{}", flow.graph.nodes[self.node].name, self.groups[0].0)
    }
}

/// The condition for pages up to the number `?3` with groups that began before the times `?4` or `?5`.
pub(super) const DUE: &str = "page <= ?3 AND (first_ms < ?4 OR came_ms < ?5)";

/// The first and the last of these pages. Each half has its own index.
pub(super) const DUE_PAGES: &str = "SELECT min(first), max(last) FROM (
    SELECT min(page) AS first, max(page) AS last FROM group_state INDEXED BY group_state_by_time
    WHERE is_open AND node = ?1 AND first_ms IS NOT NULL AND first_ms < ?2
    UNION ALL
    SELECT min(page), max(page) FROM group_state INDEXED BY group_state_by_arrival
    WHERE is_open AND node = ?1 AND came_ms < ?3)";

/// Finds the groups of a node that are over.
struct Due<'n> {
    node: &'n str,
    /// The most time between records of a group.
    within: Option<Duration>,
    /// The limits, as in [`Before`].
    first_ms: Option<i64>,
    came_ms: Option<i64>,
}

/// A group that is over.
struct DueGroup {
    id: GroupId,
    key: String,
    /// The network element that began it.
    network_element: String,
}

impl Due<'_> {
    /// Returns some groups with numbers greater than `after`, and the number after which there are more, if there are.
    fn groups(
        &self,
        db: &Connection,
        after: GroupId,
    ) -> QueryResult<(Vec<DueGroup>, Option<GroupId>)> {
        let Some((first_page, last_page)) = self.pages(db)? else { return Ok((Vec::new(), None)) };
        let mut select = db.prepare_cached(&page_state::select_open_since(DUE))?;
        let values =
            params![self.node, after.max(first_page), last_page, self.first_ms, self.came_ms];
        let mut rows = select.query(values)?;
        let (mut found, mut entries) = (Vec::new(), EntryReader::default());
        let mut later = EntryReader::default();
        let is_any_missing = is_any_missing(db, self.node)?;
        while let Some(page) = page_state::next(&mut rows)? {
            page.groups(db, after, |open| {
                let OpenEntry { id, entry, came_ms, last } = open;
                let last = last.map(|last| later.entry(db, last)).transpose()?.flatten();
                let times = last.map_or(entry.times, |last| last.entry.times);
                if !self.is_over(came_ms, times) || is_requested(db, id)? {
                    return Ok(());
                }
                let group =
                    MayWait { node: self.node, key: &entry.key, times, within: self.within };
                if is_any_missing && is_missing(db, &group)? {
                    return Ok(());
                }
                let Some(batch) = entries.batch(db, id)? else { return Ok(()) };
                let network_element = batch.network_element.clone();
                found.push(DueGroup { id, key: entry.key, network_element });
                Ok(())
            })?;
            if found.len() >= LOOKED_FOR_MAX {
                let last = found.last().map(|group| group.id);
                return Ok((found, last));
            }
        }
        Ok((found, None))
    }

    /// Returns the first and the last page with groups that may be over. It reads the indexes of those only.
    fn pages(&self, db: &Connection) -> QueryResult<Option<(EntryNumber, EntryNumber)>> {
        let values = params![self.node, self.first_ms, self.came_ms];
        let pages: (Option<i64>, Option<i64>) = db
            .prepare_cached(DUE_PAGES)?
            .query_row(values, |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(pages.0.zip(pages.1))
    }

    fn is_over(&self, came_ms: i64, times: Option<Times>) -> bool {
        is_before(Some(came_ms), self.came_ms)
            || is_before(times.map(|times| times.first_ms), self.first_ms)
    }
}

/// The limits before which a group of a node began if it is over.
pub struct Before {
    /// The limit for the time of its first record.
    pub first_ms: Option<i64>,
    /// The limit for the arrival of that record.
    pub came_ms: Option<i64>,
}

impl Before {
    /// Returns the current limits of a node, in milliseconds since 1970. `first_ms` is `None` if the node has no limit by
    /// record time, or if one of its network elements has no records yet. `came_ms` is `None` if the node has no limit
    /// by arrival.
    pub fn of(
        flow: &Topology,
        journal: &Journal,
        db: &Connection,
        node: usize,
        settings: GroupSettings,
    ) -> QueryResult<Self> {
        let before = |now: i64, limit: Duration| {
            now.saturating_sub(i64::try_from(limit.as_millis()).unwrap_or(i64::MAX))
        };
        let first_ms = match settings.record_time {
            Some(limit) => time(flow, db, node)?.map(|now| before(now, limit)),
            None => None,
        };
        let came_ms = settings.arrival.map(|limit| before(journal.now_ms(), limit));
        Ok(Before { first_ms, came_ms })
    }
}

/// Returns the network element for which a group is released: the one that began it, or another that gives the node
/// records if the first no longer does.
pub fn element_for(flow: &Topology, node: usize, began: &str) -> Option<usize> {
    let gives = |place: &usize| flow.elements[*place].remembering.contains(&node);
    let mut giving = (0..flow.elements.len()).filter(gives);
    let named = giving.clone().find(|place| flow.elements[*place].name == began);
    named.or_else(|| giving.next())
}

/// Returns the network elements whose records come to a node.
pub fn giving(flow: &Topology, node: usize) -> impl Iterator<Item = &Element> {
    flow.elements.iter().filter(move |element| element.remembering.contains(&node))
}

/// Returns the time that all network elements of a node have reached; none if one has no records yet.
pub fn time(flow: &Topology, db: &Connection, node: usize) -> QueryResult<Option<i64>> {
    let mut time = None;
    for element in giving(flow, node) {
        let Some(own) = watermark(db, &flow.graph.nodes[node].name, &element.name)? else {
            return Ok(None);
        };
        time = Some(time.map_or(own, |time: i64| time.min(own)));
    }
    Ok(time)
}
