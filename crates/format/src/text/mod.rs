//! Text files: encoding, lines, settings, and output in an encoding.

mod error;
mod lines;
mod settings;
mod units;
mod written;

use diagnostics::visible;

pub(crate) use self::settings::{Begun, LineSettings, encoding, refuse_hidden, text_of, written};
pub use error::{EncodingError, TextError};
pub(crate) use lines::{LINE_OCTETS_MAX, Lines, next_end};
pub(crate) use units::{Units, narrow};
pub(crate) use written::{InEncoding, put};

/// Maximum bytes of a text shown in a message.
const SHOWN_OCTETS_MAX: usize = 60;

/// Returns input octets for messages, without control characters for the terminal.
pub(crate) fn shown(octets: &[u8]) -> String {
    let is_cut = octets.len() > SHOWN_OCTETS_MAX;
    let text = String::from_utf8_lossy(&octets[..octets.len().min(SHOWN_OCTETS_MAX)]);
    let text = visible(&text).into_owned();
    if is_cut { text + "…" } else { text }
}
