//! The deliveries to one receiver: the next due task, and the handling of failures.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use alarm::AlarmKey;
use journal::Journal;
use reason::Reason;
use runtime::durable::{make_folder, sync_folder};
use runtime::shutdown::Shutdown;
use runtime::sync::lock;
use runtime::time::{milliseconds, now_ms};
use store::{Connection, StoreError};
use transport::{RemoteConnection, RemoteError};

use super::Route;
use super::fault::DeliveryFault;
use super::maintenance::Maintenance;
use super::outbox;
use super::outbox::{Named, OutgoingFile, WaitingQuery};
use super::packing::{Contents, Moment, gather, is_due, release};
use super::transfer::{OpenConnection, deliver};
use flow::meters::Meters;

/// The deliveries in progress, with their receivers. They include those of threads that still serve
/// the flow before a change.
pub(super) type InProgress = Mutex<HashMap<i64, String>>;

/// The parts that all receivers of a gateway share.
pub(super) struct Shared {
    pub(super) journal: Arc<Journal>,
    pub(super) meters: Arc<Meters>,
    pub(super) in_progress: Arc<InProgress>,
}

/// A receiver of files.
pub(super) struct Receiver {
    pub(super) route: Arc<Route>,
    pub(super) journal: Arc<Journal>,
    pub(super) meters: Arc<Meters>,
    pub(super) in_progress: Arc<InProgress>,
    /// Whether each file is tried only once.
    pub(super) once: bool,
    pub(super) signals: StopSignals,
    health: Mutex<Health>,
    /// Whether a thread gathers slices.
    is_gathering: Mutex<bool>,
    pub(super) maintenance: Mutex<Maintenance>,
    /// The idle connections, and since when each is idle.
    idle_connections: Mutex<Vec<(Box<dyn RemoteConnection>, Instant)>>,
}

/// The signals that end deliveries.
#[derive(Clone, Debug)]
pub(super) struct StopSignals {
    /// The gateway stops: running transfers are interrupted.
    pub(super) stop: Shutdown,
    /// The flow has changed or the run ends: running transfers are finished, and no more begin.
    pub(super) drain: Shutdown,
}

impl StopSignals {
    pub(super) fn is_any_set(&self) -> bool {
        self.stop.is_set() || self.drain.is_set()
    }
}

/// How long a connection may be idle before it is closed.
pub(super) const IDLE_MAX: Duration = Duration::from_secs(10);

/// A task for a receiver.
pub(super) enum Task {
    Deliver(Box<Claim>),
    /// Put slices of outputs together into files.
    Gather(Moment),
    /// Maintenance that concerns no waiting file.
    Maintain,
}

/// The recent success of deliveries to a receiver.
#[derive(Default)]
struct Health {
    /// The number of failures since the last success.
    failures_in_a_row: u32,
    /// The time of the next try.
    paused_until: Option<Instant>,
    is_alarm_raised: bool,
    /// In a run that tries each file once: whether the receiver cannot be reached, and the files
    /// that were tried.
    is_out_of_reach: bool,
    tried: HashSet<i64>,
    /// The reasons of failed deliveries.
    problems: Vec<String>,
}

/// The scope of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailureScope {
    /// The receiver cannot be reached.
    Receiver,
    /// Only one file is affected.
    File,
}

/// A delivery in progress. Dropping it releases the delivery.
pub(super) struct Claim {
    pub(super) file: OutgoingFile,
    in_progress: Arc<InProgress>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        lock(&self.in_progress).remove(&self.file.id);
    }
}

impl Receiver {
    pub(super) fn new(
        route: Arc<Route>,
        Shared { journal, meters, in_progress }: Shared,
        once: bool,
        signals: StopSignals,
    ) -> Self {
        // An earlier run may have raised the alarm.
        let health = Mutex::new(Health { is_alarm_raised: true, ..Health::default() });
        let (is_gathering, maintenance, idle_connections) = Default::default();
        Receiver {
            route,
            journal,
            meters,
            in_progress,
            once,
            signals,
            health,
            is_gathering,
            maintenance,
            idle_connections,
        }
    }

    /// Returns the next due task. `is_last` means that no more files will come.
    pub(super) fn next(
        &self,
        reader: &Connection,
        is_last: bool,
    ) -> Result<Option<Task>, StoreError> {
        if self.begin_maintenance_if_due() {
            return Ok(Some(Task::Maintain));
        }
        let moment = Moment { now_ms: now_ms(), is_last: is_last && self.once };
        match self.begin_gathering_if_due(reader, moment)? {
            true => Ok(Some(Task::Gather(moment))),
            false => Ok(self.next_file(reader)?.map(|claim| Task::Deliver(Box::new(claim)))),
        }
    }

    /// Returns whether slices are due to be gathered. If so, the caller must gather them.
    fn begin_gathering_if_due(
        &self,
        reader: &Connection,
        moment: Moment,
    ) -> Result<bool, StoreError> {
        let mut is_gathering = lock(&self.is_gathering);
        if !*is_gathering {
            *is_gathering = self.journal.answer(is_due(reader, &self.route, moment))?;
            return Ok(*is_gathering);
        }
        Ok(false)
    }

    /// Gathers slices into files in one transaction.
    fn gather(&self, moment: Moment) -> Result<(), StoreError> {
        let (route, view) = (Arc::clone(&self.route), self.journal.view.clone());
        let gathered = self.journal.commit(move |db| gather(db, &view, &route, moment));
        *lock(&self.is_gathering) = false;
        gathered.map(|files| {
            tracing::debug!(target: "flow::delivery", receiver = self.route.system, files, "put together for the receiver");
        })
    }

    /// Performs a task.
    pub(super) fn perform(&self, task: Task) -> Result<(), StoreError> {
        match task {
            Task::Deliver(claim) => {
                self.with_connection(|connection| deliver(self, connection, &claim.file))
            }
            Task::Gather(moment) => self.gather(moment),
            Task::Maintain => self.maintain(),
        }
    }

    /// Calls `act` with an idle connection, if there is one. The connection is idle again
    /// afterwards.
    pub(super) fn with_connection<T>(&self, act: impl FnOnce(&mut OpenConnection) -> T) -> T {
        let mut connection = lock(&self.idle_connections).pop().map(|(remote, _)| remote);
        let result = act(&mut connection);
        lock(&self.idle_connections).extend(connection.map(|remote| (remote, Instant::now())));
        result
    }

    /// Closes all idle connections.
    pub(super) fn close_connections(&self) {
        let connections = std::mem::take(&mut *lock(&self.idle_connections));
        drop(connections);
    }

    /// Returns whether a connection has been idle for [`IDLE_MAX`].
    pub(super) fn has_expired_connections(&self) -> bool {
        lock(&self.idle_connections).first().is_some_and(|(_, since)| since.elapsed() >= IDLE_MAX)
    }

    /// Closes connections that have been idle for [`IDLE_MAX`]. This may take a moment if the other
    /// machine is gone.
    pub(super) fn close_expired_connections(&self) {
        let is_expired =
            |(_, since): &mut (Box<dyn RemoteConnection>, Instant)| since.elapsed() >= IDLE_MAX;
        let expired: Vec<_> = lock(&self.idle_connections).extract_if(.., is_expired).collect();
        drop(expired);
    }

    /// Returns whether the last try failed.
    pub(super) fn is_failing(&self) -> bool {
        lock(&self.health).failures_in_a_row > 0
    }

    /// Claims the next due file, if there is one.
    fn next_file(&self, reader: &Connection) -> Result<Option<Claim>, StoreError> {
        let health = lock(&self.health);
        let is_paused = health.paused_until.is_some_and(|until| Instant::now() < until);
        if health.is_out_of_reach || (is_paused && !self.once) {
            return Ok(None);
        }
        let mut in_progress = lock(&self.in_progress);
        let system = &self.route.system;
        // Threads of the flow before a change may still deliver some.
        if in_progress.values().filter(|of| *of == system).count() >= self.route.at_once {
            return Ok(None);
        }
        let query = WaitingQuery {
            system,
            now_ms: now_ms(),
            is_all: self.once,
            is_ordered: self.route.is_ordered,
            limit: in_progress.len() + health.tried.len() + 1,
        };
        let waiting = self.journal.answer(outbox::waiting(reader, &self.journal.view, query))?;
        let is_free = |file: &OutgoingFile| {
            file.is_named
                && file.is_due
                && !in_progress.contains_key(&file.id)
                && !health.tried.contains(&file.id)
        };
        let Some(file) = waiting.into_iter().find(is_free) else { return Ok(None) };
        in_progress.insert(file.id, system.clone());
        Ok(Some(Claim { file, in_progress: Arc::clone(&self.in_progress) }))
    }

    /// Notes a success: clears the alarm and the backoff.
    pub(super) fn note_success(&self) -> Result<(), StoreError> {
        if self.signals.drain.is_set() {
            // The flow may not have this receiver any more.
            let system = self.route.system.clone();
            self.journal.commit(move |db| outbox::clear_orphaned(db, &system))?;
        }
        let mut health = lock(&self.health);
        health.failures_in_a_row = 0;
        health.paused_until = None;
        if !std::mem::take(&mut health.is_alarm_raised) {
            return Ok(());
        }
        drop(health);
        let system = self.route.system.clone();
        self.journal.commit(move |db| {
            outbox::note_in_reach(db, &system)?;
            alarm::clear(db, now_ms(), AlarmKey { kind: outbox::FAILING, subject: &system })
        })
    }

    /// Notes a failure and the time of the next try. Gives up files that have failed for too long.
    pub(super) fn note_failure(
        &self,
        file: &OutgoingFile,
        scope: FailureScope,
        error: &RemoteError,
    ) -> Result<(), StoreError> {
        let Route { system, retry, .. } = &*self.route;
        let requested_wait = error.after().unwrap_or_default();
        let mut health = lock(&self.health);
        health.failures_in_a_row += 1;
        health.tried.extend(self.once.then_some(file.id));
        health.is_out_of_reach = self.once && scope == FailureScope::Receiver;
        health.is_alarm_raised = true;
        // A file that fails alone does not delay the others.
        let failures = health.failures_in_a_row - u32::from(scope == FailureScope::File);
        health.paused_until =
            Some(Instant::now() + retry.backoff.after(failures).max(requested_wait));
        let cause = error.reason();
        let text = format!("{system}: \"{}\" could not be delivered: {cause}", file.name());
        if self.once {
            health.problems.push(text.clone());
        }
        drop(health);
        tracing::warn!(target: "flow::delivery", receiver = system, file = file.name(), "{text}");
        let wait = retry.backoff.after(file.failures + 1).max(requested_wait);
        let (id, of, noted) = (file.id, system.clone(), cause.clone());
        // The threads of the current flow report the state of the receiver, if the flow has it.
        let is_draining = self.signals.drain.is_set();
        self.journal.commit(move |db| {
            if scope == FailureScope::Receiver {
                outbox::note_out_of_reach(db, &of)?;
            }
            outbox::note_failed(db, id, wait, &noted)?;
            if is_draining {
                return Ok(());
            }
            alarm::raise(db, now_ms(), AlarmKey { kind: outbox::FAILING, subject: &of }, &text)
        })?;
        match is_draining {
            true => Ok(()),
            false => self.give_up_old(file, scope, &cause),
        }
    }

    /// Gives up files that have failed for longer than `retry.give-up`.
    fn give_up_old(
        &self,
        file: &OutgoingFile,
        scope: FailureScope,
        cause: &Reason,
    ) -> Result<(), StoreError> {
        let Some(give_up) = self.route.retry.give_up else { return Ok(()) };
        let since_ms = now_ms().saturating_sub(milliseconds(give_up));
        let reader = self.journal.reader()?;
        let view = &self.journal.view;
        let old = outbox::failed_since(&reader, view, &self.route.system, since_ms);
        for old in self.journal.answer(old)? {
            let is_same = old.id == file.id;
            if !is_same && (scope == FailureScope::File || !self.claim(old.id)) {
                continue;
            }
            // A file that was not tried itself was held up by the same problem.
            let problem = old.problem.clone().unwrap_or_else(|| cause.clone());
            let seconds = give_up.as_secs_f64();
            let why = Reason::of(&DeliveryFault::TriedFor { seconds, problem });
            let given_up = self.give_up(&old, why, Named::Perhaps);
            if !is_same {
                lock(&self.in_progress).remove(&old.id);
            }
            given_up?;
        }
        Ok(())
    }

    /// Claims a delivery, unless it is in progress.
    fn claim(&self, id: i64) -> bool {
        match lock(&self.in_progress).entry(id) {
            Entry::Occupied(_) => false,
            Entry::Vacant(free) => {
                free.insert(self.route.system.clone());
                true
            }
        }
    }

    /// Gives a file up: moves it to the folder of dead letters and raises an alarm.
    pub(super) fn give_up(
        &self,
        file: &OutgoingFile,
        why: Reason,
        named: Named,
    ) -> Result<(), StoreError> {
        let Route { system, dead, .. } = &*self.route;
        // The number makes the name unique, since names may repeat over the years.
        let target = dead.join(format!("{}-{}", file.id, file.name()));
        let contents = Contents::of(&self.journal, file.id, (&file.path, &file.location))?;
        if contents.is_in_pieces()
            && let Err(error) = contents.write_to(&target)
        {
            // The next try gives it up again.
            let (name, target) = (file.name(), target.display());
            tracing::error!(
                target: "flow::delivery",
                receiver = system,
                file = name,
                "{system}: could not write \"{name}\" to the folder of dead letters as \"{target}\": {error}"
            );
            return Ok(());
        }
        let location = self.journal.view.noted(&target);
        let text = format!("{system}: \"{}\" was given up: {why}", file.name());
        tracing::error!(target: "flow::delivery", "{text}");
        if self.once {
            lock(&self.health).problems.push(text);
        }
        let (id, of) = (file.id, system.clone());
        self.journal.commit(move |db| outbox::note_dead(db, (id, &of), &location, &why, named))?;
        match contents.is_in_pieces() {
            true => release(&self.journal, file.id),
            false => self.move_to(&file.location, &target),
        }
        Ok(())
    }

    /// Moves a file to its location in the journal. If this fails or is interrupted, the next run
    /// repeats it.
    pub(super) fn move_to(&self, from: &Path, to: &Path) {
        if from == to {
            return;
        }
        let folder = to.parent().unwrap_or(Path::new("."));
        let moved = make_folder(folder)
            .and_then(|()| fs::rename(from, to))
            .and_then(|()| sync_folder(folder))
            .and_then(|()| sync_folder(from.parent().unwrap_or(Path::new("."))));
        if let Err(error) = moved {
            tracing::warn!(
                target: "flow::delivery",
                "could not move \"{}\" to \"{}\": {error}",
                from.display(),
                to.display()
            );
        }
    }

    /// Takes the messages about failed deliveries.
    pub(super) fn take_problems(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.health).problems)
    }
}

/// Removes a delivered file. If this fails, the next run repeats it.
pub(super) fn remove_delivered(path: &Path) {
    let removed =
        fs::remove_file(path).and_then(|()| sync_folder(path.parent().unwrap_or(Path::new("."))));
    if let Err(error) = removed {
        tracing::warn!(target: "flow::delivery", "could not remove \"{}\", which is delivered: {error}", path.display());
    }
}
