//! A network in which frauds of thirteen types happen, for `examples/fraud-population`: subscribers, offices, shops and agents live
//! some days, so that naive rules find what is no fraud, and each type of fraud is put into the second half so many times.
//!
//! All times are in UTC. What a subscriber does in a day depends on the seed, the subscriber and the day alone.

mod business;
mod calendar;
mod call;
mod event;
mod files;
mod injected;
mod life;
mod number;
mod place;
mod scene;
mod subscriber;

use std::path::Path;

use self::calendar::{DAY, MINUTE};
use self::call::{Busy, Call, connect};
use self::event::Event;
use self::files::Files;
use self::scene::{Day, Network, Scene};
use self::subscriber::{Life, Subscriber};
use crate::file::{WriteError, write};
use crate::random::Random;
use crate::truth::write_truth;

pub use self::injected::TYPES;

/// What to generate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The subscribers, [`Options::SUBSCRIBERS_MIN`] at least.
    pub subscribers: u32,
    /// The days, two at least. Frauds are in the second half of them.
    pub days: u32,
    /// How often each type of fraud happens, [`Options::each_max`] at most.
    pub each: u32,
    /// The minutes of a file.
    pub file_minutes: u32,
    /// The same options and seed give the same octets, in every release.
    pub seed: u64,
    /// When the first day begins, in seconds since 1970.
    pub start_second: u64,
}

impl Default for Options {
    /// Returns two thousand subscribers for two days, from Monday, 5 January 2026.
    fn default() -> Self {
        Options {
            subscribers: 2_000,
            days: 2,
            each: 2,
            file_minutes: 15,
            seed: 1,
            start_second: 1_767_571_200,
        }
    }
}

impl Options {
    /// The fewest subscribers among whom there is each kind of life.
    pub const SUBSCRIBERS_MIN: u32 = 100;

    /// The most subscribers. Numbers from the next million on are those of other networks.
    pub const SUBSCRIBERS_MAX: u32 = 900_000;

    /// The most days.
    pub const DAYS_MAX: u32 = 366;

    /// Returns how often each type of fraud may happen among so many subscribers: each needs some of its own.
    pub fn each_max(subscribers: u32) -> u32 {
        subscribers / 25
    }

    fn seconds(&self) -> u64 {
        u64::from(self.days) * DAY
    }

    fn offices(&self) -> u32 {
        (self.subscribers / 100).max(self.each + 2)
    }

    fn shops(&self) -> u32 {
        (self.subscribers / 400).max(3)
    }

    fn apps(&self) -> u32 {
        (self.subscribers / 400).max(self.each + 2)
    }

    /// `examples/fraud-population/tables/banks.csv` has them, too. // ORDER BANKS
    fn banks(&self) -> u32 {
        3
    }

    fn agents(&self) -> u32 {
        (self.subscribers / 200).max(self.each + 3)
    }

    /// Returns one of the agents.
    fn agent(&self, random: &mut Random) -> String {
        format!("agent-{}", 1 + random.below(self.agents()))
    }

    /// Returns one of the banks.
    fn bank(&self, random: &mut Random) -> String {
        format!("BANK-{}", 1 + random.below(self.banks()))
    }
}

/// What was generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The files of records.
    pub files: u64,
    /// The records.
    pub events: u64,
    /// The frauds.
    pub frauds: u64,
}

/// Embeds files of the example.
macro_rules! example {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../../examples/fraud-population/", $name)))),*]
    };
}

/// The list of the numbers of call centres.
const CALL_CENTRES: &str = "lists/call-centres.csv";

/// The files of the example flow.
const FILES: [(&str, &str); 24] = example![
    "flow.toml",
    "asn1/population.asn1",
    "limits/closed-agents.csv",
    "limits/closed-lines.csv",
    "limits/risk.csv",
    "lists/call-centres.csv",
    "scripts/events.dup",
    "tables/banks.csv",
    "tables/risk.csv",
    "rules/codes-not-used.toml",
    "rules/collision.toml",
    "rules/internal.toml",
    "rules/irsf.toml",
    "rules/pbx.toml",
    "rules/premium.toml",
    "rules/roaming.toml",
    "rules/sim-box-device.toml",
    "rules/sim-box.toml",
    "rules/sim-swap.toml",
    "rules/sms-pumping.toml",
    "rules/spam.toml",
    "rules/subscription.toml",
    "rules/velocity.toml",
    "rules/wangiri.toml",
];

/// Writes the example's flow file, module, rules and their tables into a folder, and overwrites existing ones.
///
/// # Errors
///
/// A file or its folder could not be written.
pub fn write_flow(folder: &Path) -> Result<(), WriteError> {
    FILES.into_iter().try_for_each(|(name, text)| write(&folder.join(name), text.as_bytes()))
}

/// Writes records to `<folder>/in/<number>-<network element>.ber`, whose names are in the order of time, the frauds that are in them to
/// `truth.csv`, and the numbers of call centres to `lists/call-centres.csv`.
///
/// # Errors
///
/// A file or its folder could not be written.
///
/// # Panics
///
/// There are fewer subscribers or days, or more frauds, than [`Options`] allows.
pub fn generate(options: &Options, folder: &Path) -> Result<Generated, WriteError> {
    let mut scene = Scene::new(options);
    injected::inject(&mut scene);
    write_truth(folder, &scene.frauds)?;
    write(&folder.join(CALL_CENTRES), call_centres(&scene.network).as_bytes())?;
    let length = u64::from(options.file_minutes) * MINUTE;
    let mut files = Files::new(folder, options.start_second, length);
    let mut busy = Busy::default();
    for day in 0..options.days {
        let begin = options.start_second + u64::from(day) * DAY;
        live(&mut scene, begin);
        files.add(day_events(&mut scene, begin + DAY, &mut busy), begin + DAY)?;
    }
    files.end()?;
    let Files { files, events, .. } = files;
    Ok(Generated { files, events, frauds: scene.frauds.len() as u64 })
}

/// Adds what happens in a day in order.
fn live(scene: &mut Scene<'_>, begin: u64) {
    let Scene { options, network, happening, .. } = scene;
    let mut day = Day { options, network, happening, begin };
    for (place, of) in network.subscribers.iter().enumerate() {
        let stream = ((begin / DAY) << 32) | place as u64;
        life::live(place, of, &mut Random::new(options.seed, stream), &mut day);
    }
    business::work(&mut Random::new(options.seed, begin / DAY), &mut day);
}

/// Takes what happens before a time, with the records of calls.
fn day_events(scene: &mut Scene<'_>, end: u64, busy: &mut Busy) -> Vec<Event> {
    let happening = &mut scene.happening;
    let is_later = |time: u64| time >= end;
    let (later, mut calls): (Vec<Call>, Vec<Call>) =
        std::mem::take(&mut happening.calls).into_iter().partition(|call| is_later(call.time));
    let (events_later, mut events): (Vec<Event>, Vec<Event>) =
        std::mem::take(&mut happening.events).into_iter().partition(|of| is_later(of.time));
    (happening.calls, happening.events) = (later, events_later);
    calls.sort_by_key(|call| call.time);
    for call in calls {
        connect(call, &scene.network.subscribers, busy, &mut events);
    }
    events
}

/// Returns the list of the numbers of call centres.
fn call_centres(network: &Network) -> String {
    let of = network.subscribers.iter().filter(|of| of.life == Life::CallCentre);
    let row = |of: &Subscriber| format!("{},sales,a call centre\n", of.number);
    "key,source,because\n".to_owned() + &of.map(row).collect::<String>()
}
