//! The embedded flow of `examples/msc-billing`, which processes the files of [`cdr`](crate::cdr).

use std::path::Path;

use crate::file::{WriteError, write};

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

/// Writes the flow file `flow.toml`, its modules and its scripts into a folder, and overwrites existing ones.
///
/// # Errors
///
/// Fails if a file or its folder cannot be written.
pub fn write_flow(folder: &Path) -> Result<(), WriteError> {
    FILES.into_iter().try_for_each(|(name, text)| write(&folder.join(name), text.as_bytes()))
}
