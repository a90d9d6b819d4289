//! Makes the entries of a list those of another file.

use diagnostics::Source;
use flow::flow_journal::JournalError;
use lists::{ChangedKey, Difference, Entry, ListError, Table};
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::change::record;
use super::place::{FraudListError, new_or_known};
use crate::context::Context;
use crate::mistakes::Mistakes;
use crate::operation::Operation;
use crate::privacy::SubscriberDataError;
use crate::refusals;

/// The most keys that a response shows, of those that are different.
const SHOWN_MAX: usize = 1_000;

/// What an imported entry has as its source, if the text has no column for it.
const SOURCE: &str = "import";

/// Compares a list with a new text of it, and makes the entries those of the text. It needs the role that sees subscriber data.
///
/// Entries belong together by their keys. Those that are different change, and all other lines stay as they are. A list that is
/// not there yet is made. If the text has a mistake, nothing changes.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ImportFraudList {
    /// The name of the list.
    pub name: String,
    /// The fraud node, if several have lists of their own.
    pub node: Option<String>,
    /// The new text, a CSV table with the column `key`. A column that it does not have stays as it is in the list.
    pub text: String,
    /// What mistakes call the text, such as the name of its file. By default, that of the list.
    pub file: Option<String>,
    /// Whether the list is changed. Without it, only the differences are shown.
    #[serde(default)]
    pub apply: bool,
    /// Why, for the audit trail, and for entries if the text has no column for it.
    #[serde(default)]
    pub because: String,
}

/// What is different.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportedFraudList {
    /// Whether the list was changed.
    pub applied: bool,
    /// The number of entries of keys that only the text has.
    pub added: usize,
    /// The number of entries of keys that only the list has.
    pub removed: usize,
    /// The number of keys whose entries are others.
    pub changed: usize,
    /// The keys that are different: 1000 at most, first those that are removed, then those that are changed and added.
    pub differences: Vec<DifferentEntry>,
    /// The number of those that are left out.
    pub differences_left_out: usize,
    /// The mistakes of the text. With one, nothing is compared.
    #[serde(flatten)]
    pub mistakes: Mistakes,
}

/// What is different about a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DifferentEntry {
    /// The key.
    pub key: String,
    /// Its entries in the list. Empty if they are added.
    pub before: Vec<WrittenEntry>,
    /// Its entries in the text. Empty if they are removed.
    pub after: Vec<WrittenEntry>,
}

/// An entry as it is written. A cell that is not there is empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct WrittenEntry {
    /// The day or time from which it holds.
    pub from: String,
    /// The day or time until which it holds.
    pub until: String,
    /// Where it comes from.
    pub source: String,
    /// Who has added it.
    pub who: String,
    /// Why.
    pub because: String,
}

refusals! {
    /// Why a list is not imported.
    pub enum ImportFraudListError {
        /// The list cannot be read.
        List(FraudListError) => [Wrong, Unknown, Conflict, Forbidden],
        /// The journal fails, so that there would be no entry in the audit trail.
        Journal(JournalError) => [NotReady],
    }
}

impl From<ListError> for ImportFraudListError {
    fn from(error: ListError) -> Self {
        ImportFraudListError::List(error.into())
    }
}

impl From<SubscriberDataError> for ImportFraudListError {
    fn from(error: SubscriberDataError) -> Self {
        ImportFraudListError::List(error.into())
    }
}

impl Operation for ImportFraudList {
    type Response = ImportedFraudList;
    type Error = ImportFraudListError;

    const NAME: &'static str = "fraud list import";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<ImportedFraudList, ImportFraudListError> {
        let ImportFraudList { name, node, text, file, apply, because } = self;
        context.subscriber_access().allow("the import of a list")?;
        let path = new_or_known(context, (node.as_deref(), &name))?;
        let source = Source::decoded(file.unwrap_or_else(|| name.clone()), text.into_bytes());
        let new = match source.map_err(|mistake| vec![*mistake]).and_then(Table::read) {
            Ok(new) => new,
            Err(mistakes) => return Ok(found(&Difference::default(), false, &mistakes)),
        };
        let (who, because) = (lists::one_line(context.who), because.trim());
        let source = SOURCE.to_owned();
        let otherwise =
            Entry { source, who, because: lists::one_line(because), ..Entry::default() };
        let compared = |list: Option<&Table>| {
            let none = Table::empty(&name);
            let list = list.unwrap_or(&none);
            let difference = Difference::between(list, &new, &otherwise);
            (difference.edit.apply(list), difference)
        };
        if !apply {
            let list = path.exists().then(|| lists::read(&path)).transpose()?;
            return Ok(found(&compared(list.as_ref()).1, false, &[]));
        }
        lists::change(&path, |list| {
            let (text, difference) = compared(list);
            let is_new = list.is_none();
            if difference.edit.is_empty() && !is_new {
                return Ok((None, found(&difference, true, &[])));
            }
            let Difference { added, removed, changed, .. } = &difference;
            let counts =
                [(added.len(), "added"), (removed.len(), "removed"), (changed.len(), "changed")];
            let counts = counts.map(|(count, what)| format!("{count} {what}")).join(", ");
            let subject = format!("list \"{name}\": {counts}");
            record(context, Self::NAME, (&subject, because), None)?;
            Ok((Some(text), found(&difference, true, &[])))
        })
    }
}

fn found(
    Difference { added, removed, changed, .. }: &Difference,
    applied: bool,
    mistakes: &[diagnostics::Diagnostic],
) -> ImportedFraudList {
    let one = |entry: &Entry| (entry.key.clone(), vec![WrittenEntry::of(entry)]);
    let removed_ones = removed.iter().map(one);
    let removed_ones =
        removed_ones.map(|(key, before)| DifferentEntry { key, before, after: Vec::new() });
    let changed_ones = changed.iter().map(DifferentEntry::changed);
    let added_ones = added.iter().map(one);
    let added_ones =
        added_ones.map(|(key, after)| DifferentEntry { key, before: Vec::new(), after });
    let all = removed_ones.chain(changed_ones).chain(added_ones);
    ImportedFraudList {
        applied,
        added: added.len(),
        removed: removed.len(),
        changed: changed.len(),
        differences: all.take(SHOWN_MAX).collect(),
        differences_left_out: (added.len() + removed.len() + changed.len())
            .saturating_sub(SHOWN_MAX),
        mistakes: Mistakes::of(mistakes),
    }
}

impl DifferentEntry {
    fn changed(of: &ChangedKey) -> Self {
        let entries = |of: &[Entry]| of.iter().map(WrittenEntry::of).collect();
        let key = of.after.first().map(|entry| entry.key.clone()).unwrap_or_default();
        DifferentEntry { key, before: entries(&of.before), after: entries(&of.after) }
    }
}

impl WrittenEntry {
    fn of(entry: &Entry) -> Self {
        let Entry { from, until, source, who, because, .. } = entry.clone();
        WrittenEntry { from, until, source, who, because }
    }
}
