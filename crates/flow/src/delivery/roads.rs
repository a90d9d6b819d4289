//! The threads that carry. They outlive a flow that changes: who has a file in hand brings it to its end, and whoever
//! carries for the flow as it is now takes the next.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use store::{Connection, StoreError};

use super::carry::{Line, carry, let_go};
use super::receiver::{Hands, Receiver, lock, milliseconds};
use super::rows;
use crate::alarm::{self, Subject};
use crate::journal::Journal;
use crate::prepare::Prepared;
use crate::time::now_ms;

/// How often it is looked what is to be carried, where nothing was.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// How long a connection that nobody needs is kept.
const IDLE_MAX: Duration = Duration::from_secs(10);

/// The part of the time that a receiver has to acknowledge a file, after which it is looked for, and its bounds.
const LOOKS_WITHIN: u32 = 20;
const ACKNOWLEDGED_EVERY: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(30)];

/// How often it is looked for what was kept long enough.
const FORGET_EVERY: Duration = Duration::from_secs(60);

/// Carries what is to be carried, beside all other work.
pub(crate) struct Roads<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    journal: &'env Journal,
    hands: &'env Hands,
    once: bool,
    /// Set when the gateway stops.
    stop: &'env AtomicBool,
    /// Set when no more files will come.
    is_last: Arc<AtomicBool>,
    running: Mutex<Vec<Running<'scope, 'env>>>,
}

struct Running<'scope, 'env> {
    receiver: Arc<Receiver<'env>>,
    threads: Vec<ScopedJoinHandle<'scope, ()>>,
}

impl<'scope, 'env> Roads<'scope, 'env> {
    pub(crate) fn new(
        scope: &'scope Scope<'scope, 'env>,
        (journal, hands): (&'env Journal, &'env Mutex<HashSet<i64>>),
        once: bool,
        stop: &'env AtomicBool,
    ) -> Self {
        let (is_last, running) = (Arc::default(), Mutex::default());
        Roads { scope, journal, hands, once, stop, is_last, running }
    }

    /// Carries for the receivers of a flow, and no more for those of the one before.
    pub(crate) fn follow(&self, flow: &Prepared) {
        if !self.journal.book.is_kept {
            return;
        }
        let mut running = lock(&self.running);
        running.iter().for_each(|old| old.receiver.over.store(true, Ordering::Relaxed));
        running.retain(|old| old.threads.iter().any(|thread| !thread.is_finished()));
        if let Err(error) = self.tell_of_others(flow) {
            tracing::warn!("{error}");
        }
        for road in flow.systems.iter().filter_map(|system| system.road.clone()) {
            let receiver = Receiver::new(road, self.journal, self.hands, self.once);
            let receiver = Arc::new(receiver);
            if let Err(error) = tidy(&receiver) {
                tracing::warn!("{error}");
            }
            let thread = |number| {
                let worker = Worker {
                    receiver: Arc::clone(&receiver),
                    stop: self.stop,
                    is_last: Arc::clone(&self.is_last),
                    is_first: number == 0,
                };
                let name = format!("road {}", receiver.road.system);
                let thread = thread::Builder::new().name(name);
                thread.spawn_scoped(self.scope, move || worker.run()).map_err(|error| {
                    let system = &receiver.road.system;
                    tracing::error!(
                        "{system}: a thread could not be started that carries: {error}"
                    );
                })
            };
            let threads = (0..receiver.road.at_once).filter_map(|number| thread(number).ok());
            let threads = threads.collect();
            running.push(Running { receiver, threads });
        }
    }

    /// Says that files wait for receivers which the flow does not have any more, and clears what was said of them.
    fn tell_of_others(&self, flow: &Prepared) -> Result<(), StoreError> {
        let reader = self.journal.reader()?;
        let roads: HashSet<&str> = flow
            .systems
            .iter()
            .filter(|system| system.road.is_some())
            .map(|system| system.name.as_str())
            .collect();
        for (system, files) in self.journal.answer(rows::waiting_for(&reader))? {
            if !roads.contains(system.as_str()) {
                tracing::warn!(
                    "{files} files wait for \"{system}\", to which no road leads any more: they stay where they are"
                );
            }
        }
        let raised = alarm::raised(&reader, &[rows::FAILING, rows::UNACKNOWLEDGED]);
        let mut raised = self.journal.answer(raised)?;
        raised.retain(|(_, subject)| !roads.contains(subject.as_str()));
        if raised.is_empty() {
            return Ok(());
        }
        self.journal.commit(move |db| {
            let mut raised = raised.iter();
            raised.try_for_each(|(kind, subject)| {
                alarm::clear(db, now_ms(), Subject { kind, subject })
            })
        })
    }

    /// Ends: where all is to be done that is there, when that was tried. Returns what could not be delivered.
    pub(crate) fn end(self) -> Vec<String> {
        self.is_last.store(true, Ordering::Relaxed);
        let mut problems = Vec::new();
        for Running { receiver, threads } in lock(&self.running).drain(..) {
            if !self.once {
                receiver.over.store(true, Ordering::Relaxed);
            }
            for thread in threads {
                if let Err(panic) = thread.join() {
                    std::panic::resume_unwind(panic);
                }
            }
            problems.extend(receiver.take_problems());
        }
        if self.once && !problems.is_empty() {
            let waiting = self.still_waiting().unwrap_or_default();
            waiting.iter().for_each(|waiting| tracing::warn!("{waiting}"));
            problems.extend(waiting);
        }
        problems
    }

    fn still_waiting(&self) -> Result<Vec<String>, StoreError> {
        let reader = self.journal.reader()?;
        let waiting = self.journal.answer(rows::waiting_for(&reader))?;
        let told = |(system, files)| match files {
            1 => format!("{system}: 1 file waits to be delivered"),
            files => format!("{system}: {files} files wait to be delivered"),
        };
        Ok(waiting.into_iter().map(told).collect())
    }
}

impl Drop for Roads<'_, '_> {
    /// Whoever ends without [`end`](Self::end) does not wait for files that are under way.
    fn drop(&mut self) {
        self.is_last.store(true, Ordering::Relaxed);
        for running in lock(&self.running).iter() {
            running.receiver.over.store(true, Ordering::Relaxed);
        }
    }
}

/// Sees to what an interrupted run left in an out buffer: files that are delivered, or given up. One that the journal does not
/// know was made by somebody whose journal was lost, and is to be carried.
fn tidy(receiver: &Receiver<'_>) -> Result<(), StoreError> {
    let Receiver { road, journal, .. } = receiver;
    let Ok(entries) = fs::read_dir(&road.buffer) else { return Ok(()) };
    let reader = journal.reader()?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let is_hidden = path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden || !path.is_file() {
            continue;
        }
        let noted = journal.book.noted(&path);
        match journal.answer(rows::last_of(&reader, &noted))? {
            Some((_, state, lies)) if state == "delivered" || state == "dead" => match lies {
                Some(lies) => receiver.move_to(&path, &journal.book.located(&lies)),
                None => receiver.remove(&path),
            },
            Some(_) => {}
            None => {
                tracing::warn!("\"{}\" is not in the journal: it is delivered", path.display());
                let system = road.system.clone();
                journal.commit(move |db| rows::insert(db, None, &system, &noted, 0))?;
            }
        }
    }
    Ok(())
}

/// One thread of a receiver.
struct Worker<'env> {
    receiver: Arc<Receiver<'env>>,
    stop: &'env AtomicBool,
    is_last: Arc<AtomicBool>,
    /// Whether it looks for acknowledgements, and forgets what was kept.
    is_first: bool,
}

impl Worker<'_> {
    fn run(&self) {
        let mut trip = Trip::default();
        while !self.is_over() {
            match self.step(&mut trip) {
                Ok(true) => trip.busy = Instant::now(),
                Ok(false) if self.is_last.load(Ordering::Relaxed) => break,
                Ok(false) => self.rest(&mut trip),
                Err(error) => {
                    tracing::error!("{}: {error}", self.receiver.road.system);
                    // Where the journal can be written no more, the gateway ends.
                    self.rest(&mut trip);
                }
            }
        }
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.receiver.is_over()
    }

    fn rest(&self, trip: &mut Trip) {
        if trip.busy.elapsed() >= IDLE_MAX {
            trip.line = None;
        }
        thread::park_timeout(LOOK_EVERY);
    }

    /// Carries the next file, if there is one.
    fn step(&self, trip: &mut Trip) -> Result<bool, StoreError> {
        let receiver = &*self.receiver;
        if trip.reader.is_none() {
            trip.reader = Some(receiver.journal.reader()?);
        }
        let Trip { line, reader, acknowledged, forgotten, .. } = trip;
        let Some(reader) = reader else { return Ok(false) };
        if self.is_first {
            self.look_for_acknowledgements(reader, line, acknowledged)?;
            self.forget(reader, forgotten)?;
        }
        let Some(hand) = receiver.next(reader)? else { return Ok(false) };
        carry(receiver, reader, line, &hand.carried, self.stop)?;
        Ok(true)
    }

    /// Looks for what the receiver acknowledged, and raises an alarm of what it should have.
    fn look_for_acknowledgements(
        &self,
        reader: &Connection,
        line: &mut Line,
        looked: &mut Option<Instant>,
    ) -> Result<(), StoreError> {
        let receiver = &*self.receiver;
        let Some(acknowledgement) = &receiver.road.acknowledgement else { return Ok(()) };
        let [least, most] = ACKNOWLEDGED_EVERY;
        let every = (acknowledgement.within / LOOKS_WITHIN).clamp(least, most);
        if looked.is_some_and(|looked| looked.elapsed() < every) {
            return Ok(());
        }
        *looked = Some(Instant::now());
        let journal = receiver.journal;
        let sent = journal.answer(rows::sent(reader, &journal.book, &receiver.road.system))?;
        let mut late = Vec::new();
        for sent in &sent {
            if self.is_over() {
                return Ok(());
            }
            let name = format!("{}{}", sent.name, acknowledgement.ending);
            let far = match line {
                Some(far) => far,
                None => match receiver.road.place.connect() {
                    Ok(far) => line.insert(far),
                    // Whoever carries tells why.
                    Err(_) => return Ok(()),
                },
            };
            match far.stat(&name) {
                Ok(_) => {
                    tracing::info!("{}: \"{}\" is acknowledged", receiver.road.system, sent.name);
                    let_go(receiver, (sent.id, &sent.name), &sent.path, &sent.lies)?;
                    // It is for us. Where it stays, the next file of the name removes it.
                    let _ = far.remove(&name);
                }
                Err(transport::FarError::NotThere(_)) => {
                    if now_ms() - sent.at_ms >= milliseconds(acknowledgement.within) {
                        late.push(sent.name.clone());
                    }
                }
                Err(_) => *line = None,
            }
        }
        self.alarm_of_late(reader, &late)
    }

    fn alarm_of_late(&self, reader: &Connection, late: &[String]) -> Result<(), StoreError> {
        let journal = self.receiver.journal;
        let system = self.receiver.road.system.clone();
        let about = Subject { kind: rows::UNACKNOWLEDGED, subject: &system };
        let is_raised = journal.answer(alarm::is_raised(reader, about))?;
        let text = match late {
            [] if !is_raised => return Ok(()),
            [] => None,
            [first, ..] => Some(format!(
                "{system}: {} not acknowledged in time, the first is \"{first}\"",
                match late.len() {
                    1 => "1 file was".to_owned(),
                    files => format!("{files} files were"),
                }
            )),
        };
        journal.commit(move |db| {
            let about = Subject { kind: rows::UNACKNOWLEDGED, subject: &system };
            match text {
                Some(text) => alarm::raise(db, now_ms(), about, &text),
                None => alarm::clear(db, now_ms(), about),
            }
        })
    }

    /// Removes what was kept long enough.
    fn forget(&self, reader: &Connection, last: &mut Option<Instant>) -> Result<(), StoreError> {
        let receiver = &*self.receiver;
        if last.is_some_and(|last| last.elapsed() < FORGET_EVERY) {
            return Ok(());
        }
        *last = Some(Instant::now());
        let keep = receiver.road.keep.unwrap_or_default();
        let before_ms = receiver.journal.now_ms().saturating_sub(milliseconds(keep));
        let journal = receiver.journal;
        let old = journal.answer(rows::kept_before(reader, &receiver.road.system, before_ms))?;
        if old.is_empty() {
            return Ok(());
        }
        for (_, lies) in &old {
            remove_kept(&journal.book.located(lies));
        }
        journal.commit(move |db| {
            rows::note_not_kept(db, &old.into_iter().map(|(id, _)| id).collect::<Vec<_>>())
        })
    }
}

fn remove_kept(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!("could not remove \"{}\", which was kept: {error}", path.display());
    }
}

/// What a thread has with it.
struct Trip {
    line: Line,
    reader: Option<Connection>,
    /// When something was last carried.
    busy: Instant,
    acknowledged: Option<Instant>,
    forgotten: Option<Instant>,
}

impl Default for Trip {
    fn default() -> Self {
        Trip { line: None, reader: None, busy: Instant::now(), acknowledged: None, forgotten: None }
    }
}
