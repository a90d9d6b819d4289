//! The report of an audit, from the journal.

use std::ops::Range;
use std::path::Path;

use runtime::time::{now_ms, shown};
use serde::Serialize;
use store::{Connection, OptionalExtension, QueryResult, Row, ToSql};
use utoipa::ToSchema;

use super::differences::{AuditDifference, differences};
use collection::scan;
use distribution::report::Gathered;
use flow::file;
use flow::flow_journal;
use flow::flow_journal::JournalError;
use flow::names;
use flow::report::COUNTS;

/// The files and records to audit.
#[derive(Clone, Debug)]
pub struct AuditQuery {
    /// Only files of this network element.
    pub network_element: Option<String>,
    /// Only files of this name.
    pub file: Option<String>,
    /// When files were done, in milliseconds since 1970: the start, and the excluded end.
    pub period: Range<i64>,
    /// Whether each day (of UTC) has lines of its own, and each file.
    pub by_day: bool,
    /// See `by_day`.
    pub by_file: bool,
}

/// The audit: a count of every record at every place, and the differences between the counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditReport {
    /// The path of the flow file.
    pub flow: String,
    /// When the report was made.
    pub as_of: String,
    /// Counts of records, for each network element and for the nodes and systems behind it.
    pub counts: Vec<AuditCount>,
    /// Sums of the values that the flow audits.
    pub amounts: Vec<AuditAmount>,
    /// Files that are done but whose outputs have no final names yet, or which are not marked as
    /// done yet.
    pub in_work: i64,
    /// Outputs that wait to be merged, whatever the requested period. Their records count as
    /// delivered.
    pub gathered: Vec<Gathered>,
    /// The texts of alarms about files that arrived, or may have, and are not in the journal,
    /// whatever the requested period and network element.
    pub not_taken: Vec<String>,
    /// The files that the journal has forgotten. Absent if none of them is of the requested period.
    pub forgotten: Option<ForgottenFiles>,
    /// The differences. The list is empty if every record is accounted for.
    pub differences: Vec<AuditDifference>,
}

/// Files that the journal has forgotten, because they are older than it keeps files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AuditForgotten)]
pub struct ForgottenFiles {
    /// The number of files.
    pub files: i64,
    /// When the last of them was done.
    pub until: String,
}

/// Counts of records at one place: `records` = `delivered` + `filtered` + `held` + `suspended` +
/// `duplicate`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditCount {
    /// The day of UTC on which the files were done. Absent unless the report is split by day, which
    /// only the command line does.
    pub day: Option<String>,
    /// The network element that the files came from.
    pub network_element: String,
    /// The file. Absent unless the report is split by file, which only the command line does.
    pub file: Option<String>,
    /// Whether the line is about retried records. They are in no other line.
    pub retried: bool,
    /// The node or system. Absent in the line of the network element itself.
    pub node: Option<String>,
    /// Whether `node` is a post-processing system.
    pub is_system: bool,
    /// The number of files; in a line about retried records, the number of jobs that retried them.
    pub files: i64,
    /// Files that are duplicates. Their records are in `duplicate`.
    pub duplicate_files: i64,
    /// All records that came to this place.
    pub records: i64,
    /// Records that went on and reached a system.
    pub delivered: i64,
    /// Records that no node or system took.
    pub filtered: i64,
    /// Records that had to wait in a matching node.
    pub held: i64,
    /// The part of `held` that still waits.
    pub waiting: i64,
    /// The part of `held` that was dropped when its group ended.
    pub dropped: i64,
    /// Records that were refused and went to suspense.
    pub suspended: i64,
    /// Records that had come before.
    pub duplicate: i64,
    /// Records that a node made.
    pub made: i64,
    /// The suspended and duplicate records of a network element that are open now.
    pub open: i64,
    /// The suspended and duplicate records of a network element that were discarded.
    pub discarded: i64,
}

/// The sum of an audited value at one place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditAmount {
    /// As in `AuditCount`.
    pub day: Option<String>,
    /// As in `AuditCount`.
    pub network_element: String,
    /// As in `AuditCount`.
    pub file: Option<String>,
    /// As in `AuditCount`.
    pub retried: bool,
    /// The post-processing system or matching node. Absent in the line of the network element
    /// itself.
    pub system: Option<String>,
    /// The side of the sum. At a network element: the outcome of the records. At a system: `given`
    /// or `written`. At a matching node: `came`, `waited`, `emitted`, `kept`, `dropped`, `aside` or
    /// `changed`.
    pub side: String,
    /// The name of the value, as the flow file has it.
    pub name: String,
    /// The sum. It may have more digits than a 64-bit integer holds.
    pub sum: i128,
    /// The number of records that have the value.
    pub records: i64,
}

impl AuditReport {
    /// Returns whether there are files and no differences.
    pub fn is_clean(&self) -> bool {
        self.differences.is_empty() && !self.is_of_nothing()
    }

    /// Returns whether no chosen file was done. Then the audit proves nothing.
    pub fn is_of_nothing(&self) -> bool {
        self.counts.is_empty()
    }
}

/// Audits the work of a gateway, whether it runs or not.
pub fn audit(flow: &Path, query: &AuditQuery) -> Result<AuditReport, JournalError> {
    names::known(flow, query.network_element.as_deref())?;
    let file =
        file::outline(flow).map_err(|cause| JournalError::Flow { flow: flow.into(), cause })?;
    flow_journal::read(flow, |db| {
        let chosen = Chosen::new(query);
        Ok(AuditReport {
            flow: flow.display().to_string(),
            as_of: shown(now_ms()),
            counts: chosen.counts(db)?,
            amounts: chosen.amounts(db)?,
            in_work: chosen.in_work(db)?,
            gathered: distribution::gathered(db, &file)?,
            not_taken: alarm::messages(db, &scan::OF_INPUTS)?,
            forgotten: chosen.forgotten(db)?,
            differences: differences(db, &chosen)?,
        })
    })
}

/// The audited files, as conditions on `file`.
pub(super) struct Chosen<'q> {
    query: &'q AuditQuery,
    group: String,
}

const CHOSEN: &str =
    "(:element IS NULL OR network_element = :element) AND (:file IS NULL OR name = :file)
     AND done_ms >= :from AND done_ms < :to";

impl<'q> Chosen<'q> {
    fn new(query: &'q AuditQuery) -> Self {
        let day = if query.by_day { "date(done_ms / 1000, 'unixepoch')" } else { "NULL" };
        let file = if query.by_file { "name" } else { "NULL" };
        let retried = "retry_of IS NOT NULL AS retried";
        Chosen {
            query,
            group: format!("{day} AS day, network_element, {file} AS of_file, {retried}"),
        }
    }

    /// Returns whether the query covers all network elements and files.
    pub(super) fn has_all_files(&self) -> bool {
        self.query.network_element.is_none() && self.query.file.is_none()
    }

    /// Runs a query over them. `{chosen}` stands for the condition.
    pub(super) fn ask<T>(
        &self,
        db: &Connection,
        sql: &str,
        answer: impl FnMut(&Row<'_>) -> QueryResult<T>,
    ) -> QueryResult<Vec<T>> {
        let sql = sql.replace("{chosen}", CHOSEN).replace("{group}", &self.group);
        let AuditQuery { network_element, file, period, .. } = self.query;
        let values: [(&str, &dyn ToSql); 4] = [
            (":element", network_element),
            (":file", file),
            (":from", &period.start),
            (":to", &period.end),
        ];
        db.prepare(&sql)?.query_map(&values[..], answer)?.collect()
    }

    fn counts(&self, db: &Connection) -> QueryResult<Vec<AuditCount>> {
        let sums = COUNTS.map(|column| format!("sum(at.{column})")).join(", ");
        let columns = format!("sum(expired_in IS NULL), sum(duplicate_of IS NOT NULL), {sums}");
        let count = |row: &Row<'_>| {
            Ok(AuditCount {
                day: row.get(0)?,
                network_element: row.get(1)?,
                file: row.get(2)?,
                retried: row.get(3)?,
                node: row.get(4)?,
                files: row.get(5)?,
                duplicate_files: row.get(6)?,
                records: row.get(7)?,
                delivered: row.get(8)?,
                filtered: row.get(9)?,
                held: row.get(10)?,
                suspended: row.get(11)?,
                duplicate: row.get(12)?,
                made: row.get(13)?,
                open: row.get(14)?,
                discarded: row.get(15)?,
                waiting: row.get(16)?,
                dropped: row.get(17)?,
                is_system: row.get(18)?,
            })
        };
        let in_suspense = |state| {
            format!(
                "sum((SELECT count(*) FROM set_aside WHERE set_aside.file = at.id AND state = '{state}'))"
            )
        };
        let of_elements = format!(
            "SELECT {{group}}, NULL, {columns}, 0, {}, {},
                 sum((SELECT ifnull(sum(waiting), 0) FROM held WHERE held.file = at.id)),
                 sum((SELECT ifnull(sum(dropped), 0) FROM held WHERE held.file = at.id)), 0
             FROM file AS at WHERE {{chosen}}
             GROUP BY day, network_element, of_file, retried ORDER BY day, network_element, of_file, retried",
            in_suspense("open"),
            in_suspense("discarded")
        );
        let of_nodes = format!(
            "SELECT {{group}}, node, {columns}, sum(made), 0, 0,
                 sum(ifnull((SELECT waiting FROM held WHERE held.file = at.file AND held.node = at.node), 0)),
                 sum(ifnull((SELECT dropped FROM held WHERE held.file = at.file AND held.node = at.node), 0)), is_system
             FROM passage AS at JOIN file ON file.id = at.file
             WHERE {{chosen}} GROUP BY day, network_element, of_file, retried, is_system, node
             ORDER BY day, network_element, of_file, retried, is_system, node"
        );
        let mut counts = Vec::new();
        let mut nodes = self.ask(db, &of_nodes, count)?.into_iter().peekable();
        for element in self.ask(db, &of_elements, count)? {
            let place = |count: &AuditCount| {
                let AuditCount { day, network_element, file, retried, .. } = count;
                (day.clone(), network_element.clone(), file.clone(), *retried)
            };
            let own = place(&element);
            counts.push(element);
            while let Some(node) = nodes.next_if(|node| place(node) == own) {
                counts.push(node);
            }
        }
        Ok(counts)
    }

    fn amounts(&self, db: &Connection) -> QueryResult<Vec<AuditAmount>> {
        let sql = "SELECT {group}, nullif(at, ''), side, amount.name, sum(high), sum(low), sum(amount.records)
             FROM amount JOIN (SELECT id, network_element, name AS of_name, done_ms, retry_of FROM file WHERE {chosen}) AS file
             ON file.id = amount.file
             GROUP BY day, network_element, of_file, retried, at, side, amount.name
             ORDER BY day, network_element, of_file, retried, at, amount.name, side";
        let sql =
            sql.replace("{group}", &self.group.replace("name AS of_file", "of_name AS of_file"));
        self.ask(db, &sql, |row| {
            Ok(AuditAmount {
                day: row.get(0)?,
                network_element: row.get(1)?,
                file: row.get(2)?,
                retried: row.get(3)?,
                system: row.get(4)?,
                side: row.get(5)?,
                name: row.get(6)?,
                sum: (i128::from(row.get::<_, i64>(7)?) << 32) + i128::from(row.get::<_, i64>(8)?),
                records: row.get(9)?,
            })
        })
    }

    fn forgotten(&self, db: &Connection) -> QueryResult<Option<ForgottenFiles>> {
        let ask = "SELECT files, until_ms FROM forgotten WHERE until_ms >= ?";
        let forgotten =
            |row: &Row<'_>| Ok(ForgottenFiles { files: row.get(0)?, until: shown(row.get(1)?) });
        db.query_row(ask, [self.query.period.start], forgotten).optional()
    }

    fn in_work(&self, db: &Connection) -> QueryResult<i64> {
        let sql = "SELECT count(*) FROM file WHERE {chosen} AND (finished = 0 OR marked = 0)";
        Ok(self.ask(db, sql, |row| row.get::<_, i64>(0))?.into_iter().sum())
    }
}
