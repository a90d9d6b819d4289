//! The use of a voucher: the account gets its amount and the voucher is used, in one transaction.
//!
//! Vouchers are used one after another: some hundreds a second. So what was read of a voucher is still so when its change is
//! stored, and that change does not fail for reasons of its own.

use ledger::{
    AccountId, Action, Bonus, Credit, CreditTo, Currency, Key, MAIN_BUCKET, Millis, Outcome,
    Receipt, Refill, Refusal, SystemAccount,
};
use store::{Connection, OptionalExtension as _, QueryResult, params};

use crate::desk::{Desk, Task};
use crate::vouchers::{
    Pin, PinHash, Voucher, VoucherBatch, VoucherError, VoucherState, Vouchers, find,
};

/// The wrong PINs after which an account is locked. With at least 10 digits, guessing is hopeless then.
pub const WRONG_PINS_MAX: u32 = 3;

/// For how long an account is locked, and after which time without a wrong PIN those before are forgotten.
pub const LOCKED_FOR: Millis = 24 * 3_600_000;

/// A voucher to be used for an account.
#[derive(Clone, Copy)]
pub struct Redemption<'r> {
    /// The account.
    pub account: AccountId,
    /// The PIN of the voucher.
    pub pin: &'r Pin,
    /// The bonuses that the refill may get.
    pub bonuses: &'r [Bonus<'r>],
    /// Where the amount comes from: the channel of the refill.
    pub from: SystemAccount,
    /// What is stored with the entry, for the serial number of the voucher.
    pub remark: &'r dyn Fn(u64) -> Vec<u8>,
    /// When it happens.
    pub at: Millis,
}

impl Redemption<'_> {
    /// Returns what the account gets for an active voucher, with its remark. The key follows from the hash of its PIN.
    pub fn refill<'of>(
        &'of self,
        hash: &PinHash,
        batch: &VoucherBatch,
        remark: &'of [u8],
    ) -> Refill<'of> {
        let Redemption { bonuses, from, .. } = *self;
        let VoucherBatch { amount, days, .. } = *batch;
        let key = hash.first_chunk().expect("a hash is longer than a key");
        let (key, to) = (Key(u128::from_be_bytes(*key)), CreditTo::Bucket(MAIN_BUCKET));
        Refill { credit: Credit { key, to, amount, from, days, remark }, bonuses }
    }
}

/// A voucher that was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redeemed {
    /// Its serial number.
    pub serial: u64,
    /// The amount that the account got.
    pub amount: i64,
    /// The number of the last entry, which is that of a bonus if there is one; 0 if the voucher was used before.
    pub entry: u64,
    /// Whether the account got it before, and nothing now.
    pub is_repeated: bool,
}

impl Vouchers {
    /// Uses a voucher for an account. A PIN that comes again for the same account changes nothing. Every other PIN that
    /// cannot be used is a wrong one: after three, the account is locked for 24 hours.
    ///
    /// # Errors
    ///
    /// The PIN is not that of a voucher that can be used, the account is locked or does not get it, or the journal fails.
    pub fn redeem(&self, redemption: &Redemption<'_>) -> Result<Redeemed, VoucherError> {
        let Redemption { account, at, .. } = *redemption;
        let currency = self.accounts.look(account, |account| account.map(|of| of.currency));
        let currency = currency.ok_or(VoucherError::Refused(Refusal::AccountUnknown))?;
        let _alone = self.lock();
        self.check_lock(account, at)?;
        let hash = self.hash(redemption.pin);
        match self.read(|db| find(db, "pin = ?", [hash], at))? {
            Some(Voucher { serial, state: VoucherState::Active, batch, .. }) => {
                self.credit(redemption, (hash, currency), (serial, batch))
            }
            Some(Voucher { serial, batch, account: Some(used_for), .. }) if used_for == account => {
                Ok(Redeemed { serial, amount: batch.amount, entry: 0, is_repeated: true })
            }
            found => {
                self.count_wrong(account, at)?;
                Err(VoucherError::wrong(found.map(|voucher| voucher.state)))
            }
        }
    }

    fn credit(
        &self,
        redemption: &Redemption<'_>,
        (hash, currency): (PinHash, Currency),
        (serial, batch): (u64, VoucherBatch),
    ) -> Result<Redeemed, VoucherError> {
        let Redemption { account, at, .. } = *redemption;
        if batch.currency != currency {
            return Err(VoucherError::Refused(Refusal::CurrencyDiffers));
        }
        let remark = (redemption.remark)(serial);
        let (amount, refill) = (batch.amount, redemption.refill(&hash, &batch, &remark));
        let mut task = Crediting { account, at, refill, outcome: None };
        self.accounts.run_with(&mut task, move |db| mark_used(db, serial, (account, at)))?;
        match task.outcome.expect("a task that was run has an outcome") {
            Outcome { receipt: Receipt { refusal: Some(refusal), .. }, .. } => {
                Err(VoucherError::Refused(refusal))
            }
            Outcome { receipt: Receipt { entry, .. }, is_repeated } => {
                Ok(Redeemed { serial, amount, entry, is_repeated })
            }
        }
    }

    fn check_lock(&self, account: AccountId, at: Millis) -> Result<(), VoucherError> {
        let select = "SELECT until_ms FROM voucher_wrong_pin WHERE account = ? AND count >= ? AND until_ms > ?";
        let of = params![account.0.cast_signed(), WRONG_PINS_MAX, at];
        let until = self.read(|db| db.query_row(select, of, |row| row.get(0)).optional())?;
        until.map_or(Ok(()), |until| Err(VoucherError::Locked { until }))
    }

    fn count_wrong(&self, account: AccountId, at: Millis) -> Result<(), VoucherError> {
        let count = "INSERT INTO voucher_wrong_pin VALUES (?1, 1, ?2)
                     ON CONFLICT (account) DO UPDATE SET count = count + 1, until_ms = ?2";
        let (account, until) = (account.0.cast_signed(), at.saturating_add(LOCKED_FOR));
        self.commit(move |db| {
            db.execute("DELETE FROM voucher_wrong_pin WHERE until_ms <= ?", [at])?;
            db.execute(count, params![account, until]).map(drop)
        })
    }
}

impl VoucherError {
    /// Returns why a PIN is a wrong one, by the state of its voucher. One that is not sold yet is not known.
    pub fn wrong(state: Option<VoucherState>) -> Self {
        match state {
            None | Some(VoucherState::Generated | VoucherState::Active) => VoucherError::PinUnknown,
            Some(VoucherState::Used) => VoucherError::Used,
            Some(VoucherState::Blocked) => VoucherError::Blocked,
            Some(VoucherState::Expired) => VoucherError::Expired,
        }
    }
}

fn mark_used(db: &Connection, serial: u64, (account, at): (AccountId, Millis)) -> QueryResult<()> {
    let account = account.0.cast_signed();
    let update = "UPDATE voucher SET state = ?, account = ?, used_at_ms = ?
                  WHERE serial = ? AND state = ?";
    let (used, active) = (VoucherState::Used as u8, VoucherState::Active as u8);
    let marked = db.execute(update, params![used, account, at, serial.cast_signed(), active])?;
    if marked != 1 {
        return Err(store::undone(VoucherChanged { serial }));
    }
    db.execute("DELETE FROM voucher_wrong_pin WHERE account = ?", [account]).map(drop)
}

/// This does not happen while vouchers are changed one after another.
#[derive(Debug, thiserror::Error)]
#[error("voucher {serial} was changed while it was used")]
struct VoucherChanged {
    serial: u64,
}

/// The refill by a voucher.
struct Crediting<'c> {
    account: AccountId,
    at: Millis,
    refill: Refill<'c>,
    outcome: Option<Outcome>,
}

impl Task for Crediting<'_> {
    fn account(&self) -> AccountId {
        self.account
    }

    fn work(&mut self, desk: &mut Desk<'_>) {
        self.outcome = Some(desk.perform(self.at, Action::Refill(self.refill)));
    }
}
