//! What accounts buy, pay in each period, and get with a refill, one case each.

use ledger::{
    Action, Allowance, Bonus, BucketId, Credit, CreditTo, Effect, Ending, Key, MAIN_BUCKET, Notice,
    Outcome, Period, Purchase, Refill, Refusal, Renewal, SUBSCRIPTIONS_MAX, Standing,
    SystemAccount, SystemKind, Unit,
};

use crate::opened::{CENT, DATA, MINUTE, Opened, REFILL, bundle, charge, want};

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
