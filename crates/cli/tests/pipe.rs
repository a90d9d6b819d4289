//! Tests that a command ends quietly if the reader of its output stops reading before everything is written.

use std::process::Stdio;

use crate::common::example::{empty_flow, run, take_outputs, tollgate};

#[test]
fn a_command_whose_reader_is_gone_ends_quietly() {
    let folder = empty_flow();
    let simulate = "simulate cdr --count 50 --files 2 --flipped 0.1 in";
    assert_eq!(run(folder.path(), simulate).0, 0);
    for line in [
        "init another",
        "simulate cdr --count 20 made",
        "check flow.toml",
        "run flow.toml --once",
        "run flow.toml --once --json",
        "suspense list flow.toml",
        "suspense list flow.toml --count",
        "suspense show flow.toml 1",
        "suspense discard flow.toml 1 --because test --yes",
        "suspense reopen flow.toml 1 --because test",
        "suspense retry flow.toml 1",
        "files list",
        "files again flow.toml --all --because test",
        "audit",
        "audit --csv",
        "trail",
        "alarms",
        "demo demo",
        "dup test scripts/is_billable.dup --type asn1/msc.asn1",
        "dup explain scripts/is_billable.dup",
        "asn1 check asn1/msc.asn1",
        "--help",
    ] {
        let mut command = tollgate(folder.path(), line);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(!said.contains("panicked"), "{line}: {said}");
        assert!(ended.status.code().is_some_and(|status| status != 101), "{line}: {said}");
        assert!(!said.contains("cannot write the result"), "{line}: {said}");
    }
    assert!(take_outputs(folder.path()) > 0, "what it was to do is done");
}
