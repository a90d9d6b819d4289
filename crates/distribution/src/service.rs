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

use super::destination::{Ends, Hands, Receiver, Shared, remove_delivered};
use super::outbox;
use super::packing::{is_known, is_needed};
use super::pool::Carriers;
use super::receivers::ReceiverSet;
use super::{Distribution, Road};
use flow::meters::Meters;
use flow::topology::Topology;

/// Delivers files, beside all other work.
pub struct DeliveryService {
    journal: Arc<Journal>,
    meters: Arc<Meters>,
    hands: Arc<Hands>,
    once: bool,
    /// Set when the gateway stops.
    stop: Shutdown,
    /// Set when no more files will come.
    is_last: Arc<AtomicBool>,
    running: Mutex<Vec<Running>>,
}

/// The threads of receivers that share them.
struct Running {
    carriers: Arc<Carriers>,
    ends: Ends,
    threads: Vec<JoinHandle<()>>,
}

impl DeliveryService {
    /// Makes a service that delivers to no receiver until [`follow`](Self::follow). With `once`, the gateway
    /// ends when all files are processed, so merging does not wait for more outputs. `stop` ends all deliveries.
    pub fn new(journal: Arc<Journal>, meters: Arc<Meters>, once: bool, stop: &Shutdown) -> Self {
        let (hands, is_last, running) = Default::default();
        DeliveryService { journal, meters, hands, once, stop: stop.clone(), is_last, running }
    }

    /// Delivers to the receivers of a flow, and ends deliveries for the flow before.
    pub fn follow(&self, flow: &Topology, distribution: &Distribution) {
        if !self.journal.view.is_written {
            return;
        }
        let mut running = lock(&self.running);
        running.iter().for_each(|old| old.ends.over.set());
        running.retain(|old| old.threads.iter().any(|thread| !thread.is_finished()));
        if let Err(error) = self
            .tell_of_others(distribution)
            .and_then(|()| self.settle_without_acknowledgement(flow, distribution))
        {
            tracing::warn!(target: "flow::delivery", "{error}");
        }
        let ends = Ends { stop: self.stop.clone(), over: Shutdown::default() };
        for set in distribution.sets() {
            let roads = set.members.iter();
            let roads = roads.filter_map(|(system, _)| distribution.roads[*system].clone());
            running.push(self.start(&set, roads.collect(), &ends));
        }
    }

    /// Starts the threads of a set of receivers.
    fn start(&self, set: &ReceiverSet, roads: Vec<Arc<Road>>, ends: &Ends) -> Running {
        let receiver = |road| {
            let shared = Shared {
                journal: Arc::clone(&self.journal),
                meters: Arc::clone(&self.meters),
                hands: Arc::clone(&self.hands),
            };
            let receiver = Receiver::new(road, shared, self.once, ends.clone());
            if let Err(error) = tidy(&receiver) {
                tracing::warn!(target: "flow::delivery", "{error}");
            }
            Arc::new(receiver)
        };
        let receivers: Vec<_> = roads.into_iter().map(receiver).collect();
        let needed = if receivers.is_empty() { 0 } else { set.threads };
        let carriers = Arc::new(Carriers::new(receivers, set, ends.clone(), &self.is_last));
        let thread = |number| {
            let carriers = Arc::clone(&carriers);
            let thread = thread::Builder::new().name(format!("road {number}"));
            let started = thread.spawn(move || carriers.work());
            started.inspect_err(|error| {
                tracing::error!(target: "flow::delivery", "there is a thread less to carry files: {error}");
            })
        };
        let threads = (0..needed).filter_map(|number| thread(number).ok()).collect();
        Running { carriers, ends: ends.clone(), threads }
    }

    /// Raises alarms for files that wait for receivers that are not in the flow, and clears the other alarms of those
    /// receivers.
    fn tell_of_others(&self, distribution: &Distribution) -> Result<(), StoreError> {
        let reader = self.journal.reader()?;
        let roads = distribution.roads.iter().flatten();
        let roads: HashSet<&str> = roads.map(|road| road.system.as_str()).collect();
        let mut orphaned = self.journal.answer(outbox::waiting_for(&reader))?;
        orphaned.retain(|(system, _)| !roads.contains(system.as_str()));
        let orphaned: Vec<Condition> =
            orphaned.into_iter().map(|(system, files)| orphans(system, files)).collect();
        orphaned
            .iter()
            .for_each(|wrong| tracing::warn!(target: "flow::delivery", "{}", wrong.text));
        let kinds = [outbox::FAILING, outbox::UNACKNOWLEDGED, outbox::ORPHANED];
        let mut raised = self.journal.answer(alarm::raised(&reader, &kinds))?;
        raised.retain(|raised| {
            raised.kind == outbox::ORPHANED || !roads.contains(raised.subject.as_str())
        });
        alarm::reconcile(orphaned.into_iter(), &raised, &self.journal)
    }

    /// Marks sent files as delivered whose receivers are still in the flow, but no longer with a delivery: no
    /// acknowledgement is expected.
    fn settle_without_acknowledgement(
        &self,
        flow: &Topology,
        distribution: &Distribution,
    ) -> Result<(), StoreError> {
        let (journal, reader) = (&self.journal, self.journal.reader()?);
        let systems = flow.systems.iter().zip(&distribution.roads);
        for (system, _) in systems.filter(|(_, road)| road.is_none()) {
            for sent in journal.answer(outbox::sent(&reader, &journal.view, &system.name))? {
                let (id, name) = (sent.id, sent.name);
                journal.commit(move |db| outbox::note_there(db, id, "delivered", &name, None))?;
                remove_delivered(&sent.lies);
            }
        }
        Ok(())
    }

    /// Ends the service. In a run that ends, it first tries all files. Returns messages about failed deliveries.
    pub fn end(self) -> Vec<String> {
        self.is_last.store(true, Ordering::Relaxed);
        let mut joiner = Joiner::new(|| !self.once || self.stop.is_set());
        let mut problems = Vec::new();
        let mut running = std::mem::take(&mut *lock(&self.running));
        if !self.once {
            running.iter().for_each(|running| running.ends.over.set());
        }
        for Running { carriers, threads, .. } in running.drain(..) {
            for thread in threads {
                joiner.join(thread);
            }
            problems
                .extend(carriers.receivers.iter().flat_map(|receiver| receiver.take_problems()));
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
            running.ends.over.set();
        }
    }
}

/// Returns the alarm of files that wait for a receiver without a delivery.
fn orphans(system: String, files: i64) -> Condition {
    let wait = if files == 1 { "1 file waits".to_owned() } else { format!("{files} files wait") };
    let text = format!(
        "{system}: {wait}, and no road leads there any more: they stay where they are until the flow has one again"
    );
    Condition { kind: outbox::ORPHANED, subject: system, text }
}

/// Cleans up an out buffer after an interrupted run: files that are delivered or given up. A file that is not in the
/// journal comes from a lost journal, and is delivered.
fn tidy(receiver: &Receiver) -> Result<(), StoreError> {
    let Receiver { road, journal, .. } = receiver;
    let Ok(entries) = fs::read_dir(&road.buffer) else { return Ok(()) };
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
            Some((_, state, lies)) if state == "delivered" || state == "dead" => match lies {
                Some(lies) => receiver.move_to(&path, &journal.view.located(&lies)),
                None => remove_delivered(&path),
            },
            Some(_) => {}
            // All files that were put together from it are delivered.
            None if journal.answer(is_known(&reader, &noted))? => remove_delivered(&path),
            None => {
                tracing::warn!(target: "flow::delivery", "\"{}\" is not in the journal: it is delivered", path.display());
                let system = road.system.clone();
                journal.commit(move |db| outbox::insert(db, None, &system, &noted, 0))?;
            }
        }
    }
    Ok(())
}
