//! The protocol that makes each output appear once: in which order folders and journal are written, and what follows
//! from what could not be. What it acts upon is handed in, so that `simulation` stops it at every step.
//!
//! ```text
//! outputs written under hidden names ─▶ on the disk ─▶ the journal has the job
//!     ─▶ outputs named ─▶ on the disk ─▶ noted: finished
//!     ─▶ input marked  ─▶ on the disk ─▶ noted: marked
//! ```
//!
//! What is interrupted before the journal has a job is as if it had never been; behind that, each step may be repeated.

use serde::{Deserialize, Serialize};
use transport::Mark;

use journal::Entry;

#[cfg(test)]
mod simulation;

/// The folders and the journal.
pub(crate) trait World: Sized {
    /// An input file.
    type Input;
    /// The name of a file, with its folder.
    type Path;

    /// Gives outputs their names, unless they have them. Says of each whether it has it, and that is on the disk.
    fn deliver(&self, outputs: &[&Self::Path]) -> Vec<Result<(), String>>;
    /// Marks inputs. Says of each where it lies then, if it is marked and that is on the disk.
    fn mark(&self, inputs: &[(&Self::Input, Mark)]) -> Vec<Result<Self::Path, NotMarked>>;

    /// The jobs of which outputs may be without their names.
    fn unfinished(&self) -> Result<Vec<Unfinished<Self::Path>>, String>;
    /// Lets no job begin that has one of these outputs, until the journal says that those are finished.
    fn claim(&mut self, unfinished: &[Unfinished<Self::Path>]);
    /// Has it noted with the next transaction that all outputs of jobs have their names. Where that is lost, they are
    /// found to have them.
    fn finished(&mut self, entries: Vec<Entry>);
    /// Notes that inputs are marked, and where they lie. Where that is lost, a file of its path, size and time is marked again.
    fn marked(&self, inputs: Vec<(Entry, Self::Path)>);
    /// Returns when what is finished is noted, and on the disk.
    fn on_disk(&mut self) -> Result<(), String>;

    /// Whether a write to the journal failed such that nobody knows what is on the disk.
    fn is_in_doubt(&self) -> bool;

    /// Is told of each problem.
    fn problem(&mut self, problem: String);
    /// Is told why an input that is done stays as it is, and is found again with each look.
    fn stays_unmarked(&mut self, _input: &Self::Input, problem: String) {
        self.problem(problem);
    }
    /// Is told why a job is given up, whose input stays.
    fn stays(&mut self, problem: String) {
        self.problem(problem);
    }
    /// Is told that outputs are left without their names: the next look sees to them.
    fn left_unfinished(&self);
}

/// Why an input is not marked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NotMarked {
    pub(crate) problem: String,
    /// Whether it is there still.
    pub(crate) is_there: bool,
}

/// A job whose outputs lie under hidden names, which go away with it unless the journal has it.
pub(crate) trait Ready<W: World>: Sized {
    /// What the journal says of a job when it has it.
    type Journaled;

    /// Writes all outputs to the disk, and their hidden names; says what came of each job.
    fn sync(world: &W, jobs: &[Self]) -> Vec<Result<(), String>>;
    /// Notes jobs in the journal; returns when that is on the disk.
    fn note(world: &mut W, jobs: &mut [Self]) -> Result<Vec<Self::Journaled>, String>;
    /// The journal has the job: what was made of it stays, unless it is that of a duplicate.
    fn done(self, world: &mut W, noted: Self::Journaled) -> Done<W>;
    /// Leaves the outputs under their hidden names.
    fn keep(self);
    /// Is told why it is given up.
    fn stays(&self, world: &mut W, problem: String) {
        world.stays(problem);
    }
}

/// A job that is in the journal.
pub(crate) struct Done<W: World> {
    pub(crate) unfinished: Unfinished<W::Path>,
    /// The input that is to be marked, if there is one.
    pub(crate) input: Option<(W::Input, Mark)>,
}

/// A job that is in the journal, of which outputs may be without their names.
#[derive(Debug)]
pub(crate) struct Unfinished<P> {
    pub(crate) entry: Entry,
    pub(crate) outputs: Vec<P>,
}

/// An input to be marked.
pub(crate) type Marking<W> = (<W as World>::Input, Entry, Mark);

/// Settles jobs and marks inputs: theirs and others.
pub(crate) fn settle<W: World, J: Ready<W>>(
    world: &mut W,
    jobs: Vec<J>,
    mut marks: Vec<Marking<W>>,
) {
    let jobs = synced(world, jobs);
    if !jobs.is_empty() {
        marks.extend(publish(world, jobs));
    }
    mark(world, &marks);
}

/// Has jobs noted and gives their outputs their names; returns the inputs, to be marked.
fn publish<W: World, J: Ready<W>>(world: &mut W, mut jobs: Vec<J>) -> Vec<Marking<W>> {
    let (mut marks, mut unfinished) = (Vec::new(), Vec::new());
    match J::note(world, &mut jobs) {
        Ok(noted) => {
            for (job, noted) in jobs.into_iter().zip(noted) {
                let done = job.done(world, noted);
                let entry = done.unfinished.entry;
                marks.extend(done.input.map(|(input, mark)| (input, entry, mark)));
                unfinished.push(done.unfinished);
            }
            deliver(world, &unfinished);
        }
        Err(problem) => {
            // Where only opening it anew tells whether the journal has them, it is to find what was made.
            if world.is_in_doubt() {
                jobs.into_iter().for_each(J::keep);
            }
            world.stays(problem);
        }
    }
    marks
}

/// Those jobs whose outputs are all on the disk. What could not be synced is not tried again: nobody knows what is on
/// the disk then, and the job is repeated wholly.
fn synced<W: World, J: Ready<W>>(world: &mut W, mut jobs: Vec<J>) -> Vec<J> {
    let mut synced = J::sync(world, &jobs).into_iter();
    jobs.retain(|job| match synced.next() {
        Some(Ok(())) => true,
        Some(Err(problem)) => {
            job.stays(world, problem);
            false
        }
        None => false,
    });
    jobs
}

/// Gives outputs their names that an interrupted run, or a failure, left without. From there on, what has a hidden name
/// is of jobs that are not done. Whether jobs may begin: not while nobody knows which hidden files are to be delivered.
pub(crate) fn deliver_unfinished<W: World>(world: &mut W) -> bool {
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

/// Has what is finished noted. A hidden file of a job that is not begun yet must not be taken for one of a job that is
/// done: so the next of the same name is begun only then.
pub(crate) fn on_disk<W: World>(world: &mut W) {
    if let Err(problem) = world.on_disk() {
        world.left_unfinished();
        world.problem(problem);
    }
}

/// Gives outputs their names. What could not be done is tried again with the next look.
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
    tell(world, problems);
    world.finished(finished);
}

/// Marks inputs. The journal may forget how they looked only when their folders know their new names.
fn mark<W: World>(world: &mut W, marks: &[Marking<W>]) {
    let inputs: Vec<_> = marks.iter().map(|(input, _, mark)| (input, *mark)).collect();
    let (mut marked, mut problems) = (Vec::new(), Vec::new());
    for ((input, entry, _), result) in marks.iter().zip(world.mark(&inputs)) {
        match result {
            Ok(path) => marked.push((*entry, path)),
            Err(NotMarked { problem, is_there: true }) => world.stays_unmarked(input, problem),
            Err(NotMarked { problem, .. }) => problems.push(problem),
        }
    }
    tell(world, problems);
    world.marked(marked);
}

/// Tells problems; one that several files have, once.
fn tell<W: World>(world: &mut W, mut problems: Vec<String>) {
    problems.dedup();
    problems.into_iter().for_each(|problem| world.problem(problem));
}
