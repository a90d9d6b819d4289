//! Random operations, with retries and keys that are used again: the core and the model give the same outcomes and the same
//! balances, effects lead to the same accounts, and sums are zero.

use std::collections::HashMap;

use ledger::{
    Account, AccountId, Action, Allowance, Begin, Bonus, Book, Books, BucketId, Charge, Cost,
    Credit, CreditTo, Currency, DayLimit, Debit, Effect, Effects, EndCause, Entry, Fee, Key,
    LifeCycle, Limit, Measure, NewAccount, NewBucket, Note, Notice, Operation, Period, Purchase,
    Refill, Refusal, Renewal, Report, Reversal, Scopes, SessionKey, Standing, Subscription,
    SystemAccount, SystemKind, Threshold, Transfer, Unit, Want,
};

use crate::model::Model;

const fn threshold(unit: Unit, level: i64, hysteresis: i64) -> Threshold {
    Threshold { unit, measure: Measure::Amount, level, hysteresis }
}

const fn percent(unit: Unit, level: i64, hysteresis: i64) -> Threshold {
    Threshold { unit, measure: Measure::Percent, level, hysteresis }
}

const THRESHOLDS: [&[Threshold]; 6] = [
    &[],
    &[threshold(Unit::Money, 500, 50), threshold(Unit::Money, 100, 0)],
    &[
        threshold(Unit::Octets, 300, 0),
        threshold(Unit::Money, 1, 400),
        threshold(Unit::Money, 1_000, 0),
        threshold(Unit::Events, 50, 10),
    ],
    &[threshold(Unit::Money, 500, -1)],
    &[percent(Unit::Octets, 90, 5), percent(Unit::Events, 90, 0), threshold(Unit::Money, 1, 0)],
    &[percent(Unit::Octets, 101, 0)],
];

const REMARKS: [&[u8]; 3] = [b"", b"by Eva", b"refund"];

/// Numbers that look random (Steele, Lea and Flood, "Fast splittable pseudorandom number generators").
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// Amounts of all sizes, and some that are none.
    fn amount(&mut self) -> i64 {
        match self.below(40) {
            0 => 0,
            1 => -5,
            2 => 1_000_000_000_000_000_000,
            3 => i64::MAX,
            4..=8 => 1 + self.below(3) as i64,
            _ => 1 + self.below(400) as i64,
        }
    }

    fn unit(&mut self) -> Unit {
        self.of(&[Unit::Money, Unit::Money, Unit::Octets, Unit::Events])
    }

    fn scopes(&mut self) -> Scopes {
        Scopes(self.of(&[1, 2, 3, 4, u64::MAX]))
    }

    fn terms(&mut self, (now, until): (i64, i64)) -> NewBucket {
        NewBucket {
            unit: self.unit(),
            priority: self.below(3) as u16,
            scopes: self.scopes(),
            from: now - 1_000 + self.below(2_000) as i64,
            until,
        }
    }

    fn credit(&mut self, (key, now, later): (Key, i64, i64)) -> Credit<'static> {
        Credit {
            key,
            to: match self.below(3) {
                0 => CreditTo::New(self.terms((now, later))),
                _ => CreditTo::Bucket(BucketId(self.below(3) as u32)),
            },
            amount: self.amount(),
            from: self.system(),
            days: self.of(&[0, 0, 1, 40]),
            remark: self.remark(),
        }
    }

    fn period(&mut self, now: i64) -> Period {
        let begin = now - 500 + self.below(1_000) as i64;
        Period { anchor: begin - 5, count: self.below(9) as u32, begin }
    }

    fn cost(&mut self) -> Cost {
        Cost { unit: self.unit(), amount: self.amount() }
    }

    /// Returns the number of a request: most are among a few.
    fn number(&mut self) -> u32 {
        let most = self.of(&[30, 30, 200]);
        self.below(most) as u32
    }

    fn remark(&mut self) -> &'static [u8] {
        self.of(&REMARKS)
    }

    fn system(&mut self) -> SystemAccount {
        SystemAccount { kind: self.of(&SystemKind::ALL), number: self.below(2) as u16 }
    }
}

fn action<'o>(
    random: &mut Random,
    now: i64,
    (used, wanted, allowances): (&'o mut Vec<Cost>, &'o mut Vec<Want>, &'o mut Vec<Allowance>),
) -> Action<'o> {
    let session = SessionKey(random.below(5).into());
    let later = now + random.below(4_000) as i64;
    let key = Key(random.below(300_000).into());
    let mut date =
        || now + random.below(10_000) as i64 - 2_000 + random.below(30) as i64 * 86_400_000;
    let mut dates = [date(), date(), date()];
    if dates[0] % 8 > 0 {
        dates.sort_unstable();
    }
    let [active_until, grace_until, suspended_until] = dates;
    let dates = LifeCycle { active_until, grace_until, suspended_until };
    match random.below(20) {
        0 => Action::Open(NewAccount {
            currency: Currency(random.of(&[978, 840])),
            standing: random.of(&[Standing::Active, Standing::PreActive]),
            credit_limit: random.of(&[0, 0, 500, -1]),
        }),
        1 => match random.below(16) {
            0 => Action::SetStanding(random.of(&Standing::ALL)),
            4 => Action::SetLifeCycle(random.of(&[LifeCycle::ENDLESS, dates])),
            10 => Action::Bar(Scopes(random.of(&[0, 0, 1, 2]))),
            11 => Action::SetSubscriberType(random.of(&[None, Some(7)])),
            9 => Action::Notify(Notice::Spent {
                limit: 7,
                is_reached: random.of(&[true, false]),
                number: 5,
            }),
            5..=6 => Action::Age,
            7..=8 => Action::SetWarning(random.of(&[0, 300, 2_000, -1])),
            1..=2 => Action::SetThresholds(random.of(&THRESHOLDS)),
            3 => Action::SetCreditLimit(random.of(&[0, 300, -1])),
            _ => Action::SetStanding(Standing::Active),
        },
        2..=4 => Action::Credit(random.credit((key, now, later))),
        5..=6 => Action::Debit(Debit {
            key,
            scopes: random.scopes(),
            bucket: random.of(&[None, None, Some(BucketId(0)), Some(BucketId(1))]),
            cost: random.cost(),
            limit: random.of(&[Limit::Available, Limit::Available, Limit::None]),
            to: random.system(),
            remark: random.remark(),
        }),
        7 if later % 2 == 0 => {
            allowances.extend((0..random.of(&[0, 1, 1, 2, 5])).map(|_| {
                let terms = random.terms((now, later));
                Allowance { terms, amount: random.amount() }
            }));
            let price = random.amount();
            let price = random.of(&[0, price, price]);
            let (of, remark) = (random.system(), random.remark());
            let period = random.period(now);
            let renews = random.of(&[None, Some(period)]);
            Action::Buy(Purchase { key, price, allowances, of, renews, remark })
        }
        9 if later % 4 == 0 => match random.below(2) {
            0 => Action::Subscribe { of: random.system(), first: random.period(now) },
            _ => Action::Unsubscribe(random.system()),
        },
        8 if later % 2 == 0 => Action::Replace { session, until: later },
        7..=8 => Action::End { session, until: later },
        9 => Action::Lapse { session, until: later },
        11 if later % 2 == 0 => Action::Report(Report {
            session,
            number: random.number(),
            leg: random.below(2) as u32,
            digest: random.below(2),
            until: later,
            note: Note { number: random.below(3), mark: 1 },
            remark: random.remark(),
        }),
        10..=11 => Action::Expire { bucket: BucketId(random.below(60) as u32) },
        _ => {
            used.extend((0..random.of(&[0, 1, 1, 2, 3])).map(|_| random.cost()));
            wanted.extend((0..random.of(&[0, 1, 1, 2, 3])).map(|_| {
                let most = random.amount();
                let least = random.of(&[0, 0, 1, most, most.wrapping_add(1)]);
                Want { unit: random.unit(), most, least }
            }));
            Action::Charge(Charge {
                session,
                number: random.number(),
                leg: random.below(2) as u32,
                digest: random.below(2),
                begin: random.of(&[Begin::No, Begin::IfMissing, Begin::IfMissing, Begin::Replace]),
                scopes: random.scopes(),
                used,
                wanted,
                until: later,
                memo: random.of(&[None, Some(&b"a"[..]), Some(b"longer")]),
                counters: random.of(&[None, None, Some(&b"1"[..])]),
                note: Note { number: random.below(3), mark: 1 },
                to: random.system(),
                remark: random.remark(),
            })
        }
    }
}

/// Refills an account with bonuses.
fn refill<'o>(random: &mut Random, now: i64, bonuses: &'o mut Vec<Bonus<'static>>) -> Action<'o> {
    const fn allowance(unit: Unit, amount: i64) -> Allowance {
        let scopes = Scopes::ALL;
        let terms = NewBucket { unit, priority: 1, scopes, from: 0, until: 1_795_000_000_000 };
        Allowance { terms, amount }
    }
    const GIVEN: [&[Allowance]; 4] = [
        &[allowance(Unit::Money, 30)],
        &[allowance(Unit::Octets, 20), allowance(Unit::Events, 7)],
        &[allowance(Unit::Money, 30)],
        &[allowance(Unit::Money, 0)],
    ];
    let rules = random.of(&[0, 1, 2, 3, 17]);
    bonuses.extend((0..rules).map(|_| Bonus {
        of: random.system(),
        only_first: random.of(&[false, true]),
        least: random.of(&[0, 100]),
        allowances: random.of(&GIVEN),
    }));
    let key = Key(random.below(300_000).into());
    let from = SystemAccount { kind: SystemKind::Refill, number: 0 };
    let credit = random.credit((key, now, now + 1_000));
    let from = random.of(&[from, from, from, credit.from]);
    Action::Refill(Refill { credit: Credit { from, ..credit }, bonuses })
}

/// Renews a subscription of an account; sometimes another period of it.
fn renewal<'o>(
    random: &mut Random,
    (account, now): (&Account, i64),
    allowances: &'o mut Vec<Allowance>,
) -> Action<'o> {
    let count = account.subscriptions().len() as u64;
    let any = account.subscriptions()[random.below(count) as usize];
    // Some are renewed period after period.
    let due = account.subscriptions().iter().filter(|of| of.due <= now);
    let last_due = due.max_by_key(|of| of.due).copied().unwrap_or(any);
    let Subscription { of, period, .. } = random.of(&[any, last_due, last_due]);
    let next = period.begin + random.of(&[0, 300, 2_000, 4_000]);
    allowances.extend((0..random.of(&[0, 1, 1])).map(|_| {
        let terms = random.terms((now, now + 700));
        let (unit, priority, scopes) = (Unit::Octets, 1, Scopes(1));
        let until_next = NewBucket { unit, priority, scopes, from: now, until: next };
        let terms = random.of(&[terms, until_next, until_next]);
        Allowance { terms, amount: 1 + random.below(40) as i64 }
    }));
    Action::Renew(Renewal {
        of,
        begin: period.begin + random.of(&[0, 0, 0, 0, 0, 0, 0, 1]),
        next: Period { count: 1, begin: next, ..period },
        rolls_over: random.of(&[false, true]),
        again: now + random.of(&[-1, 200, 200]),
        price: random.of(&[0, 1, 50, 400]),
        allowances,
        remark: random.remark(),
    })
}

/// Reverses one of the last entries, or one of all, or one that never was.
fn reversal(random: &mut Random, made: &[(Entry, i64)]) -> Action<'static> {
    let count = made.len() as u64;
    let back = 1 + match random.below(2) {
        0 => random.below(count.min(10)),
        _ => random.below(count),
    };
    let (mut entry, made) = made[(count - back) as usize];
    entry.number += random.of(&[0, 0, 0, 0, 0, 0, 0, count]);
    let key = Key(random.below(300_000).into());
    Action::Reverse(Reversal { key, entry, made, remark: random.remark() })
}

fn transfer(random: &mut Random, (group, at): (u64, i64)) -> Transfer<'static> {
    let fee = Fee { amount: random.amount(), to: random.system() };
    Transfer {
        key: Key(random.below(300_000).into()),
        from: AccountId(group + random.below(4)),
        to: AccountId(group + random.below(4)),
        amount: random.amount(),
        fee: random.of(&[None, None, Some(fee)]),
        limit: random.of(&[None, Some(DayLimit { day: at / 20_000, most: 600 })]),
        remark: random.remark(),
        at,
    }
}

fn is_subscribed(book: &Book, account: AccountId) -> bool {
    book.account(account).is_some_and(|account| !account.subscriptions().is_empty())
}

fn notices_of(effects: &[Effect]) -> Vec<Notice> {
    let notice = |effect: &Effect| match effect {
        Effect::Notice(notice) => Some(*notice),
        _ => None,
    };
    effects.iter().filter_map(notice).collect()
}

fn cause_place(cause: EndCause) -> usize {
    match cause {
        EndCause::Ended => 0,
        EndCause::Lapsed => 1,
        EndCause::Replaced => 2,
        EndCause::Closed => 3,
        EndCause::LateUsage { .. } => 4,
    }
}

/// Returns the remark that the entries of an operation have.
fn remark_of(action: &Action<'_>) -> &'static [u8] {
    let remark = match action {
        Action::Credit(credit) => credit.remark,
        Action::Debit(debit) => debit.remark,
        Action::Refill(refill) => refill.credit.remark,
        Action::Buy(purchase) => purchase.remark,
        Action::Renew(renewal) => renewal.remark,
        Action::Reverse(reversal) => reversal.remark,
        Action::Charge(charge) => charge.remark,
        Action::Report(report) => report.remark,
        _ => b"",
    };
    REMARKS.into_iter().find(|known| *known == remark).expect("it is one of them")
}

/// What became of renewals.
#[derive(Default)]
struct Renewed {
    paid: u64,
    unpaid: u64,
    left_out: u64,
}

/// Returns the number of operations: `OPERATIONS` for more.
fn operations() -> u64 {
    let few = if cfg!(debug_assertions) { 300_000 } else { 10_000_000 };
    std::env::var("OPERATIONS").map_or(few, |count| count.parse().expect("a number"))
}

/// Makes changes in another book, after they were stored.
fn replay(book: &mut Book, account: AccountId, effects: &mut Effects, octets: &mut Vec<u8>) {
    if effects.list.is_empty() {
        return;
    }
    octets.clear();
    effects.encode(octets);
    let mut stored = Effects::default();
    stored.decode(octets).expect("effects that were stored");
    book.replay(account, &stored);
    effects.clear();
}

#[test]
fn the_core_agrees_with_the_model_and_effects_lead_to_the_same_accounts() {
    let mut random = Random(7);
    let (mut book, mut replayed, mut model) = (Book::default(), Book::default(), Model::default());
    let (mut effects, mut octets, mut last) = (Effects::default(), Vec::new(), AccountId(0));
    let mut remarks = Vec::new();
    let mut now = 1_790_000_000_000;
    let (mut changed, mut repeated, mut transferred, mut reversed) = (0_u64, 0_u64, 0_u64, 0_u64);
    let mut renewed = Renewed::default();
    let (mut noticed, mut causes) = (0, [0_u64; 5]);
    let (mut rolled, mut warned, mut percent_low, mut day_limited) = (0_u64, 0_u64, 0_u64, 0_u64);
    let mut history = HashMap::<AccountId, Vec<(Entry, i64)>>::new();
    for number in 0..operations() {
        // Accounts are used for a while and then left.
        let account = AccountId(number / 20_000 * 4 + random.below(4));
        now += random.below(60) as i64;
        // Keys are forgotten after a while.
        if random.below(2_000) == 0 {
            now += random.of(&[20, 92]) * 86_400_000;
        }
        // Some operations come late.
        let at = now - random.of(&[0, 0, 0, 5_000]);
        if random.below(12) == 0 {
            replay(&mut replayed, last, &mut effects, &mut octets);
            remarks.clear();
            let transfer = transfer(&mut random, (number / 20_000 * 4, at));
            let (mut sent, mut received) = (Effects::default(), Effects::default());
            let outcome = transfer.perform(Books::Same(&mut book), (&mut sent, &mut received));
            assert_eq!(outcome, model.transfer(&transfer), "{number}: {transfer:?}");
            for (of, effects) in [(transfer.from, &sent), (transfer.to, &received)] {
                let theirs = model.accounts.get(&of.0).filter(|_| !effects.list.is_empty());
                let theirs = theirs.map_or(&[][..], |account| &account.notices);
                assert_eq!(notices_of(&effects.list), theirs, "{number}: {transfer:?}");
            }
            day_limited += u64::from(outcome.receipt.refusal == Some(Refusal::DayLimit));
            let is_done = !outcome.is_repeated && outcome.receipt.refusal.is_none();
            assert_eq!(is_done, !sent.list.is_empty(), "{number}: {transfer:?}");
            assert_eq!(is_done, !received.list.is_empty(), "{number}: {transfer:?}");
            transferred += u64::from(is_done);
            replay(&mut replayed, transfer.from, &mut sent, &mut octets);
            replay(&mut replayed, transfer.to, &mut received, &mut octets);
            continue;
        }
        let mut bonuses = Vec::new();
        let (mut used, mut wanted, mut allowances) = (Vec::new(), Vec::new(), Vec::new());
        let made: &[(Entry, i64)] = history.get(&account).map_or(&[], Vec::as_slice);
        let action = match made {
            [.., _] if random.below(20) == 0 => reversal(&mut random, made),
            _ if random.below(40) == 0 => refill(&mut random, now, &mut bonuses),
            _ if random.below(40) == 0 => Action::Warn,
            _ if random.below(10) == 0 && is_subscribed(&book, account) => {
                let account = book.account(account).expect("it has subscriptions");
                renewal(&mut random, (account, now), &mut allowances)
            }
            _ => action(&mut random, now, (&mut used, &mut wanted, &mut allowances)),
        };
        let operation = Operation { account, at, action };
        // Effects of several operations may be together.
        if account != last || random.below(3) == 0 {
            replay(&mut replayed, last, &mut effects, &mut octets);
            remarks.clear();
        }
        last = account;
        let before = effects.list.len();
        let ended_before = effects.ended_sessions().count();
        let entries = book.account(account).map_or(0, |account| account.entries);
        let outcome = book.perform(&operation, &mut effects);
        assert_eq!(outcome, model.perform(&operation), "{number}: {operation:?}");
        if outcome.is_repeated {
            let after = effects.list.len();
            assert_eq!(after, before, "{number}: what was done before changes nothing");
            repeated += 1;
        }
        let after = book.account(account).map_or(0, |account| account.entries);
        remarks.extend((entries..after).map(|entry| (entry + 1, remark_of(&action))));
        let stored = effects.entries().map(|(entry, remark)| (entry.number, remark));
        assert!(stored.eq(remarks.iter().rev().copied()), "{number}: {operation:?}");
        if let Some(found) = book.account(account) {
            let mut made: Vec<_> = effects.entries().map(|(entry, _)| (entry, found.at)).collect();
            made.retain(|(entry, _)| entry.number > entries);
            made.reverse();
            history.entry(account).or_default().extend(made);
        }
        if let Action::Renew(_) = action {
            match (outcome.receipt.refusal, outcome.receipt.entry) {
                (None, 0) => renewed.left_out += 1,
                (None, _) => renewed.paid += 1,
                (Some(Refusal::NotEnough), _) => renewed.unpaid += 1,
                _ => {}
            }
        }
        if matches!(action, Action::Reverse(_)) && outcome.receipt.refusal.is_none() {
            reversed += 1;
        }
        let ended = effects.ended_sessions().skip(ended_before);
        if let Some(theirs) = model.accounts.get(&account.0) {
            let theirs = theirs.ended.iter().map(|(of, memo)| (*of, memo.as_slice()));
            let ours: Vec<_> = ended.collect();
            ours.iter().for_each(|(of, _)| causes[cause_place(of.cause)] += 1);
            assert_eq!(ours, theirs.collect::<Vec<_>>(), "{number}: {operation:?}");
        }
        for effect in &effects.list[before..] {
            rolled += u64::from(matches!(effect, Effect::BucketUntil { .. }));
            warned += u64::from(matches!(effect, Effect::Notice(Notice::Ends { .. })));
            let is_percent =
                |of: &Notice| matches!(of, Notice::Low { measure: Measure::Percent, .. });
            percent_low += u64::from(matches!(effect, Effect::Notice(of) if is_percent(of)));
        }
        let notices = notices_of(&effects.list[before..]);
        noticed += notices.len() as u64;
        if let Some(theirs) = model.accounts.get(&account.0) {
            assert_eq!(notices, theirs.notices, "{number}: {operation:?}");
        }
        changed += u64::from(effects.list.len() > before);
        if let (Some(ours), Some(theirs)) = (book.account(account), model.accounts.get(&account.0))
        {
            let ours = ours.buckets().iter();
            let ours = ours.map(|of| (of.id.0, i128::from(of.amount), of.source, of.rolled_over));
            let mut ours: Vec<_> = ours.collect();
            ours.sort_unstable();
            let theirs = theirs.buckets.iter();
            let theirs = theirs.map(|(id, of)| (*id, of.amount, of.source, of.rolled_over));
            assert_eq!(ours, theirs.collect::<Vec<_>>(), "{number}: {operation:?}");
            let standing = book.account(account).map(|account| account.standing);
            let set = book.account(account).map(|of| (of.barred.0, of.subscriber_type));
            let set_there = &model.accounts[&account.0];
            assert_eq!(set, Some((set_there.barred, set_there.subscriber_type)), "{number}");
            let theirs = &model.accounts[&account.0];
            let subscriptions = book.account(account).map_or(&[][..], Account::subscriptions);
            let mut ours: Vec<_> =
                subscriptions.iter().map(|of| (of.of, (of.period.begin, of.due))).collect();
            ours.sort_unstable();
            let subscribed = theirs.subscriptions.iter().map(|(of, dates)| (*of, *dates));
            assert_eq!(ours, subscribed.collect::<Vec<_>>(), "{number}: {operation:?}");
            assert_eq!(standing, Some(theirs.standing), "{number}: {operation:?}");
        }
        if number % 10_000 == 0 {
            for (of, sum) in book.totalled() {
                assert_eq!(sum.buckets + sum.systems, 0, "{number}: {of:?}");
            }
            for (id, account) in book.accounts() {
                for bucket in account.buckets() {
                    let sessions = account.sessions().iter();
                    let reserved: i64 = sessions.map(|of| of.reserved_from(bucket.id)).sum();
                    assert_eq!(bucket.reserved, reserved, "{number}: {id:?} {bucket:?}");
                }
            }
        }
    }
    replay(&mut replayed, last, &mut effects, &mut octets);
    assert!(book == replayed, "effects lead to other accounts");
    for (id, account) in book.accounts() {
        let mut whole = Effects::default();
        whole.add_account(account);
        let mut alone = Book::default();
        alone.replay(id, &whole);
        assert_eq!(alone.account(id), Some(account));
    }
    assert!(noticed > operations() / 1_000, "{noticed}");
    let rare = operations() / 1_000;
    assert!(causes.iter().all(|count| *count > rare / 10), "{causes:?}");
    let found = [rolled, warned, percent_low, day_limited];
    assert!(found.iter().all(|count| *count > rare / 100), "{found:?}");
    let Renewed { paid, unpaid, left_out } = renewed;
    assert!(paid > rare && unpaid > rare && left_out > rare, "{paid} {unpaid} {left_out}");
    assert!(transferred > rare && reversed > rare, "{transferred} {reversed}");
    assert!(changed > operations() / 4 && repeated > operations() / 200, "{changed} {repeated}");
}
