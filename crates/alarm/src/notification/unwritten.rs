//! Telling of the alarm that no journal has: its own disk is full. Whom that was told can be noted nowhere, so a gateway
//! knows it only as long as it runs: each channel is told once, and once more when it is over, by a thread of its own.

use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use journal::Schema;
use runtime::shutdown::Shutdown;
use runtime::sync::lock;
use runtime::threads;
use runtime::time::{now_ms, shown};
use store::Connection;

use super::telling::RETRY;
use super::{LOG, News, NotTold, Told};
use crate::{Alarm, Severity, What};

/// How often it is looked whether there is room.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// How long after it was told a channel is not told again, whatever becomes of the disk: one that is full again and again is
/// not told of with each file.
const TOLD_AGAIN_MIN: Duration = Duration::from_secs(10 * 60);

/// How often those are tried who alone do not take it.
const TRIED_FOR_SOME: u32 = 8;

/// Those who look whether a journal has room, until this goes away.
pub struct Unwritten {
    source: Source,
    /// Set when others are told, or nobody any more.
    shutdown: Mutex<Shutdown>,
}

/// Whose alarm is told.
#[derive(Clone)]
struct Source {
    /// What the service is called in what is told.
    name: String,
    /// The folder of its state.
    state: PathBuf,
    /// What is in its journal.
    schema: &'static Schema,
}

impl Unwritten {
    /// Of a service by its name, with the folder of its state and what is in its journal.
    pub fn new(name: String, state: &Path, schema: &'static Schema) -> Self {
        let source = Source { name, state: state.into(), schema };
        Unwritten { source, shutdown: Mutex::default() }
    }

    /// From now on these are told. What they were told before is not known.
    pub fn follow(&self, told: &[Told]) {
        let shutdown = Shutdown::default();
        self.end(shutdown.clone());
        for told in told {
            let whom = Whom {
                told: told.clone(),
                source: self.source.clone(),
                shutdown: shutdown.clone(),
                knows: None,
                until: None,
                failures: 0,
            };
            // One that hangs is not waited for when the gateway ends.
            if let Err(error) = threads::spawn(move || whom.run()) {
                tracing::error!(target: LOG, "\"{}\" will not be told of a full disk: {error}", told.name);
            }
        }
    }

    fn end(&self, next: Shutdown) {
        std::mem::replace(&mut *lock(&self.shutdown), next).set();
    }
}

impl Drop for Unwritten {
    fn drop(&mut self) {
        self.end(Shutdown::default());
    }
}

/// A channel.
struct Whom {
    told: Told,
    source: Source,
    shutdown: Shutdown,
    /// What it was told, as long as that is so.
    knows: Option<News>,
    /// It is told nothing else until then.
    until: Option<Instant>,
    /// How often in a row it could not be told.
    failures: u32,
}

impl Whom {
    fn run(mut self) {
        while !self.shutdown.is_set() {
            let news = match (crate::no_room(&self.source.state), &self.knows) {
                (Some(alarm), None) if self.is_to_hear(&alarm) => Some(self.raised(alarm)),
                (None, Some(known)) => Some(cleared(known)),
                _ => None,
            };
            let rest = news.map_or(LOOK_AGAIN, |news| self.tell(news));
            self.shutdown.wait(rest);
        }
    }

    fn is_to_hear(&self, alarm: &Alarm) -> bool {
        let is_early = self.until.is_some_and(|until| Instant::now() < until);
        let is_told = || {
            let Source { state, schema, .. } = &self.source;
            let database = state.join(journal::DATABASE);
            let is_told = |db: &Connection| crate::is_told(db, &self.told.name, alarm);
            // Where there is no journal, none has it.
            database.exists()
                && store::read(&database, schema.migrations, is_told).unwrap_or_default()
        };
        !is_early && self.told.wants(&alarm.kind, alarm.severity) && !is_told()
    }

    fn raised(&self, alarm: Alarm) -> News {
        // There is no number that nobody else has, but by chance.
        let number = RandomState::new().hash_one(0) >> 11;
        News {
            id: format!("unwritten-{number:014x}"),
            flow: self.source.name.clone(),
            event: What::Raised.word(),
            at: alarm.raised,
            alarm: alarm.id,
            kind: alarm.kind,
            subject: alarm.subject,
            severity: alarm.severity,
            raised_severity: alarm.severity,
            event_type: alarm.event_type,
            probable_cause: alarm.probable_cause,
            text: alarm.text,
            who: None,
            remark: None,
        }
    }

    /// Tells it; how long to rest then.
    fn tell(&mut self, news: News) -> Duration {
        if let Err(problem) = self.told.channel.tell(std::slice::from_ref(&news)) {
            self.failures = self.failures.saturating_add(1);
            if self.failures == 1 {
                let name = &self.told.name;
                tracing::warn!(target: LOG, "\"{name}\" could not be told of a full disk: {problem}");
            }
            // Who has it hears of its end, too.
            let is_told_some = matches!(problem, NotTold::Some { .. });
            if !is_told_some || self.failures < TRIED_FOR_SOME {
                return RETRY.after(self.failures);
            }
        }
        self.failures = 0;
        self.until = Some(Instant::now() + TOLD_AGAIN_MIN);
        self.knows = (news.severity != Severity::Cleared).then_some(news);
        LOOK_AGAIN
    }
}

/// What is told when there is room again.
fn cleared(known: &News) -> News {
    News {
        id: format!("{}-over", known.id),
        event: What::Cleared.word(),
        at: shown(now_ms()),
        severity: Severity::Cleared,
        ..known.clone()
    }
}
