//! Compares two views of what waits in nodes: the accounts of files and jobs (what they left to wait and took from
//! there), and the open groups. The first is written at each change; the second is what is there.

use std::collections::BTreeMap;

use store::{Answer, Connection, Row};

use super::differences::AuditDifference;

/// A node and a sum of it.
type Place = (String, String);

/// A sum, and its number of records.
type Waits = (i128, i64);

const BY_ACCOUNTS: &str = "SELECT at, name, sum(high), sum(low), sum(records) FROM (
        SELECT at, name, iif(side = 'kept', high, -high) AS high, iif(side = 'kept', low, -low) AS low,
            iif(side = 'kept', records, -records) AS records
        FROM amount WHERE side IN ('kept', 'waited') AND at <> ''
        UNION ALL SELECT node, name, high, low, records FROM held_balance)
    GROUP BY at, name";

const BY_GROUPS: &str = "SELECT node, name, sum(high), sum(low), sum(records)
    FROM held_sum JOIN held_group ON held_group.id = in_group
    WHERE released_ms IS NULL GROUP BY node, name";

/// Waiting records that no file has left there. Another query checks each file.
const OF_NO_FILE: &str =
    "SELECT held_group.node, count(*) FROM held_group JOIN held_part ON in_group = held_group.id
    WHERE released_ms IS NULL AND is_held AND NOT EXISTS (
        SELECT 1 FROM held WHERE held.file = held_part.file AND held.node = held_group.node)
    GROUP BY held_group.node";

/// Nodes whose count of open groups is wrong.
const OPEN: &str = "SELECT node, sum(counted), sum(found) FROM (
        SELECT node, open AS counted, 0 AS found FROM held_node
        UNION ALL SELECT node, 0, count(*) FROM held_group WHERE released_ms IS NULL GROUP BY node)
    GROUP BY node HAVING sum(counted) <> sum(found)";

/// Returns all differences.
pub(super) fn differences(db: &Connection) -> Answer<Vec<AuditDifference>> {
    let of = |node: String, text| AuditDifference { node: Some(node), text, ..Default::default() };
    let mut differences = Vec::new();
    for (node, counted, found) in ask(db, OPEN, three)? {
        let text = format!("{counted} groups wait in {node} by its own count, {found} are there");
        differences.push(of(node, text));
    }
    for (node, records) in ask(db, OF_NO_FILE, |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)))? {
        let text = format!("{records} records wait in {node} that no file has left there");
        differences.push(of(node, text));
    }
    let mut accounts = sums(db, BY_ACCOUNTS)?;
    let mut groups = sums(db, BY_GROUPS)?;
    let places: Vec<Place> = accounts.keys().chain(groups.keys()).cloned().collect();
    for place in places {
        let by_accounts = accounts.remove(&place).unwrap_or_default();
        let by_groups = groups.remove(&place).unwrap_or_default();
        if by_accounts != by_groups {
            let ((node, name), (left, of_left), (waits, of_waits)) =
                (place, by_accounts, by_groups);
            let text = format!(
                "the {name} of what files left in {node} and nothing has taken from there is {left} (of {of_left} \
                 records), of the groups that wait there {waits} (of {of_waits})"
            );
            differences.push(of(node, text));
        }
    }
    Ok(differences)
}

fn sums(db: &Connection, sql: &str) -> Answer<BTreeMap<Place, Waits>> {
    let sum = |row: &Row<'_>| {
        let (high, low): (i64, i64) = (row.get(2)?, row.get(3)?);
        // The halves of sums can be subtracted and added like the sums.
        let sum = (i128::from(high) << 32) + i128::from(low);
        Ok(((row.get(0)?, row.get(1)?), (sum, row.get(4)?)))
    };
    Ok(ask(db, sql, sum)?.into_iter().collect())
}

fn three(row: &Row<'_>) -> Answer<(String, i64, i64)> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
}

fn ask<T>(db: &Connection, sql: &str, answer: impl FnMut(&Row<'_>) -> Answer<T>) -> Answer<Vec<T>> {
    db.prepare(sql)?.query_map([], answer)?.collect()
}
