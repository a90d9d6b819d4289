//! The comparison in a build without the rasn crate, where there is none. `make bench` builds the crate in.

use super::Measurement;
use super::cases::Case;
use crate::error::BenchError;

/// Returns no measurements.
pub(super) fn measurements(_case: &str) -> Vec<Measurement> {
    Vec::new()
}

/// Checks nothing.
pub(super) fn check(_case: &Case) -> Result<(), BenchError> {
    Ok(())
}
