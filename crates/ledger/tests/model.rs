//! A second, simpler ledger, which the core must agree with. It stores no sums: what is reserved and what is available it
//! computes from the sessions each time, in 128 bits. It stores all outcomes.

use std::collections::{BTreeMap, BTreeSet};

use ledger::{
    Action, Allowance, Begin, Bonus, BucketId, Charge, Cost, Credit, CreditTo, Currency, DayLimit,
    Debit, EndCause, EndedSession, Ending, Key, Limit, Measure, NewAccount, NewBucket, Notice,
    Operation, Outcome, Purchase, Receipt, Refusal, Renewal, Report, Reversal, Scopes, SessionKey,
    Standing, SystemAccount, SystemKind, Threshold, Transfer, Unit,
};

const DAY: i64 = 86_400_000;

#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    unit: Unit,
    pub(crate) source: Option<SystemAccount>,
    pub(crate) rolled_over: bool,
    pub(crate) amount: i128,
    given: i128,
    priority: u16,
    scopes: u64,
    from: i64,
    until: i64,
}

#[derive(Clone, Debug, Default)]
struct Session {
    until: i64,
    is_closed: bool,
    /// Leg, bucket and amount.
    parts: Vec<(u32, u32, i128)>,
    answered: Vec<((u32, u32), u64, Receipt)>,
    memo: Vec<u8>,
    /// The money of all its charges.
    paid: i128,
}

#[derive(Clone, Debug)]
pub(crate) struct Account {
    currency: Currency,
    pub(crate) standing: Standing,
    pub(crate) barred: u64,
    pub(crate) subscriber_type: Option<u16>,
    credit_limit: i128,
    at: i64,
    entries: u64,
    pub(crate) buckets: BTreeMap<u32, Bucket>,
    next_bucket: u32,
    sessions: BTreeMap<SessionKey, Session>,
    keys: BTreeMap<Key, (String, i64, Receipt)>,
    /// All that were ever.
    reversed: BTreeSet<u64>,
    dates: [i64; 3],
    is_refilled: bool,
    /// By what they are for: the beginning and the due time.
    pub(crate) subscriptions: BTreeMap<SystemAccount, (i64, i64)>,
    thresholds: Vec<(Threshold, Level)>,
    /// How long before an end there is a notice, and up to which end there was.
    warned: (i64, i64),
    /// What was sent on each day with a limit.
    sent: (i64, i128),
    pub(crate) notices: Vec<Notice>,
    /// The sessions that the last operation ended, with their memos.
    pub(crate) ended: Vec<(EndedSession, Vec<u8>)>,
}

#[derive(Default)]
pub(crate) struct Model {
    pub(crate) accounts: BTreeMap<u64, Account>,
}

fn new(receipt: Receipt) -> Outcome {
    Outcome { receipt, is_repeated: false }
}

fn refused(refusal: Refusal) -> Outcome {
    new(Receipt::refused(refusal))
}

/// Where an account is by a threshold.
#[derive(Clone, Copy, Debug)]
enum Level {
    /// It is below, and was since the threshold is there.
    New,
    Above,
    Noticed,
}

fn is_amount(amount: i64) -> bool {
    amount >= 1 && amount <= 10_i64.pow(18)
}

impl Model {
    pub(crate) fn perform(&mut self, operation: &Operation<'_>) -> Outcome {
        let Operation { account: id, at, action } = *operation;
        let Some(account) = self.accounts.get_mut(&id.0) else {
            let Action::Open(NewAccount { currency, standing, credit_limit }) = action else {
                return refused(Refusal::AccountUnknown);
            };
            if !(0..=10_i64.pow(18)).contains(&credit_limit) {
                return refused(Refusal::AmountInvalid);
            }
            let main = Bucket {
                unit: Unit::Money,
                source: None,
                rolled_over: false,
                amount: 0,
                given: 0,
                priority: u16::MAX,
                scopes: u64::MAX,
                from: i64::MIN,
                until: i64::MAX,
            };
            let account = Account {
                currency,
                standing,
                barred: 0,
                subscriber_type: None,
                credit_limit: credit_limit.into(),
                at,
                entries: 0,
                buckets: BTreeMap::from([(0, main)]),
                next_bucket: 1,
                sessions: BTreeMap::new(),
                keys: BTreeMap::new(),
                reversed: BTreeSet::new(),
                dates: [i64::MAX; 3],
                is_refilled: false,
                subscriptions: BTreeMap::new(),
                thresholds: Vec::new(),
                warned: (0, i64::MIN),
                sent: (i64::MIN, 0),
                notices: Vec::new(),
                ended: Vec::new(),
            };
            self.accounts.insert(id.0, account);
            return new(Receipt::default());
        };
        let before = account.at;
        account.at = at.max(before);
        let entries = account.entries;
        account.ended.clear();
        account.notices.clear();
        let outcome = account.perform(action);
        let is_renewed = matches!(action, Action::Renew(_))
            && matches!(
                outcome.receipt.refusal,
                None | Some(Refusal::NotEnough | Refusal::AccountBarred)
            );
        let is_wanted = account.entries > entries || is_renewed;
        account.watch(is_wanted);
        // Only what changes an account moves its time.
        let has_expired_nothing = outcome.receipt.entry == 0
            && matches!(action, Action::Expire { bucket } if account.buckets.contains_key(&bucket.0));
        let is_unchanged = outcome.is_repeated
            || has_expired_nothing
            || outcome.receipt.refusal.is_some() && !account.has_answered(action, &outcome.receipt);
        if is_unchanged {
            account.at = before;
        }
        outcome
    }
}

impl Model {
    pub(crate) fn transfer(&mut self, transfer: &Transfer<'_>) -> Outcome {
        let Transfer { key, from, to, amount, fee, limit, at, .. } = *transfer;
        let currency = self.accounts.get(&from.0).map(|sender| sender.currency);
        let receivable = match self.accounts.get(&to.0) {
            _ if from == to => Err(Refusal::ReceiverSame),
            None => Err(Refusal::ReceiverUnknown),
            Some(of) if of.standing == Standing::Closed => Err(Refusal::ReceiverBarred),
            Some(of) if Some(of.currency) != currency => Err(Refusal::CurrencyDiffers),
            Some(of) if of.buckets[&0].amount + i128::from(amount) > 4 * 10_i128.pow(18) => {
                Err(Refusal::BalanceTooLarge)
            }
            Some(_) => Ok(()),
        };
        let Some(sender) = self.accounts.get_mut(&from.0) else {
            return refused(Refusal::AccountUnknown);
        };
        let before = sender.at;
        sender.at = at.max(before);
        let of = format!("{:?}", (to, amount));
        let outcome = sender.keyed(key, of, |sender| {
            if !is_amount(amount) || fee.is_some_and(|fee| !is_amount(fee.amount)) {
                return Err(Refusal::AmountInvalid);
            }
            receivable?;
            if !matches!(sender.standing, Standing::Active | Standing::Grace) {
                return Err(Refusal::AccountBarred);
            }
            let fee = fee.map_or(0, |fee| i128::from(fee.amount));
            if sender.available(0) < i128::from(amount) + fee {
                return Err(Refusal::NotEnough);
            }
            if let Some(DayLimit { day, most }) = limit {
                let sent = if sender.sent.0 < day { (day, 0) } else { sender.sent };
                let sum = sent.1 + i128::from(amount);
                if sum > most.into() {
                    return Err(Refusal::DayLimit);
                }
                sender.sent = (sent.0, sum);
            }
            sender.moved(0, -i128::from(amount));
            sender.moved(0, -fee);
            Ok(Receipt { entry: sender.entries, ..Receipt::default() })
        });
        if outcome.is_repeated || outcome.receipt.refusal.is_some() {
            sender.at = before;
            return outcome;
        }
        sender.notices.clear();
        sender.watch(true);
        let receiver = self.accounts.get_mut(&to.0).unwrap();
        receiver.at = at.max(receiver.at);
        receiver.moved(0, amount.into());
        receiver.notices.clear();
        receiver.watch(true);
        outcome
    }
}

impl Session {
    fn came(&self) -> impl DoubleEndedIterator<Item = u32> {
        self.answered.iter().map(|((number, _), _, _)| *number)
    }

    /// Returns whether the outcomes of a number are remembered: it is the first one, or one of the last eight.
    fn remembers(&self, number: u32) -> bool {
        let mut last: Vec<u32> = Vec::new();
        for number in self.came().rev() {
            if !last.contains(&number) && last.len() < ledger::NUMBERS_REMEMBERED {
                last.push(number);
            }
        }
        self.came().next() == Some(number) || last.contains(&number)
    }

    /// Returns the outcome of a request that came before, or may have.
    fn outcome(&self, key: (u32, u32), digest: u64) -> Option<Outcome> {
        let number = key.0;
        if self.remembers(number) {
            let (_, known, receipt) = self.answered.iter().find(|(of, _, _)| *of == key)?;
            return Some(match *known == digest {
                true => Outcome { receipt: *receipt, is_repeated: true },
                false => refused(Refusal::KeyReused),
            });
        }
        // A number that is not remembered may have come, unless it is known that it has not.
        let is_old = i64::from(number) + i64::from(ledger::NUMBERS_KNOWN)
            < self.came().max().map_or(i64::MIN, i64::from);
        let is_before = self.came().next().is_some_and(|first| number + 7 < first);
        let may_have = is_old || is_before || self.came().any(|other| other == number);
        may_have.then(|| refused(Refusal::KeyReused))
    }
}

impl Account {
    fn has_answered(&self, action: Action<'_>, receipt: &Receipt) -> bool {
        if let Action::Renew(_) = action {
            return matches!(receipt.refusal, Some(Refusal::NotEnough | Refusal::AccountBarred));
        }
        let Action::Charge(Charge { session, number, leg, digest, .. }) = action else {
            return false;
        };
        let answered = self.sessions.get(&session).map_or(&[][..], |session| &session.answered);
        answered.contains(&((number, leg), digest, *receipt))
    }

    fn reserved(&self, bucket: u32) -> i128 {
        let parts = self.sessions.values().flat_map(|session| &session.parts);
        parts.filter(|part| part.1 == bucket).map(|part| part.2).sum()
    }

    fn free(&self, bucket: u32) -> i128 {
        self.buckets[&bucket].amount - self.reserved(bucket)
    }

    fn available(&self, bucket: u32) -> i128 {
        let credit = if bucket == 0 { self.credit_limit } else { 0 };
        (self.free(bucket) + credit).max(0)
    }

    /// Returns the buckets that pay for a service now, in order.
    fn payers(&self, unit: Unit, scopes: Scopes) -> Vec<u32> {
        let mut found: Vec<(u16, i64, u32)> = self
            .buckets
            .iter()
            .filter(|(_, of)| of.unit == unit && of.scopes & scopes.0 != 0)
            .filter(|(_, of)| of.from <= self.at && self.at < of.until)
            .map(|(id, of)| (of.priority, of.until, *id))
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, _, id)| id).collect()
    }

    /// Returns what the account has of a unit, and what a threshold compares.
    fn measured(&self, threshold: &Threshold) -> Option<(i128, i128)> {
        let valid = self.buckets.iter().filter(|(id, of)| {
            let is_counted = threshold.measure == Measure::Amount || **id != 0;
            let is_valid = of.from <= self.at && self.at < of.until;
            is_counted && is_valid && of.unit == threshold.unit
        });
        let (amount, given) =
            valid.fold((0, 0), |(amount, given), (_, of)| (amount + of.amount, given + of.given));
        match threshold.measure {
            Measure::Amount => Some((amount, amount)),
            Measure::Percent if given <= 0 => None,
            Measure::Percent => Some((amount, 100 * amount / given)),
        }
    }

    /// Makes the notices after an operation, if it made entries or renewed something.
    fn watch(&mut self, is_wanted: bool) {
        let is_due = self.subscriptions.values().any(|(_, due)| *due <= self.at);
        if !is_wanted || self.standing == Standing::Closed || is_due {
            return;
        }
        for place in 0..self.thresholds.len() {
            let (threshold, before) = self.thresholds[place];
            let Threshold { unit, measure, level, hysteresis } = threshold;
            let Some((amount, measured)) = self.measured(&threshold) else { continue };
            let is_far_above = measured > i128::from(level) + i128::from(hysteresis);
            self.thresholds[place].1 = match before {
                Level::Above if measured < level.into() => {
                    let amount = amount.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
                    self.notices.push(Notice::Low { unit, measure, level, amount });
                    Level::Noticed
                }
                Level::New if measured >= level.into() => Level::Above,
                Level::Noticed if is_far_above => Level::Above,
                level => level,
            };
        }
    }

    fn moved(&mut self, bucket: u32, amount: i128) {
        self.buckets.get_mut(&bucket).unwrap().amount += amount;
        self.entries += u64::from(amount != 0);
    }

    fn give(&mut self, bucket: u32, amount: i64) {
        self.buckets.get_mut(&bucket).unwrap().given += i128::from(amount);
        self.moved(bucket, amount.into());
    }

    /// Takes what is free. Returns what is missing, by which money is overdrawn.
    fn take(&mut self, scopes: Scopes, Cost { unit, amount }: Cost) -> i128 {
        let mut left = i128::from(amount);
        for bucket in self.payers(unit, scopes) {
            let part = self.free(bucket).clamp(0, left);
            self.moved(bucket, -part);
            left -= part;
        }
        if unit == Unit::Money {
            self.moved(0, -left);
        }
        left
    }

    fn keyed(
        &mut self,
        key: Key,
        of: String,
        make: impl FnOnce(&mut Self) -> Result<Receipt, Refusal>,
    ) -> Outcome {
        if let Some((known, at, receipt)) = self.keys.get(&key)
            && self.at - at <= 92 * DAY
        {
            return match *known == of {
                true => Outcome { receipt: *receipt, is_repeated: true },
                false => refused(Refusal::KeyReused),
            };
        }
        match make(self) {
            Ok(receipt) => {
                self.keys.insert(key, (of, self.at, receipt));
                new(receipt)
            }
            Err(refusal) => refused(refusal),
        }
    }

    fn check(&self, costs: &[Cost]) -> Result<(), Refusal> {
        let mut units: Vec<Unit> = costs.iter().map(|cost| cost.unit).collect();
        units.sort_unstable();
        units.dedup();
        if units.len() < costs.len() || !costs.iter().all(|cost| is_amount(cost.amount)) {
            return Err(Refusal::AmountInvalid);
        }
        match self.buckets[&0].amount < -3 * 10_i128.pow(18) {
            true => Err(Refusal::BalanceTooLarge),
            false => Ok(()),
        }
    }

    fn perform(&mut self, action: Action<'_>) -> Outcome {
        match action {
            Action::Open(_) => refused(Refusal::AccountExists),
            Action::SetStanding(standing) => self.enter(standing),
            Action::SetLifeCycle(dates) => {
                let dates = [dates.active_until, dates.grace_until, dates.suspended_until];
                if !dates.is_sorted() {
                    return refused(Refusal::DatesInvalid);
                }
                self.dates = dates;
                new(Receipt::default())
            }
            Action::Age => {
                let stages =
                    [Standing::Active, Standing::Grace, Standing::Suspended, Standing::Closed];
                match stages[..3].iter().position(|stage| *stage == self.standing) {
                    Some(stage) if self.dates[stage] <= self.at => {
                        self.notices.push(Notice::Stage(stages[stage + 1]));
                        self.enter(stages[stage + 1])
                    }
                    _ => refused(Refusal::NotOver),
                }
            }
            Action::SetCreditLimit(limit) => {
                if !(0..=10_i64.pow(18)).contains(&limit) {
                    return refused(Refusal::AmountInvalid);
                }
                self.credit_limit = limit.into();
                new(Receipt::default())
            }
            Action::Bar(scopes) => {
                self.barred = scopes.0;
                new(Receipt::default())
            }
            Action::SetSubscriberType(kind) => {
                self.subscriber_type = kind;
                new(Receipt::default())
            }
            Action::SetThresholds(thresholds) => {
                let is_level = |of: &Threshold| {
                    let (level, above) = (i128::from(of.level), i128::from(of.hysteresis));
                    let most = 10_i128.pow(18);
                    level >= 1
                        && above >= 0
                        && match of.measure {
                            Measure::Amount => level <= most && above <= most,
                            Measure::Percent => level + above < 100,
                        }
                };
                if thresholds.len() > 4 || !thresholds.iter().all(is_level) {
                    return refused(Refusal::AmountInvalid);
                }
                let level = |of: &Threshold| {
                    let known = self.thresholds.iter().find(|known| known.0 == *of);
                    let measured = self.measured(of);
                    let is_above = measured.is_none_or(|(_, measured)| measured >= of.level.into());
                    known.map_or(if is_above { Level::Above } else { Level::New }, |known| known.1)
                };
                self.thresholds = thresholds.iter().map(|of| (*of, level(of))).collect();
                new(Receipt::default())
            }
            Action::SetWarning(before) => {
                if !(0..=3_650 * DAY).contains(&before) {
                    return refused(Refusal::DatesInvalid);
                }
                self.warned = (before, self.warned.1.max(self.at));
                new(Receipt::default())
            }
            Action::Warn => self.warn(),
            Action::Credit(credit) => self.credit(credit, &[]),
            Action::Refill(refill) => self.credit(refill.credit, refill.bonuses),
            Action::Debit(debit) => self.debit(debit),
            Action::Buy(purchase) => self.buy(purchase),
            Action::Subscribe { of, first } => {
                if self.subscriptions.contains_key(&of) {
                    return Outcome { receipt: Receipt::default(), is_repeated: true };
                }
                if let Err(refusal) = self.check_subscription(of) {
                    return refused(refusal);
                }
                self.subscriptions.insert(of, (first.begin, first.begin));
                new(Receipt::default())
            }
            Action::Unsubscribe(of) => match self.subscriptions.remove(&of) {
                Some(_) => new(Receipt::default()),
                None => refused(Refusal::SubscriptionUnknown),
            },
            Action::Renew(renewal) => self.renew(renewal),
            Action::Reverse(reversal) => self.reverse(reversal),
            Action::Charge(charge) => self.charge(&charge),
            Action::Report(report) => self.report(&report),
            Action::End { session, until } => self.end(session, until, (self.at, EndCause::Ended)),
            Action::Replace { session, until } => {
                self.end(session, until, (self.at, EndCause::Replaced))
            }
            Action::Lapse { session, until } => {
                let Some(found) = self.sessions.get(&session) else {
                    return refused(Refusal::SessionUnknown);
                };
                if self.at < found.until {
                    return refused(Refusal::NotOver);
                }
                if found.is_closed {
                    self.sessions.remove(&session);
                    return new(Receipt::default());
                }
                let over = found.until;
                self.end(session, until, (over, EndCause::Lapsed))
            }
            Action::Notify(notice) => {
                self.notices.push(notice);
                new(Receipt::default())
            }
            Action::Expire { bucket } => {
                let Some(found) = self.buckets.get(&bucket.0) else {
                    return refused(Refusal::BucketUnknown);
                };
                let until = found.until;
                let next = found.source.and_then(|source| self.subscriptions.get(&source));
                let rolls_over = !found.rolled_over && next == Some(&(until, until));
                if bucket.0 == 0 || self.at < until || rolls_over {
                    return refused(Refusal::NotOver);
                }
                let free = self.free(bucket.0);
                self.moved(bucket.0, -free);
                let entry = if free > 0 { self.entries } else { 0 };
                if self.reserved(bucket.0) == 0 {
                    self.buckets.remove(&bucket.0);
                }
                new(Receipt { entry, ..Receipt::default() })
            }
        }
    }

    /// What ends, and when, in the order of the buckets' use.
    fn ends(&self) -> Vec<(i64, Ending)> {
        let is_long =
            |of: &Bucket| i128::from(of.until) - i128::from(of.from) > self.warned.0.into();
        let renews = |of: &Bucket| {
            let next = of.source.and_then(|source| self.subscriptions.get(&source));
            !of.rolled_over && next.is_some_and(|dates| dates.0 == of.until)
        };
        let ends = self
            .buckets
            .iter()
            .filter(|(id, of)| **id != 0 && of.until < i64::MAX && is_long(of) && !renews(of));
        let mut ends: Vec<_> = ends.map(|(id, of)| ((of.priority, of.until, *id), of)).collect();
        ends.sort_unstable_by_key(|(order, _)| *order);
        let balance = |((_, until, id), of): ((u16, i64, u32), &Bucket)| {
            let (bucket, amount) = (BucketId(id), of.amount as i64);
            (until, Ending::Balance { bucket, unit: of.unit, source: of.source, amount })
        };
        let mut ends: Vec<_> = ends.into_iter().map(balance).collect();
        let stages = [Standing::Active, Standing::Grace, Standing::Suspended, Standing::Closed];
        let stage = stages[..3].iter().position(|stage| *stage == self.standing);
        let is_long = |stage: &usize| {
            let dates = self.dates.map(i128::from);
            *stage == 0 || dates[*stage] - dates[*stage - 1] > self.warned.0.into()
        };
        let stage = stage.filter(|stage| self.dates[*stage] < i64::MAX && is_long(stage));
        if let Some(stage) = stage {
            ends.push((self.dates[stage], Ending::Stage(stages[stage + 1])));
        }
        ends
    }

    fn warn(&mut self) -> Outcome {
        let (before, until) = self.warned;
        let ends: Vec<_> = self.ends().into_iter().filter(|(end, _)| *end > until).collect();
        if before == 0 || !ends.iter().any(|(end, _)| end - before <= self.at) {
            return refused(Refusal::NotOver);
        }
        self.warned.1 = self.at + before;
        for (end, ending) in ends {
            let is_empty = matches!(ending, Ending::Balance { amount: 0, .. });
            if self.at < end && end <= self.warned.1 && !is_empty {
                self.notices.push(Notice::Ends { end, ending });
            }
        }
        new(Receipt::default())
    }

    fn credit(&mut self, credit: Credit<'_>, bonuses: &[Bonus<'_>]) -> Outcome {
        let of = format!("{:?}", (credit.to, credit.amount, credit.from, credit.days));
        self.keyed(credit.key, of, |account| {
            if !is_amount(credit.amount) {
                return Err(Refusal::AmountInvalid);
            }
            let given = bonuses.iter().flat_map(|of| of.allowances);
            let are_few = bonuses.len() <= 16 && bonuses.iter().all(|of| of.allowances.len() <= 4);
            if !are_few || !given.clone().all(|of| is_amount(of.amount)) {
                return Err(Refusal::AmountInvalid);
            }
            if account.standing == Standing::Closed {
                return Err(Refusal::AccountBarred);
            }
            let bucket = match credit.to {
                CreditTo::Bucket(id) => {
                    let found = account.buckets.get(&id.0).ok_or(Refusal::BucketUnknown)?;
                    if found.amount + i128::from(credit.amount) > 4 * 10_i128.pow(18) {
                        return Err(Refusal::BalanceTooLarge);
                    }
                    id.0
                }
                CreditTo::New(terms) => account.add(terms, credit.from),
            };
            account.give(bucket, credit.amount);
            if account.standing == Standing::PreActive && credit.from.kind == SystemKind::Refill {
                account.standing = Standing::Active;
            }
            if credit.from.kind == SystemKind::Refill {
                account.retry();
                let is_first = !std::mem::replace(&mut account.is_refilled, true);
                let is_met =
                    |of: &&Bonus<'_>| credit.amount >= of.least && (is_first || !of.only_first);
                for bonus in bonuses.iter().filter(is_met) {
                    for of in bonus.allowances {
                        let bucket = account.add(of.terms, bonus.of);
                        account.give(bucket, of.amount);
                    }
                }
            }
            let longer = account.at + i64::from(credit.days) * DAY;
            if credit.days > 0 && longer > account.dates[0] {
                let was_over = account.dates[0] <= account.at;
                let by = i128::from(longer) - i128::from(account.dates[0]);
                account.dates =
                    account.dates.map(|date| (i128::from(date) + by).min(i64::MAX.into()) as i64);
                if was_over && matches!(account.standing, Standing::Grace | Standing::Suspended) {
                    account.standing = Standing::Active;
                }
            }
            Ok(Receipt { entry: account.entries, ..Receipt::default() })
        })
    }

    fn add(&mut self, terms: NewBucket, source: SystemAccount) -> u32 {
        let NewBucket { unit, priority, scopes, from, until } = terms;
        let scopes = scopes.0;
        let (source, rolled_over) = (Some(source), false);
        let (amount, given) = (0, 0);
        let bucket =
            Bucket { unit, source, rolled_over, amount, given, priority, scopes, from, until };
        self.next_bucket += 1;
        self.buckets.insert(self.next_bucket - 1, bucket);
        self.next_bucket - 1
    }

    fn buy(&mut self, purchase: Purchase<'_>) -> Outcome {
        let Purchase { key, price, allowances, of, renews, .. } = purchase;
        self.keyed(key, format!("purchase of {of:?}"), |account| {
            let amounts = allowances.iter().map(|of| of.amount);
            let is_price = price == 0 || is_amount(price);
            if !(1..=4).contains(&allowances.len()) || !is_price || !amounts.clone().all(is_amount)
            {
                return Err(Refusal::AmountInvalid);
            }
            if renews.is_some() {
                account.check_subscription(of)?;
            }
            account.pay(price, allowances, of)?;
            if let Some(next) = renews {
                account.subscriptions.insert(of, (next.begin, next.begin));
            }
            Ok(Receipt { entry: account.entries, ..Receipt::default() })
        })
    }

    /// Lets subscriptions that wait for money be charged now.
    fn retry(&mut self) {
        for (begin, due) in self.subscriptions.values_mut() {
            if due > begin && *due > self.at {
                *due = self.at;
            }
        }
    }

    fn pay(
        &mut self,
        price: i64,
        allowances: &[Allowance],
        source: SystemAccount,
    ) -> Result<(), Refusal> {
        if !matches!(self.standing, Standing::Active | Standing::Grace) {
            return Err(Refusal::AccountBarred);
        }
        if self.available(0) < price.into() {
            return Err(Refusal::NotEnough);
        }
        self.moved(0, -i128::from(price));
        for of in allowances {
            let bucket = self.add(of.terms, source);
            self.give(bucket, of.amount);
        }
        Ok(())
    }

    fn check_subscription(&self, of: SystemAccount) -> Result<(), Refusal> {
        match self.subscriptions.len() >= 32 && !self.subscriptions.contains_key(&of) {
            _ if self.standing == Standing::Closed => Err(Refusal::AccountBarred),
            true => Err(Refusal::TooManySubscriptions),
            false => Ok(()),
        }
    }

    fn renew(&mut self, renewal: Renewal<'_>) -> Outcome {
        let Renewal { of, begin, next, again, price, allowances, rolls_over, .. } = renewal;
        let Some(&(known, due)) = self.subscriptions.get(&of) else {
            return refused(Refusal::SubscriptionUnknown);
        };
        if known != begin || self.at < due {
            return refused(Refusal::NotOver);
        }
        if next.begin <= begin {
            return refused(Refusal::DatesInvalid);
        }
        let is_over = self.at >= next.begin;
        if is_over && (due != begin || !allowances.is_empty()) {
            self.subscriptions.insert(of, (next.begin, next.begin));
            return new(Receipt::default());
        }
        let paid = self.pay(price, allowances, of);
        let dates = match paid {
            Err(Refusal::NotEnough) if again > self.at && again < next.begin => (begin, again),
            _ => (next.begin, next.begin),
        };
        self.subscriptions.insert(of, dates);
        if paid.is_ok() && rolls_over && due == begin {
            for bucket in self.buckets.values_mut() {
                let is_over = bucket.until == begin && !bucket.rolled_over && bucket.amount > 0;
                if is_over && bucket.source == Some(of) {
                    (bucket.until, bucket.given) = (next.begin, bucket.amount);
                    bucket.rolled_over = true;
                }
            }
        }
        if paid == Err(Refusal::NotEnough) && due == begin {
            self.notices.push(Notice::Unpaid(of));
        }
        match paid {
            Ok(()) => new(Receipt { entry: self.entries, ..Receipt::default() }),
            Err(refusal) => refused(refusal),
        }
    }

    fn debit(&mut self, debit: Debit<'_>) -> Outcome {
        let Debit { key, scopes, bucket, cost, limit, to, .. } = debit;
        let of = format!("{:?}", (scopes, bucket, cost, limit, to));
        self.keyed(key, of, |account| {
            account.check(&[cost])?;
            let wanted = i128::from(cost.amount);
            let overdrawn = match bucket {
                Some(id) => {
                    let found = account.buckets.get(&id.0).ok_or(Refusal::BucketUnknown)?;
                    if found.unit != cost.unit {
                        return Err(Refusal::UnitDiffers);
                    }
                    let is_bounded = limit == Limit::Available || id.0 != 0;
                    if is_bounded && account.available(id.0) < wanted {
                        return Err(Refusal::NotEnough);
                    }
                    let missing = (wanted - account.free(id.0).max(0)).max(0);
                    account.moved(id.0, -wanted);
                    missing
                }
                None => {
                    if limit == Limit::Available {
                        if !matches!(account.standing, Standing::Active | Standing::Grace) {
                            return Err(Refusal::AccountBarred);
                        }
                        let payers = account.payers(cost.unit, scopes).into_iter();
                        if payers.map(|id| account.available(id)).sum::<i128>() < wanted {
                            return Err(Refusal::NotEnough);
                        }
                    } else if account.standing == Standing::Closed {
                        return Err(Refusal::AccountBarred);
                    }
                    account.take(scopes, cost)
                }
            };
            let overdrawn = overdrawn as i64;
            Ok(Receipt { entry: account.entries, overdrawn, ..Receipt::default() })
        })
    }

    fn enter(&mut self, standing: Standing) -> Outcome {
        let is_closing = standing == Standing::Closed && self.standing != Standing::Closed;
        self.standing = standing;
        let before = self.entries;
        if is_closing {
            let open = self.sessions.iter().filter(|(_, session)| !session.is_closed);
            let open: Vec<_> = open.map(|(key, session)| (*key, session.paid)).collect();
            for (session, paid) in open {
                self.has_ended(EndedSession {
                    session,
                    at: self.at,
                    cause: EndCause::Closed,
                    paid,
                });
            }
            for session in self.sessions.values_mut() {
                session.is_closed = true;
                session.parts.clear();
            }
            for bucket in self.buckets.keys().copied().collect::<Vec<_>>() {
                self.moved(bucket, -self.buckets[&bucket].amount.max(0));
            }
            self.buckets.retain(|id, _| *id == 0);
            self.subscriptions.clear();
        }
        let entry = if self.entries > before { self.entries } else { 0 };
        new(Receipt { entry, ..Receipt::default() })
    }

    fn reverse(&mut self, reversal: Reversal<'_>) -> Outcome {
        let Reversal { key, entry, made, .. } = reversal;
        self.keyed(key, format!("reversal of {}", entry.number), |account| {
            if entry.number == 0 || entry.number > account.entries {
                return Err(Refusal::EntryUnknown);
            }
            let amount = i128::from(entry.amount);
            if amount == 0 || amount.abs() > 4 * 10_i128.pow(18) {
                return Err(Refusal::AmountInvalid);
            }
            if entry.system.kind == SystemKind::Transfer {
                return Err(Refusal::EntryOfTransfer);
            }
            if account.at - made > 92 * DAY {
                return Err(Refusal::EntryTooOld);
            }
            if account.reversed.contains(&entry.number) {
                return Err(Refusal::AlreadyReversed);
            }
            let own = account.buckets.get(&entry.bucket.0);
            let bucket = match own {
                _ if amount < 0 && account.standing == Standing::Closed => {
                    return Err(Refusal::AccountBarred);
                }
                Some(own) if amount > 0 || account.at < own.until => entry.bucket.0,
                _ if amount < 0 && entry.unit == Unit::Money => 0,
                _ => return Err(Refusal::BucketUnknown),
            };
            let free = account.free(bucket);
            if bucket != 0 && free < amount {
                return Err(Refusal::NotEnough);
            }
            if (account.buckets[&bucket].amount - amount).abs() > 4 * 10_i128.pow(18) {
                return Err(Refusal::BalanceTooLarge);
            }
            account.reversed.insert(entry.number);
            if amount > 0 {
                account.buckets.get_mut(&bucket).unwrap().given -= amount;
            }
            account.moved(bucket, -amount);
            let overdrawn = (amount - free.max(0)).max(0) as i64;
            Ok(Receipt { entry: account.entries, overdrawn, ..Receipt::default() })
        })
    }

    fn report(&mut self, report: &Report<'_>) -> Outcome {
        let Report { session: key, number, leg, digest, until, note, .. } = *report;
        if let Some(session) = self.sessions.get(&key) {
            match session.outcome((number, leg), digest) {
                Some(outcome) if session.remembers(number) => return outcome,
                _ if !session.is_closed => return refused(Refusal::NotOver),
                Some(outcome) => return outcome,
                None => {}
            }
        }
        self.entries += 1;
        let receipt = Receipt { entry: self.entries, note, ..Receipt::default() };
        let session = self.sessions.entry(key).or_default();
        (session.is_closed, session.until) = (true, until);
        session.answered.push(((number, leg), digest, receipt));
        new(receipt)
    }

    fn charge(&mut self, charge: &Charge<'_>) -> Outcome {
        let mut wants: Vec<Unit> = charge.wanted.iter().map(|want| want.unit).collect();
        wants.sort_unstable();
        wants.dedup();
        let are_wants = charge.wanted.len() <= 2
            && wants.len() == charge.wanted.len()
            && charge.wanted.iter().all(|want| is_amount(want.most))
            && charge.wanted.iter().all(|want| want.least >= 0 && want.least <= want.most);
        if let Err(refusal) = self.check(charge.used) {
            return refused(refusal);
        }
        if !are_wants {
            return refused(Refusal::AmountInvalid);
        }
        let key = (charge.number, charge.leg);
        match self.sessions.get(&charge.session) {
            None if charge.begin == Begin::No => return refused(Refusal::SessionUnknown),
            None => {
                self.sessions.insert(charge.session, Session::default());
            }
            Some(session) => {
                let outcome = session.outcome(key, charge.digest);
                let is_known = session.remembers(charge.number);
                if let Some(outcome) = outcome
                    && (is_known || charge.begin != Begin::Replace)
                {
                    return outcome;
                }
                if charge.begin == Begin::Replace {
                    let (is_open, paid) = (!session.is_closed, session.paid);
                    if is_open {
                        let (session, cause) = (charge.session, EndCause::Replaced);
                        self.has_ended(EndedSession { session, at: self.at, cause, paid });
                    }
                    self.sessions.insert(charge.session, Session::default());
                }
            }
        }
        if self.standing == Standing::PreActive {
            self.standing = Standing::Active;
        }
        let mut overdrawn = 0;
        let parts = std::mem::take(&mut self.sessions.get_mut(&charge.session).unwrap().parts);
        let (own, others): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|part| part.0 == charge.leg);
        self.sessions.get_mut(&charge.session).unwrap().parts = others;
        let mut used: Vec<Cost> = charge.used.to_vec();
        used.sort_unstable_by_key(|cost| cost.unit);
        for (_, bucket, amount) in own {
            let unit = self.buckets[&bucket].unit;
            if let Some(cost) = used.iter_mut().find(|cost| cost.unit == unit) {
                let part = amount.min(cost.amount.into());
                cost.amount -= part as i64;
                self.moved(bucket, -part);
            }
        }
        for cost in used {
            overdrawn += self.take(charge.scopes, cost) as i64;
        }
        let entry = if charge.used.is_empty() { 0 } else { self.entries };
        let mut receipt = Receipt { overdrawn, entry, note: charge.note, ..Receipt::default() };
        let is_closed = self.sessions[&charge.session].is_closed;
        let reserved = match is_closed && !charge.wanted.is_empty() {
            true => Err(Refusal::SessionUnknown),
            false => self.reserve(charge),
        };
        match reserved {
            Ok(reserved) => receipt.reserved = reserved,
            Err(refusal) => receipt.refusal = Some(refusal),
        }
        // What was used is paid, whatever there is.
        let money = charge.used.iter().filter(|cost| cost.unit == Unit::Money);
        let paid = money.map(|cost| i128::from(cost.amount)).sum::<i128>();
        let session = self.sessions.get_mut(&charge.session).unwrap();
        session.paid += paid;
        if let Some(memo) = charge.memo {
            session.memo = memo.to_vec();
        }
        if is_closed && (!charge.used.is_empty() || charge.memo.is_some()) {
            let (session, cause) = (charge.session, EndCause::LateUsage { leg: charge.leg });
            self.has_ended(EndedSession { session, at: self.at, cause, paid });
        }
        let session = self.sessions.get_mut(&charge.session).unwrap();
        if !is_closed {
            session.until = charge.until;
        }
        session.answered.push((key, charge.digest, receipt));
        new(receipt)
    }

    fn reserve(&mut self, charge: &Charge<'_>) -> Result<[i64; 2], Refusal> {
        let mut reserved = [0; 2];
        let mut parts = Vec::new();
        let is_barred = self.standing != Standing::Active || self.barred & charge.scopes.0 != 0;
        if !charge.wanted.is_empty() && is_barred {
            return Err(Refusal::AccountBarred);
        }
        for (want, reserved) in charge.wanted.iter().zip(&mut reserved) {
            let mut left = i128::from(want.most);
            for bucket in self.payers(want.unit, charge.scopes) {
                let part = self.available(bucket).min(left);
                left -= part;
                if part > 0 {
                    parts.push((charge.leg, bucket, part));
                }
            }
            *reserved = want.most - left as i64;
            if *reserved < want.least {
                return Err(Refusal::NotEnough);
            }
        }
        self.sessions.get_mut(&charge.session).unwrap().parts.extend(parts);
        Ok(reserved)
    }

    fn has_ended(&mut self, ended: EndedSession) {
        let memo = self.sessions[&ended.session].memo.clone();
        self.ended.push((ended, memo));
    }

    fn end(&mut self, session: SessionKey, until: i64, (at, cause): (i64, EndCause)) -> Outcome {
        let Some(found) = self.sessions.get_mut(&session) else {
            return refused(Refusal::SessionUnknown);
        };
        if found.is_closed {
            return Outcome { receipt: Receipt::default(), is_repeated: true };
        }
        (found.is_closed, found.until) = (true, until);
        found.parts.clear();
        let paid = found.paid;
        self.has_ended(EndedSession { session, at, cause, paid });
        new(Receipt::default())
    }
}
