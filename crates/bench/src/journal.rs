//! `tollgate bench journal`: measures the cost of losing no record and delivering none twice.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::simulate::cdr::{Options, generate};
use ::simulate::example::write_flow;
use flow::Report;
use gateway::{Parts, RunOptions};

use super::folder::{Folder, make_journal, memory_folder};
use super::measure::{Results, Row};
use super::starting::starts;
use crate::error::BenchError;
use crate::product::Product;

/// The number of rounds with large files.
const ROUNDS: u32 = 7;

/// The octets of a large file.
const LARGE: u64 = 10_000_000;

/// The records of a small file.
const SMALL: u64 = 20;

/// Turns the trace off: `tollgate bench transport` measures its cost.
const UNTRACED: &str = "\n[trace]\nenabled = false\n";

/// A duplicate check of records, before all other nodes.
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
        let mut found = Results { bench: "journal", rows: Vec::new(), ratios: Vec::new() };
        if self.large_files > 0 {
            let fast = Folder::removed(&memory_folder());
            // At least one for each switching centre.
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

/// The example's flow and its simulated files.
struct JournalWork {
    folder: PathBuf,
    records: u64,
    octets: u64,
}

impl JournalWork {
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
        Ok(JournalWork {
            folder: folder.into(),
            records: files.iter().map(|file| file.expected.records).sum(),
            octets: files.iter().map(|file| file.expected.bytes).sum(),
        })
    }

    fn row(&self, name: &str) -> Row {
        Row::new(name, self.records, self.octets)
    }

    /// Removes everything that the last round made, and restores the inputs.
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
        let report = gateway::run(&self.folder.join(flow), parts, &options(workers, unjournaled))?;
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

/// Returns the flow with audit sums at its inputs and outputs.
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

/// Measures files of 10 MB, in memory, with one worker. The rounds take turns, so that a slow minute of the machine
/// affects all of them.
fn large_files(product: &Product, folder: &Path, files: u32) -> Result<Results, BenchError> {
    (product.stage)(&format!("simulating {files} files of 10 MB"));
    let options = Options { bytes: Some(LARGE * u64::from(files)), files, ..Options::default() };
    let work = JournalWork::new(folder, &options)?;
    let mut plain = work.row("10 MB files, without journal");
    let mut unsummed = work.row("10 MB files, journal");
    let mut journaled = work.row("10 MB files, journal and audit");
    let mut checked = work.row("and a duplicate check of records");
    for round in 0..ROUNDS as usize {
        (product.stage)(&format!("round {} of {ROUNDS}", round + 1));
        let mut variants = [
            (&mut plain, "flow.toml", true),
            (&mut unsummed, "flow.toml", false),
            (&mut journaled, "audited.toml", false),
            (&mut checked, "checked.toml", false),
        ];
        // Change the order each time: a run leaves traces in the caches and the memory for the next.
        variants.rotate_left(round % 4);
        for (row, flow, unjournaled) in variants {
            work.again()?;
            // A gateway starts once and runs for weeks, so the time to open the journal does not count.
            make_journal(product, &work.folder, flow)?;
            let report = work.run(product.parts, flow, 1, unjournaled)?;
            row.took(Duration::from_secs_f64(report.seconds));
        }
    }
    let ratios = vec![
        ("journal_alone_over_plain".into(), unsummed.over(&plain)),
        ("journaled_over_plain".into(), journaled.over(&plain)),
        ("checked_over_plain".into(), checked.over(&plain)),
    ];
    Ok(Results { bench: "journal", rows: vec![plain, unsummed, journaled, checked], ratios })
}

/// Measures files of 20 records on a disk, each synced, with as many workers as there are processors.
fn small_files(product: &Product, folder: &Path, files: u32) -> Result<Row, BenchError> {
    (product.stage)(&format!("simulating {files} files of {SMALL} records"));
    let options = Options { count: u64::from(files) * SMALL, files, ..Options::default() };
    let work = JournalWork::new(folder, &options)?;
    let mut row = work.row("files of 20 records, on a disk");
    // The gateway would wait for files that were written just now.
    std::thread::sleep(Duration::from_secs(1));
    row.time(|| work.run(product.parts, "audited.toml", 0, false))?;
    Ok(row)
}
