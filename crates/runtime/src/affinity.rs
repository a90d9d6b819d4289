//! Pinning threads to processors or to the processors of a memory node (NUMA). Linux places memory near the thread that first
//! writes to it, so a pinned thread should make its data itself.

use std::fs;
use std::io;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// Where Linux lists memory nodes.
const NODES: &str = "/sys/devices/system/node";

/// What a thread is pinned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// One processor.
    Processor,
    /// All processors of one memory node.
    MemoryNode,
}

/// The calling thread.
const THIS: Pid = Pid::from_raw(0);

/// Pins the calling thread to the unit with this index among those that the process may use, from 0; after the last comes the
/// first again. If the system refuses, the thread runs anywhere, and the log says so.
pub fn pin(unit: Unit, index: usize) {
    if let Err(error) = try_pin(unit, index) {
        tracing::warn!(target: "flow::placement", "a thread could not be bound to its {}: {error}", unit.word());
    }
}

impl Unit {
    /// Returns the unit that settings name by this word.
    pub fn of(word: &str) -> Option<Self> {
        [Unit::Processor, Unit::MemoryNode].into_iter().find(|unit| unit.word() == word)
    }

    /// Returns the word for it in settings and messages.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Processor => "processors",
            Unit::MemoryNode => "nodes",
        }
    }
}

fn try_pin(unit: Unit, index: usize) -> io::Result<()> {
    let allowed = sched_getaffinity(THIS)?;
    let is_allowed = |processor: &usize| allowed.is_set(*processor).unwrap_or(false);
    let of_nodes = nodes().into_iter().map(|node| node.into_iter().filter(is_allowed).collect());
    let choices: Vec<Vec<usize>> = match unit {
        Unit::Processor => {
            (0..CpuSet::count()).filter(is_allowed).map(|processor| vec![processor]).collect()
        }
        Unit::MemoryNode => of_nodes.filter(|node: &Vec<usize>| !node.is_empty()).collect(),
    };
    let Some(processors) = choices.get(index % choices.len().max(1)) else { return Ok(()) };
    let mut set = CpuSet::new();
    processors.iter().try_for_each(|processor| set.set(*processor))?;
    Ok(sched_setaffinity(THIS, &set)?)
}

/// The processors of each memory node; empty if the system does not list them.
fn nodes() -> Vec<Vec<usize>> {
    let lists = (0..).map(|node| fs::read_to_string(format!("{NODES}/node{node}/cpulist")));
    lists.map_while(Result::ok).map(|list| processors(&list)).collect()
}

/// Parses a list of processors as Linux writes it: `0-3,8-11`.
fn processors(list: &str) -> Vec<usize> {
    let ranges = list.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse().ok()?..=last.parse().ok()?)
    });
    ranges.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_read() {
        assert_eq!(processors("0-3,8,10-11\n"), [0, 1, 2, 3, 8, 10, 11]);
        assert!(processors("\n").is_empty());
    }
}
