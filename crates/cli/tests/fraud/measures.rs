//! Measures beyond counts: windows of the calendar, sessions, calls at once, answers that are missing, and habits.

use super::{alerts, expect_mistake, flow, flow_with, found, put, run};

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// A rule about callers with one measure.
fn rule(measure: &str, when: &str) -> String {
    format!("about = \"caller\"\nwhen = '{when}'\nagain = \"1 second\"\n[measures]\n{measure}\n")
}

#[test]
fn a_day_is_that_of_the_zone() {
    let each_day = rule("calls = { count = true, each = \"day\" }", "calls >= 2");
    let calls =
        [(9 * HOUR, "4670", "1", 1), (11 * HOUR, "4670", "2", 1), (13 * HOUR, "4670", "3", 1)];
    let in_zone = |zone: &str| {
        let folder = flow_with(zone, &[("daily", &each_day)]);
        put(folder.path(), "1.csv", &calls);
        run(folder.path());
        found(&alerts(folder.path(), "")).iter().map(|of| of.3).collect::<Vec<i64>>()
    };
    assert_eq!(in_zone(""), [2], "the last call is of the next day");
    assert_eq!(
        in_zone("time-zone = \"Europe/Stockholm\"\n"),
        [3],
        "midnight is after the first one"
    );
}

#[test]
fn a_session_ends_with_a_pause() {
    let dialer = rule("calls = { count = true, gap = \"1 minute\" }", "calls >= 3");
    let folder = flow(&[("dialer", &dialer)]);
    let at = |seconds: i64| (seconds, "4670", "1", 1);
    put(folder.path(), "1.csv", &[at(0), at(60), at(121), at(180), at(240), at(301)]);
    run(folder.path());
    assert_eq!(found(&alerts(folder.path(), "")), [("dialer", "4670", "1.csv", 5)]);
}

#[test]
fn calls_at_the_same_time_are_counted_by_their_lengths() {
    let collision =
        rule("lines = { concurrent = \"record.seconds\", over = \"1 hour\" }", "lines >= 2");
    let folder = flow(&[("collision", &collision)]);
    let calls =
        [(0, "4670", "1", 60), (60, "4670", "2", 30), (80, "4670", "3", 5), (85, "4670", "4", 1)];
    put(folder.path(), "1.csv", &calls);
    run(folder.path());
    let all = alerts(folder.path(), "");
    let records: Vec<i64> = found(&all).iter().map(|of| of.3).collect();
    assert_eq!(records, [3, 4], "a call that begins as another one ends is not beside it");
    assert_eq!(all[0]["condition"], "lines 2 >= 2");
}

#[test]
fn what_gets_no_answer_in_time_is_counted() {
    let lures = rule(
        "silent = { unanswered = \"record.called\", where = \"record.seconds == 0\", \
         by = \"record.seconds > 0\", within = \"1 minute\", over = \"1 hour\" }",
        "silent >= 2",
    );
    let folder = flow_with("late = \"10 seconds\"\n", &[("lures", &lures)]);
    let ring = |at: i64, called| (at, "4670", called, 0);
    let rings = [ring(0, "1"), ring(1, "2"), (30, "4670", "2", 9), ring(40, "3"), ring(120, "4")];
    put(folder.path(), "1.csv", &rings);
    run(folder.path());
    let all = alerts(folder.path(), "");
    assert_eq!(found(&all), [("lures", "4670", "1.csv", 5)]);
    assert_eq!(all[0]["condition"], "silent 2 >= 2");
}

#[test]
fn what_is_usual_is_that_of_the_hour_of_the_week() {
    let unusual = rule(
        "calls = { count = true, each = \"hour\", usual = \"hour of week\" }",
        "calls >= calls-usual + 3 * calls-deviation",
    );
    let folder = flow(&[("unusual", &unusual)]);
    for week in -5..0 {
        let calls: Vec<_> = (0..4).map(|call| (week * 7 * DAY + call, "4670", "1", 1)).collect();
        put(folder.path(), &format!("{}.csv", week + 5), &calls);
        run(folder.path());
    }
    assert!(alerts(folder.path(), "").is_empty());
    let calls: Vec<_> = (0..12).map(|call| (call, "4670", "1", 1)).collect();
    put(folder.path(), "now.csv", &calls);
    run(folder.path());
    let all = alerts(folder.path(), "");
    assert_eq!(found(&all)[0], ("unusual", "4670", "now.csv", 10));
    assert_eq!(all[0]["condition"], "calls 10 >= calls-usual 4 + 3 * calls-deviation 2");
}

#[test]
fn functions_of_a_script_are_conditions_and_values() {
    let script = "BOOLEAN isLong(record CONST Event)\n{\n    return record.seconds > 60 && record.called != \"5\";\n}\n";
    let rule = "about = \"caller\"\nscript = \"calls.dup\"\nwhere = \"isLong\"\nat-least = 2\nwithin = \"1 hour\"\n";
    let folder = flow(&[("long", rule)]);
    std::fs::write(folder.path().join("rules/calls.dup"), script).unwrap();
    put(
        folder.path(),
        "1.csv",
        &[(0, "4670", "1", 61), (1, "4670", "5", 61), (2, "4670", "1", 62)],
    );
    run(folder.path());
    assert_eq!(found(&alerts(folder.path(), "")), [("long", "4670", "1.csv", 3)]);
}

#[test]
fn mistakes_of_measures_have_their_places() {
    for (measure, place, message) in [
        ("a = { count = true }", "5:7", "has one of \"over\", \"each\" and \"gap\""),
        ("a = { count = true, each = \"week\" }", "5:29", "hour, day"),
        ("a = { count = true, each = \"day\", step = \"1 hour\" }", "5:43", "is for \"over\""),
        (
            "a = { count = true, over = \"1 day\", by = \"record.seconds > 0\" }",
            "5:43",
            "is for \"unanswered\"",
        ),
        ("a = { unanswered = \"record.called\", over = \"1 day\" }", "5:7", "\"by\""),
        (
            "a = { max = \"record.seconds\", over = \"1 hour\", usual = \"hour of week\" }",
            "5:57",
            "is of a count or a sum",
        ),
        (
            "a = { concurrent = \"record.seconds\", gap = \"1 minute\" }",
            "5:45",
            "this measure has \"over\"",
        ),
    ] {
        let folder = flow(&[("rule", &rule(measure, "a > 1"))]);
        expect_mistake(folder.path(), "rule.toml", (place, message));
    }
    let zone = flow_with(
        "time-zone = \"Mars/Base\"\n",
        &[("rule", &rule("a = { count = true, each = \"day\" }", "a > 1"))],
    );
    expect_mistake(zone.path(), "flow.toml", ("14:14", "no time zone of this name"));
}
