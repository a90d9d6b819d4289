//! Counts disturbances that hit the gateway at work; the others prove nothing.

use crate::crash::chance::number;

/// Successive disturbances that hit no work after which the gateway is taken to do none any more.
const IN_VAIN_MAX: u64 = 200;

/// The factor by which the waiting time grows after a disturbance that hit no work, and shrinks after one that did:
/// about half of them then hit work, however long a gateway needs to begin.
const PATIENCE_STEP: f64 = 1.2;
const PATIENCE_MAX: f64 = 64.0;

#[derive(Debug)]
pub(crate) struct Tally {
    wanted: u64,
    pub(crate) effective: u64,
    in_vain: u64,
    patience: f64,
}

impl Tally {
    /// Creates a tally of the wanted number, unless the environment has another number under a name.
    pub(crate) fn new(name: &str, wanted: u64) -> Self {
        Tally { wanted: number(name).unwrap_or(wanted), effective: 0, in_vain: 0, patience: 1.0 }
    }

    pub(crate) fn wants_more(&self) -> bool {
        self.effective < self.wanted && self.in_vain < IN_VAIN_MAX
    }

    /// Returns how much longer than usual to wait before the next disturbance: the gateway may need long to begin, or
    /// the machine may be busy.
    pub(crate) fn patience(&self) -> f64 {
        self.patience
    }

    pub(crate) fn note(&mut self, met_work: bool) {
        self.effective += u64::from(met_work);
        self.in_vain = if met_work { 0 } else { self.in_vain + 1 };
        let step = if met_work { 1.0 / PATIENCE_STEP } else { PATIENCE_STEP };
        self.patience = (self.patience * step).clamp(1.0, PATIENCE_MAX);
    }

    /// Returns whether there were as many as wanted.
    pub(crate) fn is_full(&self) -> bool {
        self.effective >= self.wanted
    }
}
