//! `tollgate bench charging`: measures calls that are asked for and paid, with durable accounts and with accounts in
//! memory alone.
//!
//! A call is two requests: one that reserves money, and one that pays. What is measured is processor time: the disk is
//! waited for, and other work goes on meanwhile. The time of durable accounts includes folding, until nothing is left
//! to fold.

mod answers;
mod append;
mod calls;
mod overload;
mod postgres;
mod requests;
mod start;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use accounts::Embedded;
use journal::{Folders, Journal, Schema};
use store::Versions;

use crate::error::BenchError;
use crate::folder::Folder;
use crate::measure::Results;
use crate::rating::large::Large;
use calls::{Calls, opened};

static SCHEMA: Schema = Schema {
    versions: Versions::new(&[journal::TABLES, accounts::TABLES]),
    newest_ms: |_| Ok(None),
    trusts_pauses: true,
};

/// Arguments of `tollgate bench charging`.
#[derive(Debug, clap::Args)]
pub(crate) struct Charging {
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Accounts
    #[arg(long, default_value_t = 100_000)]
    accounts: u64,
    /// Calls of a round
    #[arg(long, default_value_t = 50_000)]
    calls: u64,
    /// Requests that come together
    #[arg(long, default_value_t = 256)]
    batch: usize,
    /// Accounts of a system whose start and memory are measured; 0 leaves it out
    #[arg(long, default_value_t = 1_000_000)]
    start_accounts: u64,
    /// Seconds of ten times as many requests as can be answered; 0 leaves them out
    #[arg(long, default_value_t = 10)]
    overload_seconds: u64,
    /// Where the accounts are stored [default: a folder in the system's temporary folder, removed at the end]
    #[arg(long)]
    folder: Option<PathBuf>,
}

impl Charging {
    pub(super) fn measure(self, out: &mut dyn Write) -> Result<(), BenchError> {
        let disk = Folder::of(self.folder.as_deref(), &std::env::temp_dir())?;
        let mut ratios = Vec::new();
        // First, while this process has used little memory.
        if self.start_accounts > 0 {
            ratios.extend(start::measure(&folder(&disk.path, "start")?, self.start_accounts)?);
        }
        let large = Large::new();
        let (plan, _) = large.read()?;
        let mut calls = Calls::new(&large.calls, plan, (self.accounts, self.batch.max(1)));
        let durable = opened(&folder(&disk.path, "durable")?, self.accounts)?;
        let (mut rows, of_requests) = requests::measure(&calls, &durable, self.calls)?;
        ratios.extend(of_requests);
        ratios.extend(append::measure(&calls, &disk.path, self.calls)?);
        ratios.extend(answers::measure(&mut calls, (&durable, &disk.path), self.calls)?);
        let (of_postgres, over_sql) = postgres::measure(&mut calls, self.calls)?;
        rows.extend(of_postgres);
        ratios.extend(over_sql);
        if self.overload_seconds > 0 {
            let folder = folder(&disk.path, "overload")?;
            ratios.extend(overload::measure(&large, &folder, self.overload_seconds)?);
        }
        Results { bench: "charging", rows, ratios }.show(self.json, out)?;
        Ok(())
    }
}

/// Measurements that are no rows.
type Ratios = Vec<(String, f64)>;

/// Makes a folder for a part of the measurements.
fn folder(within: &Path, name: &str) -> Result<PathBuf, BenchError> {
    let path = within.join(name);
    std::fs::create_dir_all(&path)?;
    Ok(path)
}

/// Opens the accounts of a folder.
fn embedded(folder: &Path) -> Result<Embedded, BenchError> {
    let folders = Folders { state: folder, base: folder };
    let journal = Arc::new(Journal::open(folders, &SCHEMA, SystemTime::now)?);
    Ok(Embedded::open(journal)?)
}
