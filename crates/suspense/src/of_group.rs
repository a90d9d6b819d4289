//! The records of a correlation group that are set aside together. A retry takes them back to the node where they
//! waited and not to their network element, since their other outputs stay. The records that a timer of a node emitted are
//! set aside in the same way.

use reason::Reason;
use store::{CachedStatement, Connection, QueryResult, params};

use super::checksum::digest;
use flow::reasons::{self, Columns};

/// A group whose records are set aside.
#[derive(Clone, Copy, Debug)]
pub struct GroupAside<'g> {
    /// The number of the group, or of the timer: no timer has the number of a group.
    pub group: i64,
    /// The node where its records waited, or the output stream on which the timer emitted them.
    pub waited_in: &'g str,
    /// The node or system that refused them.
    pub node: &'g str,
    /// Why.
    pub reason: &'g Reason,
}

/// A record of such a group.
#[derive(Clone, Copy, Debug)]
pub struct GroupRecord<'r> {
    /// The file that brought it, as the journal numbers files.
    pub file: i64,
    /// Its number in the file.
    pub record: i64,
    /// Where it begins in the file, in octets.
    pub offset: i64,
    /// Its octets.
    pub octets: &'r [u8],
}

/// Sets the records of a group aside, one by one.
pub struct AsideWriter<'d, 'g> {
    insert: CachedStatement<'d>,
    of: GroupAside<'g>,
    reason: Columns,
    /// The number of the layout of the node's records, if it has one.
    layout: Option<i64>,
}

impl<'d, 'g> AsideWriter<'d, 'g> {
    /// Begins a group. `layout` is the number under which the layout of its records is stored.
    pub fn new(db: &'d Connection, of: GroupAside<'g>, layout: Option<i64>) -> QueryResult<Self> {
        let insert = db.prepare_cached(
            "INSERT INTO suspense (file, why, record, offset, node, reason, reason_id, reason_values, octets, octets_digest,
                 waited_in, layout, of_group)
             VALUES (?, 'suspended', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        let reason = reasons::columns(db, of.reason)?;
        Ok(AsideWriter { insert, of, reason, layout })
    }

    /// Sets a record aside.
    pub fn put(&mut self, record: GroupRecord<'_>) -> QueryResult<()> {
        let GroupRecord { file, record, offset, octets } = record;
        let GroupAside { group, waited_in, node, reason: _ } = self.of;
        let Columns { text, id, values } = &self.reason;
        let digest = digest(octets);
        let values = params![
            file,
            record,
            offset,
            node,
            text,
            id,
            values,
            octets,
            digest,
            waited_in,
            self.layout,
            group
        ];
        self.insert.execute(values).map(drop)
    }
}
