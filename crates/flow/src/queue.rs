//! What is to be done, a lane for each network element. Where the order of a network element's files matters to a node, a
//! file of it has its turn when the one before is settled; workers do what others have meanwhile. One that is not settled
//! is not overtaken: the others wait for the next look. Where order does not matter, all have their turns at once.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::job::Task;
use crate::prepare::{Element, Prepared};

/// How long a worker that waits for its turn may not see that it is to stop.
const STOP_SEEN: Duration = Duration::from_millis(50);

/// A task, and the place of its network element.
pub(crate) type Placed = (usize, Task);

/// The tasks of all workers. Its lock is taken once a task.
pub(crate) struct Queue {
    lanes: Mutex<Vec<Lane>>,
    /// A turn is over.
    over: Condvar,
}

#[derive(Default)]
struct Lane {
    tasks: VecDeque<Task>,
    /// Whether its files have their turns one after the other.
    is_ordered: bool,
    /// Whether one has.
    has_turn: bool,
    /// Whether one was given up.
    has_unsettled: bool,
    /// The nodes until whose groups have ended others wait that were given up.
    no_room_in: BTreeSet<usize>,
    /// Where one was given up in its turn.
    behind: Option<Behind>,
}

/// Files that wait until one before them is settled.
pub(crate) struct Behind {
    /// The place of their network element.
    pub(crate) element: usize,
    /// The one before them.
    pub(crate) first: PathBuf,
}

/// A network element of which files were given up, or never had their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsettled {
    /// Its place.
    pub element: usize,
    /// The place of the node until whose groups have ended they wait; none where they wait for anything else.
    pub no_room_in: Option<usize>,
}

/// The turn of a file. Where this goes away before the file is settled, it was given up, and those behind it wait where
/// their order matters.
pub(crate) struct Turn {
    queue: Arc<Queue>,
    lane: usize,
    file: PathBuf,
    is_settled: bool,
    /// Why not, where a node has no room.
    no_room_in: Option<usize>,
}

impl Queue {
    pub(crate) fn new(flow: &Prepared, tasks: impl IntoIterator<Item = Placed>) -> Arc<Self> {
        let lane = |element: &Element| Lane { is_ordered: element.is_ordered, ..Lane::default() };
        let mut lanes: Vec<Lane> = flow.elements.iter().map(lane).collect();
        for (element, task) in tasks {
            lanes[element].tasks.push_back(task);
        }
        Arc::new(Queue { lanes: Mutex::new(lanes), over: Condvar::new() })
    }

    /// How many tasks are left.
    pub(crate) fn len(&self) -> usize {
        self.lanes().iter().map(|lane| lane.tasks.len()).sum()
    }

    /// The next task, and its turn if it is a file; none when all are taken or it is time to stop.
    pub(crate) fn next(
        self: &Arc<Self>,
        stops: impl Fn() -> bool,
    ) -> Option<(Placed, Option<Turn>)> {
        let mut lanes = self.lanes();
        while !stops() {
            if let Some(lane) = lanes.iter().position(Lane::is_ready)
                && let Some(task) = lanes[lane].tasks.pop_front()
            {
                let file = match &task {
                    Task::File(job) => Some(job.found.path.clone()),
                    _ => None,
                };
                lanes[lane].has_turn |= file.is_some() && lanes[lane].is_ordered;
                let (queue, is_settled) = (Arc::clone(self), false);
                let turn =
                    file.map(|file| Turn { queue, lane, file, is_settled, no_room_in: None });
                return Some(((lane, task), turn));
            }
            if lanes.iter().all(|lane| lane.tasks.is_empty()) {
                break;
            }
            let waited = self.over.wait_timeout(lanes, STOP_SEEN);
            lanes = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }

    /// The files that wait for one that was given up, by network element.
    pub(crate) fn behind(&self) -> Vec<Behind> {
        self.lanes().iter_mut().filter_map(|lane| lane.behind.take()).collect()
    }

    /// The network elements of which a file was given up, or never had its turn: once for each thing they wait for.
    pub(crate) fn unsettled(&self) -> Vec<Unsettled> {
        let mut unsettled = Vec::new();
        for (element, lane) in self.lanes().iter().enumerate() {
            if lane.has_unsettled || lane.tasks.iter().any(is_file) {
                unsettled.push(Unsettled { element, no_room_in: None });
            }
            let no_room_in = lane.no_room_in.iter();
            unsettled.extend(no_room_in.map(|node| Unsettled { element, no_room_in: Some(*node) }));
        }
        unsettled
    }

    fn lanes(&self) -> MutexGuard<'_, Vec<Lane>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_file(task: &Task) -> bool {
    matches!(task, Task::File(_))
}

impl Lane {
    fn is_ready(&self) -> bool {
        match self.tasks.front() {
            Some(Task::File(_)) => !self.has_turn,
            front => front.is_some(),
        }
    }
}

impl Turn {
    /// The file is settled: the next has its turn.
    pub(crate) fn settled(mut self) {
        self.is_settled = true;
    }

    /// The file was given up, and waits until groups of a node have ended, if that is why.
    pub(crate) fn given_up(mut self, no_room_in: Option<usize>) {
        self.no_room_in = no_room_in;
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let lane = &mut self.queue.lanes()[self.lane];
        lane.has_turn = false;
        match self.no_room_in {
            Some(node) => drop(lane.no_room_in.insert(node)),
            None => lane.has_unsettled |= !self.is_settled,
        }
        if !self.is_settled && lane.is_ordered {
            let tasks = lane.tasks.len();
            lane.tasks.retain(|task| !is_file(task));
            if lane.tasks.len() < tasks {
                let first = std::mem::take(&mut self.file);
                lane.behind = Some(Behind { element: self.lane, first });
            }
        }
        self.queue.over.notify_all();
    }
}
