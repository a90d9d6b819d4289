//! `tollgate bench diameter`: measures what a request of credit control costs a server, beside a server that only echoes, and
//! beside those of others.
//!
//! What is measured is the processor time of the server's process for a request, while a client sends as many requests as are
//! answered. A session has four: the first one, two updates, and the last one. All servers of a run take turns, so that a slow
//! spell of the machine meets all of them.
//!
//! | server | what it does |
//! |---|---|
//! | echo | finds the ends of messages, and writes an answer that was written before |
//! | granting | charges accounts, as the next one does, and stores nothing |
//! | charging | `tollgate charge run`: what it answers is stored |
//! | charging, no log | the same without the last messages of each connection |
//!
//! The codec is measured alone, too: it writes and reads the request of a session that goes on.

mod codec;
mod echo;
mod load;
#[cfg(feature = "plot")]
mod plot;
mod requests;
mod server;
mod serving;
mod site;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::error::BenchError;
use crate::folder::{Folder, memory_folder};
use crate::measure::{Results, Row};
use crate::product::{Log, Product};
use load::{Load, Measured, Pace};
use server::{Peer, Server};
use serving::Serving;

/// The requests of each connection that are under way.
const DEPTHS: [usize; 2] = [4, 32];

/// A row is about so many requests, however many a round has.
const COUNTED: u64 = 1_000_000;

/// The requests of the paper's experiment, and its connections.
const PAPER_REQUESTS: u64 = 3_000_000;

/// Arguments of `tollgate bench diameter`.
#[derive(Debug, clap::Args)]
pub(crate) struct Diameter {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Connections
    #[arg(long, default_value_t = 50)]
    connections: usize,
    /// Accounts
    #[arg(long, default_value_t = 100_000)]
    accounts: u64,
    /// Rounds of each server
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Seconds of a round
    #[arg(long, default_value_t = 2)]
    seconds: u64,
    /// Another server that runs already, as NAME=ADDRESS,PID; may be given several times
    #[arg(long, value_name = "SERVER")]
    peer: Vec<Peer>,
    /// The library of another allocator, which "granting" is measured with, too; may be given several times
    #[arg(long, value_name = "FILE")]
    allocator: Vec<PathBuf>,
    /// Send 3,000,000 requests to "charging" at last, as a paper does, and say how long that takes
    #[arg(long)]
    paper: bool,
    /// Only write and read so many requests, and print the nanoseconds of one and the sum of all values
    #[arg(long, value_name = "REQUESTS")]
    codec: Option<u32>,
    /// Where accounts are stored [default: a folder in memory, removed at the end]
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Draw the rows to a file, in SVG
    #[cfg(feature = "plot")]
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Be one of the servers
    #[arg(long, hide = true, value_parser = Serving::read)]
    serve: Option<Serving>,
}

/// What a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Echo,
    Granting,
    /// Granting with another allocator.
    Allocator,
    Charging,
    ChargingWithoutLog,
    /// One of others.
    Peer,
}

/// A server and what was measured of it.
struct Measurement {
    kind: Kind,
    server: Server,
    /// The rows at each depth.
    rows: [Row; DEPTHS.len()],
    /// Those with what is done behind the answers.
    all_in: [Row; DEPTHS.len()],
    /// The requests at a depth.
    requests: u64,
    /// The most requests that it answered in a second.
    per_second: f64,
    /// How long 99 of 100 answers took at half of the load of "granting".
    waits: Vec<Duration>,
}

impl Measurement {
    fn of(kind: Kind, server: Server) -> Self {
        let row = |depth: usize, more: &str| {
            Row::new(format!("{}{more}, depth {depth}", server.name), COUNTED, 0)
        };
        let rows = DEPTHS.map(|depth| row(depth, ""));
        let all_in = DEPTHS.map(|depth| row(depth, ", all in"));
        Measurement { kind, server, rows, all_in, requests: 0, per_second: 0.0, waits: Vec::new() }
    }

    /// Returns whether the server has something to do behind its answers.
    fn is_durable(&self) -> bool {
        matches!(self.kind, Kind::Charging | Kind::ChargingWithoutLog)
    }
}

impl Diameter {
    pub(super) fn measure(self, product: &Product, out: &mut dyn Write) -> Result<(), BenchError> {
        // Each connection would have a line.
        (product.log)(Log::Warnings);
        if let Some(serving) = &self.serve {
            return serving.serve();
        }
        if let Some(count) = self.codec {
            return codec::measure(count, out);
        }
        let folder = Folder::of(self.folder.as_deref(), &memory_folder())?;
        let mut all = self.servers(product, &folder.path)?;
        let codec = self.codec_row()?;
        let mut run = Run { bench: &self, next_session: 0 };
        for (place, depth) in DEPTHS.into_iter().enumerate() {
            let mut begun = Vec::new();
            for of in &mut all {
                of.requests = 0;
                begun.push(of.server.processor_time()?);
            }
            for round in 0..self.rounds {
                (product.stage)(&format!("depth {depth}: round {} of {}", round + 1, self.rounds));
                // Every other round is in the reverse order.
                let count = all.len();
                let order = |of: usize| if round % 2 == 0 { of } else { count - 1 - of };
                for of in (0..count).map(order) {
                    run.round(&mut all[of], place)?;
                }
            }
            (product.stage)(&format!("depth {depth}: what is done behind the answers"));
            for (of, begun) in all.iter_mut().zip(begun).filter(|(of, _)| of.is_durable()) {
                of.server.catch_up()?;
                let scale = COUNTED as f64 / of.requests as f64;
                of.all_in[place].took((of.server.processor_time()? - begun).mul_f64(scale));
            }
        }
        (product.stage)("waits at half of the load");
        let half = measured(&all, Kind::Granting).per_second / 2.0;
        for _ in 0..self.rounds {
            for of in all.iter_mut().filter(|of| matches!(of.kind, Kind::Echo | Kind::Granting)) {
                let (measured, _) = run.load(&of.server, Pace::PerSecond(half))?;
                of.waits.push(measured.wait(0.99));
            }
        }
        let mut ratios = ratios(&all);
        ratios.extend(run.allocations(measured(&all, Kind::Granting))?);
        if self.paper {
            (product.stage)("the requests of the paper");
            let seconds = run.paper(measured(&all, Kind::Charging))?;
            ratios.push(("paper_seconds".to_owned(), seconds));
        }
        let rows = all.into_iter().flat_map(|of| {
            let all_in = of.all_in.into_iter().filter(Row::has_rounds);
            of.rows.into_iter().chain(all_in)
        });
        let rows: Vec<Row> = rows.chain([codec]).collect();
        #[cfg(feature = "plot")]
        if let Some(file) = &self.plot {
            plot::draw(file, &rows).map_err(|error| BenchError::WriteFile {
                path: file.clone(),
                cause: std::io::Error::other(error.to_string()),
            })?;
        }
        Results { bench: "diameter", rows, ratios }.show(self.json, out)?;
        Ok(())
    }

    /// Measures the codec alone.
    fn codec_row(&self) -> Result<Row, BenchError> {
        let mut row = Row::new("codec", COUNTED, 0);
        for _ in 0..self.rounds {
            row.time(|| codec::write_and_read(COUNTED as u32))?;
        }
        Ok(row)
    }

    /// Starts all servers.
    fn servers(&self, product: &Product, folder: &Path) -> Result<Vec<Measurement>, BenchError> {
        let make = |name: &str, settings: &str| {
            (product.stage)(&format!("{name}: {} accounts", self.accounts));
            site::make(&folder.join(name), self.accounts, settings)
        };
        let echo = Server::serving("echo", product, Path::new("echo"), None)?;
        let granting = make("granting", "")?;
        let granting = Server::serving("granting", product, &granting, None)?;
        let mut all =
            vec![Measurement::of(Kind::Echo, echo), Measurement::of(Kind::Granting, granting)];
        for (place, allocator) in self.allocator.iter().enumerate() {
            let name =
                allocator.file_stem().map_or_else(String::new, |of| of.to_string_lossy().into());
            let name = name.split('.').next().unwrap_or_default().to_owned();
            let site = make(&format!("allocator-{place}"), "")?;
            let server = Server::serving(&name, product, &site, Some(allocator))?;
            all.push(Measurement::of(Kind::Allocator, server));
        }
        let charging = Server::charging("charging", product, &make("charging", "")?)?;
        all.push(Measurement::of(Kind::Charging, charging));
        let without = make("charging-no-log", "message-log = \"off\"\n")?;
        let without = Server::charging("charging, no log", product, &without)?;
        all.push(Measurement::of(Kind::ChargingWithoutLog, without));
        let peers = self.peer.iter().map(Server::running);
        all.extend(peers.map(|peer| Measurement::of(Kind::Peer, peer)));
        Ok(all)
    }
}

/// Returns the one measurement of a kind that there is always.
fn measured(all: &[Measurement], kind: Kind) -> &Measurement {
    all.iter().find(|of| of.kind == kind).expect("it is measured always")
}

fn ratios(all: &[Measurement]) -> Vec<(String, f64)> {
    let of = |kind| measured(all, kind);
    let (echo, granting, charging) = (of(Kind::Echo), of(Kind::Granting), of(Kind::Charging));
    let others = |kind| all.iter().filter(move |of| of.kind == kind);
    let mut ratios = Vec::new();
    for (place, depth) in DEPTHS.into_iter().enumerate() {
        let mut add = |name: &str, slower: &Measurement, faster: &Measurement| {
            let over = faster.rows[place].over_in_turn(&slower.rows[place]);
            ratios.push((format!("{name}_depth_{depth}"), over));
        };
        add("charging_over_echo", granting, echo);
        add("durable_over_granting", charging, granting);
        add("message_log_cost", charging, of(Kind::ChargingWithoutLog));
        for other in others(Kind::Allocator).chain(others(Kind::Peer)) {
            add(&format!("{}_over_granting", other.server.name), other, granting);
        }
        for peer in others(Kind::Peer) {
            let over = charging.all_in[place].over(&peer.rows[place]);
            ratios.push((format!("{}_over_charging_depth_{depth}", peer.server.name), over));
        }
    }
    let p99 = |of: &Measurement| median(of.waits.clone());
    ratios.push(("wait_over_echo".to_owned(), p99(granting).div_duration_f64(p99(echo))));
    ratios
}

/// Returns an error with the server that it is about.
fn of_server(name: &str, error: BenchError) -> BenchError {
    match error {
        BenchError::Answer { answer } => BenchError::Answer { answer: format!("{name}: {answer}") },
        error => error,
    }
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort_unstable();
    all.get(all.len() / 2).copied().unwrap_or_default()
}

/// The rounds that run.
struct Run<'b> {
    bench: &'b Diameter,
    /// The number of the next session: no two of a run are the same.
    next_session: u64,
}

/// How long a server has until it knows its last peers, too. Erlang/OTP ignores the requests of one that is not in its table
/// yet, behind an answer which says that it is connected.
const SETTLES: Duration = Duration::from_millis(100);

/// The sessions of a round at most.
const SESSIONS_MAX: u64 = 1 << 32;

impl Run<'_> {
    /// Connects to a server.
    fn connect(&mut self, server: &Server) -> Result<Load, BenchError> {
        let (connections, accounts) = (self.bench.connections, self.bench.accounts);
        self.next_session += SESSIONS_MAX;
        let load = Load::connect(server.address, (connections, accounts), self.next_session)?;
        thread::sleep(SETTLES);
        Ok(load)
    }

    /// Sends requests to a server. Returns what was measured, and the processor time of the server.
    fn load(&mut self, server: &Server, pace: Pace) -> Result<(Measured, Duration), BenchError> {
        let mut load = self.connect(server)?;
        let before = server.processor_time()?;
        let measured = load.run(pace, Duration::from_secs(self.bench.seconds));
        let measured = measured.map_err(|error| of_server(&server.name, error))?;
        let took = server.processor_time()? - before;
        load.disconnect();
        Ok((measured, took))
    }

    fn round(&mut self, of: &mut Measurement, place: usize) -> Result<(), BenchError> {
        let (measured, took) = self.load(&of.server, Pace::Depth(DEPTHS[place]))?;
        of.rows[place].took(took.mul_f64(COUNTED as f64 / measured.requests as f64));
        of.per_second =
            of.per_second.max(measured.requests as f64 / measured.elapsed.as_secs_f64());
        of.requests += measured.requests;
        Ok(())
    }

    /// Returns how many allocations a request took, if they are counted.
    fn allocations(&mut self, of: &Measurement) -> Result<Option<(String, f64)>, BenchError> {
        let mut load = self.connect(&of.server)?;
        let within = Duration::from_secs(self.bench.seconds);
        let depth = Pace::Depth(DEPTHS[DEPTHS.len() - 1]);
        // Memory is there after the first requests.
        load.run(depth, within)?;
        let Some(before) = of.server.allocations()? else { return Ok(None) };
        let measured = load.run(depth, within)?;
        let count = of.server.allocations()?.unwrap_or_default() - before;
        load.disconnect();
        Ok(Some(("request_allocations".to_owned(), count as f64 / measured.requests as f64)))
    }

    /// Returns how many seconds the requests of the paper take.
    fn paper(&mut self, of: &Measurement) -> Result<f64, BenchError> {
        let mut load = self.connect(&of.server)?;
        let (mut done, mut seconds) = (0, 0.0);
        while done < PAPER_REQUESTS {
            let measured = load.run(Pace::Depth(32), Duration::from_secs(self.bench.seconds))?;
            done += measured.requests;
            seconds += measured.elapsed.as_secs_f64();
        }
        load.disconnect();
        // The last round may have had more than was left.
        Ok(seconds * PAPER_REQUESTS as f64 / done as f64)
    }
}
