//! `tollgate demo`: simulated files with known faults through a flow, the account checked.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ::simulate::cdr::{Generated, Options, generate};
use flow::{Report, RunOptions};

use super::{CommandError, Outcome};

/// The example flow, file by file.
const EXAMPLE: [(&str, &str); 2] = [
    ("flow.toml", include_str!("../../../../examples/msc-billing/json.toml")),
    ("asn1/msc.asn1", include_str!("../../../../examples/msc-billing/asn1/msc.asn1")),
];

/// Arguments of `tollgate demo`.
#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// A new folder for the flow, its files and what becomes of them
    folder: PathBuf,
}

impl Demo {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        for (name, text) in EXAMPLE {
            write(&self.folder.join(name), text)?;
        }
        let options = Options {
            count: 20_000,
            overrun: 0.002,
            flipped: 0.002,
            truncated: 0.5,
            unknown_extensions: 0.01,
            ..Options::default()
        };
        let files = generate(&options, &self.folder.join("in")).map_err(CommandError::Simulate)?;
        let options = RunOptions {
            once: true,
            workers: 0,
            stop: Arc::new(AtomicBool::new(false)),
            log: |line| eprintln!("{line}"),
        };
        let flow = self.folder.join("flow.toml");
        let report = flow::run(&flow, super::run::PARTS, &options).map_err(super::run::mistakes)?;
        super::run::show(&report);
        Ok(judge(&files, &report))
    }
}

fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(std::fs::write(path, text)?)
}

/// Holds the account against what the simulator says must be found.
fn judge(files: &[Generated], report: &Report) -> Outcome {
    let mut outcome = Outcome::Clean;
    for Generated { path, expected } in files {
        let found = report.files.iter().find(|file| path.ends_with(&file.file));
        let found = found.map(|file| (file.records, file.delivered, file.suspended));
        let damaged = expected.damaged.total();
        let wanted = (expected.records, expected.records - damaged, damaged);
        if found != Some(wanted) {
            eprintln!("{}: expected {wanted:?}, found {found:?}", path.display());
            outcome = Outcome::Faults;
        }
    }
    if outcome == Outcome::Clean {
        println!("Every count is what the simulator says: records = delivered + suspended.");
    }
    outcome
}
