//! Requests to end groups before their time. A group is marked with the entry of the audit trail and the end that the
//! user chose; the gateway ends it at its next look.

use node::GroupId;
use store::{Answer, Connection, params};

/// Marks groups with the audit trail's `entry` and the requested end. The last request wins.
pub(crate) fn request_end(
    db: &Connection,
    groups: &[GroupId],
    entry: i64,
    end: &str,
) -> Answer<()> {
    let mut update = db.prepare("UPDATE held_group SET asked = ?, asked_end = ? WHERE id = ?")?;
    groups.iter().try_for_each(|id| update.execute(params![entry, end, id]).map(drop))
}
