//! Tests versions of a plan, and changes of a plan while a gateway runs.

use std::fs;
use std::process::Command;

#[cfg(unix)]
use super::site::Gateway;
use super::site::{HEADER, billed, change, flow, run, tollgate};
use crate::common::wait::wait_for;

#[test]
fn a_record_is_priced_by_the_version_that_was_valid_when_it_started() {
    let call = "telephony,0701234567,0721234567,";
    let records = ["20251231230000Z", "20260601120000Z", "20990601120000Z", "20251231225959Z"]
        .map(|start| format!("{call},{start},60,\n"));
    let folder = flow(&records.concat());
    let here = folder.path();
    let load = |from: &str| {
        let line =
            ["tariff", "load", "tariff", "tariffs.db", "--valid-from", from, "--because", "test"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        assert!(command.current_dir(here).args(line).status().unwrap().success());
    };
    load("2026-01-01 Europe/Stockholm");
    let peak = "mobile,2026-01-01 Europe/Stockholm,,peak,,0.60,min,1/1,0.49,,";
    change(&here.join("tariff/prices.csv"), peak, &peak.replace("0.49", "0.59"));
    load("2099-01-01 Europe/Stockholm");
    change(&here.join("flow.toml"), "plan     = \"tariff\"", "plan = \"tariffs.db\"");
    let (status, said) = run(here, "run flow.toml --once");
    assert_eq!(status, 1, "{said}");
    // A record that begins in the future has no price yet.
    let prices: Vec<String> = billed(here, "calls")
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(3).unwrap().to_owned())
        .collect();
    assert_eq!(prices, ["79", "109"], "at night, and by day");
    let explain = [
        "tariff",
        "explain",
        "tariffs.db",
        "--service",
        "telephony",
        "--from",
        "0701234567",
        "--to",
        "0721234567",
        "--start",
        "20990601120000Z",
        "--duration",
        "60",
    ];
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let output = command.current_dir(here).args(explain).output().unwrap();
    let explained = String::from_utf8(output.stdout).unwrap();
    assert!(explained.contains("1.19 SEK"), "by day in the next version: {explained}");
    let output = tollgate(here, "suspense list flow.toml --json").output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    assert!(listed.contains("no version of the plan was valid when this started"), "{listed}");
    assert!(
        listed.contains("it was made in the future: it started at 2099-06-01T12:00:00Z"),
        "{listed}"
    );
}

#[cfg(unix)]
#[test]
fn a_new_plan_runs_and_one_with_mistakes_does_not() {
    let call = "telephony,0701234567,0721234567,,20260601120000Z,60,\n";
    let folder = flow(call);
    let here = folder.path();
    let mut command = tollgate(here, "run flow.toml");
    let quiet = std::process::Stdio::null;
    let _gateway = Gateway(command.stdout(quiet()).stderr(quiet()).spawn().unwrap());
    wait_for("the first file", || billed(here, "calls").contains("mobile,109,"));
    let next = |stem: &str, expected: &str| {
        fs::write(here.join("part"), HEADER.to_owned() + call + &"\n".repeat(stem.len())).unwrap();
        fs::rename(here.join("part"), here.join("in").join(stem).with_extension("csv")).unwrap();
        wait_for(stem, || billed(here, stem).contains(expected));
    };
    let prices = here.join("tariff/prices.csv");
    change(&prices, "peak,,0.60", "peak,,0.80");
    assert_eq!(run(here, "reload flow.toml").0, 0);
    next("two", "mobile,129,");
    change(&prices, "peak,,0.80", "peak,,0,70");
    let (status, said) = run(here, "reload flow.toml");
    assert_eq!(status, 1, "{said}");
    next("three", "mobile,129,");
}

#[cfg(unix)]
#[test]
fn a_plan_with_a_file_of_a_wrong_name_does_not_run_until_that_is_away() {
    let call = "telephony,0701234567,0721234567,,20260601120000Z,60,\n";
    let folder = flow(call);
    let here = folder.path();
    let mut command = tollgate(here, "run flow.toml");
    let said = fs::File::create(here.join("said")).unwrap();
    let _gateway =
        Gateway(command.stdout(std::process::Stdio::null()).stderr(said).spawn().unwrap());
    wait_for("the first file", || billed(here, "calls").contains("mobile,109,"));
    let told = "tariff/price.csv:1:1: \"price.csv\" is no table of a plan";
    let stray = here.join("tariff/price.csv");
    fs::write(&stray, "").unwrap();
    // There is no request: the gateway looks at the folder by itself.
    let says = |text: &str| fs::read_to_string(here.join("said")).unwrap().contains(text);
    wait_for("the mistake", || says(told));
    change(&here.join("tariff/prices.csv"), "peak,,0.60", "peak,,0.80");
    for line in ["reload flow.toml", "check flow.toml", "tariff check tariff"] {
        let (status, said) = run(here, line);
        assert!(status != 0 && said.contains(told), "{line}: {said}");
    }
    let next = |stem: &str, expected: &str| {
        fs::write(here.join("part"), HEADER.to_owned() + call + &"\n".repeat(stem.len())).unwrap();
        fs::rename(here.join("part"), here.join("in").join(stem).with_extension("csv")).unwrap();
        wait_for(stem, || billed(here, stem).contains(expected));
    };
    next("two", "mobile,109,");
    fs::remove_file(&stray).unwrap();
    wait_for("the new plan", || says("from now on it runs as it is now"));
    next("three", "mobile,129,");
}
