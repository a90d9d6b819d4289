//! Tests the counters of subscribers: they go on from file to file, and count each record once.

use std::fs;

use super::site::{
    call_of, change, counters, counting, flow_with_script, prices, put, run, tollgate,
};

#[test]
fn counters_of_subscribers_go_on_from_file_to_file() {
    let folder = counting(&call_of(5_000, "0701234567", "20261005"));
    let here = folder.path();
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    // The same subscriber, dialled in another form; another subscriber; and the month before.
    put(
        here,
        "two.csv",
        &[
            call_of(1_060, "+46701234567", "20261006"),
            call_of(60, "0701234567", "20261006"),
            call_of(60, "0707654321", "20261006"),
            call_of(60, "0701234567", "20260930"),
        ]
        .concat(),
    );
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    assert_eq!(
        (prices(here, "calls"), prices(here, "two")),
        (
            vec!["0".to_owned()],
            // The bundle has 1000 seconds left: a minute is paid; then a whole call with its set-up charge.
            ["60", "109", "0", "0"].map(str::to_owned).to_vec(),
        )
    );
    assert_eq!(
        counters(here, "46701234567"),
        "price\tbundle\tplus-100\t2026-10\t6000\tseconds\ttwo.csv\n\
         price\tbundle\tplus-100\t2026-09\t60\tseconds\ttwo.csv\n"
    );
    assert!(counters(here, "46707654321 --json").contains("\"used\":\"60\""));
    assert!(counters(here, "46700000000").contains("no counters of \"46700000000\" are kept"));
}

#[test]
fn a_record_that_is_set_aside_was_not_counted_and_is_when_it_is_retried() {
    let script = "declare wrong TABLE \"wrong.csv\";
NULL special(record Record)
{ if (present(lookup(wrong, toString(record.duration)))) { reject(\"not yet\"); } }
";
    let calls = [call_of(5_970, "0701234567", "20261005"), call_of(60, "0701234567", "20261005")];
    let folder = flow_with_script(&calls.concat(), script);
    let here = folder.path();
    change(&here.join("flow.toml"), "counters = \"ignored\"", "counters = \"kept\"");
    change(&here.join("tariff/tariff.toml"), "subscriber = \"consumer\"", "subscriber = \"plus\"");
    fs::write(here.join("wrong.csv"), "seconds,why\n5970,test\n").unwrap();
    assert_eq!(run(here, "run flow.toml --once").0, 1);
    assert!(counters(here, "46701234567").contains("2026-10\t60\tseconds"));
    fs::write(here.join("wrong.csv"), "seconds,why\n1,test\n").unwrap();
    assert_eq!(run(here, "suspense retry flow.toml --all").0, 0);
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    assert!(counters(here, "46701234567").contains("2026-10\t6000\tseconds"));
    let retried: Vec<String> = fs::read_dir(here.join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|stem| stem.contains("retry"))
        .collect();
    assert_eq!(prices(here, &retried[0]), ["30"], "half a minute was used up");
}

#[test]
fn what_was_counted_comes_again_only_if_that_is_said() {
    let folder = counting(&call_of(60, "0701234567", "20261005"));
    let here = folder.path();
    assert_eq!(run(here, "run flow.toml --once").0, 0);
    let again = "files again flow.toml --all --because mistake";
    let (status, said) = run(here, again);
    assert_eq!(status, 2);
    assert!(said.contains("would count the records a second time"), "{said}");
    assert_eq!(run(here, &format!("{again} --even-counters")).0, 0);
}

#[test]
fn what_a_clock_that_is_ahead_wrote_is_not_counted() {
    let folder = counting(&call_of(60, "0701234567", "20261005"));
    let here = folder.path();
    put(here, "ahead.csv", &call_of(60, "0701234567", "20980101"));
    assert_eq!(run(here, "run flow.toml --once").0, 1);
    let listed = tollgate(here, "suspense list flow.toml").output().unwrap().stdout;
    let listed = String::from_utf8(listed).unwrap();
    assert!(listed.contains("it was made in the future"), "{listed}");
    assert!(listed.contains("switch/ahead.csv\t1\t"), "{listed}");
    assert!(!counters(here, "46701234567").contains("2098"));
}
