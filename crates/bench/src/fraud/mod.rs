//! `tollgate bench fraud`: rules over the indications of five switches, in large files and in small ones.

mod deletion;
mod memory;
mod rules;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::simulate::fraud::{Options, generate, write_flow};
use gateway::RunOptions;

use super::folder::{Folder, memory_folder};
use super::measure::{Results, Row};
use crate::error::BenchError;
use crate::product::Product;

/// The events of a small file, as in the paper.
const SMALL: u32 = 20;

/// The events of a large file: 5 MB.
const LARGE: u32 = 20_000;

/// The network elements of the flow.
const SWITCHES: u32 = 5;

/// Arguments of `tollgate bench fraud`.
#[derive(Debug, clap::Args)]
pub(crate) struct Fraud {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Events in large files, which are judged in memory (/dev/shm); 0 leaves them out
    #[arg(long, default_value_t = 2_000_000)]
    events: u32,
    /// The subscribers of them
    #[arg(long, default_value_t = 1_000_000)]
    subscribers: u32,
    /// Files of 20 events, on a disk; 0 leaves them out
    #[arg(long, default_value_t = 5_000)]
    small_files: u32,
    /// Subscribers of whom ten measures are in memory; 0 leaves them out
    #[arg(long, default_value_t = 1_000_000)]
    keys: u32,
    /// Events of a day in an index of keys that is deleted while others are judged, on a disk; 0 leaves that out
    #[arg(long, default_value_t = 10_000_000)]
    deleted: u32,
    /// How often each is measured
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Where small files are judged, with nothing else in it: the disk that is measured [default: a folder in the system's temporary
    /// folder, removed at the end]
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// What is measured of large files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    OneRule,
    Paper,
    Hot,
    Late,
    Indexed,
    Many,
    TenMeasures,
}

const CASES: [(Case, &str); 6] = [
    (Case::OneRule, "one rule"),
    (Case::Paper, "the paper's three rules"),
    (Case::Hot, "the same, all events of one pair"),
    (Case::Late, "the same, 5 % of the events late"),
    (Case::Indexed, "the same, with an index of keys"),
    (Case::Many, "1,000 rules"),
];

impl Fraud {
    pub(super) fn measure(self, product: &Product, out: &mut dyn Write) -> Result<(), BenchError> {
        let mut found = Results { bench: "fraud", rows: Vec::new(), ratios: Vec::new() };
        if self.events > 0 {
            self.large(product, &mut found)?;
        }
        if self.small_files > 0 {
            self.small(product, &mut found)?;
        }
        if self.keys > 0 {
            let octets = memory::octets_a_key(product, self.keys)?;
            found.ratios.push(("octets_a_key_with_ten_measures".to_owned(), octets));
        }
        if self.deleted > 0 {
            let disk = Folder::of(self.folder.as_deref(), &std::env::temp_dir())?;
            let rounds = self.rounds.max(1);
            deletion::measure(product, &disk.path, (self.deleted, rounds), &mut found)?;
        }
        found.show(self.json, out)?;
        Ok(())
    }

    /// Measures large files, in memory, with one worker.
    fn large(&self, product: &Product, found: &mut Results) -> Result<(), BenchError> {
        let fast = Folder::removed(&memory_folder());
        let files = (self.events / LARGE).max(1);
        let mut rows =
            CASES.map(|(_, name)| Row::new(name, u64::from(files) * u64::from(LARGE), 0));
        for round in 0..self.rounds.max(1) {
            (product.stage)(&format!("round {} of {}, large files", round + 1, self.rounds));
            // The order changes, since a run leaves traces in caches and memory for the next.
            for place in 0..CASES.len() {
                let place = (place + round as usize) % CASES.len();
                let (case, _) = CASES[place];
                let options = Options {
                    files,
                    events: LARGE,
                    subscribers: self.subscribers,
                    a_second: 1_000.0,
                    hot: if case == Case::Hot { 1.0 } else { 0.0 },
                    late: if case == Case::Late { 0.05 } else { 0.0 },
                    ..Options::default()
                };
                let work = Work::new(&fast.path, case, &options)?;
                rows[place].took(work.run(product, 1)?);
            }
        }
        let [one, paper, hot, late, indexed, many] = &rows;
        found.ratios.extend([
            ("rules_1000_over_1".to_owned(), many.over(one)),
            ("hot_key_over_uniform".to_owned(), hot.over(paper)),
            ("late_over_ordered".to_owned(), late.over(paper)),
            ("index_over_without".to_owned(), indexed.over(paper)),
        ]);
        found.rows.extend(rows);
        Ok(())
    }

    /// Measures files of 20 events, on a disk.
    fn small(&self, product: &Product, found: &mut Results) -> Result<(), BenchError> {
        let disk = Folder::of(self.folder.as_deref(), &std::env::temp_dir())?;
        let events = u64::from(self.small_files) * u64::from(SMALL);
        let mut rows = [
            Row::new("files of 20, on a disk, one thread", events, 0),
            Row::new("files of 20, on a disk, two threads", events, 0),
            Row::new("the same, all events of one pair", events, 0),
            Row::new("two threads, with an index of keys", events, 0),
        ];
        for round in 0..self.rounds.max(1) {
            (product.stage)(&format!("round {} of {}, small files", round + 1, self.rounds));
            for place in 0..rows.len() {
                let place = (place + round as usize) % rows.len();
                let hot = if place == 2 { 1.0 } else { 0.0 };
                let (files, events) = (self.small_files, SMALL);
                let options = Options { files, events, hot, ..Options::default() };
                let case = if place == 3 { Case::Indexed } else { Case::Paper };
                let work = Work::new(&disk.path, case, &options)?;
                rows[place].took(work.run(product, if place == 0 { 1 } else { 2 })?);
            }
        }
        let [one, two, hot, indexed] = &rows;
        found.ratios.extend([
            ("threads_2_over_1".to_owned(), two.over(one)),
            ("hot_small_files_over_uniform".to_owned(), hot.over(two)),
            ("index_small_files_over_without".to_owned(), indexed.over(two)),
        ]);
        found.rows.extend(rows);
        Ok(())
    }
}

/// A flow with its files.
struct Work {
    folder: PathBuf,
    events: u64,
}

impl Work {
    fn new(folder: &Path, case: Case, options: &Options) -> Result<Self, BenchError> {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder)?;
        let simulated = |error: ::simulate::WriteError| BenchError::WriteFile {
            path: error.path,
            cause: error.cause,
        };
        write_flow(folder).map_err(simulated)?;
        let flow = fs::read_to_string(folder.join("flow.toml"))? + "\n[trace]\nenabled = false\n";
        let flow = match case {
            // Whenever it is measured, no day of the events is over.
            Case::Indexed => flow.replace("\nrules ", "\nindex    = \"100000 days\"\nrules "),
            _ => flow,
        };
        fs::write(folder.join("flow.toml"), flow)?;
        match case {
            Case::OneRule => rules::one(&folder.join("rules"))?,
            Case::Many => rules::many(&folder.join("rules"))?,
            Case::TenMeasures => rules::ten_measures(&folder.join("rules"))?,
            // The example has one more.
            Case::Paper | Case::Hot | Case::Late | Case::Indexed => {
                fs::remove_file(folder.join("rules/wangiri.toml"))?;
            }
        }
        let events = generate(options, folder).map_err(simulated)?;
        fs::rename(folder.join("in"), folder.join("come"))?;
        Ok(Work { folder: folder.to_owned(), events })
    }

    /// Judges all files, and returns how long it took.
    fn run(&self, product: &Product, workers: usize) -> Result<Duration, BenchError> {
        self.make_journal(product)?;
        self.judge(product, workers)
    }

    /// Makes the journal, and lets the files come. A gateway makes its journal once in its life.
    fn make_journal(&self, product: &Product) -> Result<(), BenchError> {
        let inputs = self.folder.join("in");
        for switch in 1..=SWITCHES {
            fs::create_dir_all(inputs.join(format!("switch-{switch}")))?;
        }
        gateway::run(&self.flow(), product.parts, &RunOptions::once())?;
        fs::remove_dir_all(&inputs)?;
        Ok(fs::rename(self.folder.join("come"), &inputs)?)
    }

    fn flow(&self) -> PathBuf {
        self.folder.join("flow.toml")
    }

    /// Judges the files that have come, and returns how long it took.
    fn judge(&self, product: &Product, workers: usize) -> Result<Duration, BenchError> {
        // A gateway waits for files that were written just now.
        std::thread::sleep(Duration::from_secs(1));
        let options = RunOptions { workers, ..RunOptions::once() };
        let report = gateway::run(&self.flow(), product.parts, &options)?;
        let records: u64 = report.files.iter().map(|file| file.records).sum();
        if records != self.events {
            return Err(BenchError::Delivered { delivered: records, records: self.events });
        }
        Ok(Duration::from_secs_f64(report.seconds))
    }
}
