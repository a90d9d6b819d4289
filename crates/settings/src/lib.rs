//! What the flow file says of one node, each word with its place, so that a kind can report at it.

#![forbid(unsafe_code)]

mod secret;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use diagnostics::{Diagnostic, Source, Span, did_you_mean};
use jiff::SpanRelativeTo;

pub use secret::{Secret, SecretError, SecretSource, certificates};

/// The table of one node, without `from`.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The node's name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// The flow file.
    pub source: Arc<Source>,
    /// The folder of the flow file, which paths in it are relative to.
    pub folder: PathBuf,
    /// The keys and values, in the order of the file.
    pub values: Vec<Setting>,
}

/// A key of a node's table and its value.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The key.
    pub key: String,
    /// The value as text, environment variables filled in.
    pub value: String,
    /// Where the value stands.
    pub span: Span,
}

impl Setting {
    /// What stands before and behind a ` = `, which is no comparison, if there is one.
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
    /// The setting of this key.
    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.values.iter().find(|setting| setting.key == key)
    }

    /// All settings of this key: each element of a list is one.
    pub fn all<'s>(&'s self, key: &'s str) -> impl Iterator<Item = &'s Setting> {
        self.values.iter().filter(move |setting| setting.key == key)
    }

    /// The setting of a key that must be there.
    pub fn require(&self, key: &str) -> Result<&Setting, Diagnostic> {
        self.get(key).ok_or_else(|| {
            let message = format!("\"{}\" has no \"{key}\"", self.name);
            Diagnostic::error(&self.source, self.span, message)
        })
    }

    /// An error at a setting.
    pub fn error(&self, setting: &Setting, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(&self.source, setting.span, message)
    }

    /// The length of time a setting gives: "90 seconds", "1 hour", "30 days". A day has 24 hours.
    pub fn duration(&self, setting: &Setting) -> Result<Duration, Diagnostic> {
        duration(&setting.value).ok_or_else(|| {
            let message = format!("\"{}\" is no length of time", setting.value);
            self.error(setting, message).hint("write \"90 seconds\", \"1 hour\" or \"30 days\"")
        })
    }

    /// The octets a setting gives: "500 MB", "2 GB"; a kB has 1000 octets.
    pub fn octets(&self, setting: &Setting) -> Result<u64, Diagnostic> {
        octets(&setting.value).ok_or_else(|| {
            let message = format!("\"{}\" is no number of octets", setting.value);
            self.error(setting, message).hint("write \"500 MB\" or \"2 GB\"")
        })
    }

    /// The number a setting gives, which is 1 or more.
    pub fn count(&self, setting: &Setting) -> Result<u64, Diagnostic> {
        setting
            .value
            .parse()
            .ok()
            .filter(|number| *number > 0)
            .ok_or_else(|| self.error(setting, format!("\"{}\" is a number from 1", setting.key)))
    }

    /// What the word stands for that a setting gives.
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

    /// The path a setting gives.
    pub fn path(&self, setting: &Setting) -> PathBuf {
        self.folder.join(&setting.value)
    }
}

fn duration(text: &str) -> Option<Duration> {
    let span: jiff::Span = text.parse().ok()?;
    let length = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    Duration::try_from(length).ok().filter(|length| !length.is_zero())
}

fn octets(text: &str) -> Option<u64> {
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
