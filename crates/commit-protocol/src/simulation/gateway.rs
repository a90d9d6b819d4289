//! A gateway in a simulated world. It looks for inputs, runs jobs, and settles them by the protocol
//! under test.

use std::cell::RefCell;
use std::collections::BTreeSet;

use transport::Mark;

use super::disk::{Contents, Form, INPUTS, SimulatedPath};
use super::journal::{Failure, Row};
use super::{Flaw, Simulation};
use crate::{Done, NotMarked, Ready, Unfinished, World};
use ::journal::JobId;

/// Maximum number of scans of the folders before a gateway ends normally.
const ROUNDS_MAX: usize = 6;

/// A gateway's interface to the world. Once the gateway has been stopped, its actions fail without
/// effect.
#[derive(Clone, Copy)]
pub(super) struct Gateway<'s>(pub(super) &'s RefCell<Simulation>);

/// An input that was found.
#[derive(Clone, Copy)]
pub(super) struct Found {
    path: SimulatedPath,
    written_at: u32,
}

/// The result of a worker.
enum Processed<'s> {
    Job(StagedJob<'s>),
    Mark(Found, JobId, Mark),
}

/// A job whose outputs have hidden names.
pub(super) struct StagedJob<'s> {
    gateway: Gateway<'s>,
    found: Found,
    contents: Contents,
    outputs: Vec<SimulatedPath>,
    files: Vec<usize>,
    is_retained: bool,
}

/// A step that failed.
#[derive(Debug, PartialEq)]
pub(super) struct Failed;

fn failed<T>() -> Result<T, Failed> {
    Err(Failed)
}

impl<'s> Gateway<'s> {
    /// Runs until there is no more work, or until it is stopped.
    pub(super) fn run(mut self) {
        self.0.borrow_mut().start();
        for _ in 0..ROUNDS_MAX {
            if !self.round() {
                break;
            }
        }
        self.0.borrow_mut().end();
    }

    /// Runs a round, like `rounds` of the flow. Returns whether there was any work.
    fn round(&mut self) -> bool {
        let mut inputs = self.scan();
        let has_unfinished = std::mem::take(&mut self.0.borrow_mut().has_unfinished);
        if has_unfinished
            && !self.has(Flaw::NothingDeliveredAtStart)
            && !crate::deliver_unfinished(self)
        {
            inputs.clear();
        }
        let had_work = has_unfinished || !inputs.is_empty();
        let mut processed = Vec::new();
        loop {
            if !self.0.borrow().goes_on() {
                inputs.clear();
            }
            // Workers may begin more jobs while others wait to be settled.
            if !inputs.is_empty()
                && (processed.is_empty() || self.0.borrow_mut().choices.pick(2) == 0)
            {
                processed.extend(self.begin(inputs.remove(0)));
                continue;
            }
            if processed.is_empty() {
                break;
            }
            let group = self.0.borrow_mut().choices.pick(processed.len()) + 1;
            let (mut jobs, mut marks) = (Vec::new(), Vec::new());
            for result in processed.drain(..group) {
                match result {
                    Processed::Job(job) => jobs.push(job),
                    Processed::Mark(found, entry, mark) => marks.push((found, entry, mark)),
                }
            }
            crate::settle(self, jobs, marks);
            if self.has(Flaw::NameUsedAgain) {
                self.0.borrow_mut().in_hand.clear();
            }
        }
        if !self.has(Flaw::NothingDeliveredAtStart) {
            crate::on_disk(self);
        }
        self.0.borrow_mut().forget_claims();
        had_work && self.0.borrow().goes_on()
    }

    /// Begins a job, like a worker of the flow.
    fn begin(self, found: Found) -> Option<Processed<'s>> {
        match self.find(found) {
            Some((entry, mark)) => Some(Processed::Mark(found, entry, mark)),
            None => self.process(found).map(Processed::Job),
        }
    }

    fn scan(&self) -> Vec<Found> {
        let disk = &self.0.borrow().disk;
        let plain = disk.names(INPUTS).filter(|path| path.form == Form::Plain);
        plain
            .map(|path| Found { path, written_at: disk.written_at(path).unwrap_or_default() })
            .collect()
    }

    fn find(&self, found: Found) -> Option<(JobId, Mark)> {
        let found = self.0.borrow().journal.find(found.path, found.written_at);
        found.filter(|_| !self.has(Flaw::InputNotLookedUp))
    }

    /// Writes the outputs of an input under hidden names. A duplicate has none.
    fn process(self, found: Found) -> Option<StagedJob<'s>> {
        let contents = self.0.borrow().disk.contents(found.path)?;
        let outputs = self.0.borrow_mut().claim(found.path, contents)?;
        let files = Vec::with_capacity(outputs.len());
        let mut job =
            StagedJob { gateway: self, found, contents, outputs, files, is_retained: false };
        for index in 0..job.outputs.len() {
            self.try_step().ok()?;
            let hidden = hidden(job.outputs[index]);
            let file = match self.has(Flaw::HiddenFilesUsedAgain) {
                true => self.0.borrow_mut().disk.create(hidden),
                false => self.0.borrow_mut().disk.create_anew(hidden),
            };
            job.files.push(file);
            self.try_step().ok()?;
            self.0.borrow_mut().disk.write(file, contents);
        }
        Some(job)
    }

    fn has(&self, flaw: Flaw) -> bool {
        self.0.borrow().scenario.flaw == Some(flaw)
    }

    /// Begins the next step. Fails if the gateway is stopped before it.
    fn step(&self) -> Result<(), Failed> {
        if self.0.borrow_mut().step() { Ok(()) } else { failed() }
    }

    /// Like [`step`](Self::step), for a step that may fail.
    fn try_step(&self) -> Result<(), Failed> {
        self.step()?;
        if self.0.borrow_mut().fails() { failed() } else { Ok(()) }
    }

    /// Completes changes like the gateway's `file_ops`: a change is done when the folders that it
    /// changed are synced.
    fn with_folders(&self, done: Vec<Result<Vec<u8>, Failed>>) -> Vec<Result<(), Failed>> {
        let folders: BTreeSet<u8> = done.iter().flatten().flatten().copied().collect();
        let unsynced: Vec<u8> =
            folders.into_iter().filter(|folder| self.sync_folder(*folder).is_err()).collect();
        let synced = |folders: Vec<u8>| match folders.iter().any(|folder| unsynced.contains(folder))
        {
            true => failed(),
            false => Ok(()),
        };
        done.into_iter().map(|done| done.and_then(synced)).collect()
    }

    fn sync_folder(&self, folder: u8) -> Result<(), Failed> {
        self.step()?;
        let world = &mut *self.0.borrow_mut();
        if world.fails() {
            world.disk.sync_of_folder_fails(folder);
            return failed();
        }
        match world.scenario.flaw {
            Some(Flaw::InputsFolderNotSynced) if folder == INPUTS => {}
            Some(Flaw::OutputFoldersNotSynced) if folder != INPUTS => {}
            _ => world.disk.sync_folder(folder),
        }
        Ok(())
    }

    /// Like `transport::deliver`.
    fn deliver_one(&self, output: SimulatedPath) -> Result<(), Failed> {
        self.try_step()?;
        let world = &mut *self.0.borrow_mut();
        if world.disk.contents(hidden(output)).is_none() {
            if world.scenario.flaw != Some(Flaw::FailedSyncOfFolderTriedAgain) {
                world.disk.touch_folder(output.folder);
            }
            return Ok(());
        }
        world.may_be_named(output)?;
        world.disk.rename(hidden(output), output);
        world.log(|| format!("{output:?} is delivered"));
        Ok(())
    }

    /// Like `transport::Collect::mark`.
    fn mark_one(&self, found: Found, mark: Mark) -> Result<(), Failed> {
        self.try_step()?;
        let world = &mut *self.0.borrow_mut();
        if world.disk.contents(found.path).is_none() {
            return failed();
        }
        let numbered = (0..).map(|number| match mark {
            Mark::Done => SimulatedPath { form: Form::Done(number), ..found.path },
            Mark::Duplicate => SimulatedPath { form: Form::Duplicate(number), ..found.path },
        });
        let free = numbered.into_iter().find(|path| world.disk.contents(*path).is_none());
        let to = free.expect("fewer are put in");
        world.disk.rename(found.path, to);
        world.log(|| format!("{to:?} is marked"));
        Ok(())
    }
}

fn hidden(path: SimulatedPath) -> SimulatedPath {
    SimulatedPath { form: Form::Hidden, ..path }
}

impl StagedJob<'_> {
    fn row(&self) -> Row {
        Row {
            input: self.found.path,
            written_at: self.found.written_at,
            contents: self.contents,
            is_duplicate: self.outputs.is_empty(),
            outputs: self.outputs.clone(),
            is_finished: false,
            is_marked: false,
        }
    }

    /// Like `transport::Written::sync`.
    fn sync(&self) -> Result<(), Failed> {
        for (output, file) in self.outputs.iter().zip(&self.files) {
            self.gateway.step()?;
            let world = &mut *self.gateway.0.borrow_mut();
            match world.fails() {
                true => {
                    world.disk.sync_fails(*file);
                    match world.scenario.flaw {
                        Some(Flaw::FailedSyncTriedAgain) => world.disk.sync(*file),
                        _ => return failed(),
                    }
                }
                false if world.scenario.flaw == Some(Flaw::OutputsNotSynced) => {}
                false => world.disk.sync(*file),
            }
            world.may_be_named(*output)?;
        }
        Ok(())
    }
}

/// Removes the hidden files like `transport::Written`, and releases the outputs like a claim.
impl Drop for StagedJob<'_> {
    fn drop(&mut self) {
        let created = self.files.len();
        for output in self.outputs[..created].iter().filter(|_| !self.is_retained) {
            if self.gateway.step().is_ok() {
                self.gateway.0.borrow_mut().disk.remove(hidden(*output));
            }
        }
        if !self.is_retained {
            self.gateway.0.borrow_mut().in_hand.retain(|path| !self.outputs.contains(path));
        }
    }
}

impl<'s> Ready<Gateway<'s>> for StagedJob<'s> {
    type Journaled = (JobId, bool);

    fn sync(gateway: &Gateway<'s>, jobs: &[Self]) -> Vec<Result<(), Failed>> {
        let folders =
            |job: &StagedJob<'_>| job.outputs.iter().map(|output| output.folder).collect();
        let contents: Vec<_> = jobs.iter().map(StagedJob::sync).collect();
        let names = gateway.with_folders(jobs.iter().map(|job| Ok(folders(job))).collect());
        contents.into_iter().zip(names).map(|(contents, names)| contents.and(names)).collect()
    }

    fn commit(gateway: &mut Gateway<'s>, jobs: &mut [Self]) -> Result<Vec<(JobId, bool)>, Failed> {
        if gateway.has(Flaw::DeliveredBeforeJournal) {
            let outputs: Vec<_> = jobs.iter().flat_map(|job| &job.outputs).collect();
            gateway.deliver(&outputs);
        }
        if gateway.has(Flaw::MarkedBeforeJournal) {
            let inputs: Vec<_> = jobs.iter().map(|job| (&job.found, Mark::Done)).collect();
            gateway.mark(&inputs);
        }
        gateway.step()?;
        gateway.0.borrow_mut().commit(jobs.iter().map(StagedJob::row))
    }

    fn done(
        mut self,
        gateway: &mut Gateway<'s>,
        (entry, is_duplicate): (JobId, bool),
    ) -> Done<Gateway<'s>> {
        let found = self.found;
        if is_duplicate {
            let unfinished = Unfinished { entry, outputs: Vec::new() };
            return Done { unfinished, input: Some((found, Mark::Duplicate)) };
        }
        self.is_retained = true;
        gateway.0.borrow_mut().claims.push((entry, self.outputs.clone()));
        Done {
            unfinished: Unfinished { entry, outputs: self.outputs.clone() },
            input: Some((found, Mark::Done)),
        }
    }

    fn keep_outputs(mut self) {
        self.is_retained = !self.gateway.has(Flaw::DoubtfulOutputsRemoved);
    }
}

impl World for Gateway<'_> {
    type Input = Found;
    type Problem = Failed;
    type Path = SimulatedPath;

    fn deliver(&self, outputs: &[&SimulatedPath]) -> Vec<Result<(), Failed>> {
        let deliver =
            |output: &&SimulatedPath| self.deliver_one(**output).map(|()| vec![output.folder]);
        self.with_folders(outputs.iter().map(deliver).collect())
    }

    fn mark(&self, inputs: &[(&Found, Mark)]) -> Vec<Result<SimulatedPath, NotMarked<Failed>>> {
        let mark = |(found, mark): &(&Found, Mark)| {
            self.mark_one(**found, *mark).map(|()| vec![found.path.folder])
        };
        let marked = self.with_folders(inputs.iter().map(mark).collect()).into_iter();
        let not_marked = |problem| NotMarked { problem, is_there: false };
        let of_input = |(marked, (found, _)): (Result<(), Failed>, &(&Found, Mark))| {
            marked.map(|()| found.path).map_err(not_marked)
        };
        marked.zip(inputs).map(of_input).collect()
    }

    fn unfinished(&self) -> Result<Vec<Unfinished<SimulatedPath>>, Failed> {
        self.step()?;
        self.0.borrow_mut().commit(std::iter::empty())?;
        Ok(self.0.borrow().journal.unfinished())
    }

    fn claim(&mut self, unfinished: &[Unfinished<SimulatedPath>]) {
        let world = &mut *self.0.borrow_mut();
        for Unfinished { entry, outputs } in unfinished {
            world.in_hand.extend(outputs);
            world.claims.push((*entry, outputs.clone()));
        }
    }

    fn finished(&mut self, entries: Vec<JobId>) {
        self.0.borrow_mut().finished.extend(entries);
    }

    fn marked(&self, inputs: Vec<(JobId, SimulatedPath)>) {
        let entries = inputs.into_iter().map(|(entry, _)| entry).collect();
        let world = &mut *self.0.borrow_mut();
        if !world.is_stopped {
            world.journal.marked(entries);
        }
    }

    fn on_disk(&mut self) -> Result<(), Failed> {
        if self.0.borrow().finished.is_empty() {
            return Ok(());
        }
        self.step()?;
        self.0.borrow_mut().commit(std::iter::empty()).map(drop)
    }

    fn is_in_doubt(&self) -> bool {
        self.0.borrow().journal.has_failed
    }

    fn problem(&mut self, _: Failed) {}

    fn left_unfinished(&self) {
        self.0.borrow_mut().has_unfinished = true;
    }
}

impl Simulation {
    /// Like `transport::may_be_named`.
    fn may_be_named(&self, output: SimulatedPath) -> Result<(), Failed> {
        let existing = self.disk.contents(output);
        match existing.is_some() && existing != self.disk.contents(hidden(output)) {
            true => failed(),
            false => Ok(()),
        }
    }

    /// Commits a transaction, unless it fails.
    fn commit(&mut self, rows: impl Iterator<Item = Row>) -> Result<Vec<(JobId, bool)>, Failed> {
        if self.journal.has_failed {
            return failed();
        }
        if self.fails() {
            let failure = [Failure::Undone, Failure::InDoubt][self.choices.pick(2)];
            self.log(|| format!("the journal fails: {failure:?}"));
            self.journal.fail(failure, rows, &self.finished);
            return failed();
        }
        self.log(|| "the journal is written".into());
        let journaled = self.journal.commit(rows, &self.finished, self.scenario.detects_duplicates);
        self.release_finished();
        Ok(journaled)
    }
}
