//! Files of 3GPP TS 32.297 (clause 6.1): a file header, whose second four octets are its length,
//! and a header of four octets before each record. Record headers have five octets if the first
//! three bits of the third are all set (a release beyond 9).
//!
//! A length is trusted only if nothing contradicts it: trusting a header length that is too large would lose records.
//! On a contradiction, the first record is searched for, and the header is set aside with the reason.

use std::io;

use asn1::ber::Decoder;

use super::framed::{self, FrameHeader};
use super::records::SEARCH_OCTETS_MAX;
use super::{FileHeaderError, FileLength, HeaderLength, RecordHeaderError};
use crate::coding::Header;
use crate::window::{CHUNK_OCTETS, Window};

/// Minimum length of a file header: all mandatory fields (6.1.1).
pub(super) const FILE_HEADER_OCTETS_MIN: usize = 50;

/// Maximum length of a file header: the lengths of the routeing filter and the private extension
/// have two octets each.
pub(super) const FILE_HEADER_OCTETS_MAX: usize = 3 * 65_536;

/// Offset of the length of the routeing filter (6.1.1.12), which follows it.
const FILTER_LENGTH_AT: usize = 48;

/// The header before each record.
const RECORDS: framed::RecordHeader = framed::RecordHeader::Ts32297;

/// How far to search for the first record.
const BEGINNING_OCTETS: usize = FILE_HEADER_OCTETS_MAX + CHUNK_OCTETS;

/// Returns the length and the header length of a file; `None` if there are not enough octets.
pub(super) fn lengths(octets: &[u8]) -> Option<(u32, u32)> {
    Some((word(octets, 0)?, word(octets, 4)?))
}

fn word(octets: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(octets.get(at..at + 4)?.try_into().ok()?))
}

/// The beginning of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileBeginning {
    /// A header.
    Header(FileHeader),
    /// The file is empty.
    Empty,
    /// It is no TS 32.297 file.
    Otherwise,
}

/// The header of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileHeader {
    /// Its statements about the records.
    pub(super) says: Header,
    /// Its length; records follow.
    pub(super) octets: usize,
    /// The contradictions to its lengths.
    pub(super) fault: Option<FileHeaderError>,
}

/// Parses the header ahead; `file_octets` is the size of the file. `fills_up` returns whether the file contains only
/// filler from an offset on.
pub(super) fn beginning(
    window: &mut Window,
    file_octets: u64,
    decoder: &Decoder<'_>,
    fills_up: impl FnOnce(u64) -> io::Result<bool>,
) -> io::Result<FileBeginning> {
    let ahead = window.look_at(BEGINNING_OCTETS)?;
    if ahead.is_empty() {
        return Ok(FileBeginning::Empty);
    }
    let (Some(says), Some((length, header_length))) = (says(ahead), lengths(ahead)) else {
        return Ok(FileBeginning::Otherwise);
    };
    let claimed = header_length as usize;
    let Some(octets) = begin_of_records(ahead, claimed, decoder) else {
        return Ok(FileBeginning::Otherwise);
    };
    let is_misled = octets != claimed || !fits_its_fields(ahead, claimed);
    let by_fields = by_its_fields(ahead);
    let header = is_misled.then_some(HeaderLength { stated: claimed, by_fields, octets });
    let length = u64::from(length);
    let file = FileLength { stated: length, octets: file_octets };
    let is_right = length == u64::from(u32::MAX)
        || length == file_octets
        || (length < file_octets && fills_up(length)?);
    let file = (!is_right).then_some(file);
    let fault = (header.is_some() || file.is_some()).then_some(FileHeaderError { header, file });
    let says = Header { is_set_aside: fault.is_some(), ..says };
    Ok(FileBeginning::Header(FileHeader { says, octets, fault }))
}

/// Returns where the records begin. The claimed length is used if a record follows there, or if no candidate leads to a
/// record and the length fits the header's fields. Otherwise it is the first place with a record.
fn begin_of_records(ahead: &[u8], claimed: usize, decoder: &Decoder<'_>) -> Option<usize> {
    let leads_to_record = |at: usize| framed::begins(ahead, at, RECORDS, decoder);
    let fits = fits_its_fields(ahead, claimed);
    if fits && leads_to_record(claimed) {
        return Some(claimed);
    }
    let by_fields = by_its_fields(ahead).into_iter().flat_map(|made| made..=made + 2);
    let likely = by_fields.chain([claimed]).filter(|at| *at >= FILE_HEADER_OCTETS_MIN);
    if let Some(found) = { likely }.find(|at| leads_to_record(*at)) {
        return Some(found);
    }
    if fits {
        return Some(claimed);
    }
    let end = ahead.len().min(FILE_HEADER_OCTETS_MIN + SEARCH_OCTETS_MAX);
    framed::find(ahead, FILE_HEADER_OCTETS_MIN..end, RECORDS, decoder)
}

/// Returns the header length that its length fields add up to: fixed fields, routeing filter and private extension,
/// without additions of later releases. `None` if `octets` are too short.
fn by_its_fields(octets: &[u8]) -> Option<usize> {
    let short =
        |at: usize| Some(usize::from(u16::from_be_bytes(octets.get(at..at + 2)?.try_into().ok()?)));
    let filter_end = FILE_HEADER_OCTETS_MIN + short(FILTER_LENGTH_AT)?;
    let end = filter_end + 2 + short(filter_end)?;
    (end <= octets.len()).then_some(end)
}

/// Returns whether a header of this length is plausible. Some writers omit the length of the private extension, or
/// replace it with the two octets of later releases.
fn fits_its_fields(octets: &[u8], claimed: usize) -> bool {
    if claimed > octets.len() {
        return false;
    }
    let by_the_standard =
        by_its_fields(octets).is_some_and(|made| (made..=made + 2).contains(&claimed));
    let filter = octets.get(FILTER_LENGTH_AT..FILE_HEADER_OCTETS_MIN);
    let filter = filter.map_or(0, |filter| usize::from(u16::from_be_bytes([filter[0], filter[1]])));
    let without_extension = FILE_HEADER_OCTETS_MIN + filter;
    by_the_standard || [without_extension, without_extension + 2].contains(&claimed)
}

/// Reads the number of records (6.1.1.7), the file's sequence number (6.1.1.8), and the indicator of lost records
/// (6.1.1.11): octets 19, 23 and 48. A number with all bits set is unknown.
fn says(octets: &[u8]) -> Option<Header> {
    let known = |word: u32| (word != u32::MAX).then_some(word);
    let octets = octets.get(..FILE_HEADER_OCTETS_MIN)?;
    let (records, sequence_number) = (known(word(octets, 18)?), known(word(octets, 22)?));
    // If the first bit is set, the others are the exact number; otherwise they are the minimum.
    let lost = match octets[47] {
        0x80 => 1,
        indicator => indicator & 0x7F,
    };
    Some(Header { records, sequence_number, lost, is_set_aside: false })
}

/// Parses a record header (6.1.2). A header of all zero or all one bits is filler.
pub(super) fn record_header(octets: &[u8]) -> Option<FrameHeader> {
    let &[high, low, release, format, ..] = octets else { return None };
    let is_filler =
        matches!([high, low, release, format], [0x00, 0x00, 0x00, 0x00] | [0xFF, 0xFF, 0xFF, 0xFF]);
    let own = if release >> 5 == 7 && !is_filler { 5 } else { 4 };
    if octets.len() < own {
        return None;
    }
    let length = usize::from(u16::from_be_bytes([high, low]));
    // Data record format, 6.1.2.3: 1 for BER.
    let fault = match (length, format >> 5) {
        _ if is_filler => None,
        (0, _) => Some(RecordHeaderError::Empty),
        (_, 1) => None,
        (_, format) => Some(RecordHeaderError::Format(format)),
    };
    Some(FrameHeader { own, length, is_filler, fault })
}
