//! Skips elements that are not decoded in one loop: values, and structures of values.

use crate::limits::DEPTH_MAX;

/// By identifier octet: whether it is a whole identifier of a primitive element. 0 is none, since it ends contents.
pub(super) const LEAF_IDENTIFIERS: [bool; 256] = {
    let (mut table, mut identifier) = ([false; 256], 1);
    while identifier < 256 {
        table[identifier] = identifier & 0x20 == 0 && identifier & 0x1F != 0x1F;
        identifier += 1;
    }
    table
};

/// Skips the primitive elements with short headers at the beginning of octets. Returns the rest.
#[inline(always)]
fn behind_leaves(mut octets: &[u8]) -> &[u8] {
    while let Some((identifier, _, behind)) = short_element(octets)
        && LEAF_IDENTIFIERS[usize::from(identifier)]
    {
        octets = behind;
    }
    octets
}

/// Returns whether an octet is a whole identifier of a constructed element.
#[inline(always)]
pub(super) fn is_short_structure(identifier: u8) -> bool {
    identifier & 0x20 != 0 && identifier & 0x1F != 0x1F
}

/// Returns whether these octets, inside an element at a depth, are values and structures of values, all with short
/// headers. Most elements that are not decoded are such, and need no further check.
#[inline(never)]
pub(super) fn is_shallow(mut octets: &[u8], depth: u32) -> bool {
    if depth + 2 > DEPTH_MAX {
        return false;
    }
    loop {
        octets = behind_leaves(octets);
        let Some((identifier, content, behind)) = short_element(octets) else {
            return octets.is_empty();
        };
        if !is_short_structure(identifier) || !behind_leaves(content).is_empty() {
            return false;
        }
        octets = behind;
    }
}

/// Returns the first identifier octet, the content, and the rest, of an element whose length is the second octet. One
/// comparison checks for the end of the octets and for a longer length: sign-extended, the first octet of such a length
/// exceeds every size.
#[inline(always)]
fn short_element(octets: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let [identifier, length, content @ ..] = octets else { return None };
    let (content, behind) = content.split_at_checked(*length as i8 as usize)?;
    Some((*identifier, content, behind))
}
