//! Detects the framing from the beginning of a file. A framing is accepted if its first record can be decoded. If none
//! fits, the file is read as consecutive records, which gives the best errors.

use std::io;

use asn1::ber::{Decoder, extent};
use record::Arena;

use super::ts32297::{FILE_HEADER_OCTETS_MAX, FILE_HEADER_OCTETS_MIN, lengths};
use super::{BLOCK_OCTETS, Framing, framed, is_filler};
use crate::window::{CHUNK_OCTETS, Window};

/// Returns the framing of a file of so many octets.
pub(super) fn detect(
    window: &mut Window,
    octets: u64,
    decoder: &Decoder<'_>,
) -> io::Result<Framing> {
    window.look_ahead(CHUNK_OCTETS)?;
    let ahead = window.ahead();
    let mut arena = Arena::new();
    let mut starts = |at: usize| {
        arena.reset();
        extent(ahead, at).is_ok_and(|end| decoder.decode(&ahead[at..end], &mut arena).is_ok())
    };
    let filler = ahead.iter().take_while(|octet| is_filler(**octet)).count();
    if starts(filler) {
        return Ok(Framing::Records);
    }
    if let Some((length, header)) = lengths(ahead) {
        let is_header =
            (FILE_HEADER_OCTETS_MIN..=FILE_HEADER_OCTETS_MAX).contains(&(header as usize));
        let is_length = u64::from(length) == octets || length == u32::MAX;
        // A truncated file is shorter than its header says.
        let has_record =
            || framed::begins(ahead, header as usize, framed::RecordHeader::Ts32297, decoder);
        if is_header && (is_length || has_record()) {
            return Ok(Framing::Ts32297);
        }
    }
    for size in [2, 4] {
        let prefix = ahead.get(..size).unwrap_or_default();
        let length = prefix.iter().fold(0, |length, octet| length << 8 | usize::from(*octet));
        let fits = extent(ahead, size).is_ok_and(|end| end == size + length);
        if fits && starts(size) {
            return Ok(Framing::Length(size));
        }
    }
    // An outer structure that is no record itself, contains one, and fills the file except for filler.
    let is_all = super::batch::outer(ahead).is_some_and(|outer| match outer.length {
        Some(length) => {
            let end = length.saturating_add(outer.content as u64);
            end <= octets && octets - end < BLOCK_OCTETS
        }
        None => true,
    });
    match is_all && super::batch::first_inside(ahead, &mut starts) {
        true => Ok(Framing::Batch),
        false => Ok(Framing::Records),
    }
}
