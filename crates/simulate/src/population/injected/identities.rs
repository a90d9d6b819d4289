//! Frauds by who one claims to be: a customer who never pays, and copies of cards.

use crate::population::calendar::{DAY, HOUR, MINUTE, between};
use crate::population::call::{Call, Party};
use crate::population::event::{Event, Kind};
use crate::population::number::{abroad, cost};
use crate::population::scene::Scene;
use crate::random::Random;

/// A new customer calls abroad for all that can be had, and will not pay.
pub(super) fn subscription(scene: &mut Scene<'_>, random: &mut Random, _: u32) {
    let (from, device) = (scene.moment(random, 8..12), scene.device());
    let place = scene.newcomer(device, from, random);
    let mut time = from + 15 * MINUTE;
    for _ in 0..35 {
        let (caller, called) = (Party::Subscriber(place), Party::Number(abroad(random)));
        let seconds = between(random, 420..1_200);
        scene.happening.calls.push(Call { time, caller, called, seconds, is_beside: false });
        time += u64::from(seconds + between(random, 30..120));
    }
    let about = scene.keys(place, from);
    scene.fraud("subscription", (from, time), about);
}

/// A call of a card, at a cell of a device.
struct CardCall<'c> {
    time: u64,
    cell: u32,
    seconds: u32,
    /// Another device than that of the subscriber.
    device: Option<&'c str>,
}

/// Adds a call of a subscriber's card.
fn card_call(scene: &mut Scene<'_>, place: usize, random: &mut Random, call: CardCall<'_>) {
    let CardCall { time, cell, seconds, device } = call;
    let of = scene.network.subscribers[place].always(time);
    let called = abroad(random);
    scene.happening.events.push(Event {
        kind: Kind::MoCall,
        imei: device.map_or(of.imei, str::to_owned),
        cell: Some(cell),
        seconds: Some(seconds),
        cost: Some(cost(&called, seconds, false)),
        called,
        ..of
    });
}

/// A copy of a card calls while its owner does, in the same town.
pub(super) fn collision(scene: &mut Scene<'_>, random: &mut Random, _: u32) {
    let (from, place) = (scene.moment(random, 9..15), scene.victim());
    let device = scene.device();
    let [one, other] = scene.network.subscribers[place].town.corners();
    for pair in 0..8 {
        let time = from + pair * 30 * MINUTE;
        let seconds = between(random, 300..600);
        let owner = CardCall { time, cell: one, seconds, device: None };
        card_call(scene, place, random, owner);
        let time = time + u64::from(between(random, 60..200));
        let seconds = between(random, 120..600);
        let copy = CardCall { time, cell: other, seconds, device: Some(&device) };
        card_call(scene, place, random, copy);
    }
    copied(scene, place, ("collision", device), (from, from + 4 * HOUR));
}

/// A copy of a card calls some minutes after its owner did, far away.
pub(super) fn velocity(scene: &mut Scene<'_>, random: &mut Random, _: u32) {
    let (from, place) = (scene.moment(random, 9..15), scene.victim());
    let device = scene.device();
    let (home, town) = {
        let of = &scene.network.subscribers[place];
        (of.home(), of.town.far_from())
    };
    let cell = town.cell(random);
    for pair in 0..6 {
        let time = from + pair * 40 * MINUTE;
        let seconds = between(random, 30..180);
        card_call(scene, place, random, CardCall { time, cell: home, seconds, device: None });
        let time = time + u64::from(between(random, 400..1_000));
        let copy = CardCall { time, cell, seconds, device: Some(&device) };
        card_call(scene, place, random, copy);
    }
    copied(scene, place, ("velocity", device), (from, from + 4 * HOUR));
}

/// Notes that a card was copied to a device. Its owner does nothing else meanwhile.
fn copied(
    scene: &mut Scene<'_>,
    place: usize,
    (of, device): (&'static str, String),
    (from, to): (u64, u64),
) {
    scene.network.subscribers[place].silent.push(from - HOUR..to + HOUR);
    let about: Vec<_> = scene.keys(place, from).into_iter().chain([("device", device)]).collect();
    scene.fraud(of, (from, to), about);
}

/// A new card is given to another person than the subscriber, and gets the codes of the bank.
pub(super) fn sim_swap(scene: &mut Scene<'_>, random: &mut Random, _: u32) {
    let (from, place) = (scene.moment(random, 8..18), scene.victim());
    let (device, agent) = (scene.device(), scene.options.agent(random));
    // The phone of the victim is without a network from then on.
    scene.network.subscribers[place].silent.push(from..from + 30 * DAY);
    let of = &scene.network.subscribers[place];
    let cell = Some(of.town.far_from().cell(random));
    let card = of.other_imsi().to_owned();
    let stolen = |time: u64| Event {
        caller: of.number.clone(),
        imsi: card.clone(),
        imei: device.clone(),
        time,
        ..Event::default()
    };
    let mut events = vec![
        Event { kind: Kind::SimChanged, agent, imei: String::new(), ..stolen(from) },
        Event { kind: Kind::DeviceChanged, ..stolen(from + 60) },
        Event { kind: Kind::ForwardingSet, ..stolen(from + 10 * MINUTE) },
    ];
    let bank = scene.options.bank(random);
    for code in 0..5 {
        let time = from + 15 * MINUTE + code * 4 * MINUTE;
        let reference = Some(1_000_000_000 + random.below(1_000_000_000));
        let of_bank = |kind, time| Event {
            kind,
            called: of.number.clone(),
            sender: bank.clone(),
            reference,
            time,
            ..Event::default()
        };
        events.push(of_bank(Kind::OtpSent, time));
        events.push(Event {
            imsi: card.clone(),
            imei: device.clone(),
            cell,
            ..of_bank(Kind::SmsDelivered, time + 2)
        });
        events.push(of_bank(Kind::OtpUsed, time + 30));
    }
    let keys = [("caller", of.number.clone()), ("called", of.number.clone())];
    let about = keys.into_iter().chain([("subscriber", card), ("device", device)]);
    let about: Vec<_> = about.collect();
    scene.happening.events.extend(events);
    scene.fraud("sim-swap", (from, from + HOUR), about);
}
