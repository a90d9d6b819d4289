//! Values in two octets each, which is exact enough for what is usual.

/// A value in two octets.
///
/// Values are on a logarithmic scale with 315 steps an octave: a value and what is stored of it differ by 0.11 % at most. 0 is exact.
/// What is less than 2^-40 without its sign becomes 2^-40, and what is greater than 2^64 becomes that: no value becomes 0, and none
/// changes its sign. Values are in the order of their codes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Quantised(u16);

/// The steps of an octave.
const STEPS: f64 = 315.0;

/// The logarithm, to the base 2, of the least value that is greater than 0.
const LEAST: f64 = -40.0;

/// The code of 0. Those of negative values are below, and those of positive ones above.
const ZERO: u16 = 0x8000;

/// The steps of each sign.
const STEPS_MAX: u16 = 0x7fff;

impl Quantised {
    /// A value that is not measured.
    pub const NOT_MEASURED: Quantised = Quantised(0);

    /// Returns what is stored of a value, of which NaN and the infinite are not measured.
    pub fn of(value: f64) -> Quantised {
        if !value.is_finite() {
            return Quantised::NOT_MEASURED;
        }
        if value == 0.0 {
            return Quantised(ZERO);
        }
        let step = 1.0 + ((value.abs().log2() - LEAST) * STEPS).round();
        let step = step.clamp(1.0, f64::from(STEPS_MAX)) as u16;
        Quantised(if value > 0.0 { ZERO + step } else { ZERO - step })
    }

    /// Returns the value; NaN if it is not measured.
    pub fn value(self) -> f64 {
        let size = |step: u16| (f64::from(step - 1) / STEPS + LEAST).exp2();
        match self.0 {
            0 => f64::NAN,
            ZERO => 0.0,
            code if code > ZERO => size(code - ZERO),
            code => -size(ZERO - code),
        }
    }

    /// Returns the code, as it is stored.
    pub fn code(self) -> u16 {
        self.0
    }

    /// Returns the value of a code. Each code has one.
    pub fn from_code(code: u16) -> Quantised {
        Quantised(code)
    }
}

impl Default for Quantised {
    fn default() -> Quantised {
        Quantised::NOT_MEASURED
    }
}

impl std::fmt::Debug for Quantised {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.value())
    }
}
