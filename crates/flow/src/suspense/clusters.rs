//! Records in suspense that failed alike: what to see to is rarely a record, mostly a reason.

use std::path::Path;

use serde::Serialize;
use store::{Answer, Connection, Row, params_from_iter};

use super::filter::{Filter, chosen};
use crate::definition::flow_journal;
use crate::definition::flow_journal::JournalError;

/// Records that were set aside for the same reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Alike {
    /// How many there are.
    pub records: u64,
    /// Where their files were collected.
    pub network_element: String,
    /// The node or system that could not process them; empty where they could not be read.
    pub node: String,
    /// What is wrong with them, but for where in each.
    pub reason: String,
    /// The number of the first.
    pub first: i64,
    /// The number of the last.
    pub last: i64,
}

/// Records that were counted, and the greatest of their groups: where reasons have values in them there is no end of those.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Those with the most records, the most first.
    pub groups: Vec<Alike>,
    /// Whether there are more groups.
    pub more: bool,
    /// How many records there are in all groups.
    pub records: u64,
    /// The greatest number of all of them; 0 where there is none.
    pub last: i64,
}

/// Counts records by network element, node and reason, the most first.
pub fn alike(flow: &Path, filter: &Filter) -> Result<Vec<Alike>, JournalError> {
    let mut groups = Vec::new();
    each(flow, filter, |alike| groups.push(alike))?;
    Ok(groups)
}

/// The same; so many groups at most are told.
pub fn counted(flow: &Path, filter: &Filter, groups_max: usize) -> Result<Counted, JournalError> {
    let mut counted = Counted::default();
    each(flow, filter, |alike| {
        counted.records += alike.records;
        counted.last = counted.last.max(alike.last);
        match counted.groups.len() < groups_max {
            true => counted.groups.push(alike),
            false => counted.more = true,
        }
    })?;
    Ok(counted)
}

fn each(flow: &Path, filter: &Filter, mut give: impl FnMut(Alike)) -> Result<(), JournalError> {
    flow_journal::read(flow, |db: &Connection| {
        let chosen = chosen("ASC");
        let mut select =
            db.prepare(&format!("SELECT {COUNTED_BY} FROM ({chosen}) AS suspense {GROUP}"))?;
        let values = filter.values(i64::MAX, filter.limit_or_none());
        let mut rows = select.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            give(Alike::of(row)?);
        }
        Ok(())
    })
}

/// Open records by where they were refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SuspendedAt {
    /// Where their files were collected.
    pub network_element: String,
    /// The node or system that could not process them; empty where they could not be read.
    pub node: String,
    /// How many there are.
    pub records: u64,
}

/// Counts all open records by where they were refused, as who looks at a graph asks again and again: out of an index, which is
/// some hundred nanoseconds a record.
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

/// What is counted of records. Where in each of them it is wrong does not tell reasons apart.
pub(crate) const COUNTED_BY: &str = "count(*), network_element, node,
    substr(reason, 1, ifnull(nullif(instr(reason, ' (at '), 0) - 1, length(reason))) AS alike, min(suspense.id),
    max(suspense.id)";

/// By what they are counted, the most first.
pub(crate) const GROUP: &str =
    "GROUP BY network_element, node, alike ORDER BY count(*) DESC, min(suspense.id)";

impl Alike {
    pub(crate) fn of(row: &Row<'_>) -> Answer<Self> {
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
