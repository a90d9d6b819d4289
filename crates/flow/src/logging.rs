//! The log settings of a flow file: `[log]`.

use std::path::PathBuf;

use diagnostics::{Diagnostic, did_you_mean};
use settings::{Setting, Settings};
use tracing::Level;

use crate::file::FlowFile;

/// The number of log files if the flow file does not set it: today's, and those of two weeks.
const FILES_MAX: u64 = 15;

/// The log targets, without `flow::`: parts of this crate, parts that moved out of it, and other crates.
const SAY: [&str; 32] = [
    "actions",
    "archive",
    "asking",
    "balance",
    "batch",
    "delivery",
    "errands",
    "fetching",
    "file",
    "fraud",
    "journal",
    "kept",
    "listening",
    "notify",
    "patience",
    "placement",
    "poison",
    "pool",
    "processes",
    "refused",
    "reload",
    "retention",
    "room",
    "rounds",
    "run",
    "settle",
    "trace",
    "watch",
    "worker",
    "remote",
    "serve",
    "tollgate",
];

/// Log settings of a gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logging {
    /// The folder and the name; a file that rotates has its time after the name.
    pub file: PathBuf,
    /// The format of a line.
    pub format: LogFormat,
    /// When a new file begins.
    pub rotate: Rotate,
    /// The most files to keep.
    pub files_max: u64,
    /// The least important level that is logged.
    pub level: Level,
    /// Levels of single targets, such as `settle`.
    pub levels: Vec<(String, Level)>,
}

/// Format of a line of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// A JSON object.
    Json,
    /// Text for people.
    Text,
}

/// When a new log file begins, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Rotate {
    Hourly,
    Daily,
    Never,
}

/// Reads `[log]`. All mistakes are returned, not only the first.
pub fn read(file: &FlowFile) -> Result<Option<Logging>, Vec<Diagnostic>> {
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
    let files_max = settings.get("kept").map(|setting| settings.count(setting)).transpose();
    let files_max = sound(files_max, &mut mistakes).flatten().unwrap_or(FILES_MAX);
    let of_parts = file.log_levels.iter().flat_map(|table| &table.values);
    let levels = of_parts.filter_map(|part| {
        sound(named(settings, part), &mut mistakes)?;
        let level = sound(settings.choice(part, &LEVELS), &mut mistakes)?;
        Some((part.key.clone(), level))
    });
    let levels: Vec<_> = levels.collect();
    match (settings.get("file"), format, rotate, level) {
        (Some(name), Some(format), Some(rotate), Some(level)) if mistakes.is_empty() => {
            Ok(Some(Logging {
                file: settings.path(name),
                format,
                rotate,
                files_max,
                level,
                levels,
            }))
        }
        _ => Err(mistakes),
    }
}

/// Checks that there is a log target of this name.
fn named(settings: &Settings, part: &Setting) -> Result<(), Diagnostic> {
    let name = part.key.strip_prefix("flow::").unwrap_or(&part.key);
    let name = name.split("::").next().unwrap_or(name);
    if SAY.contains(&name) {
        return Ok(());
    }
    let hint = did_you_mean(name, SAY).unwrap_or_else(|| format!("known here: {}", SAY.join(", ")));
    let message = format!("no part that says something is named \"{name}\"");
    Err(settings.error(part, message).hint(hint))
}

fn sound<T>(read: Result<T, Diagnostic>, mistakes: &mut Vec<Diagnostic>) -> Option<T> {
    read.map_err(|mistake| mistakes.push(mistake)).ok()
}

/// Returns the choice of a key, or the first one if the key is not set.
fn chosen<T: Copy>(settings: &Settings, key: &str, known: &[(&str, T)]) -> Result<T, Diagnostic> {
    settings.get(key).map_or(Ok(known[0].1), |setting| settings.choice(setting, known))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Returns the log targets below a folder: modules, or the names that modules give themselves.
    fn say(folder: &Path, part: Option<&str>) -> Vec<String> {
        const SAID: [&str; 4] =
            ["tracing::error!(", "tracing::warn!(", "tracing::info!(", "tracing::debug!("];
        const PART: &str = "target: \"flow::";
        const OF_CRATE: &str = "const LOG: &str = \"flow::";
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let says = |path: &Path, part: &str| -> Vec<String> {
            if path.extension().is_none_or(|end| end != "rs") || path.ends_with("logging.rs") {
                return Vec::new();
            }
            let text = std::fs::read_to_string(path).unwrap();
            let events = SAID.iter().flat_map(|call| text.split(call).skip(1));
            // A constant is named elsewhere, and its words are those of `SAY`.
            let is_constant = |behind: &str| {
                let target = behind.trim_start().strip_prefix("target: ");
                target.is_some_and(|rest| rest.starts_with(|letter: char| letter.is_uppercase()))
            };
            let events = events.filter(|behind| !is_constant(behind));
            let part = |behind: &str| {
                let named = behind.trim_start().strip_prefix(PART);
                named.and_then(|rest| rest.split('"').next()).unwrap_or(part).to_owned()
            };
            let of_crate = text.split(OF_CRATE).skip(1).filter_map(|rest| rest.split('"').next());
            events.map(part).chain(of_crate.map(str::to_owned)).collect()
        };
        let of = |path: PathBuf| {
            let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let part = part.unwrap_or(&stem);
            match path.is_dir() {
                true => say(&path, Some(part)),
                false => says(&path, part),
            }
        };
        entries.flat_map(of).collect()
    }

    /// The crates of a gateway; other crates have one target each.
    const CRATES: [&str; 15] = [
        "actions",
        "alarm",
        "archive",
        "assurance",
        "collection",
        "distribution",
        "flow",
        "gateway",
        "inspection",
        "journal",
        "lineage",
        "operate",
        "runtime",
        "state",
        "suspense",
    ];

    #[test]
    fn every_part_that_says_something_can_be_named_and_no_other() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let say_in = |name: &&str| say(&crates.join(name).join("src"), None);
        let mut parts: Vec<_> = CRATES.iter().flat_map(say_in).collect();
        // The target `file` is a constant; the others are of other crates.
        parts.extend(["file", "remote", "serve", "tollgate"].map(str::to_owned));
        parts.sort_unstable();
        parts.dedup();
        let mut named = SAY;
        named.sort_unstable();
        assert_eq!(parts, named);
    }
}
