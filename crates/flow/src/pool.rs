//! The threads of a gateway: workers, who take tasks from the queue, and the one that settles what they are through with.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use crate::batch::About;
use crate::job::{FileJob, Task};
use crate::journal::Journal;
use crate::poison::{PutAside, put_aside, survived};
use crate::prepare::Prepared;
use crate::queue::{Next, Queue, Serves, Taken, Turn};
use crate::report::Report;
use crate::room::Room;
use crate::run::RunOptions;
use crate::settle::{self, Settle, Settler, Through};
use crate::suspense::RetryJob;
use crate::worker::{Crew, Ended, NotRetried, Worker, help};

/// What the threads work on.
#[derive(Clone, Copy)]
pub(crate) struct Work<'w> {
    flow: &'w Prepared,
    journal: &'w Journal,
    queue: &'w Arc<Queue>,
    room: &'w Room<'w>,
    /// Set to stop: the record in hand is finished.
    stop: &'w AtomicBool,
    /// Octets of a stretch of a large file.
    stretch_octets: usize,
}

impl<'w> Work<'w> {
    pub(crate) fn new(
        (flow, journal): (&'w Prepared, &'w Journal),
        queue: &'w Arc<Queue>,
        room: &'w Room<'w>,
        options: &'w RunOptions,
    ) -> Self {
        let RunOptions { stop, stretch_octets, .. } = options;
        Work { flow, journal, queue, room, stop, stretch_octets: *stretch_octets }
    }
}

/// Lets workers do the tasks that somebody puts into the queue, until he returns. Then they end what they have in hand,
/// and all of it is settled. Returns also what is wrong then that is of no task.
pub(crate) fn with_workers<'w, R>(
    work: Work<'w>,
    workers: &[Serves],
    settler: Settler<'w>,
    puts: impl FnOnce() -> R,
) -> (R, Report) {
    thread::scope(|scope| {
        let (through, settling) = sync_channel(settle::jobs_at_once(work.flow));
        let settles = scope.spawn(move || {
            let _closes = Closes(work.queue);
            settler.run(&settling)
        });
        for serves in workers {
            let through = through.clone();
            scope.spawn(move || take_tasks(work, *serves, &through));
        }
        let closes = Closes(work.queue);
        let put = puts();
        drop((closes, through));
        match settles.join() {
            Ok(wrong) => (put, wrong),
            Err(panic) => resume_unwind(panic),
        }
    })
}

/// Closes the queue when it goes away: also where a thread panics, so that the others end.
struct Closes<'q>(&'q Queue);

impl Drop for Closes<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Takes tasks until there will be no more.
fn take_tasks<'w>(work: Work<'w>, serves: Serves, through: &SyncSender<Through<'w>>) {
    let _closes = Closes(work.queue);
    let Work { flow, journal, queue, room, stop, .. } = work;
    // Made when there is something to do.
    let mut worker = None;
    while let Some(next) = queue.next(serves) {
        let taken = match next {
            Next::Task(taken) => taken,
            Next::Help(file) => {
                help(&mut worker, || Worker::new(flow, journal), flow, &file, stop);
                continue;
            }
        };
        match room.holds(taken.element) {
            Ok(false) => do_taken(&mut worker, work, taken, through),
            // It is found again with the next look.
            Ok(true) => continue,
            Err(error) => taken.ticket.problem(error.to_string()),
        }
        journal.tell_alarms_now_and_then();
        if journal.has_failed.load(Ordering::Relaxed) {
            break;
        }
    }
}

/// Does a task, and gives what is to be settled to whoever settles.
fn do_taken<'w>(
    worker: &mut Option<Worker<'w>>,
    work: Work<'w>,
    Taken { mut task, turn, ticket, .. }: Taken,
    through: &SyncSender<Through<'w>>,
) {
    let is_retry = matches!(task, Task::Retry(_));
    let About { network_element, file } = ticket.about();
    tracing::debug!(network_element, file, "begun");
    let done = loop {
        let act = |worker: &mut Worker<'w>| {
            let (queue, stretch_octets) = (Arc::clone(work.queue), work.stretch_octets);
            worker.crew = Some(Crew { queue, stretch_octets });
            do_task(worker, work, task.clone())
        };
        if let Some(done) = survived(worker, (work.flow, work.journal), act) {
            break done;
        }
        match put_aside(work.flow, work.journal, task) {
            Ok(PutAside::Otherwise(other)) => task = other,
            Ok(PutAside::File { element, path, told }) => {
                turn.into_iter().for_each(Turn::settled);
                ticket.note(|obstacles| obstacles.poison.push((element, path)));
                return ticket.problem(told);
            }
            Ok(PutAside::Records { told }) => return ticket.problem(told),
            Err(problem) => break Err(problem),
        }
    };
    match done {
        // Where nobody settles any more, his end is told.
        Ok(Some(settle)) => drop(through.send(Through { settle: settle.in_turn(turn), ticket })),
        Ok(None) => {}
        Err(problem) => {
            let no_room_in = worker.as_mut().and_then(Worker::take_no_room);
            turn.into_iter().for_each(|turn| turn.given_up(no_room_in));
            ticket.note(|obstacles| match is_retry {
                true => obstacles.not_retried.push(problem.clone()),
                false => obstacles.waiting.push(problem.clone()),
            });
            ticket.problem(problem);
        }
    }
}

/// Does a task up to what is to be settled, if anything is. One that is to be begun again waits for whom it met.
fn do_task<'w>(
    worker: &mut Worker<'w>,
    work: Work<'w>,
    mut task: Task,
) -> Result<Option<Settle<'w>>, String> {
    while !work.queue.is_closed() {
        let done = match task {
            Task::File(job) => do_job(worker, job, work.stop),
            Task::Retry(job) => do_retry(worker, work.journal, job, work.stop),
            Task::Expiry(job) => worker.expire(job, work.stop),
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
fn do_job<'w>(
    worker: &mut Worker<'w>,
    job: FileJob,
    stop: &AtomicBool,
) -> Result<Ended<'w>, String> {
    match worker.done_before(&job.found)? {
        Some((entry, mark)) => Ok(Ended::Through(Settle::Mark(job, entry, mark))),
        None => worker.process(job, stop),
    }
}

/// As [`do_job`]. What never can be done is no longer asked for.
fn do_retry<'w>(
    worker: &mut Worker<'w>,
    journal: &Journal,
    job: RetryJob,
    stop: &AtomicBool,
) -> Result<Ended<'w>, String> {
    worker.retry(job.clone(), stop).map_err(|problem| match problem {
        NotRetried::Now(problem) => problem,
        NotRetried::Never(problem) => {
            let withdrawn = journal.commit(move |db| job.withdraw(db));
            withdrawn.map_or_else(|error| error.to_string(), |()| problem)
        }
    })
}
