//! One worker: takes a file and gives each of its records on its way through the graph.
//!
//! All it needs is its own (nodes, arena, buffers), so no record meets a lock. What is refused is set aside whole.

mod expire;
mod failure;
mod perform;
mod retry;
mod stretch;

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use node::{JobNumber, Origin};
use record::{Arena, Memory, Record};
use runtime::shutdown::Shutdown;
use store::StoreError;

use crate::assurance::drift::Where;
use crate::assurance::sequence::{Counted, Gatherer};
use crate::collection::decompress::Packed;
use crate::collection::duplicate_files::{KnownBy, Original, Seen};
use crate::collection::input::{Digest, InputFile};
use crate::collection::sources::FileJob;
use crate::definition::graph::Target;
use crate::definition::outcome::Class;
use crate::definition::outcome::Why;
use crate::definition::report::FileAccount;
use crate::execute::hangs::Pulse;
use crate::execute::job::{Claim, Completed, Made, MadeOutput, Results, Task, could_not_write};
use crate::execute::job_view::JobView;
use crate::execute::pipeline::{Given, Pipeline, Refused, What};
use crate::execute::running::Running;
use crate::plan::Plan;
use crate::suspense::{Row, SetAside, Spill};
use diagnostics::octets;
use format::coding::{self, Reader};

pub(crate) use expire::Expired;
pub(crate) use failure::{JobFailure, ReadFailure};
pub(crate) use perform::words;
pub(crate) use retry::Retried;
pub(crate) use stretch::{Helpers, help};

/// What a worker has for itself.
pub(crate) struct Worker<'p> {
    running: &'p Running,
    view: &'p JobView,
    /// Where more records go that are set aside than there is memory for.
    spill: Spill<'p>,
    reader: store::Reader,
    way: Pipeline<'p>,
    arena: Arena,
    aside: SetAside<'p>,
    /// By network element, where anything is counted of it.
    gatherers: Vec<Option<Gatherer<'p>>>,
    /// Octets of the file in hand that are set aside, and most that may be.
    octets_aside: u64,
    octets_aside_max: u64,
    /// Those who may help.
    pub(crate) helpers: Option<Helpers>,
    /// The records that were set aside of the stretch in hand, if it is one.
    rows_of_stretch: Option<Vec<Row>>,
    /// What stretches are read into.
    stretch_memory: Vec<u8>,
    /// How the file in hand is compressed, and how large it is unpacked.
    packed: Option<(Packed, u64)>,
}

/// How far a file was processed.
pub(crate) enum Processed {
    Wholly,
    /// It was told to stop.
    Stopped,
    /// A file in hand goes first.
    ToBeBegunAgain,
}

/// How far records of a file were read.
pub(crate) enum Read {
    /// No further, since it is processed so far.
    Over(Processed),
    /// To an octet at which a record ends.
    To(u64),
}

/// What became of a job.
pub(crate) enum Ended<'p> {
    /// It is to be settled.
    Finished(Completed<'p>),
    /// It was told to stop, and it is as if the job had never been begun.
    Stopped,
    /// It is to be begun again, since another goes first.
    ToBeBegunAgain(Task),
}

/// Numbers of jobs.
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
            way: Pipeline::new(running, view)?,
            arena: Arena::new(),
            aside: SetAside::new(spill),
            gatherers: counted.iter().map(Counted::gatherer).collect(),
            octets_aside: 0,
            octets_aside_max: u64::MAX,
            helpers: None,
            rows_of_stretch: None,
            stretch_memory: Vec::new(),
            packed: None,
        })
    }

    fn plan(&self) -> &'p Plan {
        &self.running.plan
    }

    /// What tells whether it gets on.
    pub(crate) fn pulse(&self) -> &Pulse {
        self.way.pulse()
    }

    /// Gives up what it has in hand, where nobody knows how far it came.
    pub(crate) fn break_off(mut self) {
        self.way.end();
    }

    /// Processes a file: what is made of it lies under temporary names then, to be settled. Of a duplicate, the
    /// records are counted. An error is one of files and folders; the job is then as if it had never been begun.
    fn process(&mut self, job: FileJob, stop: &Shutdown) -> Result<Ended<'p>, JobFailure> {
        let ended = self.process_all(job, stop);
        self.way.end();
        self.aside = SetAside::new(self.spill);
        ended
    }

    fn process_all(&mut self, job: FileJob, stop: &Shutdown) -> Result<Ended<'p>, JobFailure> {
        let failure = match self.seen(&job, None)? {
            Seen::Never => return self.process_as(job, None, stop),
            Seen::Before(original) => return self.process_as(job, Some(original), stop),
            // Of files that are closed at some size, each has that of another: none is read once more to know whether it is
            // the same. Who settles it knows, by the digest that is made on the way.
            Seen::Perhaps => match self.process_as(job.clone(), None, stop) {
                Err(failure) => failure,
                ended => return ended,
            },
        };
        // What keeps it from being processed now keeps no duplicate from being set aside.
        let digest = InputFile::new(&job.found.path, true)
            .packed(self.packed)
            .digest()
            .map_err(|error| format!("could not read \"{}\": {error}", job.found.path.display()))?;
        let Seen::Before(original) = self.seen(&job, Some(digest))? else { return Err(failure) };
        self.way.end();
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
        let claimed = match duplicate_of {
            None => self.plan().topology.reached_targets(job.element, &job.found.name),
            Some(_) => Vec::new(),
        };
        let claim = Claim::take(&self.running.in_hand, claimed, &path)?;
        let mut account = FileAccount {
            network_element: element.name.clone(),
            file: job.found.name.clone(),
            ..FileAccount::default()
        };
        let input = InputFile::new(&job.found.path, self.view.is_kept).packed(self.packed);
        let processed = match duplicate_of {
            None => {
                let number = NEXT_JOB.fetch_add(1, Ordering::Relaxed);
                let targets = self.plan().topology.targets(job.element, &job.found.name);
                self.way.begin(number, job.element, &targets);
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
        let could_not_read = |error| format!("could not read \"{path}\": {error}");
        if job.found.has_changed().map_err(could_not_read)? {
            let problem = format!("\"{path}\" was written to while it was read: it is read again");
            return Err(problem.into());
        }
        let digest = input.digest().map_err(could_not_read)?;
        // A duplicate never went on the way: what the way still knows is of another file.
        let results = match duplicate_of {
            None => self.way.results().map_err(|error| format!("\"{path}\": {error}"))?,
            Some(_) => Results::default(),
        };
        self.are_free(&results.outputs).map_err(|reason| format!("\"{path}\" waits: {reason}"))?;
        let aside = std::mem::replace(&mut self.aside, SetAside::new(self.spill));
        let input = &element.input;
        let gathered = self.gatherers[job.element].as_mut();
        let gathered = gathered.map(|gatherer| gatherer.take_file(|mark| input.unknown(mark)));
        let made = Made {
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

    /// Whether a file came before.
    fn seen(&self, job: &FileJob, digest: Option<Digest>) -> Result<Seen, String> {
        if !self.view.is_kept {
            return Ok(Seen::Never);
        }
        let FileJob { element, found } = job;
        let element = &self.plan().topology.elements[*element];
        let size = found.version.0;
        let contents = self.packed.map_or(size, |(_, contents)| contents);
        let known = KnownBy { network_element: &element.name, name: &found.name, size, contents };
        let now_ms = self.view.clock.now_ms();
        let seen = self.plan().collection.sources[job.element].duplicates.seen(
            &self.reader,
            &known,
            digest,
            now_ms,
        );
        seen.map_err(|error| format!("the journal: {error}"))
    }

    /// Refuses outputs that would take the place of another file's, also of one with the same octets: nobody would see then
    /// that they came twice. Where the journal knows no such file, it was lost, and what lies there is the same output.
    fn are_free(&self, outputs: &[MadeOutput<'_>]) -> Result<(), String> {
        for target in outputs.iter().map(|output| output.written.target()) {
            let is_there = target.try_exists().map_err(|error| could_not_write(target, &error))?;
            let is_taken = || self.view.has_output(&self.reader, target);
            if is_there && is_taken().map_err(|error| format!("the journal: {error}"))? {
                return Err(format!(
                    "its output would be \"{}\", where that of an earlier file still lies; it is processed when the \
                     receiver has taken that away",
                    target.display()
                ));
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
        Ok(processed)
    }

    /// Gives the records that are read on their way, of which the account has some already, and others so many that are
    /// before them; until there are no more, or it is enough of them, as is asked after each.
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
            // Looked at where it lies: to move it costs as much as a filter.
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
            self.way.at(read.offset);
            let passed = match &read.record {
                Ok(record) => self.record(*record, read.octets, &origin, job.element, targets),
                Err(error) => Err(self.way.unreadable("", &error.to_string())),
            };
            let class = match passed {
                Ok(()) => self.way.keep()?,
                Err(refused) => match refused.what {
                    What::Record(why) => {
                        self.set_aside(account.records, read, why, *refused)?;
                        self.way.put_trace_away()?;
                        Class::SetAside(why)
                    }
                    What::File => {
                        return Err(io::Error::other(refused.reason.into_string()).into());
                    }
                    What::FileUntilRoom { node } => {
                        let reason = refused.reason.into_string();
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

    /// Counts the records of a duplicate.
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

    /// Gives a record on its way. Called, so that it is given its octets in registers: copied as a
    /// whole from where they were just written in parts, they would be waited for.
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
        self.way.give(&mut memory, record, origin, targets)
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
            reason: refused.reason.into(),
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

    /// Sets a record aside, as long as that is no more of one file than a journal can take.
    fn put_aside(&mut self, row: Row) -> Result<(), ReadFailure> {
        self.octets_aside += row.octets.len() as u64;
        if self.octets_aside > self.octets_aside_max {
            let most = octets(self.octets_aside_max);
            let reason = format!(
                "more than {most} of it cannot be processed, first {}; \"suspense-limit\" lets more go to suspense",
                row.reason
            );
            return Err(ReadFailure::TooMuchRejected { reason });
        }
        Ok(self.aside.put(row)?)
    }
}

/// Counts what a reader passed over of a file, or of a stretch of it.
fn note_passed_over(reader: &dyn Reader, account: &mut FileAccount) {
    for passed in reader.passed_over() {
        account.pass_over(&passed.what, passed.octets);
    }
}
