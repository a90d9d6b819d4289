//! Octets that lie in the journal until somebody has put them right. A page of the database that is damaged within them
//! looks as any other, so each record has a digest: nothing is put through that is not what was set aside.

use store::{Answer, Connection, Row, params};
use xxhash_rust::xxh3::xxh3_128;

/// A digest of the octets of a record.
pub(crate) fn digest(octets: &[u8]) -> [u8; 16] {
    xxh3_128(octets).to_le_bytes()
}

/// The octets in one column of a row, and whether they are those that were written, by their digest in the next. What was
/// set aside before there were digests is believed.
pub(crate) fn octets(row: &Row<'_>, column: usize) -> Answer<(Vec<u8>, bool)> {
    let octets: Vec<u8> = row.get(column)?;
    let known: Option<[u8; 16]> = row.get(column + 1)?;
    let is_sound = known.is_none_or(|known| known == digest(&octets));
    Ok((octets, is_sound))
}

/// What is said of a record whose octets are not sound, instead of why it was set aside.
pub(super) fn damage(reason: &str) -> String {
    format!(
        "its octets were damaged in the journal: \"tollgate suspense edit --octets\" puts those of its file in their \
         place; it was set aside since {reason}"
    )
}

/// Gives records their digests that were set aside with a group.
pub(crate) fn note_digests_of_group(db: &Connection, group: i64) -> Answer<()> {
    let select = "SELECT id, octets FROM suspense WHERE of_group = ? AND octets_digest IS NULL";
    let mut select = db.prepare_cached(select)?;
    let mut update = db.prepare_cached("UPDATE suspense SET octets_digest = ? WHERE id = ?")?;
    let rows = select.query_map([group], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for (id, octets) in rows.collect::<Answer<Vec<(i64, Vec<u8>)>>>()? {
        update.execute(params![digest(&octets), id])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::digest;

    /// The journals that there are have digests of this function: XXH3 of 128 bits without a seed, as its specification
    /// gives it for nothing.
    #[test]
    fn the_digest_is_the_one_of_all_journals() {
        let of_nothing = 0x99aa_06d3_0147_98d8_6001_c324_468d_497f_u128;
        assert_eq!(digest(b""), of_nothing.to_le_bytes());
    }
}
