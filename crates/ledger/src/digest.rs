//! Digests of operations, to tell one that comes again from another with its key.

use crate::operation::{Cost, Credit, CreditTo, Debit, Limit, NewBucket};
use crate::purchase::Purchase;
use crate::reversal::Reversal;
use crate::totals::SystemAccount;
use crate::transfer::Transfer;

/// FNV-1a over numbers (draft-eastlake-fnv). It is stored, so it is the same on every machine.
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    fn add(mut self, numbers: &[u64]) -> Self {
        for octet in numbers.iter().flat_map(|number| number.to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(octet)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        self
    }

    fn system(self, SystemAccount { kind, number }: SystemAccount) -> Self {
        self.add(&[kind as u64, number.into()])
    }
}

impl Credit<'_> {
    /// Returns a digest of all but the key, the days and the remark: the days are a setting of the caller, which may change
    /// before a refill comes again.
    pub(crate) fn digest(&self) -> u64 {
        let digest = Digest::new().add(&[1, self.amount as u64]).system(self.from);
        let digest = match self.to {
            CreditTo::Bucket(id) => digest.add(&[0, id.0.into()]),
            CreditTo::New(NewBucket { unit, priority, scopes, from, until }) => {
                let terms = [unit as u64, priority.into(), scopes.0, from as u64, until as u64];
                digest.add(&[1]).add(&terms)
            }
        };
        digest.0
    }
}

impl Debit<'_> {
    /// Returns a digest of all but the key and the remark.
    pub(crate) fn digest(&self) -> u64 {
        let Debit { key: _, scopes, bucket, cost: Cost { unit, amount }, limit, to, remark: _ } =
            *self;
        let bucket = bucket.map_or([0, 0], |id| [1, id.0.into()]);
        let limit = u64::from(limit == Limit::None);
        let digest = Digest::new().add(&[2, scopes.0, unit as u64, amount as u64, limit]);
        digest.add(&bucket).system(to).0
    }
}

impl Purchase<'_> {
    /// Returns a digest of what is bought. Its price and what it consists of may have changed before it comes again.
    pub(crate) fn digest(&self) -> u64 {
        Digest::new().add(&[5]).system(self.of).0
    }
}

impl Transfer<'_> {
    /// Returns a digest of the receiver and the amount. The fee and the limit are settings of the caller, which may change
    /// before a transfer comes again.
    pub(crate) fn digest(&self) -> u64 {
        Digest::new().add(&[3, self.to.0, self.amount as u64]).0
    }
}

impl Reversal<'_> {
    /// Returns a digest of all but the key and the remark: the number names the entry.
    pub(crate) fn digest(&self) -> u64 {
        Digest::new().add(&[4, self.entry.number]).0
    }
}
