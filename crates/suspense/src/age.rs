//! Records that have been in suspense for too long.

use std::time::{Duration, Instant};

use alarm::{Condition, EventType, Kind, Severity};
use journal::Journal;
use runtime::time::{milliseconds, shown};
use store::{Connection, OptionalExtension as _, QueryResult, Row, StoreError};

use flow::limits::AlarmLimits;

pub(super) const OLD: &Kind =
    &Kind::new("suspense-old", Severity::Minor, EventType::Time, "delayedInformation");

/// Interval between looks; ages are counted in hours.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// The record that has been in suspense for longest.
#[derive(Clone, Debug, PartialEq)]
struct Oldest {
    since_ms: i64,
    network_element: String,
    /// Empty if the record could not be read.
    node: String,
}

/// The oldest record at the last look.
#[derive(Debug, Default)]
pub struct Age {
    looked: Option<Instant>,
    oldest: Option<Oldest>,
}

impl Age {
    /// Raises an alarm if the oldest record is too old, else clears it.
    pub fn look(
        &mut self,
        limits: &AlarmLimits,
        journal: &Journal,
        reader: &Connection,
    ) -> Result<(), StoreError> {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK_EVERY) {
            return Ok(());
        }
        self.oldest = journal.answer(oldest(reader))?;
        self.looked = Some(Instant::now());
        let raised = journal.answer(alarm::raised(reader, &[OLD]))?;
        let age = limits.all.age;
        let old = self.oldest.as_ref().zip(age).and_then(|(oldest, age)| {
            let wrong = oldest.wrong(age, journal.now_ms())?;
            // The oldest record may change; the text of a raised alarm does not.
            Some(raised.first().cloned().unwrap_or(wrong))
        });
        alarm::reconcile(old.into_iter(), &raised, journal)
    }

    /// Returns whether no record waited at the last look.
    pub fn is_empty(&self) -> bool {
        self.looked.is_some() && self.oldest.is_none()
    }
}

impl Oldest {
    fn wrong(&self, age: Duration, now_ms: i64) -> Option<Condition> {
        let Oldest { since_ms, network_element, node } = self;
        if now_ms.saturating_sub(*since_ms) < milliseconds(age) {
            return None;
        }
        let at = match node.as_str() {
            "" => String::new(),
            node => format!(" at \"{node}\""),
        };
        let text = format!(
            "records of {network_element} have been in suspense since {}{at}: \"tollgate suspense list\" shows them; retry \
             them or discard them",
            shown(*since_ms)
        );
        Some(Condition { kind: OLD, subject: String::new(), text })
    }
}

/// Returns the oldest open record that could not be processed and has no retry requested. Files with many records that
/// are not done, and may never be, are skipped.
fn oldest(db: &Connection) -> QueryResult<Option<Oldest>> {
    const WAITS: &str = "state = 'open' AND why = 'suspended' AND asked IS NULL AND of_group IS NULL AND reopened IS NULL";
    let of_files = format!(
        "SELECT done_ms, network_element, node FROM suspense INDEXED BY suspense_waiting
         JOIN file ON file.id = suspense.file
         WHERE {WAITS} AND suspense.file IS NOT NULL ORDER BY suspense.file LIMIT 1"
    );
    let of_jobs = format!(
        "SELECT done_ms, network_element, (SELECT node FROM suspense INDEXED BY suspense_waiting
             WHERE {WAITS} AND suspense.file IS NULL AND suspense.job = file.job LIMIT 1) AS found
         FROM file WHERE file.job IS NOT NULL AND found IS NOT NULL ORDER BY file.job LIMIT 1"
    );
    let of = |row: &Row<'_>| {
        Ok(Oldest { since_ms: row.get(0)?, network_element: row.get(1)?, node: row.get(2)? })
    };
    let mut found = Vec::new();
    for select in [of_files, of_jobs] {
        found.extend(db.prepare_cached(&select)?.query_row([], of).optional()?);
    }
    Ok(found.into_iter().min_by_key(|oldest| oldest.since_ms))
}
