//! The commit protocol of a job: the order in which folders and the journal are written, so that
//! each output appears exactly once, and what happens if a step fails.
//!
//! ```text
//! outputs written under hidden names ─▶ synced ─▶ the journal has the job
//!     ─▶ outputs renamed ─▶ synced ─▶ noted: finished
//!     ─▶ input marked    ─▶ synced ─▶ noted: marked
//! ```
//!
//! A job that is interrupted before it is in the journal is run again. After that, each step may be
//! repeated. The protocol acts on a [`World`]: the gateway's folders and journal, or those of the
//! tests, which stop it at every step.
#![forbid(unsafe_code)]

use journal::JobId;
use serde::{Deserialize, Serialize};
use transport::Mark;

#[cfg(test)]
mod simulation;

/// The folders and the journal.
pub trait World: Sized {
    /// An input file.
    type Input;
    /// The path of a file.
    type Path;
    /// Why something failed. Equal problems of several files are reported once.
    type Problem: PartialEq;

    /// Renames outputs to their final names, unless they have them. Returns for each whether it has
    /// its name on the disk.
    fn deliver(&self, outputs: &[&Self::Path]) -> Vec<Result<(), Self::Problem>>;
    /// Marks inputs. Returns for each its new path, if it is marked on the disk.
    fn mark(
        &self,
        inputs: &[(&Self::Input, Mark)],
    ) -> Vec<Result<Self::Path, NotMarked<Self::Problem>>>;

    /// Returns the jobs whose outputs may still have hidden names.
    fn unfinished(&self) -> Result<Vec<Unfinished<Self::Path>>, Self::Problem>;
    /// Reserves the outputs of jobs: no other job with one of them may begin until the journal has
    /// these as finished.
    fn claim(&mut self, unfinished: &[Unfinished<Self::Path>]);
    /// Notes with the next transaction that all outputs of jobs have their names. If the note is
    /// lost, the next start checks them again.
    fn finished(&mut self, entries: Vec<JobId>);
    /// Notes that inputs are marked, and their paths after that. If the note is lost, a file of
    /// that path, size and time is marked again.
    fn marked(&self, inputs: Vec<(JobId, Self::Path)>);
    /// Waits until all notes are in the journal and on the disk.
    fn on_disk(&mut self) -> Result<(), Self::Problem>;

    /// Returns whether a write to the journal failed so that it is unknown whether it is on the
    /// disk.
    fn is_in_doubt(&self) -> bool;

    /// Reports a problem.
    fn problem(&mut self, problem: Self::Problem);
    /// Reports why a processed input is not marked: each scan finds it again.
    fn input_not_marked(&mut self, _input: &Self::Input, problem: Self::Problem) {
        self.problem(problem);
    }
    /// Reports why a job is given up. Its input stays.
    fn job_given_up(&mut self, problem: Self::Problem) {
        self.problem(problem);
    }
    /// Reports that outputs still have hidden names: the next cycle renames them.
    fn left_unfinished(&self);
}

/// Why an input is not marked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NotMarked<P> {
    /// What failed.
    pub problem: P,
    /// Whether the input is still there.
    pub is_there: bool,
}

/// A job that is done and not yet in the journal. Its outputs have hidden names, and are removed
/// when it is dropped.
pub trait Ready<W: World>: Sized {
    /// The result of writing a job to the journal.
    type Journaled;

    /// Writes all outputs and their hidden names to the disk. Returns the result of each job.
    fn sync(world: &W, jobs: &[Self]) -> Vec<Result<(), W::Problem>>;
    /// Writes jobs to the journal in one transaction. Returns when the disk has it.
    fn commit(world: &mut W, jobs: &mut [Self]) -> Result<Vec<Self::Journaled>, W::Problem>;
    /// Continues the job after the journal has it. Its outputs stay, unless the input is a
    /// duplicate.
    fn done(self, world: &mut W, journaled: Self::Journaled) -> Done<W>;
    /// Drops the job, but keeps its outputs under their hidden names.
    fn keep_outputs(self);
    /// Reports why the job is given up.
    fn given_up(&self, world: &mut W, problem: W::Problem) {
        world.job_given_up(problem);
    }
}

/// A job that is in the journal.
pub struct Done<W: World> {
    /// The job and its outputs.
    pub unfinished: Unfinished<W::Path>,
    /// The input that is to be marked, if there is one.
    pub input: Option<(W::Input, Mark)>,
}

/// A job that is in the journal, whose outputs may still have hidden names.
#[derive(Debug)]
pub struct Unfinished<P> {
    /// The job.
    pub entry: JobId,
    /// Its outputs, by their final names.
    pub outputs: Vec<P>,
}

/// An input that is to be marked, with its job.
pub type Marking<W> = (<W as World>::Input, JobId, Mark);

/// Commits jobs, and marks their inputs and others.
pub fn settle<W: World, J: Ready<W>>(world: &mut W, jobs: Vec<J>, mut marks: Vec<Marking<W>>) {
    let jobs = synced(world, jobs);
    if !jobs.is_empty() {
        marks.extend(publish(world, jobs));
    }
    mark(world, &marks);
}

/// Writes jobs to the journal and renames their outputs. Returns the inputs that are to be marked.
fn publish<W: World, J: Ready<W>>(world: &mut W, mut jobs: Vec<J>) -> Vec<Marking<W>> {
    let (mut marks, mut unfinished) = (Vec::new(), Vec::new());
    match J::commit(world, &mut jobs) {
        Ok(journaled) => {
            for (job, journaled) in jobs.into_iter().zip(journaled) {
                let done = job.done(world, journaled);
                let entry = done.unfinished.entry;
                marks.extend(done.input.map(|(input, mark)| (input, entry, mark)));
                unfinished.push(done.unfinished);
            }
            deliver(world, &unfinished);
        }
        Err(problem) => {
            // The journal may have the jobs after all. Only opening it again shows this, and then
            // their outputs are needed.
            if world.is_in_doubt() {
                jobs.into_iter().for_each(J::keep_outputs);
            }
            world.job_given_up(problem);
        }
    }
    marks
}

/// Returns the jobs whose outputs are all on the disk. A failed sync is not repeated, since the
/// contents of the disk are unknown after it: the whole job is run again.
fn synced<W: World, J: Ready<W>>(world: &mut W, mut jobs: Vec<J>) -> Vec<J> {
    let mut synced = J::sync(world, &jobs).into_iter();
    jobs.retain(|job| match synced.next() {
        Some(Ok(())) => true,
        Some(Err(problem)) => {
            job.given_up(world, problem);
            false
        }
        None => false,
    });
    jobs
}

/// Renames the outputs that an interrupted run or a failure left under hidden names. After that,
/// every hidden file is from a job that is not in the journal. Returns whether jobs may begin: not
/// while it is unknown which hidden files are outputs.
pub fn deliver_unfinished<W: World>(world: &mut W) -> bool {
    match world.unfinished() {
        Ok(unfinished) => {
            world.claim(&unfinished);
            deliver(world, &unfinished);
            on_disk(world);
            true
        }
        Err(problem) => {
            world.left_unfinished();
            world.problem(problem);
            false
        }
    }
}

/// Waits until the notes of finished jobs are on the disk. The next job with an output of the same
/// name begins only after that, so that its hidden file is not confused with that of the finished
/// job.
pub fn on_disk<W: World>(world: &mut W) {
    if let Err(problem) = world.on_disk() {
        world.left_unfinished();
        world.problem(problem);
    }
}

/// Renames outputs to their final names. The next cycle repeats failed renames.
fn deliver<W: World>(world: &mut W, unfinished: &[Unfinished<W::Path>]) {
    let outputs: Vec<_> = unfinished.iter().flat_map(|job| &job.outputs).collect();
    let mut delivered = world.deliver(&outputs).into_iter();
    let (mut finished, mut problems) = (Vec::new(), Vec::new());
    for Unfinished { entry, outputs } in unfinished {
        let before = problems.len();
        problems.extend(delivered.by_ref().take(outputs.len()).filter_map(Result::err));
        finished.extend((problems.len() == before).then_some(*entry));
    }
    if !problems.is_empty() {
        world.left_unfinished();
    }
    report(world, problems);
    world.finished(finished);
}

/// Marks inputs. The journal gets their new paths only when these are on the disk.
fn mark<W: World>(world: &mut W, marks: &[Marking<W>]) {
    let inputs: Vec<_> = marks.iter().map(|(input, _, mark)| (input, *mark)).collect();
    let (mut marked, mut problems) = (Vec::new(), Vec::new());
    for ((input, entry, _), result) in marks.iter().zip(world.mark(&inputs)) {
        match result {
            Ok(path) => marked.push((*entry, path)),
            Err(NotMarked { problem, is_there: true }) => world.input_not_marked(input, problem),
            Err(NotMarked { problem, .. }) => problems.push(problem),
        }
    }
    report(world, problems);
    world.marked(marked);
}

/// Reports problems. Equal problems of several files are reported once.
fn report<W: World>(world: &mut W, mut problems: Vec<W::Problem>) {
    problems.dedup();
    problems.into_iter().for_each(|problem| world.problem(problem));
}
