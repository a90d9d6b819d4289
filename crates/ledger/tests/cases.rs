//! What subscribers and operators see of an account, one case each.

use ledger::{
    AMOUNT_MAX, Account, AccountId, Action, Allowance, Begin, Bonus, Book, Books, BucketId, Charge,
    Cost, Credit, CreditTo, Currency, Debit, Effect, Effects, EndCause, Ending, Entry, Fee, Key,
    LifeCycle, Limit, MAIN_BUCKET, Measure, NewAccount, NewBucket, Note, Notice, Operation,
    Outcome, Period, Purchase, Receipt, Refill, Refusal, Renewal, Reversal, SUBSCRIPTIONS_MAX,
    Scopes, SessionKey, Standing, SystemAccount, SystemKind, Threshold, Transfer, Unit, Want,
};

const ANNA: AccountId = AccountId(46_701_234_567);
const CALL: SessionKey = SessionKey(1);
const REVENUE: SystemAccount = SystemAccount { kind: SystemKind::Revenue, number: 0 };
const REFILL: SystemAccount = SystemAccount { kind: SystemKind::Refill, number: 0 };
const VOICE: u8 = 0;
const DATA: u8 = 1;
/// A currency's minor unit in billionths.
const CENT: i64 = 10_000_000;
const MINUTE: i64 = 60_000;

/// A book with one account, and its time.
struct Opened {
    book: Book,
    now: i64,
    effects: Effects,
}

impl Opened {
    fn new(credit_limit: i64) -> Self {
        let mut ledger = Opened { book: Book::default(), now: 0, effects: Effects::default() };
        let (currency, standing) = (Currency(978), Standing::Active);
        ledger.done(Action::Open(NewAccount { currency, standing, credit_limit }));
        ledger
    }

    fn with(cents: i64) -> Self {
        let mut ledger = Opened::new(0);
        ledger.refilled(cents);
        ledger
    }

    fn perform(&mut self, action: Action<'_>) -> Outcome {
        self.effects.clear();
        self.now += 1;
        let operation = Operation { account: ANNA, at: self.now, action };
        self.book.perform(&operation, &mut self.effects)
    }

    fn done(&mut self, action: Action<'_>) -> Receipt {
        let Outcome { receipt, is_repeated } = self.perform(action);
        assert_eq!((receipt.refusal, is_repeated), (None, false), "{action:?}");
        receipt
    }

    fn refused(&mut self, action: Action<'_>) -> Refusal {
        let outcome = self.perform(action);
        assert!(!outcome.is_repeated);
        outcome.receipt.refusal.expect("it is refused")
    }

    fn refilled(&mut self, cents: i64) {
        let key = Key(1_000 + self.now as u128);
        let amount = cents * CENT;
        let to = CreditTo::Bucket(MAIN_BUCKET);
        self.done(Action::Credit(Credit { key, to, amount, from: REFILL, days: 0, remark: b"" }));
    }

    fn bundled(&mut self, terms: NewBucket, amount: i64) -> BucketId {
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
    fn ended(&self) -> Vec<(i64, EndCause, i64)> {
        let ended = self.effects.ended_sessions().map(|(of, memo)| {
            assert_eq!((of.session, memo), (CALL, &b""[..]));
            (of.at, of.cause, i64::try_from(of.paid).unwrap() / CENT)
        });
        ended.collect()
    }

    fn account(&self) -> &Account {
        self.book.account(ANNA).expect("it was opened")
    }

    /// Returns the amount of a bucket and what is reserved of it, in cents.
    fn cents(&self, id: BucketId) -> (i64, i64) {
        let bucket = self.account().bucket(id).expect("it is there");
        (bucket.amount / CENT, bucket.reserved / CENT)
    }
}

fn money(cents: i64) -> Cost {
    Cost { unit: Unit::Money, amount: cents * CENT }
}

fn want(cents: i64) -> Want {
    Want { unit: Unit::Money, most: cents * CENT, least: CENT }
}

fn charge<'o>(number: u32, used: &'o [Cost], wanted: &'o [Want]) -> Action<'o> {
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

fn bundle(unit: Unit, service: u8, until: i64) -> NewBucket {
    NewBucket { unit, priority: 10, scopes: Scopes::one(service), from: 0, until }
}

#[test]
fn a_call_reserves_pays_and_gives_back_the_rest() {
    let mut ledger = Opened::with(100);
    assert_eq!(ledger.done(charge(0, &[], &[want(60)])).reserved[0], 60 * CENT);
    assert_eq!(ledger.cents(MAIN_BUCKET), (100, 60), "a reservation is no entry");
    // Forty were used; of the sixty that are left, all are reserved.
    assert_eq!(ledger.done(charge(1, &[money(40)], &[want(80)])).reserved[0], 60 * CENT);
    assert_eq!(ledger.cents(MAIN_BUCKET), (60, 60));
    ledger.done(charge(2, &[money(15)], &[]));
    ledger.done(Action::End { session: CALL, until: 20 * MINUTE });
    assert_eq!(ledger.cents(MAIN_BUCKET), (45, 0));
    let revenue = ledger.book.totals().balances().find(|((_, _, of), _)| *of == REVENUE);
    assert_eq!(revenue.map(|(_, sum)| sum), Some(i128::from(55 * CENT)));
}

#[test]
fn a_request_that_comes_again_gets_the_same_answer_and_takes_nothing() {
    let mut ledger = Opened::with(100);
    ledger.done(charge(0, &[], &[want(60)]));
    let first = ledger.done(charge(1, &[money(40)], &[want(10)]));
    for _ in 0..3 {
        let again = ledger.perform(charge(1, &[money(40)], &[want(10)]));
        assert_eq!((again.receipt, again.is_repeated), (first, true));
        assert!(ledger.effects.list.is_empty());
    }
    assert_eq!(ledger.cents(MAIN_BUCKET), (60, 10));
    // Another request with its number is refused.
    let used = [money(1)];
    let other = Charge { digest: 99, ..charge_of(charge(1, &used, &[])) };
    assert_eq!(ledger.refused(Action::Charge(other)), Refusal::KeyReused);
    // After the end too, requests that came are answered, and new ones are not.
    ledger.done(Action::End { session: CALL, until: 20 * MINUTE });
    assert!(ledger.perform(charge(1, &[money(40)], &[want(10)])).is_repeated);
    let late = ledger.perform(charge(2, &[money(1)], &[want(10)]));
    assert_eq!(late.receipt.refusal, Some(Refusal::SessionUnknown));
    assert_eq!(ledger.cents(MAIN_BUCKET), (59, 0), "what was used is paid, also after the end");
    assert!(ledger.perform(Action::End { session: CALL, until: 0 }).is_repeated);
}

#[test]
fn a_session_remembers_the_last_numbers_and_refuses_smaller_ones() {
    let mut ledger = Opened::with(100);
    ledger.done(charge(0, &[], &[]));
    for number in [1, 2, 9, 3] {
        ledger.done(charge(number, &[money(1)], &[]));
    }
    // 9 and the seven before it.
    assert!(ledger.perform(charge(2, &[money(1)], &[])).is_repeated);
    assert!(!ledger.perform(charge(4, &[money(1)], &[])).is_repeated);
    assert_eq!(ledger.refused(charge(1, &[money(1)], &[])), Refusal::KeyReused);
    assert_eq!(ledger.cents(MAIN_BUCKET), (95, 0));
}

fn charge_of(action: Action<'_>) -> Charge<'_> {
    match action {
        Action::Charge(charge) => charge,
        other => panic!("{other:?} is no charge"),
    }
}

#[test]
fn a_refused_request_stays_refused_after_a_refill() {
    let mut ledger = Opened::with(1);
    let all = [Want { least: 50 * CENT, ..want(50) }];
    let outcome = ledger.perform(charge(0, &[], &all));
    assert_eq!(outcome.receipt.refusal, Some(Refusal::NotEnough));
    ledger.refilled(100);
    let again = ledger.perform(charge(0, &[], &all));
    assert_eq!((again.receipt.refusal, again.is_repeated), (Some(Refusal::NotEnough), true));
    assert_eq!(ledger.done(charge(1, &[], &all)).reserved[0], 50 * CENT);
}

#[test]
fn buckets_are_used_by_priority_then_by_their_end() {
    let mut ledger = Opened::with(100);
    let late = ledger.bundled(bundle(Unit::Money, VOICE, 50 * MINUTE), 30 * CENT);
    let soon = ledger.bundled(bundle(Unit::Money, VOICE, 40 * MINUTE), 30 * CENT);
    let other = ledger.bundled(bundle(Unit::Money, DATA, 40 * MINUTE), 30 * CENT);
    ledger.done(charge(0, &[], &[want(70)]));
    assert_eq!(ledger.cents(soon), (30, 30));
    assert_eq!(ledger.cents(late), (30, 30));
    assert_eq!(ledger.cents(other), (30, 0), "it pays for data only");
    assert_eq!(ledger.cents(MAIN_BUCKET), (100, 10));
    // The same order when it is used.
    ledger.done(charge(1, &[money(45)], &[]));
    assert_eq!(
        [soon, late, MAIN_BUCKET].map(|bucket| ledger.cents(bucket)),
        [(0, 0), (15, 0), (100, 0)]
    );
}

#[test]
fn what_was_used_beyond_all_that_is_available_overdraws_the_account() {
    let mut ledger = Opened::with(20);
    ledger.done(charge(0, &[], &[want(20)]));
    let receipt = ledger.done(charge(1, &[money(50)], &[]));
    assert_eq!((receipt.overdrawn, ledger.cents(MAIN_BUCKET)), (30 * CENT, (-30, 0)));
    let outcome = ledger.perform(charge(2, &[], &[want(1)]));
    assert_eq!(outcome.receipt.refusal, Some(Refusal::NotEnough));
    // A refill pays the debt first.
    ledger.refilled(35);
    assert_eq!(ledger.done(charge(3, &[], &[want(20)])).reserved[0], 5 * CENT);
}

#[test]
fn a_credit_limit_is_available_as_money_is() {
    let mut ledger = Opened::new(25 * CENT);
    assert_eq!(ledger.done(charge(0, &[], &[want(60)])).reserved[0], 25 * CENT);
    let debit = Debit {
        key: Key(7),
        scopes: Scopes::one(VOICE),
        bucket: None,
        cost: money(1),
        limit: Limit::Available,
        to: REVENUE,
        remark: b"",
    };
    assert_eq!(ledger.refused(Action::Debit(debit)), Refusal::NotEnough, "it is reserved");
    ledger.done(charge(1, &[money(10)], &[]));
    ledger.done(Action::Debit(debit));
    assert_eq!(ledger.cents(MAIN_BUCKET), (-11, 0));
}

#[test]
fn what_was_used_already_is_debited_once_until_the_account_is_closed() {
    let mut ledger = Opened::with(20);
    ledger.done(charge(0, &[], &[want(5)]));
    let debit = |key, cents| {
        Action::Debit(Debit {
            key: Key(key),
            scopes: Scopes::one(VOICE),
            bucket: None,
            cost: money(cents),
            limit: Limit::None,
            to: REVENUE,
            remark: b"",
        })
    };
    ledger.done(Action::SetStanding(Standing::Suspended));
    let receipt = ledger.done(debit(7, 50));
    assert_eq!((receipt.overdrawn, ledger.cents(MAIN_BUCKET)), (35 * CENT, (-30, 5)));
    ledger.done(Action::SetStanding(Standing::Closed));
    assert_eq!(ledger.refused(debit(8, 1)), Refusal::AccountBarred);
    assert!(ledger.perform(debit(7, 50)).is_repeated, "it was debited before");
}

#[test]
fn a_payment_is_credited_once() {
    let mut ledger = Opened::new(0);
    let to = CreditTo::Bucket(MAIN_BUCKET);
    let credit = Credit { key: Key(7), to, amount: 10 * CENT, from: REFILL, days: 0, remark: b"" };
    ledger.done(Action::Credit(credit));
    assert!(ledger.perform(Action::Credit(credit)).is_repeated);
    let other = Credit { amount: 11 * CENT, ..credit };
    assert_eq!(ledger.refused(Action::Credit(other)), Refusal::KeyReused);
    assert_eq!(ledger.cents(MAIN_BUCKET), (10, 0));
}

#[test]
fn a_remark_is_stored_with_the_entries_of_its_operation_and_is_no_part_of_it() {
    let mut ledger = Opened::with(20);
    let bundled = ledger.bundled(bundle(Unit::Money, VOICE, 40 * MINUTE), 30 * CENT);
    let used = [money(40)];
    let call = Charge { remark: b"2 min", ..charge_of(charge(0, &used, &[])) };
    ledger.done(Action::Charge(call));
    let entries = ledger.effects.entries().map(|(entry, remark)| (entry.bucket, remark));
    assert_eq!(entries.collect::<Vec<_>>(), [(MAIN_BUCKET, &b"2 min"[..]), (bundled, b"2 min")]);
    // Without an entry there is nothing to remark on.
    ledger.done(Action::Charge(Charge { number: 1, used: &[], ..call }));
    assert!(!ledger.effects.list.iter().any(|effect| matches!(effect, Effect::Remark { .. })));
    // A retry with other words is the same refill.
    let to = CreditTo::Bucket(MAIN_BUCKET);
    let credit = Credit { key: Key(7), to, amount: CENT, from: REFILL, days: 0, remark: b"by Eva" };
    ledger.done(Action::Credit(credit));
    assert!(ledger.perform(Action::Credit(Credit { remark: b"by Kim", ..credit })).is_repeated);
}

#[test]
fn a_transfer_moves_money_and_its_fee_once_or_nothing() {
    const BEN: AccountId = AccountId(46_707_654_321);
    let mut ledger = Opened::with(100);
    let opened = |account, currency| {
        let standing = Standing::PreActive;
        let new = NewAccount { currency: Currency(currency), standing, credit_limit: 0 };
        Operation { account, at: 0, action: Action::Open(new) }
    };
    ledger.book.perform(&opened(BEN, 978), &mut Effects::default());
    ledger.book.perform(&opened(AccountId(1), 752), &mut Effects::default());
    let fee = Fee { amount: 5 * CENT, to: REVENUE };
    let transfer = Transfer {
        key: Key(7),
        from: ANNA,
        to: BEN,
        amount: 40 * CENT,
        fee: Some(fee),
        limit: None,
        remark: b"from Anna to Ben",
        at: 5,
    };
    let mut perform = |transfer: Transfer<'_>| {
        let mut effects = (Effects::default(), Effects::default());
        let books = Books::Same(&mut ledger.book);
        let outcome = transfer.perform(books, (&mut effects.0, &mut effects.1));
        let remarks = [effects.0, effects.1]
            .map(|of| of.entries().filter(|(_, remark)| *remark == transfer.remark).count());
        (outcome.receipt.refusal, outcome.is_repeated, remarks)
    };
    assert_eq!(perform(transfer), (None, false, [2, 1]));
    assert_eq!(perform(transfer), (None, true, [0, 0]));
    let refused = |refusal| (Some(refusal), false, [0, 0]);
    let other = Transfer { amount: CENT, ..transfer };
    assert_eq!(perform(other), refused(Refusal::KeyReused));
    let next = Transfer { key: Key(8), amount: 55 * CENT, ..transfer };
    assert_eq!(perform(next), refused(Refusal::NotEnough), "the fee is missing");
    assert_eq!(perform(Transfer { to: ANNA, ..next }), refused(Refusal::ReceiverSame));
    assert_eq!(perform(Transfer { to: AccountId(9), ..next }), refused(Refusal::ReceiverUnknown));
    assert_eq!(perform(Transfer { to: AccountId(1), ..next }), refused(Refusal::CurrencyDiffers));
    assert_eq!(perform(Transfer { from: BEN, to: ANNA, ..next }), refused(Refusal::AccountBarred));
    assert_eq!(perform(Transfer { fee: None, ..next }), (None, false, [1, 1]));
    assert_eq!(ledger.cents(MAIN_BUCKET), (0, 0));
    let ben = ledger.book.account(BEN).and_then(|ben| ben.bucket(MAIN_BUCKET));
    assert_eq!(ben.map(|bucket| bucket.amount), Some(95 * CENT));
    // An account has no room for any amount.
    let to = CreditTo::Bucket(MAIN_BUCKET);
    for key in 0..4 {
        let amount = if key < 3 { AMOUNT_MAX } else { AMOUNT_MAX - 96 * CENT };
        let action = Action::Credit(Credit {
            key: Key(key),
            to,
            amount,
            from: REFILL,
            days: 0,
            remark: b"",
        });
        ledger.book.perform(&Operation { account: BEN, at: 0, action }, &mut Effects::default());
    }
    ledger.refilled(100);
    let transfer = |amount| {
        let transfer = Transfer { amount, fee: None, key: Key(9), ..transfer };
        let mut effects = (Effects::default(), Effects::default());
        let outcome =
            transfer.perform(Books::Same(&mut ledger.book), (&mut effects.0, &mut effects.1));
        outcome.receipt.refusal
    };
    assert_eq!([2 * CENT, CENT].map(transfer), [Some(Refusal::BalanceTooLarge), None]);
    assert!(ledger.book.totalled().values().all(|sum| sum.buckets + sum.systems == 0));
}

#[test]
fn an_entry_is_reversed_once() {
    let mut ledger = Opened::with(20);
    let bundled = ledger.bundled(bundle(Unit::Money, VOICE, 40 * MINUTE), 30 * CENT);
    ledger.done(charge(0, &[money(40)], &[]));
    let mut entries: Vec<Entry> = ledger.effects.entries().map(|(entry, _)| entry).collect();
    let (main, bundle) = (entries.remove(0), entries.remove(0));
    let reverse = |key, entry| {
        Action::Reverse(Reversal { key: Key(key), entry, made: 0, remark: b"complaint" })
    };
    ledger.done(reverse(1, bundle));
    let back = ledger.effects.entries().next();
    let back = back.map(|(entry, remark)| (entry.reverses, entry.system, entry.session, remark));
    assert_eq!(back, Some((Some(bundle.number), REVENUE, Some(CALL), &b"complaint"[..])));
    assert_eq!((ledger.cents(bundled), ledger.cents(MAIN_BUCKET)), ((30, 0), (10, 0)));
    assert!(ledger.perform(reverse(1, bundle)).is_repeated);
    assert_eq!(ledger.refused(reverse(1, main)), Refusal::KeyReused);
    assert_eq!(ledger.refused(reverse(2, bundle)), Refusal::AlreadyReversed);
    assert_eq!(ledger.refused(reverse(2, Entry { number: 9, ..main })), Refusal::EntryUnknown);
    ledger.done(reverse(2, main));
    assert_eq!(ledger.cents(MAIN_BUCKET), (20, 0));
    // As long as its reversal is known, an entry stays reversed; then it is too old.
    let days = 92 * 24 * 60 * MINUTE;
    ledger.now = days - 1;
    assert_eq!(ledger.refused(reverse(3, main)), Refusal::AlreadyReversed);
    ledger.refilled(1);
    assert_eq!(ledger.refused(reverse(3, main)), Refusal::EntryTooOld);
    assert!(ledger.book.totalled().values().all(|sum| sum.buckets + sum.systems == 0));
}

#[test]
fn a_reversed_refill_overdraws_the_main_bucket_and_no_other() {
    let mut ledger = Opened::with(50);
    let (refill, _) = ledger.effects.entries().next().unwrap();
    let bundled = ledger.bundled(bundle(Unit::Money, VOICE, 40 * MINUTE), 30 * CENT);
    let (bonus, _) = ledger.effects.entries().next().unwrap();
    ledger.done(charge(0, &[money(40)], &[]));
    let reverse =
        |key, entry| Action::Reverse(Reversal { key: Key(key), entry, made: 0, remark: b"" });
    assert_eq!(ledger.refused(reverse(1, bonus)), Refusal::NotEnough, "it was used");
    assert_eq!(ledger.done(reverse(2, refill)).overdrawn, 10 * CENT);
    assert_eq!((ledger.cents(bundled), ledger.cents(MAIN_BUCKET)), ((0, 0), (-10, 0)));
}

#[test]
fn what_goes_back_to_a_bucket_that_is_over_goes_to_the_main_bucket_if_it_is_money() {
    let mut ledger = Opened::new(0);
    ledger.bundled(bundle(Unit::Money, VOICE, 40 * MINUTE), 30 * CENT);
    let octets = ledger.bundled(bundle(Unit::Octets, VOICE, 40 * MINUTE), 1_000);
    let used = [Cost { unit: Unit::Octets, amount: 400 }, money(20)];
    ledger.done(charge(0, &used, &[]));
    let mut entries: Vec<Entry> = ledger.effects.entries().map(|(entry, _)| entry).collect();
    entries.sort_unstable_by_key(|entry| entry.unit);
    let reverse =
        |key, entry| Action::Reverse(Reversal { key: Key(key), entry, made: 0, remark: b"" });
    ledger.now = 40 * MINUTE;
    ledger.done(reverse(1, entries[0]));
    assert_eq!(ledger.cents(MAIN_BUCKET), (20, 0));
    assert_eq!(ledger.refused(reverse(2, entries[1])), Refusal::BucketUnknown);
    ledger.done(Action::Expire { bucket: octets });
    assert_eq!(ledger.refused(reverse(2, entries[1])), Refusal::BucketUnknown);
}

#[test]
fn there_is_one_notice_when_an_account_falls_below_a_threshold() {
    let mut ledger = Opened::with(100);
    let threshold = Threshold {
        unit: Unit::Money,
        measure: Measure::Amount,
        level: 50 * CENT,
        hysteresis: 10 * CENT,
    };
    ledger.done(Action::SetThresholds(&[threshold]));
    let noticed = |ledger: &Opened| {
        let mut notices = ledger.effects.list.iter().filter_map(|effect| match effect {
            Effect::Notice(Notice::Low { amount, .. }) => Some(amount / CENT),
            _ => None,
        });
        notices.next()
    };
    ledger.done(charge(0, &[], &[want(90)]));
    assert_eq!(noticed(&ledger), None, "what is reserved is not used");
    ledger.done(charge(1, &[money(51)], &[]));
    assert_eq!(noticed(&ledger), Some(49));
    ledger.done(charge(2, &[money(9)], &[]));
    assert_eq!(noticed(&ledger), None, "there was a notice");
    // Sixty are not above the level and the hysteresis.
    ledger.refilled(20);
    ledger.done(charge(3, &[money(20)], &[]));
    assert_eq!(noticed(&ledger), None);
    ledger.refilled(21);
    ledger.done(charge(4, &[money(12)], &[]));
    assert_eq!(noticed(&ledger), Some(49));
    // One that is there stays as it is.
    ledger.done(Action::SetThresholds(&[threshold]));
    ledger.done(charge(5, &[money(1)], &[]));
    assert_eq!(noticed(&ledger), None);
    // One that the account is below already waits until it was reached.
    let higher = Threshold { level: 60 * CENT, ..threshold };
    ledger.done(Action::SetThresholds(&[higher]));
    ledger.done(charge(6, &[money(1)], &[]));
    assert_eq!(noticed(&ledger), None);
    ledger.refilled(13);
    assert_eq!(ledger.cents(MAIN_BUCKET).0, 60);
    ledger.done(charge(7, &[money(1)], &[]));
    assert_eq!(noticed(&ledger), Some(59));
    assert_eq!(ledger.refused(Action::SetThresholds(&[threshold; 5])), Refusal::AmountInvalid);
}

#[test]
fn an_account_that_is_not_refilled_goes_through_its_stages_and_gives_up_its_balance() {
    let day = 24 * 60 * MINUTE;
    let mut ledger = Opened::with(100);
    ledger.bundled(bundle(Unit::Octets, DATA, 900 * day), 1_000);
    ledger.done(charge(0, &[], &[want(30)]));
    let dates =
        LifeCycle { active_until: 10 * day, grace_until: 20 * day, suspended_until: 50 * day };
    ledger.done(Action::SetLifeCycle(dates));
    assert_eq!(ledger.refused(Action::Age), Refusal::NotOver);
    for (at, standing) in [(10, Standing::Grace), (20, Standing::Suspended)] {
        ledger.now = at * day - 1;
        ledger.done(Action::Age);
        assert_eq!(ledger.account().standing, standing);
        assert_eq!(ledger.refused(Action::Age), Refusal::NotOver);
    }
    // A refill in time makes it active again; the other stages stay as long as they were.
    let to = CreditTo::Bucket(MAIN_BUCKET);
    let credit = Credit { key: Key(1), to, amount: CENT, from: REFILL, days: 30, remark: b"" };
    ledger.now = 25 * day - 1;
    ledger.done(Action::Credit(credit));
    let later =
        LifeCycle { active_until: 55 * day, grace_until: 65 * day, suspended_until: 95 * day };
    assert_eq!((ledger.account().standing, ledger.account().life_cycle), (Standing::Active, later));
    // Fewer days than it has already change nothing.
    ledger.done(Action::Credit(Credit { key: Key(2), days: 29, ..credit }));
    assert_eq!(ledger.account().life_cycle, later);
    // What the operator has suspended, no refill makes active.
    ledger.done(Action::SetStanding(Standing::Suspended));
    ledger.done(Action::Credit(Credit { key: Key(3), days: 31, ..credit }));
    assert_eq!(ledger.account().standing, Standing::Suspended);
    ledger.now = 97 * day;
    ledger.done(Action::Age);
    assert_eq!(ledger.account().standing, Standing::Closed);
    let left = ledger.account().buckets().iter().map(|bucket| (bucket.amount, bucket.reserved));
    assert_eq!(left.collect::<Vec<_>>(), [(0, 0)]);
    assert!(ledger.account().sessions().iter().all(|session| session.is_closed));
    assert!(ledger.book.totalled().values().all(|sum| sum.buckets + sum.systems == 0));
    let swapped = LifeCycle { active_until: 2, ..LifeCycle { grace_until: 1, ..later } };
    assert_eq!(ledger.refused(Action::SetLifeCycle(swapped)), Refusal::DatesInvalid);
}

#[test]
fn the_first_charge_or_refill_makes_an_account_active() {
    let pre_active = || {
        let mut ledger = Opened::new(0);
        ledger.done(Action::SetStanding(Standing::PreActive));
        ledger
    };
    let mut ledger = pre_active();
    let from = SystemAccount { kind: SystemKind::Bonus, number: 0 };
    let to = CreditTo::Bucket(MAIN_BUCKET);
    let bonus = Credit { key: Key(1), to, amount: 50 * CENT, from, days: 0, remark: b"" };
    ledger.done(Action::Credit(bonus));
    assert_eq!(ledger.account().standing, Standing::PreActive, "the balance that it is sold with");
    ledger.done(charge(0, &[], &[want(30)]));
    assert_eq!(ledger.account().standing, Standing::Active);
    let mut ledger = pre_active();
    ledger.refilled(1);
    assert_eq!(ledger.account().standing, Standing::Active);
}

#[test]
fn a_bucket_expires_when_nothing_is_reserved_from_it_any_more() {
    let mut ledger = Opened::new(0);
    let id = ledger.bundled(bundle(Unit::Octets, DATA, 30 * MINUTE), 1_000);
    let octets = |most| [Want { unit: Unit::Octets, most, least: 1 }];
    let data = |number, used, wanted| {
        let scopes = Scopes::one(DATA);
        Action::Charge(Charge { scopes, ..charge_of(charge(number, used, wanted)) })
    };
    let wanted = octets(300);
    ledger.done(data(0, &[], &wanted));
    assert_eq!(ledger.refused(Action::Expire { bucket: id }), Refusal::NotOver);
    ledger.now = 30 * MINUTE;
    ledger.done(Action::Expire { bucket: id });
    assert_eq!(ledger.account().bucket(id).map(|of| (of.amount, of.reserved)), Some((300, 300)));
    assert_eq!(ledger.done(Action::Expire { bucket: id }).entry, 0, "there is no more to take");
    // What was reserved in time can be used, and no more.
    let used = [Cost { unit: Unit::Octets, amount: 200 }];
    let outcome = ledger.perform(data(1, &used, &wanted));
    assert_eq!(outcome.receipt.refusal, Some(Refusal::NotEnough));
    ledger.done(Action::Expire { bucket: id });
    assert_eq!(ledger.account().bucket(id), None);
    assert!(ledger.book.totalled().values().all(|sum| sum.buckets + sum.systems == 0));
    assert_eq!(ledger.refused(Action::Expire { bucket: MAIN_BUCKET }), Refusal::NotOver);
}

#[test]
fn a_session_without_a_request_times_out_and_gives_its_reservation_back() {
    let mut ledger = Opened::with(100);
    ledger.done(charge(0, &[], &[want(60)]));
    let lapse = Action::Lapse { session: CALL, until: 20 * MINUTE };
    assert_eq!(ledger.refused(lapse), Refusal::NotOver);
    ledger.now = 10 * MINUTE;
    ledger.done(lapse);
    assert_eq!(ledger.cents(MAIN_BUCKET), (100, 0));
    assert!(ledger.account().session(CALL).is_some_and(|session| session.is_closed));
    ledger.now = 20 * MINUTE;
    ledger.done(lapse);
    assert_eq!(ledger.account().sessions().len(), 0);
}

#[test]
fn a_first_request_ends_another_session_that_has_its_key() {
    let mut ledger = Opened::with(100);
    ledger.done(charge(7, &[], &[want(60)]).beginning(Begin::IfMissing));
    // The client has started again, and counts from 0.
    assert_eq!(ledger.done(charge(0, &[], &[want(30)])).reserved[0], 30 * CENT);
    assert_eq!(ledger.cents(MAIN_BUCKET), (100, 30));
    ledger.done(Action::End { session: CALL, until: 20 * MINUTE });
    let wanted = [want(30)];
    let other = charge(1, &[], &wanted).beginning(Begin::IfMissing);
    assert_eq!(ledger.refused(other), Refusal::SessionUnknown, "it has ended");
    ledger.done(charge(2, &[], &[want(30)]).beginning(Begin::Replace));
    assert_eq!(ledger.cents(MAIN_BUCKET), (100, 30));
}

#[test]
fn a_session_that_ends_is_recorded_once_with_what_it_paid() {
    let mut ledger = Opened::with(100);
    let end = Action::End { session: CALL, until: 20 * MINUTE };
    ledger.done(charge(0, &[], &[want(60)]));
    assert_eq!(ledger.ended(), []);
    ledger.done(charge(1, &[money(40)], &[want(10)]));
    ledger.done(charge(2, &[money(15)], &[]));
    ledger.done(end);
    assert_eq!(ledger.ended(), [(ledger.now, EndCause::Ended, 55)]);
    assert!(ledger.perform(end).is_repeated);
    assert_eq!(ledger.ended(), []);
    // An attempt without an answer.
    ledger.done(charge(7, &[], &[]).beginning(Begin::Replace));
    assert_eq!(ledger.ended(), [], "the one before had ended");
    ledger.done(charge(3, &[money(1)], &[]));
    ledger.done(charge(4, &[], &[]).beginning(Begin::Replace));
    assert_eq!(ledger.ended(), [(ledger.now, EndCause::Replaced, 1)]);
    ledger.now = 11 * MINUTE;
    ledger.done(Action::Lapse { session: CALL, until: 20 * MINUTE });
    assert_eq!(ledger.ended(), [(10 * MINUTE, EndCause::Lapsed, 0)], "its time was over then");
    ledger.done(charge(5, &[money(7)], &[]));
    let late = EndCause::LateUsage { leg: 0 };
    assert_eq!(ledger.ended(), [(ledger.now, late, 7)]);
    ledger.done(charge(6, &[money(8)], &[]).beginning(Begin::Replace));
    ledger.done(Action::SetStanding(Standing::Closed));
    assert_eq!(ledger.ended(), [(ledger.now, EndCause::Closed, 8)]);
}

#[test]
fn a_reversal_does_not_change_what_a_session_paid() {
    let mut ledger = Opened::with(100);
    ledger.done(charge(0, &[money(40)], &[]));
    let entry = ledger.effects.entries().next().expect("it was paid").0;
    let (key, made, remark) = (Key(7), ledger.now, &[]);
    ledger.done(Action::Reverse(Reversal { key, entry, made, remark }));
    assert_eq!(
        ledger.account().session(CALL).map(|session| session.paid()),
        Some(40 * i128::from(CENT))
    );
}

/// Says whether a charge begins its session.
trait Beginning {
    fn beginning(self, begin: Begin) -> Self;
}

impl Beginning for Action<'_> {
    fn beginning(self, begin: Begin) -> Self {
        Action::Charge(Charge { begin, ..charge_of(self) })
    }
}

#[test]
fn an_account_out_of_use_pays_what_was_used_and_reserves_no_more() {
    let mut ledger = Opened::with(100);
    ledger.done(charge(0, &[], &[want(60)]));
    ledger.done(Action::SetStanding(Standing::Suspended));
    let outcome = ledger.perform(charge(1, &[money(40)], &[want(20)]));
    assert_eq!(outcome.receipt.refusal, Some(Refusal::AccountBarred));
    assert_eq!(ledger.cents(MAIN_BUCKET), (60, 0));
    ledger.refilled(10);
    ledger.done(Action::SetStanding(Standing::Closed));
    let to = CreditTo::Bucket(MAIN_BUCKET);
    let credit = Credit { key: Key(7), to, amount: CENT, from: REFILL, days: 0, remark: b"" };
    assert_eq!(ledger.refused(Action::Credit(credit)), Refusal::AccountBarred);
}

fn allowance(unit: Unit, amount: i64) -> Allowance {
    Allowance { terms: bundle(unit, DATA, 100 * MINUTE), amount }
}

fn purchase(number: u16, cents: i64, allowances: &[Allowance]) -> Action<'_> {
    let of = SystemAccount { kind: SystemKind::Bundle, number };
    let price = cents * CENT;
    Action::Buy(Purchase {
        key: Key(77),
        price,
        allowances,
        of,
        renews: None,
        remark: b"a gigabyte",
    })
}

#[test]
fn a_bundle_is_paid_and_given_in_one_operation() {
    let mut ledger = Opened::with(100);
    let both = [allowance(Unit::Octets, 1_000), allowance(Unit::Money, 20 * CENT)];
    let first = ledger.done(purchase(3, 49, &both));
    assert_eq!(ledger.cents(MAIN_BUCKET), (51, 0));
    assert_eq!(ledger.account().bucket(BucketId(1)).map(|of| of.amount), Some(1_000));
    assert_eq!(ledger.cents(BucketId(2)), (20, 0));
    let entries: Vec<_> = ledger.effects.entries().collect();
    assert!(entries.iter().all(|(entry, remark)| {
        entry.system.kind == SystemKind::Bundle && *remark == b"a gigabyte"
    }));
    assert_eq!((entries.len(), first.entry), (3, entries[0].0.number));
    // It counts once, also if its price has changed since.
    let again = ledger.perform(purchase(3, 59, &both));
    assert_eq!((again.receipt, again.is_repeated), (first, true));
    assert_eq!(ledger.refused(purchase(4, 49, &both)), Refusal::KeyReused);
    let zero = ledger.book.totalled().into_values().all(|sum| sum.buckets + sum.systems == 0);
    assert!(zero, "units that are sold come from the account of bundles");
}

#[test]
fn a_bundle_that_cannot_be_paid_changes_nothing() {
    let mut ledger = Opened::with(48);
    let octets = [allowance(Unit::Octets, 1_000)];
    assert_eq!(ledger.refused(purchase(3, 49, &octets)), Refusal::NotEnough);
    assert!(ledger.effects.list.is_empty());
    // What is reserved pays for the call.
    ledger.done(charge(0, &[], &[want(10)]));
    assert_eq!(ledger.refused(purchase(3, 39, &octets)), Refusal::NotEnough);
    ledger.done(purchase(3, 38, &octets));
    ledger.done(Action::SetStanding(Standing::Suspended));
    let other = Purchase { key: Key(78), ..purchase_of(purchase(3, 0, &octets)) };
    assert_eq!(ledger.refused(Action::Buy(other)), Refusal::AccountBarred);
    let five = [octets[0]; 5];
    for (cents, allowances) in
        [(0, &[][..]), (0, &[allowance(Unit::Octets, 0)]), (0, &five), (-1, &octets)]
    {
        let other = Purchase { key: Key(78), ..purchase_of(purchase(3, cents, allowances)) };
        assert_eq!(ledger.refused(Action::Buy(other)), Refusal::AmountInvalid);
    }
}

fn purchase_of(action: Action<'_>) -> Purchase<'_> {
    match action {
        Action::Buy(purchase) => purchase,
        other => panic!("{other:?}"),
    }
}

const FEE: SystemAccount = SystemAccount { kind: SystemKind::Fee, number: 1 };
/// A period of the subscriptions below.
const LONG: i64 = 1_000;

fn period(count: u32) -> Period {
    Period { anchor: 0, count, begin: i64::from(count) * LONG }
}

impl Opened {
    /// Renews a subscription at a time, at which it is tried again 100 later if it is not paid.
    fn renewed(
        &mut self,
        count: u32,
        now: i64,
        (cents, allowances): (i64, &[Allowance]),
    ) -> Outcome {
        self.now = now - 1;
        self.perform(Action::Renew(Renewal {
            of: FEE,
            begin: period(count).begin,
            next: period(count + 1),
            again: now + 100,
            price: cents * CENT,
            allowances,
            rolls_over: false,
            remark: b"",
        }))
    }

    /// Returns the beginning of the next period, and when it is charged.
    fn next(&self) -> (i64, i64) {
        let next = self.account().subscription(FEE).expect("a subscription");
        (next.period.begin, next.due)
    }

    fn subscribed(cents: i64) -> Self {
        let mut ledger = Opened::with(cents);
        ledger.done(Action::Subscribe { of: FEE, first: period(1) });
        ledger
    }
}

#[test]
fn a_period_is_charged_once_and_missed_ones_one_by_one() {
    let mut ledger = Opened::subscribed(100);
    assert_eq!(ledger.renewed(1, 999, (10, &[])).receipt.refusal, Some(Refusal::NotOver));
    // The system was down until the third period.
    for count in 1..=3 {
        assert_eq!(ledger.renewed(count, 3_500, (10, &[])).receipt.refusal, None, "{count}");
    }
    for count in 0..=4 {
        let again = ledger.renewed(count, 3_600, (10, &[])).receipt.refusal;
        assert_eq!(again, Some(Refusal::NotOver), "{count}");
    }
    assert_eq!((ledger.cents(MAIN_BUCKET), ledger.next()), ((70, 0), (4_000, 4_000)));
    let again = ledger.perform(Action::Subscribe { of: FEE, first: period(9) });
    assert!(again.is_repeated, "a subscription begins once");
}

#[test]
fn a_period_that_cannot_be_paid_is_tried_again_and_then_left_out() {
    let mut ledger = Opened::subscribed(9);
    assert_eq!(ledger.renewed(1, 1_000, (10, &[])).receipt.refusal, Some(Refusal::NotEnough));
    assert_eq!((ledger.account().standing, ledger.next()), (Standing::Active, (1_000, 1_100)));
    assert_eq!(ledger.renewed(1, 1_050, (10, &[])).receipt.refusal, Some(Refusal::NotOver));
    // A refill lets it be charged at once.
    ledger.refilled(1);
    assert!(ledger.next().1 < 1_100);
    assert_eq!(ledger.renewed(1, 1_060, (10, &[])).receipt.refusal, None);
    assert_eq!(ledger.renewed(2, 2_000, (10, &[])).receipt.refusal, Some(Refusal::NotEnough));
    assert_eq!(ledger.renewed(2, 2_950, (10, &[])).receipt.refusal, Some(Refusal::NotEnough));
    assert_eq!(ledger.next(), (3_000, 3_000), "nothing is owed for a period that is over");
}

#[test]
fn a_bundle_is_not_sold_for_a_period_that_is_over() {
    let mut ledger = Opened::subscribed(100);
    let octets = [allowance(Unit::Octets, 1_000)];
    let missed = ledger.renewed(1, 2_500, (10, &octets)).receipt;
    assert_eq!((missed.refusal, missed.entry, ledger.next()), (None, 0, (2_000, 2_000)));
    assert_eq!(ledger.renewed(2, 2_500, (10, &octets)).receipt.refusal, None);
    assert_eq!((ledger.cents(MAIN_BUCKET), ledger.account().buckets().len()), ((90, 0), 2));
}

#[test]
fn an_account_that_is_not_in_use_pays_no_period() {
    let mut ledger = Opened::subscribed(100);
    ledger.done(Action::SetStanding(Standing::Suspended));
    assert_eq!(ledger.renewed(1, 1_000, (10, &[])).receipt.refusal, Some(Refusal::AccountBarred));
    assert_eq!((ledger.cents(MAIN_BUCKET), ledger.next()), ((100, 0), (2_000, 2_000)));
    ledger.done(Action::SetStanding(Standing::Closed));
    assert!(ledger.account().subscriptions().is_empty());
    let action = Action::Subscribe { of: FEE, first: period(3) };
    assert_eq!(ledger.refused(action), Refusal::AccountBarred);
}

#[test]
fn a_bundle_rolls_over_what_is_left_of_itself_and_of_no_other() {
    let mut ledger = Opened::with(200);
    let until = |until| [Allowance { terms: bundle(Unit::Octets, DATA, until), amount: 1_000 }];
    let of = |number| SystemAccount { kind: SystemKind::Bundle, number };
    for number in [3, 4, 5] {
        let key = Key(number.into());
        let renews = Some(period(1));
        ledger.done(Action::Buy(Purchase {
            key,
            renews,
            ..purchase_of(purchase(number, 49, &until(LONG)))
        }));
    }
    for number in [4, 5] {
        ledger.done(Action::Unsubscribe(of(number)));
    }
    ledger.done(Action::SetWarning(LONG / 2));
    ledger.now = LONG - 100;
    ledger.done(Action::Warn);
    let warned = ledger.effects.list.iter().filter_map(|effect| match effect {
        Effect::Notice(Notice::Ends { ending: Ending::Balance { source, .. }, .. }) => *source,
        _ => None,
    });
    assert_eq!(warned.collect::<Vec<_>>(), [of(4), of(5)], "the other one is given again");
    ledger.now = LONG - 1;
    let expire = |bucket| Action::Expire { bucket: BucketId(bucket) };
    assert_eq!(ledger.refused(expire(1)), Refusal::NotOver, "it may roll over");
    ledger.done(expire(3));
    ledger.done(Action::Renew(Renewal {
        of: of(3),
        begin: LONG,
        next: period(2),
        again: LONG + 100,
        price: 49 * CENT,
        allowances: &until(2 * LONG),
        rolls_over: true,
        remark: b"",
    }));
    let buckets = ledger.account().buckets().iter().filter(|bucket| bucket.id != MAIN_BUCKET);
    let found: Vec<_> = buckets.map(|of| (of.source, of.until, of.rolled_over)).collect();
    let expected = [(4, LONG, false), (3, 2 * LONG, true), (3, 2 * LONG, false)];
    assert_eq!(found, expected.map(|(number, until, over)| (Some(of(number)), until, over)));
    assert_eq!(ledger.account().buckets().len(), 4, "the main one, too");
}

#[test]
fn a_bundle_that_renews_is_bought_again_until_it_is_cancelled() {
    let mut ledger = Opened::with(100);
    let octets = [allowance(Unit::Octets, 1_000)];
    let of = SystemAccount { kind: SystemKind::Bundle, number: 3 };
    let bought = Purchase { renews: Some(period(1)), ..purchase_of(purchase(3, 49, &octets)) };
    ledger.done(Action::Buy(bought));
    assert_eq!(ledger.account().subscription(of).map(|of| of.due), Some(1_000));
    ledger.done(Action::Unsubscribe(of));
    assert_eq!(ledger.account().buckets().len(), 2, "what was bought stays");
    assert_eq!(ledger.refused(Action::Unsubscribe(of)), Refusal::SubscriptionUnknown);
    for number in 0..SUBSCRIPTIONS_MAX as u16 {
        let of = SystemAccount { number, ..FEE };
        ledger.done(Action::Subscribe { of, first: period(1) });
    }
    let more = Purchase { key: Key(78), ..bought };
    assert_eq!(ledger.refused(Action::Buy(more)), Refusal::TooManySubscriptions);
}

#[test]
fn a_refill_gets_the_bonuses_whose_rules_it_meets() {
    let mut ledger = Opened::new(0);
    let of = SystemAccount { kind: SystemKind::Bonus, number: 5 };
    let (data, money) = ([allowance(Unit::Octets, 9)], [allowance(Unit::Money, 10 * CENT)]);
    let bonuses = [
        Bonus { of, only_first: true, least: 0, allowances: &data },
        Bonus { of, only_first: false, least: 50 * CENT, allowances: &money },
    ];
    let refill = |key, cents: i64, bonuses| {
        let (key, to) = (Key(key), CreditTo::Bucket(MAIN_BUCKET));
        let amount = cents * CENT;
        let credit = Credit { key, to, amount, from: REFILL, days: 0, remark: b"paid" };
        Action::Refill(Refill { credit, bonuses })
    };
    let first = ledger.done(refill(1, 50, &bonuses));
    let entries: Vec<_> =
        ledger.effects.entries().map(|(entry, remark)| (entry.system, remark)).collect();
    assert_eq!(entries, [(of, &b"paid"[..]), (of, b"paid"), (REFILL, b"paid")]);
    assert_eq!((first.entry, ledger.account().buckets().len()), (3, 3));
    // A retry changes nothing, also if other rules hold by then.
    assert!(ledger.perform(refill(1, 50, &[])).is_repeated);
    ledger.done(refill(2, 49, &bonuses));
    assert_eq!(ledger.account().buckets().len(), 3, "not the first, and too little");
    ledger.done(refill(3, 50, &bonuses));
    assert_eq!(ledger.account().buckets().len(), 4);
    let wrong =
        [Bonus { of, only_first: false, least: 0, allowances: &[allowance(Unit::Money, 0)] }];
    assert_eq!(ledger.refused(refill(4, 50, &wrong)), Refusal::AmountInvalid);
    // What was not paid gets no bonus, and is no refill.
    let mut other = Opened::new(0);
    let Action::Refill(Refill { credit, bonuses }) = refill(1, 50, &bonuses) else { panic!() };
    let from = SystemAccount { kind: SystemKind::Adjustment, number: 0 };
    other.done(Action::Refill(Refill { credit: Credit { from, ..credit }, bonuses }));
    assert_eq!((other.account().buckets().len(), other.account().is_refilled), (1, false));
}
