//! The settings in `decode` and `encode` tables that all text codecs share.

use std::io;
use std::sync::Arc;

use diagnostics::encoding::{self, BEGINNING_OCTETS, Found, Named};
use diagnostics::{Diagnostic, Encoding};
use record::{Anatomy, Part};
use settings::Settings;

use super::EncodingError;
use crate::codecs::{choose, number};
use crate::coding::Excerpt;
use crate::window::Window;

/// Settings for the lines of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineSettings {
    /// The encoding of files without a byte order mark.
    pub(crate) encoding: Option<Named>,
    /// Number of lines to skip at the beginning.
    pub(crate) skip_lines: u64,
    /// Patterns of lines that are not records.
    pub(crate) pass_over: Vec<Pattern>,
    /// Whether a last line without a line end is an error.
    pub(crate) last_line_must_end: bool,
    /// Whether lines may contain NULs.
    pub(crate) has_nuls: bool,
}

/// A pattern of lines; `*` matches any characters.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(String);

impl LineSettings {
    pub(crate) const KEYS: &'static [&'static str] =
        &["encoding", "skip-lines", "pass-over", "last-line-end"];

    pub(crate) fn new(decode: &Settings) -> Result<Self, Vec<Diagnostic>> {
        const ENDS: [&str; 2] = ["optional", "required"];
        let patterns = decode.all("pass-over").map(|setting| Pattern(setting.value.clone()));
        if let Some(setting) = decode.all("pass-over").find(|setting| is_all(&setting.value)) {
            let message = "this fits every line, and no record would be read";
            return Err(vec![decode.error(setting, message)]);
        }
        Ok(LineSettings {
            encoding: self::encoding(decode)?,
            skip_lines: number(decode, "skip-lines", 0)?,
            pass_over: patterns.collect(),
            last_line_must_end: choose(decode, "last-line-end", &ENDS)? == 1,
            has_nuls: false,
        })
    }
}

/// The beginning of a text file.
pub(crate) struct Begun {
    pub(crate) encoding: Encoding,
    pub(crate) mark_octets: usize,
    /// The reason why the file is set aside whole.
    pub(crate) refused: Option<Arc<EncodingError>>,
}

impl LineSettings {
    /// Determines the encoding of a file, and skips its byte order mark.
    pub(crate) fn begin(&self, window: &mut Window) -> io::Result<Begun> {
        let found = encoding::find(window.look_at(BEGINNING_OCTETS)?, self.encoding);
        let (Found { encoding, mark_octets }, refused) = match found {
            Ok(found) => (found, None),
            Err(why) => {
                let refused = Arc::new(EncodingError::NotRead(why));
                (Found { encoding: Encoding::UTF_8, mark_octets: 0 }, Some(refused))
            }
        };
        window.pass(mark_octets);
        Ok(Begun { encoding, mark_octets, refused })
    }

    /// Returns the encoding of a piece that was set aside.
    pub(crate) fn encoding_of(&self, piece: &Excerpt<'_>) -> Encoding {
        let beginning = piece.beginning(BEGINNING_OCTETS);
        encoding::find(beginning, self.encoding).map_or(Encoding::UTF_8, |found| found.encoding)
    }

    /// Describes a piece that was set aside; see [`text_of`].
    pub(crate) fn text_of(&self, piece: &Excerpt<'_>, say: impl Fn(&[u8]) -> Anatomy) -> Anatomy {
        text_of(self.encoding_of(piece), piece.octets, say)
    }
}

/// Describes `octets` decoded as text, or as they are if that fails. Positions in the result refer
/// to `octets`.
pub(crate) fn text_of(
    encoding: Encoding,
    octets: &[u8],
    say: impl Fn(&[u8]) -> Anatomy,
) -> Anatomy {
    let mut buffer = String::new();
    let Ok(text) = encoding.decode(octets, &mut buffer) else { return say(octets) };
    let mut anatomy = say(text.as_bytes());
    if text.as_bytes() != octets {
        let places = Places::new(text, encoding);
        anatomy.parts.iter_mut().for_each(|part| places.put(part));
        anatomy.damage = anatomy.damage.map(|(at, reason)| (places.of(at), reason));
    }
    anatomy
}

/// Maps positions in a decoded text to its original bytes.
struct Places {
    /// Byte offset by offset in the UTF-8 text.
    places: Vec<usize>,
}

impl Places {
    fn new(text: &str, encoding: Encoding) -> Self {
        let (mut places, mut octets) = (Vec::with_capacity(text.len() + 1), Vec::new());
        for (at, character) in text.char_indices() {
            places.resize(at + 1, octets.len());
            // Cannot fail: the text was decoded from this encoding.
            let _ = encoding.encode(character.encode_utf8(&mut [0; 4]), &mut octets);
        }
        places.resize(text.len() + 1, octets.len());
        Places { places }
    }

    fn of(&self, at: usize) -> usize {
        self.places.get(at).or(self.places.last()).copied().unwrap_or(0)
    }

    fn put(&self, part: &mut Part) {
        part.place = self.of(part.place.start)..self.of(part.place.end);
        part.content = self.of(part.content.start)..self.of(part.content.end);
        part.parts.iter_mut().for_each(|part| self.put(part));
    }
}

fn is_all(pattern: &str) -> bool {
    !pattern.is_empty() && pattern.bytes().all(|octet| octet == b'*')
}

/// Returns the encoding in a table.
pub(crate) fn encoding(settings: &Settings) -> Result<Option<Named>, Vec<Diagnostic>> {
    let Some(setting) = settings.get("encoding") else { return Ok(None) };
    Named::parse(&setting.value).map(Some).map_err(|known| {
        let message = format!("the encoding \"{}\" is not known here", setting.value);
        vec![settings.error(setting, message).hint(known.to_string())]
    })
}

/// Refuses a separator that may be part of a multi-byte character of the encoding.
pub(crate) fn refuse_hidden(settings: &Settings, separator: u8) -> Result<(), Vec<Diagnostic>> {
    match encoding(settings)? {
        // Trailing bytes of characters are 40 or above. In GB 18030 they may also be digits, which
        // cannot be separators.
        Some(Named::One(encoding)) if encoding.hides_ascii() && separator >= 0x40 => {
            let message = format!(
                "characters of {} have the octet of the separator in them: take \",\", \";\" or a tab",
                encoding.name()
            );
            Err(vec![Diagnostic::error(&settings.source, settings.span, message)])
        }
        _ => Ok(()),
    }
}

impl Pattern {
    pub(crate) fn fits(&self, line: &str) -> bool {
        let mut parts = self.0.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = line.strip_prefix(first) else { return false };
        let Some(last) = parts.next_back() else { return rest.is_empty() };
        for part in parts {
            match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
        rest.ends_with(last)
    }
}

/// Returns the encoding for output, and whether to write a byte order mark.
pub(crate) fn written(named: Named) -> (Encoding, bool) {
    match named {
        Named::One(encoding) => (encoding, false),
        Named::Utf16 => (Encoding::UTF_16LE, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_fits_whole_lines() {
        for (pattern, line, fits) in [
            ("EOF *", "EOF PUBLIC 3", true),
            ("EOF *", "xEOF PUBLIC", false),
            ("sep=;", "sep=;", true),
            ("sep=;", "sep=;x", false),
            ("*;;", "Anzahl;3;;", true),
            ("A*z*z", "Anz z", true),
            ("A*z*z", "Az", false),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(Pattern(pattern.into()).fits(line), fits, "{pattern} {line}");
        }
    }
}
