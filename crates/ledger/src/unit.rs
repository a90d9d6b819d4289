//! Units, currencies, amounts and time.

/// What an amount counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Billionths of the major unit of the account's currency.
    Money,
    /// Octets of a volume.
    Octets,
    /// Seconds of a duration.
    Seconds,
    /// Events, such as messages.
    Events,
}

impl Unit {
    /// All units.
    pub const ALL: [Unit; 4] = [Unit::Money, Unit::Octets, Unit::Seconds, Unit::Events];
}

/// A currency, by its number of ISO 4217: 978 is EUR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Currency(pub u16);

/// Milliseconds since 1970-01-01 UTC.
pub type Millis = i64;

/// The maximum amount of an operation: a billion of the major unit of a currency.
pub const AMOUNT_MAX: i64 = 1_000_000_000_000_000_000;

/// The maximum amount of a bucket, and the maximum that it is overdrawn by. With an operation more, it does not overflow.
pub(crate) const BALANCE_MAX: i64 = 4 * AMOUNT_MAX;

const _: () = assert!(BALANCE_MAX.checked_add(2 * AMOUNT_MAX).is_some());

/// Returns whether an amount can be moved.
pub(crate) fn is_amount(amount: i64) -> bool {
    (1..=AMOUNT_MAX).contains(&amount)
}
