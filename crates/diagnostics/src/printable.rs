//! Texts of others on a terminal: the name of a file, say, that a network element chose. None of them colours a terminal,
//! moves its cursor, makes a line of its own, or turns the order in which letters are read.

use std::borrow::Cow;

/// Whether a terminal obeys a character rather than shows it: control characters, what turns the order of letters
/// (Unicode Standard Annex 9, 2), and what is not seen.
pub fn is_obeyed(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        )
}

/// A text with what a terminal obeys escaped, as `\u{1b}` or `\n`. What it is then is no other text, for whoever copies it.
///
/// ```
/// assert_eq!(diagnostics::printable("calls\u{1b}[2J.csv"), "calls\\u{1b}[2J.csv");
/// assert_eq!(diagnostics::printable("två ord.csv"), "två ord.csv");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return text.into();
    }
    let mut printed = String::with_capacity(text.len());
    for character in text.chars() {
        match is_obeyed(character) {
            true => printed.extend(character.escape_default()),
            false => printed.push(character),
        }
    }
    printed.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_that_a_terminal_obeys_is_left() {
        let all: String = ('\0'..=char::MAX).collect();
        assert!(!printable(&all).contains(is_obeyed));
        for (text, printed) in [
            ("a\tb", "a\\tb"),
            ("a\nb", "a\\nb"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("exe.\u{202e}vsc", "exe.\\u{202e}vsc"),
            ("e\u{301}.csv", "e\u{301}.csv"),
            ("back\\slash", "back\\slash"),
        ] {
            assert_eq!(printable(text), printed);
        }
    }
}
