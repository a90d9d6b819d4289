//! The vouchers of a system, where its accounts are.

use std::ops::RangeInclusive;

use accounts::{Pin, Redeemed, Redemption, Voucher, VoucherBatch, VoucherError};
use ledger::Millis;

use super::{Back, BesideRow, embedded, postgres};

/// The vouchers of a system.
#[derive(Debug)]
pub(crate) enum Vouchers {
    Embedded(accounts::Vouchers),
    Postgres(accounts_postgres::Vouchers),
}

impl Vouchers {
    /// Returns the vouchers of accounts, with the secret of their PINs.
    pub(crate) fn new(back: &Back, secret: &[u8]) -> Self {
        match back {
            Back::Embedded(of) => {
                Vouchers::Embedded(accounts::Vouchers::new(of.accounts.clone(), secret))
            }
            Back::Postgres(of) => {
                Vouchers::Postgres(accounts_postgres::Vouchers::new(of.front.clone(), secret))
            }
        }
    }

    /// Stores a batch of vouchers that are generated.
    pub(crate) fn add(
        &self,
        batch: VoucherBatch,
        pins: &[Pin],
        rows: Vec<BesideRow>,
    ) -> Result<(), VoucherError> {
        match self {
            Vouchers::Embedded(of) => of.add(batch, pins, embedded::stores(rows)),
            Vouchers::Postgres(of) => of.add(batch, pins, postgres::stores(&rows)),
        }
    }

    /// Lets vouchers be used that are generated. Returns their number.
    pub(crate) fn activate(
        &self,
        serials: RangeInclusive<u64>,
        rows: Vec<BesideRow>,
    ) -> Result<usize, VoucherError> {
        match self {
            Vouchers::Embedded(of) => of.activate(serials, embedded::stores(rows)),
            Vouchers::Postgres(of) => of.activate(serials, postgres::stores(&rows)),
        }
    }

    /// Blocks vouchers that are not used. Returns their number.
    pub(crate) fn block(
        &self,
        serials: RangeInclusive<u64>,
        rows: Vec<BesideRow>,
    ) -> Result<usize, VoucherError> {
        match self {
            Vouchers::Embedded(of) => of.block(serials, embedded::stores(rows)),
            Vouchers::Postgres(of) => of.block(serials, postgres::stores(&rows)),
        }
    }

    /// Returns a voucher as it is at a time.
    pub(crate) fn voucher(&self, serial: u64, at: Millis) -> Result<Option<Voucher>, VoucherError> {
        match self {
            Vouchers::Embedded(of) => of.voucher(serial, at),
            Vouchers::Postgres(of) => of.voucher(serial, at),
        }
    }

    /// Uses a voucher for an account.
    pub(crate) fn redeem(&self, redemption: &Redemption<'_>) -> Result<Redeemed, VoucherError> {
        match self {
            Vouchers::Embedded(of) => of.redeem(redemption),
            Vouchers::Postgres(of) => of.redeem(redemption),
        }
    }
}
