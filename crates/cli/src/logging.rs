//! The log: what a gateway says goes to standard error in words, and, where its flow wants that, to files, a line each, with
//! the time, how important it is, which part says it, and of what network element, file and job.

use std::fmt::Debug;
use std::io::Write as _;
use std::path::Path;

use flow::{FILE_DONE, LogFormat, Logging, Rotate};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
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

/// Standard error alone.
pub(crate) fn console() {
    let _ = start(FilesDone::NotTold, None);
}

type Boxed<S> = Box<dyn Layer<S> + Send + Sync>;

/// The layer that writes files.
fn files<S>(logging: &Logging) -> Result<Boxed<S>, CommandError>
where
    S: Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a>,
{
    let Logging { file, format, rotate, kept, level, levels } = logging;
    let rotation = match rotate {
        Rotate::Hourly => Rotation::HOURLY,
        Rotate::Daily => Rotation::DAILY,
        Rotate::Never => Rotation::NEVER,
    };
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let mut appender = RollingFileAppender::builder().rotation(rotation).filename_prefix(name);
    if *rotate != Rotate::Never {
        appender = appender.max_log_files(usize::try_from(*kept).unwrap_or(usize::MAX));
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    let cannot = |error: tracing_appender::rolling::InitError| {
        CommandError::Write(std::io::Error::other(format!(
            "the log in \"{}\": {error}",
            folder.display()
        )))
    };
    std::fs::create_dir_all(folder).map_err(CommandError::Write)?;
    let appender = appender.build(folder).map_err(cannot)?;
    let parts = levels.iter().map(|(part, level)| (format!("flow::{part}"), *level));
    let filter = Targets::new().with_default(*level).with_targets(parts);
    let lines = fmt::layer().with_writer(appender).log_internal_errors(false).with_ansi(false);
    Ok(match format {
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_current_span(false)
            .with_span_list(false)
            .with_filter(filter)
            .boxed(),
        LogFormat::Text => lines.with_filter(filter).boxed(),
    })
}

/// Standard error.
struct Console(FilesDone);

impl<S: Subscriber> Layer<S> for Console {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if self.0 == FilesDone::NotTold && event.metadata().target() == FILE_DONE {
            return;
        }
        let mut message = Message(String::new());
        event.record(&mut message);
        say(&message.0);
    }
}

/// The words of an event.
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

/// Says something on standard error. Where nobody can read it, since the disk that it goes to is full or its reader is
/// gone, the gateway goes on.
fn say(line: &str) {
    // Names of files come from others: none of them makes a line of its own, or colours the terminal.
    let shown = |c: char| if c.is_control() && c != '\n' { '\u{fffd}' } else { c };
    let line: String = line.chars().map(shown).collect();
    let _ = writeln!(std::io::stderr(), "{line}");
}
