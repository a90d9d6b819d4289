//! A window over text of one- or two-byte units. Searches for line ends, quotes and brackets see
//! one byte per unit; positions and data refer to the bytes of the file.

use std::io;

use diagnostics::encoding::Unit;

use crate::window::Window;

/// Stands for a two-byte unit that is not ASCII. No search looks for it.
const OTHER: u8 = 0x7F;

pub(crate) struct Units {
    window: Window,
    unit: Unit,
    /// With two-byte units: one octet for each unit ahead, from `start` on.
    narrow: Vec<u8>,
    start: usize,
}

impl Units {
    pub(crate) fn new(window: Window, unit: Unit) -> Self {
        Units { window, unit, narrow: Vec::new(), start: 0 }
    }

    /// Returns the octets per unit.
    fn width(&self) -> usize {
        match self.unit {
            Unit::One => 1,
            Unit::TwoLittle | Unit::TwoBig => 2,
        }
    }

    /// Returns one octet for each unit in memory that was not passed yet.
    #[inline]
    pub(crate) fn ahead(&self) -> &[u8] {
        match self.unit {
            Unit::One => self.window.ahead(),
            _ => &self.narrow[self.start..],
        }
    }

    /// Makes at least `units` units available, unless the file ends before.
    #[inline]
    pub(crate) fn look_ahead(&mut self, units: usize) -> io::Result<()> {
        if self.unit == Unit::One {
            return self.window.look_ahead(units);
        }
        self.window.look_ahead(units * 2)?;
        self.narrow_more();
        Ok(())
    }

    fn narrow_more(&mut self) {
        if self.start > 0 {
            self.narrow.drain(..self.start);
            self.start = 0;
        }
        let ahead = self.window.ahead();
        let known = (self.narrow.len() * 2).min(ahead.len());
        let rest = if self.window.is_all() { ahead.len() % 2 } else { 0 };
        if known < ahead.len() {
            narrow(&ahead[known..ahead.len() - rest], self.unit, &mut self.narrow);
            // An odd byte at the end is reported with its line.
            self.narrow.extend(std::iter::repeat_n(OTHER, rest));
        }
    }

    /// Returns whether [`ahead`](Self::ahead) is the rest of the file.
    pub(crate) fn is_all(&self) -> bool {
        self.window.is_all()
    }

    /// Returns the current offset in the file.
    #[inline]
    pub(crate) fn position(&self) -> u64 {
        self.window.position()
    }

    /// Passes units and returns their bytes.
    #[inline]
    pub(crate) fn pass(&mut self, units: usize) -> &[u8] {
        if self.unit == Unit::One {
            return self.window.pass(units);
        }
        self.start += units;
        let octets = (units * 2).min(self.window.ahead().len());
        self.window.pass(octets)
    }

    /// Returns the same window with another unit. Must be called before anything is passed.
    pub(crate) fn of(self, unit: Unit) -> Self {
        Units::new(self.window, unit)
    }

    /// Returns the octets of the next `units` units.
    pub(crate) fn raw(&self, units: usize) -> &[u8] {
        &self.window.ahead()[..self.octets(units)]
    }

    /// Returns the length in octets of the next `units` units.
    pub(crate) fn octets(&self, units: usize) -> usize {
        (units * self.width()).min(self.window.ahead().len())
    }

    pub(crate) fn into_octets(self) -> Vec<u8> {
        self.window.into_octets()
    }
}

/// Appends one byte for each two-byte unit.
pub(crate) fn narrow(octets: &[u8], unit: Unit, out: &mut Vec<u8>) {
    out.extend(octets.as_chunks::<2>().0.iter().map(|pair| {
        let unit = match unit {
            Unit::TwoBig => u16::from_be_bytes(*pair),
            Unit::One | Unit::TwoLittle => u16::from_le_bytes(*pair),
        };
        if unit < 0x80 { unit as u8 } else { OTHER }
    }));
}
