//! `tollgate bench matching`: many open groups on a disk, with little memory.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use gateway::RunOptions;

use super::folder::Folder;
use super::measure::{Results, Row};
use crate::error::BenchError;
use crate::product::Product;

const MODULE: &str = "CALLS DEFINITIONS IMPLICIT TAGS ::= BEGIN
Half ::= SEQUENCE { call [0] INTEGER, place [1] INTEGER, rest [2] OCTET STRING }
END
";

const SCRIPT: &str = "INTEGER key(half CONST Half) { return half.call; }
BOOLEAN complete(halves CONST SEQUENCE OF Half) { return count(halves) == 2; }
NULL combine(halves CONST SEQUENCE OF Half, call Half) { call := halves[0]; }
";

/// The records of a file.
const FILE: u64 = 10_000;

/// The octets of a record that no node reads. With them it is about as long as a call data record.
const REST: usize = 120;

/// Arguments of `tollgate bench matching`.
#[derive(Debug, clap::Args)]
pub(crate) struct Matching {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Groups that are open at once
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..1 << 31))]
    groups: u64,
    /// Megabytes of memory that the flow allows its node
    #[arg(long, default_value_t = 256)]
    memory_megabytes: u64,
    /// Where it is done, with nothing else in it: the disk that is measured [default: a folder in the system's temporary folder, removed at the
    /// end]. It takes some 800 octets a group
    #[arg(long)]
    folder: Option<PathBuf>,
}

impl Matching {
    pub(super) fn measure(self, product: &Product, out: &mut dyn Write) -> Result<(), BenchError> {
        let folder = Folder::of(self.folder.as_deref(), &std::env::temp_dir())?;
        let folder = &folder.path;
        fs::create_dir_all(folder.join("in"))?;
        fs::write(folder.join("calls.asn1"), MODULE)?;
        fs::write(folder.join("calls.dup"), SCRIPT)?;
        fs::write(folder.join("flow.toml"), self.flow())?;
        let mut rows = Vec::new();
        let mut ratios = Vec::new();
        let before = memory_octets();
        for (place, name) in [(1, "groups that are begun"), (2, "groups that become complete")] {
            (product.stage)(&format!("{} {name}", self.groups));
            let octets = self.inputs(folder, place)?;
            let mut row = Row::new(name, self.groups, octets);
            row.time(|| self.work(product, folder))?;
            rows.push(row);
            if place == 1 {
                let journal = fs::metadata(folder.join("flow.state/journal.db"))?.len();
                let per_group = journal as f64 / self.groups as f64;
                ratios.push(("matching_octets_a_group".into(), per_group));
            }
        }
        let used = memory_octets().saturating_sub(before) as f64;
        let bound = (self.memory_megabytes * 1_000_000) as f64;
        ratios.push(("matching_memory_over_bound".into(), used / bound));
        Results { bench: "matching", rows, ratios }.show(self.json, out)?;
        Ok(())
    }

    fn flow(&self) -> String {
        let Matching { groups, memory_megabytes, .. } = self;
        format!(
            "[asn1]\nmodules = [\"calls.asn1\"]\n\
             [network-element.msc]\ncollect = {{ dir = \"in\", pattern = \"*.ber\" }}\n\
             decode = {{ type = \"CALLS.Half\" }}\n\
             [matching.calls]\nfrom = \"msc\"\nscript = \"calls.dup\"\n\
             wait = {{ arrival = \"365 days\" }}\nmemory = \"{memory_megabytes} MB\"\ngroups-max = {groups}\n\
             [post-processing-system.billing]\nfrom = \"calls\"\nencode = {{ codec = \"ber\" }}\n\
             deliver = {{ dir = \"out\" }}\n"
        )
    }

    /// Writes files with one half of each call. Returns their octets.
    fn inputs(&self, folder: &Path, place: u8) -> Result<u64, BenchError> {
        let old = SystemTime::now() - Duration::from_secs(3600);
        let mut octets = 0;
        for first in (0..self.groups).step_by(FILE as usize) {
            let path = folder.join(format!("in/{place}-{first:010}.ber"));
            let mut file = BufWriter::new(File::create(path)?);
            for call in first..self.groups.min(first + FILE) {
                file.write_all(&half(call, place))?;
            }
            let file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
            octets += file.metadata()?.len();
            file.set_modified(old)?;
        }
        Ok(octets)
    }

    fn work(&self, product: &Product, folder: &Path) -> Result<(), BenchError> {
        let report = gateway::run(&folder.join("flow.toml"), product.parts, &RunOptions::once())?;
        let processed: u64 = report.files.iter().map(|file| file.delivered + file.held).sum();
        match processed == self.groups {
            true => Ok(()),
            false => Err(BenchError::Processed { processed, records: self.groups }),
        }
    }
}

/// Returns a half of a call, in BER. Consecutive calls have keys that are far apart.
fn half(call: u64, place: u8) -> Vec<u8> {
    let call = (call as u32).wrapping_mul(2_654_435_761) & 0x7fff_ffff;
    let mut octets = vec![0x30, 0x81, (REST + 11) as u8, 0x80, 4];
    octets.extend(call.to_be_bytes());
    octets.extend([0x81, 1, place, 0x82, REST as u8]);
    octets.resize(octets.len() + REST, place);
    octets
}

/// Returns the peak memory of the process; 0 if the system does not tell it.
fn memory_octets() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1_024
}
