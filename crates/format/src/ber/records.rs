//! Consecutive records, with filler between them. Some may be damaged.

use std::io;

use asn1::ber::{Decoder, Reason, extent};
use record::Arena;

use super::blocks::Blocks;
use super::{BerError, RECORD_OCTETS_MAX, is_filler};
use crate::coding::Read;
use crate::window::{CHUNK_OCTETS, Window};

/// The octets to have in memory: enough for nearly all records. The rest of larger ones is read when needed.
const RECORD_OCTETS_USUAL: usize = 4 * 1024;

/// How far to search for the next record after damage. Then the damage so far is reported and a new search begins. This
/// bounds the time that hostile octets can take.
pub(super) const SEARCH_OCTETS_MAX: usize = 64 * 1024;

/// Maximum octets that a search may read, where octets count again for each beginning that leads nowhere. Without this,
/// octets that look like endless records would take quadratic time. Beyond it, everything searched is damage.
pub(super) const SEARCH_WORK_OCTETS_MAX: usize = 16 * 1024 * 1024;

const _: () = assert!(SEARCH_OCTETS_MAX < CHUNK_OCTETS);

/// Returns the next record, or the damage up to the next record.
#[inline(always)]
pub(super) fn next<'w>(
    window: &'w mut Window,
    decoder: &Decoder<'_>,
    blocks: &mut Blocks<'_>,
    arena: &mut Arena,
) -> io::Result<Option<Read<'w>>> {
    window.look_ahead(RECORD_OCTETS_USUAL)?;
    // Nearly always a whole record is ahead: decoding it also finds its end.
    if window.ahead().first().is_some_and(|octet| !is_filler(*octet))
        && let Ok((record, length)) = decoder.decode_first(window.ahead(), arena)
    {
        let offset = window.position();
        return Ok(Some(Read { offset, octets: window.pass(length), record: Ok(record) }));
    }
    next_slowly(window, decoder, blocks, arena)
}

/// Slow path of [`next`]: filler, a block, damage, a record not yet in memory, or the end.
#[cold]
fn next_slowly<'w>(
    window: &'w mut Window,
    decoder: &Decoder<'_>,
    blocks: &mut Blocks<'_>,
    arena: &mut Arena,
) -> io::Result<Option<Read<'w>>> {
    let (length, record) = loop {
        if !skip_filler(window)? {
            return Ok(None);
        }
        arena.reset();
        let length = record_length(window)?;
        let decoded =
            length.map_err(|reason| cut_off(reason, window.is_all())).and_then(|length| {
                let octets = &window.ahead()[..length];
                let decoded = decoder.decode(octets, arena);
                decoded
                    .map(|record| (length, record))
                    .map_err(|error| BerError::decode(decoder, octets, error))
            });
        match decoded {
            Ok((length, record)) => break (length, Ok(record)),
            Err(error) => match blocks.block(window.look_at(blocks.octets_max())?) {
                Some(block) => {
                    window.pass(block);
                    blocks.passed += block as u64;
                }
                None => {
                    break (
                        damage(window, decoder, blocks, length.ok(), arena)?,
                        Err(error.into()),
                    );
                }
            },
        }
    };
    let offset = window.position();
    Ok(Some(Read { offset, octets: window.pass(length), record }))
}

/// Returns why a record outside of any structure has no end.
#[cold]
fn cut_off(reason: Reason, is_all: bool) -> Box<BerError> {
    Box::new(match (reason, is_all) {
        (Reason::Truncated | Reason::LongerThanParent, true) => BerError::CutOff,
        (Reason::Truncated | Reason::LongerThanParent, false) => BerError::TooLong,
        (reason, _) => BerError::Element(reason),
    })
}

/// Skips filler. Returns whether a record follows it.
#[inline]
pub(super) fn skip_filler(window: &mut Window) -> io::Result<bool> {
    loop {
        window.look_ahead(1)?;
        match window.ahead().iter().position(|octet| !is_filler(*octet)) {
            Some(filler) => {
                window.pass(filler);
                return Ok(true);
            }
            None => {
                window.pass(window.ahead().len());
            }
        }
        if window.is_all() {
            return Ok(false);
        }
    }
}

/// Returns the length of the record ahead.
#[inline]
fn record_length(window: &mut Window) -> io::Result<Result<usize, Reason>> {
    loop {
        let found = extent(window.ahead(), 0);
        let more_may_help = matches!(found, Err(Reason::Truncated | Reason::LongerThanParent));
        let ahead_octets = window.ahead().len();
        if !more_may_help || window.is_all() || ahead_octets >= RECORD_OCTETS_MAX {
            return Ok(found);
        }
        window.look_ahead((ahead_octets * 2).clamp(CHUNK_OCTETS, RECORD_OCTETS_MAX))?;
    }
}

/// Returns how many octets belong to the damage ahead.
#[cold]
fn damage(
    window: &mut Window,
    decoder: &Decoder<'_>,
    blocks: &Blocks<'_>,
    length: Option<usize>,
    arena: &mut Arena,
) -> io::Result<usize> {
    // An outline with few types would accept nearly anything as a record.
    let decoder = decoder.whole();
    let ahead = window.look_at(length.unwrap_or(0) + CHUNK_OCTETS)?;
    let mut probe = Arena::new();
    let mut starts = |at: usize| {
        probe.reset();
        match ahead.get(at) {
            None => true,
            Some(octet) if is_filler(*octet) => false,
            Some(_) => extent(ahead, at)
                .is_ok_and(|end| decoder.decode(&ahead[at..end], &mut probe).is_ok()),
        }
    };
    // If the length is right, the damage ends with the record.
    if let Some(length) = length
        && starts(behind_blocks(ahead, length, blocks))
    {
        return Ok(length);
    }
    let searched = ahead.len().min(SEARCH_OCTETS_MAX);
    let mut work = 0;
    for at in 1..searched {
        if is_filler(ahead[at]) {
            continue;
        }
        if blocks.block(&ahead[at..]).is_some() && starts(behind_blocks(ahead, at, blocks)) {
            return Ok(at);
        }
        arena.reset();
        match decoder.decode_first(&ahead[at..], arena) {
            Ok(_) => return Ok(at),
            Err(error) => work += error.offset + reach(error.reason, ahead.len() - at),
        }
        if work > SEARCH_WORK_OCTETS_MAX {
            break;
        }
    }
    Ok(searched)
}

/// Returns the first place from `at` on that is neither filler nor in a block.
pub(super) fn behind_blocks(octets: &[u8], mut at: usize, blocks: &Blocks<'_>) -> usize {
    loop {
        let behind = octets.get(at..).unwrap_or_default();
        let filler = behind.iter().take_while(|octet| is_filler(**octet)).count();
        at += filler;
        match blocks.block(&behind[filler..]) {
            Some(block) => at += block,
            None => return at,
        }
    }
}

/// Returns how far the decoder may have searched for a missing end.
fn reach(reason: Reason, rest: usize) -> usize {
    match reason {
        Reason::Truncated | Reason::LongerThanParent => rest,
        _ => 0,
    }
}

/// Returns the length of the element ahead, which is in memory; or the rest of the file, and why it is no element.
pub(super) fn element(window: &mut Window) -> io::Result<Result<usize, (usize, Box<BerError>)>> {
    match record_length(window)? {
        Ok(length) => Ok(Ok(length)),
        Err(reason) => Ok(Err((window.ahead().len(), cut_off(reason, window.is_all())))),
    }
}
