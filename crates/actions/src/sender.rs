//! Sends actions, each name in a thread of its own: another machine that is slow holds up nothing else.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::Scope;
use std::time::{Duration, Instant};

use alarm::{AlarmKey, EventType, Kind, Severity};
use journal::Journal;
use runtime::backoff::Backoff;
use runtime::shutdown::Shutdown;
use runtime::threads;
use runtime::time::milliseconds;
use store::{Connection, StoreError};

use crate::kinds::CarryError;
use crate::outbox::{self, Next};
use crate::settings::ActionSettings;
use crate::{LOG, stop};

/// How often a sender looks for actions.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// How long to wait before an action is sent again.
const RETRY: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(5 * 60));

/// For how long what is due is sent once the service stops, or reads its flow again.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// How long to wait before a journal that refuses is tried again.
const JOURNAL_RETRY: Duration = Duration::from_secs(1);

/// With so many attempts that failed, an alarm is raised.
const FAILED_OFTEN: u32 = 3;

/// Raised while actions are not carried out.
const FAILING: &Kind = &Kind::new(
    "action-failing",
    Severity::Major,
    EventType::Communications,
    "communicationsSubsystemFailure",
);

/// Raised while actions wait for people.
const WAITING: &Kind =
    &Kind::new("action-waiting", Severity::Minor, EventType::Quality, "thresholdCrossed");

/// The kinds of alarms of actions.
pub const ALARMS: &[&Kind] = &[FAILING, WAITING];

/// Whose actions are sent.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// The journal that has them.
    pub journal: &'s Journal,
}

/// Starts a thread for each action, which sends what is due until `shutdown` is set. Then each one sends once more what is due.
pub fn run<'s>(
    scope: &'s Scope<'s, '_>,
    source: Source<'s>,
    actions: &[ActionSettings],
    shutdown: &Shutdown,
) {
    for action in actions.iter().filter(|_| source.journal.view.is_written).cloned() {
        let (name, shutdown) = (action.name.clone(), shutdown.clone());
        let sender = Sender { journal: source.journal, action, shutdown, waiting: 0 };
        if let Err(error) = threads::spawn_scoped(scope, || sender.run()) {
            tracing::error!(target: LOG, "the action \"{name}\" is not carried out: {error}");
        }
    }
}

struct Sender<'j> {
    journal: &'j Journal,
    action: ActionSettings,
    shutdown: Shutdown,
    /// How many wait for people, as the alarm says.
    waiting: i64,
}

impl Sender<'_> {
    /// Continues after an error of the journal, as long as the journal may be written again: its disk may have been full.
    fn run(mut self) {
        let mut is_logged = false;
        while let Err(error) = self.send_until_shutdown() {
            if !mem::replace(&mut is_logged, true) {
                let name = &self.action.name;
                tracing::error!(target: LOG, "the action \"{name}\" is not carried out: {error}");
            }
            if self.shutdown.is_set() || !self.journal.can_be_written() {
                return;
            }
            self.shutdown.wait(JOURNAL_RETRY);
        }
    }

    fn send_until_shutdown(&mut self) -> Result<(), StoreError> {
        let reader = self.journal.reader()?;
        // What was raised before a start is looked at once.
        self.waiting = -1;
        let mut ends = None;
        loop {
            let is_last = self.shutdown.is_set();
            if is_last {
                ends.get_or_insert_with(|| Instant::now() + STOP_WITHIN);
            }
            let has_sent = self.attempt(&reader)?;
            // What is left is sent after the next start.
            if is_last && (!has_sent || ends.is_some_and(|end| Instant::now() >= end)) {
                return Ok(());
            }
            if !has_sent {
                self.shutdown.wait(LOOK_EVERY);
            }
        }
    }

    /// Sends the next action, if one is due. Returns whether it was carried out.
    fn attempt(&mut self, reader: &Connection) -> Result<bool, StoreError> {
        let (journal, name) = (self.journal, self.action.name.clone());
        if journal.answer(outbox::has_new(reader, &name))? {
            let (action, now_ms) = (self.action.clone(), journal.now_ms());
            journal.commit(move |db| outbox::sort(db, &action, now_ms))?;
        }
        self.tell_waiting(reader)?;
        if journal.answer(stop::stopped(reader))?.is_some() {
            return Ok(false);
        }
        let next = journal.answer(outbox::next(reader, &name, journal.now_ms()))?;
        let Some(Next { id, message, undo, tries }) = next else { return Ok(false) };
        let (action, now_ms) = (self.action.clone(), journal.now_ms());
        if !journal.commit(move |db| outbox::sending(db, (&action, id), now_ms))? {
            return Ok(false);
        }
        let carrier = Arc::clone(&self.action.carrier);
        if undo && !carrier.can_be_undone() {
            let problem = "it cannot be undone: the action has no \"undo\"";
            journal.commit(move |db| outbox::stays_done(db, id, problem))?;
            return Ok(true);
        }
        let unreadable = |error| CarryError(format!("what is to be sent cannot be read: {error}"));
        let carried_out = message.map_err(unreadable).and_then(|message| {
            let carry_out = || carrier.carry_out(&message, &self.shutdown);
            catch_unwind(AssertUnwindSafe(carry_out))
                .unwrap_or_else(|_| Err(CarryError("it broke off".to_owned())))
        });
        let (now_ms, alarm_ms) = (journal.now_ms(), journal.machine_ms());
        let Err(error) = carried_out else {
            tracing::info!(target: LOG, "the action {id} \"{name}\" is carried out");
            journal.commit(move |db| {
                outbox::done(db, (id, undo), now_ms)?;
                alarm::clear(db, alarm_ms, AlarmKey { kind: FAILING, subject: &name })
            })?;
            return Ok(true);
        };
        let text = format!("the action {id} \"{name}\" is not carried out: {error}");
        if tries == 0 {
            tracing::warn!(target: LOG, "{text}; it is tried again");
        }
        let next_ms = now_ms.saturating_add(milliseconds(RETRY.after(tries + 1)));
        journal.commit(move |db| {
            outbox::failed(db, id, &error.to_string(), next_ms)?;
            if tries + 1 >= FAILED_OFTEN {
                alarm::raise(db, alarm_ms, AlarmKey { kind: FAILING, subject: &name }, &text)?;
            }
            Ok(())
        })?;
        Ok(false)
    }

    /// Raises an alarm while actions wait for people.
    fn tell_waiting(&mut self, reader: &Connection) -> Result<(), StoreError> {
        let name = self.action.name.clone();
        let waiting = self.journal.answer(outbox::waiting(reader, &name))?;
        if waiting == self.waiting {
            return Ok(());
        }
        self.waiting = waiting;
        let now_ms = self.journal.machine_ms();
        self.journal.commit(move |db| {
            let key = AlarmKey { kind: WAITING, subject: &name };
            let text = format!("{waiting} of the action \"{name}\" wait for a person");
            match waiting {
                0 => alarm::clear(db, now_ms, key),
                _ => alarm::raise(db, now_ms, key, &text),
            }
        })
    }
}
