//! Limits by the prefix of a number, the day and the hour.

use std::fs;

use super::{alerts, expect_mistake, flow, found, put, run};
use crate::common::tollgate::tollgate;

const COSTLY: &str = "\
about = \"caller\"
limits = \"limits.csv\"
limits-by = \"record.called\"
score = 30
score-critical = 90
again = \"1 second\"
[measures]
calls = { count = true, over = \"1 hour\" }
talk = { sum = \"record.seconds\", over = \"1 hour\" }
";

const LIMITS: &str = "\
prefix,days,hours,calls-warning,calls-critical,talk-warning
88,,,2,4,
882,,,,,100
882,mon,12-13,,,50
";

#[test]
fn the_longest_prefix_has_the_limits_and_the_worse_one_fires() {
    let folder = flow(&[("costly", COSTLY)]);
    let here = folder.path();
    fs::write(here.join("rules/limits.csv"), LIMITS).unwrap();
    let of_88 = |at| (at, "4670", "881", 1);
    put(here, "1.csv", &[of_88(0), of_88(1), of_88(2), of_88(3), (4, "4670", "46", 900)]);
    // It is Monday noon: 50 seconds are the limit, and 100 an hour later.
    put(
        here,
        "2.csv",
        &[(5, "4671", "8821", 60), (3_605, "4672", "8821", 60), (3_606, "4672", "8821", 40)],
    );
    run(here);
    let all = alerts(here, "");
    let mut shown: Vec<_> = all
        .iter()
        .map(|of| {
            let text = |name: &str| of[name].as_str().unwrap().to_owned();
            (
                text("key"),
                of["record"].as_i64().unwrap(),
                text("severity"),
                of["score"].as_i64().unwrap(),
                text("condition"),
            )
        })
        .collect();
    // Either file may be judged first.
    shown.sort();
    let expected = |key: &str, record, severity: &str, score, condition: &str| {
        (key.to_owned(), record, severity.to_owned(), score, condition.to_owned())
    };
    assert_eq!(
        shown,
        [
            expected("4670", 2, "warning", 30, "calls 2 >= 2"),
            expected("4670", 3, "warning", 30, "calls 3 >= 2"),
            expected("4670", 4, "critical", 90, "calls 4 >= 4"),
            expected("4671", 1, "warning", 30, "talk 60 >= 50"),
            expected("4672", 3, "warning", 30, "talk 100 >= 100"),
        ]
    );
}

#[test]
fn a_table_that_changes_takes_effect_and_a_wrong_one_does_not() {
    let folder = flow(&[("costly", COSTLY)]);
    let here = folder.path();
    let table = here.join("rules/limits.csv");
    fs::write(&table, "prefix,calls-warning\n88,3\n").unwrap();
    put(here, "1.csv", &[(0, "4670", "881", 1)]);
    run(here);
    fs::write(&table, "prefix,calls-warning\n88,2\n").unwrap();
    put(here, "2.csv", &[(1, "4670", "881", 1)]);
    run(here);
    let all = alerts(here, "");
    assert_eq!(found(&all), [("costly", "4670", "2.csv", 1)], "what was counted stays");
    fs::write(&table, "prefix,days,calls-warning,fee-critical\n88,someday,2,1\n").unwrap();
    let (status, said) = tollgate(here, "check flow.toml");
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("limits.csv:2:4") && said.contains("\"someday\" says no days"), "{said}");
}

#[test]
fn limits_go_with_the_measures_of_their_rule() {
    let folder = flow(&[("costly", COSTLY)]);
    let table = folder.path().join("rules/limits.csv");
    fs::write(&table, "prefix,fee-critical\n88,1\n").unwrap();
    expect_mistake(folder.path(), "costly.toml", ("2:11", "has limits of \"fee\""));
    let twice = COSTLY.replace("score = 30", "when = 'calls > 1'");
    fs::write(folder.path().join("rules/costly.toml"), twice).unwrap();
    expect_mistake(folder.path(), "costly.toml", ("4:9", "\"limits\" or \"when\", not both"));
}
