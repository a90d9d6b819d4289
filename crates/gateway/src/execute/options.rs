//! Options of a run, besides the flow file.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use runtime::shutdown::Shutdown;

use crate::execute::chunks::STRETCH_OCTETS;
use flow::meters::Meters;

/// The options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Whether to run until the inputs are empty, instead of until a stop.
    pub once: bool,
    /// The threads of each process. 0: as the flow file says, or else one for each processor.
    pub workers: usize,
    /// The processes that process files. 0: as the flow file says, or else only the gateway's.
    pub processes: usize,
    /// How to start processes. None: everything runs in one process.
    pub program: Option<Program>,
    /// Whether to process files in worker processes wherever that is possible.
    pub apart: bool,
    /// Whether to skip digests, syncs and the journal, so that a benchmark can measure their cost. Interrupted work is
    /// then lost.
    pub unjournaled: bool,
    /// The octets of a stretch of a large file. Different threads may read the stretches of one file.
    pub stretch_octets: usize,
    /// Set this to stop. The current record is finished; the next run repeats the current file.
    pub stop: Shutdown,
    /// Returns the time of the machine.
    pub clock: fn() -> SystemTime,
    /// The metrics of the run.
    pub meters: Arc<Meters>,
}

impl RunOptions {
    /// Returns options that process the files that are there, with one worker for each processor.
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

/// How to start a process. Its standard input is the wire to the gateway.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program to run.
    pub path: PathBuf,
    /// Its arguments, before the flow file.
    pub arguments: Vec<OsString>,
}
