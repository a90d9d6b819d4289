//! `tollgate bench`: measures how fast this machine does Tollgate's work, as ratios to other work.
//!
//! [`Bench`] is the command with its arguments. The caller hands in the [`Product`] that it measures.
#![forbid(unsafe_code)]
// Results go to the writer of the caller.
#![deny(clippy::print_stdout)]

pub mod allocations;
mod charging;
mod codec;
mod diameter;
mod dup;
mod error;
mod folder;
mod fraud;
mod gateway;
mod journal;
mod matching;
mod measure;
mod measurements;
#[cfg(feature = "plot")]
mod plot;
mod product;
mod rating;
mod scaling;
mod starting;
mod state;
mod transport;
mod viewers;
mod walk;
mod work;

use std::io::Write;

pub use error::BenchError;
pub use product::{Log, Product};

/// Measure how fast this machine does Tollgate's work
#[derive(Debug, clap::Parser)]
#[command(name = "bench")]
pub struct Bench {
    #[command(subcommand)]
    subject: Subject,
}

/// What can be measured.
#[derive(Debug, clap::Subcommand)]
enum Subject {
    /// The codec alone: decode, decode and encode, beside a bare walk over the same elements
    #[command(after_help = "Example:\n  tollgate bench codec --json")]
    Codec(codec::Codec),
    /// Charging: calls that are asked for and paid, with durable accounts and with accounts in memory alone
    #[command(after_help = "Example:\n  tollgate bench charging --json")]
    Charging(charging::Charging),
    /// Credit control over Diameter: what a request costs, beside an echo, and beside servers of others
    #[command(
        after_help = "Examples:\n  tollgate bench diameter --json\n  tollgate bench diameter --peer go=127.0.0.1:3869,4711"
    )]
    Diameter(diameter::Diameter),
    /// Scripts: machine code, the interpreter, and the same written by hand
    #[command(after_help = "Example:\n  tollgate bench dup --json")]
    Dup(dup::Dup),
    /// Fraud: rules over the events of switches, many of them, with keys of all files, in large files and in small ones
    #[command(after_help = "Example:\n  tollgate bench fraud --json")]
    Fraud(fraud::Fraud),
    /// The gateway: files in, decoded, filtered, formatted, encoded, files out, beside walking and copying
    #[command(after_help = "Example:\n  tollgate bench gateway --json")]
    Gateway(gateway::Gateway),
    /// The journal: speed with it and without it, how many small files a second are synced and noted, and how long a
    /// gateway takes to start that has done a million
    #[command(after_help = "Example:\n  tollgate bench journal --json")]
    Journal(journal::Journal),
    /// Files of performance measurements: the parser, and records, beside a search for the results
    #[command(after_help = "Example:\n  tollgate bench measurements --json")]
    Measurements(measurements::Measurements),
    /// Rating by a plan of 100,000 prefixes, beside decoding, and beside the same plan in SQLite
    #[command(after_help = "Example:\n  tollgate bench rating --json")]
    Rating(rating::Rating),
    /// Threads, processes and groups: what more of them give and cost, and what the gateway chooses itself
    #[command(after_help = "Example:\n  tollgate bench scaling --json")]
    Scaling(scaling::Scaling),
    /// Transfers and traces: what it costs to fetch files from another machine and deliver them to one, and to know where each record came from
    #[command(after_help = "Example:\n  tollgate bench transport --json")]
    Transport(transport::Transport),
    /// Matching: groups of records that are open, by the million, with little memory
    #[command(after_help = "Example:
  tollgate bench matching --groups 1000000 --json")]
    Matching(matching::Matching),
    /// Keyed state in memory: a million keys, changed by records of files, beside rows of SQLite
    #[command(after_help = "Example:\n  tollgate bench state --keys 100000 --json")]
    State(state::State),
}

impl Bench {
    /// Measures a program, and writes the result to `out`. The product shows its progress.
    ///
    /// # Errors
    ///
    /// Fails if the work cannot be done, or has a wrong result: then its speed means nothing.
    pub fn measure(self, product: &Product, out: &mut dyn Write) -> Result<(), BenchError> {
        // These set up their own logs.
        if !matches!(
            self.subject,
            Subject::Diameter(_) | Subject::Scaling(_) | Subject::Transport(_)
        ) {
            (product.log)(Log::Console);
        }
        match self.subject {
            Subject::Charging(bench) => bench.measure(out),
            Subject::Codec(bench) => bench.measure(product, out),
            Subject::Diameter(bench) => bench.measure(product, out),
            Subject::Dup(bench) => bench.measure(out),
            Subject::Fraud(bench) => bench.measure(product, out),
            Subject::Gateway(bench) => bench.measure(product, out),
            Subject::Journal(bench) => bench.measure(product, out),
            Subject::Measurements(bench) => bench.measure(product, out),
            Subject::Rating(bench) => bench.measure(out),
            Subject::Matching(bench) => bench.measure(product, out),
            Subject::State(bench) => bench.measure(product, out),
            Subject::Transport(bench) => bench.measure(product, out),
            Subject::Scaling(bench) => bench.measure(product, out),
        }
    }
}
