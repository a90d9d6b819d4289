//! Files of indications of fraud for `examples/fraud`, as the simulator of Ericsson's Fraud Control Centre made them: five switches,
//! files of 20 events, ten kinds of events, and subscribers from 0000000001 to 0000099999, at random.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::random::Random;

/// The octets that a switch adds to an event: with them, it has about 250.
const DETAIL_OCTETS: usize = 190;

/// The kinds of events.
const KINDS: u32 = 10;

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
            seed: 1,
            start_second: 1_767_600_000,
        }
    }
}

/// A file or folder could not be written.
#[derive(Debug, thiserror::Error)]
#[error("could not write \"{}\"", path.display())]
pub struct WriteError {
    /// The path.
    pub path: PathBuf,
    /// The reason.
    #[source]
    pub cause: io::Error,
}

/// Embeds files of the example.
macro_rules! example {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../../examples/fraud/", $name)))),*]
    };
}

/// The files of the example flow.
const FILES: [(&str, &str); 5] = example![
    "flow.toml",
    "asn1/events.asn1",
    "rules/two-in-a-minute.toml",
    "rules/same-number-twice.toml",
    "rules/thousand-an-hour.toml",
];

/// Writes the example's flow file, module and rules into a folder, and overwrites existing ones.
///
/// # Errors
///
/// A file or its folder could not be written.
pub fn write_flow(folder: &Path) -> Result<(), WriteError> {
    FILES.into_iter().try_for_each(|(name, text)| write(&folder.join(name), text.as_bytes()))
}

/// Writes the files to `<folder>/switch-<n>/<number>.ber`. Returns how many events they have.
///
/// # Errors
///
/// A file or its folder could not be written.
pub fn generate(options: &Options, folder: &Path) -> Result<u64, WriteError> {
    let (mut random, mut second) = (Random::new(options.seed, 0), options.start_second as f64);
    let mut octets = Vec::new();
    for number in 0..options.files {
        octets.clear();
        for _ in 0..options.events {
            second += random.exponential(1.0 / options.a_second);
            write_event(&mut octets, &mut random, options, second as u64);
        }
        let switch = number % options.switches.max(1) + 1;
        write(&folder.join(format!("switch-{switch}/{number:08}.ber")), &octets)?;
    }
    Ok(u64::from(options.files) * u64::from(options.events))
}

fn write(path: &Path, octets: &[u8]) -> Result<(), WriteError> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = folder.and_then(|()| fs::write(path, octets));
    written.map_err(|cause| WriteError { path: path.to_owned(), cause })
}

/// Appends an event in BER.
fn write_event(to: &mut Vec<u8>, random: &mut Random, options: &Options, second: u64) {
    let mut number = || 1 + random.below(options.subscribers);
    let (caller, called) = (number(), number());
    let is_hot = random.chance(options.hot);
    let (caller, called) = if is_hot { (1, 2) } else { (caller, called) };
    let kind = random.below(KINDS) as u8;
    let cell = random.below(60_000);
    let late = if random.chance(options.late) { 60 + u64::from(random.below(600)) } else { 0 };
    let time = (second - late) as u32;
    let mut content = Vec::with_capacity(256);
    content.extend_from_slice(&[0x80, 1, kind, 0x81, 5, 0]);
    content.extend_from_slice(&time.to_be_bytes());
    for (tag, number) in [(0x82, caller), (0x83, called)] {
        content.extend_from_slice(&[tag, 10]);
        content.extend_from_slice(format!("{number:010}").as_bytes());
    }
    content.extend_from_slice(&[0x84, 3]);
    content.extend_from_slice(&cell.to_be_bytes()[1..]);
    content.extend_from_slice(&[0x85, 0x81, DETAIL_OCTETS as u8]);
    content.resize(content.len() + DETAIL_OCTETS, 0x5a);
    to.extend_from_slice(&[
        0x30,
        0x81,
        u8::try_from(content.len()).expect("an event has less than 256 octets"),
    ]);
    to.extend_from_slice(&content);
}
