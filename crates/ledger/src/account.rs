//! An account: its buckets, its sessions, and the operations that it remembers.

use crate::bucket::{Bucket, BucketId, MAIN_BUCKET, Scopes};
use crate::effect::{Effect, Entry};
use crate::life_cycle::LifeCycle;
use crate::operation::{Key, Receipt};
use crate::session::{Answered, Reserved, Session, SessionKey};
use crate::subscription::Subscription;
use crate::threshold::Watched;
use crate::transfer::Sent;
use crate::unit::{Currency, Millis, Unit};
use crate::warning::Warned;

/// The number of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccountId(pub u64);

/// Who may use an account: the stages of its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// It was not used yet.
    PreActive,
    /// It is in use.
    Active,
    /// It is in use for what costs the subscriber nothing more, such as incoming calls.
    Grace,
    /// It is not in use, and may be refilled.
    Suspended,
    /// It is no longer there for the subscriber.
    Closed,
}

impl Standing {
    /// All stages, in the order of their numbers in the journal.
    pub const ALL: [Standing; 5] = [
        Standing::PreActive,
        Standing::Active,
        Standing::Grace,
        Standing::Suspended,
        Standing::Closed,
    ];

    /// Returns whether an amount can be taken for what a person asks for: a bundle, a transfer. In grace, what is there can
    /// still be spent so, but on no service.
    pub fn may_use(self) -> bool {
        matches!(self, Standing::Active | Standing::Grace)
    }
}

/// An account of a subscriber.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The currency of its money.
    pub currency: Currency,
    /// Who may use it.
    pub standing: Standing,
    /// How far the main bucket may be overdrawn by reservations.
    pub credit_limit: i64,
    /// The scopes for which nothing can be reserved.
    pub barred: Scopes,
    /// The type of its subscriber, by a number of the caller.
    pub subscriber_type: Option<u16>,
    /// Its time: that of the last operation.
    pub at: Millis,
    /// The number of its last entry.
    pub entries: u64,
    /// In the order of use.
    pub(crate) buckets: Vec<Bucket>,
    /// By key.
    pub(crate) sessions: Vec<Session>,
    /// The oldest first.
    pub(crate) keys: Vec<Keyed>,
    /// The number of the next new bucket.
    pub(crate) next_bucket: u32,
    /// What the caller counts.
    pub(crate) counters: Vec<u8>,
    pub(crate) thresholds: Vec<Watched>,
    /// Whether it was refilled ever.
    pub is_refilled: bool,
    /// In the order in which they began.
    pub(crate) subscriptions: Vec<Subscription>,
    /// When the stages of its life end.
    pub life_cycle: LifeCycle,
    /// What was sent to others on a day, if that was limited.
    pub(crate) sent: Option<Box<Sent>>,
    /// How far there were notices of what ends.
    pub(crate) warned: Warned,
}

/// An operation with a key, and its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Keyed {
    pub(crate) key: Key,
    pub(crate) digest: u64,
    pub(crate) at: Millis,
    pub(crate) receipt: Receipt,
}

impl Account {
    /// Returns a new account, with an empty main bucket.
    pub(crate) fn opened(currency: Currency, standing: Standing, credit_limit: i64) -> Self {
        Account {
            currency,
            standing,
            credit_limit,
            barred: Scopes::NONE,
            subscriber_type: None,
            at: Millis::MIN,
            entries: 0,
            buckets: vec![Bucket::main()],
            sessions: Vec::new(),
            keys: Vec::new(),
            next_bucket: MAIN_BUCKET.0 + 1,
            counters: Vec::new(),
            thresholds: Vec::new(),
            is_refilled: false,
            subscriptions: Vec::new(),
            life_cycle: LifeCycle::ENDLESS,
            sent: None,
            warned: Warned::NEVER,
        }
    }

    /// Returns whether amounts can be reserved or taken for usage in scopes from now on. The first charge makes a pre-active account
    /// active.
    pub fn may_pay_for(&self, scopes: Scopes) -> bool {
        let is_in_use = matches!(self.standing, Standing::PreActive | Standing::Active);
        is_in_use && !self.barred.meets(scopes)
    }

    /// Returns the buckets in the order of use.
    pub fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    /// Returns the sessions, by key.
    pub fn sessions(&self) -> &[Session] {
        &self.sessions
    }

    /// Returns a bucket.
    pub fn bucket(&self, id: BucketId) -> Option<&Bucket> {
        self.buckets.iter().find(|bucket| bucket.id == id)
    }

    /// Returns a session.
    pub fn session(&self, key: SessionKey) -> Option<&Session> {
        let place = self.place_of(key).ok()?;
        Some(&self.sessions[place])
    }

    /// Reads a part of each list that a request needs.
    pub(crate) fn read(&self) -> u64 {
        let bucket = self.buckets.first().map_or(0, |bucket| u64::from(bucket.id.0));
        let session = self.sessions.last().map_or(0, |session| {
            let answered = session.answered.last().map_or(0, |answered| u64::from(answered.number));
            answered ^ session.memo.first().copied().map_or(0, u64::from)
        });
        bucket ^ session ^ self.counters.first().copied().map_or(0, u64::from)
    }

    /// Returns what the caller counts for the account.
    pub fn counters(&self) -> &[u8] {
        &self.counters
    }

    /// Returns how much of a unit can be reserved for scopes at a time.
    pub fn available_for(&self, scopes: Scopes, unit: Unit, at: Millis) -> i64 {
        let buckets = self.buckets.iter().filter(|bucket| bucket.pays(unit, scopes, at));
        buckets.fold(0, |sum: i64, bucket| sum.saturating_add(self.available(bucket)))
    }

    /// Returns how much of a unit is reserved for a leg of a session.
    pub fn reserved_for(&self, session: SessionKey, leg: u32, unit: Unit) -> i64 {
        let is_of = |part: &&Reserved| {
            part.leg == leg && self.bucket(part.bucket).is_some_and(|bucket| bucket.unit == unit)
        };
        let parts = self.session(session).map_or(&[][..], |session| &session.reserved);
        parts.iter().filter(is_of).map(|part| part.amount).sum()
    }

    /// Returns how much of a bucket can be reserved or taken.
    pub fn available(&self, bucket: &Bucket) -> i64 {
        let credit = if bucket.id == MAIN_BUCKET { self.credit_limit } else { 0 };
        bucket.free().saturating_add(credit).max(0)
    }

    pub(crate) fn keyed(&self, key: Key) -> Option<&Keyed> {
        self.keys.iter().find(|keyed| keyed.key == key)
    }

    fn place_of(&self, key: SessionKey) -> Result<usize, usize> {
        self.sessions.binary_search_by_key(&key, |session| session.key)
    }

    fn session_mut(&mut self, key: SessionKey) -> &mut Session {
        let place = self.place_of(key).expect("effects name sessions that are there");
        &mut self.sessions[place]
    }

    fn bucket_mut(&mut self, id: BucketId) -> &mut Bucket {
        let mut buckets = self.buckets.iter_mut();
        buckets.find(|bucket| bucket.id == id).expect("effects name buckets that are there")
    }

    /// Adds what a bucket was given, or takes away what was taken back.
    fn count_given(&mut self, entry: &Entry) {
        let is_of_credit = (entry.amount > 0) == entry.reverses.is_none();
        if is_of_credit && entry.bucket != MAIN_BUCKET {
            let bucket = self.bucket_mut(entry.bucket);
            bucket.given = bucket.given.saturating_add(entry.amount);
        }
    }

    /// Adds a payment to the sum of its session. A reversal is none.
    fn count_paid(&mut self, entry: &Entry) {
        let is_payment = entry.unit == Unit::Money && entry.reverses.is_none();
        let place = entry.session.filter(|_| is_payment).map(|key| self.place_of(key));
        if let Some(Ok(place)) = place {
            self.sessions[place].paid -= i128::from(entry.amount);
        }
    }

    /// Adds a bucket in the order of use.
    fn place_bucket(&mut self, bucket: Bucket) {
        let place = self.buckets.partition_point(|other| other.order() < bucket.order());
        self.buckets.insert(place, bucket);
    }

    /// Makes a change that was decided. `bytes` has the memos of these effects.
    ///
    /// # Panics
    ///
    /// The effect is not one of this account, in the state that it is in.
    pub fn apply(&mut self, effect: &Effect, bytes: &[u8]) {
        match *effect {
            Effect::Opened { currency, standing, credit_limit } => {
                *self = Account::opened(currency, standing, credit_limit);
            }
            Effect::At(at) => self.at = at,
            Effect::Standing(standing) => self.standing = standing,
            Effect::LifeCycle(dates) => self.life_cycle = dates,
            Effect::CreditLimit(limit) => self.credit_limit = limit,
            Effect::Barred(scopes) => self.barred = scopes,
            Effect::SubscriberType(kind) => self.subscriber_type = kind,
            Effect::Bucket(bucket) => {
                self.place_bucket(bucket);
                self.next_bucket = bucket.id.0 + 1;
            }
            Effect::BucketUntil { bucket, until } => {
                // What is used of it is over with its old time.
                let bucket = *self.bucket_mut(bucket);
                let given = bucket.amount;
                let bucket = Bucket { until, given, rolled_over: true, ..bucket };
                self.buckets.retain(|other| other.id != bucket.id);
                self.place_bucket(bucket);
            }
            Effect::Balance { bucket, amount, reserved } => {
                let bucket = self.bucket_mut(bucket);
                assert!(
                    reserved >= 0 && (bucket.id == MAIN_BUCKET || amount >= reserved),
                    "a bucket has what is reserved from it"
                );
                (bucket.amount, bucket.reserved) = (amount, reserved);
            }
            Effect::BucketGone(id) => self.buckets.retain(|bucket| bucket.id != id),
            Effect::SessionBegun(key) => {
                let place = self.place_of(key).expect_err("a session begins once");
                if self.sessions.len() == self.sessions.capacity() {
                    self.sessions.reserve_exact(1 + self.sessions.len() / 2);
                }
                self.sessions.insert(place, Session::new(key));
            }
            Effect::SessionUntil { session, until, is_closed } => {
                let session = self.session_mut(session);
                (session.until, session.is_closed) = (until, is_closed);
            }
            Effect::Reserved { session, leg, bucket, amount } => {
                self.session_mut(session).reserved.push(Reserved { leg, bucket, amount });
            }
            Effect::Released { session, leg } => {
                let session = self.session_mut(session);
                session.reserved.retain(|part| leg.is_some_and(|leg| part.leg != leg));
            }
            Effect::Answered { session, number, leg, digest, receipt } => {
                let outcome = Answered { number, leg, digest, receipt };
                self.session_mut(session).remember(outcome);
            }
            Effect::Memo { session, from, until } => {
                let memo = &mut self.session_mut(session).memo;
                memo.clear();
                memo.extend_from_slice(&bytes[from..until]);
            }
            Effect::Counters { from, until } => {
                self.counters.clear();
                self.counters.extend_from_slice(&bytes[from..until]);
            }
            Effect::SessionGone(key) => {
                let place = self.place_of(key).expect("effects name sessions that are there");
                self.sessions.remove(place);
            }
            Effect::Keyed { key, digest, at, receipt } => {
                // Most accounts have few keys, so room is made for as few as that.
                if self.keys.len() == self.keys.capacity() {
                    self.keys.reserve_exact(1 + self.keys.len() / 2);
                }
                self.keys.push(Keyed { key, digest, at, receipt });
            }
            Effect::KeysGone(before) => self.keys.retain(|keyed| keyed.at >= before),
            Effect::Entry(entry) => {
                self.entries = entry.number;
                self.count_paid(&entry);
                self.count_given(&entry);
            }
            Effect::Arrived { session, arrivals } => {
                self.session_mut(session).arrivals = arrivals;
            }
            Effect::SessionPaid { session, paid } => self.session_mut(session).paid = paid,
            Effect::Remark { .. } | Effect::Notice(_) | Effect::SessionEnded { .. } => {}
            Effect::Refilled => self.is_refilled = true,
            Effect::Subscription(subscription) => self.subscribe(subscription),
            Effect::SubscriptionGone(of) => {
                self.subscriptions.retain(|subscription| subscription.of != of);
            }
            Effect::ThresholdsGone => self.thresholds.clear(),
            Effect::Threshold { place, threshold, state } => {
                let watched = Watched { threshold, state };
                match self.thresholds.get_mut(usize::from(place)) {
                    Some(known) => *known = watched,
                    None => {
                        assert_eq!(usize::from(place), self.thresholds.len(), "none is left out");
                        self.thresholds.push(watched);
                    }
                }
            }
            Effect::Sent(sent) => self.sent = Some(Box::new(sent)),
            Effect::Warned(warned) => self.warned = warned,
            Effect::Numbers { entries, next_bucket } => {
                (self.entries, self.next_bucket) = (entries, next_bucket);
                for session in &mut self.sessions {
                    session.arrivals = session.remembered_arrivals();
                }
            }
        }
    }
}
