//! The ordinary life of subscribers: a day of calls, messages, data, new cards and new phones.

use super::calendar::{
    ALWAYS, DAY, HOUR, Hours, MINUTE, OFFICE, PRIVATE, between, is_weekend, moments,
};
use super::call::{Call, Party};
use super::event::{Event, Kind};
use super::number::{VOTES, abroad, fixed, in_range, risk_range};
use super::scene::Day;
use super::subscriber::{Life, Subscriber};
use crate::random::Random;

/// How much a subscriber uses a phone in a day, on average.
struct Use {
    calls: f64,
    messages: f64,
    data: f64,
    /// Calls from other networks.
    called: f64,
    hours: &'static Hours,
}

impl Life {
    fn daily(self) -> Use {
        let (calls, messages, data, called, hours) = match self {
            Life::CallCentre => (150.0, 0.0, 0.0, 30.0, &OFFICE),
            Life::TaxiDispatch => (120.0, 10.0, 2.0, 90.0, &ALWAYS),
            Life::Courier => (70.0, 15.0, 12.0, 6.0, &OFFICE),
            Life::Injected => (0.0, 0.0, 0.0, 0.0, &PRIVATE),
            _ => (5.0, 4.0, 7.0, 1.5, &PRIVATE),
        };
        Use { calls, messages, data, called, hours }
    }
}

/// Adds what a subscriber does in a day.
pub(super) fn live(place: usize, of: &Subscriber, random: &mut Random, day: &mut Day<'_>) {
    changes(of, random, day);
    let Use { calls, messages, data, called, hours } = of.life.daily();
    let share = if hours == &OFFICE && is_weekend(day.begin) { 0.05 } else { of.busy };
    for time in moments(random, day.begin, calls * share, hours) {
        let (caller, called) = (Party::Subscriber(place), other_party(of, random, day));
        let seconds = talk(of.life, random);
        // Some take another party into a call.
        let is_beside = random.chance(0.01);
        day.call(of, Call { time, caller, called, seconds, is_beside });
    }
    for time in moments(random, day.begin, called * share, hours) {
        let caller = if random.chance(0.1) { abroad(random) } else { fixed(random) };
        let (caller, called) = (Party::Number(caller), Party::Subscriber(place));
        let seconds = talk(of.life, random);
        day.call(of, Call { time, caller, called, seconds, is_beside: false });
    }
    for time in moments(random, day.begin, messages * share, hours) {
        let to = of.circle[random.below(of.circle.len() as u32) as usize];
        let called = day.network.subscribers[to].number.clone();
        let message = |event| Event { kind: Kind::SmsSubmitted, called, cost: Some(0), ..event };
        day.happening.events.extend(of.event(time).map(message));
    }
    for time in moments(random, day.begin, data * share, hours) {
        let octets = Some(u64::from(random.below(60)) * u64::from(random.below(2_000_000)));
        let seconds = Some(30 + random.below(600));
        let session = |event| Event { kind: Kind::Data, octets, seconds, ..event };
        day.happening.events.extend(of.event(time).map(session));
    }
    vote(place, of, random, day);
}

/// Adds the change of a card or a phone, and what follows: a bank asks who it is.
fn changes(of: &Subscriber, random: &mut Random, day: &mut Day<'_>) {
    let today = day.begin..day.begin + DAY;
    for (kind, time) in [
        (Kind::Activated, of.activated),
        (Kind::SimChanged, of.swapped),
        (Kind::DeviceChanged, of.renewed),
    ] {
        let Some(time) = time.filter(|time| today.contains(time)) else { continue };
        let agent = match kind {
            Kind::DeviceChanged => String::new(),
            _ => day.options.agent(random),
        };
        day.happening.events.push(of.provisioned(kind, time, agent));
        if kind != Kind::Activated && random.chance(0.6) {
            for _ in 0..between(random, 1..3) {
                let at = time + u64::from(between(random, 600..20_000));
                let bank = day.options.bank(random);
                day.happening.code(&bank, of, at, Some(40));
            }
        }
    }
}

/// Returns whom a subscriber calls.
fn other_party(of: &Subscriber, random: &mut Random, day: &Day<'_>) -> Party {
    let friend = |random: &mut Random| {
        Party::Subscriber(of.circle[random.below(of.circle.len() as u32) as usize])
    };
    let anyone = |random: &mut Random| Party::Subscriber(day.anyone(random));
    match (of.life, random.below(100)) {
        (Life::TaxiDispatch, _) => friend(random),
        (Life::CallCentre, 0..20) => friend(random),
        (Life::CallCentre | Life::Courier, 20..70) => anyone(random),
        (Life::CallCentre | Life::Courier, _) => Party::Number(fixed(random)),
        (Life::Emigrant, 0..15) => {
            let range = risk_range(random);
            Party::Number(in_range(&range, random.below(100_000)))
        }
        (Life::Emigrant, 15..50) => Party::Number(abroad(random)),
        (_, 0..75) => friend(random),
        (_, 75..85) => anyone(random),
        (_, 85..95) => Party::Number(fixed(random)),
        _ => Party::Number(abroad(random)),
    }
}

/// Returns how long a call is: 0 without an answer.
fn talk(life: Life, random: &mut Random) -> u32 {
    if random.chance(0.15) {
        return 0;
    }
    match life {
        Life::TaxiDispatch | Life::Courier => between(random, 10..50),
        _ => 10 + random.below(60) * random.below(15),
    }
}

/// Adds the vote for a show in the evening.
fn vote(place: usize, of: &Subscriber, random: &mut Random, day: &mut Day<'_>) {
    if random.chance(0.08) && of.life == Life::Person {
        let time = day.begin + 20 * HOUR + u64::from(random.below(30 * MINUTE as u32));
        let called = Party::Number(format!("{VOTES}{}", random.below(4)));
        let caller = Party::Subscriber(place);
        day.call(of, Call { time, caller, called, seconds: 20, is_beside: false });
    }
}
