//! What a simulated session asks, request by request, and what it must be answered.

use super::DiameterLoad;
use super::message::{Answer, CreditRequest, Kind};
use crate::random::Random;

/// A session, or an event.
#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) id: String,
    pub(super) subscriber: u64,
    kind: ScriptKind,
    /// The octets of each report. They differ, so that one that is lost is not made up for by one that is charged twice.
    octets: u64,
    /// The rating group of its service, and the identifier if it has one.
    service: (u32, Option<u32>),
    /// The updates that are still to be sent.
    updates: u32,
    /// The number of the next request.
    number: u32,
    /// What was granted last.
    granted: u64,
    /// The octets of all reports.
    pub(super) used: u64,
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScriptKind {
    /// Its updates follow one another.
    Ordered,
    /// Its updates are sent at once, the last one first.
    Disordered,
    Event,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Begin,
    Going,
    /// The last request is sent.
    Ending,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Session,
    Event,
    /// There was no money for it.
    Refused,
}

/// What an answer means for its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    GoesOn,
    Ended(Ended),
    /// The answer is not as it must be.
    Wrong(String),
}

/// A request of a session, without its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScriptRequest {
    pub(super) kind: Kind,
    pub(super) number: u32,
    pub(super) wanted: Option<u64>,
    pub(super) used: Option<u64>,
}

/// How many amounts of octets there are: once, twice and so on those of the load.
const FACTORS: u32 = 5;

/// The results of a request that is done, of one without money, and of a server that has no time.
const SUCCESS: u32 = 2001;
const LIMIT_REACHED: u32 = 4012;
pub(super) const TOO_BUSY: u32 = 3004;

impl Script {
    pub(super) fn new(load: &DiameterLoad, host: &str, place: u64, random: &mut Random) -> Self {
        let kind = match (random.chance(load.events), random.chance(load.disordered)) {
            (true, _) => ScriptKind::Event,
            (false, true) => ScriptKind::Disordered,
            (false, false) => ScriptKind::Ordered,
        };
        let subscriber = match random.chance(load.hot) {
            true => 0,
            false => random.below(load.subscribers.max(1)),
        };
        Script {
            id: format!("{host};{};{place}", load.run),
            subscriber: load.first_number + u64::from(subscriber),
            kind,
            octets: load.octets * u64::from(1 + random.below(FACTORS)),
            service: (100 + random.below(3), random.chance(0.5).then(|| random.below(3))),
            updates: load.updates,
            number: 0,
            granted: 0,
            used: 0,
            step: Step::Begin,
        }
    }

    /// Returns the requests that are next, once all before them are answered. Empty at the end.
    pub(super) fn next(&mut self, load: &DiameterLoad) -> Vec<ScriptRequest> {
        let none =
            ScriptRequest { kind: Kind::Event, number: self.number, wanted: None, used: None };
        match (self.step, self.kind) {
            (Step::Begin, ScriptKind::Event) => {
                self.step = Step::Ending;
                vec![ScriptRequest { wanted: Some(1), ..none }]
            }
            (Step::Begin, kind) => {
                self.step = Step::Going;
                self.number += 1;
                let all = self.octets * u64::from(load.updates.max(1));
                let wanted = if kind == ScriptKind::Disordered { all } else { self.octets };
                vec![ScriptRequest { kind: Kind::Initial, wanted: Some(wanted), ..none }]
            }
            (Step::Going, ScriptKind::Disordered) if self.updates > 0 => self.all_updates(),
            (Step::Going, _) if self.updates > 0 && self.granted > 0 => {
                self.updates -= 1;
                self.number += 1;
                let used = self.use_granted();
                vec![ScriptRequest { kind: Kind::Update, wanted: Some(self.octets), used, ..none }]
            }
            (Step::Going, kind) => {
                self.step = Step::Ending;
                let used = match kind {
                    ScriptKind::Ordered => self.use_granted(),
                    _ => None,
                };
                vec![ScriptRequest { kind: Kind::Termination, used, ..none }]
            }
            (Step::Ending, _) => Vec::new(),
        }
    }

    fn all_updates(&mut self) -> Vec<ScriptRequest> {
        let numbers = self.number..self.number + self.updates;
        (self.number, self.updates) = (numbers.end, 0);
        let update = |number| {
            let used = self.use_granted();
            ScriptRequest { kind: Kind::Update, number, wanted: None, used }
        };
        numbers.rev().map(update).collect()
    }

    /// Uses a part of what was granted last, if there is as much. Less would have a price that is rounded.
    fn use_granted(&mut self) -> Option<u64> {
        let used = if self.granted >= self.octets { self.octets } else { 0 };
        self.granted -= used;
        self.used += used;
        Some(used)
    }

    /// Returns a request with the name of the session.
    pub(super) fn named(&self, request: ScriptRequest) -> CreditRequest<'_> {
        let ScriptRequest { kind, number, wanted, used } = request;
        let (session, subscriber, service) = (&self.id[..], self.subscriber, self.service);
        CreditRequest { session, subscriber, service, kind, number, wanted, used }
    }

    /// Takes an answer.
    pub(super) fn answered(&mut self, request: ScriptRequest, answer: &Answer) -> Outcome {
        if answer.session != self.id || answer.number != Some(request.number) {
            return Outcome::Wrong("it is the answer to another request".to_owned());
        }
        let refused = [answer.result, answer.service.unwrap_or(SUCCESS)].contains(&LIMIT_REACHED);
        if !refused && (answer.result, answer.service.unwrap_or(SUCCESS)) != (SUCCESS, SUCCESS) {
            let service = answer.service.unwrap_or_default();
            return Outcome::Wrong(format!("{} and {service}: {}", answer.result, answer.text));
        }
        match request.kind {
            Kind::Event => Outcome::Ended(if refused { Ended::Refused } else { Ended::Event }),
            Kind::Termination => Outcome::Ended(Ended::Session),
            Kind::Initial if refused => Outcome::Ended(Ended::Refused),
            Kind::Initial | Kind::Update => {
                let Some(wanted) = request.wanted else { return Outcome::GoesOn };
                let granted = answer.granted.unwrap_or_default();
                if granted > wanted || granted == 0 && !refused {
                    return Outcome::Wrong(format!("{granted} octets are granted of {wanted}"));
                }
                if answer.is_final || refused {
                    self.updates = 0;
                }
                self.granted = granted;
                Outcome::GoesOn
            }
        }
    }
}
