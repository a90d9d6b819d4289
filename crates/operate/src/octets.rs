//! Octets in requests and responses: in JSON they are text in hexadecimal.

use diagnostics::hexadecimal;
use serde::{Deserialize, Serialize};

/// Octets of a record. As text they are hexadecimal digits; white space between them is ignored.
///
/// ```
/// use operate::octets::Octets;
///
/// assert_eq!(Octets::parse("6A 81\n").expect("octets"), Octets(vec![0x6a, 0x81]));
/// assert_eq!(String::from(Octets(vec![0x6a, 0x81])), "6a81");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Octets(pub Vec<u8>);

/// Why a text is not octets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OctetsError {
    /// It has another character.
    #[error("'{}' is no hexadecimal digit", .0.escape_default())]
    NoDigit(char),
    /// It has half an octet.
    #[error("{0} hexadecimal digits are no whole octets")]
    Odd(usize),
}

impl Octets {
    /// Parses text in hexadecimal.
    ///
    /// # Errors
    ///
    /// A character is no digit, or an octet has only one.
    pub fn parse(text: &str) -> Result<Self, OctetsError> {
        let mut halves = Vec::new();
        for character in text.chars().filter(|character| !character.is_whitespace()) {
            let half = character.to_digit(16).ok_or(OctetsError::NoDigit(character))?;
            halves.push(half as u8);
        }
        match halves.as_chunks() {
            (pairs, []) => Ok(Octets(pairs.iter().map(|[high, low]| high << 4 | low).collect())),
            _ => Err(OctetsError::Odd(halves.len())),
        }
    }
}

impl TryFrom<String> for Octets {
    type Error = OctetsError;

    fn try_from(text: String) -> Result<Self, OctetsError> {
        Octets::parse(&text)
    }
}

impl From<Octets> for String {
    fn from(Octets(octets): Octets) -> Self {
        hexadecimal(&octets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_are_parsed_as_they_were_written_with_any_white_space() {
        for octets in [&b""[..], b"\x00", &[0xA7; 16], &[0x0F; 40]] {
            let octets = Octets(octets.to_vec());
            assert_eq!(Octets::parse(&String::from(octets.clone())), Ok(octets));
        }
        assert_eq!(Octets::parse("3003 0A\n01\t0b"), Ok(Octets(vec![0x30, 3, 0x0A, 1, 0x0B])));
        assert_eq!(Octets::parse("300"), Err(OctetsError::Odd(3)));
        assert_eq!(Octets::parse("3g"), Err(OctetsError::NoDigit('g')));
    }
}
