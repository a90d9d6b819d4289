//! Commits jobs in groups. First the outputs of the jobs are synced. Then the journal says that the jobs are done. Then
//! the outputs get their names, and the inputs are marked.
//!
//! One thread commits while workers go on. It takes all jobs that wait, so that one sync of a folder or of the journal
//! serves many small files. Files are synced in parallel, since file systems join such syncs into one write. A job that
//! is interrupted before its transaction is repeated and overwrites its outputs. After the transaction, the next run
//! only renames the rest, so no receiver gets again an output that it has taken away.

mod expired;
mod retried;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use journal::JobId;
use node::Committed;
use runtime::time::at_ms;
use store::StoreError;
use transport::Mark;

use crate::commit::file_ops::{FileError, FileOps};
use crate::commit::{Journaled, Transactions};
use crate::execute::crew::FileTurn;
use crate::execute::job::{Claim, Completed, ProcessedFile, Results};
use crate::execute::running::Running;
use crate::schedule::batch::{Completion, Reported};
use collection::sources::FileJob;
use commit_protocol::{Done, Marking, NotMarked, Ready, Unfinished, World};
use flow::backlog::Waits;
use flow::report::{FILE_DONE, FileAccount, OutputAccount, Report};
use flow::topology::Topology;
use lineage::{TraceRow, TraceSyncError};

/// The most files that are open until they are committed.
const OPEN_MAX: usize = 512;

/// The most jobs in one group.
const GROUP_MAX: usize = 64;

/// How many records the jobs of a group have at most, if it has several: what their transaction changes is in memory twice
/// until its end.
const GROUP_RECORDS_MAX: u64 = 100_000;

/// How long the committer is idle before it writes finished jobs alone, not with the next jobs.
const QUIET: Duration = Duration::from_millis(50);

/// The wait after a failed rename of outputs before the next attempt.
const TRIED_AGAIN: Duration = Duration::from_secs(1);

/// Returns how many jobs may wait for the commit.
pub(crate) fn jobs_at_once(flow: &Topology) -> usize {
    (OPEN_MAX / 2 / (flow.systems.len() + 1)).clamp(1, GROUP_MAX)
}

/// Why a job is not committed, or not wholly.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommitError {
    /// An operation on a file failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The outputs of a job are not on the disk.
    #[error("\"{job}\": {cause}")]
    Outputs { job: String, cause: FileError },
    /// The traces of jobs are not on the disk.
    #[error(transparent)]
    Trace(#[from] TraceSyncError),
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] StoreError),
    /// A file operation failed, of a job that is not journaled.
    #[error(transparent)]
    Unjournaled(io::Error),
}

/// Problems are the same if users would read the same.
impl PartialEq for CommitError {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

/// The result of a task, and the task's ticket.
pub(crate) struct Finished<'p> {
    pub(crate) settle: Completed<'p>,
    pub(crate) ticket: Completion,
}

/// Commits jobs.
pub(crate) struct Committer<'p> {
    running: &'p Running,
    journal: &'p Transactions,
    /// Runs the file operations.
    errands: FileOps<'p>,
    /// The tickets of the tasks that are being committed.
    tickets: Vec<Completion>,
    /// The results since the last [`take_report`](Self::take_report).
    report: Report,
    /// The jobs whose outputs all have their names, which the journal does not say yet.
    finished: Vec<JobId>,
    /// The claims of jobs that are not finished in the journal.
    claims: Vec<(JobId, Claim<'p>)>,
    /// When the last attempt to rename unfinished outputs began.
    tried: Instant,
    /// The problems that were reported since there are unfinished outputs.
    reported: Reported,
}

impl<'p> Committer<'p> {
    pub(crate) fn new(
        running: &'p Running,
        journal: &'p Transactions,
        errands: FileOps<'p>,
    ) -> Self {
        Committer {
            running,
            journal,
            errands,
            tickets: Vec::new(),
            report: Report::default(),
            finished: Vec::new(),
            claims: Vec::new(),
            tried: Instant::now(),
            reported: Reported::new(),
        }
    }

    /// Commits jobs until the channel closes. Then returns the report, with the problems of outputs that still lack
    /// their names.
    pub(crate) fn run(mut self, coming: &Receiver<Finished<'p>>) -> Report {
        let room = jobs_at_once(&self.running.plan.topology);
        self.errands.begin();
        loop {
            match self.next(coming) {
                Ok(first) => {
                    let mut records = first.settle.records();
                    let mut group = vec![first];
                    while group.len() < room && records < GROUP_RECORDS_MAX {
                        let Ok(next) = coming.try_recv() else { break };
                        records += next.settle.records();
                        group.push(next);
                    }
                    self.settle_all(group);
                }
                Err(RecvTimeoutError::Timeout) => commit_protocol::on_disk(&mut self),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.try_again();
        }
        commit_protocol::on_disk(&mut self);
        if self.journal.has_unfinished.load(Ordering::Relaxed) {
            self.report.problems.extend(self.reported);
        }
        self.report
    }

    /// Waits for a job. Waits only for [`QUIET`] if there is other work left.
    fn next(&self, coming: &Receiver<Finished<'p>>) -> Result<Finished<'p>, RecvTimeoutError> {
        match self.finished.is_empty() && !self.journal.has_unfinished.load(Ordering::Relaxed) {
            true => coming.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => coming.recv_timeout(QUIET),
        }
    }

    fn settle_all(&mut self, all: Vec<Finished<'p>>) {
        let begun = Instant::now();
        let (mut made, mut marks) = (Vec::new(), Vec::new());
        let (mut retried, mut expired) = (Vec::new(), Vec::new());
        let (mut of_files, mut of_retries, mut of_groups) = (Vec::new(), Vec::new(), Vec::new());
        for Finished { settle, ticket } in all {
            let tickets = match settle {
                Completed::Made(job) => {
                    made.push(*job);
                    &mut of_files
                }
                Completed::Mark(job, entry, mark) => {
                    marks.push((job, entry, mark));
                    &mut of_files
                }
                Completed::Retried(job) => {
                    retried.push(*job);
                    &mut of_retries
                }
                Completed::Expired(job) => {
                    expired.push(*job);
                    &mut of_groups
                }
            };
            tickets.push(ticket);
        }
        let jobs = of_files.len() + of_retries.len() + of_groups.len();
        self.settle_of(of_files, |settler| settler.settle(made, marks));
        self.settle_of(of_retries, |settler| commit_protocol::settle(settler, retried, Vec::new()));
        self.settle_of(of_groups, |settler| commit_protocol::settle(settler, expired, Vec::new()));
        let milliseconds = begun.elapsed().as_millis() as u64;
        tracing::debug!(target: "flow::settle", jobs, milliseconds, "settled");
    }

    /// Commits the results of tasks, which are over then.
    fn settle_of(&mut self, tickets: Vec<Completion>, settle: impl FnOnce(&mut Self)) {
        if tickets.is_empty() {
            return;
        }
        self.tickets = tickets;
        settle(self);
        let report = self.take_report();
        self.tickets[0].report(report);
        self.tickets.clear();
    }

    /// Tries again to rename unfinished outputs, when it is time.
    fn try_again(&mut self) {
        if !self.journal.has_unfinished.load(Ordering::Relaxed) {
            self.reported.clear();
        } else if self.tried.elapsed() >= TRIED_AGAIN {
            self.deliver_unfinished();
        }
    }

    /// Takes what was reported since the last call.
    pub(crate) fn take_report(&mut self) -> Report {
        std::mem::take(&mut self.report)
    }

    fn settle(&mut self, made: Vec<ProcessedFile<'p>>, marks: Vec<Marking<Self>>) {
        match self.journal.view.is_written {
            true => commit_protocol::settle(self, made, marks),
            false => made.into_iter().for_each(|made| self.settle_unjournaled(made)),
        }
    }

    /// Renames outputs that an interrupted run or a failure left without their names. Returns whether jobs may begin.
    pub(crate) fn deliver_unfinished(&mut self) -> bool {
        self.tried = Instant::now();
        !self.journal.has_unfinished.swap(false, Ordering::Relaxed)
            || commit_protocol::deliver_unfinished(self)
    }

    /// Releases the claims of jobs that the journal now has as finished.
    fn has_finished(&mut self) {
        let mut finished = std::mem::take(&mut self.finished);
        finished.sort_unstable();
        self.claims.retain(|(entry, _)| finished.binary_search(entry).is_err());
    }

    /// Renames the outputs and marks the input, without the journal.
    fn settle_unjournaled(&mut self, made: ProcessedFile<'p>) {
        let ProcessedFile { job, account, results, turn, .. } = made;
        turn.into_iter().for_each(FileTurn::settled);
        for output in results.outputs {
            if let Err(error) = transport::deliver(&output.written.keep()) {
                self.problem(CommitError::Unjournaled(error));
            }
        }
        if let Err(error) =
            self.running.plan.collection.sources[job.element].collect.mark(&job.found, Mark::Done)
        {
            self.problem(CommitError::Unjournaled(error));
        }
        self.report.files.push(account);
    }

    /// Syncs the part of the jobs' traces that lies outside the journal.
    fn sync_traces<'r>(
        &self,
        results: impl Iterator<Item = &'r Results<'p>>,
    ) -> Result<(), TraceSyncError>
    where
        'p: 'r,
    {
        TraceRow::sync(&self.journal.view.shelf, results.map(|results| &results.trace))
    }

    /// Writes jobs to the journal, and with them the finished ones.
    fn note<T>(
        &mut self,
        note: impl FnOnce(&Transactions, &[JobId]) -> Result<Vec<T>, StoreError>,
    ) -> Result<Vec<T>, CommitError> {
        let noted = note(self.journal, &self.finished)?;
        self.has_finished();
        Ok(noted)
    }

    /// Keeps the outputs and state changes of a job that the journal has, and adds them to the report.
    fn keep(
        &mut self,
        entry: JobId,
        results: Results<'p>,
        claim: Claim<'p>,
    ) -> Unfinished<PathBuf> {
        let job = Committed { job: entry.0, at: at_ms(self.journal.latest_ms()) };
        results.noted.into_iter().for_each(|by| by.changes.committed(job));
        self.claims.push((entry, claim));
        let mut targets = Vec::new();
        for output in results.outputs {
            let target = output.written.keep();
            self.report.outputs.push(OutputAccount {
                post_processing_system: output.post_processing_system.to_owned(),
                file: target.file_name().unwrap_or_default().to_string_lossy().into(),
                records: output.records,
            });
            targets.push(target);
        }
        Unfinished { entry, outputs: targets }
    }

    /// Returns the ticket of a file.
    fn ticket(&self, network_element: &str, file: &str) -> Option<&Completion> {
        self.tickets.iter().find(|ticket| {
            let about = ticket.about();
            about.network_element == network_element && about.file == file
        })
    }

    /// Reports what a job set aside. `job` is its entry in the journal.
    fn set_aside(&self, network_element: &str, file: &str, JobId(job): JobId, message: String) {
        if let Some(ticket) = self.ticket(network_element, file) {
            ticket.set_aside(job, message);
        }
    }

    /// Reports why a part of a job was not done, and waits.
    fn waits(&self, network_element: &str, file: &str, problem: &str) {
        // A job that began again without its first timer has another name.
        let ticket = self.ticket(network_element, file).or(self.tickets.first());
        if let Some(ticket) = ticket {
            ticket.note_waiting(problem.to_owned());
            ticket.problem(problem.to_owned());
        }
    }

    /// Logs and reports a job that is done.
    fn account(&mut self, JobId(job): JobId, account: FileAccount) {
        tracing::info!(
            target: FILE_DONE,
            job,
            process = self
                .ticket(&account.network_element, &account.file)
                .and_then(Completion::process),
            network_element = account.network_element,
            file = account.file,
            records = account.records,
            delivered = account.delivered,
            filtered = account.filtered,
            held = account.held,
            suspended = account.suspended,
            duplicate = account.duplicate,
            passed_over = account.passed_over.iter().map(|passed| passed.octets).sum::<u64>(),
            "{account}"
        );
        self.report.files.push(account);
    }
}

impl<'p> Ready<Committer<'p>> for ProcessedFile<'p> {
    type Journaled = Journaled;

    fn sync(settler: &Committer<'p>, jobs: &[Self]) -> Vec<Result<(), CommitError>> {
        sync(settler, jobs, |made| &made.results, |made| made.job.found.path.display().to_string())
    }

    fn commit(
        settler: &mut Committer<'p>,
        jobs: &mut [Self],
    ) -> Result<Vec<Journaled>, CommitError> {
        settler.sync_traces(jobs.iter().map(|made| &made.results))?;
        let plan = &settler.running.plan;
        settler.note(|journal, finished| journal.done(plan, jobs, finished))
    }

    fn done(mut self, settler: &mut Committer<'p>, noted: Journaled) -> Done<Committer<'p>> {
        let Journaled { entry, account, duplicate_of, .. } = noted;
        self.turn.take().into_iter().for_each(FileTurn::settled);
        settler.account(entry, account);
        if let Some(original) = duplicate_of {
            let path = self.job.found.path.display();
            let why = original.of_duplicate();
            let message = format!("\"{path}\": {why}; it is set aside as a duplicate");
            let element = &settler.running.plan.topology.elements[self.job.element].name;
            settler.set_aside(element, &self.job.found.name, entry, message);
            let unfinished = Unfinished { entry, outputs: Vec::new() };
            return Done { unfinished, input: Some((self.job, Mark::Duplicate)) };
        }
        self.aside.keep();
        let unfinished = settler.keep(entry, self.results, self.claim);
        Done { unfinished, input: Some((self.job, Mark::Done)) }
    }

    fn keep_outputs(self) {
        keep(self.results);
    }

    fn given_up(&self, settler: &mut Committer<'p>, problem: CommitError) {
        let element = &settler.running.plan.topology.elements[self.job.element].name;
        let Some(ticket) = settler.ticket(element, &self.job.found.name) else {
            return World::job_given_up(settler, problem);
        };
        ticket.note_waiting(problem.to_string());
        ticket.problem(problem.to_string());
    }
}

/// Leaves outputs under their hidden names.
fn keep(results: Results<'_>) {
    results.outputs.into_iter().for_each(|output| drop(output.written.keep()));
}

/// Syncs the outputs of all jobs.
fn sync<'j, 'p: 'j, J>(
    settler: &Committer<'p>,
    jobs: &'j [J],
    results: impl Fn(&'j J) -> &'j Results<'p>,
    name: impl Fn(&J) -> String,
) -> Vec<Result<(), CommitError>> {
    let outputs = |job| &results(job).outputs;
    let all: Vec<_> = jobs.iter().flat_map(outputs).map(|output| &output.written).collect();
    let mut synced = settler.errands.sync(&all).into_iter();
    let of_job = |job| {
        let of_outputs: Vec<_> = synced.by_ref().take(outputs(job).len()).collect();
        let of_job: Result<(), FileError> = of_outputs.into_iter().collect();
        of_job.map_err(|cause| CommitError::Outputs { job: name(job), cause })
    };
    jobs.iter().map(of_job).collect()
}

impl World for Committer<'_> {
    type Input = FileJob;
    type Problem = CommitError;
    type Path = PathBuf;

    fn deliver(&self, outputs: &[&PathBuf]) -> Vec<Result<(), CommitError>> {
        let delivered = self.errands.deliver(outputs).into_iter();
        delivered.map(|delivered| Ok(delivered?)).collect()
    }

    fn mark(&self, inputs: &[(&FileJob, Mark)]) -> Vec<Result<PathBuf, NotMarked<CommitError>>> {
        let not_marked = |NotMarked { problem, is_there }| {
            let problem = CommitError::from(problem);
            NotMarked { problem, is_there }
        };
        let marked = self.errands.mark(inputs).into_iter();
        marked.map(|marked| marked.map_err(not_marked)).collect()
    }

    fn unfinished(&self) -> Result<Vec<Unfinished<PathBuf>>, CommitError> {
        Ok(self.journal.unfinished()?)
    }

    fn claim(&mut self, unfinished: &[Unfinished<PathBuf>]) {
        for Unfinished { entry, outputs } in unfinished {
            if !self.claims.iter().any(|(claimed, _)| claimed == entry) {
                self.claims.push((*entry, Claim::hold(&self.running.in_hand, outputs.clone())));
            }
        }
    }

    fn finished(&mut self, entries: Vec<JobId>) {
        self.finished.extend(entries);
    }

    fn marked(&self, inputs: Vec<(JobId, PathBuf)>) {
        self.journal.marked(inputs);
    }

    fn on_disk(&mut self) -> Result<(), CommitError> {
        if !self.finished.is_empty() {
            self.journal.finished(&self.finished)?;
            self.has_finished();
        }
        Ok(())
    }

    fn is_in_doubt(&self) -> bool {
        self.journal.has_failed.load(Ordering::Relaxed)
    }

    fn problem(&mut self, problem: CommitError) {
        let problem = problem.to_string();
        let is_new = self.reported.insert(problem.clone());
        match self.tickets.first() {
            Some(first) => first.common_problem(problem),
            None if is_new => {
                tracing::warn!(target: "flow::settle", "{problem}");
                self.report.problems.push(problem);
            }
            None => {}
        }
    }

    fn input_not_marked(&mut self, FileJob { element, .. }: &FileJob, problem: CommitError) {
        if let Some(first) = self.tickets.first() {
            let network_element = self.running.plan.topology.elements[*element].name.clone();
            let waits = Waits { network_element, problem: problem.to_string() };
            first.note(|obstacles| obstacles.unmarked.push(waits));
        }
        self.problem(problem);
    }

    fn job_given_up(&mut self, problem: CommitError) {
        for ticket in &self.tickets {
            ticket.note_waiting(problem.to_string());
        }
        self.problem(problem);
    }

    fn left_unfinished(&self) {
        self.journal.has_unfinished.store(true, Ordering::Relaxed);
    }
}
