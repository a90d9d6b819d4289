//! Lists deliveries.

use distribution::{Delivery, DeliveryState, ListedDeliveries};
use flow::names;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::page::PageQuery;
use crate::period::{NamedPeriodReadError, Period};

/// Lists deliveries, the newest first.
///
/// Without `state` and `all`, the list omits delivered and discarded files. The period chooses
/// deliveries by `since`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ListDeliveries {
    /// Only deliveries to this receiver.
    pub post_processing_system: Option<String>,
    /// Only deliveries in this state.
    pub state: Option<DeliveryState>,
    /// Only deliveries whose last failure has this code.
    pub code: Option<String>,
    /// Whether to include delivered and discarded files, if no `state` is given.
    #[serde(default)]
    pub all: bool,
    /// Only deliveries that came to their state in this period.
    #[serde(flatten)]
    pub period: Period,
    /// The page.
    #[serde(flatten)]
    pub page: PageQuery,
}

/// A page of deliveries.
#[derive(Debug, Serialize, ToSchema)]
pub struct Deliveries {
    /// The deliveries, the newest first.
    pub deliveries: Vec<Delivery>,
    /// Whether there are more deliveries.
    pub more: bool,
}

impl ListDeliveries {
    fn states(&self) -> Vec<DeliveryState> {
        let is_chosen = |of: &DeliveryState| match self.state {
            Some(state) => *of == state,
            None => self.all || !matches!(of, DeliveryState::Delivered | DeliveryState::Discarded),
        };
        DeliveryState::ALL.into_iter().filter(is_chosen).collect()
    }
}

impl Operation for ListDeliveries {
    type Response = Deliveries;
    type Error = NamedPeriodReadError;

    const NAME: &'static str = "deliveries list";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<Deliveries, NamedPeriodReadError> {
        let (states, page) = (self.states(), self.page.rows());
        let since = self.period.range()?;
        let system = self.post_processing_system.as_deref();
        names::known_system(context.flow, system)?;
        let code = self.code.as_deref().filter(|code| !code.is_empty());
        let listed = ListedDeliveries { system, code, states: &states, since: &since };
        let (deliveries, more) = context.read(|db| distribution::deliveries(db, listed, page))?;
        Ok(Deliveries { deliveries, more })
    }
}
