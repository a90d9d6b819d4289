//! The encoding of an XML file: byte order mark, then declaration, then setting, then UTF-8 (XML
//! 1.0, 4.3.3).

use diagnostics::Encoding;
use diagnostics::encoding::{self, BEGINNING_OCTETS, Found, Named, Unit};

use crate::text::{EncodingError, narrow};

/// Maximum length of the declaration.
pub(crate) const BEGINNING_OCTETS_MAX: usize = 4096;

/// Maximum characters of a name in a message.
const SHOWN_CHARACTERS_MAX: usize = 60;

/// The encoding of a file, from its beginning.
#[derive(Debug)]
pub(crate) struct DetectedEncoding {
    pub(crate) encoding: Encoding,
    pub(crate) mark_octets: usize,
    /// The length of the byte order mark and the declaration.
    pub(crate) prolog_octets: usize,
}

/// Determines the encoding from the first bytes of a file. The error says why the file cannot be
/// read.
pub(crate) fn find(
    beginning: &[u8],
    setting: Option<Named>,
) -> Result<DetectedEncoding, EncodingError> {
    let first = &beginning[..beginning.len().min(BEGINNING_OCTETS)];
    if let Ok(Found { encoding, mark_octets }) = encoding::find(first, None)
        && mark_octets > 0
    {
        let declared = declared(&beginning[mark_octets..], encoding.unit());
        let prolog_octets = mark_octets + declared.map_or(0, |declared| declared.octets);
        return Ok(DetectedEncoding { encoding, mark_octets, prolog_octets });
    }
    let units = [Unit::One, Unit::TwoLittle, Unit::TwoBig];
    let found = units.into_iter().find_map(|unit| Some((unit, declared(beginning, unit)?)));
    let encoding =
        match found.as_ref().map(|(unit, declared)| (*unit, declared.encoding.as_deref())) {
            Some((unit, Some(name))) => by_name(unit, name)?,
            Some((Unit::TwoLittle, None)) => Encoding::UTF_16LE,
            Some((Unit::TwoBig, None)) => Encoding::UTF_16BE,
            Some((Unit::One, None)) | None => {
                let found = encoding::find(first, setting);
                let found = found.map_err(EncodingError::NotRead)?;
                return Ok(DetectedEncoding {
                    encoding: found.encoding,
                    mark_octets: 0,
                    prolog_octets: 0,
                });
            }
        };
    let prolog_octets = found.map_or(0, |(_, declared)| declared.octets);
    Ok(DetectedEncoding { encoding, mark_octets: 0, prolog_octets })
}

/// Returns the encoding named in a declaration that was read in units of this width.
fn by_name(unit: Unit, name: &str) -> Result<Encoding, EncodingError> {
    let shown = || name.chars().take(SHOWN_CHARACTERS_MAX).collect();
    let named =
        Named::parse(name).map_err(|known| EncodingError::Unknown { name: shown(), known })?;
    match (named, unit) {
        (Named::One(encoding), unit) if encoding.unit() == unit => Ok(encoding),
        (Named::Utf16, Unit::TwoLittle) => Ok(Encoding::UTF_16LE),
        (Named::Utf16, Unit::TwoBig) => Ok(Encoding::UTF_16BE),
        _ => Err(EncodingError::Contradicted { name: shown(), named }),
    }
}

struct Declared {
    octets: usize,
    encoding: Option<String>,
}

/// Returns the declaration at the start of `octets`, if it is written in such units.
fn declared(octets: &[u8], unit: Unit) -> Option<Declared> {
    let mut narrowed = Vec::new();
    let (text, width) = match unit {
        Unit::One => (octets, 1),
        unit => {
            narrow(octets, unit, &mut narrowed);
            (narrowed.as_slice(), 2)
        }
    };
    let inner = text
        .strip_prefix(b"<?xml")
        .filter(|inner| inner.first().is_some_and(u8::is_ascii_whitespace))?;
    let length = inner.windows(2).position(|two| two == b"?>")?;
    let inner = String::from_utf8_lossy(&inner[..length]).into_owned();
    let encoding = inner.split_once("encoding").and_then(|(_, behind)| {
        let value = behind.trim_start().strip_prefix('=')?.trim_start();
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        Some(value[1..].split_once(quote)?.0.to_owned())
    });
    Some(Declared { octets: (b"<?xml".len() + length + 2) * width, encoding })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_counts_then_the_declaration_then_the_setting() {
        let found = |octets: &[u8], setting: Option<&str>| {
            let setting = setting.map(|name| Named::parse(name).expect("it is known"));
            let found = find(octets, setting);
            found.map_or_else(
                |why| why.to_string(),
                |found| {
                    format!(
                        "{} {} {}",
                        found.encoding.name(),
                        found.mark_octets,
                        found.prolog_octets
                    )
                },
            )
        };
        let wide = |text: &str, encoding: Encoding| {
            let mut octets = Vec::new();
            encoding.encode(text, &mut octets).expect("it has all characters");
            octets
        };
        let (little, big) = (Encoding::UTF_16LE, Encoding::UTF_16BE);
        let declared = "<?xml version='1.0' encoding='ISO-8859-1'?><a/>";
        assert_eq!(found(b"<a/>", None), "UTF-8 0 0");
        assert_eq!(found(b"", None), "UTF-8 0 0");
        assert_eq!(found(b"<a/>", Some("iso-8859-1")), "ISO-8859-1 0 0");
        assert_eq!(found(declared.as_bytes(), Some("utf-8")), "ISO-8859-1 0 43");
        assert_eq!(found(format!("\u{feff}{declared}").as_bytes(), None), "UTF-8 3 46");
        assert_eq!(found(b"<?xml version=\"1.0\"?><a/>", Some("windows-1252")), "windows-1252 0 0");
        assert_eq!(found(&wide("\u{feff}<a/>", little), None), "UTF-16LE 2 2");
        let utf16 = "<?xml version='1.0' encoding = \"UTF-16\" ?><a/>";
        assert_eq!(found(&wide(&format!("\u{feff}{utf16}"), big), None), "UTF-16BE 2 86");
        assert_eq!(found(&wide(utf16, big), None), "UTF-16BE 0 84");
        assert_eq!(found(&wide("<?xml version='1.0'?><a/>", little), None), "UTF-16LE 0 42");
        assert!(found(&wide("<abcdefgh/>", little), None).contains("looks like UTF-16LE"));
        assert!(found(utf16.as_bytes(), None).contains("in octets that are not UTF-16"));
        assert!(
            found(b"<?xml encoding='x-\x1b'?>", None)
                .contains("encoding \"x-\\u{1b}\", which is not known")
        );
    }
}
