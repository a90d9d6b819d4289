//! The log. The gateway logs messages to standard error and, if its flow says so, to files: one line each, with the
//! time, the level, the part of the gateway, the network element, the file and the job.

mod event;
mod file;

use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use diagnostics::visible;
use event::LogEvent;
use file::LogFile;
use flow::{FILE_DONE, LogFormat, Logging, SUBPROCESS_TARGET};
use gateway::Wire;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::outcome::CommandError;
use crate::output::error_line;
use crate::terminal::{Look, is_quiet};

/// Whether each finished file is logged to standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilesDone {
    OnConsole,
    /// Only to the log's files.
    OnlyInFiles,
}

/// Starts the log. Call it once.
pub(crate) fn start(files_done: FilesDone, logging: Option<&Logging>) -> Result<(), CommandError> {
    let console = Console(files_done).with_filter(on_console(Level::INFO));
    let files = logging.map(files).transpose()?;
    // Fails if a command runs inside another, which has set it already.
    let _ = tracing_subscriber::registry().with(console).with(files).try_init();
    Ok(())
}

/// Returns the filter for standard error. With `--quiet`, it has errors only.
fn on_console(level: Level) -> Targets {
    Targets::new().with_default(if is_quiet() { Level::ERROR } else { level })
}

/// Sends all events of a processing process to its gateway.
pub(crate) fn over(wire: &Wire) {
    let relay = Relay(wire.clone()).with_filter(Targets::new().with_default(Level::DEBUG));
    let _ = tracing_subscriber::registry().with(relay).try_init();
}

/// The layer that sends events to the gateway.
struct Relay(Wire);

impl<S: Subscriber> Layer<S> for Relay {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let log_event = LogEvent::by(event);
        self.0.say(
            (log_event.part.clone(), log_event.level),
            log_event.message.clone(),
            log_event.fields(),
        );
    }
}

/// Logs to standard error only.
pub(crate) fn console() {
    let _ = start(FilesDone::OnlyInFiles, None);
}

/// Logs only warnings and errors, to standard error.
pub(crate) fn warnings() {
    let console = Console(FilesDone::OnlyInFiles).with_filter(on_console(Level::WARN));
    let _ = tracing_subscriber::registry().with(console).try_init();
}

/// Logs to standard error and to `listener`.
pub(crate) fn console_and<L>(listener: L)
where
    L: Layer<tracing_subscriber::Registry> + Send + Sync,
{
    let console = Console(FilesDone::OnlyInFiles).with_filter(on_console(Level::INFO));
    let _ = tracing_subscriber::registry().with(listener).with(console).try_init();
}

/// The layer that writes files.
fn files<S>(logging: &Logging) -> Result<impl Layer<S> + use<S>, CommandError>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let Logging { file, format, rotate, files_max, level, levels } = logging;
    let cannot = |cause| CommandError::WriteFile { path: file.clone(), cause };
    let file = Mutex::new(LogFile::open(file, *rotate, *files_max).map_err(cannot)?);
    // Most names are parts of the `flow` crate; the others are crates.
    let named = |(part, level): &(String, Level)| {
        [(format!("flow::{part}"), *level), (part.clone(), *level)]
    };
    let parts = levels.iter().flat_map(named);
    let wanted = Targets::new().with_default(*level).with_targets(parts);
    // An event of another process names its part in a field, so the target alone cannot filter it.
    let filter = wanted.clone().with_target(SUBPROCESS_TARGET, Level::DEBUG);
    Ok(Lines { file, format: *format, wanted }.with_filter(filter))
}

/// The layer that writes a line per event.
struct Lines {
    file: Mutex<LogFile>,
    format: LogFormat,
    /// The level of each part.
    wanted: Targets,
}

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let log_event = LogEvent::by(event);
        if !self.wanted.would_enable(&log_event.part, &log_event.level) {
            return;
        }
        let line = match self.format {
            LogFormat::Json => log_event.json(),
            LogFormat::Text => log_event.text(),
        };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // If the file cannot be written, the gateway goes on.
        let _ = file.write_all((visible(&line) + "\n").as_bytes());
    }
}

/// The layer that writes to standard error.
struct Console(FilesDone);

/// The targets whose messages have several lines: the mistakes of a flow, at the start and on reload.
const MISTAKES: [&str; 2] = ["flow::run", "flow::reload"];

impl<S: Subscriber> Layer<S> for Console {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let log_event = LogEvent::by(event);
        if self.0 == FilesDone::OnlyInFiles && log_event.part == FILE_DONE {
            return;
        }
        let message = match MISTAKES.contains(&log_event.part.as_str()) {
            true => log_event.message,
            false => visible(&log_event.message).into_owned(),
        };
        let look = match log_event.level {
            Level::ERROR => Look::Bad,
            Level::WARN => Look::Warning,
            _ => Look::Plain,
        };
        error_line(look, &message);
    }
}
