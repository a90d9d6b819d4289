//! The round of one circle of network elements.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use diagnostics::visible;
use node::GroupId;
use store::{Reader, StoreError};

use super::{Past, Site, expiries};
use crate::cycle::retention::Forgetting;
use crate::execute::job::Task;
use crate::schedule::batch::{Batch, Completion, Found, Reported};
use crate::schedule::queue::{Left, Placed};
use collection::fetch::Pull;
use collection::scan::Look;
use collection::sources::FileJob;
use flow::backlog::{Backlog, Behind, Ending, Unsettled};
use flow::coupling::CoupledElements;
use flow::flow_journal::AccessError;
use flow::report::Report;
use state::groups::expiry::ExpiryJob;
use state::groups::request;
use state::timers::due::{TimerId, TimerJob};

/// How far a round is.
pub(super) enum Phase {
    Resting,
    /// Files are processed, and records retried.
    Files(Arc<Batch>),
    /// Groups end because a user asked for it.
    Requested(Arc<Batch>),
    /// Groups end because their time is over. Groups with greater numbers than this are still to be looked for.
    Over(Arc<Batch>, Option<GroupId>),
    /// Timers fire that are due. Those with greater numbers than this are looked for next, at most so often.
    Timers(Arc<Batch>, TimerId, usize),
    /// No other round follows.
    Ended,
}

impl Phase {
    /// Returns the batch of tasks that it waits for.
    pub(super) fn batch(&self) -> Option<&Arc<Batch>> {
        match self {
            Phase::Files(batch)
            | Phase::Requested(batch)
            | Phase::Over(batch, _)
            | Phase::Timers(batch, ..) => Some(batch),
            Phase::Resting | Phase::Ended => None,
        }
    }
}

/// How often a round looks for timers. A timer that fires may set one that is due at once. The next round fires the rest, so
/// a node that always does so does not stop the collection of files.
const TIMERS_LOOKED_FOR_MAX: usize = 1_000;

/// The round of a circle.
pub(super) struct Round<'r> {
    site: Site<'r>,
    pub(super) circle: &'r CoupledElements,
    pub(super) phase: Phase,
    /// The obstacles of the last round, and of this one so far.
    pub(super) obstacles: Backlog,
    found: Backlog,
    /// The problems of the last round, and of this one so far.
    pub(super) reported: Arc<Reported>,
    pub(super) problems: Reported,
    forgetting: Forgetting,
    /// The files that wait for a step of their own.
    left: VecDeque<FileJob>,
    /// The file whose step runs.
    step: Option<FileJob>,
    /// Whether the folders were scanned before, so that it is known what is there.
    is_known: bool,
    /// Whether such a round has ended.
    pub(super) knows: bool,
    /// The fetchers of its network elements.
    pulls: Vec<&'r Pull>,
    /// Whether the last round had no obstacle.
    is_free: bool,
}

impl<'r> Round<'r> {
    pub(super) fn new(
        site: Site<'r>,
        circle: &'r CoupledElements,
        reported: Arc<Reported>,
    ) -> Self {
        let is_own = |pull: &&Pull| {
            let name = |element: &usize| &site.plan.topology.elements[*element].name;
            circle.elements.iter().any(|element| *name(element) == pull.network_element)
        };
        let pulls = site.plan.collection.pulls.iter().map(|pull| &**pull).filter(is_own);
        Round {
            site,
            circle,
            phase: Phase::Resting,
            obstacles: Backlog::default(),
            found: Backlog::default(),
            reported,
            problems: Reported::new(),
            forgetting: Forgetting::default(),
            left: VecDeque::new(),
            step: None,
            is_known: false,
            knows: false,
            pulls: pulls.collect(),
            is_free: true,
        }
    }

    /// Returns whether the next round begins at once, because files were fetched. Only if all its network elements are
    /// fetched: others need time to see whether files are still written to.
    pub(super) fn goes_on(&self) -> bool {
        let are_all_fetched = self.pulls.len() == self.circle.elements.len();
        self.is_free && are_all_fetched && self.pulls.iter().any(|pull| pull.has_arrivals())
    }

    /// Returns whether files of the circle are in work, or it is not yet known which are there.
    pub(super) fn is_in_work(&self) -> bool {
        !self.is_known || !matches!(self.phase, Phase::Resting | Phase::Ended)
    }

    /// Returns how many files wait outside the queue, by network element: those that stay until the next scan, and
    /// those that wait for a step of their own.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (usize, usize)> {
        let is_resting = matches!(self.phase, Phase::Resting | Phase::Ended);
        let Backlog { staying, .. } = if is_resting { &self.obstacles } else { &self.found };
        staying.iter().copied().chain(self.left.iter().map(|job| (job.element, 1)))
    }

    /// Forgets groups of its nodes that are too old, if that is due.
    pub(super) fn forget(&mut self) -> Result<(), StoreError> {
        let Site { plan, journal, .. } = self.site;
        match self.circle.holding.as_slice() {
            [] => Ok(()),
            nodes => self.forgetting.groups_now_and_then(plan, journal, nodes),
        }
    }

    /// Reports a problem. Logs it only if the last round did not have it.
    pub(super) fn problem(&mut self, problem: String, report: &mut Report) {
        if !self.reported.contains(&problem) {
            tracing::warn!(target: "flow::rounds", "{problem}");
        }
        self.problems.insert(problem.clone());
        report.problems.push(problem);
    }

    /// Scans the folders. Returns the tasks for the files there, after the retries.
    pub(super) fn begin(
        &mut self,
        mut tasks: Vec<Placed>,
        past: &mut Past,
        report: &mut Report,
    ) -> Vec<(Placed, Completion)> {
        self.pulls.iter().for_each(|pull| pull.forget_arrivals());
        let looked = self.site.collection.look(&self.circle.elements, &mut past.last_scan);
        let Look { jobs, problems, unreadable, linked, poison, is_first, .. } = looked;
        self.is_known = !is_first;
        for problem in problems {
            self.problem(problem, report);
        }
        let left = if self.is_last_look() { looked.unsettled } else { Vec::new() };
        for (_, path) in left {
            let path = path.display().to_string();
            let left = "is left for the next run: it may still be written to";
            self.problem(format!("\"{}\" {left}", visible(&path)), report);
        }
        // Files there may complete groups that wait. What lies in an unreadable folder is unknown.
        let unsettled =
            |(element, _): &(usize, String)| Unsettled { element: *element, no_room_in: None };
        self.found.unsettled.extend(unreadable.iter().map(unsettled));
        (self.found.unreadable, self.found.linked) = (unreadable, linked);
        self.found.poison = poison;
        self.found.left_alone = looked.left_alone;
        self.found.unsettled_long = looked.unsettled_long;
        // Even if this round fails: no later scan returns them again.
        for (element, marked) in looked.marked {
            past.strangers.take_in(&self.site.plan.topology.elements[element].name, marked);
        }
        let (files, retries) = (jobs.len(), tasks.len());
        if files + retries > 0 {
            tracing::debug!(target: "flow::rounds", files, retries, "to be done");
        }
        match self.circle.is_stepwise {
            // Retries have a step of their own too.
            true => {
                self.left = in_turn(jobs);
                let first = if tasks.is_empty() { self.left.pop_front() } else { None };
                tasks.extend(first.map(|job| self.step(job)));
            }
            false => tasks.extend(jobs.into_iter().map(file)),
        }
        let batch = self.batch();
        let tasks = batch.of(&self.site.plan.topology, tasks);
        self.phase = Phase::Files(batch);
        tasks
    }

    /// Goes one step further if all tasks are over. Returns whether they are.
    pub(super) fn advance(
        &mut self,
        reader: &Result<Reader, StoreError>,
        report: &mut Report,
    ) -> bool {
        let Some(batch) = self.phase.batch() else { return false };
        if !batch.is_over() {
            return false;
        }
        let Found { report: done, obstacles } = batch.take();
        self.problems.extend(done.problems.iter().cloned());
        report.add(done);
        let next = match self.phase {
            Phase::Files(_) => {
                self.found.add(&obstacles);
                self.files_are_over();
                match self.end_requested(reader) {
                    Ok(None) => self.fire_timers(reader, 0, TIMERS_LOOKED_FOR_MAX),
                    next => next,
                }
            }
            Phase::Over(_, None) => {
                self.held_up_by(obstacles);
                self.fire_timers(reader, 0, TIMERS_LOOKED_FOR_MAX)
            }
            Phase::Timers(_, after, times) => {
                let waiting = obstacles.waiting.into_iter().map(|waits| waits.problem);
                self.found.timers_held_up.extend(waiting);
                self.fire_timers(reader, after, times)
            }
            Phase::Over(_, Some(after)) => {
                self.held_up_by(obstacles);
                self.end_over(reader, after)
            }
            _ => {
                self.held_up_by(obstacles);
                self.end_over(reader, 0)
            }
        };
        match next {
            Ok(Some(phase)) => self.phase = phase,
            Ok(None) => match self.left.pop_front() {
                Some(job) => self.begin_step(job),
                None => self.end(report),
            },
            Err(error) => {
                self.problem(error.to_string(), report);
                self.end(report);
            }
        }
        true
    }

    /// Notes why groups could not be ended.
    fn held_up_by(&mut self, Backlog { waiting, .. }: Backlog) {
        self.found.held_up.extend(waiting.into_iter().map(|waits| waits.problem));
    }

    /// Returns whether files that are not taken now wait for the next run.
    fn is_last_look(&self) -> bool {
        self.site.options.once && self.is_known
    }

    /// Returns the task of a file that has a step of its own.
    fn step(&mut self, job: FileJob) -> Placed {
        self.step = Some(job.clone());
        file(job)
    }

    fn begin_step(&mut self, job: FileJob) {
        let task = self.step(job);
        let batch = self.batch();
        self.site.queue.put(batch.of(&self.site.plan.topology, vec![task]));
        self.phase = Phase::Files(batch);
    }

    fn batch(&self) -> Arc<Batch> {
        Batch::new(Arc::clone(&self.reported))
    }

    /// Puts tasks into the queue.
    fn put(&self, tasks: Vec<Placed>) -> Arc<Batch> {
        let batch = self.batch();
        self.site.queue.put(batch.of(&self.site.plan.topology, tasks));
        batch
    }

    /// Notes which files were given up, and which wait for those.
    fn files_are_over(&mut self) {
        let Left { unsettled, mut behind, staying } = self.site.queue.left(&self.circle.elements);
        self.found.staying.extend(staying);
        if let Some(FileJob { element, found }) = self.step.take()
            && unsettled.iter().any(|of| of.element == element)
        {
            // It is not overtaken.
            let left = self.left.len();
            self.left.retain(|job| job.element != element);
            let staying = left - self.left.len();
            self.found.staying.push((element, staying));
            behind.extend((staying > 0).then_some(Behind { element, first: found.path }));
        }
        // A shortage has an alarm of its own.
        behind.retain(|behind| !self.site.room.holds(behind.element).unwrap_or(true));
        self.found.unsettled.extend(unsettled);
        self.found.behind.extend(behind);
    }

    /// Ends the groups that users asked to end.
    fn end_requested(
        &mut self,
        reader: &Result<Reader, StoreError>,
    ) -> Result<Option<Phase>, AccessError> {
        if self.circle.holding.is_empty() || !self.is_known {
            return Ok(None);
        }
        let reader = reader.as_ref().map_err(Clone::clone)?;
        if self.found.ending.is_empty() {
            let since_ms = self.site.journal.now_ms();
            let ending = self.circle.holding.iter().map(|node| Ending { node: *node, since_ms });
            self.found.ending = ending.collect();
        }
        let mut jobs = request::requested(&self.site.plan.topology, reader)?;
        jobs.retain(|job| self.circle.elements.contains(&job.element));
        Ok(Some(Phase::Requested(self.put(expiries(jobs)))))
    }

    /// Ends groups whose time is over and whose number is greater than `after`.
    fn end_over(
        &self,
        reader: &Result<Reader, StoreError>,
        after: GroupId,
    ) -> Result<Option<Phase>, AccessError> {
        let Site { plan, journal, .. } = self.site;
        let reader = reader.as_ref().map_err(Clone::clone)?;
        let left = self.left.iter();
        let left = left.map(|job| Unsettled { element: job.element, no_room_in: None });
        let unsettled: Vec<Unsettled> = self.found.unsettled.iter().copied().chain(left).collect();
        let (jobs, more) =
            ExpiryJob::some(&plan.topology, journal, reader, (self.circle, &unsettled), after)?;
        Ok(Some(Phase::Over(self.put(expiries(jobs)), more)))
    }

    /// Fires the timers that are due and whose number is greater than `after`. Looks for them at most `times` times.
    fn fire_timers(
        &self,
        reader: &Result<Reader, StoreError>,
        after: TimerId,
        times: usize,
    ) -> Result<Option<Phase>, AccessError> {
        let Site { plan, journal, .. } = self.site;
        if self.circle.timing.is_empty() || !self.is_known || times == 0 {
            return Ok(None);
        }
        let reader = reader.as_ref().map_err(Clone::clone)?;
        let (nodes, topology) = (&self.circle.timing, &plan.topology);
        let (jobs, last) = TimerJob::find(topology, journal, reader, nodes, after)?;
        let tasks = jobs.into_iter().map(|job| (job.element, Task::Timers(job)));
        let tasks: Vec<Placed> = tasks.collect();
        if tasks.is_empty() {
            return Ok(None);
        }
        Ok(Some(Phase::Timers(self.put(tasks), last, times - 1)))
    }

    /// Ends the round.
    fn end(&mut self, report: &mut Report) {
        let Site { room, options, .. } = self.site;
        // The last files may have used up the room.
        let looked = if options.once { room.look() } else { Ok(()) };
        match looked.and_then(|()| room.short(&self.circle.elements)) {
            // An alarm says so.
            Ok(short) => {
                self.problems.extend(short.iter().cloned());
                report.problems.extend(short);
            }
            Err(error) => self.problem(error.to_string(), report),
        }
        self.obstacles = std::mem::take(&mut self.found);
        let Backlog { waiting, behind, unsettled, .. } = &self.obstacles;
        self.is_free = waiting.is_empty() && behind.is_empty() && unsettled.is_empty();
        self.knows |= self.is_known;
        self.reported = Arc::new(std::mem::take(&mut self.problems));
        // After the first scan, for example after a restart, it is not known which files are complete.
        let is_last = options.once && self.is_known;
        self.phase = if is_last { Phase::Ended } else { Phase::Resting };
    }
}

fn file(job: FileJob) -> Placed {
    (job.element, Task::File(job))
}

/// Orders files: those of one network element stay in order, and network elements mix by the time of writing.
fn in_turn(jobs: VecDeque<FileJob>) -> VecDeque<FileJob> {
    let mut lanes: BTreeMap<usize, VecDeque<FileJob>> = BTreeMap::new();
    for job in jobs {
        lanes.entry(job.element).or_default().push_back(job);
    }
    let next = || {
        let written = |lane: &VecDeque<FileJob>| lane.front().map(|job| job.found.version.1);
        let waiting = lanes.values_mut().filter(|lane| !lane.is_empty());
        waiting.min_by_key(|lane| written(lane))?.pop_front()
    };
    std::iter::from_fn(next).collect()
}
