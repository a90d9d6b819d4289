//! The groups that wait or have waited, as users see them.

use std::ops::Range;

use gateway::compile::prepare::prepare;
use node::{GroupId, ReleaseKind, typed_key};
use runtime::time::shown;
use serde::Serialize;
use state::groups::over::{Over, Waits};
use state::groups::request::GroupDeed;
use state::groups::{StoredGroup, StoredGroups, StoredRecord, numbers_open};
use store::{Connection, OptionalExtension as _, QueryResult, Row};
use utoipa::ToSchema;

use crate::context::Context;
use flow::flow_journal::JournalError;
use inspection::masking::{masked_key, without_numbers};

/// A query for groups: all given conditions must hold.
#[derive(Clone, Debug)]
pub(super) struct GroupQuery {
    /// Only those of this node.
    pub(super) node: Option<String>,
    /// Only those of this key.
    pub(super) key: Option<String>,
    /// Only those with these numbers.
    pub(super) ids: Option<Vec<GroupId>>,
    /// Only those whose first record arrived in this period, in milliseconds since 1970.
    pub(super) since: Range<i64>,
    /// Also released ones, if a key or numbers are given.
    pub(super) released: bool,
    /// Only those with a greater number than this: the last of the page before.
    pub(super) after: GroupId,
    /// The most groups to find, the oldest first.
    pub(super) limit: usize,
}

/// A group of records in a matching node, waiting or released.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WaitingGroup)]
pub struct HeldGroup {
    /// The group's number.
    pub id: i64,
    /// The matching node.
    pub node: String,
    /// The key that the group's records share.
    pub key: String,
    /// When the first record of the group arrived.
    pub since: String,
    /// The earliest time in the records themselves. Absent if the node reads no time from records.
    pub first: Option<String>,
    /// The latest time in the records themselves. Absent if the node reads no time from records.
    pub last: Option<String>,
    /// The number of records.
    pub records: i64,
    /// When the group expires. Absent if the group no longer waits, or if the flow no longer has
    /// the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub over: Option<Over>,
    /// The request of a user to end the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "asked")]
    #[schema(nullable = false)]
    pub request: Option<RequestedEnd>,
    /// How the group ended. Absent while it waits.
    pub release: Option<ReleaseKind>,
    /// When the group was released.
    pub released: Option<String>,
    /// The file whose record completed the group, or the name of the job that released it.
    pub released_by: Option<String>,
    /// The records, in the order of arrival. Present only if the request is for a single group.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<HeldPart>,
}

/// A request to end a group before its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WaitingGroupEnd)]
pub struct RequestedEnd {
    /// How the group is to end.
    pub end: GroupDeed,
    /// The user or token.
    pub who: String,
    /// The reason that the user gave.
    pub because: String,
}

/// A record of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WaitingRecord)]
pub struct HeldPart {
    /// When the file of the record was done. Absent if the journal has forgotten the file.
    #[serde(rename = "came")]
    pub arrived: Option<String>,
    /// The network element that the record came from. Absent if the journal has forgotten the file.
    pub network_element: Option<String>,
    /// The file that the record came in. Absent if the journal has forgotten it.
    pub file: Option<String>,
    /// The record's number in the file, from 1.
    pub record: i64,
    /// The offset of the record's first octet in the file.
    pub offset: i64,
    /// The time in the record itself. Absent if the node reads no time from records.
    pub made: Option<String>,
    /// The record as the node stores it; in JSON it is in hexadecimal. Present only while the group
    /// waits, and only if subscriber data is not masked.
    #[serde(serialize_with = "hexadecimal", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    pub octets: Option<Vec<u8>>,
}

impl HeldGroup {
    /// Masks the key, and leaves out octets.
    pub(super) fn hide(&mut self) {
        self.key = masked_key(&self.key);
        if let Some(request) = &mut self.request {
            request.because = without_numbers(&request.because);
        }
        self.parts.iter_mut().for_each(|part| part.octets = None);
    }
}

fn hexadecimal<S: serde::Serializer>(octets: &Option<Vec<u8>>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&diagnostics::hexadecimal(octets.as_deref().unwrap_or_default()))
}

/// Refuses the name of a node that keeps no groups, in the flow or in the journal. If the flow has mistakes, every name
/// may be that of a node.
pub(super) fn known_node(context: &Context<'_>, node: Option<&str>) -> Result<(), JournalError> {
    let Some(name) = node else { return Ok(()) };
    let is_noted =
        |db: &Connection| db.prepare("SELECT 1 FROM held_node WHERE node = ?")?.exists([name]);
    if context.read(is_noted)? {
        return Ok(());
    }
    let plan = prepare(context.flow, context.parts).plan;
    let is_there = plan.is_none_or(|plan| {
        let mut nodes = plan.topology.graph.nodes.iter();
        nodes.any(|node| node.name == name && node.template.group_settings().is_some())
    });
    match is_there {
        true => Ok(()),
        false => {
            let (what, flow) = ("matching node", context.flow.into());
            Err(JournalError::UnknownName { what, name: name.to_owned(), flow })
        }
    }
}

/// Reads groups as users see them. The flow, as its files are, says when they will be over.
pub(super) fn read_groups<T>(
    context: &Context<'_>,
    read: impl FnOnce(&mut GroupReader<'_>) -> QueryResult<T>,
) -> Result<T, JournalError> {
    let flow = prepare(context.flow, context.parts).plan;
    context.read(|db| {
        let waits = flow.as_ref().map(|flow| Waits::look(&flow.topology, db)).transpose()?;
        read(&mut GroupReader { db, waits, stored: StoredGroups::default() })
    })
}

/// Reads groups in a transaction.
pub(super) struct GroupReader<'a> {
    db: &'a Connection,
    /// `None` if the flow has mistakes.
    waits: Option<Waits>,
    stored: StoredGroups,
}

impl GroupReader<'_> {
    /// Returns the numbers of the chosen groups, the oldest first.
    pub(super) fn numbers(&mut self, query: &GroupQuery) -> QueryResult<Vec<GroupId>> {
        numbers(self.db, &mut self.stored, query)
    }

    /// Returns a group without its records. Returns `None` if the journal does not have it.
    pub(super) fn group(&mut self, id: GroupId) -> QueryResult<Option<HeldGroup>> {
        let found = self.stored.group(self.db, id)?;
        found.map(|found| group(found, self.waits.as_ref(), self.db)).transpose()
    }

    /// Returns a group with its records. Returns `None` if the journal does not have it.
    pub(super) fn group_with_records(&mut self, id: GroupId) -> QueryResult<Option<HeldGroup>> {
        let Some(found) = self.stored.group(self.db, id)? else { return Ok(None) };
        let parts = records(&found, self.db)?;
        Ok(Some(HeldGroup { parts, ..group(found, self.waits.as_ref(), self.db)? }))
    }
}

/// Returns the numbers of the chosen groups, the oldest first.
pub(super) fn numbers(
    db: &Connection,
    stored: &mut StoredGroups,
    query: &GroupQuery,
) -> QueryResult<Vec<GroupId>> {
    let GroupQuery { node, key, ids, since, released, after, limit } = query;
    let key = key.as_deref().map(typed_key);
    let groups = match (ids, &key) {
        (Some(ids), _) => {
            let groups = ids.iter().map(|id| stored.group(db, *id));
            groups.filter_map(QueryResult::transpose).collect::<QueryResult<Vec<_>>>()?
        }
        (None, Some(key)) => groups_of_key(db, stored, node.as_deref(), key)?,
        (None, None) => return numbers_open(db, node.as_deref(), since, *after, *limit),
    };
    let is_chosen = |group: &StoredGroup| {
        node.as_ref().is_none_or(|node| group.node() == node)
            && key.as_ref().is_none_or(|key| group.key == **key)
            && (*released || group.release.is_none())
            && since.contains(&group.came_ms)
            && group.id > *after
    };
    let chosen = groups.iter().filter(|group| is_chosen(group)).map(|group| group.id);
    let mut chosen: Vec<GroupId> = chosen.collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.truncate(*limit);
    Ok(chosen)
}

/// Returns the groups of a key, in one node or all.
fn groups_of_key(
    db: &Connection,
    stored: &mut StoredGroups,
    node: Option<&str>,
    key: &str,
) -> QueryResult<Vec<StoredGroup>> {
    let mut select =
        db.prepare("SELECT node FROM held_node WHERE ?1 IS NULL OR node = ?1 ORDER BY node")?;
    let nodes: Vec<String> =
        select.query_map([node], |row| row.get(0))?.collect::<QueryResult<_>>()?;
    let of_nodes = nodes.iter().map(|node| stored.of_key(db, node, key));
    Ok(of_nodes.collect::<QueryResult<Vec<_>>>()?.concat())
}

fn group(found: StoredGroup, waits: Option<&Waits>, db: &Connection) -> QueryResult<HeldGroup> {
    let over = match (waits, &found.release) {
        (Some(waits), None) => waits.over(&found, db)?,
        _ => None,
    };
    let request = "SELECT deed, who, reason FROM group_request JOIN trail ON trail.id = entry
                 WHERE group_request.id = ?";
    let request = db.prepare_cached(request)?.query_row([found.id], |row| {
        let end = GroupDeed::of(row.get_ref(0)?.as_str()?);
        Ok(RequestedEnd { end, who: row.get(1)?, because: row.get(2)? })
    });
    let by = found.release.and_then(|release| release.by);
    let name = "SELECT name FROM file WHERE id = ?";
    let name = db.prepare_cached(name)?.query_row([by], |row| row.get(0));
    Ok(HeldGroup {
        id: found.id,
        since: shown(found.came_ms),
        first: found.times.map(|times| shown(times.first_ms)),
        last: found.times.map(|times| shown(times.last_ms)),
        records: found.records.len() as i64,
        over,
        request: request.optional()?,
        node: found.node().to_owned(),
        key: found.key,
        release: found.release.map(|release| release.kind),
        released: found.release.map(|release| shown(release.at_ms)),
        released_by: name.optional()?,
        parts: Vec::new(),
    })
}

fn records(group: &StoredGroup, db: &Connection) -> QueryResult<Vec<HeldPart>> {
    let mut select = db.prepare_cached(
        "SELECT file.done_ms, file.network_element, ifnull(original.name, file.name)
         FROM file LEFT JOIN file AS original ON original.id = file.retry_of WHERE file.id = ?",
    )?;
    let part = |record: &StoredRecord| {
        let file = |row: &Row<'_>| Ok((row.get(0).map(shown)?, row.get(1)?, row.get(2)?));
        let file: Option<(String, String, String)> =
            select.query_row([record.job], file).optional()?;
        let (arrived, network_element, file) = match file {
            Some((arrived, element, file)) => (Some(arrived), Some(element), Some(file)),
            None => (None, None, None),
        };
        Ok(HeldPart {
            arrived,
            network_element,
            file,
            record: record.record as i64,
            offset: record.offset as i64,
            made: record.time_ms.map(shown),
            octets: record.octets.clone(),
        })
    };
    group.records.iter().map(part).collect()
}
