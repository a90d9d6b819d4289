//! `tollgate bench transport`: measures the cost of traces, and of carrying files from and to other machines.

mod bare;
mod sftp;
mod trace;

use std::io::Write;
use std::path::PathBuf;

use super::folder::{Folder, memory_folder};
use super::measure::Results;
use crate::error::BenchError;
use crate::product::{Log, Product};

/// Arguments of `tollgate bench transport`.
#[derive(Debug, clap::Args)]
pub(crate) struct Transport {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Megabytes of simulated records
    #[arg(long, default_value_t = 256)]
    megabytes: u64,
    /// How often each is measured, in turn
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Where the work is done: a folder with nothing else in it [default: in memory (/dev/shm) where there is such a folder, otherwise in the system's
    /// temporary folder; removed at the end]
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Serve this folder by SFTP, as the other machine of the measurement
    #[arg(long, hide = true)]
    serve: Option<PathBuf>,
}

impl Transport {
    pub(super) fn measure(self, product: &Product, out: &mut dyn Write) -> Result<(), BenchError> {
        (product.log)(Log::Warnings);
        if let Some(folder) = &self.serve {
            sftp::serve(folder, out)?;
            return Ok(());
        }
        let folder = Folder::of(self.folder.as_deref(), &memory_folder())?;
        let mut found = Results { bench: "transport", rows: Vec::new(), ratios: Vec::new() };
        let how_much = (self.megabytes * 1_000_000, self.rounds);
        trace::measure(product, &folder.path.join("trace"), how_much, &mut found)?;
        sftp::measure(product, &folder.path.join("sftp"), how_much, &mut found)?;
        found.show(self.json, out)?;
        Ok(())
    }
}
