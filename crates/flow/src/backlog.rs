//! Obstacles: why files, records and groups wait, and where. Looks into the folders and tasks find them, and alarms
//! report them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::topology::Topology;

/// The obstacles that one look found.
#[derive(Debug, Default)]
pub struct Backlog {
    /// Whether the look covered everything.
    pub is_all: bool,
    /// Why files and groups wait.
    pub waiting: Vec<Waits>,
    /// Why files that are processed could not be marked.
    pub unmarked: Vec<Waits>,
    /// Why requested retries have not run yet.
    pub not_retried: Vec<String>,
    /// Files that could not be processed, for which others wait.
    pub behind: Vec<Behind>,
    /// Network elements with files that were given up or could not be looked for.
    pub unsettled: Vec<Unsettled>,
    /// The number of waiting files by the place of their network element. They could not be processed, their output has
    /// no room, or they wait for a file with one of these problems.
    pub staying: Vec<(usize, usize)>,
    /// Network elements whose folders cannot be read, by place, with the reason.
    pub unreadable: Vec<(usize, String)>,
    /// Network elements with links in their folders, which are not followed, and the links.
    pub linked: Vec<(usize, String)>,
    /// Network elements with other things in their folders that are not collected, and what these are.
    pub left_alone: Vec<(usize, String)>,
    /// Network elements with files that have been written to for long, and the files.
    pub unsettled_long: Vec<(usize, String)>,
    /// Files that were set aside because they killed the process, with the places of their network elements.
    pub poison: Vec<(usize, PathBuf)>,
    /// Why overdue groups could not be ended.
    pub held_up: Vec<String>,
    /// Why timers that are due could not fire.
    pub timers_held_up: Vec<String>,
    /// When the groups of nodes last began to be ended.
    pub ending: Vec<Ending>,
}

impl Backlog {
    /// Returns the network elements with files that cannot be processed or collected, or with folders that cannot be
    /// read.
    pub fn elements<'f>(&self, flow: &'f Topology) -> BTreeSet<&'f str> {
        let staying = self.staying.iter().filter(|(_, files)| *files > 0);
        let staying = staying.map(|(element, _)| *element);
        let unreadable = self.unreadable.iter().map(|(element, _)| *element);
        let unsettled = self.unsettled_long.iter().map(|(element, _)| *element);
        let places = staying.chain(unreadable).chain(unsettled);
        places.map(|element| flow.elements[element].name.as_str()).collect()
    }
}

/// Why something waits.
#[derive(Clone, Debug)]
pub struct Waits {
    /// The network element that it came from.
    pub network_element: String,
    /// The problem, for users.
    pub problem: String,
}

/// The time at which the groups of a node began to be ended.
#[derive(Clone, Copy, Debug)]
pub struct Ending {
    /// The place of the node.
    pub node: usize,
    /// The time by the guarded clock, in milliseconds since 1970.
    pub since_ms: i64,
}

impl Backlog {
    /// Adds the obstacles of another look. `is_all` stays as it is.
    pub fn add(&mut self, other: &Backlog) {
        self.waiting.extend_from_slice(&other.waiting);
        self.unmarked.extend_from_slice(&other.unmarked);
        self.not_retried.extend_from_slice(&other.not_retried);
        self.behind.extend_from_slice(&other.behind);
        self.unsettled.extend_from_slice(&other.unsettled);
        self.staying.extend_from_slice(&other.staying);
        self.unreadable.extend_from_slice(&other.unreadable);
        self.linked.extend_from_slice(&other.linked);
        self.left_alone.extend_from_slice(&other.left_alone);
        self.unsettled_long.extend_from_slice(&other.unsettled_long);
        self.poison.extend_from_slice(&other.poison);
        self.held_up.extend_from_slice(&other.held_up);
        self.timers_held_up.extend_from_slice(&other.timers_held_up);
        self.ending.extend_from_slice(&other.ending);
    }
}

/// Files that wait until an earlier file is settled.
#[derive(Clone, Debug)]
pub struct Behind {
    /// The place of their network element.
    pub element: usize,
    /// The earlier file.
    pub first: PathBuf,
}

/// A network element with files that were given up, or that never had their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsettled {
    /// Its place.
    pub element: usize,
    /// The place of the node whose groups must end before there is room; none if the files wait for anything else.
    pub no_room_in: Option<usize>,
}

/// Returns the first problem, and whether there are others. It omits their number and order, which may differ with each
/// look.
pub fn first_of(problems: BTreeSet<&str>) -> Option<String> {
    let others = if problems.len() > 1 { "; and others" } else { "" };
    problems.first().map(|first| format!("{first}{others}"))
}
