//! The threads of a gateway: workers, which take tasks from the queue, and the committer.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use diagnostics::counted;
use runtime::affinity;
use runtime::threads::{self, SpawnError};
use store::StoreError;

use crate::commit::Transactions;
use crate::commit::committer;
use crate::commit::committer::{Committer, Finished};
use crate::cycle::admission::Room;
use crate::cycle::poison;
use crate::cycle::poison::{PutAside, file_aside, put_aside, survived};
use crate::execute::crew::{Crew, FileTurn, Help};
use crate::execute::hangs::{Hands, Pulse};
use crate::execute::job::{About, Completed};
use crate::execute::job::{Claim, Task};
use crate::execute::options::RunOptions;
use crate::execute::running::Running;
use crate::execute::worker::{Helpers, JobFailure, Worker, help};
use crate::processes::Remote;
use crate::schedule::queue::{NextWork, Queue, TakenTask, Taker};
use flow::report::{FILE_BEGUN, Report};
use suspense::{RetryJob, Spill};

/// The work of the threads.
#[derive(Clone, Copy)]
pub(crate) struct Work<'w> {
    pub(crate) running: &'w Running,
    pub(crate) journal: &'w Transactions,
    pub(crate) queue: &'w Arc<Queue>,
    /// Where the threads show which task they have in hand.
    pub(crate) hands: &'w Hands,
    pub(crate) room: &'w Room<'w>,
    pub(crate) options: &'w RunOptions,
}

/// The outcome of tasks, besides what each of them reports.
pub(crate) struct Worked<R> {
    /// The return value of the function that put tasks.
    pub(crate) put: R,
    /// Problems that belong to no task.
    pub(crate) wrong: Report,
    /// Why no thread could be started, if so.
    pub(crate) no_thread: Option<String>,
}

/// Runs workers and the committer while `puts` puts tasks into the queue. When it returns, the workers end their
/// current tasks, and all results are committed. If the system has no thread left, nothing is done.
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

/// Counts the started threads. If some cannot be started, the others do their work.
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

    /// Logs and returns why threads are missing. If there are none at all, the caller tries again and logs it.
    fn shortage(&self) -> Option<String> {
        let why = self.why.as_ref()?;
        if self.threads > 0 {
            let fewer = counted(self.fewer, "thread");
            tracing::error!(target: "flow::pool", "there are {fewer} fewer to process files: {why}");
        }
        Some(why.to_string())
    }
}

/// Closes the queue on drop, also after a panic, so that the other threads end.
struct Closes<'q>(&'q Queue);

impl Drop for Closes<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The worker, or the process, that does the tasks of a thread.
#[expect(clippy::large_enum_variant, reason = "a thread has one")]
enum Hand<'w> {
    /// The thread's own worker, made for the first task.
    Here(Option<Worker<'w>>),
    /// A worker process.
    There(&'w Remote<'w>),
}

impl<'w> Hand<'w> {
    /// Performs a task up to the commit. Returns none if it panics or kills its process each time.
    fn perform(
        &mut self,
        work: Work<'w>,
        task: &Task,
        about: &About,
    ) -> Option<Result<Option<Completed<'w>>, JobFailure>> {
        let Work { queue, hands, options: RunOptions { stop, stretch_octets, .. }, .. } = work;
        match self {
            Hand::Here(worker) => {
                let act = |worker: &mut Worker<'w>| {
                    let crew = Arc::clone(queue) as Arc<dyn Crew>;
                    let stretch_octets = *stretch_octets;
                    worker.helpers = Some(Helpers { crew, stretch_octets });
                    let _in_hand = hands.take(about, worker.pulse());
                    worker.perform(task.clone(), stop, || queue.is_closed())
                };
                survived(worker, about, || make(work), act)
            }
            Hand::There(process) => process.perform(task, about),
        }
    }

    /// Helps with a large file.
    fn help(&mut self, work: Work<'w>, file: &Help) {
        match self {
            Hand::Here(worker) => {
                let in_hand = |about: &About, pulse: &Pulse| work.hands.take(about, pulse);
                help(worker, || make(work), work.running, file, &work.options.stop, in_hand);
            }
            Hand::There(_) => unreachable!("a file that a process reads has no other reader"),
        }
    }
}

fn make(Work { running, journal, .. }: Work<'_>) -> Result<Worker<'_>, StoreError> {
    Worker::new(running, &journal.view, Spill::Journal(journal, &journal.jobs))
}

/// Takes tasks until the queue is closed.
fn take_tasks<'w>(
    work: Work<'w>,
    mut hand: Hand<'w>,
    taker: Taker,
    through: &SyncSender<Finished<'w>>,
) {
    let _closes = Closes(work.queue);
    let Work { journal, queue, room, .. } = work;
    let judges = |element: usize| {
        let flow = &work.running.plan.topology;
        let nodes = flow.elements[element].remembering.iter();
        nodes.filter_map(|node| flow.graph.nodes[*node].template.judge())
    };
    let take = |element| judges(element).for_each(|judge| judge.take_file());
    while let Some(next) = queue.next(taker, take) {
        let taken = match next {
            NextWork::Task(taken) => taken,
            NextWork::Help(file) => {
                let _works = work.options.meters.works();
                hand.help(work, &file);
                continue;
            }
        };
        let element = taken.element;
        match room.holds(element) {
            Ok(false) => {
                let _works = work.options.meters.works();
                do_taken(&mut hand, work, taken, through);
            }
            // The next scan finds it again.
            Ok(true) => drop(taken),
            Err(error) => taken.ticket.problem(error.to_string()),
        }
        judges(element).for_each(|judge| judge.leave_file());
        journal.tell_alarms_now_and_then();
        if journal.has_failed.load(Ordering::Relaxed) {
            break;
        }
    }
}

/// Performs a task and sends the result to the committer.
fn do_taken<'w>(
    hand: &mut Hand<'w>,
    work: Work<'w>,
    TakenTask { mut task, turn, mut ticket, .. }: TakenTask,
    through: &SyncSender<Finished<'w>>,
) {
    let retry = match &task {
        Task::Retry(job) => Some(job.clone()),
        _ => None,
    };
    let is_retry = retry.is_some();
    if let Hand::There(process) = hand {
        ticket.is_done_by(process.name());
    }
    let (About { network_element, file, job }, process) = (ticket.about(), ticket.process());
    tracing::debug!(target: FILE_BEGUN, network_element, file, job, process, "begun");
    let done = loop {
        let aside = match hand.perform(work, &task, ticket.about()) {
            Some(Err(JobFailure::SetAside { reason, problem })) => match task.clone() {
                Task::File(job) => file_aside(&work.running.plan.collection, job, reason),
                _ => break Err(JobFailure::TryAgain { problem }),
            },
            Some(done) => break done,
            None => put_aside(&work.running.plan, work.journal, task),
        };
        match aside {
            Ok(PutAside::Otherwise(other)) => task = other,
            Ok(PutAside::File { element, path, reason, message }) => {
                turn.into_iter().for_each(FileTurn::settled);
                forget_outputs(work.running, element, ticket.about());
                let of = &work.running.plan.collection.sources[element].network_element;
                let noted = poison::note(work.journal, of, &path, reason);
                noted.unwrap_or_else(|error| ticket.problem(error.to_string()));
                ticket.note(|obstacles| obstacles.poison.push((element, path)));
                return ticket.problem(message);
            }
            Ok(PutAside::Records { message }) => return ticket.problem(message),
            Err(error) => break Err(error.into()),
        }
    };
    match done {
        // If the committer has ended, its own end is reported.
        Ok(Some(settle)) => drop(through.send(Finished {
            settle: settle.in_turn(turn.map(|turn| turn as Box<dyn FileTurn>)),
            ticket,
        })),
        Ok(None) => {}
        Err(failure) => {
            let no_room_in = match failure {
                JobFailure::WaitForRoom { node, .. } => Some(node),
                _ => None,
            };
            let (is_withdrawn, problem) = match (failure, retry) {
                (JobFailure::Never { problem }, Some(job)) => withdrawn(work.journal, job, problem),
                (failure, _) => (false, failure.problem()),
            };
            turn.into_iter().for_each(|turn| turn.given_up(no_room_in));
            match (is_retry, is_withdrawn) {
                // The request is gone.
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

/// Removes the temporary outputs of a file that kills its workers: it will not be tried again.
fn forget_outputs(running: &Running, element: usize, About { file, .. }: &About) {
    let targets = running.plan.topology.reached_targets(element, file);
    // If another file has claimed one of them by now, it overwrites it.
    if let Ok(claim) = Claim::take(&running.in_hand, targets, file) {
        claim.targets.iter().for_each(|target| transport::forget_interrupted(target));
    }
}
