//! Octets as hexadecimal text, for users.

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

/// Returns octets in hexadecimal, [`LINE`] per line, as `suspense edit` takes them.
pub(super) fn write(octets: &[u8]) -> String {
    let line = |octets: &[u8]| {
        let digits: Vec<String> = octets.iter().map(|octet| format!("{octet:02x}")).collect();
        digits.join(" ") + "\n"
    };
    octets.chunks(LINE).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
