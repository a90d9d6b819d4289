//! Does maintenance for a receiver: checks acknowledgements, settles files that need none any more, removes kept files
//! after their time, and closes idle connections.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use alarm::AlarmKey;
use runtime::sync::lock;
use runtime::time::{milliseconds, now_ms};
use store::{Connection, StoreError};
use transport::FarError;

use super::Acknowledgement;
use super::destination::Receiver;
use super::outbox;
use super::transfer::{Line, has, let_go};

/// The fraction of the acknowledgement time between two checks, and the bounds of that interval.
const LOOKS_WITHIN: u32 = 20;
const ACKNOWLEDGED_EVERY: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(30)];

/// How often kept files are checked for removal.
const FORGET_EVERY: Duration = Duration::from_secs(60);

/// The times of the last maintenance.
#[derive(Debug, Default)]
pub(super) struct Upkeep {
    acknowledged: Option<Instant>,
    forgotten: Option<Instant>,
    /// Whether a thread does maintenance now.
    is_in_hand: bool,
}

impl Receiver {
    /// Returns whether maintenance is due. If so, the caller has the task.
    pub(super) fn takes_upkeep(&self) -> bool {
        let mut upkeep = lock(&self.upkeep);
        if upkeep.is_in_hand {
            return false;
        }
        let is_due = |last: Option<Instant>, every| last.is_none_or(|last| last.elapsed() >= every);
        upkeep.is_in_hand =
            self.looks_every().is_some_and(|every| is_due(upkeep.acknowledged, every))
                || is_due(upkeep.forgotten, FORGET_EVERY)
                || self.has_idle_lines();
        upkeep.is_in_hand
    }

    fn looks_every(&self) -> Option<Duration> {
        let [least, most] = ACKNOWLEDGED_EVERY;
        let acknowledgement = self.road.acknowledgement.as_ref();
        acknowledgement.map(|of| (of.within / LOOKS_WITHIN).clamp(least, most))
    }

    /// Does the maintenance that is due.
    pub(super) fn keep_up(&self) -> Result<(), StoreError> {
        let done = self.do_upkeep();
        lock(&self.upkeep).is_in_hand = false;
        done
    }

    fn do_upkeep(&self) -> Result<(), StoreError> {
        self.end_idle_lines();
        let reader = self.journal.reader()?;
        let is_due = |last: &mut Option<Instant>, every| {
            let is_due = last.is_none_or(|last| last.elapsed() >= every);
            *last = if is_due { Some(Instant::now()) } else { *last };
            is_due
        };
        let forgets = is_due(&mut lock(&self.upkeep).forgotten, FORGET_EVERY);
        if forgets {
            self.forget(&reader)?;
            self.settle_without_acknowledgement(&reader)?;
        }
        let looks = |every| is_due(&mut lock(&self.upkeep).acknowledged, every);
        match &self.road.acknowledgement {
            Some(acknowledgement) if self.looks_every().is_some_and(looks) => self
                .with_line(|line| self.look_for_acknowledgements(&reader, line, acknowledgement)),
            _ => Ok(()),
        }
    }

    /// Marks sent files as delivered if the receiver does not have to acknowledge them any more.
    fn settle_without_acknowledgement(&self, reader: &Connection) -> Result<(), StoreError> {
        let Receiver { road, journal, .. } = self;
        if road.acknowledgement.is_some() {
            return Ok(());
        }
        for sent in journal.answer(outbox::sent(reader, &journal.view, &road.system))? {
            let_go(self, (sent.id, &sent.name), (&sent.path, &sent.lies))?;
        }
        self.alarm_of_late(reader, &[])
    }

    /// Checks which files the receiver acknowledged, and raises an alarm for late ones.
    fn look_for_acknowledgements(
        &self,
        reader: &Connection,
        line: &mut Line,
        acknowledgement: &Acknowledgement,
    ) -> Result<(), StoreError> {
        let Receiver { road, journal, .. } = self;
        let sent = journal.answer(outbox::sent(reader, &journal.view, &road.system))?;
        let within_ms = milliseconds(acknowledgement.within);
        let (mut late, mut is_reached) = (Vec::new(), true);
        for sent in &sent {
            if self.ends.is_over() {
                return Ok(());
            }
            let name = acknowledgement.of(&sent.name);
            let acknowledged = is_reached.then(|| self.has(line, &name));
            match acknowledged {
                Some(Ok(true)) => {
                    tracing::info!(target: "flow::delivery", "{}: \"{}\" is acknowledged", road.system, sent.name);
                    let_go(self, (sent.id, &sent.name), (&sent.path, &sent.lies))?;
                    // The acknowledgement is addressed to the gateway. If it cannot be removed, the next file of the
                    // name removes it.
                    let _ = line.as_mut().map(|far| far.remove(&name));
                    continue;
                }
                // The next delivery reports the reason. The others are late whether they can be checked or not.
                Some(Err(error)) if error.may_pass() || line.is_none() => {
                    (*line, is_reached) = (None, false);
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
    fn has(&self, line: &mut Line, name: &str) -> Result<bool, FarError> {
        let far = match line {
            Some(far) => far,
            None => line.insert(self.road.place.connect()?),
        };
        has(&mut **far, name)
    }

    fn alarm_of_late(&self, reader: &Connection, late: &[String]) -> Result<(), StoreError> {
        let Receiver { road, journal, .. } = self;
        let system = road.system.clone();
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

    /// Removes files that were kept for long enough.
    fn forget(&self, reader: &Connection) -> Result<(), StoreError> {
        let Receiver { road, journal, .. } = self;
        let keep = road.keep.unwrap_or_default();
        let before_ms = journal.now_ms().saturating_sub(milliseconds(keep));
        let old = journal.answer(outbox::delivered_before(reader, &road.system, before_ms))?;
        if old.is_empty() {
            return Ok(());
        }
        for (_, lies) in &old {
            remove_delivered_copy(&journal.view.located(lies));
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
        tracing::warn!(target: "flow::delivery", "could not remove \"{}\", which was kept: {error}", path.display());
    }
}
