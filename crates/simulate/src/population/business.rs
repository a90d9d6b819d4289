//! The ordinary life of offices, senders of many messages, and agents.

use super::calendar::{ALWAYS, HOUR, OFFICE, PRIVATE, about, between, is_weekend, moments};
use super::call::{Call, Party};
use super::event::{Event, Kind};
use super::number::{abroad, fixed};
use super::scene::Day;
use crate::random::Random;

/// An office with a private exchange, whose calls come over one line.
#[derive(Clone, Debug)]
pub(super) struct Office {
    pub(super) line: String,
    pub(super) number: String,
}

/// Offices with customers overseas call them in the evening: one in so many.
const OVERSEAS: usize = 5;

/// Adds what all of them do in a day.
pub(super) fn work(random: &mut Random, day: &mut Day<'_>) {
    let share = if is_weekend(day.begin) { 0.05 } else { 1.0 };
    for place in 0..day.network.offices.len() {
        office(place, share, random, day);
    }
    for shop in 1..=day.options.shops() {
        campaign(&format!("SHOP-{shop}"), random, day);
    }
    for app in 1..=day.options.apps() {
        codes(&format!("APP-{app}"), 60.0, random, day);
    }
    for bank in 1..=day.options.banks() {
        let codes_a_day = f64::from(day.options.subscribers) / 20.0;
        codes(&format!("BANK-{bank}"), codes_a_day, random, day);
    }
    for agent in 1..=day.options.agents() {
        adjust(&format!("agent-{agent}"), share, random, day);
    }
}

/// Adds the calls of an office.
fn office(place: usize, share: f64, random: &mut Random, day: &mut Day<'_>) {
    let Office { line, number } = day.network.offices[place].clone();
    let caller = Party::Line(line, number);
    let mut times = moments(random, day.begin, 80.0 * share, &OFFICE);
    // Cleaners and the watch call, too.
    times.extend(moments(random, day.begin, 3.0, &ALWAYS));
    for time in times {
        let is_abroad = random.chance(0.1);
        let called = if is_abroad { abroad(random) } else { fixed(random) };
        let seconds = if random.chance(0.15) { 0 } else { between(random, 15..500) };
        let (caller, called) = (caller.clone(), Party::Number(called));
        day.happening.calls.push(Call { time, caller, called, seconds, is_beside: true });
    }
    if place.is_multiple_of(OVERSEAS) && share == 1.0 {
        for _ in 0..about(random, 6.0) {
            let time = day.begin + 18 * HOUR + u64::from(random.below(4 * HOUR as u32));
            let called = Party::Number(format!("1202{:07}", random.below(10_000_000)));
            let (caller, seconds) = (caller.clone(), between(random, 60..900));
            day.happening.calls.push(Call { time, caller, called, seconds, is_beside: true });
        }
    }
}

/// Adds messages of a shop to its customers, who are anywhere, on some days.
fn campaign(sender: &str, random: &mut Random, day: &mut Day<'_>) {
    if !random.chance(0.5) {
        return;
    }
    let begin = day.begin + 10 * HOUR + u64::from(random.below(6 * HOUR as u32));
    for message in 0..between(random, 100..400) {
        let (time, to) = (begin + u64::from(message * 4), day.anyone(random));
        let called = day.network.subscribers[to].number.clone();
        let (kind, sender) = (Kind::SmsSubmitted, sender.to_owned());
        day.happening.events.push(Event { kind, time, called, sender, ..Event::default() });
    }
}

/// Adds codes that a service sends, most of which are used.
fn codes(sender: &str, mean: f64, random: &mut Random, day: &mut Day<'_>) {
    for time in moments(random, day.begin, mean, &PRIVATE) {
        let to = day.anyone(random);
        let is_used = random.chance(0.92);
        let used = is_used.then(|| u64::from(between(random, 8..120)));
        day.happening.code(sender, &day.network.subscribers[to], time, used);
    }
}

/// Adds credits that an agent gives. Once in a while, many are put right at once.
fn adjust(agent: &str, share: f64, random: &mut Random, day: &mut Day<'_>) {
    let many = if random.chance(0.1) { 3.0 } else { 1.0 };
    for time in moments(random, day.begin, 7.0 * many * share, &OFFICE) {
        let to = day.anyone(random);
        let cost = Some(1_000 * u64::from(between(random, 10..200)));
        let called = day.network.subscribers[to].number.clone();
        let (kind, agent) = (Kind::Adjustment, agent.to_owned());
        day.happening.events.push(Event { kind, time, called, cost, agent, ..Event::default() });
    }
}
