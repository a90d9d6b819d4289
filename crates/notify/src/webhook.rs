//! A webhook: each event is a POST of a JSON object.

use alarm::notification::{Channel, ChannelKind, Event, SendError};
use diagnostics::Diagnostic;
use settings::Settings;
use webhook::{ADDRESS, KEYS, PostError};

/// `url = "https://…"`.
pub(crate) struct Webhook;

impl ChannelKind for Webhook {
    fn key(&self) -> &'static str {
        ADDRESS
    }

    fn keys(&self) -> &'static [&'static str] {
        KEYS
    }

    fn channel(&self, settings: &Settings) -> Result<Box<dyn Channel>, Vec<Diagnostic>> {
        Ok(Box::new(Receiver(webhook::Webhook::read(settings)?)))
    }
}

struct Receiver(webhook::Webhook);

impl Channel for Receiver {
    fn events_max(&self) -> usize {
        1
    }

    fn send(&self, events: &[Event]) -> Result<Vec<String>, SendError> {
        for event in events {
            let body = serde_json::to_string(event).expect("text and numbers");
            self.0.post(&event.id, body).map_err(|error| match error {
                PostError::OfTheMessage { host } => {
                    let left = vec![format!("\"{host}\" with the event {}", event.id)];
                    SendError::Partly {
                        problem: PostError::OfTheMessage { host }.to_string(),
                        left,
                    }
                }
                error => SendError::Unreachable(error.to_string()),
            })?;
        }
        Ok(Vec::new())
    }
}
