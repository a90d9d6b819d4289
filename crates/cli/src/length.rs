//! A length of time on the command line.

use std::time::Duration;

/// A text is no length of time.
#[derive(Debug, thiserror::Error)]
#[error("\"{0}\" is no length of time; write \"7 days\" or \"2 hours\"")]
pub(crate) struct NoLength(String);

/// Reads a length, such as `2 hours`.
pub(crate) fn length(text: &str) -> Result<Duration, NoLength> {
    settings::duration(text).ok_or_else(|| NoLength(text.to_owned()))
}

/// Reads a length, which may be `0`.
pub(crate) fn length_or_none(text: &str) -> Result<Duration, NoLength> {
    if text == "0" { Ok(Duration::ZERO) } else { length(text) }
}
