//! The operations of the API: method, path and request of each.

use std::sync::Arc;

use operate::deliveries::{DiscardDeliveries, ListDeliveries, ListGathering, RetryDeliveries};
use utoipa_axum::router::OpenApiRouter;

use super::operation::{get, post};
use crate::served::Served;

pub(super) fn routes() -> OpenApiRouter<Arc<Served>> {
    [
        get::<ListDeliveries>("/api/deliveries"),
        get::<ListGathering>("/api/deliveries/gathering"),
        post::<RetryDeliveries>("/api/deliveries/retry"),
        post::<DiscardDeliveries>("/api/deliveries/discard"),
    ]
    .into_iter()
    .fold(OpenApiRouter::new(), OpenApiRouter::merge)
}
