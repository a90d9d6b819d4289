//! The resources of the gateway's process, from `/proc`; `None` where the system has no such files.

use std::fs;

/// The resources of a process.
#[derive(Debug, Default)]
pub(crate) struct Process {
    pub(crate) resident_octets: Option<u64>,
    pub(crate) threads: Option<u64>,
    pub(crate) open_files: Option<u64>,
}

impl Process {
    /// Reads those of this process.
    pub(crate) fn own() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let number = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        let open_files = fs::read_dir("/proc/self/fd").ok().map(|files| files.count() as u64);
        Process {
            resident_octets: number("VmRSS:").map(|kibioctets| kibioctets * 1024),
            threads: number("Threads:"),
            open_files,
        }
    }
}
