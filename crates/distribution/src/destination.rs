//! The deliveries to one receiver: which work is due next, and what follows from a failed delivery.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use alarm::AlarmKey;
use journal::Journal;
use runtime::durable::{make_folder, sync_folder};
use runtime::shutdown::Shutdown;
use runtime::sync::lock;
use runtime::time::{milliseconds, now_ms};
use store::{Connection, StoreError};
use transport::{Far, FarError};

use super::Road;
use super::maintenance::Upkeep;
use super::outbox;
use super::outbox::{Ask, Carried, Named};
use super::packing::{Contents, Moment, Writing, gather, is_due, release};
use super::transfer::{Line, carry};
use flow::meters::Meters;

/// The deliveries that a thread is working on, with their receivers. It includes threads that still serve the flow
/// before a change.
pub(super) type Hands = Mutex<HashMap<i64, String>>;

/// The parts that all receivers of a gateway share.
pub(super) struct Shared {
    pub(super) journal: Arc<Journal>,
    pub(super) meters: Arc<Meters>,
    pub(super) hands: Arc<Hands>,
}

/// A receiver that files are delivered to.
pub(super) struct Receiver {
    pub(super) road: Arc<Road>,
    pub(super) journal: Arc<Journal>,
    pub(super) meters: Arc<Meters>,
    pub(super) hands: Arc<Hands>,
    /// Whether each file is tried only once.
    pub(super) once: bool,
    pub(super) ends: Ends,
    pulse: Mutex<Pulse>,
    /// Whether a thread gathers slices.
    is_gathering: Mutex<bool>,
    pub(super) upkeep: Mutex<Upkeep>,
    /// The idle connections, and since when each is idle.
    lines: Mutex<Vec<(Box<dyn Far>, Instant)>>,
}

/// The signals that end deliveries.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    /// The gateway stops: running transfers are cut.
    pub(super) stop: Shutdown,
    /// The flow has changed or the run ends: running transfers are finished.
    pub(super) over: Shutdown,
}

impl Ends {
    pub(super) fn is_over(&self) -> bool {
        self.stop.is_set() || self.over.is_set()
    }
}

/// How long an idle connection is kept.
pub(super) const IDLE_MAX: Duration = Duration::from_secs(10);

/// A piece of work for a receiver.
pub(super) enum Errand {
    Carry(Hand),
    /// Put slices of outputs together into files.
    Gather(Moment),
    /// Maintenance that concerns no waiting file.
    Upkeep,
}

/// The recent success of deliveries to a receiver.
#[derive(Default)]
struct Pulse {
    /// The number of failures since the last success.
    in_a_row: u32,
    /// The time of the next try.
    until: Option<Instant>,
    is_alarmed: bool,
    /// In a run that tries each file once: whether the receiver cannot be reached, and the files that were tried.
    is_out_of_reach: bool,
    tried: HashSet<i64>,
    /// The reasons of failed deliveries.
    problems: Vec<String>,
}

/// The scope of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// The receiver cannot be reached.
    Receiver,
    /// Only one file is affected.
    File,
}

/// A delivery that a thread is working on. Dropping it releases the delivery.
pub(super) struct Hand {
    pub(super) carried: Carried,
    hands: Arc<Hands>,
}

impl Drop for Hand {
    fn drop(&mut self) {
        lock(&self.hands).remove(&self.carried.id);
    }
}

impl Receiver {
    pub(super) fn new(
        road: Arc<Road>,
        Shared { journal, meters, hands }: Shared,
        once: bool,
        ends: Ends,
    ) -> Self {
        // An earlier run may have raised the alarm.
        let pulse = Mutex::new(Pulse { is_alarmed: true, ..Pulse::default() });
        let (is_gathering, upkeep, lines) = Default::default();
        Receiver { road, journal, meters, hands, once, ends, pulse, is_gathering, upkeep, lines }
    }

    /// Returns the next piece of work that is due. `is_last` means that no more files will come.
    pub(super) fn next(
        &self,
        reader: &Connection,
        is_last: bool,
    ) -> Result<Option<Errand>, StoreError> {
        if self.takes_upkeep() {
            return Ok(Some(Errand::Upkeep));
        }
        let moment = Moment { now_ms: now_ms(), is_last: is_last && self.once };
        match self.takes_gathering(reader, moment)? {
            true => Ok(Some(Errand::Gather(moment))),
            false => Ok(self.next_file(reader)?.map(Errand::Carry)),
        }
    }

    /// Returns whether slices are due to be gathered. If so, the caller has the task.
    fn takes_gathering(&self, reader: &Connection, moment: Moment) -> Result<bool, StoreError> {
        let mut is_gathering = lock(&self.is_gathering);
        if !*is_gathering {
            *is_gathering = self.journal.answer(is_due(reader, &self.road, moment))?;
            return Ok(*is_gathering);
        }
        Ok(false)
    }

    /// Gathers slices into files in one transaction.
    fn gather(&self, moment: Moment) -> Result<(), StoreError> {
        let (road, view) = (Arc::clone(&self.road), self.journal.view.clone());
        let gathered = self.journal.commit(move |db| gather(db, &view, &road, moment));
        *lock(&self.is_gathering) = false;
        gathered.map(|files| {
            tracing::debug!(target: "flow::delivery", receiver = self.road.system, files, "put together for the receiver");
        })
    }

    /// Performs a piece of work.
    pub(super) fn perform(&self, errand: Errand) -> Result<(), StoreError> {
        match errand {
            Errand::Carry(hand) => self.with_line(|line| carry(self, line, &hand.carried)),
            Errand::Gather(moment) => self.gather(moment),
            Errand::Upkeep => self.keep_up(),
        }
    }

    /// Runs `act` with an idle connection, if there is one, and keeps the connection afterwards.
    pub(super) fn with_line<T>(&self, act: impl FnOnce(&mut Line) -> T) -> T {
        let mut line = lock(&self.lines).pop().map(|(far, _)| far);
        let done = act(&mut line);
        lock(&self.lines).extend(line.map(|far| (far, Instant::now())));
        done
    }

    /// Closes all idle connections.
    pub(super) fn end_lines(&self) {
        let lines = std::mem::take(&mut *lock(&self.lines));
        drop(lines);
    }

    /// Returns whether a connection has been idle for [`IDLE_MAX`].
    pub(super) fn has_idle_lines(&self) -> bool {
        lock(&self.lines).first().is_some_and(|(_, since)| since.elapsed() >= IDLE_MAX)
    }

    /// Closes connections that have been idle for [`IDLE_MAX`]. This may take a moment if the other machine is gone.
    pub(super) fn end_idle_lines(&self) {
        let is_idle = |(_, since): &mut (Box<dyn Far>, Instant)| since.elapsed() >= IDLE_MAX;
        let idle: Vec<_> = lock(&self.lines).extract_if(.., is_idle).collect();
        drop(idle);
    }

    /// Returns whether the last try failed.
    pub(super) fn is_doubtful(&self) -> bool {
        lock(&self.pulse).in_a_row > 0
    }

    /// Takes the next file that is due, if there is one.
    fn next_file(&self, reader: &Connection) -> Result<Option<Hand>, StoreError> {
        let pulse = lock(&self.pulse);
        let is_paused = pulse.until.is_some_and(|until| Instant::now() < until);
        if pulse.is_out_of_reach || (is_paused && !self.once) {
            return Ok(None);
        }
        let mut hands = lock(&self.hands);
        let system = &self.road.system;
        // Threads of the flow before a change may still work on some.
        if hands.values().filter(|of| *of == system).count() >= self.road.at_once {
            return Ok(None);
        }
        let ask = Ask {
            system,
            now_ms: now_ms(),
            is_all: self.once,
            is_ordered: self.road.is_ordered,
            most: hands.len() + pulse.tried.len() + 1,
        };
        let waiting = self.journal.answer(outbox::waiting(reader, &self.journal.view, ask))?;
        let is_free = |carried: &Carried| {
            carried.is_named
                && carried.is_due
                && !hands.contains_key(&carried.id)
                && !pulse.tried.contains(&carried.id)
        };
        let Some(carried) = waiting.into_iter().find(is_free) else { return Ok(None) };
        hands.insert(carried.id, system.clone());
        Ok(Some(Hand { carried, hands: Arc::clone(&self.hands) }))
    }

    /// Notes a success: clears the alarm and the backoff.
    pub(super) fn went_well(&self) -> Result<(), StoreError> {
        if self.ends.over.is_set() {
            // The flow may not have this receiver any more.
            let system = self.road.system.clone();
            self.journal.commit(move |db| outbox::clear_orphaned(db, &system))?;
        }
        let mut pulse = lock(&self.pulse);
        pulse.in_a_row = 0;
        pulse.until = None;
        if !std::mem::take(&mut pulse.is_alarmed) {
            return Ok(());
        }
        drop(pulse);
        let system = self.road.system.clone();
        self.journal.commit(move |db| {
            outbox::note_in_reach(db, &system)?;
            alarm::clear(db, now_ms(), AlarmKey { kind: outbox::FAILING, subject: &system })
        })
    }

    /// Notes a failure and the time of the next try. Gives up files that have failed for too long.
    pub(super) fn failed(
        &self,
        carried: &Carried,
        about: About,
        error: &FarError,
    ) -> Result<(), StoreError> {
        let Road { system, retry, .. } = &*self.road;
        let requested_wait = error.after().unwrap_or_default();
        let mut pulse = lock(&self.pulse);
        pulse.in_a_row += 1;
        pulse.tried.extend(self.once.then_some(carried.id));
        pulse.is_out_of_reach = self.once && about == About::Receiver;
        pulse.is_alarmed = true;
        // A file that fails alone does not delay the others.
        let in_a_row = pulse.in_a_row - u32::from(about == About::File);
        pulse.until = Some(Instant::now() + retry.backoff.after(in_a_row).max(requested_wait));
        let cause = error.with_causes();
        let text = format!("{system}: \"{}\" could not be delivered: {cause}", carried.file());
        if self.once {
            pulse.problems.push(text.clone());
        }
        drop(pulse);
        tracing::warn!(target: "flow::delivery", receiver = system, file = carried.file(), "{text}");
        let wait = retry.backoff.after(carried.failures + 1).max(requested_wait);
        let (id, of) = (carried.id, system.clone());
        // The threads of the current flow report the state of the receiver, if the flow has it.
        let is_over = self.ends.over.is_set();
        self.journal.commit(move |db| {
            if about == About::Receiver {
                outbox::note_out_of_reach(db, &of)?;
            }
            outbox::note_failed(db, id, wait, &cause)?;
            if is_over {
                return Ok(());
            }
            alarm::raise(db, now_ms(), AlarmKey { kind: outbox::FAILING, subject: &of }, &text)
        })?;
        match is_over {
            true => Ok(()),
            false => self.give_up_old(carried, about, &error.with_causes()),
        }
    }

    /// Gives up files that have failed for longer than `retry.give-up`.
    fn give_up_old(&self, carried: &Carried, about: About, cause: &str) -> Result<(), StoreError> {
        let Some(give_up) = self.road.retry.give_up else { return Ok(()) };
        let since_ms = now_ms().saturating_sub(milliseconds(give_up));
        let reader = self.journal.reader()?;
        let view = &self.journal.view;
        let old = outbox::failed_since(&reader, view, &self.road.system, since_ms);
        for old in self.journal.answer(old)? {
            let is_it = old.id == carried.id;
            if !is_it && (about == About::File || !self.takes(old.id)) {
                continue;
            }
            // A file that was not tried itself waited for the same problem.
            let problem = old.problem.as_deref().unwrap_or(cause);
            let seconds = give_up.as_secs_f64();
            let why = format!("it could not be delivered for {seconds} seconds: {problem}");
            let given_up = self.give_up(&old, &why, Named::Perhaps);
            if !is_it {
                lock(&self.hands).remove(&old.id);
            }
            given_up?;
        }
        Ok(())
    }

    /// Takes a delivery unless another thread has it.
    fn takes(&self, id: i64) -> bool {
        match lock(&self.hands).entry(id) {
            Entry::Occupied(_) => false,
            Entry::Vacant(free) => {
                free.insert(self.road.system.clone());
                true
            }
        }
    }

    /// Gives a file up: moves it to the folder of dead letters and raises an alarm.
    pub(super) fn give_up(
        &self,
        carried: &Carried,
        why: &str,
        named: Named,
    ) -> Result<(), StoreError> {
        let Road { system, dead, .. } = &*self.road;
        // A name may come again over the years, so the number is added.
        let lies = dead.join(format!("{}-{}", carried.id, carried.file()));
        let contents = Contents::of(&self.journal, carried.id, (&carried.path, &carried.lies))?;
        if contents.is_in_pieces()
            && let Err(error) = Writing(&contents).to(&lies)
        {
            // The next try gives it up again.
            let (file, lies) = (carried.file(), lies.display());
            tracing::error!(
                target: "flow::delivery",
                receiver = system,
                file,
                "{system}: \"{file}\" could not be given up to \"{lies}\": {error}"
            );
            return Ok(());
        }
        let noted = self.journal.view.noted(&lies);
        tracing::error!(target: "flow::delivery", "{system}: \"{}\" was given up: {why}", carried.file());
        let (id, of, why) = (carried.id, system.clone(), why.to_owned());
        if self.once {
            lock(&self.pulse)
                .problems
                .push(format!("{system}: \"{}\" was given up: {why}", carried.file()));
        }
        self.journal.commit(move |db| outbox::note_dead(db, (id, &of), &noted, &why, named))?;
        match contents.is_in_pieces() {
            true => release(&self.journal, carried.id),
            false => self.move_to(&carried.lies, &lies),
        }
        Ok(())
    }

    /// Moves a file to the place that the journal has. If this fails or is interrupted, the next run does it.
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
        std::mem::take(&mut lock(&self.pulse).problems)
    }
}

/// Removes a delivered file. If this fails, the next run does it.
pub(super) fn remove_delivered(path: &Path) {
    let removed =
        fs::remove_file(path).and_then(|()| sync_folder(path.parent().unwrap_or(Path::new("."))));
    if let Err(error) = removed {
        tracing::warn!(target: "flow::delivery", "could not remove \"{}\", which is delivered: {error}", path.display());
    }
}
