//! Vendor-specific blocks between records that are not ASN.1, such as block and file headers and
//! trailers. They are recognized by patterns.

/// Maximum length of a block.
const BLOCK_OCTETS_MAX: usize = 4096;

/// A pattern with one entry per byte of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockPattern(Vec<Wanted>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Octet(u8),
    Digit,
    Any,
}

/// The mistake in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// A backslash is before a character that has no escape.
    #[error("\"\\\" stands before \"\\\", \"?\", \"#\" or xHH")]
    Escape,
    /// A character is not ASCII.
    #[error("other characters than those of ASCII are written as \\xHH")]
    Character,
    /// It does not determine the first octet.
    #[error("a block is known by its first octet at least")]
    NoBeginning,
    /// It begins like filler.
    #[error("a block cannot begin with 00 or FF, which are filler")]
    Filler,
    /// It is longer than the maximum.
    #[error("a block has at most {BLOCK_OCTETS_MAX} octets")]
    Long,
}

impl BlockPattern {
    /// Parses a pattern: ASCII characters stand for themselves, `#` for a digit, `?` for any octet, `\xHH` for an
    /// octet's value; `\#`, `\?` and `\\` are escapes.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let (mut octets, mut rest) = (Vec::new(), text.chars());
        while let Some(character) = rest.next() {
            octets.push(match character {
                '?' => Wanted::Any,
                '#' => Wanted::Digit,
                '\\' => Wanted::Octet(escaped(&mut rest).ok_or(PatternError::Escape)?),
                character => {
                    let octet = u8::try_from(character).ok().filter(u8::is_ascii);
                    Wanted::Octet(octet.ok_or(PatternError::Character)?)
                }
            });
        }
        match octets.as_slice() {
            [] | [Wanted::Any, ..] => Err(PatternError::NoBeginning),
            [Wanted::Octet(0x00 | 0xFF), ..] => Err(PatternError::Filler),
            octets if octets.len() > BLOCK_OCTETS_MAX => Err(PatternError::Long),
            _ => Ok(BlockPattern(octets)),
        }
    }

    fn fits(&self, octets: &[u8]) -> bool {
        let is_it = |(wanted, octet): (&Wanted, &u8)| match wanted {
            Wanted::Octet(wanted) => wanted == octet,
            Wanted::Digit => octet.is_ascii_digit(),
            Wanted::Any => true,
        };
        octets.len() >= self.0.len() && self.0.iter().zip(octets).all(is_it)
    }
}

fn escaped(rest: &mut std::str::Chars<'_>) -> Option<u8> {
    match rest.next()? {
        'x' => {
            let digits = [rest.next()?.to_digit(16)?, rest.next()?.to_digit(16)?];
            u8::try_from(digits[0] << 4 | digits[1]).ok()
        }
        character @ ('?' | '#' | '\\') => u8::try_from(character).ok(),
        _ => None,
    }
}

/// Recognizes and counts the blocks between the records of a file.
#[derive(Debug, Default)]
pub(super) struct Blocks<'p> {
    patterns: &'p [BlockPattern],
    /// Bytes of blocks passed so far.
    pub(super) passed: u64,
}

impl<'p> Blocks<'p> {
    pub(super) fn of(patterns: &'p [BlockPattern]) -> Self {
        Blocks { patterns, passed: 0 }
    }

    /// Returns the length of the block at the start of `octets`; the longest if several patterns match.
    pub(super) fn block(&self, octets: &[u8]) -> Option<usize> {
        let fit = self.patterns.iter().filter(|pattern| pattern.fits(octets));
        fit.map(|pattern| pattern.0.len()).max()
    }

    /// Returns how many octets are needed to recognize any block.
    pub(super) fn octets_max(&self) -> usize {
        self.patterns.iter().map(|pattern| pattern.0.len()).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_says_which_octets_a_block_has() {
        let length = |patterns: &[&str], octets: &[u8]| {
            let patterns: Vec<BlockPattern> =
                patterns.iter().map(|pattern| BlockPattern::parse(pattern).unwrap()).collect();
            Blocks::of(&patterns).block(octets)
        };
        assert_eq!(length(&["LT??"], b"LT01x"), Some(4));
        assert_eq!(length(&["LT??"], b"LT0"), None);
        assert_eq!(length(&["LT??", "LT????"], b"LT0123"), Some(6));
        assert_eq!(length(&["LT##"], b"LT0x"), None);
        assert_eq!(length(&["a\\?\\\\\\xfF\\x0a"], b"a?\\\xFF\n"), Some(5));
        assert_eq!(length(&["EOF?\r\n"], b"EOF7\r\n"), Some(6));
        for (wrong, why) in [
            ("", PatternError::NoBeginning),
            ("?a", PatternError::NoBeginning),
            ("\\x00a", PatternError::Filler),
            ("\\y", PatternError::Escape),
            ("\\x1", PatternError::Escape),
            ("é", PatternError::Character),
            (&"a".repeat(5000), PatternError::Long),
        ] {
            assert_eq!(BlockPattern::parse(wrong), Err(why), "{wrong}");
        }
        let expected = "\"\\\" stands before \"\\\", \"?\", \"#\" or xHH";
        assert_eq!(PatternError::Escape.to_string(), expected);
    }
}
