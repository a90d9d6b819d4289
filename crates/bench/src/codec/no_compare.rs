//! Without the rasn crate there is nothing to compare with; `make bench` builds it in.

use super::Measurement;
use super::cases::Case;
use crate::error::BenchError;

/// None.
pub(super) fn measurements(_case: &str) -> Vec<Measurement> {
    Vec::new()
}

/// Nothing to check.
pub(super) fn check(_case: &Case) -> Result<(), BenchError> {
    Ok(())
}
