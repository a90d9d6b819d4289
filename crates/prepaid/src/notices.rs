//! Notices are sent to another program, such as one that writes text messages to subscribers: each is a POST of a JSON object,
//! one after another, in the order in which they were made.
//!
//! The notice is stored with its reason, and how far they are sent is stored after each: so each is sent once. Only if the
//! process ends, or the answer is lost, after the other program got one, that one comes again, with the same `Idempotency-Key`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use accounts::{AccountNotice, AccountsError};
use diagnostics::with_causes;
use runtime::backoff::Backoff;
use runtime::shutdown::Shutdown;
use serde::Serialize;
use webhook::{PostError, Webhook};

use crate::LOG;
use crate::calls::SubscriberNotice;
use crate::system::System;

/// The time between two looks for new notices.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// How long to wait before a notice is sent again.
const RETRY: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(60));

/// How often a notice is sent before the next one is tried in its place: the receiver may refuse this one alone.
const TRIES_MAX: u32 = 5;

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

/// Sends the notices of a system until the stop. A message that is on its way then may take as long as the receiver does.
pub fn send_notices(system: &System, stop: &Shutdown) {
    let mut sender = Sender { system, stop, tries: 0 };
    if catch_unwind(AssertUnwindSafe(|| sender.run())).is_err() {
        let why = "a thread has panicked: notices are sent again after a restart";
        system.note_notices_failing(Some(why.to_owned()));
    }
}

/// Sends the notices of a system.
struct Sender<'s> {
    system: &'s System,
    stop: &'s Shutdown,
    /// How often in a row sending failed.
    tries: u32,
}

impl Sender<'_> {
    fn run(&mut self) {
        let mut pause = LOOK_EVERY;
        while !self.stop.wait(pause) {
            let error = self.send_new().err().map(|error| with_causes(&error));
            pause = match &error {
                None => LOOK_EVERY,
                Some(why) => {
                    if self.tries == 0 {
                        tracing::error!(target: LOG, "{why}; it is tried again");
                    }
                    self.tries += 1;
                    RETRY.after(self.tries)
                }
            };
            self.system.note_notices_failing(error);
        }
        if let Err(why) = self.system.back.end_notices() {
            tracing::warn!(target: LOG, "another process sends notices only after a while: {why}");
        }
    }

    /// Sends the notices that are new.
    fn send_new(&mut self) -> Result<(), SendError> {
        while !self.stop.is_set() {
            let rules = self.system.rules();
            let Some(webhook) = &rules.notices.webhook else {
                return Ok(self.system.back.end_notices()?);
            };
            let Some(last) = self.system.back.sends_notices(webhook.timeout())? else {
                return Ok(());
            };
            let notices = self.system.back.notices(last, READ_AT_ONCE)?;
            let oldest = self.system.now_ms().saturating_sub(rules.notices.within);
            let old = notices.iter().take_while(|notice| notice.at < oldest).count();
            match (old.checked_sub(1), notices.is_empty()) {
                (None, true) => return Ok(()),
                (None, false) => self.send_some(webhook, &notices)?,
                (Some(last), _) => {
                    tracing::warn!(target: LOG, "{old} notices are too old to be sent");
                    self.system.back.note_sent(notices[last].number)?;
                }
            }
        }
        Ok(())
    }

    fn send_some(&mut self, webhook: &Webhook, notices: &[AccountNotice]) -> Result<(), SendError> {
        for (notice, next) in notices.iter().zip((1..).map(|next| notices.get(next))) {
            // Each may take long, and another process may have sent some meanwhile.
            let last = self.system.back.sends_notices(webhook.timeout())?;
            let Some(last) = last.filter(|_| !self.stop.is_set()) else { return Ok(()) };
            if notice.number <= last {
                continue;
            }
            if let Err(why) = self.post(webhook, notice) {
                let next = next.filter(|_| self.tries + 1 >= TRIES_MAX);
                let Some(next) = next.filter(|next| self.post(webhook, next).is_ok()) else {
                    return Err(why);
                };
                let AccountNotice { number, account, .. } = notice;
                let why = with_causes(&why);
                tracing::error!(target: LOG, "notice {number} of account {} is left out: {why}", account.0);
                self.system.back.note_sent(next.number)?;
            } else {
                self.system.back.note_sent(notice.number)?;
            }
            self.tries = 0;
        }
        Ok(())
    }

    /// Posts a notice, unless it is about what the definition no longer has.
    fn post(&self, webhook: &Webhook, of: &AccountNotice) -> Result<(), SendError> {
        let AccountNotice { number, account, at, .. } = *of;
        let Some(notice) = SubscriberNotice::of(of, &self.system.rules()) else { return Ok(()) };
        // If the accounts are made again, the numbers begin again.
        let id = format!("{number}-{at}");
        let numbers = self.system.back.numbers_of(account)?;
        let message = Message { id: &id, account: account.0, numbers, notice };
        let message = serde_json::to_string(&message).expect("texts and numbers");
        match webhook.post(&id, message) {
            Err(why @ PostError::OfTheMessage { .. }) => {
                let account = account.0;
                tracing::error!(target: LOG, "notice {number} of account {account} is left out: {why}");
                Ok(())
            }
            posted => Ok(posted?),
        }
    }
}
