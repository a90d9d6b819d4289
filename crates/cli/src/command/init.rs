//! `tollgate init`: a runnable example flow with simulated records.

use std::path::{Path, PathBuf};

use ::simulate::cdr::{Generated, Options, generate};

use super::{CommandError, Outcome, called};

/// A file of the example, embedded.
macro_rules! example {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../../examples/msc-billing/", $name)))),*]
    };
}

/// The example flow, file by file.
const EXAMPLE: [(&str, &str); 8] = example![
    "flow.toml",
    "asn1/msc.asn1",
    "asn1/billing.asn1",
    "scripts/is_billable.dup",
    "scripts/is_roaming.dup",
    "scripts/roaming_v8.dup",
    "scripts/home_v8.dup",
    "scripts/unbilled.dup",
];

/// Records of the example.
const RECORDS: u64 = 20_000;

/// Arguments of `tollgate init`.
#[derive(Debug, clap::Args)]
pub(crate) struct Init {
    /// A new folder
    folder: PathBuf,
}

impl Init {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        let files = write_example(&self.folder)?;
        let shown = self.folder.display();
        say!("{shown}/flow.toml: two switching centres, two billing systems, statistics")?;
        say!("{shown}/asn1, {shown}/scripts: their records, and what is done with them")?;
        say!("{shown}/in: {RECORDS} simulated records in {} files, some damaged", files.len())?;
        say!("\nRun it:\n  {} run {shown}/flow.toml --once", called())?;
        Ok(Outcome::Clean)
    }
}

/// Writes the example into a folder that is new or empty.
pub(super) fn write_example(folder: &Path) -> Result<Vec<Generated>, CommandError> {
    let is_used = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if is_used {
        let message = format!("the folder \"{}\" is not empty; name a new one", folder.display());
        return Err(CommandError::Mistakes(message));
    }
    write_flow(folder)?;
    let options = Options {
        count: RECORDS,
        overrun: 0.002,
        flipped: 0.002,
        truncated: 0.5,
        unknown_extensions: 0.01,
        ..Options::default()
    };
    generate(&options, &folder.join("in")).map_err(CommandError::Simulate)
}

/// Writes the flow file, modules and scripts of the example.
pub(super) fn write_flow(folder: &Path) -> Result<(), CommandError> {
    for (name, text) in EXAMPLE {
        let path = folder.join(name);
        path.parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|cause| CommandError::WriteFile { path, cause })?;
    }
    Ok(())
}
