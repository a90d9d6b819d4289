//! Sends events over channels, each in a thread of its own: a channel that is slow or cannot be reached holds up nothing else.

use std::mem;
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
use store::{Connection, QueryResult, StoreError};

use super::cursor::{self, Batch};
use super::{ChannelSettings, Event, LOG, SendError, Source};
use crate::{AlarmKey, Condition, EventType, Kind, Severity};

/// How often a channel looks for new events.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// How long a service that stops waits for a message that is on its way.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// How long to wait at a time for a channel, which has timeouts of its own.
const DONE_WITHIN: Duration = Duration::from_secs(60 * 60);

/// How long to wait before a message is sent again.
pub(super) const RETRY: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(5 * 60));

/// How long to wait before a journal that refuses is tried again.
const JOURNAL_RETRY: Duration = Duration::from_secs(1);

/// Raised while a channel fails.
const FAILING: &Kind = &Kind::new(
    "notify-failing",
    Severity::Major,
    EventType::Communications,
    "communicationsSubsystemFailure",
);

/// Raised while a channel is refused for some recipients.
const REFUSED: &Kind = &Kind::new(
    "notify-refused",
    Severity::Major,
    EventType::Communications,
    "communicationsSubsystemFailure",
);

/// The kinds of alarms of notification itself. A service has them in its [`Registry`](crate::Registry).
pub const ALARMS: &[&Kind] = &[FAILING, REFUSED];

/// Starts a thread for each channel, which sends the events of a service until `shutdown` is set. Then each channel sends
/// once more what is new, if that works within five seconds.
///
/// A channel that is new is sent the alarms that are raised. Channels that are not in `channels` are forgotten.
pub fn run<'s>(
    scope: &'s Scope<'s, '_>,
    source: Source<'s>,
    channels: &[ChannelSettings],
    shutdown: &Shutdown,
) {
    if let Err(error) = forget_others(channels, source.journal) {
        tracing::error!(target: LOG, "{error}");
    }
    for channel in channels.iter().filter(|_| source.journal.view.is_written).cloned() {
        let shutdown = shutdown.clone();
        let name = channel.name.clone();
        let sender = Sender { source, channel, shutdown, failures: 0, left_since: None };
        if let Err(error) = threads::spawn_scoped(scope, || sender.run()) {
            tracing::error!(target: LOG, "\"{name}\" is not told of alarms: {error}");
        }
    }
}

/// Forgets channels that there are no more. A later one with the name of one of them is new.
fn forget_others(channels: &[ChannelSettings], journal: &Journal) -> Result<(), StoreError> {
    let names: Vec<String> = channels.iter().map(|channel| channel.name.clone()).collect();
    let reader = journal.reader()?;
    let mut over = journal.answer(crate::raised(&reader, ALARMS))?;
    over.retain(|condition| !names.contains(&condition.subject));
    if over.is_empty() && !journal.answer(cursor::has_others(&reader, &names))? {
        return Ok(());
    }
    let now_ms = journal.machine_ms();
    journal.commit(move |db| {
        cursor::delete_others(db, &names)?;
        over.iter().try_for_each(|over| crate::clear(db, now_ms, over.key()))
    })
}

/// Sends events over one channel.
struct Sender<'j> {
    source: Source<'j>,
    channel: ChannelSettings,
    shutdown: Shutdown,
    /// How often in a row it failed.
    failures: u32,
    /// Since when only some recipients do not have the message.
    left_since: Option<Instant>,
}

/// How an attempt to send ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attempt {
    /// There was nothing to send.
    Nothing,
    Sent,
    Failed,
}

impl Sender<'_> {
    /// Continues after an error of the journal, as long as the journal may be written again: its disk may have been full.
    fn run(mut self) {
        let mut is_logged = false;
        while let Err(error) = self.send_until_shutdown() {
            if !mem::replace(&mut is_logged, true) {
                let name = &self.channel.name;
                tracing::error!(target: LOG, "\"{name}\" is not told of alarms: {error}");
            }
            if self.shutdown.is_set() || !self.source.journal.can_be_written() {
                return;
            }
            self.shutdown.wait(JOURNAL_RETRY);
        }
    }

    fn send_until_shutdown(&mut self) -> Result<(), StoreError> {
        let reader = self.source.journal.reader()?;
        let name = self.channel.name.clone();
        self.source.journal.commit(move |db| cursor::begin(db, &name))?;
        loop {
            let is_last = self.shutdown.is_set();
            let attempt = self.attempt(&reader, is_last)?;
            if is_last && attempt != Attempt::Sent {
                return Ok(());
            }
            let pause = match attempt {
                Attempt::Sent => continue,
                Attempt::Nothing => LOOK_EVERY,
                Attempt::Failed => RETRY.after(self.failures),
            };
            self.shutdown.wait(pause);
        }
    }

    /// Sends what is new, if anything is. The last attempt does not wait for other events.
    fn attempt(&mut self, reader: &Connection, is_last: bool) -> Result<Attempt, StoreError> {
        let journal = self.source.journal;
        let name = self.channel.name.clone();
        let Some(cursor) = journal.answer(cursor::cursor(reader, &name))? else {
            return Ok(Attempt::Nothing);
        };
        let next = cursor::next(reader, (self.source, &self.channel), cursor);
        let Some(Batch { events, until, since_ms, is_repeated, left_out }) =
            journal.answer(next)?
        else {
            return Ok(Attempt::Nothing);
        };
        if events.is_empty() {
            journal.commit(move |db| cursor::sent(db, &name, until))?;
            return Ok(Attempt::Sent);
        }
        let may_grow = !is_last && !is_repeated && events.len() < self.channel.channel.events_max();
        if may_grow && self.gathers(since_ms) {
            return Ok(Attempt::Nothing);
        }
        if left_out > 0 {
            tracing::warn!(target: LOG, "\"{name}\" is not told of {left_out} events: too many wait");
        }
        if !is_repeated {
            let name = name.clone();
            journal.commit(move |db| cursor::sending(db, &name, until))?;
        }
        let refused = match self.send(events) {
            None => return Ok(Attempt::Failed),
            Some(Ok(refused)) => refused,
            Some(Err(SendError::Partly { problem, left })) if self.gives_up(reader, &left)? => {
                tracing::error!(target: LOG, "\"{name}\" is not told of alarms any more: {problem}");
                left
            }
            Some(Err(error)) => {
                self.failures = self.failures.saturating_add(1);
                self.failed(error)?;
                return Ok(Attempt::Failed);
            }
        };
        (self.failures, self.left_since) = (0, None);
        let now_ms = journal.machine_ms();
        journal.commit(move |db| {
            cursor::sent(db, &name, until)?;
            crate::clear(db, now_ms, AlarmKey { kind: FAILING, subject: &name })?;
            note_refused(db, now_ms, &name, &refused)
        })?;
        Ok(Attempt::Sent)
    }

    /// Returns whether the first event is so recent that the channel waits for others. A clock that was set back does not
    /// prolong that.
    fn gathers(&self, since_ms: i64) -> bool {
        let waited_ms = self.source.journal.machine_ms() - since_ms;
        (0..milliseconds(self.channel.channel.gather())).contains(&waited_ms)
    }

    /// Returns whether to give up the only recipients that do not have the message: the channel has tried for long enough, or
    /// an alarm names them already, and each later message would be as late.
    fn gives_up(&mut self, reader: &Connection, left: &[String]) -> Result<bool, StoreError> {
        let since = *self.left_since.get_or_insert_with(Instant::now);
        if since.elapsed() >= self.channel.failing_after {
            return Ok(true);
        }
        let raised = self.source.journal.answer(crate::raised(reader, &[REFUSED]))?;
        Ok(raised.contains(&not_reached(&self.channel.name, left)))
    }

    /// Sends events over the channel. `None` if the service stops and has waited long enough: they are sent again when it is
    /// started.
    fn send(&self, events: Vec<Event>) -> Option<Result<Vec<String>, SendError>> {
        let (answers, answer) = sync_channel(1);
        let channel = Arc::clone(&self.channel.channel);
        // Set when the channel has answered, and when the service stops.
        let done = self.shutdown.child();
        let end = done.set_on_drop();
        let sending = threads::spawn(move || {
            let _end = end;
            let sent = catch_unwind(AssertUnwindSafe(|| channel.send(&events)));
            let sent = sent.unwrap_or_else(|_| Err("the channel broke off".to_owned().into()));
            let _ = answers.send(sent);
        });
        if let Err(error) = sending {
            return Some(Err(error.to_string().into()));
        }
        while !done.wait(DONE_WITHIN) {}
        match answer.recv_timeout(STOP_WITHIN) {
            Ok(sent) => Some(sent),
            Err(RecvTimeoutError::Disconnected) => {
                Some(Err("the thread that sends it ended without an answer".to_owned().into()))
            }
            Err(RecvTimeoutError::Timeout) => None,
        }
    }

    /// Notes that the channel failed, and raises an alarm if it has failed for long.
    fn failed(&mut self, error: SendError) -> Result<(), StoreError> {
        let ChannelSettings { name, failing_after, .. } = self.channel.clone();
        if let SendError::Unreachable(_) = error {
            self.left_since = None;
        }
        if self.failures == 1 {
            tracing::warn!(
                target: LOG,
                "\"{name}\" could not be told of alarms: {error}; it is tried again"
            );
        }
        let journal = self.source.journal;
        let (guarded_ms, now_ms) = (journal.now_ms(), journal.machine_ms());
        journal.commit(move |db| {
            let since_ms = cursor::failing(db, &name, guarded_ms)?;
            if guarded_ms - since_ms < milliseconds(failing_after) {
                return Ok(());
            }
            let text = format!("\"{name}\" could not be told of alarms: {error}");
            crate::raise(db, now_ms, AlarmKey { kind: FAILING, subject: &name }, &text)
        })
    }
}

/// Raises the alarm of a channel that was refused for some recipients, or clears it if there are none.
fn note_refused(
    db: &Connection,
    now_ms: i64,
    channel: &str,
    refused: &[String],
) -> QueryResult<()> {
    let condition = not_reached(channel, refused);
    match refused {
        [] => crate::clear(db, now_ms, condition.key()),
        _ => crate::raise(db, now_ms, condition.key(), &condition.text),
    }
}

/// The alarm that recipients do not have a message. It does not have the words of the other side, which may differ each time:
/// a channel with `changes` would be sent each of them, without end.
fn not_reached(channel: &str, left: &[String]) -> Condition {
    let people = left.join(", ");
    let text = format!(
        "\"{channel}\" does not reach {people}: the other side does not take it; the log has its words"
    );
    Condition { kind: REFUSED, subject: channel.to_owned(), text }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::{SystemTime, UNIX_EPOCH};

    use journal::{Folders, Schema};

    use super::*;
    use crate::Registry;
    use crate::notification::Channel;

    const SCHEMA: &Schema = &Schema {
        versions: store::Versions::new(&[journal::TABLES, crate::TABLES]),
        newest_ms: |_| Ok(None),
        trusts_pauses: false,
    };

    /// What the machine's clock says.
    static NOW_S: AtomicU64 = AtomicU64::new(0);

    fn machine() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(NOW_S.load(Ordering::Relaxed))
    }

    struct Fails;

    impl Channel for Fails {
        fn events_max(&self) -> usize {
            1
        }

        fn send(&self, _: &[Event]) -> Result<Vec<String>, SendError> {
            Err("no answer".to_owned().into())
        }
    }

    #[test]
    fn a_channel_that_fails_is_an_alarm_in_time_though_the_clock_was_ahead_when_that_began() {
        const BEGUN_S: u64 = 1_790_000_000;
        const TEN_YEARS_S: u64 = 10 * 365 * 24 * 60 * 60;
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders { state: &folder.path().join("state"), base: folder.path() };
        NOW_S.store(BEGUN_S, Ordering::Relaxed);
        let journal = Journal::open(folders, SCHEMA, machine).unwrap();
        journal.commit(|db| cursor::begin(db, "ops")).unwrap();
        let source =
            Source { service: "test", registry: Registry::of(&[ALARMS]), journal: &journal };
        let channel = ChannelSettings::new("ops".to_owned(), Arc::new(Fails));
        let shutdown = Shutdown::default();
        let mut sender = Sender { source, channel, shutdown, failures: 1, left_since: None };
        let reader = journal.reader().unwrap();
        let mut is_raised_after = |seconds: u64| {
            NOW_S.store(BEGUN_S + seconds, Ordering::Relaxed);
            sender.failed("no answer".to_owned().into()).unwrap();
            crate::is_raised(&reader, AlarmKey { kind: FAILING, subject: "ops" }).unwrap()
        };
        assert!(!is_raised_after(TEN_YEARS_S));
        assert!(!is_raised_after(60), "the clock is right again");
        assert!(!is_raised_after(60 + 599));
        assert!(is_raised_after(60 + 600));
    }
}
