//! Frauds by calls.

use crate::population::calendar::{HOUR, MINUTE, between};
use crate::population::call::{Call, Party};
use crate::population::event::{Event, Kind, Source};
use crate::population::number::{
    PREMIUM, abroad, cost, destination, fixed, in_range, risk_range, subscriber,
};
use crate::population::place::Town;
use crate::population::scene::Scene;
use crate::random::Random;

/// A box of SIM cards that show one device: calls from abroad reach subscribers as if they came from home.
pub(super) fn sim_box(scene: &mut Scene<'_>, random: &mut Random, _: u32) {
    let (from, device) = (scene.moment(random, 8..12), scene.device());
    let to = from + 8 * HOUR;
    let mut about = vec![("device", device.clone())];
    for card in 0..4 {
        let activated = from + card * 10 * MINUTE;
        let place = scene.newcomer(device.clone(), activated, random);
        about.extend(scene.keys(place, from).into_iter().take(2));
        let mut time = activated + u64::from(between(random, 60..240));
        while time < to {
            let called = anyone(scene, random);
            let seconds = between(random, 30..130);
            let caller = Party::Subscriber(place);
            scene.happening.calls.push(Call { time, caller, called, seconds, is_beside: false });
            time += u64::from(seconds + between(random, 20..90));
        }
    }
    scene.fraud("sim-box", (from, to), about);
}

/// A stolen SIM card calls numbers side by side at night, several at once, for long.
pub(super) fn irsf(scene: &mut Scene<'_>, random: &mut Random, _: u32) {
    let (from, range) = (scene.moment(random, 0..3), risk_range(random));
    let (place, to) = (scene.victim(), from + 2 * HOUR);
    let first = random.below(90_000);
    for call in 0..60 {
        let time = from + u64::from(call * 100 + random.below(60));
        let called = Party::Number(in_range(&range, first + call));
        let (caller, seconds) = (Party::Subscriber(place), between(random, 300..1_200));
        scene.happening.calls.push(Call { time, caller, called, seconds, is_beside: true });
    }
    scene.network.subscribers[place].silent.push(from..to);
    let destination = ("destination", destination(&range));
    let about = scene.keys(place, from).into_iter().chain([destination]);
    scene.fraud("irsf", (from, to), about);
}

/// A number abroad rings very many, and hangs up. Some call back, and pay.
pub(super) fn wangiri(scene: &mut Scene<'_>, random: &mut Random, _: u32) {
    let (from, range) = (scene.moment(random, 6..22), risk_range(random));
    let number = in_range(&range, random.below(100_000));
    let rung = (scene.options.subscribers / 2).min(250);
    let begin = random.below(scene.options.subscribers);
    for ring in 0..rung {
        let to = ((begin + ring * 2) % scene.options.subscribers) as usize;
        let (time, caller) = (from + u64::from(ring * 3), Party::Number(number.clone()));
        let (called, seconds) = (Party::Subscriber(to), random.below(3));
        scene.happening.calls.push(Call { time, caller, called, seconds, is_beside: false });
        if random.chance(0.06) {
            let time = time + u64::from(between(random, 120..3_000));
            let (caller, called) = (Party::Subscriber(to), Party::Number(number.clone()));
            let seconds = between(random, 40..300);
            scene.happening.calls.push(Call { time, caller, called, seconds, is_beside: false });
        }
    }
    let about = [("caller", number.clone()), ("called", number)];
    scene.fraud("wangiri", (from, from + u64::from(rung) * 3 + HOUR), about);
}

/// A private exchange is tried until it gives a line, and then calls abroad all night.
pub(super) fn pbx(scene: &mut Scene<'_>, random: &mut Random, number: u32) {
    let (from, range) = (scene.moment(random, 1..3), risk_range(random));
    let office = scene.network.offices[number as usize].clone();
    let caller = Party::Line(office.line.clone(), office.number.clone());
    for attempt in 0..12 {
        let (time, caller) = (from + attempt * 20, caller.clone());
        let called = Party::Number(in_range(&range, random.below(100_000)));
        scene.happening.calls.push(Call { time, caller, called, seconds: 0, is_beside: true });
    }
    let to = from + 4 * HOUR;
    for call in 0..90 {
        let time = from + 10 * MINUTE + call * 140 + u64::from(random.below(60));
        let called = Party::Number(in_range(&range, random.below(100_000)));
        let (caller, seconds) = (caller.clone(), between(random, 200..1_500));
        scene.happening.calls.push(Call { time, caller, called, seconds, is_beside: true });
    }
    let destination = ("destination", destination(&range));
    scene.fraud("pbx", (from, to), [("line", office.line), ("caller", office.number), destination]);
}

/// A card is used abroad, where its own network learns of it late.
pub(super) fn roaming(scene: &mut Scene<'_>, random: &mut Random, _: u32) {
    let (from, place) = (scene.moment(random, 6..14), scene.victim());
    let (cell, to) = (Town::abroad(random).cell(random), from + 6 * HOUR);
    // The traveller has had a long flight.
    scene.network.subscribers[place].silent.push(from - 6 * HOUR..to + 6 * HOUR);
    for call in 0..40 {
        let time = from + call * 9 * MINUTE + u64::from(random.below(60));
        let is_at_risk = random.chance(0.3);
        let called = match is_at_risk {
            true => in_range(&risk_range(random), random.below(100_000)),
            false => abroad(random),
        };
        let seconds = between(random, 200..480);
        let cost = Some(cost(&called, seconds, true));
        let of = scene.network.subscribers[place].always(time);
        let (seconds, cell, source) = (Some(seconds), Some(cell), Source::Partner);
        let kind = Kind::MoCall;
        scene.happening.events.push(Event { kind, called, seconds, cost, cell, source, ..of });
    }
    let about = scene.keys(place, from);
    scene.fraud("roaming", (from, to), about);
}

/// A few cards call a number that costs more, for as long each time, since its owner gets a part.
pub(super) fn premium(scene: &mut Scene<'_>, random: &mut Random, _: u32) {
    let from = scene.moment(random, 8..12);
    let number = format!("{PREMIUM}2{:05}", random.below(100_000));
    let mut about = vec![("called", number.clone()), ("destination", destination(&number))];
    for card in 0..4 {
        let device = scene.device();
        let place = scene.newcomer(device, from, random);
        about.extend(scene.keys(place, from));
        for call in 0..40 {
            let time = from + card * 60 + 5 * MINUTE + call * 12 * MINUTE;
            let (caller, called) = (Party::Subscriber(place), Party::Number(number.clone()));
            scene.happening.calls.push(Call {
                time,
                caller,
                called,
                seconds: 570,
                is_beside: false,
            });
        }
    }
    scene.fraud("premium", (from, from + 8 * HOUR + 10 * MINUTE), about);
}

/// A card calls one number after the other with a recorded text; most hang up.
pub(super) fn spam(scene: &mut Scene<'_>, random: &mut Random, _: u32) {
    let (from, device) = (scene.moment(random, 9..15), scene.device());
    let place = scene.newcomer(device, from, random);
    let to = from + 3 * HOUR;
    let mut time = from + 5 * MINUTE;
    while time < to {
        let called = anyone(scene, random);
        let seconds = if random.chance(0.4) { 0 } else { between(random, 6..25) };
        let caller = Party::Subscriber(place);
        scene.happening.calls.push(Call { time, caller, called, seconds, is_beside: false });
        time += u64::from(seconds + between(random, 15..40));
    }
    let about = scene.keys(place, from);
    scene.fraud("spam", (from, to), about);
}

/// Returns a party whom a fraud has found in a list of numbers.
fn anyone(scene: &Scene<'_>, random: &mut Random) -> Party {
    if random.chance(0.3) {
        return Party::Number(fixed(random));
    }
    // Numbers of other networks look like ours.
    match random.below(2) {
        0 => Party::Number(subscriber(1_000_000 + u64::from(random.below(5_000_000)))),
        _ => Party::Subscriber(random.below(scene.options.subscribers) as usize),
    }
}
