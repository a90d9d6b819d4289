//! Output for people. Names and reasons in it come from outside, so control characters for the terminal are escaped.
//! JSON output is not changed, because JSON escapes them itself.

use std::io::{self, BufWriter, Stdout, Write};

use diagnostics::{Diagnostic, visible_lines};

use crate::progress::Aside;
use crate::terminal::{Look, Stream};

/// Writes a line to standard output, with control characters escaped. If the reader has closed the pipe, as `head`
/// does, it returns an error, which ends the command.
macro_rules! say {
    () => { say!("") };
    ($($text:tt)*) => {{
        use std::io::Write as _;
        writeln!(crate::output::lines(), $($text)*)
    }};
}

/// Writes a line to standard error, with control characters escaped: an error, or a note for the user.
macro_rules! tell {
    () => { tell!("") };
    ($($text:tt)*) => {
        crate::output::error_line(crate::terminal::Look::Plain, &format!($($text)*))
    };
}

/// Writes a line to standard error, with control characters escaped, unless `--quiet` is given.
macro_rules! note {
    ($($text:tt)*) => {
        if !crate::terminal::is_quiet() {
            tell!($($text)*)
        }
    };
}

/// Standard output, which takes turns with the progress.
pub(crate) type Standard = Aside<Stdout>;

/// Returns buffered standard output, for lists.
pub(crate) fn list() -> Visible<BufWriter<Standard>> {
    Visible::new(BufWriter::new(Aside(io::stdout())))
}

/// Returns standard output, for single lines.
pub(crate) fn lines() -> Visible<Standard> {
    Visible::new(Aside(io::stdout()))
}

/// Writes a line to standard error, with control characters escaped. On a terminal, the first line of each paragraph has
/// the colour of the look.
pub(crate) fn error_line(look: Look, text: &str) {
    let text = visible_lines(text);
    let line = match look != Look::Plain && Stream::Error.is_colored() {
        true => look.paint_message(&text),
        false => text.into_owned(),
    };
    // If standard error cannot be written (full disk, closed reader), the work goes on.
    let _ = Aside(io::stderr()).write_all((line + "\n").as_bytes());
}

/// Writes mistakes and warnings to standard error, with an empty line behind each.
pub(crate) fn diagnostics<'d>(found: impl IntoIterator<Item = &'d Diagnostic>) {
    for diagnostic in found {
        let look = if diagnostic.is_error() { Look::Bad } else { Look::Warning };
        error_line(look, &format!("{diagnostic}\n"));
    }
}

/// Escapes control characters with [`visible_lines`].
#[derive(Debug)]
pub(crate) struct Visible<W> {
    to: W,
    /// The start of a character whose remaining octets come with the next write.
    begun: Vec<u8>,
}

impl<W: Write> Visible<W> {
    pub(crate) fn new(to: W) -> Self {
        Visible { to, begun: Vec::new() }
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(octets);
        let mut chunks = self.begun.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.to.write_all(visible_lines(chunk.valid()).as_bytes())?;
            // Only a character at the end can be completed by the next write.
            match chunks.peek().is_none() && is_begun(chunk.invalid()) {
                true => {
                    self.begun = chunk.invalid().to_vec();
                    return Ok(octets.len());
                }
                false if chunk.invalid().is_empty() => {}
                false => self.to.write_all("\u{fffd}".as_bytes())?,
            }
        }
        self.begun.clear();
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Returns whether `octets` are the start of a UTF-8 character whose rest is missing.
fn is_begun(octets: &[u8]) -> bool {
    let Some(first) = octets.first() else { return false };
    let length = match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return false,
    };
    octets.len() < length && octets[1..].iter().all(|octet| octet & 0xc0 == 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_the_same_in_whatever_pieces_it_comes() {
        let text = "a\u{1b}[31mé\u{202e}東😀\n\tb\r\n".as_bytes();
        let wanted = "a\\u001b[31mé\\u202e東😀\n\tb\\r\n";
        for size in 1..=text.len() {
            let mut out = Visible::new(Vec::new());
            text.chunks(size).for_each(|piece| out.write_all(piece).unwrap());
            assert_eq!(String::from_utf8(out.to).unwrap(), wanted, "{size}");
        }
    }

    #[test]
    fn what_is_no_text_is_seen_to_be_none() {
        let mut out = Visible::new(Vec::new());
        out.write_all(b"a\xffb\xc3(\xe2\x82").unwrap();
        out.write_all(b"x\n").unwrap();
        assert_eq!(String::from_utf8(out.to).unwrap(), "a\u{fffd}b\u{fffd}(\u{fffd}x\n");
    }

    #[test]
    fn json_stays_what_it_says() {
        let value = serde_json::json!({"file": "a\u{1b}\u{202e}\u{e0041}\u{9b}.ber"});
        let mut out = Visible::new(Vec::new());
        serde_json::to_writer(&mut out, &value).unwrap();
        assert!(out.to.is_ascii());
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&out.to).unwrap(), value);
    }
}
