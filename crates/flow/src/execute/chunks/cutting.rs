//! Reads a file once, from its beginning to its end, and cuts it into stretches.
//!
//! Whoever wants a stretch reads so many octets, and a few more; then, while the next reads, he has them digested and looks
//! where the first record ends behind them.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use diagnostics::plain;
use format::coding::{NextEnd, Stretches};

use super::{Cut, END};
use crate::collection::input::ToBeDigested;

/// Octets at hand behind a stretch, to see where its last record ends, and to read that: more than most records have.
const BEHIND_OCTETS: usize = 16 << 10;

/// How often it is tried to have a lock before that is waited for: it is held for less time than it takes to be woken.
const TRIES: u32 = 4_000;

pub(super) struct Cutting {
    stretch_octets: usize,
    reading: Mutex<Reading>,
    ordered: Mutex<Ordered>,
}

struct Reading {
    file: File,
    /// Where the next stretch is read from.
    at: u64,
    is_at_end: bool,
}

/// What is done in the order in which it was read.
struct Ordered {
    digest: ToBeDigested,
    /// Where the next stretch begins.
    at: u64,
    /// How many records there likely are before it.
    records: u64,
}

impl Cutting {
    /// Of which so many records are read already, up to an octet.
    pub(super) fn new(
        path: &Path,
        digest: ToBeDigested,
        (at, records): (u64, u64),
        stretch_octets: usize,
    ) -> io::Result<Self> {
        let reading = Reading { file: plain::open(path)?, at, is_at_end: false };
        let ordered = Ordered { digest, at, records };
        Ok(Cutting { stretch_octets, reading: Mutex::new(reading), ordered: Mutex::new(ordered) })
    }

    /// The next stretch, in this memory, which is noted before there is another; none at the end of the file.
    pub(super) fn next(
        &self,
        reads: &dyn Stretches,
        context: &[u8],
        octets: &mut Vec<u8>,
        note: impl Fn(&Cut),
    ) -> io::Result<Option<Cut>> {
        loop {
            let mut reading = soon(&self.reading);
            if reading.is_at_end {
                return Ok(None);
            }
            let from = reading.at;
            let end = reading.read(octets, self.stretch_octets)?;
            let is_last = reading.is_at_end;
            let mut ordered = soon(&self.ordered);
            drop(reading);
            let new = if is_last { end } else { self.stretch_octets };
            ordered.digest.take(from, &octets[..new]);
            let start = ordered.at;
            let begin = usize::try_from(start - from).unwrap_or(end).min(end);
            if begin >= new && !is_last {
                // All of it is one record with what came before.
                continue;
            }
            let records_before = ordered.records;
            let mut likely_end = END;
            if !is_last {
                let wanted = new - begin;
                let next = reads.next_end(context, &octets[begin..end], wanted);
                let next = next.unwrap_or(NextEnd { octets: wanted, records: 0 });
                likely_end = start + next.octets.max(wanted) as u64;
                (ordered.at, ordered.records) = (likely_end, records_before + next.records);
            }
            let cut = Cut { start, end: likely_end, records_before, in_memory: begin..end };
            note(&cut);
            return Ok(Some(cut));
        }
    }

    /// So many records are before a place where so many were expected.
    pub(super) fn recount(&self, expected: u64, found: u64) {
        let mut ordered = soon(&self.ordered);
        ordered.records = ordered.records.wrapping_add(found.wrapping_sub(expected));
    }
}

impl Reading {
    /// Reads so many octets and some behind them, or all that are left; returns how many.
    fn read(&mut self, octets: &mut Vec<u8>, stretch_octets: usize) -> io::Result<usize> {
        let wanted = stretch_octets + BEHIND_OCTETS;
        octets.resize(octets.len().max(wanted), 0);
        self.file.seek(SeekFrom::Start(self.at))?;
        let mut end = 0;
        while end < wanted {
            match self.file.read(&mut octets[end..wanted]) {
                Ok(0) => break,
                Ok(read) => end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.is_at_end = end < wanted;
        self.at += stretch_octets as u64;
        Ok(end)
    }
}

/// A lock that will be free in a moment.
fn soon<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    for _ in 0..TRIES {
        match lock.try_lock() {
            Ok(guard) => return guard,
            Err(TryLockError::Poisoned(guard)) => return guard.into_inner(),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
