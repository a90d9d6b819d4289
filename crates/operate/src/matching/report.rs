//! The groups that wait or have waited, for users.

use std::path::Path;

use node::{GroupId, typed_key};
use runtime::time::shown;
use serde::Serialize;
use store::{Answer, Connection, OptionalExtension as _, Row, params};

use flow::flow_journal;
use flow::flow_journal::JournalError;
use gateway::compile::prepare::{Parts, prepare};
use state::groups::by_key;
use state::groups::over::{Over, Waiting, Waits};

/// A query for groups.
#[derive(Clone, Debug, Default)]
pub struct HeldQuery {
    /// Only those of this node.
    pub node: Option<String>,
    /// Only those of this key.
    pub key: Option<String>,
    /// Only those with these numbers.
    pub ids: Option<Vec<GroupId>>,
    /// Also released ones, if a key or numbers are given.
    pub released: bool,
    /// Whether to return their records.
    pub records: bool,
    /// Only those with a greater number than this: the last of the page before.
    pub after: GroupId,
    /// The most groups to return, the oldest first.
    pub limit: Option<u64>,
}

/// A group of records that wait, or have waited, for others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeldGroup {
    /// Its number.
    pub id: i64,
    /// The node it is in.
    pub node: String,
    /// The key that its records have in common.
    pub key: String,
    /// When the first of its records came.
    pub since: String,
    /// When its first record was made, if the node knows that.
    pub first: Option<String>,
    /// When its last record was made, if the node knows that.
    pub last: Option<String>,
    /// How many records it has.
    pub records: i64,
    /// When it will be over, if it waits in a node of the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Over>,
    /// The action that a user has requested for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedEnd>,
    /// Why it no longer waits, if so: `complete`, `expired`, `dropped` or `suspended`.
    pub release: Option<String>,
    /// When it was released.
    pub released: Option<String>,
    /// The file whose record made it complete, or the name of the job that released it.
    pub released_by: Option<String>,
    /// Its records, in the order in which they came.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<HeldPart>,
}

/// The action that a user has requested for a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AskedEnd {
    /// `release`, `suspend` or `drop`.
    pub end: String,
    /// The user.
    pub who: String,
    /// The reason that the user gave.
    pub because: String,
}

/// A record of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeldPart {
    /// When it came.
    pub came: Option<String>,
    /// Where it was collected.
    pub network_element: Option<String>,
    /// The file it came in. None if the journal has forgotten it.
    pub file: Option<String>,
    /// Its number in the file.
    pub record: i64,
    /// Where in the file it begins.
    pub offset: i64,
    /// When it was made, if the node knows that.
    pub made: Option<String>,
    /// Its octets as the node has them, as long as it waits.
    #[serde(serialize_with = "hexadecimal", skip_serializing_if = "Option::is_none")]
    pub octets: Option<Vec<u8>>,
}

fn hexadecimal<S: serde::Serializer>(octets: &Option<Vec<u8>>, to: S) -> Result<S::Ok, S::Error> {
    let digits = octets.iter().flatten().map(|octet| format!("{octet:02X}"));
    to.serialize_str(&digits.collect::<String>())
}

/// Returns the chosen groups, the oldest first. The flow, as its files are, says when they will be over.
pub fn held(
    path: &Path,
    parts: Parts<'_>,
    query: &HeldQuery,
) -> Result<Vec<HeldGroup>, JournalError> {
    let flow = prepare(path, parts).plan;
    flow_journal::read(path, |db| {
        let waits = flow.as_ref().map(|flow| Waits::look(&flow.topology, db)).transpose()?;
        let mut select = db.prepare(
            "SELECT held_group.id, node, key, came_ms, first_ms, last_ms,
                 (SELECT count(*) FROM held_part WHERE in_group = held_group.id),
                 release, released_ms, file.name, asked_end, who, trail.reason
             FROM held_group LEFT JOIN file ON file.id = released_by LEFT JOIN trail ON trail.id = asked
             WHERE held_group.id = ?",
        )?;
        let mut groups = Vec::new();
        for id in numbers(db, query)? {
            let found = select.query_row([id], |row| group(row, waits.as_ref(), db)).optional()?;
            let Some(mut found) = found else { continue };
            if query.records {
                found.parts = records(db, id)?;
            }
            groups.push(found);
        }
        Ok(groups)
    })
}

/// Returns the numbers of the chosen groups, the oldest first. Each kind of query has its own index, since few of
/// millions of groups are chosen.
pub(super) fn numbers(db: &Connection, query: &HeldQuery) -> Answer<Vec<GroupId>> {
    let HeldQuery { node, key, ids, released, after, limit, .. } = query;
    let key = key.as_deref().map(typed_key);
    let of_key = match (ids, &key) {
        (None, Some(key)) => Some(numbers_of_key(db, node.as_deref(), key)?),
        _ => None,
    };
    let ids = ids.as_ref().or(of_key.as_ref());
    let known = match ids {
        Some(_) => "held_group WHERE id IN (SELECT value FROM json_each(?5))",
        None => "held_group INDEXED BY held_group_by_arrival WHERE released_ms IS NULL",
    };
    let mut select = db.prepare(&format!(
        "SELECT id FROM {known} AND (?1 IS NULL OR node = ?1) AND (?2 IS NULL OR key = ?2)
             AND (?3 OR released_ms IS NULL) AND id > ?4
         ORDER BY id LIMIT ?6"
    ))?;
    let limit = limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
    let ids = ids.map(|ids| serde_json::to_string(ids).expect("numbers"));
    select.query_map(params![node, key, released, after, ids, limit], |row| row.get(0))?.collect()
}

/// Returns the numbers of the groups of a key, in one node or all.
fn numbers_of_key(db: &Connection, node: Option<&str>, key: &str) -> Answer<Vec<GroupId>> {
    let mut select =
        db.prepare("SELECT node FROM held_node WHERE ?1 IS NULL OR node = ?1 ORDER BY node")?;
    let nodes: Vec<String> = select.query_map([node], |row| row.get(0))?.collect::<Answer<_>>()?;
    let of_nodes = nodes.iter().map(|node| by_key::numbers(db, node, key));
    Ok(of_nodes.collect::<Answer<Vec<_>>>()?.concat())
}

/// A node in which groups wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldIn {
    /// Its name.
    pub node: String,
    /// How many groups wait.
    pub groups: i64,
    /// When the first record of the oldest group came.
    pub since: String,
}

/// Returns the nodes in which groups wait, by name.
pub fn held_in(path: &Path) -> Result<Vec<HeldIn>, JournalError> {
    flow_journal::read(path, |db| {
        let mut select = db.prepare(
            "SELECT node, open, (SELECT min(came_ms) FROM held_group
                 WHERE node = held_node.node AND released_ms IS NULL) AS since_ms
             FROM held_node WHERE open > 0 AND since_ms IS NOT NULL ORDER BY node",
        )?;
        let of = |row: &Row<'_>| {
            Ok(HeldIn { node: row.get(0)?, groups: row.get(1)?, since: shown(row.get(2)?) })
        };
        select.query_map([], of)?.collect()
    })
}

fn group(row: &Row<'_>, waits: Option<&Waits>, db: &Connection) -> Answer<HeldGroup> {
    let (node, key): (String, String) = (row.get(1)?, row.get(2)?);
    let (came_ms, first_ms) = (row.get(3)?, row.get(4)?);
    let waiting = Waiting { id: row.get(0)?, node: &node, first_ms, came_ms };
    let over = match (waits, row.get::<_, Option<i64>>(8)?) {
        (Some(waits), None) => waits.over(&waiting, db)?,
        _ => None,
    };
    let asked = match row.get::<_, Option<String>>(10)? {
        Some(end) => Some(AskedEnd { end, who: row.get(11)?, because: row.get(12)? }),
        None => None,
    };
    let time =
        |column| -> Answer<Option<String>> { Ok(row.get::<_, Option<i64>>(column)?.map(shown)) };
    Ok(HeldGroup {
        id: row.get(0)?,
        since: shown(came_ms),
        first: time(4)?,
        last: time(5)?,
        records: row.get(6)?,
        over,
        asked,
        node,
        key,
        release: row.get(7)?,
        released: time(8)?,
        released_by: row.get(9)?,
        parts: Vec::new(),
    })
}

fn records(db: &Connection, group: i64) -> Answer<Vec<HeldPart>> {
    let mut select = db.prepare_cached(
        "SELECT file.done_ms, file.network_element, ifnull(original.name, file.name), record, offset, time_ms, octets
         FROM held_part LEFT JOIN file ON file.id = file LEFT JOIN file AS original ON original.id = file.retry_of
         WHERE in_group = ? ORDER BY place",
    )?;
    let part = |row: &Row<'_>| {
        Ok(HeldPart {
            came: row.get::<_, Option<i64>>(0)?.map(shown),
            network_element: row.get(1)?,
            file: row.get(2)?,
            record: row.get(3)?,
            offset: row.get(4)?,
            made: row.get::<_, Option<i64>>(5)?.map(shown),
            octets: row.get(6)?,
        })
    };
    select.query_map([group], part)?.collect()
}
