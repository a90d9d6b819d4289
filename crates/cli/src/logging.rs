//! The log: what a gateway says goes to standard error in words, and, where its flow wants that, to files, a line each, with
//! the time, how important it is, which part says it, and of what network element, file and job.

mod file;

use std::fmt::Debug;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use file::LogFile;
use flow::{FILE_DONE, LogFormat, Logging, Wire};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::command::CommandError;

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
        let mut said = Said::default();
        event.record(&mut said);
        self.0.say(*event.metadata().level(), format!("{}{}", said.message, said.fields));
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

type Boxed<S> = Box<dyn Layer<S> + Send + Sync>;

/// The layer that writes files.
fn files<S>(logging: &Logging) -> Result<Boxed<S>, CommandError>
where
    S: Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a>,
{
    let Logging { file, format, rotate, kept, level, levels } = logging;
    let cannot = |cause| CommandError::WriteFile { path: file.clone(), cause };
    let file = LogFile::open(file, *rotate, *kept).map_err(cannot)?;
    let parts = levels.iter().map(|(part, level)| (format!("flow::{part}"), *level));
    let filter = Targets::new().with_default(*level).with_targets(parts);
    Ok(match format {
        LogFormat::Json => fmt::layer()
            .with_writer(Mutex::new(file))
            .log_internal_errors(false)
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(false)
            .with_filter(filter)
            .boxed(),
        LogFormat::Text => Lines(Mutex::new(file)).with_filter(filter).boxed(),
    })
}

/// Lines for people: the time, how important it is, which part says what, and of what.
struct Lines(Mutex<LogFile>);

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = String::new();
        let _ = SystemTime.format_time(&mut Writer::new(&mut line));
        let metadata = event.metadata();
        let mut said = Said::default();
        event.record(&mut said);
        line += &format!(
            " {:>5} {}: {}{}",
            metadata.level(),
            metadata.target(),
            said.message,
            said.fields
        );
        let line = shown(&line, Newlines::Replaced) + "\n";
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = file.write_all(line.as_bytes());
    }
}

/// Standard error.
struct Console(FilesDone);

/// Which part shows texts of several lines: the mistakes of a flow.
const MISTAKES: &str = "flow::run";

impl<S: Subscriber> Layer<S> for Console {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let target = event.metadata().target();
        if self.0 == FilesDone::NotTold && target == FILE_DONE {
            return;
        }
        let mut said = Said::default();
        event.record(&mut said);
        let newlines = if target == MISTAKES { Newlines::Shown } else { Newlines::Replaced };
        // Where nobody can read it, since the disk that it goes to is full or its reader is gone, the gateway goes on.
        let _ = writeln!(std::io::stderr(), "{}", shown(&said.message, newlines));
    }
}

/// The words of an event, and the rest of it.
#[derive(Default)]
struct Said {
    message: String,
    fields: String,
}

impl Visit for Said {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            name => self.fields += &format!(" {name}={value:?}"),
        }
    }
}

/// What becomes of the ends of lines within a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Newlines {
    Shown,
    Replaced,
}

/// A text as it is shown. Names of files come from others: none of them makes a line of its own, or colours the terminal.
pub(crate) fn shown(text: &str, newlines: Newlines) -> String {
    let is_replaced = |c: char| c.is_control() && (c != '\n' || newlines == Newlines::Replaced);
    text.chars().map(|c| if is_replaced(c) { '\u{fffd}' } else { c }).collect()
}
