//! Sends the alarm that no journal has: its own disk is full. What was sent cannot be noted anywhere, so it is known only as
//! long as the process runs. Each channel is sent the alarm once, and once more when it is over, by a thread of its own.

use std::hash::{BuildHasher as _, RandomState};
use std::mem;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use journal::Schema;
use runtime::shutdown::Shutdown;
use runtime::sync::lock;
use runtime::threads;
use runtime::time::{now_ms, shown};
use store::Connection;

use super::sender::RETRY;
use super::{ChannelSettings, Event, LOG, SendError};
use crate::{Alarm, Severity, Transition, disk_full};

/// How often to look whether there is room.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long after a message a channel is sent no other, whatever becomes of the disk: one that is full again and again is not
/// an alarm with each file.
const SENT_AGAIN_MIN: Duration = Duration::from_secs(10 * 60);

/// How often a message is sent again that only some recipients do not have.
const PARTLY_MAX: u32 = 8;

/// Watches whether a service's journal has room, and sends the alarm if it has none. It needs no journal, so it also works
/// before a service can begin. It stops when it is dropped.
pub struct DirectSender {
    source: DirectSource,
    /// Stops the threads of the channels.
    shutdown: Mutex<Shutdown>,
}

/// Whose alarm is sent.
#[derive(Clone)]
struct DirectSource {
    /// The name of the service in events.
    service: String,
    /// The folder of its state.
    state: PathBuf,
    schema: &'static Schema,
}

impl DirectSender {
    /// Makes one for the service of this name, whose journal is in the folder `state` and has this schema. It sends nothing
    /// until it [has channels](Self::follow).
    pub fn new(service: String, state: &Path, schema: &'static Schema) -> Self {
        let source = DirectSource { service, state: state.into(), schema };
        DirectSender { source, shutdown: Mutex::default() }
    }

    /// Uses these channels from now on, and no others. What they were sent before is forgotten.
    pub fn follow(&self, channels: &[ChannelSettings]) {
        let shutdown = Shutdown::default();
        self.stop(shutdown.clone());
        for channel in channels {
            let watch = Watch {
                channel: channel.clone(),
                source: self.source.clone(),
                shutdown: shutdown.clone(),
                sent: None,
                quiet_until: None,
                failures: 0,
            };
            // The process does not wait for a channel that hangs when it ends.
            if let Err(error) = threads::spawn(move || watch.run()) {
                let name = &channel.name;
                tracing::error!(target: LOG, "\"{name}\" will not be told of a full disk: {error}");
            }
        }
    }

    fn stop(&self, next: Shutdown) {
        mem::replace(&mut *lock(&self.shutdown), next).set();
    }
}

impl Drop for DirectSender {
    fn drop(&mut self) {
        self.stop(Shutdown::default());
    }
}

/// Watches the disk for one channel.
struct Watch {
    channel: ChannelSettings,
    source: DirectSource,
    shutdown: Shutdown,
    /// The event that was sent, as long as the disk is full.
    sent: Option<Event>,
    /// Nothing else is sent until then.
    quiet_until: Option<Instant>,
    /// How often in a row sending failed.
    failures: u32,
}

impl Watch {
    fn run(mut self) {
        while !self.shutdown.is_set() {
            let event = match (disk_full::alarm(&self.source.state), &self.sent) {
                (Some(alarm), None) if self.is_due(&alarm) => Some(self.raised(alarm)),
                (None, Some(sent)) => Some(cleared(sent)),
                _ => None,
            };
            let pause = event.map_or(LOOK_EVERY, |event| self.send(event));
            self.shutdown.wait(pause);
        }
    }

    fn is_due(&self, alarm: &Alarm) -> bool {
        let is_early = self.quiet_until.is_some_and(|until| Instant::now() < until);
        !is_early && self.channel.wants(&alarm.kind, alarm.severity) && !self.is_sent(alarm)
    }

    /// Whether the alarm was sent before the journal could no longer be written.
    fn is_sent(&self, alarm: &Alarm) -> bool {
        let DirectSource { state, schema, .. } = &self.source;
        let database = state.join(journal::DATABASE);
        let is_sent = |db: &Connection| disk_full::is_sent(db, &self.channel.name, alarm);
        database.exists() && store::read(&database, schema.versions, is_sent).unwrap_or_default()
    }

    fn raised(&self, alarm: Alarm) -> Event {
        // Nothing can count these events, so their numbers are random.
        let number = RandomState::new().hash_one(0) >> 11;
        Event {
            id: format!("unwritten-{number:014x}"),
            service: self.source.service.clone(),
            event: Transition::Raised.word(),
            at: alarm.raised,
            alarm: alarm.id,
            kind: alarm.kind,
            subject: alarm.subject,
            severity: alarm.severity,
            raised_severity: alarm.severity,
            event_type: alarm.event_type.word(),
            probable_cause: alarm.probable_cause,
            text: alarm.text,
            who: None,
            remark: None,
        }
    }

    /// Sends an event. Returns how long to wait then.
    fn send(&mut self, event: Event) -> Duration {
        if let Err(error) = self.channel.channel.send(slice::from_ref(&event)) {
            self.failures = self.failures.saturating_add(1);
            if self.failures == 1 {
                let name = &self.channel.name;
                tracing::warn!(target: LOG, "\"{name}\" could not be told of a full disk: {error}");
            }
            // Recipients that have it are to be sent its end, too.
            let is_partly = matches!(error, SendError::Partly { .. });
            if !is_partly || self.failures < PARTLY_MAX {
                return RETRY.after(self.failures);
            }
        }
        self.failures = 0;
        self.quiet_until = Some(Instant::now() + SENT_AGAIN_MIN);
        self.sent = (event.severity != Severity::Cleared).then_some(event);
        LOOK_EVERY
    }
}

/// The event that is sent when there is room again.
fn cleared(sent: &Event) -> Event {
    Event {
        id: format!("{}-over", sent.id),
        event: Transition::Cleared.word(),
        at: shown(now_ms()),
        severity: Severity::Cleared,
        ..sent.clone()
    }
}
