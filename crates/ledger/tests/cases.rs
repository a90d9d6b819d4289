//! What subscribers and operators see of an account, one case each.

use ledger::{
    AMOUNT_MAX, AccountId, Action, Begin, Book, Books, Charge, Cost, Credit, CreditTo, Currency,
    Debit, Effect, Effects, EndCause, Entry, Fee, Key, LifeCycle, Limit, MAIN_BUCKET, Measure,
    NewAccount, Notice, Operation, Refusal, Reversal, Scopes, Standing, SystemAccount, SystemKind,
    Threshold, Transfer, Unit, Want,
};

use crate::opened::{
    ANNA, CALL, CENT, DATA, MINUTE, Opened, REFILL, REVENUE, VOICE, bundle, charge, money, want,
};

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
fn a_session_remembers_the_last_numbers_and_does_late_ones_once() {
    let mut ledger = Opened::with(1_000);
    ledger.done(charge(0, &[], &[]));
    for number in [1, 2, 60, 3] {
        ledger.done(charge(number, &[money(1)], &[]));
    }
    let one = [money(1)];
    let late = |number| charge(number, &one, &[]);
    assert!(ledger.perform(late(2)).is_repeated);
    // Most have not come, and have a second leg.
    for number in 10..20 {
        assert!(!ledger.perform(late(number)).is_repeated, "{number}");
        let second = Charge { leg: 7, ..charge_of(late(number)) };
        assert!(!ledger.perform(Action::Charge(second)).is_repeated, "{number}");
        assert!(ledger.perform(late(number)).is_repeated, "{number}");
    }
    // The last eight have their outcomes, and so has the one that began. Others have come, or may have.
    assert!(ledger.perform(late(12)).is_repeated);
    assert!(ledger.perform(charge(0, &[], &[])).is_repeated);
    for number in [1, 2, 3, 60, 10, 11] {
        assert_eq!(ledger.refused(late(number)), Refusal::KeyReused, "{number}");
    }
    assert_eq!(ledger.cents(MAIN_BUCKET), (976, 0));
    ledger.done(late(100));
    assert_eq!(ledger.refused(late(35)), Refusal::KeyReused);
    assert!(!ledger.perform(late(36)).is_repeated);
}

#[test]
fn a_whole_account_knows_which_requests_of_a_session_have_not_come() {
    let mut ledger = Opened::with(1_000);
    let one = [money(1)];
    let late = |number| charge(number, &one, &[]);
    for number in [0, 1, 60] {
        ledger.done(late(number));
    }
    let mut whole = Effects::default();
    whole.add_account(ledger.account());
    let outcome = |effects: &[Effect], number| {
        let (mut book, bytes) = (Book::default(), whole.bytes.clone());
        book.replay(ANNA, &Effects { list: effects.to_vec(), bytes });
        let operation = Operation { account: ANNA, at: 0, action: late(number) };
        book.perform(&operation, &mut Effects::default()).receipt.refusal
    };
    assert_eq!([30, 1].map(|number| outcome(&whole.list, number)), [None, None]);
    // One from before that was stored does not: what is not known to be missing may have come.
    let (last, before) = whole.list.split_last().unwrap();
    assert!(matches!(last, Effect::Arrived { .. }), "{last:?}");
    let known = [30, 1, 61].map(|number| outcome(before, number));
    assert_eq!(known, [Some(Refusal::KeyReused), None, None]);
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
