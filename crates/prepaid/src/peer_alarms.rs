//! Alarms about the peers of Diameter: raised while something is wrong, cleared when it is over, and each event sent once to another
//! program. The server of Diameter finds what is wrong.
//!
//! They are in memory: what is wrong after a start is found again. Events that are not sent at the end of the process are lost.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::time::Duration;

use ledger::Millis;
use runtime::backoff::Backoff;
use runtime::shutdown::Shutdown;
use runtime::sync::lock;
use runtime::time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use webhook::PostError;

use crate::LOG;
use crate::system::System;

/// The most events that wait. The oldest one goes first.
const EVENTS_MAX: usize = 1_000;

/// The time between two looks for new events.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long to wait before an event is sent again.
const RETRY: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(60));

/// What is wrong with a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PeerAlarmKind {
    /// It was connected, and is not.
    PeerDown,
    /// It has not connected since the start.
    PeerMissing,
    /// It is connected, and sends no requests of credit control.
    NoTraffic,
    /// Too many of its answers are errors.
    ErrorRate,
    /// It has reported usage of sessions that are not known.
    OrphanUsage,
}

/// An alarm about a peer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PeerAlarm {
    /// What sort of thing is wrong.
    pub kind: PeerAlarmKind,
    /// The name of the peer's node.
    pub peer: String,
    /// What is wrong, in words.
    pub text: String,
    /// Since when it is raised.
    pub since: String,
}

/// What is wrong at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerFault {
    /// What sort of thing it is.
    pub kind: PeerAlarmKind,
    /// The name of the peer's node.
    pub peer: String,
    /// What it is, in words.
    pub text: String,
}

/// An event of an alarm, as it is sent. The fields are those of the alarms of a gateway, as far as there are any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Event {
    id: String,
    /// The name of this node.
    flow: String,
    event: &'static str,
    at: String,
    kind: PeerAlarmKind,
    subject: String,
    severity: &'static str,
    text: String,
}

/// The alarms of a system.
#[derive(Debug, Default)]
pub(crate) struct PeerAlarms {
    raised: Mutex<BTreeMap<(String, PeerAlarmKind), PeerAlarm>>,
    /// What is to be sent, the oldest first.
    events: Mutex<VecDeque<Event>>,
}

impl PeerAlarms {
    /// Returns the alarms that are raised, in the order of their peers.
    pub(crate) fn raised(&self) -> Vec<PeerAlarm> {
        lock(&self.raised).values().cloned().collect()
    }

    /// Raises an alarm for each fault of a moment, and clears those without one. `node` is the name of this node.
    pub(crate) fn follow(&self, at: Millis, node: &str, faults: Vec<PeerFault>) {
        let mut raised = lock(&self.raised);
        let mut found = BTreeMap::new();
        for PeerFault { kind, peer, text } in faults {
            let key = (peer.to_ascii_lowercase(), kind);
            let since = match raised.remove(&key) {
                Some(before) => before.since,
                None => {
                    tracing::error!(target: LOG, "alarm: the peer \"{peer}\": {text}");
                    self.note(at, node, ("raised", "critical"), (kind, &peer, &text));
                    time::shown(at)
                }
            };
            found.insert(key, PeerAlarm { kind, peer, text, since });
        }
        for PeerAlarm { kind, peer, text, .. } in raised.values() {
            tracing::info!(target: LOG, "the alarm is over: the peer \"{peer}\": {text}");
            self.note(at, node, ("cleared", "cleared"), (*kind, peer, text));
        }
        *raised = found;
    }

    fn note(
        &self,
        at: Millis,
        node: &str,
        (event, severity): (&'static str, &'static str),
        (kind, peer, text): (PeerAlarmKind, &str, &str),
    ) {
        let mut events = lock(&self.events);
        if events.len() == EVENTS_MAX {
            events.pop_front();
        }
        let word = serde_json::to_string(&kind).unwrap_or_default();
        events.push_back(Event {
            id: format!("{node}-{peer}-{}-{event}-{at}", word.trim_matches('"')),
            flow: node.to_owned(),
            event,
            at: time::shown(at),
            kind,
            subject: peer.to_owned(),
            severity,
            text: text.to_owned(),
        });
    }

    /// Sends what waits, with `post`, until something cannot be sent. What is refused for itself is left out.
    fn send(&self, post: impl Fn(&str, String) -> Result<(), PostError>) -> Result<(), PostError> {
        loop {
            // It may take long, so the lock is not held meanwhile.
            let Some(event) = lock(&self.events).front().cloned() else { return Ok(()) };
            let text = serde_json::to_string(&event).expect("texts");
            match post(&event.id, text) {
                Err(why @ PostError::OfTheMessage { .. }) => {
                    tracing::error!(target: LOG, "the alarm {} is not sent: {why}", event.id);
                }
                posted => posted?,
            }
            let mut events = lock(&self.events);
            // The oldest one may have gone meanwhile.
            if events.front().is_some_and(|front| front.id == event.id) {
                events.pop_front();
            }
        }
    }

    fn forget_events(&self) {
        lock(&self.events).clear();
    }
}

/// Sends the events of a system's alarms about peers until the stop.
pub fn send_peer_alarms(system: &System, stop: &Shutdown) {
    let (mut pause, mut tries) = (LOOK_EVERY, 0);
    while !stop.wait(pause) {
        let rules = system.rules();
        let Some(webhook) = &rules.credit_control.alarms.webhook else {
            system.peer_alarms.forget_events();
            continue;
        };
        match system.peer_alarms.send(|key, text| webhook.post(key, text)) {
            Ok(()) => (pause, tries) = (LOOK_EVERY, 0),
            Err(why) => {
                if tries == 0 {
                    tracing::error!(target: LOG, "alarms cannot be sent: {why}; it is tried again");
                }
                tries += 1;
                pause = RETRY.after(tries);
            }
        }
    }
}

impl System {
    /// Raises an alarm for each fault of the peers of a node at this moment, and clears those without one.
    pub fn note_peer_faults(&self, node: &str, faults: Vec<PeerFault>) {
        self.peer_alarms.follow(self.now_ms(), node, faults);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn fault(peer: &str, text: &str) -> PeerFault {
        PeerFault { kind: PeerAlarmKind::PeerDown, peer: peer.to_owned(), text: text.to_owned() }
    }

    fn sent(alarms: &PeerAlarms) -> Vec<String> {
        let sent = RefCell::<Vec<String>>::default();
        let post = |_: &str, text: String| {
            let event: serde_json::Value = serde_json::from_str(&text).unwrap();
            let of = |key: &str| event[key].as_str().unwrap().to_owned();
            sent.borrow_mut().push(format!("{} {} {}", of("at"), of("event"), of("subject")));
            Ok(())
        };
        alarms.send(post).unwrap();
        sent.into_inner()
    }

    #[test]
    fn an_alarm_is_raised_once_and_cleared_once() {
        let alarms = PeerAlarms::default();
        alarms.follow(0, "node", vec![fault("smf", "gone")]);
        alarms.follow(1_000, "node", vec![fault("SMF", "still gone"), fault("pgw", "gone")]);
        let raised: Vec<_> =
            alarms.raised().into_iter().map(|of| (of.peer, of.text, of.since)).collect();
        let of = |peer: &str, text: &str, second| {
            (peer.to_owned(), text.to_owned(), format!("1970-01-01T00:00:0{second}Z"))
        };
        assert_eq!(raised, [of("pgw", "gone", 1), of("SMF", "still gone", 0)]);
        alarms.follow(2_000, "node", vec![fault("pgw", "gone")]);
        let expected = [
            "1970-01-01T00:00:00Z raised smf",
            "1970-01-01T00:00:01Z raised pgw",
            "1970-01-01T00:00:02Z cleared SMF",
        ];
        assert_eq!(sent(&alarms), expected);
        assert_eq!(sent(&alarms), [] as [String; 0]);
    }

    #[test]
    fn what_cannot_be_sent_waits_and_what_is_refused_for_itself_does_not() {
        let alarms = PeerAlarms::default();
        alarms.follow(0, "node", vec![fault("a", "gone"), fault("b", "gone")]);
        let unreachable = |_: &str, _| Err(PostError::Unreachable("no route".to_owned()));
        assert!(alarms.send(unreachable).is_err());
        let refused = |key: &str, _| match key.contains("-a-") {
            true => Err(PostError::OfTheMessage { host: "host".to_owned() }),
            false => Err(PostError::Unreachable("no route".to_owned())),
        };
        assert!(alarms.send(refused).is_err());
        assert_eq!(sent(&alarms), ["1970-01-01T00:00:00Z raised b"]);
    }
}
