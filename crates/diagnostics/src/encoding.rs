//! Character encodings of text files. The encoding is determined in one place and never guessed.
//!
//! A byte order mark decides (Unicode Standard, 2.13; XML); without one, a declaration in the text
//! or a setting; otherwise the text is UTF-8. Bytes that are not valid in the encoding are rejected
//! with their offset: decoding with the wrong encoding would silently change values.

use std::fmt;

use reason::Coded;

/// A character encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    of: &'static encoding_rs::Encoding,
    name: &'static str,
    /// Which bytes from 80 on are valid. `encoding_rs` decodes some encodings as a superset; the
    /// extra bytes are rejected.
    ascii: Above,
}

/// Which bytes from 80 on are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Above {
    /// All that the standard of the encoding defines.
    All,
    /// Those from A0 on. 80 to 9F are controls in ISO 8859, which text does not contain.
    Letters,
    /// None: US-ASCII.
    None,
}

/// The code unit of an encoding; a character has one or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// One byte. Single bytes below 80 are ASCII.
    One,
    /// Two bytes, little-endian.
    TwoLittle,
    /// Two bytes, big-endian.
    TwoBig,
}

/// An encoding as named by a setting or a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A specific encoding.
    One(Encoding),
    /// UTF-16; the byte order mark tells the byte order.
    Utf16,
}

/// The encoding found at the beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The encoding.
    pub encoding: Encoding,
    /// Length of the byte order mark, which is not part of the text.
    pub mark_octets: usize,
}

/// Bytes that are not valid in an encoding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("encoding-malformed")]
#[error("octet {octet:02X} at {position} is no {encoding}", position = at + 1, encoding = encoding.name)]
pub struct Malformed {
    /// The encoding.
    pub encoding: Encoding,
    /// Offset of the first invalid byte.
    pub at: usize,
    /// The first invalid byte.
    pub octet: u8,
}

/// A character that an encoding cannot represent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("encoding-unmappable")]
#[error("{encoding} has no character \"{character}\" (U+{code_point:04X})", encoding = encoding.name, character = character.escape_debug(), code_point = u32::from(*character))]
pub struct Unmappable {
    /// The encoding.
    pub encoding: Encoding,
    /// The character.
    pub character: char,
}

/// Byte order marks, longest match first: that of UTF-32LE starts with that of UTF-16LE. Marks
/// without an encoding belong to unsupported encodings.
const MARKS: [(&[u8], &str, Option<Encoding>); 5] = [
    (b"\xEF\xBB\xBF", "UTF-8", Some(Encoding::UTF_8)),
    (b"\xFF\xFE\0\0", "UTF-32LE", None),
    (b"\0\0\xFE\xFF", "UTF-32BE", None),
    (b"\xFF\xFE", "UTF-16LE", Some(Encoding::UTF_16LE)),
    (b"\xFE\xFF", "UTF-16BE", Some(Encoding::UTF_16BE)),
];

/// Length of the longest byte order mark.
pub const MARK_OCTETS_MAX: usize = 4;

/// Bytes needed to detect an encoding.
pub const BEGINNING_OCTETS: usize = 64;

/// Names listed when a name is unknown. The other labels of the Encoding Standard (WHATWG) are
/// accepted too.
const USUAL: &str = "utf-8, utf-16, utf-16le, utf-16be, us-ascii, iso-8859-1 to -16, windows-1250 to -1258, koi8-r, \
                     shift_jis, euc-jp, gb18030, big5, euc-kr";

impl Encoding {
    /// UTF-8.
    pub const UTF_8: Encoding = Encoding::of(encoding_rs::UTF_8, "UTF-8", Above::All);
    /// UTF-16, little-endian.
    pub const UTF_16LE: Encoding = Encoding::of(encoding_rs::UTF_16LE, "UTF-16LE", Above::All);
    /// UTF-16, big-endian.
    pub const UTF_16BE: Encoding = Encoding::of(encoding_rs::UTF_16BE, "UTF-16BE", Above::All);
    /// ISO 8859-1. The controls 80 to 9F are rejected.
    pub const ISO_8859_1: Encoding =
        Encoding::of(encoding_rs::WINDOWS_1252, "ISO-8859-1", Above::Letters);
    const US_ASCII: Encoding = Encoding::of(encoding_rs::WINDOWS_1252, "US-ASCII", Above::None);

    const fn of(of: &'static encoding_rs::Encoding, name: &'static str, ascii: Above) -> Self {
        Encoding { of, name, ascii }
    }

    /// Its standard name.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The byte order mark of this encoding; empty if it has none.
    pub fn mark(self) -> &'static [u8] {
        let found = MARKS.iter().find(|(_, _, encoding)| *encoding == Some(self));
        found.map_or(b"", |(mark, _, _)| mark)
    }

    /// The code unit.
    pub fn unit(self) -> Unit {
        match self {
            encoding if encoding == Encoding::UTF_16LE => Unit::TwoLittle,
            encoding if encoding == Encoding::UTF_16BE => Unit::TwoBig,
            _ => Unit::One,
        }
    }

    /// Whether a multi-byte character may contain ASCII bytes such as digits, letters or `|`. Only
    /// `,`, `;`, tab and blank are then safe as separators.
    pub fn hides_ascii(self) -> bool {
        self.unit() == Unit::One && !self.of.is_single_byte() && self != Encoding::UTF_8
    }

    /// Decodes `octets`. Valid UTF-8 is returned as it is; other encodings are decoded into
    /// `buffer`.
    pub fn decode<'o>(
        self,
        octets: &'o [u8],
        buffer: &'o mut String,
    ) -> Result<&'o str, Malformed> {
        let malformed = |at: usize| Malformed { encoding: self, at, octet: octets[at] };
        if self == Encoding::UTF_8 {
            return std::str::from_utf8(octets).map_err(|error| malformed(error.valid_up_to()));
        }
        let refused = octets.iter().position(|octet| match self.ascii {
            Above::All => false,
            Above::Letters => matches!(octet, 0x80..=0x9F),
            Above::None => !octet.is_ascii(),
        });
        if let Some(at) = refused {
            return Err(malformed(at));
        }
        if self.unit() == Unit::One && octets.is_ascii() {
            return std::str::from_utf8(octets).map_err(|error| malformed(error.valid_up_to()));
        }
        buffer.clear();
        let mut decoder = self.of.new_decoder_without_bom_handling();
        buffer
            .reserve(decoder.max_utf8_buffer_length_without_replacement(octets.len()).unwrap_or(0));
        let (result, read) = decoder.decode_to_string_without_replacement(octets, buffer, true);
        match result {
            encoding_rs::DecoderResult::InputEmpty => {}
            encoding_rs::DecoderResult::Malformed(length, behind) => {
                let end = read.saturating_sub(usize::from(behind));
                let at = end.saturating_sub(usize::from(length));
                return Err(malformed(at.min(octets.len() - 1)));
            }
            encoding_rs::DecoderResult::OutputFull => {
                unreachable!("there is room for the longest text that so many octets can be")
            }
        }
        // Tables of single-byte encodings decode undefined bytes as C1 controls.
        let is_undefined = |c: char| self.of.is_single_byte() && matches!(c, '\u{80}'..='\u{9F}');
        match buffer.chars().position(is_undefined) {
            Some(at) => Err(malformed(at)),
            None => Ok(buffer),
        }
    }

    /// Appends a text in this encoding.
    pub fn encode(self, text: &str, out: &mut Vec<u8>) -> Result<(), Unmappable> {
        match self.unit() {
            Unit::TwoLittle => out.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            Unit::TwoBig => out.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
            Unit::One if self == Encoding::UTF_8 || text.is_ascii() => {
                out.extend_from_slice(text.as_bytes());
            }
            Unit::One => return self.encode_characters(text, out),
        }
        Ok(())
    }

    fn encode_characters(self, text: &str, out: &mut Vec<u8>) -> Result<(), Unmappable> {
        let unmappable = |character| Unmappable { encoding: self, character };
        // Characters that only a superset of this encoding has.
        let is_lacking = |c: &char| match self.ascii {
            Above::All => false,
            Above::Letters => {
                let mut octets = [0; 4];
                let (found, _, _) = self.of.encode(c.encode_utf8(&mut octets));
                matches!(found.first(), Some(0x80..=0x9F))
            }
            Above::None => !c.is_ascii(),
        };
        if let Some(character) = text.chars().find(is_lacking) {
            return Err(unmappable(character));
        }
        let mut encoder = self.of.new_encoder();
        let mut rest = text;
        loop {
            let start = out.len();
            let room = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
            out.resize(start + room.unwrap_or(rest.len()), 0);
            let (result, read, written) =
                encoder.encode_from_utf8_without_replacement(rest, &mut out[start..], true);
            out.truncate(start + written);
            rest = &rest[read..];
            match result {
                encoding_rs::EncoderResult::InputEmpty => return Ok(()),
                encoding_rs::EncoderResult::OutputFull => {}
                encoding_rs::EncoderResult::Unmappable(character) => {
                    return Err(unmappable(character));
                }
            }
        }
    }
}

impl Named {
    /// Looks up a name, ignoring case. The error lists the usual names.
    pub fn parse(name: &str) -> Result<Self, UnknownName> {
        let lower = name.trim().to_ascii_lowercase();
        match lower.as_str() {
            "utf-16" | "utf16" => return Ok(Named::Utf16),
            "us-ascii" | "ascii" => return Ok(Named::One(Encoding::US_ASCII)),
            "iso-8859-1" | "iso8859-1" | "latin1" | "latin-1" => {
                return Ok(Named::One(Encoding::ISO_8859_1));
            }
            _ => {}
        }
        let of = encoding_rs::Encoding::for_label(lower.as_bytes()).ok_or(UnknownName)?;
        let is_read = of == encoding_rs::UTF_8
            || of == encoding_rs::UTF_16LE
            || of == encoding_rs::UTF_16BE
            || (of.is_ascii_compatible() && of != encoding_rs::X_USER_DEFINED);
        if !is_read {
            return Err(UnknownName);
        }
        let above = if lower.starts_with("iso-8859") { Above::Letters } else { Above::All };
        Ok(Named::One(match of {
            of if of == encoding_rs::UTF_8 => Encoding::UTF_8,
            of if of == encoding_rs::UTF_16LE => Encoding::UTF_16LE,
            of if of == encoding_rs::UTF_16BE => Encoding::UTF_16BE,
            of => Encoding::of(of, of.name(), above),
        }))
    }
}

impl fmt::Display for Named {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Named::One(encoding) => encoding.name,
            Named::Utf16 => "UTF-16",
        })
    }
}

/// Why a text is not read: nothing names its encoding, and guessing would change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("encoding")]
pub enum NotRead {
    /// It begins with the byte-order mark of this encoding.
    #[error("it begins with the mark of {encoding}, which is not read here", encoding = .0)]
    Mark(&'static str),
    /// It looks like this encoding.
    #[error("it looks like {encoding} without a byte-order mark", encoding = .0.name)]
    Unmarked(Encoding),
    /// It is UTF-16, and nothing shows in which order the bytes are.
    #[error("it has no byte-order mark: name the encoding UTF-16LE or UTF-16BE")]
    Order,
}

/// A name that is not that of an encoding which is read here; the message lists the usual ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("known are {USUAL}")]
pub struct UnknownName;

/// Determines the encoding from the first [`BEGINNING_OCTETS`] bytes, or all if there are fewer: a
/// byte order mark, then `named`, then UTF-8. The error names an unsupported encoding that the text
/// appears to have.
pub fn find(beginning: &[u8], named: Option<Named>) -> Result<Found, NotRead> {
    if let Some((mark, name, encoding)) =
        MARKS.iter().find(|(mark, _, _)| beginning.starts_with(mark))
    {
        return match encoding {
            Some(encoding) => Ok(Found { encoding: *encoding, mark_octets: mark.len() }),
            None => Err(NotRead::Mark(name)),
        };
    }
    let found = |encoding| Ok(Found { encoding, mark_octets: 0 });
    match (named, looks_like(beginning)) {
        (Some(Named::One(encoding)), _) if encoding.unit() != Unit::One => found(encoding),
        (Some(Named::Utf16), None) => Err(NotRead::Order),
        (_, Some(looks)) => Err(NotRead::Unmarked(looks)),
        (Some(Named::One(encoding)), None) => found(encoding),
        (None, None) => found(Encoding::UTF_8),
    }
}

/// The UTF-16 variant that a text without a mark appears to be in: every second byte is NUL and no
/// other is.
fn looks_like(beginning: &[u8]) -> Option<Encoding> {
    let pairs = beginning[..beginning.len().min(BEGINNING_OCTETS)].as_chunks::<2>().0;
    let are = |is: fn(&[u8; 2]) -> bool| pairs.len() > 1 && pairs.iter().all(is);
    if are(|[first, second]| *first != 0 && *second == 0) {
        Some(Encoding::UTF_16LE)
    } else if are(|[first, second]| *first == 0 && *second != 0) {
        Some(Encoding::UTF_16BE)
    } else {
        None
    }
}

/// Returns the codes of the errors of this module, for the index of all codes.
pub fn codes() -> Vec<reason::Code> {
    [Malformed::codes(), Unmappable::codes(), NotRead::codes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Encoding {
        match Named::parse(name) {
            Ok(Named::One(encoding)) => encoding,
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn a_mark_decides_then_what_is_named_then_it_is_utf8() {
        let check = |octets: &[u8], name: Option<&str>, expected: &str| {
            let name = name.map(|name| Named::parse(name).expect("a name that is known"));
            let found = match find(octets, name) {
                Ok(Found { encoding, mark_octets }) => format!("{} {mark_octets}", encoding.name()),
                Err(refused) => refused.to_string(),
            };
            assert_eq!(found, expected, "{octets:02X?} {name:?}");
        };
        check(b"", None, "UTF-8 0");
        check(b"a,b", None, "UTF-8 0");
        check(b"\xEF\xBB\xBFa", Some("iso-8859-1"), "UTF-8 3");
        check(b"\xFF\xFEa\0", None, "UTF-16LE 2");
        check(b"\xFE\xFF\0a", Some("utf-16"), "UTF-16BE 2");
        check(b"a\0b\0", Some("utf-16le"), "UTF-16LE 0");
        check(b"a,b", Some("windows-1252"), "windows-1252 0");
        check(b"a\0b\0", None, "it looks like UTF-16LE without a byte-order mark");
        check(b"\0a\0b", Some("utf-8"), "it looks like UTF-16BE without a byte-order mark");
        check(b"\0a\0b", Some("utf-16"), "it looks like UTF-16BE without a byte-order mark");
        check(
            b"ab",
            Some("utf-16"),
            "it has no byte-order mark: name the encoding UTF-16LE or UTF-16BE",
        );
        check(
            b"\xFF\xFE\0\0a\0\0\0",
            None,
            "it begins with the mark of UTF-32LE, which is not read here",
        );
        check(b"\0\0\0\0\0", None, "UTF-8 0");
    }

    #[test]
    fn what_is_written_in_an_encoding_is_read_in_it_and_what_it_has_not_is_refused() {
        let mut buffer = String::new();
        for (name, text, octets) in [
            ("utf-8", "Zürich", b"Z\xC3\xBCrich".as_slice()),
            ("ISO-8859-1", "Zürich", b"Z\xFCrich"),
            ("latin1", "plain", b"plain"),
            ("iso-8859-15", "5 €", b"5 \xA4"),
            ("windows-1252", "5 €", b"5 \x80"),
            ("shift_jis", "東京", b"\x93\x8C\x8B\x9E"),
            ("utf-16le", "aü😀", b"a\0\xFC\0\x3D\xD8\0\xDE"),
            ("utf-16be", "aü", b"\0a\0\xFC"),
        ] {
            let encoding = named(name);
            assert_eq!(encoding.decode(octets, &mut buffer), Ok(text), "{name}");
            let mut written = Vec::new();
            encoding.encode(text, &mut written).unwrap();
            assert_eq!(written, octets, "{name}");
        }
        for (name, octets, expected) in [
            ("utf-8", b"caf\xE9,1".as_slice(), "octet E9 at 4 is no UTF-8"),
            ("us-ascii", b"caf\xE9", "octet E9 at 4 is no US-ASCII"),
            ("iso-8859-1", b"\x93\x8C", "octet 93 at 1 is no ISO-8859-1"),
            ("windows-1252", b"ab\x81", "octet 81 at 3 is no windows-1252"),
            ("utf-16le", b"a\0\x00\xD8b\0", "octet 00 at 3 is no UTF-16LE"),
            ("utf-16le", b"a\0b", "octet 62 at 3 is no UTF-16LE"),
            ("shift_jis", b"a\x93", "octet 93 at 2 is no Shift_JIS"),
        ] {
            let found = named(name).decode(octets, &mut buffer).map_err(|fault| fault.to_string());
            assert_eq!(found, Err(expected.to_owned()), "{name}");
        }
        for (name, text, expected) in [
            ("iso-8859-1", "5 €", "ISO-8859-1 has no character \"€\" (U+20AC)"),
            ("us-ascii", "é", "US-ASCII has no character \"é\" (U+00E9)"),
            ("windows-1252", "東", "windows-1252 has no character \"東\" (U+6771)"),
        ] {
            let written = named(name).encode(text, &mut Vec::new());
            assert_eq!(written.map_err(|fault| fault.to_string()), Err(expected.to_owned()));
        }
    }

    #[test]
    fn names_that_are_not_read_are_refused() {
        for name in ["utf-7", "ebcdic", "", "iso-2022-jp", "x-user-defined", "utf-32"] {
            let refused = Named::parse(name).expect_err(name);
            assert!(refused.to_string().starts_with("known are utf-8,"), "{name}: {refused}");
        }
    }
}
