//! Records with a header before each that gives its length.

use std::io;
use std::ops::Range;

use asn1::ber::Decoder;
use record::{Arena, Record};

use super::records::{SEARCH_OCTETS_MAX, SEARCH_WORK_OCTETS_MAX};
use super::{BerError, RECORD_OCTETS_MAX, RecordHeaderError, is_filler, ts32297};
use crate::coding::Read;
use crate::window::{CHUNK_OCTETS, Window};

/// The header before each record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordHeader {
    /// A big-endian length of so many octets, which does not count itself.
    Length(usize),
    /// The header of TS 32.297, 6.1.2.
    Ts32297,
}

/// The octets of the longest header.
const HEADER_OCTETS_MAX: usize = 5;

/// The contents of a header.
pub(super) struct FrameHeader {
    /// The octets of the header itself.
    pub(super) own: usize,
    /// The octets of the record.
    pub(super) length: usize,
    /// Whether this is filler instead of a header.
    pub(super) is_filler: bool,
    /// The reason why the record cannot be read.
    pub(super) fault: Option<RecordHeaderError>,
}

impl RecordHeader {
    /// Returns where the record at a place ends, after any filler; `None` if that is unknown.
    pub(super) fn end(self, octets: &[u8], mut at: usize) -> Option<usize> {
        loop {
            let FrameHeader { own, length, is_filler, fault } = self.read(octets.get(at..)?)?;
            at += own;
            if !is_filler {
                return fault.is_none().then_some(at + length);
            }
        }
    }

    /// Reads the header at the start of these octets; `None` if they end within it.
    fn read(self, octets: &[u8]) -> Option<FrameHeader> {
        match self {
            RecordHeader::Ts32297 => ts32297::record_header(octets),
            RecordHeader::Length(own) => {
                let prefix = octets.get(..own)?;
                let length =
                    prefix.iter().fold(0, |length, octet| length << 8 | usize::from(*octet));
                // A length of zero, or of all ones, is filler.
                let is_filler = length == 0 || prefix.iter().all(|octet| *octet == 0xFF);
                Some(FrameHeader { own, length, is_filler, fault: None })
            }
        }
    }
}

/// Returns the next record, or octets that are none up to where a header and its record fit together again.
pub(super) fn next<'w>(
    window: &'w mut Window,
    header: RecordHeader,
    decoder: &Decoder<'_>,
    arena: &mut Arena,
) -> io::Result<Option<Read<'w>>> {
    let mut is_filled_up = false;
    let frame_header = loop {
        window.look_ahead(HEADER_OCTETS_MAX)?;
        if window.ahead().is_empty() {
            return Ok(None);
        }
        match header.read(window.ahead()) {
            Some(FrameHeader { own, is_filler: true, .. }) => {
                window.pass(own);
                is_filled_up = true;
            }
            // The last filler may be shorter than a header.
            None if is_filled_up && window.ahead().iter().all(|octet| is_filler(*octet)) => {
                window.pass(window.ahead().len());
            }
            frame_header => break frame_header,
        }
    };
    let Some(FrameHeader { own, length, fault, .. }) = frame_header else {
        let (offset, left) = (window.position(), window.ahead().len());
        let record = Err(BerError::HeaderCutOff.into());
        return Ok(Some(Read { offset, octets: window.pass(left), record }));
    };
    if length <= RECORD_OCTETS_MAX {
        window.look_ahead(own + length)?;
    }
    let record = match window.ahead().get(own..).and_then(|behind| behind.get(..length)) {
        None => {
            let left = window.ahead().len() - own;
            Err(Box::new(BerError::LongerThanFile { length, left }))
        }
        Some(octets) => match fault {
            Some(fault) => Err(Box::new(BerError::RecordHeader(fault))),
            None => whole(decoder, octets, arena),
        },
    };
    let frame = own + length;
    let record = match record {
        Ok((record, Behind::Nothing)) => Ok(record),
        Ok((record, Behind::Filler)) if follows(window, header, frame, decoder)? => Ok(record),
        Ok(_) => Err(BerError::Filled.into()),
        Err(error) => Err(error.into()),
    };
    let passed = match &record {
        Ok(_) => frame,
        Err(_) => damage(window, header, frame, decoder)?,
    };
    // Damage includes its header if the header may be wrong.
    let own = if passed == frame && length > 0 { own } else { 0 };
    window.pass(own);
    let offset = window.position();
    Ok(Some(Read { offset, octets: window.pass(passed - own), record }))
}

/// The octets after a record in its frame.
enum Behind {
    Nothing,
    /// Filler, or the beginning of the next header if the record's own is wrong.
    Filler,
}

/// Decodes a record that must fill the octets: anything after it in its frame would be lost.
fn whole(
    decoder: &Decoder<'_>,
    octets: &[u8],
    arena: &mut Arena,
) -> Result<(Record, Behind), Box<BerError>> {
    match decoder.decode_first(octets, arena) {
        Ok((record, end)) if end == octets.len() => Ok((record, Behind::Nothing)),
        Ok((record, end)) if octets[end..].iter().all(|octet| is_filler(*octet)) => {
            Ok((record, Behind::Filler))
        }
        Ok((_, end)) => {
            let length = octets.len();
            Err(Box::new(BerError::ShorterThanFrame { octets: end, length }))
        }
        Err(error) => Err(BerError::decode(decoder, octets, error)),
    }
}

/// Returns how many octets belong to the damage ahead: the frame, if another follows it; otherwise everything up to the
/// next header that fits what follows it.
#[cold]
fn damage(
    window: &mut Window,
    header: RecordHeader,
    frame: usize,
    decoder: &Decoder<'_>,
) -> io::Result<usize> {
    if follows(window, header, frame, decoder)? {
        return Ok(frame);
    }
    let ahead = window.look_at(looked_at(frame))?;
    let searched = ahead.len().min(SEARCH_OCTETS_MAX);
    Ok(find(ahead, 1..searched, header, decoder).unwrap_or(searched))
}

/// Returns the first of these places with a consistent header and record.
#[cold]
pub(super) fn find(
    octets: &[u8],
    mut places: Range<usize>,
    header: RecordHeader,
    decoder: &Decoder<'_>,
) -> Option<usize> {
    let (mut probe, mut work) = (Arena::new(), 0);
    places.find(|at| {
        let framed = framed(&octets[*at..], header).filter(|_| work <= SEARCH_WORK_OCTETS_MAX);
        work += framed.map_or(0, <[u8]>::len);
        framed.is_some_and(|octets| is_record(octets, decoder, &mut probe))
    })
}

/// Returns whether a record with its header starts at a place, possibly after filler.
#[cold]
pub(super) fn begins(
    octets: &[u8],
    mut at: usize,
    header: RecordHeader,
    decoder: &Decoder<'_>,
) -> bool {
    loop {
        let Some(behind) = octets.get(at..) else { return false };
        match header.read(behind) {
            Some(FrameHeader { own, is_filler: true, .. }) => at += own,
            _ => return find(octets, at..at + 1, header, decoder).is_some(),
        }
    }
}

/// Returns whether another record, or only filler, follows a frame.
#[cold]
fn follows(
    window: &mut Window,
    header: RecordHeader,
    frame: usize,
    decoder: &Decoder<'_>,
) -> io::Result<bool> {
    let Some(mut behind) = window.look_at(looked_at(frame))?.get(frame..) else {
        return Ok(false);
    };
    while let Some(FrameHeader { own, is_filler: true, .. }) = header.read(behind) {
        behind = &behind[own..];
    }
    let framed = framed(behind, header);
    Ok(behind.iter().all(|octet| is_filler(*octet))
        || framed.is_some_and(|octets| is_record(octets, decoder, &mut Arena::new())))
}

/// Returns how far to look ahead for what follows a frame.
fn looked_at(frame: usize) -> usize {
    frame.min(RECORD_OCTETS_MAX) + CHUNK_OCTETS
}

/// Returns the octets of the record after the header at the start of these.
fn framed(octets: &[u8], header: RecordHeader) -> Option<&[u8]> {
    let frame_header = header
        .read(octets)
        .filter(|frame_header| frame_header.length > 0 && !frame_header.is_filler)?;
    octets.get(frame_header.own..)?.get(..frame_header.length)
}

fn is_record(octets: &[u8], decoder: &Decoder<'_>, probe: &mut Arena) -> bool {
    probe.reset();
    whole(&decoder.whole(), octets, probe).is_ok()
}
