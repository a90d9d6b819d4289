//! Subscribers: who they are, how they live, and where they are when.

use std::ops::Range;

use super::calendar::{HOUR, MINUTE, hour, is_weekend};
use super::event::{Event, Kind, Source};
use super::number::{imei, imsi, subscriber};
use super::place::{STOCKHOLM, Town, UPPSALA};
use super::{Options, calendar};
use crate::random::Random;

/// The people whom a person calls most of the time.
const CIRCLE: u32 = 8;

/// The greatest share of subscribers to whom one kind of change comes, however many days there are.
const CHANGES_MAX: f64 = 0.1;

/// How much of a day a person is unreachable before and after a flight.
const FLIGHT: u64 = 3 * HOUR;

/// How a person uses a phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    Person,
    /// Lives in Stockholm and works in Uppsala.
    Commuter,
    /// Is abroad for some days.
    Traveller,
    /// Calls relatives abroad, also in a country of high risk.
    Emigrant,
    /// Calls very many in office hours; some call back.
    CallCentre,
    /// Calls few very often, at all hours, and is called by many.
    TaxiDispatch,
    /// Calls many, shortly, and moves.
    Courier,
    /// Does what a fraud needs, and no more.
    Injected,
}

/// A subscriber.
#[derive(Clone, Debug)]
pub(super) struct Subscriber {
    pub(super) number: String,
    pub(super) life: Life,
    pub(super) town: Town,
    /// How much of everything, where 1 is ordinary.
    pub(super) busy: f64,
    /// Others, by their places, who are called most of the time.
    pub(super) circle: Vec<usize>,
    /// From when on there is this subscriber, if that is after the beginning.
    pub(super) activated: Option<u64>,
    /// When the SIM card is replaced in order.
    pub(super) swapped: Option<u64>,
    /// When the phone is replaced.
    pub(super) renewed: Option<u64>,
    /// When there is no ordinary life.
    pub(super) silent: Vec<Range<u64>>,
    /// When the subscriber is abroad, and where.
    abroad: Option<(Range<u64>, u32)>,
    home: u32,
    work: u32,
    sims: [String; 2],
    devices: [String; 2],
}

/// Where a phone is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) cell: u32,
    pub(super) source: Source,
}

impl Subscriber {
    /// Returns a subscriber that has lived here before the first day, or comes while it goes on.
    pub(super) fn ordinary(place: usize, options: &Options) -> Self {
        let random = &mut Random::new(options.seed, 1 << 32 | place as u64);
        let life = life(place);
        let town = if life == Life::Commuter { STOCKHOLM } else { Town::at_home(random) };
        let days = f64::from(options.days);
        let mut moment = |share: f64| {
            let is_so = random.chance((share * days).min(CHANGES_MAX));
            let at = options.start_second + u64::from(random.below(options.seconds() as u32));
            is_so.then_some(at)
        };
        let is_person = matches!(life, Life::Person | Life::Commuter);
        let (activated, swapped) = (moment(0.004), moment(0.002));
        let renewed = moment(0.004).filter(|_| is_person);
        // Two changes of one subscriber would be a story of its own.
        let activated = activated.filter(|_| is_person && renewed.is_none());
        let swapped = swapped.filter(|_| is_person && renewed.is_none() && activated.is_none());
        let circle = (0..CIRCLE).map(|_| random.below(options.subscribers) as usize).collect();
        let abroad = (life == Life::Traveller).then(|| {
            let half = options.seconds() as u32 / 2;
            let from = options.start_second + u64::from(random.below(half));
            (from..from + u64::from(half), Town::abroad(random).cell(random))
        });
        // Few are very busy: the square makes most of them less so. Some who travel or are new are as dear as a fraud.
        let share = f64::from(random.below(1_000)) / 1_000.0;
        let busiest = if matches!(life, Life::Traveller | Life::Emigrant) { 5.0 } else { 2.4 };
        let is_new_here = activated.is_some() && random.chance(0.3);
        let life = if is_new_here { Life::Emigrant } else { life };
        let work = if life == Life::Commuter { UPPSALA } else { town };
        let (home, work) = (town.cell(random), work.cell(random));
        // Their phones stand on a desk.
        let is_at_desk = matches!(life, Life::CallCentre | Life::TaxiDispatch);
        let work = if is_at_desk { home } else { work };
        let serial = place as u64 * 2;
        Subscriber {
            number: subscriber(place as u64),
            life,
            town,
            busy: 0.3 + (busiest - 0.3) * share * share,
            circle,
            activated,
            swapped,
            renewed,
            silent: Vec::new(),
            abroad,
            home,
            work,
            sims: [imsi(serial), imsi(serial + 1)],
            devices: [imei(serial), imei(serial + 1)],
        }
    }

    /// Returns a subscriber for a fraud, with a device.
    pub(super) fn injected(place: usize, device: String, random: &mut Random) -> Self {
        let town = Town::at_home(random);
        let (cell, serial) = (town.cell(random), place as u64 * 2);
        Subscriber {
            number: subscriber(place as u64),
            life: Life::Injected,
            town,
            busy: 0.0,
            circle: Vec::new(),
            activated: None,
            swapped: None,
            renewed: None,
            silent: Vec::new(),
            abroad: None,
            home: cell,
            work: cell,
            sims: [imsi(serial), imsi(serial + 1)],
            devices: [device.clone(), device],
        }
    }

    /// Returns the SIM card at a time.
    pub(super) fn imsi(&self, time: u64) -> &str {
        &self.sims[usize::from(self.swapped.is_some_and(|at| at <= time))]
    }

    /// Returns the card that a fraud gets in the subscriber's name.
    pub(super) fn other_imsi(&self) -> &str {
        &self.sims[1]
    }

    /// Returns the device at a time.
    pub(super) fn imei(&self, time: u64) -> &str {
        &self.devices[usize::from(self.renewed.is_some_and(|at| at <= time))]
    }

    /// Returns the home cell.
    pub(super) fn home(&self) -> u32 {
        self.home
    }

    /// Returns whether there is an ordinary life at a time.
    pub(super) fn lives(&self, time: u64) -> bool {
        self.activated.is_none_or(|at| at <= time)
            && !self.silent.iter().any(|silent| silent.contains(&time))
    }

    /// Returns what a record says of the subscriber, who calls. `None`: there is no ordinary life then, or the phone cannot be reached.
    pub(super) fn event(&self, time: u64) -> Option<Event> {
        self.lives(time).then(|| self.place(time)).flatten()?;
        Some(self.always(time))
    }

    /// Returns what a record says of the subscriber, whether or not there is an ordinary life.
    pub(super) fn always(&self, time: u64) -> Event {
        let place = self.place(time);
        Event {
            time,
            caller: self.number.clone(),
            imsi: self.imsi(time).to_owned(),
            imei: self.imei(time).to_owned(),
            cell: place.map(|place| place.cell),
            source: place.map(|place| place.source).unwrap_or_default(),
            ..Event::default()
        }
    }

    /// Returns what is provisioned for the subscriber. A phone is known only if it is what changes.
    pub(super) fn provisioned(&self, kind: Kind, time: u64, agent: String) -> Event {
        let imei = if kind == Kind::DeviceChanged { self.imei(time) } else { "" };
        Event {
            kind,
            time,
            agent,
            caller: self.number.clone(),
            imsi: self.imsi(time).to_owned(),
            imei: imei.to_owned(),
            ..Event::default()
        }
    }

    /// Returns where the phone is. `None`: it is in an aeroplane or a train, and cannot be reached.
    pub(super) fn place(&self, time: u64) -> Option<Place> {
        if let Some((range, cell)) = &self.abroad {
            if range.contains(&time) {
                return Some(Place { cell: *cell, source: Source::Partner });
            }
            if time + FLIGHT >= range.start && time < range.end + FLIGHT {
                return None;
            }
        }
        let minute = time % calendar::DAY / MINUTE;
        let works = !is_weekend(time) && (8..17).contains(&hour(time));
        // The train takes three quarters of an hour.
        let travels = !is_weekend(time) && matches!(minute, 425..480 | 1020..1075);
        let cell = match self.life {
            Life::Commuter if travels => return None,
            Life::Courier => self.home / 100 * 100 + 1 + (minute / 20 % 20) as u32,
            _ if works => self.work,
            _ => self.home,
        };
        Some(Place { cell, source: Source::Home })
    }
}

/// Returns how a person lives. Of a hundred subscribers, there is one of each kind at least.
fn life(place: usize) -> Life {
    match place {
        _ if place.is_multiple_of(400) => Life::CallCentre,
        _ if place % 1_000 == 1 => Life::TaxiDispatch,
        _ if place % 300 == 2 => Life::Courier,
        _ if place % 25 == 3 => Life::Traveller,
        _ if place % 20 == 4 => Life::Commuter,
        _ if place % 50 == 5 => Life::Emigrant,
        _ => Life::Person,
    }
}
