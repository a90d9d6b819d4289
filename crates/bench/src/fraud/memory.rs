//! How much memory a key takes.

use ::simulate::fraud::Options;

use super::{Case, LARGE, Work};
use crate::error::BenchError;
use crate::folder::{Folder, memory_folder};
use crate::gateway::peak_of;
use crate::product::Product;

/// The events of a key, on average.
const EVENTS_A_KEY: u32 = 4;

/// Returns the octets of memory of a subscriber with ten measures: how much more a process needs for so many of them than for few.
pub(super) fn octets_a_key(product: &Product, keys: u32) -> Result<f64, BenchError> {
    (product.stage)(&format!("ten measures of {keys} subscribers"));
    let folder = Folder::removed(&memory_folder());
    let files = (keys / LARGE * EVENTS_A_KEY).max(1);
    let options = |subscribers| Options {
        files,
        events: LARGE,
        subscribers,
        // All events of an hour count.
        a_second: f64::from(files) * f64::from(LARGE) / 3_600.0,
        ..Options::default()
    };
    let peak = |subscribers| {
        let work = Work::new(&folder.path, Case::TenMeasures, &options(subscribers))?;
        work.make_journal(product)?;
        peak_of(product, &work.flow())
    };
    let (few, many) = (peak(1_000)?, peak(keys)?);
    // So many come at all.
    let come = f64::from(keys) * (1.0 - (-f64::from(EVENTS_A_KEY)).exp());
    Ok(many.saturating_sub(few) as f64 / come)
}
