//! Where things happen: towns with cells. The hundreds of a cell's number are those of its town, so a rule can tell towns apart.

use crate::random::Random;

/// A town.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Town(u32);

/// The town from which some travel to work in [`UPPSALA`].
pub(super) const STOCKHOLM: Town = Town(1);
pub(super) const UPPSALA: Town = Town(2);

/// The other towns of the network: Gothenburg, Malmö, Umeå.
const HOME: [Town; 3] = [Town(3), Town(4), Town(5)];

/// The towns of its roaming partners: Oslo, London, Istanbul, Nairobi, Bangkok.
const ABROAD: [Town; 5] = [Town(11), Town(12), Town(13), Town(14), Town(15)];

/// The cells of a town, from the south-west to the north-east.
const CELLS: u32 = 20;

impl Town {
    /// Returns a town of the network; most people live in the first.
    pub(super) fn at_home(random: &mut Random) -> Self {
        match random.below(10) {
            0..5 => STOCKHOLM,
            5 => UPPSALA,
            other => HOME[(other as usize - 6).min(2)],
        }
    }

    /// Returns another town of the network, far away.
    pub(super) fn far_from(self) -> Self {
        if self == Town(5) { Town(4) } else { Town(5) }
    }

    pub(super) fn abroad(random: &mut Random) -> Self {
        ABROAD[random.below(ABROAD.len() as u32) as usize]
    }

    /// Returns a cell of it.
    pub(super) fn cell(self, random: &mut Random) -> u32 {
        self.0 * 100 + 1 + random.below(CELLS)
    }

    /// Returns the cells at its south-western and north-eastern corners.
    pub(super) fn corners(self) -> [u32; 2] {
        [self.0 * 100 + 1, self.0 * 100 + CELLS]
    }
}
