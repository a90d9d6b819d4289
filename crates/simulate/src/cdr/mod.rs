//! Files of a switching centre's call data records for `examples/msc-billing`, each with the results that a correct
//! gateway must have.
//!
//! The damage has a certain result, however a reader resynchronizes:
//!
//! - *overrun*: an element inside a record claims to be longer than the record, whose own length is right;
//! - *flipped*: one bit of the record's own tag is flipped, so that it is no call data record;
//! - *truncated*: the file ends inside its last record.
//!
//! A damaged record contains no octet that could be the start of another, is never the first of its file, and is never
//! beside another damaged one: each is one entry in suspense and costs no neighbour.

mod encoder;
mod expected;
mod file;
mod time;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use expected::{Damaged, DurationSeconds, Expected};

/// Files are written in pieces of about this size, so that memory does not grow with them.
const WRITE_BYTES: usize = 1 << 20;

/// A switching centre.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Centre {
    /// Its name, which is also the name of its folder and the beginning of its files' names.
    pub name: String,
    /// Version of its records: 7, or 8 with a network call reference and a radio technology.
    pub version: u8,
}

/// What to generate.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Records in all files together, with damaged ones.
    pub count: u64,
    /// Minimum octets in all files together; overrides `count`.
    pub bytes: Option<u64>,
    /// Number of files, assigned to the centres in turn.
    pub files: u32,
    /// The same options and seed give the same octets, in every release.
    pub seed: u64,
    /// The switching centres.
    pub centres: Vec<Centre>,
    /// Share of records that are not paid: attempts without an answer.
    pub non_billable: f64,
    /// Share of records made by roaming subscribers, billable or not.
    pub roaming: f64,
    /// Mean time between two answered calls of a file, in seconds; exponentially distributed.
    pub arrival_seconds_mean: f64,
    /// Time of the first call, in seconds since 1970.
    pub start_second: u64,
    /// Share of records with an inner length beyond the record's end.
    pub overrun: f64,
    /// Share of records with a flipped bit in their tag.
    pub flipped: f64,
    /// Share of files that end inside their last record.
    pub truncated: f64,
    /// Share of records with an extension the module does not know. They are sound.
    pub unknown_extensions: f64,
    /// Share of records without their location, which may be absent. They are sound.
    pub without_location: f64,
}

impl Default for Options {
    /// Returns two centres, one of each version, without damage, from 5 January 2026, 08:00.
    fn default() -> Self {
        let centre = |name: &str, version| Centre { name: name.to_owned(), version };
        Options {
            count: 10_000,
            bytes: None,
            files: 4,
            seed: 1,
            centres: vec![centre("new-york", 7), centre("boston", 8)],
            non_billable: 0.2,
            roaming: 0.1,
            arrival_seconds_mean: 0.5,
            start_second: 1_767_600_000,
            overrun: 0.0,
            flipped: 0.0,
            truncated: 0.0,
            unknown_extensions: 0.0,
            without_location: 0.0,
        }
    }
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Its path. With `.expected.json` appended, it is the path of the expected results.
    pub path: PathBuf,
    /// The results that a gateway must have for it.
    pub expected: Expected,
}

/// The reason why no files could be generated.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An invalid option.
    #[error("{0}")]
    Options(String),
    /// A folder or file could not be written; a retry may help.
    #[error("could not write \"{}\"", path.display())]
    Write {
        /// The path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

/// Writes the files to `<folder>/<centre>/<centre>-<number>.ber`, each with its expected results beside it.
pub fn generate(options: &Options, folder: &Path) -> Result<Vec<Generated>, Error> {
    generate_watched(options, folder, &mut |_| ())
}

/// As [`generate`], and calls `written` again and again with the number of records in all files so far.
///
/// # Errors
///
/// The options do not fit, or a file could not be written.
pub fn generate_watched(
    options: &Options,
    folder: &Path,
    written: &mut dyn FnMut(u64),
) -> Result<Vec<Generated>, Error> {
    check(options)?;
    let (mut files, mut records) = (Vec::new(), 0);
    for number in 0..options.files {
        let file = write_file(options, folder, number, &mut |of_file| written(records + of_file))?;
        records += file.expected.records;
        files.push(file);
    }
    Ok(files)
}

/// Appends only the octets of file `number` (from 0) to `out`, for tests and benchmarks.
pub fn generate_in_memory(
    options: &Options,
    number: u32,
    out: &mut Vec<u8>,
) -> Result<Expected, Error> {
    check(options)?;
    if number >= options.files {
        return Err(Error::Options(format!("there is no file {number}, only {}", options.files)));
    }
    let mut generator = file::Generator::new(options, number);
    while generator.append(out, WRITE_BYTES) {}
    Ok(generator.expected)
}

fn write_file(
    options: &Options,
    folder: &Path,
    number: u32,
    written: &mut dyn FnMut(u64),
) -> Result<Generated, Error> {
    let centre = options.centre(number);
    let folder = folder.join(&centre.name);
    let name = format!("{}-{:05}.ber", centre.name, number + 1);
    let path = folder.join(&name);
    let could_not = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Write { path, source }
    };
    fs::create_dir_all(&folder).map_err(could_not(&folder))?;
    let mut generator = file::Generator::new(options, number);
    write_records(&mut generator, &path, written).map_err(could_not(&path))?;
    let beside = folder.join(format!("{name}.expected.json"));
    fs::write(&beside, generator.expected.to_json()).map_err(could_not(&beside))?;
    Ok(Generated { path, expected: generator.expected })
}

fn write_records(
    generator: &mut file::Generator,
    path: &Path,
    written: &mut dyn FnMut(u64),
) -> io::Result<()> {
    let mut target = File::create(path)?;
    let mut piece = Vec::with_capacity(WRITE_BYTES + 512);
    loop {
        piece.clear();
        let more = generator.append(&mut piece, WRITE_BYTES);
        target.write_all(&piece)?;
        written(generator.expected.records);
        if !more {
            return Ok(());
        }
    }
}

impl Options {
    fn centre(&self, number: u32) -> &Centre {
        &self.centres[number as usize % self.centres.len()]
    }
}

fn check(options: &Options) -> Result<(), Error> {
    let wrong = |text: String| Err(Error::Options(text));
    let shares = [
        ("non_billable", options.non_billable),
        ("roaming", options.roaming),
        ("overrun", options.overrun),
        ("flipped", options.flipped),
        ("truncated", options.truncated),
        ("unknown_extensions", options.unknown_extensions),
        ("without_location", options.without_location),
    ];
    if let Some((name, share)) = shares.iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
        return wrong(format!("the share \"{name}\" is {share}; it lies between 0 and 1"));
    }
    if options.overrun + options.flipped > 1.0 {
        return wrong("the shares \"overrun\" and \"flipped\" are more than 1 together".to_owned());
    }
    if options.files == 0 || options.centres.is_empty() {
        return wrong("at least one file and one switching centre are needed".to_owned());
    }
    if !(0.0..=86_400.0).contains(&options.arrival_seconds_mean) {
        return wrong("the mean time between calls lies between 0 and 86400 seconds".to_owned());
    }
    // TimeStamp has two digits for the year.
    if options.start_second > 4_000_000_000 {
        return wrong("the first call lies before the year 2096".to_owned());
    }
    for Centre { name, version } in &options.centres {
        if !matches!(version, 7 | 8) {
            return wrong(format!(
                "the centre \"{name}\" has version {version}; there are 7 and 8"
            ));
        }
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
        if name.is_empty() || !name.chars().all(plain) {
            return wrong(format!(
                "the centre \"{name}\" needs a name of letters, digits, - and _"
            ));
        }
    }
    Ok(())
}
