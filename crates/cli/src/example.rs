//! Writes the example flow with simulated records into a folder.

use std::path::Path;

use simulate::cdr::{Generated, Options, generate};
use simulate::example::write_flow;

use crate::outcome::CommandError;

/// The number of records in the example.
pub(crate) const RECORDS: u64 = 20_000;

/// Writes the example into a folder, which must be new or empty.
pub(crate) fn write_example(folder: &Path) -> Result<Vec<Generated>, CommandError> {
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
