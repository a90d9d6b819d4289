//! Compares two views of what waits in nodes: the accounts of files and jobs (what they left to wait and took from
//! there), and the open groups. The first is written at each change; the second is what is there.

use std::collections::{BTreeMap, BTreeSet};

use store::{Connection, QueryResult, Row};

use super::differences::{AuditDifference, DAY};
use super::report::Chosen;
use state::groups::Census;

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

/// The records of each chosen file that wait by its account.
const BY_FILE: &str = "SELECT held.file, held.node, waiting, network_element, name, {day} FROM held
    JOIN (SELECT id, network_element, name, done_ms FROM file WHERE {chosen}) AS file ON file.id = held.file
    ORDER BY held.file";

/// Returns all differences of the chosen files, and of all that waits if all files are chosen.
pub(super) fn differences(
    db: &Connection,
    chosen: &Chosen<'_>,
) -> QueryResult<Vec<AuditDifference>> {
    let by_file = chosen.ask(db, &BY_FILE.replace("{day}", DAY), |row| {
        let difference = AuditDifference {
            day: row.get(5)?,
            network_element: row.get(3)?,
            file: row.get(4)?,
            node: row.get(1)?,
            text: String::new(),
        };
        Ok(((row.get(0)?, row.get(1)?), row.get(2)?, difference))
    })?;
    let mut census = match chosen.has_all_files() {
        true => Census::of_all(db)?,
        false => {
            let mut jobs: Vec<i64> = by_file.iter().map(|((job, _), ..)| *job).collect();
            jobs.dedup();
            Census::of_jobs(db, &jobs)?
        }
    };
    let mut differences = of_files(by_file, &mut census);
    if chosen.has_all_files() {
        differences.extend(of_nodes(db, &census)?);
        differences.extend(of_sums(db, &census)?);
    }
    Ok(differences)
}

/// A job and a node, the records that wait there by the account of the job, and what is known of the job.
type ByFile = ((i64, String), i64, AuditDifference);

/// Compares the records that wait by the accounts of files with those that are there, which it takes from the census.
fn of_files(by_file: Vec<ByFile>, census: &mut Census) -> Vec<AuditDifference> {
    let different = |(place, waiting, difference): ByFile| {
        let found = census.records.remove(&place).unwrap_or_default();
        let text = format!("{waiting} records wait in {}, {found} are there", place.1);
        (found != waiting).then_some(AuditDifference { text, ..difference })
    };
    by_file.into_iter().filter_map(different).collect()
}

/// Returns the nodes whose count of groups is wrong, and those with records that no file has left there: these are what
/// is left in the census.
fn of_nodes(db: &Connection, census: &Census) -> QueryResult<Vec<AuditDifference>> {
    let counted: BTreeMap<String, i64> =
        ask(db, "SELECT node, open FROM held_node", |row| Ok((row.get(0)?, row.get(1)?)))?
            .into_iter()
            .collect();
    let of = |node: &str, text| {
        let node = Some(node.to_owned());
        AuditDifference { node, text, ..AuditDifference::default() }
    };
    let mut differences = Vec::new();
    let nodes: BTreeSet<&String> = counted.keys().chain(census.groups.keys()).collect();
    for node in nodes {
        let [counted, found] =
            [&counted, &census.groups].map(|groups| groups.get(node).copied().unwrap_or_default());
        if counted != found {
            let text =
                format!("{counted} groups wait in {node} by its own count, {found} are there");
            differences.push(of(node, text));
        }
    }
    let mut of_no_file: BTreeMap<&str, i64> = BTreeMap::new();
    for ((_, node), records) in &census.records {
        *of_no_file.entry(node).or_default() += records;
    }
    for (node, records) in of_no_file {
        let text = format!("{records} records wait in {node} that no file has left there");
        differences.push(of(node, text));
    }
    Ok(differences)
}

/// Compares the sums of what files left and nothing has taken with those of the groups that wait.
fn of_sums(db: &Connection, census: &Census) -> QueryResult<Vec<AuditDifference>> {
    let mut differences = Vec::new();
    let mut accounts = sums(db, BY_ACCOUNTS)?;
    let mut groups: BTreeMap<Place, Waits> = census
        .sums
        .iter()
        .map(|(place, value)| (place.clone(), (value.sum, value.records as i64)))
        .collect();
    let places: BTreeSet<Place> = accounts.keys().chain(groups.keys()).cloned().collect();
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
            let node = Some(node);
            differences.push(AuditDifference { node, text, ..AuditDifference::default() });
        }
    }
    Ok(differences)
}

fn sums(db: &Connection, sql: &str) -> QueryResult<BTreeMap<Place, Waits>> {
    let sum = |row: &Row<'_>| {
        let (high, low): (i64, i64) = (row.get(2)?, row.get(3)?);
        // The halves of sums can be subtracted and added like the sums.
        let sum = (i128::from(high) << 32) + i128::from(low);
        Ok(((row.get(0)?, row.get(1)?), (sum, row.get(4)?)))
    };
    Ok(ask(db, sql, sum)?.into_iter().collect())
}

fn ask<T>(
    db: &Connection,
    sql: &str,
    answer: impl FnMut(&Row<'_>) -> QueryResult<T>,
) -> QueryResult<Vec<T>> {
    db.prepare(sql)?.query_map([], answer)?.collect()
}
