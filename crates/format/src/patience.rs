//! How many octets of a file may be searched for an end that is not there: a closing quote, the end of an element. Otherwise
//! hostile files would cost the square of their size.

/// The whole budget, and what each octet that is read earns back.
const OCTETS: usize = 64 << 20;
const PER_OCTET: usize = 16;

/// A budget of octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience(usize);

impl Patience {
    /// The whole budget.
    pub(crate) const WHOLE: Self = Patience(OCTETS);

    /// What is left.
    pub(crate) fn octets(self) -> usize {
        self.0
    }

    /// So many octets were read to their end.
    pub(crate) fn earn(&mut self, octets: usize) {
        self.0 = (self.0 + octets * PER_OCTET).min(OCTETS);
    }

    /// So many octets were searched in vain.
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
