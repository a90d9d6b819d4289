//! Clients that have lost their sessions say so by a greater Origin-State-Id (RFC 6733 section 8.16): their sessions end, as if
//! their time were over.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use diagnostics::with_causes;
use ledger::SessionKey;
use prepaid::Number;
use runtime::sync::lock;

use crate::LOG;
use crate::front::Front;

/// The most clients whose state is known. Of more, restarts are not noticed.
const CLIENTS_MAX: usize = 10_000;

/// The last Origin-State-Id of each client, by the name of its node.
#[derive(Debug, Default)]
pub(crate) struct ClientStates(Mutex<HashMap<Box<str>, u32>>);

impl ClientStates {
    /// Returns the last state of a client; 0 if it has said nothing.
    pub(crate) fn of(&self, client: &str) -> u32 {
        let states = lock(&self.0);
        states.get(client.to_ascii_lowercase().as_str()).copied().unwrap_or_default()
    }

    /// Notes the state of a client. Returns whether it is greater than one before. A smaller one is that of an old message, or
    /// of another process with the name of the node.
    pub(crate) fn is_raised(&self, client: &str, state: u32) -> bool {
        let mut states = lock(&self.0);
        match states.get_mut(client.to_ascii_lowercase().as_str()) {
            Some(last) if state > *last => {
                *last = state;
                true
            }
            Some(_) => false,
            None => {
                if states.len() < CLIENTS_MAX && state > 0 {
                    states.insert(client.to_ascii_lowercase().into(), state);
                }
                false
            }
        }
    }
}

/// Notes the state of a client, and ends the sessions that it has lost. These are sessions that this process knows: others end when
/// their time is over.
pub(crate) fn note(front: &Arc<Front>, client: &str, state: u32) {
    if !front.client_states.is_raised(client, state) {
        return;
    }
    let (front, client) = (Arc::clone(front), client.to_owned());
    // It writes to accounts, for which no connection waits.
    tokio::task::spawn_blocking(move || end_lost(&front, &client, state));
}

/// Ends a session that a client does not know any more.
pub(crate) fn end_one(front: &Arc<Front>, client: &Arc<str>, key: SessionKey) {
    let Some(number) = front.sessions.payer(key) else { return front.sessions.forget(key) };
    let (front, client) = (Arc::clone(front), Arc::clone(client));
    tokio::task::spawn_blocking(move || end(&front, &client, (key, &number)));
}

/// Ends a session of a number. Returns whether it was in progress.
fn end(front: &Front, client: &str, (key, number): (SessionKey, &Number)) -> bool {
    front.note_ended(key);
    front.system.end_lost_session(number, key).unwrap_or_else(|why| {
        let why = with_causes(&why);
        tracing::error!(target: LOG, "a lost session of \"{client}\" ends by its time: {why}");
        false
    })
}

fn end_lost(front: &Front, client: &str, state: u32) {
    let mut count = 0;
    for (key, number) in front.sessions.before_state(client, state) {
        // It may have gone on meanwhile.
        if front.sessions.is_before_state(key, state) {
            count += usize::from(end(front, client, (key, &number)));
        }
    }
    tracing::warn!(target: LOG, "\"{client}\" has lost its sessions (Origin-State-Id {state}): {count} have ended");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_state_that_is_greater_than_one_before_is_a_restart() {
        let states = ClientStates::default();
        for (state, is_raised) in
            [(0, false), (5, false), (5, false), (3, false), (6, true), (6, false)]
        {
            assert_eq!(states.is_raised("SMF.example.net", state), is_raised, "{state}");
        }
        assert_eq!((states.of("smf.example.net"), states.of("pgw.example.net")), (6, 0));
    }
}
