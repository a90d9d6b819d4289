//! The tasks that must be over before the next scan of a circle of network elements, and their results.

use std::collections::HashSet;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;

use journal::JobId;

use crate::execute::job::About;
use crate::schedule::queue::Placed;
use flow::backlog::{Backlog, Waits};
use flow::report::Report;
use flow::topology::Topology;

/// The problems of the last scan. They are not logged again every second.
pub(crate) type Reported = HashSet<String>;

/// A batch of tasks.
pub(crate) struct Batch {
    /// How many tasks are neither committed nor given up.
    open: AtomicUsize,
    found: Mutex<Found>,
    /// The problems of the circle at the last scan.
    reported: Arc<Reported>,
    /// The thread to wake when all tasks are over.
    waits: Thread,
}

/// The results of tasks.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) report: Report,
    pub(crate) obstacles: Backlog,
}

/// The ticket of a task. The batch is over when all its tickets are dropped.
pub(crate) struct Completion {
    batch: Arc<Batch>,
    about: About,
    /// The worker process that does the task, if it is not the gateway's own.
    process: Option<String>,
}

impl Batch {
    /// Returns a batch without tasks. The calling thread is woken when the last ticket is dropped.
    pub(crate) fn new(reported: Arc<Reported>) -> Arc<Self> {
        let (open, found, waits) = (AtomicUsize::new(0), Mutex::default(), std::thread::current());
        Arc::new(Batch { open, found, reported, waits })
    }

    /// Adds a task and returns its ticket.
    pub(crate) fn ticket(self: &Arc<Self>, about: About) -> Completion {
        self.open.fetch_add(1, Ordering::Relaxed);
        Completion { batch: Arc::clone(self), about, process: None }
    }

    /// Adds tasks and returns each with its ticket.
    pub(crate) fn of(
        self: &Arc<Self>,
        flow: &Topology,
        tasks: Vec<Placed>,
    ) -> Vec<(Placed, Completion)> {
        let ticket = |(element, task): Placed| {
            let network_element = flow.elements[element].name.clone();
            let (file, job) = (task.name(flow), task.entry().map(|JobId(job)| job));
            let ticket = self.ticket(About { network_element, file, job });
            ((element, task), ticket)
        };
        tasks.into_iter().map(ticket).collect()
    }

    /// Returns whether all tasks are committed or given up.
    pub(crate) fn is_over(&self) -> bool {
        self.open.load(Ordering::Acquire) == 0
    }

    /// Takes the results so far.
    pub(crate) fn take(&self) -> Found {
        mem::take(&mut *self.found())
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Completion {
    /// Reports a problem. Logs it only if it is not one of the last scan.
    pub(crate) fn problem(&self, problem: String) {
        if !self.batch.reported.contains(&problem) {
            self.warn(self.about.job, &problem);
        }
        self.batch.found().report.problems.push(problem);
    }

    /// Reports what a job set aside. `job` is its entry in the journal.
    pub(crate) fn set_aside(&self, job: i64, message: String) {
        self.warn(Some(job), &message);
        self.batch.found().report.set_aside.push(message);
    }

    fn warn(&self, job: Option<i64>, message: &str) {
        let (About { network_element, file, .. }, process) = (&self.about, self.process());
        tracing::warn!(target: "flow::batch", network_element, file, job, process, "{message}");
    }

    /// Reports a problem that concerns more than this task.
    pub(crate) fn common_problem(&self, problem: String) {
        if !self.batch.reported.contains(&problem) {
            tracing::warn!(target: "flow::batch", "{problem}");
        }
        self.batch.found().report.problems.push(problem);
    }

    /// Notes that a worker process does the task.
    pub(crate) fn is_done_by(&mut self, process: &str) {
        self.process = Some(process.to_owned());
    }

    /// Returns the worker process that does the task, if one does.
    pub(crate) fn process(&self) -> Option<&str> {
        self.process.as_deref()
    }

    /// Returns the subject of the task.
    pub(crate) fn about(&self) -> &About {
        &self.about
    }

    /// Notes an obstacle.
    pub(crate) fn note(&self, note: impl FnOnce(&mut Backlog)) {
        note(&mut self.batch.found().obstacles);
    }

    /// Notes why the file of the task stays where it is.
    pub(crate) fn note_waiting(&self, problem: String) {
        let network_element = self.about.network_element.clone();
        self.note(|obstacles| obstacles.waiting.push(Waits { network_element, problem }));
    }

    /// Notes what was done.
    pub(crate) fn report(&self, report: Report) {
        self.batch.found().report.add(report);
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        if self.batch.open.fetch_sub(1, Ordering::Release) == 1 {
            self.batch.waits.unpark();
        }
    }
}
