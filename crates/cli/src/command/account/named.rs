//! An account that a command names, and what else commands on accounts share.

use std::time::SystemTime;

use operate::prepaid::calls::AmountUnit;

use crate::charging_file::ChargingFile;

/// An account.
#[derive(Debug, clap::Args)]
pub(crate) struct Named {
    /// A number of the subscriber, or "#" and the number of the account
    #[arg(value_name = "NUMBER")]
    pub(super) account: String,
    #[command(flatten)]
    pub(super) charging: ChargingFile,
    /// One JSON object with the result
    #[arg(long)]
    pub(super) json: bool,
}

/// An account, and why it is changed.
#[derive(Debug, clap::Args)]
pub(crate) struct Because {
    #[command(flatten)]
    pub(super) of: Named,
    /// Why, for the trail
    #[arg(long, value_name = "TEXT")]
    pub(super) because: String,
}

/// A text is no unit.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("\"money\", \"octets\", \"seconds\" or \"events\" is expected")]
pub(super) struct NoUnit;

/// Reads the word for a unit.
pub(super) fn unit(text: &str) -> Result<AmountUnit, NoUnit> {
    let units = [AmountUnit::Money, AmountUnit::Octets, AmountUnit::Seconds, AmountUnit::Events];
    units.into_iter().find(|unit| unit.word() == text).ok_or(NoUnit)
}

/// Returns the word for a unit; for money, its currency.
pub(super) fn unit_word(unit: AmountUnit, currency: &str) -> &str {
    match unit {
        AmountUnit::Money => currency,
        unit => unit.word(),
    }
}

/// Returns a reference of its own for an operation without one.
pub(super) fn own_reference() -> String {
    format!("by hand {}", runtime::time::since_epoch_ns(SystemTime::now()))
}
