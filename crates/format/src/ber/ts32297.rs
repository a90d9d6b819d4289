//! Files as 3GPP TS 32.297 describes them (clause 6.1): a header of the file, whose second four octets
//! are its length, and before each record a header of four octets, or five where the first three bits
//! of the third are all set (a release beyond 9).

use std::io;

use super::file::Frame;
use super::prefixed::{frame, rest};
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

/// Passes the header of the file; a frame if that cannot be done.
pub(super) fn begin(window: &mut Window) -> io::Result<Option<Frame>> {
    window.look_ahead(8)?;
    let length = lengths(window.ahead()).map(|(_, header)| header as usize);
    match length {
        Some(length) if (FILE_HEADER_OCTETS_MIN..=FILE_HEADER_OCTETS_MAX).contains(&length) => {
            window.skip(length as u64)?;
            Ok(None)
        }
        _ => Ok(rest(window, "the file does not begin with a header of TS 32.297")),
    }
}

/// Passes the header of the next record.
pub(super) fn next(window: &mut Window) -> io::Result<Option<Frame>> {
    window.look_ahead(5)?;
    let &[high, low, release, format, ..] = window.ahead() else {
        return Ok(rest(window, "the file ends within the header of a record"));
    };
    let extended = release >> 5 == 7;
    window.skip(if extended { 5 } else { 4 })?;
    let mut frame = frame(window, usize::from(u16::from_be_bytes([high, low])))?;
    // Data record format, 6.1.2.3: 1 for BER.
    let format = format >> 5;
    if format != 1 && frame.fault.is_none() {
        frame.fault =
            Some(format!("the record's header says format {format}, only 1 (BER) is read"));
    }
    Ok(Some(frame))
}
