//! A worker: it takes a file and sends each of its records through the graph.
//!
//! A worker owns all that it needs (nodes, arena, buffers), so no record waits for a lock. A record that a node rejects
//! goes to suspense whole.

mod expire;
mod failure;
mod fire;
mod perform;
pub(crate) mod retry;
mod stretch;

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use node::{JobNumber, Origin};
use record::{Arena, Memory, Record};
use runtime::shutdown::Shutdown;
use store::StoreError;

use crate::execute::chunks::STRETCH_OCTETS;
use crate::execute::hangs::Pulse;
use crate::execute::job::{
    Claim, Completed, MadeOutput, OutputError, ProcessedFile, Results, Task,
};
use crate::execute::job_view::JobView;
use crate::execute::pipeline::{Given, Pipeline, Refused, What};
use crate::execute::running::Running;
use crate::plan::Plan;
use assurance::drift::Where;
use assurance::sequence::{Counted, Gatherer};
use collection::decompress::Packed;
use collection::duplicate_files::{DuplicateCheck, KnownBy, Original};
use collection::input::{Digest, InputFile};
use collection::sources::FileJob;
use diagnostics::octets;
use flow::flow_journal::AccessError;
use flow::graph::Target;
use flow::outcome::Class;
use flow::outcome::Why;
use flow::report::FileAccount;
use format::coding::{self, Reader};
use reason::Reason;
use suspense::{Row, SetAside, Spill};

pub(crate) use expire::Expired;
pub(crate) use failure::{FileRefusal, JobFailure, ReadFailure};
use failure::{NotFree, WorkError};
pub(crate) use perform::words;
pub(crate) use retry::Retried;
pub(crate) use stretch::{Helpers, help};

/// A worker, with everything that it owns.
pub(crate) struct Worker<'p> {
    running: &'p Running,
    view: &'p JobView,
    /// Where rejected records go that do not fit into memory.
    spill: Spill<'p>,
    reader: store::Reader,
    pipeline: Pipeline<'p>,
    arena: Arena,
    aside: SetAside<'p>,
    /// By network element: its gatherer, if sequence numbers, totals or the like are checked.
    gatherers: Vec<Option<Gatherer<'p>>>,
    /// How many octets of the current file are set aside, and the limit.
    octets_aside: u64,
    octets_aside_max: u64,
    /// The queue through which other workers may help with large files.
    pub(crate) helpers: Option<Helpers>,
    /// The rejected records of the current stretch, if the worker reads one.
    rows_of_stretch: Option<Vec<Row>>,
    /// The memory that files and stretches are read into.
    memory: Vec<u8>,
    /// How the current file is compressed, and its unpacked size in octets.
    packed: Option<(Packed, u64)>,
}

/// How far a file was processed.
pub(crate) enum Processed {
    Wholly,
    /// A stop interrupted it.
    Stopped,
    /// It must begin again, because a file that another worker has in hand goes first.
    ToBeBegunAgain,
}

/// How far the records of a file were read.
pub(crate) enum Read {
    /// Reading is over, with this result.
    Over(Processed),
    /// Up to this offset, at which a record ends.
    To(u64),
}

/// How a job ended.
pub(crate) enum Ended<'p> {
    /// It is ready for the commit.
    Finished(Completed<'p>),
    /// A stop interrupted it. It left nothing, as if it had never begun.
    Stopped,
    /// It must begin again, because another job goes first.
    ToBeBegunAgain(Task),
}

/// The most octets of memory that a worker keeps to read into. It is enough for a stretch.
const MEMORY_OCTETS_MAX: usize = 4 * STRETCH_OCTETS;

/// The number of the next job in this process.
static NEXT_JOB: AtomicU64 = AtomicU64::new(1);

impl<'p> Worker<'p> {
    pub(crate) fn new(
        running: &'p Running,
        view: &'p JobView,
        spill: Spill<'p>,
    ) -> Result<Self, StoreError> {
        let counted = &running.plan.assurance.counted;
        Ok(Worker {
            running,
            view,
            spill,
            reader: view.reader()?,
            pipeline: Pipeline::new(running, view)?,
            arena: Arena::new(),
            aside: SetAside::new(spill),
            gatherers: counted.iter().map(Counted::gatherer).collect(),
            octets_aside: 0,
            octets_aside_max: u64::MAX,
            helpers: None,
            rows_of_stretch: None,
            memory: Vec::new(),
            packed: None,
        })
    }

    fn plan(&self) -> &'p Plan {
        &self.running.plan
    }

    /// Returns the pulse that shows whether the worker makes progress.
    pub(crate) fn pulse(&self) -> &Pulse {
        self.pipeline.pulse()
    }

    /// Discards the current work after a panic, when it is unknown how far the worker came.
    pub(crate) fn break_off(mut self) {
        self.pipeline.end();
    }

    /// Processes a file. Its outputs then lie under temporary names, ready for the commit. Of a duplicate file, only
    /// counts the records.
    ///
    /// An error means that a file or folder failed; the job then left nothing, as if it had never begun.
    fn process(&mut self, job: FileJob, stop: &Shutdown) -> Result<Ended<'p>, JobFailure> {
        let ended = self.process_all(job, stop);
        self.pipeline.end();
        self.aside = SetAside::new(self.spill);
        ended
    }

    fn process_all(&mut self, job: FileJob, stop: &Shutdown) -> Result<Ended<'p>, JobFailure> {
        let failure = match self.check_duplicate(&job, None)? {
            DuplicateCheck::New => return self.process_as(job, None, stop),
            DuplicateCheck::Duplicate(original) => {
                return self.process_as(job, Some(original), stop);
            }
            // Network elements that close files at a fixed size make many files of the same size. Reading each of them
            // twice to compare digests is too slow. The commit decides, by the digest that is computed while the file
            // is processed.
            DuplicateCheck::NeedsDigest => match self.process_as(job.clone(), None, stop) {
                Err(failure) => failure,
                ended => return ended,
            },
        };
        // A duplicate is set aside even if it cannot be processed now.
        let digest = InputFile::new(&job.found.path, true)
            .packed(self.packed)
            .digest()
            .map_err(|cause| WorkError::Read { path: job.found.path.clone(), cause })?;
        let DuplicateCheck::Duplicate(original) = self.check_duplicate(&job, Some(digest))? else {
            return Err(failure);
        };
        self.pipeline.end();
        self.aside = SetAside::new(self.spill);
        self.process_as(job, Some(original), stop)
    }

    fn process_as(
        &mut self,
        job: FileJob,
        duplicate_of: Option<Original>,
        stop: &Shutdown,
    ) -> Result<Ended<'p>, JobFailure> {
        let plan = self.plan();
        let element = &plan.topology.elements[job.element];
        (self.octets_aside, self.octets_aside_max) =
            (0, plan.reserves.suspense_octets_max[job.element]);
        let path = job.found.path.display();
        let targets = match duplicate_of {
            None => plan.topology.targets(job.element, &job.found.name),
            Some(_) => Vec::new(),
        };
        let reached = element.systems.iter().filter_map(|system| targets.get(*system));
        let claimed = reached.cloned().collect();
        let claim = Claim::take(&self.running.in_hand, claimed, &path)?;
        let mut account = FileAccount {
            network_element: element.name.clone(),
            file: job.found.name.clone(),
            ..FileAccount::default()
        };
        let input = InputFile::new(&job.found.path, self.view.is_written)
            .packed(self.packed)
            .read_into(std::mem::take(&mut self.memory));
        let processed = match duplicate_of {
            None => {
                let number = NEXT_JOB.fetch_add(1, Ordering::Relaxed);
                self.pipeline.begin(number, job.element, &targets);
                self.records((&job, number), &input, stop, &mut account)
            }
            Some(_) => self.count(&job, &input, stop, &mut account).map_err(ReadFailure::from),
        };
        let could_not_process =
            |failure: &ReadFailure| format!("could not process \"{path}\": {failure}");
        match processed.map_err(|failure| failure.of_job(could_not_process))? {
            Processed::Wholly => {}
            Processed::Stopped => return Ok(Ended::Stopped),
            Processed::ToBeBegunAgain => return Ok(Ended::ToBeBegunAgain(Task::File(job))),
        }
        assert!(account.adds_up(), "every record is counted once");
        let could_not_read = |cause| WorkError::Read { path: job.found.path.clone(), cause };
        if job.found.has_changed().map_err(could_not_read)? {
            return Err(WorkError::WrittenTo { path: job.found.path.clone() }.into());
        }
        let digest = input.digest().map_err(could_not_read)?;
        // The records of a duplicate never enter the pipeline: its results belong to another file.
        let results = match duplicate_of {
            None => {
                let not_written = |cause| WorkError::Outputs { job: path.to_string(), cause };
                self.pipeline.results().map_err(not_written)?
            }
            Some(_) => Results::default(),
        };
        let waits = |cause| WorkError::NotFree { job: path.to_string(), cause };
        self.are_free(&results.outputs).map_err(waits)?;
        let aside = std::mem::replace(&mut self.aside, SetAside::new(self.spill));
        let input = &element.input;
        let gathered = self.gatherers[job.element].as_mut();
        let gathered = gathered.map(|gatherer| gatherer.take_file(|mark| input.unknown(mark)));
        let made = ProcessedFile {
            job,
            contents: self.packed.map(|(_, contents)| contents),
            digest,
            duplicate_of,
            account,
            results,
            aside,
            gathered,
            claim,
            turn: None,
        };
        Ok(Ended::Finished(Completed::Made(Box::new(made))))
    }

    /// Returns whether the journal knows the file from before.
    fn check_duplicate(
        &self,
        job: &FileJob,
        digest: Option<Digest>,
    ) -> Result<DuplicateCheck, AccessError> {
        if !self.view.is_written {
            return Ok(DuplicateCheck::New);
        }
        let FileJob { element, found } = job;
        let element = &self.plan().topology.elements[*element];
        let size = found.version.0;
        let contents = self.packed.map_or(size, |(_, contents)| contents);
        let known = KnownBy { network_element: &element.name, name: &found.name, size, contents };
        let now_ms = self.view.clock.now_ms();
        let duplicates = &self.plan().collection.sources[job.element].duplicates;
        Ok(duplicates.check(&self.reader, &known, digest, now_ms)?)
    }

    /// Fails if an output would replace the output of another file, even one with the same octets: a replaced output
    /// would hide that it came twice. If the journal knows no such output, the journal lost it, and the file there is
    /// the same output.
    fn are_free(&self, outputs: &[MadeOutput<'_>]) -> Result<(), NotFree> {
        for target in outputs.iter().map(|output| output.written.target()) {
            let is_there = target.try_exists().map_err(|cause| OutputError::new(target, cause))?;
            let is_taken = || self.view.has_output(&self.reader, target);
            if is_there && is_taken().map_err(AccessError::from)? {
                return Err(NotFree::Taken { target: target.clone() });
            }
        }
        Ok(())
    }

    fn records(
        &mut self,
        (job, number): (&FileJob, JobNumber),
        input: &InputFile<'_>,
        stop: &Shutdown,
        account: &mut FileAccount,
    ) -> Result<Processed, ReadFailure> {
        let mut reader = self.plan().topology.elements[job.element].input.open(input)?;
        self.aside.context(reader.context());
        if let Some(gatherer) = &mut self.gatherers[job.element] {
            gatherer.begin(&job.found);
        }
        let read = self.read(&mut *reader, job, 0, account, |worker, reader, records| {
            if stop.is_set() {
                return Some(Read::Over(Processed::Stopped));
            }
            worker.is_to_be_shared(job, reader, records).map(Read::To)
        })?;
        let processed = match read {
            Read::Over(processed) => processed,
            Read::To(at) => self.share((job, number), input, (&*reader, at), stop, account)?,
        };
        if let (Processed::Wholly, Some(gatherer)) = (&processed, &mut self.gatherers[job.element])
        {
            gatherer.end(reader.header(), account.records);
        }
        self.keep_memory(reader);
        Ok(processed)
    }

    /// Reads records and sends them through the graph, until the reader ends or `is_enough` returns a result. It is
    /// called after each record. `before` is the number of records before those that the account counts.
    fn read(
        &mut self,
        reader: &mut dyn Reader,
        job: &FileJob,
        before: u64,
        account: &mut FileAccount,
        is_enough: impl Fn(&Self, &dyn Reader, u64) -> Option<Read>,
    ) -> Result<Read, ReadFailure> {
        let targets = &self.plan().topology.graph.network_elements[job.element].targets;
        let network_element = &self.plan().topology.elements[job.element].name;
        let mut origin = Origin { network_element, file: &job.found.name, record: 0, offset: 0 };
        loop {
            self.arena.reset();
            // Not moved out of `next`: a move costs as much as a filter.
            let next = reader.next(&mut self.arena);
            let read = match &next {
                Ok(Some(read)) => read,
                Ok(None) => {
                    drop(next);
                    note_passed_over(reader, account);
                    return Ok(Read::Over(Processed::Wholly));
                }
                Err(_) => return Ok(next.map(|_| Read::Over(Processed::Wholly))?),
            };
            account.records += 1;
            origin.record = before + account.records;
            origin.offset = read.offset;
            self.pipeline.at(read.offset);
            let passed = match &read.record {
                Ok(record) => self.record(*record, read.octets, &origin, job.element, targets),
                Err(error) => Err(self.pipeline.unreadable("", error)),
            };
            let class = match passed {
                Ok(()) => self.pipeline.keep()?,
                Err(refused) => match refused.what {
                    What::Record(why) => {
                        self.set_aside(account.records, read, why, *refused)?;
                        self.pipeline.put_trace_away()?;
                        Class::SetAside(why)
                    }
                    What::File => {
                        return Err(io::Error::other(refused.reason.to_string()).into());
                    }
                    What::FileUntilRoom { node } => {
                        let reason = refused.reason.to_string();
                        return Err(ReadFailure::NoRoom { node, reason });
                    }
                    What::FileBegunAgain => return Ok(Read::Over(Processed::ToBeBegunAgain)),
                },
            };
            account.count(class);
            if let Some(read) = is_enough(self, reader, account.records) {
                note_passed_over(reader, account);
                return Ok(read);
            }
        }
    }

    /// Counts the records of a duplicate file.
    fn count(
        &mut self,
        job: &FileJob,
        input: &InputFile<'_>,
        stop: &Shutdown,
        account: &mut FileAccount,
    ) -> io::Result<Processed> {
        let mut reader = self.plan().topology.elements[job.element].input.open(input)?;
        let mut gatherer = self.gatherers[job.element].as_mut();
        if let Some(gatherer) = &mut gatherer {
            gatherer.begin(&job.found);
        }
        loop {
            self.arena.reset();
            let Some(read) = reader.next(&mut self.arena)? else {
                if let Some(gatherer) = gatherer {
                    gatherer.end(reader.header(), account.records);
                }
                note_passed_over(&*reader, account);
                self.keep_memory(reader);
                return Ok(Processed::Wholly);
            };
            if let (Some(gatherer), Ok(record)) = (&mut gatherer, &read.record) {
                gatherer.numbers(&mut Memory::new(read.octets, &mut self.arena), *record);
            }
            account.records += 1;
            account.duplicate += 1;
            if stop.is_set() {
                return Ok(Processed::Stopped);
            }
        }
    }

    /// Keeps the memory of a reader for the next file or stretch, unless large records made it large.
    fn keep_memory(&mut self, reader: Box<dyn Reader + '_>) {
        let memory = reader.into_octets();
        if memory.capacity() <= MEMORY_OCTETS_MAX && memory.len() > self.memory.len() {
            self.memory = memory;
        }
    }

    /// Sends a record through the graph. It is never inlined, so that the octets come in registers: a copy of the whole
    /// slice, just after its parts were written, would stall.
    #[inline(never)]
    fn record(
        &mut self,
        record: Record,
        octets: &[u8],
        origin: &Origin<'_>,
        element: usize,
        targets: &[Target],
    ) -> Given<'p> {
        let mut memory = Memory::new(octets, &mut self.arena);
        if let Some(gatherer) = &mut self.gatherers[element] {
            let at = Where { record: origin.record, offset: origin.offset };
            gatherer.record(&mut memory, record, at);
        }
        self.pipeline.give(&mut memory, record, origin, targets)
    }

    #[cold]
    fn set_aside(
        &mut self,
        record: u64,
        read: &coding::Read<'_>,
        why: Why,
        refused: Refused<'_>,
    ) -> Result<(), ReadFailure> {
        let row = Row {
            why,
            record,
            offset: read.offset,
            node: refused.node.into(),
            reason: *refused.reason,
            octets: read.octets.into(),
        };
        match &mut self.rows_of_stretch {
            Some(rows) => {
                rows.push(row);
                Ok(())
            }
            None => self.put_aside(row),
        }
    }

    /// Sets a record aside. Fails if more octets of one file are set aside than its limit allows.
    fn put_aside(&mut self, row: Row) -> Result<(), ReadFailure> {
        self.octets_aside += row.octets.len() as u64;
        if self.octets_aside > self.octets_aside_max {
            let limit = octets(self.octets_aside_max).to_string();
            let reason = Reason::of(&FileRefusal::TooMuchRejected { limit, first: row.reason });
            return Err(ReadFailure::TooMuchRejected { reason });
        }
        Ok(self.aside.put(row)?)
    }
}

/// Adds to the account what the reader skipped of a file or a stretch.
fn note_passed_over(reader: &dyn Reader, account: &mut FileAccount) {
    for passed in reader.passed_over() {
        account.pass_over(&passed.what, passed.octets);
    }
}
