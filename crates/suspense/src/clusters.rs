//! Groups of records in suspense that failed for the same reason: users mostly handle reasons, not single records.

use std::collections::HashMap;
use std::path::Path;

use serde::Serialize;
use store::{Connection, QueryResult, Row, params_from_iter};
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
    /// The most frequent values, of those that differ between the records.
    pub common: Vec<CommonValues>,
    /// The number of records whose values were counted: the newest. 0 if the error has no values.
    pub counted: u64,
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
pub fn counted(db: &Connection, filter: &Filter, groups_max: usize) -> QueryResult<Counted> {
    let mut counted = Counted::default();
    let chosen = chosen(filter, "ASC");
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
fn add_common(db: &Connection, filter: &Filter, groups: &mut [Alike]) -> QueryResult<()> {
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
        alike.counted = values.first().map_or(0, Counts::records);
        // If not all were counted, another value may be among the others.
        let is_whole = alike.counted == alike.records;
        let only = |place: usize| values.get(place).and_then(Counts::only).filter(|_| is_whole);
        alike.reason = reason::filled(&alike.template, only);
        let named = reason::names(&alike.template).zip(&values);
        let common = named.filter(|(name, counts)| {
            common_values::is_counted(name) && (!is_whole || counts.only().is_none())
        });
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
    fn of(row: &Row<'_>) -> QueryResult<Self> {
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
            counted: 0,
            first: row.get(4)?,
            last: row.get(5)?,
            reason_id: row.get(6)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::staging::tests::journal;
    use super::*;

    /// One more record than values are counted of: the oldest has another value.
    const RECORDS: &str = "
        INSERT INTO reason (id, code, template) VALUES (1, 'no-prefix', 'no prefix of {number}');
        INSERT INTO file (id, network_element, path, size, modified_ns, done_ms, records, delivered, filtered, held, suspended,
            duplicate) VALUES (1, 'boston', 'in/a.ber', 0, 0, 0, 100001, 0, 0, 0, 100001, 0);
        WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 100000)
        INSERT INTO suspense (file, why, record, offset, node, reason, octets, reason_id, reason_values)
        SELECT 1, 'suspended', n, n, 'rate', 'no prefix of ' || iif(n, 1, 2), x'00', 1, json_array(iif(n, '1', '2')) FROM n";

    #[test]
    fn a_value_is_in_the_reason_of_a_group_only_if_all_of_its_records_were_counted() {
        let folder = tempfile::tempdir().unwrap();
        let opened = journal(folder.path());
        opened.journal.commit(|db| db.execute_batch(RECORDS)).unwrap();
        let db = Connection::open(folder.path().join("flow.state/journal.db")).unwrap();
        let group = |filter: &Filter| counted(&db, filter, 10).unwrap().groups.remove(0);
        let all = group(&Filter::default());
        assert_eq!((all.records, all.counted), (100_001, 100_000));
        assert_eq!(all.reason, "no prefix of {number}");
        assert_eq!((all.common[0].values[0].records, all.common[0].others), (100_000, 0));
        let of_one = group(&Filter { value: Some("1".into()), ..Filter::default() });
        assert_eq!((of_one.records, of_one.counted), (100_000, 100_000));
        assert_eq!((of_one.reason.as_str(), of_one.common.len()), ("no prefix of 1", 0));

        db.execute("UPDATE suspense SET reason_values = '[' WHERE id = 5", []).unwrap();
        let sound = group(&Filter { value: Some("1".into()), ..Filter::default() });
        assert_eq!(sound.records, 99_999);
    }
}
