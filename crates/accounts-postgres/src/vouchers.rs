//! Vouchers. One is used in the transaction that credits the account; its row is locked meanwhile, and that of the account.

use std::collections::HashSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use accounts::{
    AccountsError, LOCKED_FOR, Pin, PinHash, PinSecret, Redeemed, Redemption, Voucher,
    VoucherBatch, VoucherError, VoucherState, WRONG_PINS_MAX,
};
use ledger::{AccountId, Action, Currency, Millis, Outcome, Receipt, Refusal};
use tokio_postgres::Row;

use crate::connection::Fault;
use crate::front::Front;
use crate::locked::{Also, Transaction};

/// A query of a voucher and its batch, which ends like this.
macro_rules! select_voucher {
    ($end:literal) => {
        concat!(
            "SELECT serial, batch, currency, amount, days, until_ms, state, account, used_at_ms
             FROM voucher JOIN voucher_batch ON number = batch WHERE ",
            $end
        )
    };
}

/// The vouchers of accounts in a database.
pub struct Vouchers {
    accounts: Arc<Front>,
    secret: PinSecret,
}

impl fmt::Debug for Vouchers {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Vouchers(secret)")
    }
}

impl Vouchers {
    /// Returns the vouchers of accounts, with the secret of their PINs. With another secret, no PIN is known.
    pub fn new(accounts: Arc<Front>, secret: &[u8]) -> Self {
        Vouchers { accounts, secret: PinSecret::new(secret) }
    }

    /// Stores a batch of vouchers that are generated. `also` runs in the same transaction.
    ///
    /// # Errors
    ///
    /// The batch or a PIN is there already, or the server fails.
    pub fn add(
        &self,
        batch: VoucherBatch,
        pins: &[Pin],
        mut also: impl Also,
    ) -> Result<(), VoucherError> {
        batch.check(pins.len())?;
        // In the order of the PINs as they were handed in: these are printed beside the serial numbers.
        let hashes: Vec<PinHash> = pins.iter().map(|pin| self.secret.hash(pin)).collect();
        if hashes.iter().collect::<HashSet<_>>().len() < pins.len() {
            return Err(VoucherError::PinTwice);
        }
        let hashes: Vec<&[u8]> = hashes.iter().map(|hash| &hash[..]).collect();
        let (number, currency) = (i64::from(batch.number), i32::from(batch.currency.0));
        let first = batch.serials().start().cast_signed();
        self.accounts.locked(&[], |of| {
            // Only this adds vouchers, so what is not there yet stays so.
            of.query("LOCK TABLE voucher_batch IN SHARE ROW EXCLUSIVE MODE", &[])?;
            let is_there = "SELECT 1 FROM voucher_batch WHERE number = $1";
            if !of.query(is_there, &[&number])?.is_empty() {
                return Ok(Err(VoucherError::BatchExists(batch.number)));
            }
            let is_known = "SELECT 1 FROM voucher WHERE pin = ANY ($1) LIMIT 1";
            if !of.query(is_known, &[&hashes])?.is_empty() {
                return Ok(Err(VoucherError::PinTwice));
            }
            let insert = "INSERT INTO voucher_batch VALUES ($1, $2, $3, $4, $5)";
            let (days, generated) = (i32::from(batch.days), VoucherState::Generated as i32);
            of.query(insert, &[&number, &currency, &batch.amount, &days, &batch.until])?;
            let insert = "INSERT INTO voucher (serial, batch, pin, state)
                 SELECT $1 + u.place - 1, $2, u.pin, $3
                 FROM unnest($4::bytea[]) WITH ORDINALITY AS u(pin, place)";
            of.query(insert, &[&first, &number, &generated, &hashes])?;
            also(of)?;
            Ok(Ok(()))
        })?
    }

    /// Lets vouchers be used that are generated; those that are blocked stay so. Returns their number. `also` runs in the
    /// same transaction.
    ///
    /// # Errors
    ///
    /// The server fails.
    pub fn activate(
        &self,
        serials: RangeInclusive<u64>,
        also: impl Also,
    ) -> Result<usize, VoucherError> {
        self.change(serials, VoucherState::Active, also)
    }

    /// Blocks vouchers that are not used. Returns their number. `also` runs in the same transaction.
    ///
    /// # Errors
    ///
    /// The server fails.
    pub fn block(
        &self,
        serials: RangeInclusive<u64>,
        also: impl Also,
    ) -> Result<usize, VoucherError> {
        self.change(serials, VoucherState::Blocked, also)
    }

    /// Returns a voucher as it is at a time.
    ///
    /// # Errors
    ///
    /// The server fails, or a row is damaged.
    pub fn voucher(&self, serial: u64, at: Millis) -> Result<Option<Voucher>, VoucherError> {
        let select = select_voucher!("serial = $1");
        let rows = self.accounts.connection().ask(select, &[&serial.cast_signed()]);
        let rows = rows.map_err(AccountsError::from)?;
        let voucher = rows.first().map(|row| voucher(row, at)).transpose();
        Ok(voucher.map_err(AccountsError::from)?)
    }

    fn change(
        &self,
        serials: RangeInclusive<u64>,
        to: VoucherState,
        mut also: impl Also,
    ) -> Result<usize, VoucherError> {
        let (first, last) = (serials.start().cast_signed(), serials.end().cast_signed());
        let from: Vec<i32> = to.before().iter().map(|state| *state as i32).collect();
        let update =
            "UPDATE voucher SET state = $1 WHERE serial BETWEEN $2 AND $3 AND state = ANY ($4)
                      RETURNING 1";
        let changed = self.accounts.locked(&[], |of| {
            let changed = of.query(update, &[&(to as i32), &first, &last, &from])?.len();
            also(of).map(|()| changed)
        });
        Ok(changed?)
    }

    /// Uses a voucher for an account. A PIN that comes again for the same account changes nothing. Every other PIN that
    /// cannot be used is a wrong one: after three, the account is locked for 24 hours.
    ///
    /// # Errors
    ///
    /// The PIN is not that of a voucher that can be used, the account is locked or does not get it, or the server fails.
    pub fn redeem(&self, redemption: &Redemption<'_>) -> Result<Redeemed, VoucherError> {
        let hash = self.secret.hash(redemption.pin);
        // That a voucher is refused is no failure of the transaction: a wrong PIN is counted.
        self.accounts.locked(&[redemption.account], |of| redeem(of, redemption, &hash))?
    }
}

fn redeem(
    of: &mut Transaction<'_>,
    redemption: &Redemption<'_>,
    hash: &PinHash,
) -> Result<Result<Redeemed, VoucherError>, Fault> {
    let Redemption { account: id, at, .. } = *redemption;
    let Some(currency) = of.account(id).map(|account| account.currency) else {
        return Ok(Err(VoucherError::Refused(Refusal::AccountUnknown)));
    };
    if let Some(until) = locked_until(of, id, at)? {
        return Ok(Err(VoucherError::Locked { until }));
    }
    let select = select_voucher!("pin = $1 FOR UPDATE OF voucher");
    let rows = of.query(select, &[&&hash[..]])?;
    let found = rows.first().map(|row| voucher(row, at)).transpose()?;
    match found {
        Some(Voucher { serial, state: VoucherState::Active, batch, .. }) => {
            if batch.currency != currency {
                return Ok(Err(VoucherError::Refused(Refusal::CurrencyDiffers)));
            }
            let remark = (redemption.remark)(serial);
            let refill = redemption.refill(hash, &batch, &remark);
            let outcome = of.perform(id, at, Action::Refill(refill));
            if of.has_changed() {
                mark_used(of, serial, (id, at))?;
            }
            Ok(match outcome {
                Outcome { receipt: Receipt { refusal: Some(refusal), .. }, .. } => {
                    Err(VoucherError::Refused(refusal))
                }
                Outcome { receipt: Receipt { entry, .. }, is_repeated } => {
                    Ok(Redeemed { serial, amount: batch.amount, entry, is_repeated })
                }
            })
        }
        Some(Voucher { serial, batch, account: Some(used_for), .. }) if used_for == id => {
            Ok(Ok(Redeemed { serial, amount: batch.amount, entry: 0, is_repeated: true }))
        }
        found => {
            count_wrong(of, id, at)?;
            Ok(Err(VoucherError::wrong(found.map(|voucher| voucher.state))))
        }
    }
}

fn locked_until(
    of: &mut Transaction<'_>,
    account: AccountId,
    at: Millis,
) -> Result<Option<Millis>, Fault> {
    let select = "SELECT until_ms FROM voucher_wrong_pin
                  WHERE account = $1 AND count >= $2 AND until_ms > $3";
    let wrong = i32::try_from(WRONG_PINS_MAX).expect("it is small");
    let rows = of.query(select, &[&account.0.cast_signed(), &wrong, &at])?;
    Ok(rows.first().map(|row| row.try_get(0)).transpose()?)
}

fn mark_used(
    of: &mut Transaction<'_>,
    serial: u64,
    (account, at): (AccountId, Millis),
) -> Result<(), Fault> {
    let (account, used) = (account.0.cast_signed(), VoucherState::Used as i32);
    let update = "UPDATE voucher SET state = $1, account = $2, used_at_ms = $3 WHERE serial = $4";
    of.query(update, &[&used, &account, &at, &serial.cast_signed()])?;
    of.query("DELETE FROM voucher_wrong_pin WHERE account = $1", &[&account]).map(drop)
}

fn count_wrong(of: &mut Transaction<'_>, account: AccountId, at: Millis) -> Result<(), Fault> {
    of.query(
        "DELETE FROM voucher_wrong_pin WHERE account = $1 AND until_ms <= $2",
        &[&account.0.cast_signed(), &at],
    )?;
    let count = "INSERT INTO voucher_wrong_pin AS w VALUES ($1, 1, $2)
                 ON CONFLICT (account) DO UPDATE SET count = w.count + 1, until_ms = excluded.until_ms";
    let until = at.saturating_add(LOCKED_FOR);
    of.query(count, &[&account.0.cast_signed(), &until]).map(drop)
}

/// Reads a voucher as it is at a time.
fn voucher(row: &Row, at: Millis) -> Result<Voucher, Fault> {
    let serial = row.try_get::<_, i64>(0)?.cast_unsigned();
    let damaged = || Fault::damaged(format!("the row of voucher {serial}"));
    let (number, currency, days): (i64, i32, i32) =
        (row.try_get(1)?, row.try_get(2)?, row.try_get(4)?);
    let (amount, until) = (row.try_get(3)?, row.try_get(5)?);
    let batch = VoucherBatch {
        number: u32::try_from(number).map_err(|_| damaged())?,
        currency: Currency(u16::try_from(currency).map_err(|_| damaged())?),
        amount,
        days: u16::try_from(days).map_err(|_| damaged())?,
        until,
    };
    let state = u8::try_from(row.try_get::<_, i32>(6)?).ok();
    let state = state.and_then(|state| VoucherState::stored(state, until, at));
    let account: Option<i64> = row.try_get(7)?;
    Ok(Voucher {
        serial,
        batch,
        state: state.ok_or_else(damaged)?,
        account: account.map(|id| AccountId(id.cast_unsigned())),
        used_at: row.try_get(8)?,
    })
}
