//! The events of alarms: each change is recorded in its transaction, for the channels that send it later.

use store::{Connection, QueryResult, params};

/// How an alarm changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transition {
    /// It is raised.
    Raised,
    /// It stays raised, with another text.
    Changed,
    /// It is over.
    Cleared,
    /// A person acknowledges it.
    Acknowledged,
    /// A person takes the acknowledgement back.
    Unacknowledged,
}

impl Transition {
    const ALL: [(&'static str, Transition); 5] = [
        ("raised", Transition::Raised),
        ("changed", Transition::Changed),
        ("cleared", Transition::Cleared),
        ("acknowledged", Transition::Acknowledged),
        ("unacknowledged", Transition::Unacknowledged),
    ];

    /// The transition of a word in the journal, which allows no others.
    pub(crate) fn of(word: &str) -> Self {
        let found = Self::ALL.iter().find(|(known, _)| *known == word);
        found.map_or(Transition::Changed, |(_, transition)| *transition)
    }

    /// Returns its word, as the journal and notifications have it.
    pub(crate) fn word(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, transition)| *transition == self);
        found.expect("all are in the list").0
    }
}

/// What a person says about an alarm.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remark<'r> {
    /// The person.
    pub(crate) who: &'r str,
    /// The words; may be empty.
    pub(crate) text: &'r str,
}

/// Records a transition of an alarm with the alarm as it is now.
pub(crate) fn record(
    db: &Connection,
    alarm: i64,
    (transition, at_ms): (Transition, i64),
    remark: Option<Remark<'_>>,
) -> QueryResult<()> {
    let (who, remark) = remark.map(|Remark { who, text }| (who, text)).unzip();
    db.prepare_cached(
        "INSERT INTO alarm_event (alarm, what, at_ms, kind, subject, text, who, remark)
         SELECT id, ?, ?, kind, subject, text, ?, ? FROM alarm WHERE id = ?",
    )?
    .execute(params![transition.word(), at_ms, who, remark, alarm])
    .map(drop)
}
