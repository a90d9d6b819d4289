//! What is to be done before a circle of network elements is looked at again, and what came of it.

use std::collections::{BTreeSet, HashSet};
use std::mem;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;

use alarm::Completeness;
use journal::Entry;

use crate::job::About;
use crate::queue::{Behind, Placed, Unsettled};
use crate::report::Report;
use crate::topology::Topology;

/// The problems of the look before: what still is one is not told every second.
pub(crate) type Told = HashSet<String>;

/// What is in the way.
#[derive(Debug, Default)]
pub(crate) struct Obstacles {
    /// Whether that is all.
    pub(crate) known: Completeness,
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

impl Obstacles {
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

impl Obstacles {
    pub(crate) fn add(&mut self, other: &Obstacles) {
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
    pub(crate) obstacles: Obstacles,
}

/// Says that a task is not over: that of a batch is when this goes away.
pub(crate) struct Ticket {
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
    pub(crate) fn ticket(self: &Arc<Self>, about: About) -> Ticket {
        self.open.fetch_add(1, Ordering::Relaxed);
        Ticket { batch: Arc::clone(self), about, process: None }
    }

    /// The same for some tasks.
    pub(crate) fn of(
        self: &Arc<Self>,
        flow: &Topology,
        tasks: Vec<Placed>,
    ) -> Vec<(Placed, Ticket)> {
        let ticket = |(element, task): Placed| {
            let network_element = flow.elements[element].name.clone();
            let (file, job) = (task.name(flow), task.entry().map(|Entry(job)| job));
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

impl Ticket {
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
        tracing::warn!(network_element, file, job, process, "{told}");
    }

    /// Tells a problem that is not this task's alone.
    pub(crate) fn common_problem(&self, problem: String) {
        if !self.batch.told.contains(&problem) {
            tracing::warn!("{problem}");
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
    pub(crate) fn note(&self, note: impl FnOnce(&mut Obstacles)) {
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

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.batch.open.fetch_sub(1, Ordering::Release) == 1 {
            self.batch.waits.unpark();
        }
    }
}
