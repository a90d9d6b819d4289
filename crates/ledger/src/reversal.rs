//! Reversals: what an entry moved goes back, once.
//!
//! An account has the number of its last entry, and not its entries. So the caller hands in the entry as it was stored. That
//! it was reversed is remembered under a key that is made of its number, for as long as all keys are. An entry that is older
//! than that is refused, since its reversal may be forgotten: so each is reversed once at most.

use crate::account::Standing;
use crate::bucket::{Bucket, BucketId, MAIN_BUCKET};
use crate::decide::{Decision, KEYS_RETENTION, Purpose};
use crate::effect::{Effect, Entry};
use crate::operation::{Key, Outcome, Receipt, Refusal};
use crate::totals::SystemKind;
use crate::unit::{BALANCE_MAX, Millis};

/// The reversal of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reversal<'o> {
    /// Its key.
    pub key: Key,
    /// The entry, as it was stored.
    pub entry: Entry,
    /// When the entry was made, as it was stored.
    pub made: Millis,
    /// What is stored with the entry of the reversal, as that of a [`Credit`](crate::Credit).
    pub remark: &'o [u8],
}

/// Returns the key by which the reversal of an entry is remembered. The keys of callers are digests: they do not begin with
/// these letters.
fn key_of(entry: u64) -> Key {
    Key(u128::from(u64::from_be_bytes(*b"reversed")) << 64 | u128::from(entry))
}

impl Decision<'_> {
    /// Moves back what an entry moved. What it took from a bucket that is gone, or whose time is over, goes to the main
    /// bucket if it is money. What it brought is taken from its bucket alone, and overdraws the main bucket.
    pub(crate) fn reverse(&mut self, reversal: &Reversal<'_>) -> Outcome {
        let Reversal { key, entry, made, .. } = *reversal;
        self.keyed(key, reversal.digest(), |decision| {
            decision.check_reversal(&entry, made)?;
            let bucket = match entry.amount < 0 {
                true => decision.bucket_to_give_back(&entry)?,
                false => decision.bucket_to_take_back(&entry)?,
            };
            let Bucket { id, amount: before, .. } = bucket;
            let balance = i128::from(before) - i128::from(entry.amount);
            if balance.unsigned_abs() > BALANCE_MAX.unsigned_abs().into() {
                return Err(Refusal::BalanceTooLarge);
            }
            let Entry { number, system, session, amount, .. } = entry;
            let purpose = Purpose { system, session, reverses: Some(number) };
            let overdrawn = (amount - bucket.free().max(0)).max(0);
            let entry = decision.post(id, (-amount, 0), purpose);
            let receipt = Receipt { entry, overdrawn, ..Receipt::default() };
            let (key, at) = (key_of(number), decision.now());
            decision.make(Effect::Keyed { key, digest: 0, at, receipt });
            Ok(receipt)
        })
    }

    fn check_reversal(&self, entry: &Entry, made: Millis) -> Result<(), Refusal> {
        if !(1..=self.account.entries).contains(&entry.number) {
            return Err(Refusal::EntryUnknown);
        }
        if !(1..=BALANCE_MAX.unsigned_abs()).contains(&entry.amount.unsigned_abs()) {
            return Err(Refusal::AmountInvalid);
        }
        // Half of a transfer does not go back alone: another transfer does it.
        if entry.system.kind == SystemKind::Transfer {
            return Err(Refusal::EntryOfTransfer);
        }
        if made < self.now().saturating_sub(KEYS_RETENTION) {
            return Err(Refusal::EntryTooOld);
        }
        match self.known(key_of(entry.number)) {
            Some(_) => Err(Refusal::AlreadyReversed),
            None => Ok(()),
        }
    }

    fn bucket_to_give_back(&self, entry: &Entry) -> Result<Bucket, Refusal> {
        if self.account.standing == Standing::Closed {
            return Err(Refusal::AccountBarred);
        }
        let own = self.bucket_of(entry, entry.bucket);
        match own.filter(|bucket| self.now() < bucket.until) {
            Some(bucket) => Ok(bucket),
            None => self.bucket_of(entry, MAIN_BUCKET).ok_or(Refusal::BucketUnknown),
        }
    }

    fn bucket_to_take_back(&self, entry: &Entry) -> Result<Bucket, Refusal> {
        let bucket = self.bucket_of(entry, entry.bucket).ok_or(Refusal::BucketUnknown)?;
        match bucket.id != MAIN_BUCKET && bucket.free() < entry.amount {
            true => Err(Refusal::NotEnough),
            false => Ok(bucket),
        }
    }

    /// Returns a bucket if it has the unit of an entry.
    fn bucket_of(&self, entry: &Entry, id: BucketId) -> Option<Bucket> {
        let bucket = self.account.bucket(id).copied();
        bucket.filter(|bucket| bucket.unit == entry.unit)
    }
}
