//! Requests to end groups before their time. A group is marked with the entry of the audit trail and the end that the
//! user chose; the gateway ends it at its next look.

use flow::topology::Topology;
use node::{Aside, GroupEnd, GroupId};
use store::{Answer, Connection, params};

use super::expiry::{ExpiryJob, element_for};

/// The action that a user wants on groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupDeed {
    /// Their records go on.
    Release,
    /// Their records are set aside.
    Suspend,
    /// Their records are dropped.
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
}

/// Marks groups with the audit trail's `entry` and the requested end. The last request wins.
pub fn request_end(db: &Connection, groups: &[GroupId], entry: i64, end: GroupDeed) -> Answer<()> {
    let mut update = db.prepare("UPDATE held_group SET asked = ?, asked_end = ? WHERE id = ?")?;
    groups.iter().try_for_each(|id| update.execute(params![entry, end.word(), id]).map(drop))
}

/// Returns jobs that end the groups with a request.
pub fn requested(flow: &Topology, db: &Connection) -> Answer<Vec<ExpiryJob>> {
    let mut select = db.prepare_cached(
        "SELECT held_group.id, node, key, network_element, asked_end, who, reason
         FROM held_group JOIN trail ON trail.id = asked
         WHERE asked IS NOT NULL AND released_ms IS NULL ORDER BY held_group.id",
    )?;
    let mut rows = select.query([])?;
    let mut jobs = Vec::new();
    while let Some(row) = rows.next()? {
        let (id, node, key): (GroupId, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let Some(place) = flow.graph.nodes.iter().position(|at| at.name == node) else {
            continue;
        };
        let began: String = row.get(3)?;
        let Some(element) = element_for(flow, place, &began) else { continue };
        let end = match row.get_ref(4)?.as_str()? {
            "release" => GroupEnd::Released,
            "drop" => GroupEnd::Dropped,
            _ => {
                let (who, because): (String, String) = (row.get(5)?, row.get(6)?);
                let reason = format!("{who} set its group aside: {because}");
                GroupEnd::SetAside(Aside { node, reason })
            }
        };
        ExpiryJob::add(&mut jobs, (place, element), end, (id, key));
    }
    Ok(jobs)
}
