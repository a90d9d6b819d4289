//! How much memory many accounts take, and how long it takes to read them.

use std::path::Path;
use std::time::Instant;

use super::calls::opened;
use super::{Ratios, embedded};
use crate::error::BenchError;
use crate::measure::resident;

/// Opens accounts, closes them, and opens them again.
pub(super) fn measure(folder: &Path, accounts: u64) -> Result<Ratios, BenchError> {
    let before = resident();
    drop(opened(folder, accounts)?);
    let begun = Instant::now();
    let durable = embedded(folder)?;
    let elapsed = begun.elapsed();
    // What they take once they are read. Opening them all at once takes more for a moment, which is not given back.
    let octets = before.zip(resident()).map(|(before, after)| after.saturating_sub(before));
    drop(durable);
    let seconds = elapsed.as_secs_f64() * 1e6 / accounts as f64;
    let mut ratios = vec![("million_accounts_load_seconds".to_owned(), seconds)];
    ratios.extend(
        octets.map(|octets| ("account_octets".to_owned(), octets as f64 / accounts as f64)),
    );
    Ok(ratios)
}
