//! Files of text: their encoding, their lines, what is said of them, and how a text is written in an encoding.

mod lines;
mod settings;
mod units;
mod written;

use diagnostics::visible;

pub(crate) use lines::{LINE_OCTETS_MAX, Lines, next_end};
pub(crate) use settings::{LineSettings, encoding, refuse_hidden, text_of, written};
pub(crate) use units::{Units, narrow};
pub(crate) use written::{InEncoding, put};

/// Octets of a text that a message shows.
const SHOWN_OCTETS_MAX: usize = 60;

/// Octets of the input as a message shows them: nothing that a terminal obeys.
pub(crate) fn shown(octets: &[u8]) -> String {
    let is_cut = octets.len() > SHOWN_OCTETS_MAX;
    let text = String::from_utf8_lossy(&octets[..octets.len().min(SHOWN_OCTETS_MAX)]);
    let text = visible(&text).into_owned();
    if is_cut { text + "…" } else { text }
}
