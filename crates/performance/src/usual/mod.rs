//! What is usual of a number: what it was in the same slot of the weeks before, by statistics that one odd week does not move.
//!
//! A slot [has learned](Learned) the median of its values and their usual distance from it. What is [usual](Usual) now is that median
//! at the [level](Level) of the last day, and a value is judged by how many distances it is away. When all values are on a new level
//! for days, this is a [shift](Shift), and not one alarm after the other. Values of the weeks are stored [quantised](Quantised).

mod level;
mod quantised;
mod recent;
pub mod robust;
mod shift;

pub use level::Level;
pub use quantised::Quantised;
pub use shift::{Shift, Shifted, Side};

/// The values of a slot that say what is usual, at most: its last weeks.
pub const WEEKS_MAX: usize = 8;

/// The values of a slot that say what is usual, at least.
pub const WEEKS_MIN: usize = 4;

/// The least distance, as a share of the middle: numbers of networks are never more even than this.
const SHARE_MIN: f64 = 0.05;

/// What values have in common: those of a slot in the weeks before, or those of siblings now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Learned {
    /// The median.
    pub middle: f64,
    /// The standard deviation, estimated from the median of the distances.
    pub deviation: f64,
}

/// What a number is: it says how exact the number can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Counting {
    /// A count of events.
    Count,
    /// A share of events, 0 to 1.
    Ratio {
        /// The number of events of now that it is a share of.
        of: f64,
    },
    /// Anything else, such as a temperature.
    Other,
}

/// What is usual of a number now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usual {
    /// The usual value.
    pub middle: f64,
    /// How far values usually are from it. Never less than 0.
    pub distance: f64,
}

impl Learned {
    /// Returns what the last [`WEEKS_MAX`] values of a slot have in common. NaN is a value that is not measured, which is left out.
    /// `None` if fewer than [`WEEKS_MIN`] are measured.
    pub fn of(values: &[f64]) -> Option<Learned> {
        let last = &values[values.len().saturating_sub(WEEKS_MAX)..];
        let mut measured = [0.0; WEEKS_MAX];
        let mut count = 0;
        for value in last.iter().filter(|value| value.is_finite()) {
            measured[count] = *value;
            count += 1;
        }
        (count >= WEEKS_MIN).then(|| Learned::all(&mut measured[..count]))
    }

    /// Returns what the values of siblings have in common, if at least so many are measured. It changes their order, and those that
    /// are measured.
    pub fn of_peers(values: &mut [f64], at_least: usize) -> Option<Learned> {
        let mut count = 0;
        for at in 0..values.len() {
            if values[at].is_finite() {
                values.swap(at, count);
                count += 1;
            }
        }
        (count >= at_least.max(1)).then(|| Learned::all(&mut values[..count]))
    }

    fn all(values: &mut [f64]) -> Learned {
        let middle = robust::median(values);
        Learned { middle, deviation: robust::deviation(values, middle) }
    }

    /// Returns what is usual now, at a [level](Level::now), which is 1 if all is as in the weeks before.
    pub fn usual(self, level: f64, counting: Counting) -> Usual {
        let middle = self.middle * level;
        let least = counting.error(middle).max(middle.abs() * SHARE_MIN);
        Usual { middle, distance: (self.deviation * level).max(least) }
    }
}

impl Counting {
    /// Returns the standard deviation that chance alone gives to a number: that of a Poisson or a binomial distribution.
    ///
    /// It is never 0 for a count or a ratio: where none is usual, one event is not beyond chance. So a count is at least 1 here, and a
    /// ratio is held between those of two more events, of which one counts (Agresti and Coull, "Approximate is better than 'exact' for
    /// interval estimation of binomial proportions", 1998).
    pub fn error(self, middle: f64) -> f64 {
        match self {
            Counting::Count => middle.max(1.0).sqrt(),
            Counting::Ratio { of } => {
                let of = of.max(1.0);
                let share = (middle.clamp(0.0, 1.0) * of + 1.0) / (of + 2.0);
                (share * (1.0 - share) / of).sqrt()
            }
            Counting::Other => 0.0,
        }
    }
}

impl Usual {
    /// Returns how many distances a value is away: below 0 if it is less than the middle, NaN if it is not measured, and infinite if
    /// it differs at all where nothing ever did.
    pub fn away(self, value: f64) -> f64 {
        match value - self.middle {
            0.0 => 0.0,
            difference => difference / self.distance,
        }
    }

    /// Returns the value that is so many distances away.
    pub fn at(self, away: f64) -> f64 {
        self.middle + away * self.distance
    }
}
