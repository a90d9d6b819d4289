//! `tollgate demo`: runs the example flow on simulated files with known faults and checks its account.

use std::path::PathBuf;
use std::sync::Arc;

use ::simulate::cdr::{Expected, Generated};
use flow::Report;
use gateway::RunOptions;

use crate::account::show;
use crate::example::write_example;
use crate::execute::Execute;
use crate::outcome::{CommandError, Outcome, mistakes};
use crate::product::PARTS;
use crate::progress::Progress;

/// Run simulated files with known faults through a flow and check the account
#[derive(Debug, clap::Parser)]
#[command(name = "demo", after_help = "Example:\n  tollgate demo /tmp/tollgate-demo")]
pub(crate) struct Demo {
    /// A new folder for the flow, its files and what becomes of them
    folder: PathBuf,
}

impl Execute for Demo {
    fn run(self) -> Result<Outcome, CommandError> {
        let files = write_example(&self.folder)?;
        let options = RunOptions::once();
        let flow = self.folder.join("flow.toml");
        let progress = Progress::of_gateway(Arc::clone(&options.meters));
        let report = gateway::run(&flow, PARTS, &options).map_err(mistakes)?;
        drop(progress);
        show(&report, &flow, usize::MAX)?;
        let faults = faults(&files, &report);
        for fault in &faults {
            tell!("{fault}");
        }
        if !faults.is_empty() {
            return Ok(Outcome::Faults);
        }
        say!()?;
        say!(
            "For every file, the records are the sum of the columns behind them, and every count, by file"
        )?;
        say!("and by receiver, is what the simulator says must come out.")?;
        Ok(Outcome::Clean)
    }
}

/// The number of records that a receiver must get from a file, as the simulator says.
type Count = fn(&Expected) -> u64;

/// Returns the differences between the account and what the simulator says must come out.
fn faults(files: &[Generated], report: &Report) -> Vec<String> {
    let mut faults = Vec::new();
    let mut compare = |what: String, expected: u64, found: u64| {
        if expected != found {
            faults.push(format!("{what}: expected {expected}, found {found}"));
        }
    };
    for Generated { path, expected } in files {
        let name = path.display();
        let account = report.files.iter().find(|file| path.ends_with(&file.file));
        let account = account.cloned().unwrap_or_default();
        let sum = account.delivered + account.filtered + account.suspended;
        compare(format!("{name}: the sum"), account.records, sum);
        compare(format!("{name}: records"), expected.records, account.records);
        compare(format!("{name}: in suspense"), expected.damaged.total(), account.suspended);
        let sound = expected.billable + expected.non_billable;
        compare(format!("{name}: delivered"), sound, account.delivered);
    }
    let receivers: [(&str, Count); 3] = [
        ("roaming-billing", |expected| expected.roaming),
        ("home-billing", |expected| expected.home),
        ("statistics", |expected| expected.non_billable),
    ];
    for (receiver, count) in receivers {
        let expected = files.iter().map(|file| count(&file.expected)).sum();
        let outputs = report.outputs.iter().filter(|out| out.post_processing_system == receiver);
        compare(format!("{receiver}: records"), expected, outputs.map(|out| out.records).sum());
    }
    faults
}
