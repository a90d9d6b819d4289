//! Groups of records in suspense that failed for the same reason: users mostly handle reasons, not single records.

use std::path::Path;

use serde::Serialize;
use store::{Answer, Connection, Row, params_from_iter};
use utoipa::ToSchema;

use super::filter::{Bounds, Filter, chosen};
use flow::flow_journal;
use flow::flow_journal::JournalError;

/// Records in suspense with the same network element, node and reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AlikeRecords)]
pub struct Alike {
    /// The number of records.
    pub records: u64,
    /// The network element whose files the records came in.
    pub network_element: String,
    /// The node or system that refused the records. Empty if they could not be decoded.
    pub node: String,
    /// The error, without the place in the record.
    pub reason: String,
    /// The smallest number in suspense.
    pub first: i64,
    /// The greatest number in suspense.
    pub last: i64,
}

/// Counted records and their largest groups. The number of groups has no bound if reasons contain values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// The groups with the most records, largest first.
    pub groups: Vec<Alike>,
    /// Whether there are more groups.
    pub more: bool,
    /// The number of records in all groups.
    pub records: u64,
    /// The greatest record number in all groups; 0 if there is none.
    pub last: i64,
}

/// Counts records by network element, node and reason, and returns at most `groups_max` groups.
pub fn counted(db: &Connection, filter: &Filter, groups_max: usize) -> Answer<Counted> {
    let mut counted = Counted::default();
    let chosen = chosen("ASC");
    let mut select =
        db.prepare(&format!("SELECT {COUNTED_BY} FROM ({chosen}) AS suspense {GROUP}"))?;
    let values = filter.values(Bounds { limit: filter.limit_or_none(), ..Bounds::NONE });
    let mut rows = select.query(params_from_iter(values))?;
    while let Some(row) = rows.next()? {
        let alike = Alike::of(row)?;
        counted.records += alike.records;
        counted.last = counted.last.max(alike.last);
        match counted.groups.len() < groups_max {
            true => counted.groups.push(alike),
            false => counted.more = true,
        }
    }
    Ok(counted)
}

/// The number of open records that a node or system refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SuspenseNode)]
pub struct SuspendedAt {
    /// The network element of the records.
    pub network_element: String,
    /// The node or system that refused the records. Empty if they could not be decoded.
    pub node: String,
    /// The number of open records.
    pub records: u64,
}

/// Counts all open records by the node that refused them. A user who watches the graph repeats this query often, so it
/// uses an index alone: some hundred nanoseconds a record.
pub fn suspended_at(flow: &Path) -> Result<Vec<SuspendedAt>, JournalError> {
    flow_journal::read(flow, |db| {
        let mut select = db.prepare(
            "WITH counted AS MATERIALIZED (
                 SELECT file, job, node, count(*) AS records FROM suspense INDEXED BY suspense_open
                 WHERE state = 'open' GROUP BY file, job, node),
             placed AS (
                 SELECT file, node, records FROM counted WHERE file IS NOT NULL
                 UNION ALL
                 SELECT file.id, node, counted.records FROM counted JOIN file ON file.job = counted.job
                 WHERE counted.file IS NULL)
             SELECT network_element, node, sum(placed.records) FROM placed JOIN file ON file.id = placed.file
             GROUP BY network_element, node",
        )?;
        let of = |row: &Row<'_>| {
            Ok(SuspendedAt {
                network_element: row.get(0)?,
                node: row.get(1)?,
                records: row.get::<_, i64>(2)? as u64,
            })
        };
        select.query_map([], of)?.collect()
    })
}

/// The columns of a group. The place in a record, `(at …)`, does not distinguish reasons.
pub const COUNTED_BY: &str = "count(*), network_element, node,
    substr(reason, 1, ifnull(nullif(instr(reason, ' (at '), 0) - 1, length(reason))) AS alike, min(suspense.id),
    max(suspense.id)";

/// The grouping of [`COUNTED_BY`], the largest group first.
pub const GROUP: &str =
    "GROUP BY network_element, node, alike ORDER BY count(*) DESC, min(suspense.id)";

impl Alike {
    /// Reads a row of the columns [`COUNTED_BY`].
    pub fn of(row: &Row<'_>) -> Answer<Self> {
        Ok(Alike {
            records: row.get::<_, i64>(0)? as u64,
            network_element: row.get(1)?,
            node: row.get(2)?,
            reason: row.get(3)?,
            first: row.get(4)?,
            last: row.get(5)?,
        })
    }
}
