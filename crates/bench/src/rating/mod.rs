//! `tollgate bench rating`: measures rating by a large plan, beside decoding alone and beside the same plan in SQLite,
//! looked up record by record.

mod large;
mod sqlite;

use std::io::Write;

use rating::{Plan, Priced, State};

use self::large::{CLASSES, Call, PREFIXES};
use super::codec::{self, Case};
use super::measure::{Results, Row};
use crate::allocations;
use crate::error::BenchError;

/// The rounds of each measurement.
const ROUNDS: u32 = 15;

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
        ];
        for _ in 0..ROUNDS {
            rows[0].time(|| codec::decode(&decoded));
            rows[1].time(|| rate_all(&plan, &large.calls));
            rows[2].time(|| peer.price_all(&large.calls));
        }
        let (allocated, _) = allocations::of(|| rate_all(&plan, &large.calls));
        let [decoding, rating, sqlite] = &rows;
        let ratios = [
            ("rating_over_decoding", decoding.over(rating)),
            ("sqlite_over_rating", rating.over(sqlite)),
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
