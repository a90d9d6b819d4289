//! Reading a file together: the part of its owner, and of the workers that help.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use format::coding::{Reader, Stretches};
use node::JobNumber;
use runtime::shutdown::Shutdown;
use store::StoreError;

use super::{Processed, Read, ReadFailure, Worker, words};
use crate::execute::chunks::{
    BegunFile, Desk, InWork, OwnerStep, ReadSoFar, SharedFile, StretchFailure,
};
use crate::execute::crew::{Crew, Help, Offered};
use crate::execute::hangs::Pulse;
use crate::execute::job::About;
use crate::execute::running::Running;
use collection::input::InputFile;
use collection::sources::FileJob;
use flow::report::FileAccount;

/// How many records lie between two checks for idle workers, or for too large a result.
const RECORDS_BETWEEN: u64 = 64;

/// How a worker gets help.
#[derive(Clone)]
pub(crate) struct Helpers {
    pub(crate) crew: Arc<dyn Crew>,
    /// Octets of a stretch.
    pub(crate) stretch_octets: usize,
}

impl StretchFailure {
    /// Returns the failure of the file. If a helper panicked, panics in the owner too.
    fn of_file(self) -> ReadFailure {
        match self {
            StretchFailure::Failed(failure) => failure,
            StretchFailure::BrokeOff => resume_unwind(Box::new("one that helped it did")),
        }
    }
}

impl<'p> Worker<'p> {
    /// Returns the offset from which other workers may help with the file, if they may now. `records` were read so far.
    pub(super) fn is_to_be_shared(
        &self,
        job: &FileJob,
        reader: &dyn Reader,
        records: u64,
    ) -> Option<u64> {
        let helpers = self.helpers.as_ref().filter(|_| records % RECORDS_BETWEEN == 1)?;
        let (plan, element) = (self.plan(), job.element);
        let groups = &plan.workload.groups;
        let waits = plan.may_be_shared(element) && helpers.crew.waiting(groups, element) > 0;
        let at = waits.then(|| reader.position()).flatten()?;
        let left = job.found.version.0.saturating_sub(at);
        SharedFile::is_worth_it(left, helpers.stretch_octets).then_some(at)
    }

    /// Reads the rest of a file, from an offset on, with other workers.
    pub(super) fn share(
        &mut self,
        (job, number): (&FileJob, JobNumber),
        input: &InputFile<'_>,
        (reader, at): (&dyn Reader, u64),
        stop: &Shutdown,
        account: &mut FileAccount,
    ) -> Result<Processed, ReadFailure> {
        let element = &self.plan().topology.elements[job.element];
        let (Some(helpers), Some(reads)) = (self.helpers.clone(), element.input.stretches()) else {
            unreachable!("it was asked before whether it is to be shared")
        };
        let read = ReadSoFar { at, records: account.records };
        let begun = BegunFile { context: reader.context(), read };
        let file = SharedFile::new(job.clone(), number, input, begun, helpers.stretch_octets)?;
        let offered = Offered::new(helpers.crew, file);
        let file = &*offered.file;
        let (mut stretches, mut read_on) = (0_u64, 0_u64);
        let processed = loop {
            if stop.is_set() {
                break Processed::Stopped;
            }
            let numbers = element.uses_record_numbers.then_some(account.records);
            let memory = &mut self.memory;
            let next = file.next(reads, self.running, numbers, memory);
            let next = next.map_err(StretchFailure::of_file)?;
            let read = match next {
                OwnerStep::Add(done) => {
                    let (desk, read) = done.made.map_err(StretchFailure::of_file)?;
                    self.add(desk, file, account)?;
                    stretches += 1;
                    offered.has_room();
                    read
                }
                OwnerStep::Read(in_work) => {
                    self.read_stretch(in_work, reads, || false, stop);
                    continue;
                }
                OwnerStep::ReadOn { from, to } => {
                    read_on += 1;
                    let mut reader = file.reader(reads, from, (Vec::new(), 0..0))?;
                    self.read(&mut *reader, job, 0, account, |_, reader, _| {
                        if stop.is_set() {
                            return Some(Read::Over(Processed::Stopped));
                        }
                        reader.position().filter(|at| *at >= to).map(Read::To)
                    })?
                }
            };
            match read {
                Read::To(at) => file.advance(at),
                Read::Over(processed) => break processed,
            }
        };
        tracing::debug!(
            target: "flow::worker",
            network_element = element.name,
            file = job.found.name,
            stretches,
            read_on,
            "\"{}\" was read in stretches",
            job.found.path.display()
        );
        Ok(processed)
    }

    /// Adds the results of the next stretch.
    fn add(
        &mut self,
        mut desk: Desk,
        file: &SharedFile,
        account: &mut FileAccount,
    ) -> Result<(), ReadFailure> {
        self.pipeline.add(&desk.part)?;
        for mut row in desk.rows.drain(..) {
            row.record += account.records;
            self.put_aside(row)?;
        }
        let element = file.job.element;
        if let (Some(gatherer), Some(profile)) = (&mut self.gatherers[element], &desk.profile) {
            // If record numbers matter, the records of the stretch have the right ones already.
            let has_numbers = self.running.plan.topology.elements[element].uses_record_numbers;
            gatherer.add_stretch(profile, if has_numbers { 0 } else { account.records });
        }
        account.add(&desk.account);
        file.give_back(desk);
        Ok(())
    }

    /// Reads a stretch up to its end, or until `is_over` or its results are too large. Returns whether part of it is
    /// left.
    fn read_stretch(
        &mut self,
        mut in_work: InWork<'_>,
        reads: &dyn Stretches,
        is_over: impl Fn() -> bool,
        stop: &Shutdown,
    ) -> bool {
        let mut desk = in_work.desk();
        let file = in_work.file;
        let mut reader = match in_work.reader(reads, std::mem::take(&mut self.memory)) {
            Ok(reader) => reader,
            Err(error) => {
                in_work.not_done(error.into());
                return false;
            }
        };
        self.pipeline.swap(&mut desk.part);
        self.rows_of_stretch = Some(std::mem::take(&mut desk.rows));
        let element = file.job.element;
        let before = self.gatherers[element].as_mut().and_then(|gatherer| gatherer.begin_stretch());
        let (records, account) = (in_work.records_before(), &mut desk.account);
        let how =
            self.read(&mut *reader, &file.job, records, account, |worker, reader, records| {
                if stop.is_set() {
                    return Some(Read::Over(Processed::Stopped));
                }
                let at = reader.position()?;
                let ends = in_work.has_ended(at) || is_over() || worker.has_made_much(records);
                ends.then_some(Read::To(at))
            });
        let gatherer = self.gatherers[element].as_mut();
        desk.profile = gatherer.and_then(|gatherer| gatherer.end_stretch(before));
        desk.rows = self.rows_of_stretch.take().unwrap_or_default();
        self.pipeline.swap(&mut desk.part);
        self.keep_memory(reader);
        match how {
            Ok(how) => in_work.done(desk, how),
            Err(failure) => {
                in_work.not_done(StretchFailure::Failed(failure));
                false
            }
        }
    }

    /// Returns whether the results of a stretch are so large that they must be added first.
    fn has_made_much(&self, records: u64) -> bool {
        let rows = self.rows_of_stretch.as_deref().unwrap_or_default();
        records.is_multiple_of(RECORDS_BETWEEN) && Desk::is_full(self.pipeline.octets(), rows)
    }
}

/// Helps with a file: reads a stretch of it, if one is left. The value that `in_hand` returns lives as long as that
/// takes. A worker that panics is not used again.
pub(crate) fn help<'p, H>(
    worker: &mut Option<Worker<'p>>,
    make: impl Fn() -> Result<Worker<'p>, StoreError>,
    running: &'p Running,
    help: &Help,
    stop: &Shutdown,
    in_hand: impl FnOnce(&About, &Pulse) -> H,
) {
    let element = help.file.job.element;
    let Some(reads) = running.plan.topology.elements[element].input.stretches() else { return };
    let mut made = match worker.take().map_or_else(make, Ok) {
        Ok(made) => made,
        Err(error) => return help.file.fail(io::Error::other(error).into()),
    };
    let in_hand = in_hand(&help.file.about(&running.plan.topology), made.pulse());
    let read = catch_unwind(AssertUnwindSafe(|| {
        let Some(in_work) = help.file.take(reads, running, &mut made.memory) else {
            return false;
        };
        made.pipeline.begin(help.file.number, element, &[]);
        made.read_stretch(in_work, reads, || help.is_over(), stop)
    }));
    drop(in_hand);
    match read {
        Ok(is_left) => {
            *worker = Some(made);
            if is_left {
                help.has_left();
            }
        }
        Err(panic) => {
            let About { network_element, file, .. } = help.file.about(&running.plan.topology);
            let why = words(&*panic);
            tracing::error!(target: "flow::worker", network_element, file, "a worker that helped broke off: {why}");
            help.file.fail(StretchFailure::BrokeOff);
            made.break_off();
        }
    }
}
