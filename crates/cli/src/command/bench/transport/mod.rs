//! `tollgate bench transport`: what it costs to know where records came from, and to carry files from and to elsewhere.

mod trace;

use std::path::PathBuf;

use super::folder::{Folder, memory_folder};
use super::measure::Found;
use crate::command::{CommandError, Outcome};

/// Rounds of each measurement.
const ROUNDS: u32 = 7;

/// Arguments of `tollgate bench transport`.
#[derive(Debug, clap::Args)]
pub(crate) struct Transport {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Megabytes of simulated records
    #[arg(long, default_value_t = 256)]
    megabytes: u64,
    /// Where the work is done [default: in memory (/dev/shm) where there is such a folder, otherwise in the system's
    /// temporary folder; removed at the end]
    #[arg(long)]
    folder: Option<PathBuf>,
}

impl Transport {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let folder = match &self.folder {
            Some(folder) => Folder::kept(folder),
            None => Folder::removed(&memory_folder()),
        };
        let mut found = Found { bench: "transport", rows: Vec::new(), ratios: Vec::new() };
        trace::measure(&folder.path.join("trace"), self.megabytes * 1_000_000, &mut found)?;
        found.show(self.json)?;
        Ok(Outcome::Clean)
    }
}
