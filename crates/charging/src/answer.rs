//! Answers to networks.

use ledger::{Currency, Note, Receipt, Refusal};
use rating::{NoTariff, Unit};

use crate::memo::TEXT_OCTETS_MAX;
use crate::request::{Dialogue, LEGS_MAX, RefusedWhole, SESSIONS_MAX};

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Each leg has an answer.
    Legs,
    /// The subscriber is not known.
    SubscriberUnknown,
    /// The session is not known, or has ended. The legs are those whose usage was charged or reported.
    SessionUnknown,
}

/// The answer for one leg.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegAnswer {
    /// The leg.
    pub leg: u32,
    /// The grant; `Ok(None)` if none was wanted, and for an event that is done.
    pub grant: Result<Option<Grant>, LegRefusal>,
    /// What an event costs: the money that was debited or refunded, or the price of an enquiry. Also what was used in
    /// a session that is not known.
    pub price: Option<Price>,
    /// What an operator should know.
    pub notices: Notices,
    /// Whether nothing is granted since nothing was wanted after the last grant: the client redirects until there is money.
    pub awaits_money: bool,
    /// Whether the request came before: this is what was answered then.
    pub is_repeated: bool,
}

/// What an operator should know of a leg.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notices {
    /// More seconds were reported than can have been used; those beyond the limit are not charged.
    pub is_capped: bool,
    /// With what was used, 80 % of a [limit](crate::SpendLimit) are spent: the subscriber should know.
    pub is_spend_near: bool,
    /// With what was used, all of a limit is spent.
    pub is_spend_reached: bool,
}

/// An amount of the account's currency, such as for Cost-Information (RFC 8506 section 8.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// In billionths of the major unit.
    pub amount: i64,
    /// The currency, by its number.
    pub currency: Currency,
}

/// What a subscriber may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// How much.
    pub quantity: u64,
    /// Of what.
    pub unit: Unit,
    /// For how long, in seconds. The client then requests again.
    pub validity_seconds: u32,
    /// Whether there is no money for more, or the limit of spending is reached behind it.
    pub is_final: bool,
    /// Whether it is the last one because of a limit of spending.
    pub is_limited: bool,
}

/// Why nothing is granted for a leg.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LegRefusal {
    /// There is no money.
    #[error("there is no money for the service")]
    NoMoney,
    /// The limit of what is spent on the service in a month is reached.
    #[error("the limit of what is spent on the service in a month is reached")]
    SpendLimit,
    /// The account is not in use, or barred from the service or its tariff class.
    #[error("the account is not in use, or is barred from the service or its tariff class")]
    Barred,
    /// The request names no service, and the leg has none.
    #[error("the request names no service")]
    NoService,
    /// A text of the service is too long. What was used was not taken.
    #[error("a text of the service has more than {TEXT_OCTETS_MAX} octets")]
    ServiceTooLong,
    /// What is stored with the session or the account cannot be read. What was used was not taken.
    #[error("what is stored with the session cannot be read")]
    Damaged,
    /// The service has no price. What was used was not taken.
    #[error("the service has no price")]
    NoPrice(#[source] NoTariff),
    /// A quantity costs more than a balance can have. What was used was not taken.
    #[error("the amount is too large")]
    AmountTooLarge,
    /// Another request has the number.
    #[error("another request has the same number")]
    NumberReused,
    /// The session is not known, or has ended.
    #[error("there is no such session")]
    SessionUnknown,
    /// The account has too many sessions, or the session too many legs. What was used was not taken.
    #[error("an account has {SESSIONS_MAX} sessions at most, and a session {LEGS_MAX} services")]
    TooMany,
}

/// The largest grant. The rest of a note's number is for its validity.
pub const GRANT_MAX: u64 = (1 << VALIDITY_SHIFT) - 1;

const VALIDITY_SHIFT: u32 = 40;

/// The longest validity of a grant, in seconds: half a year.
pub(crate) const VALIDITY_MAX: u32 = (1 << (u64::BITS - VALIDITY_SHIFT)) - 1;

/// What is answered, in the form of a note: the ledger stores it, so that a request that comes again is answered with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Noted {
    /// It is done.
    #[default]
    Done,
    Grant(Grant),
    /// It is done, for a price in billionths.
    Price(i64),
    /// The session is not known. What was used costs this, in billionths.
    Orphan(i64),
    NoMoney,
    Barred,
    /// Nothing is granted: the session has ended.
    Ended,
    SpendLimit,
    /// It is done. Nothing is wanted until there is money.
    AwaitsMoney,
}

/// The marks of notes. Those of a grant have its unit, whether it is final and why in their low bits.
const DONE: u8 = 0;
const PRICE: u8 = 1;
const NO_MONEY: u8 = 2;
const BARRED: u8 = 3;
const ORPHAN: u8 = 4;
const ENDED: u8 = 5;
const SPEND_LIMIT: u8 = 6;
const AWAITS_MONEY: u8 = 7;
const GRANT: u8 = 16;
const GRANT_UNIT: u8 = 3;
const GRANT_FINAL: u8 = 4;
const GRANT_LIMITED: u8 = 8;
/// For notices; they are with any of the others.
const CAPPED: u8 = 128;
const SPEND_NEAR: u8 = 64;
const SPEND_REACHED: u8 = 32;
const NOTICES: u8 = CAPPED | SPEND_NEAR | SPEND_REACHED;

const UNITS: [Unit; 3] = [Unit::Seconds, Unit::Octets, Unit::Events];

impl Noted {
    /// Returns the note.
    pub(crate) fn note(self, notices: Notices) -> Note {
        let (number, mark) = match self {
            Noted::Done => (0, DONE),
            Noted::Grant(grant) => grant.noted(),
            Noted::Price(amount) => (amount as u64, PRICE),
            Noted::Orphan(amount) => (amount as u64, ORPHAN),
            Noted::NoMoney => (0, NO_MONEY),
            Noted::Barred => (0, BARRED),
            Noted::Ended => (0, ENDED),
            Noted::SpendLimit => (0, SPEND_LIMIT),
            Noted::AwaitsMoney => (0, AWAITS_MONEY),
        };
        Note { number, mark: mark | notices.mark() }
    }

    fn of(Note { number, mark }: Note) -> Self {
        match mark & !NOTICES {
            DONE => Noted::Done,
            PRICE => Noted::Price(number as i64),
            ORPHAN => Noted::Orphan(number as i64),
            NO_MONEY => Noted::NoMoney,
            BARRED => Noted::Barred,
            ENDED => Noted::Ended,
            SPEND_LIMIT => Noted::SpendLimit,
            AWAITS_MONEY => Noted::AwaitsMoney,
            _ => Noted::Grant(Grant::of(number, mark)),
        }
    }
}

/// Returns whether nothing is left behind what a receipt grants, or it grants nothing for that reason.
pub(crate) fn is_last(receipt: &Receipt) -> bool {
    match (receipt.refusal, Noted::of(receipt.note)) {
        (None, Noted::Grant(grant)) => grant.is_final,
        (None, Noted::NoMoney | Noted::SpendLimit | Noted::AwaitsMoney) => true,
        (Some(Refusal::NotEnough), _) => true,
        _ => false,
    }
}

impl Notices {
    fn mark(self) -> u8 {
        let bit = |is_set, bit| if is_set { bit } else { 0 };
        bit(self.is_capped, CAPPED)
            | bit(self.is_spend_near, SPEND_NEAR)
            | bit(self.is_spend_reached, SPEND_REACHED)
    }

    fn of(mark: u8) -> Self {
        let is = |bit| mark & bit != 0;
        Notices {
            is_capped: is(CAPPED),
            is_spend_near: is(SPEND_NEAR),
            is_spend_reached: is(SPEND_REACHED),
        }
    }
}

impl Grant {
    /// Returns what a receipt grants.
    pub(crate) fn of_receipt(receipt: &Receipt) -> Option<Self> {
        match (receipt.refusal, Noted::of(receipt.note)) {
            (None, Noted::Grant(grant)) => Some(grant),
            _ => None,
        }
    }

    fn noted(self) -> (u64, u8) {
        let Grant { quantity, unit, validity_seconds, is_final, is_limited } = self;
        assert!(
            quantity <= GRANT_MAX && validity_seconds <= VALIDITY_MAX,
            "a grant fits in its note"
        );
        let place = UNITS.iter().position(|known| *known == unit).expect("all units are there");
        let bit = |is_set, bit| if is_set { bit } else { 0 };
        let last = bit(is_final, GRANT_FINAL) | bit(is_limited, GRANT_LIMITED);
        let number = u64::from(validity_seconds) << VALIDITY_SHIFT | quantity;
        (number, GRANT | last | place as u8)
    }

    fn of(number: u64, mark: u8) -> Self {
        Grant {
            quantity: number & GRANT_MAX,
            unit: UNITS[usize::from(mark & GRANT_UNIT) % UNITS.len()],
            validity_seconds: (number >> VALIDITY_SHIFT) as u32,
            is_final: mark & GRANT_FINAL != 0,
            is_limited: mark & GRANT_LIMITED != 0,
        }
    }
}

impl LegAnswer {
    /// Returns the answer for a leg that was refused before the ledger was charged.
    pub(crate) fn refused(leg: u32, refusal: LegRefusal) -> Self {
        let notices = Notices::default();
        LegAnswer {
            leg,
            grant: Err(refusal),
            price: None,
            notices,
            awaits_money: false,
            is_repeated: false,
        }
    }

    /// Returns the answer of a receipt.
    pub(crate) fn of(leg: u32, receipt: &Receipt, currency: Currency) -> Self {
        let noted = Noted::of(receipt.note);
        let price = match noted {
            Noted::Price(amount) | Noted::Orphan(amount) => Some(Price { amount, currency }),
            _ => None,
        };
        let grant = match (receipt.refusal, noted) {
            (Some(refusal), _) => Err(refusal.into()),
            (None, Noted::Done | Noted::Price(_) | Noted::AwaitsMoney) => Ok(None),
            (None, Noted::Grant(grant)) => Ok(Some(grant)),
            (None, Noted::Orphan(_) | Noted::Ended) => Err(LegRefusal::SessionUnknown),
            (None, Noted::SpendLimit) => Err(LegRefusal::SpendLimit),
            (None, Noted::NoMoney) => Err(LegRefusal::NoMoney),
            (None, Noted::Barred) => Err(LegRefusal::Barred),
        };
        let notices = Notices::of(receipt.note.mark);
        let awaits_money = noted == Noted::AwaitsMoney && grant.is_ok();
        LegAnswer { leg, grant, price, notices, awaits_money, is_repeated: false }
    }

    /// Returns whether the session was not known and had used something.
    pub(crate) fn is_orphan(&self) -> bool {
        self.price.is_some() && self.grant == Err(LegRefusal::SessionUnknown)
    }
}

impl Dialogue {
    /// Returns whether a leg without a grant goes on until there is money.
    pub fn awaits(&self, leg: &LegAnswer) -> bool {
        let has_none = matches!(leg.grant, Err(LegRefusal::NoMoney | LegRefusal::SpendLimit));
        leg.awaits_money || self.redirects_refused && has_none
    }

    /// Returns whether a leg is refused.
    pub(crate) fn refuses(&self, leg: &LegAnswer) -> bool {
        leg.grant.is_err() && !self.awaits(leg)
    }

    /// Returns whether the whole of a request is refused. One whose number another request had is none: it changes nothing.
    pub fn refuses_whole(&self, legs: &[LegAnswer]) -> bool {
        let is_of = |of: &dyn Fn(&LegRefusal) -> bool| {
            !legs.is_empty() && legs.iter().all(|leg| leg.grant.as_ref().is_err_and(of))
        };
        match self.refused_whole {
            RefusedWhole::Never => false,
            RefusedWhole::WithoutPrice => {
                is_of(&|of| matches!(of, LegRefusal::NoPrice(_) | LegRefusal::NoService))
            }
            RefusedWhole::Always => {
                is_of(&|of| *of != LegRefusal::NumberReused)
                    && legs.iter().all(|leg| self.refuses(leg))
            }
        }
    }
}

impl From<Refusal> for LegRefusal {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::AccountBarred => LegRefusal::Barred,
            Refusal::KeyReused => LegRefusal::NumberReused,
            Refusal::SessionUnknown => LegRefusal::SessionUnknown,
            Refusal::AmountInvalid | Refusal::BalanceTooLarge => LegRefusal::AmountTooLarge,
            _ => LegRefusal::NoMoney,
        }
    }
}
