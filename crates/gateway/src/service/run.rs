//! Runs a flow, and takes changes of its file.

use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use alarm::notification::{self, DirectSender, Source};
use diagnostics::{Diagnostic, counted};
use journal::Journal;
use runtime::control_socket::ControlSocket;
use runtime::join_deadline::Joiner;
use runtime::shutdown::Shutdown;
use runtime::threads::{self, SpawnError};
use store::StoreError;

use crate::commit::Transactions;
use crate::commit::committer::Committer;
use crate::commit::file_ops::FileOps;
use crate::compile::alarms::ALARMS;
use crate::compile::prepare::{Parts, Preparation, Prepared, Sandbox, prepare, prepare_at_rest};
use crate::cycle::admission;
use crate::cycle::admission::Room;
use crate::cycle::pool::{Work, Worked, with_workers};
use crate::cycle::rounds::{Past, Rounds, Site, Until, expiries, retries};
use crate::execute::hangs::Hands;
use crate::execute::options::RunOptions;
use crate::execute::running::{Running, STOP_CHECK_INTERVAL};
use crate::plan::Plan;
use crate::processes::{self, Processes, RememberedElsewhere};
use crate::schedule::autoscale::{Autoscaler, ThreadRange};
use crate::schedule::batch::Batch;
use crate::schedule::queue::{Placed, Queue};
use crate::schedule::worker_plan::{WorkerPlan, parted};
use crate::service::reload::{ReloadCoordinator, listen, watch};
use archive::{self, Archived, Archivist};
use collection::fetch;
use collection::fetch::Pull;
use collection::push::PushServers;
use distribution::DeliveryService;
use flow::file;
use flow::flow_journal::JournalError;
use flow::report::Report;
use flow::schema::SCHEMA;
use flow::topology::Topology;
use state::counters::requests;
use state::groups::request;
use state::in_memory;
use state::key_index;
use suspense::RetryJob;

/// The target of log events about the number of threads.
const SIZES: &str = "flow::balance";

/// The pause before the next attempt to begin.
const TRIED_AGAIN: Duration = Duration::from_secs(1);

/// The time between two looks whether a snapshot of state in memory is due.
const SNAPSHOTS_LOOK: Duration = Duration::from_millis(200);

/// The wait after a snapshot that could not be written.
const SNAPSHOTS_TRIED_AGAIN: Duration = Duration::from_secs(30);

/// Why a flow does not run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The flow file, or a file that it names, has mistakes. Nothing was processed.
    #[error("the flow has {}; nothing was processed", counted(.0.len(), "mistake"))]
    Mistakes(Vec<Diagnostic>),
    /// There is no journal. Nothing was processed.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Runs a flow. While it runs, a change of its files takes effect between two input files, if the new flow has no
/// mistakes. [`reload`](crate::service::reload()) asks for that and returns the outcome.
pub fn run(path: &Path, parts: Parts<'_>, options: &RunOptions) -> Result<Report, RunError> {
    let read = SystemTime::now();
    let prepared = prepare_at_rest(path, parts);
    let diagnostics = &prepared.diagnostics;
    for warning in diagnostics.iter().filter(|_| !diagnostics::has_errors(diagnostics)) {
        tracing::warn!(target: "flow::run", "{warning}");
    }
    run_prepared(prepared, (path, read), parts, options)
}

/// Waits until there is room for the journal of a flow, or a stop. Meanwhile it sends the alarm over the flow's
/// channels.
pub fn wait_for_room(path: &Path, parts: Parts<'_>, stop: &Shutdown) {
    let Ok(state) = file::outline(path).map(|file| file.state) else { return };
    if journal::no_room_to_write(&state).is_some() {
        let direct = DirectSender::new(name(path), &state, &SCHEMA);
        if let Some(plan) = prepare(path, parts).plan {
            direct.follow(&plan.channels);
        }
        admission::wait_for_room(&state, stop);
    }
}

/// Runs a flow in a sandbox, once.
pub fn run_elsewhere(
    path: &Path,
    parts: Parts<'_>,
    options: &RunOptions,
    elsewhere: &Sandbox,
) -> Result<Report, RunError> {
    let mut options = RunOptions { once: true, program: None, ..options.clone() };
    let read = SystemTime::now();
    let prepared = Preparation::new(path, parts).elsewhere(elsewhere).prepare();
    for source in prepared.plan.iter().flat_map(|plan| &plan.collection.sources) {
        // A network element without files is no problem.
        if let Err(error) = std::fs::create_dir_all(&source.collect.dir) {
            tracing::warn!(target: "flow::run", "could not make \"{}\": {error}", source.collect.dir.display());
        }
    }
    // If nodes keep state, records must come in the same order each time.
    let mut elements = prepared.plan.iter().flat_map(|plan| &plan.topology.elements);
    if elements.any(|element| !element.remembering.is_empty()) {
        options.workers = 1;
    }
    run_prepared(prepared, (path, read), parts, &options)
}

fn run_prepared(
    prepared: Prepared,
    (path, read): (&Path, SystemTime),
    parts: Parts<'_>,
    options: &RunOptions,
) -> Result<Report, RunError> {
    let plan = prepared.sound().map_err(RunError::Mistakes)?;
    let direct = DirectSender::new(name(path), &plan.topology.state, &SCHEMA);
    if !options.once {
        direct.follow(&plan.channels);
        if !admission::wait_for_room(&plan.topology.state, &options.stop) {
            return Ok(Report::default());
        }
    }
    let folders = (path, plan.topology.state.as_path());
    let mut journal = Transactions::open(folders, !options.unjournaled, options.clock)?;
    journal.meters = Arc::clone(&options.meters);
    let last_job = journal.last_job().map_err(JournalError::from)?;
    journal.meters.has_journal(journal.commits(), last_job);
    let journal = Arc::new(journal);
    if journal.view.is_written {
        journal.note_gone().map_err(JournalError::from)?;
    }
    if let Some(marked) = marked_before(&plan, &journal) {
        tracing::warn!(target: "flow::run", "{marked}");
    }
    let options = &RunOptions { apart: is_apart(&plan, &journal, options), ..options.clone() };
    let coordinator = ReloadCoordinator::new(&plan, &journal);
    let socket = (!options.once)
        .then(|| ControlSocket::bind(&plan.topology.state))
        .transpose()
        .unwrap_or_else(|error| {
            tracing::warn!(target: "flow::run", "\"tollgate reload\" cannot ask this gateway: {error}");
            None
        });
    let crew = WorkerPlan::of(&plan, options);
    let restored =
        state::restore(&plan.topology, &plan.keepings, (&journal, &journal.unused), |node| {
            crew.is_here(node)
        });
    for message in restored.map_err(JournalError::from)? {
        tracing::info!(target: "flow::run", "{message}");
    }
    let (ears, ended) = (PushServers::default(), Shutdown::default());
    thread::scope(|scope| {
        let _end = (coordinator.ends(), ended.set_on_drop());
        let deliveries = DeliveryService::new(
            Arc::clone(&journal.journal),
            Arc::clone(&journal.meters),
            options.once,
            &options.stop,
        );
        let tell = |started: Result<_, SpawnError>, what: &str| {
            if let Err(why) = started.map(drop::<thread::ScopedJoinHandle<'_, ()>>) {
                tracing::error!(target: "flow::run", "{what}: {why}");
            }
        };
        if let Some(socket) = &socket {
            let listens =
                threads::spawn_scoped(scope, || listen(socket, &coordinator, path, parts));
            tell(listens, "\"tollgate reload\" cannot ask this gateway");
        }
        if !options.once {
            let watches = threads::spawn_scoped(scope, || watch(&coordinator, read, path, parts));
            tell(watches, "changes of the flow are not taken until the gateway is started again");
            let listens = || ears.listen(&journal, &ended);
            tell(threads::spawn_scoped(scope, listens), "files cannot be pushed");
        }
        let mut report = Gateway::new(&journal, &direct, &ears, options).run(
            plan,
            path,
            &coordinator,
            &deliveries,
        );
        report.problems.extend(deliveries.end());
        journal.tell_alarms();
        options.meters.ended();
        Ok(report)
    })
}

/// Returns the name of a flow in alarms.
fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns whether files are processed in worker processes. If a file may have crashed the last gateways, it then
/// crashes only a process and is found that way.
fn is_apart(plan: &Plan, journal: &Transactions, options: &RunOptions) -> bool {
    if !journal.crashed_repeatedly || options.program.is_none() {
        return options.apart;
    }
    let happened = "the last two gateways of this flow did not end in order, perhaps since a file brought them down";
    match parted(plan) {
        None => tracing::warn!(
            target: "flow::run",
            "{happened}: until this one ends, files are processed beside it, and one that does that is set aside"
        ),
        Some((one, other)) => tracing::warn!(
            target: "flow::run",
            "{happened}: which one cannot be found, since \"{one}\" and \"{other}\" meet in a node, and are in \
             different groups"
        ),
    }
    true
}

/// Returns a warning if the journal is new although a gateway ran here before: files from before are not known.
fn marked_before(plan: &Plan, journal: &Transactions) -> Option<String> {
    if !journal.is_new || !journal.view.is_written {
        return None;
    }
    let marked = plan.collection.sources.iter().find_map(|source| source.collect.marked())?;
    Some(format!(
        "there was no journal in \"{}\", so a new one is begun, though \"{}\" was done before: what came before is \
         not known, see docs/how-to/recover-from-a-damaged-journal.md",
        plan.topology.state.display(),
        marked.display()
    ))
}

/// A running gateway. Its flow may change.
struct Gateway<'g> {
    journal: &'g Arc<Transactions>,
    /// Sends the alarms that the journal cannot hold.
    direct: &'g DirectSender,
    /// The servers that files are pushed to.
    ears: &'g PushServers,
    options: &'g RunOptions,
    past: Past,
    report: Report,
    /// Why no thread could be started, as last reported.
    no_thread: Option<String>,
}

impl<'g> Gateway<'g> {
    fn new(
        journal: &'g Arc<Transactions>,
        direct: &'g DirectSender,
        ears: &'g PushServers,
        options: &'g RunOptions,
    ) -> Self {
        let (past, report, no_thread) = Default::default();
        Gateway { journal, direct, ears, options, past, report, no_thread }
    }

    fn run(
        mut self,
        plan: Plan,
        path: &Path,
        coordinator: &ReloadCoordinator<'_>,
        deliveries: &DeliveryService,
    ) -> Report {
        let Gateway { journal, options, .. } = self;
        let source = Source { service: &name(path), registry: ALARMS, journal };
        let start = Instant::now();
        deliveries.follow(&plan.topology, &plan.distribution);
        let mut running = Running::new(plan);
        loop {
            let plan = &running.plan;
            // No work is in hand here.
            let carried_out = requests::carry_out(&plan.topology, journal);
            journal.tell_alarms();
            if let Err(error) = carried_out {
                tracing::error!(target: "flow::run", "what was asked of counters waits: {error}");
                if options.once {
                    self.report.problems.push(error.to_string());
                }
                self.past.counters_failed = Some(Instant::now());
                if !self.can_go_on() {
                    break;
                }
            }
            let until = Until { stop: &options.stop, interrupt: coordinator.requested() };
            self.ears.follow(&plan.collection.listened);
            thread::scope(|scope| {
                let served = Shutdown::default();
                let _end = served.set_on_drop();
                notification::run(scope, source, &plan.channels, &served);
                actions::run(scope, actions::Source { journal }, &plan.actions, &served);
                self.serve_beside_fetching(&running, path, until);
            });
            if !self.can_go_on() || options.once || options.stop.is_set() {
                break;
            }
            if let Some(next) = coordinator.take() {
                running = Running::new(next);
                let plan = &running.plan;
                deliveries.follow(&plan.topology, &plan.distribution);
                self.direct.follow(&plan.channels);
                if !self.restore(plan) {
                    break;
                }
            }
        }
        // In a run without end, the last files stay last.
        if options.once {
            self.report.sort();
        }
        self.report.seconds = start.elapsed().as_secs_f64();
        self.report
    }

    /// Runs [`serve`](Self::serve) while threads fetch files from remote places. In a run that ends, fetches first.
    fn serve_beside_fetching(&mut self, running: &Running, path: &Path, until: Until<'_>) {
        let Gateway { journal, options, .. } = *self;
        if let Err(error) = fetch::forget_others(&running.plan.collection.pulls, journal) {
            tracing::warn!(target: "flow::run", "{error}");
        }
        let ended = options.stop.child();
        let start = |pull: &Arc<Pull>| {
            let (pull, journal) = (Arc::clone(pull), Arc::clone(journal));
            let (ended, once) = (ended.clone(), options.once);
            let name = pull.network_element.clone();
            let started = threads::spawn(move || match once {
                true => fetch::fetch_once(&pull, &journal, &ended),
                false => {
                    fetch::fetch(&pull, &journal, &ended);
                    Vec::new()
                }
            });
            started.map_err(|why| format!("{name}: no files are fetched: {why}"))
        };
        let (fetching, refused): (Vec<_>, Vec<_>) =
            running.plan.collection.pulls.iter().map(start).partition(Result::is_ok);
        for problem in refused.into_iter().filter_map(Result::err) {
            tracing::error!(target: "flow::run", "{problem}");
            self.report.problems.push(problem);
        }
        let fetching: Vec<_> = fetching.into_iter().flatten().collect();
        let end = ended.set_on_drop();
        let mut joiner = Joiner::new(|| options.stop.is_set());
        let mut join = |fetching: Vec<JoinHandle<Vec<String>>>| {
            fetching.into_iter().filter_map(|thread| joiner.join(thread)).flatten().collect()
        };
        if options.once {
            let messages: Vec<String> = join(fetching);
            self.report.problems.extend(messages);
            return self.serve(running, path, until);
        }
        self.serve(running, path, until);
        drop(end);
        let _: Vec<String> = join(fetching);
    }

    /// Processes files until a stop or a change of the flow, or, in a run that ends, until all is done.
    fn serve(&mut self, running: &Running, path: &Path, until: Until<'_>) {
        let Gateway { journal, options, .. } = *self;
        let (plan, remembered) = (&running.plan, &Arc::default());
        let room = match Room::new(plan, remembered, journal) {
            Ok(room) => room,
            Err(error) => return self.cannot_begin(error.to_string(), until),
        };
        journal.tell_alarms();
        let crew = WorkerPlan::of(plan, options);
        if let (true, Some((one, other))) = (options.processes > 1, parted(plan)) {
            tracing::warn!(
                target: "flow::run",
                "there are no processes, since \"{one}\" and \"{other}\" meet in a node, and are in different groups"
            );
        }
        let gateway = options.program.as_ref().map(|program| processes::ProcessHost {
            program,
            path,
            running,
            remembered,
            journal,
            stop: &options.stop,
            stretch_octets: options.stretch_octets,
        });
        journal.view.set_workers(crew.threads.len());
        let processes = Processes::new(&crew, gateway);
        options.meters.runs();
        self.tell_sizes(&crew, plan);
        let mut settler =
            Committer::new(running, journal, processes.distribution(&plan.collection));
        while !settler.deliver_unfinished() {
            self.report.add(settler.take_report());
            if options.once || rest(until) {
                return;
            }
        }
        self.report.add(settler.take_report());
        let queue = Queue::new(&plan.topology, &plan.workload, &crew);
        let hands = Hands::default();
        let work = Work { running, journal, queue: &queue, hands: &hands, room: &room, options };
        let collection = processes.collection(&plan.collection);
        let (queue_of, room_of, hands_of) = (&queue, &room, &hands);
        let site = Site {
            plan,
            remembered,
            journal,
            queue: queue_of,
            room: room_of,
            hands: hands_of,
            options,
            collection,
            until,
        };
        let most = crew.threads.iter().filter(|taker| taker.balanced.is_some()).count();
        let balancing = crew
            .balanced
            .map(|usual| Autoscaler::new(&queue, &options.meters, ThreadRange { usual, most }));
        let mut rounds = Rounds::new(site, balancing, &mut self.past);
        let over = options.stop.child();
        let has_index = journal.view.is_written && has_index(journal);
        let Worked { put: (), mut wrong, no_thread } = thread::scope(|scope| {
            let (_watched, end) = mpsc::channel();
            let processes = &processes;
            let watches =
                threads::spawn_scoped(scope, move || processes::watch(processes, journal, &end));
            if let Err(why) = watches {
                tracing::warn!(target: "flow::run", "it is not looked whether processes hang: {why}");
            }
            let is_over = &over;
            if in_memory::has_snapshots(&plan.topology) {
                let snapshots = threads::spawn_scoped(scope, move || {
                    write_snapshots(&plan.topology, remembered, journal, is_over);
                });
                if let Err(why) = snapshots {
                    tracing::warn!(target: "flow::run", "no snapshots of state are written: {why}");
                }
            }
            let archived = Archived {
                flow: &plan.topology,
                collection: &plan.collection,
                disk_free: plan.reserves.disk_free,
            };
            let archivist = plan.archive.as_ref();
            let archivist =
                archivist.and_then(|settings| Archivist::new(archived, settings, journal));
            let archive = archivist.map(|archivist| {
                let (is_over, stop) = (&over, &options.stop);
                let until = archive::Until { is_over, all: options.once, stop };
                threads::spawn_scoped(scope, move || archivist.run(until))
            });
            let archive = archive.and_then(|archive| {
                archive
                    .map_err(
                        |why| tracing::error!(target: "flow::run", "nothing is archived: {why}"),
                    )
                    .ok()
            });
            let index = has_index.then(|| {
                let (is_over, stop) = (&over, &options.stop);
                let until = key_index::Until { is_over, all: options.once, stop };
                threads::spawn_scoped(scope, move || key_index::run(&plan.topology, journal, until))
            });
            let index = index.and_then(|index| {
                let failed = |why| tracing::error!(target: "flow::run", "no index of keys is written: {why}");
                index.map_err(failed).ok()
            });
            let _over = over.set_on_drop();
            let done =
                with_workers(work, &crew.threads, &processes.processing, settler, || rounds.run());
            over.set();
            for thread in [archive, index].into_iter().flatten() {
                match thread.join() {
                    Ok(Some(problem)) if options.once => self.report.problems.push(problem),
                    Ok(_) => {}
                    Err(_) => {
                        tracing::error!(target: "flow::run", "the thread of the archive or of an index broke off");
                    }
                }
            }
            done
        });
        if !options.once {
            self.report.problems.clear();
        }
        self.report.add(rounds.end());
        wrong.problems.extend(no_thread.clone());
        self.report.add(wrong);
        let (is_tried_again, before) =
            (no_thread.is_some() && !options.once, self.no_thread.take());
        if let Some(problem) = no_thread.as_ref().filter(|_| before != no_thread) {
            tracing::error!(target: "flow::run", "{problem}");
        }
        self.no_thread = no_thread;
        if is_tried_again {
            rest(until);
        }
        if !options.once {
            self.report.forget_oldest();
        }
    }

    /// Reports the number of threads at the start, and why. In a run that ends, only at debug level.
    fn tell_sizes(&self, crew: &WorkerPlan, plan: &Plan) {
        let decision = crew.decision(plan);
        match self.options.once {
            true => tracing::debug!(target: SIZES, "{}: {}", decision.what, decision.why),
            false => tracing::info!(target: SIZES, "{}: {}", decision.what, decision.why),
        }
        self.options.meters.begins_with(crew.sizes(plan), decision);
    }

    /// Reports why it cannot begin, and waits a while.
    fn cannot_begin(&mut self, problem: String, until: Until<'_>) {
        tracing::error!(target: "flow::run", "{problem}");
        self.report.problems.push(problem);
        if !self.options.once {
            rest(until);
        }
    }

    /// Returns whether the journal is there and can be written.
    fn can_go_on(&mut self) -> bool {
        if !self.journal.is_there() {
            let gone = "the journal is gone, or another lies in its place: the gateway ends, since what it notes would be lost";
            tracing::error!(target: "flow::run", "{gone}");
            self.report.problems.push(gone.into());
            return false;
        }
        let can_be_written = self.journal.can_be_written();
        if !can_be_written {
            tracing::error!(
                target: "flow::run",
                "the journal can no longer be written: the gateway ends, and may be started again",
            );
        }
        can_be_written
    }

    /// Restores the state of nodes for a changed flow. Returns whether the journal could be read.
    fn restore(&self, plan: &Plan) -> bool {
        let crew = WorkerPlan::of(plan, self.options);
        match state::restore(
            &plan.topology,
            &plan.keepings,
            (self.journal, &self.journal.unused),
            |node| crew.is_here(node),
        ) {
            Ok(messages) => {
                messages.iter().for_each(|message| tracing::info!(target: "flow::run", "{message}"))
            }
            Err(error) => {
                tracing::error!(target: "flow::run", "the gateway ends: {error}");
                return false;
            }
        }
        tracing::info!(target: "flow::run", "the flow has changed: from now on it runs as it is now");
        true
    }
}

/// Writes the snapshots of state in memory that are due, of this process and of others, until it is over. Jobs go on
/// meanwhile.
fn write_snapshots(
    flow: &Topology,
    elsewhere: &RememberedElsewhere,
    journal: &Journal,
    is_over: &Shutdown,
) {
    while !is_over.wait(SNAPSHOTS_LOOK) {
        let of_others = elsewhere.take_snapshots();
        let written = of_others
            .into_iter()
            .try_for_each(|rows| in_memory::write(journal, rows))
            .and_then(|()| in_memory::write_due(flow, journal));
        // The deltas stay, so nothing is lost.
        if let Err(error) = written {
            tracing::warn!(target: "flow::run", "a snapshot of state was not written: {error}");
            is_over.wait(SNAPSHOTS_TRIED_AGAIN);
        }
    }
}

/// Returns whether there is an index of keys, of a node that is there or was.
fn has_index(journal: &Journal) -> bool {
    let indexes = journal.reader().and_then(|reader| journal.answer(key_index::indexes(&reader)));
    indexes.map_or(true, |indexes| !indexes.is_empty())
}

/// Waits a while, or until it is over. Returns whether it is over.
fn rest(until: Until<'_>) -> bool {
    let end = Instant::now() + TRIED_AGAIN;
    while !until.is_over() && Instant::now() < end {
        thread::sleep(STOP_CHECK_INTERVAL);
    }
    until.is_over()
}

/// Does all that users asked for and nothing else, while no gateway runs the flow.
pub fn carry_out_requests(
    plan: Plan,
    journal: &Transactions,
    options: &RunOptions,
) -> Result<Report, StoreError> {
    let (running, remembered) = (&Running::new(plan), &RememberedElsewhere::default());
    let plan = &running.plan;
    state::restore(&plan.topology, &plan.keepings, (journal, &journal.unused), |_| true)?
        .iter()
        .for_each(|message| tracing::info!(target: "flow::run", "{message}"));
    requests::carry_out(&plan.topology, journal)?;
    journal.tell_alarms();
    let reader = journal.reader()?;
    let room = Room::new(plan, remembered, journal)?;
    let mut settler = Committer::new(running, journal, FileOps::Here(&plan.collection));
    if !settler.deliver_unfinished() {
        return Ok(settler.take_report());
    }
    let mut report = settler.take_report();
    let crew = WorkerPlan::here(plan, options);
    journal.view.set_workers(crew.threads.len());
    let queue = Queue::new(&plan.topology, &plan.workload, &crew);
    let hands = Hands::default();
    let work = Work { running, journal, queue: &queue, hands: &hands, room: &room, options };
    let queue_requests = || -> Result<(), StoreError> {
        let retried = journal.answer(RetryJob::all(&reader))?;
        report.add(done(plan, &queue, retries(&plan.topology, retried), options));
        let ended = journal.answer(request::requested(&plan.topology, &reader))?;
        report.add(done(plan, &queue, expiries(ended), options));
        Ok(())
    };
    let worked = with_workers(work, &crew.threads, &[], settler, queue_requests);
    worked.put?;
    report.add(worked.wrong);
    report.problems.extend(worked.no_thread);
    report.problems.extend(room.short(&(0..plan.topology.elements.len()).collect::<Vec<_>>())?);
    Ok(report)
}

/// Has tasks done and waits for them, or until a stop.
fn done(plan: &Plan, queue: &Arc<Queue>, tasks: Vec<Placed>, options: &RunOptions) -> Report {
    let batch = Batch::new(Arc::default());
    queue.put(batch.of(&plan.topology, tasks));
    while !batch.is_over() && !queue.is_closed() && !options.stop.is_set() {
        thread::park_timeout(STOP_CHECK_INTERVAL);
    }
    batch.take().report
}
