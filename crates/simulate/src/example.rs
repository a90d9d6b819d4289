//! The embedded flow of `examples/msc-billing`, which processes the files of [`cdr`](crate::cdr).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Embeds files of the example.
macro_rules! example {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../examples/msc-billing/", $name)))),*]
    };
}

/// The files of the example flow.
const FILES: [(&str, &str); 8] = example![
    "flow.toml",
    "asn1/msc.asn1",
    "asn1/billing.asn1",
    "scripts/is_billable.dup",
    "scripts/is_roaming.dup",
    "scripts/roaming_v8.dup",
    "scripts/home_v8.dup",
    "scripts/unbilled.dup",
];

/// A file of the example could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write \"{}\"", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    #[source]
    pub cause: io::Error,
}

/// Writes the flow file `flow.toml`, its modules and its scripts into a folder, and overwrites existing ones.
///
/// # Errors
///
/// Fails if a file or its folder cannot be written.
pub fn write_flow(folder: &Path) -> Result<(), WriteError> {
    for (name, text) in FILES {
        let path = folder.join(name);
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&path, text))
            .map_err(|cause| WriteError { path, cause })?;
    }
    Ok(())
}
