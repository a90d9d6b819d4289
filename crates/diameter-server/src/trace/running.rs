//! A trace that runs: which messages it takes, and its file.

use std::fs::File;
use std::io::{self, Write as _};
use std::net::SocketAddr;

use diagnostics::with_causes;
use ledger::Millis;
use prepaid::{MessageFilter, NewTrace, TraceCounts, TraceError, TraceFiles};
use runtime::disk::Disk;

use super::sessions::Sessions;
use crate::LOG;
use crate::messages::{MessageOf, session, session_of};
use crate::pcapng;

/// A trace that runs.
#[derive(Debug)]
pub(super) struct Running {
    number: u32,
    filter: MessageFilter,
    until: Millis,
    octets_max: u64,
    files: TraceFiles,
    file: File,
    /// The octets of the file.
    written: u64,
    /// What is to be written at once.
    batch: Vec<u8>,
    sessions: Sessions,
    has: TraceCounts,
    /// How many of those that were left out are in the file.
    dropped_in_file: u64,
    /// Why it has ended.
    ended: Option<String>,
}

impl Running {
    /// Creates the file of a trace.
    pub(super) fn start(trace: NewTrace) -> Result<Self, TraceError> {
        let NewTrace { number, filter, until, octets_max, files } = trace;
        let file = files.create(number)?;
        let mut running = Running {
            number,
            filter,
            until,
            octets_max,
            files,
            file,
            written: 0,
            batch: pcapng::begin(&format!("trace {number} of Tollgate")),
            sessions: Sessions::default(),
            has: TraceCounts::default(),
            dropped_in_file: 0,
            ended: None,
        };
        running.append()?;
        Ok(running)
    }

    pub(super) fn number(&self) -> u32 {
        self.number
    }

    pub(super) fn counts(&self) -> TraceCounts {
        self.has
    }

    /// Ends it for a reason, unless it has ended.
    pub(super) fn end(&mut self, why: &str) {
        self.ended.get_or_insert_with(|| why.to_owned());
    }

    pub(super) fn end_if_due(&mut self, now: Millis) {
        if now >= self.until {
            self.end("its time is over");
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Notes that messages of a connection with a peer were left out: any of them may be one of this trace.
    pub(super) fn note_dropped(&mut self, host: &str, count: u64) {
        if self.is_of(host) {
            self.has.dropped += count;
        }
    }

    fn is_of(&self, host: &str) -> bool {
        self.filter.peer.as_ref().is_none_or(|peer| peer.eq_ignore_ascii_case(host))
    }

    /// Takes a message, if it is one of this trace.
    pub(super) fn offer(&mut self, of: MessageOf<'_>, local: SocketAddr) {
        if self.ended.is_some() || !self.takes(&of) {
            return;
        }
        pcapng::add(&mut self.batch, of, local);
        self.has.messages += 1;
        if self.written + self.batch.len() as u64 >= self.octets_max {
            self.end("its file is full");
        }
    }

    fn takes(&mut self, of: &MessageOf<'_>) -> bool {
        if !self.is_of(of.host) {
            return false;
        }
        if self.filter.number.is_none() && self.filter.session.is_none() {
            return true;
        }
        let Some(name) = session(&of.message) else { return false };
        if self.sessions.has(name) {
            return true;
        }
        let is_taken = session_of(&of.message, &self.filter).is_some();
        if is_taken {
            self.sessions.add(name);
        }
        is_taken
    }

    /// Writes what it has taken.
    pub(super) fn write(&mut self) {
        if self.has.dropped > self.dropped_in_file {
            self.dropped_in_file = self.has.dropped;
            self.add_statistics(crate::line::now(), "messages are missing");
        }
        if self.batch.is_empty() {
            return;
        }
        // What charging needs of the disk comes first.
        if Disk::of(self.files.folder()).is_ok_and(|disk| disk.free < disk.reserve(None)) {
            self.batch.clear();
            return self.end("the disk is almost full");
        }
        if let Err(why) = self.append() {
            self.end(&format!("its file cannot be written: {}", with_causes(&why)));
        }
    }

    fn add_statistics(&mut self, at: i64, comment: &str) {
        let TraceCounts { messages, dropped } = self.has;
        pcapng::add_statistics(&mut self.batch, at, (messages + dropped, dropped), comment);
    }

    fn append(&mut self) -> io::Result<()> {
        let appended = self.file.write_all(&self.batch);
        match appended {
            Ok(()) => self.written += self.batch.len() as u64,
            // A block that is cut would hide those behind it.
            Err(_) => self.file.set_len(self.written)?,
        }
        self.batch.clear();
        appended
    }

    /// Writes its end, at a time in microseconds.
    pub(super) fn finish(mut self, now: i64) {
        let why = self.ended.take().unwrap_or_default();
        self.add_statistics(now, &why);
        let noted = self
            .append()
            .and_then(|()| self.file.sync_all())
            .and_then(|()| self.files.end(self.number, now.div_euclid(1_000), &why, self.has));
        let TraceCounts { messages, dropped } = self.has;
        tracing::info!(target: LOG, "the trace {} has ended, since {why}: {messages} messages, {dropped} are missing", self.number);
        if let Err(error) = noted {
            tracing::error!(target: LOG, "the end of the trace {} is not in its files: {error}", self.number);
        }
    }
}
