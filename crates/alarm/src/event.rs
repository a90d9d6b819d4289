//! What becomes of alarms, noted in the transaction in which it does, for those who are told later.

use store::{Answer, Connection, params};

/// What became of an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It is raised.
    Raised,
    /// It is raised, and its text is another.
    Changed,
    /// It is over.
    Cleared,
    /// Somebody says that he has seen it.
    Acknowledged,
    /// Somebody takes that back.
    Unacknowledged,
}

impl What {
    const ALL: [(&'static str, What); 5] = [
        ("raised", What::Raised),
        ("changed", What::Changed),
        ("cleared", What::Cleared),
        ("acknowledged", What::Acknowledged),
        ("unacknowledged", What::Unacknowledged),
    ];

    /// What the journal calls so.
    pub(crate) fn of(word: &str) -> Self {
        let found = Self::ALL.iter().find(|(known, _)| *known == word);
        found.map_or(What::Changed, |(_, what)| *what)
    }

    /// As the journal has it.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, what)| *what == self).expect("all are in the list").0
    }
}

/// Somebody, and what he has to say.
#[derive(Clone, Copy, Debug)]
pub struct Said<'s> {
    /// Who.
    pub who: &'s str,
    /// What he has to say.
    pub remark: &'s str,
}

/// Notes what becomes of an alarm, as that is now.
pub(super) fn note(
    db: &Connection,
    alarm: i64,
    (what, at_ms): (What, i64),
    said: Option<Said<'_>>,
) -> Answer<()> {
    let (who, remark) = said.map(|Said { who, remark }| (who, remark)).unzip();
    db.prepare_cached(
        "INSERT INTO alarm_event (alarm, what, at_ms, kind, subject, text, who, remark)
         SELECT id, ?, ?, kind, subject, text, ?, ? FROM alarm WHERE id = ?",
    )?
    .execute(params![what.word(), at_ms, who, remark, alarm])
    .map(drop)
}
