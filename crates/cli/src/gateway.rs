//! Runs a gateway, alone or with a server.

use std::io::IsTerminal as _;
use std::sync::Arc;

use flow::meters::Meters;
use gateway::{Parts, RunOptions};
use runtime::shutdown::Shutdown;

use crate::account::show;
use crate::flow_file::FlowFile;
use crate::interrupt::interrupted;
use crate::logging::{self, FilesDone};
use crate::modules::read;
use crate::outcome::{CommandError, Outcome, mistakes};
use crate::product::{PROCESSING_PROCESS, process};

/// The maximum number of files in the final account of a gateway that ran until it was stopped: they fit on a screen.
const FILES_SHOWN_MAX: usize = 20;

/// What a gateway runs, and with how much of the machine.
#[derive(Debug, clap::Args)]
pub(crate) struct Gateway {
    #[command(flatten)]
    pub(crate) flow: FlowFile,
    /// Stop when the inputs are empty
    #[arg(long)]
    once: bool,
    /// End with the account as one JSON object
    #[arg(long)]
    json: bool,
    /// Threads, of each process if there are several; 0 for as many as there are processors
    #[arg(long, default_value_t = 0, value_parser = count)]
    workers: usize,
    /// Processes that process files; 1 for that of the gateway alone, 0 for as the flow says
    #[arg(long, default_value_t = 0, value_parser = count)]
    processes: usize,
    /// Octets of a stretch of a large file
    #[arg(long, hide = true)]
    stretch_octets: Option<usize>,
}

/// Parses a number of threads or processes, up to the maximum of a flow file.
fn count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| *count <= flow::EACH_MAX);
    count.ok_or_else(|| format!("a number from 0 to {} is expected", flow::EACH_MAX))
}

impl Gateway {
    /// Runs the gateway. `begin` starts what runs beside it before, and the result is dropped after the run, before the
    /// account is shown.
    pub(crate) fn run<T>(
        self,
        parts: Parts<'static>,
        meters: Arc<Meters>,
        begin: impl FnOnce(Shutdown) -> Result<T, CommandError>,
    ) -> Result<Outcome, CommandError> {
        let stop = interrupted()?;
        read(&self.flow)?;
        // A run to the end that is not at a terminal needs no progress: its account comes at the end.
        let is_on_console = !self.once || std::io::stderr().is_terminal();
        let files_done = if is_on_console { FilesDone::OnConsole } else { FilesDone::OnlyInFiles };
        let log = gateway::logging(&self.flow, parts).map_err(CommandError::Write)?;
        logging::start(files_done, log.as_ref())?;
        let begun = begin(stop.clone())?;
        let (once, workers, processes) = (self.once, self.workers, self.processes);
        let (program, usual) = (process(PROCESSING_PROCESS), RunOptions::once());
        let stretch_octets = self.stretch_octets.unwrap_or(usual.stretch_octets);
        let stop_signal = stop.clone();
        let options =
            RunOptions { once, workers, processes, program, stop, stretch_octets, meters, ..usual };
        let report = gateway::run(&self.flow, parts, &options).map_err(mistakes)?;
        drop(begun);
        match self.json {
            true => say!("{}", report.to_json())?,
            false if once => show(&report, &self.flow, usize::MAX)?,
            false => show(&report, &self.flow, FILES_SHOWN_MAX)?,
        }
        if !once && stop_signal.is_set() {
            // It did what it was started for. What is wrong then has an alarm.
            return Ok(Outcome::Clean);
        }
        let aside: u64 = report.files.iter().map(|file| file.suspended + file.duplicate).sum();
        let clean = aside == 0 && report.problems.is_empty() && report.set_aside.is_empty();
        Ok(if clean { Outcome::Clean } else { Outcome::Faults })
    }
}
