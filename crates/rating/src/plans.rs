//! Plans that are valid one after the other.

use crate::plan::Plan;
use crate::time::Moment;
use crate::usage::{NoTariff, Step, nothing};

/// Plans, each valid from a moment on until the next one is. What prices a usage is the plan that was valid when it
/// started, so that what is rated late, or again, has the price it would have had then.
#[derive(Debug)]
pub struct Plans {
    /// In the order of their moments.
    valid: Vec<(Moment, Plan)>,
}

impl Plans {
    /// One that is valid always.
    pub fn always(plan: Plan) -> Self {
        Plans { valid: vec![(Moment::MIN, plan)] }
    }

    /// Several, each with the moment from which it is valid.
    pub fn in_turn(mut valid: Vec<(Moment, Plan)>) -> Self {
        valid.sort_by_key(|(from, _)| *from);
        Plans { valid }
    }

    /// The plan that is valid at a moment; none before the first.
    #[inline]
    pub fn at(&self, moment: Moment) -> Option<&Plan> {
        // Most usages are of the plan that is valid now, which is the last or the one before.
        self.valid.iter().rev().find(|(from, _)| *from <= moment).map(|(_, plan)| plan)
    }

    /// As [`at`](Self::at), or why there is none.
    #[inline]
    pub fn valid(&self, start: Moment) -> Result<&Plan, NoTariff> {
        self.at(start).ok_or_else(|| {
            nothing(Step::Time, "no version of the plan was valid when this started")
        })
    }

    /// The same of other plans.
    pub fn map(self, other: impl Fn(Plan) -> Plan) -> Self {
        Plans { valid: self.valid.into_iter().map(|(from, plan)| (from, other(plan))).collect() }
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Plan> {
        self.valid.iter().map(|(_, plan)| plan)
    }
}
