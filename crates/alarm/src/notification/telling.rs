//! Telling channels, each in a thread of its own: one that is slow or not there holds up nobody.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::Scope;
use std::time::{Duration, Instant};

use journal::Journal;
use runtime::backoff::Backoff;
use runtime::shutdown::Shutdown;
use runtime::threads;
use runtime::time::milliseconds;
use store::{Answer, Connection, StoreError};

use super::book::{self, Next};
use super::{LOG, News, NotTold, Source, Told};
use crate::{AlarmKey, Condition, EventType, Kind, Severity};

/// How often it is looked for what is new.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// How long the end of a run waits for what is being told.
const ENDED_WITHIN: Duration = Duration::from_secs(5);

/// How long a channel is waited for before it is waited for again.
const DONE_WITHIN: Duration = Duration::from_secs(60 * 60);

/// How long is waited before a channel is tried again. Many gateways do not come back at the same moment.
pub(super) const RETRY: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(5 * 60));

/// How long is waited before the journal is tried again that could not be written.
const JOURNAL_RETRY: Duration = Duration::from_secs(1);

/// Raised while a channel cannot be told.
const FAILING: &Kind = &Kind::new(
    "notify-failing",
    Severity::Major,
    EventType::Communications,
    "communicationsSubsystemFailure",
);

/// Raised while somebody behind a channel is refused what it is told.
const REFUSED: &Kind = &Kind::new(
    "notify-refused",
    Severity::Major,
    EventType::Communications,
    "communicationsSubsystemFailure",
);

/// The kinds of alarms that are raised here.
pub const ALARMS: &[&Kind] = &[FAILING, REFUSED];

/// Begins to tell channels, until the service stops. Then each channel is told once more what is new, if that works.
pub fn tell<'s>(scope: &'s Scope<'s, '_>, source: Source<'s>, told: &[Told], shutdown: &Shutdown) {
    let journal = source.journal;
    if let Err(error) = forget_others(told, journal) {
        tracing::error!(target: LOG, "{error}");
    }
    for told in told.iter().filter(|_| journal.view.is_kept).cloned() {
        let shutdown = shutdown.clone();
        let name = told.name.clone();
        let telling =
            move || Teller { source, told, shutdown, failures: 0, left_since: None }.run();
        if let Err(error) = threads::spawn_scoped(scope, telling) {
            tracing::error!(target: LOG, "\"{name}\" is not told of alarms: {error}");
        }
    }
}

/// Forgets channels that there are no more: one of such a name that comes later begins anew.
fn forget_others(told: &[Told], journal: &Journal) -> Result<(), StoreError> {
    let names: Vec<&str> = told.iter().map(|told| told.name.as_str()).collect();
    let names = serde_json::json!(names).to_string();
    let reader = journal.reader()?;
    let raised = journal.answer(crate::raised(&reader, &[FAILING, REFUSED]))?;
    let is_there = |name: &String| told.iter().any(|told| told.name == *name);
    let over: Vec<_> = raised.into_iter().filter(|wrong| !is_there(&wrong.subject)).collect();
    let others = "channel NOT IN (SELECT value FROM json_each(?))";
    let select = format!("SELECT count(*) FROM notified WHERE {others}");
    let left: i64 = journal.answer(reader.query_row(&select, [&names], |row| row.get(0)))?;
    if over.is_empty() && left == 0 {
        return Ok(());
    }
    let now_ms = journal.machine_ms();
    journal.commit(move |db| {
        db.execute(&format!("DELETE FROM notified WHERE {others}"), [&names])?;
        over.iter().try_for_each(|over| crate::clear(db, now_ms, over.key()))
    })
}

struct Teller<'j> {
    source: Source<'j>,
    told: Told,
    shutdown: Shutdown,
    /// How often in a row it could not be told.
    failures: u32,
    /// Since when only some do not have what is told now.
    left_since: Option<Instant>,
}

/// How a try ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tried {
    /// There was nothing to tell.
    Nothing,
    Told,
    Failed,
}

impl Teller<'_> {
    /// Goes on where the journal can be written again: its disk was full.
    fn run(mut self) {
        let mut is_said = false;
        while let Err(error) = self.tell_until_over() {
            if !std::mem::replace(&mut is_said, true) {
                tracing::error!(target: LOG, "\"{}\" is not told of alarms: {error}", self.told.name);
            }
            if self.shutdown.is_set() || !self.source.journal.can_be_written() {
                return;
            }
            self.shutdown.wait(JOURNAL_RETRY);
        }
    }

    fn tell_until_over(&mut self) -> Result<(), StoreError> {
        let reader = self.source.journal.reader()?;
        let name = self.told.name.clone();
        self.source.journal.commit(move |db| book::begin(db, &name))?;
        loop {
            let is_last = self.shutdown.is_set();
            let tried = self.try_once(&reader, is_last)?;
            if is_last && tried != Tried::Told {
                return Ok(());
            }
            let pause = match tried {
                Tried::Told => continue,
                Tried::Nothing => LOOK_AGAIN,
                Tried::Failed => RETRY.after(self.failures),
            };
            self.shutdown.wait(pause);
        }
    }

    /// Tells what is new, if anything is; the last time, what would be waited for too.
    fn try_once(&mut self, reader: &Connection, is_last: bool) -> Result<Tried, StoreError> {
        let name = self.told.name.clone();
        let Some(state) = self.source.journal.answer(book::state(reader, &name))? else {
            return Ok(Tried::Nothing);
        };
        let of = (self.source, &self.told);
        let Some(next) = self.source.journal.answer(book::next(reader, of, state))? else {
            return Ok(Tried::Nothing);
        };
        let Next { news, until, since_ms, is_repeated, left_out } = next;
        if news.is_empty() {
            self.source.journal.commit(move |db| book::told(db, &name, until))?;
            return Ok(Tried::Told);
        }
        // A clock that was set back does not keep it waiting for long.
        let waited_ms = self.source.journal.machine_ms() - since_ms;
        let waits = (0..milliseconds(self.told.channel.gather())).contains(&waited_ms);
        if waits && !is_last && !is_repeated && news.len() < self.told.channel.events_max() {
            return Ok(Tried::Nothing);
        }
        if left_out > 0 {
            tracing::warn!(target: LOG, "\"{name}\" is not told of {left_out} events: too many wait");
        }
        if !is_repeated {
            let name = name.clone();
            self.source.journal.commit(move |db| book::sending(db, &name, until))?;
        }
        let refused = match self.send(news) {
            None => return Ok(Tried::Failed),
            Some(Ok(refused)) => refused,
            Some(Err(NotTold::Some { problem, left })) if self.gives_up(reader, &left)? => {
                tracing::error!(target: LOG, "\"{name}\" is not told of alarms any more: {problem}");
                left
            }
            Some(Err(problem)) => {
                self.failures = self.failures.saturating_add(1);
                self.failed(problem)?;
                return Ok(Tried::Failed);
            }
        };
        (self.failures, self.left_since) = (0, None);
        let now_ms = self.source.journal.machine_ms();
        self.source.journal.commit(move |db| {
            book::told(db, &name, until)?;
            crate::clear(db, now_ms, AlarmKey { kind: FAILING, subject: &name })?;
            note_refused(db, now_ms, &name, &refused)
        })?;
        Ok(Tried::Told)
    }

    /// Whether those are given up who alone do not have what is told now: they were waited for long enough, or the alarm says
    /// so of them already, and all else would be as late each time.
    fn gives_up(&mut self, reader: &Connection, left: &[String]) -> Result<bool, StoreError> {
        let since = *self.left_since.get_or_insert_with(Instant::now);
        if since.elapsed() >= self.told.failing_after {
            return Ok(true);
        }
        let raised = self.source.journal.answer(crate::raised(reader, &[REFUSED]))?;
        Ok(raised.contains(&not_reached(&self.told.name, left)))
    }

    /// Has a channel told; none where the end of the run has waited for that long enough. It is then told again by the next.
    fn send(&self, news: Vec<News>) -> Option<Result<Vec<String>, NotTold>> {
        let (through, waiting) = sync_channel(1);
        let channel = Arc::clone(&self.told.channel);
        // Set when the channel answers, and when the run ends.
        let done = self.shutdown.child();
        let end = done.set_on_drop();
        let sending = threads::spawn(move || {
            let _end = end;
            let told = catch_unwind(AssertUnwindSafe(|| channel.tell(&news)));
            let told = told.unwrap_or_else(|_| Err("the channel broke off".to_owned().into()));
            let _ = through.send(told);
        });
        if let Err(error) = sending {
            return Some(Err(error.to_string().into()));
        }
        while !done.wait(DONE_WITHIN) {}
        match waiting.recv_timeout(ENDED_WITHIN) {
            Ok(told) => Some(told),
            Err(RecvTimeoutError::Disconnected) => Some(Err("nobody saw to it".to_owned().into())),
            Err(RecvTimeoutError::Timeout) => None,
        }
    }

    /// Says that a channel could not be told, and raises an alarm where that is so for long.
    fn failed(&mut self, problem: NotTold) -> Result<(), StoreError> {
        let Told { name, failing_after, .. } = self.told.clone();
        if let NotTold::Nobody(_) = problem {
            self.left_since = None;
        }
        if self.failures == 1 {
            tracing::warn!(target: LOG, "\"{name}\" could not be told of alarms: {problem}; it is tried again");
        }
        let journal = self.source.journal;
        let (guarded_ms, now_ms) = (journal.now_ms(), journal.machine_ms());
        journal.commit(move |db| {
            let since_ms = book::failing(db, &name, guarded_ms)?;
            if guarded_ms - since_ms < milliseconds(failing_after) {
                return Ok(());
            }
            let text = format!("\"{name}\" could not be told of alarms: {problem}");
            crate::raise(db, now_ms, AlarmKey { kind: FAILING, subject: &name }, &text)
        })
    }
}

/// Raises an alarm where somebody was refused what a channel was told, and clears it where nobody was.
fn note_refused(db: &Connection, now_ms: i64, channel: &str, refused: &[String]) -> Answer<()> {
    let wrong = not_reached(channel, refused);
    match refused {
        [] => crate::clear(db, now_ms, wrong.key()),
        _ => crate::raise(db, now_ms, wrong.key(), &wrong.text),
    }
}

/// What is said of those who do not have what a channel was told. It does not have what the other side said, which may
/// differ each time: who is told of changes would be told of that without end.
fn not_reached(channel: &str, left: &[String]) -> Condition {
    let people = left.join(", ");
    let text = format!(
        "\"{channel}\" does not reach {people}: the other side does not take it; the log has its words"
    );
    Condition { kind: REFUSED, subject: channel.to_owned(), text }
}
