//! Tests what a person sees at a terminal: headers, tables that fit, colours, progress; and that a program which reads the
//! output in a pipe gets none of that.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use tempfile::TempDir;
use unicode_width::UnicodeWidthStr as _;

use crate::common::example::{empty_flow, run};
use crate::common::terminal::{COLOR_VARIABLES, Terminal, without_colors};

/// The example with records in suspense.
fn with_suspense() -> TempDir {
    let folder = empty_flow();
    let simulate = "simulate cdr --count 200 --files 2 --flipped 0.1 --truncated 1 in";
    assert_eq!(run(folder.path(), simulate).0, 0);
    assert_eq!(run(folder.path(), "run flow.toml --once").0, 1);
    folder
}

fn at_terminal(folder: &Path, line: &str, columns: u16, variables: &[(&str, &str)]) -> String {
    Terminal::start(folder, line, columns, variables).end().1
}

fn in_pipe(folder: &Path, line: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.current_dir(folder).args(line.split(' '));
    for name in COLOR_VARIABLES {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied()).output().unwrap()
}

fn text(octets: &[u8]) -> &str {
    std::str::from_utf8(octets).unwrap()
}

#[test]
fn a_list_has_a_header_and_fits_into_the_terminal() {
    let folder = with_suspense();
    for columns in [80, 100, 120] {
        let list = at_terminal(folder.path(), "suspense list", columns, &[("NO_COLOR", "1")]);
        let mut lines = list.lines();
        let header = lines.next().unwrap();
        assert!(header.trim_start().starts_with("NUMBER  SINCE"), "{list}");
        assert!(header.ends_with("NODE  REASON"), "{list}");
        assert_eq!(header.contains("OCTET"), columns > 80, "{list}");
        let widest = lines.map(|line| line.width()).max().unwrap();
        assert!(widest <= usize::from(columns), "{list}");
        assert!(list.contains('…'), "{list}");
        // The reasons stand below their name.
        let at = header.find("REASON").unwrap();
        let is_below = |line: &str| line.chars().nth(at - 1) == Some(' ');
        assert!(list.lines().skip(1).all(is_below), "{list}");
    }
    let wide = at_terminal(folder.path(), "suspense list", 400, &[("NO_COLOR", "1")]);
    assert!(!wide.contains('…'), "{wide}");
}

#[test]
fn a_list_in_a_pipe_has_no_header_and_is_cut_nowhere() {
    let folder = with_suspense();
    let listed = in_pipe(folder.path(), "suspense list", &[("COLUMNS", "40")]);
    let listed = text(&listed.stdout);
    assert!(!listed.contains('…') && !listed.contains('\u{1b}'), "{listed}");
    for (place, line) in listed.lines().enumerate() {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells.len(), 8, "{line}");
        assert_eq!(cells[0], (place + 1).to_string());
        assert_eq!(cells[5], "open");
    }
}

#[test]
fn a_report_has_its_header_everywhere() {
    let folder = with_suspense();
    let report = in_pipe(folder.path(), "audit", &[]);
    let report = text(&report.stdout);
    let header = report.lines().nth(2).unwrap();
    assert!(header.starts_with("NETWORK ELEMENT "), "{report}");
    assert!(header.contains("  FILES  RECORDS  DELIVERED"), "{report}");
    let shown = at_terminal(folder.path(), "audit", 200, &[("NO_COLOR", "1")]);
    let timeless = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(timeless(&shown), timeless(report));
}

#[test]
fn colours_are_for_terminals_unless_the_user_says_otherwise() {
    let folder = with_suspense();
    let here = folder.path();
    let line = "suspense list --limit 1";
    let state = "\u{1b}[33mopen\u{1b}[0m";
    let colored = at_terminal(here, line, 200, &[]);
    assert!(colored.starts_with("\u{1b}[1mNUMBER\u{1b}[0m"), "{colored:?}");
    assert!(colored.contains(state), "{colored:?}");
    let plain = at_terminal(here, line, 200, &[("NO_COLOR", "1")]);
    assert_eq!(without_colors(&colored), plain);
    for (line, variables) in [
        ("suspense list --limit 1 --color never", &[][..]),
        ("--color=never suspense list --limit 1", &[("CLICOLOR_FORCE", "1")]),
        (line, &[("TERM", "dumb")]),
        (line, &[("CLICOLOR", "0")]),
    ] {
        assert_eq!(at_terminal(here, line, 200, variables), plain, "{line} {variables:?}");
    }
    let always = at_terminal(here, &format!("{line} --color always"), 200, &[("NO_COLOR", "1")]);
    assert_eq!(always, colored);
    for (line, variables, is_colored) in [
        (line, &[][..], false),
        (line, &[("CLICOLOR_FORCE", "1")], true),
        ("suspense list --limit 1 --color always", &[("NO_COLOR", "1")], true),
    ] {
        let listed = in_pipe(here, line, variables);
        assert_eq!(text(&listed.stdout).contains(state), is_colored, "{line} {variables:?}");
    }
    // What programs read has none.
    let json = in_pipe(here, "suspense list --json --color always", &[("CLICOLOR_FORCE", "1")]);
    assert!(!text(&json.stdout).contains('\u{1b}'));
}

#[test]
fn errors_are_red_and_so_are_the_first_lines_of_mistakes() {
    let folder = empty_flow();
    fs::write(folder.path().join("flow.toml"), "[node.x]\n").unwrap();
    let shown = at_terminal(folder.path(), "suspense show 17", 80, &[]);
    assert!(shown.starts_with("\u{1b}[31m") && shown.ends_with("\u{1b}[0m\n"), "{shown:?}");
    let shown = at_terminal(folder.path(), "check flow.toml", 80, &[]);
    assert!(shown.starts_with("\u{1b}[31mflow.toml:1:"), "{shown:?}");
    assert!(shown.contains("\n    1 | [node.x]\n"), "{shown:?}");
    let said = in_pipe(folder.path(), "check flow.toml", &[]);
    assert!(!text(&said.stderr).contains('\u{1b}'));
    let help = at_terminal(folder.path(), "--color never run --help", 80, &[]);
    assert!(!help.contains('\u{1b}'), "{help:?}");
    assert!(at_terminal(folder.path(), "run --help", 80, &[]).contains('\u{1b}'));
}

/// The example, whose folders are there and empty.
fn idle_flow() -> TempDir {
    let folder = empty_flow();
    for name in ["new-york", "boston"] {
        fs::create_dir_all(folder.path().join("in").join(name)).unwrap();
    }
    folder
}

/// What stands on the last line while a gateway runs.
const PROGRESS: &str = " files done, ";

#[test]
fn what_takes_longer_than_two_seconds_shows_how_far_it_is_until_it_is_stopped_in_order() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let folder = idle_flow();
        let begun = Instant::now();
        let gateway = Terminal::start(folder.path(), "run flow.toml", 100, &[]);
        gateway.shows(PROGRESS);
        assert!(begun.elapsed() >= Duration::from_secs(2));
        gateway.signal(signal);
        let (status, shown) = gateway.end();
        assert_eq!(status.code(), Some(0), "{shown}");
        // The line is taken away before the account.
        let last = shown.rsplit("\u{1b}[2K").next().unwrap();
        assert!(!last.contains(PROGRESS), "{shown:?}");
        assert!(last.contains("there was nothing to do"), "{shown:?}");
    }
}

#[test]
fn what_is_logged_meanwhile_does_not_run_into_the_progress() {
    let folder = idle_flow();
    let gateway = Terminal::start(folder.path(), "run flow.toml", 100, &[("NO_COLOR", "1")]);
    gateway.shows(PROGRESS);
    let simulate = "simulate cdr --count 20 --files 1 in";
    assert_eq!(run(folder.path(), simulate).0, 0);
    gateway.shows("1 files done, 0 wait; 20 records");
    gateway.signal(Signal::SIGTERM);
    let (_, shown) = gateway.end();
    let logged = shown.lines().find(|line| line.contains("new-york-00001.ber")).unwrap();
    let logged = logged.rsplit("\u{1b}[2K").next().unwrap();
    assert!(!logged.contains(PROGRESS), "{shown:?}");
}

#[test]
fn no_progress_is_shown_to_who_does_not_look() {
    let folder = idle_flow();
    let wait = Duration::from_millis(3_500);
    let quiet = Terminal::start(folder.path(), "run flow.toml --quiet", 100, &[]);
    std::thread::sleep(wait);
    quiet.signal(Signal::SIGTERM);
    let (status, shown) = quiet.end();
    assert_eq!(status.code(), Some(0));
    assert_eq!(shown, "there was nothing to do: no file was waiting\n");
    // A short command shows none either.
    let shown = at_terminal(folder.path(), "check flow.toml", 100, &[]);
    assert_eq!(shown, "no mistakes\n");
}

#[test]
fn quiet_leaves_results_and_errors() {
    let folder = empty_flow();
    let here = folder.path();
    let script = here.join("scripts/is_billable.dup");
    let untidy = fs::read_to_string(&script).unwrap() + "\n\n\n";
    for (line, note) in
        [("dup fmt scripts/is_billable.dup", true), ("dup fmt scripts/is_billable.dup -q", false)]
    {
        fs::write(&script, &untidy).unwrap();
        let said = in_pipe(here, line, &[]);
        assert_eq!(text(&said.stderr).contains("formatted"), note, "{line}");
        assert_ne!(fs::read_to_string(&script).unwrap(), untidy, "{line}");
    }
    let said = in_pipe(here, "--quiet check flow.toml", &[]);
    assert_eq!((text(&said.stdout), text(&said.stderr)), ("no mistakes\n", ""));
    let said = in_pipe(here, "check --quiet nowhere.toml", &[]);
    assert!(text(&said.stderr).starts_with("cannot read \"nowhere.toml\""));
}
