//! Decides operations: finds what they change, and changes it by effects.

use crate::account::{Account, Keyed, Standing};
use crate::bonus::{Bonus, check_bonuses};
use crate::bucket::{Bucket, BucketId, MAIN_BUCKET, Scopes};
use crate::effect::{Effect, Effects, Entry};
use crate::ending::{EndCause, EndedSession};
use crate::life_cycle::EXPIRED;
use crate::operation::{
    Action, Begin, Charge, Cost, Credit, CreditTo, Debit, Key, Limit, Outcome, Receipt, Refusal,
    WANTS_MAX, Want,
};
use crate::session::{Answered, SessionKey};
use crate::totals::SystemAccount;
use crate::unit::{AMOUNT_MAX, BALANCE_MAX, Millis, Unit, is_amount};

/// For how long an operation is known by its key: a quarter. One that comes again later is made again.
pub const KEYS_RETENTION: Millis = 92 * 86_400_000;

/// Decides an operation on an account that is there, and makes its changes.
pub(crate) fn decide(
    account: &mut Account,
    at: Millis,
    action: &Action<'_>,
    effects: &mut Effects,
) -> Outcome {
    let mut decision = Decision::new(account, at, effects);
    decision.operate(action.remark(), |decision| decision.decide(action))
}

/// An operation that is decided.
pub(crate) struct Decision<'a> {
    pub(crate) account: &'a mut Account,
    effects: &'a mut Effects,
    at: Millis,
    /// Whether the account's time has been advanced.
    at_noted: bool,
}

/// What an entry is made for.
#[derive(Clone, Copy)]
pub(crate) struct Purpose {
    /// Where the amount comes from, or goes to.
    pub(crate) system: SystemAccount,
    pub(crate) session: Option<SessionKey>,
    pub(crate) reverses: Option<u64>,
}

impl Purpose {
    pub(crate) fn of(system: SystemAccount) -> Self {
        Purpose { system, session: None, reverses: None }
    }
}

pub(crate) fn refused(refusal: Refusal) -> Outcome {
    Outcome { receipt: Receipt::refused(refusal), is_repeated: false }
}

pub(crate) fn new(receipt: Receipt) -> Outcome {
    Outcome { receipt, is_repeated: false }
}

/// Returns the outcome of an operation that came before, if this is the same one.
pub(crate) fn repeated(receipt: Receipt, is_same: bool) -> Outcome {
    match is_same {
        true => Outcome { receipt, is_repeated: true },
        false => refused(Refusal::KeyReused),
    }
}

impl<'a> Decision<'a> {
    pub(crate) fn new(account: &'a mut Account, at: Millis, effects: &'a mut Effects) -> Self {
        Decision { account, effects, at, at_noted: false }
    }
}

impl Decision<'_> {
    fn decide(&mut self, action: &Action<'_>) -> Outcome {
        match action {
            Action::Open(_) => refused(Refusal::AccountExists),
            Action::SetStanding(standing) => self.set_standing(*standing),
            Action::SetLifeCycle(dates) => self.set_life_cycle(*dates),
            Action::Age => self.age(),
            Action::SetCreditLimit(limit) if (0..=AMOUNT_MAX).contains(limit) => {
                self.done(Effect::CreditLimit(*limit))
            }
            Action::SetCreditLimit(_) => refused(Refusal::AmountInvalid),
            Action::Bar(scopes) => self.done(Effect::Barred(*scopes)),
            Action::SetSubscriberType(kind) => self.done(Effect::SubscriberType(*kind)),
            Action::SetThresholds(thresholds) => self.set_thresholds(thresholds),
            Action::SetWarning(before) => self.set_warning(*before),
            Action::Warn => self.warn(),
            Action::Credit(credit) => self.credit(credit, &[]),
            Action::Refill(refill) => self.credit(&refill.credit, refill.bonuses),
            Action::Debit(debit) => self.debit(debit),
            Action::Buy(purchase) => self.buy(purchase),
            Action::Subscribe { of, first } => self.begin_subscription(*of, *first),
            Action::Unsubscribe(of) => self.end_subscription(*of),
            Action::Renew(renewal) => {
                let renewed = self.renew(renewal);
                let refusal = renewed.receipt.refusal;
                if matches!(refusal, None | Some(Refusal::NotEnough | Refusal::AccountBarred)) {
                    // What it did not give is missing now.
                    self.watch();
                }
                renewed
            }
            Action::Reverse(reversal) => self.reverse(reversal),
            Action::Charge(charge) => self.charge(charge),
            Action::Report(report) => self.report(report),
            Action::End { session, until } => {
                self.end(*session, *until, (self.now(), EndCause::Ended))
            }
            Action::Replace { session, until } => {
                self.end(*session, *until, (self.now(), EndCause::Replaced))
            }
            Action::Lapse { session, until } => self.lapse(*session, *until),
            Action::Notify(notice) => self.done(Effect::Notice(*notice)),
            Action::Expire { bucket } => self.expire(*bucket),
        }
    }

    /// Makes an operation. If it makes entries, stores its remark with them, and makes notices.
    pub(crate) fn operate<T>(&mut self, remark: &[u8], make: impl FnOnce(&mut Self) -> T) -> T {
        let first = self.account.entries + 1;
        let made = make(self);
        if self.account.entries >= first {
            self.remark(first, remark);
            self.watch();
        }
        made
    }

    fn remark(&mut self, first: u64, remark: &[u8]) {
        if !remark.is_empty() {
            let (from, until) = self.stored(remark);
            self.make(Effect::Remark { first, from, until });
        }
    }

    /// Returns the time of the operation. An account's time never goes back.
    pub(crate) fn now(&self) -> Millis {
        self.at.max(self.account.at)
    }

    pub(crate) fn make(&mut self, effect: Effect) {
        if !self.at_noted {
            self.at_noted = true;
            if self.account.at < self.at {
                let at = Effect::At(self.at);
                self.account.apply(&at, &[]);
                self.effects.list.push(at);
            }
        }
        self.account.apply(&effect, &self.effects.bytes);
        self.effects.list.push(effect);
    }

    pub(crate) fn done(&mut self, effect: Effect) -> Outcome {
        self.make(effect);
        new(Receipt::default())
    }

    /// Moves an amount into a bucket, or out of it, with its entry. `released` is no longer reserved.
    pub(crate) fn post(
        &mut self,
        bucket: BucketId,
        (amount, released): (i64, i64),
        Purpose { system, session, reverses }: Purpose,
    ) -> u64 {
        let Bucket { unit, amount: before, reserved, source, .. } =
            *self.account.bucket(bucket).expect("it was found in the account");
        let balance = before + amount;
        self.make(Effect::Balance { bucket, amount: balance, reserved: reserved - released });
        if amount == 0 {
            return self.account.entries;
        }
        let number = self.account.entries + 1;
        self.make(Effect::Entry(Entry {
            number,
            unit,
            bucket,
            source,
            amount,
            balance,
            system,
            session,
            reverses,
        }));
        number
    }

    /// Returns the operation with a key, if it is not forgotten.
    pub(crate) fn known(&self, key: Key) -> Option<&Keyed> {
        let oldest = self.now().saturating_sub(KEYS_RETENTION);
        self.account.keyed(key).filter(|known| known.at >= oldest)
    }

    /// Makes a keyed operation, unless it came before. Refusals that the next attempt may not get are not remembered.
    pub(crate) fn keyed(
        &mut self,
        key: Key,
        digest: u64,
        make: impl FnOnce(&mut Self) -> Result<Receipt, Refusal>,
    ) -> Outcome {
        if let Some(known) = self.known(key) {
            return repeated(known.receipt, known.digest == digest);
        }
        let receipt = match make(self) {
            Ok(receipt) => receipt,
            Err(refusal) => return refused(refusal),
        };
        let before = self.now().saturating_sub(KEYS_RETENTION);
        if self.account.keys.first().is_some_and(|oldest| oldest.at < before) {
            self.make(Effect::KeysGone(before));
        }
        let at = self.now();
        self.make(Effect::Keyed { key, digest, at, receipt });
        new(receipt)
    }

    fn credit(&mut self, credit: &Credit<'_>, bonuses: &[Bonus<'_>]) -> Outcome {
        let Credit { key, to, amount, from, days, .. } = *credit;
        self.keyed(key, credit.digest(), |decision| {
            if !is_amount(amount) {
                return Err(Refusal::AmountInvalid);
            }
            check_bonuses(bonuses)?;
            if decision.account.standing == Standing::Closed {
                return Err(Refusal::AccountBarred);
            }
            let bucket = match to {
                CreditTo::Bucket(id) => {
                    let bucket = decision.account.bucket(id).ok_or(Refusal::BucketUnknown)?;
                    if bucket.amount > BALANCE_MAX - amount {
                        return Err(Refusal::BalanceTooLarge);
                    }
                    id
                }
                CreditTo::New(terms) => {
                    let id = BucketId(decision.account.next_bucket);
                    decision.make(Effect::Bucket(terms.empty(id, credit.from)));
                    id
                }
            };
            decision.post(bucket, (amount, 0), Purpose::of(from));
            if credit.is_refill() {
                decision.activate();
                decision.retry_subscriptions();
                decision.reward(amount, bonuses);
            }
            decision.extend(days);
            Ok(Receipt { entry: decision.account.entries, ..Receipt::default() })
        })
    }

    fn debit(&mut self, debit: &Debit<'_>) -> Outcome {
        let Debit { key, scopes, bucket, cost, limit, to, .. } = *debit;
        self.keyed(key, debit.digest(), |decision| {
            decision.check_costs(&[cost])?;
            if let Some(bucket) = bucket {
                return decision.debit_bucket(bucket, cost, limit, to);
            }
            if limit == Limit::Available {
                if !decision.account.standing.may_use() {
                    return Err(Refusal::AccountBarred);
                }
                if decision.available(scopes, cost.unit) < cost.amount {
                    return Err(Refusal::NotEnough);
                }
            } else if decision.account.standing == Standing::Closed {
                return Err(Refusal::AccountBarred);
            }
            let credit = if limit == Limit::Available { decision.account.credit_limit } else { 0 };
            let overdrawn = decision.take(scopes, cost, Purpose::of(to));
            let entry = decision.account.entries;
            // Within the credit limit, nothing is overdrawn that should not be.
            assert!(limit == Limit::None || overdrawn <= credit, "more is taken than is available");
            Ok(Receipt { entry, overdrawn, ..Receipt::default() })
        })
    }

    fn debit_bucket(
        &mut self,
        id: BucketId,
        cost: Cost,
        limit: Limit,
        to: SystemAccount,
    ) -> Result<Receipt, Refusal> {
        let bucket = *self.account.bucket(id).ok_or(Refusal::BucketUnknown)?;
        if bucket.unit != cost.unit {
            return Err(Refusal::UnitDiffers);
        }
        let may_overdraw = limit == Limit::None && id == MAIN_BUCKET;
        if !may_overdraw && self.account.available(&bucket) < cost.amount {
            return Err(Refusal::NotEnough);
        }
        let overdrawn = (cost.amount - bucket.free().max(0)).max(0);
        let entry = self.post(id, (-cost.amount, 0), Purpose::of(to));
        Ok(Receipt { entry, overdrawn, ..Receipt::default() })
    }

    /// Checks that amounts are amounts, one a unit, and that taking them does not overflow.
    fn check_costs(&self, costs: &[Cost]) -> Result<(), Refusal> {
        let is_twice = |(place, cost): (usize, &Cost)| {
            costs[..place].iter().any(|other| other.unit == cost.unit)
        };
        if !costs.iter().all(|cost| is_amount(cost.amount))
            || costs.iter().enumerate().any(is_twice)
        {
            return Err(Refusal::AmountInvalid);
        }
        let main = self.account.bucket(MAIN_BUCKET).expect("each account has one");
        match main.amount < AMOUNT_MAX - BALANCE_MAX {
            true => Err(Refusal::BalanceTooLarge),
            false => Ok(()),
        }
    }

    /// Returns how much of a unit can be reserved for scopes.
    fn available(&self, scopes: Scopes, unit: Unit) -> i64 {
        self.account.available_for(scopes, unit, self.now())
    }

    /// Takes an amount from what is free, in the order of use, and overdraws the main bucket for the rest. Returns that
    /// rest. Of other units than money, the rest is not taken.
    fn take(&mut self, scopes: Scopes, cost: Cost, purpose: Purpose) -> i64 {
        let (now, mut left) = (self.now(), cost.amount);
        for place in 0..self.account.buckets.len() {
            let bucket = &self.account.buckets[place];
            let part = bucket.free().clamp(0, left);
            if part > 0 && bucket.pays(cost.unit, scopes, now) {
                let id = bucket.id;
                self.post(id, (-part, 0), purpose);
                left -= part;
            }
        }
        if left > 0 && cost.unit == Unit::Money {
            self.post(MAIN_BUCKET, (-left, 0), purpose);
        }
        left
    }

    fn charge(&mut self, charge: &Charge<'_>) -> Outcome {
        let Charge { session: key, number, leg, digest, .. } = *charge;
        if let Err(refusal) = self.check_costs(charge.used).and(check_wants(charge.wanted)) {
            return refused(refusal);
        }
        match (self.account.session(key), charge.begin) {
            (Some(session), begin) => {
                if let Some(answered) = session.answered(number, leg) {
                    return repeated(answered.receipt, answered.digest == digest);
                }
                if begin != Begin::Replace && session.has_forgotten(number) {
                    return refused(Refusal::KeyReused);
                }
                if begin == Begin::Replace {
                    if !session.is_closed {
                        self.finish(key, (self.now(), EndCause::Replaced));
                    }
                    self.make(Effect::SessionGone(key));
                    self.make(Effect::SessionBegun(key));
                }
            }
            (None, Begin::No) => return refused(Refusal::SessionUnknown),
            (None, _) => self.make(Effect::SessionBegun(key)),
        }
        self.activate();
        let paid_before = self.paid(key);
        let overdrawn = self.settle(charge);
        let closed = self.account.session(key).filter(|session| session.is_closed);
        let closed_until = closed.map(|session| session.until);
        let wanted = match closed_until {
            // What was used is paid, also if the report comes after the end.
            Some(_) if !charge.wanted.is_empty() => Err(Refusal::SessionUnknown),
            _ => self.reserve(charge),
        };
        let (refusal, reserved) = match wanted {
            Ok(reserved) => (None, reserved),
            Err(refusal) => (Some(refusal), [0; WANTS_MAX]),
        };
        let entry = if charge.used.is_empty() { 0 } else { self.account.entries };
        let receipt = Receipt { refusal, reserved, overdrawn, entry, note: charge.note };
        let (until, is_closed) = (closed_until.unwrap_or(charge.until), closed_until.is_some());
        self.make(Effect::SessionUntil { session: key, until, is_closed });
        if let Some(memo) = charge.memo {
            let (from, until) = self.stored(memo);
            self.make(Effect::Memo { session: key, from, until });
        }
        if is_closed && !(charge.used.is_empty() && charge.memo.is_none()) {
            let (at, cause) = (self.now(), EndCause::LateUsage { leg });
            let paid = self.paid(key) - paid_before;
            self.record(EndedSession { session: key, at, cause, paid });
        }
        if let Some(counters) = charge.counters {
            let (from, until) = self.stored(counters);
            self.make(Effect::Counters { from, until });
        }
        self.make(Effect::answered(key, Answered { number, leg, digest, receipt }));
        new(receipt)
    }

    /// Adds octets to those of the effects, and returns where they are.
    fn stored(&mut self, octets: &[u8]) -> (usize, usize) {
        let from = self.effects.bytes.len();
        self.effects.bytes.extend_from_slice(octets);
        (from, self.effects.bytes.len())
    }

    /// Adds the memo of a session to the octets of the effects, and returns where it is.
    pub(crate) fn stored_memo(&mut self, session: SessionKey) -> (usize, usize) {
        let memo = self.account.session(session).map_or(&[][..], |session| &session.memo);
        let from = self.effects.bytes.len();
        self.effects.bytes.extend_from_slice(memo);
        (from, self.effects.bytes.len())
    }

    /// Takes what was used, from what is reserved for the leg first, and releases the rest of that. Returns how much was
    /// overdrawn.
    fn settle(&mut self, charge: &Charge<'_>) -> i64 {
        let session = Some(charge.session);
        let purpose = Purpose { session, ..Purpose::of(charge.to) };
        // What is left of each cost; units are there once.
        let mut left = [0; Unit::ALL.len()];
        charge.used.iter().for_each(|cost| left[cost.unit as usize] = cost.amount);
        let mut place = 0;
        while let Some(part) = self.reserved(charge.session, place) {
            place += 1;
            if part.leg == charge.leg {
                let bucket = self.account.bucket(part.bucket).expect("what is reserved is there");
                let left = &mut left[bucket.unit as usize];
                let taken = part.amount.min(*left);
                *left -= taken;
                self.post(part.bucket, (-taken, part.amount), purpose);
            }
        }
        if place > 0 {
            self.make(Effect::Released { session: charge.session, leg: Some(charge.leg) });
        }
        let mut overdrawn = 0;
        for unit in Unit::ALL {
            let amount = left[unit as usize];
            if amount > 0 {
                let cost = Cost { unit, amount };
                overdrawn += self.take(charge.scopes, cost, purpose);
            }
        }
        overdrawn
    }

    pub(crate) fn reserved(
        &self,
        session: SessionKey,
        place: usize,
    ) -> Option<crate::session::Reserved> {
        self.account.session(session)?.reserved.get(place).copied()
    }

    /// Reserves what is wanted: all of it, or nothing.
    fn reserve(&mut self, charge: &Charge<'_>) -> Result<[i64; WANTS_MAX], Refusal> {
        let mut reserved = [0; WANTS_MAX];
        if charge.wanted.is_empty() {
            return Ok(reserved);
        }
        if !self.account.may_pay_for(charge.scopes) {
            return Err(Refusal::AccountBarred);
        }
        for (want, reserved) in charge.wanted.iter().zip(&mut reserved) {
            *reserved = self.available(charge.scopes, want.unit).min(want.most);
            if *reserved < want.least {
                return Err(Refusal::NotEnough);
            }
        }
        let now = self.now();
        for (want, reserved) in charge.wanted.iter().zip(reserved) {
            let mut left = reserved;
            for place in 0..self.account.buckets.len() {
                let bucket = self.account.buckets[place];
                let part = self.account.available(&bucket).min(left);
                if part == 0 || !bucket.pays(want.unit, charge.scopes, now) {
                    continue;
                }
                let (bucket, amount) = (bucket.id, bucket.amount);
                let before = self.account.buckets[place].reserved;
                self.make(Effect::Balance { bucket, amount, reserved: before + part });
                let (session, leg) = (charge.session, charge.leg);
                self.make(Effect::Reserved { session, leg, bucket, amount: part });
                left -= part;
            }
        }
        Ok(reserved)
    }

    fn expire(&mut self, id: BucketId) -> Outcome {
        let Some(bucket) = self.account.bucket(id).copied() else {
            return refused(Refusal::BucketUnknown);
        };
        if id == MAIN_BUCKET || self.now() < bucket.until || self.may_roll_over(&bucket) {
            return refused(Refusal::NotOver);
        }
        let mut receipt = Receipt::default();
        if bucket.free() > 0 {
            receipt.entry = self.post(id, (-bucket.free(), 0), Purpose::of(EXPIRED));
        }
        // What is reserved was valid when it was: the bucket stays until its sessions have ended.
        if bucket.reserved == 0 {
            self.make(Effect::BucketGone(id));
        }
        new(receipt)
    }
}

fn check_wants(wants: &[Want]) -> Result<(), Refusal> {
    let is_valid = |want: &Want| is_amount(want.most) && (0..=want.most).contains(&want.least);
    let are_apart = wants
        .iter()
        .enumerate()
        .all(|(place, want)| wants[..place].iter().all(|other| other.unit != want.unit));
    match wants.len() <= WANTS_MAX && wants.iter().all(is_valid) && are_apart {
        true => Ok(()),
        false => Err(Refusal::AmountInvalid),
    }
}
