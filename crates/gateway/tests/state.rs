//! Tests nodes with keyed state: the state and its timers change with the file whose records change them, and timers fire
//! once. Each test has the state on disk and in memory.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use operate::AuditQuery;
use operate::context::Context;
use operate::operation::Operation as _;
use operate::privacy::Rights;
use operate::shared::Unshared;
use operate::suspense::{ChosenRecords, RetryRecords};
use runtime::shutdown::Shutdown;

use crate::common;
use crate::common::octets::{ALONE, IS_MENDED, Octets};
use crate::run::{folder, run, run_alone, run_with};
use flow::Report;
use gateway::{Parts, RunOptions};
use suspense::{Filter, Suspended, list};

const FLOW: &str = r#"
[network-element.a]
collect = { dir = "in", pattern = "*.x" }
decode = { type = "Test.Call" }
[tumbling.windows]
from = "a"
[odd.isOdd]
from = "a"
[post-processing-system.counts]
from = "windows"
encode = {}
deliver = { dir = "out" }
"#;

/// A second network element.
const B: &str = r#"
[network-element.b]
collect = { dir = "in-b", pattern = "*.x" }
decode = { type = "Test.Call" }
"#;

/// A node that rejects all bills.
const REJECTING: &str = "[odd.rejecting]\nfrom = \"windows\"\n";

/// Makes a folder with the state of the node on disk, and one with the state in memory.
fn folders(name: &str, flow: &str) -> [PathBuf; 2] {
    let in_memory = flow.replace("[tumbling.windows]", "[tumbling.windows]\nstate = \"memory\"");
    [("disk", flow), ("memory", &in_memory)].map(|(place, flow)| {
        let dir = folder(&format!("state-{name}-{place}"), flow, &[]);
        fs::create_dir_all(dir.join("in-b")).unwrap();
        dir
    })
}

/// Runs a test with the state on disk and with the state in memory.
fn both(name: &str, flow: &str, test: impl Fn(&Path) + Sync) {
    thread::scope(|scope| {
        for dir in folders(name, flow) {
            let test = &test;
            scope.spawn(move || {
                test(&dir);
                audit(&dir);
            });
        }
    });
}

/// Asserts that each record is accounted for.
fn audit(dir: &Path) {
    let (network_element, file, period) = (None, None, 0..i64::MAX);
    let query = AuditQuery { network_element, file, period, by_day: false, by_file: false };
    let audit = operate::audit(&dir.join("flow.toml"), &query).unwrap();
    assert!(audit.differences.is_empty(), "{:?}", audit.differences);
}

/// Processes a file, and returns the counts that were delivered in that run, in order.
fn counts(dir: &Path, file: &str, records: &[u8]) -> String {
    fs::write(dir.join(file), records).unwrap();
    run(dir, 2, false);
    taken(dir)
}

/// Takes the outputs away as a receiver does, and returns their counts in order.
fn taken(dir: &Path) -> String {
    let Ok(outputs) = fs::read_dir(dir.join("out")) else { return String::new() };
    let mut counts = Vec::new();
    for output in outputs {
        let path = output.unwrap().path();
        let octets = fs::read(&path).unwrap();
        counts.extend(&octets[1..octets.len() - 1]);
        fs::remove_file(path).unwrap();
    }
    counts.sort_unstable();
    counts.iter().map(u8::to_string).collect::<Vec<_>>().join(" ")
}

/// Returns what is in suspense: the node and the reason of each record, and its octets.
fn suspended(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let open = Filter { state: Some(suspense::State::Open), ..Filter::default() };
    let listed = list(&dir.join("flow.toml"), &open, |record| {
        let Suspended { node, reason, octets, .. } = record;
        found.push(format!("{node}: {reason} {octets:?}"));
        Ok::<_, ()>(())
    });
    assert_eq!(listed.unwrap(), Ok(()));
    found
}

fn edit(dir: &Path, edit: impl Fn(String) -> String) {
    let path = dir.join("flow.toml");
    fs::write(&path, edit(fs::read_to_string(&path).unwrap())).unwrap();
}

#[test]
fn what_records_change_of_a_key_is_there_for_the_next_file_unless_they_were_refused_or_the_key_was_deleted()
 {
    both("keys", FLOW, |dir| {
        // "isOdd" refuses 13 after it was counted.
        assert_eq!(counts(dir, "in/0.x", &[12, 12, 15, 13, 12]), "");
        assert_eq!(counts(dir, "in/1.x", &[12, 15]), "");
        // The window of 12 and 15 is over, which deletes the keys. 13 has no count.
        assert_eq!(counts(dir, "in/2.x", &[22]), "2 4");
        // The first record is late.
        assert_eq!(counts(dir, "in/3.x", &[12, 22, 30]), "2");
    });
}

#[test]
fn a_window_is_over_without_another_record_of_its_key_and_after_a_restart() {
    both("closes", FLOW, |dir| {
        assert_eq!(counts(dir, "in/0.x", &[12, 12, 15]), "");
        run(dir, 2, false);
        assert_eq!(taken(dir), "", "time stands still");
        assert_eq!(counts(dir, "in/1.x", &[20]), "1 2");
        run(dir, 2, false);
        assert_eq!(taken(dir), "", "each timer fires once");
        // All windows but the last are over at once, each with its own count.
        assert_eq!(counts(dir, "in/2.x", &[20, 31, 31, 31, 42, 50]), "1 2 3");
    });
}

#[test]
fn a_window_is_over_when_the_slower_of_two_network_elements_is_past_it() {
    let flow = FLOW
        .replace("[tumbling.windows]\nfrom = \"a\"", "[tumbling.windows]\nfrom = [\"a\", \"b\"]")
        + B;
    both("slower", &flow, |dir| {
        assert_eq!(counts(dir, "in/0.x", &[12, 50]), "", "nothing has come of b");
        assert_eq!(counts(dir, "in-b/0.x", &[12]), "");
        assert_eq!(counts(dir, "in-b/1.x", &[15, 25]), "1 2");
        assert_eq!(counts(dir, "in-b/2.x", &[70]), "1", "a is at 50 now");
        assert_eq!(counts(dir, "in/1.x", &[60]), "1");
    });
}

#[test]
fn the_timer_of_a_rejected_record_was_never_set() {
    both("rejected", FLOW, |dir| {
        // Time does not go on with 13 either.
        assert_eq!(counts(dir, "in/0.x", &[5, 13]), "");
        assert_eq!(counts(dir, "in/1.x", &[15, 20]), "1 1");
        let late = "windows: its window is over [5]";
        assert_eq!(counts(dir, "in/2.x", &[5, 30]), "1");
        assert_eq!(suspended(dir), ["isOdd: 13 brings bad luck [13]", late]);
    });
}

#[test]
fn timers_that_were_not_committed_fire_once_when_they_can() {
    both("interrupted", FLOW, |dir| {
        // No job delivers here. So the job of the file is committed, and that of its timers is not.
        fs::write(dir.join("out"), "a file where a folder should be").unwrap();
        fs::write(dir.join("in/0.x"), [12, 12, 15, 20]).unwrap();
        let Report { files, problems, .. } = run(dir, 2, false);
        assert_eq!((files.len(), problems.len()), (1, 1), "{problems:?}");
        fs::remove_file(dir.join("out")).unwrap();
        assert_eq!(counts(dir, "in/1.x", &[20]), "1 2");
        assert_eq!(counts(dir, "in/2.x", &[30]), "2");
    });
}

#[test]
fn what_timers_emit_and_others_reject_is_set_aside_and_delivered_when_it_is_retried() {
    both("aside", &format!("{FLOW}{REJECTING}"), |dir| {
        assert_eq!(counts(dir, "in/0.x", &[12, 12, 15, 20]), "");
        let aside = ["rejecting: no number [2]", "rejecting: no number [1]"];
        assert_eq!(suspended(dir), aside);
        assert_eq!(counts(dir, "in/1.x", &[20]), "", "the timers have fired");
        edit(dir, |flow| flow.replace(REJECTING, ""));
        assert_eq!(retried(dir), 2);
        assert_eq!(taken(dir), "1 2");
        assert_eq!(suspended(dir), [""; 0]);
        assert_eq!(counts(dir, "in/2.x", &[30]), "2");
    });
}

#[test]
fn what_timers_emit_is_set_aside_if_it_kills_their_workers() {
    let _alone = ALONE.write().unwrap_or_else(PoisonError::into_inner);
    both("poison", FLOW, |dir| {
        let run = || run_alone(dir, RunOptions { workers: 2, ..RunOptions::once() });
        IS_MENDED.store(false, Ordering::Relaxed);
        fs::write(dir.join("in/0.x"), [&[12; 66][..], &[15, 20]].concat()).unwrap();
        run();
        assert_eq!(taken(dir), "");
        let aside = [1, 66].map(|count| format!("windows: its worker broke off twice [{count}]"));
        assert_eq!(suspended(dir).into_iter().collect::<BTreeSet<_>>(), BTreeSet::from(aside));
        IS_MENDED.store(true, Ordering::Relaxed);
        assert_eq!(retried(dir), 2);
        assert_eq!(taken(dir), "1 66");
    });
}

#[test]
fn a_timer_may_be_set_again_when_it_fires_and_one_that_its_node_rejects_waits() {
    let flow = FLOW.replace("tumbling", "countdown");
    let dir = folder("state-countdown", &flow, &[]);
    let alarms = || {
        let raised = operate::alarms::raised_alarms(&dir.join("flow.toml")).unwrap();
        raised.into_iter().map(|alarm| alarm.kind).collect::<Vec<_>>()
    };
    assert_eq!(counts(&dir, "in/0.x", &[14, 23, 14]), "10 11 12 13 14 20 21 22 23");
    assert_eq!(alarms(), [""; 0]);
    fs::write(dir.join("in/1.x"), [9, 31]).unwrap();
    let Report { problems, .. } = run(&dir, 2, false);
    assert_eq!(problems, ["\"windows\": the timer of \"9\": 8 is no number to count down from"]);
    assert_eq!((taken(&dir).as_str(), alarms()), ("9 30 31", vec!["timers-waiting".to_owned()]));
    // A file changes the key: its timer is as before, and fires now.
    assert_eq!(counts(&dir, "in/2.x", &[9]), "9");
    assert_eq!(counts(&dir, "in/3.x", &[52, 60]), "50 51 52 60");
    assert_eq!(alarms(), ["timers-waiting"]);
}

/// Retries all that is in suspense, and returns how many records were delivered.
fn retried(dir: &Path) -> u64 {
    let kinds = common::kinds();
    let parts = Parts {
        kinds: &kinds,
        formats: &Octets,
        language: &node::NoLanguage,
        schemes: &[],
        codes: &[],
        listeners: &[],
        certificate: |_| None,
        channels: &[],
    };
    let flow = dir.join("flow.toml");
    let (stop, shared) = (Shutdown::default(), Unshared::without_scripts(&flow));
    let scripts = &operate::scripts::NoScripts;
    let rights = Rights::Machine;
    let context = Context {
        flow: &flow,
        charging: &flow.with_file_name("charging.toml"),
        parts,
        scripts,
        who: "test",
        rights,
        stop,
        shared: &shared,
    };
    let chosen = ChosenRecords { all: true, ..ChosenRecords::default() };
    let request = RetryRecords { chosen, duplicates: false };
    request.perform(&context).unwrap().delivered
}

/// By how many seconds the clock of a test is ahead.
static AHEAD_S: AtomicU64 = AtomicU64::new(0);

fn ahead() -> SystemTime {
    SystemTime::now() + Duration::from_secs(AHEAD_S.load(Ordering::Relaxed))
}

#[test]
fn an_arrival_timer_fires_when_the_clock_has_reached_it_and_one_that_is_set_again_later() {
    let flow = FLOW.replace("[tumbling.windows]", "[tumbling.windows]\ntime = \"arrival\"");
    // One after the other: they have one clock.
    for dir in folders("arrival", &flow) {
        let counts = |ahead_s, file: &str, records: &[u8]| {
            AHEAD_S.store(ahead_s, Ordering::Relaxed);
            fs::write(dir.join(file), records).unwrap();
            run_with(&dir, RunOptions { workers: 2, clock: ahead, ..RunOptions::once() });
            taken(&dir)
        };
        assert_eq!(counts(0, "in/0.x", &[12, 12, 15]), "");
        // The last timer of 12 counts.
        assert_eq!(counts(50, "in/1.x", &[12]), "");
        assert_eq!(counts(70, "in/2.x", &[50]), "1");
        assert_eq!(counts(120, "in/3.x", &[60]), "3");
        assert_eq!(counts(3_600, "in/4.x", &[]), "1 1");
        assert_eq!(counts(7_200, "in/5.x", &[]), "");
        audit(&dir);
    }
}
