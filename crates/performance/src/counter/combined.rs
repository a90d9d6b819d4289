//! How values become one: of the objects of a parent, or of the periods of a longer one.

/// How values become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combining {
    /// Their sum.
    Sum,
    /// Their mean. Each value counts the same, whatever the size of its object or the length of its period.
    Mean,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

/// Values that become one. Those that are not measured are counted and take no part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Combined {
    combining: Combining,
    /// The sum, or the least or the greatest one so far.
    total: f64,
    measured: u32,
    all: u32,
}

impl Combining {
    /// All of them, with their names in tables.
    pub(super) const NAMES: [(&str, Combining); 4] = [
        ("sum", Combining::Sum),
        ("mean", Combining::Mean),
        ("min", Combining::Min),
        ("max", Combining::Max),
    ];

    /// Combines values, of which NaN are those that are not measured.
    pub fn of(self, values: impl IntoIterator<Item = f64>) -> Combined {
        let mut combined = Combined::new(self);
        values.into_iter().for_each(|value| combined.add(value));
        combined
    }
}

impl Combined {
    /// Returns no values yet.
    pub fn new(combining: Combining) -> Combined {
        let total = match combining {
            Combining::Sum | Combining::Mean => 0.0,
            Combining::Min => f64::INFINITY,
            Combining::Max => f64::NEG_INFINITY,
        };
        Combined { combining, total, measured: 0, all: 0 }
    }

    /// Adds a value; NaN if it is not measured. Sums of counts are exact up to 2^53, and others depend on the order in the last bits.
    pub fn add(&mut self, value: f64) {
        self.all = self.all.saturating_add(1);
        if !value.is_finite() {
            return;
        }
        self.measured = self.measured.saturating_add(1);
        match self.combining {
            Combining::Sum | Combining::Mean => self.total += value,
            Combining::Min => self.total = self.total.min(value),
            Combining::Max => self.total = self.total.max(value),
        }
    }

    /// Returns the value of those that are measured; NaN if none is.
    pub fn value(&self) -> f64 {
        let value = match self.combining {
            Combining::Mean => self.total / f64::from(self.measured),
            _ => self.total,
        };
        if self.measured > 0 && value.is_finite() { value } else { f64::NAN }
    }

    /// Returns how many values are measured.
    pub fn measured(&self) -> u32 {
        self.measured
    }

    /// Returns how many values there are, those that are not measured included.
    pub fn all(&self) -> u32 {
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_one_and_those_not_measured_are_counted() {
        let values = [4.0, f64::NAN, -1.0, 9.0];
        for (combining, expected) in [
            (Combining::Sum, 12.0),
            (Combining::Mean, 4.0),
            (Combining::Min, -1.0),
            (Combining::Max, 9.0),
        ] {
            let combined = combining.of(values);
            assert_eq!(combined.value(), expected, "{combining:?}");
            assert_eq!((combined.measured(), combined.all()), (3, 4));
        }
    }

    #[test]
    fn nothing_measured_is_no_value() {
        for (_, combining) in Combining::NAMES {
            assert!(combining.of([]).value().is_nan());
            let combined = combining.of([f64::NAN, f64::INFINITY]);
            assert!(combined.value().is_nan());
            assert_eq!((combined.measured(), combined.all()), (0, 2));
        }
        assert!(Combining::Sum.of([f64::MAX, f64::MAX]).value().is_nan());
    }
}
