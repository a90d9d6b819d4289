//! Tests what the program writes for shells and for `man`: completions and manual pages.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::common::tollgate::tollgate;

const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

/// The commands by which the program starts itself.
const INTERNAL: [&str; 2] = ["processing-process", "replay-process"];

/// Returns what a program of the system says, or `None` if it is not installed.
fn installed(program: &str, arguments: &[&str], folder: &Path) -> Option<Output> {
    let output = Command::new(program).args(arguments).current_dir(folder).output().ok();
    if output.is_none() {
        println!("left out: {program} is not installed");
    }
    output
}

/// Writes the completions of a shell to a file of its name.
fn completions(folder: &Path, shell: &str) -> String {
    let (status, script) = tollgate(folder, &format!("completions {shell}"));
    assert_eq!(status, 0, "{script}");
    fs::write(folder.join(shell), &script).unwrap();
    script
}

#[test]
fn the_completions_of_each_shell_parse_and_have_the_commands_for_users() {
    let folder = TempDir::new().unwrap();
    for shell in SHELLS {
        let script = completions(folder.path(), shell);
        assert!(script.contains("suspense"), "{shell}");
        for internal in INTERNAL {
            assert!(!script.contains(internal), "{shell} completes {internal}");
        }
        assert!(script.contains("processes") && script.contains("quiet"), "{shell}");
        assert!(!script.contains("stretch-octets"), "{shell} completes a hidden option");
        if let Some(parsed) = installed(shell, &["-n", shell], folder.path()) {
            assert!(
                parsed.status.success(),
                "{shell}: {}",
                String::from_utf8_lossy(&parsed.stderr)
            );
        }
    }
}

#[test]
fn bash_completes_commands_subcommands_and_options() {
    let folder = TempDir::new().unwrap();
    completions(folder.path(), "bash");
    for (line, wanted) in [
        ("tollgate deliv", "deliveries"),
        ("tollgate suspense reo", "reopen"),
        ("tollgate alarms acknowledge --bec", "--because"),
        ("tollgate completions f", "fish"),
        ("tollgate run --stre", ""),
        ("tollgate alarms --col", "--color"),
        ("tollgate alarms --color al", "always"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
        let script = format!(
            "source ./bash; COMP_WORDS=({line}); COMP_CWORD={}; _tollgate tollgate {last} {before}; echo \"${{COMPREPLY[@]}}\"",
            words.len() - 1
        );
        let Some(completed) = installed("bash", &["-c", &script], folder.path()) else { return };
        assert_eq!(String::from_utf8_lossy(&completed.stdout).trim(), wanted, "{line}");
    }
}

/// Returns the commands that `--help` lists, and theirs, each with the names before it.
fn commands(folder: &Path, before: &[String]) -> Vec<Vec<String>> {
    let line = [before, &["--help".to_owned()]].concat().join(" ");
    let (_, help) = tollgate(folder, &line);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: BTreeSet<String> =
        names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    let mut found = vec![before.to_vec()];
    for name in names.into_iter().filter(|name| name != "help") {
        found.extend(commands(folder, &[before, &[name]].concat()));
    }
    found
}

#[test]
fn each_command_has_a_manual_page_and_no_page_is_left_over() {
    let folder = TempDir::new().unwrap();
    let (status, said) = tollgate(folder.path(), "man share/man1");
    let written = folder.path().join("share/man1");
    let names: BTreeSet<String> = fs::read_dir(&written)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let commands = commands(folder.path(), &[]);
    let page = |names: &Vec<String>| {
        let names = ["tollgate".to_owned()].iter().chain(names).cloned().collect::<Vec<_>>();
        names.join("-") + ".1"
    };
    assert_eq!(names, commands.iter().map(page).collect());
    assert_eq!((status, said), (0, format!("{} pages written to \"share/man1\"\n", names.len())));
    assert!(names.contains("tollgate-suspense-list.1"), "{names:?}");
    // The description of the program, and not that of the options that it has in common with its commands.
    let about = "Collects, decodes and re-encodes the call data records of a telecom network";
    let page = fs::read_to_string(written.join("tollgate.1")).unwrap();
    assert!(page.replace("\\-", "-").contains(about), "{page}");
    for line in ["--help", "-h"] {
        let (_, help) = tollgate(folder.path(), line);
        assert!(help.starts_with(about), "{line}: {help}");
    }
}

#[test]
fn a_manual_page_has_its_sections_and_examples_line_by_line() {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(folder.path(), "man .").0, 0);
    let page = fs::read_to_string(folder.path().join("tollgate-suspense-edit.1")).unwrap();
    let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
    let expected =
        ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "OUTPUT", "ENVIRONMENT", "EXAMPLES"];
    assert_eq!(sections, expected);
    let examples = page.split(".SH EXAMPLES").nth(1).unwrap();
    assert_eq!(examples.lines().filter(|line| line.starts_with("tollgate suspense")).count(), 2);
    assert!(page.contains("TOLLGATE_FLOW"), "{page}");
}

#[test]
fn groff_has_no_warning_about_a_manual_page() {
    let folder = TempDir::new().unwrap();
    assert_eq!(tollgate(folder.path(), "man .").0, 0);
    for entry in fs::read_dir(folder.path()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let arguments = ["-man", "-Tutf8", "-Kutf8", "-ww", "-z", &name];
        let Some(formatted) = installed("groff", &arguments, folder.path()) else { return };
        assert_eq!(String::from_utf8_lossy(&formatted.stderr), "", "{name}");
    }
}

#[test]
fn manual_pages_that_cannot_be_written_are_named() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let (status, said) = tollgate(folder.path(), "man file/man1");
    assert_eq!(status, 2);
    assert!(said.starts_with("cannot write \"file/man1\": "), "{said}");
}
