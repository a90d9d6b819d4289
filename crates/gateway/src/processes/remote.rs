//! A place for a child process. The process starts when there is work, and again when it has ended.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use runtime::backoff::Backoff;
use runtime::shutdown::Shutdown;

use super::error::ProcessFault;
use super::message::{Begin, Role, Workers};
use super::process::{End, NewProcess, Process, ProcessAnswer, Unsettled};
use super::remembered::RememberedElsewhere;
use super::rows::{Outcome, There};
use super::watch::Sign;
use crate::commit::Transactions;
use crate::commit::file_ops::{Errand, NotRun, OperationProcess, Reply};
use crate::execute::job::{About, Claim, Completed, OutputTaken, Task};
use crate::execute::options::Program;
use crate::execute::running::Running;
use crate::execute::running::STOP_CHECK_INTERVAL;
use crate::execute::worker::JobFailure;
use crate::schedule::queue::Taker;
use crate::schedule::worker_plan::Beside;
use flow::groups::Serves;
use flow::report::PROCESS_BEGUN;
use suspense::{SetAside, Spill};

/// How long a process has to stop before it is killed.
const STOPPED_WITHIN: Duration = Duration::from_secs(5);

/// The time between two checks whether it has ended.
const ENDS: Duration = Duration::from_millis(1);

/// How often a process may end by itself during a task. The first time other tasks may be the cause; then the task runs
/// alone.
const ENDS_MAX: u32 = 2;

/// How often it may be ended from outside. That is not the task's fault, unless it uses up the memory.
const ENDED_MAX: u32 = 5;

/// How often a process that ends before it has begun is started, until its work is left for later.
const STARTS_MAX: usize = 4;

/// The pause before the next start, after processes that ended without having done anything. No jitter is needed: they
/// are on this machine alone.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(10));

/// The gateway that the processes belong to.
#[derive(Clone, Copy)]
pub(crate) struct ProcessHost<'w> {
    pub(crate) program: &'w Program,
    /// The flow file.
    pub(crate) path: &'w Path,
    pub(crate) running: &'w Running,
    pub(crate) remembered: &'w Arc<RememberedElsewhere>,
    pub(crate) journal: &'w Transactions,
    pub(crate) stop: &'w Shutdown,
    /// Octets of a stretch of a large file.
    pub(crate) stretch_octets: usize,
}

/// A place for a process.
pub(crate) struct Remote<'w> {
    gateway: ProcessHost<'w>,
    name: String,
    role: Role,
    taker: Taker,
    /// Whether it is still needed while the gateway stops, for the current work.
    goes_on: bool,
    process: Mutex<Option<Arc<Process>>>,
    /// How many processes in a row ended without having done anything.
    ended: AtomicU32,
    /// The writer has the process alone.
    alone: RwLock<()>,
    unsettled: Arc<Unsettled>,
}

/// The outcome of a task.
enum TaskOutcome<'w> {
    Answered(Result<Option<Completed<'w>>, JobFailure>),
    /// Its workers panicked.
    Poison,
    /// The process ended.
    Ended(End),
}

impl<'w> Remote<'w> {
    /// Returns the place of a worker process. They are numbered from 1.
    pub(super) fn processing(gateway: ProcessHost<'w>, number: usize, beside: &Beside) -> Self {
        let Beside { serves, threads, place, nodes } = beside;
        gateway.remembered.forget(nodes);
        let (stretch_octets, nodes) = (gateway.stretch_octets, nodes.clone());
        let (threads, place, serves) = (*threads, *place, *serves);
        let role = Role::Processing(Workers { threads, place, serves, nodes, stretch_octets });
        let taker = Taker { process: Some(number - 1), ..Taker::here(serves) };
        Self::new(gateway, format!("processing process {number}"), role, taker)
    }

    /// Returns the place of a process that runs file operations.
    pub(super) fn errands(gateway: ProcessHost<'w>, name: &str) -> Self {
        Self::new(gateway, name.into(), Role::FileOps, Taker::here(Serves::Others))
    }

    /// Keeps it running while the gateway stops, for the current work.
    pub(super) fn needed_to_the_end(mut self) -> Self {
        self.goes_on = true;
        self
    }

    fn new(gateway: ProcessHost<'w>, name: String, role: Role, taker: Taker) -> Self {
        Remote {
            gateway,
            name,
            role,
            taker,
            goes_on: false,
            process: Mutex::default(),
            ended: AtomicU32::new(0),
            alone: RwLock::default(),
            unsettled: Arc::default(),
        }
    }

    /// Returns which tasks it takes.
    pub(crate) fn taker(&self) -> Taker {
        self.taker
    }

    /// Returns its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn runs_errands(&self) -> bool {
        matches!(self.role, Role::FileOps)
    }

    /// Returns the sign of life of the process. None if none runs, or if one is just being started.
    pub(super) fn sign(&self) -> Option<Sign> {
        self.process.try_lock().ok()?.as_ref()?.sign()
    }

    /// Kills the process. It starts again when there is work.
    pub(super) fn kill(&self) {
        let running = self.process.try_lock().ok();
        let process = running.as_ref().and_then(|running| running.as_ref());
        process.into_iter().for_each(|process| process.kill());
    }

    /// Returns how many tasks it does at once.
    pub(crate) fn threads(&self) -> usize {
        match self.role {
            Role::Processing(Workers { threads, .. }) => threads,
            Role::FileOps => 0,
        }
    }

    /// Has a task done up to the commit. Returns none if it kills its process or its workers each time. If a process
    /// ends, its tasks are repeated, each alone, to find the task that caused it.
    pub(crate) fn perform(
        &self,
        task: &Task,
        about: &About,
    ) -> Option<Result<Option<Completed<'w>>, JobFailure>> {
        let (mut ends, mut ended) = (0, 0);
        while !self.is_over() {
            let is_suspect = ends + ended > 0;
            let outcome = if is_suspect {
                let _alone = self.alone.write().unwrap_or_else(PoisonError::into_inner);
                self.ask(task, about)
            } else {
                let _beside = self.alone.read().unwrap_or_else(PoisonError::into_inner);
                self.ask(task, about)
            };
            match outcome {
                TaskOutcome::Answered(done) => {
                    self.ended.store(0, Ordering::Relaxed);
                    return Some(done);
                }
                TaskOutcome::Poison => return None,
                TaskOutcome::Ended(End::OfItself) => ends += 1,
                TaskOutcome::Ended(End::FromOutside) => ended += 1,
            }
            let (About { network_element, file, job }, process) = (about, self.name.as_str());
            tracing::warn!(
                target: "flow::processes",
                process,
                network_element,
                file,
                job,
                "\"{file}\" of \"{network_element}\" was in work when the {process} ended"
            );
            if ends >= ENDS_MAX || ended >= ENDED_MAX {
                return None;
            }
        }
        Some(Ok(None))
    }

    fn errand(&self, errand: Errand) -> Result<Reply, ProcessFault> {
        let Some(process) = self.running()? else {
            return Err(ProcessFault::Stopped { process: self.name.clone() });
        };
        let (answers, mut stopped) = (process.send(errand), None);
        loop {
            match answers.recv_timeout(STOP_CHECK_INTERVAL) {
                Ok(ProcessAnswer::Run(reply)) => {
                    self.ended.store(0, Ordering::Relaxed);
                    return Ok(reply);
                }
                Ok(ProcessAnswer::NotEncoded(error)) => return Err(error.into()),
                // A stop does not wait for a process that hangs.
                Err(RecvTimeoutError::Timeout) if self.gateway.stop.is_set() => {
                    if stopped.get_or_insert_with(Instant::now).elapsed() >= STOPPED_WITHIN {
                        process.kill();
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Ok(_) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(ProcessFault::Ended { process: self.name.clone() });
                }
            }
        }
    }

    fn ask(&self, task: &Task, about: &About) -> TaskOutcome<'w> {
        let ProcessHost { running, journal, .. } = self.gateway;
        let process = match self.running() {
            Ok(Some(process)) => process,
            Ok(None) => return TaskOutcome::Answered(Ok(None)),
            Err(fault) => return TaskOutcome::Answered(Err(fault.into())),
        };
        let claim = match claim(running, task) {
            Ok(claim) => claim,
            Err(taken) => return TaskOutcome::Answered(Err(taken.into())),
        };
        let mut aside = SetAside::new(Spill::Journal(journal, &journal.jobs));
        let (mut put, mut stopping_since): (io::Result<()>, Option<Instant>) = (Ok(()), None);
        let answers = process.give(task.clone(), about.clone());
        loop {
            match answers.recv_timeout(STOP_CHECK_INTERVAL) {
                Ok(ProcessAnswer::Aside(rows)) => {
                    put = put.and_then(|()| rows.into_iter().try_for_each(|row| aside.put(row)));
                }
                Ok(ProcessAnswer::NoneAside) => {
                    (aside, put) = (SetAside::new(Spill::Journal(journal, &journal.jobs)), Ok(()));
                }
                Ok(ProcessAnswer::Run(_)) => {}
                Ok(ProcessAnswer::NotEncoded(error)) => {
                    return TaskOutcome::Answered(Err(error.into()));
                }
                Ok(ProcessAnswer::Done(Ok(Outcome::Poison), _)) => return TaskOutcome::Poison,
                Ok(ProcessAnswer::Done(done, fate)) => {
                    let put = put.map_err(JobFailure::from);
                    let there = There { task: task.clone(), claim, aside, fate };
                    let settle = |outcome| there.settle(running, outcome).map_err(JobFailure::from);
                    return TaskOutcome::Answered(put.and(done).and_then(settle));
                }
                Err(RecvTimeoutError::Timeout) if self.is_over() => match stopping_since {
                    None => {
                        process.stop();
                        stopping_since = Some(Instant::now());
                    }
                    Some(stopping_since) if stopping_since.elapsed() >= STOPPED_WITHIN => {
                        process.kill()
                    }
                    Some(_) => {}
                },
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return TaskOutcome::Ended(process.end()),
            }
        }
    }

    /// Returns the running process, and starts one if there is none. Returns none when the gateway stops.
    fn running(&self) -> Result<Option<Arc<Process>>, ProcessFault> {
        let mut running = self.process();
        if let Some(process) = running.as_ref().filter(|process| !process.has_ended()) {
            return Ok(Some(Arc::clone(process)));
        }
        let mut is_again = running.take().is_some();
        for _ in 0..STARTS_MAX {
            if is_again && !self.rest(self.ended.fetch_add(1, Ordering::Relaxed)) {
                return Ok(None);
            }
            let process = self.start()?;
            if !process.has_ended() {
                *running = Some(Arc::clone(&process));
                return Ok(Some(process));
            }
            is_again = true;
        }
        Err(ProcessFault::EndsAtOnce { process: self.name.clone() })
    }

    /// Starts a process. It may have ended by the time this returns.
    fn start(&self) -> Result<Arc<Process>, ProcessFault> {
        // The state of the process before is read from the journal.
        self.unsettled.wait();
        let ProcessHost { program, path, running, remembered, journal, .. } = self.gateway;
        let begin = Begin {
            role: self.role.clone(),
            marks: running.plan.origin.marks.clone(),
            state: journal.view.state(),
            is_written: journal.view.is_written,
        };
        let new = NewProcess {
            program,
            flow: path,
            name: &self.name,
            begin,
            lock: journal.lock_for_worker(),
            unsettled: Arc::clone(&self.unsettled),
            remembered: Arc::clone(remembered),
        };
        tracing::debug!(target: "flow::processes", process = self.name, "started");
        let process = Process::start(new, || self.is_over())?;
        if matches!(self.role, Role::Processing(_)) {
            tracing::debug!(target: PROCESS_BEGUN, process = self.name, "has begun");
        }
        Ok(process)
    }

    /// Waits before a process is started again. `ended` is how many have ended without having done anything. Returns
    /// whether to start one.
    fn rest(&self, ended: u32) -> bool {
        let pause = BACKOFF.longest_after(ended);
        if self.goes_on {
            thread::sleep(pause);
            return true;
        }
        !self.gateway.stop.wait(pause)
    }

    fn is_over(&self) -> bool {
        !self.goes_on && self.gateway.stop.is_set()
    }

    fn process(&self) -> MutexGuard<'_, Option<Arc<Process>>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OperationProcess for Remote<'_> {
    fn begin(&self) {
        let _ = self.running();
    }

    fn run(&self, operation: Errand) -> Result<Reply, NotRun> {
        self.errand(operation).map_err(|fault| NotRun { problem: fault.to_string() })
    }
}

impl Drop for Remote<'_> {
    fn drop(&mut self) {
        let Some(process) = self.process().take() else { return };
        process.close();
        // It has the journal open and holds the lock.
        let end = Instant::now() + STOPPED_WITHIN;
        while !process.has_ended() {
            if Instant::now() >= end {
                process.kill();
            }
            thread::sleep(ENDS);
        }
    }
}

/// Claims the outputs of a file. Other tasks need no claim: their outputs have unique names.
fn claim<'w>(running: &'w Running, task: &Task) -> Result<Option<Claim<'w>>, OutputTaken> {
    let Task::File(job) = task else { return Ok(None) };
    let targets = running.plan.topology.reached_targets(job.element, &job.found.name);
    Claim::take(&running.in_hand, targets, &job.found.path.display()).map(Some)
}
