//! A webhook: the action is posted as JSON.

use std::sync::Arc;
use std::time::Duration;

use runtime::shutdown::Shutdown;
use settings::Settings;

use super::{Carrier, CarryError, Kind, Made};
use crate::message::Message;
use crate::settings::Approval;

/// `url = "https://…"`. Its `timeout` is that of all webhooks.
pub(super) const KIND: Kind = Kind {
    key: webhook::ADDRESS,
    keys: webhook::KEYS,
    approval: Approval::OnePerson,
    again: None,
    max_age: Some(super::MAX_AGE),
    carrier: read,
};

struct Receiver(webhook::Webhook);

fn read(settings: &Settings, _: Duration) -> Made {
    Ok(Arc::new(Receiver(webhook::Webhook::read(settings)?)))
}

impl Carrier for Receiver {
    fn carry_out(&self, message: &Message, _: &Shutdown) -> Result<(), CarryError> {
        let body = serde_json::to_string(message).expect("text and numbers");
        let id = if message.undo { format!("{}-undo", message.id) } else { message.id.clone() };
        self.0.post(&id, body).map_err(|error| CarryError(error.to_string()))
    }
}
