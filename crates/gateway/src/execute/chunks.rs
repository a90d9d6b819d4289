//! A large file that several workers read in stretches. The result is the same as if one worker had read it all.
//!
//! A stretch begins where a record probably ends, but this is a guess. A worker that reads a stretch goes on to the
//! first end of a record at or behind the stretch's end. The owner of the file adds the results in order. A result that
//! begins exactly where everything before it ended is what the owner would have made itself. If no result begins there,
//! because the file is damaged, the owner reads on by itself up to the start of the next stretch. So the output depends
//! neither on the cuts nor on the workers.

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

use crate::execute::job::About;
use crate::execute::pipeline::Part;
use crate::execute::running::Running;
use crate::execute::worker;
use crate::execute::worker::ReadFailure;
use assurance::drift::Noted;
use collection::input::InputFile;
use collection::sources::FileJob;
use cutting::Cutting;
use flow::report::FileAccount;
use flow::topology::Topology;
use suspense::Row;

/// Octets of a stretch. Its input and output stay in a processor's cache, and the fixed cost of a stretch is small
/// beside the work.
pub(crate) const STRETCH_OCTETS: usize = 1 << 20;

/// A file is cut only if at least this many stretches are left. A shorter rest is done before others have begun.
const STRETCHES_MIN: u64 = 4;

/// No new stretch begins while more than this many wait to be added, besides one for each in work.
const WAITING_MAX: usize = 4;

/// The most octets that a stretch may make or set aside. Beyond that it ends early, so memory is bounded.
const MADE_OCTETS_MAX: usize = 16 << 20;

/// The octets that a rejected record counts for, besides its own.
const ROW_OCTETS: usize = 512;

/// The end of the stretch that ends with the file.
const END: u64 = u64::MAX;

/// A large file that workers read together.
pub(crate) struct SharedFile {
    pub(crate) job: FileJob,
    /// The number of the job.
    pub(crate) number: JobNumber,
    /// The context that a reader needs to read a record of it alone.
    context: Vec<u8>,
    cutting: Cutting,
    state: Mutex<SharedState>,
    /// Signals that a stretch is done, or that reading failed.
    changed: Condvar,
}

struct SharedState {
    /// The offset at which the next result to add begins.
    at: u64,
    /// The offset from which the file is not cut yet, if any is left.
    uncut: Option<u64>,
    /// Stretches that were given back, by their start. `in_work` has those that a worker reads, `done` those with a
    /// result.
    left: BTreeMap<u64, Cut>,
    in_work: BTreeSet<u64>,
    done: BTreeMap<u64, Done>,
    /// Why reading stops.
    fault: Option<StretchFailure>,
    spare: Vec<Desk>,
}

/// A stretch that is to be read.
struct Cut {
    start: u64,
    /// Where it probably ends. The last stretch ends with the file.
    end: u64,
    /// How many records there probably are before it.
    records_before: u64,
    /// The range of its octets, and some behind them, in the buffer they were read into. Empty if they must be read
    /// again.
    in_memory: Range<usize>,
}

/// The buffers for the results of a stretch, reused from one stretch to the next.
pub(crate) struct Desk {
    /// The thread whose cache it is probably in.
    whose: ThreadId,
    pub(crate) part: Part,
    pub(crate) account: FileAccount,
    /// The rejected records, with their numbers within the stretch.
    pub(crate) rows: Vec<Row>,
    /// The notes of assurance on its records, if it watches them.
    pub(crate) profile: Option<Noted>,
}

impl Desk {
    fn new(running: &Running) -> Self {
        let (account, rows) = Default::default();
        Desk {
            whose: thread::current().id(),
            part: Part::new(running),
            account,
            rows,
            profile: None,
        }
    }

    fn clear(&mut self) {
        self.part.clear();
        self.account = FileAccount::default();
        self.rows.clear();
        self.profile = None;
    }

    /// Returns whether the stretch must end because its results are large enough.
    pub(crate) fn is_full(made_octets: usize, rows: &[Row]) -> bool {
        made_octets + rows.len() * ROW_OCTETS > MADE_OCTETS_MAX
    }
}

/// A stretch that a worker has read.
pub(crate) struct Done {
    records_before: u64,
    pub(crate) made: Result<(Desk, worker::Read), StretchFailure>,
}

/// Why a stretch, or the rest of the file, was not read.
pub(crate) enum StretchFailure {
    Failed(ReadFailure),
    /// Its worker panicked.
    BrokeOff,
}

impl From<io::Error> for StretchFailure {
    fn from(error: io::Error) -> Self {
        StretchFailure::Failed(error.into())
    }
}

/// The next step of the owner.
pub(crate) enum OwnerStep<'f> {
    Add(Done),
    Read(InWork<'f>),
    /// No worker reads what comes next: the owner reads this range, or to the end of the file.
    ReadOn {
        from: u64,
        to: u64,
    },
}

/// A file of which one worker has read the beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BegunFile<'f> {
    /// What its reader keeps of the beginning.
    pub(crate) context: &'f [u8],
    pub(crate) read: ReadSoFar,
}

/// How much of a file was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadSoFar {
    /// The offset at which the last record ends.
    pub(crate) at: u64,
    pub(crate) records: u64,
}

impl SharedFile {
    /// Shares the rest of a file.
    pub(crate) fn new(
        job: FileJob,
        number: JobNumber,
        input: &InputFile<'_>,
        begun: BegunFile<'_>,
        stretch_octets: usize,
    ) -> io::Result<Self> {
        let BegunFile { context, read: ReadSoFar { at, .. } } = begun;
        let (path, digest) = (&job.found.path, input.to_be_digested());
        let cutting = Cutting::new(path, digest, begun.read, stretch_octets)?;
        let (left, in_work, done, fault, spare) = Default::default();
        let state = SharedState { at, uncut: Some(at), left, in_work, done, fault, spare };
        Ok(SharedFile {
            job,
            number,
            context: context.into(),
            cutting,
            state: Mutex::new(state),
            changed: Condvar::new(),
        })
    }

    /// Returns the names under which logs and alarms show the file.
    pub(crate) fn about(&self, flow: &Topology) -> About {
        let FileJob { element, found } = &self.job;
        let (network_element, file) = (flow.elements[*element].name.clone(), found.name.clone());
        About { network_element, file, job: None }
    }

    /// Returns whether this many octets are worth cutting.
    pub(crate) fn is_worth_it(octets: u64, stretch_octets: usize) -> bool {
        octets / STRETCHES_MIN >= stretch_octets as u64
    }

    /// Returns whether there is a stretch for one more worker.
    pub(crate) fn wants_help(&self) -> bool {
        let state = self.state();
        state.may_take_left() || (state.uncut.is_some() && state.may_cut())
    }

    /// Takes the next stretch and reads it into `memory`. Returns none if no stretch is left, or if too many wait.
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

    fn in_work(
        &self,
        mut state: MutexGuard<'_, SharedState>,
        cut: Cut,
        running: &Running,
    ) -> InWork<'_> {
        state.in_work.insert(cut.start);
        let me = thread::current().id();
        let place = state.spare.iter().position(|desk| desk.whose == me);
        let place = place.or_else(|| state.spare.len().checked_sub(1));
        let desk = place.map(|place| state.spare.swap_remove(place));
        drop(state);
        let desk = desk.unwrap_or_else(|| Desk::new(running));
        InWork { file: self, cut, desk: Some(Desk { whose: me, ..desk }), is_done: false }
    }

    /// Returns what the owner does next. `records` is how many records it has read, if record numbers matter.
    pub(crate) fn next(
        &self,
        reads: &dyn Stretches,
        running: &Running,
        records: Option<u64>,
        memory: &mut Vec<u8>,
    ) -> Result<OwnerStep<'_>, StretchFailure> {
        loop {
            let mut state = self.state();
            if let Some(fault) = state.fault.take() {
                return Err(fault);
            }
            state.forget_passed();
            let at = state.at;
            if let Some(done) = state.done.remove(&at) {
                match records.filter(|records| *records != done.records_before) {
                    None => return Ok(OwnerStep::Add(done)),
                    Some(records) => {
                        let to = state.begins_after(at);
                        drop(state);
                        self.cutting.recount(done.records_before, records);
                        return Ok(OwnerStep::ReadOn { from: at, to });
                    }
                }
            }
            let is_coming = state.in_work.contains(&at) || state.left.contains_key(&at);
            if !is_coming && state.uncut.is_none_or(|uncut| uncut > at) {
                return Ok(OwnerStep::ReadOn { from: at, to: state.begins_after(at) });
            }
            drop(state);
            match self.take(reads, running, memory) {
                Some(in_work) if in_work.cut.start >= at => return Ok(OwnerStep::Read(in_work)),
                // The stretch begins within octets that were read already.
                Some(passed) => passed.give_up(),
                None => self.wait_for(at),
            }
        }
    }

    /// Waits while a worker reads the stretch that begins at this offset.
    fn wait_for(&self, at: u64) {
        let mut state = self.state();
        let mut is_cut = false;
        while state.in_work.contains(&at) && state.fault.is_none() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            is_cut = true;
        }
        drop(state);
        if !is_cut {
            // Another worker is about to put it in work.
            thread::yield_now();
        }
    }

    /// Stops the reading with a failure.
    pub(crate) fn fail(&self, why: StretchFailure) {
        self.state().fault = Some(why);
        self.changed.notify_all();
    }

    /// Notes that the owner has come to this offset.
    pub(crate) fn advance(&self, to: u64) {
        self.state().at = to;
    }

    /// Takes back a desk whose results are added, to be reused.
    pub(crate) fn give_back(&self, mut desk: Desk) {
        desk.clear();
        self.state().spare.push(desk);
    }

    /// Opens a reader at an offset, of which some octets are in memory.
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

    fn state(&self) -> MutexGuard<'_, SharedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SharedState {
    /// Returns whether one more stretch may be cut, given how many wait to be read or added.
    fn may_cut(&self) -> bool {
        self.done.len() + self.left.len() < self.in_work.len() + WAITING_MAX
    }

    /// Returns whether the first stretch that was given back may be taken. It always may if it comes next.
    fn may_take_left(&self) -> bool {
        let first = self.left.keys().next();
        let has_room = self.done.len() < self.in_work.len() + WAITING_MAX;
        first.is_some_and(|first| has_room || *first <= self.at)
    }

    /// Drops the stretches that begin within what is read already.
    fn forget_passed(&mut self) {
        self.done = self.done.split_off(&self.at);
        self.left = self.left.split_off(&self.at);
    }

    /// Returns the start of the first stretch behind an offset.
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

/// A stretch that a worker reads. If it is dropped before it is done, its worker panicked.
pub(crate) struct InWork<'f> {
    pub(crate) file: &'f SharedFile,
    cut: Cut,
    desk: Option<Desk>,
    is_done: bool,
}

impl InWork<'_> {
    /// Takes the desk for its results.
    pub(crate) fn desk(&mut self) -> Desk {
        self.desk.take().expect("it is taken once, to be read")
    }

    /// Opens its reader, over the memory that it was taken with.
    pub(crate) fn reader<'r>(
        &self,
        reads: &'r dyn Stretches,
        memory: Vec<u8>,
    ) -> io::Result<Box<dyn Reader + 'r>> {
        self.file.reader(reads, self.cut.start, (memory, self.cut.in_memory.clone()))
    }

    /// Returns whether the stretch has ended, if a record ends at `position`.
    pub(crate) fn has_ended(&self, position: u64) -> bool {
        position >= self.cut.end
    }

    /// Returns how many records there probably are before it.
    pub(crate) fn records_before(&self) -> u64 {
        self.cut.records_before
    }

    /// Hands in the results, and puts back what is left of the stretch. Returns whether anything is left.
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

    /// Hands in the failure to read it.
    pub(crate) fn not_done(mut self, why: StretchFailure) {
        self.is_over(Err(why));
    }

    /// Gives the stretch up: it begins within octets that were read already.
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

/// The octets behind a stretch. The file is opened when the first of them is read.
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
