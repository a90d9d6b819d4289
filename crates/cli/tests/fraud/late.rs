//! Records that come late, and those that come too late.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{NOON, alerts, flow_with, found, put};
use crate::common::tollgate::tollgate;

const TWICE: &str = "about = \"caller\"\nat-least = 2\nwithin = \"1 minute\"\n";

/// What takes the records that are too late.
const TAKEN: &str = "
[post-processing-system.too-late]
from    = \"calls.late\"
encode  = { type = \"Events.Event\", codec = \"csv\", columns = [\"time\", \"caller\"] }
deliver = { dir = \"late\", name = \"{stem}.csv\" }
";

/// Runs a flow on files, one after the other, whose records are of these seconds after noon. Returns what it wrote.
fn run_on(here: &Path, files: &[&[i64]]) -> Vec<String> {
    let run = |(number, times): (usize, &&[i64])| {
        let events: Vec<_> = times.iter().map(|time| (*time, "4670", "1", 1)).collect();
        put(here, &format!("{number}.csv"), &events);
        let (status, written) = tollgate(here, "run flow.toml --once");
        assert_eq!(status, 0, "{written}");
        written
    };
    files.iter().enumerate().map(run).collect()
}

#[test]
fn what_is_too_late_is_counted_and_does_not_count() {
    let folder = flow_with("late = \"10 minutes\"\n", &[("twice", TWICE)]);
    // The third file comes when the second is done. Some of it is so late that the first one is behind it.
    let written = run_on(folder.path(), &[&[0], &[3_600], &[1, 2_999, 3_000, 3_001]]);
    let late = "\"calls\": 2 records came too late for its rules";
    assert!(written[2].contains(late), "{}", written[2]);
    assert!(!written[1].contains("too late"), "{}", written[1]);
    assert_eq!(found(&alerts(folder.path(), "")), [("twice", "4670", "2.csv", 4)]);
    let all = fs::read_to_string(folder.path().join("out/2.csv")).unwrap();
    assert_eq!(all.lines().count(), 5, "they go on: {all}");
}

#[test]
fn what_is_too_late_goes_on_apart_if_that_is_wanted() {
    let folder = flow_with("late = \"10 minutes\"\ntoo-late = \"apart\"\n", &[("twice", TWICE)]);
    let here = folder.path();
    let check = || tollgate(here, "check flow.toml").1;
    assert!(check().contains("calls.late"), "no node takes it: {}", check());
    let text = fs::read_to_string(here.join("flow.toml")).unwrap();
    fs::write(here.join("flow.toml"), text + TAKEN).unwrap();
    assert!(!check().contains("warning"), "{}", check());
    run_on(here, &[&[0], &[3_600], &[1, 2_999, 3_000, 3_001]]);
    let lines = |path: &str| fs::read_to_string(here.join(path)).unwrap().lines().count();
    assert_eq!((lines("out/2.csv"), lines("late/2.csv")), (3, 3), "with a line of names each");
}

#[test]
fn no_file_is_late_because_others_are_done_first() {
    let folder = flow_with("", &[("twice", TWICE)]);
    let here = folder.path();
    let text = fs::read_to_string(here.join("flow.toml")).unwrap();
    fs::write(here.join("flow.toml"), text + "\n[processing]\nthreads = 16\n").unwrap();
    // Each is an hour behind the one before.
    for number in 1_000..1_300 {
        put(here, &format!("{number}.csv"), &[(3_600 * number, &number.to_string(), "1", 1)]);
    }
    let (status, written) = tollgate(here, "run flow.toml --once");
    assert_eq!(status, 0, "{written}");
    assert!(!written.contains("too late"), "{written}");
}

#[test]
fn an_alarm_says_that_records_are_judged_late() {
    let folder = flow_with("behind = \"30 minutes\"\n", &[("twice", TWICE)]);
    let here = folder.path();
    let alarms = || tollgate(here, "alarms flow.toml").1;
    // These records are of June.
    run_on(here, &[&[0]]);
    let text = "hours or more after they happened: what its rules find is late";
    assert!(alarms().contains("judging-behind") && alarms().contains(text), "{}", alarms());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64;
    put(here, "now.csv", &[(0, "4670", "1", 1), (now - NOON, "4670", "1", 1)]);
    assert_eq!(tollgate(here, "run flow.toml --once").0, 0);
    assert!(!alarms().contains("judging-behind"), "the last record is fresh: {}", alarms());
}

#[test]
fn the_alarm_of_late_judging_goes_with_its_limit() {
    let folder = flow_with("behind = \"30 minutes\"\n", &[("twice", TWICE)]);
    let here = folder.path();
    let alarms = || tollgate(here, "alarms flow.toml").1;
    run_on(here, &[&[0]]);
    assert!(alarms().contains("judging-behind"), "{}", alarms());
    let text = fs::read_to_string(here.join("flow.toml")).unwrap();
    fs::write(here.join("flow.toml"), text.replace("behind = \"30 minutes\"\n", "")).unwrap();
    assert_eq!(tollgate(here, "run flow.toml --once").0, 0);
    assert!(!alarms().contains("judging-behind"), "it has no limit any more: {}", alarms());
}
