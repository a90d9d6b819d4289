//! Elements that nobody looks into, passed over in one loop: values, and structures of values.

use crate::limits::DEPTH_MAX;

/// By identifier octet: whether it is a whole identifier of an element without others within. 0 ends contents.
pub(super) const LEAF_IDENTIFIERS: [bool; 256] = {
    let (mut table, mut identifier) = ([false; 256], 1);
    while identifier < 256 {
        table[identifier] = identifier & 0x20 == 0 && identifier & 0x1F != 0x1F;
        identifier += 1;
    }
    table
};

/// What is behind the values without elements within, of short headers, that octets begin with.
#[inline(always)]
fn behind_leaves(mut octets: &[u8]) -> &[u8] {
    while let Some((identifier, _, behind)) = short_element(octets)
        && LEAF_IDENTIFIERS[usize::from(identifier)]
    {
        octets = behind;
    }
    octets
}

/// Whether an octet is a whole identifier of an element with others within.
#[inline(always)]
pub(super) fn is_short_structure(identifier: u8) -> bool {
    identifier & 0x20 != 0 && identifier & 0x1F != 0x1F
}

/// Whether these octets, within something at a depth, are values and structures of values, all with short
/// headers: what nobody looks into usually is, and is seen to by this.
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

/// The first octet of the identifier, the content, and what is behind, of an element whose length is the second
/// octet. One look whether the octets are enough sees to lengths of more octets too: with its sign, the first of
/// those is longer than anything.
#[inline(always)]
fn short_element(octets: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let [identifier, length, content @ ..] = octets else { return None };
    let (content, behind) = content.split_at_checked(*length as i8 as usize)?;
    Some((*identifier, content, behind))
}
