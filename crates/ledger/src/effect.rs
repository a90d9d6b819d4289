//! Effects: all that an operation changes in an account, with the values after it.

use crate::account::{Account, Keyed, Standing};
use crate::arrivals::Arrivals;
use crate::bucket::{Bucket, BucketId, MAIN_BUCKET, Scopes};
use crate::ending::EndedSession;
use crate::life_cycle::LifeCycle;
use crate::notice::Notice;
use crate::operation::{Key, Receipt};
use crate::session::{Answered, Reserved, Session, SessionKey};
use crate::subscription::Subscription;
use crate::threshold::{Threshold, ThresholdState, Watched};
use crate::totals::SystemAccount;
use crate::transfer::Sent;
use crate::unit::{Currency, Millis, Unit};
use crate::warning::Warned;

/// A change of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The account is there.
    Opened {
        /// The currency of its money.
        currency: Currency,
        /// Who may use it.
        standing: Standing,
        /// How far the main bucket may be overdrawn.
        credit_limit: i64,
    },
    /// The account's time.
    At(Millis),
    /// Who may use it.
    Standing(Standing),
    /// How far the main bucket may be overdrawn.
    CreditLimit(i64),
    /// For which scopes nothing can be reserved.
    Barred(Scopes),
    /// The type of the subscriber.
    SubscriberType(Option<u16>),
    /// A new bucket.
    Bucket(Bucket),
    /// What a bucket has.
    Balance {
        /// The bucket.
        bucket: BucketId,
        /// Its amount.
        amount: i64,
        /// How much of it is reserved.
        reserved: i64,
    },
    /// What is left of a bucket may be used until another time.
    BucketUntil {
        /// The bucket.
        bucket: BucketId,
        /// The end of its time.
        until: Millis,
    },
    /// A bucket is gone.
    BucketGone(BucketId),
    /// A session begins.
    SessionBegun(SessionKey),
    /// The time of a session.
    SessionUntil {
        /// The session.
        session: SessionKey,
        /// When it is over or forgotten.
        until: Millis,
        /// Whether it has ended.
        is_closed: bool,
    },
    /// A part of a bucket is reserved for a leg, after the parts before.
    Reserved {
        /// The session.
        session: SessionKey,
        /// The leg.
        leg: u32,
        /// The bucket.
        bucket: BucketId,
        /// The amount.
        amount: i64,
    },
    /// Nothing is reserved any more for a leg of a session, or for any.
    Released {
        /// The session.
        session: SessionKey,
        /// The leg; `None` for all.
        leg: Option<u32>,
    },
    /// A request of a session has its outcome.
    Answered {
        /// The session.
        session: SessionKey,
        /// The number of the request.
        number: u32,
        /// Its leg.
        leg: u32,
        /// Its digest.
        digest: u64,
        /// The result.
        receipt: Receipt,
    },
    /// What the caller counts for the account: a range of [`Effects::bytes`].
    Counters {
        /// The first octet.
        from: usize,
        /// The end.
        until: usize,
    },
    /// What the caller stores with a session: a range of [`Effects::bytes`].
    Memo {
        /// The session.
        session: SessionKey,
        /// The first octet.
        from: usize,
        /// The end.
        until: usize,
    },
    /// What a session has paid. Only the effects of a whole account have it: in others, it follows from the entries.
    SessionPaid {
        /// The session.
        session: SessionKey,
        /// The money, in billionths.
        paid: i128,
    },
    /// A session has ended, or usage was reported after its end. It is not in the account.
    SessionEnded {
        /// The session, with its cause and sum.
        ended: EndedSession,
        /// The first octet of its memo, in [`Effects::bytes`].
        from: usize,
        /// The end of its memo.
        until: usize,
    },
    /// A session is forgotten.
    SessionGone(SessionKey),
    /// An operation with a key has its outcome.
    Keyed {
        /// The key.
        key: Key,
        /// A digest of the operation.
        digest: u64,
        /// When it was done.
        at: Millis,
        /// The result.
        receipt: Receipt,
    },
    /// Keys of operations before a time are forgotten.
    KeysGone(Millis),
    /// An amount was moved.
    Entry(Entry),
    /// What is stored with the entries of an operation: a range of [`Effects::bytes`]. It is not in the account.
    Remark {
        /// The number of the first of these entries. The last is the last one before this.
        first: u64,
        /// The first octet.
        from: usize,
        /// The end.
        until: usize,
    },
    /// There are no thresholds.
    ThresholdsGone,
    /// A threshold, in place of one or after the last.
    Threshold {
        /// Its place among the account's.
        place: u8,
        /// The threshold.
        threshold: Threshold,
        /// Whether there will be a notice when the account falls below.
        state: ThresholdState,
    },
    /// What the subscriber should hear of. It is not in the account.
    Notice(Notice),
    /// The account was refilled, for the first time.
    Refilled,
    /// A subscription, in place of that to the same bundle or fee, or after the last.
    Subscription(Subscription),
    /// A subscription has ended.
    SubscriptionGone(SystemAccount),
    /// When the stages of the account's life end.
    LifeCycle(LifeCycle),
    /// What was sent to others on a day.
    Sent(Sent),
    /// How far there were notices of what ends.
    Warned(Warned),
    /// The numbers that were given. Only the effects of a whole account have it. Behind the sessions, it means that no request
    /// of theirs is missing, as far as no later effect says so.
    Numbers {
        /// The last entry.
        entries: u64,
        /// The next new bucket.
        next_bucket: u32,
    },
    /// Which requests of a session have come. Only the effects of a whole account have it, of a session of which some are
    /// missing: in others, it follows from the outcomes.
    Arrived {
        /// The session.
        session: SessionKey,
        /// The requests.
        arrivals: Arrivals,
    },
}

impl Effect {
    pub(crate) fn answered(session: SessionKey, answered: Answered) -> Self {
        let Answered { number, leg, digest, receipt } = answered;
        Effect::Answered { session, number, leg, digest, receipt }
    }
}

/// An amount that was moved between a bucket and a system account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number within the account, from 1.
    pub number: u64,
    /// The unit.
    pub unit: Unit,
    /// The bucket.
    pub bucket: BucketId,
    /// Where the first amount of the bucket came from.
    pub source: Option<SystemAccount>,
    /// What the bucket got; negative if it was taken.
    pub amount: i64,
    /// What the bucket has after it.
    pub balance: i64,
    /// Where it comes from, or goes to.
    pub system: SystemAccount,
    /// The session that it was taken for.
    pub session: Option<SessionKey>,
    /// The entry that it reverses.
    pub reverses: Option<u64>,
}

/// The effects of one operation, or of several of one account, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// The effects.
    pub list: Vec<Effect>,
    /// The octets of memos, counters and remarks.
    pub bytes: Vec<u8>,
}

impl Effects {
    /// Adds the effects that lead to an account as it is.
    pub fn add_account(&mut self, account: &Account) {
        let is_missing = |of: &&Session| of.arrivals != of.remembered_arrivals();
        let Account { currency, standing, credit_limit, at, entries, next_bucket, .. } = *account;
        self.list.push(Effect::Opened { currency, standing, credit_limit });
        self.list.push(Effect::At(at));
        for bucket in account.buckets() {
            self.list.push(match bucket.id {
                MAIN_BUCKET => {
                    let Bucket { id, amount, reserved, .. } = *bucket;
                    Effect::Balance { bucket: id, amount, reserved }
                }
                _ => Effect::Bucket(*bucket),
            });
        }
        account.sessions().iter().for_each(|session| self.add_session(session));
        for Keyed { key, digest, at, receipt } in account.keys.iter().copied() {
            self.list.push(Effect::Keyed { key, digest, at, receipt });
        }
        if !account.counters.is_empty() {
            let from = self.bytes.len();
            self.bytes.extend_from_slice(&account.counters);
            self.list.push(Effect::Counters { from, until: self.bytes.len() });
        }
        for (place, Watched { threshold, state }) in (0..).zip(account.thresholds.iter().copied()) {
            self.list.push(Effect::Threshold { place, threshold, state });
        }
        if account.barred != Scopes::NONE {
            self.list.push(Effect::Barred(account.barred));
        }
        if account.subscriber_type.is_some() {
            self.list.push(Effect::SubscriberType(account.subscriber_type));
        }
        self.list.extend(account.is_refilled.then_some(Effect::Refilled));
        self.list.extend(account.subscriptions.iter().copied().map(Effect::Subscription));
        if account.life_cycle != LifeCycle::ENDLESS {
            self.list.push(Effect::LifeCycle(account.life_cycle));
        }
        self.list.extend(account.sent.as_deref().copied().map(Effect::Sent));
        if account.warned != Warned::NEVER {
            self.list.push(Effect::Warned(account.warned));
        }
        self.list.push(Effect::Numbers { entries, next_bucket });
        for Session { key, arrivals, .. } in account.sessions().iter().filter(is_missing) {
            self.list.push(Effect::Arrived { session: *key, arrivals: *arrivals });
        }
    }

    fn add_session(&mut self, of: &Session) {
        let (session, until, is_closed) = (of.key, of.until, of.is_closed);
        self.list.push(Effect::SessionBegun(session));
        self.list.push(Effect::SessionUntil { session, until, is_closed });
        for Reserved { leg, bucket, amount } in of.reserved.iter().copied() {
            self.list.push(Effect::Reserved { session, leg, bucket, amount });
        }
        for answered in &of.answered {
            self.list.push(Effect::answered(session, *answered));
        }
        if of.paid != 0 {
            self.list.push(Effect::SessionPaid { session, paid: of.paid });
        }
        if !of.memo.is_empty() {
            let from = self.bytes.len();
            self.bytes.extend_from_slice(&of.memo);
            self.list.push(Effect::Memo { session, from, until: self.bytes.len() });
        }
    }

    /// Returns the ended sessions, each with its memo, in order.
    pub fn ended_sessions(&self) -> impl Iterator<Item = (EndedSession, &[u8])> {
        self.list.iter().filter_map(|effect| match *effect {
            Effect::SessionEnded { ended, from, until } => Some((ended, &self.bytes[from..until])),
            _ => None,
        })
    }

    /// Returns an ended session with its memo.
    pub fn of_ended_session(ended: EndedSession, memo: &[u8]) -> Self {
        let mut effects = Effects::default();
        effects.put_ended_session(ended, memo);
        effects
    }

    /// Replaces all effects by an ended session with its memo.
    pub fn put_ended_session(&mut self, ended: EndedSession, memo: &[u8]) {
        self.clear();
        self.bytes.extend_from_slice(memo);
        self.list.push(Effect::SessionEnded { ended, from: 0, until: memo.len() });
    }

    /// Returns the entries, each with its remark, the last first.
    pub fn entries(&self) -> impl Iterator<Item = (Entry, &[u8])> {
        let mut last = (u64::MAX, &[][..]);
        self.list.iter().rev().filter_map(move |effect| match *effect {
            Effect::Remark { first, from, until } => {
                last = (first, &self.bytes[from..until]);
                None
            }
            Effect::Entry(entry) if entry.number >= last.0 => Some((entry, last.1)),
            Effect::Entry(entry) => Some((entry, &[])),
            _ => None,
        })
    }

    /// Returns an entry with its remark.
    pub fn of_entry(entry: Entry, remark: &[u8]) -> Self {
        let mut effects = Effects::default();
        effects.put_entry(entry, remark);
        effects
    }

    /// Replaces all effects by an entry with its remark.
    pub fn put_entry(&mut self, entry: Entry, remark: &[u8]) {
        self.clear();
        self.list.push(Effect::Entry(entry));
        if !remark.is_empty() {
            self.bytes.extend_from_slice(remark);
            self.list.push(Effect::Remark { first: entry.number, from: 0, until: remark.len() });
        }
    }

    /// Removes all effects, and keeps the memory for the next.
    pub fn clear(&mut self) {
        self.list.clear();
        self.bytes.clear();
    }
}
