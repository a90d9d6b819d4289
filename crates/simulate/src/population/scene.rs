//! All that there is, and what happens to it: what frauds are put into.

use super::Options;
use super::business::Office;
use super::calendar::{DAY, hour};
use super::call::Call;
use super::event::{Event, Kind};
use super::number::{fixed, imei};
use super::subscriber::{Life, Subscriber};
use crate::random::Random;
use crate::truth::Fraud;

/// The devices of frauds have serial numbers from here on.
const DEVICES: u64 = 100_000_000;

/// The streams of pseudo-random numbers that are not those of a subscriber.
const OFFICES: u64 = 1 << 33;
const VICTIMS: u64 = OFFICES + 1;

/// Who there is.
#[derive(Debug)]
pub(super) struct Network {
    pub(super) subscribers: Vec<Subscriber>,
    pub(super) offices: Vec<Office>,
}

/// What is to happen, in any order.
#[derive(Debug, Default)]
pub(super) struct Happening {
    pub(super) calls: Vec<Call>,
    pub(super) events: Vec<Event>,
    references: u32,
}

/// A network, what happens in it, and the frauds among that.
#[derive(Debug)]
pub(super) struct Scene<'o> {
    pub(super) options: &'o Options,
    pub(super) network: Network,
    pub(super) happening: Happening,
    pub(super) frauds: Vec<Fraud>,
    /// Those to whom no fraud has come yet, by their places.
    victims: Vec<usize>,
    devices: u64,
}

/// A day in a network.
#[derive(Debug)]
pub(super) struct Day<'d> {
    pub(super) options: &'d Options,
    pub(super) network: &'d Network,
    pub(super) happening: &'d mut Happening,
    /// When it begins, in seconds since 1970.
    pub(super) begin: u64,
}

impl Happening {
    /// Adds a code that a service sends to a subscriber, who uses it after so many seconds, if at all.
    pub(super) fn code(&mut self, sender: &str, to: &Subscriber, time: u64, used: Option<u64>) {
        self.references += 1;
        let code = |kind, time| Event {
            kind,
            time,
            called: to.number.clone(),
            sender: sender.to_owned(),
            reference: Some(self.references),
            ..Event::default()
        };
        let delivered = to.event(time + 2).map(|at| Event {
            caller: String::new(),
            imsi: at.imsi,
            imei: at.imei,
            cell: at.cell,
            ..code(Kind::SmsDelivered, time + 2)
        });
        self.events.push(code(Kind::OtpSent, time));
        self.events.extend(delivered);
        self.events.extend(used.map(|after| code(Kind::OtpUsed, time + after)));
    }

    /// Adds a code that a service sends to a number of another network.
    pub(super) fn code_abroad(&mut self, sender: &str, called: String, time: u64) {
        self.references += 1;
        let (reference, sender) = (Some(self.references), sender.to_owned());
        self.events.push(Event {
            kind: Kind::OtpSent,
            time,
            called,
            sender,
            reference,
            ..Event::default()
        });
    }
}

impl<'o> Scene<'o> {
    /// Returns a network to which nothing has happened.
    pub(super) fn new(options: &'o Options) -> Self {
        let places = 0..options.subscribers as usize;
        let subscribers: Vec<_> =
            places.clone().map(|place| Subscriber::ordinary(place, options)).collect();
        let random = &mut Random::new(options.seed, OFFICES);
        let offices = (1..=options.offices())
            .map(|number| Office { line: format!("pbx-{number}"), number: fixed(random) })
            .collect();
        let is_victim = |place: &usize| {
            let of = &subscribers[*place];
            let has_changes = of.activated.or(of.swapped).or(of.renewed).is_some();
            of.life == Life::Person && !has_changes
        };
        let mut victims: Vec<_> = places.filter(is_victim).collect();
        let random = &mut Random::new(options.seed, VICTIMS);
        for last in (1..victims.len()).rev() {
            victims.swap(last, random.below(last as u32 + 1) as usize);
        }
        Scene {
            options,
            network: Network { subscribers, offices },
            happening: Happening::default(),
            frauds: Vec::new(),
            victims,
            devices: DEVICES,
        }
    }

    /// Returns a subscriber to whom no fraud has come yet.
    pub(super) fn victim(&mut self) -> usize {
        self.victims.pop().expect("Options::each_max leaves enough of them")
    }

    /// Returns a new device.
    pub(super) fn device(&mut self) -> String {
        self.devices += 1;
        imei(self.devices)
    }

    /// Adds a subscriber for a fraud, who is activated at a time.
    pub(super) fn newcomer(&mut self, device: String, time: u64, random: &mut Random) -> usize {
        let place = self.network.subscribers.len();
        let of = Subscriber::injected(place, device, random);
        let agent = self.options.agent(random);
        self.happening.events.push(of.provisioned(Kind::Activated, time, agent));
        self.network.subscribers.push(of);
        place
    }

    /// Returns a moment in the second half, in these hours of a day.
    pub(super) fn moment(&self, random: &mut Random, hours: std::ops::Range<u32>) -> u64 {
        let first = self.options.days.div_ceil(2);
        let day = first + random.below(self.options.days - first);
        let second = random.below((hours.end - hours.start) * 3_600) + hours.start * 3_600;
        let time = self.options.start_second + u64::from(day) * DAY + u64::from(second);
        debug_assert!(hours.contains(&(hour(time) as u32)));
        time
    }
}

impl Day<'_> {
    /// Adds a call of a subscriber, if there is an ordinary life then.
    pub(super) fn call(&mut self, of: &Subscriber, call: Call) {
        if of.lives(call.time) {
            self.happening.calls.push(call);
        }
    }

    /// Returns one of the subscribers, but none of a fraud.
    pub(super) fn anyone(&self, random: &mut Random) -> usize {
        random.below(self.options.subscribers) as usize
    }
}
