//! The contents of registers: a number, the index of a slot, or a reference to octets.

use record::Memory;

/// The memory that octets lie in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    /// The script's constants.
    Constants = 0,
    /// The octets of the incoming record.
    Source = 1,
    /// The record's arena.
    Arena = 2,
}

/// Maximum length of a string, and maximum offset: 31 bits each.
pub(crate) const OCTETS_MAX: usize = (1 << 31) - 1;
const OCTETS_MASK: u64 = OCTETS_MAX as u64;

/// A string in a register: two bits of area, then length, then offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Octets(pub(crate) u64);

impl Octets {
    /// Returns `offset .. offset + length` of an area.
    #[inline]
    pub(crate) fn new(area: Area, offset: u32, length: u32) -> Self {
        Octets((area as u64) << 62 | u64::from(length) << 31 | u64::from(offset))
    }

    #[inline]
    pub(crate) fn area(self) -> Area {
        match self.0 >> 62 {
            0 => Area::Constants,
            1 => Area::Source,
            _ => Area::Arena,
        }
    }

    #[inline]
    pub(crate) fn offset(self) -> u32 {
        (self.0 & OCTETS_MASK) as u32
    }

    #[inline]
    pub(crate) fn length(self) -> u32 {
        (self.0 >> 31 & OCTETS_MASK) as u32
    }

    /// Returns the octets.
    #[inline]
    pub(crate) fn get<'o>(self, memory: &'o Memory<'_>, constants: &'o [u8]) -> &'o [u8] {
        let area = match self.area() {
            Area::Constants => constants,
            Area::Source => memory.source,
            Area::Arena => memory.arena.octets(),
        };
        &area[self.offset() as usize..self.offset() as usize + self.length() as usize]
    }

    /// Returns a part without a copy. Octets beyond the end are left out.
    pub(crate) fn part(self, from: u64, count: u64) -> Self {
        let length = u64::from(self.length());
        let from = from.min(length);
        let count = count.min(length - from);
        Octets::new(self.area(), self.offset() + from as u32, count as u32)
    }
}
