//! What the rules of fraud nodes have found.

mod list;

pub use list::{FraudAlerts, ListFraudAlerts};
