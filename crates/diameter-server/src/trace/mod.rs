//! Traces of messages to files.
//!
//! ```text
//! connection ─▶ tap ─┐
//! connection ─▶ tap ─┼─▶ writer ─▶ each running trace ─▶ its file
//! connection ─▶ tap ─┘
//! ```
//!
//! As long as a trace runs, a connection copies each message into its [tap](tap::Tap), which has room for some. One thread empties
//! all taps at an interval, finds out which trace takes a message, and writes it. No answer waits for that: what has no room is left
//! out, and counted. Without a trace, a message costs a look at a flag.

mod running;
mod sessions;
mod switch;
mod tap;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use diameter::frame::{Frame, MESSAGE_OCTETS};
use prepaid::{NewTrace, TraceCounts, TraceError};
use runtime::sync::lock;
use runtime::threads::{self, SpawnError};

use crate::line::now;
use crate::message_log::{LoggedMessage, messages};
use crate::messages::MessageOf;
use running::Running;
use switch::Switch;
use tap::Taken;

pub(crate) use tap::Tap;

/// The most traces that run at once.
const RUNNING_MAX: usize = 8;

/// Why traces end with the server.
const STOPPED: &str = "the charging system stopped";

/// The traces of a server.
#[derive(Debug)]
pub(crate) struct Traces {
    switch: Arc<Switch>,
    taps: Mutex<Vec<Arc<Tap>>>,
    writing: Mutex<Writing>,
    /// Where this node listens.
    local: SocketAddr,
}

#[derive(Debug, Default)]
struct Writing {
    running: Vec<Running>,
    /// What was taken and is too new to be written.
    later: Vec<Taken>,
}

impl Traces {
    /// Creates those of a server that listens at an address.
    pub(crate) fn new(local: SocketAddr) -> Self {
        Traces { switch: Arc::default(), taps: Mutex::default(), writing: Mutex::default(), local }
    }

    /// Returns the tap of a new connection with a peer at an address.
    pub(crate) fn tap(&self, address: SocketAddr) -> Arc<Tap> {
        let tap = Arc::new(Tap::new(Arc::clone(&self.switch), address));
        let mut taps = lock(&self.taps);
        forget_gone(&mut taps);
        taps.push(Arc::clone(&tap));
        tap
    }

    /// Begins to write the messages of a trace.
    ///
    /// # Errors
    ///
    /// Too many traces run, or the file cannot be written.
    pub(crate) fn start(&self, trace: NewTrace) -> Result<(), TraceError> {
        let mut writing = lock(&self.writing);
        if writing.running.len() >= RUNNING_MAX {
            return Err(TraceError::TooMany(writing.running.len()));
        }
        // What came before is not of this trace.
        self.write(&mut writing, i64::MAX);
        writing.running.push(Running::start(trace)?);
        self.switch.turn(true);
        Ok(())
    }

    /// Ends a trace for a reason. Returns whether it was running.
    pub(crate) fn end(&self, number: u32, why: &str) -> bool {
        let mut writing = lock(&self.writing);
        self.write(&mut writing, i64::MAX);
        let found = writing.running.iter_mut().find(|trace| trace.number() == number);
        let is_found = found.map(|trace| trace.end(why)).is_some();
        self.remove_ended(&mut writing, now());
        is_found
    }

    /// Returns what the traces that run have, by their numbers.
    pub(crate) fn running(&self) -> Vec<(u32, TraceCounts)> {
        let mut writing = lock(&self.writing);
        self.step(&mut writing, now());
        writing.running.iter().map(|trace| (trace.number(), trace.counts())).collect()
    }

    /// Writes what has come by a time, in microseconds since 1970, and ends the traces whose time is over.
    fn step(&self, writing: &mut Writing, now: i64) {
        self.write(writing, now);
        writing.running.iter_mut().for_each(|trace| trace.end_if_due(now.div_euclid(1_000)));
        self.remove_ended(writing, now);
    }

    /// Writes the messages from before a time. A tap that is emptied later may have some from before the newest ones, so newer
    /// ones wait.
    fn write(&self, writing: &mut Writing, horizon: i64) {
        let Writing { running, later } = writing;
        let taken = self.take(std::mem::take(later));
        let mut all: Vec<(&Taken, LoggedMessage<'_>)> = Vec::new();
        for of in &taken {
            let is_newer = |logged: &LoggedMessage<'_>| logged.at >= horizon;
            let (newer, written): (Vec<_>, Vec<_>) = messages(&of.octets).partition(is_newer);
            all.extend(written.into_iter().map(|logged| (of, logged)));
            if !newer.is_empty() {
                let mut octets = Vec::new();
                newer.iter().for_each(|logged| logged.append_to(&mut octets));
                later.push(Taken { octets, dropped: 0, host: Arc::clone(&of.host), ..*of });
            }
        }
        all.sort_by_key(|(_, logged)| logged.at);
        for trace in running {
            taken.iter().for_each(|of| trace.note_dropped(&of.host, of.dropped));
            for (Taken { host, address, .. }, logged) in &all {
                if let Ok(Frame::Message(message)) = Frame::read(logged.octets, MESSAGE_OCTETS) {
                    let of = MessageOf { host, address: *address, logged: *logged, message };
                    trace.offer(of, self.local);
                }
            }
            trace.write();
        }
    }

    /// Empties all taps. What was taken before stands first, since it is older.
    fn take(&self, mut taken: Vec<Taken>) -> Vec<Taken> {
        let taps = {
            let mut taps = lock(&self.taps);
            forget_gone(&mut taps);
            taps.clone()
        };
        taken.extend(taps.iter().filter_map(|tap| tap.take()));
        taken
    }

    /// Ends the files of traces that have ended.
    fn remove_ended(&self, writing: &mut Writing, now: i64) {
        for ended in writing.running.extract_if(.., |trace| trace.has_ended()) {
            ended.finish(now);
        }
        if writing.running.is_empty() {
            self.switch.turn(false);
            writing.later.clear();
        }
    }

    fn end_all(&self) {
        let mut writing = lock(&self.writing);
        self.write(&mut writing, i64::MAX);
        writing.running.iter_mut().for_each(|trace| trace.end(STOPPED));
        self.remove_ended(&mut writing, now());
    }
}

/// Removes the taps of connections that are gone, once they are empty.
fn forget_gone(taps: &mut Vec<Arc<Tap>>) {
    taps.retain(|tap| Arc::strong_count(tap) > 1 || !tap.is_empty());
}

/// The thread that writes traces; dropping it ends them.
#[derive(Debug)]
pub(crate) struct TraceWriter {
    traces: Arc<Traces>,
    thread: Option<JoinHandle<()>>,
}

impl TraceWriter {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// The system refuses a thread.
    pub(crate) fn start(traces: &Arc<Traces>) -> Result<Self, SpawnError> {
        let of = Arc::clone(traces);
        let thread = threads::spawn(move || {
            while of.switch.wait() {
                of.step(&mut lock(&of.writing), now());
            }
        })?;
        Ok(TraceWriter { traces: Arc::clone(traces), thread: Some(thread) })
    }
}

impl Drop for TraceWriter {
    fn drop(&mut self) {
        self.traces.switch.end();
        let _ = self.thread.take().map(JoinHandle::join);
        self.traces.end_all();
    }
}
