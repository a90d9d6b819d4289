//! Running a flow: workers take one input file after the other.

use std::collections::HashSet;
use std::mem;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use diagnostics::{Diagnostic, counted};
use store::{Connection, StoreError};

use crate::clock;
use crate::door::Door;
use crate::held::{ExpiryJob, alarm_of_groups};
use crate::job::{FileJob, Task};
use crate::journal::{Journal, JournalError};
use crate::look::{COMPLETE_AFTER, Look, Seen, alarm_of_inputs, look};
use crate::memory;
use crate::prepare::{Element, Parts, Prepared, prepare};
use crate::queue::{Behind, Placed, Queue, Turn, Unsettled};
use crate::reload::{Desk, listen};
use crate::report::{FileAccount, Report};
use crate::retention::{self, Forgotten};
use crate::room::Room;
use crate::sequence;
use crate::settle::{self, Settle, Settler};
use crate::suspense::RetryJob;
use crate::watch::Watch;
use crate::worker::{Ended, NotRetried, Worker};

/// How often the journal forgets what is too old.
const FORGET_EVERY: Duration = Duration::from_secs(60);

/// How long after one look into the folders the next is taken.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How long a stop may wait to be seen while nothing is to do.
const STOP_SEEN: Duration = Duration::from_millis(50);
/// Files a report holds; a gateway that runs for months forgets the oldest.
const FILES_REPORTED_MAX: usize = 100_000;

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Until the inputs are empty, not until it is stopped.
    pub once: bool,
    /// Threads; 0 for as many as there are processors.
    pub workers: usize,
    /// Whether nothing is digested, synced or noted in the journal: for the benchmark that says what that costs. Work
    /// that is interrupted is lost then.
    pub unjournaled: bool,
    /// Set to stop: the record in hand is finished, the file in hand repeated by the next run.
    pub stop: Arc<AtomicBool>,
    /// What time it is.
    pub clock: fn() -> SystemTime,
    /// Where progress and problems are told, a line at a time.
    pub log: fn(&str),
    /// Told of each file that is done.
    pub done: fn(&FileAccount),
}

impl RunOptions {
    /// What is there is done, by as many workers as there are processors, and nobody is told of a file.
    pub fn once(log: fn(&str)) -> Self {
        RunOptions {
            once: true,
            workers: 0,
            unjournaled: false,
            stop: Arc::default(),
            clock: SystemTime::now,
            log,
            done: |_| (),
        }
    }
}

/// Why a flow does not run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The flow file, or what it names, has mistakes; nothing was processed.
    #[error("the flow has {}; nothing was processed", counted(.0.len(), "mistake"))]
    Mistakes(Vec<Diagnostic>),
    /// There is no journal; nothing was processed.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Runs a flow. While it runs, a change of the files it is made of takes effect between two input files, if
/// the new flow has no mistakes; [`reload`](crate::reload()) asks for it and is told what becomes of it.
pub fn run(path: &Path, parts: Parts<'_>, options: &RunOptions) -> Result<Report, RunError> {
    let read = SystemTime::now();
    let (prepared, diagnostics) = prepare(path, parts);
    let Some(flow) = prepared.filter(|_| !diagnostics::has_errors(&diagnostics)) else {
        return Err(RunError::Mistakes(diagnostics));
    };
    for warning in &diagnostics {
        (options.log)(&warning.to_string());
    }
    let mut journal = Journal::open(&flow.state, path, options.clock, options.log)?;
    journal.is_kept = !options.unjournaled;
    let journal = journal;
    if journal.is_kept {
        journal.note_gone().map_err(JournalError::from)?;
    }
    if let Some(marked) = marked_before(&flow, &journal) {
        (options.log)(&marked);
    }
    let desk = Desk::new(&flow);
    let door =
        (!options.once).then(|| Door::open(&flow.state)).transpose().unwrap_or_else(|error| {
            (options.log)(&format!("\"tollgate reload\" cannot ask this gateway: {error}"));
            None
        });
    for told in memory::restore(&flow, &journal).map_err(JournalError::from)? {
        (options.log)(&told);
    }
    thread::scope(|scope| {
        let _end = desk.ends();
        if let Some(door) = &door {
            scope.spawn(|| listen(door, &desk, path, parts));
        }
        Ok(Rounds::new(&journal, options).run(flow, read, path, parts, &desk))
    })
}

/// What is to be said where a new journal was begun and a gateway was here before: it knows nothing of that.
fn marked_before(flow: &Prepared, journal: &Journal) -> Option<String> {
    if !journal.is_new || !journal.is_kept {
        return None;
    }
    let marked = flow.elements.iter().find_map(|element| element.collect.marked())?;
    Some(format!(
        "there was no journal in \"{}\", so a new one is begun, though \"{}\" was done before: what came before is \
         not known, see docs/how-to/recover-from-a-damaged-journal.md",
        flow.state.display(),
        marked.display()
    ))
}

/// Looks into the folders and does what is there, again and again.
struct Rounds<'r> {
    journal: &'r Journal,
    reader: Result<Connection, String>,
    options: &'r RunOptions,
    /// What the last look saw.
    seen: Seen,
    told: Told,
    /// When the journal forgot all that was too old.
    forgotten: Option<Instant>,
    report: Report,
}

impl<'r> Rounds<'r> {
    fn new(journal: &'r Journal, options: &'r RunOptions) -> Self {
        Rounds {
            journal,
            reader: journal.reader().map_err(|error| error.to_string()),
            options,
            seen: Seen::new(),
            told: Told::new(),
            forgotten: None,
            report: Report::default(),
        }
    }

    fn run(
        mut self,
        mut flow: Prepared,
        read: SystemTime,
        path: &Path,
        parts: Parts<'_>,
        desk: &Desk,
    ) -> Report {
        let Rounds { journal, options, .. } = self;
        let start = Instant::now();
        journal.tell_alarms(&options.log);
        let mut watch = (!options.once).then(|| Watch::new(flow.files.clone(), read));
        loop {
            let changed = watch.as_ref().map(Watch::changed);
            let until = Until { stop: &options.stop, changed, asked: desk.asked() };
            self.round(&flow, until);
            if !self.can_go_on() {
                break;
            }
            self.forget(&flow);
            if options.once || stopped(&options.stop) || rest(until) {
                break;
            }
            if until.changed() {
                let (next, read) = next_flow(path, parts, options, desk);
                if let Some(next) = next {
                    flow = next;
                    if !self.restore(&flow) {
                        break;
                    }
                }
                watch = Some(Watch::new(flow.files.clone(), read));
            }
            self.end_round();
        }
        self.report.sort();
        self.report.seconds = start.elapsed().as_secs_f64();
        self.report
    }

    /// Does what is there and what somebody has asked for, and then what becomes of groups.
    fn round(&mut self, flow: &Prepared, until: Until<'_>) {
        let Rounds { journal, options, .. } = *self;
        if options.once && look(flow, &mut self.seen).fresh {
            // What was written to just now may be written to still: it is looked at again.
            let quiet = flow.elements.iter().map(|element| element.collect.quiet());
            thread::sleep(quiet.fold(COMPLETE_AFTER, Duration::max));
        }
        journal.seen_alive();
        // What lies there at the start is taken with the second look: until then nobody knows what is missing, or over.
        let is_first = self.seen.is_empty() && !options.once;
        let Look { jobs, mut problems, unreadable, .. } = look(flow, &mut self.seen);
        let is_known = !is_first || self.seen.is_empty();
        let mut tasks = retries(flow, &self.reader, &mut problems);
        tasks.extend(jobs.into_iter().map(|job| (job.element, Task::File(job))));
        problems.into_iter().for_each(|problem| self.problem(problem));
        let mut done = work((flow, journal), tasks, &self.told, options, until);
        let (waiting, behind) = (mem::take(&mut done.waiting), mem::take(&mut done.behind));
        let not_retried = mem::take(&mut done.not_retried);
        // What lies there may complete what waits; what lies in a folder that cannot be read, nobody knows.
        let mut unsettled = mem::take(&mut done.unsettled);
        let place = |name: &String| flow.elements.iter().position(|element| element.name == *name);
        let unreadable_at = unreadable.iter().filter_map(|(element, _)| place(element));
        unsettled.extend(unreadable_at.map(|element| Unsettled { element, no_room_in: None }));
        self.report.add(done);
        let (mut held_up, since_ms) = (Vec::new(), journal.now_ms());
        if is_known && !until.is_over() {
            let of = (flow, journal);
            let mut ended = expire(of, &self.reader, &unsettled, &self.told, options, until);
            held_up = mem::take(&mut ended.waiting);
            self.report.add(ended);
        }
        // Where work was broken off, nobody knows what waits.
        if !until.is_over() {
            let alarmed = self.reader.as_ref().map_err(Clone::clone).and_then(|reader| {
                alarm_of_inputs((&waiting, &not_retried), behind, unreadable, journal, reader)
                    .and_then(|()| clock::alarm(journal, reader))
                    .and_then(|()| {
                        alarm_of_groups(flow, &held_up, (&unsettled, since_ms), journal, reader)
                    })
                    .map_err(|error| error.to_string())?;
                if is_known { sequence::look(flow, journal, reader) } else { Ok(()) }
            });
            alarmed.unwrap_or_else(|problem| self.problem(problem));
        }
        journal.tell_alarms(&options.log);
    }

    fn problem(&mut self, problem: String) {
        tell(&self.told, &problem, self.options);
        self.report.problems.push(problem);
    }

    /// Whether there is a journal that can be written.
    fn can_go_on(&mut self) -> bool {
        if !self.journal.is_there() {
            let gone =
                "the journal is gone: the gateway ends, and knows nothing of what it has done";
            (self.options.log)(gone);
            self.report.problems.push(gone.into());
            return false;
        }
        let has_failed = stopped(&self.journal.has_failed);
        if has_failed {
            (self.options.log)(
                "the journal can no longer be written: the gateway ends, and may be started again",
            );
        }
        !has_failed
    }

    /// Now and then forgets what is too old.
    fn forget(&mut self, flow: &Prepared) {
        if self.forgotten.is_some_and(|forgotten| forgotten.elapsed() < FORGET_EVERY) {
            return;
        }
        memory::forget(flow, self.journal);
        match retention::forget(flow, self.journal) {
            Ok(Forgotten::Some) => {}
            Ok(Forgotten::All) => self.forgotten = Some(Instant::now()),
            Err(error) => {
                self.problem(error.to_string());
                self.forgotten = Some(Instant::now());
            }
        }
    }

    /// Gives a flow that has changed what its nodes noted; whether the journal could be read.
    fn restore(&self, flow: &Prepared) -> bool {
        match memory::restore(flow, self.journal) {
            Ok(told) => told.iter().for_each(|told| (self.options.log)(told)),
            Err(error) => {
                (self.options.log)(&format!("the gateway ends: {error}"));
                return false;
            }
        }
        (self.options.log)("the flow has changed: from now on it runs as it is now");
        true
    }

    /// What a gateway that runs for months need not remember is forgotten.
    fn end_round(&mut self) {
        let Report { files, outputs, problems, .. } = &mut self.report;
        files.drain(..files.len().saturating_sub(FILES_REPORTED_MAX));
        outputs.drain(..outputs.len().saturating_sub(FILES_REPORTED_MAX));
        self.told = mem::take(problems).into_iter().collect();
    }
}

/// The problems of the round before: what still is one is not told every second.
type Told = HashSet<String>;

fn tell(told: &Told, problem: &str, options: &RunOptions) {
    if !told.contains(problem) {
        (options.log)(problem);
    }
}

fn stopped(stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed)
}

/// What ends the work on files.
#[derive(Clone, Copy)]
struct Until<'u> {
    stop: &'u AtomicBool,
    /// Set when the flow has changed.
    changed: Option<&'u AtomicBool>,
    /// Set when somebody has asked for the flow as it is now.
    asked: &'u AtomicBool,
}

impl Until<'_> {
    fn changed(self) -> bool {
        stopped(self.asked) || self.changed.is_some_and(stopped)
    }

    fn is_over(self) -> bool {
        stopped(self.stop) || self.changed()
    }
}

/// The flow that has changed, if it is to run, and when its files were read.
fn next_flow(
    path: &Path,
    parts: Parts<'_>,
    options: &RunOptions,
    desk: &Desk,
) -> (Option<Prepared>, SystemTime) {
    if let Some((next, read)) = desk.take() {
        return (Some(next), read);
    }
    let (read, looked) = (SystemTime::now(), Instant::now());
    let next = changed_flow(path, parts, options);
    (next.filter(|next| desk.takes(next, looked)), read)
}

/// The flow as it is now; none if it has mistakes, which are told.
fn changed_flow(path: &Path, parts: Parts<'_>, options: &RunOptions) -> Option<Prepared> {
    let (prepared, diagnostics) = prepare(path, parts);
    for diagnostic in &diagnostics {
        (options.log)(&diagnostic.to_string());
    }
    let prepared = prepared.filter(|_| !diagnostics::has_errors(&diagnostics));
    if prepared.is_none() {
        (options.log)("the flow has changed and has mistakes: it goes on as it was");
    }
    prepared
}

/// Waits until it is time to look again; whether it was told to stop.
fn rest(until: Until<'_>) -> bool {
    let end = Instant::now() + LOOK_AGAIN;
    while !until.is_over() && Instant::now() < end {
        thread::sleep(STOP_SEEN);
    }
    stopped(until.stop)
}

/// What of suspense somebody has asked to be put through again.
fn retries(
    flow: &Prepared,
    reader: &Result<Connection, String>,
    problems: &mut Vec<String>,
) -> Vec<Placed> {
    let found = reader
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|reader| RetryJob::all(reader).map_err(|error| format!("the journal: {error}")));
    let jobs = found.unwrap_or_else(|problem| {
        problems.push(problem);
        Vec::new()
    });
    let placed = |job: RetryJob| {
        let named = |element: &Element| element.name == job.network_element;
        (flow.elements.iter().position(named).unwrap_or(0), Task::Retry(job))
    };
    jobs.into_iter().map(placed).collect()
}

/// Ends the groups that somebody asked for, and then those whose time is over, some after the other. Files of `unsettled`
/// network elements lie there.
fn expire(
    of: (&Prepared, &Journal),
    reader: &Result<Connection, String>,
    unsettled: &[Unsettled],
    told: &Told,
    options: &RunOptions,
    until: Until<'_>,
) -> Report {
    let mut report = end_asked(of, reader, told, options, until);
    let mut after = 0;
    while !until.is_over() && !stopped(&of.1.has_failed) {
        let found = reader.as_ref().map_err(Clone::clone).and_then(|reader| {
            let some = ExpiryJob::some(of.0, of.1, reader, unsettled, after);
            some.map_err(|error| format!("the journal: {error}"))
        });
        let (jobs, more) = match found {
            Ok(found) => found,
            Err(problem) => {
                tell(told, &problem, options);
                report.problems.push(problem);
                break;
            }
        };
        if !jobs.is_empty() {
            report.add(work(of, expiries(jobs), told, options, until));
        }
        match more {
            Some(more) => after = more,
            None => break,
        }
    }
    report
}

/// Ends the groups that somebody has asked to be ended.
fn end_asked(
    of: (&Prepared, &Journal),
    reader: &Result<Connection, String>,
    told: &Told,
    options: &RunOptions,
    until: Until<'_>,
) -> Report {
    let found = reader.as_ref().map_err(Clone::clone).and_then(|reader| {
        ExpiryJob::asked(of.0, reader).map_err(|error| format!("the journal: {error}"))
    });
    match found {
        Ok(jobs) if jobs.is_empty() => Report::default(),
        Ok(jobs) => work(of, expiries(jobs), told, options, until),
        Err(problem) => {
            tell(told, &problem, options);
            Report { problems: vec![problem], ..Report::default() }
        }
    }
}

fn expiries(jobs: Vec<ExpiryJob>) -> Vec<Placed> {
    jobs.into_iter().map(|job| (job.element, Task::Expiry(job))).collect()
}

/// Does all that is asked for and nothing else, where no gateway runs the flow.
pub(crate) fn only_asked(
    flow: &Prepared,
    journal: &Journal,
    options: &RunOptions,
) -> Result<Report, StoreError> {
    let mut report = Report::default();
    memory::restore(flow, journal)?.iter().for_each(|told| (options.log)(told));
    let reader = journal.reader().map_err(|error| error.to_string());
    let tasks = retries(flow, &reader, &mut report.problems);
    report.problems.iter().for_each(|problem| (options.log)(problem));
    let never = AtomicBool::new(false);
    let until = Until { stop: &options.stop, changed: None, asked: &never };
    let of = (flow, journal);
    report.add(work(of, tasks, &Told::new(), options, until));
    report.add(end_asked(of, &reader, &Told::new(), options, until));
    Ok(report)
}

/// Lets workers take jobs until there are none, and settles what they are through with. The queue's lock is taken
/// once a file.
fn work<'p>(
    of: (&'p Prepared, &'p Journal),
    tasks: Vec<Placed>,
    told: &Told,
    options: &RunOptions,
    until: Until<'_>,
) -> Report {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let wanted = if options.workers == 0 { processors } else { options.workers };
    let tell = |problem: &str| tell(told, problem, options);
    let mut report = Report::default();
    let room = match Room::new(of.0, of.1) {
        Ok(room) => room,
        Err(error) => {
            tell(&error.to_string());
            report.problems.push(error.to_string());
            return report;
        }
    };
    of.1.tell_alarms(&options.log);
    let mut settler = Settler::new(of, options.done, &tell);
    let may_begin = settler.deliver_unfinished();
    let queue = Queue::new(of.0, tasks);
    let workers = if may_begin { wanted.min(queue.len()) } else { 0 };
    thread::scope(|scope| {
        let (through, settling) = sync_channel(settle::jobs_at_once(of.0));
        let mut threads = vec![scope.spawn(move || settler.run(&settling))];
        threads.extend((0..workers).map(|_| {
            let through = through.clone();
            let (queue, room, tell) = (&queue, &room, &tell);
            scope.spawn(move || take_jobs(of, queue, room, &through, tell, until))
        }));
        drop(through);
        for thread in threads {
            match thread.join() {
                Ok(done) => report.add(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    report.unsettled.extend(queue.unsettled());
    for Behind { element, first } in queue.behind() {
        // Where there is no room, that is told.
        if !room.holds(element).unwrap_or(true) {
            let name = of.0.elements[element].name.clone();
            report.behind.push((first.display().to_string(), name));
        }
    }
    match room.end() {
        Ok(shortages) => report.problems.extend(shortages),
        Err(error) => report.problems.push(error.to_string()),
    }
    report
}

/// Takes jobs until there are none; returns the problems.
fn take_jobs<'p>(
    (flow, journal): (&'p Prepared, &'p Journal),
    queue: &Arc<Queue>,
    room: &Room<'_>,
    through: &SyncSender<Settle<'p>>,
    tell: &dyn Fn(&str),
    until: Until<'_>,
) -> Report {
    let mut report = Report::default();
    let mut worker = match Worker::new(flow, journal) {
        Ok(worker) => worker,
        Err(error) => {
            report.problems.push(error.to_string());
            return report;
        }
    };
    let stops = || until.is_over() || stopped(&journal.has_failed);
    while let Some(((element, task), turn)) = queue.next(stops) {
        match room.holds(element) {
            Ok(false) => {}
            // It is found again with the next look.
            Ok(true) => continue,
            Err(error) => {
                report.problems.push(error.to_string());
                break;
            }
        }
        let is_retry = matches!(task, Task::Retry(_));
        match do_task(&mut worker, journal, task, stops, until.stop) {
            // Where nobody settles any more, his end is told.
            Ok(Some(settle)) => drop(through.send(settle.in_turn(turn))),
            Ok(None) => {}
            Err(problem) => {
                let no_room_in = worker.take_no_room();
                turn.into_iter().for_each(|turn: Turn| turn.given_up(no_room_in));
                tell(&problem);
                let waiting = if is_retry { &mut report.not_retried } else { &mut report.waiting };
                waiting.push(problem.clone());
                report.problems.push(problem);
            }
        }
        journal.tell_alarms_now_and_then(tell);
    }
    report
}

/// Does a task up to what is to be settled, if anything is. One that is to be begun again waits for whom it met.
fn do_task<'p>(
    worker: &mut Worker<'p>,
    journal: &Journal,
    mut task: Task,
    stops: impl Fn() -> bool,
    stop: &AtomicBool,
) -> Result<Option<Settle<'p>>, String> {
    while !stops() {
        let done = match task {
            Task::File(job) => do_job(worker, job, stop),
            Task::Retry(job) => do_retry(worker, journal, job, stop),
            Task::Expiry(job) => worker.expire(job, stop),
        };
        match done? {
            Ended::Through(settle) => return Ok(Some(settle)),
            Ended::Stopped => return Ok(None),
            Ended::ToBeBegunAgain(again) => task = again,
        }
    }
    Ok(None)
}

/// Does a job up to what is to be settled.
fn do_job<'p>(
    worker: &mut Worker<'p>,
    job: FileJob,
    stop: &AtomicBool,
) -> Result<Ended<'p>, String> {
    match worker.done_before(&job.found)? {
        Some((entry, mark)) => Ok(Ended::Through(Settle::Mark(job, entry, mark))),
        None => worker.process(job, stop),
    }
}

/// As [`do_job`]. What never can be done is no longer asked for.
fn do_retry<'p>(
    worker: &mut Worker<'p>,
    journal: &Journal,
    job: RetryJob,
    stop: &AtomicBool,
) -> Result<Ended<'p>, String> {
    worker.retry(job.clone(), stop).map_err(|problem| match problem {
        NotRetried::Now(problem) => problem,
        NotRetried::Never(problem) => {
            let withdrawn = journal.commit(move |db| job.withdraw(db));
            withdrawn.map_or_else(|error| error.to_string(), |()| problem)
        }
    })
}
