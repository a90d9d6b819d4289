//! What is in the way of files, records and groups that wait, and where: found by a look into the folders and by tasks, and told
//! by alarms.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::definition::topology::Topology;

/// What is in the way.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    /// Whether that is all.
    pub(crate) is_all: bool,
    /// Why files stay where they are, and groups where they wait.
    pub(crate) waiting: Vec<Waits>,
    /// Why files that are processed could not be marked.
    pub(crate) unmarked: Vec<Waits>,
    /// Why records that are to be retried are not yet.
    pub(crate) not_retried: Vec<String>,
    /// Files that could not be processed, for which others wait.
    pub(crate) behind: Vec<Behind>,
    /// Network elements of which files were given up, or could not be looked for.
    pub(crate) unsettled: Vec<Unsettled>,
    /// By the place of its network element, how many files stay where they are: they could not be processed, there is no
    /// room for what is made of them, or they wait for one of which that is true.
    pub(crate) staying: Vec<(usize, usize)>,
    /// The places of network elements whose folders cannot be read, and why.
    pub(crate) unreadable: Vec<(usize, String)>,
    /// The places of those in whose folders there are links that are not followed, and which.
    pub(crate) linked: Vec<(usize, String)>,
    /// The places of those in whose folders there is something else that is not collected, and what.
    pub(crate) left_alone: Vec<(usize, String)>,
    /// The places of those in whose folders there are files that are written to for long, and which.
    pub(crate) unsettled_long: Vec<(usize, String)>,
    /// Files that were set aside since nobody survived them, with the places of their network elements.
    pub(crate) poison: Vec<(usize, PathBuf)>,
    /// Why groups could not be ended whose time is over.
    pub(crate) held_up: Vec<String>,
    /// Since when the groups of nodes were ended last.
    pub(crate) ending: Vec<Ending>,
}

impl Backlog {
    /// The network elements with files that are there and cannot be processed, or folders that cannot be read.
    pub(crate) fn elements<'f>(&self, flow: &'f Topology) -> BTreeSet<&'f str> {
        let staying = self.staying.iter().filter(|(_, files)| *files > 0);
        let staying = staying.map(|(element, _)| *element);
        let unreadable = self.unreadable.iter().map(|(element, _)| *element);
        let unsettled = self.unsettled_long.iter().map(|(element, _)| *element);
        let places = staying.chain(unreadable).chain(unsettled);
        places.map(|element| flow.elements[element].name.as_str()).collect()
    }
}

/// Why something stays where it is.
#[derive(Clone, Debug)]
pub(crate) struct Waits {
    /// What it came from.
    pub(crate) network_element: String,
    pub(crate) problem: String,
}

/// When the groups of a node began to be ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending {
    /// The place of the node.
    pub(crate) node: usize,
    pub(crate) since_ms: i64,
}

impl Backlog {
    pub(crate) fn add(&mut self, other: &Backlog) {
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
        self.ending.extend_from_slice(&other.ending);
    }
}

/// Files that wait until one before them is settled.
#[derive(Clone, Debug)]
pub(crate) struct Behind {
    /// The place of their network element.
    pub(crate) element: usize,
    /// The one before them.
    pub(crate) first: PathBuf,
}

/// A network element of which files were given up, or never had their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unsettled {
    /// Its place.
    pub(crate) element: usize,
    /// The place of the node until whose groups have ended they wait; none where they wait for anything else.
    pub(crate) no_room_in: Option<usize>,
}

/// The first of some problems, and whether there are others: in which order they were met, and how many there are, may be
/// otherwise with each look.
pub(crate) fn first_of(problems: BTreeSet<&str>) -> Option<String> {
    let others = if problems.len() > 1 { "; and others" } else { "" };
    problems.first().map(|first| format!("{first}{others}"))
}
