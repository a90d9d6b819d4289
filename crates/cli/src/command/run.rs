//! `tollgate run`: the gateway.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use diagnostics::{counted, visible};
use flow::meters::Meters;
use flow::{FileAccount, OutputAccount, Parts, Report, RunError, RunOptions};
use remote::server::Tls;

use super::modules::read;
use super::processing_process::program;
use super::{CommandError, Outcome, called};
use crate::logging::{self, FilesDone};

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

/// Files that the account of a gateway names which ran until it was stopped: they fit on a screen with all else.
const FILES_SHOWN_MAX: usize = 20;

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
            false if once => show(&report, &self.flow, usize::MAX)?,
            false => show(&report, &self.flow, FILES_SHOWN_MAX)?,
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

/// Prints the account as a table: of files so many at most, the last ones, and the sum of all where there are more.
pub(super) fn show(report: &Report, flow: &Path, files_max: usize) -> std::io::Result<()> {
    let Report { files, outputs, .. } = report;
    if files.is_empty()
        && outputs.is_empty()
        && report.problems.is_empty()
        && report.set_aside.is_empty()
    {
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
    let left_out = files.len().saturating_sub(files_max);
    if left_out > 0 {
        say!("({} before these)", counted(left_out, "file"))?;
    }
    for file in &files[left_out..] {
        show_counts(&format!("{}/{}", file.network_element, file.file), file)?;
        file.remarks().iter().try_for_each(|remark| say!("  {}", diagnostics::visible(remark)))?;
    }
    let mut sum = FileAccount::default();
    files.iter().for_each(|file| sum.add(file));
    if left_out > 0 {
        let all = if files.len() < flow::REMEMBERED_MAX { "all" } else { "the last" };
        show_counts(&format!("{all} {} files", files.len()), &sum)?;
    }
    match outputs.len() > files_max {
        true => show_receivers(outputs)?,
        false => show_outputs(outputs, flow)?,
    }
    if sum.suspended > 0 {
        say!(
            "-> suspense: {} set aside; \"{} suspense list {}\" shows those that still are",
            counted(sum.suspended as usize, "record"),
            called(),
            flow.display()
        )?;
    }
    Ok(())
}

fn show_counts(name: &str, of: &FileAccount) -> std::io::Result<()> {
    let FileAccount { records, delivered, filtered, held, suspended, duplicate, .. } = of;
    let name = visible(name);
    say!(
        "{name:<44} {records:>9} {delivered:>10} {filtered:>9} {held:>8} {suspended:>10} {duplicate:>10}"
    )
}

/// What each receiver was given in all.
fn show_receivers(outputs: &[OutputAccount]) -> std::io::Result<()> {
    let mut receivers = BTreeMap::<&str, (usize, u64)>::new();
    for output in outputs {
        let (files, records) = receivers.entry(&output.post_processing_system).or_default();
        *files += 1;
        *records += output.records;
    }
    for (receiver, (files, records)) in receivers {
        say!("-> {receiver}: {records} records in {}", counted(files, "file"))?;
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
        let file = visible(&file);
        say!("-> {post_processing_system}: {file}, {records} records")?;
    }
    Ok(())
}
