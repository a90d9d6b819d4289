//! The log: what a gateway says goes to standard error in words, and, where its flow wants that, to files, a line each, with
//! the time, how important it is, which part says it, and of what network element, file and job.

mod file;
mod said;

use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use diagnostics::{visible, visible_lines};
use file::LogFile;
use flow::{FILE_DONE, LogFormat, Logging, SAID_BESIDE, Wire};
use said::Said;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::outcome::CommandError;

/// Whether each file that is done is told on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilesDone {
    Told,
    /// Only in the log's files.
    NotTold,
}

/// Has what is said from now on written; called once.
pub(crate) fn start(files_done: FilesDone, logging: Option<&Logging>) -> Result<(), CommandError> {
    let console = Console(files_done).with_filter(Targets::new().with_default(Level::INFO));
    let files = logging.map(files).transpose()?;
    // Set already where a command is run in another.
    let _ = tracing_subscriber::registry().with(console).with(files).try_init();
    Ok(())
}

/// All that a processing process says goes to its gateway.
pub(crate) fn over(wire: &Wire) {
    let relay = Relay(wire.clone()).with_filter(Targets::new().with_default(Level::DEBUG));
    let _ = tracing_subscriber::registry().with(relay).try_init();
}

/// The gateway's log.
struct Relay(Wire);

impl<S: Subscriber> Layer<S> for Relay {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let said = Said::by(event);
        self.0.say((said.part.clone(), said.level), said.message.clone(), said.fields());
    }
}

/// Standard error alone.
pub(crate) fn console() {
    let _ = start(FilesDone::NotTold, None);
}

/// Standard error alone, and nothing there that goes well.
pub(crate) fn warnings() {
    let console = Console(FilesDone::NotTold).with_filter(Targets::new().with_default(Level::WARN));
    let _ = tracing_subscriber::registry().with(console).try_init();
}

/// Standard error, and somebody who listens.
pub(crate) fn console_and<L>(listener: L)
where
    L: Layer<tracing_subscriber::Registry> + Send + Sync,
{
    let console = Console(FilesDone::NotTold).with_filter(Targets::new().with_default(Level::INFO));
    let _ = tracing_subscriber::registry().with(listener).with(console).try_init();
}

/// The layer that writes files.
fn files<S>(logging: &Logging) -> Result<impl Layer<S> + use<S>, CommandError>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let Logging { file, format, rotate, kept, level, levels } = logging;
    let cannot = |cause| CommandError::WriteFile { path: file.clone(), cause };
    let file = Mutex::new(LogFile::open(file, *rotate, *kept).map_err(cannot)?);
    // Most are parts of one crate, and the others crates.
    let named = |(part, level): &(String, Level)| {
        [(format!("flow::{part}"), *level), (part.clone(), *level)]
    };
    let parts = levels.iter().flat_map(named);
    let wanted = Targets::new().with_default(*level).with_targets(parts);
    // Which part of another process says something, its event has to be looked at for.
    let filter = wanted.clone().with_target(SAID_BESIDE, Level::DEBUG);
    Ok(Lines { file, format: *format, wanted }.with_filter(filter))
}

/// A line for each thing that is said.
struct Lines {
    file: Mutex<LogFile>,
    format: LogFormat,
    /// Which parts say how much.
    wanted: Targets,
}

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let said = Said::by(event);
        if !self.wanted.would_enable(&said.part, &said.level) {
            return;
        }
        let line = match self.format {
            LogFormat::Json => said.json(),
            LogFormat::Text => said.text(),
        };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // Where it cannot be written, the gateway goes on.
        let _ = file.write_all((visible(&line) + "\n").as_bytes());
    }
}

/// Standard error.
struct Console(FilesDone);

/// Which parts show texts of several lines: the mistakes of a flow, as it begins and as it is changed.
const MISTAKES: [&str; 2] = ["flow::run", "flow::reload"];

impl<S: Subscriber> Layer<S> for Console {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let said = Said::by(event);
        if self.0 == FilesDone::NotTold && said.part == FILE_DONE {
            return;
        }
        let message = match MISTAKES.contains(&said.part.as_str()) {
            true => visible_lines(&said.message),
            false => visible(&said.message),
        };
        // Where nobody can read it, since the disk that it goes to is full or its reader is gone, the gateway goes on.
        let _ = writeln!(std::io::stderr(), "{message}");
    }
}
