//! The threads that receivers share. After a change of the flow, each thread finishes its current
//! file, and the threads of the new flow deliver the next.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use runtime::sync::lock;

use super::destination::{Receiver, StopSignals, Task};
use super::fair_share::{FairShare, Member};
use super::receivers::ReceiverSet;

/// How often idle threads search for tasks.
const SEARCH_INTERVAL: Duration = Duration::from_millis(100);

/// The receivers and their shared threads.
pub(super) struct Pool {
    pub(super) receivers: Vec<Arc<Receiver>>,
    state: Mutex<State>,
    /// Notified when a thread has finished its task.
    task_done: Condvar,
    /// Notified when a thread has ended its search for a task.
    search_done: Condvar,
    signals: StopSignals,
    /// Set when no more files will come.
    is_last: Arc<AtomicBool>,
}

struct State {
    fair_share: FairShare,
    /// Whether a thread searches for a task. The others wait until it has found one.
    is_searching: bool,
}

impl Pool {
    /// Makes a pool for the receivers of a set, in the order of its members.
    pub(super) fn new(
        receivers: Vec<Arc<Receiver>>,
        set: &ReceiverSet,
        signals: StopSignals,
        is_last: &Arc<AtomicBool>,
    ) -> Self {
        let members = receivers.iter().zip(&set.members);
        let member = |(receiver, (_, group)): (&Arc<Receiver>, &(usize, usize))| Member {
            group: *group,
            at_once: receiver.route.at_once,
            threads: 0,
            is_failing: false,
        };
        let members = members.map(member).collect();
        let fair_share = FairShare::new(set.threads, set.shares.clone(), members);
        let state = Mutex::new(State { fair_share, is_searching: false });
        let (task_done, search_done) = (Condvar::new(), Condvar::new());
        let is_last = Arc::clone(is_last);
        Pool { receivers, state, task_done, search_done, signals, is_last }
    }

    /// Performs tasks until there will be no more. Each thread runs this.
    pub(super) fn work(&self) {
        while let Some((assignment, task)) = self.next_task() {
            let receiver = &self.receivers[assignment.receiver];
            if let Err(error) = receiver.perform(task) {
                let system = receiver.route.system.as_str();
                tracing::error!(target: "flow::delivery", receiver = system, "{system}: {error}");
                // If the journal cannot be written any more, the gateway ends.
                thread::sleep(SEARCH_INTERVAL);
            }
        }
        self.receivers.iter().for_each(|receiver| receiver.close_connections());
    }

    /// Waits for a task. Returns `None` when there will be no more.
    fn next_task(&self) -> Option<(Assignment<'_>, Task)> {
        let mut state = lock(&self.state);
        while state.is_searching && !self.signals.is_any_set() {
            state = self.search_done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_searching = true;
        let mut found = None;
        while !self.signals.is_any_set() {
            let is_last = self.is_last.load(Ordering::Relaxed);
            found = self.find(&mut state, is_last);
            if found.is_some() || is_last && state.fair_share.are_all_idle() {
                break;
            }
            let waited = self.task_done.wait_timeout(state, SEARCH_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.is_searching = false;
        self.search_done.notify_one();
        found.map(|(receiver, task)| (Assignment { pool: self, receiver }, task))
    }

    /// Finds a task of a receiver that may have a thread.
    fn find(&self, state: &mut State, is_last: bool) -> Option<(usize, Task)> {
        let fair_share = &mut state.fair_share;
        for index in fair_share.order() {
            let receiver = &self.receivers[index];
            let reader = receiver.journal.reader();
            match reader.and_then(|reader| receiver.next(&reader, is_last)) {
                Ok(Some(task)) => {
                    fair_share.take(index);
                    return Some((index, task));
                }
                Ok(None) => {}
                Err(error) => {
                    let system = receiver.route.system.as_str();
                    tracing::error!(target: "flow::delivery", receiver = system, "{system}: {error}");
                }
            }
        }
        None
    }
}

/// The assignment of a thread to a receiver. It ends when this is dropped.
struct Assignment<'p> {
    pool: &'p Pool,
    receiver: usize,
}

impl Drop for Assignment<'_> {
    fn drop(&mut self) {
        let Assignment { pool, receiver } = self;
        let is_failing = pool.receivers[*receiver].is_failing();
        lock(&pool.state).fair_share.give_back(*receiver, is_failing);
        pool.task_done.notify_one();
    }
}
