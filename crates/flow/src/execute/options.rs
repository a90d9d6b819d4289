//! How a gateway is run, beside what its flow says.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use runtime::shutdown::Shutdown;

use crate::definition::meters::Meters;
use crate::execute::chunks::STRETCH_OCTETS;

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Until the inputs are empty, not until it is stopped.
    pub once: bool,
    /// Threads of each process; 0 for as the flow says, or else as many as there are processors.
    pub workers: usize,
    /// Processes that process files; 0 for as the flow says, or else only that of the gateway.
    pub processes: usize,
    /// How they are started; none for all in one process.
    pub program: Option<Program>,
    /// Whether files are processed in processes beside that of the gateway wherever they can be.
    pub apart: bool,
    /// Whether nothing is digested, synced or noted in the journal: for the benchmark that says what that costs. Work
    /// that is interrupted is lost then.
    pub unjournaled: bool,
    /// Octets of a stretch of a large file, each of which another thread may read.
    pub stretch_octets: usize,
    /// Set to stop: the record in hand is finished, the file in hand repeated by the next run.
    pub stop: Shutdown,
    /// What time it is.
    pub clock: fn() -> SystemTime,
    /// Where it is said what is done, in figures.
    pub meters: Arc<Meters>,
}

impl RunOptions {
    /// What is there is done, by as many workers as there are processors.
    pub fn once() -> Self {
        RunOptions {
            once: true,
            workers: 0,
            processes: 0,
            program: None,
            apart: false,
            unjournaled: false,
            stretch_octets: STRETCH_OCTETS,
            stop: Shutdown::default(),
            clock: SystemTime::now,
            meters: Arc::default(),
        }
    }
}

/// How a process is started: its standard input is the wire to the gateway.
#[derive(Clone, Debug)]
pub struct Program {
    /// What is run.
    pub path: PathBuf,
    /// Its arguments, before the flow file.
    pub arguments: Vec<OsString>,
}
