//! Scans the folders again and again and has their files processed: a circle of network elements at a time, so that
//! none waits for the files of another.
//!
//! ```text
//! at rest ─▶ its files, and what is to be retried ─▶ groups a user asked for ─▶ groups whose time is over
//!    ▲                                                                                     │
//!    └───────────────────────────────── timers that are due ◀──────────────────────────────┘
//! ```

mod round;

use std::collections::BTreeSet;
use std::mem;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use alarm::{Completeness, Condition};
use runtime::shutdown::Shutdown;
use store::{Reader, StoreError};

use crate::commit::Transactions;
use crate::commit::file_ops::FileOps;
use crate::cycle::admission::Room;
use crate::cycle::doubted;
use crate::cycle::retention::Forgetting;
use crate::execute::hangs::Hands;
use crate::execute::job::Task;
use crate::execute::options::RunOptions;
use crate::execute::running::STOP_CHECK_INTERVAL;
use crate::plan::Plan;
use crate::processes::RememberedElsewhere;
use crate::schedule::autoscale::Autoscaler;
use crate::schedule::batch::Reported;
use crate::schedule::queue::{Placed, Queue};
use assurance::sequence;
use collection::added;
use collection::late::{Evidence, Habits};
use collection::orphans;
use collection::scan::{COMPLETE_AFTER, LastScan, alarm_of_inputs};
use collection::strangers::Strangers;
use flow::backlog::Backlog;
use flow::flow_journal::AccessError;
use flow::meters::Now;
use flow::report::Report;
use flow::topology::{Element, Topology};
use round::{Phase, Round};
use state::counters::requests;
use state::groups;
use state::groups::alarm_of_groups;
use state::groups::expiry::ExpiryJob;
use state::timers;
use suspense::{self, RetryJob};

/// The time between two scans.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The search for retries takes at most one part in this many of the time.
const RETRIES_PART: u32 = 20;

/// The signals that end the work on files.
#[derive(Clone, Copy)]
pub(crate) struct Until<'u> {
    pub(crate) stop: &'u Shutdown,
    /// Set when another flow must run, or when something needs all files to be done.
    pub(crate) interrupt: &'u AtomicBool,
}

impl Until<'_> {
    pub(crate) fn is_over(self) -> bool {
        self.stop.is_set() || self.interrupt.load(Ordering::Relaxed)
    }
}

/// The tools of rounds to find tasks and to have them done.
#[derive(Clone, Copy)]
pub(crate) struct Site<'r> {
    pub(crate) plan: &'r Plan,
    pub(crate) remembered: &'r RememberedElsewhere,
    pub(crate) journal: &'r Transactions,
    pub(crate) queue: &'r Arc<Queue>,
    pub(crate) room: &'r Room<'r>,
    pub(crate) hands: &'r Hands,
    pub(crate) options: &'r RunOptions,
    /// Scans the folders.
    pub(crate) collection: FileOps<'r>,
    pub(crate) until: Until<'r>,
}

impl Site<'_> {
    /// Returns whether no task is done any more, or the journal cannot be written.
    fn is_over(&self) -> bool {
        let Site { journal, queue, until, .. } = self;
        until.is_over() || queue.is_closed() || !journal.can_be_written()
    }
}

/// The rounds of all circles of a flow.
pub(crate) struct Rounds<'r> {
    site: Site<'r>,
    reader: Result<Reader, StoreError>,
    rounds: Vec<Round<'r>>,
    past: &'r mut Past,
    /// Set if the number of threads adjusts itself.
    balancing: Option<Autoscaler<'r>>,
    report: Report,
    /// Whether rounds have ended since the last look at alarms.
    has_news: bool,
    /// When to look for retries next.
    retries_at: Instant,
    /// The threads that were last reported to hang.
    hanging: Option<Vec<Condition>>,
}

/// State that outlives a change of the flow.
#[derive(Default)]
pub(crate) struct Past {
    /// The last scans.
    last_scan: LastScan,
    /// The problems of the last rounds.
    reported: Arc<Reported>,
    forgetting: Forgetting,
    /// Files with marks that this gateway did not give.
    strangers: Strangers,
    /// When files usually come and go.
    habits: Habits,
    /// How long records have been in suspense.
    suspense: suspense::Age,
    /// When requests for counters last failed.
    pub(crate) counters_failed: Option<Instant>,
}

/// How long failed requests for counters wait: each attempt ends the work on files.
const COUNTERS_AGAIN: Duration = Duration::from_secs(60);

impl<'r> Rounds<'r> {
    pub(crate) fn new(
        site: Site<'r>,
        balancing: Option<Autoscaler<'r>>,
        past: &'r mut Past,
    ) -> Self {
        let reader = site.journal.reader();
        let round = |circle| Round::new(site, circle, Arc::clone(&past.reported));
        let rounds = site.plan.topology.circles.iter().map(round).collect();
        let (report, has_news, retries_at) = (Report::default(), false, Instant::now());
        Rounds {
            site,
            reader,
            rounds,
            past,
            balancing,
            report,
            has_news,
            retries_at,
            hanging: None,
        }
    }

    /// Runs rounds until a stop, a change of the flow, or, for a run that ends, until all is done.
    pub(crate) fn run(&mut self) {
        if self.site.options.once {
            self.let_fresh_files_rest();
        }
        let mut next = Instant::now();
        while !self.site.is_over() {
            if Instant::now() >= next {
                self.site.journal.beat(|db, shift| {
                    alarm::shift_times(db, shift)?;
                    groups::shift_times(db, shift)?;
                    timers::shift_times(db, shift)
                });
                if self.counters_are_requested() {
                    break;
                }
                self.say_how_it_stands();
                self.tell_news();
                self.tell_hanging();
                self.tell_suspense();
                self.begin(|_| true);
                self.balancing.iter_mut().for_each(Autoscaler::look);
                next = Instant::now() + LOOK_AGAIN;
            }
            while self.advance() {}
            self.begin(|round| round.goes_on());
            let have_ended = self.rounds.iter().all(|round| matches!(round.phase, Phase::Ended));
            if self.site.options.once && have_ended {
                self.tell_suspense();
                self.tell_news();
                break;
            }
            thread::park_timeout(STOP_CHECK_INTERVAL);
        }
    }

    /// Returns whether a user has made requests for counters. The work on files then ends and begins again. A run that
    /// ends when all is done is not interrupted.
    fn counters_are_requested(&self) -> bool {
        let Site { journal, options, until, .. } = self.site;
        // Other readers report errors of the journal.
        let is_any_open = || {
            self.reader
                .as_ref()
                .is_ok_and(|db| journal.answer(requests::is_any_open(db)).unwrap_or(false))
        };
        let may_be_done =
            self.past.counters_failed.is_none_or(|failed| failed.elapsed() >= COUNTERS_AGAIN);
        let is_requested = !options.once && may_be_done && is_any_open();
        if is_requested {
            until.interrupt.store(true, Ordering::Relaxed);
        }
        is_requested
    }

    /// Returns the report when no worker works any more. Its problems, in a run that goes on, are those of now.
    pub(crate) fn end(mut self) -> Report {
        let mut wrong = Reported::new();
        for round in &mut self.rounds {
            if let Some(batch) = round.phase.batch() {
                let done = batch.take().report;
                wrong.extend(done.problems.iter().cloned());
                self.report.add(done);
            }
            wrong.extend(round.reported.iter().chain(&round.problems).cloned());
        }
        if !self.site.options.once {
            self.report.problems = wrong.iter().cloned().collect();
        }
        self.past.reported = Arc::new(wrong);
        self.report
    }

    /// Waits for files that were written to just now, so that the next scan takes them.
    fn let_fresh_files_rest(&mut self) {
        let plan = self.site.plan;
        let elements: Vec<usize> = (0..plan.topology.elements.len()).collect();
        let looked = self.site.collection.look(&elements, &mut self.past.last_scan);
        // No later scan returns them again.
        for (element, marked) in looked.marked {
            self.past.strangers.take_in(&plan.topology.elements[element].name, marked);
        }
        if looked.is_fresh {
            let quiet = plan.collection.sources.iter().map(|source| source.collect.quiet());
            let end = Instant::now() + quiet.fold(COMPLETE_AFTER, Duration::max);
            while !self.site.is_over() && Instant::now() < end {
                thread::park_timeout(STOP_CHECK_INTERVAL.min(end - Instant::now()));
            }
        }
    }

    fn say_how_it_stands(&self) {
        let Site { plan, remembered, journal, queue, options, .. } = self.site;
        let mut waiting = queue.tasks();
        self.rounds.iter().flat_map(Round::waiting).for_each(|(of, files)| waiting[of] += files);
        let names = plan.topology.elements.iter().map(|element| element.name.clone());
        let waiting = names.zip(waiting).collect();
        let folders = plan.topology.systems.iter().map(|system| system.dir().to_path_buf());
        let folders = std::iter::once(plan.topology.state.clone()).chain(folders).collect();
        let nodes = plan.topology.graph.nodes.iter().enumerate();
        let keys = nodes.filter_map(|(place, node)| {
            Some((node.name.clone(), remembered.of(place, &*node.template)?.keys?))
        });
        let (keys, journal_is_written) = (keys.collect(), journal.can_be_written());
        options.meters.look(Now { waiting, keys, folders, journal_is_written, ..Now::default() });
    }

    /// Raises alarms of threads that hang.
    fn tell_hanging(&mut self) {
        let Site { journal, hands, .. } = self.site;
        let Ok(reader) = &self.reader else { return };
        match hands.alarm(&mut self.hanging, journal, reader) {
            Ok(true) => journal.tell_alarms(),
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(target: "flow::rounds", "it is not looked whether threads hang: {error}")
            }
        }
    }

    /// Raises alarms of records in suspense, also while a long round runs.
    fn tell_suspense(&mut self) {
        let Site { plan, journal, .. } = self.site;
        let Ok(reader) = &self.reader else { return };
        let age = &mut self.past.suspense;
        let looked = age.look(&plan.limits, journal, reader).and_then(|()| {
            let (topology, limits) = (&plan.topology, &plan.limits);
            journal.shares.look(topology, limits, journal, reader, age.is_empty())
        });
        match looked {
            Ok(()) => journal.tell_alarms_now_and_then(),
            Err(error) => {
                tracing::warn!(target: "flow::rounds", "suspense was not checked: {error}")
            }
        }
    }

    /// Begins the rounds that rest and are due.
    fn begin(&mut self, is_due: impl Fn(&Round<'_>) -> bool) {
        let begins = |round: &Round<'_>| matches!(round.phase, Phase::Resting) && is_due(round);
        if !self.rounds.iter().any(begins) {
            return;
        }
        let (mut retries, mut tasks) = (self.retries(), Vec::new());
        for round in &mut self.rounds {
            if begins(round) {
                let of_circle = |task: &mut Placed| round.circle.elements.contains(&task.0);
                let own = retries.extract_if(.., of_circle).collect();
                tasks.extend(round.begin(own, self.past, &mut self.report));
            }
        }
        self.site.queue.put(tasks);
    }

    /// Moves each round whose tasks are over one step further. Returns whether there was one.
    fn advance(&mut self) -> bool {
        let mut has_moved = false;
        for round in &mut self.rounds {
            let was_resting = matches!(round.phase, Phase::Resting | Phase::Ended);
            has_moved |= round.advance(&self.reader, &mut self.report);
            let is_resting = matches!(round.phase, Phase::Resting | Phase::Ended);
            self.has_news |= is_resting && !was_resting;
        }
        has_moved
    }

    /// Returns the retries that users asked for. If the search takes long, it is not repeated all the time while they
    /// are in work.
    fn retries(&mut self) -> Vec<Placed> {
        let begun = Instant::now();
        if begun < self.retries_at {
            return Vec::new();
        }
        let found = self.requested_retries();
        self.retries_at = Instant::now() + RETRIES_PART * begun.elapsed();
        found
    }

    fn requested_retries(&mut self) -> Vec<Placed> {
        let reader = self.reader.as_ref().map_err(|error| AccessError::from(error.clone()));
        match reader.and_then(|reader| Ok(RetryJob::all(reader)?)) {
            Ok(jobs) => retries(&self.site.plan.topology, jobs),
            Err(error) => {
                if let Some(first) = self.rounds.first_mut() {
                    first.problem(error.to_string(), &mut self.report);
                }
                Vec::new()
            }
        }
    }

    /// Raises and clears alarms by what the ended rounds found, and forgets what is too old.
    fn tell_news(&mut self) {
        let Site { plan, journal, .. } = self.site;
        if !mem::take(&mut self.has_news) || self.site.is_over() {
            return;
        }
        if let Err(error) = self.alarms()
            && let Some(first) = self.rounds.first_mut()
        {
            first.problem(error.to_string(), &mut self.report);
        }
        let mut resting = self.rounds.iter_mut().filter(|round| !round.is_in_work());
        let of_groups = resting.try_for_each(Round::forget);
        let forgotten = of_groups.and(self.past.forgetting.now_and_then(plan, journal));
        if let Err(error) = forgotten {
            tracing::warn!(target: "flow::rounds", "{error}");
            self.report.problems.push(error.to_string());
        }
        journal.tell_alarms();
        if !self.site.options.once {
            self.report.forget_oldest();
        }
    }

    fn alarms(&mut self) -> Result<(), AccessError> {
        let Site { plan, journal, collection, .. } = self.site;
        let reader = self.reader.as_ref().map_err(Clone::clone)?;
        let mut obstacles = Backlog::default();
        self.rounds.iter().for_each(|round| obstacles.add(&round.obstacles));
        // What was wrong before the gateway started, or before the flow changed, may still be so.
        obstacles.is_all = self.rounds.iter().all(|round| round.knows);
        let known = if obstacles.is_all { Completeness::Complete } else { Completeness::Partial };
        let versions = |paths: &[PathBuf]| collection.versions(paths);
        let on_disk = (&**journal, &**reader, &versions as &dyn Fn(&[PathBuf]) -> _);
        let topology = &plan.topology;
        let names = topology.elements.iter().map(|element| element.name.as_str()).collect();
        let strangers = &mut self.past.strangers;
        let to_be_archived = || match &plan.archive {
            Some(_) => journal.answer(archive::of_unknown_elements(topology, reader)),
            None => Ok(Vec::new()),
        };
        let has_unfinished = journal.has_unfinished.load(Ordering::Relaxed);
        alarm_of_inputs(topology, &obstacles, journal, reader, has_unfinished)
            .and_then(|()| strangers.look(&names, known, on_disk))
            .and_then(|()| added::look(journal, reader, &versions))
            .and_then(|()| doubted::alarm(journal, reader))
            .and_then(|()| alarm_of_groups(topology, &obstacles, journal, reader))
            .and_then(|()| timers::alarm(&obstacles, journal, reader))
            .and_then(|()| {
                orphans::look(topology, &plan.collection, to_be_archived()?, journal, reader)
            })?;
        let in_work = self.rounds.iter().filter(|round| round.is_in_work());
        let in_work = in_work.flat_map(|round| &round.circle.elements);
        let in_work: BTreeSet<&str> =
            in_work.map(|element| topology.elements[*element].name.as_str()).collect();
        let is_once = self.site.options.once;
        let tallies = &journal.meters.tallies();
        let busy = in_work.union(&obstacles.elements(topology)).copied().collect();
        let counted = topology.elements.iter().zip(&plan.assurance.counted);
        let listened_for = counted.filter(|(_, counted)| counted.silent.is_some());
        let listened_for = listened_for.map(|(element, _)| element.name.as_str()).collect();
        let evidence = Evidence {
            flow: topology,
            limits: &plan.limits,
            listened_for: &listened_for,
            journal,
            reader,
            tallies,
            busy: &busy,
            is_once,
        };
        self.past.habits.look(evidence)?;
        sequence::look(topology, &plan.assurance, journal, reader, &in_work)
    }
}

/// Returns retries as tasks of the network elements that the records came from.
pub(crate) fn retries(flow: &Topology, jobs: Vec<RetryJob>) -> Vec<Placed> {
    let placed = |job: RetryJob| {
        let named = |element: &Element| element.name == job.network_element;
        (flow.elements.iter().position(named).unwrap_or(0), Task::Retry(job))
    };
    jobs.into_iter().map(placed).collect()
}

/// Returns expiries as tasks of the network elements that began the groups.
pub(crate) fn expiries(jobs: Vec<ExpiryJob>) -> Vec<Placed> {
    jobs.into_iter().map(|job| (job.element, Task::Expiry(job))).collect()
}
