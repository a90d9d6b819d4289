//! The main function of a child process.

use std::collections::{HashMap, VecDeque};
use std::error::Error;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

use node::{Committed, InMemory};
use runtime::affinity::{self, Unit};
use runtime::shutdown::Shutdown;
use runtime::sync::lock;
use runtime::time::at_ms;
use store::StoreError;

use crate::commit::file_ops;
use crate::compile::prepare::{Parts, prepare_at_rest};
use crate::cycle::poison::survived;
use crate::execute::crew::Crew;
use crate::execute::job::{About, Task};
use crate::execute::job_view::JobView;
use crate::execute::running::Running;
use crate::execute::worker::{Helpers, JobFailure, Worker, help};
use crate::plan::Plan;
use crate::processes::message::{
    Begin, BeginError, FromProcess, Number, Reader, Role, ToProcess, Wire, Workers,
};
use crate::processes::remembered::Remembered;
use crate::processes::rows::{Memories, Outcome};
use crate::schedule::queue::Queue;
use collection::scan::LastScan;
use collection::sources::Collection;
use flow::report::WORKER_THREAD;
use state::in_memory;
use suspense::{Row, Spill, TakesRows};

/// The time between two looks at the clock.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// How many looks lie between two times that nodes forget what is too old.
const FORGOTTEN_EVERY: u32 = 60;

/// The most messages with parts of snapshots, of about a megabyte each, between two looks at the clock.
const SNAPSHOTS_AT_ONCE: usize = 32;

/// Why a child process ends.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// No gateway talks to it on its standard input.
    #[error("this is started by a gateway alone, which then talks to it on its standard input")]
    NoGateway(#[source] io::Error),
}

/// The work of its threads.
struct Here<'h> {
    wire: &'h Wire,
    running: &'h Running,
    view: &'h JobView,
    workers: &'h Workers,
    stop: &'h Shutdown,
    coming: Mutex<VecDeque<(Number, Task, About)>>,
    /// The queue through which they help each other with large files.
    queue: Arc<Queue>,
    /// The state changes that are not committed yet.
    memories: Mutex<HashMap<Number, Memories>>,
    /// The status of the nodes that the gateway knows.
    reported: Mutex<Vec<Remembered>>,
}

/// Runs a child process of a gateway with the same flow, until the gateway is gone.
pub fn process(path: &Path, parts: Parts<'_>, wire: &Wire) -> Result<(), ProcessError> {
    let mut reader = wire.reader().map_err(ProcessError::NoGateway)?;
    let begin = match reader.next().map_err(ProcessError::NoGateway)? {
        Some(ToProcess::Begin(begin)) => begin,
        Some(_) | None => return Ok(()),
    };
    let begun = gives_signs(wire).and_then(|()| begun(path, parts, &begin));
    let (plan, view) = match begun {
        Ok(begun) => begun,
        Err(problem) => {
            let _ = wire.send(&FromProcess::Begun(Err(problem)));
            return Ok(());
        }
    };
    match begin.role {
        Role::Processing(workers) => {
            process_tasks((&Running::new(plan), &view), &workers, (wire, reader));
        }
        Role::FileOps => run_errands(&plan.collection, (wire, reader)),
    }
    Ok(())
}

/// Starts a thread that regularly sends a sign of life.
fn gives_signs(wire: &Wire) -> Result<(), BeginError> {
    let wire = wire.clone();
    let signs = move || loop {
        thread::sleep(crate::processes::watch::LOOK_AGAIN);
        let _ = wire.send(&FromProcess::Alive);
    };
    let started = thread::Builder::new().spawn(signs);
    started.map(drop).map_err(no_thread)
}

fn no_thread(error: io::Error) -> BeginError {
    BeginError::NoThread { cause: error.to_string() }
}

/// Prepares the same flow as the gateway's, and restores the state of its nodes.
fn begun(path: &Path, parts: Parts<'_>, begin: &Begin) -> Result<(Plan, JobView), BeginError> {
    let plan = prepare_at_rest(path, parts).sound().map_err(|_| BeginError::FlowChanged)?;
    if !plan.origin.marks.changed(&begin.marks).is_empty() {
        return Err(BeginError::FlowChanged);
    }
    let unreadable = |error: &dyn Error| BeginError::Journal { cause: error.to_string() };
    let view = JobView::open((path, &begin.state), begin.is_written, SystemTime::now)
        .map_err(|error| unreadable(&error))?;
    if let Role::Processing(Workers { nodes, .. }) = &begin.role {
        let restored = in_memory::restore_nodes(&plan.topology, &view, nodes);
        for message in restored.map_err(|error| unreadable(&error))? {
            tracing::info!(target: "flow::processes", "{message}");
        }
    }
    Ok((plan, view))
}

/// Runs file operations until the gateway is gone.
fn run_errands(collection: &Collection, (wire, mut reader): (&Wire, Reader)) {
    let mut last_scan = LastScan::default();
    let _ = wire.send(&FromProcess::Begun(Ok(())));
    while let Ok(Some(ToProcess::Errand(number, errand))) = reader.next() {
        let reply = file_ops::run(collection, &mut last_scan, errand);
        // If the gateway is gone, the reader finds out.
        let _ = wire.send(&FromProcess::Run(number, reply));
    }
}

/// Processes tasks until the gateway is gone.
fn process_tasks(
    (running, view): (&Running, &JobView),
    workers: &Workers,
    (wire, reader): (&Wire, Reader),
) {
    let Workers { threads, place, nodes, .. } = workers;
    view.set_workers(*threads);
    let (stop, plan) = (Shutdown::default(), &running.plan);
    let here = Here {
        wire,
        running,
        view,
        workers,
        stop: &stop,
        coming: Mutex::default(),
        queue: Queue::without_tasks(&plan.topology, &plan.workload),
        memories: Mutex::default(),
        reported: Mutex::new(vec![Remembered::default(); nodes.len()]),
    };
    thread::scope(|scope| {
        let mut started = Ok(());
        for thread in 0..*threads {
            let here = &here;
            let work = move || {
                match plan.workload.groups.common.bound {
                    Some(Unit::Processor) => affinity::pin(Unit::Processor, place + thread),
                    Some(Unit::MemoryNode) => affinity::pin(Unit::MemoryNode, *place),
                    None => {}
                }
                here.take_tasks();
            };
            let worker = thread::Builder::new().name(WORKER_THREAD.into());
            started = started.and(worker.spawn_scoped(scope, work).map(drop));
        }
        started =
            started.and(thread::Builder::new().spawn_scoped(scope, || here.look_after()).map(drop));
        let started = started.map_err(no_thread);
        if wire.send(&FromProcess::Begun(started.clone())).is_ok() && started.is_ok() {
            here.hear(reader);
        }
        // The gateway is gone. The current work lies under temporary names and will be repeated.
        std::process::exit(0)
    })
}

/// The gateway, as a thread with its current task sees it.
struct GatewayLink<'h> {
    wire: &'h Wire,
    task: AtomicU64,
}

impl TakesRows for GatewayLink<'_> {
    fn take(&self, rows: Vec<Row>) -> io::Result<()> {
        let aside = FromProcess::Aside(self.task.load(Ordering::Relaxed), rows);
        self.wire.send(&aside).map_err(io::Error::other)
    }

    fn take_back(&self) {
        let _ = self.wire.send(&FromProcess::NoneAside(self.task.load(Ordering::Relaxed)));
    }
}

impl Here<'_> {
    /// Reads the gateway's messages until it is gone.
    fn hear(&self, mut reader: Reader) {
        loop {
            match reader.next() {
                Ok(Some(ToProcess::Task(number, task, about))) => {
                    lock(&self.coming).push_back((number, task, about));
                    self.queue.tell_of_task();
                }
                Ok(Some(ToProcess::Settled(number, job))) => self.settled(number, job),
                Ok(Some(ToProcess::Stop)) => self.stop.set(),
                _ => return,
            }
        }
    }

    /// Performs tasks, one after the other, until the process ends. Between them it helps other threads.
    fn take_tasks(&self) {
        let gateway = GatewayLink { wire: self.wire, task: AtomicU64::new(0) };
        let make = || Worker::new(self.running, self.view, Spill::Writer(&gateway));
        let mut worker = None;
        loop {
            let next = lock(&self.coming).pop_front();
            let Some((number, task, about)) = next else {
                let is_there = || !lock(&self.coming).is_empty();
                if let Some(file) = self.queue.help_meanwhile(self.workers.serves, is_there) {
                    // The gateway watches the process, not its threads.
                    help(&mut worker, make, self.running, &file, self.stop, |_, _| ());
                }
                continue;
            };
            gateway.task.store(number, Ordering::Relaxed);
            let done = self.perform(&mut worker, make, (task, &about));
            let done = done.map(|(outcome, memories)| {
                if !memories.is_empty() {
                    lock(&self.memories).insert(number, memories);
                }
                outcome
            });
            if let Err(error) = self.wire.send(&FromProcess::Done(number, done)) {
                self.settled(number, None);
                let problem = format!("what was made could not be said: {error}");
                let not_done = Err(JobFailure::TryAgain { problem });
                let _ = self.wire.send(&FromProcess::Done(number, not_done));
            }
            self.tell_full();
        }
    }

    fn perform<'w>(
        &'w self,
        worker: &mut Option<Worker<'w>>,
        make: impl Fn() -> Result<Worker<'w>, StoreError>,
        (task, about): (Task, &About),
    ) -> Result<(Outcome, Memories), JobFailure> {
        let is_over = || self.stop.is_set();
        let stretch_octets = self.workers.stretch_octets;
        let act = |worker: &mut Worker<'w>| {
            worker.helpers =
                Some(Helpers { crew: Arc::clone(&self.queue) as Arc<dyn Crew>, stretch_octets });
            worker.perform(task.clone(), self.stop, is_over)
        };
        match survived(worker, about, make, act) {
            Some(done) => Ok(match done? {
                Some(settle) => Outcome::of(&self.running.plan.topology, settle),
                None => (Outcome::Nothing, Memories::new()),
            }),
            None => Ok((Outcome::Poison, Memories::new())),
        }
    }

    /// Ends a task: nodes keep its state changes from then on, or drop them if it was not committed.
    fn settled(&self, number: Number, committed: Option<Committed>) {
        let memories = lock(&self.memories).remove(&number).unwrap_or_default();
        if let Some(job) = committed {
            memories.into_iter().for_each(|changes| changes.committed(job));
        }
        self.tell_full();
    }

    /// Looks at the clock and has nodes forget what is too old, without end.
    fn look_after(&self) {
        let mut looks = 0;
        loop {
            thread::sleep(LOOK_AGAIN);
            // The gateway writes it to the journal.
            let _ = self.view.clock.tick();
            looks += 1;
            if looks % FORGOTTEN_EVERY == 0 {
                let now = at_ms(self.view.clock.now_ms());
                for node in &self.workers.nodes {
                    let node = &self.running.plan.topology.graph.nodes[*node];
                    if let Some(state) = node.template.in_memory() {
                        state.expire(now);
                    }
                }
            }
            self.send_snapshots();
            self.tell(|state, _| Remembered::of(state));
        }
    }

    /// Sends the gateway the snapshots that are due, for it to write.
    fn send_snapshots(&self) {
        for _ in 0..SNAPSHOTS_AT_ONCE {
            let due = in_memory::due(&self.running.plan.topology);
            if due.is_empty() {
                return;
            }
            for rows in due {
                let _ = self.wire.send(&FromProcess::Snapshot(rows));
            }
        }
    }

    /// Tells the gateway which nodes take no more. The number of keys is sent only with each look at the clock.
    fn tell_full(&self) {
        self.tell(|state, reported| Remembered { refuses: state.refuses(), ..reported.clone() });
    }

    /// Sends the gateway the status of nodes with state, if it has changed.
    fn tell(&self, now: impl Fn(&dyn InMemory, &Remembered) -> Remembered) {
        let mut reported = lock(&self.reported);
        for (node, reported) in self.workers.nodes.iter().zip(&mut *reported) {
            let at = &self.running.plan.topology.graph.nodes[*node];
            let Some(state) = at.template.in_memory() else { continue };
            let now = now(state, reported);
            if *reported != now {
                let _ = self.wire.send(&FromProcess::Remembered(*node, now.clone()));
                *reported = now;
            }
        }
    }
}
