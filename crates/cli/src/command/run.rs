//! `tollgate run`: the gateway.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use flow::meters::Meters;
use flow::{OutputAccount, Parts, Report, RunError, RunOptions};
use remote::server::Tls;

use super::modules::read;
use super::processing_process::program;
use super::{CommandError, Outcome, called};
use crate::logging::{self, FilesDone, Newlines, shown};

/// What the gateway is made of.
pub(super) const PARTS: Parts<'static> = Parts {
    kinds: processing::KINDS,
    formats: &format::OperatorModules,
    language: &processing::Dup(processing::Execution::MachineCode),
    listeners: remote::server::LISTENERS,
    certificate: |table| Tls::read(table).err(),
    channels: notify::KINDS,
    schemes: remote::SCHEMES,
};

/// Arguments of `tollgate run`.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// The flow file
    pub(super) flow: PathBuf,
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

/// A number of threads or processes: none works with more than a flow file may say.
fn count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| *count <= flow::EACH_MAX);
    count.ok_or_else(|| format!("a number from 0 to {} is expected", flow::EACH_MAX))
}

impl Run {
    pub(crate) fn run(self) -> Result<Outcome, CommandError> {
        // It serves nobody, so no certificate is of any interest.
        let parts = Parts { certificate: |_| None, ..PARTS };
        self.run_with(parts, Arc::default(), |_| Ok(()))
    }

    /// Runs it with what is begun before, and lasts as long; and says in figures what it does.
    pub(super) fn run_with<T>(
        self,
        parts: Parts<'static>,
        meters: Arc<Meters>,
        begin: impl FnOnce(Arc<AtomicBool>) -> Result<T, CommandError>,
    ) -> Result<Outcome, CommandError> {
        let stop = interrupted()?;
        read(&self.flow)?;
        // What a run is at is seen while it goes on; the account is at its end.
        let is_told = !self.once || std::io::stderr().is_terminal();
        let files_done = if is_told { FilesDone::Told } else { FilesDone::NotTold };
        let log = flow::logging(&self.flow, parts).map_err(CommandError::Write)?;
        logging::start(files_done, log.as_ref())?;
        let begun = begin(Arc::clone(&stop))?;
        let (once, workers, processes) = (self.once, self.workers, self.processes);
        let (program, usual) = (program(), RunOptions::once());
        let stretch_octets = self.stretch_octets.unwrap_or(usual.stretch_octets);
        let options =
            RunOptions { once, workers, processes, program, stop, stretch_octets, meters, ..usual };
        let report = flow::run(&self.flow, parts, &options).map_err(mistakes)?;
        drop(begun);
        match self.json {
            true => say!("{}", report.to_json())?,
            false => show(&report, &self.flow)?,
        }
        let aside: u64 = report.files.iter().map(|file| file.suspended + file.duplicate).sum();
        let clean = aside == 0 && report.problems.is_empty() && report.set_aside.is_empty();
        Ok(if clean { Outcome::Clean } else { Outcome::Faults })
    }
}

/// The mistakes that kept a flow from running, as text.
pub(super) fn mistakes(error: RunError) -> CommandError {
    let diagnostics = match error {
        RunError::Mistakes(diagnostics) => diagnostics,
        error => return CommandError::Mistakes(error.to_string()),
    };
    let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    CommandError::Mistakes(texts.join("\n\n"))
}

/// Set when somebody interrupts the command.
pub(super) fn interrupted() -> Result<Arc<AtomicBool>, CommandError> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    ctrlc::set_handler(move || asked.store(true, Ordering::Relaxed))
        .map_err(|error| CommandError::Write(std::io::Error::other(error)))?;
    Ok(stop)
}

/// Prints the account as a table.
pub(super) fn show(report: &Report, flow: &Path) -> std::io::Result<()> {
    if report.files.is_empty() && report.outputs.is_empty() && report.problems.is_empty() {
        return say!("there was nothing to do: no file was waiting");
    }
    say!(
        "{:<44} {:>9} {:>10} {:>9} {:>8} {:>10} {:>10}",
        "file",
        "records",
        "delivered",
        "filtered",
        "held",
        "suspended",
        "duplicate"
    )?;
    for file in &report.files {
        let name = format!("{}/{}", file.network_element, file.file);
        let name = shown(&name, Newlines::Replaced);
        say!(
            "{name:<44} {:>9} {:>10} {:>9} {:>8} {:>10} {:>10}",
            file.records,
            file.delivered,
            file.filtered,
            file.held,
            file.suspended,
            file.duplicate
        )?;
    }
    show_outputs(&report.outputs, flow)?;
    let suspended: u64 = report.files.iter().map(|file| file.suspended).sum();
    if suspended > 0 {
        say!(
            "-> suspense: {suspended} records; \"{} suspense list {}\" shows them",
            called(),
            flow.display()
        )?;
    }
    Ok(())
}

/// What each receiver was given, file by file: where it lies, if that is in a folder here.
fn show_outputs(outputs: &[OutputAccount], flow: &Path) -> std::io::Result<()> {
    let text = std::fs::read_to_string(flow).unwrap_or_default();
    let systems = flow::file::parse(flow, text, PARTS.kinds).0.post_processing_systems;
    for OutputAccount { post_processing_system, file, records } in outputs {
        let system = systems.iter().find(|system| system.name.text == *post_processing_system);
        let folder = system.and_then(|of| Some(of.deliver.path(of.deliver.get("dir")?)));
        let path = folder.map(|folder| folder.join(file)).filter(|path| path.exists());
        let file = path.map_or(file.clone(), |path| path.display().to_string());
        let file = shown(&file, Newlines::Replaced);
        say!("-> {post_processing_system}: {file}, {records} records")?;
    }
    Ok(())
}
