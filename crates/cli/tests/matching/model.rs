//! A model of matching in few lines: the records of a key in the order of their times, split where they are too far
//! apart. The model has no files, workers, waiting, or journal.
//!
//! A node guarantees this result if no record comes later than its group waits. Calls of one key begin four hours apart
//! and have their parts within one hour; a network element's records come up to an hour out of order, in files that its
//! own clock orders, and the files of different network elements have no order.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

/// The settings of the node.
pub(crate) const TABLE: &str = "wait = { record-time = \"2 hours\" }\nwithin = \"1 hour\"\n\
                                late = \"suspend\"\naudit = { seconds = \"record.seconds\" }";

const APART: i64 = 4 * 3_600;
const WITHIN: i64 = 3_600;
/// Together with `WITHIN` less than the time that a group waits.
const DELAY_MAX: i64 = 3_500;

/// A record, as it is written in a test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    call: u8,
    time: i64,
    number: usize,
    kind: &'static str,
    seconds: i64,
}

/// What happens to a record on its way to the gateway.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Comes,
    Twice,
    Damaged,
    Lost,
}

/// A part of a call on its way.
#[derive(Clone, Copy, Debug)]
struct Sent {
    /// Seconds after the beginning of the call.
    behind: i64,
    element: usize,
    /// Seconds.
    delay: i64,
    fate: Fate,
}

/// A step of a test.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A file of a network element arrives.
    File { element: usize, lines: Vec<String> },
    /// The gateway runs until nothing is left.
    Run,
    /// The gateway is killed after this many milliseconds.
    Kill(u64),
}

/// Files of calls with the steps in which they arrive, and the expected outputs.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) steps: Vec<Step>,
    pub(crate) made: String,
}

/// The network element of a record, its time of arrival, and its text.
type Coming = (usize, i64, String);

fn model(mut parts: Vec<Part>) -> String {
    parts.sort();
    parts.dedup();
    let mut calls: Vec<Vec<Part>> = Vec::new();
    for part in parts {
        match calls.last_mut() {
            Some(call) if call[0].call == part.call && part.time - call[0].time <= WITHIN => {
                call.push(part);
            }
            _ => calls.push(vec![part]),
        }
    }
    let written = calls.iter().map(|call| {
        let seconds: i64 = call.iter().map(|part| part.seconds).sum();
        format!("{} @{} +{seconds} of {}", call[0].call, call[0].time, call.len())
    });
    let mut written: Vec<String> = written.collect();
    written.sort();
    written.join(", ")
}

fn parts() -> impl Strategy<Value = Vec<Sent>> {
    let fate = prop_oneof![
        8 => Just(Fate::Comes), 1 => Just(Fate::Twice), 1 => Just(Fate::Damaged), 1 => Just(Fate::Lost)
    ];
    let sent = |(behind, element, delay, fate)| Sent { behind, element, delay, fate };
    vec((0..=WITHIN, 0..2_usize, 0..=DELAY_MAX, fate).prop_map(sent), 1..5)
}

pub(crate) fn scene() -> impl Strategy<Value = Scene> {
    let calls = btree_map((1..5_u8, 0..5_i64), parts(), 1..12);
    let orders = vec((any::<bool>(), 1..5_usize, 0..6_u64), 40);
    (calls, orders).prop_map(|(calls, orders)| {
        let (came, coming) = came(calls);
        Scene { steps: steps(coming, &orders), made: model(came) }
    })
}

/// Returns the records of calls that arrive, and how each arrives.
fn came(calls: BTreeMap<(u8, i64), Vec<Sent>>) -> (Vec<Part>, Vec<Coming>) {
    let (mut came, mut coming) = (Vec::new(), Vec::new());
    for ((call, place), mut parts) in calls {
        parts.sort_by_key(|sent| sent.behind);
        let count = parts.len();
        for (at, Sent { behind, element, delay, fate }) in parts.into_iter().enumerate() {
            let kind = match at + 1 {
                1 if count == 1 => "whole",
                1 => "first",
                number if number == count => "last",
                _ => "middle",
            };
            let time = place * APART + i64::from(call) * 900 + behind;
            let part = Part { call, time, number: at + 1, kind, seconds: 1 + behind % 7 };
            let Part { number, seconds, .. } = part;
            let line = format!("{call} {kind} {number} @{time} +{seconds}");
            let mut comes = |behind: i64, line: &str| {
                coming.push((element, time + behind, line.to_owned()));
            };
            match fate {
                Fate::Comes => comes(delay, &line),
                Fate::Twice => [0, delay].iter().for_each(|delay| comes(*delay, &line)),
                Fate::Damaged => comes(delay, "damaged"),
                Fate::Lost => {}
            }
            if matches!(fate, Fate::Comes | Fate::Twice) {
                came.push(part);
            }
        }
    }
    // All groups expire in the end.
    for element in 0..2 {
        let (call, time) = (8 + element as u8, 100 * APART);
        came.push(Part { call, time, number: 1, kind: "whole", seconds: 1 });
        coming.push((element, time, format!("{call} whole 1 @{time} +1")));
    }
    (came, coming)
}

/// Returns the files of each network element in order, those of both in any order; the gateway runs, or is killed, in
/// between.
fn steps(mut coming: Vec<Coming>, orders: &[(bool, usize, u64)]) -> Vec<Step> {
    coming.sort_by_key(|(element, when, _)| (*element, *when));
    let split = coming.partition_point(|(element, ..)| *element == 0);
    let mut of_elements = [coming[..split].to_vec(), coming[split..].to_vec()];
    let mut steps = Vec::new();
    for (is_second, size, then) in orders.iter().cycle() {
        let element = usize::from(of_elements[usize::from(*is_second)].is_empty() != *is_second);
        let left = &mut of_elements[element];
        let lines: Vec<String> =
            left.drain(..left.len().min(*size)).map(|(_, _, line)| line).collect();
        steps.push(Step::File { element, lines });
        match then {
            0 | 1 => steps.push(Step::Run),
            2 => steps.push(Step::Kill(30)),
            3 => steps.push(Step::Kill(60)),
            _ => {}
        }
        if of_elements.iter().all(Vec::is_empty) {
            break;
        }
    }
    steps.push(Step::Run);
    steps
}
