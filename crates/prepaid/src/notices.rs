//! Notices are sent to another program, such as one that writes text messages to subscribers: each is a POST of a JSON object,
//! one after another, in the order in which they were made.
//!
//! The notice is stored with its reason, and how far they are sent is stored after each: so each is sent once. Only if the
//! process ends, or the answer is lost, after the other program got one, that one comes again, with the same `Idempotency-Key`.

use std::time::Duration;

use accounts::{AccountNotice, AccountsError};
use diagnostics::with_causes;
use ledger::Millis;
use runtime::backoff::Backoff;
use runtime::shutdown::Shutdown;
use serde::Serialize;
use webhook::{PostError, Webhook};

use crate::LOG;
use crate::calls::SubscriberNotice;
use crate::definition::NoticeSettings;
use crate::system::System;

/// The time between two looks for new notices.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// How long to wait before a notice is sent again.
const RETRY: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(60));

/// The notices that are read at once.
const READ_AT_ONCE: usize = 100;

/// What is sent.
#[derive(Debug, Serialize)]
struct Message<'m> {
    /// The same each time that the notice is sent.
    id: &'m str,
    account: u64,
    /// The numbers of the subscribers.
    numbers: Vec<String>,
    #[serde(flatten)]
    notice: SubscriberNotice,
}

/// Why notices are not sent at the moment.
#[derive(Debug, thiserror::Error)]
enum SendError {
    #[error("notices cannot be sent")]
    Post(#[from] PostError),
    #[error("notices, or how far they are sent, cannot be read or stored")]
    Accounts(#[from] AccountsError),
}

/// Sends the notices of a system until the stop.
pub fn send_notices(system: &System, stop: &Shutdown) {
    let mut failures = 0;
    let mut pause = LOOK_EVERY;
    while !stop.wait(pause) {
        let error = match send_new(system, stop) {
            Ok(()) => None,
            Err(error) => Some(with_causes(&error)),
        };
        if let Some(why) = error.as_ref().filter(|_| failures == 0) {
            tracing::error!(target: LOG, "{why}; it is tried again");
        }
        failures = if error.is_some() { failures + 1 } else { 0 };
        pause = if failures > 0 { RETRY.after(failures) } else { LOOK_EVERY };
        system.note_notices_failing(error);
    }
    if let Err(why) = system.back.end_notices() {
        tracing::warn!(target: LOG, "another process sends notices only after a while: {why}");
    }
}

/// Sends the notices that are new.
fn send_new(system: &System, stop: &Shutdown) -> Result<(), SendError> {
    let rules = system.rules();
    let NoticeSettings { webhook: Some(webhook), within, .. } = &rules.notices else {
        return Ok(system.back.end_notices()?);
    };
    while !stop.is_set() && system.back.sends_notices(webhook.timeout())? {
        let sent = system.back.sent_notices()?;
        let notices = system.back.notices(sent, READ_AT_ONCE)?;
        if notices.is_empty() {
            return Ok(());
        }
        for notice in notices {
            let number = notice.number;
            // Each may take long.
            if stop.is_set() || !system.back.sends_notices(webhook.timeout())? {
                return Ok(());
            }
            send(system, (webhook, *within), notice)?;
            system.back.note_sent(number)?;
        }
    }
    Ok(())
}

/// Sends a notice, unless it is too old, or about what the definition no longer has.
fn send(
    system: &System,
    (webhook, within): (&Webhook, Millis),
    notice: AccountNotice,
) -> Result<(), SendError> {
    let AccountNotice { number, account, at, .. } = notice;
    if system.now_ms().saturating_sub(at) > within {
        tracing::warn!(target: LOG, "notice {number} of account {} is too old to be sent", account.0);
        return Ok(());
    }
    let Some(notice) = SubscriberNotice::of(&notice, &system.rules()) else { return Ok(()) };
    // If the accounts were made anew, the numbers begin again.
    let id = format!("{number}-{at}");
    let numbers = system.back.numbers_of(account)?;
    let message = Message { id: &id, account: account.0, numbers, notice };
    let message = serde_json::to_string(&message).expect("texts and numbers");
    match webhook.post(&id, message) {
        Err(why @ PostError::OfTheMessage { .. }) => {
            tracing::error!(target: LOG, "notice {number} of account {} is left out: {why}", account.0);
            Ok(())
        }
        posted => Ok(posted?),
    }
}
