//! `tollgate tariff`: plans of prices, checked and explained.

mod check;
mod explain;

use std::path::Path;

use diagnostics::counted;
use rating::Plan;

use super::{CommandError, Outcome};

/// What `tollgate tariff` can do.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Tariff {
    /// Report every mistake of a tariff plan: overlaps, gaps, classes without a price, dates in the wrong order
    #[command(after_help = "Example:\n  tollgate tariff check tariff")]
    Check(check::Check),
    /// Price a usage and show each step on the way, with the line of the plan that says so
    #[command(
        after_help = "Examples:\n  tollgate tariff explain tariff --service telephony --from 0701234567 --to 0721234567 \\\n    --start \"2026-06-01 18:59:30 Europe/Stockholm\" --duration 60\n  tollgate tariff explain tariff --service data --from 0701234567 --start 2026-06-01T12:00:00Z --octets \"250 MB\" --json"
    )]
    Explain(Box<explain::Explain>),
}

impl Tariff {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Tariff::Check(command) => command.run(),
            Tariff::Explain(command) => command.run(),
        }
    }
}

/// Reads a plan, and shows its mistakes.
fn read(folder: &Path) -> Result<Plan, CommandError> {
    let read = Plan::read(folder);
    for diagnostic in &read.diagnostics {
        eprintln!("{diagnostic}\n");
    }
    read.plan.ok_or_else(|| {
        let count = read.diagnostics.iter().filter(|found| found.is_error()).count();
        CommandError::Mistakes(format!("{} found", counted(count, "mistake")))
    })
}
