//! Adds entries to a list, and removes them.

use flow::flow_journal::JournalError;
use journal::audit_trail::Change;
use lists::{Edit, Entry, KeyError, ListError, Table};
use people::Role;
use runtime::time::now_ms;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::place::{FraudListError, known};
use crate::context::Context;
use crate::operation::Operation;
use crate::privacy::SubscriberDataError;
use crate::refusal::{PossibleRefusal, ReasonError, Refusal, RefusalKind, reason};
use crate::refusals;

/// Adds an entry to a list. It needs the role that sees subscriber data.
///
/// The list is written at once, and rules go by it a moment later. All other lines stay as they are.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct AddToFraudList {
    /// The name of the list.
    pub name: String,
    /// The fraud node, if several have lists of their own.
    pub node: Option<String>,
    /// The key, or what keys begin with and a `*`: 256 octets at most.
    pub key: String,
    /// The day, in UTC, or the time with its zone from which it holds. Absent for always.
    pub from: Option<String>,
    /// The day, in UTC, or the time with its zone until which it holds. Absent for ever.
    pub until: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// Why, for others and the audit trail. It must not be empty.
    pub because: String,
}

/// Removes all entries of a key from a list. It needs the role that sees subscriber data.
///
/// All other lines stay as they are.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct RemoveFromFraudList {
    /// The name of the list.
    pub name: String,
    /// The fraud node, if several have lists of their own.
    pub node: Option<String>,
    /// The key, as the list has it.
    pub key: String,
    /// Why, for the audit trail. It must not be empty.
    pub because: String,
}

/// How many entries were changed.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct ChangedFraudList {
    /// The number of entries that were added or removed.
    pub changed: usize,
}

refusals! {
    /// Why a list is not changed.
    pub enum ChangeFraudListError {
        /// A time is none.
        Time {
            /// The text.
            text: String,
        } => Wrong "fraud-list-time-wrong"
            "\"{text}\" is no day or time: write \"2026-12-31\" or \"2026-12-31T22:00:00Z\"",
        /// The entry would never hold again.
        Over => Wrong "fraud-list-entry-over" "the entry would be over already: give a later end",
        /// The list has the key for that time.
        There => Conflict "fraud-list-entry-there"
            "the list has an entry of this key that holds as long: remove it first to change it",
        /// The list has no entry with this key.
        NoEntry => Unknown "fraud-list-entry-unknown" "the list has no entry of this key",
        /// Another entry is for the key, and for others.
        OfPrefix {
            /// The entry.
            entry: String,
        } => Unknown "fraud-list-entry-of-prefix"
            "the list has no entry of this key alone: \"{entry}\" is for all keys that begin so",
        /// The key cannot be one.
        Key(KeyError) => [Wrong],
        /// The request has no reason.
        Reason(ReasonError) => [Wrong],
        /// There is no such list, or it cannot be read.
        List(FraudListError) => [Wrong, Unknown, Conflict, Forbidden],
        /// The journal fails, so that there would be no entry in the audit trail.
        Journal(JournalError) => [NotReady],
    }
}

impl From<ListError> for ChangeFraudListError {
    fn from(error: ListError) -> Self {
        ChangeFraudListError::List(error.into())
    }
}

impl From<SubscriberDataError> for ChangeFraudListError {
    fn from(error: SubscriberDataError) -> Self {
        ChangeFraudListError::List(error.into())
    }
}

impl Refusal for KeyError {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Wrong
    }

    fn code(&self) -> &'static str {
        match self {
            KeyError::Empty => "fraud-key-missing",
            KeyError::Long => "fraud-key-long",
            KeyError::Control => "fraud-key-unwritable",
        }
    }

    fn possible() -> Vec<PossibleRefusal> {
        let of =
            |code, text| PossibleRefusal { kind: RefusalKind::Wrong, text: Some((code, text)) };
        vec![
            of("fraud-key-missing", "a key is missing"),
            of("fraud-key-long", "a key has 256 octets at most"),
            of("fraud-key-unwritable", "a key has no control characters"),
        ]
    }
}

/// Makes the entry of the audit trail for a change of a list. It is made before the list is written, so there is no change without
/// one. A single key is the value of the entry, and not its subject: it is forgotten with the values of that time.
pub(super) fn record(
    context: &Context<'_>,
    action: &str,
    (subject, reason): (&str, &str),
    change: Option<Change<'_>>,
) -> Result<(), JournalError> {
    context.change(action, |db, author| match change {
        Some(change) => author.record_change(db, subject, reason, change).map(drop),
        None => author.record(db, subject, reason).map(drop),
    })
}

/// Returns the entry that a user adds, and until when it holds.
fn entry_of(
    context: &Context<'_>,
    request: &AddToFraudList,
) -> Result<(Entry, std::ops::Range<u32>), ChangeFraudListError> {
    let AddToFraudList { key, from, until, source, because, .. } = request;
    let text = |of: &Option<String>| of.as_deref().unwrap_or_default().trim().to_owned();
    let (from, until) = (text(from), text(until));
    let second = |text: &str, otherwise| match text.is_empty() {
        true => Ok(otherwise),
        false => {
            lists::time(text).ok_or_else(|| ChangeFraudListError::Time { text: text.to_owned() })
        }
    };
    let holds = second(&from, 0)?..second(&until, u32::MAX)?;
    if holds.is_empty() || i64::from(holds.end) <= now_ms().div_euclid(1_000) {
        return Err(ChangeFraudListError::Over);
    }
    let entry = Entry {
        key: lists::checked_key(key)?.to_owned(),
        from,
        until,
        source: lists::one_line(&text(source)),
        who: lists::one_line(context.who),
        because: lists::one_line(reason(because)?),
    };
    Ok((entry, holds))
}

impl Operation for AddToFraudList {
    type Response = ChangedFraudList;
    type Error = ChangeFraudListError;

    const NAME: &'static str = "fraud list add";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<ChangedFraudList, ChangeFraudListError> {
        context.subscriber_access().allow("a change of a list")?;
        let (entry, holds) = entry_of(context, &self)?;
        let path = known(context, (self.node.as_deref(), &self.name))?;
        lists::change(&path, |list| {
            let list = list.ok_or(ChangeFraudListError::NoEntry)?;
            let holds_as_long = |row: &lists::Row| {
                let same = row.entry.key == entry.key;
                same && row.holds.start <= holds.start && row.holds.end >= holds.end
            };
            if list.rows().iter().any(holds_as_long) {
                return Err(ChangeFraudListError::There);
            }
            let subject = format!("list \"{}\": 1 added", self.name);
            let change = Change { before: "", after: &entry.key };
            record(context, Self::NAME, (&subject, self.because.trim()), Some(change))?;
            let text = Edit::adding(list.fitted(entry.clone())).apply(list);
            Ok((Some(text), ChangedFraudList { changed: 1 }))
        })
    }
}

impl Operation for RemoveFromFraudList {
    type Response = ChangedFraudList;
    type Error = ChangeFraudListError;

    const NAME: &'static str = "fraud list remove";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<ChangedFraudList, ChangeFraudListError> {
        let RemoveFromFraudList { name, node, key, because } = self;
        context.subscriber_access().allow("a change of a list")?;
        let (key, because) = (lists::checked_key(&key)?, reason(&because)?);
        let path = known(context, (node.as_deref(), &name))?;
        lists::change(&path, |list| {
            let list = list.ok_or(ChangeFraudListError::NoEntry)?;
            let edit = Edit::removing(list, |entry| entry.key == key);
            if edit.is_empty() {
                return Err(without_entry(list, key));
            }
            let changed = edit.rows.len();
            let subject = format!("list \"{name}\": {changed} removed");
            let change = Change { before: key, after: "" };
            record(context, Self::NAME, (&subject, because), Some(change))?;
            Ok((Some(edit.apply(list)), ChangedFraudList { changed }))
        })
    }
}

fn without_entry(list: &Table, key: &str) -> ChangeFraudListError {
    match list.rows().iter().find(|row| row.entry.is_for(key)) {
        Some(row) => ChangeFraudListError::OfPrefix { entry: row.entry.key.clone() },
        None => ChangeFraudListError::NoEntry,
    }
}
