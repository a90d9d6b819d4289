//! Tests that kill the gateway while rules judge records: each alert is there once, octet for octet as without the kills, each action
//! is carried out at least once, and the index has each record once.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::tollgate::{tollgate, tollgate_words};
use crate::crash::chance::{Chance, number};
use crate::crash::tally::Tally;

/// Kills that must have hit the gateway at work; `KILLS=1000` tests more.
const KILLS: u64 = 12;

/// Files of a site; `FILES=1000` tests more. There are as many sites as the kills need.
const FILES: u64 = 400;

/// Makes a flow with files of one switch, which are judged in the order of their names.
fn site(folder: &Path, seed: u64) {
    let files = number("FILES").unwrap_or(FILES);
    let line = format!(
        "simulate fraud . --flow --switches 1 --subscribers 100 --rate 2 --late 0.1 --files {files} --seed {seed}"
    );
    let (status, said) = tollgate(folder, &line);
    assert_eq!(status, 0, "{said}");
    for switch in 2..=5 {
        fs::create_dir_all(folder.join(format!("in/switch-{switch}"))).unwrap();
    }
    let flow = fs::read_to_string(folder.join("flow.toml")).unwrap();
    // Records are of the past, whenever this is tested.
    let flow = flow.replace("\nrules ", "\nindex    = \"100000 days\"\nrules ");
    let more = "\n[processing]\nthreads = 1\n\n[action.console]\nline = \"console.txt\"\n";
    fs::write(folder.join("flow.toml"), flow + more).unwrap();
    let rule = folder.join("rules/two-in-a-minute.toml");
    let text = fs::read_to_string(&rule).unwrap();
    fs::write(rule, text + "\nactions = \"console\"\n").unwrap();
}

fn alerts(folder: &Path) -> String {
    let (status, listed) = tollgate(folder, "fraud alerts flow.toml --json");
    assert_eq!(status, 0, "{listed}");
    listed
}

/// Returns all records about some keys, from the index.
fn records(folder: &Path, keys: &BTreeSet<String>) -> String {
    let of_key = |key: &String| {
        let words = ["fraud", "records", "flow.toml", key, "--without-values", "--json"];
        let (status, listed) =
            tollgate_words(folder, &[&words[..], &["--limit", "100000"]].concat());
        assert_eq!(status, 0, "{listed}");
        listed
    };
    keys.iter().map(of_key).collect()
}

/// Returns the keys of listed alerts.
fn keys(alerts: &str) -> BTreeSet<String> {
    let key = |line: &str| {
        let alert: serde_json::Value = serde_json::from_str(line).unwrap();
        alert["key"].as_str().unwrap().to_owned()
    };
    alerts.lines().map(key).collect()
}

/// Returns the identifiers of the actions that came to the console: some twice, if a kill came between.
fn carried_out(folder: &Path) -> BTreeSet<String> {
    let lines = fs::read_to_string(folder.join("console.txt")).unwrap_or_default();
    lines.lines().filter_map(|line| Some(line.rsplit_once("id=")?.1.to_owned())).collect()
}

/// Returns how many files are done.
fn done(folder: &Path) -> usize {
    let files = fs::read_dir(folder.join("in/switch-1")).unwrap();
    files
        .filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|of| of == "done"))
        .count()
}

/// Starts a gateway and kills it a while after it has done a file. Returns whether it was at work then.
fn kill(folder: &Path, after: Duration) -> bool {
    let before = done(folder);
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let command = command.current_dir(folder).args(["run", "flow.toml", "--once"]);
    let mut gateway = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut has_ended = || gateway.try_wait().unwrap().is_some();
    while done(folder) == before && !has_ended() {
        thread::sleep(Duration::from_millis(1));
    }
    let end = Instant::now() + after;
    while Instant::now() < end && !has_ended() {
        thread::sleep(Duration::from_millis(1));
    }
    let is_at_work = !has_ended();
    let _ = gateway.kill();
    gateway.wait().unwrap();
    is_at_work
}

#[test]
fn no_kill_loses_an_alert_or_makes_another_one() {
    let (mut chance, mut kills) = (Chance::new(), Tally::new("KILLS", KILLS));
    let (mut found, mut acted, mut listed) = (0, 0, 0);
    while kills.wants_more() {
        let [whole, killed] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let seed = chance.within(0..1 << 32);
        [whole.path(), killed.path()].into_iter().for_each(|folder| site(folder, seed));
        let (status, said) = tollgate(whole.path(), "run flow.toml --once");
        assert_eq!(status, 0, "{said}");
        let files = number("FILES").unwrap_or(FILES) as usize;
        while kills.wants_more() && done(killed.path()) < files {
            let after = chance.milliseconds(0..40);
            kills.note(kill(killed.path(), after));
        }
        let (status, said) = tollgate(killed.path(), "run flow.toml --once");
        assert_eq!(status, 0, "{said}");
        let expected = alerts(whole.path());
        assert_eq!(alerts(killed.path()), expected, "seed {seed}");
        let keys = keys(&expected);
        let of_keys = records(whole.path(), &keys);
        assert_eq!(records(killed.path(), &keys), of_keys, "seed {seed}");
        listed += of_keys.lines().count();
        let (_, open) = tollgate(killed.path(), "action list flow.toml");
        assert_eq!(open, "", "seed {seed}");
        let actions = carried_out(whole.path());
        assert_eq!(carried_out(killed.path()), actions, "seed {seed}");
        acted += actions.len();
        found += expected.lines().count();
    }
    assert!(kills.is_full(), "the gateway does nothing any more");
    assert!(
        found > 20 && acted > 5 && listed > 100,
        "{found} alerts, {acted} actions, {listed} records"
    );
    eprintln!("{} kills met the gateway at work; {found} alerts", kills.effective);
}
