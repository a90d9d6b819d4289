//! Shows a list.

use std::collections::HashMap;

use flow::flow_journal::JournalError;
use inspection::masking::{masked_key, without_numbers};
use investigation::ListHits;
use lists::{Entry, Row};
use people::Role;
use runtime::time::now_ms;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::place::{FraudListError, known};
use crate::context::Context;
use crate::operation::Operation;
use crate::page::PageQuery;
use crate::privacy::is_whole;

/// Shows a list of keys, with how often its entries mattered to rules.
///
/// The numbers of entries are their lines in the file. With `after`, the first entries come first.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ShowFraudList {
    /// Its name.
    pub name: String,
    /// The fraud node, if several have lists of their own.
    pub node: Option<String>,
    /// Only entries that never mattered, or whose time is over.
    #[serde(default)]
    pub dead: bool,
    /// Only entries that are for this key, also those for all keys that begin so. It needs the role that sees subscriber data.
    pub key: Option<String>,
    /// The page.
    #[serde(flatten)]
    pub page: PageQuery,
}

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct FraudList {
    /// The entries.
    pub entries: Vec<FraudListEntry>,
    /// Whether there are more.
    pub more: bool,
    /// `true` if subscriber data is masked. Absent otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    pub masked: bool,
}

/// An entry of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FraudListEntry {
    /// Its line in the file, from 1.
    pub line: i64,
    /// The key, or what keys begin with and a `*`.
    pub key: String,
    /// The day or time from which it holds. Absent for always.
    pub from: Option<String>,
    /// The day or time until which it holds. Absent for ever.
    pub until: Option<String>,
    /// Whether its time is over.
    pub over: bool,
    /// Where it comes from. An action has its identifier here.
    pub source: Option<String>,
    /// Who has added it.
    pub who: Option<String>,
    /// Why.
    pub because: Option<String>,
    /// How often it mattered to a rule. Entries with the same key count together.
    pub hits: i64,
    /// The time of the last record for which it mattered.
    pub last_hit: Option<String>,
}

impl FraudListEntry {
    /// Returns an entry as users see it.
    pub(in super::super) fn of(
        row: &Row,
        hits: &HashMap<String, ListHits>,
        now_s: i64,
    ) -> FraudListEntry {
        let Entry { key, from, until, source, who, because } = row.entry.clone();
        let filled = |text: String| Some(text).filter(|text| !text.is_empty());
        let hits = hits.get(&key);
        FraudListEntry {
            line: i64::try_from(row.line).unwrap_or(i64::MAX),
            over: filled(until.clone()).is_some() && i64::from(row.holds.end) <= now_s,
            key,
            from: filled(from),
            until: filled(until),
            source: filled(source),
            who: filled(who),
            because: filled(because),
            hits: hits.map_or(0, |of| of.hits),
            last_hit: hits.map(|of| of.last.clone()),
        }
    }

    /// Returns whether it does nothing: it never mattered, or its time is over.
    pub(super) fn is_dead(&self) -> bool {
        self.over || self.hits == 0
    }

    /// Masks what tells a subscriber.
    fn mask(&mut self) {
        self.key = masked_key(&self.key);
        for text in [&mut self.source, &mut self.because].into_iter().flatten() {
            *text = without_numbers(text);
        }
    }
}

impl Operation for ShowFraudList {
    type Response = FraudList;
    type Error = FraudListError;

    const NAME: &'static str = "fraud list show";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<FraudList, FraudListError> {
        let ShowFraudList { name, node, dead, key, page } = self;
        let access = context.subscriber_access();
        if key.is_some() {
            access.allow("a search by key")?;
        }
        let table = lists::read(&known(context, (node.as_deref(), &name))?);
        let table = table.map_err(|error| FraudListError::unread(error, access.is_masked()))?;
        let hits = hits(context, &name)?;
        let now_s = now_ms().div_euclid(1_000);
        let is_for = |row: &&Row| key.as_ref().is_none_or(|key| row.entry.is_for(key));
        let rows = table.rows().iter().filter(is_for);
        let shown = rows.map(|row| FraudListEntry::of(row, &hits, now_s));
        let shown = shown.filter(|entry| !dead || entry.is_dead()).collect();
        let (mut entries, more) = page.rows().of(shown, |entry: &FraudListEntry| entry.line);
        let subject = match &key {
            None => format!("list \"{name}\""),
            Some(key) => format!("list \"{name}\", entries for \"{key}\""),
        };
        context.record_view(&access, Self::NAME, &subject)?;
        if access.is_masked() {
            entries.iter_mut().for_each(FraudListEntry::mask);
        }
        Ok(FraudList { entries, more, masked: access.is_masked() })
    }
}

/// Returns the hits of a list. There are none before a gateway has run.
pub(in super::super) fn hits(
    context: &Context<'_>,
    list: &str,
) -> Result<HashMap<String, ListHits>, JournalError> {
    match context.read(|db| investigation::hits(db, list)) {
        Err(JournalError::Missing { .. }) => Ok(HashMap::new()),
        hits => hits,
    }
}
