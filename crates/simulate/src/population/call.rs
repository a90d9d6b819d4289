//! Calls, and the records of them: who is on the phone cannot take another call.

use super::event::{Event, Kind, Source};
use super::number::cost;
use super::subscriber::{Life, Subscriber};

/// Who takes part in a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Party {
    /// A subscriber, by its place.
    Subscriber(usize),
    /// A number of another network.
    Number(String),
    /// A line of an office, by its name, with the number that it shows.
    Line(String, String),
}

/// A call that is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) time: u64,
    pub(super) caller: Party,
    pub(super) called: Party,
    /// How long it is, if it is answered; 0 if not.
    pub(super) seconds: u32,
    /// Whether the caller may be in another call: several parties talk, or a private exchange has several lines.
    pub(super) is_beside: bool,
}

/// Until when each subscriber is on the phone.
#[derive(Debug, Default)]
pub(super) struct Busy(Vec<u64>);

impl Busy {
    fn until(&mut self, place: usize) -> &mut u64 {
        if self.0.len() <= place {
            self.0.resize(place + 1, 0);
        }
        &mut self.0[place]
    }
}

/// Appends the records of a call. Calls come in the order of their times.
pub(super) fn connect(
    call: Call,
    subscribers: &[Subscriber],
    busy: &mut Busy,
    to: &mut Vec<Event>,
) {
    let Call { time, caller, called, mut seconds, is_beside } = call;
    let mut answering = None;
    if let Party::Subscriber(place) = called {
        let of = &subscribers[place];
        let is_free = *busy.until(place) <= time && of.life != Life::Injected;
        answering = of.event(time).filter(|_| is_free);
        if answering.is_none() {
            seconds = 0;
        }
    }
    let end = time + u64::from(seconds);
    let numbers = Event { time, seconds: Some(seconds), ..of(&caller, &called, subscribers) };
    match caller {
        Party::Subscriber(place) => {
            let by = subscribers[place].always(time);
            let until = busy.until(place);
            if by.cell.is_none() || *until > time && !is_beside {
                return;
            }
            *until = end;
            let cost = cost(&numbers.called, seconds, by.source == Source::Partner);
            to.push(Event { kind: Kind::MoCall, cost: Some(cost), ..numbers.clone().at(by) });
        }
        Party::Line(line, _) => {
            let cost = Some(cost(&numbers.called, seconds, false));
            to.push(Event { kind: Kind::MoCall, line, cost, ..numbers.clone() });
        }
        Party::Number(_) => {}
    }
    if let (Party::Subscriber(place), Some(answering)) = (called, answering) {
        *busy.until(place) = end;
        to.push(Event { kind: Kind::MtCall, ..numbers.at(answering) });
    }
}

impl Event {
    /// Returns the event with the card, the device and the place of another.
    fn at(self, of: Event) -> Self {
        let Event { imsi, imei, cell, source, .. } = of;
        Event { imsi, imei, cell, source, ..self }
    }
}

/// Returns an event with the numbers of two parties.
fn of(caller: &Party, called: &Party, subscribers: &[Subscriber]) -> Event {
    let number = |party: &Party| match party {
        Party::Subscriber(place) => subscribers[*place].number.clone(),
        Party::Number(number) | Party::Line(_, number) => number.clone(),
    };
    Event { caller: number(caller), called: number(called), ..Event::default() }
}
