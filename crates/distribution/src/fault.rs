//! Why a delivery failed, where the remote place itself did not refuse it.

use reason::{Coded, Reason};

use crate::TEMPORARY;

/// Why a delivery failed.
#[derive(Debug, thiserror::Error, Coded)]
#[code("delivery")]
pub(crate) enum DeliveryFault {
    /// The folder of the address is not there. Make it, or change the address.
    #[error("the folder {folder} is not there")]
    NoFolder { folder: String },
    /// The place refuses the temporary name of a file.
    #[error("{problem}; the temporary name there is \"{temporary}\": \"{TEMPORARY}\" sets another")]
    TemporaryName {
        #[coded]
        problem: Reason,
        temporary: String,
    },
    /// Another program at the receiver took the file before it had its name.
    #[error("\"{file}\" was removed before it could be renamed")]
    Removed { file: String },
    /// Another program took the file from its folder on this machine.
    #[error("\"{path}\" is not there; does another program take files from its folder?")]
    Missing { path: String },
    /// The file failed for longer than `retry.give-up`. The code is that of the last failure.
    #[error("it could not be delivered for {seconds} seconds: {problem}")]
    TriedFor {
        seconds: f64,
        #[coded]
        problem: Reason,
    },
}
