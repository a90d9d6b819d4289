//! A window of a text whose characters may be of units of two octets: code that looks for line ends, quotes and brackets
//! finds one octet a unit, while what is passed are the octets of the file.

use std::io;

use diagnostics::encoding::Unit;

use crate::window::Window;

/// What stands for a unit of two octets that is no character of ASCII. It is never looked for.
const OTHER: u8 = 0x7F;

/// A window of units.
pub(crate) struct Units {
    window: Window,
    unit: Unit,
    /// Of units of two octets: an octet for each that lies ahead, behind `start` of them.
    narrow: Vec<u8>,
    start: usize,
}

impl Units {
    pub(crate) fn new(window: Window, unit: Unit) -> Self {
        Units { window, unit, narrow: Vec::new(), start: 0 }
    }

    /// The octets of a unit.
    fn width(&self) -> usize {
        match self.unit {
            Unit::One => 1,
            Unit::TwoLittle | Unit::TwoBig => 2,
        }
    }

    /// An octet for each unit in memory that was not passed yet.
    #[inline]
    pub(crate) fn ahead(&self) -> &[u8] {
        match self.unit {
            Unit::One => self.window.ahead(),
            _ => &self.narrow[self.start..],
        }
    }

    /// Makes sure that so many units lie ahead, if the file has them.
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
            // An octet too many is told with the line that it is in.
            self.narrow.extend(std::iter::repeat_n(OTHER, rest));
        }
    }

    /// Whether [`ahead`](Self::ahead) is all that the file still has.
    pub(crate) fn is_all(&self) -> bool {
        self.window.is_all()
    }

    /// Where in the file it is.
    #[inline]
    pub(crate) fn position(&self) -> u64 {
        self.window.position()
    }

    /// Passes units; returns their octets.
    #[inline]
    pub(crate) fn pass(&mut self, units: usize) -> &[u8] {
        if self.unit == Unit::One {
            return self.window.pass(units);
        }
        self.start += units;
        let octets = (units * 2).min(self.window.ahead().len());
        self.window.pass(octets)
    }

    /// The same, read as units of another width. Nothing was passed yet.
    pub(crate) fn of(self, unit: Unit) -> Self {
        Units::new(self.window, unit)
    }

    /// The octets of so many units, which lie ahead.
    pub(crate) fn raw(&self, units: usize) -> &[u8] {
        &self.window.ahead()[..self.octets(units)]
    }

    /// How many octets so many units are, which lie ahead.
    pub(crate) fn octets(&self, units: usize) -> usize {
        (units * self.width()).min(self.window.ahead().len())
    }

    pub(crate) fn into_octets(self) -> Vec<u8> {
        self.window.into_octets()
    }
}

/// Appends an octet for each unit of two octets.
pub(crate) fn narrow(octets: &[u8], unit: Unit, out: &mut Vec<u8>) {
    out.extend(octets.as_chunks::<2>().0.iter().map(|pair| {
        let unit = match unit {
            Unit::TwoBig => u16::from_be_bytes(*pair),
            Unit::One | Unit::TwoLittle => u16::from_le_bytes(*pair),
        };
        if unit < 0x80 { unit as u8 } else { OTHER }
    }));
}
