//! All records about a key, from the index.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{flow_with, put, run};
use crate::api::served::Served;
use crate::common::tollgate::{tollgate, tollgate_words};

/// No record of these tests has an alert: the index is about all that rules count.
const BUSY: &str = "about = \"caller\"\nat-least = 1000\nwithin = \"1 minute\"\n";
const PAIRS: &str = "about = \"pair\"\nat-least = 1000\nwithin = \"1 minute\"\n";

const SUBJECT: &str = "46701234567";
const OTHER: &str = "46709876543";

/// Long enough for records of 2026-06-01, whatever day it is.
const INDEX: &str = "index = \"100000 days\"\n";

const ARCHIVE: &str = "\n[archive]\ndir = \"archive\"\n";

fn site(more: &str) -> TempDir {
    let folder = flow_with(more, &[("busy", BUSY), ("pairs", PAIRS)]);
    let path = folder.path().join("flow.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text + ARCHIVE).unwrap();
    folder
}

/// Creates a flow that has read two files.
fn indexed() -> TempDir {
    let folder = site(INDEX);
    put(
        folder.path(),
        "1.csv",
        &[(0, SUBJECT, "1", 10), (1, OTHER, "1", 20), (2, SUBJECT, "2", 30)],
    );
    run(folder.path());
    put(folder.path(), "2.csv", &[(86_400, SUBJECT, "1", 40)]);
    run(folder.path());
    folder
}

fn records(folder: &Path, key: &str, more: &[&str]) -> Vec<Value> {
    let words = ["fraud", "records", "flow.toml", key, "--json"];
    let (status, listed) = tollgate_words(folder, &[&words, more].concat());
    assert_eq!(status, 0, "{listed}");
    listed
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the time, file and number of records.
fn places(records: &[Value]) -> Vec<(&str, &str, i64)> {
    let of = |record: &'_ Value| record["record"].as_i64().unwrap();
    records
        .iter()
        .map(|record| {
            (record["at"].as_str().unwrap(), record["file"].as_str().unwrap(), of(record))
        })
        .collect()
}

#[test]
fn all_records_of_a_key_are_found_with_their_values() {
    let folder = indexed();
    let here = folder.path();
    let all = records(here, SUBJECT, &[]);
    let expected = [
        ("2026-06-02T12:00:00Z", "2.csv", 1),
        ("2026-06-01T12:00:02Z", "1.csv", 3),
        ("2026-06-01T12:00:00Z", "1.csv", 1),
    ];
    assert_eq!(places(&all), expected);
    assert_eq!(
        (&all[0]["subject"], &all[0]["network_element"]),
        (&json!("caller"), &json!("switch"))
    );
    let parts = all[1]["parts"].as_array().unwrap();
    let values: Vec<&Value> = parts.iter().map(|part| &part["value"]).collect();
    assert_eq!(values, ["1780315202", SUBJECT, "2", "30"]);
    let oldest = records(here, SUBJECT, &["--oldest-first", "--limit", "2"]);
    assert_eq!(places(&oldest), [expected[2], expected[1]]);
    let of_day = records(here, SUBJECT, &["--from", "2026-06-02"]);
    assert_eq!(places(&of_day), expected[..1]);
    let pair = format!("{SUBJECT}>2");
    assert_eq!(places(&records(here, &pair, &["--subject", "pair"])), [expected[1]]);
    assert!(records(here, SUBJECT, &["--subject", "pair"]).is_empty());
    assert!(records(here, "4671", &[]).is_empty());
    let (_, text) = tollgate(here, &format!("fraud records flow.toml {SUBJECT}"));
    assert!(text.contains("seconds=30") && text.contains(&format!("caller={SUBJECT}")), "{text}");
    let without = records(here, SUBJECT, &["--without-values"]);
    assert!(without.iter().all(|record| record["parts"].is_null()), "{without:?}");
}

#[test]
fn a_record_whose_file_is_gone_is_listed_and_says_so() {
    let folder = indexed();
    let archive = folder.path().join("archive");
    let file = walk(&archive).into_iter().find(|path| path.to_string_lossy().contains("2.csv"));
    fs::remove_file(file.unwrap()).unwrap();
    let all = records(folder.path(), SUBJECT, &[]);
    assert_eq!(all.len(), 3);
    assert!(all[0]["parts"].is_null() && all[0]["problem"].is_string(), "{}", all[0]);
    assert!(all[1]["parts"].is_array(), "{}", all[1]);
}

/// Returns the files of a folder and of those in it.
fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn without_an_index_it_is_said_how_to_have_one() {
    let folder = site("");
    put(folder.path(), "1.csv", &[(0, SUBJECT, "1", 10)]);
    run(folder.path());
    let (status, said) = tollgate(folder.path(), &format!("fraud records flow.toml {SUBJECT}"));
    assert!(status != 0 && said.contains("index = \"30 days\""), "{said}");
    assert!(!folder.path().join("flow.state/fraud").exists());
}

#[test]
fn an_index_begins_when_it_is_switched_on_and_stays_when_it_is_switched_off() {
    let folder = site("");
    let here = folder.path();
    put(here, "1.csv", &[(0, SUBJECT, "1", 10)]);
    run(here);
    let path = here.join("flow.toml");
    let off = fs::read_to_string(&path).unwrap();
    let on = off.replace("rules    = \"rules\"\n", &format!("rules    = \"rules\"\n{INDEX}"));
    for (number, text) in [(2, &on), (3, &on), (4, &off), (5, &on)] {
        fs::write(&path, text).unwrap();
        put(here, &format!("{number}.csv"), &[(number, SUBJECT, "1", 10)]);
        run(here);
    }
    let all = records(here, SUBJECT, &["--oldest-first"]);
    let files: Vec<&str> = all.iter().map(|record| record["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["2.csv", "3.csv", "5.csv"]);
}

#[test]
fn rules_that_change_leave_the_index_whole() {
    let folder = indexed();
    let here = folder.path();
    let changed = format!("{BUSY}where = \"record.seconds > 5\"\nevidence = 3\n");
    fs::write(here.join("rules/busy.toml"), changed).unwrap();
    put(here, "3.csv", &[(3, SUBJECT, "1", 50), (4, SUBJECT, "1", 1)]);
    run(here);
    let all = records(here, SUBJECT, &["--oldest-first"]);
    let files: Vec<(&str, i64)> =
        places(&all).into_iter().map(|(_, file, record)| (file, record)).collect();
    assert_eq!(files, [("1.csv", 1), ("1.csv", 3), ("3.csv", 1), ("2.csv", 1)]);
}

#[test]
fn days_that_are_over_are_unlinked() {
    let folder = site("index = \"30 days\"\n");
    put(folder.path(), "1.csv", &[(0, SUBJECT, "1", 10)]);
    run(folder.path());
    // The record is of 2026-06-01.
    assert!(records(folder.path(), SUBJECT, &[]).is_empty());
    let index = folder.path().join("flow.state/fraud/calls");
    let runs =
        walk(&index).into_iter().filter(|path| path.extension().is_some_and(|of| of == "run"));
    assert_eq!(runs.count(), 0);
}

#[test]
fn records_about_an_erased_key_are_not_found_and_later_ones_are() {
    let folder = indexed();
    let here = folder.path();
    let index = here.join("flow.state/fraud/calls");
    let before: Vec<Vec<u8>> = walk(&index).iter().map(|path| fs::read(path).unwrap()).collect();
    let (_, about) = tollgate_words(here, &["fraud", "about", "flow.toml", SUBJECT]);
    assert!(about.contains("records in indexes: 3"), "{about}");
    let forget = ["fraud", "forget", "flow.toml", SUBJECT, "--because", "the request 2026-17"];
    let (status, said) = tollgate_words(here, &forget);
    assert!(status == 0 && said.contains("3 records are no longer found"), "{said}");
    assert!(records(here, SUBJECT, &[]).is_empty());
    let unchanged: Vec<Vec<u8>> = walk(&index).iter().map(|path| fs::read(path).unwrap()).collect();
    assert_eq!(before, unchanged, "the gateway does not run");
    put(here, "3.csv", &[(3, SUBJECT, "1", 50)]);
    run(here);
    assert_eq!(places(&records(here, SUBJECT, &[])), [("2026-06-01T12:00:03Z", "3.csv", 1)]);
    assert_eq!(records(here, OTHER, &[]).len(), 1);
    let journal = rusqlite::Connection::open(here.join("flow.state/journal.db")).unwrap();
    let count = "SELECT count(*) FROM key_index_erasure";
    let count: i64 = journal.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(count, 0, "the files do not have it any more");
    let (status, said) =
        tollgate_words(here, &["fraud", "forget", "flow.toml", "46", "--because", "x"]);
    assert!(status != 0 && said.contains("nothing is stored"), "{said}");
}

#[test]
fn a_role_that_does_not_see_subscriber_data_lists_no_records_and_a_view_is_in_the_trail() {
    let served = Served::start(indexed());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    let otto = served.invited(&anna, "otto", "operator");
    let listed = format!("/api/fraud/records?key={SUBJECT}&limit=2");
    assert_eq!(served.ask(&vera, "GET", &listed, None).json()["code"], "subscriber-data-hidden");
    let first = served.got(&otto, &listed);
    assert_eq!(first["records"].as_array().unwrap().len(), 2);
    let next = first["next"].as_str().unwrap();
    let rest = served.got(&otto, &format!("{listed}&after={next}&values=false"));
    assert_eq!((rest["records"].as_array().unwrap().len(), &rest["next"]), (1, &Value::Null));
    let wrong = served.ask(&otto, "GET", &format!("{listed}&after=yesterday"), None);
    assert_eq!(wrong.json()["code"], "place-unknown");
    let about = served.got(&anna, &format!("/api/fraud/about?key={SUBJECT}"));
    let views = about["views"].as_array().unwrap();
    assert!(
        views.iter().any(|of| of["action"] == "fraud records" && of["who"] == "otto"),
        "{views:?}"
    );
}
