//! What analysts are given: files of a period.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::{flow_with, put, run};
use crate::common::tollgate::{tollgate, tollgate_words};

const BUSY: &str = "about = \"caller\"\nat-least = 2\nwithin = \"1 minute\"\nagain = \"1 second\"\nscore = 60\n\
                    type = \"wangiri\"\n";

const SUBJECT: &str = "46701234567";

fn found() -> TempDir {
    let folder = flow_with("index = \"100000 days\"\n", &[("busy", BUSY)]);
    put(
        folder.path(),
        "1.csv",
        &[(0, SUBJECT, "9", 1), (1, SUBJECT, "9", 1), (2, "46709876543", "9", 1)],
    );
    run(folder.path());
    let because = format!("{SUBJECT} has a false name");
    let decide = ["fraud", "decide", "flow.toml", "1", "--fraud", "--because", &because];
    assert_eq!(tollgate_words(folder.path(), &decide).0, 0);
    folder
}

fn rows(folder: &Path, more: &str) -> Vec<(String, i64)> {
    let line = format!("fraud export flow.toml --to-dir out-data --json {more}");
    let (status, said) = tollgate(folder, line.trim());
    assert_eq!(status, 0, "{said}");
    let exported: Value = serde_json::from_str(&said).unwrap();
    let files = exported["files"].as_array().unwrap().iter();
    files
        .map(|of| (of["file"].as_str().unwrap().to_owned(), of["rows"].as_i64().unwrap()))
        .collect()
}

/// Returns the rows of a CSV file, without its head.
fn lines(folder: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join("out-data").join(name)).unwrap();
    text.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn an_export_has_digests_in_place_of_keys_unless_they_are_wanted() {
    let folder = found();
    let here = folder.path();
    let counts: Vec<i64> = rows(here, "--csv").into_iter().map(|(_, rows)| rows).collect();
    // No rule is about pairs. The hour has a row of records and one of the rule.
    assert_eq!(counts, [1, 1, 2, 3]);
    for name in ["alerts.csv", "cases.csv", "hours.csv", "records.csv"] {
        let text = fs::read_to_string(here.join("out-data").join(name)).unwrap();
        assert!(!text.contains(SUBJECT), "{name}: {text}");
    }
    let alerts = lines(here, "alerts.csv");
    let digest = alerts[0].split(',').nth(7).unwrap();
    assert_eq!(digest.len(), 16, "{alerts:?}");
    let of_key = |lines: &[String]| lines.iter().filter(|line| line.contains(digest)).count();
    assert_eq!(of_key(&lines(here, "cases.csv")), 1);
    assert_eq!(of_key(&lines(here, "records.csv")), 2, "digests are the same in all files");
    rows(here, "--csv --keys");
    assert!(lines(here, "alerts.csv")[0].contains(SUBJECT));
    assert!(lines(here, "cases.csv")[0].contains("has a false name"));
    let counts: Vec<i64> =
        rows(here, "--csv --to 2026-01-01").into_iter().map(|(_, rows)| rows).collect();
    assert_eq!(counts, [0, 0, 0, 0]);
}

#[test]
fn parquet_files_have_the_rows_or_it_is_said_how_to_have_them() {
    let folder = found();
    let here = folder.path();
    if !cfg!(feature = "parquet") {
        let (status, said) = tollgate(here, "fraud export flow.toml --to-dir out-data");
        return assert!(status != 0 && said.contains("--csv"), "{said}");
    }
    for (file, rows) in rows(here, "") {
        let octets = fs::read(here.join(&file)).unwrap();
        assert!(
            octets.starts_with(b"PAR1") && octets.ends_with(b"PAR1") && rows > 0,
            "{file}: {rows}"
        );
    }
}
