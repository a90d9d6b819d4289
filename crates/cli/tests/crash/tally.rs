//! Counts disturbances that met the gateway at work; the others prove nothing.

use crate::chance::number;

/// Disturbances in a row that meet no work: then the gateway does none any more.
const IN_VAIN_MAX: u64 = 200;

#[derive(Debug)]
pub(crate) struct Tally {
    wanted: u64,
    pub(crate) effective: u64,
    in_vain: u64,
}

impl Tally {
    /// So many are wanted, if the environment does not say another number under a name.
    pub(crate) fn new(name: &str, wanted: u64) -> Self {
        Tally { wanted: number(name).unwrap_or(wanted), effective: 0, in_vain: 0 }
    }

    pub(crate) fn wants_more(&self) -> bool {
        self.effective < self.wanted && self.in_vain < IN_VAIN_MAX
    }

    /// How much longer than usual to wait before the next: where they meet no work, the machine is busy with other things,
    /// and the gateway has not even begun.
    pub(crate) fn patience(&self) -> u32 {
        1 << (self.in_vain / 8).min(6)
    }

    pub(crate) fn note(&mut self, met_work: bool) {
        self.effective += u64::from(met_work);
        self.in_vain = if met_work { 0 } else { self.in_vain + 1 };
    }

    /// Whether those that are wanted have been.
    pub(crate) fn is_full(&self) -> bool {
        self.effective >= self.wanted
    }
}
