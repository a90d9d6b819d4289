//! Tests `tollgate tariff`: what users and programs learn about a plan and a usage.

use std::path::Path;
use std::process::Command;

/// Returns the exit status, standard output and standard error of a command on the example's plan.
fn tariff(arguments: &[&str]) -> (i32, String, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let output = command.current_dir(folder).arg("tariff").args(arguments).output().unwrap();
    let text = |octets| String::from_utf8(octets).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

const CALL: [&str; 8] =
    ["explain", "tariff", "--service", "telephony", "--from", "0701234567", "--to", "0721234567"];

fn explain(more: &[&str]) -> (i32, String, String) {
    tariff(&[&CALL[..], more].concat())
}

#[test]
fn a_program_is_told_the_price_and_the_steps() {
    let (status, said, _) =
        explain(&["--start", "2026-06-01T12:00:00Z", "--end", "2026-06-01T12:01:00Z", "--json"]);
    let object: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(status, 0);
    assert_eq!(object["price"]["class"], "mobile");
    assert_eq!(object["price"]["total"], "1.09", "exact, as a text");
    assert_eq!(object["steps"][1]["file"], "prefixes.csv");
    assert_eq!(object["steps"][1]["line"], 2);
}

#[test]
fn a_program_is_told_the_step_that_found_nothing() {
    let start = ["--start", "2026-06-01T12:00:00Z", "--duration", "60", "--json"];
    let other =
        ["explain", "tariff", "--service", "telephony", "--from", "0701234567", "--to", "000999"];
    let (status, said, _) = tariff(&[&other[..], &start].concat());
    let object: serde_json::Value = serde_json::from_str(&said).unwrap();
    let problem = object["problem"].as_str().unwrap();
    assert!(status == 1 && problem.contains("number analysis"), "{problem}");
    assert_eq!(object["price"], serde_json::Value::Null, "never a price of 0 in silence");
}

#[test]
fn times_and_lengths_that_are_none_are_wrong_use() {
    let zulu = "2026-06-01T12:00:00Z";
    for (more, told) in [
        (["--start", "2026-06-01 12:00", "--duration", "60"], "this time has no zone"),
        (["--start", "2012-1-1T18:59:30Z", "--duration", "60"], "this is no time"),
        (["--start", "201211211859Z", "--duration", "60"], "these digits are two times"),
        (["--start", "20260601120000+2359", "--duration", "60"], "an offset is written +02:00"),
        (["--start", zulu, "--duration", "-60"], "--duration \"-60\": the duration is negative"),
        (["--start", zulu, "--end", "2026-06-01T11:00:00Z"], "the end is before the start"),
        (["--start", zulu, "--duration", "1 MB"], "this is no number of seconds"),
    ] {
        let (status, _, wrong) = explain(&more);
        assert!(status == 2 && wrong.contains(told), "{wrong}");
    }
}

#[test]
fn a_plan_with_mistakes_is_not_used() {
    let (status, _, wrong) = tariff(&["check", "calls"]);
    assert_eq!(status, 2);
    assert!(wrong.contains("calls/tariff.toml:1:1: this file is missing"), "{wrong}");
}

/// Creates a folder with the example's plan in `plan`.
fn example() -> tempfile::TempDir {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tariff");
    let folder = tempfile::TempDir::new().unwrap();
    let plan = folder.path().join("plan");
    std::fs::create_dir(&plan).unwrap();
    for entry in std::fs::read_dir(example).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), plan.join(entry.file_name())).unwrap();
    }
    folder
}

#[test]
fn a_file_that_is_no_table_of_a_plan_is_a_mistake() {
    for (name, told) in [
        ("bundle.csv", Some("did you mean \"bundles.csv\"?")),
        ("Bundles.CSV", Some("did you mean \"bundles.csv\"?")),
        // A flow may be in the folder of its plan.
        ("flow.toml", None),
        ("of-another-year.csv", Some("there are analysis.csv, bands.csv,")),
        (".bundle.csv", None),
        ("bundles.csv~", None),
        ("notes.txt", None),
    ] {
        let folder = example();
        let (plan, database) = (folder.path().join("plan"), folder.path().join("plans.db"));
        std::fs::write(plan.join(name), "").unwrap();
        let (plan, database) = (plan.to_str().unwrap(), database.to_str().unwrap());
        let from = ["--valid-from", "2026-01-01T00:00:00Z", "--because", "prices of 2026"];
        for command in [vec!["check", plan], [&["load", plan, database], &from[..]].concat()] {
            let (status, _, wrong) = tariff(&command);
            let Some(hint) = told else {
                assert_eq!((status, wrong.as_str()), (0, ""), "{name}");
                continue;
            };
            let place = format!("plan/{name}:1:1: \"{name}\" is no table of a plan");
            assert!(status == 2 && wrong.contains(&place) && wrong.contains(hint), "{wrong}");
        }
    }
}

#[test]
fn what_is_probably_not_meant_is_a_warning() {
    for (file, text, becomes, told) in [
        (
            "taxes.csv",
            "25,2020-01-01",
            "25,2026-02-01",
            "plan/classes.csv:3:21: warning: no rate of tax \"vat\" before 2026-01-31T23:00:00Z, and \
             \"fixed\" has prices from 2024-12-31T23:00:00Z on",
        ),
        (
            "tariff.toml",
            "country = \"SE\"",
            "country = \"Se\"",
            "plan/tariff.toml:5:12: warning: holidays.csv has no holidays of \"Se\"",
        ),
    ] {
        let folder = example();
        let path = folder.path().join("plan").join(file);
        let whole = std::fs::read_to_string(&path).unwrap();
        assert!(whole.contains(text), "{whole}");
        std::fs::write(&path, whole.replace(text, becomes)).unwrap();
        let (status, _, warned) = tariff(&["check", folder.path().join("plan").to_str().unwrap()]);
        assert!(status == 0 && warned.contains(told), "{warned}");
        assert_eq!(warned.matches("warning:").count(), 1, "{warned}");
    }
}
