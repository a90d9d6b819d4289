//! A large file that several workers read, each a stretch of it at a time, as if one had read all.
//!
//! That a stretch begins where a record ends is likely, and no more: whoever reads one goes on to the first end of a record
//! that is not before its end. The owner of the file adds, in order, what was made; what begins where all before it has
//! ended is what he would have made himself. Where nothing does, since something is damaged there, he reads on by himself
//! up to where a stretch begins. So what is made does not depend on how a file was cut, and by whom.

mod cutting;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use diagnostics::plain;
use format::coding::{Reader, Stretch, Stretches};
use node::JobNumber;

use crate::assurance::drift::Noted;
use crate::collection::input::InputFile;
use crate::collection::sources::FileJob;
use crate::definition::report::FileAccount;
use crate::definition::topology::Topology;
use crate::execute::job::About;
use crate::execute::pipeline::Part;
use crate::execute::running::Running;
use crate::execute::worker;
use crate::execute::worker::ReadFailure;
use crate::suspense::Row;
use cutting::Cutting;

/// Octets of a stretch: what is read and what is made of it stay in a processor's cache, and what is done once for each
/// costs little.
pub(crate) const STRETCH_OCTETS: usize = 1 << 20;

/// How many stretches are left of a file that is cut; less is done before others have begun.
const STRETCHES_MIN: u64 = 4;

/// How many stretches wait to be added besides one for each that is in work, before no other is begun.
const WAITING_MAX: usize = 4;

/// What is made of a stretch, or set aside, beyond which it is taken to have ended, so that memory has a bound.
const MADE_OCTETS_MAX: usize = 16 << 20;

/// What a record that is set aside counts for, besides its octets.
const ROW_OCTETS: usize = 512;

/// Where a stretch ends that ends with the file.
const END: u64 = u64::MAX;

/// A large file in hand.
pub(crate) struct SharedFile {
    pub(crate) job: FileJob,
    /// The number of the job.
    pub(crate) number: JobNumber,
    /// What a record of it needs to be read alone.
    context: Vec<u8>,
    cutting: Cutting,
    state: Mutex<State>,
    /// Something is done.
    changed: Condvar,
}

struct State {
    /// Where what is added next begins.
    at: u64,
    /// Where what was not cut yet begins, if anything was not.
    uncut: Option<u64>,
    /// Stretches by where they begin: those that were given back, that somebody reads, and of which something was made.
    left: BTreeMap<u64, Cut>,
    in_work: BTreeSet<u64>,
    done: BTreeMap<u64, Done>,
    /// Why it is not read on.
    fault: Option<StretchFailure>,
    spare: Vec<Desk>,
}

/// A stretch that is to be read.
struct Cut {
    start: u64,
    /// Where it likely ends; the last ends with the file.
    end: u64,
    /// How many records there likely are before it.
    records_before: u64,
    /// Where its octets, and some behind them, are in the memory they were read into; none where they are to be read again.
    in_memory: Range<usize>,
}

/// What a stretch is made in. The memory is kept from one to the next.
pub(crate) struct Desk {
    /// In whose cache it likely is.
    whose: ThreadId,
    pub(crate) part: Part,
    pub(crate) account: FileAccount,
    /// The records that were set aside, with their numbers in the stretch.
    pub(crate) rows: Vec<Row>,
    /// What its records have, where that is watched.
    pub(crate) seen: Option<Noted>,
}

impl Desk {
    fn new(running: &Running) -> Self {
        let (account, rows) = Default::default();
        Desk { whose: thread::current().id(), part: Part::new(running), account, rows, seen: None }
    }

    fn clear(&mut self) {
        self.part.clear();
        self.account = FileAccount::default();
        self.rows.clear();
        self.seen = None;
    }

    /// Whether so much is made already that the stretch is to end.
    pub(crate) fn is_full(made_octets: usize, rows: &[Row]) -> bool {
        made_octets + rows.len() * ROW_OCTETS > MADE_OCTETS_MAX
    }
}

/// A stretch that somebody has read.
pub(crate) struct Done {
    records_before: u64,
    pub(crate) made: Result<(Desk, worker::Read), StretchFailure>,
}

/// Why a stretch was not read, or nothing is.
pub(crate) enum StretchFailure {
    Failed(ReadFailure),
    /// Its worker broke off.
    BrokeOff,
}

impl From<io::Error> for StretchFailure {
    fn from(error: io::Error) -> Self {
        StretchFailure::Failed(error.into())
    }
}

/// What the owner does next.
pub(crate) enum Next<'f> {
    Add(Done),
    Read(InWork<'f>),
    /// Nobody reads what comes next: the owner reads from an octet on up to another, or to the end of the file.
    ReadOn {
        from: u64,
        to: u64,
    },
}

impl SharedFile {
    /// Of which so many records are read, up to an octet.
    pub(crate) fn new(
        (job, number): (FileJob, JobNumber),
        input: &InputFile<'_>,
        context: &[u8],
        (at, records): (u64, u64),
        stretch_octets: usize,
    ) -> io::Result<Self> {
        let (path, digest) = (&job.found.path, input.to_be_digested());
        let cutting = Cutting::new(path, digest, (at, records), stretch_octets)?;
        let (left, in_work, done, fault, spare) = Default::default();
        let state = State { at, uncut: Some(at), left, in_work, done, fault, spare };
        Ok(SharedFile {
            job,
            number,
            context: context.into(),
            cutting,
            state: Mutex::new(state),
            changed: Condvar::new(),
        })
    }

    /// What it is, as the log and alarms have it.
    pub(crate) fn about(&self, flow: &Topology) -> About {
        let FileJob { element, found } = &self.job;
        let (network_element, file) = (flow.elements[*element].name.clone(), found.name.clone());
        About { network_element, file, job: None }
    }

    /// Whether so many octets are worth being cut.
    pub(crate) fn is_worth_it(octets: u64, stretch_octets: usize) -> bool {
        octets / STRETCHES_MIN >= stretch_octets as u64
    }

    /// Whether there is a stretch for one worker more.
    pub(crate) fn wants_help(&self) -> bool {
        let state = self.state();
        state.may_take_left() || (state.uncut.is_some() && state.may_cut())
    }

    /// The next stretch, if there is one and room for it, read into this memory.
    pub(crate) fn take(
        &self,
        reads: &dyn Stretches,
        running: &Running,
        memory: &mut Vec<u8>,
    ) -> Option<InWork<'_>> {
        let mut state = self.state();
        let left = if state.may_take_left() { state.left.pop_first() } else { None };
        if let Some((_, cut)) = left {
            return Some(self.in_work(state, cut, running));
        }
        if state.uncut.is_none() || !state.may_cut() {
            return None;
        }
        drop(state);
        let note = |cut: &Cut| {
            let mut state = self.state();
            state.in_work.insert(cut.start);
            state.uncut = Some(cut.end).filter(|end| *end < END);
        };
        match self.cutting.next(reads, &self.context, memory, note) {
            Ok(cut) => Some(self.in_work(self.state(), cut?, running)),
            Err(error) => {
                self.fail(error.into());
                None
            }
        }
    }

    fn in_work(&self, mut state: MutexGuard<'_, State>, cut: Cut, running: &Running) -> InWork<'_> {
        state.in_work.insert(cut.start);
        let me = thread::current().id();
        let place = state.spare.iter().position(|desk| desk.whose == me);
        let place = place.or_else(|| state.spare.len().checked_sub(1));
        let desk = place.map(|place| state.spare.swap_remove(place));
        drop(state);
        let desk = desk.unwrap_or_else(|| Desk::new(running));
        InWork { file: self, cut, desk: Some(Desk { whose: me, ..desk }), is_done: false }
    }

    /// What its owner does next, who has read so many records, if their numbers matter.
    pub(crate) fn next(
        &self,
        reads: &dyn Stretches,
        running: &Running,
        records: Option<u64>,
        memory: &mut Vec<u8>,
    ) -> Result<Next<'_>, StretchFailure> {
        loop {
            let mut state = self.state();
            if let Some(fault) = state.fault.take() {
                return Err(fault);
            }
            state.forget_passed();
            let at = state.at;
            if let Some(done) = state.done.remove(&at) {
                match records.filter(|records| *records != done.records_before) {
                    None => return Ok(Next::Add(done)),
                    Some(records) => {
                        let to = state.begins_after(at);
                        drop(state);
                        self.cutting.recount(done.records_before, records);
                        return Ok(Next::ReadOn { from: at, to });
                    }
                }
            }
            let is_coming = state.in_work.contains(&at) || state.left.contains_key(&at);
            if !is_coming && state.uncut.is_none_or(|uncut| uncut > at) {
                return Ok(Next::ReadOn { from: at, to: state.begins_after(at) });
            }
            drop(state);
            match self.take(reads, running, memory) {
                Some(in_work) if in_work.cut.start >= at => return Ok(Next::Read(in_work)),
                // It begins within what was read already.
                Some(passed) => passed.give_up(),
                None => self.wait_for(at),
            }
        }
    }

    /// Waits while somebody reads the stretch that begins at an octet.
    fn wait_for(&self, at: u64) {
        let mut state = self.state();
        let mut is_cut = false;
        while state.in_work.contains(&at) && state.fault.is_none() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            is_cut = true;
        }
        drop(state);
        if !is_cut {
            // Somebody is about to have it in work.
            thread::yield_now();
        }
    }

    /// It is not read on.
    pub(crate) fn fail(&self, why: StretchFailure) {
        self.state().fault = Some(why);
        self.changed.notify_all();
    }

    /// The owner has come to an octet.
    pub(crate) fn advance(&self, to: u64) {
        self.state().at = to;
    }

    /// What was made in it is added: it is to be used again.
    pub(crate) fn give_back(&self, mut desk: Desk) {
        desk.clear();
        self.state().spare.push(desk);
    }

    /// Begins to read from an octet on, of which some are in memory.
    pub(crate) fn reader<'r>(
        &self,
        reads: &'r dyn Stretches,
        offset: u64,
        (octets, Range { start: begin, end }): (Vec<u8>, Range<usize>),
    ) -> io::Result<Box<dyn Reader + 'r>> {
        let (path, offset_behind) = (self.job.found.path.clone(), offset + (end - begin) as u64);
        let behind = Box::new(Behind { path, offset: offset_behind, file: None });
        reads.read_on(&self.context, Stretch { offset, octets, begin, end, behind })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether one more may be cut, where others wait to be read or added.
    fn may_cut(&self) -> bool {
        self.done.len() + self.left.len() < self.in_work.len() + WAITING_MAX
    }

    /// Whether the first may be taken of those that were given back; always where it is what comes next.
    fn may_take_left(&self) -> bool {
        let first = self.left.keys().next();
        let has_room = self.done.len() < self.in_work.len() + WAITING_MAX;
        first.is_some_and(|first| has_room || *first <= self.at)
    }

    /// Forgets what begins within what was read already.
    fn forget_passed(&mut self) {
        self.done = self.done.split_off(&self.at);
        self.left = self.left.split_off(&self.at);
    }

    /// Where the first stretch begins behind an octet.
    fn begins_after(&self, at: u64) -> u64 {
        let behind = at + 1..;
        let starts = [
            self.done.range(behind.clone()).next().map(|(start, _)| *start),
            self.left.range(behind.clone()).next().map(|(start, _)| *start),
            self.in_work.range(behind).next().copied(),
            self.uncut.filter(|uncut| *uncut > at),
        ];
        starts.into_iter().flatten().min().unwrap_or(END)
    }
}

/// A stretch that somebody reads. Where this goes away before that is done, he broke off.
pub(crate) struct InWork<'f> {
    pub(crate) file: &'f SharedFile,
    cut: Cut,
    desk: Option<Desk>,
    is_done: bool,
}

impl InWork<'_> {
    /// What it is made in.
    pub(crate) fn desk(&mut self) -> Desk {
        self.desk.take().expect("it is taken once, to be read")
    }

    /// Begins to read it, in the memory that it was taken with.
    pub(crate) fn reader<'r>(
        &self,
        reads: &'r dyn Stretches,
        memory: Vec<u8>,
    ) -> io::Result<Box<dyn Reader + 'r>> {
        self.file.reader(reads, self.cut.start, (memory, self.cut.in_memory.clone()))
    }

    /// Whether it has ended, where a record ends at an octet.
    pub(crate) fn has_ended(&self, position: u64) -> bool {
        position >= self.cut.end
    }

    /// How many records there likely are before it.
    pub(crate) fn records_before(&self) -> u64 {
        self.cut.records_before
    }

    /// It was read; whether something of it is left.
    pub(crate) fn done(mut self, desk: Desk, how: worker::Read) -> bool {
        let mut is_left = false;
        if let worker::Read::To(start) = how
            && !self.has_ended(start)
        {
            let records_before = self.cut.records_before + desk.account.records;
            let cut = Cut { start, end: self.cut.end, records_before, in_memory: 0..0 };
            self.file.state().left.insert(start, cut);
            is_left = true;
        }
        self.is_over(Ok((desk, how)));
        is_left
    }

    /// It could not be read.
    pub(crate) fn not_done(mut self, why: StretchFailure) {
        self.is_over(Err(why));
    }

    /// It begins within what was read already.
    fn give_up(mut self) {
        self.is_done = true;
        let mut state = self.file.state();
        state.in_work.remove(&self.cut.start);
        state.spare.extend(self.desk.take());
    }

    fn is_over(&mut self, made: Result<(Desk, worker::Read), StretchFailure>) {
        self.is_done = true;
        let Cut { start, records_before, .. } = self.cut;
        let mut state = self.file.state();
        state.in_work.remove(&start);
        state.done.insert(start, Done { records_before, made });
        drop(state);
        self.file.changed.notify_all();
    }
}

impl Drop for InWork<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            self.is_over(Err(StretchFailure::BrokeOff));
        }
    }
}

/// The octets behind a stretch: its file is opened when one of them is wanted.
struct Behind {
    path: PathBuf,
    offset: u64,
    file: Option<File>,
}

impl Read for Behind {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let file = match self.file.take() {
            Some(file) => file,
            None => {
                let mut file = plain::open(&self.path)?;
                file.seek(SeekFrom::Start(self.offset))?;
                file
            }
        };
        self.file.insert(file).read(to)
    }
}
