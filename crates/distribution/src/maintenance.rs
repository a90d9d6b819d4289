//! Maintenance for a receiver: checks acknowledgements, settles files that no longer need one,
//! removes delivered files after their time, and closes idle connections.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use alarm::AlarmKey;
use runtime::sync::lock;
use runtime::time::{milliseconds, now_ms};
use store::{Connection, StoreError};
use transport::RemoteError;

use super::Acknowledgement;
use super::destination::Receiver;
use super::outbox;
use super::transfer::{OpenConnection, finish, has};

/// The number of checks within the time for an acknowledgement, and the bounds of the interval
/// between them.
const CHECKS_WITHIN: u32 = 20;
const CHECK_INTERVAL: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(30)];

/// How often expired files are removed.
const REMOVAL_INTERVAL: Duration = Duration::from_secs(60);

/// The times of the last maintenance.
#[derive(Debug, Default)]
pub(super) struct Maintenance {
    last_check: Option<Instant>,
    last_removal: Option<Instant>,
    /// Whether a thread does maintenance now.
    is_running: bool,
}

impl Receiver {
    /// Returns whether maintenance is due. If so, the caller must do it.
    pub(super) fn begin_maintenance_if_due(&self) -> bool {
        let mut maintenance = lock(&self.maintenance);
        if maintenance.is_running {
            return false;
        }
        let is_due = |last: Option<Instant>, every| last.is_none_or(|last| last.elapsed() >= every);
        maintenance.is_running =
            self.check_interval().is_some_and(|every| is_due(maintenance.last_check, every))
                || is_due(maintenance.last_removal, REMOVAL_INTERVAL)
                || self.has_expired_connections();
        maintenance.is_running
    }

    fn check_interval(&self) -> Option<Duration> {
        let [min, max] = CHECK_INTERVAL;
        let acknowledgement = self.route.acknowledgement.as_ref();
        acknowledgement.map(|of| (of.within / CHECKS_WITHIN).clamp(min, max))
    }

    /// Does the maintenance that is due.
    pub(super) fn maintain(&self) -> Result<(), StoreError> {
        let result = self.maintain_due();
        lock(&self.maintenance).is_running = false;
        result
    }

    fn maintain_due(&self) -> Result<(), StoreError> {
        self.close_expired_connections();
        let reader = self.journal.reader()?;
        let is_due = |last: &mut Option<Instant>, every| {
            let is_due = last.is_none_or(|last| last.elapsed() >= every);
            *last = if is_due { Some(Instant::now()) } else { *last };
            is_due
        };
        if is_due(&mut lock(&self.maintenance).last_removal, REMOVAL_INTERVAL) {
            self.remove_expired(&reader)?;
            self.settle_without_acknowledgement(&reader)?;
        }
        let is_check_due = |every| is_due(&mut lock(&self.maintenance).last_check, every);
        match &self.route.acknowledgement {
            Some(acknowledgement) if self.check_interval().is_some_and(is_check_due) => self
                .with_connection(|connection| {
                    self.check_acknowledgements(&reader, connection, acknowledgement)
                }),
            _ => Ok(()),
        }
    }

    /// Marks sent files as delivered if the receiver does not have to acknowledge them any more.
    fn settle_without_acknowledgement(&self, reader: &Connection) -> Result<(), StoreError> {
        let Receiver { route, journal, .. } = self;
        if route.acknowledgement.is_some() {
            return Ok(());
        }
        for sent in journal.answer(outbox::sent(reader, &journal.view, &route.system))? {
            finish(self, (sent.id, &sent.name), (&sent.path, &sent.location))?;
        }
        self.alarm_of_late(reader, &[])
    }

    /// Checks which files the receiver acknowledged, and raises an alarm for late ones.
    fn check_acknowledgements(
        &self,
        reader: &Connection,
        connection: &mut OpenConnection,
        acknowledgement: &Acknowledgement,
    ) -> Result<(), StoreError> {
        let Receiver { route, journal, .. } = self;
        let sent = journal.answer(outbox::sent(reader, &journal.view, &route.system))?;
        let within_ms = milliseconds(acknowledgement.within);
        let (mut late, mut is_reachable) = (Vec::new(), true);
        for sent in &sent {
            if self.signals.is_any_set() {
                return Ok(());
            }
            let name = acknowledgement.of(&sent.name);
            let acknowledged = is_reachable.then(|| self.has(connection, &name));
            match acknowledged {
                Some(Ok(true)) => {
                    tracing::info!(target: "flow::delivery", "{}: \"{}\" is acknowledged", route.system, sent.name);
                    finish(self, (sent.id, &sent.name), (&sent.path, &sent.location))?;
                    // Only the gateway reads the acknowledgement. If it cannot be removed now, the
                    // next delivery of a file with this name removes it.
                    let _ = connection.as_mut().map(|remote| remote.remove(&name));
                    continue;
                }
                // The next delivery reports the reason. The others are late whether they can be
                // checked or not.
                Some(Err(error)) if error.may_pass() || connection.is_none() => {
                    (*connection, is_reachable) = (None, false);
                }
                _ => {}
            }
            if now_ms() - sent.at_ms >= within_ms {
                late.push(sent.name.clone());
            }
        }
        self.alarm_of_late(reader, &late)
    }

    /// Returns whether the receiver's place has a file.
    fn has(&self, connection: &mut OpenConnection, name: &str) -> Result<bool, RemoteError> {
        let remote = match connection {
            Some(remote) => remote,
            None => connection.insert(self.route.place.connect()?),
        };
        has(&mut **remote, name)
    }

    fn alarm_of_late(&self, reader: &Connection, late: &[String]) -> Result<(), StoreError> {
        let Receiver { route, journal, .. } = self;
        let system = route.system.clone();
        let key = AlarmKey { kind: outbox::UNACKNOWLEDGED, subject: &system };
        let is_raised = journal.answer(alarm::is_raised(reader, key))?;
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
            let key = AlarmKey { kind: outbox::UNACKNOWLEDGED, subject: &system };
            match text {
                Some(text) => alarm::raise(db, now_ms(), key, &text),
                None => alarm::clear(db, now_ms(), key),
            }
        })
    }

    /// Removes delivered files after their time.
    fn remove_expired(&self, reader: &Connection) -> Result<(), StoreError> {
        let Receiver { route, journal, .. } = self;
        let keep = route.keep.unwrap_or_default();
        let before_ms = journal.now_ms().saturating_sub(milliseconds(keep));
        let old = journal.answer(outbox::delivered_before(reader, &route.system, before_ms))?;
        if old.is_empty() {
            return Ok(());
        }
        for (_, path) in &old {
            remove_delivered_copy(&journal.view.located(path));
        }
        journal.commit(move |db| {
            outbox::note_removed(db, &old.into_iter().map(|(id, _)| id).collect::<Vec<_>>())
        })
    }
}

fn remove_delivered_copy(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(target: "flow::delivery", "could not remove the delivered file \"{}\": {error}", path.display());
    }
}
