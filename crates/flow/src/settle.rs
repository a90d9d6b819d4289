//! Settling jobs, in groups: what was made of some inputs reaches the disk, then the journal says that they are done,
//! then the outputs get their names and the inputs are marked.
//!
//! One thread settles while workers go on. It takes all jobs that wait, so that a sync of a folder or of the journal
//! is one for many small files; files are synced side by side, since file systems make one write of such syncs.
//! Who is interrupted before the journal repeats a job and overwrites what was made; who is interrupted behind it
//! gives the rest their names, so that no receiver sees one again that it took away.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::SystemTime;

use transport::{Mark, sync_folder};

use crate::job::{Job, Made, MadeOutput, could_not_write};
use crate::journal::{Entry, Journal, Noted, Unfinished};
use crate::prepare::Prepared;
use crate::report::{FileAccount, OutputAccount, Report};
use crate::worker::Retried;

/// Most files that are open until they are settled.
const OPEN_MAX: usize = 512;

/// Most jobs that are settled at once.
const GROUP_MAX: usize = 64;

/// Files and folders that are synced at the same time.
const SIDE_BY_SIDE: usize = 16;

/// What a worker is through with.
pub(crate) enum Settle<'p> {
    /// A job that is to be journaled.
    Made(Box<Made<'p>>),
    /// One that the journal has already, of which only the input is to be marked.
    Mark(Job, Entry, Mark),
    /// Records that were put through again, to be journaled.
    Retried(Box<Retried<'p>>),
}

/// How many jobs may wait to be settled.
pub(crate) fn room(flow: &Prepared) -> usize {
    (OPEN_MAX / 2 / (flow.systems.len() + 1)).clamp(1, GROUP_MAX)
}

/// An input to be marked.
type Marking = (Job, Entry, Mark);

/// Settles jobs.
pub(crate) struct Settler<'p, 't> {
    flow: &'p Prepared,
    journal: &'p Journal,
    /// Told of each file that is done.
    done: fn(&FileAccount),
    /// Told of each problem.
    tell: &'t (dyn Fn(&str) + Sync),
    report: Report,
}

impl<'p, 't> Settler<'p, 't> {
    pub(crate) fn new(
        (flow, journal): (&'p Prepared, &'p Journal),
        done: fn(&FileAccount),
        tell: &'t (dyn Fn(&str) + Sync),
    ) -> Self {
        Settler { flow, journal, done, tell, report: Report::default() }
    }

    /// Settles what comes, until no more will.
    pub(crate) fn run(mut self, coming: &Receiver<Settle<'p>>) -> Report {
        let room = room(self.flow);
        while let Ok(first) = coming.recv() {
            let (mut made, mut marks, mut retried) = (Vec::new(), Vec::new(), Vec::new());
            let more = coming.try_iter().take(room - 1);
            for settle in std::iter::once(first).chain(more) {
                match settle {
                    Settle::Made(job) => made.push(*job),
                    Settle::Mark(job, entry, mark) => marks.push((job, entry, mark)),
                    Settle::Retried(job) => retried.push(*job),
                }
            }
            self.settle(made, marks);
            if !retried.is_empty() {
                self.settle_retried(retried);
            }
        }
        self.report
    }

    fn settle(&mut self, made: Vec<Made<'p>>, mut marks: Vec<Marking>) {
        if !self.journal.is_kept {
            return made.into_iter().for_each(|made| self.settle_unjournaled(made));
        }
        let path = |made: &Made<'_>| made.job.found.path.display().to_string();
        let mut made = self.synced(made, |made| &made.outputs, path);
        match self.journal.done(&mut made) {
            Ok(noted) => marks.extend(self.deliver(made.into_iter().zip(noted))),
            Err(error) => self.problem(error.to_string()),
        }
        self.mark(&marks);
    }

    /// Gives outputs their names and marks the input, and that is all.
    fn settle_unjournaled(&mut self, made: Made<'p>) {
        let Made { job, account, outputs, .. } = made;
        for output in outputs {
            if let Err(error) = transport::deliver(&output.written.keep()) {
                self.problem(error.to_string());
            }
        }
        if let Err(error) = self.flow.elements[job.element].collect.mark(&job.found, Mark::Done) {
            self.problem(error.to_string());
        }
        self.report.files.push(account);
    }

    /// As [`settle`](Self::settle), where there is no input to be marked.
    fn settle_retried(&mut self, retried: Vec<Retried<'p>>) {
        let name = |retried: &Retried<'_>| retried.account.file.clone();
        let mut retried = self.synced(retried, |retried| &retried.outputs, name);
        let entries = match self.journal.retried(&mut retried) {
            Ok(entries) => entries,
            Err(error) => return self.problem(error.to_string()),
        };
        let (mut unfinished, mut claims) = (Vec::new(), Vec::new());
        for (Retried { account, outputs, noted, claim, .. }, entry) in
            retried.into_iter().zip(entries)
        {
            let noted_at = SystemTime::now();
            (self.done)(&account);
            self.report.files.push(account);
            noted.into_iter().for_each(|by| by.noted.keep(noted_at));
            unfinished.push(Unfinished { entry, outputs: self.keep(outputs) });
            claims.push(claim);
        }
        for problem in deliver(self.journal, &unfinished) {
            self.problem(problem);
        }
    }

    /// Those jobs whose outputs are all on the disk. What could not be synced is not tried again: nobody knows
    /// what is on the disk then, and the job is repeated wholly.
    fn synced<J>(
        &mut self,
        mut made: Vec<J>,
        outputs: impl Fn(&J) -> &[MadeOutput<'p>],
        name: impl Fn(&J) -> String,
    ) -> Vec<J> {
        let syncs: Vec<_> = made.iter().flat_map(&outputs).map(|output| &output.written).collect();
        let mut synced = side_by_side(&syncs, |written| {
            written.sync().map_err(|error| could_not_write(written.target(), &error))
        })
        .into_iter();
        let folders = sync_folders(syncs.iter().map(|written| written.target()));
        if let Err(problem) = folders {
            self.problem(problem);
            return Vec::new();
        }
        made.retain(|made| {
            let of_outputs: Result<Vec<()>, String> =
                synced.by_ref().take(outputs(made).len()).collect();
            let problem = of_outputs.err();
            if let Some(problem) = &problem {
                self.problem(format!("\"{}\": {problem}", name(made)));
            }
            problem.is_none()
        });
        made
    }

    /// Gives outputs their names; returns the inputs, to be marked.
    fn deliver(&mut self, done: impl Iterator<Item = (Made<'p>, Noted)>) -> Vec<Marking> {
        let (mut marks, mut unfinished, mut claims) = (Vec::new(), Vec::new(), Vec::new());
        for (mut made, Noted { entry, account, duplicate_of }) in done {
            made.aside.keep();
            let noted_at = SystemTime::now();
            (self.done)(&account);
            self.report.files.push(account);
            if let Some(original) = duplicate_of {
                self.problem(format!(
                    "\"{}\" came before, as {}: it is set aside as a duplicate",
                    made.job.found.path.display(),
                    original.told()
                ));
                marks.push((made.job, entry, Mark::Duplicate));
                continue;
            }
            made.noted.into_iter().for_each(|by| by.noted.keep(noted_at));
            let outputs = self.keep(made.outputs);
            unfinished.push(Unfinished { entry, outputs });
            claims.push(made.claim);
            marks.push((made.job, entry, Mark::Done));
        }
        for problem in deliver(self.journal, &unfinished) {
            self.problem(problem);
        }
        marks
    }

    /// What the journal has stays, and is told.
    fn keep(&mut self, outputs: Vec<MadeOutput<'p>>) -> Vec<PathBuf> {
        let mut targets = Vec::new();
        for output in outputs {
            let target = output.written.keep();
            self.report.outputs.push(OutputAccount {
                post_processing_system: output.post_processing_system.to_owned(),
                file: target.file_name().unwrap_or_default().to_string_lossy().into(),
                records: output.records,
            });
            targets.push(target);
        }
        targets
    }

    /// Marks inputs. The journal may forget how they looked only when their folders know their new names.
    fn mark(&mut self, marks: &[Marking]) {
        let (mut marked, mut paths) = (Vec::new(), Vec::new());
        for (Job { element, found }, entry, mark) in marks {
            match self.flow.elements[*element].collect.mark(found, *mark) {
                Ok(to) => {
                    marked.push(*entry);
                    paths.extend([found.path.clone(), to]);
                }
                Err(error) => self.problem(format!(
                    "could not mark \"{}\" as done: {error}; it is processed, and will not be again",
                    found.path.display()
                )),
            }
        }
        match sync_folders(paths.iter().map(PathBuf::as_path)) {
            Ok(()) => self.journal.marked(marked),
            Err(problem) => self.problem(problem),
        }
    }

    fn problem(&mut self, problem: String) {
        (self.tell)(&problem);
        self.report.problems.push(problem);
    }
}

/// Gives outputs their names that are in the journal and may be without. What could not be done, and why, is tried
/// again with the next look.
pub(crate) fn deliver(journal: &Journal, unfinished: &[Unfinished]) -> Vec<String> {
    let (mut problems, mut named, mut finished) = (Vec::new(), Vec::new(), Vec::new());
    for Unfinished { entry, outputs } in unfinished {
        let before = problems.len();
        for output in outputs {
            match transport::deliver(output) {
                Ok(()) => named.push(output.as_path()),
                Err(error) => {
                    problems.push(format!("could not deliver \"{}\": {error}", output.display()))
                }
            }
        }
        if problems.len() == before {
            finished.push(*entry);
        }
    }
    match sync_folders(named.into_iter()) {
        Ok(()) => journal.finished(finished),
        Err(problem) => problems.push(problem),
    }
    if !problems.is_empty() {
        journal.has_unfinished.store(true, Ordering::Relaxed);
    }
    problems
}

/// Syncs the folders that some files are in, each once.
fn sync_folders<'p>(files: impl Iterator<Item = &'p Path>) -> Result<(), String> {
    let folders: BTreeSet<&Path> = files.filter_map(Path::parent).collect();
    let folders: Vec<&Path> = folders.into_iter().collect();
    let synced = side_by_side(&folders, |folder| {
        sync_folder(folder).map_err(|error| {
            format!("could not write the folder \"{}\": {error}", folder.display())
        })
    });
    synced.into_iter().collect()
}

/// Does the same with several things at the same time; returns what came of each.
fn side_by_side<T: Sync, R: Send>(things: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let some = || {
        let mut done = Vec::new();
        while let place = next.fetch_add(1, Ordering::Relaxed)
            && let Some(thing) = things.get(place)
        {
            done.push((place, act(thing)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> =
            (1..things.len().min(SIDE_BY_SIDE)).map(|_| scope.spawn(some)).collect();
        let mut done = some();
        for other in others {
            match other.join() {
                Ok(others) => done.extend(others),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}
