//! Vouchers: what a subscriber buys to refill an account.
//!
//! Vouchers are made in batches, which say what each is worth. A voucher is generated, and is active once it is sold to the
//! shops. Its PIN is stored as a keyed hash only, HMAC-SHA-256 (RFC 2104): a PIN has few digits, so a hash without a secret
//! could be searched by a reader of the database. The secret is handed in, and is not stored here.

use std::collections::HashSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::{Arc, MutexGuard, PoisonError};

use hmac::{Hmac, KeyInit as _, Mac as _};
use ledger::{AMOUNT_MAX, AccountId, Currency, Millis, Refusal};
use sha2::Sha256;
use store::{Connection, OptionalExtension as _, QueryResult, Row, params};

use crate::desk::AccountsError;
use crate::embedded::{Also, Embedded};
use crate::load::Fault;

/// The digits of a PIN. Fewer could be guessed.
pub const PIN_DIGITS: RangeInclusive<usize> = 10..=20;

/// The maximum number of vouchers of a batch, which is stored in one transaction.
pub const BATCH_VOUCHERS_MAX: usize = 100_000;

/// The vouchers of durable accounts.
pub struct Vouchers {
    pub(crate) accounts: Arc<Embedded>,
    secret: PinSecret,
}

/// The secret digits of a voucher.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Pin(String);

/// A keyed hash of a PIN.
pub type PinHash = [u8; 32];

/// The secret that PINs are hashed with.
pub struct PinSecret(Hmac<Sha256>);

impl PinSecret {
    /// Returns the secret. It may have any length.
    pub fn new(secret: &[u8]) -> Self {
        PinSecret(Hmac::new_from_slice(secret).expect("a key may have any length"))
    }

    /// Returns the keyed hash of a PIN.
    pub fn hash(&self, pin: &Pin) -> PinHash {
        let mut secret = self.0.clone();
        secret.update(pin.0.as_bytes());
        secret.finalize().into_bytes().into()
    }
}

impl fmt::Debug for PinSecret {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("PinSecret(secret)")
    }
}

/// A batch of vouchers, and what each is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoucherBatch {
    /// Its number.
    pub number: u32,
    /// The currency of the accounts that it is for.
    pub currency: Currency,
    /// The amount of money that an account gets: 1 to [`AMOUNT_MAX`].
    pub amount: i64,
    /// For how many days the account is active then, at least; 0 to leave its dates.
    pub days: u16,
    /// When the vouchers expire.
    pub until: Millis,
}

/// The state of a voucher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoucherState {
    /// It is not sold yet.
    Generated,
    /// It can be used.
    Active,
    /// It was used.
    Used,
    /// It was blocked, such as a stolen one.
    Blocked,
    /// It was not used in time.
    Expired,
}

impl VoucherState {
    /// The states that are stored, by their number. That it has expired follows from its batch.
    const STORED: [VoucherState; 4] =
        [VoucherState::Generated, VoucherState::Active, VoucherState::Used, VoucherState::Blocked];

    /// Returns the state of a voucher at a time, from the number that is stored. `until` is when its batch expires. `None`
    /// if it is no such number.
    pub fn stored(number: u8, until: Millis, at: Millis) -> Option<Self> {
        match *VoucherState::STORED.get(usize::from(number))? {
            VoucherState::Generated | VoucherState::Active if until <= at => {
                Some(VoucherState::Expired)
            }
            state => Some(state),
        }
    }

    /// Returns the states, as they are stored, from which a voucher can be brought into this one: what was blocked stays so,
    /// and what was used.
    pub fn before(self) -> &'static [VoucherState] {
        match self {
            VoucherState::Blocked => &[VoucherState::Generated, VoucherState::Active],
            _ => &[VoucherState::Generated],
        }
    }
}

/// A voucher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Voucher {
    /// Its serial number, which is printed on it: that of its batch in the upper 32 bits, and its place in it.
    pub serial: u64,
    /// Its batch.
    pub batch: VoucherBatch,
    /// Its state.
    pub state: VoucherState,
    /// The account that it was used for.
    pub account: Option<AccountId>,
    /// When it was used.
    pub used_at: Option<Millis>,
}

/// Why a voucher cannot be used, or stored.
#[derive(Debug, thiserror::Error)]
pub enum VoucherError {
    /// There is no such PIN that can be used.
    #[error("the PIN is not known")]
    PinUnknown,
    /// It was used before.
    #[error("the voucher is used")]
    Used,
    /// It is blocked.
    #[error("the voucher is blocked")]
    Blocked,
    /// It has expired.
    #[error("the voucher has expired")]
    Expired,
    /// There were too many wrong PINs for the account.
    #[error("too many wrong PINs: wait until the account may try again")]
    Locked {
        /// When it may try again.
        until: Millis,
    },
    /// The account does not get it. The voucher can be used for another.
    #[error("the account cannot be credited")]
    Refused(#[source] Refusal),
    /// A PIN is no sequence of [`PIN_DIGITS`] digits.
    #[error("a PIN has from 10 to 20 digits")]
    PinInvalid,
    /// A PIN is there twice.
    #[error("a PIN of the batch is there already")]
    PinTwice,
    /// There is a batch with that number.
    #[error("there is a batch {0} already")]
    BatchExists(u32),
    /// A batch has no vouchers, or too many, or they are worth nothing.
    #[error("a batch has 1 to 100000 vouchers, each worth 1 to {AMOUNT_MAX}")]
    BatchInvalid,
    /// The journal fails.
    #[error(transparent)]
    Accounts(#[from] AccountsError),
}

impl Pin {
    /// Reads a PIN.
    ///
    /// # Errors
    ///
    /// It has other characters than digits, or too few or too many.
    pub fn parse(digits: &str) -> Result<Self, VoucherError> {
        let is_pin = PIN_DIGITS.contains(&digits.len())
            && digits.bytes().all(|octet| octet.is_ascii_digit());
        if is_pin { Ok(Pin(digits.into())) } else { Err(VoucherError::PinInvalid) }
    }
}

impl fmt::Debug for Pin {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Pin(secret)")
    }
}

impl fmt::Debug for Vouchers {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Vouchers(secret)")
    }
}

impl VoucherBatch {
    /// Checks what it is worth, and how many vouchers it has.
    ///
    /// # Errors
    ///
    /// It has none or too many, or they are worth nothing or too much.
    pub fn check(&self, vouchers: usize) -> Result<(), VoucherError> {
        let is_amount = (1..=AMOUNT_MAX).contains(&self.amount);
        match (1..=BATCH_VOUCHERS_MAX).contains(&vouchers) && is_amount {
            true => Ok(()),
            false => Err(VoucherError::BatchInvalid),
        }
    }

    /// Returns the serial numbers that its vouchers have.
    pub fn serials(&self) -> RangeInclusive<u64> {
        let first = u64::from(self.number) << 32;
        first..=first + u64::from(u32::MAX)
    }
}

impl Vouchers {
    /// Returns the vouchers of accounts, with the secret of their PINs. With another secret, no PIN is known.
    pub fn new(accounts: Arc<Embedded>, secret: &[u8]) -> Self {
        Vouchers { accounts, secret: PinSecret::new(secret) }
    }

    /// Returns the accounts.
    pub fn accounts(&self) -> &Embedded {
        &self.accounts
    }

    /// Stores a batch of vouchers that are generated. `also` runs in the same transaction.
    ///
    /// # Errors
    ///
    /// The batch or a PIN is there already, or the journal fails.
    pub fn add(
        &self,
        batch: VoucherBatch,
        pins: &[Pin],
        also: impl Also,
    ) -> Result<(), VoucherError> {
        batch.check(pins.len())?;
        let hashes: HashSet<PinHash> = pins.iter().map(|pin| self.hash(pin)).collect();
        let _alone = self.lock();
        if self.read(|db| is_there(db, "voucher_batch WHERE number = ?", [batch.number]))? {
            return Err(VoucherError::BatchExists(batch.number));
        }
        let is_known = |db: &Connection| -> QueryResult<bool> {
            hashes.iter().try_fold(false, |is_known, hash| {
                Ok(is_known || is_there(db, "voucher WHERE pin = ?", [hash])?)
            })
        };
        if hashes.len() < pins.len() || self.read(is_known)? {
            return Err(VoucherError::PinTwice);
        }
        // In the order of the PINs as they were handed in: these are printed beside the serial numbers.
        let hashes: Vec<PinHash> = pins.iter().map(|pin| self.hash(pin)).collect();
        self.commit(move |db| insert(db, batch, &hashes).and_then(|()| also(db)))
    }

    /// Lets vouchers be used that are generated; those that are blocked stay so. Returns their number. `also` runs in the same transaction.
    ///
    /// # Errors
    ///
    /// The journal fails.
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
    /// The journal fails.
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
    /// The journal cannot be read.
    pub fn voucher(&self, serial: u64, at: Millis) -> Result<Option<Voucher>, VoucherError> {
        self.read(move |db| find(db, "serial = ?", [serial.cast_signed()], at))
    }

    fn change(
        &self,
        serials: RangeInclusive<u64>,
        to: VoucherState,
        also: impl Also,
    ) -> Result<usize, VoucherError> {
        let _alone = self.lock();
        let (first, last) = (serials.start().cast_signed(), serials.end().cast_signed());
        let from = to.before();
        let (one, other) = (from[0] as u8, from[from.len() - 1] as u8);
        let update =
            "UPDATE voucher SET state = ?1 WHERE serial BETWEEN ?2 AND ?3 AND state IN (?4, ?5)";
        self.commit(move |db| {
            let count = db.execute(update, params![to as u8, first, last, one, other])?;
            also(db).map(|()| count)
        })
    }

    /// Waits until no other voucher is used or changed: what was read of vouchers is still so when it is changed.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ()> {
        self.accounts.vouchers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn hash(&self, pin: &Pin) -> PinHash {
        self.secret.hash(pin)
    }

    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> QueryResult<T>,
    ) -> Result<T, VoucherError> {
        let journal = &self.accounts.journal;
        let reader = journal.reader().map_err(AccountsError::from)?;
        Ok(read(&reader).map_err(|error| Fault::from(error).of(journal))?)
    }

    pub(crate) fn commit<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, VoucherError> {
        Ok(self.accounts.journal.commit(change).map_err(AccountsError::from)?)
    }
}

fn is_there(db: &Connection, rows: &str, of: impl store::Params) -> QueryResult<bool> {
    db.prepare_cached(&format!("SELECT 1 FROM {rows}"))?.exists(of)
}

fn insert(db: &Connection, batch: VoucherBatch, hashes: &[PinHash]) -> QueryResult<()> {
    let VoucherBatch { number, currency, amount, days, until } = batch;
    let insert = "INSERT INTO voucher_batch VALUES (?, ?, ?, ?, ?)";
    db.execute(insert, params![number, currency.0, amount, days, until])?;
    let insert = "INSERT INTO voucher (serial, batch, pin, state) VALUES (?, ?, ?, ?)";
    let mut insert = db.prepare_cached(insert)?;
    for (serial, hash) in batch.serials().zip(hashes) {
        let generated = VoucherState::Generated as u8;
        insert.execute(params![serial.cast_signed(), number, hash, generated])?;
    }
    Ok(())
}

/// Reads a voucher as it is at a time.
pub(crate) fn find(
    db: &Connection,
    which: &str,
    of: impl store::Params,
    at: Millis,
) -> QueryResult<Option<Voucher>> {
    let select = format!(
        "SELECT serial, batch, currency, amount, days, until_ms, state, account, used_at_ms
         FROM voucher JOIN voucher_batch ON number = batch WHERE {which}"
    );
    db.prepare_cached(&select)?.query_row(of, |row| voucher(row, at)).optional()
}

fn voucher(row: &Row<'_>, at: Millis) -> QueryResult<Voucher> {
    let batch = VoucherBatch {
        number: row.get(1)?,
        currency: Currency(row.get(2)?),
        amount: row.get(3)?,
        days: row.get(4)?,
        until: row.get(5)?,
    };
    let state = VoucherState::stored(row.get(6)?, batch.until, at);
    let state = state.ok_or_else(|| store::unreadable(StateUnknown))?;
    let account: Option<i64> = row.get(7)?;
    let account = account.map(|id| AccountId(id.cast_unsigned()));
    let serial = row.get::<_, i64>(0)?.cast_unsigned();
    Ok(Voucher { serial, batch, state, account, used_at: row.get(8)? })
}

#[derive(Debug, thiserror::Error)]
#[error("the state of a voucher is not known")]
struct StateUnknown;
