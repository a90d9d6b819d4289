//! Processors, and the time that a process has of them.

use std::io;
use std::time::Duration;

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

/// The ticks of a second in `/proc`, on every architecture of Linux.
const TICKS: u64 = 100;

/// Returns the processor time of a process.
pub fn time_of(process: u32) -> io::Result<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name of the program may have spaces, and ends with the last bracket. User and system time are fields 14 and 15.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11);
    let ticks: u64 = fields.take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Ok(Duration::from_millis(1_000 / TICKS * ticks))
}

/// Keeps this thread on a processor.
pub fn pin(processor: usize) -> io::Result<()> {
    let mut set = CpuSet::new();
    set.set(processor)?;
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}
