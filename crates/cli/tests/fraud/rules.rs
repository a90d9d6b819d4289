//! Rules that compare counts, across files, and when they change.

use std::fs;

use serde_json::Value;

use super::{alerts, expect_mistake, flow, found, put, run};
use crate::common::gateway::Gateway;
use crate::common::tollgate::tollgate;
use crate::common::wait::wait_for;

const TWICE: &str = "\
about    = \"pair\"
at-least = 2
within   = \"1 minute\"
score    = 60
";

const WANGIRI: &str = "\
title = \"one number, many called, hardly any answered\"
about = \"caller\"
when  = \"numbers >= 3 && short * 10 >= calls * 9 && record.seconds < 3\"
again = \"1 hour\"
score = 70
evidence = 3
[measures]
calls   = { count = true, over = \"10 minutes\" }
short   = { count = true, where = \"record.seconds < 3\", over = \"10 minutes\" }
numbers = { distinct = \"record.called\", over = \"10 minutes\" }
";

#[test]
fn rules_find_what_they_say_across_files_and_records_go_on() {
    let folder = flow(&[("twice", TWICE), ("wangiri", WANGIRI)]);
    let here = folder.path();
    put(here, "1.csv", &[(0, "4670", "1", 2), (10, "4670", "2", 1), (20, "4671", "9", 60)]);
    run(here);
    assert_eq!(alerts(here, ""), [] as [Value; 0]);
    put(here, "2.csv", &[(30, "4671", "9", 50), (40, "4670", "3", 0), (50, "4670", "4", 0)]);
    run(here);
    let all = alerts(here, "");
    let expected = [("twice", "4671>9", "2.csv", 1), ("wangiri", "4670", "2.csv", 2)];
    assert_eq!(found(&all), expected);
    let wangiri = &all[1];
    let condition = "numbers 3 >= 3 && short 3 * 10 >= calls 3 * 9 && record.seconds 0 < 3";
    assert_eq!(wangiri["condition"], condition);
    assert_eq!((&wangiri["at"], &wangiri["score"]), (&"2026-06-01T12:00:40Z".into(), &70.into()));
    assert_eq!(all[0]["condition"], "events 2 >= 2");
    let record =
        |of: &Value| (of["file"].as_str().unwrap().to_owned(), of["record"].as_i64().unwrap());
    let evidence: Vec<_> = wangiri["evidence"].as_array().unwrap().iter().map(record).collect();
    let [first, second] = ["1.csv", "2.csv"].map(str::to_owned);
    assert_eq!(evidence, [(first.clone(), 1), (first, 2), (second, 2)]);
    assert_eq!(all[0]["evidence"], Value::Array(vec![]));
    let out = fs::read_to_string(here.join("out/2.csv")).unwrap();
    assert_eq!(out.lines().count(), 4, "all records go on: {out}");
    assert_eq!(alerts(here, "--rule twice").len(), 1);
    assert_eq!(alerts(here, "--key 4670").len(), 1);
    assert_eq!(alerts(here, "--from 2026-06-01T12:00:35Z").len(), 1);
    let (_, table) = tollgate(here, "fraud alerts flow.toml");
    assert!(table.contains("wangiri") && table.contains(condition), "{table}");
}

#[test]
fn the_same_files_in_the_same_order_give_the_same_alerts() {
    let [one, other] = [(); 2].map(|()| {
        let folder = flow(&[("twice", TWICE), ("wangiri", WANGIRI)]);
        for file in 0..5 {
            let of = |place: i64| (file * 60 + place, "4670", ["1", "1", "3"][place as usize], 1);
            put(folder.path(), &format!("{file}.csv"), &[of(0), of(1), of(2)]);
            run(folder.path());
        }
        alerts(folder.path(), "")
    });
    assert!(one.len() > 3);
    assert_eq!(one, other);
}

#[test]
fn a_threshold_that_changes_keeps_what_was_counted() {
    let folder = flow(&[("twice", TWICE)]);
    let here = folder.path();
    put(here, "1.csv", &[(0, "4670", "1", 2)]);
    run(here);
    fs::write(here.join("rules/twice.toml"), TWICE.replace("at-least = 2", "at-least = 3"))
        .unwrap();
    put(here, "2.csv", &[(1, "4670", "1", 2)]);
    run(here);
    assert_eq!(alerts(here, ""), [] as [Value; 0]);
    put(here, "3.csv", &[(2, "4670", "1", 2)]);
    run(here);
    assert_eq!(found(&alerts(here, "")), [("twice", "4670>1", "3.csv", 1)]);
}

#[test]
fn a_rule_of_another_name_keeps_what_was_counted() {
    let folder = flow(&[("twice", TWICE), ("wangiri", WANGIRI)]);
    let here = folder.path();
    put(here, "1.csv", &[(0, "4670", "1", 2), (10, "4670", "2", 1)]);
    run(here);
    fs::rename(here.join("rules/wangiri.toml"), here.join("rules/a-first-one.toml")).unwrap();
    fs::rename(here.join("rules/twice.toml"), here.join("rules/zzz.toml")).unwrap();
    put(here, "2.csv", &[(20, "4670", "3", 0)]);
    run(here);
    assert_eq!(found(&alerts(here, "")), [("a-first-one", "4670", "2.csv", 1)]);
}

#[test]
fn a_measure_that_changes_begins_again_with_an_alarm() {
    let folder = flow(&[("twice", TWICE)]);
    let here = folder.path();
    put(here, "1.csv", &[(0, "4670", "1", 2)]);
    run(here);
    let changed = TWICE.replace("1 minute", "2 minutes");
    fs::write(here.join("rules/twice.toml"), changed).unwrap();
    put(here, "2.csv", &[(1, "4670", "1", 2)]);
    let (_, said) = tollgate(here, "run flow.toml --once");
    assert_eq!(alerts(here, ""), [] as [Value; 0], "{said}");
    let (_, alarms) = tollgate(here, "alarms flow.toml");
    let text = "the measures or subjects of \"calls\" were changed: it counts from the beginning, without the records of 1 file";
    assert!(alarms.contains(text), "{alarms}");
}

/// What is new has not counted what was before: a rule that compares it with what is not new would fire for all.
#[test]
fn a_new_measure_leaves_the_others_as_they_are_and_its_rule_waits_for_it() {
    let often = "about = \"caller\"\nscore = 10\nwhen = \"calls >= 3\"\nagain = \"1 second\"\n[measures]\n\
                 calls = { count = true, over = \"10 minutes\" }\n";
    let folder = flow(&[("often", often), ("twice", TWICE)]);
    let here = folder.path();
    put(here, "1.csv", &[(0, "4670", "1", 0), (1, "4670", "2", 9), (2, "4671", "3", 9)]);
    run(here);

    let short = "short = { count = true, where = \"record.seconds < 3\", over = \"10 minutes\" }\n";
    let changed = often.replace("calls >= 3", "calls >= 3 && short == 0") + short;
    fs::write(here.join("rules/often.toml"), changed).unwrap();
    put(here, "2.csv", &[(3, "4670", "1", 9), (4, "4671", "3", 9), (5, "4671", "5", 9)]);
    let (status, said) = tollgate(here, "run flow.toml --once");
    assert_eq!(status, 0, "{said}");
    let later = "the rule \"often\" of \"calls\" is judged from 2026-06-01T12:10:03Z on: \
                 some of its measures are new, and count all of their time then";
    assert!(said.contains(later), "{said}");
    let expected = [("twice", "4670>1", "2.csv", 1), ("twice", "4671>3", "2.csv", 2)];
    assert_eq!(found(&alerts(here, "")), expected);
    let (_, alarms) = tollgate(here, "alarms flow.toml");
    assert!(!alarms.contains("from the beginning"), "{alarms}");

    // It is so after each start, and until then only.
    put(here, "3.csv", &[(602, "4671", "6", 9), (602, "4671", "7", 9), (602, "4671", "8", 9)]);
    run(here);
    assert_eq!(alerts(here, "").len(), 2);
    put(here, "4.csv", &[(604, "4671", "9", 9)]);
    let (_, said) = tollgate(here, "run flow.toml --once");
    assert!(said.contains(later), "{said}");
    assert_eq!(found(&alerts(here, "--rule often")), [("often", "4671", "4.csv", 1)]);
    put(here, "5.csv", &[(605, "4671", "10", 9)]);
    let (_, said) = tollgate(here, "run flow.toml --once");
    assert!(!said.contains("is judged from"), "{said}");
}

#[test]
fn a_second_change_does_not_end_the_wait_for_the_first() {
    let rule = |of_calls: &str, when: &str, more: &str| {
        format!(
            "about = \"caller\"\nscore = 10\nwhen = \"calls >= 2{when}\"\n[measures]\n\
             calls = {{ count = true, over = \"{of_calls}\" }}\n{more}"
        )
    };
    let folder = flow(&[("often", &rule("10 minutes", "", "")), ("twice", TWICE)]);
    let here = folder.path();
    put(here, "1.csv", &[(0, "4670", "1", 9)]);
    run(here);
    let short = "short = { count = true, where = \"record.seconds < 3\", over = \"1 hour\" }\n";
    for (file, of_calls) in ["10 minutes", "5 minutes"].into_iter().enumerate() {
        let changed = rule(of_calls, " && short == 0", short);
        fs::write(here.join("rules/often.toml"), changed).unwrap();
        put(here, &format!("{file}-more.csv"), &[(400 + file as i64, "4671", "1", 9)]);
        let (_, said) = tollgate(here, "run flow.toml --once");
        assert!(said.contains("is judged from 2026-06-01T13:00:01Z on"), "{said}");
    }
    // Forms that nothing is stored in are forgotten.
    for of_calls in ["4 minutes", "3 minutes", "2 minutes"] {
        fs::write(here.join("rules/often.toml"), rule(of_calls, "", "")).unwrap();
        run(here);
    }
    let journal = rusqlite::Connection::open(here.join("flow.state/journal.db")).unwrap();
    let count = "SELECT count(*) FROM state_form";
    let forms: i64 = journal.query_row(count, [], |row| row.get(0)).unwrap();
    assert!((1..=2).contains(&forms), "{forms}");
}

#[test]
fn only_what_would_be_wrong_is_waited_for() {
    let often = "about = \"caller\"\nscore = 10\nwhen = \"calls >= 2\"\nagain = \"1 day\"\n[measures]\n\
                 calls = { count = true, each = \"hour\" }\n";
    let folder = flow(&[("often", often), ("twice", TWICE)]);
    let here = folder.path();
    put(here, "1.csv", &[(0, "4670", "1", 0), (1, "4670", "2", 9)]);
    run(here);
    assert_eq!(alerts(here, "").len(), 1);
    let changed = |when: &str, measure: &str, called: &str| {
        fs::write(here.join("rules/often.toml"), often.replace("calls >= 2", when) + measure)
            .unwrap();
        put(here, &format!("{called}.csv"), &[(3, "4670", called, 0)]);
        let (status, said) = tollgate(here, "run flow.toml --once");
        assert_eq!(status, 0, "{said}");
        said.contains("\"often\" of \"calls\" is judged from")
    };
    // These are absent until they are known.
    let usual = often.replace("each = \"hour\"", "each = \"hour\", usual = \"hour of week\"");
    fs::write(here.join("rules/often.toml"), usual.replace("calls >= 2", "calls >= calls-usual"))
        .unwrap();
    let (_, said) = tollgate(here, "run flow.toml --once");
    assert!(!said.contains("is judged from"), "{said}");
    let last = "last = { last = \"record.time\", for = \"1 day\" }\n";
    assert!(!changed("calls >= 2 && record.time - last < 9", last, "3"));
    let first = "begun = { first = \"record.time\", for = \"1 day\" }\n";
    assert!(changed("calls >= 2 && record.time - begun < 9", first, "4"));
    // Nothing of it is left but that it was alerted.
    assert!(!changed("more >= 1", "more = { count = true, over = \"2 hours\" }\n", "5"));
    assert_eq!(alerts(here, "--rule often").len(), 1);
}

#[test]
fn measures_stay_when_rules_change_and_change_back() {
    let other = "about = \"caller\"\nscore = 10\nat-least = 9\nwithin = \"1 hour\"\n";
    let folder = flow(&[("twice", TWICE)]);
    let here = folder.path();
    for round in 0..4 {
        put(here, &format!("{round}.csv"), &[(round, "4670", "1", 2)]);
        run(here);
        let has_other = round % 2 == 0;
        match has_other {
            true => fs::write(here.join("rules/other.toml"), other).unwrap(),
            false => fs::remove_file(here.join("rules/other.toml")).unwrap(),
        }
    }
    assert_eq!(found(&alerts(here, "")), [("twice", "4670>1", "1.csv", 1)]);
    let thrice = TWICE.replace("at-least = 2", "at-least = 5");
    fs::write(here.join("rules/thrice.toml"), thrice).unwrap();
    put(here, "5.csv", &[(5, "4670", "1", 2)]);
    run(here);
    assert_eq!(found(&alerts(here, "--rule thrice")), [("thrice", "4670>1", "5.csv", 1)]);
    // There are no files since what was read was stored again.
    fs::write(here.join("rules/other.toml"), other).unwrap();
    run(here);
    let flow = fs::read_to_string(here.join("flow.toml")).unwrap();
    let flow = flow.replace("caller = record.caller", "caller = concat(\"+\", record.caller)");
    let flow = flow.replace("pair = concat(record", "pair = concat(\"+\", record");
    let flow = flow.replace(
        "\"caller = concat(\"+\", record.caller)\"",
        "'caller = concat(\"+\", record.caller)'",
    );
    fs::write(here.join("flow.toml"), flow).unwrap();
    run(here);
    let (_, alarms) = tollgate(here, "alarms flow.toml");
    let text = "it counts from the beginning, without the records of earlier files";
    assert!(alarms.contains(text), "{alarms}");
}

#[test]
fn rules_that_change_while_files_come_lose_no_count() {
    const FILES: i64 = 60;
    let all = format!("about = \"caller\"\nat-least = {FILES}\nwithin = \"1 hour\"\nscore = 10\n");
    let folder = flow(&[("all", &all)]);
    let here = folder.path();
    let _gateway = Gateway::start(here);
    wait_for("a gateway that answers", || tollgate(here, "reload flow.toml").0 == 0);
    for file in 0..FILES {
        put(here, &format!("{file}.csv"), &[(file, "4670", "1", 2)]);
        if file % 10 == 9 {
            let other = all.replace("1 hour", &format!("{file} hours"));
            let other = other.replace(&FILES.to_string(), "999");
            fs::write(here.join("other.part"), other).unwrap();
            fs::rename(here.join("other.part"), here.join("rules/other.toml")).unwrap();
            let (status, answer) = tollgate(here, "reload flow.toml");
            assert_eq!(status, 0, "{answer}");
        }
    }
    let is_out = |file: i64| here.join(format!("out/{file}.csv")).exists();
    wait_for("all files", || (0..FILES).all(is_out));
    assert_eq!(alerts(here, "--rule all").len(), 1);
    assert_eq!(alerts(here, "--rule other"), [] as [Value; 0]);
}

#[test]
fn a_file_that_comes_twice_counts_once() {
    let folder = flow(&[("twice", TWICE)]);
    let here = folder.path();
    for name in ["1.csv", "same.csv"] {
        put(here, name, &[(0, "4670", "1", 2)]);
    }
    let (status, said) = tollgate(here, "run flow.toml --once");
    assert_ne!(status, 0, "{said}");
    assert_eq!(alerts(here, ""), [] as [Value; 0]);
}

#[test]
fn mistakes_of_rules_have_their_places() {
    for (rule, expected) in [
        (
            "about = \"caler\"\nat-least = 2\nwithin = \"1 minute\"\n",
            ("1:10", "there is no subject \"caler\""),
        ),
        ("about = \"caller\"\nat-least = 2\n", ("2:12", "\"at-least\" needs \"within\"")),
        ("about = \"caller\"\n", ("1:1", "\"rule\" does not say when it fires")),
        ("about = \"caller\"\nwhen = \"callz > 1\"\n", ("2:9", "no variable \"callz\"")),
        ("about = \"caller\"\nwhen = \"1 + 1\"\n", ("2:9", "a condition is TRUE or FALSE")),
        (
            "about = \"caller\"\nwhere = \"record.seconds\"\nat-least = 2\nwithin = \"1 minute\"\n",
            ("2:10", "this is TRUE or FALSE"),
        ),
        (
            "about = \"caller\"\nwhen = \"a > 1\"\n[measures]\na = { sum = \"record.called\", over = \"1 hour\" }\n",
            ("4:14", "\"sum\" is of numbers"),
        ),
        (
            "about = \"caller\"\nwhen = \"a > 1\"\n[measures]\na = { count = true, over = \"100 seconds\", step = \"7 seconds\" }\n",
            ("4:29", "no multiple of its step"),
        ),
        (
            "about = \"caller\"\nwhen = \"a > 1\"\n[measures]\na = { last = \"record.time\", over = \"1 hour\" }\n",
            ("4:37", "is not for this measure, which has \"for\""),
        ),
        (
            "about = \"caller\"\nwhen = \"a > 1\"\n[measures]\na = { over = \"1 hour\" }\n",
            ("4:7", "is one of: count, sum"),
        ),
        (
            "about = \"caller\"\nwhen = \"a > 1\"\nscor = 5\n[measures]\na = { count = true, over = \"1 hour\" }\n",
            ("3:1", "there is no setting \"scor\""),
        ),
        (
            "about = \"caller\"\nwhen = \"record.called == record.caller\"\n",
            ("2:9", "a condition reads numbers"),
        ),
    ] {
        let folder = flow(&[("rule", rule)]);
        expect_mistake(folder.path(), "rule.toml", expected);
    }
    let folder = flow(&[]);
    let (_, said) = tollgate(folder.path(), "check flow.toml");
    assert!(said.contains("this folder has no rule"), "{said}");
}
