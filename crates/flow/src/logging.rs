//! What a flow file says of the log: `[log]`.

use std::io;
use std::path::{Path, PathBuf};

use diagnostics::Diagnostic;
use node::Settings;
use tracing::Level;

use crate::file::{self, FlowFile};
use crate::prepare::{Parts, prepare};

/// How many files there are, if nothing is said: that of the day, and those of two weeks.
const KEPT: u64 = 15;

/// How a gateway writes its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logging {
    /// The folder and the name; of a file that is not written to for ever the time is behind it.
    pub file: PathBuf,
    /// How a line is written.
    pub format: LogFormat,
    /// When another file is begun.
    pub rotate: Rotate,
    /// How many files there are at most.
    pub kept: u64,
    /// What is less important is left out.
    pub level: Level,
    /// The same of parts of the gateway, `settle`.
    pub levels: Vec<(String, Level)>,
}

/// How a line of the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// An object.
    Json,
    /// For people.
    Text,
}

/// When another file is begun, by the time of Greenwich.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Rotate {
    Hourly,
    Daily,
    Never,
}

/// What a flow file says of the log, if it says anything. Its mistakes are said by who runs it: until then nothing is
/// written, since the log may be one of them, and lie in a file of the flow.
pub fn logging(flow: &Path, parts: Parts<'_>) -> io::Result<Option<Logging>> {
    let logging = read(&file::outline(flow)?).ok().flatten();
    Ok(logging.filter(|_| !diagnostics::has_errors(&prepare(flow, parts).1)))
}

/// Reads `[log]`. All mistakes are returned, not only the first.
pub(crate) fn read(file: &FlowFile) -> Result<Option<Logging>, Vec<Diagnostic>> {
    const LEVELS: [(&str, Level); 5] = [
        ("info", Level::INFO),
        ("error", Level::ERROR),
        ("warn", Level::WARN),
        ("debug", Level::DEBUG),
        ("trace", Level::TRACE),
    ];
    let Some(settings) = &file.log else { return Ok(None) };
    let mut mistakes = Vec::new();
    let formats = [("json", LogFormat::Json), ("text", LogFormat::Text)];
    let rotations =
        [("daily", Rotate::Daily), ("hourly", Rotate::Hourly), ("never", Rotate::Never)];
    let format = sound(chosen(settings, "format", &formats), &mut mistakes);
    let rotate = sound(chosen(settings, "rotate", &rotations), &mut mistakes);
    let level = sound(chosen(settings, "level", &LEVELS), &mut mistakes);
    let kept = settings.get("kept").map(|kept| settings.count(kept)).transpose();
    let kept = sound(kept, &mut mistakes).flatten().unwrap_or(KEPT);
    let of_parts = file.log_levels.iter().flat_map(|table| &table.values);
    let levels = of_parts.filter_map(|part| {
        let level = sound(settings.choice(part, &LEVELS), &mut mistakes)?;
        Some((part.key.clone(), level))
    });
    let levels: Vec<_> = levels.collect();
    match (settings.get("file"), format, rotate, level) {
        (Some(name), Some(format), Some(rotate), Some(level)) if mistakes.is_empty() => {
            Ok(Some(Logging { file: settings.path(name), format, rotate, kept, level, levels }))
        }
        _ => Err(mistakes),
    }
}

fn sound<T>(read: Result<T, Diagnostic>, mistakes: &mut Vec<Diagnostic>) -> Option<T> {
    read.map_err(|mistake| mistakes.push(mistake)).ok()
}

/// The choice that a key names; the first if nothing is said.
fn chosen<T: Copy>(settings: &Settings, key: &str, known: &[(&str, T)]) -> Result<T, Diagnostic> {
    settings.get(key).map_or(Ok(known[0].1), |setting| settings.choice(setting, known))
}
