//! Identifier and length octets (X.690, 8.1), and the extent of elements.

use reason::Coded;

use crate::encoding::Class;
use crate::limits::{DEPTH_MAX, TAG_NUMBER_MAX};

/// The reason why octets are not BER, or not BER that is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("ber")]
pub enum Reason {
    /// The record is cut off: the element should have more octets than there are.
    #[error("the octets end within an element")]
    Truncated,
    /// The length of an element contradicts that of the structure around it. One of the two is damaged.
    #[error("an element is longer than what it lies in")]
    LongerThanParent,
    /// No module has such tags, so these octets are probably no BER.
    #[error("a tag number is larger than {TAG_NUMBER_MAX}")]
    TagTooLarge,
    /// X.690 (8.1.2.4.2) forbids it, so these octets are probably no BER.
    #[error("a tag number begins with an octet 80, which adds nothing to it")]
    TagPadded,
    /// The length is beyond 64 bits, so these octets are probably no BER.
    #[error("a length has more octets than any file could hold")]
    LengthTooLarge,
    /// Only structures may end with end-of-contents octets (X.690, 8.1.3.2).
    #[error("a primitive element has no length")]
    PrimitiveIndefinite,
    /// Two octets 00 stand where an element should begin.
    #[error("end-of-contents octets without a beginning")]
    StrayEndOfContents,
    /// No record of a real module nests so deeply, so these octets are probably no BER.
    #[error("values lie more than {DEPTH_MAX} deep within each other")]
    TooDeep,
    /// The module has no component with this tag here. The network element may have a later version of the module.
    #[error("unexpected tag {tag}", tag = .0)]
    UnexpectedTag(TagText),
    /// A structure or a list has octets in place of elements.
    #[error("it came without elements within it")]
    PrimitiveStructure,
    /// A simple value has elements in place of octets.
    #[error("an element {tag} lies within it, where there can be only octets", tag = .0)]
    ElementsWithin(TagText),
    /// Only the last segment of a BIT STRING may have unused bits (X.690, 8.6.4).
    #[error("a segment other than the last has unused bits")]
    UnusedBits,
    /// The first octet of a BIT STRING counts the unused bits: 0 to 7 (X.690, 8.6.2).
    #[error("a segment of a BIT STRING has no number of unused bits, or more of them than bits")]
    UnusedCount,
    /// A component of a SEQUENCE or SET comes twice.
    #[error("it stands twice")]
    Twice,
    /// A CHOICE or an open type has more than one element.
    #[error("another element, {tag}, stands behind the one that there is room for", tag = .0)]
    OneTooMany(TagText),
    /// The record is larger than any record may be.
    #[error("the record is larger than the limit of {} octets", crate::limits::RECORD_OCTETS_MAX)]
    RecordTooLarge,
}

/// A tag, formatted for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagText(pub u32);

impl std::fmt::Display for TagText {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let class = ["UNIVERSAL ", "APPLICATION ", "", "PRIVATE "][(self.0 >> 30) as usize];
        write!(out, "[{class}{}]", self.0 & ((1 << 30) - 1))
    }
}

/// The header of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Class and number of the tag in one word, see [`key`].
    pub key: u32,
    /// First octet of the content.
    pub start: usize,
    /// Octet after the content; [`INDEFINITE`] if only end-of-contents octets show it.
    pub end: usize,
    /// Whether the content is elements.
    pub constructed: bool,
}

impl Header {
    /// Returns whether these are end-of-contents octets (X.690, 8.1.5), not just an element with their tag.
    #[inline]
    pub(crate) fn is_end_of_contents(&self) -> bool {
        self.key == END_OF_CONTENTS && !self.constructed && self.end == self.start
    }
}

/// The end of an element of indefinite length (X.690, 8.1.3.6).
pub const INDEFINITE: usize = usize::MAX;

/// The key of end-of-contents octets.
pub(crate) const END_OF_CONTENTS: u32 = 0;

/// Packs class and number of a tag into one word.
pub(crate) const fn key(class: Class, number: u32) -> u32 {
    const { assert!(TAG_NUMBER_MAX < 1 << 30) };
    (class as u32) << 30 | number
}

/// Returns the key of a one-octet identifier.
#[inline]
pub(crate) fn short_key(octet: u8) -> u32 {
    u32::from(octet >> 6) << 30 | u32::from(octet & 0x1F)
}

/// Reads identifier and length octets at `at`. The element must end at or before `limit`, which must not be beyond the
/// octets.
#[inline(always)]
pub fn header(octets: &[u8], at: usize, limit: usize) -> Result<Header, Reason> {
    match short_header(octets, at, limit) {
        Some(found) => Ok(found),
        // Field by field: a result copied as a whole goes through memory, and reading it back stalls the processor for
        // longer than everything else an element costs.
        None => match long_header(octets, at, limit) {
            Ok(Header { key, start, end, constructed }) => {
                Ok(Header { key, start, end, constructed })
            }
            Err(reason) => Err(reason),
        },
    }
}

/// Reads one identifier octet and one length octet, as nearly all elements have.
#[inline(always)]
fn short_header(octets: &[u8], at: usize, limit: usize) -> Option<Header> {
    if let Some(&[identifier, length]) = octets.get(at..at + 2)
        && identifier & 0x1F != 0x1F
        && length < 0x80
    {
        let start = at + 2;
        let end = start + usize::from(length);
        if end <= limit {
            let constructed = identifier & 0x20 != 0;
            return Some(Header { key: short_key(identifier), start, end, constructed });
        }
    }
    None
}

#[inline(never)]
fn long_header(octets: &[u8], at: usize, limit: usize) -> Result<Header, Reason> {
    let octets = &octets[..limit];
    if let Some(found) = medium_header(octets, at) {
        return Ok(found);
    }
    let identifier = *octets.get(at).ok_or(Reason::Truncated)?;
    let (key, at) = match identifier & 0x1F {
        0x1F => long_tag(octets, at + 1, identifier)?,
        _ => (short_key(identifier), at + 1),
    };
    // End-of-contents are exactly two zero octets (X.690, 8.1.5), and no other form of a zero tag or length.
    if key == END_OF_CONTENTS && at < octets.len() {
        return Err(Reason::StrayEndOfContents);
    }
    let constructed = identifier & 0x20 != 0;
    let first = *octets.get(at).ok_or(Reason::Truncated)?;
    let (length, start) = match first {
        0x00..=0x7F => (usize::from(first), at + 1),
        0x80 if constructed => {
            return Ok(Header { key, start: at + 1, end: INDEFINITE, constructed });
        }
        0x80 => return Err(Reason::PrimitiveIndefinite),
        _ => long_length(octets, at + 1, usize::from(first & 0x7F))?,
    };
    match start.checked_add(length) {
        Some(end) if end <= limit => Ok(Header { key, start, end, constructed }),
        _ => Err(Reason::LongerThanParent),
    }
}

/// Reads one identifier octet and a length of 128 to 255 octets, as whole records often have.
#[inline(always)]
pub(crate) fn medium_header(octets: &[u8], at: usize) -> Option<Header> {
    if let Some(&[identifier, 0x81, length]) = octets.get(at..at + 3)
        && identifier & 0x1F != 0x1F
        && identifier != 0
    {
        let (start, constructed) = (at + 3, identifier & 0x20 != 0);
        let end = start + usize::from(length);
        let found = Header { key: short_key(identifier), start, end, constructed };
        return (end <= octets.len()).then_some(found);
    }
    None
}

fn long_tag(octets: &[u8], at: usize, identifier: u8) -> Result<(u32, usize), Reason> {
    let mut number = 0_u32;
    for (index, octet) in octets[at..].iter().enumerate() {
        if number > TAG_NUMBER_MAX >> 7 {
            return Err(Reason::TagTooLarge);
        }
        number = number << 7 | u32::from(octet & 0x7F);
        if octet & 0x80 == 0 {
            return Ok((u32::from(identifier >> 6) << 30 | number, at + index + 1));
        }
        // Leading zeros would allow endless tags.
        if number == 0 {
            return Err(Reason::TagPadded);
        }
    }
    Err(Reason::Truncated)
}

fn long_length(octets: &[u8], at: usize, count: usize) -> Result<(usize, usize), Reason> {
    let digits = octets.get(at..at + count).ok_or(Reason::Truncated)?;
    let mut length = 0_usize;
    for digit in digits {
        if length >> (usize::BITS - 9) != 0 {
            return Err(Reason::LengthTooLarge);
        }
        length = length << 8 | usize::from(*digit);
    }
    Ok((length, at + count))
}

/// Returns where the element at `at` ends, with end-of-contents octets. It reads the contents of elements of indefinite
/// length only, so it takes linear time.
pub fn extent(octets: &[u8], at: usize) -> Result<usize, Reason> {
    let header = header(octets, at, octets.len())?;
    skip(octets, header.start, header.end, octets.len(), 0)
}

/// Returns where an element with this content ends.
#[inline]
pub(crate) fn skip(
    octets: &[u8],
    start: usize,
    end: usize,
    limit: usize,
    depth: u32,
) -> Result<usize, Reason> {
    if end != INDEFINITE {
        return Ok(end);
    }
    if depth >= DEPTH_MAX {
        return Err(Reason::TooDeep);
    }
    let mut at = start;
    loop {
        let inner = header(octets, at, limit)?;
        if inner.is_end_of_contents() {
            return Ok(inner.end);
        }
        at = skip(octets, inner.start, inner.end, limit, depth + 1)?;
    }
}
