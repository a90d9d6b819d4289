//! `tollgate bench scaling`: what more threads give, and what they cost in switches from one to the other.
//!
//! The experiments are those of the paper on the load balancing of the Billing Gateway (section 5), as far as one process
//! goes: there each thread more had the others wait for the heap.

use nix::sys::resource::{UsageWho, getrusage};

use super::folder::{Folder, make_journal, memory_folder};
use super::gateway::{SCRIPTED, Work, run};
use super::measure::{Found, Row};
use crate::command::run::PARTS;
use crate::command::{CommandError, Outcome};

/// Rounds of each measurement.
const ROUNDS: u32 = 5;

/// Threads for each processor at most, as in the paper (section 6).
const THREADS_MAX: usize = 4;

/// Arguments of `tollgate bench scaling`.
#[derive(Debug, clap::Args)]
pub(crate) struct Scaling {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Megabytes of simulated records
    #[arg(long, default_value_t = 512)]
    megabytes: u64,
    /// Megabytes of the records that are in one file, and in many. 0: none
    #[arg(long, default_value_t = 1000)]
    file_megabytes: u64,
}

/// So many threads.
struct Threads {
    threads: usize,
    row: Row,
    /// How often one gave up its processor by itself, in the fastest round.
    switches: u64,
}

impl Scaling {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let folder = Folder::removed(&memory_folder());
        eprintln!("simulating {} MB of records", self.megabytes);
        let work = Work::new(&folder.path, self.megabytes * 1_000_000)?;
        let threads = |threads: usize| {
            let name = format!("{threads} thread{}", if threads == 1 { "" } else { "s" });
            Threads { threads, row: work.row(&name), switches: 0 }
        };
        let mut all: Vec<Threads> = numbers(processors).into_iter().map(threads).collect();
        let mut chosen = Threads { threads: 0, row: work.row("as it chooses itself"), switches: 0 };
        for round in 1..=ROUNDS {
            eprint!("\rround {round} of {ROUNDS}");
            for threads in all.iter_mut().chain([&mut chosen]) {
                threads.measure(&work)?;
            }
        }
        eprintln!();
        let mut ratios = ratios(&all, &chosen);
        let rows = all.into_iter().chain([chosen]).map(|threads| threads.row);
        let mut rows: Vec<Row> = rows.collect();
        drop((work, folder));
        if self.file_megabytes > 0 {
            let [many, one] = files(self.file_megabytes * 1_000_000)?;
            ratios.push(("one_file_over_many".into(), one.over(&many)));
            rows.extend([many, one]);
        }
        Found { bench: "scaling", rows, ratios }.show(self.json)?;
        Ok(Outcome::Clean)
    }
}

/// The same records in many files, and in one that threads read together, as many as there are processors.
fn files(octets: u64) -> Result<[Row; 2], CommandError> {
    eprintln!("simulating {} MB of records for one file and for many", octets / 1_000_000);
    let folder = Folder::removed(&memory_folder());
    let many = Work::of_one(&folder.path.join("many"), octets)?;
    let one = many.joined(&folder.path.join("one"))?;
    let mut rows = [many.row("many files"), one.row("one file")];
    for round in 1..=ROUNDS {
        eprint!("\rround {round} of {ROUNDS}");
        for (work, row) in [&many, &one].into_iter().zip(&mut rows) {
            time(work, row, 0)?;
        }
    }
    eprintln!();
    Ok(rows)
}

/// One thread, two, four ... and as many as there are processors.
fn numbers(processors: usize) -> Vec<usize> {
    let doubled = std::iter::successors(Some(1), |threads| Some(threads * 2));
    let mut numbers: Vec<usize> =
        doubled.take_while(|threads| *threads <= THREADS_MAX * processors).collect();
    numbers.push(processors);
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

impl Threads {
    fn measure(&mut self, work: &Work) -> Result<(), CommandError> {
        let (before, fastest) = (switches()?, self.row.elapsed);
        time(work, &mut self.row, self.threads)?;
        if self.row.elapsed < fastest {
            self.switches = switches()?.saturating_sub(before);
        }
        Ok(())
    }
}

/// Has so many threads do the work anew.
fn time(work: &Work, row: &mut Row, threads: usize) -> Result<(), CommandError> {
    work.inputs()?;
    make_journal(&work.folder, SCRIPTED)?;
    let flow = work.folder.join(SCRIPTED);
    row.time(|| run(&flow, PARTS, threads))?;
    Ok(())
}

fn ratios(all: &[Threads], chosen: &Threads) -> Vec<(String, f64)> {
    let one = &all[0].row;
    let mut ratios: Vec<(String, f64)> = all[1..]
        .iter()
        .map(|of| (format!("threads_{}_over_1", of.threads), of.row.over(one)))
        .collect();
    let best = all.iter().map(|of| of.row.over(&chosen.row)).fold(0.0, f64::max);
    ratios.push(("best_over_chosen".into(), best));
    let thousands = chosen.row.records as f64 / 1000.0;
    ratios.push(("switches_per_1000_records".into(), chosen.switches as f64 / thousands));
    ratios
}

/// How often threads of this process have given up their processor by themselves, those that have ended too.
fn switches() -> Result<u64, CommandError> {
    let usage = getrusage(UsageWho::RUSAGE_SELF).map_err(std::io::Error::from)?;
    Ok(u64::try_from(usage.voluntary_context_switches()).unwrap_or(0))
}
