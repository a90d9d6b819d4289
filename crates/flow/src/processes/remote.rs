//! A place for a processing process: it is started when there is something to do, and again when it has ended.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use runtime::backoff::Backoff;
use runtime::shutdown::Shutdown;

use super::message::{Begin, Role, Workers};
use super::process::{Answer, End, Process, Unsettled};
use super::remembered::RememberedElsewhere;
use super::rows::{Outcome, There};
use super::watch::Sign;
use crate::commit::Transactions;
use crate::commit::file_ops::{Errand, Reply};
use crate::definition::groups::Serves;
use crate::definition::report::PROCESS_BEGUN;
use crate::execute::job::{About, Completed};
use crate::execute::job::{Claim, Task};
use crate::execute::options::Program;
use crate::execute::running::Running;
use crate::execute::running::STOP_SEEN;
use crate::execute::worker::JobFailure;
use crate::schedule::queue::Taker;
use crate::schedule::worker_plan::Beside;
use crate::suspense::{SetAside, Spill};

/// How long a process that is to stop is waited for before it is killed.
const STOPPED_WITHIN: Duration = Duration::from_secs(5);

/// How often it is looked whether it has.
const ENDS: Duration = Duration::from_millis(1);

/// How often a process may end of itself that has a task in hand: the first time others may have been the cause, then
/// the task is alone.
const ENDS_MAX: u32 = 2;

/// How often it may be ended from outside: that is not the task's doing, unless it takes all memory.
const ENDED_MAX: u32 = 5;

/// How often a process is started that ends before it has begun, until what is to be done is left for later.
const STARTS_MAX: usize = 4;

/// How long after processes ended that had done nothing the next is started, without jitter: they are this machine's alone.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(10));

/// Whose processes they are.
#[derive(Clone, Copy)]
pub(crate) struct Gateway<'w> {
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
    gateway: Gateway<'w>,
    name: String,
    role: Role,
    taker: Taker,
    /// Whether it is needed when the gateway is to stop, for what is in hand.
    goes_on: bool,
    process: Mutex<Option<Arc<Process>>>,
    /// Processes that ended one after the other without having done anything.
    ended: AtomicU32,
    /// Who writes is alone with the process.
    alone: RwLock<()>,
    unsettled: Arc<Unsettled>,
}

/// What came of asking for a task.
enum Asked<'w> {
    Answered(Result<Option<Completed<'w>>, JobFailure>),
    /// Its workers broke off.
    Poison,
    /// The process ended.
    Ended(End),
}

impl<'w> Remote<'w> {
    /// One that processes files; they are numbered from 1.
    pub(super) fn processing(gateway: Gateway<'w>, number: usize, beside: &Beside) -> Self {
        let Beside { serves, threads, place, nodes } = beside;
        gateway.remembered.forget(nodes);
        let (stretch_octets, nodes) = (gateway.stretch_octets, nodes.clone());
        let (threads, place, serves) = (*threads, *place, *serves);
        let role = Role::Processing(Workers { threads, place, serves, nodes, stretch_octets });
        let taker = Taker { process: Some(number - 1), ..Taker::here(serves) };
        Self::new(gateway, format!("processing process {number}"), role, taker)
    }

    /// One that is sent on errands.
    pub(super) fn errands(gateway: Gateway<'w>, name: &str) -> Self {
        Self::new(gateway, name.into(), Role::FileOps, Taker::here(Serves::Others))
    }

    /// It is needed when the gateway is to stop, for what is in hand.
    pub(super) fn needed_to_the_end(mut self) -> Self {
        self.goes_on = true;
        self
    }

    fn new(gateway: Gateway<'w>, name: String, role: Role, taker: Taker) -> Self {
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

    /// Which tasks it is given.
    pub(crate) fn taker(&self) -> Taker {
        self.taker
    }

    /// How it is called.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn runs_errands(&self) -> bool {
        matches!(self.role, Role::FileOps)
    }

    /// What is seen of the process; none where none runs. One that is just being started is not waited for.
    pub(super) fn sign(&self) -> Option<Sign> {
        self.process.try_lock().ok()?.as_ref()?.sign()
    }

    /// Ends the process, which is started again.
    pub(super) fn kill(&self) {
        let running = self.process.try_lock().ok();
        let process = running.as_ref().and_then(|running| running.as_ref());
        process.into_iter().for_each(|process| process.kill());
    }

    /// How many at once.
    pub(crate) fn threads(&self) -> usize {
        match self.role {
            Role::Processing(Workers { threads, .. }) => threads,
            Role::FileOps => 0,
        }
    }

    /// Has a task done up to what is to be settled, if anything is; none where nobody survives it. Where a process ends, its
    /// tasks are done again, each alone, so that the one that did it is known.
    pub(crate) fn perform(
        &self,
        task: &Task,
        about: &About,
    ) -> Option<Result<Option<Completed<'w>>, JobFailure>> {
        let (mut ends, mut ended) = (0, 0);
        while !self.is_over() {
            let is_suspect = ends + ended > 0;
            let asked = if is_suspect {
                let _alone = self.alone.write().unwrap_or_else(PoisonError::into_inner);
                self.ask(task, about)
            } else {
                let _beside = self.alone.read().unwrap_or_else(PoisonError::into_inner);
                self.ask(task, about)
            };
            match asked {
                Asked::Answered(done) => {
                    self.ended.store(0, Ordering::Relaxed);
                    return Some(done);
                }
                Asked::Poison => return None,
                Asked::Ended(End::OfItself) => ends += 1,
                Asked::Ended(End::FromOutside) => ended += 1,
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

    /// Has the process begin.
    pub(crate) fn begin(&self) {
        let _ = self.running();
    }

    /// Has an errand run. An error says why nobody knows whether it was.
    pub(crate) fn errand(&self, errand: Errand) -> Result<Reply, String> {
        let Some(process) = self.running()? else {
            return Err(format!("the gateway stops, and the {} with it", self.name));
        };
        let (answers, mut stopped) = (process.send(errand), None);
        loop {
            match answers.recv_timeout(STOP_SEEN) {
                Ok(Answer::Run(reply)) => {
                    self.ended.store(0, Ordering::Relaxed);
                    return Ok(reply);
                }
                Ok(Answer::Unsaid(problem)) => return Err(problem),
                // What hangs is not waited for when the gateway is to stop.
                Err(RecvTimeoutError::Timeout) if self.gateway.stop.is_set() => {
                    if stopped.get_or_insert_with(Instant::now).elapsed() >= STOPPED_WITHIN {
                        process.kill();
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Ok(_) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(format!("the {} ended while it was asked", self.name));
                }
            }
        }
    }

    fn ask(&self, task: &Task, about: &About) -> Asked<'w> {
        let Gateway { running, journal, .. } = self.gateway;
        let process = match self.running() {
            Ok(Some(process)) => process,
            Ok(None) => return Asked::Answered(Ok(None)),
            Err(problem) => return Asked::Answered(Err(problem.into())),
        };
        let claim = match claim(running, task) {
            Ok(claim) => claim,
            Err(problem) => return Asked::Answered(Err(problem.into())),
        };
        let mut aside = SetAside::new(Spill::Journal(journal, &journal.jobs));
        let (mut put, mut told): (io::Result<()>, Option<Instant>) = (Ok(()), None);
        let answers = process.give(task.clone(), about.clone());
        loop {
            match answers.recv_timeout(STOP_SEEN) {
                Ok(Answer::Aside(rows)) => {
                    put = put.and_then(|()| rows.into_iter().try_for_each(|row| aside.put(row)));
                }
                Ok(Answer::NoneAside) => {
                    (aside, put) = (SetAside::new(Spill::Journal(journal, &journal.jobs)), Ok(()));
                }
                Ok(Answer::Run(_)) => {}
                Ok(Answer::Unsaid(problem)) => return Asked::Answered(Err(problem.into())),
                Ok(Answer::Done(Ok(Outcome::Poison), _)) => return Asked::Poison,
                Ok(Answer::Done(done, fate)) => {
                    let put = put.map_err(|error| JobFailure::from(error.to_string()));
                    let there = There { task: task.clone(), claim, aside, fate };
                    let settle = |outcome| there.settle(running, outcome).map_err(JobFailure::from);
                    return Asked::Answered(put.and(done).and_then(settle));
                }
                Err(RecvTimeoutError::Timeout) if self.is_over() => match told {
                    None => {
                        process.stop();
                        told = Some(Instant::now());
                    }
                    Some(told) if told.elapsed() >= STOPPED_WITHIN => process.kill(),
                    Some(_) => {}
                },
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Asked::Ended(process.end()),
            }
        }
    }

    /// The process that runs, which is started where there is none; none where it is over.
    fn running(&self) -> Result<Option<Arc<Process>>, String> {
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
        Err(format!("the {} ends before it has begun", self.name))
    }

    /// Starts a process, which may have ended already.
    fn start(&self) -> Result<Arc<Process>, String> {
        // What the one before remembered is read in the journal.
        self.unsettled.wait();
        let Gateway { program, path, running, remembered, journal, .. } = self.gateway;
        let begin = Begin {
            role: self.role.clone(),
            marks: running.plan.origin.marks.clone(),
            state: journal.view.state(),
            is_kept: journal.view.is_kept,
        };
        let (unsettled, remembered) = (Arc::clone(&self.unsettled), Arc::clone(remembered));
        tracing::debug!(target: "flow::processes", process = self.name, "started");
        let is_over = || self.is_over();
        let process =
            Process::start((program, path), &self.name, begin, (unsettled, remembered), is_over)?;
        if matches!(self.role, Role::Processing(_)) {
            tracing::debug!(target: PROCESS_BEGUN, process = self.name, "has begun");
        }
        Ok(process)
    }

    /// Waits before a process is started again, after so many that have done nothing; whether one is to be.
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

impl Drop for Remote<'_> {
    fn drop(&mut self) {
        let Some(process) = self.process().take() else { return };
        process.close();
        // It has the journal open, and the lock.
        let end = Instant::now() + STOPPED_WITHIN;
        while !process.has_ended() {
            if Instant::now() >= end {
                process.kill();
            }
            thread::sleep(ENDS);
        }
    }
}

/// The right to the outputs of a file. What becomes of others has names that no two have.
fn claim<'w>(running: &'w Running, task: &Task) -> Result<Option<Claim<'w>>, String> {
    let Task::File(job) = task else { return Ok(None) };
    let targets = running.plan.topology.reached_targets(job.element, &job.found.name);
    Claim::take(&running.in_hand, targets, &job.found.path.display()).map(Some)
}
