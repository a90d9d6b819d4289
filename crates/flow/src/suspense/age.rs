//! Records that lie in suspense for too long: nobody sees to them.

use std::time::{Duration, Instant};

use store::{Answer, Connection, OptionalExtension as _, Row, StoreError};

use crate::alarm::{self, Wrong};
use crate::journal::Journal;
use crate::prepare::Prepared;
use crate::time::{milliseconds, shown};

const OLD: &str = "suspense-old";

/// How often it is looked, if records lie there: a day's age is not one of seconds.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// The record that has been in suspense for longest.
#[derive(Debug, PartialEq)]
pub(super) struct Oldest {
    since_ms: i64,
    network_element: String,
    /// Empty where it could not be read.
    node: String,
}

/// When it was last looked, and whether an alarm was raised then.
#[derive(Debug, Default)]
pub(crate) struct Looked(Option<Instant>);

impl Looked {
    /// Has the alarm stand if records are too old; where it was looked just now, things are as they were.
    pub(crate) fn now_and_then(
        &mut self,
        flow: &Prepared,
        journal: &Journal,
        reader: &Connection,
    ) -> Result<(), StoreError> {
        let raised = journal.answer(alarm::raised(reader, &[OLD]))?;
        let is_due = self.0.is_none_or(|looked| looked.elapsed() >= LOOK_EVERY);
        // One that is raised is over as soon as somebody has seen to the records.
        if !is_due && raised.is_empty() {
            return Ok(());
        }
        self.0 = Some(Instant::now());
        let oldest = journal.answer(oldest(reader))?;
        let old = oldest.and_then(|oldest| oldest.wrong(flow.limits.all.age?, journal.now_ms()));
        alarm::stand(old.into_iter(), &raised, journal)
    }
}

impl Oldest {
    fn wrong(&self, age: Duration, now_ms: i64) -> Option<Wrong> {
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
        Some(Wrong { kind: OLD, subject: String::new(), text })
    }
}

/// The oldest record that could not be processed, and nobody has seen to.
pub(super) fn oldest(db: &Connection) -> Answer<Option<Oldest>> {
    let select = "SELECT done_ms, network_element, node FROM (
            SELECT * FROM (
                SELECT file, node FROM suspense INDEXED BY suspense_waiting
                WHERE state = 'open' AND why = 'suspended' AND file IS NOT NULL ORDER BY file LIMIT 1)
            UNION ALL SELECT * FROM (
                SELECT file.id, node FROM suspense INDEXED BY suspense_waiting JOIN file ON file.job = suspense.job
                WHERE state = 'open' AND why = 'suspended' AND file IS NULL ORDER BY suspense.job LIMIT 1)) AS waiting
        JOIN file ON file.id = waiting.file ORDER BY done_ms LIMIT 1";
    let of = |row: &Row<'_>| {
        Ok(Oldest { since_ms: row.get(0)?, network_element: row.get(1)?, node: row.get(2)? })
    };
    db.prepare_cached(select)?.query_row([], of).optional()
}
