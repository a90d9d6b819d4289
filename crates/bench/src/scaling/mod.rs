//! `tollgate bench scaling`: measures the gain and the cost of more threads, processes and groups.
//!
//! The experiments are those of the paper on the load balancing of the Billing Gateway (section 5): one process with
//! more and more threads, processes with one thread each, both together, and four network elements of uneven load in
//! groups. In the paper, each further thread made the others of its process wait for the heap. Configurations for which
//! this machine has too few processors are simulated with the measured times.

mod grouping;
mod kernel;
mod killed;
mod lines;
mod moments;
mod one_file;
#[cfg(feature = "plot")]
mod plot;
mod shown;
mod simulation;
mod work;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gateway::RunOptions;

use super::folder::{Folder, memory_folder};
use super::measure::Row;
use crate::error::BenchError;
use crate::product::Product;
use grouping::groupings;
use kernel::{Counted, Load};
use moments::Listener;
use simulation::{SimulatedMachine, Times, simulate};
use work::ScalingWork;

/// The maximum number of threads per processor, as in the paper (section 6).
const THREADS_MAX: usize = 4;

/// The factors on this machine's processors for which a machine is simulated.
const SIMULATED: [usize; 5] = [1, 2, 4, 8, 16];

/// The processors of the paper's machine, for which ways of grouping are simulated.
const PAPER_PROCESSORS: usize = 4;

/// Arguments of `tollgate bench scaling`.
#[derive(Debug, clap::Args)]
pub(crate) struct Scaling {
    /// One JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Megabytes of simulated records
    #[arg(long, default_value_t = 1_000)]
    megabytes: u64,
    /// How often each configuration is measured; the fastest round of each counts
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Draw the figures too, into an SVG file
    #[cfg(feature = "plot")]
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

impl Scaling {
    pub(super) fn measure(self, product: &Product, out: &mut dyn Write) -> Result<(), BenchError> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let folder = Folder::removed(&memory_folder());
        let listener = Listener::start(product.log);
        (product.stage)(&format!("simulating {} MB of records", self.megabytes));
        let work = ScalingWork::new(&folder.path, self.megabytes * 1_000_000, processors)?;
        let mut all = configurations(&work, processors)?;
        for round in 1..=self.rounds.max(1) {
            (product.stage)(&format!("round {round} of {}", self.rounds));
            for one in &mut all {
                one.measure(product, &work, &listener)?;
            }
        }
        let flow = work.flow("killed", &[])?;
        let killed = killed::seconds(product, &work, &flow, self.rounds.max(1))?;
        let mut found = ScalingResults::of(all, &work, processors);
        found.ratios.push(("killed_worker_seconds".into(), killed));
        let (folder, octets) = (folder.path.join("files"), self.megabytes * 1_000_000);
        let ratio = one_file::one_over_many(product, &folder, octets, self.rounds.max(1))?;
        found.ratios.push(("one_file_over_many".into(), ratio));
        let ratio = lines::padded_over_together(processors.max(2), self.rounds.max(1));
        found.ratios.push(("padded_over_together".into(), ratio));
        #[cfg(feature = "plot")]
        if let Some(file) = &self.plot {
            plot::draw(file, &found).map_err(|error| BenchError::WriteFile {
                path: file.into(),
                cause: std::io::Error::other(error.to_string()),
            })?;
        }
        found.show(self.json, out)?;
        Ok(())
    }
}

/// The kind of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// A number of processes with a number of threads each.
    Crew { processes: usize, threads: usize },
    /// What the gateway chooses by default.
    Chosen,
    /// A way of grouping, by its number.
    Groups(usize),
}

/// A configuration, and its fastest round.
struct Measured {
    sort: Sort,
    flow: PathBuf,
    row: Row,
    /// The time until the work was steady, on average over the threads or processes.
    begins: Duration,
    counted: Counted,
    load: Option<Load>,
    /// The times per file, if one thread did everything.
    times: Option<Times>,
}

/// Returns all configurations to measure, in the order in which they take turns.
fn configurations(work: &ScalingWork, processors: usize) -> Result<Vec<Measured>, BenchError> {
    let plain = work.flow("plain", &[])?;
    let measured = |sort, name: &str, flow: &Path| Measured {
        sort,
        flow: flow.into(),
        row: work.row(name),
        begins: Duration::ZERO,
        counted: Counted::default(),
        load: None,
        times: None,
    };
    let numbers = numbers(processors);
    let mut all = Vec::new();
    for processes in numbers.iter().copied() {
        for threads in numbers.iter().copied() {
            if processes * threads <= THREADS_MAX * processors {
                let sort = Sort::Crew { processes, threads };
                all.push(measured(sort, &crew_name(processes, threads), &plain));
            }
        }
    }
    all.push(measured(Sort::Chosen, "as it chooses itself", &plain));
    for grouping in groupings(processors) {
        let flow = work.flow(&format!("grouped-{}", grouping.number), &grouping.groups)?;
        all.push(measured(Sort::Groups(grouping.number), grouping.name, &flow));
    }
    Ok(all)
}

/// Returns one, two, four and so on, and the number of processors.
fn numbers(processors: usize) -> Vec<usize> {
    let doubled = std::iter::successors(Some(1), |number| Some(number * 2));
    let mut numbers: Vec<usize> =
        doubled.take_while(|number| *number <= THREADS_MAX * processors).collect();
    numbers.push(processors);
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

fn crew_name(processes: usize, threads: usize) -> String {
    let threads = format!("{threads} thread{}", if threads == 1 { "" } else { "s" });
    match processes {
        1 => threads,
        _ => format!("{processes} processes, {threads} each"),
    }
}

impl Measured {
    fn measure(
        &mut self,
        product: &Product,
        work: &ScalingWork,
        listener: &Listener,
    ) -> Result<(), BenchError> {
        work.anew()?;
        let (processes, workers) = match self.sort {
            Sort::Crew { processes, threads } => (processes, threads),
            Sort::Chosen | Sort::Groups(_) => (0, 0),
        };
        let options = RunOptions {
            processes,
            workers,
            program: product.process.clone(),
            ..RunOptions::once()
        };
        listener.take();
        let start = Instant::now();
        let (counted, report) = Counted::of(|| gateway::run(&self.flow, product.parts, &options))?;
        work.delivered_all(&report?)?;
        let moments = listener.take();
        let Some(steady) = moments.steady() else { return Ok(()) };
        let elapsed = steady.end.duration_since(steady.begin);
        if elapsed < self.row.elapsed {
            self.row.elapsed = elapsed;
            self.begins = steady.begin.duration_since(start);
            self.load = counted.load(steady.begin, steady.end);
            self.counted = counted;
            let is_alone = self.sort == Sort::Crew { processes: 1, threads: 1 };
            self.times = if is_alone { moments.times() } else { None };
        }
        Ok(())
    }

    /// Returns a count per thousand records.
    fn per_thousand(&self, count: u64) -> f64 {
        count as f64 * 1000.0 / self.row.records as f64
    }
}

/// The measurements and simulations.
struct ScalingResults {
    processors: usize,
    measured: Vec<Measured>,
    simulated: Vec<Simulated>,
    ratios: Vec<(String, f64)>,
}

/// The simulation of another machine.
struct Simulated {
    name: String,
    processors: usize,
    #[cfg_attr(not(feature = "plot"), expect(dead_code, reason = "the picture is ordered by it"))]
    sort: Sort,
    records_per_second: f64,
    load: f64,
}

impl ScalingResults {
    fn of(measured: Vec<Measured>, work: &ScalingWork, processors: usize) -> Self {
        let times = measured.iter().find_map(|one| one.times.as_ref());
        let simulated = times.map(|times| simulations(times, work, processors)).unwrap_or_default();
        let ratios = ratios(&measured);
        ScalingResults { processors, measured, simulated, ratios }
    }
}

/// Simulates as many threads as processors, then the ways of grouping.
fn simulations(times: &Times, work: &ScalingWork, processors: usize) -> Vec<Simulated> {
    let records_a_file = work.records as f64 / work.files as f64;
    let simulated =
        |name: String, processors, sort, done: simulation::SimulationResult| Simulated {
            name,
            processors,
            sort,
            records_per_second: done.files as f64 * records_a_file / done.seconds,
            load: done.load,
        };
    let mut all = Vec::new();
    for processors in SIMULATED.map(|times| times * processors) {
        // The work grows with the processors, so that the last files matter as little.
        let elements = work.elements(processors, |_| 0);
        let site = SimulatedMachine { processors, threads: &[processors], elements: &elements };
        let sort = Sort::Crew { processes: 1, threads: processors };
        let done = simulate(&site, times);
        all.push(simulated(crew_name(1, processors), processors, sort, done));
    }
    let mut machines = vec![processors, PAPER_PROCESSORS];
    machines.dedup();
    for processors in machines {
        for grouping in groupings(processors) {
            let done = grouping.simulated(processors, work, times);
            all.push(simulated(
                grouping.name.into(),
                processors,
                Sort::Groups(grouping.number),
                done,
            ));
        }
    }
    all
}

/// Returns the ratios: the goals, and others of interest.
fn ratios(measured: &[Measured]) -> Vec<(String, f64)> {
    let crew = |one: &Measured| match one.sort {
        Sort::Crew { processes, threads } => Some((processes, threads)),
        _ => None,
    };
    let of = |wanted: (usize, usize)| measured.iter().find(|one| crew(one) == Some(wanted));
    let chosen = measured.iter().find(|one| one.sort == Sort::Chosen);
    let (Some(one), Some(chosen)) = (of((1, 1)), chosen) else { return Vec::new() };
    let mut ratios = Vec::new();
    for more in measured.iter().filter_map(crew) {
        let name = match more {
            (1, 1) => continue,
            (1, threads) => format!("threads_{threads}_over_1"),
            (processes, 1) => format!("processes_{processes}_over_1"),
            _ => continue,
        };
        ratios.extend(of(more).map(|more| (name, more.row.over(&one.row))));
    }
    let crews = measured.iter().filter(|one| crew(one).is_some());
    let best = crews.map(|one| one.row.over(&chosen.row)).fold(0.0, f64::max);
    ratios.push(("best_over_chosen".into(), best));
    let switches = chosen.per_thousand(chosen.counted.waits);
    ratios.push(("switches_per_1000_records".into(), switches));
    ratios
}
