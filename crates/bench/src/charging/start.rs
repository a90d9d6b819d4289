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
    let durable = opened(folder, accounts)?;
    let octets = before.zip(resident()).map(|(before, after)| after.saturating_sub(before));
    drop(durable);
    let begun = Instant::now();
    let durable = embedded(folder)?;
    let elapsed = begun.elapsed();
    drop(durable);
    let seconds = elapsed.as_secs_f64() * 1e6 / accounts as f64;
    let mut ratios = vec![("million_accounts_load_seconds".to_owned(), seconds)];
    ratios.extend(
        octets.map(|octets| ("account_octets".to_owned(), octets as f64 / accounts as f64)),
    );
    Ok(ratios)
}
