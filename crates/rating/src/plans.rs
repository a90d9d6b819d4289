//! The versions of a plan.

use std::sync::Arc;

use crate::no_tariff::{Cause, NoTariff};
use crate::plan::Plan;
use crate::time::Moment;
use crate::usage::Step;

/// Plans, each valid from a moment until the next one is. A usage is priced by the plan that was valid when it started,
/// so a usage that is rated late, or again, gets the same price.
#[derive(Clone, Debug)]
pub struct Plans {
    /// In order of time.
    valid: Vec<(Moment, Arc<Plan>)>,
}

impl Plans {
    /// Creates a plan that is always valid.
    pub fn always(plan: Plan) -> Self {
        Plans { valid: vec![(Moment::MIN, Arc::new(plan))] }
    }

    /// Creates plans, each with the moment from which it is valid.
    pub fn in_turn(mut valid: Vec<(Moment, Plan)>) -> Self {
        valid.sort_by_key(|(from, _)| *from);
        Plans { valid: valid.into_iter().map(|(from, plan)| (from, Arc::new(plan))).collect() }
    }

    /// Returns the plan that is valid at a moment; `None` before the first.
    #[inline]
    pub fn at(&self, moment: Moment) -> Option<&Plan> {
        // Most usages are of the last plan, or the one before.
        self.valid.iter().rev().find(|(from, _)| *from <= moment).map(|(_, plan)| &**plan)
    }

    /// Like [`at`](Self::at), with an error if there is none.
    #[inline]
    pub fn valid(&self, start: Moment) -> Result<&Plan, NoTariff> {
        self.at(start).ok_or_else(|| NoTariff::new(Step::Time, Cause::NoVersion))
    }

    /// Replaces each plan.
    pub fn map(self, other: impl Fn(Plan) -> Plan) -> Self {
        let other = |plan| Arc::new(other(Arc::unwrap_or_clone(plan)));
        Plans { valid: self.valid.into_iter().map(|(from, plan)| (from, other(plan))).collect() }
    }

    /// Lets others take the place of these plans at a moment. All of these are valid [before](Self::before) it.
    pub fn then(mut self, others: Plans, since: Moment) -> Plans {
        let begun = others.valid.partition_point(|(from, _)| *from <= since);
        let others = others.valid.into_iter().skip(begun.saturating_sub(1));
        self.valid.extend(others.map(|(from, plan)| (from.max(since), plan)));
        self
    }

    /// Returns the plans that are valid before a moment. They are shared.
    pub fn before(&self, moment: Moment) -> Plans {
        let valid = self.valid.iter().filter(|(from, _)| *from < moment).cloned();
        Plans { valid: valid.collect() }
    }

    /// Forgets plans that were valid until a moment at most, and of the others all but the last `most`. A usage that began
    /// earlier goes by the first one that is left.
    pub fn forget(&mut self, until: Moment, most: usize) {
        let ended = self.valid.iter().skip(1).take_while(|(from, _)| *from <= until).count();
        self.valid.drain(..ended.max(self.valid.len().saturating_sub(most.max(1))));
        if let Some((from, _)) = self.valid.first_mut() {
            *from = Moment::MIN;
        }
    }

    /// Returns all plans.
    pub fn all(&self) -> impl Iterator<Item = &Plan> {
        self.valid.iter().map(|(_, plan)| &**plan)
    }
}
