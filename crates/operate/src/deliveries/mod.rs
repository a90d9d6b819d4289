//! Deliveries of files to receivers: listed, retried and discarded.

mod discard;
mod gathering;
mod list;
mod retry;

pub use discard::{DiscardDeliveries, DiscardError, DiscardedDeliveries};
pub use gathering::{Gathering, ListGathering};
pub use list::{Deliveries, DeliveriesError, ListDeliveries};
pub use retry::{RetriedDeliveries, RetryDeliveries, RetryError};

use distribution::ChosenDeliveries;

/// The deliveries that a request chooses.
struct Choice<'a> {
    system: Option<&'a str>,
    ids: &'a [i64],
    all: bool,
}

impl<'a> Choice<'a> {
    /// Returns the chosen deliveries. Returns `None` if nothing is chosen, or all and some.
    fn of_some(self) -> Option<ChosenDeliveries<'a>> {
        let Choice { system, ids, all } = self;
        let are_some = system.is_some() || !ids.is_empty();
        (are_some != all).then_some(ChosenDeliveries { system, ids })
    }
}
