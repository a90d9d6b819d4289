//! What analysts are given of a period: alerts, cases, counts of hours, and which records are about which key.
//!
//! In place of a key, there is its digest, which is the same in all of it, and says nothing without the journal.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;

use flow::flow_journal::JournalError;
use inspection::masking::without_numbers;
use investigation::{
    Assigned, CaseState, FoundAlert, FraudCase, HourCounts, ListedAlerts, ListedCases,
};
use key_index::{Digests, Entry, IndexError, View};
use runtime::time::moment;
use state::key_index::{self as indexes, Erasures, NodeIndex};
use store::{OptionalExtension as _, Page, QueryResult};

use super::records::{seconds, state};
use crate::context::Context;
use crate::period::{Period, PeriodError};

/// The alerts or cases that are read at once.
const AT_ONCE: u32 = 1_000;

/// The entries of indexes whose files are looked up at once.
const ENTRIES_AT_ONCE: usize = 16 * 1024;

/// Why data is not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportFraudError {
    /// The period is wrong.
    #[error(transparent)]
    Period(#[from] PeriodError),
    /// An index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The journal fails.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A row cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// The data of a period.
#[derive(Debug)]
pub struct FraudData<'c> {
    context: &'c Context<'c>,
    /// In milliseconds since 1970.
    of: Range<i64>,
    digests: Digests,
    /// Whether texts that name keys are given as they are.
    has_keys: bool,
}

/// A record about a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedRecord {
    /// When it happened, in milliseconds since 1970.
    pub at_ms: i64,
    /// The node.
    pub node: String,
    /// What the key is of the record.
    pub subject: String,
    /// The digest of the key.
    pub key_digest: String,
    /// The job whose file has the record.
    pub job: i64,
    /// The network element and the name of the file, if the journal has it yet.
    pub file: Option<(String, String)>,
    /// The number of the record in the file.
    pub record: i64,
}

/// Writes a row, or fails.
type Take<'t, T> = &'t mut dyn FnMut(T) -> io::Result<()>;

impl<'c> FraudData<'c> {
    /// Prepares the data of a period, with keys or without.
    ///
    /// # Errors
    ///
    /// The period is wrong, or there is no journal.
    pub fn of(
        context: &'c Context<'c>,
        period: Period,
        has_keys: bool,
    ) -> Result<Self, ExportFraudError> {
        let secret = context.read(indexes::secret)?;
        Ok(FraudData { context, of: period.range()?, digests: Digests::new(&secret), has_keys })
    }

    /// Returns the digest of a key.
    pub fn digest(&self, key: &str) -> String {
        shown_digest(self.digests.of(key.as_bytes()))
    }

    /// Gives the alerts whose rules fired in the period, the oldest first.
    ///
    /// # Errors
    ///
    /// The journal cannot be read, or a row not be written.
    pub fn each_alert(&self, take: Take<'_, FoundAlert>) -> Result<(), ExportFraudError> {
        let mut page = Page { before: None, after: Some(0), limit: AT_ONCE };
        loop {
            let listed = ListedAlerts::all(&self.of);
            let (alerts, more) = self.context.read(|db| investigation::alerts(db, listed, page))?;
            page.after = alerts.last().map(|alert| alert.id);
            for mut alert in alerts {
                if !self.has_keys {
                    alert.condition = without_numbers(&alert.condition);
                    alert.digest = None;
                }
                take(alert)?;
            }
            if !more {
                return Ok(());
            }
        }
    }

    /// Gives the cases that were opened in the period, the oldest first.
    ///
    /// # Errors
    ///
    /// The journal cannot be read, or a row not be written.
    pub fn each_case(&self, take: Take<'_, FraudCase>) -> Result<(), ExportFraudError> {
        let mut page = Page { before: None, after: Some(0), limit: AT_ONCE };
        let listed =
            ListedCases { state: CaseState::All, key: None, rule: None, assigned: Assigned::Any };
        loop {
            let (cases, more) = self.context.read(|db| investigation::cases(db, listed, page))?;
            page.after = cases.last().map(|case| case.id);
            let is_opened =
                |case: &FraudCase| moment(&case.opened).is_ok_and(|at| self.of.contains(&at));
            for mut case in cases.into_iter().filter(is_opened) {
                if !self.has_keys {
                    case.reason = case.reason.map(|reason| without_numbers(&reason));
                }
                take(case)?;
            }
            if !more {
                return Ok(());
            }
        }
    }

    /// Gives the counts of the hours that began in the period.
    ///
    /// # Errors
    ///
    /// The journal cannot be read, or a row not be written.
    pub fn each_hour(&self, take: Take<'_, HourCounts>) -> Result<(), ExportFraudError> {
        let hours = self.context.read(|db| investigation::hours(db, &self.of))?;
        Ok(hours.into_iter().try_for_each(take)?)
    }

    /// Gives the records of the indexes that happened in the period: day by day, and those of a day by their keys.
    ///
    /// # Errors
    ///
    /// An index or the journal cannot be read, or a row not be written.
    pub fn each_record(&self, take: Take<'_, IndexedRecord>) -> Result<(), ExportFraudError> {
        let erased_of = |index: NodeIndex, db: &store::Connection| {
            Ok((indexes::erasures(db, &index.node)?, index.node))
        };
        let all: Vec<(Erasures, String)> = self.context.read(|db| {
            let all = indexes::indexes(db)?.into_iter().map(|index| erased_of(index, db));
            all.collect::<QueryResult<_>>()
        })?;
        let (state, between) = (state(self.context)?, seconds(&self.of));
        for (erased, node) in all {
            let Some(view) = View::open(&indexes::folder(&state, &node), &between)? else {
                continue;
            };
            let mut some = Vec::with_capacity(ENTRIES_AT_ONCE);
            view.each(|entry: &Entry| {
                let is_erased = erased.get(&entry.key).is_some_and(|job| entry.job <= *job);
                if !is_erased && between.contains(&entry.at) {
                    some.push(*entry);
                }
                if some.len() == ENTRIES_AT_ONCE {
                    self.give(&view, &node, &mut some, take)?;
                }
                Ok::<_, ExportFraudError>(())
            })?;
            self.give(&view, &node, &mut some, take)?;
        }
        Ok(())
    }

    /// Gives some entries of an index, and leaves none.
    fn give(
        &self,
        view: &View,
        node: &str,
        some: &mut Vec<Entry>,
        take: Take<'_, IndexedRecord>,
    ) -> Result<(), ExportFraudError> {
        let jobs: BTreeSet<i64> = some.iter().map(|entry| entry.job).collect();
        let files: BTreeMap<i64, (String, String)> = self.context.read(|db| {
            let mut select = db.prepare("SELECT network_element, name FROM file WHERE id = ?")?;
            let mut file = |job: &i64| {
                let found = select.query_row([job], |row| Ok((row.get(0)?, row.get(1)?)));
                Ok(found.optional()?.map(|file| (*job, file)))
            };
            jobs.iter().filter_map(|job| file(job).transpose()).collect::<QueryResult<_>>()
        })?;
        for entry in some.drain(..) {
            take(IndexedRecord {
                at_ms: i64::from(entry.at) * 1_000,
                node: node.to_owned(),
                subject: view.subject(entry.subject).unwrap_or_default().to_owned(),
                key_digest: shown_digest(entry.key),
                job: entry.job,
                file: files.get(&entry.job).cloned(),
                record: entry.record.cast_signed(),
            })?;
        }
        Ok(())
    }
}

fn shown_digest(digest: u64) -> String {
    format!("{digest:016x}")
}
