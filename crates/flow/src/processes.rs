//! Processing processes: workers in processes of their own, so that a file which brings one down stops nobody else.
//!
//! ```text
//! gateway: queue ─▶ thread ─▶ remote ═══ task ═══▶ process: thread ─▶ worker
//!                                    ◀══ rows, outputs under temporary names ══
//!                   settle ─▶ what its nodes noted is kept, or not ═══▶
//! ```
//!
//! The gateway has the queue, the journal, and settles. A process prepares the same flow itself and reads the journal; it
//! is started when there is something to do, and again when it has ended. It has the gateway's lock too, so that none is
//! left behind beside the next gateway.

mod child;
mod message;
mod process;
mod remote;
mod rows;

use std::ffi::OsString;
use std::path::PathBuf;

pub use child::{ProcessError, process};
pub use message::Wire;
pub(crate) use remote::{Full, Gateway, Remote};

/// How a processing process is started: its standard input is the wire to the gateway.
#[derive(Clone, Debug)]
pub struct Program {
    /// What is run.
    pub path: PathBuf,
    /// Its arguments, before the flow file.
    pub arguments: Vec<OsString>,
}
