//! Where threads that process files run: each on a processor of its own, or on those of a memory node, if the flow says
//! so. A worker is made by its thread, so what it writes to lies near it.

use std::fs;
use std::io;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// The part that says it in the log: a name that users give levels to.
const LOG: &str = "flow::placement";

/// Where the system says which memory nodes there are.
const NODES: &str = "/sys/devices/system/node";

/// What threads are bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    /// Each to one processor.
    Processors,
    /// Each to those of one memory node.
    Nodes,
}

/// The thread that calls this.
const THIS: Pid = Pid::from_raw(0);

/// Binds the thread that calls this to the place of a number: processors or nodes one after the other, and again from the
/// first. Where that cannot be, it runs anywhere, and the log says so.
pub fn take(bound: Bound, place: usize) {
    if let Err(error) = bind(bound, place) {
        tracing::warn!(target: LOG, "a thread could not be bound to its {}: {error}", bound.word());
    }
}

impl Bound {
    /// By the word with which the flow says it.
    pub fn of(word: &str) -> Option<Self> {
        [Bound::Processors, Bound::Nodes].into_iter().find(|bound| bound.word() == word)
    }

    /// As the flow says it.
    pub fn word(self) -> &'static str {
        match self {
            Bound::Processors => "processors",
            Bound::Nodes => "nodes",
        }
    }
}

fn bind(bound: Bound, place: usize) -> io::Result<()> {
    let allowed = sched_getaffinity(THIS)?;
    let is_allowed = |processor: &usize| allowed.is_set(*processor).unwrap_or(false);
    let of_nodes = nodes().into_iter().map(|node| node.into_iter().filter(is_allowed).collect());
    let choices: Vec<Vec<usize>> = match bound {
        Bound::Processors => {
            (0..CpuSet::count()).filter(is_allowed).map(|processor| vec![processor]).collect()
        }
        Bound::Nodes => of_nodes.filter(|node: &Vec<usize>| !node.is_empty()).collect(),
    };
    let Some(processors) = choices.get(place % choices.len().max(1)) else { return Ok(()) };
    let mut set = CpuSet::new();
    processors.iter().try_for_each(|processor| set.set(*processor))?;
    Ok(sched_setaffinity(THIS, &set)?)
}

/// The processors of each memory node; none where the system does not say.
fn nodes() -> Vec<Vec<usize>> {
    let lists = (0..).map(|node| fs::read_to_string(format!("{NODES}/node{node}/cpulist")));
    lists.map_while(Result::ok).map(|list| processors(&list)).collect()
}

/// Those of a list as the system writes it: `0-3,8-11`.
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
