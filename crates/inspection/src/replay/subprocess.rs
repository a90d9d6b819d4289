//! A replay in a process of its own, beside the gateway of the flow. Whatever a candidate's script does to that
//! process, the gateway continues; the gateway also has priority for the processors.
//!
//! ```text
//! gateway ═══ order, a line of JSON; then nothing, until it is to end ═══▶ process: replay
//!         ◀══ what it has found, a line of JSON each ══
//! ```
//!
//! The process ends when its input ends: when the replay is cancelled, or when the gateway ends for any reason.

use std::fs;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use runtime::disk::{Disk, reserve_of};
use runtime::shutdown::Shutdown;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    AlertDifference, FileTotals, RecordDifference, ReplayContents, ReplayError, ReplayEvent,
    ReplayFile, ReplayTotals, replay,
};
use archive::report::ArchivedFile;
use flow::file;
use gateway::compile::prepare::Parts;
use gateway::execute::options::{Program, RunOptions};
use gateway::service::run::RunError;

/// The nice value of the process: the lowest priority (setpriority(2)).
const NICE: i32 = 19;

/// The number of workers of a replay.
const WORKERS: usize = 1;

/// How long the process may take to end by itself.
const ENDS_WITHIN: Duration = Duration::from_secs(3);

/// The time between two checks whether the process must end.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// The time between two checks of the free disk space.
const ROOM_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The longest line of an order: enough for thousands of files.
const ORDER_OCTETS_MAX: u64 = 64 << 20;

/// A replay to run.
#[derive(Clone, Debug)]
pub struct ReplayOrder {
    /// The flow file as it is, and as it may become.
    pub flows: (PathBuf, PathBuf),
    /// The flow of the gateway, whose journal has the decisions of people.
    pub live: PathBuf,
    /// The files.
    pub files: Vec<ReplayFile>,
    /// How many of them are run first, to give nodes their state, and are not compared.
    pub warm_up: usize,
    /// The working folder, which is removed at the end.
    pub folder: PathBuf,
}

/// A report of a replay while it runs.
#[derive(Clone, Debug)]
pub enum ReplayMessage {
    /// A record that differs.
    Record(RecordDifference),
    /// The totals of a file with differences.
    File(FileTotals),
    /// A key about which only one of the flows has alerts.
    Alert(AlertDifference),
    /// The number of files that are compared.
    Progress(usize),
}

/// How a replay ended.
#[derive(Clone, Debug)]
pub enum ReplayEnd {
    /// All files were compared.
    Done(ReplayTotals),
    /// The replay was stopped.
    Stopped,
    /// The replay failed, with the reason.
    Failed(String),
}

/// The order as it is sent.
#[derive(Serialize, Deserialize)]
struct Sent {
    flow: PathBuf,
    candidate: PathBuf,
    live: PathBuf,
    folder: PathBuf,
    files: Vec<SentFile>,
    warm_up: usize,
}

#[derive(Serialize, Deserialize)]
struct SentFile {
    network_element: String,
    name: String,
    path: PathBuf,
    /// The details of a file in the archive.
    archived: Option<SentArchived>,
}

#[derive(Serialize, Deserialize)]
struct SentArchived {
    size: u64,
    modified_ns: i64,
    digest: Vec<u8>,
}

impl From<&ReplayFile> for SentFile {
    fn from(ReplayFile { network_element, name, contents }: &ReplayFile) -> Self {
        let (path, archived) = match contents {
            ReplayContents::Path(path) => (path.clone(), None),
            ReplayContents::Archived(file) => {
                let ArchivedFile { size, modified_ns, digest, path, .. } = &**file;
                let (size, modified_ns, digest) = (*size, *modified_ns, digest.clone());
                let archived = SentArchived { size, modified_ns, digest };
                (path.clone().unwrap_or_default(), Some(archived))
            }
        };
        SentFile { network_element: network_element.clone(), name: name.clone(), path, archived }
    }
}

impl From<SentFile> for ReplayFile {
    fn from(SentFile { network_element, name, path, archived }: SentFile) -> Self {
        let contents = match archived {
            None => ReplayContents::Path(path),
            Some(SentArchived { size, modified_ns, digest }) => {
                ReplayContents::Archived(Box::new(ArchivedFile {
                    job: 0,
                    network_element: network_element.clone(),
                    file: name.clone(),
                    done: String::new(),
                    state: "archived".into(),
                    size,
                    octets: None,
                    path: Some(path),
                    modified_ns,
                    digest,
                }))
            }
        };
        ReplayFile { network_element, name, contents }
    }
}

/// A folder that is removed when this is dropped.
struct Removed<'f>(&'f Path);

impl Drop for Removed<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0);
    }
}

/// Starts a process that replays files, and passes on its reports, until it ends or `is_over`. The folder is removed at
/// the end.
pub fn replay_beside(
    program: &Program,
    order: &ReplayOrder,
    is_over: &dyn Fn() -> bool,
    hear: &mut dyn FnMut(ReplayMessage),
) -> ReplayEnd {
    let _removed = Removed(&order.folder);
    started(program, order)
        .and_then(|child| followed(child, order, is_over, hear))
        .unwrap_or_else(|error| ReplayEnd::Failed(format!("could not start it: {error}")))
}

fn started(program: &Program, order: &ReplayOrder) -> io::Result<Child> {
    let mut command = Command::new(&program.path);
    command.arg0("tollgate: replay").args(&program.arguments);
    // A Ctrl-C at the gateway's terminal must not reach the process: the gateway ends it itself.
    command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let (flow, candidate) = order.flows.clone();
    let files = order.files.iter().map(SentFile::from).collect();
    let (folder, warm_up) = (order.folder.clone(), order.warm_up);
    let live = order.live.clone();
    let sent = Sent { flow, candidate, live, folder, files, warm_up };
    let line = serde_json::to_string(&sent).map_err(io::Error::other)? + "\n";
    let input = child.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
    if let Err(error) = input.write_all(line.as_bytes()) {
        child.kill()?;
        child.wait()?;
        return Err(error);
    }
    Ok(child)
}

/// A line of the process's output.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Record(RecordDifference),
    File(FileTotals),
    Alert(AlertDifference),
    Progress(usize),
    All(ReplayTotals),
    Problem(String),
}

fn followed(
    mut child: Child,
    order: &ReplayOrder,
    is_over: &dyn Fn() -> bool,
    hear: &mut dyn FnMut(ReplayMessage),
) -> io::Result<ReplayEnd> {
    let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    // The channel is bounded, so the process does not get far ahead of the reader.
    let (sender, messages) = mpsc::sync_channel(64);
    let reads = thread::Builder::new().name("replay-reads".into()).spawn(move || {
        for line in lines(output) {
            if sender.send(line).is_err() {
                break;
            }
        }
    })?;
    let configured = file::outline(&order.flows.0).ok().and_then(|file| file.disk_free);
    let least = reserve_of(&order.folder, configured);
    let (mut end, mut room_checked) = (None, Instant::now());
    while end.is_none() {
        match messages.recv_timeout(LOOK_AGAIN) {
            Ok(Line::Record(record)) => hear(ReplayMessage::Record(record)),
            Ok(Line::File(file)) => hear(ReplayMessage::File(file)),
            Ok(Line::Alert(alert)) => hear(ReplayMessage::Alert(alert)),
            Ok(Line::Progress(files)) => hear(ReplayMessage::Progress(files)),
            Ok(Line::All(totals)) => end = Some(ReplayEnd::Done(totals)),
            Ok(Line::Problem(problem)) => end = Some(ReplayEnd::Failed(problem)),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if is_over() {
            end = Some(ReplayEnd::Stopped);
        } else if room_checked.elapsed() >= ROOM_CHECK_INTERVAL {
            room_checked = Instant::now();
            // The reserve of the disk belongs to the gateway.
            if Disk::of(&order.folder).is_ok_and(|disk| disk.free < least) {
                let problem =
                    "too little is free on the disk of the gateway's state: choose fewer files";
                end = Some(ReplayEnd::Failed(problem.into()));
            }
        }
    }
    drop((messages, child.stdin.take()));
    let status = ended(&mut child)?;
    let _ = reads.join();
    Ok(end.unwrap_or_else(|| ReplayEnd::Failed(format!("its process ended: {status}"))))
}

/// Waits until a process ends, and kills it if it does not.
fn ended(child: &mut Child) -> io::Result<std::process::ExitStatus> {
    let until = Instant::now() + 2 * ENDS_WITHIN;
    while Instant::now() < until {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        thread::sleep(LOOK_AGAIN / 4);
    }
    child.kill()?;
    child.wait()
}

/// Returns the lines of the output that are in the protocol: a script may write others.
fn lines(output: ChildStdout) -> impl Iterator<Item = Line> {
    let lines = BufReader::new(output).lines().map_while(Result::ok);
    lines.filter_map(|line| serde_json::from_str(&line).ok())
}

/// Runs as the process: reads an order from the standard input, and writes the results to the standard output.
pub fn replay_process(parts: Parts<'_>) -> io::Result<()> {
    let mut line = String::new();
    io::stdin().lock().take(ORDER_OCTETS_MAX).read_line(&mut line)?;
    let Sent { flow, candidate, live, folder, files, warm_up } =
        serde_json::from_str(&line).map_err(io::Error::other)?;
    let _removed = Removed(&folder);
    // If this fails, one thread is still a small load.
    let _ = rustix::process::nice(NICE);
    let stop = Shutdown::default();
    watch(&folder, stop.clone())?;
    let files: Vec<ReplayFile> = files.into_iter().map(ReplayFile::from).collect();
    let options = RunOptions { workers: WORKERS, stop, ..RunOptions::once() };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut say = |value: Value, is_last: bool| -> io::Result<()> {
        serde_json::to_writer(&mut out, &value)?;
        out.write_all(b"\n")?;
        if is_last { out.flush() } else { Ok(()) }
    };
    let both = (flow.as_path(), candidate.as_path());
    let found =
        replay(
            (both, &live),
            parts,
            (&files, warm_up),
            &folder,
            &options,
            &mut |event| match event {
                ReplayEvent::Record(record) => say(json!({ "record": record }), false),
                ReplayEvent::File(file) => say(json!({ "file": file }), false),
                ReplayEvent::Alert(alert) => say(json!({ "alert": alert }), false),
                ReplayEvent::Progress(done) => say(json!({ "progress": done }), true),
            },
        );
    match found {
        Ok(totals) => say(json!({ "all": totals }), true),
        Err(error) => say(json!({ "problem": problem(&error) }), true),
    }
}

/// Ends the process when the gateway says so or is gone, whatever a script does at that moment.
fn watch(folder: &Path, stop: Shutdown) -> io::Result<()> {
    let folder = folder.to_path_buf();
    let watches = move || {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        stop.set();
        thread::sleep(ENDS_WITHIN);
        let _ = fs::remove_dir_all(folder);
        std::process::exit(1);
    };
    thread::Builder::new().name("replay-ends".into()).spawn(watches).map(drop)
}

/// Returns the text of an error with its causes.
fn problem(error: &ReplayError) -> String {
    let mut text = error.to_string();
    if let ReplayError::Run { cause: RunError::Mistakes(mistakes), .. } = error {
        let first = mistakes.iter().find(|mistake| mistake.is_error());
        return format!("{text}{}", first.map_or(String::new(), |first| format!(":\n\n{first}")));
    }
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
