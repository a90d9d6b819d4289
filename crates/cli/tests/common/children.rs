//! The processes that a gateway has started.

use std::fs;
use std::process::Command;

/// Returns the process numbers of the children; none if the gateway has ended.
pub(crate) fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten();
    let children =
        threads.filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("children")).ok());
    let all = children.collect::<Vec<_>>().join(" ");
    all.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

/// Kills a process; returns whether it existed.
pub(crate) fn kill(process: u32) -> bool {
    Command::new("kill").args(["-9", &process.to_string()]).status().unwrap().success()
}
