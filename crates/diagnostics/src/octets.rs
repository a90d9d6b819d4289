//! Renders input bytes: for messages, text in quotes and anything else in hexadecimal, with nothing a terminal would
//! interpret; for programs, in hexadecimal.

/// Maximum bytes shown.
const SHOWN_MAX: usize = 64;

/// `"46701234567"`, or `'2611012400002B0000'H` in ASN.1's notation. Long values are cut, and their
/// length is added.
///
/// ```
/// assert_eq!(diagnostics::shown(b"1 \"h\""), r#""1 \"h\"""#);
/// assert_eq!(diagnostics::shown(&[0x26, 0x11, 0x2b, 0]), "'26112B00'H");
/// ```
pub fn shown(octets: &[u8]) -> String {
    let text = std::str::from_utf8(octets).ok();
    let shown = match text.filter(|text| !text.chars().any(char::is_control)) {
        Some(text) => {
            let first = &text[..text.floor_char_boundary(SHOWN_MAX)];
            format!("\"{}\"", first.escape_debug())
        }
        None => {
            let first = octets.iter().take(SHOWN_MAX);
            format!("'{}'H", first.map(|octet| format!("{octet:02X}")).collect::<String>())
        }
    };
    match octets.len() {
        ..=SHOWN_MAX => shown,
        length => format!("{shown}... ({length} octets)"),
    }
}

/// Returns octets in hexadecimal, as answers to programs have them.
///
/// ```
/// assert_eq!(diagnostics::hexadecimal(&[0x26, 0x2b]), "262b");
/// ```
pub fn hexadecimal(octets: &[u8]) -> String {
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    octets.iter().flat_map(|octet| [digit(octet >> 4), digit(octet & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_are_a_text_or_hexadecimal() {
        for (octets, expected) in [
            (&b""[..], "\"\""),
            ("Malmö".as_bytes(), "\"Malmö\""),
            (b"a\\b", "\"a\\\\b\""),
            ("\u{202e}46".as_bytes(), "\"\\u{202e}46\""),
            (b"46\x1b[2J", "'34361B5B324A'H"),
            (b"46\n", "'34360A'H"),
            (&[0xe9], "'E9'H"),
            ("\u{9b}".as_bytes(), "'C29B'H"),
        ] {
            assert_eq!(shown(octets), expected);
        }
    }

    #[test]
    fn of_many_octets_the_first_are_shown() {
        assert_eq!(shown(&[b'7'; 64]), format!("\"{}\"", "7".repeat(64)));
        assert_eq!(shown(&[b'7'; 65]), format!("\"{}\"... (65 octets)", "7".repeat(64)));
        assert_eq!(shown(&[0; 65]), format!("'{}'H... (65 octets)", "00".repeat(64)));
        let cut = shown("é".repeat(40).as_bytes());
        assert_eq!(cut, format!("\"{}\"... (80 octets)", "é".repeat(32)));
    }
}
