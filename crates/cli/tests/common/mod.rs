//! Helpers that several tests of a flow share.

pub(crate) mod buffer;
pub(crate) mod changed;
pub(crate) mod children;
pub(crate) mod clock;
pub(crate) mod elements;
pub(crate) mod example;
pub(crate) mod gateway;
pub(crate) mod listening;
pub(crate) mod memory;
pub(crate) mod preload;
pub(crate) mod python;
pub(crate) mod terminal;
pub(crate) mod tollgate;
pub(crate) mod wait;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Returns the records in suspense of a flow, one per line and sorted, without the parts that differ from run to run.
pub(crate) fn suspense(folder: &Path) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    let listed = command.current_dir(folder).args(["suspense", "list", "--json"]).output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let mut lines: Vec<String> = String::from_utf8(listed.stdout)
        .unwrap()
        .lines()
        .map(|line| {
            let mut record: Value = serde_json::from_str(line).unwrap();
            let fields = record.as_object_mut().unwrap();
            fields.remove("id");
            fields.remove("since");
            record.to_string()
        })
        .collect();
    lines.sort();
    lines
}
