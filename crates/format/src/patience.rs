//! A budget of octets to search in vain, for a missing closing quote or end tag. Without it, hostile files would take
//! quadratic time.

/// The whole budget, and what each octet read restores.
const OCTETS: usize = 64 << 20;
const PER_OCTET: usize = 16;

/// A budget of octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience(usize);

impl Patience {
    /// The whole budget.
    pub(crate) const WHOLE: Self = Patience(OCTETS);

    /// Returns the rest.
    pub(crate) fn octets(self) -> usize {
        self.0
    }

    /// Restores the budget after so many octets were read.
    pub(crate) fn earn(&mut self, octets: usize) {
        self.0 = (self.0 + octets * PER_OCTET).min(OCTETS);
    }

    /// Charges so many octets searched in vain.
    pub(crate) fn spend(&mut self, octets: usize) {
        self.0 = self.0.saturating_sub(octets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_earned_back_up_to_the_whole() {
        let mut patience = Patience::WHOLE;
        patience.spend(OCTETS - 1);
        patience.earn(1);
        assert_eq!(patience.octets(), 1 + PER_OCTET);
        patience.spend(OCTETS);
        assert_eq!(patience.octets(), 0);
        patience.earn(OCTETS);
        assert_eq!(patience, Patience::WHOLE);
    }
}
