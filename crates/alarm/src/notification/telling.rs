//! Telling channels, each in a thread of its own: one that is slow or not there holds up nobody.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use journal::Journal;
use runtime::time::now_ms;
use store::{Answer, Connection, StoreError};

use super::book::{self, Next};
use super::{LOG, News, NotTold, Source, Told};
use crate::{AlarmKey, Condition, EventType, Kind, Severity};

/// How often it is looked for what is new.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// How long an end may wait to be seen.
const END_SEEN: Duration = Duration::from_millis(20);

/// How long the end of a run waits for what is being told.
const ENDED_WITHIN: Duration = Duration::from_secs(5);

/// How long is waited before a channel is tried again: at first so long, then twice as long each time, and at most that.
const TRIED_AGAIN_MIN: Duration = Duration::from_secs(1);
const TRIED_AGAIN_MAX: Duration = Duration::from_secs(5 * 60);

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

/// Those who tell channels, until this goes away. Then each channel is told once more what is new, if that
/// works.
pub struct Telling(Arc<AtomicBool>);

impl Drop for Telling {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Begins to tell channels.
pub fn tell<'s>(scope: &'s Scope<'s, '_>, source: Source<'s>, told: &[Told]) -> Telling {
    let journal = source.journal;
    let is_over = Arc::new(AtomicBool::new(false));
    if let Err(error) = forget_others(told, journal) {
        tracing::error!(target: LOG, "{error}");
    }
    for told in told.iter().filter(|_| journal.view.is_kept).cloned() {
        let over = Arc::clone(&is_over);
        let name = told.name.clone();
        let telling = move || Teller { source, told, over, failures: 0, left_since: None }.run();
        if let Err(error) = thread::Builder::new().spawn_scoped(scope, telling) {
            tracing::error!(target: LOG, "\"{name}\" is not told of alarms: {error}");
        }
    }
    Telling(is_over)
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
    journal.commit(move |db| {
        db.execute(&format!("DELETE FROM notified WHERE {others}"), [&names])?;
        over.iter().try_for_each(|over| crate::clear(db, now_ms(), over.key()))
    })
}

struct Teller<'j> {
    source: Source<'j>,
    told: Told,
    over: Arc<AtomicBool>,
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
            if self.over.load(Ordering::Relaxed) || !self.source.journal.can_be_written() {
                return;
            }
            self.rest(TRIED_AGAIN_MIN);
        }
    }

    fn tell_until_over(&mut self) -> Result<(), StoreError> {
        let reader = self.source.journal.reader()?;
        let name = self.told.name.clone();
        self.source.journal.commit(move |db| book::begin(db, &name))?;
        loop {
            let is_last = self.over.load(Ordering::Relaxed);
            let tried = self.try_once(&reader, is_last)?;
            if is_last && tried != Tried::Told {
                return Ok(());
            }
            let pause = match tried {
                Tried::Told => continue,
                Tried::Nothing => LOOK_AGAIN,
                Tried::Failed => pause(self.failures, jitter()),
            };
            self.rest(pause);
        }
    }

    /// Waits, unless it is over.
    fn rest(&self, pause: Duration) {
        let end = Instant::now() + pause;
        while !self.over.load(Ordering::Relaxed) && Instant::now() < end {
            thread::sleep(END_SEEN.min(end.saturating_duration_since(Instant::now())));
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
        let gather = i64::try_from(self.told.channel.gather().as_millis()).unwrap_or(i64::MAX);
        // A clock that was set back does not keep it waiting for long.
        let waits = (now_ms() - since_ms).max(0) < gather && since_ms <= now_ms();
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
        self.source.journal.commit(move |db| {
            book::told(db, &name, until)?;
            crate::clear(db, now_ms(), AlarmKey { kind: FAILING, subject: &name })?;
            note_refused(db, &name, &refused)
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
        let sending = thread::Builder::new().spawn(move || {
            let told = catch_unwind(AssertUnwindSafe(|| channel.tell(&news)));
            let told = told.unwrap_or_else(|_| Err("the channel broke off".to_owned().into()));
            let _ = through.send(told);
        });
        if let Err(error) = sending {
            return Some(Err(error.to_string().into()));
        }
        let mut end = None;
        loop {
            match waiting.recv_timeout(END_SEEN) {
                Ok(told) => return Some(told),
                Err(RecvTimeoutError::Disconnected) => {
                    return Some(Err("nobody saw to it".to_owned().into()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.over.load(Ordering::Relaxed) {
                let end = *end.get_or_insert_with(|| Instant::now() + ENDED_WITHIN);
                if Instant::now() >= end {
                    return None;
                }
            }
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
        self.source.journal.commit(move |db| {
            let now = now_ms();
            let since = book::failing(db, &name, now)?;
            if (now - since).max(0).unsigned_abs() < failing_after.as_millis() as u64 {
                return Ok(());
            }
            let text = format!("\"{name}\" could not be told of alarms: {problem}");
            crate::raise(db, now, AlarmKey { kind: FAILING, subject: &name }, &text)
        })
    }
}

/// Raises an alarm where somebody was refused what a channel was told, and clears it where nobody was.
fn note_refused(db: &Connection, channel: &str, refused: &[String]) -> Answer<()> {
    let wrong = not_reached(channel, refused);
    match refused {
        [] => crate::clear(db, now_ms(), wrong.key()),
        _ => crate::raise(db, now_ms(), wrong.key(), &wrong.text),
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

/// How long is waited after so many failures, by a number from 0 to 1 that nobody foresees: between half of the time and
/// the whole, so that many gateways do not come back at the same moment.
pub(super) fn pause(failures: u32, chance: f64) -> Duration {
    let doubled = TRIED_AGAIN_MIN.saturating_mul(1 << failures.saturating_sub(1).min(16));
    doubled.min(TRIED_AGAIN_MAX).mul_f64(0.5 + chance / 2.0)
}

pub(super) fn jitter() -> f64 {
    use std::hash::{BuildHasher as _, RandomState};
    let random = RandomState::new().hash_one(0);
    (random >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_cannot_be_told_is_tried_again_ever_later_and_never_too_late() {
        let seconds = |failures, chance| pause(failures, chance).as_secs_f64();
        assert_eq!([seconds(1, 0.0), seconds(1, 1.0)], [0.5, 1.0]);
        assert_eq!([seconds(4, 0.0), seconds(4, 1.0)], [4.0, 8.0]);
        assert_eq!([seconds(u32::MAX, 0.0), seconds(u32::MAX, 1.0)], [150.0, 300.0]);
        assert!((0..1_000).all(|_| (0.0..1.0).contains(&jitter())));
    }
}
