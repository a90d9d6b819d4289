//! Lists all records that are about a key.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use flow::flow_journal::{self, JournalError};
use inspection::RecordInFile;
use inspection::records::{picked, plan};
use key_index::{Digests, Entry, Found, IndexError, Order, Place, Search, View};
use people::Role;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use state::key_index::{self as indexes, Erasures, NodeIndex};
use store::{Connection, OptionalExtension as _, QueryResult};
use utoipa::ToSchema;

use crate::context::Context;
use crate::files::RecordPart;
use crate::operation::Operation;
use crate::page::PlaceError;
use crate::period::{Period, PeriodError};
use crate::privacy::SubscriberDataError;
use crate::refusal::{PossibleRefusal, Refusal, RefusalKind};
use crate::refusals;

/// The number of records of a page: the default, and the maximum.
const RECORDS: u32 = 50;
const RECORDS_MAX: u32 = 500;

/// The most octets of records that are read for the values of a page.
const OCTETS_MAX: u64 = 256 << 20;

/// Lists the records that were about a key, from the index of a fraud node, with their values where their files are there yet.
///
/// These are the records that rules of the node count, whether a rule fired or not. It needs the role that sees subscriber data, and is a
/// view of the audit trail.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ListFraudRecords {
    /// The key, such as a number.
    pub key: String,
    /// Only records of which the key is this, such as `caller`.
    pub subject: Option<String>,
    /// The node. It may be left out if one node alone has an index.
    pub node: Option<String>,
    /// Only records of this period, by their times.
    #[serde(flatten)]
    pub period: Period,
    /// Which are first. Default `newest`.
    pub order: Option<RecordsOrder>,
    /// The place to go on at: `next` of the answer before.
    pub after: Option<String>,
    /// The maximum number of records. Default 50, at most 500.
    pub limit: Option<u32>,
    /// `false` leaves out the values, which takes less time.
    pub values: Option<bool>,
}

/// Which records are first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecordsOrder {
    /// The newest ones.
    #[default]
    Newest,
    /// The oldest ones.
    Oldest,
}

/// A page of records about a key.
#[derive(Debug, Serialize, ToSchema)]
pub struct FraudRecords {
    /// The node.
    pub node: String,
    /// The records.
    pub records: Vec<FraudRecord>,
    /// The place to go on at. Absent if there are no more.
    pub next: Option<String>,
    /// The number of files that are done, and whose records are not in the index yet: those of the last seconds.
    pub waiting: i64,
}

/// A record about a key.
#[derive(Debug, Serialize, ToSchema)]
pub struct FraudRecord {
    /// When it happened, by the record.
    pub at: String,
    /// What the key is of the record, such as `caller`.
    pub subject: String,
    /// The job whose file has the record.
    pub job: i64,
    /// The network element of the file. Absent if the journal does not have the file any more.
    pub network_element: Option<String>,
    /// The name of the file.
    pub file: Option<String>,
    /// The number of the record in the file, from 1.
    pub record: u64,
    /// The values of the record. Absent if they cannot be shown, or are left out.
    pub parts: Option<Vec<RecordPart>>,
    /// Why there are no values, or why these are not the whole record.
    pub problem: Option<String>,
}

refusals! {
    /// Why records about a key are not listed.
    pub enum ListFraudRecordsError {
        /// No node has an index.
        NoIndex => Unknown "key-index-missing"
            "no fraud node of the flow has an index of records by keys: write index = \"30 days\" in its table. It begins with the files that come then",
        /// The node has no index.
        NoNode {
            /// Its name.
            node: String,
            /// Those that have one.
            known: String,
        } => Unknown "key-index-node-unknown" "there is no index of a node \"{node}\", but of {known}",
        /// Several nodes have an index.
        Several {
            /// Their names.
            known: String,
        } => Wrong "key-index-node-missing" "the nodes {known} have an index each: name one of them",
        /// The period is wrong.
        Period(PeriodError) => [Wrong],
        /// The place is not one that a response gave.
        Place(PlaceError) => [Wrong],
        /// The index cannot be read.
        Index(IndexError) => [Conflict],
        /// The role does not see subscriber data, or the view cannot be recorded.
        SubscriberData(SubscriberDataError) => [Forbidden, NotReady],
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

impl Refusal for IndexError {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Conflict
    }

    fn code(&self) -> &'static str {
        match self {
            IndexError::File { .. } => "key-index-unreadable",
            IndexError::Damaged { .. } => "key-index-damaged",
            IndexError::Form { .. } => "key-index-later",
        }
    }

    fn possible() -> Vec<PossibleRefusal> {
        let of =
            |code, text| PossibleRefusal { kind: RefusalKind::Conflict, text: Some((code, text)) };
        vec![
            of("key-index-unreadable", "\"{path}\": {cause}"),
            of(
                "key-index-damaged",
                "\"{path}\" is damaged; if you delete its folder, the index begins again with what comes",
            ),
            of("key-index-later", "\"{path}\" was written by a later version"),
        ]
    }
}

impl Operation for ListFraudRecords {
    type Response = FraudRecords;
    type Error = ListFraudRecordsError;

    const NAME: &'static str = "fraud records";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<FraudRecords, ListFraudRecordsError> {
        let access = context.subscriber_access();
        access.allow("a search by key")?;
        let between = seconds(&self.period.range()?);
        let after = self.after.as_deref().map(place).transpose()?;
        let OfNode { node, through, erased, digests } =
            context.read(|db| OfNode::find(db, self.node.as_deref()))??;
        context.record_view(&access, Self::NAME, &format!("records about \"{}\"", self.key))?;
        let folder = indexes::folder(&state(context)?, &node);
        let view = View::open(&folder, &between)?;
        let Found { entries, more } = match &view {
            Some(view) => {
                let is_subject = |entry: &Entry| match &self.subject {
                    Some(name) => view.subject(entry.subject) == Some(name),
                    None => true,
                };
                let is_erased =
                    |entry: &Entry| erased.get(&entry.key).is_some_and(|job| entry.job <= *job);
                view.find(&Search {
                    keys: &digests.of_text(&self.key),
                    between,
                    order: match self.order.unwrap_or_default() {
                        RecordsOrder::Newest => Order::Newest,
                        RecordsOrder::Oldest => Order::Oldest,
                    },
                    after,
                    limit: self.limit.unwrap_or(RECORDS).clamp(1, RECORDS_MAX) as usize,
                    is_listed: &|entry| is_subject(entry) && !is_erased(entry),
                })?
            }
            None => Found::default(),
        };
        let next = entries.last().filter(|_| more).map(|entry| shown_place(entry.into()));
        let subject = |entry: &Entry| view.as_ref()?.subject(entry.subject).map(str::to_owned);
        let mut records: Vec<FraudRecord> = entries
            .iter()
            .map(|entry| FraudRecord {
                at: shown(i64::from(entry.at) * 1_000),
                subject: subject(entry).unwrap_or_default(),
                job: entry.job,
                network_element: None,
                file: None,
                record: entry.record,
                parts: None,
                problem: None,
            })
            .collect();
        let added = view.as_ref().map_or(through.unwrap_or_default(), View::through);
        let waiting = context.read(|db| {
            name_files(db, &mut records)?;
            match through {
                Some(_) => indexes::behind(db, &node, added),
                None => Ok(0),
            }
        })?;
        if self.values != Some(false) {
            add_values(context, &mut records);
        }
        Ok(FraudRecords { node, records, next, waiting })
    }
}

/// Returns how many records are in the indexes about a key.
pub(super) fn count(context: &Context<'_>, key: &str) -> Result<u64, CountError> {
    let (all, digests) = context.read(|db| {
        let of_node = |index: NodeIndex| Ok((indexes::erasures(db, &index.node)?, index.node));
        let all = indexes::indexes(db)?.into_iter().map(of_node);
        let all: Vec<(Erasures, String)> = all.collect::<QueryResult<_>>()?;
        Ok((all, Digests::new(&indexes::secret(db)?)))
    })?;
    let (state, keys) = (state(context)?, digests.of_text(key));
    let mut count = 0;
    for (erased, node) in all {
        let always = 0..u32::MAX;
        if let Some(view) = View::open(&indexes::folder(&state, &node), &always)? {
            let is_listed =
                |entry: &Entry| erased.get(&entry.key).is_none_or(|job| entry.job > *job);
            count += view.count(&keys, &is_listed)?;
        }
    }
    Ok(count)
}

/// Erases a key from all indexes, in the transaction of its erasure.
pub(super) fn erase(db: &Connection, key: &str) -> QueryResult<()> {
    let digests = Digests::new(&indexes::secret(db)?);
    indexes::erase(db, &digests.of_text(key))
}

refusals! {
    /// Why records of a key are not counted.
    pub enum CountError {
        /// An index cannot be read.
        Index(IndexError) => [Conflict],
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

/// The index of a node, and what is not to be found in it.
struct OfNode {
    node: String,
    through: Option<i64>,
    erased: Erasures,
    digests: Digests,
}

impl OfNode {
    fn find(
        db: &Connection,
        node: Option<&str>,
    ) -> QueryResult<Result<Self, ListFraudRecordsError>> {
        let all = indexes::indexes(db)?;
        let known = || {
            let names: Vec<String> = all.iter().map(|of| format!("\"{}\"", of.node)).collect();
            names.join(", ")
        };
        let found = match (node, &all[..]) {
            (_, []) => Err(ListFraudRecordsError::NoIndex),
            (None, [only]) => Ok(only),
            (None, _) => Err(ListFraudRecordsError::Several { known: known() }),
            (Some(node), _) => all.iter().find(|of| of.node == node).ok_or_else(|| {
                ListFraudRecordsError::NoNode { node: node.to_owned(), known: known() }
            }),
        };
        let NodeIndex { node, through, .. } = match found {
            Ok(found) => found.clone(),
            Err(refused) => return Ok(Err(refused)),
        };
        // Before the index is opened: from then on, what it still has is not found.
        let erased = indexes::erasures(db, &node)?;
        let digests = Digests::new(&indexes::secret(db)?);
        Ok(Ok(OfNode { node, through, erased, digests }))
    }
}

/// Returns the folder of the state of the flow.
pub(super) fn state(context: &Context<'_>) -> Result<PathBuf, JournalError> {
    let database = flow_journal::existing(context.flow)?;
    Ok(database.parent().map(PathBuf::from).unwrap_or_default())
}

/// Returns the seconds of a period of milliseconds.
pub(super) fn seconds(of: &Range<i64>) -> Range<u32> {
    let second = |ms: i64| {
        let up = ms.div_euclid(1_000).saturating_add(i64::from(ms.rem_euclid(1_000) > 0));
        u32::try_from(up.max(0)).unwrap_or(u32::MAX)
    };
    second(of.start)..second(of.end)
}

fn shown_place(Place { at, job, record, subject }: Place) -> String {
    format!("{at}-{job}-{record}-{subject}")
}

fn place(text: &str) -> Result<Place, PlaceError> {
    let mut parts = text.split('-');
    let mut next = || parts.next().ok_or(());
    let mut read = || {
        let (at, job) = (next()?.parse().map_err(drop)?, next()?.parse().map_err(drop)?);
        let (record, subject) = (next()?.parse().map_err(drop)?, next()?.parse().map_err(drop)?);
        Ok(Place { at, job, record, subject })
    };
    read().map_err(|()| PlaceError::Unknown { text: text.to_owned() })
}

/// Names the files of records that the journal still has.
fn name_files(db: &Connection, records: &mut [FraudRecord]) -> QueryResult<()> {
    let mut select = db.prepare_cached("SELECT network_element, name FROM file WHERE id = ?")?;
    let mut known: BTreeMap<i64, Option<(String, String)>> = BTreeMap::new();
    for record in records {
        let file = match known.get(&record.job) {
            Some(file) => file.clone(),
            None => {
                let file = select.query_row([record.job], |row| Ok((row.get(0)?, row.get(1)?)));
                known.entry(record.job).or_insert(file.optional()?).clone()
            }
        };
        (record.network_element, record.file) = file.unzip();
    }
    Ok(())
}

/// Adds the values of records whose files are there. Each file is read once.
fn add_values(context: &Context<'_>, records: &mut [FraudRecord]) {
    let mut by_job: BTreeMap<i64, Vec<u64>> = BTreeMap::new();
    for record in &*records {
        by_job.entry(record.job).or_default().push(record.record);
    }
    if by_job.is_empty() {
        return;
    }
    let plan = match plan(context.flow, context.parts) {
        Ok(plan) => plan,
        Err(error) => return set_problem(records.iter_mut(), &error.to_string()),
    };
    let mut octets_left = OCTETS_MAX;
    for (job, mut numbers) in by_job {
        numbers.sort_unstable();
        let found = picked((context.flow, &plan), job, &numbers, &mut octets_left);
        let of_job = records.iter_mut().filter(|record| record.job == job);
        match found {
            Ok(found) => of_job.for_each(|record| add_parts(record, &found)),
            Err(error) => set_problem(of_job, &error.to_string()),
        }
    }
}

fn add_parts(record: &mut FraudRecord, found: &[RecordInFile]) {
    match found.iter().find(|found| found.record == record.record) {
        Some(RecordInFile { problem, anatomy, .. }) => {
            record.problem.clone_from(problem);
            let parts = anatomy.parts.iter().cloned();
            record.parts = Some(parts.map(RecordPart::from).collect());
        }
        None => {
            let why = "not shown, since the files of these records are large: list fewer at once";
            record.problem = Some(why.to_owned());
        }
    }
}

fn set_problem<'r>(records: impl Iterator<Item = &'r mut FraudRecord>, problem: &str) {
    records.for_each(|record| record.problem = Some(problem.to_owned()));
}
