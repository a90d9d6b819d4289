//! A receiver as its road has it: which of its files is next, and what follows from one that could not be delivered.

use std::collections::HashSet;
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use store::{Connection, StoreError};
use transport::{FarError, sync_folder};

use super::Road;
use super::rows::{self, Ask, Carried, Named};
use crate::alarm::{self, Subject};
use crate::journal::Journal;
use crate::time::now_ms;

/// The deliveries that somebody has in hand: also whoever carries for a flow that was changed since.
pub(super) type Hands = Mutex<HashSet<i64>>;

/// A receiver whose files are carried.
pub(super) struct Receiver<'j> {
    pub(super) road: Arc<Road>,
    pub(super) journal: &'j Journal,
    pub(super) hands: &'j Hands,
    /// Whether each file is tried once, and no more.
    pub(super) once: bool,
    /// Set when its files are not carried by this road any more.
    pub(super) over: AtomicBool,
    pulse: Mutex<Pulse>,
}

/// How it goes.
#[derive(Default)]
struct Pulse {
    /// Failures since something went well.
    in_a_row: u32,
    /// When it is tried again.
    until: Option<Instant>,
    is_alarmed: bool,
    /// Where each is tried once: whether there is no use in it, and those that were.
    is_out_of_reach: bool,
    tried: HashSet<i64>,
    /// Why they could not be delivered.
    problems: Vec<String>,
}

/// What could not be done, to whom that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// The receiver: it cannot be reached.
    Receiver,
    /// One file.
    File,
}

/// A delivery that one thread has in hand.
pub(super) struct Hand<'j> {
    pub(super) carried: Carried,
    hands: &'j Hands,
}

impl Drop for Hand<'_> {
    fn drop(&mut self) {
        lock(self.hands).remove(&self.carried.id);
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'j> Receiver<'j> {
    pub(super) fn new(road: Arc<Road>, journal: &'j Journal, hands: &'j Hands, once: bool) -> Self {
        // An earlier run may have raised it.
        let pulse = Pulse { is_alarmed: true, ..Pulse::default() };
        let (over, pulse) = (AtomicBool::new(false), Mutex::new(pulse));
        Receiver { road, journal, hands, once, over, pulse }
    }

    /// The next file that is to be carried, if it is time for one.
    pub(super) fn next(&self, reader: &Connection) -> Result<Option<Hand<'j>>, StoreError> {
        let pulse = lock(&self.pulse);
        let is_paused = pulse.until.is_some_and(|until| Instant::now() < until);
        if pulse.is_out_of_reach || (is_paused && !self.once) {
            return Ok(None);
        }
        let mut hands = lock(self.hands);
        let ask = Ask {
            system: &self.road.system,
            now_ms: now_ms(),
            put_off_ms: milliseconds(self.road.retry.longest),
            is_all: self.once,
            is_ordered: self.road.is_ordered,
            most: hands.len() + pulse.tried.len() + 1,
        };
        let waiting = self.journal.answer(rows::waiting(reader, &self.journal.book, ask))?;
        let is_free = |carried: &Carried| {
            carried.is_named
                && carried.is_due
                && !hands.contains(&carried.id)
                && !pulse.tried.contains(&carried.id)
        };
        let Some(carried) = waiting.into_iter().find(is_free) else { return Ok(None) };
        hands.insert(carried.id);
        Ok(Some(Hand { carried, hands: self.hands }))
    }

    /// A file is where it was to go.
    pub(super) fn went_well(&self) -> Result<(), StoreError> {
        let mut pulse = lock(&self.pulse);
        pulse.in_a_row = 0;
        pulse.until = None;
        if !std::mem::take(&mut pulse.is_alarmed) {
            return Ok(());
        }
        drop(pulse);
        let system = self.road.system.clone();
        self.journal.commit(move |db| {
            rows::note_in_reach(db, &system)?;
            alarm::clear(db, now_ms(), Subject { kind: rows::FAILING, subject: &system })
        })
    }

    /// A file could not be delivered, or none could: notes when that is tried again, and gives up what has waited too long.
    pub(super) fn failed(
        &self,
        carried: &Carried,
        about: About,
        error: &FarError,
    ) -> Result<(), StoreError> {
        let Road { system, retry, .. } = &*self.road;
        let asked = match error {
            FarError::Passing { after, .. } => after.unwrap_or_default(),
            _ => Duration::ZERO,
        };
        let mut pulse = lock(&self.pulse);
        pulse.in_a_row += 1;
        pulse.tried.extend(self.once.then_some(carried.id));
        pulse.is_out_of_reach = self.once && about == About::Receiver;
        pulse.is_alarmed = true;
        // One file that fails alone does not keep the others.
        let in_a_row = pulse.in_a_row - u32::from(about == About::File);
        let pause = if in_a_row == 0 { Duration::ZERO } else { retry.after(in_a_row, chance()) };
        pulse.until = Some(Instant::now() + pause.max(asked));
        let told = error.told();
        let text = format!("{system}: \"{}\" could not be delivered: {told}", carried.file());
        if self.once {
            pulse.problems.push(text.clone());
        }
        drop(pulse);
        tracing::warn!("{text}");
        let wait = retry.after(carried.failures + 1, chance()).max(asked);
        let due_ms = now_ms().saturating_add(milliseconds(wait));
        let (id, of) = (carried.id, system.clone());
        self.journal.commit(move |db| {
            if about == About::Receiver {
                rows::note_out_of_reach(db, &of)?;
            }
            rows::note_failed(db, id, due_ms, &told)?;
            alarm::raise(db, now_ms(), Subject { kind: rows::FAILING, subject: &of }, &text)
        })?;
        self.give_up_old(carried, about, &error.told())
    }

    /// Gives up what could not be delivered for too long.
    fn give_up_old(&self, carried: &Carried, about: About, told: &str) -> Result<(), StoreError> {
        let Some(give_up) = self.road.retry.give_up else { return Ok(()) };
        let since_ms = now_ms().saturating_sub(milliseconds(give_up));
        let reader = self.journal.reader()?;
        let book = &self.journal.book;
        let old = rows::failed_since(&reader, book, &self.road.system, since_ms);
        for old in self.journal.answer(old)? {
            let is_it = old.id == carried.id;
            if !is_it && (about == About::File || !lock(self.hands).insert(old.id)) {
                continue;
            }
            // What was not tried itself waited for the same.
            let problem = old.problem.as_deref().unwrap_or(told);
            let seconds = give_up.as_secs_f64();
            let why = format!("it could not be delivered for {seconds} seconds: {problem}");
            let given_up = self.give_up(&old, &why, Named::Perhaps);
            if !is_it {
                lock(self.hands).remove(&old.id);
            }
            given_up?;
        }
        Ok(())
    }

    /// Gives a file up: it goes to the folder of those, and an alarm says so.
    pub(super) fn give_up(
        &self,
        carried: &Carried,
        why: &str,
        named: Named,
    ) -> Result<(), StoreError> {
        let Road { system, dead, .. } = &*self.road;
        // Files of one name may come in the course of years.
        let lies = dead.join(format!("{}-{}", carried.id, carried.file()));
        let noted = self.journal.book.noted(&lies);
        tracing::error!("{system}: \"{}\" was given up: {why}", carried.file());
        let (id, of, why) = (carried.id, system.clone(), why.to_owned());
        if self.once {
            lock(&self.pulse)
                .problems
                .push(format!("{system}: \"{}\" was given up: {why}", carried.file()));
        }
        self.journal.commit(move |db| rows::note_dead(db, (id, &of), &noted, &why, named))?;
        self.move_to(&carried.lies, &lies);
        Ok(())
    }

    /// Moves a file that the journal has elsewhere. Where that fails, or is interrupted, the next run does it.
    pub(super) fn move_to(&self, from: &Path, to: &Path) {
        if from == to {
            return;
        }
        let folder = to.parent().unwrap_or(Path::new("."));
        let moved = fs::create_dir_all(folder)
            .and_then(|()| fs::rename(from, to))
            .and_then(|()| sync_folder(folder))
            .and_then(|()| sync_folder(from.parent().unwrap_or(Path::new("."))));
        if let Err(error) = moved {
            tracing::warn!(
                "could not move \"{}\" to \"{}\": {error}",
                from.display(),
                to.display()
            );
        }
    }

    /// Removes a file that is delivered. Where that is lost, the next run does it.
    pub(super) fn remove(&self, path: &Path) {
        let removed = fs::remove_file(path)
            .and_then(|()| sync_folder(path.parent().unwrap_or(Path::new("."))));
        if let Err(error) = removed {
            tracing::warn!("could not remove \"{}\", which is delivered: {error}", path.display());
        }
    }

    /// Whether nothing more is carried on this road.
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// What could not be delivered.
    pub(super) fn take_problems(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.pulse).problems)
    }
}

pub(super) fn milliseconds(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX)
}

/// A number from 0 to 1: what differs from one waiting thread to the next.
fn chance() -> f64 {
    RandomState::new().hash_one(0) as f64 / u64::MAX as f64
}
