//! Sessions: calls and connections in progress, with what is reserved for them and what was answered.

use std::hash::{BuildHasherDefault, Hasher};

use crate::arrivals::Arrivals;
use crate::bucket::BucketId;
use crate::operation::Receipt;
use crate::unit::Millis;

/// The key of a session: a digest of all that identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionKey(pub u128);

/// Builds the hashes of keys of sessions for tables: a key is a digest already.
pub type KeyHasher = BuildHasherDefault<KeyHash>;

/// The hash of the key of a session: a part of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyHash(u64);

impl Hasher for KeyHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, octets: &[u8]) {
        octets.iter().for_each(|octet| self.0 = self.0.rotate_left(8) ^ u64::from(*octet));
    }

    fn write_u128(&mut self, key: u128) {
        // The other half chooses the part of a table that has several.
        self.0 = (key >> 64) as u64;
    }
}

/// The numbers of requests whose outcomes a session remembers, the last ones that came: clients have a few requests
/// outstanding. The request that began the session is remembered as long as that: if it came again, it would begin another
/// session in its place, which would charge all that comes again after it.
pub const NUMBERS_REMEMBERED: usize = 8;

/// A call or connection in progress; or one that has ended, whose requests may come again for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its key.
    pub key: SessionKey,
    /// When it is over if nothing more comes. For a closed one: when it is forgotten.
    pub until: Millis,
    /// Whether it has ended. Nothing is reserved for it then.
    pub is_closed: bool,
    /// What is reserved, in the order of use.
    pub(crate) reserved: Vec<Reserved>,
    /// The last outcomes, the oldest first.
    pub(crate) answered: Vec<Answered>,
    /// Which requests have come, also those whose outcomes are forgotten.
    pub(crate) arrivals: Arrivals,
    /// What the caller stores with it, such as the state of rating.
    pub(crate) memo: Vec<u8>,
    /// The money of its entries, without reversals, in billionths. Each amount has 64 bits, and their sum may have more.
    pub(crate) paid: i128,
}

/// A part of a bucket that is reserved for a leg of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reserved {
    /// The leg: one service within a session, such as a rating group.
    pub(crate) leg: u32,
    pub(crate) bucket: BucketId,
    pub(crate) amount: i64,
}

/// A request of a session and its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) number: u32,
    pub(crate) leg: u32,
    /// A digest of the request, to find another one with its number.
    pub(crate) digest: u64,
    pub(crate) receipt: Receipt,
}

impl Session {
    pub(crate) fn new(key: SessionKey) -> Self {
        Session {
            key,
            until: 0,
            is_closed: false,
            reserved: Vec::new(),
            answered: Vec::new(),
            arrivals: Arrivals::default(),
            memo: Vec::new(),
            paid: 0,
        }
    }

    /// Returns what the caller stores with the session.
    pub fn memo(&self) -> &[u8] {
        &self.memo
    }

    /// Returns the money that the session has paid, in billionths.
    pub fn paid(&self) -> i128 {
        self.paid
    }

    /// Returns the sum of what is reserved from a bucket.
    pub fn reserved_from(&self, bucket: BucketId) -> i64 {
        self.reserved.iter().filter(|part| part.bucket == bucket).map(|part| part.amount).sum()
    }

    /// Returns the outcome of a request that came before, with its digest.
    pub fn answer(&self, number: u32, leg: u32) -> Option<(u64, Receipt)> {
        self.answered(number, leg).map(|answered| (answered.digest, answered.receipt))
    }

    /// Returns whether a request may have come whose outcomes are forgotten.
    pub(crate) fn has_forgotten(&self, number: u32) -> bool {
        self.arrivals.may_have(number) && !self.answered.iter().any(|of| of.number == number)
    }

    /// Adds an outcome, and forgets those of the number that came first, except for the request that began the session.
    pub(crate) fn remember(&mut self, outcome: Answered) {
        let is_new = self.answered.last().is_none_or(|last| last.number != outcome.number);
        self.answered.push(outcome);
        self.arrivals.note(outcome.number);
        if !is_new {
            return;
        }
        let (mut last, mut count) = ([0; NUMBERS_REMEMBERED], 0);
        for Answered { number, .. } in self.answered.iter().rev() {
            if last[..count].contains(number) {
                continue;
            }
            let Some(place) = last.get_mut(count) else { break };
            (*place, count) = (*number, count + 1);
        }
        let first = self.answered.first().map(|first| first.number);
        let is_last = |of: &Answered| last[..count].contains(&of.number);
        self.answered.retain(|of| is_last(of) || Some(of.number) == first);
    }

    /// Returns what is known of the requests that have come without those whose outcomes are forgotten.
    pub(crate) fn remembered_arrivals(&self) -> Arrivals {
        Arrivals::up_to(self.answered.iter().map(|answered| answered.number).max())
    }

    /// Returns the last outcome of a leg, as long as it is remembered.
    pub fn last_answer(&self, leg: u32) -> Option<Receipt> {
        let answered = self.answered.iter().rev().find(|answered| answered.leg == leg);
        answered.map(|answered| answered.receipt)
    }

    pub(crate) fn answered(&self, number: u32, leg: u32) -> Option<&Answered> {
        self.answered.iter().find(|answered| (answered.number, answered.leg) == (number, leg))
    }
}
