//! `tollgate tariff`: checks tariff plans, explains prices, manages counters and versions.

mod check;
mod counters;
mod explain;
mod plans;
mod versions;

use crate::execute::Execute;
use crate::outcome::{CommandError, Outcome};

/// Check tariff plans, and explain prices
#[derive(Debug, clap::Parser)]
#[command(name = "tariff")]
pub(crate) enum Tariff {
    /// Report every mistake of a tariff plan: overlaps, gaps, classes without a price, dates in the wrong order
    #[command(after_help = "Example:\n  tollgate tariff check tariff")]
    Check(check::CheckPlan),
    /// Price a usage and show each step on the way, with the line of the plan that says so
    #[command(
        after_help = "Examples:\n  tollgate tariff explain tariff --service telephony --from 0701234567 --to 0721234567 \\\n    --start \"2026-06-01 18:59:30 Europe/Stockholm\" --duration 60\n  tollgate tariff explain tariff --service data --from 0701234567 --start 2026-06-01T12:00:00Z --octets \"250 MB\" --json"
    )]
    Explain(Box<explain::Explain>),
    /// Show what the rating nodes of a flow have counted of a subscriber: bundles, and what was spent
    #[command(
        after_help = "Examples:\n  tollgate tariff counters flow.toml 46701234567\n  tollgate tariff counters flow.toml --move price cost --because \"the node has another name\""
    )]
    Counters(counters::Counters),
    /// Load a plan into a database, as the version that is valid from a moment on
    #[command(
        after_help = "Example:\n  tollgate tariff load tariff tariffs.db --valid-from \"2099-01-01 Europe/Stockholm\" --because \"new prices\""
    )]
    Load(versions::Load),
    /// List the versions of a database
    #[command(after_help = "Example:\n  tollgate tariff versions tariffs.db")]
    Versions(versions::Versions),
    /// Withdraw a version that has not begun
    #[command(
        after_help = "Example:\n  tollgate tariff withdraw tariffs.db 2 --because \"the prices are of another year\""
    )]
    Withdraw(versions::Withdraw),
    /// Write the files of a version into a folder
    #[command(after_help = "Example:\n  tollgate tariff take-out tariffs.db 1 tariff-of-before")]
    TakeOut(versions::TakeOut),
}

impl Execute for Tariff {
    fn run(self) -> Result<Outcome, CommandError> {
        match self {
            Tariff::Check(command) => command.run(),
            Tariff::Explain(command) => command.run(),
            Tariff::Counters(command) => command.run(),
            Tariff::Load(command) => command.run(),
            Tariff::Versions(command) => command.run(),
            Tariff::Withdraw(command) => command.run(),
            Tariff::TakeOut(command) => command.run(),
        }
    }
}
