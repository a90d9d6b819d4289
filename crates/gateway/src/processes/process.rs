//! A running child process, as the gateway sees it.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use crate::execute::options::Program;
use command_fds::{CommandFdExt as _, FdMapping};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use node::Committed;

use super::error::ProcessFault;
use super::message::{
    Begin, BeginError, FromProcess, Importance, Number, Reader, RemoteEvent, Role, ToProcess, Wire,
    Workers,
};
use super::remembered::RememberedElsewhere;
use super::rows::Outcome;
use super::watch::Sign;
use crate::commit::file_ops::{Errand, Reply};
use crate::execute::job::{About, Task};
use crate::execute::running::STOP_CHECK_INTERVAL;
use crate::execute::worker::JobFailure;
use flow::report::SUBPROCESS_TARGET;
use suspense::Row;

/// The place of the lock among the open files of a process.
const LOCK: i32 = 3;

/// The most answers to a task that wait: each may have some megabytes of rejected records.
const ANSWERS: usize = 2;

/// Signals by which others end a process. The kernel sends the first one if memory runs out.
const FROM_OUTSIDE: [i32; 4] = [9, 15, 2, 1];

/// A running child process.
pub(super) struct Process {
    /// Its name.
    name: String,
    wire: Wire,
    next: AtomicU64,
    /// The receivers that wait for answers. None after the process has ended.
    waiting: Mutex<Option<HashMap<Number, SyncSender<ProcessAnswer>>>>,
    end: OnceLock<End>,
    /// How many messages it has sent.
    heard: AtomicU64,
    /// Whether a thread waits for the next message: the receiver of the last one may be slow.
    is_listened_to: AtomicBool,
    unsettled: Arc<Unsettled>,
    remembered: Arc<RememberedElsewhere>,
    /// The nodes that keep their state in it.
    nodes: Vec<usize>,
    id: Pid,
}

/// An answer to a task or operation.
pub(super) enum ProcessAnswer {
    Aside(Vec<Row>),
    /// The rejected records so far are void.
    NoneAside,
    Done(Result<Outcome, JobFailure>, Option<Arc<Fate>>),
    Run(Reply),
    /// Why the message could not be sent.
    NotEncoded(postcard::Error),
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Another process or the kernel ended it.
    FromOutside,
    /// It ended by itself.
    OfItself,
}

/// Whether nodes keep their state changes of a task. Tells the process on drop.
pub(super) struct Fate {
    process: Arc<Process>,
    task: Number,
    committed: OnceLock<Committed>,
}

/// Counts the uncommitted tasks whose state changes a process keeps. The next process reads them from the journal.
#[derive(Default)]
pub(super) struct Unsettled {
    count: Mutex<usize>,
    none: Condvar,
}

/// A process that is to be started.
pub(super) struct NewProcess<'p> {
    pub(super) program: &'p Program,
    /// The flow file.
    pub(super) flow: &'p Path,
    pub(super) name: &'p str,
    pub(super) begin: Begin,
    /// The lock of the state.
    pub(super) lock: io::Result<OwnedFd>,
    pub(super) unsettled: Arc<Unsettled>,
    pub(super) remembered: Arc<RememberedElsewhere>,
}

impl Process {
    /// Starts a process. When this returns, the process has the flow, or it has ended. Stops waiting for it once
    /// `is_over` returns true.
    pub(super) fn start(
        NewProcess { program, flow, name, begin, lock, unsettled, remembered }: NewProcess<'_>,
        is_over: impl Fn() -> bool,
    ) -> Result<Arc<Self>, ProcessFault> {
        let process = || name.to_owned();
        let could_not = |cause| ProcessFault::NotStarted { process: process(), cause };
        let nodes = match &begin.role {
            Role::Processing(Workers { nodes, .. }) => nodes.clone(),
            Role::FileOps => Vec::new(),
        };
        let (here, there) = UnixStream::pair().map_err(could_not)?;
        let mut command = Command::new(&program.path);
        // The list of processes shows its role.
        command.arg0(format!("tollgate: {name}")).args(&program.arguments).arg(flow);
        // Ctrl-C at a terminal must reach only the gateway, which then stops its processes.
        command.process_group(0).stdin(OwnedFd::from(there)).stdout(Stdio::null());
        // No other gateway begins while the process runs.
        let lock = FdMapping { parent_fd: lock.map_err(could_not)?, child_fd: LOCK };
        command.fd_mappings(vec![lock]).map_err(|error| could_not(io::Error::other(error)))?;
        let child = command.spawn().map_err(could_not)?;
        drop(command);
        let wire = Wire::new(here);
        let reader = wire.reader().map_err(could_not)?;
        let started = Arc::new(Process {
            name: name.into(),
            wire,
            next: AtomicU64::new(1),
            waiting: Mutex::new(Some(HashMap::new())),
            end: OnceLock::new(),
            heard: AtomicU64::new(0),
            is_listened_to: AtomicBool::new(false),
            unsettled,
            remembered,
            nodes,
            id: Pid::from_raw(child.id() as i32),
        });
        let (begins, begun) = mpsc::channel();
        let reads = {
            let started = Arc::clone(&started);
            move || started.read(reader, child, &begins)
        };
        if let Err(error) = thread::Builder::new().spawn(reads) {
            started.kill();
            return Err(could_not(error));
        }
        started
            .wire
            .send(&ToProcess::Begin(begin))
            .map_err(|cause| ProcessFault::NotSent { process: process(), cause })?;
        loop {
            match begun.recv_timeout(STOP_CHECK_INTERVAL) {
                Ok(Err(cause)) => {
                    return Err(ProcessFault::NotBegun { process: process(), cause });
                }
                Ok(Ok(())) | Err(RecvTimeoutError::Disconnected) => return Ok(started),
                Err(RecvTimeoutError::Timeout) if is_over() => {
                    return Err(ProcessFault::StoppedBefore { process: process() });
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.waiting().is_none()
    }

    /// Returns its sign of life. None if it has ended, or if no thread waits for its messages now.
    pub(super) fn sign(&self) -> Option<Sign> {
        let is_listened_to = self.is_listened_to.load(Ordering::Relaxed);
        let heard = self.heard.load(Ordering::Relaxed);
        let oldest = self.waiting().as_ref()?.keys().min().copied();
        is_listened_to.then_some(Sign { heard, oldest })
    }

    /// Returns how it ended, once it has.
    pub(super) fn end(&self) -> End {
        self.end.get().copied().unwrap_or(End::FromOutside)
    }

    /// Gives it a task. The channel of answers closes when the task or the process ends.
    pub(super) fn give(&self, task: Task, about: About) -> Receiver<ProcessAnswer> {
        self.ask(|number| ToProcess::Task(number, task, about))
    }

    /// Sends it a file operation.
    pub(super) fn send(&self, errand: Errand) -> Receiver<ProcessAnswer> {
        self.ask(|number| ToProcess::Errand(number, errand))
    }

    fn ask(&self, message: impl FnOnce(Number) -> ToProcess) -> Receiver<ProcessAnswer> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (answers, answered) = mpsc::sync_channel(ANSWERS);
        if let Some(waiting) = &mut *self.waiting() {
            waiting.insert(number, answers.clone());
        }
        if let Err(error) = self.wire.send(&message(number)) {
            let _ = answers.send(ProcessAnswer::NotEncoded(error));
            self.waiting().iter_mut().for_each(|waiting| drop(waiting.remove(&number)));
        }
        answered
    }

    /// Tells it to give up its current work.
    pub(super) fn stop(&self) {
        let _ = self.wire.send(&ToProcess::Stop);
    }

    /// Closes the wire: the process ends when it is done.
    pub(super) fn close(&self) {
        self.wire.close();
    }

    /// Reads its messages until it has ended.
    fn read(
        self: Arc<Self>,
        mut reader: Reader,
        mut child: Child,
        begins: &Sender<Result<(), BeginError>>,
    ) {
        loop {
            self.is_listened_to.store(true, Ordering::Relaxed);
            let next = reader.next();
            self.is_listened_to.store(false, Ordering::Relaxed);
            self.heard.fetch_add(1, Ordering::Relaxed);
            match next {
                Ok(Some(message)) => self.hear(message, begins),
                Ok(None) => break,
                Err(error) => {
                    tracing::error!(target: "flow::processes", "the {} is not understood: {error}", self.name);
                    let _ = child.kill();
                    break;
                }
            }
        }
        let in_hand = self.waiting().as_ref().map_or(0, HashMap::len);
        let end = match child.wait() {
            Ok(status) => self.ended(status, in_hand),
            Err(_) => End::FromOutside,
        };
        let _ = self.end.set(end);
        // The next process may accept what this one refused.
        self.remembered.forget(&self.nodes);
        *self.waiting() = None;
    }

    /// Kills it, unless it has ended.
    pub(super) fn kill(&self) {
        if !self.has_ended() {
            let _ = kill(self.id, Signal::SIGKILL);
        }
    }

    fn hear(self: &Arc<Self>, message: FromProcess, begins: &Sender<Result<(), BeginError>>) {
        match message {
            FromProcess::Begun(begun) => drop(begins.send(begun)),
            FromProcess::Aside(number, rows) => self.pass_on(number, ProcessAnswer::Aside(rows)),
            FromProcess::NoneAside(number) => self.pass_on(number, ProcessAnswer::NoneAside),
            FromProcess::Done(number, done) => {
                let is_remembered = done.as_ref().is_ok_and(Outcome::is_remembered);
                let fate = is_remembered.then(|| Fate::of(self, number));
                self.pass_last(number, ProcessAnswer::Done(done, fate));
            }
            FromProcess::Run(number, reply) => {
                self.pass_last(number, ProcessAnswer::Run(reply));
            }
            FromProcess::Remembered(node, now) => self.remembered.note(node, now),
            FromProcess::Snapshot(rows) => self.remembered.add_snapshot(rows),
            FromProcess::Event(event) => self.say(event),
            FromProcess::Alive => {}
        }
    }

    /// Logs its event.
    fn say(&self, RemoteEvent { importance, part, text, fields }: RemoteEvent) {
        let process = self.name.as_str();
        match importance {
            Importance::Error => {
                tracing::error!(target: SUBPROCESS_TARGET, process, part, fields, "{text}");
            }
            Importance::Warn => {
                tracing::warn!(target: SUBPROCESS_TARGET, process, part, fields, "{text}");
            }
            Importance::Info => {
                tracing::info!(target: SUBPROCESS_TARGET, process, part, fields, "{text}");
            }
            Importance::Debug => {
                tracing::debug!(target: SUBPROCESS_TARGET, process, part, fields, "{text}");
            }
        }
    }

    /// Passes on an answer to a task that is not done. Waits if the receiver is slow.
    fn pass_on(&self, number: Number, answer: ProcessAnswer) {
        let answers = self.waiting().as_ref().and_then(|all| all.get(&number)).cloned();
        if let Some(answers) = answers {
            let _ = answers.send(answer);
        }
    }

    /// Passes on the last answer to a task.
    fn pass_last(&self, number: Number, answer: ProcessAnswer) {
        let answers = self.waiting().as_mut().and_then(|all| all.remove(&number));
        if let Some(answers) = answers {
            let _ = answers.send(answer);
        }
    }

    /// Returns how it ended. Logs it if it failed.
    fn ended(&self, status: ExitStatus, in_hand: usize) -> End {
        let end = match status.signal() {
            Some(signal) if FROM_OUTSIDE.contains(&signal) => End::FromOutside,
            _ => End::OfItself,
        };
        if !status.success() {
            let process = self.name.as_str();
            let files = diagnostics::counted(in_hand, "task");
            tracing::error!(target: "flow::processes", process, "the {process} ended ({status}) with {files} in hand");
        }
        end
    }

    fn waiting(&self) -> MutexGuard<'_, Option<HashMap<Number, SyncSender<ProcessAnswer>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Fate {
    fn of(process: &Arc<Process>, task: Number) -> Arc<Self> {
        *process.unsettled.count() += 1;
        Arc::new(Fate { process: Arc::clone(process), task, committed: OnceLock::new() })
    }

    /// Notes that the journal has the task.
    pub(super) fn committed(&self, job: Committed) {
        let _ = self.committed.set(job);
    }
}

impl Drop for Fate {
    fn drop(&mut self) {
        let Process { wire, unsettled, .. } = &*self.process;
        // If the process is gone, its state is too.
        let _ = wire.send(&ToProcess::Settled(self.task, self.committed.get().copied()));
        *unsettled.count() -= 1;
        unsettled.none.notify_all();
    }
}

impl Unsettled {
    /// Waits until there are none.
    pub(super) fn wait(&self) {
        let mut count = self.count();
        while *count > 0 {
            count = self.none.wait(count).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn count(&self) -> MutexGuard<'_, usize> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
