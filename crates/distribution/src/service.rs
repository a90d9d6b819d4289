//! Runs the deliveries of a flow across changes of the flow.

use std::collections::HashSet;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use alarm::Condition;
use journal::Journal;
use runtime::join_deadline::Joiner;
use runtime::shutdown::Shutdown;
use runtime::sync::lock;
use store::StoreError;

use super::destination::{InProgress, Receiver, Shared, StopSignals, remove_delivered};
use super::outbox;
use super::packing::{is_known, is_needed};
use super::pool::Pool;
use super::receivers::ReceiverSet;
use super::{Distribution, Route};
use flow::meters::Meters;
use flow::topology::Topology;

/// Delivers files, in threads of its own.
pub struct DeliveryService {
    journal: Arc<Journal>,
    meters: Arc<Meters>,
    in_progress: Arc<InProgress>,
    once: bool,
    /// Set when the gateway stops.
    stop: Shutdown,
    /// Set when no more files will come.
    is_last: Arc<AtomicBool>,
    running: Mutex<Vec<Running>>,
}

/// The threads of receivers that share them.
struct Running {
    pool: Arc<Pool>,
    signals: StopSignals,
    threads: Vec<JoinHandle<()>>,
}

impl DeliveryService {
    /// Makes a service that delivers to no receiver until [`follow`](Self::follow). With `once`,
    /// the gateway ends when all files are processed, so merging does not wait for more outputs.
    /// `stop` ends all deliveries.
    pub fn new(journal: Arc<Journal>, meters: Arc<Meters>, once: bool, stop: &Shutdown) -> Self {
        let (in_progress, is_last, running) = Default::default();
        let stop = stop.clone();
        DeliveryService { journal, meters, in_progress, once, stop, is_last, running }
    }

    /// Delivers to the receivers of a flow, and ends deliveries for the flow before.
    pub fn follow(&self, flow: &Topology, distribution: &Distribution) {
        if !self.journal.view.is_written {
            return;
        }
        let mut running = lock(&self.running);
        running.iter().for_each(|old| old.signals.drain.set());
        running.retain(|old| old.threads.iter().any(|thread| !thread.is_finished()));
        if let Err(error) = self
            .update_orphans(distribution)
            .and_then(|()| self.settle_without_acknowledgement(flow, distribution))
        {
            tracing::warn!(target: "flow::delivery", "{error}");
        }
        let signals = StopSignals { stop: self.stop.clone(), drain: Shutdown::default() };
        for set in distribution.sets() {
            let routes = set.members.iter();
            let routes = routes.filter_map(|(system, _)| distribution.routes[*system].clone());
            running.push(self.start(&set, routes.collect(), &signals));
        }
    }

    /// Starts the threads of a set of receivers.
    fn start(&self, set: &ReceiverSet, routes: Vec<Arc<Route>>, signals: &StopSignals) -> Running {
        let receiver = |route| {
            let shared = Shared {
                journal: Arc::clone(&self.journal),
                meters: Arc::clone(&self.meters),
                in_progress: Arc::clone(&self.in_progress),
            };
            let receiver = Receiver::new(route, shared, self.once, signals.clone());
            if let Err(error) = clean_up(&receiver) {
                tracing::warn!(target: "flow::delivery", "{error}");
            }
            Arc::new(receiver)
        };
        let receivers: Vec<_> = routes.into_iter().map(receiver).collect();
        let needed = if receivers.is_empty() { 0 } else { set.threads };
        let pool = Arc::new(Pool::new(receivers, set, signals.clone(), &self.is_last));
        let thread = |number| {
            let pool = Arc::clone(&pool);
            let thread = thread::Builder::new().name(format!("delivery {number}"));
            let started = thread.spawn(move || pool.work());
            started.inspect_err(|error| {
                tracing::error!(target: "flow::delivery", "could not start a delivery thread: {error}");
            })
        };
        let threads = (0..needed).filter_map(|number| thread(number).ok()).collect();
        Running { pool, signals: signals.clone(), threads }
    }

    /// Raises alarms for files that wait for receivers that are not in the flow, and clears the
    /// other alarms of those receivers.
    fn update_orphans(&self, distribution: &Distribution) -> Result<(), StoreError> {
        let reader = self.journal.reader()?;
        let routes = distribution.routes.iter().flatten();
        let routes: HashSet<&str> = routes.map(|route| route.system.as_str()).collect();
        let mut orphaned = self.journal.answer(outbox::waiting_for(&reader))?;
        orphaned.retain(|(system, _)| !routes.contains(system.as_str()));
        let orphaned: Vec<Condition> =
            orphaned.into_iter().map(|(system, files)| orphaned_alarm(system, files)).collect();
        orphaned
            .iter()
            .for_each(|alarm| tracing::warn!(target: "flow::delivery", "{}", alarm.text));
        let kinds = [outbox::FAILING, outbox::UNACKNOWLEDGED, outbox::ORPHANED];
        let mut raised = self.journal.answer(alarm::raised(&reader, &kinds))?;
        raised.retain(|raised| {
            raised.kind == outbox::ORPHANED || !routes.contains(raised.subject.as_str())
        });
        alarm::reconcile(orphaned.into_iter(), &raised, &self.journal)
    }

    /// Marks sent files as delivered whose receivers are still in the flow, but no longer with a
    /// delivery: no acknowledgement is expected.
    fn settle_without_acknowledgement(
        &self,
        flow: &Topology,
        distribution: &Distribution,
    ) -> Result<(), StoreError> {
        let (journal, reader) = (&self.journal, self.journal.reader()?);
        let systems = flow.systems.iter().zip(&distribution.routes);
        for (system, _) in systems.filter(|(_, route)| route.is_none()) {
            for sent in journal.answer(outbox::sent(&reader, &journal.view, &system.name))? {
                let (id, name) = (sent.id, sent.name);
                journal.commit(move |db| outbox::note_arrived(db, id, "delivered", &name, None))?;
                remove_delivered(&sent.location);
            }
        }
        Ok(())
    }

    /// Ends the service. In a run that ends, it first tries all files. Returns messages about
    /// failed deliveries.
    pub fn end(self) -> Vec<String> {
        self.is_last.store(true, Ordering::Relaxed);
        let mut joiner = Joiner::new(|| !self.once || self.stop.is_set());
        let mut problems = Vec::new();
        let mut running = std::mem::take(&mut *lock(&self.running));
        if !self.once {
            running.iter().for_each(|running| running.signals.drain.set());
        }
        for Running { pool, threads, .. } in running.drain(..) {
            for thread in threads {
                joiner.join(thread);
            }
            problems.extend(pool.receivers.iter().flat_map(|receiver| receiver.take_problems()));
        }
        if self.once && !problems.is_empty() {
            let waiting = self.still_waiting().unwrap_or_default();
            waiting
                .iter()
                .for_each(|waiting| tracing::warn!(target: "flow::delivery", "{waiting}"));
            problems.extend(waiting);
        }
        problems
    }

    fn still_waiting(&self) -> Result<Vec<String>, StoreError> {
        let reader = self.journal.reader()?;
        let waiting = self.journal.answer(outbox::waiting_for(&reader))?;
        let message = |(system, files)| match files {
            1 => format!("{system}: 1 file waits to be delivered"),
            files => format!("{system}: {files} files wait to be delivered"),
        };
        Ok(waiting.into_iter().map(message).collect())
    }
}

impl Drop for DeliveryService {
    /// Without a call of [`end`](Self::end), running transfers are not waited for.
    fn drop(&mut self) {
        self.is_last.store(true, Ordering::Relaxed);
        for running in lock(&self.running).iter() {
            running.signals.drain.set();
        }
    }
}

/// Returns the alarm of files that wait for a receiver without a delivery.
fn orphaned_alarm(system: String, files: i64) -> Condition {
    let wait = if files == 1 { "1 file waits".to_owned() } else { format!("{files} files wait") };
    let text = format!(
        "{system}: {wait}, but the flow no longer delivers to this receiver: the files stay until it does again"
    );
    Condition { kind: outbox::ORPHANED, subject: system, text }
}

/// Cleans up an out buffer after an interrupted run: removes delivered files, and moves files that
/// were given up. A file that is not in the journal comes from a lost journal, and is delivered.
fn clean_up(receiver: &Receiver) -> Result<(), StoreError> {
    let Receiver { route, journal, .. } = receiver;
    let Ok(entries) = fs::read_dir(&route.buffer) else { return Ok(()) };
    let reader = journal.reader()?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let is_hidden = path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden || !path.is_file() {
            continue;
        }
        let noted = journal.view.noted(&path);
        if journal.answer(is_needed(&reader, &noted))? {
            continue;
        }
        match journal.answer(outbox::last_of(&reader, &noted))? {
            Some((_, state, target)) if state == "delivered" || state == "dead" => match target {
                Some(target) => receiver.move_to(&path, &journal.view.located(&target)),
                None => remove_delivered(&path),
            },
            Some(_) => {}
            // All files that were put together from it are delivered.
            None if journal.answer(is_known(&reader, &noted))? => remove_delivered(&path),
            None => {
                tracing::warn!(target: "flow::delivery", "\"{}\" is not in the journal: it is delivered", path.display());
                let system = route.system.clone();
                journal.commit(move |db| outbox::insert(db, None, &system, &noted, 0))?;
            }
        }
    }
    Ok(())
}
