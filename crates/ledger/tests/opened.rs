//! An account that is open, for tests of one case each.

use ledger::{
    Account, AccountId, Action, Begin, Book, BucketId, Charge, Cost, Credit, CreditTo, Currency,
    Effect, Effects, EndCause, Key, MAIN_BUCKET, NewAccount, NewBucket, Note, Operation, Outcome,
    Receipt, Refusal, Scopes, SessionKey, Standing, SystemAccount, SystemKind, Unit, Want,
};

pub(crate) const ANNA: AccountId = AccountId(46_701_234_567);
pub(crate) const CALL: SessionKey = SessionKey(1);
pub(crate) const REVENUE: SystemAccount = SystemAccount { kind: SystemKind::Revenue, number: 0 };
pub(crate) const REFILL: SystemAccount = SystemAccount { kind: SystemKind::Refill, number: 0 };
pub(crate) const VOICE: u8 = 0;
pub(crate) const DATA: u8 = 1;
/// A currency's minor unit in billionths.
pub(crate) const CENT: i64 = 10_000_000;
pub(crate) const MINUTE: i64 = 60_000;

/// A book with one account, and its time.
pub(crate) struct Opened {
    pub(crate) book: Book,
    pub(crate) now: i64,
    pub(crate) effects: Effects,
}

impl Opened {
    pub(crate) fn new(credit_limit: i64) -> Self {
        let mut ledger = Opened { book: Book::default(), now: 0, effects: Effects::default() };
        let (currency, standing) = (Currency(978), Standing::Active);
        ledger.done(Action::Open(NewAccount { currency, standing, credit_limit }));
        ledger
    }

    pub(crate) fn with(cents: i64) -> Self {
        let mut ledger = Opened::new(0);
        ledger.refilled(cents);
        ledger
    }

    pub(crate) fn perform(&mut self, action: Action<'_>) -> Outcome {
        self.effects.clear();
        self.now += 1;
        let operation = Operation { account: ANNA, at: self.now, action };
        self.book.perform(&operation, &mut self.effects)
    }

    pub(crate) fn done(&mut self, action: Action<'_>) -> Receipt {
        let Outcome { receipt, is_repeated } = self.perform(action);
        assert_eq!((receipt.refusal, is_repeated), (None, false), "{action:?}");
        receipt
    }

    pub(crate) fn refused(&mut self, action: Action<'_>) -> Refusal {
        let outcome = self.perform(action);
        assert!(!outcome.is_repeated);
        outcome.receipt.refusal.expect("it is refused")
    }

    pub(crate) fn refilled(&mut self, cents: i64) {
        let key = Key(1_000 + self.now as u128);
        let amount = cents * CENT;
        let to = CreditTo::Bucket(MAIN_BUCKET);
        self.done(Action::Credit(Credit { key, to, amount, from: REFILL, days: 0, remark: b"" }));
    }

    pub(crate) fn bundled(&mut self, terms: NewBucket, amount: i64) -> BucketId {
        let key = Key(2_000 + self.now as u128);
        let to = CreditTo::New(terms);
        self.done(Action::Credit(Credit { key, to, amount, from: REFILL, days: 0, remark: b"" }));
        let made = self.effects.list.iter().find_map(|effect| match effect {
            Effect::Bucket(bucket) => Some(bucket.id),
            _ => None,
        });
        made.expect("a bucket")
    }

    /// Returns the sessions that the last operation ended: when, why, and what they paid in cents.
    pub(crate) fn ended(&self) -> Vec<(i64, EndCause, i64)> {
        let ended = self.effects.ended_sessions().map(|(of, memo)| {
            assert_eq!((of.session, memo), (CALL, &b""[..]));
            (of.at, of.cause, i64::try_from(of.paid).unwrap() / CENT)
        });
        ended.collect()
    }

    pub(crate) fn account(&self) -> &Account {
        self.book.account(ANNA).expect("it was opened")
    }

    /// Returns the amount of a bucket and what is reserved of it, in cents.
    pub(crate) fn cents(&self, id: BucketId) -> (i64, i64) {
        let bucket = self.account().bucket(id).expect("it is there");
        (bucket.amount / CENT, bucket.reserved / CENT)
    }
}

pub(crate) fn money(cents: i64) -> Cost {
    Cost { unit: Unit::Money, amount: cents * CENT }
}

pub(crate) fn want(cents: i64) -> Want {
    Want { unit: Unit::Money, most: cents * CENT, least: CENT }
}

pub(crate) fn charge<'o>(number: u32, used: &'o [Cost], wanted: &'o [Want]) -> Action<'o> {
    Action::Charge(Charge {
        session: CALL,
        number,
        leg: 0,
        digest: number.into(),
        begin: if number == 0 { Begin::Replace } else { Begin::No },
        scopes: Scopes::one(VOICE),
        used,
        wanted,
        until: 10 * MINUTE,
        memo: None,
        counters: None,
        note: Note { number: number.into(), mark: 0 },
        to: REVENUE,
        remark: b"",
    })
}

pub(crate) fn bundle(unit: Unit, service: u8, until: i64) -> NewBucket {
    NewBucket { unit, priority: 10, scopes: Scopes::one(service), from: 0, until }
}
