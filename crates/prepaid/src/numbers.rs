//! The numbers of subscribers.

use compact_str::CompactString;

/// The maximum octets of a number: those of a user name in a SIP URI, and more.
const NUMBER_OCTETS_MAX: usize = 128;

/// The digits of an IMSI, and what those of test networks begin with (ITU-T E.212).
const IMSI_DIGITS: usize = 15;
const TEST_NETWORKS: &str = "001";

/// A number in the form in which it is stored: digits of an E.164 number or an IMSI, or an address (RFC 8506 section 8.46).
/// Digits are in it, not behind it, so that reading and finding one costs no allocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Number(CompactString);

/// A text is no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{text}\" is no number of a subscriber: digits are expected, or an address such as \"sip:anna@example.org\""
)]
pub struct NotANumber {
    /// The text, cut if it is long.
    pub text: String,
}

/// Another account got a number while a change was made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("number {number} was given to another account in this moment; try again")]
pub(crate) struct NumberTaken {
    pub(crate) number: String,
}

impl Number {
    /// Reads a number as networks and people write it: `+46 70-123 45 67`, `tel:+46701234567`, `sip:anna@example.org`.
    ///
    /// # Errors
    ///
    /// It is empty, too long, or has characters that no number has.
    pub fn read(text: &str) -> Result<Self, NotANumber> {
        let not = || NotANumber { text: text.chars().take(NUMBER_OCTETS_MAX).collect() };
        let bare = text.trim();
        let bare = ["tel:", "sip:", "sips:"]
            .iter()
            .find_map(|scheme| bare.strip_prefix(scheme))
            .unwrap_or(bare);
        let number: CompactString = match bare.contains('@') {
            true => bare.to_ascii_lowercase().into(),
            false => bare.chars().filter(|letter| !" -./()".contains(*letter)).collect(),
        };
        let number = number.strip_prefix('+').unwrap_or(&number);
        let is_digits = number.bytes().all(|octet| octet.is_ascii_digit());
        let is_address =
            number.contains('@') && number.bytes().all(|octet| octet.is_ascii_graphic());
        let fits = !number.is_empty() && number.len() <= NUMBER_OCTETS_MAX;
        match fits && (is_digits || is_address) {
            true => Ok(Number(number.into())),
            false => Err(not()),
        }
    }

    /// Returns whether it has no country code: none begins with 0 (ITU-T E.164). IMSIs of test networks do.
    pub(crate) fn is_national(&self) -> bool {
        let is_of_test = self.0.len() == IMSI_DIGITS && self.0.starts_with(TEST_NETWORKS);
        !self.0.contains('@') && self.0.starts_with('0') && !is_of_test
    }

    /// Returns whether it is a telephone number: not an address, and not as long as an IMSI.
    pub(crate) fn is_telephone(&self) -> bool {
        !self.0.contains('@') && self.0.len() != IMSI_DIGITS
    }

    /// Returns a number that is stored.
    pub(crate) fn stored(number: String) -> Self {
        Number(number.into())
    }

    /// Returns the number as a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns a part of a number in the form in which numbers are stored.
pub(crate) fn plain(part: &str) -> String {
    part.trim().trim_start_matches('+').replace([' ', '-'], "").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_without_its_country_code_is_national() {
        let is_national = |text| Number::read(text).unwrap().is_national();
        for text in ["0701234567", "0046701234567", "00101", "010100000000001"] {
            assert!(is_national(text), "{text}");
        }
        for text in ["46701234567", "001010000000001", "0701234567@example.org"] {
            assert!(!is_national(text), "{text}");
        }
    }

    #[test]
    fn a_number_has_one_form() {
        for text in ["46701234567", "+46701234567", "tel:+46-70-123 45 67", " +46 (70) 123.45/67 "]
        {
            assert_eq!(Number::read(text).unwrap().as_str(), "46701234567", "{text}");
        }
        assert_eq!(Number::read("sip:Anna@Example.org").unwrap().as_str(), "anna@example.org");
        for text in ["", "+", "anna", "46701234567x", "ä@b", "a b@c", &"1".repeat(129)] {
            assert!(Number::read(text).is_err(), "{text}");
        }
    }
}
