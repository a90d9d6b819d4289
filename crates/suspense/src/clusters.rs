//! Groups of records in suspense that failed for the same reason: users mostly handle reasons, not single records.

use std::collections::HashMap;
use std::path::Path;

use serde::Serialize;
use store::{Answer, Connection, Row, params_from_iter};
use utoipa::ToSchema;

use super::common_values::{self, CommonValues, Counts};
use super::filter::{Bounds, Filter, chosen};
use flow::flow_journal;
use flow::flow_journal::JournalError;

/// Records in suspense with the same network element, node and reason, whatever the values in it.
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
    /// The error. A value that differs between the records stands there as its name in braces. If the records have no
    /// code, it is the text of the error without the place in the record.
    pub reason: String,
    /// The code of the error. Empty if the records come from a version without codes.
    pub code: String,
    /// The error with the names of all its values in braces, for a filter of these records. Empty without a code.
    pub template: String,
    /// The values that differ between the records.
    pub common: Vec<CommonValues>,
    /// The smallest number in suspense.
    pub first: i64,
    /// The greatest number in suspense.
    pub last: i64,
    /// The number of the reason in the journal.
    #[serde(skip)]
    reason_id: Option<i64>,
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
    drop(rows);
    add_common(db, filter, &mut counted.groups)?;
    Ok(counted)
}

/// Adds the most frequent values to the groups.
fn add_common(db: &Connection, filter: &Filter, groups: &mut [Alike]) -> Answer<()> {
    let key = |alike: &Alike| {
        let key = (alike.network_element.clone(), alike.node.clone(), alike.reason_id?);
        reason::names(&alike.template).next().map(|_| key)
    };
    let places = groups.iter().enumerate().filter_map(|(place, alike)| Some((key(alike)?, place)));
    let places: HashMap<_, _> = places.collect();
    if places.is_empty() {
        return Ok(());
    }
    for (place, values) in common_values::count(db, filter, &places)? {
        let alike = &mut groups[place];
        let only = |place: usize| values.get(place).and_then(Counts::only);
        alike.reason = reason::filled(&alike.template, only);
        let named = reason::names(&alike.template).zip(&values);
        let common = named.filter(|(_, counts)| counts.only().is_none());
        alike.common = common.map(|(name, counts)| counts.common(name)).collect();
    }
    Ok(())
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

/// The columns of a group. Without a code, the place in a record, `(at …)`, does not distinguish reasons.
const COUNTED_BY: &str = "count(*), network_element, node,
    iif(reason_id IS NULL, substr(reason, 1, ifnull(nullif(instr(reason, ' (at '), 0) - 1, length(reason))), NULL)
        AS alike,
    min(suspense.id), max(suspense.id), reason_id, (SELECT code FROM reason WHERE id = reason_id),
    (SELECT template FROM reason WHERE id = reason_id)";

/// The grouping of [`COUNTED_BY`], the largest group first.
const GROUP: &str =
    "GROUP BY network_element, node, reason_id, alike ORDER BY count(*) DESC, min(suspense.id)";

impl Alike {
    /// Reads a row of the columns [`COUNTED_BY`].
    fn of(row: &Row<'_>) -> Answer<Self> {
        let text: Option<String> = row.get(3)?;
        let template = row.get::<_, Option<String>>(8)?.unwrap_or_default();
        Ok(Alike {
            records: row.get::<_, i64>(0)? as u64,
            network_element: row.get(1)?,
            node: row.get(2)?,
            reason: text.unwrap_or_else(|| reason::filled(&template, |_| None)),
            code: row.get::<_, Option<String>>(7)?.unwrap_or_default(),
            template,
            common: Vec::new(),
            first: row.get(4)?,
            last: row.get(5)?,
            reason_id: row.get(6)?,
        })
    }
}
