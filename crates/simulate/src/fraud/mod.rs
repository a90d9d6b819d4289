//! Files of indications of fraud for `examples/fraud`, as the simulator of Ericsson's Fraud Control Centre made them: five switches,
//! files of 20 events, ten kinds of events, and subscribers from 0000000001 to 0000099999, at random.

use std::path::Path;

use crate::file::{WriteError, write};
use crate::random::Random;
use crate::truth::{Fraud, write_truth};

/// The octets that a switch adds to an event: with them, it has about 250.
const DETAIL_OCTETS: usize = 190;

/// The kinds of events, of which a call that ends is one.
const KINDS: u32 = 10;
const CALL_RELEASE: u8 = 1;

/// The calls of a caller of [`Options::wangiri`], and the seconds between two.
const RINGS: u32 = 60;
const RING_SECONDS: u64 = 5;

/// What an event says.
#[derive(Clone, Copy, Debug)]
struct Event {
    kind: u8,
    time: u64,
    caller: Number,
    called: Number,
    cell: u32,
    seconds: u32,
}

/// A number of a subscriber, or of a caller from abroad.
#[derive(Clone, Copy, Debug)]
enum Number {
    Subscriber(u32),
    Abroad(u32),
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Subscriber(number) => write!(f, "{number:010}"),
            Number::Abroad(number) => write!(f, "0099{number:06}"),
        }
    }
}

/// What to generate.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The switches. Files are theirs in turn.
    pub switches: u32,
    /// The files.
    pub files: u32,
    /// The events of a file.
    pub events: u32,
    /// The subscribers, from 0000000001 on.
    pub subscribers: u32,
    /// The events a second of all switches, on average.
    pub a_second: f64,
    /// The share of events of one subscriber to one number.
    pub hot: f64,
    /// The share of events that are some minutes late.
    pub late: f64,
    /// The callers that ring many numbers and hang up, so that people call back: 60 calls each, one in five seconds.
    pub wangiri: u32,
    /// The same options and seed give the same octets, in every release.
    pub seed: u64,
    /// The time of the first event, in seconds since 1970.
    pub start_second: u64,
}

impl Default for Options {
    /// Returns what the paper has: 20 events of each of five switches in five seconds, from 5 January 2026, 08:00.
    fn default() -> Self {
        Options {
            switches: 5,
            files: 100,
            events: 20,
            subscribers: 99_999,
            a_second: 20.0,
            hot: 0.0,
            late: 0.0,
            wangiri: 0,
            seed: 1,
            start_second: 1_767_600_000,
        }
    }
}

/// Embeds files of the example.
macro_rules! example {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../../examples/fraud/", $name)))),*]
    };
}

/// The files of the example flow.
const FILES: [(&str, &str); 6] = example![
    "flow.toml",
    "asn1/events.asn1",
    "rules/two-in-a-minute.toml",
    "rules/same-number-twice.toml",
    "rules/thousand-an-hour.toml",
    "rules/wangiri.toml",
];

/// Writes the example's flow file, module and rules into a folder, and overwrites existing ones.
///
/// # Errors
///
/// A file or its folder could not be written.
pub fn write_flow(folder: &Path) -> Result<(), WriteError> {
    FILES.into_iter().try_for_each(|(name, text)| write(&folder.join(name), text.as_bytes()))
}

/// Writes the files to `<folder>/in/switch-<n>/<number>.ber`, and to `<folder>/truth.csv` the fraud that is in them. Returns how many
/// events they have.
///
/// # Errors
///
/// A file or its folder could not be written.
pub fn generate(options: &Options, folder: &Path) -> Result<u64, WriteError> {
    let (mut random, mut second) = (Random::new(options.seed, 0), options.start_second as f64);
    let mut injected = wangiri(options).into_iter().peekable();
    let mut octets = Vec::new();
    for number in 0..options.files {
        octets.clear();
        for _ in 0..options.events {
            // What is injected comes between the others, and in the place of some.
            let event = match injected.next_if(|event| event.time <= second as u64) {
                Some(event) => event,
                None => {
                    second += random.exponential(1.0 / options.a_second);
                    event(&mut random, options, second as u64)
                }
            };
            write_event(&mut octets, &event);
        }
        let switch = number % options.switches.max(1) + 1;
        write(&folder.join(format!("in/switch-{switch}/{number:08}.ber")), &octets)?;
    }
    write_truth(folder, &frauds(options))?;
    Ok(u64::from(options.files) * u64::from(options.events))
}

/// Returns when the calls of a caller of [`Options::wangiri`] begin.
fn wangiri_begin(options: &Options, number: u32) -> u64 {
    let seconds = f64::from(options.files) * f64::from(options.events) / options.a_second;
    let share = f64::from(number + 1) / f64::from(options.wangiri + 2);
    options.start_second + (seconds * share) as u64
}

/// Returns the calls of callers that ring many numbers and hang up, in the order of their times.
fn wangiri(options: &Options) -> Vec<Event> {
    let mut random = Random::new(options.seed, 1);
    let mut events = Vec::new();
    for number in 0..options.wangiri {
        let begin = wangiri_begin(options, number);
        events.extend((0..RINGS).map(|ring| Event {
            kind: CALL_RELEASE,
            time: begin + RING_SECONDS * u64::from(ring),
            caller: Number::Abroad(number),
            called: Number::Subscriber(1 + random.below(options.subscribers)),
            cell: 0,
            seconds: random.below(3),
        }));
    }
    events.sort_by_key(|event| event.time);
    events
}

/// Returns the frauds of [`Options::wangiri`].
fn frauds(options: &Options) -> Vec<Fraud> {
    let fraud = |number: u32| {
        let from = wangiri_begin(options, number);
        let to = from + RING_SECONDS * u64::from(RINGS);
        let about = vec![("caller", Number::Abroad(number).to_string())];
        Fraud { of: "wangiri", about, from, to }
    };
    (0..options.wangiri).map(fraud).collect()
}

/// Returns an event of a subscriber at random.
fn event(random: &mut Random, options: &Options, second: u64) -> Event {
    let mut number = || 1 + random.below(options.subscribers);
    let (caller, called) = (number(), number());
    let is_hot = random.chance(options.hot);
    let (caller, called) = if is_hot { (1, 2) } else { (caller, called) };
    let kind = random.below(KINDS) as u8;
    let cell = random.below(60_000);
    let seconds = random.exponential(90.0) as u32;
    let late = if random.chance(options.late) { 60 + u64::from(random.below(600)) } else { 0 };
    let (caller, called) = (Number::Subscriber(caller), Number::Subscriber(called));
    Event { kind, time: second - late, caller, called, cell, seconds }
}

/// Appends an event in BER.
fn write_event(to: &mut Vec<u8>, event: &Event) {
    let Event { kind, time, caller, called, cell, seconds } = event;
    let mut content = Vec::with_capacity(256);
    content.extend_from_slice(&[0x80, 1, *kind, 0x81, 5, 0]);
    content.extend_from_slice(&(*time as u32).to_be_bytes());
    for (tag, number) in [(0x82, caller), (0x83, called)] {
        content.extend_from_slice(&[tag, 10]);
        content.extend_from_slice(number.to_string().as_bytes());
    }
    for (tag, number) in [(0x84, cell), (0x85, seconds)] {
        content.extend_from_slice(&[tag, 3]);
        content.extend_from_slice(&number.to_be_bytes()[1..]);
    }
    content.extend_from_slice(&[0x86, 0x81, DETAIL_OCTETS as u8]);
    content.resize(content.len() + DETAIL_OCTETS, 0x5a);
    let length = u8::try_from(content.len()).expect("an event has less than 256 octets");
    to.extend_from_slice(&[0x30, 0x81, length]);
    to.extend_from_slice(&content);
}
