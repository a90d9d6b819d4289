//! Files as 3GPP TS 32.297 describes them (clause 6.1): a header of the file, whose second four octets
//! are its length, and before each record a header of four octets, or five where the first three bits
//! of the third are all set (a release beyond 9).

use std::io;

use super::framed::Said;
use crate::window::Window;

/// Shortest header of a file: all fields that are always there (6.1.1).
pub(super) const FILE_HEADER_OCTETS_MIN: usize = 50;

/// Longest header of a file: the routing filter and the private extension have lengths of two octets.
pub(super) const FILE_HEADER_OCTETS_MAX: usize = 3 * 65_536;

/// The length and the header's length of a file; none if there are not enough octets.
pub(super) fn lengths(octets: &[u8]) -> Option<(u32, u32)> {
    let word = |at: usize| Some(u32::from_be_bytes(octets.get(at..at + 4)?.try_into().ok()?));
    Some((word(0)?, word(4)?))
}

/// Passes the header of the file; whether there was one.
pub(super) fn begin(window: &mut Window) -> io::Result<bool> {
    window.look_ahead(8)?;
    let length = lengths(window.ahead()).map(|(_, header)| header as usize);
    match length {
        Some(length) if (FILE_HEADER_OCTETS_MIN..=FILE_HEADER_OCTETS_MAX).contains(&length) => {
            window.skip(length as u64)?;
            Ok(true)
        }
        _ => Ok(window.ahead().is_empty()),
    }
}

/// What the header of a record says (6.1.2).
pub(super) fn record_header(octets: &[u8]) -> Option<Said> {
    let &[high, low, release, format, ..] = octets else { return None };
    let own = if release >> 5 == 7 { 5 } else { 4 };
    // Data record format, 6.1.2.3: 1 for BER.
    let format = format >> 5;
    let fault = (format != 1)
        .then(|| format!("the record's header says format {format}, only 1 (BER) is read"));
    Some(Said { own, length: usize::from(u16::from_be_bytes([high, low])), fault })
}
