//! Untrusted text (file names, reasons, typed input) for terminals, logs and lists. The result
//! cannot control a terminal, start a new line, or change the direction of other text.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A text on one line, with invisible characters escaped as in JSON: `\u202e`.
pub fn visible(text: &str) -> Cow<'_, str> {
    written_out(text, is_hidden)
}

/// Like [`visible`], but keeps line feeds and tabs.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    written_out(text, |c| is_hidden(c) && c != '\n' && c != '\t')
}

/// Whether a character is invisible but has an effect: it controls a terminal, ends a line, changes
/// text direction (UAX #9, 2), or has no width, so that different names look alike.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// A character of an excerpt; each takes one column.
pub(crate) fn excerpted(c: char) -> char {
    match c {
        c if c.is_control() => ' ',
        c if is_hidden(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

fn written_out(text: &str, is_it: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Nearly all texts are printable ASCII, of which nothing is hidden.
    if text.bytes().all(|octet| matches!(octet, b' '..=b'~')) || !text.chars().any(&is_it) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' if is_it(c) => out.push_str("\\n"),
            '\r' if is_it(c) => out.push_str("\\r"),
            '\t' if is_it(c) => out.push_str("\\t"),
            c if is_it(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_written_out_and_all_else_stays() {
        for (text, on_one_line) in [
            ("calls-00001.ber", "calls-00001.ber"),
            ("Gespräch \"a\\b\" 東京 😀 م‌ن", "Gespräch \"a\\b\" 東京 😀 م‌ن"),
            ("a\u{1b}[31mred", "a\\u001b[31mred"),
            ("a\u{9b}31m", "a\\u009b31m"),
            ("two\nlines\r\tand a tab", "two\\nlines\\r\\tand a tab"),
            ("invoice-\u{202e}vsc.exe", "invoice-\\u202evsc.exe"),
            ("a\u{2067}b\u{2069}\u{200b}\u{feff}", "a\\u2067b\\u2069\\u200b\\ufeff"),
            ("a\u{2028}b\u{e0041}\u{7f}\0", "a\\u2028b\\udb40\\udc41\\u007f\\u0000"),
        ] {
            assert_eq!(visible(text), on_one_line, "{text:?}");
            assert!(!visible(text).chars().any(is_hidden));
            assert_eq!(visible(&visible(text)), on_one_line, "once more changes nothing");
        }
        assert_eq!(visible_lines("a\n\tb\u{1b}\u{202e}"), "a\n\tb\\u001b\\u202e");
    }
}
