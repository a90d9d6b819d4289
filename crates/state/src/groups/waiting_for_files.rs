//! Groups that are over by arrival while some files could not be processed or a folder cannot be read: those files may
//! have the missing records. The groups wait for them, and an alarm is raised. The wait is bounded, since one broken
//! file would otherwise stop all output. When the wait ends without the files, another alarm is raised.

use std::collections::BTreeSet;

use alarm::{AlarmKey, Condition, EventType, Kind, Severity, is_raised};
use journal::Journal;
use node::{GroupSettings, ReleaseKind};
use store::{Connection, QueryResult, params};

use super::entries::{Batch, EntryReader, StoredEntry};
use super::given_by;
use super::missing::{MayWait, is_missing};
use super::page_state::{self, OpenBy, OpenEntry};
use super::request::is_requested;
use crate::groups::expiry::Before;
use flow::backlog::{Ending, Unsettled};
use flow::topology::Topology;

pub(super) const WAITING: &Kind = &Kind::new(
    "groups-waiting",
    Severity::Major,
    EventType::Processing,
    "underlyingResourceUnavailable",
);
pub(super) const INCOMPLETE: &Kind =
    &Kind::new("groups-incomplete", Severity::Major, EventType::Integrity, "informationMissing");

/// Returns the network elements whose files the groups of a node wait for.
pub(crate) fn awaited<'p>(
    flow: &'p Topology,
    node: usize,
    unsettled: &[Unsettled],
) -> BTreeSet<&'p str> {
    let awaited = unsettled.iter().filter(|of| holds_up(flow, node, of));
    awaited.map(|of| flow.elements[of.element].name.as_str()).collect()
}

/// Returns whether waiting files hold up the groups of a node. They do not if they wait for room in that node, or in
/// one upstream, whose groups come to it when they end.
fn holds_up(flow: &Topology, node: usize, unsettled: &Unsettled) -> bool {
    let Unsettled { element, no_room_in } = *unsettled;
    let is_for_room = no_room_in
        .is_some_and(|full| full == node || flow.graph.reached_from(full).0.contains(&node));
    flow.elements[element].remembering.contains(&node) && !is_for_room
}

/// Returns the arrival time before which groups of a node no longer wait for unprocessed files of network elements:
/// they were over by arrival, and the alarm was raised, for [`files_ms`]. So after a long stop of the gateway, with a new
/// alarm, groups still wait, for example while folders are not mounted yet.
pub(crate) fn came_ms(
    db: &Connection,
    node: &str,
    settings: GroupSettings,
    awaited: &BTreeSet<&str>,
    (came_ms, now_ms): (Option<i64>, i64),
) -> QueryResult<Option<i64>> {
    let files_ms = files_ms(settings);
    for element in awaited {
        let raised_ms = raised_ms(db, element, node)?;
        if raised_ms.is_none_or(|raised| raised >= now_ms.saturating_sub(files_ms)) {
            return Ok(None);
        }
    }
    let more = if awaited.is_empty() { 0 } else { files_ms };
    Ok(came_ms.map(|came_ms| came_ms.saturating_sub(more)))
}

/// Returns how long groups wait for files, in milliseconds.
pub(super) fn files_ms(settings: GroupSettings) -> i64 {
    i64::try_from(settings.files.as_millis()).unwrap_or(i64::MAX)
}

/// Returns since when the alarm stands that groups of a node wait for files of a network element.
pub(super) fn raised_ms(
    db: &Connection,
    network_element: &str,
    node: &str,
) -> QueryResult<Option<i64>> {
    alarm::raised_since(db, AlarmKey { kind: WAITING, subject: &given_by(network_element, node) })
}

/// Returns conditions by network element and node: groups wait for files, or ended without them since the last round of
/// endings began.
pub(super) fn wrong(
    flow: &Topology,
    unsettled: &[Unsettled],
    ending: &[Ending],
    journal: &Journal,
    db: &Connection,
) -> QueryResult<Vec<Condition>> {
    let mut wrong = Vec::new();
    for (place, node) in flow.graph.nodes.iter().enumerate() {
        let (Some(settings), node) = (node.template.group_settings(), node.name.as_str()) else {
            continue;
        };
        let awaited = awaited(flow, place, unsettled);
        if awaited.is_empty() {
            continue;
        }
        let Before { came_ms: over_ms, .. } = Before::of(flow, journal, db, place, settings)?;
        let ended_ms = came_ms(db, node, settings, &awaited, (over_ms, journal.now_ms()))?;
        let wait = waits_since(db, (node, settings), over_ms)?;
        let since_ms = ending.iter().find(|ending| ending.node == place);
        let since_ms = since_ms.map_or(journal.now_ms(), |ending| ending.since_ms);
        let ended = ended_since(db, node, since_ms, ended_ms)?;
        for element in awaited {
            let subject = given_by(element, node);
            if wait {
                wrong.push(waiting(&subject, node, element));
            }
            let key = AlarmKey { kind: INCOMPLETE, subject: &subject };
            if ended || is_raised(db, key)? {
                wrong.push(incomplete(&subject, node, element));
            }
        }
    }
    Ok(wrong)
}

/// Returns whether a group of a node waits that came before a time, and not for missing records.
fn waits_since(
    db: &Connection,
    (node, settings): (&str, GroupSettings),
    came_ms: Option<i64>,
) -> QueryResult<bool> {
    let mut select =
        db.prepare_cached(&page_state::select_open(OpenBy::Arrival, "node = ? AND came_ms < ?"))?;
    let mut rows = select.query(params![node, came_ms])?;
    let mut waits = false;
    while let Some(page) = page_state::next(&mut rows)?.filter(|_| !waits) {
        page.groups(db, 0, |OpenEntry { entry, .. }| {
            waits |= !is_missing(db, &MayWait::entry(node, &entry, settings.within))?;
            Ok(())
        })?;
    }
    Ok(waits)
}

/// Returns whether a group of a node ended since a time because its time was over, which came before another time.
fn ended_since(
    db: &Connection,
    node: &str,
    since_ms: i64,
    came_ms: Option<i64>,
) -> QueryResult<bool> {
    let Some(came_ms) = came_ms else { return Ok(false) };
    let (mut ended, mut began) = (false, EntryReader::default());
    for batch in Batch::since(db, node, since_ms)? {
        if ended {
            break;
        }
        batch.for_each(db, |StoredEntry { number, entry, .. }| {
            let id = entry.group.unwrap_or(number);
            let is_over =
                entry.released.is_some_and(|released| released.kind != ReleaseKind::Complete);
            if !ended && is_over && !is_requested(db, id)? {
                ended = began.batch(db, id)?.is_some_and(|batch| batch.at_ms < came_ms);
            }
            Ok(())
        })?;
    }
    Ok(ended)
}

fn waiting(subject: &str, node: &str, element: &str) -> Condition {
    let text = format!(
        "\"{node}\": groups whose time is over wait for files of \"{element}\" that could not be processed \
         or looked for, and may have what is missing: \"files-waiting\" or \"folder-unreadable\" says why; to go \
         on without a file or folder, put a dot before its name"
    );
    Condition { kind: WAITING, subject: subject.to_owned(), text }
}

fn incomplete(subject: &str, node: &str, element: &str) -> Condition {
    let text = format!(
        "\"{node}\": groups ended without what files of \"{element}\" may have, which could not be processed or looked \
         for in all the time that \"wait\" gives: \"files-waiting\" or \"folder-unreadable\" says why. What comes of \
         them now is late"
    );
    Condition { kind: INCOMPLETE, subject: subject.to_owned(), text }
}
