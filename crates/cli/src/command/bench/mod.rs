//! `tollgate bench`: how fast this machine does Tollgate's work, as ratios to what it is compared with.

mod codec;
mod dup;
mod folder;
mod gateway;
mod journal;
mod matching;
mod measure;
#[cfg(feature = "plot")]
mod plot;
mod rating;
mod scaling;
mod starting;
mod transport;
mod viewers;

use crate::execute::Execute;
use crate::logging;
use crate::outcome::{CommandError, Outcome};

/// Measure how fast this machine does Tollgate's work
#[derive(Debug, clap::Parser)]
#[command(name = "bench")]
pub(crate) enum Bench {
    /// The codec alone: decode, decode and encode, beside a bare walk over the same elements
    #[command(after_help = "Example:\n  tollgate bench codec --json")]
    Codec(codec::Codec),
    /// Scripts: machine code, the interpreter, and the same written by hand
    #[command(after_help = "Example:\n  tollgate bench dup --json")]
    Dup(dup::Dup),
    /// The gateway: files in, decoded, filtered, formatted, encoded, files out, beside walking and copying
    #[command(after_help = "Example:\n  tollgate bench gateway --json")]
    Gateway(gateway::Gateway),
    /// The journal: speed with it and without it, how many small files a second are synced and noted, and how long a
    /// gateway takes to start that has done a million
    #[command(after_help = "Example:\n  tollgate bench journal --json")]
    Journal(journal::Journal),
    /// Rating by a plan of 100,000 prefixes, beside decoding, and beside the same plan in SQLite
    #[command(after_help = "Example:\n  tollgate bench rating --json")]
    Rating(rating::Rating),
    /// Threads, processes and groups: what more of them give and cost, and what the gateway chooses itself
    #[command(after_help = "Example:\n  tollgate bench scaling --json")]
    Scaling(scaling::Scaling),
    /// Roads and traces: what it costs to carry files from and to elsewhere, and to know where each record came from
    #[command(after_help = "Example:\n  tollgate bench transport --json")]
    Transport(transport::Transport),
    /// Matching: groups of records that are open, by the million, with little memory
    #[command(after_help = "Example:
  tollgate bench matching --groups 1000000 --json")]
    Matching(matching::Matching),
}

impl Execute for Bench {
    const HAS_OWN_LOG: bool = true;

    fn run(self) -> Result<Outcome, CommandError> {
        if !matches!(self, Bench::Scaling(_) | Bench::Transport(_)) {
            logging::console();
        }
        match self {
            Bench::Codec(command) => command.run(),
            Bench::Dup(command) => command.run(),
            Bench::Gateway(command) => command.run(),
            Bench::Journal(command) => command.run(),
            Bench::Rating(command) => command.run(),
            Bench::Matching(command) => command.run(),
            Bench::Transport(command) => command.run(),
            Bench::Scaling(command) => command.run(),
        }
    }
}
