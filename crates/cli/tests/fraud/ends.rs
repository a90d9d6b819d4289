//! Rules at the end of an hour or a day: of each key, without a record.

use serde_json::Value;

use super::{alerts, expect_mistake, flow, flow_with, put, run};

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// A rule at the end of the day about callers that call, and hang up.
const SILENT: &str = "\
about = \"caller\"
at    = \"end of day\"
when  = 'calls >= 2 && short * 10 >= calls * 9'
score = 60

[measures]
calls = { count = true, each = \"day\" }
short = { count = true, where = \"record.seconds < 3\", each = \"day\" }
";

/// Returns key, time and condition of alerts.
fn found(alerts: &[Value]) -> Vec<(&str, &str, &str)> {
    alerts
        .iter()
        .map(|of| {
            let text = |name: &str| of[name].as_str().unwrap();
            (text("key"), text("at"), text("condition"))
        })
        .collect()
}

#[test]
fn the_whole_day_is_judged_once_it_is_over_and_late_records_are_in() {
    let folder = flow(&[("silent", SILENT)]);
    let here = folder.path();
    // Both hang up twice; one of them talks in the evening, which is known at midnight.
    let calls =
        [(0, "4670", "1", 1), (10, "4670", "2", 1), (20, "4671", "1", 1), (30, "4671", "1", 1)];
    put(here, "1.csv", &calls);
    put(here, "2.csv", &[(11 * HOUR, "4671", "3", 60), (12 * HOUR + 899, "4672", "1", 1)]);
    run(here);
    assert_eq!(found(&alerts(here, "")), []);
    // With the record that is 15 minutes behind midnight, none of the day counts any more, from the next file on.
    put(here, "3.csv", &[(12 * HOUR - 1, "4670", "4", 1), (12 * HOUR + 900, "4673", "1", 1)]);
    run(here);
    assert_eq!(found(&alerts(here, "")), []);
    put(here, "4.csv", &[(12 * HOUR + 900, "4674", "1", 1)]);
    run(here);
    let all = alerts(here, "");
    let condition = "calls 3 >= 2 && short 3 * 10 >= calls 3 * 9";
    assert_eq!(found(&all), [("4670", "2026-06-01T23:59:59Z", condition)]);
    assert_eq!((&all[0]["file"], &all[0]["record"]), (&"4.csv".into(), &1.into()));
    let evidence = all[0]["evidence"].as_array().unwrap();
    let places: Vec<_> = evidence.iter().map(|of| (of["file"].as_str(), &of["record"])).collect();
    let [one, two] = [1, 2].map(Value::from);
    assert_eq!(places, [(Some("1.csv"), &one), (Some("1.csv"), &two), (Some("3.csv"), &one)]);
}

#[test]
fn an_end_is_that_of_the_zone_and_each_one_has_its_alert() {
    let hourly = "\
about = \"caller\"
at    = \"end of hour\"
when  = 'calls >= 1'

[measures]
calls = { count = true, each = \"hour\" }
";
    let folder = flow_with("time-zone = \"Asia/Kolkata\"\n", &[("hourly", hourly)]);
    let here = folder.path();
    put(here, "1.csv", &[(0, "4670", "1", 1), (HOUR, "4670", "1", 1), (3 * HOUR, "4670", "1", 1)]);
    run(here);
    put(here, "2.csv", &[(3 * HOUR, "4670", "1", 1)]);
    run(here);
    let ends = ["2026-06-01T12:29:59Z", "2026-06-01T13:29:59Z"];
    assert_eq!(found(&alerts(here, "")), ends.map(|at| ("4670", at, "calls 1 >= 1")));
}

#[test]
fn a_key_that_falls_silent_is_found_as_long_as_something_of_it_counts() {
    let quiet = "\
about = \"caller\"
at    = \"end of day\"
when  = 'calls == 0 && week >= 1'

[measures]
calls = { count = true, each = \"day\" }
week  = { count = true, over = \"3 days\" }
";
    let folder = flow(&[("quiet", quiet)]);
    let here = folder.path();
    put(here, "1.csv", &[(0, "4670", "1", 1), (1, "4671", "1", 1), (DAY, "4671", "1", 1)]);
    run(here);
    for (name, key) in [("2.csv", "4672"), ("3.csv", "4673")] {
        put(here, name, &[(5 * DAY, key, "1", 1)]);
        run(here);
    }
    let all = alerts(here, "");
    let days: Vec<_> = found(&all).iter().map(|(key, at, _)| (*key, &at[..10])).collect();
    let expected = [
        ("4670", "2026-06-02"),
        ("4670", "2026-06-03"),
        ("4671", "2026-06-03"),
        ("4671", "2026-06-04"),
    ];
    assert_eq!(days, expected);
}

#[test]
fn after_a_start_a_day_ends_as_without_one() {
    let [one, other] = [(); 2].map(|()| flow(&[("silent", SILENT)]));
    let files =
        [(0, "4670"), (HOUR, "4670"), (2 * HOUR, "4671"), (13 * HOUR, "4672"), (13 * HOUR, "4673")];
    for (place, (at, key)) in files.into_iter().enumerate() {
        let name = format!("{place}.csv");
        put(one.path(), &name, &[(at, key, "1", 1)]);
        put(other.path(), &name, &[(at, key, "1", 1)]);
        // Each file of one has a start of its own, and the first three of the other have the same.
        run(one.path());
        if place >= 2 {
            run(other.path());
        }
    }
    let [one, other] = [one, other].map(|folder| alerts(folder.path(), ""));
    assert_eq!(found(&one).len(), 1);
    assert_eq!(found(&one), found(&other));
}

#[test]
fn before_its_first_record_no_day_is_judged() {
    let last = "\
about = \"caller\"
at    = \"end of day\"
when  = 'calls == 0 && length >= 1'

[measures]
calls  = { count = true, each = \"day\" }
length = { last = \"record.seconds\", for = \"30 days\" }
";
    let folder = flow(&[("quiet", last)]);
    let here = folder.path();
    put(here, "1.csv", &[(0, "4670", "1", 1)]);
    run(here);
    for (name, key) in [("2.csv", "4671"), ("3.csv", "4672")] {
        put(here, name, &[(3 * DAY, key, "1", 1)]);
        run(here);
    }
    let all = alerts(here, "");
    let days: Vec<_> = found(&all).iter().map(|(key, at, _)| (*key, &at[..10])).collect();
    assert_eq!(days, [("4670", "2026-06-02"), ("4670", "2026-06-03")]);
}

#[test]
fn a_value_of_zero_is_one() {
    let shortest = "\
about = \"caller\"
at    = \"end of day\"
when  = 'shortest == 0'

[measures]
shortest = { min = \"record.seconds\", each = \"day\" }
";
    let folder = flow(&[("shortest", shortest)]);
    let here = folder.path();
    put(here, "1.csv", &[(0, "4670", "1", 0), (1, "4671", "1", 5)]);
    run(here);
    for (name, key) in [("2.csv", "4672"), ("3.csv", "4673")] {
        put(here, name, &[(DAY, key, "1", 5)]);
        run(here);
    }
    let all = alerts(here, "");
    let keys: Vec<_> = found(&all).iter().map(|(key, ..)| *key).collect();
    assert_eq!(keys, ["4670"]);
}

#[test]
fn mistakes_of_ends_have_their_places() {
    for (rule, expected) in [
        (
            SILENT.replace("end of day", "end of week"),
            ("2:10", "known here: end of hour, end of day"),
        ),
        (
            SILENT.replace("calls >= 2", "record.seconds >= 2"),
            ("3:10", "there is no record at an end, and so no \"record.seconds\""),
        ),
        (
            "about = \"caller\"\nat = \"end of day\"\nat-least = 2\nwithin = \"1 day\"\n"
                .to_owned(),
            ("3:12", "\"at-least\" is judged with a record, and not at an end"),
        ),
    ] {
        let folder = flow(&[("silent", &rule)]);
        expect_mistake(folder.path(), "silent.toml", expected);
    }
}
