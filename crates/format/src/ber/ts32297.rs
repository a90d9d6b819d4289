//! Files as 3GPP TS 32.297 describes them (clause 6.1): a header of the file, whose second four octets
//! are its length, and before each record a header of four octets, or five where the first three bits
//! of the third are all set (a release beyond 9).

use std::io;

use super::framed::Said;
use crate::coding::Header;
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

/// The beginning of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begun {
    /// It has this header, which was passed.
    With(Header),
    /// It has nothing at all.
    Empty,
    /// It is no file of TS 32.297.
    Otherwise,
}

/// Passes the header of the file.
pub(super) fn begin(window: &mut Window) -> io::Result<Begun> {
    window.look_ahead(FILE_HEADER_OCTETS_MIN)?;
    let length = lengths(window.ahead()).map(|(_, header)| header as usize);
    let is_length =
        |length: &usize| (FILE_HEADER_OCTETS_MIN..=FILE_HEADER_OCTETS_MAX).contains(length);
    match (length.filter(is_length), header(window.ahead())) {
        (Some(length), Some(header)) => {
            window.skip(length as u64)?;
            Ok(Begun::With(header))
        }
        _ if window.ahead().is_empty() => Ok(Begun::Empty),
        _ => Ok(Begun::Otherwise),
    }
}

/// The number of records (6.1.1.7), the file's sequence number (6.1.1.8), and the indicator of lost records (6.1.1.11):
/// octets 19, 23 and 48. A number of which all bits are set is not known.
fn header(octets: &[u8]) -> Option<Header> {
    let word = |at: usize| Some(u32::from_be_bytes(octets.get(at..at + 4)?.try_into().ok()?));
    let known = |word: u32| (word != u32::MAX).then_some(word);
    let (records, sequence_number) = (known(word(18)?), known(word(22)?));
    // The first bit says that the others are the number; otherwise it is at least that.
    let lost = match *octets.get(47)? {
        0x80 => 1,
        indicator => indicator & 0x7F,
    };
    Some(Header { records, sequence_number, lost })
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
