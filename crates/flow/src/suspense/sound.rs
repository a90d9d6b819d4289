//! Octets that lie in the journal until somebody has put them right. A page of the database that is damaged within them
//! looks as any other, so each record has a digest: nothing is billed that no network element has sent.

use store::{Answer, Connection, Row, corrupt, params};
use twox_hash::XxHash3_128;

/// A digest of the octets of a record.
pub(super) fn digest(octets: &[u8]) -> [u8; 16] {
    XxHash3_128::oneshot(octets).to_le_bytes()
}

/// The octets in one column of a row and their digest in the next, if they are those of the record of this number that
/// were written.
pub(super) fn sound(id: i64, row: &Row<'_>, column: usize) -> Answer<Vec<u8>> {
    let octets: Vec<u8> = row.get(column)?;
    let known: Option<[u8; 16]> = row.get(column + 1)?;
    match known.is_none_or(|known| known == digest(&octets)) {
        true => Ok(octets),
        false => Err(corrupt(format!(
            "the octets of the record {id} in suspense are not those that were set aside; the file it came in has them, \
             and \"tollgate suspense discard\" takes it out of the way"
        ))),
    }
}

/// Gives records their digests that were set aside with a group.
pub(crate) fn note_digests_of_group(db: &Connection, group: i64) -> Answer<()> {
    let mut select = db.prepare_cached(
        "SELECT id, octets FROM suspense WHERE of_group = ? AND octets_digest IS NULL",
    )?;
    let mut update = db.prepare_cached("UPDATE suspense SET octets_digest = ? WHERE id = ?")?;
    let rows = select.query_map([group], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for (id, octets) in rows.collect::<Answer<Vec<(i64, Vec<u8>)>>>()? {
        update.execute(params![digest(&octets), id])?;
    }
    Ok(())
}

/// Reads all that somebody may put right yet; an error says which is not sound.
pub(crate) fn all_are_sound(db: &Connection) -> Answer<()> {
    let mut select =
        db.prepare("SELECT id, octets, octets_digest FROM suspense WHERE state = 'open'")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        sound(row.get(0)?, row, 1)?;
    }
    Ok(())
}
