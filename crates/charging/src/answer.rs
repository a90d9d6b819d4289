//! Answers to networks.

use ledger::{Note, Receipt, Refusal};
use rating::{NoTariff, Unit};

use crate::memo::TEXT_OCTETS_MAX;

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Each leg has an answer.
    Legs,
    /// The subscriber is not known.
    SubscriberUnknown,
    /// The session is not known, or has ended.
    SessionUnknown,
}

/// The answer for one leg.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegAnswer {
    /// The leg.
    pub leg: u32,
    /// The grant; `Ok(None)` if none was wanted.
    pub grant: Result<Option<Grant>, LegRefusal>,
    /// Whether the request came before: this is what was answered then.
    pub is_repeated: bool,
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
    /// Whether there is no money for more.
    pub is_final: bool,
}

/// Why nothing is granted for a leg.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LegRefusal {
    /// There is no money.
    #[error("there is no money for the service")]
    NoMoney,
    /// The account is not in use.
    #[error("the account is not in use")]
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
}

/// The largest grant. The rest of a note's number is for its validity.
pub const GRANT_MAX: u64 = (1 << VALIDITY_SHIFT) - 1;

const VALIDITY_SHIFT: u32 = 40;

/// The longest validity of a grant, in seconds: half a year.
pub(crate) const VALIDITY_MAX: u32 = (1 << (u64::BITS - VALIDITY_SHIFT)) - 1;

/// The bits of a note's mark: whether there is a grant, whether it is final, and its unit.
const GRANTED: u8 = 1;
const FINAL: u8 = 2;
const UNIT_SHIFT: u8 = 2;
const UNIT_MASK: u8 = 3 << UNIT_SHIFT;
/// That there is no money for more.
const NO_MONEY: u8 = 16;

const UNITS: [Unit; 3] = [Unit::Seconds, Unit::Octets, Unit::Events];

/// Returns the note from which a grant, or that there is no money for one, can be answered again.
pub(crate) fn note(grant: Option<Grant>, is_out_of_money: bool) -> Note {
    let Some(Grant { quantity, unit, validity_seconds, is_final }) = grant else {
        return Note { number: 0, mark: if is_out_of_money { NO_MONEY } else { 0 } };
    };
    assert!(quantity <= GRANT_MAX && validity_seconds <= VALIDITY_MAX, "a grant fits in its note");
    let place = UNITS.iter().position(|known| *known == unit).expect("all units are there");
    let last = if is_final { FINAL } else { 0 };
    let number = u64::from(validity_seconds) << VALIDITY_SHIFT | quantity;
    Note { number, mark: GRANTED | last | (place as u8) << UNIT_SHIFT }
}

/// Returns the answer of a receipt.
pub(crate) fn answered(receipt: &Receipt) -> Result<Option<Grant>, LegRefusal> {
    let Note { number, mark } = receipt.note;
    match receipt.refusal {
        Some(Refusal::AccountBarred) => return Err(LegRefusal::Barred),
        Some(Refusal::KeyReused) => return Err(LegRefusal::NumberReused),
        Some(Refusal::SessionUnknown) => return Err(LegRefusal::SessionUnknown),
        Some(Refusal::AmountInvalid | Refusal::BalanceTooLarge) => {
            return Err(LegRefusal::AmountTooLarge);
        }
        Some(_) => return Err(LegRefusal::NoMoney),
        None if mark & NO_MONEY != 0 => return Err(LegRefusal::NoMoney),
        None if mark & GRANTED == 0 => return Ok(None),
        None => {}
    }
    let unit = UNITS[usize::from((mark & UNIT_MASK) >> UNIT_SHIFT) % UNITS.len()];
    let (quantity, validity_seconds) = (number & GRANT_MAX, (number >> VALIDITY_SHIFT) as u32);
    Ok(Some(Grant { quantity, unit, validity_seconds, is_final: mark & FINAL != 0 }))
}
