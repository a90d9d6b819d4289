//! The processes that a gateway has started.

use std::fs;
use std::process::Command;

/// Returns the process numbers of the children in order; none if the gateway has ended.
///
/// `/proc/<process>/task/*/children` is not used: it may miss some unless all of them are stopped (proc_tid_children(5)).
pub(crate) fn children(process: u32) -> Vec<u32> {
    let parent = |number: u32| {
        let status = fs::read_to_string(format!("/proc/{number}/status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse::<u32>().ok()
    };
    let numbers = fs::read_dir("/proc").unwrap();
    let mut children: Vec<u32> = numbers
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok())
        .filter(|number| parent(*number) == Some(process))
        .collect();
    children.sort_unstable();
    children
}

/// Kills a process; returns whether it existed.
pub(crate) fn kill(process: u32) -> bool {
    Command::new("kill").args(["-9", &process.to_string()]).status().unwrap().success()
}
