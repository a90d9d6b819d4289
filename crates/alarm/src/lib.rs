//! Alarms: what is wrong, raised once and cleared by itself when it is over. They lie in the journal, so that one is
//! raised in the transaction that finds it, outlives the gateway, and can be listed while that runs.

#![forbid(unsafe_code)]

mod acknowledge;
mod event;
mod kinds;
pub mod notification;
mod unwritten;

use std::time::{Duration, Instant};

use journal::Journal;
use journal::clock::{self, Shift};
use runtime::time::shown;
use serde::Serialize;
use store::{Answer, Connection, OptionalExtension as _, Reader, Row, StoreError, params};

pub use acknowledge::acknowledge;
pub use acknowledge::{Chosen, Seen};
pub use event::Said;
pub use event::What;
pub use kinds::{EventType, Kind, Registry, Severity};
use unwritten::is_told;
pub use unwritten::{DISK_LOW, no_room};

/// The tables of alarms, for the first version of a service's own. [`journal::TABLES`] come before them.
pub const TABLES: &str = include_str!("tables.sql");

/// How often a run is told of alarms at most: looking costs a query.
const TOLD_EVERY: Duration = Duration::from_secs(1);

/// What an alarm is known by. Only one of a kind and subject is raised at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlarmKey<'a> {
    /// What sort of thing is wrong, `sequence-gap`.
    pub kind: &'static Kind,
    /// What it is about: a network element, a folder.
    pub subject: &'a str,
}

/// Something that is wrong, and that an alarm is to be raised of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What sort of thing is wrong.
    pub kind: &'static Kind,
    /// What it is about.
    pub subject: String,
    /// What is wrong, in words.
    pub text: String,
}

impl Condition {
    /// What its alarm is known by.
    pub fn key(&self) -> AlarmKey<'_> {
        AlarmKey { kind: self.kind, subject: &self.subject }
    }
}

/// Raises the alarms of what is wrong, and clears those that are raised and of what is not wrong any more. One that is
/// raised gets another text where that is wrong by now. Nothing is written where nothing is new: this is done with each
/// look, so a text says nothing that is another with each, as how much waits, or the first of what has no order.
pub fn reconcile(
    wrong: impl Iterator<Item = Condition>,
    raised: &[Condition],
    journal: &Journal,
) -> Result<(), StoreError> {
    reconcile_partly(Completeness::Complete, wrong, raised, journal)
}

/// Whether all conditions of the given kinds are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Completeness {
    /// They are.
    Complete,
    /// There may be more: nothing is cleared.
    #[default]
    Partial,
}

/// The same as [`reconcile`]; where not all is known, nothing is cleared.
pub fn reconcile_partly(
    completeness: Completeness,
    wrong: impl Iterator<Item = Condition>,
    raised: &[Condition],
    journal: &Journal,
) -> Result<(), StoreError> {
    let mut all: Vec<Condition> = Vec::new();
    for wrong in wrong {
        // An alarm has one text.
        if !all.iter().any(|other| other.key() == wrong.key()) {
            all.push(wrong);
        }
    }
    let is_over = |raised: &&Condition| {
        completeness == Completeness::Complete
            && !all.iter().any(|wrong| wrong.key() == raised.key())
    };
    let over: Vec<Condition> = raised.iter().filter(is_over).cloned().collect();
    all.retain(|wrong| !raised.contains(wrong));
    if over.is_empty() && all.is_empty() {
        return Ok(());
    }
    let now = journal.machine_ms();
    journal.commit(move |db| {
        over.iter().try_for_each(|over| clear(db, now, over.key()))?;
        all.iter().try_for_each(|wrong| raise(db, now, wrong.key(), &wrong.text))
    })
}

/// Raises an alarm at the time of the machine's clock, which people are shown. One that is raised already stays as it is;
/// where its text changes, it is told again.
pub fn raise(db: &Connection, now_ms: i64, key: AlarmKey<'_>, text: &str) -> Answer<()> {
    let raised = db
        .prepare_cached(
            "INSERT INTO alarm (kind, subject, text, raised_ms, since_ms, raised, change)
             SELECT ?, ?, ?, ?, ?, next, next
             FROM (SELECT ifnull(max(change), 0) + 1 AS next FROM alarm) WHERE true
             ON CONFLICT (kind, subject) WHERE cleared_ms IS NULL
             DO UPDATE SET text = excluded.text, change = excluded.change WHERE text <> excluded.text
             RETURNING id, raised = change",
        )?
        .query_row(params![key.kind.name, key.subject, text, now_ms, clock::believed_ms(db, now_ms)?], |row| {
            Ok((row.get(0)?, if row.get(1)? { What::Raised } else { What::Changed }))
        })
        .optional()?;
    match raised {
        Some((alarm, what)) => event::note(db, alarm, (what, now_ms), None),
        None => Ok(()),
    }
}

/// Clears an alarm, if it is raised.
pub fn clear(db: &Connection, now_ms: i64, key: AlarmKey<'_>) -> Answer<()> {
    let cleared = db
        .prepare_cached(
            "UPDATE alarm SET cleared_ms = ?, change = (SELECT max(change) + 1 FROM alarm)
             WHERE kind = ? AND subject = ? AND cleared_ms IS NULL RETURNING id",
        )?
        .query_row(params![now_ms, key.kind.name, key.subject], |row| row.get(0))
        .optional()?;
    match cleared {
        Some(alarm) => event::note(db, alarm, (What::Cleared, now_ms), None),
        None => Ok(()),
    }
}

/// Those alarms that are raised and of some kinds.
pub fn raised(db: &Connection, kinds: &[&'static Kind]) -> Answer<Vec<Condition>> {
    let select = "SELECT subject, text FROM alarm WHERE kind = ? AND cleared_ms IS NULL";
    let mut select = db.prepare_cached(select)?;
    let mut raised = Vec::new();
    for kind in kinds.iter().copied() {
        let of = |row: &Row<'_>| Ok(Condition { kind, subject: row.get(0)?, text: row.get(1)? });
        for wrong in select.query_map([kind.name], of)? {
            raised.push(wrong?);
        }
    }
    Ok(raised)
}

/// What the raised alarms of some kinds say.
pub fn texts(db: &Connection, kinds: &[&Kind]) -> Answer<Vec<String>> {
    let mut select = db.prepare_cached(
        "SELECT text FROM alarm WHERE kind = ? AND cleared_ms IS NULL ORDER BY raised_ms, id",
    )?;
    let mut texts = Vec::new();
    for kind in kinds {
        for text in select.query_map([kind.name], |row| row.get(0))? {
            texts.push(text?);
        }
    }
    Ok(texts)
}

/// Since when an alarm is raised, if it is, by the time that is believed: the machine's clock may have been wrong then.
pub fn raised_since(db: &Connection, key: AlarmKey<'_>) -> Answer<Option<i64>> {
    let select = "SELECT since_ms FROM alarm WHERE kind = ? AND subject = ? AND cleared_ms IS NULL";
    let mut select = db.prepare_cached(select)?;
    select.query_row(params![key.kind.name, key.subject], |row| row.get(0)).optional()
}

/// Shifts the times since when alarms are raised, where the clock is believed from now on that was doubted.
pub fn shift_times(db: &Connection, shift: Shift) -> Answer<()> {
    shift.apply(db, ("alarm", "since_ms"), "cleared_ms IS NULL")?;
    shift.apply(db, ("notified", "failing_ms"), "true")
}

/// What became of alarms, at most: one that comes and goes each second fills no disk.
const EVENTS_MAX: i64 = 100_000;

/// Forgets alarms that were over before a time, and what became of alarms.
pub fn prune(db: &Connection, before_ms: i64) -> Answer<()> {
    const MANY_EVENTS: &str =
        "DELETE FROM alarm_event WHERE id <= (SELECT max(id) FROM alarm_event) - ?";
    db.prepare_cached("DELETE FROM alarm WHERE cleared_ms < ?")?.execute([before_ms])?;
    db.prepare_cached("DELETE FROM alarm_event WHERE at_ms < ?")?.execute([before_ms])?;
    db.prepare_cached(MANY_EVENTS)?.execute([EVENTS_MAX]).map(drop)
}

/// Whether an alarm is raised.
pub fn is_raised(db: &Connection, key: AlarmKey<'_>) -> Answer<bool> {
    db.prepare_cached("SELECT 1 FROM alarm WHERE kind = ? AND subject = ? AND cleared_ms IS NULL")?
        .exists(params![key.kind.name, key.subject])
}

/// An alarm that is or was raised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Alarm {
    /// Its number; 0 where the journal does not have it, since it cannot be written.
    pub id: i64,
    /// What sort of thing is wrong.
    pub kind: String,
    /// What it is about.
    pub subject: String,
    /// What is wrong, in words.
    pub text: String,
    /// When it was raised, `2026-11-21T14:05:00Z`.
    pub raised: String,
    /// When it was cleared, if it was.
    pub cleared: Option<String>,
    /// How severe it is; `cleared` where it is over.
    pub severity: Severity,
    /// What sort of event it is.
    pub event_type: &'static str,
    /// Why there is one.
    pub probable_cause: &'static str,
    /// Who has seen it, if anybody has said so.
    pub acknowledged: Option<Acknowledgement>,
}

/// Somebody has seen an alarm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Acknowledgement {
    /// Who has.
    pub who: String,
    /// When he said so.
    pub at: String,
    /// What he had to say.
    pub remark: String,
}

/// Which alarms are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those that are raised.
    Raised,
    /// Those that were cleared too.
    All,
}

/// Alarms that are read at once: who reads them slowly keeps the journal from nothing meanwhile.
const PAGE: u32 = 1_000;

/// Where an alarm stands in a list: when it was raised, and its number.
pub type Place = (i64, i64);

/// Before the first alarm of a list.
pub const BEGINNING: Place = (i64::MIN, 0);

/// The alarms behind one, the oldest first, and where the last of them stands; none where there are no more.
pub fn page(
    db: &Connection,
    registry: Registry,
    which: Which,
    last: Place,
) -> Answer<(Vec<Alarm>, Option<Place>)> {
    let mut select = db.prepare(&format!(
        "{SELECT} WHERE {} AND (raised_ms, alarm.id) > (?1, ?2) ORDER BY raised_ms, alarm.id LIMIT ?3",
        which.is_so()
    ))?;
    let mut rows = select.query(params![last.0, last.1, PAGE])?;
    let (mut page, mut end) = (Vec::new(), None);
    while let Some(row) = rows.next()? {
        end = Some((row.get(4)?, row.get(0)?));
        page.push(Alarm::of(row, registry)?);
    }
    Ok((page, end))
}

/// The newest of the alarms before the one of a number, also those that are over, the newest first.
pub fn before(db: &Connection, registry: Registry, id: i64, at_most: i64) -> Answer<Vec<Alarm>> {
    let mut select =
        db.prepare(&format!("{SELECT} WHERE alarm.id < ? ORDER BY alarm.id DESC LIMIT ?"))?;
    select.query_map(params![id, at_most], |row| Alarm::of(row, registry))?.collect()
}

impl Which {
    fn is_so(self) -> &'static str {
        match self {
            Which::Raised => "cleared_ms IS NULL",
            Which::All => "true",
        }
    }
}

const SELECT: &str =
    "SELECT alarm.id, kind, alarm.subject, text, raised_ms, cleared_ms, who, at_ms, reason
    FROM alarm LEFT JOIN trail ON trail.id = acknowledged";

impl Alarm {
    fn of(row: &Row<'_>, registry: Registry) -> Answer<Self> {
        let kind: String = row.get(1)?;
        let cleared: Option<i64> = row.get(5)?;
        let Kind { severity, event_type, probable_cause, .. } = registry.kind(&kind);
        let acknowledged = match row.get(6)? {
            Some(who) => Some(Acknowledgement { who, at: shown(row.get(7)?), remark: row.get(8)? }),
            None => None,
        };
        Ok(Alarm {
            id: row.get(0)?,
            kind,
            subject: row.get(2)?,
            text: row.get(3)?,
            raised: shown(row.get(4)?),
            cleared: cleared.map(shown),
            severity: if cleared.is_some() { Severity::Cleared } else { severity },
            event_type: event_type.word(),
            probable_cause,
            acknowledged,
        })
    }
}

/// Tells a run of alarms: at first those that are raised, then each that is raised, changed or cleared.
#[derive(Debug)]
pub struct Teller {
    reader: Reader,
    /// The last change that was told.
    told: i64,
    looked: Option<Instant>,
}

impl Teller {
    /// By a connection of its own.
    pub fn new(reader: Reader) -> Self {
        Teller { reader, told: 0, looked: None }
    }

    /// What is new, unless that was looked for just now.
    pub fn news_now_and_then(&mut self) -> Answer<Vec<String>> {
        match self.looked {
            Some(looked) if looked.elapsed() < TOLD_EVERY => Ok(Vec::new()),
            _ => self.news(),
        }
    }

    /// What is new, a line each.
    pub fn news(&mut self) -> Answer<Vec<String>> {
        let first = self.looked.replace(Instant::now()).is_none();
        let newest = "SELECT max(change) FROM alarm";
        let newest: Option<i64> =
            self.reader.prepare_cached(newest)?.query_row([], |row| row.get(0))?;
        let told = std::mem::replace(&mut self.told, newest.unwrap_or(0));
        if told == self.told {
            return Ok(Vec::new());
        }
        let mut lines = Vec::new();
        let mut select = self.reader.prepare_cached(
            "SELECT text, cleared_ms IS NULL OR raised > ?1, cleared_ms IS NOT NULL FROM alarm
             WHERE change > ?1 AND change <= ?2 AND (cleared_ms IS NULL OR NOT ?3) ORDER BY change",
        )?;
        let news = select.query_map(params![told, self.told, first], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?, row.get::<_, bool>(2)?))
        })?;
        for alarm in news {
            let (text, is_new, is_over) = alarm?;
            if is_new {
                lines.push(format!("alarm: {text}"));
            }
            if is_over {
                lines.push(format!("alarm over: {text}"));
            }
        }
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const DISK: AlarmKey<'_> = AlarmKey { kind: DISK_LOW, subject: "out" };
    const SILENT: &Kind = &Kind { name: "silent", severity: Severity::Major, ..*DISK_LOW };
    const ELEMENT: AlarmKey<'_> = AlarmKey { kind: SILENT, subject: "boston" };

    #[test]
    fn an_alarm_is_told_once_when_it_is_raised_changed_and_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("alarms.db");
        let store = store::Store::open(&path, &[journal::TABLES, TABLES]).unwrap();
        let mut teller = Teller::new(store.reader().unwrap());
        let mut told = || teller.news().unwrap().join("; ");
        let raise = |at, key, text| store.commit(move |db| raise(db, at, key, text)).unwrap();
        let clear = |at, key| store.commit(move |db| clear(db, at, key)).unwrap();

        raise(1, DISK, "over before the run");
        clear(2, DISK);
        raise(3, DISK, "1 GB is left");
        assert_eq!(told(), "alarm: 1 GB is left", "a run begins with what is raised");
        raise(4, DISK, "1 GB is left");
        clear(5, ELEMENT);
        assert_eq!(told(), "", "nothing is new");
        raise(6, ELEMENT, "silent for an hour");
        raise(7, DISK, "1 MB is left");
        assert_eq!(told(), "alarm: silent for an hour; alarm: 1 MB is left");
        clear(8, DISK);
        raise(9, ELEMENT, "silent for an hour");
        assert_eq!(told(), "alarm over: 1 MB is left");
        raise(10, DISK, "1 GB is left");
        assert_eq!(told(), "alarm: 1 GB is left", "and again");
        clear(11, DISK);
        raise(12, DISK, "1 KB is left");
        clear(13, DISK);
        let all = "alarm over: 1 GB is left; alarm: 1 KB is left; alarm over: 1 KB is left";
        assert_eq!(told(), all, "also where it was soon over");
    }

    #[test]
    fn an_alarm_is_raised_since_a_time_that_is_believed_whatever_the_clock_said() {
        const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("alarms.db");
        let store = store::Store::open(&path, &[journal::TABLES, TABLES]).unwrap();
        let raised = |seen_ms: Option<i64>, clock_ms: i64| {
            let both = store.commit(move |db| {
                db.execute("DELETE FROM alive", [])?;
                if let Some(seen_ms) = seen_ms {
                    db.execute("INSERT INTO alive (one, seen_ms) VALUES (1, ?)", [seen_ms])?;
                }
                raise(db, clock_ms, DISK, "full")?;
                let shown: i64 = db.query_row(
                    "SELECT raised_ms FROM alarm WHERE cleared_ms IS NULL",
                    [],
                    |row| row.get(0),
                )?;
                let since = raised_since(db, DISK)?;
                clear(db, clock_ms, DISK)?;
                Ok((shown, since))
            });
            let (shown, since) = both.unwrap();
            assert_eq!(shown, clock_ms, "people are shown what the clock said");
            since.expect("it is raised")
        };
        assert_eq!(raised(None, 5 * DAY_MS), 5 * DAY_MS);
        assert_eq!(raised(Some(5 * DAY_MS), 5 * DAY_MS + 1), 5 * DAY_MS + 1);
        // Ahead by ten years, and back: no alarm is raised since a moment that comes in ten years, or was before all others.
        assert!(raised(Some(5 * DAY_MS), 3_650 * DAY_MS) <= 7 * DAY_MS);
        assert_eq!(raised(Some(3_650 * DAY_MS), 5 * DAY_MS), 3_650 * DAY_MS);
        let none = store.commit(|db| raised_since(db, DISK)).unwrap();
        assert_eq!(none, None, "it is over");
    }
}
