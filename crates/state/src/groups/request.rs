//! Requests to end groups before their time. A group is marked with the entry of the audit trail
//! and the end that the user chose; the gateway ends it at its next look.

use flow::topology::Topology;
use node::groups::Aside;
use node::{GroupEnd, GroupId};
use reason::Reason;
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult, params};
use utoipa::ToSchema;

use super::entries::{EntryReader, StoredEntry};
use super::expiry::{ExpiryJob, element_for};
use super::reason::GroupReason;

/// How a group ends: `release` combines its records as they are and passes the result on, `suspend`
/// moves them to suspense, and `drop` gives them up and counts them as dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = MatchingEnd)]
pub enum GroupDeed {
    /// Its records go on, although its time is not over.
    Release,
    /// Its records go to suspense.
    Suspend,
    /// Its records are dropped, and counted as dropped.
    Drop,
}

impl GroupDeed {
    /// Returns the word in the journal and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            GroupDeed::Release => "release",
            GroupDeed::Suspend => "suspend",
            GroupDeed::Drop => "drop",
        }
    }

    /// Returns the end for a word of the journal. An unknown word counts as `suspend`, which loses
    /// no record.
    pub fn of(word: &str) -> Self {
        match word {
            "release" => GroupDeed::Release,
            "drop" => GroupDeed::Drop,
            _ => GroupDeed::Suspend,
        }
    }
}

/// Marks groups that wait with the audit trail's `entry` and the requested end. The last request
/// wins.
pub fn request_end(
    db: &Connection,
    groups: &[GroupId],
    entry: i64,
    end: GroupDeed,
) -> QueryResult<()> {
    let insert =
        "INSERT OR REPLACE INTO group_request (id, entry, deed, is_open) VALUES (?, ?, ?, 1)";
    let mut insert = db.prepare(insert)?;
    groups.iter().try_for_each(|id| insert.execute(params![id, entry, end.word()]).map(drop))
}

/// Returns whether a user has requested the end of a group, whether it has ended or not.
pub(super) fn is_requested(db: &Connection, id: GroupId) -> QueryResult<bool> {
    db.prepare_cached("SELECT 1 FROM group_request WHERE id = ?")?.exists([id])
}

/// Notes that groups have ended. The numbers are in ascending order.
pub(super) fn close(db: &Connection, groups: &[GroupId]) -> QueryResult<()> {
    let open: Vec<GroupId> = db
        .prepare_cached("SELECT id FROM group_request WHERE is_open ORDER BY id")?
        .query_map([], |row| row.get(0))?
        .collect::<QueryResult<_>>()?;
    let mut update = db.prepare_cached("UPDATE group_request SET is_open = 0 WHERE id = ?")?;
    let ended = open.iter().filter(|id| groups.binary_search(id).is_ok());
    ended.into_iter().try_for_each(|id| update.execute([id]).map(drop))
}

/// Returns jobs that end the groups with a request.
pub fn requested(flow: &Topology, db: &Connection) -> QueryResult<Vec<ExpiryJob>> {
    let mut select = db.prepare_cached(
        "SELECT group_request.id, deed, who, reason
         FROM group_request JOIN trail ON trail.id = entry WHERE is_open ORDER BY group_request.id",
    )?;
    let mut rows = select.query([])?;
    let (mut jobs, mut entries) = (Vec::new(), EntryReader::default());
    while let Some(row) = rows.next()? {
        let id: GroupId = row.get(0)?;
        let Some(StoredEntry { batch, entry, .. }) = entries.entry(db, id)? else { continue };
        let Some(place) = flow.graph.nodes.iter().position(|at| at.name == batch.node) else {
            continue;
        };
        let Some(element) = element_for(flow, place, &batch.network_element) else { continue };
        let end = match GroupDeed::of(row.get_ref(1)?.as_str()?) {
            GroupDeed::Release => GroupEnd::Released,
            GroupDeed::Drop => GroupEnd::Dropped,
            GroupDeed::Suspend => {
                let (who, because): (String, String) = (row.get(2)?, row.get(3)?);
                let reason = Box::new(Reason::of(&GroupReason::Requested { who, because }));
                GroupEnd::SetAside(Aside { node: batch.node.clone(), reason })
            }
        };
        ExpiryJob::add(&mut jobs, (place, element), end, (id, entry.key));
    }
    Ok(jobs)
}
