//! Requests of networks.

use ledger::{AccountId, Millis, SessionKey};
use rating::{Moment, Number, Unit, Usage};

/// The most sessions of an account, those that have ended and are remembered included. Each request writes its account whole,
/// so more would make it slow.
pub const SESSIONS_MAX: usize = 10_000;

/// The most legs of a session, for the same reason.
pub const LEGS_MAX: usize = 100;

/// A request of a session.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// The account that pays.
    pub account: AccountId,
    /// The session: a digest of all that identifies it, such as the client and its session identifier.
    pub session: SessionKey,
    /// The number of the request within the session.
    pub number: u32,
    /// A digest of the request.
    pub digest: u64,
    /// The name of the client, which is stored with the session and its entries.
    pub client: &'r str,
    /// When it came.
    pub at: Millis,
    /// The phase of the session.
    pub phase: Phase,
    /// What its client makes of refusals.
    pub dialogue: Dialogue,
    /// Whether it says nothing of other parties and networks, since its client says it once: a leg that begins in the middle of the
    /// session has those of the first one.
    pub inherits: bool,
    /// The legs.
    pub legs: &'r [LegRequest<'r>],
}

/// What a client makes of refusals, which its protocol and its kind decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialogue {
    /// When the refusal of all legs is that of the whole request. A session that goes on ends then, since its client takes
    /// it for over (RFC 8506 section 7, table 6).
    pub refused_whole: RefusedWhole,
    /// Whether its client redirects or restricts after the last grant, until there is money (RFC 8506 sections 5.6.2 and 5.6.3).
    pub redirects: bool,
    /// Whether it does so in place of a refusal, too: a leg without money goes on without a grant.
    pub redirects_refused: bool,
}

/// When the refusal of all legs of a request is that of the whole request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefusedWhole {
    /// Never: each leg has an answer of its own.
    #[default]
    Never,
    /// If none of them has a price.
    WithoutPrice,
    /// Always.
    Always,
}

/// The phase of a session that a request is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It begins.
    First,
    /// It goes on.
    Next,
    /// It ends.
    Final,
    /// It is an event: nothing goes on after it.
    Event(EventKind),
}

impl Phase {
    /// Returns whether the request begins something. Others report what was used, which must be paid.
    pub fn begins(self) -> bool {
        matches!(self, Phase::First | Phase::Event(_))
    }
}

/// What is done for an event (RFC 8506 sections 6 and 8.41).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// What is used is debited, if there is enough for all of it.
    Debit,
    /// The price of what is used goes back to the account, as money. The price is that of now: that a bundle or a bucket
    /// paid then is not known. A client that knows the price says it ([`Quantity::money`]).
    Refund,
    /// Whether there is enough for what is used: nothing is reserved or taken. If not, it is refused as `NoMoney`.
    BalanceCheck,
    /// The price of what is used. The balance does not matter, nor what buckets would pay.
    PriceEnquiry,
    /// The subscriber agrees to spend more than the [limits](crate::SpendLimit) of the service, until the month ends.
    SpendConsent,
}

impl EventKind {
    /// All kinds, in the order of their numbers in what is stored.
    pub(crate) const ALL: [EventKind; 5] = [
        EventKind::Debit,
        EventKind::Refund,
        EventKind::BalanceCheck,
        EventKind::PriceEnquiry,
        EventKind::SpendConsent,
    ];

    /// Returns its place among all.
    pub(crate) fn place(self) -> u8 {
        let place = Self::ALL.iter().position(|kind| *kind == self);
        place.expect("all kinds are there") as u8
    }
}

/// A request for one leg.
#[derive(Clone, Copy, Debug)]
pub struct LegRequest<'r> {
    /// The leg, such as a rating group.
    pub leg: u32,
    /// The service. It is stored when the leg begins; later requests may leave it out.
    pub service: Option<Service<'r>>,
    /// What was used since the last request, or what an event is about. `None` for nothing.
    pub used: Option<Quantity>,
    /// How much is wanted. `None` for no grant; a quantity of zero for as much as is usual.
    pub wanted: Option<Quantity>,
}

/// A service, and all that its price depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Service<'r> {
    /// Its name in the plan.
    pub name: &'r str,
    /// The served number, in digits.
    pub served: &'r [u8],
    /// The other number, in digits. Empty without one.
    pub other: &'r [u8],
    /// The type of subscriber. Empty for that of the number.
    pub subscriber: &'r str,
    /// The network that the subscriber roams in. Empty at home.
    pub partner: &'r str,
    /// When the service began.
    pub start: Moment,
}

/// A quantity, in the units that a client counts. The plan uses one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quantity {
    /// Seconds.
    pub seconds: Option<u64>,
    /// Octets.
    pub octets: Option<u64>,
    /// Events.
    pub events: Option<u64>,
    /// What is used costs this, in billionths of the major unit of the account's currency: the client has priced it
    /// (CC-Money, RFC 8506 section 8.22). The plan prices nothing then, and no other unit counts.
    pub money: Option<u64>,
}

impl Quantity {
    /// Returns a quantity of one unit.
    pub fn only(unit: Unit, quantity: u64) -> Self {
        let none = Quantity::default();
        match unit {
            Unit::Seconds => Quantity { seconds: Some(quantity), ..none },
            Unit::Octets => Quantity { octets: Some(quantity), ..none },
            Unit::Events => Quantity { events: Some(quantity), ..none },
        }
    }

    /// Returns how much it is of a unit.
    pub(crate) fn of(&self, unit: Unit) -> Option<u64> {
        match unit {
            Unit::Seconds => self.seconds,
            Unit::Octets => self.octets,
            Unit::Events => self.events,
        }
    }
}

impl<'r> Service<'r> {
    /// Returns its texts, in the order of their stored form.
    pub(crate) fn texts(&self) -> [&'r [u8]; 5] {
        let names = [self.name, self.subscriber, self.partner].map(str::as_bytes);
        let [name, subscriber, partner] = names;
        [name, subscriber, partner, self.served, self.other]
    }

    /// Returns the service of the texts of its stored form. `None` if a name is not UTF-8.
    pub(crate) fn of_texts(
        [name, subscriber, partner, served, other]: [&'r [u8]; 5],
        start: Moment,
    ) -> Option<Self> {
        let text = |octets: &'r [u8]| std::str::from_utf8(octets).ok();
        let (name, subscriber, partner) = (text(name)?, text(subscriber)?, text(partner)?);
        Some(Service { name, served, other, subscriber, partner, start })
    }

    /// Returns a usage of the service of a quantity.
    pub(crate) fn usage(&self, quantity: Quantity) -> Usage<'r> {
        let text = |text: &'r str| Some(text).filter(|text| !text.is_empty());
        let number = |digits: &'r [u8]| match digits {
            [] => None,
            digits => Some(Number::unknown(digits)),
        };
        Usage {
            service: text(self.name),
            served: number(self.served),
            other: number(self.other),
            subscriber: text(self.subscriber),
            partner: text(self.partner),
            start: self.start,
            duration: quantity.seconds,
            octets: quantity.octets,
            events: quantity.events,
        }
    }
}

/// Returns the moment of a time.
pub(crate) fn at_moment(at: Millis) -> Moment {
    at.div_euclid(1_000)
}
