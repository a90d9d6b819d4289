//! The queue of tasks, a lane for each network element.
//!
//! Groups of a higher priority go first. Among groups of one priority, the next is the group with the fewest octets
//! taken by its weight, and within it the network element with the fewest. So a network element with large or many
//! files does not delay the others. This is start-time fair queueing, with the size of a file as its cost.
//!
//! If a node depends on the order of a network element's files, a file has its turn when the one before is committed;
//! workers do tasks of others meanwhile. A file that is given up is not overtaken: the others wait for the next scan.
//! If order does not matter, all files have their turns at once.
//!
//! A worker without a task helps with a large file of another worker, until there is a task.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::execute::chunks::SharedFile;
use crate::execute::crew::{Crew, FileTurn, Help};
use crate::execute::job::Task;
use crate::plan::Workload;
use crate::schedule::batch::Completion;
use crate::schedule::worker_plan::WorkerPlan;
use flow::backlog::{Behind, Unsettled};
use flow::groups::{Groups, Serves, Share};
use flow::topology::{Element, Topology};

/// The cost of a task without a file, in octets.
const SMALL: u64 = 4096;

/// The fractional bits of the octets that a group has taken by its weight.
const FINE: u32 = 16;

/// A task, and the place of its network element.
pub(crate) type Placed = (usize, Task);

/// A task that a worker has taken.
pub(crate) struct TakenTask {
    /// The place of its network element.
    pub(crate) element: usize,
    pub(crate) task: Task,
    /// Its turn, if it is a file.
    pub(crate) turn: Option<Box<Turn>>,
    pub(crate) ticket: Completion,
}

/// The next work of a worker.
pub(crate) enum NextWork {
    Task(TakenTask),
    Help(Help),
}

/// The tasks of all workers. Its lock is taken once for each task, or each stretch of a large file.
pub(crate) struct Queue {
    state: Mutex<QueueState>,
    /// Signals that there may be work, or that the queue is closed.
    changed: Condvar,
    /// Signals that more balanced threads may take tasks.
    has_more: Condvar,
    /// Counts how often a task may have come.
    news: AtomicU64,
    /// How many workers wait, by group; the last entry is for all others.
    waiting: Vec<AtomicUsize>,
}

#[derive(Default)]
struct QueueState {
    lanes: Vec<Lane>,
    groups: Vec<Group>,
    /// The files in work, by post-processing system.
    systems: Vec<Files>,
    /// How much the group of the last task had taken, by priority.
    groups_at: BTreeMap<i64, u128>,
    /// The large files that workers may help with.
    large: Vec<Arc<SharedFile>>,
    /// Whether the queue is closed.
    is_closed: bool,
    /// How many of the balanced threads take tasks.
    most: usize,
    begun: Begun,
}

/// The work that the balanced threads have begun.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Begun {
    pub(crate) octets: u64,
    pub(crate) tasks: u64,
    /// Whether one of them found no task.
    pub(crate) has_idled: bool,
}

/// The tasks of a network element.
#[derive(Default)]
struct Lane {
    tasks: VecDeque<(Task, Completion)>,
    /// The place of its group.
    group: usize,
    /// The process that alone takes them, if there is one.
    bound: Option<usize>,
    /// The post-processing systems that its records may reach.
    systems: Vec<usize>,
    /// Octets of the files that were taken. At least as many as those of the lane that was served when this lane last
    /// began to wait.
    taken: u64,
    files: Files,
    /// Whether the order of its files matters.
    is_ordered: bool,
    /// Whether a file was given up.
    has_unsettled: bool,
    /// How many files stay until the next scan: those given up, and those that waited for one of them.
    staying: usize,
    /// The nodes that had no room: files that were given up wait until groups of these end.
    no_room_in: BTreeSet<usize>,
    /// The file that was given up in its turn, if others wait for it.
    behind: Option<Behind>,
}

/// Files in work, of a network element or for a post-processing system.
#[derive(Clone, Copy, Default)]
struct Files {
    in_work: u64,
    at_once: Option<u64>,
}

impl Files {
    fn at_once(at_once: Option<u64>) -> Self {
        Files { in_work: 0, at_once }
    }

    fn have_room(self) -> bool {
        self.at_once.is_none_or(|most| self.in_work < most)
    }
}

struct Group {
    share: Share,
    /// The work that the group has taken, by its weight, as for a lane.
    taken: u128,
    /// How much the lane of the last task had taken.
    lane_at: u64,
}

impl Group {
    /// Returns the priority with which a worker serves it, if it does.
    fn served(&self, place: usize, serves: Serves) -> Option<i64> {
        match (serves, self.share) {
            (Serves::Group(own), Share::Own { .. }) if own == place => Some(0),
            (Serves::Others, Share::Common { priority, .. }) => Some(priority),
            _ => None,
        }
    }
}

/// A thread that takes tasks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taker {
    pub(crate) serves: Serves,
    /// The worker process that does them, if it is not the gateway's own.
    pub(crate) process: Option<usize>,
    /// Its place among the balanced threads, if it is one.
    pub(crate) balanced: Option<usize>,
}

impl Taker {
    /// Returns a thread of the gateway's own process.
    pub(crate) fn here(serves: Serves) -> Self {
        Taker { serves, process: None, balanced: None }
    }
}

/// The rest of network elements whose tasks are over.
#[derive(Default)]
pub(crate) struct Left {
    /// The network elements with files that were given up, once for each thing they wait for.
    pub(crate) unsettled: Vec<Unsettled>,
    /// The network elements with files that wait for one of those.
    pub(crate) behind: Vec<Behind>,
    /// The number of files that stay where they are, by network element.
    pub(crate) staying: Vec<(usize, usize)>,
}

/// The turn of a file. If it is dropped before the file is committed, the file was given up. Files behind it then wait,
/// if their order matters.
pub(crate) struct Turn {
    queue: Arc<Queue>,
    lane: usize,
    file: PathBuf,
    is_settled: bool,
    /// The node without room, if that is why the file was given up.
    no_room_in: Option<usize>,
}

impl Queue {
    /// Returns a queue without tasks.
    pub(crate) fn new(flow: &Topology, workload: &Workload, crew: &WorkerPlan) -> Arc<Self> {
        Self::of(flow, workload, |place| crew.bound[place], crew.balanced.unwrap_or(usize::MAX))
    }

    /// Returns the queue of a worker process: it gets its tasks from the gateway, and its workers help each other with
    /// large files.
    pub(crate) fn without_tasks(flow: &Topology, workload: &Workload) -> Arc<Self> {
        Self::of(flow, workload, |_| None, usize::MAX)
    }

    fn of(
        flow: &Topology,
        workload: &Workload,
        bound: impl Fn(usize) -> Option<usize>,
        most: usize,
    ) -> Arc<Self> {
        let lane = |(place, element): (usize, &Element)| Lane {
            group: workload.groups.of_elements[place],
            bound: bound(place),
            systems: element.systems.clone(),
            is_ordered: element.is_ordered,
            files: Files::at_once(workload.of_elements[place]),
            ..Lane::default()
        };
        let lanes = flow.elements.iter().enumerate().map(lane).collect();
        let groups = workload.groups.shares.iter().map(|share| Group {
            share: *share,
            taken: 0,
            lane_at: 0,
        });
        let systems = workload.of_systems.iter().map(|bound| Files::at_once(*bound));
        let (groups, systems) = (groups.collect(), systems.collect());
        let state =
            Mutex::new(QueueState { lanes, groups, systems, most, ..QueueState::default() });
        let waiting = (0..=workload.groups.shares.len()).map(|_| AtomicUsize::new(0)).collect();
        let (changed, has_more, news) = Default::default();
        Arc::new(Queue { state, changed, has_more, news, waiting })
    }

    /// Wakes workers because there may be a task, also those that help with a file.
    fn tell(&self, _: &mut QueueState) {
        self.news.fetch_add(1, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Adds tasks under one lock, so that the order does not depend on which thread is faster.
    pub(crate) fn put(&self, tasks: Vec<(Placed, Completion)>) {
        let mut state = self.state();
        for ((element, task), ticket) in tasks {
            state.wake(element);
            state.lanes[element].tasks.push_back((task, ticket));
        }
        self.tell(&mut state);
    }

    /// Waits for the next task, or for a large file to help with. Returns none when the queue is closed, even if tasks
    /// are left. `on_file` is called with the network element of a file before another thread can take a later one.
    pub(crate) fn next(
        self: &Arc<Self>,
        taker: Taker,
        on_file: impl Fn(usize),
    ) -> Option<NextWork> {
        let mut state = self.state();
        while !state.is_closed {
            if taker.balanced.is_some_and(|place| place >= state.most) {
                state = self.has_more.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            if let Some((element, (task, ticket))) = state.take(taker) {
                let file = match &task {
                    Task::File(job) => {
                        on_file(element);
                        Some(job.found.path.clone())
                    }
                    _ => None,
                };
                let (queue, is_settled) = (Arc::clone(self), false);
                let turn = |file| {
                    Box::new(Turn { queue, lane: element, file, is_settled, no_room_in: None })
                };
                return Some(NextWork::Task(TakenTask {
                    element,
                    task,
                    turn: file.map(turn),
                    ticket,
                }));
            }
            state.begun.has_idled |= taker.balanced.is_some();
            if taker.process.is_some() {
                // It is in another process and cannot help here.
                state = self.wait(state);
                continue;
            }
            match self.help(state, taker.serves) {
                Ok(help) => return Some(NextWork::Help(help)),
                Err(woken) => state = woken,
            }
        }
        None
    }

    /// Waits for a large file to help with, for a worker that gets its tasks elsewhere. Returns none if there may be a
    /// task for it; [`tell_of_task`](Self::tell_of_task) wakes it then.
    pub(crate) fn help_meanwhile(
        self: &Arc<Self>,
        serves: Serves,
        is_task_there: impl Fn() -> bool,
    ) -> Option<Help> {
        let mut state = self.state();
        while !is_task_there() {
            match self.help(state, serves) {
                Ok(help) => return Some(help),
                Err(woken) => state = woken,
            }
        }
        None
    }

    /// Returns a file that a worker of this process may help with. If there is none, waits for news and returns the
    /// lock.
    fn help<'q>(
        self: &'q Arc<Self>,
        state: MutexGuard<'q, QueueState>,
        serves: Serves,
    ) -> Result<Help, MutexGuard<'q, QueueState>> {
        if let Some(file) = state.to_help_with(serves) {
            let news = self.news.load(Ordering::Relaxed);
            return Ok(Help::new(Arc::clone(self) as Arc<dyn Crew>, file, news));
        }
        let waiting = self.waiting_of(serves);
        waiting.fetch_add(1, Ordering::Relaxed);
        let state = self.wait(state);
        waiting.fetch_sub(1, Ordering::Relaxed);
        Err(state)
    }

    /// Waits until there may be work, or the queue is closed.
    fn wait<'q>(&self, state: MutexGuard<'q, QueueState>) -> MutexGuard<'q, QueueState> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the workers that get tasks elsewhere: there is one.
    pub(crate) fn tell_of_task(&self) {
        self.tell(&mut self.state());
    }

    /// Sets how many of the balanced threads take tasks from now on.
    pub(crate) fn set_most(&self, most: usize) {
        self.state().most = most;
        self.has_more.notify_all();
    }

    /// Takes what the balanced threads have begun since the last call.
    pub(crate) fn take_begun(&self) -> Begun {
        std::mem::take(&mut self.state().begun)
    }

    /// Closes the queue: no worker gets a task any more.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        self.tell(&mut state);
        self.has_more.notify_all();
    }

    /// Returns how many tasks wait, by network element.
    pub(crate) fn tasks(&self) -> Vec<usize> {
        self.state().lanes.iter().map(|lane| lane.tasks.len()).collect()
    }

    fn waiting_of(&self, serves: Serves) -> &AtomicUsize {
        let others = self.waiting.len() - 1;
        &self.waiting[if let Serves::Group(group) = serves { group } else { others }]
    }

    /// Returns whether the queue is closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.state().is_closed
    }

    /// Takes what network elements left over whose tasks are over.
    pub(crate) fn left(&self, elements: &[usize]) -> Left {
        let (mut left, mut state) = (Left::default(), self.state());
        for element in elements.iter().copied() {
            let lane = &mut state.lanes[element];
            if std::mem::take(&mut lane.has_unsettled) {
                left.unsettled.push(Unsettled { element, no_room_in: None });
            }
            let no_room_in = std::mem::take(&mut lane.no_room_in).into_iter();
            let no_room = no_room_in.map(|node| Unsettled { element, no_room_in: Some(node) });
            left.unsettled.extend(no_room);
            left.behind.extend(lane.behind.take());
            left.staying.push((element, std::mem::take(&mut lane.staying)));
        }
        left
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Crew for Queue {
    fn waiting(&self, groups: &Groups, element: usize) -> usize {
        self.waiting_of(groups.serves(element)).load(Ordering::Relaxed)
    }

    fn offer(&self, file: &Arc<SharedFile>) {
        self.state().large.push(Arc::clone(file));
        self.changed.notify_all();
    }

    fn withdraw(&self, file: &Arc<SharedFile>) {
        let mut state = self.state();
        state.large.retain(|offered| !Arc::ptr_eq(offered, file));
        self.tell(&mut state);
    }

    fn is_any_waiting(&self) -> bool {
        self.waiting.iter().any(|waiting| waiting.load(Ordering::Relaxed) > 0)
    }

    fn wake(&self) {
        // A worker that has looked and does not wait yet holds the lock.
        drop(self.state());
        self.changed.notify_all();
    }

    fn news(&self) -> u64 {
        self.news.load(Ordering::Relaxed)
    }
}

impl QueueState {
    /// Returns a file that a worker may help with: of those of the highest priority, the one that began first.
    fn to_help_with(&self, serves: Serves) -> Option<Arc<SharedFile>> {
        let wants = self.large.iter().filter(|file| file.wants_help());
        let served = wants.filter_map(|file| {
            let group = self.lanes[file.job.element].group;
            let priority = self.groups[group].served(group, serves)?;
            Some((Reverse(priority), file))
        });
        served.min_by_key(|(priority, _)| *priority).map(|(_, file)| Arc::clone(file))
    }

    /// Prepares a lane for a task. A lane that had none for a while gets no credit for that time, nor does its group.
    fn wake(&mut self, lane: usize) {
        let lane = &mut self.lanes[lane];
        if lane.tasks.is_empty() {
            let group = &mut self.groups[lane.group];
            lane.taken = lane.taken.max(group.lane_at);
            if let Share::Common { priority, .. } = group.share {
                let at = self.groups_at.get(&priority).copied();
                group.taken = group.taken.max(at.unwrap_or(0));
            }
        }
    }

    /// Takes the next task for a worker. Returns it with its network element.
    fn take(&mut self, taker: Taker) -> Option<(usize, (Task, Completion))> {
        let place = self.next_lane(taker)?;
        let lane = &mut self.lanes[place];
        let (task, ticket) = lane.tasks.pop_front()?;
        let (cost, group) = (cost(&task), &mut self.groups[lane.group]);
        group.lane_at = lane.taken;
        lane.taken = lane.taken.saturating_add(cost);
        if taker.balanced.is_some() {
            self.begun.octets += cost;
            self.begun.tasks += 1;
        }
        if let Share::Common { priority, weight } = group.share {
            self.groups_at.insert(priority, group.taken);
            group.taken += (u128::from(cost) << FINE) / u128::from(weight);
        }
        if is_file(&task) {
            lane.files.in_work += 1;
            lane.systems.iter().for_each(|system| self.systems[*system].in_work += 1);
        }
        Some((place, (task, ticket)))
    }

    /// Returns the lane whose task is next.
    fn next_lane(&self, Taker { serves, process, .. }: Taker) -> Option<usize> {
        let is_free = |lane: &Lane| lane.bound.is_none_or(|bound| process == Some(bound));
        let ready = self.lanes.iter().enumerate();
        let ready = ready.filter(|(_, lane)| is_free(lane) && self.is_ready(lane));
        let served = ready.filter_map(|(place, lane)| {
            let group = &self.groups[lane.group];
            let priority = group.served(lane.group, serves)?;
            Some(((Reverse(priority), group.taken, lane.group, lane.taken), place))
        });
        served.min().map(|(_, place)| place)
    }

    fn is_ready(&self, lane: &Lane) -> bool {
        match lane.tasks.front() {
            Some((Task::File(_), _)) => {
                let has_room = |system: &usize| self.systems[*system].have_room();
                lane.files.have_room() && lane.systems.iter().all(has_room)
            }
            front => front.is_some(),
        }
    }
}

/// Returns the cost of a task, in octets.
fn cost(task: &Task) -> u64 {
    match task {
        Task::File(job) => job.found.version.0.max(SMALL),
        Task::Retry(_) | Task::Expiry(_) | Task::Timers(_) => SMALL,
    }
}

fn is_file(task: &Task) -> bool {
    matches!(task, Task::File(_))
}

impl Turn {
    /// Ends the turn: the file was given up. It waits until groups of `no_room_in` have ended, if that is given.
    pub(crate) fn given_up(mut self, no_room_in: Option<usize>) {
        self.no_room_in = no_room_in;
    }
}

impl FileTurn for Turn {
    fn settled(mut self: Box<Self>) {
        self.is_settled = true;
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut guard = self.queue.state();
        let QueueState { lanes, systems, .. } = &mut *guard;
        let lane = &mut lanes[self.lane];
        lane.files.in_work -= 1;
        lane.systems.iter().for_each(|system| systems[*system].in_work -= 1);
        match self.no_room_in {
            Some(node) => drop(lane.no_room_in.insert(node)),
            None => lane.has_unsettled |= !self.is_settled,
        }
        let mut waiting = VecDeque::new();
        if !self.is_settled && lane.is_ordered {
            let (files, others) = lane.tasks.drain(..).partition(|(task, _)| is_file(task));
            (waiting, lane.tasks) = (files, others);
            if !waiting.is_empty() {
                let first = std::mem::take(&mut self.file);
                lane.behind = Some(Behind { element: self.lane, first });
            }
        }
        lane.staying += usize::from(!self.is_settled) + waiting.len();
        self.queue.tell(&mut guard);
        drop(guard);
        // Drop their tickets only now: the thread that waits for them asks next what is left.
        drop(waiting);
    }
}

#[cfg(test)]
mod tests {
    use transport::FoundFile;

    use super::*;
    use crate::execute::job::About;
    use crate::schedule::batch::Batch;
    use collection::sources::FileJob;

    const USUAL: Share = Share::Common { priority: 0, weight: 1 };

    /// Returns a queue of groups with shares, with a lane for each of their letters.
    fn state(groups: &[(Share, &str)]) -> QueueState {
        let lanes = groups.iter().enumerate();
        let lanes = lanes.flat_map(|(group, (_, letters))| letters.chars().map(move |_| group));
        QueueState {
            lanes: lanes.map(|group| Lane { group, ..Lane::default() }).collect(),
            groups: groups
                .iter()
                .map(|(share, _)| Group { share: *share, taken: 0, lane_at: 0 })
                .collect(),
            ..QueueState::default()
        }
    }

    /// Puts files of these sizes in kilobytes, each for the network element of its letter.
    fn put(state: &mut QueueState, files: &[(char, u64)]) {
        for (letter, kilobytes) in files {
            let element = *letter as usize - 'a' as usize;
            let version = (kilobytes * 1_000, None);
            let found = FoundFile { path: PathBuf::new(), name: String::new(), version };
            let task = Task::File(FileJob { element, found });
            state.wake(element);
            state.lanes[element]
                .tasks
                .push_back((task, Batch::new(Arc::default()).ticket(About::default())));
        }
    }

    /// Takes tasks and returns their letters, until there are none or `most` are taken.
    fn taken(state: &mut QueueState, serves: Serves, most: usize) -> String {
        let taker = Taker::here(serves);
        let next = || state.take(taker).map(|(element, _)| (b'a' + element as u8) as char);
        std::iter::from_fn(next).take(most).collect()
    }

    #[test]
    fn one_with_many_files_or_large_ones_does_not_keep_others_waiting() {
        let mut state = state(&[(USUAL, "abc")]);
        put(&mut state, &[('a', 10); 6]);
        put(&mut state, &[('b', 10), ('b', 10), ('c', 25), ('c', 10)]);
        assert_eq!(taken(&mut state, Serves::Others, 99), "abcabacaaa");
        // A lane that had nothing for a while does not catch up.
        put(&mut state, &[('b', 10), ('b', 10), ('b', 10)]);
        put(&mut state, &[('a', 10), ('a', 10)]);
        assert_eq!(taken(&mut state, Serves::Others, 99), "babab");
    }

    #[test]
    fn groups_have_their_part_by_weight_and_a_higher_priority_goes_first() {
        let of = |priority, weight| Share::Common { priority, weight };
        let mut state = state(&[(of(0, 3), "a"), (of(0, 1), "bc"), (of(1, 1), "d")]);
        put(&mut state, &[('a', 10); 9]);
        put(&mut state, &[('b', 10), ('c', 10), ('b', 10), ('d', 500), ('d', 10)]);
        let order = taken(&mut state, Serves::Others, 99);
        assert!(order.starts_with("dd"), "{order}");
        let of_a = order[2..10].chars().filter(|letter| *letter == 'a').count();
        assert_eq!((order.len(), of_a), (14, 6), "{order}");
    }

    #[test]
    fn threads_of_a_group_do_nothing_else_and_others_do_nothing_for_it() {
        let mut state = state(&[(Share::Own { processes: 0, threads: 1 }, "a"), (USUAL, "b")]);
        put(&mut state, &[('a', 10), ('b', 10), ('a', 10)]);
        assert_eq!(taken(&mut state, Serves::Others, 9), "b");
        assert_eq!(taken(&mut state, Serves::Group(0), 9), "aa");
    }

    #[test]
    fn no_more_files_are_in_work_than_a_limit_says() {
        let mut state = state(&[(USUAL, "abc")]);
        state.systems = vec![Files::at_once(Some(2))];
        state.lanes[0].files = Files::at_once(Some(1));
        state.lanes[0].systems = vec![0];
        state.lanes[1].systems = vec![0];
        put(&mut state, &[('a', 10), ('a', 10), ('b', 10), ('b', 10), ('c', 10)]);
        assert_eq!(taken(&mut state, Serves::Others, 9), "abc");
        state.lanes[1].files.in_work -= 1;
        state.systems[0].in_work -= 1;
        assert_eq!(taken(&mut state, Serves::Others, 9), "b", "of the other one is in work");
    }
}
