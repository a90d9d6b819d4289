//! Frauds of thirteen types in the life of a network: what the rules of the example find of them, and how that is scored.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::tollgate::tollgate;

/// Naive rules, which are only tried out: most of what they find is no fraud.
const NAIVE: [(&str, &str); 4] = [
    (
        "naive-calls",
        "mode = \"shadow\"\nabout = \"caller\"\nwhere = \"record.kind == moCall\"\nat-least = 12\nwithin = \"1 hour\"\n",
    ),
    (
        "naive-abroad",
        "mode = \"shadow\"\nabout = \"caller\"\nwhen = 'seconds >= 3600'\n[measures]\n\
         seconds = { sum = \"record.seconds\", where = 'record.kind == moCall && !startsWith(record.called, \"46\")', over = \"24 hours\" }\n",
    ),
    (
        "naive-device",
        "mode = \"shadow\"\nabout = \"subscriber\"\nwhen = 'devices >= 2'\n[measures]\n\
         devices = { distinct = \"record.imei\", over = \"24 hours\" }\n",
    ),
    (
        "naive-messages",
        "mode = \"shadow\"\nabout = \"sender\"\nat-least = 100\nwithin = \"1 hour\"\n",
    ),
];

fn succeeds(folder: &Path, line: &str) -> String {
    let (status, said) = tollgate(folder, line);
    assert_eq!(status, 0, "{line}: {said}");
    said
}

/// Returns a number of the row that has a text in a column.
fn number(score: &Value, (rows, column, text): (&str, &str, &str), name: &str) -> u64 {
    let all = score[rows].as_array().unwrap();
    let row = all.iter().find(|row| row[column] == text);
    row.map_or(0, |row| row[name].as_u64().unwrap())
}

#[test]
fn the_rules_of_the_example_find_all_types_of_fraud_and_hardly_anything_else() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    succeeds(here, "simulate population . --flow --subscribers 1000 --each 2");
    for (name, rule) in NAIVE {
        fs::write(here.join("rules").join(name).with_extension("toml"), rule).unwrap();
    }
    succeeds(here, "run flow.toml --once --workers 1");
    let options = "fraud score flow.toml --truth truth.csv --subscribers 1000 --days 2";
    let score: Value = serde_json::from_str(&succeeds(here, &format!("{options} --json"))).unwrap();
    let types = score["types"].as_array().unwrap();
    assert_eq!(types.len(), 13, "{score}");
    for of in types {
        assert_eq!((&of["injected"], &of["found"]), (&2.into(), &2.into()), "{of}");
        assert!(of["median_seconds"].as_i64().unwrap() < 4 * 3_600, "{of}");
    }
    let wrong = score["all"]["false"].as_u64().unwrap();
    assert!(wrong <= 2, "{score}");
    let of_naive: u64 =
        NAIVE.iter().map(|(rule, _)| number(&score, ("rules", "rule", rule), "false")).sum();
    assert!(of_naive > 50, "{score}");
    for (rule, _) in NAIVE {
        assert!(number(&score, ("rules", "rule", rule), "false") > 0, "{rule}: {score}");
    }
    let table = succeeds(here, options);
    assert!(table.contains("naive-calls (shadow)") && table.contains("100 %"), "{table}");
}

#[test]
fn the_same_seed_gives_the_same_files_and_another_one_others() {
    let written = |seed: u32| {
        let folder = TempDir::new().unwrap();
        let here = folder.path();
        succeeds(here, &format!("simulate population . --subscribers 100 --each 1 --seed {seed}"));
        let read = |path: &str| fs::read(here.join(path)).unwrap();
        let mut names: Vec<_> =
            fs::read_dir(here.join("in")).unwrap().map(|file| file.unwrap().path()).collect();
        names.sort();
        let octets: Vec<u8> = names.iter().flat_map(|path| fs::read(path).unwrap()).collect();
        (names.len(), octets, read("truth.csv"))
    };
    assert!(written(1) == written(1));
    assert!(written(1) != written(2));
}

#[test]
fn what_no_rule_finds_is_in_the_score() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    succeeds(here, "simulate population . --flow --subscribers 100 --each 1");
    for rule in fs::read_dir(here.join("rules")).unwrap() {
        let path = rule.unwrap().path();
        if !path.ends_with("wangiri.toml") {
            fs::remove_file(path).unwrap();
        }
    }
    succeeds(here, "run flow.toml --once --workers 1");
    let score = succeeds(here, "fraud score flow.toml --truth truth.csv --json");
    let score: Value = serde_json::from_str(&score).unwrap();
    let found = |of: &str| number(&score, ("types", "type", of), "found");
    assert_eq!((found("wangiri"), found("spam")), (1, 0), "{score}");
    let spam = score["types"].as_array().unwrap().iter().find(|of| of["type"] == "spam").unwrap();
    assert_eq!((&spam["recall"], spam.get("median_seconds")), (&0.0.into(), None));
    assert!(score["all"].get("false_per_million_subscriber_days").is_none(), "{score}");
    // An alert in the middle of a fraud is about it, and one before it is not.
    let truth = fs::read_to_string(here.join("truth.csv")).unwrap();
    let later: String = truth.lines().map(|line| line.replace(",176", ",186") + "\n").collect();
    fs::write(here.join("later.csv"), later).unwrap();
    let score = succeeds(here, "fraud score flow.toml --truth later.csv --json");
    let score: Value = serde_json::from_str(&score).unwrap();
    assert_eq!(number(&score, ("rules", "rule", "wangiri"), "false"), 1, "{score}");
}

#[test]
fn mistakes_of_the_truth_have_their_places() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    succeeds(here, "simulate population . --flow --subscribers 100 --each 0");
    for (truth, expected) in [
        ("", "expected the columns fraud, type, subject, key, from, to"),
        ("fraud,type,subject,key,from\n", "truth.csv:1:1: there is no column \"to\""),
        (
            "fraud,type,subject,key,from,to\n1,spam,caller,4670,noon,9\n",
            "truth.csv:2:20: \"noon\" is no number of seconds since 1970",
        ),
        (
            "fraud,type,subject,key,from,to\n1,spam,caller\n",
            "truth.csv:2:1: this line has 3 cells, the first line has 6",
        ),
    ] {
        fs::write(here.join("truth.csv"), truth).unwrap();
        let (status, said) = tollgate(here, "fraud score flow.toml --truth truth.csv");
        assert_eq!(status, 2, "{truth}: {said}");
        assert!(said.contains(expected), "{truth}: {said}");
    }
    let (status, said) = tollgate(here, "simulate population . --subscribers 100 --each 5");
    assert_eq!(status, 2);
    assert!(said.contains("enough for 4 frauds of each type, not for 5"), "{said}");
}
