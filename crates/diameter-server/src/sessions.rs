//! The open sessions of clients, so that this node can end one, or let its client ask for more (RFC 6733 sections 8.3 and 8.5; RFC
//! 8506 section 5.5). They are in memory only: after a start, a session is here from its next request on.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use ledger::{KeyHasher, Millis, SessionKey};
use prepaid::Number;
use runtime::sync::lock;

use crate::peers::Link;

/// The parts of the table. Sessions are distributed over them, so that threads seldom wait for one another.
const PARTS: usize = 64;

/// The most sessions of a part, which are four million in all. Clients of more only learn of a change by their next request.
const PART_MAX: usize = 1 << 16;

/// The most services of a session that wait for more money.
const LEGS_MAX: usize = 100;

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
    pub(crate) realm: Arc<str>,
    /// Its session within the Session-Id.
    pub(crate) sub_session: Option<u64>,
    /// The number that pays. A session that is here has it.
    pub(crate) payer: Option<Number>,
    /// The state of the client: one that is greater means that it has lost the session (Origin-State-Id).
    pub(crate) state: u32,
    /// The connection of its last request.
    pub(crate) link: Weak<Link>,
    /// The peer of this connection.
    pub(crate) peer: Arc<str>,
    /// Its services that have a last grant, or were refused one: more money changes what they may use.
    pub(crate) at_end: Vec<u32>,
    /// When it is over without another request, in milliseconds since 1970.
    pub(crate) until: Millis,
}

/// Returns until when a session is here without another request: each grant is valid for less than a tenth longer, the session ends
/// after twice that, and is remembered after its end, when its last report may come. In milliseconds, but for the lengths.
pub(crate) fn known_until(
    now: Millis,
    (validity_seconds, remembered_seconds): (u32, u32),
) -> Millis {
    let seconds = 3 * i64::from(validity_seconds) + i64::from(remembered_seconds);
    now.saturating_add(1_000 * seconds)
}

impl OpenSession {
    /// Notes a request by a connection. The session is over at a time without another one.
    pub(crate) fn goes_on(&mut self, link: &Arc<Link>, until: Millis) {
        if !std::ptr::eq(self.link.as_ptr(), Arc::as_ptr(link)) {
            (self.link, self.peer) = (Arc::downgrade(link), Arc::clone(&link.host));
        }
        self.until = until;
    }

    /// Notes whether a service has a last grant, or was refused one.
    pub(crate) fn note_leg(&mut self, leg: u32, is_at_end: bool) {
        let place = self.at_end.iter().position(|of| *of == leg);
        match (place, is_at_end) {
            (None, true) if self.at_end.len() < LEGS_MAX => self.at_end.push(leg),
            (Some(place), false) => drop(self.at_end.remove(place)),
            (None, _) | (Some(_), true) => {}
        }
    }
}

#[derive(Debug, Default)]
struct Part {
    sessions: HashMap<SessionKey, OpenSession, KeyHasher>,
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
    /// Notes a request of a session at a time. `begin` makes a session that is not there; `go_on` changes it.
    pub(crate) fn note(
        &self,
        key: SessionKey,
        now: Millis,
        begin: impl FnOnce() -> OpenSession,
        go_on: impl FnOnce(&mut OpenSession),
    ) {
        let mut part = self.part(key);
        let Part { sessions, sweeps_with, sweeps_from } = &mut *part;
        // Clients that are gone end no session.
        if sessions.len() >= (*sweeps_with).max(SWEPT_FROM) && now >= *sweeps_from {
            sessions.retain(|_, of| of.until > now);
            *sweeps_with = (2 * sessions.len()).min(PART_MAX);
            // A full part in which none is over would be looked through for each request.
            *sweeps_from = now.saturating_add(SWEEP_PAUSE);
        }
        let has_room = sessions.len() < PART_MAX;
        match sessions.entry(key) {
            Entry::Occupied(session) => go_on(session.into_mut()),
            Entry::Vacant(place) if has_room => go_on(place.insert(begin())),
            Entry::Vacant(_) => {}
        }
    }

    /// Returns whether the last request of a session was before a state of its client.
    pub(crate) fn is_before_state(&self, key: SessionKey, state: u32) -> bool {
        self.part(key).sessions.get(&key).is_some_and(|of| of.state < state)
    }

    /// Forgets a session.
    pub(crate) fn forget(&self, key: SessionKey) {
        self.part(key).sessions.remove(&key);
    }

    /// Returns a session.
    pub(crate) fn get(&self, key: SessionKey) -> Option<OpenSession> {
        self.part(key).sessions.get(&key).cloned()
    }

    /// Returns the number that pays for a session.
    pub(crate) fn payer(&self, key: SessionKey) -> Option<Number> {
        self.part(key).sessions.get(&key)?.payer.clone()
    }

    /// Returns the sessions of a client whose last requests were before a state of it, with the numbers that pay.
    pub(crate) fn before_state(&self, client: &str, state: u32) -> Vec<(SessionKey, Number)> {
        let mut found = Vec::new();
        for part in &self.0 {
            let part = lock(part);
            let is_lost =
                |of: &OpenSession| of.state < state && of.client.eq_ignore_ascii_case(client);
            let lost = part.sessions.iter().filter(|(_, of)| is_lost(of));
            found.extend(lost.filter_map(|(key, of)| Some((*key, of.payer.clone()?))));
        }
        found
    }

    fn part(&self, SessionKey(key): SessionKey) -> MutexGuard<'_, Part> {
        lock(&self.0[key as usize % PARTS])
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
            payer: None,
            state: 0,
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
        let begin = |number, until, now| {
            sessions.note(key(number), now, || session(until), |_| {});
        };
        for number in 0..PART_MAX {
            begin(number, 100_000, 0);
        }
        begin(PART_MAX, 200_000, 50_000);
        assert!(sessions.get(key(PART_MAX)).is_none(), "there is no room");
        begin(PART_MAX, 200_000, 100_001);
        assert!(sessions.get(key(PART_MAX)).is_some() && sessions.get(key(0)).is_none());
    }

    #[test]
    fn sessions_before_a_state_of_their_client_are_lost() {
        let sessions = Sessions::default();
        let payer = || Some(Number::read("46701234567").unwrap());
        for (number, client, state) in [(1, "smf", 7), (2, "SMF", 8), (3, "pgw", 7)] {
            let begin =
                || OpenSession { client: client.into(), state, payer: payer(), ..session(1) };
            sessions.note(key(number), 0, begin, |_| {});
        }
        assert_eq!(sessions.before_state("smf", 8), [(key(1), payer().unwrap())]);
        assert_eq!(sessions.before_state("smf", 9).len(), 2);
    }

    #[test]
    fn a_session_is_known_as_long_as_its_last_report_may_come() {
        // Twice a validity that is a tenth longer, and the time for which it is remembered.
        assert!(known_until(5, (600, 300)) >= 5 + 1_000 * (2 * 660 + 300));
    }

    #[test]
    fn a_service_is_at_its_end_until_a_request_is_about_it() {
        let sessions = Sessions::default();
        let note = |legs: &[(u32, bool)]| {
            let go_on = |session: &mut OpenSession| {
                legs.iter().for_each(|(leg, is_at_end)| session.note_leg(*leg, *is_at_end));
            };
            sessions.note(key(1), 0, || session(1), go_on);
            sessions.get(key(1)).unwrap().at_end
        };
        assert_eq!(note(&[(7, true), (8, false)]), [7]);
        assert_eq!(note(&[(8, false)]), [7], "the request was not about it");
        assert_eq!(note(&[(7, false), (8, true)]), [8]);
    }
}
