//! A usage that is rated part by part, by callers that store it between the parts.
//!
//! What is stored does not depend on how a plan is laid out in memory. Another reading of the plan goes on with it, also if
//! prices have changed: what was charged stays charged.

use crate::affordable::Affordable;
use crate::counters::SubscriberCounters;
use crate::money::Money;
use crate::no_tariff::NoTariff;
use crate::plan::{Plan, Unit};
use crate::price::{MEASURES_MAX, Priced};
use crate::state::{Charged, State};
use crate::usage::Usage;

/// How far a usage has come: what was used and what it cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The units used.
    pub used: u64,
    /// The units of the intervals that were begun.
    bought: u64,
    /// How many of these bundles paid.
    free: u64,
    /// The exact cost of the others, in measures.
    sum: i128,
    /// How many measures make a billionth.
    measures: i128,
    charged: Charged,
}

/// These octets are no progress of a usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these octets are no progress of a usage")]
pub struct NoProgress;

impl Progress {
    /// The number of octets of the stored form.
    pub const OCTETS: usize = 3 * size_of::<u64>() + 4 * size_of::<i128>();

    /// Returns the charge so far, in billionths, with tax.
    pub fn total(&self) -> i128 {
        self.charged.net + self.charged.tax
    }

    /// Returns the units of the intervals that were begun.
    pub fn billed(&self) -> u64 {
        self.bought
    }

    /// Returns how many of these bundles paid.
    pub fn free(&self) -> u64 {
        self.free
    }

    /// Returns the stored form: the numbers in a row, the lowest octet first.
    pub fn octets(&self) -> [u8; Self::OCTETS] {
        let Progress { used, bought, free, sum, measures, charged: Charged { net, tax } } = *self;
        let mut octets = [0; Self::OCTETS];
        let (short, long) = octets.split_at_mut(3 * size_of::<u64>());
        for (to, number) in short.chunks_exact_mut(size_of::<u64>()).zip([used, bought, free]) {
            to.copy_from_slice(&number.to_le_bytes());
        }
        for (to, number) in long.chunks_exact_mut(size_of::<i128>()).zip([sum, measures, net, tax])
        {
            to.copy_from_slice(&number.to_le_bytes());
        }
        octets
    }

    /// Reads the stored form.
    ///
    /// # Errors
    ///
    /// A number is not possible.
    pub fn read(octets: &[u8; Self::OCTETS]) -> Result<Self, NoProgress> {
        let (short, long) = octets.split_at(3 * size_of::<u64>());
        let (short, _) = short.as_chunks();
        let (long, _) = long.as_chunks();
        let [used, bought, free] = std::array::from_fn(|place| u64::from_le_bytes(short[place]));
        let [sum, measures, net, tax] =
            std::array::from_fn(|place| i128::from_le_bytes(long[place]));
        let is_possible = free <= bought
            && sum >= 0
            && (1..=MEASURES_MAX).contains(&measures)
            && net >= 0
            && tax >= 0;
        let charged = Charged { net, tax };
        let progress = Progress { used, bought, free, sum, measures, charged };
        is_possible.then_some(progress).ok_or(NoProgress)
    }
}

impl Plan {
    /// Returns the price of the next part of a usage, and counts it in the subscriber's counters. `usage` has the start of
    /// the whole usage and the quantity of the part. The state is only working memory.
    ///
    /// # Errors
    ///
    /// The plan has no price. Progress and counters are as they were.
    pub fn rate_part(
        &self,
        usage: &Usage<'_>,
        progress: &mut Option<Progress>,
        counters: &mut SubscriberCounters,
        state: &mut State,
    ) -> Result<Priced<'_>, NoTariff> {
        self.resume(usage, progress, counters, state)?;
        let before = state.counters;
        let priced = self.rate(usage, state)?;
        self.count(usage, &before, state, counters);
        *progress = state.session.map(|session| Progress {
            used: session.used,
            bought: session.bought,
            free: session.free,
            sum: session.sum,
            measures: self.measures,
            charged: session.charged,
        });
        Ok(priced)
    }

    /// Returns the largest quantity that an amount pays for as the next part of a usage: see
    /// [`affordable`](Self::affordable). The state is that usage then, so that [`next_change`](Self::next_change) need not
    /// find its prices again.
    ///
    /// # Errors
    ///
    /// The plan has no price.
    pub fn affordable_part(
        &self,
        usage: &Usage<'_>,
        progress: &Option<Progress>,
        counters: &SubscriberCounters,
        state: &mut State,
        amount: Money,
        most: impl FnOnce(Unit) -> u64,
    ) -> Result<Affordable<'_>, NoTariff> {
        self.resume(usage, progress, counters, state)?;
        let State { session, counters } = state;
        self.session(usage, counters, session, &mut ())?;
        self.affordable(usage, state, amount, most)
    }

    /// Brings the state to where a usage and the counters are.
    fn resume(
        &self,
        usage: &Usage<'_>,
        progress: &Option<Progress>,
        counters: &SubscriberCounters,
        state: &mut State,
    ) -> Result<(), NoTariff> {
        state.end_usage();
        self.check_start(usage.start)?;
        self.fill_all(usage, counters, state);
        let Some(progress) = progress else { return Ok(()) };
        let State { session, counters } = state;
        let session = self.session(usage, counters, session, &mut ())?;
        (session.used, session.bought) = (progress.used, progress.bought);
        (session.free, session.charged) = (progress.free, progress.charged);
        session.sum = in_measures(progress.sum, progress.measures, self.measures);
        Ok(())
    }
}

/// Converts a sum to other measures. Where they are not of the same plan, it is rounded up to one.
fn in_measures(sum: i128, from: i128, to: i128) -> i128 {
    if from == to {
        return sum;
    }
    let (nanos, rest) = (sum / from, sum % from);
    nanos * to + (rest * to + from - 1) / from
}
