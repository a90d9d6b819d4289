//! What is to be done before a circle of network elements is looked at again, and what came of it.

use std::collections::HashSet;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;

use journal::JobId;

use crate::definition::backlog::{Backlog, Waits};
use crate::definition::report::Report;
use crate::definition::topology::Topology;
use crate::execute::job::About;
use crate::schedule::queue::Placed;

/// The problems of the look before: what still is one is not told every second.
pub(crate) type Told = HashSet<String>;

/// Tasks that are over together.
pub(crate) struct Batch {
    /// How many are not settled or given up yet.
    open: AtomicUsize,
    found: Mutex<Found>,
    /// What was told of the circle with the look before.
    told: Arc<Told>,
    /// Who is woken when all are.
    waits: Thread,
}

/// What came of tasks.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) report: Report,
    pub(crate) obstacles: Backlog,
}

/// Says that a task is not over: that of a batch is when this goes away.
pub(crate) struct Completion {
    batch: Arc<Batch>,
    about: About,
    /// The process that does it, if that is not the gateway's.
    process: Option<String>,
}

impl Batch {
    /// Without tasks yet. The thread that calls this is woken when the last ticket goes away.
    pub(crate) fn new(told: Arc<Told>) -> Arc<Self> {
        let (open, found, waits) = (AtomicUsize::new(0), Mutex::default(), std::thread::current());
        Arc::new(Batch { open, found, told, waits })
    }

    /// For one more task.
    pub(crate) fn ticket(self: &Arc<Self>, about: About) -> Completion {
        self.open.fetch_add(1, Ordering::Relaxed);
        Completion { batch: Arc::clone(self), about, process: None }
    }

    /// The same for some tasks.
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

    /// Whether all tasks are settled or given up.
    pub(crate) fn is_over(&self) -> bool {
        self.open.load(Ordering::Acquire) == 0
    }

    /// What came of them.
    pub(crate) fn take(&self) -> Found {
        mem::take(&mut *self.found())
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Completion {
    /// Tells a problem, unless it was told with the look before.
    pub(crate) fn problem(&self, problem: String) {
        if !self.batch.told.contains(&problem) {
            self.warn(self.about.job, &problem);
        }
        self.batch.found().report.problems.push(problem);
    }

    /// Tells what is set aside, by a job that the journal has by now.
    pub(crate) fn set_aside(&self, job: i64, told: String) {
        self.warn(Some(job), &told);
        self.batch.found().report.set_aside.push(told);
    }

    fn warn(&self, job: Option<i64>, told: &str) {
        let (About { network_element, file, .. }, process) = (&self.about, self.process());
        tracing::warn!(target: "flow::batch", network_element, file, job, process, "{told}");
    }

    /// Tells a problem that is not this task's alone.
    pub(crate) fn common_problem(&self, problem: String) {
        if !self.batch.told.contains(&problem) {
            tracing::warn!(target: "flow::batch", "{problem}");
        }
        self.batch.found().report.problems.push(problem);
    }

    /// A process beside the gateway's does its task.
    pub(crate) fn is_done_by(&mut self, process: &str) {
        self.process = Some(process.to_owned());
    }

    /// Which does.
    pub(crate) fn process(&self) -> Option<&str> {
        self.process.as_deref()
    }

    /// What its task is about.
    pub(crate) fn about(&self) -> &About {
        &self.about
    }

    /// Notes what is in the way.
    pub(crate) fn note(&self, note: impl FnOnce(&mut Backlog)) {
        note(&mut self.batch.found().obstacles);
    }

    /// Notes why what its task is about stays where it is.
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
