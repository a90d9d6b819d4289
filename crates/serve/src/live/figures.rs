//! The figures of a moment, from the windows, the meters and the journal.

use std::collections::{BTreeMap, BTreeSet};

use alarm::{Alarm, DISK_LOW, Severity};
use flow::meters::{OfElement, OfNode, Tallies};
use flow::report::SourceCount;
use runtime::time::shown;

use super::Marks;
use super::event::{
    DiskRoom, LiveAlarms, LiveEdge, LiveElement, LiveElementCounts, LiveFigures, LiveNode,
    LiveNodeCounts, LiveSeconds, LiveSystem, LiveSystemCounts, LiveThreads,
};
use super::windows::AllWindows;
use crate::served::Served;

/// Computes the figures and the marks of the time `at_ms`.
pub(super) fn figures(served: &Served, windows: &AllWindows, at_ms: i64) -> (LiveFigures, Marks) {
    let now = served.meters.now();
    let (standing, raised) =
        (served.standing().unwrap_or_default(), served.raised().unwrap_or_default());
    let AllWindows { ten_seconds, five_minutes, today } = windows;
    let all = [&ten_seconds.done, &five_minutes.done, &today.done];
    let element = |name: &String| {
        let [ten_seconds, five_minutes, today] =
            all.map(|done| done.elements.get(name).map(LiveElementCounts::of).unwrap_or_default());
        let waiting = now.waiting.get(name).copied().unwrap_or(0) as u64;
        (name.clone(), LiveElement { waiting, ten_seconds, five_minutes, today })
    };
    let node = |name: &String| {
        let [ten_seconds, five_minutes, today] =
            all.map(|done| done.nodes.get(name).map(LiveNodeCounts::of).unwrap_or_default());
        let keys = now.keys.get(name).copied();
        (name.clone(), LiveNode { keys, ten_seconds, five_minutes, today })
    };
    let system = |name: &String| {
        let [ten_seconds, five_minutes, today] =
            all.map(|done| done.systems.get(name).map(LiveSystemCounts::of).unwrap_or_default());
        let waiting_deliveries = standing.deliveries.get(name).copied().unwrap_or(0);
        (name.clone(), LiveSystem { waiting_deliveries, ten_seconds, five_minutes, today })
    };
    // Network elements with files that wait, systems with deliveries that wait, and nodes that know keys may have had no
    // record yet.
    let elements = names(all.map(|done| &done.elements), now.waiting.keys());
    let nodes = names(all.map(|done| &done.nodes), now.keys.keys());
    let systems = names(all.map(|done| &done.systems), standing.deliveries.keys());
    let (all_threads, working) = served.meters.threads();
    let figures = LiveFigures {
        at: shown(at_ms),
        seconds: LiveSeconds {
            ten_seconds: ten_seconds.seconds,
            five_minutes: five_minutes.seconds,
            today: today.seconds,
        },
        elements: elements.into_iter().map(element).collect(),
        nodes: nodes.into_iter().map(node).collect(),
        systems: systems.into_iter().map(system).collect(),
        edges: edges(all),
        threads: LiveThreads { all: all_threads, working },
        suspense_open: standing.suspense.values().sum(),
        alarms: LiveAlarms::of(raised.iter()),
        alarms_unacknowledged: LiveAlarms::of(
            raised.iter().filter(|alarm| alarm.acknowledged.is_none()),
        ),
        journal_is_written: now.journal_is_written,
        room: match raised.iter().any(|alarm| alarm.kind == DISK_LOW.name) {
            true => DiskRoom::Low,
            false => DiskRoom::Free,
        },
    };
    (figures, Marks::beside(served, &raised))
}

/// Returns the names of all windows, and more names.
fn names<'n, T>(
    all: [&'n BTreeMap<String, T>; 3],
    more: impl Iterator<Item = &'n String>,
) -> BTreeSet<&'n String> {
    all.into_iter().flat_map(BTreeMap::keys).chain(more).collect()
}

/// Returns the edges that records went over in a window.
fn edges(all: [&Tallies; 3]) -> Vec<LiveEdge> {
    let mut edges = BTreeMap::<(&str, &str, &str), [u64; 3]>::new();
    for (place, done) in all.into_iter().enumerate() {
        for (to, of) in done.nodes.iter().chain(&done.systems) {
            for SourceCount { from, stream, records } in &of.sources {
                edges.entry((from, stream, to)).or_default()[place] += records;
            }
        }
    }
    let edge = |((from, stream, to), records): ((&str, &str, &str), [u64; 3])| {
        let [ten_seconds, five_minutes, today] = records;
        let [from, stream, to] = [from, stream, to].map(str::to_owned);
        LiveEdge { from, stream, to, ten_seconds, five_minutes, today }
    };
    edges.into_iter().map(edge).collect()
}

impl LiveElementCounts {
    fn of(of: &OfElement) -> Self {
        // ORDER OUTCOMES
        let [out, filtered, held, suspended, duplicate] = of.records.0;
        let records_in = of.records.0.iter().sum();
        let (files, octets) = (of.files, of.octets);
        LiveElementCounts { files, octets, records_in, out, filtered, suspended, held, duplicate }
    }
}

impl LiveNodeCounts {
    fn of(of: &OfNode) -> Self {
        // ORDER OUTCOMES
        let [delivered, filtered, held, suspended, duplicate] = of.records.0;
        let records_in = of.records.0.iter().sum::<u64>() + of.refused_later;
        let (out, made) = (delivered + of.refused_later, of.made);
        LiveNodeCounts { records_in, out, filtered, suspended, held, duplicate, made }
    }
}

impl LiveSystemCounts {
    fn of(of: &OfNode) -> Self {
        // ORDER OUTCOMES
        let [out, _, _, suspended, _] = of.records.0;
        LiveSystemCounts { records_in: out + suspended, out, suspended, files: of.files }
    }
}

impl LiveAlarms {
    fn of<'a>(alarms: impl Iterator<Item = &'a Alarm> + Clone) -> Self {
        let count = |severity| alarms.clone().filter(|alarm| alarm.severity == severity).count();
        LiveAlarms {
            critical: count(Severity::Critical),
            major: count(Severity::Major),
            minor: count(Severity::Minor),
            warning: count(Severity::Warning),
        }
    }
}
