//! The threads of a gateway: workers, who take tasks from the queue, and the one that settles what they are through with.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use diagnostics::counted;
use runtime::affinity;
use runtime::shutdown::Shutdown;
use runtime::threads::{self, SpawnError};
use store::StoreError;

use crate::commit::Transactions;
use crate::commit::committer;
use crate::commit::committer::{Committer, Finished};
use crate::cycle::admission::Room;
use crate::cycle::poison;
use crate::cycle::poison::{PutAside, file_aside, put_aside, survived};
use crate::definition::meters::Meters;
use crate::definition::report::{FILE_BEGUN, Report};
use crate::execute::hangs::{Hands, Pulse};
use crate::execute::job::{About, Completed};
use crate::execute::job::{Claim, Task};
use crate::execute::options::RunOptions;
use crate::execute::running::Running;
use crate::execute::worker::{Helpers, JobFailure, Worker, help};
use crate::processes::Remote;
use crate::schedule::queue::{Help, Next, Queue, Taken, Taker, Turn};
use crate::suspense::{RetryJob, Spill};

/// What the threads work on.
#[derive(Clone, Copy)]
pub(crate) struct Work<'w> {
    running: &'w Running,
    journal: &'w Transactions,
    queue: &'w Arc<Queue>,
    room: &'w Room<'w>,
    /// Set to stop: the record in hand is finished.
    stop: &'w Shutdown,
    /// Octets of a stretch of a large file.
    stretch_octets: usize,
    meters: &'w Meters,
    hands: &'w Hands,
}

impl<'w> Work<'w> {
    pub(crate) fn new(
        (running, journal): (&'w Running, &'w Transactions),
        (queue, hands): (&'w Arc<Queue>, &'w Hands),
        room: &'w Room<'w>,
        options: &'w RunOptions,
    ) -> Self {
        let RunOptions { stop, stretch_octets, meters, .. } = options;
        let stretch_octets = *stretch_octets;
        Work { running, journal, queue, room, stop, stretch_octets, meters, hands }
    }
}

/// What came of tasks, besides what each of them has told.
pub(crate) struct Worked<R> {
    /// What who put tasks has returned.
    pub(crate) put: R,
    /// What is wrong that is of no task.
    pub(crate) wrong: Report,
    /// Why nobody did any of them, if so.
    pub(crate) no_thread: Option<String>,
}

/// Lets workers do the tasks that somebody puts into the queue, until he returns. Then they end what they have in hand,
/// and all of it is settled. Where the system has no thread left for any of it, nothing is done.
pub(crate) fn with_workers<'w, R>(
    work: Work<'w>,
    threads: &[Taker],
    processes: &'w [Remote<'w>],
    settler: Committer<'w>,
    puts: impl FnOnce() -> R,
) -> Worked<R> {
    thread::scope(|scope| {
        let (through, settling) =
            sync_channel(committer::jobs_at_once(&work.running.plan.topology));
        let settles = threads::spawn_scoped(scope, move || {
            let _closes = Closes(work.queue);
            settler.run(&settling)
        });
        let settles = match settles {
            Ok(settles) => settles,
            Err(problem) => {
                work.queue.close();
                let (put, wrong) = (puts(), Report::default());
                return Worked { put, wrong, no_thread: Some(problem.to_string()) };
            }
        };
        let mut started = Started::default();
        for (place, taker) in threads.iter().enumerate() {
            let through = through.clone();
            let work_on = move || {
                if let Some(unit) = work.running.plan.workload.groups.common.bound {
                    affinity::pin(unit, place);
                }
                take_tasks(work, Hand::Here(None), *taker, &through);
            };
            started.add(threads::spawn_scoped(scope, work_on));
        }
        for process in processes {
            for _ in 0..process.threads() {
                let through = through.clone();
                let hand = || Hand::There(process);
                let takes = move || take_tasks(work, hand(), process.taker(), &through);
                started.add(threads::spawn_scoped(scope, takes));
            }
        }
        let refused = started.shortage();
        if started.threads == 0 {
            work.queue.close();
        }
        let closes = Closes(work.queue);
        let put = puts();
        drop((closes, through));
        match settles.join() {
            Ok(wrong) => {
                let no_thread = refused.filter(|_| started.threads == 0);
                Worked { put, wrong, no_thread }
            }
            Err(panic) => resume_unwind(panic),
        }
    })
}

/// Threads that do tasks. Where the system has none left for some, others do them.
#[derive(Default)]
struct Started {
    threads: usize,
    fewer: usize,
    why: Option<SpawnError>,
}

impl Started {
    fn add<T>(&mut self, started: Result<T, SpawnError>) {
        match started {
            Ok(_) => self.threads += 1,
            Err(why) => {
                self.fewer += 1;
                self.why = Some(why);
            }
        }
    }

    /// Logs and returns why there are fewer than there should be. Where there is none at all, the caller tries again and
    /// logs it.
    fn shortage(&self) -> Option<String> {
        let why = self.why.as_ref()?;
        if self.threads > 0 {
            let fewer = counted(self.fewer, "thread");
            tracing::error!(target: "flow::pool", "there are {fewer} fewer to process files: {why}");
        }
        Some(why.to_string())
    }
}

/// Closes the queue when it goes away: also where a thread panics, so that the others end.
struct Closes<'q>(&'q Queue);

impl Drop for Closes<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Who does the tasks that a thread takes.
#[expect(clippy::large_enum_variant, reason = "a thread has one")]
enum Hand<'w> {
    /// A worker of its own, made when there is something to do.
    Here(Option<Worker<'w>>),
    /// A process beside the gateway's.
    There(&'w Remote<'w>),
}

impl<'w> Hand<'w> {
    /// Does a task up to what is to be settled, if anything is; none where nobody survives it.
    fn perform(
        &mut self,
        work: Work<'w>,
        task: &Task,
        about: &About,
    ) -> Option<Result<Option<Completed<'w>>, JobFailure>> {
        let Work { queue, stop, stretch_octets, hands, .. } = work;
        match self {
            Hand::Here(worker) => {
                let act = |worker: &mut Worker<'w>| {
                    worker.helpers = Some(Helpers { queue: Arc::clone(queue), stretch_octets });
                    let _in_hand = hands.take(about, worker.pulse());
                    worker.perform(task.clone(), stop, || queue.is_closed())
                };
                survived(worker, about, || make(work), act)
            }
            Hand::There(process) => process.perform(task, about),
        }
    }

    /// Helps with a large file, meanwhile.
    fn help(&mut self, work: Work<'w>, file: &Help) {
        match self {
            Hand::Here(worker) => {
                let in_hand = |about: &About, pulse: &Pulse| work.hands.take(about, pulse);
                help(worker, || make(work), work.running, file, work.stop, in_hand);
            }
            Hand::There(_) => unreachable!("nobody else reads a file that a process reads"),
        }
    }
}

fn make(Work { running, journal, .. }: Work<'_>) -> Result<Worker<'_>, StoreError> {
    Worker::new(running, &journal.view, Spill::Journal(journal, &journal.jobs))
}

/// Takes tasks until there will be no more.
fn take_tasks<'w>(
    work: Work<'w>,
    mut hand: Hand<'w>,
    taker: Taker,
    through: &SyncSender<Finished<'w>>,
) {
    let _closes = Closes(work.queue);
    let Work { journal, queue, room, .. } = work;
    while let Some(next) = queue.next(taker) {
        let taken = match next {
            Next::Task(taken) => taken,
            Next::Help(file) => {
                let _works = work.meters.works();
                hand.help(work, &file);
                continue;
            }
        };
        match room.holds(taken.element) {
            Ok(false) => {
                let _works = work.meters.works();
                do_taken(&mut hand, work, taken, through);
            }
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
    hand: &mut Hand<'w>,
    work: Work<'w>,
    Taken { mut task, turn, mut ticket, .. }: Taken,
    through: &SyncSender<Finished<'w>>,
) {
    let asked = match &task {
        Task::Retry(job) => Some(job.clone()),
        _ => None,
    };
    let is_retry = asked.is_some();
    if let Hand::There(process) = hand {
        ticket.is_done_by(process.name());
    }
    let (About { network_element, file, job }, process) = (ticket.about(), ticket.process());
    tracing::debug!(target: FILE_BEGUN, network_element, file, job, process, "begun");
    let done = loop {
        let aside = match hand.perform(work, &task, ticket.about()) {
            Some(Err(JobFailure::SetAside { reason, problem })) => match task.clone() {
                Task::File(job) => file_aside(&work.running.plan.collection, job, &reason),
                _ => break Err(problem.into()),
            },
            Some(done) => break done,
            None => put_aside(&work.running.plan, work.journal, task),
        };
        match aside {
            Ok(PutAside::Otherwise(other)) => task = other,
            Ok(PutAside::File { element, path, reason, told }) => {
                turn.into_iter().for_each(Turn::settled);
                forget_outputs(work.running, element, ticket.about());
                let noted = poison::note(work.journal, &path, reason);
                noted.unwrap_or_else(|error| ticket.problem(error.to_string()));
                ticket.note(|obstacles| obstacles.poison.push((element, path)));
                return ticket.problem(told);
            }
            Ok(PutAside::Records { told }) => return ticket.problem(told),
            Err(problem) => break Err(problem.into()),
        }
    };
    match done {
        // Where nobody settles any more, his end is told.
        Ok(Some(settle)) => drop(through.send(Finished { settle: settle.in_turn(turn), ticket })),
        Ok(None) => {}
        Err(failure) => {
            let no_room_in = match failure {
                JobFailure::WaitForRoom { node, .. } => Some(node),
                _ => None,
            };
            let (is_withdrawn, problem) = match (failure, asked) {
                (JobFailure::Never { problem }, Some(job)) => withdrawn(work.journal, job, problem),
                (failure, _) => (false, failure.problem()),
            };
            turn.into_iter().for_each(|turn| turn.given_up(no_room_in));
            match (is_retry, is_withdrawn) {
                // Nobody waits for it any more.
                (true, true) => {}
                (true, false) => {
                    ticket.note(|obstacles| obstacles.not_retried.push(problem.clone()));
                }
                (false, _) => ticket.note_waiting(problem.clone()),
            }
            ticket.problem(problem);
        }
    }
}

/// Withdraws the request for a retry that never can be done. Returns whether it is withdrawn, and the problem to report.
fn withdrawn(journal: &Transactions, job: RetryJob, problem: String) -> (bool, String) {
    match journal.commit(move |db| job.withdraw(db)) {
        Ok(()) => (true, problem),
        Err(error) => (false, error.to_string()),
    }
}

/// Removes what was begun of the outputs of a file that nobody survives: it will not be begun again.
fn forget_outputs(running: &Running, element: usize, About { file, .. }: &About) {
    let targets = running.plan.topology.reached_targets(element, file);
    // Where another file has one of them in hand by now, it overwrites what lies there.
    if let Ok(claim) = Claim::take(&running.in_hand, targets, file) {
        claim.targets.iter().for_each(|target| transport::forget_interrupted(target));
    }
}
