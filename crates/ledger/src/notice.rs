//! Notices: what a subscriber should hear of at once. Each is made by the operation that is its reason.

use crate::account::Standing;
use crate::threshold::Measure;
use crate::totals::SystemAccount;
use crate::unit::{Millis, Unit};
use crate::warning::Ending;

/// What has happened to an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The account has fallen below a [threshold](crate::Threshold).
    Low {
        /// The unit.
        unit: Unit,
        /// What the level is.
        measure: Measure,
        /// The level.
        level: i64,
        /// What the account has.
        amount: i64,
    },
    /// Something ends soon.
    Ends {
        /// When it ends.
        end: Millis,
        /// What ends.
        ending: Ending,
    },
    /// A stage of the account's life has ended by its date, and it is in this one now. There is none of a change that a
    /// person makes.
    Stage(Standing),
    /// There was no money for a period of a bundle or fee. There is one notice a period.
    Unpaid(SystemAccount),
    /// What was spent is near a limit of the caller, or has reached it.
    Spent {
        /// The number that the caller gave to the limit.
        limit: u16,
        /// Whether the limit is reached.
        is_reached: bool,
        /// The number that has the limit for itself, in digits; 0 if the limit is for all, or the number is not of digits.
        number: u64,
    },
}
