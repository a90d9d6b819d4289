//! One table of a settings file, as a part of the product reads it: keys and values, each with its place in the file, so
//! that a mistake is reported where it stands.
//!
//! Nothing here knows which keys there are. Whoever reads the file fills in environment variables and hands a [`Settings`]
//! to the part that the table is for; that part reads it once and reports all mistakes that it finds. What must not be
//! shown is a [`Secret`].

#![forbid(unsafe_code)]

mod secret;
pub mod toml;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use diagnostics::{Diagnostic, Source, Span, did_you_mean};
use jiff::SpanRelativeTo;

pub use secret::{Secret, SecretError, SecretSource, certificates};

/// One table of a settings file.
///
/// ```
/// use settings::{Setting, Settings};
///
/// let value = |key: &str, value: &str| Setting { key: key.into(), value: value.into(), span: Default::default() };
/// let settings = Settings {
///     name: "msc".into(),
///     span: Default::default(),
///     source: diagnostics::Source::new("flow.toml", ""),
///     folder: "/srv/flows".into(),
///     values: vec![value("every", "90 seconds"), value("dir", "in")],
/// };
/// let every = settings.require("every")?;
/// assert_eq!(settings.duration(every)?.as_secs(), 90);
/// assert_eq!(settings.path(settings.require("dir")?).as_os_str(), "/srv/flows/in");
/// # Ok::<(), diagnostics::Diagnostic>(())
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    /// What the table is for, such as the name of a node.
    pub name: String,
    /// Where the name stands in the file.
    pub span: Span,
    /// The file.
    pub source: Arc<Source>,
    /// The folder of the file. Paths in the file are relative to it.
    pub folder: PathBuf,
    /// Keys and values in the order of the file. A list is one entry for each element, all with the same key.
    pub values: Vec<Setting>,
}

/// A key of a table and its value.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The key; a key of a table within is joined to it with a dot: `accept.password`.
    pub key: String,
    /// The value as text, with environment variables filled in.
    pub value: String,
    /// Where the value stands in the file.
    pub span: Span,
}

impl Setting {
    /// Splits a value of the form `NAME = EXPRESSION` at its first ` = `. Returns `None` if there is none: `==` compares and
    /// does not count.
    pub fn halves(&self) -> Option<(Setting, Setting)> {
        let text = &self.value;
        let at = text.find(" = ")? + 1;
        let part = |from: usize, to: usize| {
            let value = text[from..to].trim();
            let from = from + text[from..to].find(value).unwrap_or(0);
            let start = self.span.start as usize + from;
            let span = Span::new(start, start + value.len());
            Setting { key: self.key.clone(), value: value.into(), span }
        };
        Some((part(0, at), part(at + 1, text.len())))
    }
}

impl Settings {
    /// Returns the setting with this key, the first if there are several.
    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.values.iter().find(|setting| setting.key == key)
    }

    /// Returns all settings with this key: one for each element of a list.
    pub fn all<'s>(&'s self, key: &'s str) -> impl Iterator<Item = &'s Setting> {
        self.values.iter().filter(move |setting| setting.key == key)
    }

    /// Returns the setting with this key, or an error at the name of the table if it is missing.
    pub fn require(&self, key: &str) -> Result<&Setting, Diagnostic> {
        self.get(key).ok_or_else(|| {
            let message = format!("\"{}\" has no \"{key}\"", self.name);
            Diagnostic::error(&self.source, self.span, message)
        })
    }

    /// Makes an error that points at the value of a setting.
    pub fn error(&self, setting: &Setting, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(&self.source, setting.span, message)
    }

    /// Parses a duration: "90 seconds", "1 hour", "30 days". A day has 24 hours. Zero, negative durations and months are
    /// errors.
    pub fn duration(&self, setting: &Setting) -> Result<Duration, Diagnostic> {
        duration(&setting.value).ok_or_else(|| {
            let message = format!("\"{}\" is no length of time", setting.value);
            self.error(setting, message).hint("write \"90 seconds\", \"1 hour\" or \"30 days\"")
        })
    }

    /// Parses a size in octets: "500 MB", "2 GB". Units are decimal: a kB has 1000 octets. Zero is an error.
    pub fn octets(&self, setting: &Setting) -> Result<u64, Diagnostic> {
        octets(&setting.value).ok_or_else(|| {
            let message = format!("\"{}\" is no number of octets", setting.value);
            self.error(setting, message).hint("write \"500 MB\" or \"2 GB\"")
        })
    }

    /// Parses a whole number of at least 1.
    pub fn count(&self, setting: &Setting) -> Result<u64, Diagnostic> {
        setting
            .value
            .parse()
            .ok()
            .filter(|number| *number > 0)
            .ok_or_else(|| self.error(setting, format!("\"{}\" is a number from 1", setting.key)))
    }

    /// Looks up the value in a list of known words. An error suggests the nearest word, or lists all.
    pub fn choice<T: Copy>(&self, setting: &Setting, known: &[(&str, T)]) -> Result<T, Diagnostic> {
        let found = known.iter().find(|(word, _)| *word == setting.value);
        found.map(|(_, choice)| *choice).ok_or_else(|| {
            let words = known.iter().map(|(word, _)| *word);
            let hint = did_you_mean(&setting.value, words.clone())
                .unwrap_or_else(|| format!("known here: {}", words.collect::<Vec<_>>().join(", ")));
            let message = format!("\"{}\" is not \"{}\"", setting.key, setting.value);
            self.error(setting, message).hint(hint)
        })
    }

    /// Returns the value as a path. A relative path is relative to the folder of the file.
    pub fn path(&self, setting: &Setting) -> PathBuf {
        self.folder.join(&setting.value)
    }
}

/// Reads a duration: "90 seconds", "1 hour", "30 days". A day has 24 hours. `None` for another text, zero, negative durations and
/// months.
pub fn duration(text: &str) -> Option<Duration> {
    let span: jiff::Span = text.parse().ok()?;
    let length = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    Duration::try_from(length).ok().filter(|length| !length.is_zero())
}

/// Reads a size in octets: "500 MB", "2 GB". Units are decimal: a kB has 1000 octets. `None` for another text, and zero.
pub fn octets(text: &str) -> Option<u64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let unit: u64 = match unit.trim() {
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit).filter(|octets| *octets > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_as_long_as_it_is_written() {
        for (text, seconds) in [
            ("1 second", 1),
            ("90 seconds", 90),
            ("1 hour", 3_600),
            ("1 hour 30 minutes", 5_400),
            ("30 days", 2_592_000),
            ("2 weeks", 1_209_600),
        ] {
            assert_eq!(duration(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["", "1", "an hour", "-1 hour", "0 seconds", "1 month"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn octets_have_a_unit() {
        assert_eq!(octets("500 MB"), Some(500_000_000));
        assert_eq!(octets("2 TB"), Some(2_000_000_000_000));
        for text in ["", "5", "0 GB", "-1 GB", "1 GiB", "99999999999 TB"] {
            assert_eq!(octets(text), None, "{text}");
        }
    }
}
