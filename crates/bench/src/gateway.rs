//! `tollgate bench gateway`: measures the whole way of a record, from file to file.
//!
//! The limit for comparison reads the same files, walks over every element, copies each record and writes the copy to a
//! file: no program that looks at every field can be faster.

use std::fs::{self, File};
use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use ::asn1::ber::header;
use gateway::Parts;
use processing::{KINDS, KINDS_INTERPRETED};

use super::folder::{Folder, make_journal, memory_folder};
use super::measure::Results;
#[cfg(feature = "plot")]
use super::measure::Row;
use super::walk::walk;
use super::work::{SCRIPTED, Work, run};
use crate::allocations;
use crate::error::BenchError;
use crate::product::Product;

/// Arguments of `tollgate bench gateway`.
#[derive(Debug, clap::Args)]
pub(crate) struct Gateway {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Megabytes of simulated records for the measurements of speed
    #[arg(long, default_value_t = 512)]
    megabytes: u64,
    /// How often each is measured, in turn
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Megabytes of the smaller input of the measurement of memory; the larger is ten times that. 0: none
    #[arg(long, default_value_t = 100)]
    memory_megabytes: u64,
    /// Where the work is done: a folder with nothing else in it [default: in memory (/dev/shm) where there is such a folder, so that it is
    /// not the disk that is measured, otherwise in the system's temporary folder; removed at the end]
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Measure instead what it costs that so many people look at the interface; of use with gigabytes of records, since
    /// they see figures once a second. They are one person, who has at most ten sessions
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=10))]
    viewers: Option<u16>,
    /// Draw the speeds too, into an SVG file
    #[cfg(feature = "plot")]
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Run a flow once and print the peak of this process's memory in octets
    #[arg(long, hide = true)]
    peak_of: Option<PathBuf>,
}

impl Gateway {
    pub(super) fn measure(self, product: &Product, out: &mut dyn Write) -> Result<(), BenchError> {
        if let Some(flow) = &self.peak_of {
            run(flow, product.parts, 1)?;
            writeln!(out, "{}", peak_memory()?)?;
            return Ok(());
        }
        let given = self.folder.as_deref();
        let fast = Folder::of(given, &memory_folder())?;
        let large = Folder::of(given, &std::env::temp_dir())?;
        if let Some(viewers) = self.viewers {
            let mut found = Results { bench: "gateway", rows: Vec::new(), ratios: Vec::new() };
            let octets = self.megabytes * 1_000_000;
            super::viewers::measure(
                product,
                &fast.path,
                (octets, self.rounds),
                viewers.into(),
                &mut found,
            )?;
            found.show(self.json, out)?;
            return Ok(());
        }
        let mut found = speed(product, &fast.path, (self.megabytes * 1_000_000, self.rounds))?;
        #[cfg(feature = "plot")]
        if let Some(file) = &self.plot {
            draw(file, &found.rows)?;
        }
        if let Some(allocations) = allocations_per_record(product, &fast.path)? {
            found.ratios.push(("allocations_per_record".into(), allocations));
        }
        if self.memory_megabytes > 0 {
            let octets = self.memory_megabytes * 1_000_000;
            let small = memory(product, &large.path, octets)?;
            let ten = memory(product, &large.path, octets * 10)?;
            (product.note)(&format!(
                "peak memory: {small} octets for {} MB, {ten} for ten times that",
                self.memory_megabytes
            ));
            found.ratios.push(("memory_1gb_over_100mb".into(), ten as f64 / small as f64));
        }
        found.show(self.json, out)?;
        Ok(())
    }
}

#[cfg(feature = "plot")]
fn draw(file: &Path, rows: &[Row]) -> Result<(), BenchError> {
    use super::plot::{Series, draw};
    let [_, plain, plain_2, interpreted, interpreted_2, scripted, scripted_2, ..] = rows else {
        unreachable!("these are the rows of `speed`")
    };
    let all_series = [
        Series { name: "no scripts", rows: [plain, plain_2] },
        Series { name: "scripts interpreted", rows: [interpreted, interpreted_2] },
        Series { name: "scripts in machine code", rows: [scripted, scripted_2] },
    ];
    draw(file, &all_series).map_err(|error| BenchError::WriteFile {
        path: file.into(),
        cause: std::io::Error::other(error.to_string()),
    })
}

/// Measures the speeds. The rounds of all measurements take turns, so that a slow minute of the machine affects all of
/// them.
fn speed(
    product: &Product,
    folder: &Path,
    (octets, rounds): (u64, u32),
) -> Result<Results, BenchError> {
    (product.stage)(&format!("simulating {} MB of records", octets / 1_000_000));
    let work = Work::new(folder, octets)?;
    let mut limit = work.row("walk and copy, 1 thread");
    let mut plain = work.row("decode, encode, 1 thread");
    let mut plain_2 = work.row("decode, encode, 2 threads");
    let mut interpreted = work.row("scripts interpreted, 1 thread");
    let mut interpreted_2 = work.row("scripts interpreted, 2 threads");
    let mut scripted = work.row("scripts in machine code, 1 thread");
    let mut scripted_2 = work.row("scripts in machine code, 2 threads");
    let mut plain_watched = work.row("decode, encode, drift, 1 thread");
    let mut watched = work.row("scripts in machine code, drift, 1 thread");
    for round in 1..=rounds {
        (product.stage)(&format!("round {round} of {rounds}"));
        let inputs = work.inputs()?;
        limit.time(|| walk_and_copy(&inputs, &work.folder.join("out")))?;
        for (row, flow, kinds, workers) in [
            (&mut plain, "plain.toml", KINDS, 1),
            (&mut plain_2, "plain.toml", KINDS, 2),
            (&mut interpreted, SCRIPTED, KINDS_INTERPRETED, 1),
            (&mut interpreted_2, SCRIPTED, KINDS_INTERPRETED, 2),
            (&mut scripted, SCRIPTED, KINDS, 1),
            (&mut scripted_2, SCRIPTED, KINDS, 2),
            (&mut plain_watched, "plain-watched.toml", KINDS, 1),
            (&mut watched, "watched.toml", KINDS, 1),
        ] {
            work.inputs()?;
            make_journal(product, &work.folder, flow)?;
            let parts = Parts { kinds, ..product.parts };
            let report = row.time(|| run(&work.folder.join(flow), parts, workers))?;
            let delivered: u64 = report.files.iter().map(|file| file.delivered).sum();
            if delivered != work.records {
                return Err(BenchError::Delivered { delivered, records: work.records });
            }
        }
    }
    let ratios = vec![
        ("limit_1".into(), plain.over(&limit)),
        ("scripted_1".into(), scripted.over(&limit)),
        ("threads_2_over_1".into(), plain_2.over(&plain)),
        ("scripted_threads_2_over_1".into(), scripted_2.over(&scripted)),
        ("interpreted_threads_2_over_1".into(), interpreted_2.over(&interpreted)),
        ("compiled_over_interpreted_1".into(), scripted.over(&interpreted)),
        ("compiled_over_interpreted_2".into(), scripted_2.over(&interpreted_2)),
        ("drift_over_plain_1".into(), plain_watched.over(&plain)),
        ("drift_over_scripted_1".into(), watched.over(&scripted)),
    ];
    let mut rows = vec![limit, plain, plain_2, interpreted, interpreted_2, scripted, scripted_2];
    rows.extend([plain_watched, watched]);
    Ok(Results { bench: "gateway", rows, ratios })
}

/// Walks over the elements of every file and copies it, record by record, as a gateway must: through a window, to a
/// file that is synced and then renamed.
fn walk_and_copy(inputs: &[PathBuf], folder: &Path) -> Result<u64, BenchError> {
    let mut elements = 0;
    let mut staged = transport::Staged::default();
    let mut window = Vec::new();
    for input in inputs {
        let name = input.file_name().unwrap_or_default();
        staged.begin(folder.join("copied").join(name));
        let mut file = File::open(input)?;
        let (mut start, mut at_end) = (0, false);
        window.clear();
        loop {
            if !at_end && window.len() - start < 64 * 1024 {
                window.drain(..start);
                start = 0;
                let read = (&mut file).take(256 * 1024).read_to_end(&mut window)?;
                at_end = read == 0;
            }
            if start == window.len() {
                break;
            }
            let found = header(&window, start, window.len()).map_err(BenchError::Damaged)?;
            elements += 1 + walk(&window, found.start, found.end).map_err(BenchError::Damaged)?;
            staged.buffer.extend_from_slice(&window[start..found.end]);
            start = found.end;
            staged.commit()?;
        }
        let written = staged.end()?;
        written.sync()?;
        transport::deliver(&written.keep())?;
    }
    Ok(elements)
}

/// Returns the allocations per additional record, from a run and one with twice the input. `None` in a build that does
/// not count them.
fn allocations_per_record(product: &Product, folder: &Path) -> Result<Option<f64>, BenchError> {
    if allocations::count().is_none() {
        return Ok(None);
    }
    let count = |octets| -> Result<(u64, u64), BenchError> {
        let work = Work::new(folder, octets)?;
        let (made, ran) = allocations::of(|| run(&work.folder.join(SCRIPTED), product.parts, 1));
        ran?;
        Ok((made.unwrap_or(0), work.records))
    };
    let (few, fewer_records) = count(20_000_000)?;
    let (many, records) = count(40_000_000)?;
    Ok(Some(many.saturating_sub(few) as f64 / (records - fewer_records) as f64))
}

/// Returns the peak memory of another process that runs the flow on so many octets.
fn memory(product: &Product, folder: &Path, octets: u64) -> Result<u64, BenchError> {
    (product.stage)(&format!("simulating {} MB of records to measure memory", octets / 1_000_000));
    let work = Work::new(folder, octets)?;
    peak_of(product, &work.folder.join(SCRIPTED))
}

/// Returns the peak memory of another process that runs a flow once.
pub(crate) fn peak_of(product: &Product, flow: &Path) -> Result<u64, BenchError> {
    let output = Command::new(&product.executable)
        .args(["bench", "gateway", "--peak-of"])
        .arg(flow)
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&output.stderr).into_owned();
    text.trim().parse().map_err(|_| BenchError::Memory(wrong))
}

/// Returns the peak memory of this process, in octets (`VmHWM`, Linux).
fn peak_memory() -> Result<u64, BenchError> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    Ok(kilobytes.ok_or(BenchError::MemoryUnknown)? * 1024)
}
