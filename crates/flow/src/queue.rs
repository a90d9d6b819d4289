//! What is to be done, a lane for each network element. Where the order of a network element's files matters to a node, a
//! file of it has its turn when the one before is settled; workers do what others have meanwhile.

use std::collections::VecDeque;
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
    /// Whether its files have their turns.
    is_ordered: bool,
    /// Whether one has.
    has_turn: bool,
}

/// The turn of a file, which is over when this goes away: when the file is settled or given up.
pub(crate) struct Turn {
    queue: Arc<Queue>,
    lane: usize,
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

    /// The next task, and its turn where it has one; none when all are taken or it is time to stop.
    pub(crate) fn next(
        self: &Arc<Self>,
        stops: impl Fn() -> bool,
    ) -> Option<(Placed, Option<Turn>)> {
        let mut lanes = self.lanes();
        while !stops() {
            if let Some(lane) = lanes.iter().position(Lane::is_ready)
                && let Some(task) = lanes[lane].tasks.pop_front()
            {
                let has_turn = lanes[lane].is_ordered && matches!(task, Task::File(_));
                lanes[lane].has_turn |= has_turn;
                let turn = has_turn.then(|| Turn { queue: Arc::clone(self), lane });
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

    fn lanes(&self) -> MutexGuard<'_, Vec<Lane>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lane {
    fn is_ready(&self) -> bool {
        match self.tasks.front() {
            Some(Task::File(_)) => !self.has_turn,
            front => front.is_some(),
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.queue.lanes()[self.lane].has_turn = false;
        self.queue.over.notify_all();
    }
}
