//! The work of gateway benchmarks: flows, and simulated files that are restored for each round.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use ::simulate::cdr::{Centre, Options, generate};
use ::simulate::example::write_flow;
use flow::Report;
use gateway::{Parts, RunOptions};

use super::measure::Row;
use crate::error::BenchError;

/// The number of files, so that several threads have work.
const FILES: u32 = 8;

/// A flow without scripts, which delivers its input.
const PLAIN: &str = r#"
[asn1]
modules = ["asn1/msc.asn1"]
[network-element.msc-new-york]
collect = { dir = "in/new-york", pattern = "*.ber" }
decode  = { type = "MSC.CallDataRecord" }
[network-element.msc-boston]
collect = { dir = "in/boston", pattern = "*.ber" }
decode  = { type = "MSC.CallDataRecord" }
[post-processing-system.billing]
from    = ["msc-new-york", "msc-boston"]
encode  = { type = "MSC.CallDataRecord" }
deliver = { dir = "out/plain" }
"#;

/// The drift monitors, appended to a flow.
const WATCHED: &str =
    "\n[network-element.msc-new-york.drift]\n[network-element.msc-boston.drift]\n";

/// The example's flow, with its scripts.
pub(super) const SCRIPTED: &str = "flow.toml";

/// The flows and simulated files. The last round may have marked files as done.
pub(super) struct Work {
    pub(super) folder: PathBuf,
    octets: u64,
    pub(super) records: u64,
}

impl Work {
    pub(super) fn new(folder: &Path, octets: u64) -> Result<Self, BenchError> {
        Self::of_files(folder, octets, FILES)
    }

    /// Creates the work with so many files.
    pub(super) fn of_files(folder: &Path, octets: u64, files: u32) -> Result<Self, BenchError> {
        Self::of(folder, (octets, files), &[("new-york", 7), ("boston", 8)])
    }

    /// Creates the work with files of one switching centre only.
    pub(super) fn of_one(folder: &Path, octets: u64) -> Result<Self, BenchError> {
        Self::of(folder, (octets, FILES), &[("new-york", 7)])
    }

    fn of(
        folder: &Path,
        (octets, files): (u64, u32),
        centres: &[(&str, u8)],
    ) -> Result<Self, BenchError> {
        Self::begin(folder)?;
        let centre = |(name, version): &(&str, u8)| {
            let name = (*name).to_owned();
            Centre { name, version: *version }
        };
        let options = Options {
            bytes: Some(octets),
            files,
            centres: centres.iter().map(centre).collect(),
            ..Options::default()
        };
        let files = generate(&options, &folder.join("in"))?;
        Ok(Work {
            folder: folder.into(),
            octets: files.iter().map(|file| file.expected.bytes).sum(),
            records: files.iter().map(|file| file.expected.records).sum(),
        })
    }

    /// Writes the flows, without files.
    fn begin(folder: &Path) -> Result<(), BenchError> {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder)?;
        write_flow(folder)?;
        for centre in ["new-york", "boston"] {
            fs::create_dir_all(folder.join("in").join(centre))?;
        }
        fs::write(folder.join("plain.toml"), PLAIN)?;
        fs::write(folder.join("plain-watched.toml"), format!("{PLAIN}{WATCHED}"))?;
        let scripted = fs::read_to_string(folder.join(SCRIPTED))?;
        Ok(fs::write(folder.join("watched.toml"), format!("{scripted}{WATCHED}"))?)
    }

    /// Returns the same records in one file.
    pub(super) fn joined(&self, folder: &Path) -> Result<Self, BenchError> {
        Self::begin(folder)?;
        let mut one = File::create(folder.join("in/new-york/one.ber"))?;
        for file in self.inputs()? {
            io::copy(&mut File::open(file)?, &mut one)?;
        }
        Ok(Work { folder: folder.into(), octets: self.octets, records: self.records })
    }

    pub(super) fn row(&self, name: &str) -> Row {
        Row::new(name, self.records, self.octets)
    }

    /// Returns the input files, with marks and results of an earlier run removed.
    pub(super) fn inputs(&self) -> io::Result<Vec<PathBuf>> {
        for folder in ["out", "flow.state", "plain.state", "plain-watched.state", "watched.state"] {
            let _ = fs::remove_dir_all(self.folder.join(folder));
        }
        let mut found = Vec::new();
        for centre in ["new-york", "boston"] {
            for entry in fs::read_dir(self.folder.join("in").join(centre))? {
                let path = entry?.path();
                match path.extension().and_then(|extension| extension.to_str()) {
                    Some("done") => {
                        let again = path.with_extension("");
                        fs::rename(&path, &again)?;
                        found.push(again);
                    }
                    Some("ber") => found.push(path),
                    _ => {}
                }
            }
        }
        Ok(found)
    }
}

/// Runs a flow once.
pub(super) fn run(flow: &Path, parts: Parts<'_>, workers: usize) -> Result<Report, BenchError> {
    let options = RunOptions { workers, ..RunOptions::once() };
    Ok(gateway::run(flow, parts, &options)?)
}
