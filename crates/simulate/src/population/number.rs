//! Numbers of subscribers, of SIM cards and devices, and those that are called.

use crate::random::Random;

/// Countries that people call.
const ORDINARY: [&str; 6] = ["47", "45", "358", "49", "44", "1202"];

/// Ranges of numbers abroad whose owners share what a call costs: frauds call them, and few others.
/// `examples/fraud-population/tables/risk.csv` has them, too: change both together. // ORDER RISK
pub(super) const RISK: [&str; 6] = ["535", "25263", "37190", "6744", "6857", "88213"];

/// How numbers begin that cost more, and of which the owner gets a part.
pub(super) const PREMIUM: &str = "46900";

/// The number of a show for which people vote: short calls by many.
pub(super) const VOTES: &str = "469001000";

/// How the numbers of home begin.
const HOME: &str = "46";

/// Returns the number of a subscriber: numbers are spread, since a block of numbers that are side by side tells pumped messages.
pub(super) fn subscriber(place: u64) -> String {
    // A multiplier without the factors of the modulus gives each place a number of its own.
    format!("4670{:07}", (place * 4_826_809 + 1_234_567) % 10_000_000)
}

/// Returns the identity of a SIM card.
pub(super) fn imsi(serial: u64) -> String {
    format!("24099{serial:010}")
}

/// Returns the identity of a device.
pub(super) fn imei(serial: u64) -> String {
    format!("350000{serial:09}")
}

/// Returns a fixed number at home.
pub(super) fn fixed(random: &mut Random) -> String {
    format!("468{:07}", random.below(10_000_000))
}

/// Returns a number in a country that people call.
pub(super) fn abroad(random: &mut Random) -> String {
    let country = ORDINARY[random.below(ORDINARY.len() as u32) as usize];
    format!("{country}{:08}", random.below(100_000_000))
}

/// Returns the beginning of a hundred thousand numbers of a range of [`RISK`].
pub(super) fn risk_range(random: &mut Random) -> String {
    let range = RISK[random.below(RISK.len() as u32) as usize];
    format!("{range}{:03}", random.below(1_000))
}

/// Returns the number at a place of a range.
pub(super) fn in_range(range: &str, place: u32) -> String {
    format!("{range}{place:05}")
}

/// Returns the part of a number that rules know as its destination.
pub(super) fn destination(number: &str) -> String {
    number.chars().take(6).collect()
}

/// Returns what a call costs in thousandths of the currency.
pub(super) fn cost(called: &str, seconds: u32, is_roaming: bool) -> u64 {
    let a_minute = match () {
        () if called.starts_with(PREMIUM) => 20_000,
        () if RISK.iter().any(|range| called.starts_with(range)) => 15_000,
        () if !called.starts_with(HOME) => 5_000,
        () if is_roaming => 4_000,
        () => 500,
    };
    a_minute * u64::from(seconds) / 60
}
