//! The stored form of effects: a version, then each effect as an octet for its kind and its fields.
//!
//! Whole numbers have seven bits an octet, the lowest first (LEB128); those with a sign alternate around zero. Keys have 16
//! octets. What the effects of an operation repeat is there once: instead of the key of a session, or of the memo of one
//! that ends, there is an octet of zero if it is that of the effects before. A form that was stored once can be read for
//! ever: another form of an effect gets a number of its own.

use crate::account::Standing;
use crate::arrivals::Arrivals;
use crate::bucket::{Bucket, BucketId, Scopes};
use crate::effect::{Effect, Effects, Entry};
use crate::ending::{EndCause, EndedSession};
use crate::life_cycle::LifeCycle;
use crate::notice::Notice;
use crate::operation::{Key, Note, Receipt, Refusal, WANTS_MAX};
use crate::session::SessionKey;
use crate::subscription::{Period, Subscription};
use crate::threshold::{Measure, Threshold, ThresholdState};
use crate::totals::{SystemAccount, SystemKind};
use crate::transfer::Sent;
use crate::unit::{Currency, Unit};
use crate::warning::{Ending, Warned};

/// The version of the form.
const VERSION: u8 = 1;

/// The number of the cause that has a leg, behind those that have none.
const LATE_USAGE: u8 = EndCause::PLAIN.len() as u8;

/// Stored effects cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stored effects are damaged at octet {at}")]
pub struct EffectsDamaged {
    /// The offset of the octet.
    pub at: usize,
}

impl Effects {
    /// Writes the effects at the end of `to`.
    pub fn encode(&self, to: &mut Vec<u8>) {
        to.push(VERSION);
        let mut out = Writer { to, session: None, memo: &[] };
        for effect in &self.list {
            out.effect(effect, &self.bytes);
        }
    }

    /// Reads effects, after those that are there.
    ///
    /// # Errors
    ///
    /// The octets are none that [`encode`](Self::encode) wrote.
    pub fn decode(&mut self, octets: &[u8]) -> Result<(), EffectsDamaged> {
        let mut from = Reader { octets, at: 0, session: None, memo: (0, 0) };
        if from.octet()? != VERSION {
            return Err(EffectsDamaged { at: 0 });
        }
        while from.at < octets.len() {
            let effect = from.effect(&mut self.bytes)?;
            self.list.push(effect);
        }
        Ok(())
    }
}

struct Writer<'w> {
    to: &'w mut Vec<u8>,
    /// The session of the effects before.
    session: Option<SessionKey>,
    /// The last memo.
    memo: &'w [u8],
}

impl<'w> Writer<'w> {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.to.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.to.push(number as u8);
    }

    fn signed(&mut self, number: i64) {
        self.number(((number << 1) ^ (number >> 63)) as u64);
    }

    fn key(&mut self, key: u128) {
        self.to.extend_from_slice(&key.to_le_bytes());
    }

    fn session(&mut self, session: SessionKey) {
        let is_new = self.session.replace(session) != Some(session);
        self.to.push(is_new.into());
        if is_new {
            self.key(session.0);
        }
    }

    fn memo(&mut self, memo: &'w [u8]) {
        self.octets(memo);
        self.memo = memo;
    }

    /// Writes a memo that is mostly the last one.
    fn memo_again(&mut self, memo: &'w [u8]) {
        let is_new = memo != self.memo;
        self.to.push(is_new.into());
        if is_new {
            self.memo(memo);
        }
    }

    fn octets(&mut self, octets: &[u8]) {
        self.number(octets.len() as u64);
        self.to.extend_from_slice(octets);
    }

    fn receipt(&mut self, receipt: &Receipt) {
        let Receipt { refusal, reserved, overdrawn, entry, note: Note { number, mark } } = receipt;
        self.to.push(refusal.map_or(0, |refusal| place(&Refusal::ALL, refusal) + 1));
        reserved.iter().for_each(|reserved| self.signed(*reserved));
        self.signed(*overdrawn);
        self.number(*entry);
        self.number(*number);
        self.to.push(*mark);
    }

    fn system(&mut self, SystemAccount { kind, number }: SystemAccount) {
        self.to.push(place(&SystemKind::ALL, kind));
        self.number(number.into());
    }

    /// Writes where the first amount of a bucket came from.
    fn source(&mut self, source: Option<SystemAccount>) {
        self.to.push(source.is_some().into());
        source.into_iter().for_each(|system| self.system(system));
    }

    fn notice(&mut self, notice: Notice) {
        match notice {
            Notice::Low { unit, measure, level, amount } => {
                self.to.extend([44, place(&Unit::ALL, unit), place(&Measure::ALL, measure)]);
                self.signed(level);
                self.signed(amount);
            }
            Notice::Ends { end, ending: Ending::Stage(standing) } => {
                self.to.extend([40, place(&Standing::ALL, standing)]);
                self.signed(end);
            }
            Notice::Ends { end, ending: Ending::Balance { bucket, unit, source, amount } } => {
                self.to.extend([48, place(&Unit::ALL, unit)]);
                self.number(bucket.0.into());
                self.source(source);
                self.signed(amount);
                self.signed(end);
            }
            Notice::Stage(standing) => self.to.extend([31, place(&Standing::ALL, standing)]),
            Notice::Unpaid(of) => {
                self.to.push(32);
                self.system(of);
            }
            Notice::Spent { limit, is_reached, number } => {
                self.to.push(33);
                self.number(limit.into());
                self.to.push(is_reached.into());
                self.number(number);
            }
        }
    }

    fn ended(&mut self, EndedSession { session, at, cause, paid }: EndedSession) {
        self.session(session);
        self.signed(at);
        match cause {
            EndCause::LateUsage { leg } => {
                self.to.push(LATE_USAGE);
                self.number(leg.into());
            }
            plain => self.to.push(place(&EndCause::PLAIN, plain)),
        }
        self.key(paid.cast_unsigned());
    }

    fn effect(&mut self, effect: &Effect, bytes: &'w [u8]) {
        match *effect {
            Effect::Opened { currency, standing, credit_limit } => {
                self.to.push(1);
                self.number(currency.0.into());
                self.to.push(place(&Standing::ALL, standing));
                self.signed(credit_limit);
            }
            Effect::At(at) => {
                self.to.push(2);
                self.signed(at);
            }
            Effect::Standing(standing) => {
                self.to.extend([3, place(&Standing::ALL, standing)]);
            }
            Effect::CreditLimit(limit) => {
                self.to.push(4);
                self.signed(limit);
            }
            Effect::Bucket(bucket) => {
                let Bucket { id, unit, source, rolled_over, amount, reserved, given, .. } = bucket;
                let Bucket { priority, scopes, from, until, .. } = bucket;
                self.to.push(45);
                self.number(id.0.into());
                self.to.push(place(&Unit::ALL, unit));
                self.source(source);
                self.to.push(rolled_over.into());
                [amount, reserved, given, from, until]
                    .iter()
                    .for_each(|number| self.signed(*number));
                self.number(priority.into());
                self.number(scopes.0);
            }
            Effect::Balance { bucket, amount, reserved } => {
                self.to.push(6);
                self.number(bucket.0.into());
                self.signed(amount);
                self.signed(reserved);
            }
            Effect::BucketGone(bucket) => {
                self.to.push(7);
                self.number(bucket.0.into());
            }
            Effect::SessionBegun(session) => {
                self.to.push(8);
                self.session(session);
            }
            Effect::SessionUntil { session, until, is_closed } => {
                self.to.push(9);
                self.session(session);
                self.signed(until);
                self.to.push(is_closed.into());
            }
            Effect::Reserved { session, leg, bucket, amount } => {
                self.to.push(10);
                self.session(session);
                self.number(leg.into());
                self.number(bucket.0.into());
                self.signed(amount);
            }
            Effect::Released { session, leg } => {
                self.to.push(11);
                self.session(session);
                self.number(leg.map_or(0, |leg| u64::from(leg) + 1));
            }
            Effect::Answered { session, number, leg, digest, ref receipt } => {
                self.to.push(12);
                self.session(session);
                self.number(number.into());
                self.number(leg.into());
                self.number(digest);
                self.receipt(receipt);
            }
            Effect::Memo { session, from, until } => {
                self.to.push(13);
                self.session(session);
                self.memo(&bytes[from..until]);
            }
            Effect::SessionGone(session) => {
                self.to.push(14);
                self.session(session);
            }
            Effect::Keyed { key, digest, at, ref receipt } => {
                self.to.push(15);
                self.key(key.0);
                self.number(digest);
                self.signed(at);
                self.receipt(receipt);
            }
            Effect::KeysGone(before) => {
                self.to.push(16);
                self.signed(before);
            }
            Effect::Entry(entry) => {
                let Entry { number, unit, bucket, source, amount, balance, system, .. } = entry;
                self.to.push(match (source, entry.reverses) {
                    (None, None) => 17,
                    (None, Some(_)) => 21,
                    (Some(_), None) => 46,
                    (Some(_), Some(_)) => 47,
                });
                self.number(number);
                self.to.push(place(&Unit::ALL, unit));
                self.number(bucket.0.into());
                source.into_iter().for_each(|source| self.system(source));
                self.signed(amount);
                self.signed(balance);
                self.system(system);
                self.to.push(entry.session.is_some().into());
                if let Some(session) = entry.session {
                    self.session(session);
                }
                if let Some(reversed) = entry.reverses {
                    self.number(reversed);
                }
            }
            Effect::Numbers { entries, next_bucket } => {
                self.to.push(18);
                self.number(entries);
                self.number(next_bucket.into());
            }
            Effect::Arrived { session, arrivals: Arrivals { greatest, missing } } => {
                self.to.push(49);
                self.session(session);
                self.number(greatest.map_or(0, |greatest| u64::from(greatest) + 1));
                self.number(missing);
            }
            Effect::Counters { from, until } => {
                self.to.push(19);
                self.octets(&bytes[from..until]);
            }
            Effect::Remark { first, from, until } => {
                self.to.push(20);
                self.number(first);
                self.octets(&bytes[from..until]);
            }
            Effect::ThresholdsGone => self.to.push(22),
            Effect::Threshold { place, threshold, state } => {
                let Threshold { unit, measure, level, hysteresis } = threshold;
                let state = self::place(&ThresholdState::ALL, state);
                let measure = self::place(&Measure::ALL, measure);
                self.to.extend([43, place, self::place(&Unit::ALL, unit), measure, state]);
                self.signed(level);
                self.signed(hysteresis);
            }
            Effect::Notice(notice) => self.notice(notice),
            Effect::Barred(Scopes(scopes)) => {
                self.to.push(34);
                self.number(scopes);
            }
            Effect::SubscriberType(None) => self.to.push(35),
            Effect::SubscriberType(Some(kind)) => {
                self.to.push(36);
                self.number(kind.into());
            }
            Effect::BucketUntil { bucket, until } => {
                self.to.push(37);
                self.number(bucket.0.into());
                self.signed(until);
            }
            Effect::Sent(Sent { day, amount }) => {
                self.to.push(38);
                self.signed(day);
                self.signed(amount);
            }
            Effect::Warned(Warned { before, until }) => {
                self.to.push(39);
                self.signed(before);
                self.signed(until);
            }
            Effect::LifeCycle(dates) => {
                let LifeCycle { active_until, grace_until, suspended_until } = dates;
                self.to.push(25);
                let dates = [active_until, grace_until, suspended_until];
                dates.iter().for_each(|until| self.signed(*until));
            }
            Effect::Subscription(subscription) => {
                let Subscription { of, period: Period { anchor, count, begin }, due } =
                    subscription;
                self.to.push(28);
                self.system(of);
                self.number(count.into());
                [anchor, begin, due].iter().for_each(|at| self.signed(*at));
            }
            Effect::Refilled => self.to.push(30),
            Effect::SubscriptionGone(of) => {
                self.to.push(29);
                self.system(of);
            }
            Effect::SessionPaid { session, paid } => {
                self.to.push(26);
                self.session(session);
                self.key(paid.cast_unsigned());
            }
            Effect::SessionEnded { ended, from, until } => {
                self.to.push(27);
                self.ended(ended);
                self.memo_again(&bytes[from..until]);
            }
        }
    }
}

/// Returns the place of a value among all.
fn place<T: Copy + PartialEq>(all: &[T], value: T) -> u8 {
    all.iter().position(|other| *other == value).expect("all values are there") as u8
}

struct Reader<'r> {
    octets: &'r [u8],
    at: usize,
    /// The session of the effects before.
    session: Option<SessionKey>,
    /// Where the last memo is.
    memo: (usize, usize),
}

impl Reader<'_> {
    fn damaged(&self) -> EffectsDamaged {
        EffectsDamaged { at: self.at }
    }

    fn octet(&mut self) -> Result<u8, EffectsDamaged> {
        let octet = *self.octets.get(self.at).ok_or(self.damaged())?;
        self.at += 1;
        Ok(octet)
    }

    fn octets(&mut self, count: usize) -> Result<&[u8], EffectsDamaged> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.octets.len());
        let found = &self.octets[self.at..end.ok_or(self.damaged())?];
        self.at += count;
        Ok(found)
    }

    /// Reads octets with their count, and adds them to others. Returns where they are.
    fn range(&mut self, bytes: &mut Vec<u8>) -> Result<(usize, usize), EffectsDamaged> {
        let count = self.small()?;
        let from = bytes.len();
        bytes.extend_from_slice(self.octets(count)?);
        Ok((from, bytes.len()))
    }

    fn number(&mut self) -> Result<u64, EffectsDamaged> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let octet = self.octet()?;
            let part = u64::from(octet & 0x7f);
            if shift == 63 && part > 1 {
                break;
            }
            number |= part << shift;
            if octet < 0x80 {
                return Ok(number);
            }
        }
        Err(self.damaged())
    }

    fn small<T: TryFrom<u64>>(&mut self) -> Result<T, EffectsDamaged> {
        let number = self.number()?;
        T::try_from(number).map_err(|_| self.damaged())
    }

    /// Reads a number that was written with one more, since 0 means none.
    fn small_or_none(&mut self) -> Result<Option<u32>, EffectsDamaged> {
        let number = self.number()?.checked_sub(1);
        number.map(|number| u32::try_from(number).map_err(|_| self.damaged())).transpose()
    }

    fn signed(&mut self) -> Result<i64, EffectsDamaged> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn key(&mut self) -> Result<u128, EffectsDamaged> {
        let octets = self.octets(size_of::<u128>())?;
        Ok(octets.iter().rev().fold(0, |key, octet| key << 8 | u128::from(*octet)))
    }

    fn session(&mut self) -> Result<SessionKey, EffectsDamaged> {
        if self.flag()? {
            self.session = Some(SessionKey(self.key()?));
        }
        self.session.ok_or(self.damaged())
    }

    fn memo(&mut self, bytes: &mut Vec<u8>) -> Result<(usize, usize), EffectsDamaged> {
        self.memo = self.range(bytes)?;
        Ok(self.memo)
    }

    fn memo_again(&mut self, bytes: &mut Vec<u8>) -> Result<(usize, usize), EffectsDamaged> {
        if self.flag()? {
            return self.memo(bytes);
        }
        let (from, until) = self.memo;
        bytes.extend_from_within(from..until);
        self.memo = (bytes.len() - (until - from), bytes.len());
        Ok(self.memo)
    }

    fn bucket(&mut self) -> Result<BucketId, EffectsDamaged> {
        Ok(BucketId(self.small()?))
    }

    fn flag(&mut self) -> Result<bool, EffectsDamaged> {
        self.of(&[false, true])
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> Result<T, EffectsDamaged> {
        let place = usize::from(self.octet()?);
        all.get(place).copied().ok_or(self.damaged())
    }

    /// Reads a measure. Forms without one are of amounts.
    fn measure(&mut self, is_there: bool) -> Result<Measure, EffectsDamaged> {
        if is_there { self.of(&Measure::ALL) } else { Ok(Measure::Amount) }
    }

    fn receipt(&mut self) -> Result<Receipt, EffectsDamaged> {
        let refusal = match self.octet()? {
            0 => None,
            place => {
                let refusal = Refusal::ALL.get(usize::from(place) - 1);
                Some(*refusal.ok_or(self.damaged())?)
            }
        };
        let mut reserved = [0; WANTS_MAX];
        for reserved in &mut reserved {
            *reserved = self.signed()?;
        }
        let (overdrawn, entry) = (self.signed()?, self.number()?);
        let note = Note { number: self.number()?, mark: self.octet()? };
        Ok(Receipt { refusal, reserved, overdrawn, entry, note })
    }

    fn system(&mut self) -> Result<SystemAccount, EffectsDamaged> {
        Ok(SystemAccount { kind: self.of(&SystemKind::ALL)?, number: self.small()? })
    }

    fn source(&mut self) -> Result<Option<SystemAccount>, EffectsDamaged> {
        Ok(if self.flag()? { Some(self.system()?) } else { None })
    }

    fn ended(&mut self) -> Result<EndedSession, EffectsDamaged> {
        let (session, at) = (self.session()?, self.signed()?);
        let cause = match self.octet()? {
            LATE_USAGE => EndCause::LateUsage { leg: self.small()? },
            place => *EndCause::PLAIN.get(usize::from(place)).ok_or(self.damaged())?,
        };
        let paid = self.key()?.cast_signed();
        Ok(EndedSession { session, at, cause, paid })
    }

    fn effect(&mut self, bytes: &mut Vec<u8>) -> Result<Effect, EffectsDamaged> {
        Ok(match self.octet()? {
            1 => Effect::Opened {
                currency: Currency(self.small()?),
                standing: self.of(&Standing::ALL)?,
                credit_limit: self.signed()?,
            },
            2 => Effect::At(self.signed()?),
            3 => Effect::Standing(self.of(&Standing::ALL)?),
            4 => Effect::CreditLimit(self.signed()?),
            kind @ (5 | 42 | 45) => {
                let (id, unit) = (self.bucket()?, self.of(&Unit::ALL)?);
                let has_source = kind == 45;
                let source = if has_source { self.source()? } else { None };
                let rolled_over = has_source && self.flag()?;
                let (amount, reserved) = (self.signed()?, self.signed()?);
                let given = if kind == 5 { amount } else { self.signed()? };
                let (from, until) = (self.signed()?, self.signed()?);
                let (priority, scopes) = (self.small()?, Scopes(self.number()?));
                Effect::Bucket(Bucket {
                    id,
                    unit,
                    source,
                    rolled_over,
                    amount,
                    reserved,
                    given,
                    priority,
                    scopes,
                    from,
                    until,
                })
            }
            6 => Effect::Balance {
                bucket: self.bucket()?,
                amount: self.signed()?,
                reserved: self.signed()?,
            },
            7 => Effect::BucketGone(self.bucket()?),
            8 => Effect::SessionBegun(self.session()?),
            9 => Effect::SessionUntil {
                session: self.session()?,
                until: self.signed()?,
                is_closed: self.flag()?,
            },
            10 => Effect::Reserved {
                session: self.session()?,
                leg: self.small()?,
                bucket: self.bucket()?,
                amount: self.signed()?,
            },
            11 => Effect::Released { session: self.session()?, leg: self.small_or_none()? },
            12 => Effect::Answered {
                session: self.session()?,
                number: self.small()?,
                leg: self.small()?,
                digest: self.number()?,
                receipt: self.receipt()?,
            },
            13 => {
                let session = self.session()?;
                let (from, until) = self.memo(bytes)?;
                Effect::Memo { session, from, until }
            }
            14 => Effect::SessionGone(self.session()?),
            15 => Effect::Keyed {
                key: Key(self.key()?),
                digest: self.number()?,
                at: self.signed()?,
                receipt: self.receipt()?,
            },
            16 => Effect::KeysGone(self.signed()?),
            kind @ (17 | 21 | 46 | 47) => {
                let (number, unit, bucket) = (self.number()?, self.of(&Unit::ALL)?, self.bucket()?);
                let source = if kind >= 46 { Some(self.system()?) } else { None };
                let (amount, balance, system) = (self.signed()?, self.signed()?, self.system()?);
                let session = match self.flag()? {
                    true => Some(self.session()?),
                    false => None,
                };
                let reverses = if matches!(kind, 21 | 47) { Some(self.number()?) } else { None };
                Effect::Entry(Entry {
                    number,
                    unit,
                    bucket,
                    source,
                    amount,
                    balance,
                    system,
                    session,
                    reverses,
                })
            }
            18 => Effect::Numbers { entries: self.number()?, next_bucket: self.small()? },
            19 => {
                let (from, until) = self.range(bytes)?;
                Effect::Counters { from, until }
            }
            20 => {
                let first = self.number()?;
                let (from, until) = self.range(bytes)?;
                Effect::Remark { first, from, until }
            }
            22 => Effect::ThresholdsGone,
            kind @ (23 | 43) => {
                let (place, unit) = (self.octet()?, self.of(&Unit::ALL)?);
                let measure = self.measure(kind == 43)?;
                let state = self.of(&ThresholdState::ALL)?;
                let (level, hysteresis) = (self.signed()?, self.signed()?);
                let threshold = Threshold { unit, measure, level, hysteresis };
                Effect::Threshold { place, threshold, state }
            }
            kind @ (24 | 44) => {
                let (unit, measure) = (self.of(&Unit::ALL)?, self.measure(kind == 44)?);
                let (level, amount) = (self.signed()?, self.signed()?);
                Effect::Notice(Notice::Low { unit, measure, level, amount })
            }
            31 => Effect::Notice(Notice::Stage(self.of(&Standing::ALL)?)),
            32 => Effect::Notice(Notice::Unpaid(self.system()?)),
            34 => Effect::Barred(Scopes(self.number()?)),
            35 => Effect::SubscriberType(None),
            36 => Effect::SubscriberType(Some(self.small()?)),
            33 => {
                let limit = self.small()?;
                let (is_reached, number) = (self.flag()?, self.number()?);
                Effect::Notice(Notice::Spent { limit, is_reached, number })
            }
            37 => Effect::BucketUntil { bucket: self.bucket()?, until: self.signed()? },
            38 => Effect::Sent(Sent { day: self.signed()?, amount: self.signed()? }),
            39 => Effect::Warned(Warned { before: self.signed()?, until: self.signed()? }),
            40 => {
                let ending = Ending::Stage(self.of(&Standing::ALL)?);
                Effect::Notice(Notice::Ends { end: self.signed()?, ending })
            }
            kind @ (41 | 48) => {
                let (unit, bucket) = (self.of(&Unit::ALL)?, self.bucket()?);
                let source = if kind == 48 { self.source()? } else { None };
                let ending = Ending::Balance { bucket, unit, source, amount: self.signed()? };
                Effect::Notice(Notice::Ends { end: self.signed()?, ending })
            }
            25 => Effect::LifeCycle(LifeCycle {
                active_until: self.signed()?,
                grace_until: self.signed()?,
                suspended_until: self.signed()?,
            }),
            26 => {
                let (session, paid) = (self.session()?, self.key()?.cast_signed());
                Effect::SessionPaid { session, paid }
            }
            27 => {
                let ended = self.ended()?;
                let (from, until) = self.memo_again(bytes)?;
                Effect::SessionEnded { ended, from, until }
            }
            28 => {
                let (of, count) = (self.system()?, self.small()?);
                let (anchor, begin, due) = (self.signed()?, self.signed()?, self.signed()?);
                let period = Period { anchor, count, begin };
                Effect::Subscription(Subscription { of, period, due })
            }
            29 => Effect::SubscriptionGone(self.system()?),
            30 => Effect::Refilled,
            49 => {
                let (session, greatest) = (self.session()?, self.small_or_none()?);
                let arrivals = Arrivals { greatest, missing: self.number()? };
                Effect::Arrived { session, arrivals }
            }
            _ => return Err(EffectsDamaged { at: self.at - 1 }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_whole_range() {
        for number in [0, 1, -1, 63, 64, -64, -65, i64::MAX, i64::MIN, 1 << 62] {
            let mut octets = Vec::new();
            Writer { to: &mut octets, session: None, memo: &[] }.signed(number);
            let mut from = Reader { octets: &octets, at: 0, session: None, memo: (0, 0) };
            assert_eq!(from.signed(), Ok(number));
            assert_eq!(from.at, octets.len());
        }
    }

    #[test]
    fn earlier_forms_of_buckets_thresholds_and_notices_are_read() {
        let octets = [
            vec![VERSION, 5, 2, 1, 20, 6, 0, 4, 1, 4],
            vec![23, 0, 1, 1, 20, 0],
            vec![24, 1, 20, 4],
            vec![42, 2, 1, 20, 6, 22, 0, 4, 1, 4],
            vec![41, 1, 2, 20, 4],
        ];
        let mut effects = Effects::default();
        effects.decode(&octets.concat()).unwrap();
        let (unit, measure) = (Unit::ALL[1], Measure::Amount);
        let bucket = Bucket {
            id: BucketId(2),
            unit,
            source: None,
            rolled_over: false,
            amount: 10,
            reserved: 3,
            given: 10,
            priority: 1,
            scopes: Scopes(4),
            from: 0,
            until: 2,
        };
        let threshold = Threshold { unit, measure, level: 10, hysteresis: 0 };
        let ending = Ending::Balance { bucket: BucketId(2), unit, source: None, amount: 10 };
        let state = ThresholdState::ALL[1];
        let expected = [
            Effect::Bucket(bucket),
            Effect::Threshold { place: 0, threshold, state },
            Effect::Notice(Notice::Low { unit, measure, level: 10, amount: 2 }),
            Effect::Bucket(Bucket { given: 11, ..bucket }),
            Effect::Notice(Notice::Ends { end: 2, ending }),
        ];
        assert_eq!(effects.list, expected);
    }

    #[test]
    fn damaged_effects_are_refused_and_never_end_the_program() {
        let mut effects = Effects::default();
        effects.bytes.extend(b"memomeleg");
        let session = SessionKey(u128::MAX / 3);
        let receipt = Receipt { refusal: Some(Refusal::NotEnough), ..Receipt::default() };
        let threshold = Threshold {
            unit: Unit::Seconds,
            measure: Measure::Percent,
            level: 70_000,
            hysteresis: 0,
        };
        let entry = Entry {
            number: 5,
            unit: Unit::Octets,
            bucket: BucketId(2),
            source: None,
            amount: -7,
            balance: i64::MIN,
            system: SystemAccount { kind: SystemKind::Fee, number: u16::MAX },
            session: None,
            reverses: None,
        };
        let cause = EndCause::LateUsage { leg: 300 };
        let late = EndedSession { session, at: 70_000, cause, paid: i128::MAX };
        let period = Period { anchor: i64::MIN, count: u32::MAX, begin: 70_000 };
        let of = SystemAccount { kind: SystemKind::Bundle, number: 300 };
        let bucket = Bucket { source: Some(of), rolled_over: true, ..Bucket::main() };
        let ended = EndedSession { cause: EndCause::Closed, paid: 0, ..late };
        effects.list.extend([
            Effect::Opened { currency: Currency(978), standing: Standing::Active, credit_limit: 7 },
            Effect::Memo { session, from: 0, until: 4 },
            Effect::Remark { first: 3, from: 4, until: 6 },
            Effect::Answered { session, number: 1, leg: 7, digest: u64::MAX, receipt },
            Effect::Released { session, leg: Some(u32::MAX) },
            Effect::Arrived {
                session,
                arrivals: Arrivals { greatest: Some(u32::MAX), missing: u64::MAX },
            },
            Effect::LifeCycle(LifeCycle { active_until: -1, ..LifeCycle::ENDLESS }),
            Effect::Threshold { place: 3, threshold, state: ThresholdState::Noticed },
            Effect::Notice(Notice::Low {
                unit: Unit::Events,
                measure: Measure::Amount,
                level: 1,
                amount: i64::MIN,
            }),
            Effect::Notice(Notice::Ends { end: 7, ending: Ending::Stage(Standing::Grace) }),
            Effect::Notice(Notice::Ends {
                end: i64::MAX,
                ending: Ending::Balance {
                    bucket: BucketId(9),
                    unit: Unit::Octets,
                    source: Some(of),
                    amount: 70_000,
                },
            }),
            Effect::Bucket(bucket),
            Effect::BucketUntil { bucket: BucketId(300), until: -1 },
            Effect::Sent(Sent { day: 70_000, amount: 1 }),
            Effect::Warned(Warned { before: 3, until: i64::MIN }),
            Effect::Notice(Notice::Stage(Standing::Closed)),
            Effect::Notice(Notice::Unpaid(of)),
            Effect::Barred(Scopes(1 << 63)),
            Effect::SubscriberType(None),
            Effect::SubscriberType(Some(u16::MAX)),
            Effect::Notice(Notice::Spent { limit: 300, is_reached: true, number: u64::MAX }),
            Effect::SessionPaid { session, paid: 1 << 70 },
            Effect::SessionEnded { ended: late, from: 6, until: 9 },
            Effect::SessionEnded { ended, from: 9, until: 9 },
            Effect::Subscription(Subscription { of, period, due: i64::MAX }),
            Effect::SubscriptionGone(of),
            Effect::Refilled,
            Effect::Entry(entry),
            Effect::Entry(Entry { session: Some(session), reverses: Some(1_000), ..entry }),
            Effect::Entry(Entry { source: Some(of), ..entry }),
            Effect::Entry(Entry { source: Some(of), reverses: Some(1_000), ..entry }),
        ]);
        let mut octets = Vec::new();
        effects.encode(&mut octets);
        let read = |octets: &[u8]| {
            let mut read = Effects::default();
            read.decode(octets).map(|()| read)
        };
        assert_eq!(read(&octets).as_ref(), Ok(&effects));
        for length in 0..octets.len() {
            let _ = read(&octets[..length]);
        }
        for place in 0..octets.len() {
            for value in 0..=u8::MAX {
                let mut damaged = octets.clone();
                damaged[place] = value;
                let _ = read(&damaged);
            }
        }
        assert_eq!(read(&[]), Err(EffectsDamaged { at: 0 }));
        assert_eq!(read(&[VERSION, 99]), Err(EffectsDamaged { at: 1 }));
        assert_eq!(read(&[VERSION + 1]), Err(EffectsDamaged { at: 0 }));
    }
}
