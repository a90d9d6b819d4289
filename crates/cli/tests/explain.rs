//! Tests `tollgate dup explain`: the exact typed form, and properties of the machine code that hold on any processor.
#![cfg(feature = "disassembler")]

use std::path::{Path, PathBuf};

use assert_cmd::Command;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the output of the command for the benchmark's formatter.
fn explained(more: &[&str]) -> (i32, String, String) {
    explained_of(&here("../bench/src/dup/formatter.dup"), more)
}

fn explained_of(script: &Path, more: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("tollgate").unwrap();
    command.args(["dup", "explain"]).arg(script);
    command.arg("-m").arg(here("../../examples/msc-billing/asn1/msc.asn1"));
    command.arg("-m").arg(here("../bench/src/dup/line.asn1")).args(more);
    let output = command.output().unwrap();
    let text = |octets| String::from_utf8(octets).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Returns whether a line contains machine code.
fn is_machine_code(line: &str) -> bool {
    line.trim_start().starts_with('+')
}

#[test]
fn the_typed_form_is_shown_below_each_line() {
    let (status, shown, wrong) = explained(&[]);
    assert_eq!(status, 0, "{wrong}");
    let typed: String = shown
        .lines()
        .filter(|line| !is_machine_code(line))
        .map(|line| format!("{line}\n"))
        .collect();
    let golden = here("tests/golden/explain.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&golden, &typed).unwrap();
    }
    assert_eq!(typed, std::fs::read_to_string(golden).unwrap());
}

#[test]
fn every_line_that_does_something_has_machine_code() {
    let (_, shown, _) = explained(&["--function", "line"]);
    assert!(shown.starts_with("line\n") && !shown.contains("\nrounded\n"), "{shown}");
    // Operations that only name a value, or jump, may have no machine code.
    let does = |line: &str| {
        let text = line.get(12..52).unwrap_or_default().trim();
        let (_, value) = text.split_once(" := ").unwrap_or(("", text));
        let named = value.strip_prefix("constant ").or(value.strip_prefix('r')).unwrap_or(value);
        !text.starts_with("jump") && named.parse::<i64>().is_err()
    };
    let is_source = |line: &&str| line.get(5..8) == Some(" | ");
    let lines: Vec<&str> = shown.lines().skip(1).filter(|line| !line.is_empty()).collect();
    for (place, source) in lines.iter().enumerate().filter(|(_, line)| is_source(line)) {
        let below = lines[place + 1..].iter().take_while(|line| !is_source(line));
        let (made, typed): (Vec<&str>, Vec<&str>) = below.partition(|line| is_machine_code(line));
        assert!(!made.is_empty() || !typed.iter().any(|line| does(line)), "{source}");
    }
}

#[test]
fn calls_show_whom_they_call() {
    let calls = |shown: &str, name: &str| {
        shown.lines().filter(|line| line.ends_with(&format!("; {name}"))).count()
    };
    let (_, shown, _) = explained(&["--function", "line"]);
    for name in ["built_in", "make_structure"] {
        assert!(calls(&shown, name) > 0, "{name}");
    }
    // A small function is inlined where it is called.
    assert_eq!(calls(&shown, "rounded"), 0, "{shown}");
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("again.dup");
    let text = "INTEGER again(n CONST INTEGER)\n{\n  return again(n - 1);\n}\n";
    std::fs::write(&script, text).unwrap();
    let (_, shown, _) = explained_of(&script, &[]);
    assert!(calls(&shown, "again") > 0, "{shown}");
}

#[test]
fn what_is_put_where_it_is_called_is_shown_there() {
    let (_, shown, _) = explained(&["--function", "line"]);
    let line = shown.lines().skip_while(|line| !line.contains("rounded(in.callDuration)"));
    // Rounding up to half minutes needs at least a multiplication.
    let made: Vec<_> = line.skip(1).take_while(|line| !line.contains(" | ")).collect();
    assert!(made.iter().any(|line| line.contains("mul")), "{made:#?}");
}

#[test]
fn a_function_that_is_not_there_is_refused() {
    let (status, _, wrong) = explained(&["--function", "lime"]);
    assert_eq!((status, wrong.contains("did you mean \"line\"?")), (2, true), "{wrong}");
}
