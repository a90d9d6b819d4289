//! Digests of octets in suspense, which lie in the journal until a user acts on them. A damaged page of the database
//! may look intact. So each record has a digest, and damaged octets are not retried.

use store::{QueryResult, Row};
use xxhash_rust::xxh3::xxh3_128;

/// Returns the digest of the octets of a record.
pub fn digest(octets: &[u8]) -> [u8; 16] {
    xxh3_128(octets).to_le_bytes()
}

/// Returns the octets in a column of a row, and whether they match the digest in the next column. Rows without a digest
/// are older than digests and count as sound.
pub fn octets(row: &Row<'_>, column: usize) -> QueryResult<(Vec<u8>, bool)> {
    let octets: Vec<u8> = row.get(column)?;
    let known: Option<[u8; 16]> = row.get(column + 1)?;
    let is_sound = known.is_none_or(|known| known == digest(&octets));
    Ok((octets, is_sound))
}

/// Returns the reason shown for a record whose octets are damaged; it includes the original reason.
pub(super) fn damage(reason: &str) -> String {
    format!(
        "its octets were damaged in the journal: \"tollgate suspense edit --octets\" puts those of its file in their \
         place; it was set aside since {reason}"
    )
}

#[cfg(test)]
mod tests {
    use super::digest;

    /// Existing journals have digests of this function: XXH3 of 128 bits without a seed. The expected value is that of
    /// its specification for no octets.
    #[test]
    fn the_digest_is_the_one_of_all_journals() {
        let of_nothing = 0x99aa_06d3_0147_98d8_6001_c324_468d_497f_u128;
        assert_eq!(digest(b""), of_nothing.to_le_bytes());
    }
}
