//! `tollgate bench rating`: measures rating by a large plan, beside decoding alone and beside the same plan in SQLite,
//! looked up record by record; and what an amount pays for, computed and searched for.

pub(crate) mod large;
mod sqlite;

use std::io::Write;

use rating::{Money, Plan, Priced, State, Usage};

use self::large::{CLASSES, Call, PREFIXES};
use super::codec::{self, Case};
use super::measure::{Results, Row};
use crate::allocations;
use crate::error::BenchError;

/// The rounds of each measurement.
const ROUNDS: u32 = 15;

/// The longest call that an amount may pay for, in seconds, and the amount in billionths.
const QUANTITY_MAX: u64 = 3_600;
const AMOUNT: i128 = 1_000_000_000;

/// Arguments of `tollgate bench rating`.
#[derive(Debug, clap::Args)]
pub(crate) struct Rating {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
}

impl Rating {
    pub(super) fn measure(self, out: &mut dyn Write) -> Result<(), BenchError> {
        let large = large::Large::new();
        let (plan, mut read) = large.read()?;
        let mut peer = sqlite::SqlitePeer::of(&large)?;
        compare(&plan, &mut peer, &large.calls)?;
        let decoded = Case::of_switch()?;
        let count = large.calls.len() as u64;
        let mut rows = [
            Row::new("decoding alone", decoded.records, decoded.octets.len() as u64),
            Row::new(format!("rating: {PREFIXES} prefixes, {CLASSES} classes"), count, 0),
            Row::new("rating: the same plan in SQLite", count, 0),
            Row::new("what an amount pays for", count, 0),
            Row::new("what an amount pays for, by search", count, 0),
        ];
        for _ in 0..ROUNDS {
            rows[0].time(|| codec::decode(&decoded));
            rows[1].time(|| rate_all(&plan, &large.calls));
            rows[2].time(|| peer.price_all(&large.calls));
            let computed =
                rows[3].time(|| quantities(&large.calls, |call| affordable(&plan, call)));
            let found = rows[4].time(|| quantities(&large.calls, |call| searched(&plan, call)));
            assert_eq!(computed, found, "an amount pays for one quantity");
        }
        let (allocated, _) = allocations::of(|| rate_all(&plan, &large.calls));
        let [decoding, rating, sqlite, inverse, search] = &rows;
        let ratios = [
            ("rating_over_decoding", decoding.over(rating)),
            ("sqlite_over_rating", rating.over(sqlite)),
            ("inverse_over_rating", rating.over(inverse)),
            ("search_over_inverse", inverse.over(search)),
        ];
        read.name = "reading the plan, a prefix".to_owned();
        let rows = rows.iter().cloned().chain([read]).collect();
        let allocations = allocated.map(|all| ("rating_allocations", all as f64 / count as f64));
        let ratios = ratios.into_iter().chain(allocations);
        let ratios = ratios.map(|(name, ratio)| (name.to_owned(), ratio)).collect();
        Results { bench: "rating", rows, ratios }.show(self.json, out)?;
        Ok(())
    }
}

fn price<'p>(plan: &'p Plan, call: &Call, state: &mut State) -> Option<Priced<'p>> {
    let priced = plan.rate(&call.usage(), state).ok();
    state.end_usage();
    priced
}

fn rate_all(plan: &Plan, calls: &[Call]) -> i128 {
    let mut state = State::default();
    let priced = calls.iter().filter_map(|call| price(plan, call, &mut state));
    priced.map(|priced| priced.total.nanos).sum()
}

fn quantities(calls: &[Call], quantity: impl Fn(&Usage<'_>) -> u64) -> u64 {
    calls.iter().map(|call| quantity(&call.usage())).sum()
}

fn amount(plan: &Plan) -> Money {
    Money { nanos: AMOUNT, currency: plan.currency() }
}

fn affordable(plan: &Plan, call: &Usage<'_>) -> u64 {
    let found = plan.affordable(call, &State::default(), amount(plan), |_| QUANTITY_MAX);
    found.map_or(0, |found| found.quantity)
}

/// Finds the quantity by halving the range.
fn searched(plan: &Plan, call: &Usage<'_>) -> u64 {
    let is_paid = |quantity| {
        let call = Usage { duration: Some(quantity), ..*call };
        let priced = plan.rate(&call, &mut State::default());
        priced.is_ok_and(|priced| priced.total.nanos <= AMOUNT)
    };
    let (mut paid, mut above) = (0, QUANTITY_MAX + 1);
    while above - paid > 1 {
        let middle = (paid + above) / 2;
        if is_paid(middle) { paid = middle } else { above = middle }
    }
    paid
}

/// Checks that both give the same price for each call.
fn compare(plan: &Plan, peer: &mut sqlite::SqlitePeer, calls: &[Call]) -> Result<(), BenchError> {
    for call in calls {
        let ours = price(plan, call, &mut State::default()).map(|priced| priced.total.nanos);
        let theirs = peer.price(call);
        if ours != theirs || ours.is_none() {
            let digits = String::from_utf8_lossy(&call.digits).into_owned();
            return Err(BenchError::Prices { digits, ours, theirs });
        }
    }
    Ok(())
}
