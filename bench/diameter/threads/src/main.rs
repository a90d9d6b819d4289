//! The experiments of Rantzow and Åkesson, "Performance evaluation of multithreading in a Diameter Credit Control Application"
//! (chapters 4.2 and 4.4 to 4.6): a server with its threads, whose queue, processors, copies and allocator are changed one at a time.
//!
//! Each connection has twenty workers, which read requests in turn, save each to a queue and answer it, and a thread that empties
//! the queue now and then. The variants take turns, and every other round is in the reverse order.

mod load;
mod message;
mod processor;
mod queue;
mod server;
mod sharing;

use std::error::Error;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use clap::Parser;

use crate::load::Load;
use crate::queue::QueueKind;
use crate::server::{Server, Variant};

#[derive(Parser)]
#[command(
    about = "A server with the threads of a thesis: what its queue, processors, copies and allocator cost"
)]
struct Arguments {
    /// Connections
    #[arg(long, default_value_t = 50)]
    connections: usize,
    /// Workers of each connection
    #[arg(long, default_value_t = 20)]
    workers: usize,
    /// Requests under way on each connection
    #[arg(long, default_value_t = 32)]
    depth: usize,
    /// Requests of a round
    #[arg(long, default_value_t = 200_000)]
    requests: usize,
    /// Rounds of each variant
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// The library of another allocator; may be given several times
    #[arg(long, value_name = "FILE")]
    allocator: Vec<PathBuf>,
    /// Be a server
    #[arg(long, hide = true)]
    serve: Option<Variant>,
}

/// A server of a variant, and its rounds.
struct Measured {
    name: String,
    process: Child,
    port: u16,
    /// Answers in a second.
    rates: Vec<f64>,
    /// Microseconds of the processor for a request.
    costs: Vec<f64>,
}

impl Drop for Measured {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    if let Some(variant) = arguments.serve {
        return Ok(Server::listen(variant, arguments.workers)?.serve()?);
    }
    let mut all = variants(&arguments)?;
    for round in 0..arguments.rounds {
        let count = all.len();
        for place in (0..count).map(|place| if round % 2 == 0 { place } else { count - 1 - place })
        {
            measure(&mut all[place], &arguments)?;
        }
    }
    println!("{:40} {:>12} {:>12} {:>8}", "", "answers/s", "µs/request", "rate");
    for of in &all {
        let (rate, cost) = (median(&of.rates), median(&of.costs));
        let ratios: Vec<f64> =
            of.rates.iter().zip(&all[0].rates).map(|(own, first)| own / first).collect();
        println!("{:40} {rate:12.0} {cost:12.2} {:8.2}", of.name, median(&ratios));
    }
    let threads = std::thread::available_parallelism()?.get();
    let [beside, apart] = sharing::measure(threads, arguments.rounds);
    println!("\n{:40} {:>12}", "", "ns/lock");
    println!("{:40} {beside:12.1}", "two locks in one line of the cache");
    println!("{:40} {apart:12.1}", "two locks with padding");
    Ok(())
}

/// Starts a server of each variant. The first one is what the others are compared with.
fn variants(arguments: &Arguments) -> Result<Vec<Measured>, Box<dyn Error>> {
    let best = Variant::default();
    let named = [
        ("unlocked list, memcpy", best),
        ("locked list", Variant { queue: QueueKind::LockedList, ..best }),
        ("locked vector", Variant { queue: QueueKind::LockedVector, ..best }),
        ("octets copied one by one", Variant { copies_octets: true, ..best }),
        ("each connection on one processor", Variant { is_pinned: true, ..best }),
    ];
    let mut all = Vec::new();
    for (name, variant) in named {
        all.push(start(name.to_owned(), variant, None, arguments)?);
    }
    for allocator in &arguments.allocator {
        let name = allocator.file_name().unwrap_or_default().to_string_lossy();
        let name = name.split('.').next().unwrap_or_default();
        all.push(start(format!("allocator {name}"), best, Some(allocator), arguments)?);
    }
    Ok(all)
}

fn start(
    name: String,
    variant: Variant,
    allocator: Option<&PathBuf>,
    arguments: &Arguments,
) -> Result<Measured, Box<dyn Error>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--serve", &variant.to_string(), "--workers", &arguments.workers.to_string()]);
    command.envs(allocator.map(|file| ("LD_PRELOAD", file)));
    let mut process = command.stdout(Stdio::piped()).spawn()?;
    let port = server::port_of(process.stdout.take().ok_or("the server has no output")?)?;
    Ok(Measured { name, process, port, rates: Vec::new(), costs: Vec::new() })
}

fn measure(of: &mut Measured, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let Arguments { connections, depth, requests, .. } = *arguments;
    let before = processor::time_of(of.process.id())?;
    let elapsed = Load { port: of.port, connections, depth, requests }.run()?;
    let took = processor::time_of(of.process.id())? - before;
    of.rates.push(requests as f64 / elapsed.as_secs_f64());
    of.costs.push(took.as_secs_f64() * 1e6 / requests as f64);
    Ok(())
}

/// Returns the value in the middle; 0 without one.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
