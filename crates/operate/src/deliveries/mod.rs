//! Deliveries of files to receivers: listed, retried and discarded.

mod discard;
mod gathering;
mod list;
mod retry;

pub use discard::{DiscardDeliveries, DiscardError, DiscardedDeliveries};
pub use gathering::{Gathering, ListGathering};
pub use list::{Deliveries, ListDeliveries};
pub use retry::{RetriedDeliveries, RetryDeliveries, RetryError};

use serde::Deserialize;
use utoipa::ToSchema;

use crate::refusals;

/// The deliveries that a request changes, of those that were given up.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ChosenDeliveries {
    /// Only deliveries with these numbers. Deliveries that were not given up are left out.
    #[serde(default)]
    pub ids: Vec<i64>,
    /// Only deliveries to this receiver.
    pub post_processing_system: Option<String>,
    /// `true` for all deliveries that were given up, if neither `ids` nor `post_processing_system` is given.
    #[serde(default)]
    pub all: bool,
}

refusals! {
    /// Why a choice of deliveries is refused.
    pub enum ChoiceError {
        /// Nothing is chosen, or all and some.
        Nothing => Wrong "deliveries-not-chosen"
            "say which deliveries are meant: their numbers, their receiver, or all",
    }
}

impl ChosenDeliveries {
    fn given_up(&self) -> Result<distribution::ChosenDeliveries<'_>, ChoiceError> {
        let ChosenDeliveries { ids, post_processing_system, all } = self;
        let system = post_processing_system.as_deref();
        let are_some = system.is_some() || !ids.is_empty();
        match are_some != *all {
            true => Ok(distribution::ChosenDeliveries { system, ids }),
            false => Err(ChoiceError::Nothing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deliveries_are_chosen_by_what_they_are_or_all_and_not_both() {
        let chosen = |ids: &[i64], system: Option<&str>, all| {
            let post_processing_system = system.map(str::to_owned);
            ChosenDeliveries { ids: ids.to_vec(), post_processing_system, all }.given_up().is_ok()
        };
        assert!(chosen(&[1], None, false) && chosen(&[], Some("billing"), false));
        assert!(chosen(&[1], Some("billing"), false) && chosen(&[], None, true));
        assert!(!chosen(&[], None, false) && !chosen(&[1], None, true));
    }
}
