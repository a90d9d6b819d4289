//! The open sessions of clients, so that this node can end one, or let its client ask for more (RFC 6733 sections 8.3 and 8.5; RFC
//! 8506 section 5.5). They are in memory only: after a start, a session is here from its next request on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use ledger::{Millis, SessionKey};

use crate::peers::Link;

/// The parts of the table. Sessions are distributed over them, so that threads seldom wait for one another.
const PARTS: usize = 64;

/// The most sessions of a part, which are four million in all. Clients of more only learn of a change by their next request.
const PART_MAX: usize = 1 << 16;

/// With how many sessions a part looks for those that are over, at least.
const SWEPT_FROM: usize = 1_024;

/// The pause between two such looks, in milliseconds.
const SWEEP_PAUSE: Millis = 10_000;

/// An open session of a client.
#[derive(Clone, Debug)]
pub(crate) struct OpenSession {
    /// Its Session-Id.
    pub(crate) session: Box<str>,
    /// The node of the client, which may be behind an agent.
    pub(crate) client: Arc<str>,
    pub(crate) realm: Box<str>,
    /// Its session within the Session-Id.
    pub(crate) sub_session: Option<u64>,
    /// The connection of its last request.
    pub(crate) link: Weak<Link>,
    /// The peer of this connection.
    pub(crate) peer: Arc<str>,
    /// Its services that have a last grant, or were refused one: more money changes what they may use.
    pub(crate) at_end: Vec<u32>,
    /// When it is over without another request, in milliseconds since 1970.
    pub(crate) until: Millis,
}

#[derive(Debug, Default)]
struct Part {
    sessions: HashMap<SessionKey, OpenSession>,
    /// With how many sessions it looks for those that are over, and when at the earliest.
    sweeps_with: usize,
    sweeps_from: Millis,
}

/// The open sessions of a server.
#[derive(Debug)]
pub(crate) struct Sessions([Mutex<Part>; PARTS]);

impl Default for Sessions {
    fn default() -> Self {
        Sessions(std::array::from_fn(|_| Mutex::default()))
    }
}

impl Sessions {
    /// Notes that a session goes on, at a time, by a request about some of its services.
    pub(crate) fn note(&self, key: SessionKey, session: OpenSession, legs: &[u32], now: Millis) {
        let mut part = self.part(key);
        let Part { sessions, sweeps_with, sweeps_from } = &mut *part;
        // Clients that are gone end no session.
        if sessions.len() >= (*sweeps_with).max(SWEPT_FROM) && now >= *sweeps_from {
            sessions.retain(|_, of| of.until > now);
            *sweeps_with = (2 * sessions.len()).min(PART_MAX);
            // A full part in which none is over would be looked through for each request.
            *sweeps_from = now.saturating_add(SWEEP_PAUSE);
        }
        if let Some(before) = sessions.get_mut(&key) {
            let mut at_end = std::mem::take(&mut before.at_end);
            at_end.retain(|leg| !legs.contains(leg));
            at_end.extend(&session.at_end);
            *before = OpenSession { at_end, ..session };
        } else if sessions.len() < PART_MAX {
            sessions.insert(key, session);
        }
    }

    /// Forgets a session.
    pub(crate) fn forget(&self, key: SessionKey) {
        self.part(key).sessions.remove(&key);
    }

    /// Returns a session.
    pub(crate) fn get(&self, key: SessionKey) -> Option<OpenSession> {
        self.part(key).sessions.get(&key).cloned()
    }

    fn part(&self, SessionKey(key): SessionKey) -> MutexGuard<'_, Part> {
        self.0[(key % PARTS as u128) as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(until: Millis) -> OpenSession {
        OpenSession {
            session: "smf;1".into(),
            client: "smf".into(),
            realm: "example.net".into(),
            sub_session: None,
            link: Weak::new(),
            peer: "smf".into(),
            at_end: Vec::new(),
            until,
        }
    }

    /// Returns the key of a session of the first part.
    fn key(number: usize) -> SessionKey {
        SessionKey((number * PARTS) as u128)
    }

    #[test]
    fn sessions_that_are_over_make_room_for_others() {
        let sessions = Sessions::default();
        for number in 0..PART_MAX {
            sessions.note(key(number), session(100_000), &[], 0);
        }
        sessions.note(key(PART_MAX), session(200_000), &[], 50_000);
        assert!(sessions.get(key(PART_MAX)).is_none(), "there is no room");
        sessions.note(key(PART_MAX), session(200_000), &[], 100_001);
        assert!(sessions.get(key(PART_MAX)).is_some() && sessions.get(key(0)).is_none());
    }

    #[test]
    fn a_service_is_at_its_end_until_a_request_is_about_it() {
        let sessions = Sessions::default();
        let note = |at_end: &[u32], legs: &[u32]| {
            let session = OpenSession { at_end: at_end.to_vec(), ..session(1) };
            sessions.note(key(1), session, legs, 0);
            sessions.get(key(1)).unwrap().at_end
        };
        assert_eq!(note(&[7], &[7, 8]), [7]);
        assert_eq!(note(&[], &[8]), [7], "nothing is said of it");
        assert_eq!(note(&[8], &[7, 8]), [8]);
    }
}
