//! Reads a file once, from beginning to end, and cuts it into stretches.
//!
//! A worker that takes a stretch reads its octets and a few more. While the next worker reads, it digests them and
//! looks for the first end of a record behind them.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use diagnostics::plain;
use format::coding::{NextEnd, Stretches};

use super::{Cut, END, ReadSoFar};
use collection::input::ToBeDigested;

/// Octets that are read behind a stretch, to find and read its last record: more than most records have.
const BEHIND_OCTETS: usize = 16 << 10;

/// How often a thread spins for a lock before it sleeps. The lock is held for less time than a thread takes to wake.
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

/// State that changes in the order of the file.
struct Ordered {
    digest: ToBeDigested,
    /// Where the next stretch begins.
    at: u64,
    /// How many records there probably are before it.
    records: u64,
}

impl Cutting {
    /// Cuts the rest of a file.
    pub(super) fn new(
        path: &Path,
        digest: ToBeDigested,
        ReadSoFar { at, records }: ReadSoFar,
        stretch_octets: usize,
    ) -> io::Result<Self> {
        let reading = Reading { file: plain::open(path)?, at, is_at_end: false };
        let ordered = Ordered { digest, at, records };
        Ok(Cutting { stretch_octets, reading: Mutex::new(reading), ordered: Mutex::new(ordered) })
    }

    /// Reads the next stretch into `octets`. Calls `note` with it before another thread can take one. Returns none at
    /// the end of the file.
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
                // A single record reaches from before it to behind it.
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

    /// Corrects the count of records: `found` records lie before a place, not `expected`.
    pub(super) fn recount(&self, expected: u64, found: u64) {
        let mut ordered = soon(&self.ordered);
        ordered.records = ordered.records.wrapping_add(found.wrapping_sub(expected));
    }
}

impl Reading {
    /// Reads a stretch and some octets behind it, or all that is left. Returns how many octets it read.
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

/// Takes a lock that is held only for a moment: spins before it sleeps.
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
