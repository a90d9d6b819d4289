//! The versions of a plan.

use crate::no_tariff::{Cause, NoTariff};
use crate::plan::Plan;
use crate::time::Moment;
use crate::usage::Step;

/// Plans, each valid from a moment until the next one is. A usage is priced by the plan that was valid when it started,
/// so a usage that is rated late, or again, gets the same price.
#[derive(Debug)]
pub struct Plans {
    /// In order of time.
    valid: Vec<(Moment, Plan)>,
}

impl Plans {
    /// Creates a plan that is always valid.
    pub fn always(plan: Plan) -> Self {
        Plans { valid: vec![(Moment::MIN, plan)] }
    }

    /// Creates plans, each with the moment from which it is valid.
    pub fn in_turn(mut valid: Vec<(Moment, Plan)>) -> Self {
        valid.sort_by_key(|(from, _)| *from);
        Plans { valid }
    }

    /// Returns the plan that is valid at a moment; `None` before the first.
    #[inline]
    pub fn at(&self, moment: Moment) -> Option<&Plan> {
        // Most usages are of the last plan, or the one before.
        self.valid.iter().rev().find(|(from, _)| *from <= moment).map(|(_, plan)| plan)
    }

    /// Like [`at`](Self::at), with an error if there is none.
    #[inline]
    pub fn valid(&self, start: Moment) -> Result<&Plan, NoTariff> {
        self.at(start).ok_or_else(|| NoTariff::new(Step::Time, Cause::NoVersion))
    }

    /// Replaces each plan.
    pub fn map(self, other: impl Fn(Plan) -> Plan) -> Self {
        Plans { valid: self.valid.into_iter().map(|(from, plan)| (from, other(plan))).collect() }
    }

    /// Returns all plans.
    pub fn all(&self) -> impl Iterator<Item = &Plan> {
        self.valid.iter().map(|(_, plan)| plan)
    }
}
