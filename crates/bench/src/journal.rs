//! `tollgate bench journal`: what it costs that nothing is lost and nothing is twice.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::simulate::cdr::{Options, generate};
use ::simulate::example::write_flow;
use flow::{Parts, Report, RunOptions};

use super::folder::{Folder, make_journal, memory_folder};
use super::measure::{Found, Row};
use super::starting::starts;
use crate::error::BenchError;
use crate::product::Product;

/// Rounds of the measurement with large files.
const ROUNDS: u32 = 7;

/// Octets of a large file.
const LARGE: u64 = 10_000_000;

/// Records of a small file.
const SMALL: u64 = 20;

/// What a trace costs `tollgate bench transport` says.
const UNTRACED: &str = "\n[trace]\nenabled = false\n";

/// A check of records, before all others.
const CHECK: &str = r#"
[duplicate-check.calls]
from = ["msc-new-york", "msc-boston"]
type = "MSC.CallDataRecord"
key  = ["record.servedIMSI", "record.answerTime", "record.sequenceNumber"]
"#;

/// Arguments of `tollgate bench journal`.
#[derive(Debug, clap::Args)]
pub(crate) struct Journal {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Files of 10 MB for the measurement with large files, which is done in memory (/dev/shm); 0 leaves it out
    #[arg(long, default_value_t = 48)]
    large_files: u32,
    /// Files of 20 records for the measurement with small files; 0 leaves it out
    #[arg(long, default_value_t = 5_000)]
    small_files: u32,
    /// Files that the journal has of a gateway whose start is measured; 0 leaves it out
    #[arg(long, default_value_t = 1_000_000)]
    journaled_files: u32,
    /// Where small files are processed, and the large journal lies, with nothing else in it: the disk that is measured
    /// [default: a folder in the system's temporary folder, removed at the end]. Ext4 looks for a place for a new file longer while files were deleted within
    /// the last minutes
    #[arg(long)]
    folder: Option<PathBuf>,
}

impl Journal {
    pub(super) fn measure(self, product: &Product, out: &mut dyn Write) -> Result<(), BenchError> {
        let disk = Folder::of(self.folder.as_deref(), &std::env::temp_dir())?;
        let mut found = Found { bench: "journal", rows: Vec::new(), ratios: Vec::new() };
        if self.large_files > 0 {
            let fast = Folder::removed(&memory_folder());
            // One for each centre, at least.
            found = large_files(product, &fast.path, self.large_files.max(2))?;
        }
        if self.small_files > 0 {
            let small = small_files(product, &disk.path, self.small_files)?;
            let per_second = f64::from(self.small_files) / small.elapsed.as_secs_f64();
            found.rows.push(small);
            found.ratios.push(("small_files_per_second".into(), per_second));
        }
        if self.journaled_files > 0 {
            found.ratios.extend(starts(product, &disk.path, self.journaled_files)?);
        }
        found.show(self.json, out)?;
        Ok(())
    }
}

/// The example's flow and simulated files, so many in all.
struct Work {
    folder: PathBuf,
    records: u64,
    octets: u64,
}

impl Work {
    fn new(folder: &Path, options: &Options) -> Result<Self, BenchError> {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder)?;
        write_flow(folder)?;
        let flow = fs::read_to_string(folder.join("flow.toml"))? + UNTRACED;
        fs::write(folder.join("flow.toml"), &flow)?;
        let audited = audited(&flow);
        fs::write(folder.join("audited.toml"), &audited)?;
        let checked = audited.replace("[\"msc-new-york\", \"msc-boston\"]", "\"calls\"") + CHECK;
        fs::write(folder.join("checked.toml"), checked)?;
        let files = generate(options, &folder.join("in"))?;
        Ok(Work {
            folder: folder.into(),
            records: files.iter().map(|file| file.expected.records).sum(),
            octets: files.iter().map(|file| file.expected.bytes).sum(),
        })
    }

    fn row(&self, name: &str) -> Row {
        Row::new(name, self.records, self.octets)
    }

    /// Nothing of the last round is left, but the inputs.
    fn again(&self) -> std::io::Result<()> {
        for made in ["out", "flow.state", "audited.state", "checked.state"] {
            let _ = fs::remove_dir_all(self.folder.join(made));
        }
        for centre in ["new-york", "boston"] {
            for entry in fs::read_dir(self.folder.join("in").join(centre))? {
                let path = entry?.path();
                if path.extension().is_some_and(|extension| extension == "done") {
                    fs::rename(&path, path.with_extension(""))?;
                }
            }
        }
        Ok(())
    }

    fn run(
        &self,
        parts: Parts<'_>,
        flow: &str,
        workers: usize,
        unjournaled: bool,
    ) -> Result<Report, BenchError> {
        let report = flow::run(&self.folder.join(flow), parts, &options(workers, unjournaled))?;
        let delivered: u64 = report.files.iter().map(|file| file.delivered).sum();
        if delivered != self.records {
            return Err(BenchError::Delivered { delivered, records: self.records });
        }
        Ok(report)
    }
}

fn options(workers: usize, unjournaled: bool) -> RunOptions {
    RunOptions { workers, unjournaled, ..RunOptions::once() }
}

/// The flow, with a sum on both sides.
fn audited(flow: &str) -> String {
    let sum = "audit = { seconds = \"record.callDuration\" }\n";
    let mut audited = String::new();
    for line in flow.lines() {
        audited += line;
        audited.push('\n');
        let is_summed = line.starts_with("[network-element.")
            || line == "[post-processing-system.home-billing]"
            || line == "[post-processing-system.roaming-billing]";
        if is_summed {
            audited += sum;
        }
    }
    audited
}

/// Files of 10 MB, in memory, one worker: rounds take turns, so that a slow minute of the machine is everybody's.
fn large_files(product: &Product, folder: &Path, files: u32) -> Result<Found, BenchError> {
    eprintln!("simulating {files} files of 10 MB");
    let options = Options { bytes: Some(LARGE * u64::from(files)), files, ..Options::default() };
    let work = Work::new(folder, &options)?;
    let mut plain = work.row("10 MB files, without journal");
    let mut unsummed = work.row("10 MB files, journal");
    let mut journaled = work.row("10 MB files, journal and audit");
    let mut checked = work.row("and a duplicate check of records");
    for round in 0..ROUNDS as usize {
        eprint!("\rround {} of {ROUNDS}", round + 1);
        let mut ways = [
            (&mut plain, "flow.toml", true),
            (&mut unsummed, "flow.toml", false),
            (&mut journaled, "audited.toml", false),
            (&mut checked, "checked.toml", false),
        ];
        // What one leaves in caches and memory meets another each time.
        ways.rotate_left(round % 4);
        for (row, flow, unjournaled) in ways {
            work.again()?;
            // A gateway is started once and works for weeks: how long it takes to open the journal is not its speed.
            make_journal(product, &work.folder, flow)?;
            let report = work.run(product.parts, flow, 1, unjournaled)?;
            row.took(Duration::from_secs_f64(report.seconds));
        }
    }
    eprintln!();
    let ratios = vec![
        ("journal_alone_over_plain".into(), unsummed.over(&plain)),
        ("journaled_over_plain".into(), journaled.over(&plain)),
        ("checked_over_plain".into(), checked.over(&plain)),
    ];
    Ok(Found { bench: "journal", rows: vec![plain, unsummed, journaled, checked], ratios })
}

/// Files of twenty records, on a disk, each synced; as many workers as there are processors.
fn small_files(product: &Product, folder: &Path, files: u32) -> Result<Row, BenchError> {
    eprintln!("simulating {files} files of {SMALL} records");
    let options = Options { count: u64::from(files) * SMALL, files, ..Options::default() };
    let work = Work::new(folder, &options)?;
    let mut row = work.row("files of 20 records, on a disk");
    // Files written to just now would be waited for.
    std::thread::sleep(Duration::from_secs(1));
    row.time(|| work.run(product.parts, "audited.toml", 0, false))?;
    Ok(row)
}
