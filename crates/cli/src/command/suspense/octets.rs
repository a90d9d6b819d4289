//! Octets as hexadecimal text, for output and input.

use std::io::{self, Write};

/// The number of octets per line.
const LINE: usize = 16;

/// Writes a hex dump: offset, hexadecimal, and text.
pub(super) fn dump(out: &mut impl Write, octets: &[u8]) -> io::Result<()> {
    for (line, octets) in octets.chunks(LINE).enumerate() {
        write!(out, "{:08x} ", line * LINE)?;
        for place in 0..LINE {
            let gap = if place == LINE / 2 { "  " } else { " " };
            match octets.get(place) {
                Some(octet) => write!(out, "{gap}{octet:02x}")?,
                None => write!(out, "{gap}  ")?,
            }
        }
        let shown =
            |octet: &u8| if matches!(octet, b' '..=b'~') { char::from(*octet) } else { '.' };
        writeln!(out, "  |{}|", octets.iter().map(shown).collect::<String>())?;
    }
    Ok(())
}

/// Returns octets in hexadecimal, [`LINE`] per line, as [`read`] parses them.
pub(super) fn write(octets: &[u8]) -> String {
    let line = |octets: &[u8]| {
        let digits: Vec<String> = octets.iter().map(|octet| format!("{octet:02x}")).collect();
        digits.join(" ") + "\n"
    };
    octets.chunks(LINE).map(line).collect()
}

/// Parses octets in hexadecimal. Blanks and line ends are ignored.
pub(super) fn read(text: &str) -> Result<Vec<u8>, String> {
    let mut halves = Vec::new();
    for character in text.chars().filter(|character| !character.is_whitespace()) {
        let half = character.to_digit(16);
        halves.push(half.ok_or_else(|| format!("'{character}' is no hexadecimal digit"))? as u8);
    }
    match halves.as_chunks() {
        (pairs, []) => Ok(pairs.iter().map(|[high, low]| high << 4 | low).collect()),
        _ => Err(format!("{} hexadecimal digits are no whole octets", halves.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_are_read_as_they_were_written() {
        for octets in [&b""[..], b"\x00", &[0xA7; 16], &[0x0F; 40]] {
            assert_eq!(read(&write(octets)).as_deref(), Ok(octets));
        }
        assert_eq!(read("3003 0A\n01\t0b"), Ok(vec![0x30, 0x03, 0x0A, 0x01, 0x0B]));
        assert_eq!(read("300"), Err("3 hexadecimal digits are no whole octets".into()));
        assert_eq!(read("3g"), Err("'g' is no hexadecimal digit".into()));
    }

    #[test]
    fn a_dump_says_where_which_octets_are_and_what_text_they_make() {
        let mut out = Vec::new();
        dump(&mut out, b"0123456789abcdef\x00IMSI").unwrap();
        let expected = "\
00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|
00000010  00 49 4d 53 49                                    |.IMSI|
";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
