//! Requests of networks and their answers, in the words of JSON.

use std::fmt;

use charging::{
    EventKind, Grant, LegAnswer, LegRefusal, LegRequest, Phase, Price, Quantity, Service,
};
use ledger::SessionKey;
use rating::{Currency, Moment, Money, Unit};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use crate::numbers::NotANumber;
use crate::queued_request::RequestAnswer;

/// The maximum legs of a request.
const LEGS_MAX: usize = 16;

/// The maximum octets of a session's identifier.
const SESSION_OCTETS_MAX: usize = 512;

/// A request of a network: may a call go on, and what was used?
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interrogation {
    /// The session, unique for the client.
    pub session: String,
    /// The number of the request within the session. A request that comes again has the same one, and gets the same answer.
    #[serde(default)]
    pub number: u32,
    /// The phase.
    pub phase: PhaseName,
    /// What is done for an event; `debit` by default.
    #[serde(default, skip_serializing_if = "EventName::is_debit")]
    pub event: EventName,
    /// The number that pays.
    pub subscriber: String,
    /// What the client uses or wants, at least one leg.
    pub legs: Vec<LegInterrogation>,
}

/// The phase of a session (paper V: first, intermediate and final interrogation; RFC 8506: initial, update, terminate).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseName {
    /// It begins.
    First,
    /// It goes on.
    Next,
    /// It ends.
    Final,
    /// All of it at once, such as a message.
    Event,
}

/// What is done for an event (RFC 8506 section 8.41).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventName {
    /// What is used is debited, if there is enough for all of it.
    #[default]
    Debit,
    /// The price of what is used goes back to the account.
    Refund,
    /// Whether there is enough for what is used. Nothing is taken.
    BalanceCheck,
    /// The price of what is used. The balance does not matter.
    PriceEnquiry,
    /// The subscriber agrees to spend more than the limits of the service, until the month ends.
    SpendConsent,
}

impl From<EventKind> for EventName {
    fn from(kind: EventKind) -> Self {
        match kind {
            EventKind::Debit => EventName::Debit,
            EventKind::Refund => EventName::Refund,
            EventKind::BalanceCheck => EventName::BalanceCheck,
            EventKind::PriceEnquiry => EventName::PriceEnquiry,
            EventKind::SpendConsent => EventName::SpendConsent,
        }
    }
}

impl EventName {
    fn is_debit(&self) -> bool {
        *self == EventName::Debit
    }
}

/// A part of a request, for one service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LegInterrogation {
    /// The leg, such as a rating group.
    #[serde(default)]
    pub leg: u32,
    /// The service, as the plan names it. Later requests of the session may leave it out, with all that describes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The number that is called.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub other: String,
    /// The type of subscriber, as the plan names it; that of the number by default.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subscriber_type: String,
    /// The network that the subscriber roams in.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub partner: String,
    /// What was used since the last request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<QuantityText>,
    /// What is wanted; `{}` for as much as is usual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<QuantityText>,
}

/// A quantity in the units that the client counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuantityText {
    /// Seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Octets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub octets: Option<u64>,
    /// Events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// Money, in billionths of the currency's major unit: the client has priced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub money: Option<u64>,
}

/// The answer to an interrogation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "result")]
pub enum Answered {
    /// Each leg has an answer.
    Legs {
        /// The answers, in the order of the request.
        legs: Vec<LegAnswered>,
    },
    /// No account has the number.
    SubscriberUnknown,
    /// The session is not known, or has ended.
    SessionUnknown,
    /// The request has a mistake.
    Invalid {
        /// Which one.
        text: String,
    },
    /// The request waited too long to be of use. Nothing was done.
    TooBusy,
    /// The accounts cannot be used now. It is not known whether the request was charged: it may be sent again.
    Unavailable,
}

/// The answer for a leg: what is granted, or why nothing is. Neither if nothing was wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LegAnswered {
    /// The leg.
    pub leg: u32,
    /// What is granted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted: Option<Granted>,
    /// Why nothing is granted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<RefusedLeg>,
    /// What an event costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<PriceText>,
    /// Whether more was reported than can have been used. The rest is not charged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub capped: bool,
    /// Whether 80 % of a spending limit is spent with this: the subscriber should know.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub limit_near: bool,
    /// Whether all of a spending limit is spent with this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub limit_reached: bool,
    /// Whether the request came before: this is what was answered then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
}

/// An amount of money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceText {
    /// The amount: `1.50`.
    pub amount: String,
    /// The currency: `SEK`.
    pub currency: String,
}

/// What a client may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Granted {
    /// How much.
    #[serde(flatten)]
    pub quantity: QuantityText,
    /// For how long, in seconds. The client then requests again.
    pub valid_seconds: u32,
    /// Whether the account pays for no more.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// Whether it is final because of a limit of spending.
    #[serde(rename = "limited", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_limited: bool,
}

/// Why nothing is granted for a leg.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefusedLeg {
    /// The code: `no-money`, `barred`.
    pub code: String,
    /// The reason.
    pub text: String,
}

/// A mistake that makes a request useless.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Useless {
    /// The name of the session is empty or too long.
    #[error("\"session\" has 1 to {SESSION_OCTETS_MAX} octets")]
    Session,
    /// There are no legs, or too many.
    #[error("\"legs\" has 1 to {LEGS_MAX} legs")]
    Legs,
    /// Two legs are the same.
    #[error("two legs have the same \"leg\"")]
    LegTwice,
    /// An event is about nothing.
    #[error("an event says with \"used\" what it is about, such as {{\"events\": 1}}")]
    NoQuantity,
    /// The number that pays is none.
    #[error(transparent)]
    Subscriber(#[from] NotANumber),
    /// The number that pays is missing, and no session names it.
    #[error("the number that pays is missing, and there is no session that has it")]
    NoSubscriber,
    /// The names of the subscriber belong to two accounts: it is not known which one pays.
    #[error("the names of the subscriber belong to two accounts")]
    TwoAccounts,
    /// The number that pays is that of the session, which is looked for. The request may be sent again.
    #[error("the number that pays is looked for; send the request again")]
    SubscriberLookedFor,
}

impl Interrogation {
    /// Returns whether the request ends a session, or has usage of one that goes on. It is charged however late it comes.
    pub(crate) fn is_report(&self) -> bool {
        match self.phase {
            PhaseName::Final => true,
            PhaseName::Next => self.legs.iter().any(|leg| leg.used.is_some()),
            PhaseName::First | PhaseName::Event => false,
        }
    }

    /// Finds mistakes that make it useless.
    pub(crate) fn check(&self) -> Result<(), Useless> {
        if self.session.is_empty() || self.session.len() > SESSION_OCTETS_MAX {
            return Err(Useless::Session);
        }
        let is_end = self.phase == PhaseName::Final;
        if self.legs.is_empty() && !is_end || self.legs.len() > LEGS_MAX {
            return Err(Useless::Legs);
        }
        let is_twice = |(place, leg): (usize, &LegInterrogation)| {
            self.legs[..place].iter().any(|other| other.leg == leg.leg)
        };
        if self.legs.iter().enumerate().any(is_twice) {
            return Err(Useless::LegTwice);
        }
        let needs_quantity =
            self.phase == PhaseName::Event && self.event != EventName::SpendConsent;
        let is_empty =
            |leg: &LegInterrogation| leg.quantity(self.phase).is_none_or(|of| of.is_empty());
        match needs_quantity && self.legs.iter().any(is_empty) {
            true => Err(Useless::NoQuantity),
            false => Ok(()),
        }
    }

    /// Returns the key of the session of a client.
    pub(crate) fn session_key(&self, client: &str) -> SessionKey {
        let mut hash = Sha256::new();
        hash.update(client);
        hash.update([0]);
        hash.update(&self.session);
        let (key, _) = halves(&hash.finalize().into());
        SessionKey(key)
    }

    /// Returns a digest of all that the request says.
    pub(crate) fn digest(&self) -> u64 {
        let mut hash = Sha256::new();
        serde_json::to_writer(HashWriter(&mut hash), self).expect("a hash takes all octets");
        halves(&hash.finalize().into()).0 as u64
    }

    pub(crate) fn legs<'i>(
        &'i self,
        served: &'i str,
        start: Moment,
    ) -> impl Iterator<Item = LegRequest<'i>> {
        let leg = move |of: &'i LegInterrogation| LegRequest {
            leg: of.leg,
            service: of.service.as_deref().map(|name| Service {
                name,
                served: served.as_bytes(),
                other: of.other.as_bytes(),
                subscriber: &of.subscriber_type,
                partner: &of.partner,
                start,
            }),
            used: of.quantity(self.phase).map(Quantity::from),
            wanted: of.wanted.map(Quantity::from),
        };
        self.legs.iter().map(leg)
    }

    pub(crate) fn phase(&self) -> Phase {
        match (self.phase, self.event) {
            (PhaseName::First, _) => Phase::First,
            (PhaseName::Next, _) => Phase::Next,
            (PhaseName::Final, _) => Phase::Final,
            (PhaseName::Event, EventName::Debit) => Phase::Event(EventKind::Debit),
            (PhaseName::Event, EventName::Refund) => Phase::Event(EventKind::Refund),
            (PhaseName::Event, EventName::BalanceCheck) => Phase::Event(EventKind::BalanceCheck),
            (PhaseName::Event, EventName::PriceEnquiry) => Phase::Event(EventKind::PriceEnquiry),
            (PhaseName::Event, EventName::SpendConsent) => Phase::Event(EventKind::SpendConsent),
        }
    }
}

impl LegInterrogation {
    /// Returns what was used. For an event, clients also say it as what they want (RFC 8506 section 6.3).
    fn quantity(&self, phase: PhaseName) -> Option<QuantityText> {
        match phase {
            PhaseName::Event => self.used.or(self.wanted),
            _ => self.used,
        }
    }
}

impl QuantityText {
    fn is_empty(self) -> bool {
        self == QuantityText::default()
    }
}

struct HashWriter<'h>(&'h mut Sha256);

impl std::io::Write for HashWriter<'_> {
    fn write(&mut self, octets: &[u8]) -> std::io::Result<usize> {
        self.0.update(octets);
        Ok(octets.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn halves(hash: &[u8; 32]) -> (u128, u128) {
    let half = |at: usize| u128::from_le_bytes(std::array::from_fn(|place| hash[at + place]));
    (half(0), half(16))
}

/// Returns a key of 128 bits for parts of a text.
pub(crate) fn key_of(parts: &[&str]) -> u128 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    halves(&hash.finalize().into()).0
}

impl From<Quantity> for QuantityText {
    fn from(Quantity { seconds, octets, events, money }: Quantity) -> Self {
        QuantityText { seconds, octets, events, money }
    }
}

impl From<QuantityText> for Quantity {
    fn from(QuantityText { seconds, octets, events, money }: QuantityText) -> Self {
        Quantity { seconds, octets, events, money }
    }
}

impl Answered {
    pub(crate) fn of(answer: RequestAnswer<'_>) -> Self {
        match answer {
            RequestAnswer::Legs(legs) => {
                Answered::Legs { legs: legs.iter().map(LegAnswered::of).collect() }
            }
            RequestAnswer::SubscriberUnknown => Answered::SubscriberUnknown,
            RequestAnswer::SessionUnknown => Answered::SessionUnknown,
            RequestAnswer::Invalid(mistake) => Answered::Invalid { text: mistake.to_string() },
            RequestAnswer::TooBusy => Answered::TooBusy,
            RequestAnswer::Unavailable => Answered::Unavailable,
        }
    }
}

impl LegAnswered {
    pub(crate) fn of(
        LegAnswer { leg, grant, price, notices, is_repeated, .. }: &LegAnswer,
    ) -> Self {
        let (granted, refused) = match grant {
            Ok(grant) => (grant.map(Granted::from), None),
            Err(refusal) => (None, Some(RefusedLeg::of(refusal))),
        };
        LegAnswered {
            leg: *leg,
            granted,
            refused,
            price: price.as_ref().and_then(PriceText::of),
            capped: notices.is_capped,
            limit_near: notices.is_spend_near,
            limit_reached: notices.is_spend_reached,
            repeated: *is_repeated,
        }
    }
}

impl PriceText {
    pub(crate) fn of(price: &Price) -> Option<Self> {
        let currency = Currency::of_number(price.currency.0)?;
        let amount = Money { nanos: price.amount.into(), currency }.amount().to_string();
        Some(PriceText { amount, currency: currency.code().to_owned() })
    }

    /// Returns what an event costs, or what was used in a session that is not known.
    pub(crate) fn of_usage(leg: &LegAnswer) -> Option<Self> {
        PriceText::of(leg.price.as_ref()?)
    }
}

impl fmt::Display for PriceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.amount, self.currency)
    }
}

impl Granted {
    /// Returns how much is granted, and its unit.
    pub(crate) fn amount(&self) -> (u64, Unit) {
        match self.quantity {
            QuantityText { octets: Some(octets), .. } => (octets, Unit::Octets),
            QuantityText { events: Some(events), .. } => (events, Unit::Events),
            QuantityText { seconds, .. } => (seconds.unwrap_or_default(), Unit::Seconds),
        }
    }
}

impl From<Grant> for Granted {
    fn from(Grant { quantity, unit, validity_seconds, is_final, is_limited }: Grant) -> Self {
        let mut of = QuantityText::default();
        match unit {
            Unit::Seconds => of.seconds = Some(quantity),
            Unit::Octets => of.octets = Some(quantity),
            Unit::Events => of.events = Some(quantity),
        }
        Granted { quantity: of, valid_seconds: validity_seconds, is_final, is_limited }
    }
}

impl RefusedLeg {
    /// Returns why nothing will be granted after the last grant.
    pub(crate) fn after_last(granted: &Grant) -> Self {
        let amount = granted.quantity;
        let unit = match granted.unit {
            Unit::Seconds => "seconds",
            Unit::Octets => "octets",
            Unit::Events => "events",
        };
        let why = match granted.is_limited {
            true => "the limit of what is spent on the service in a month is reached then",
            false => "the account pays for no more",
        };
        let text = format!("{amount} {unit} were granted, and {why}");
        RefusedLeg { code: "last-grant".to_owned(), text }
    }

    pub(crate) fn of(refusal: &LegRefusal) -> Self {
        let code = refusal_code(refusal);
        let text = match refusal {
            LegRefusal::NoPrice(cause) => format!("{refusal}: {cause}"),
            refusal => refusal.to_string(),
        };
        RefusedLeg { code: code.to_owned(), text }
    }
}

/// Returns the code of a refusal.
pub(crate) fn refusal_code(refusal: &LegRefusal) -> &'static str {
    match refusal {
        LegRefusal::NoMoney => "no-money",
        LegRefusal::SpendLimit => "spend-limit",
        LegRefusal::Barred => "barred",
        LegRefusal::NoService => "no-service",
        LegRefusal::ServiceTooLong => "service-too-long",
        LegRefusal::Damaged => "damaged",
        LegRefusal::NoPrice(_) => "no-price",
        LegRefusal::AmountTooLarge => "amount-too-large",
        LegRefusal::NumberReused => "number-reused",
        LegRefusal::SessionUnknown => "session-unknown",
        LegRefusal::TooMany => "too-many",
    }
}
