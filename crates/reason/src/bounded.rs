//! The length of values: a server or a record may put any text into them, and each is stored many times.

use std::fmt::{self, Write};

/// The most octets of a value: the longest name of a file, and some more. A longer value is cut, and ends with "…".
pub const VALUE_OCTETS_MAX: usize = 400;

/// Text that takes no more than its octets.
struct Bounded {
    text: String,
    is_cut: bool,
}

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let left = VALUE_OCTETS_MAX - self.text.len();
        if text.len() <= left {
            self.text.push_str(text);
            return Ok(());
        }
        self.text.push_str(&text[..text.floor_char_boundary(left)]);
        self.is_cut = true;
        // The rest is not even formatted.
        Err(fmt::Error)
    }
}

/// Returns the text of a value, cut if it is too long.
pub(crate) fn shown(value: impl fmt::Display) -> String {
    let mut bounded = Bounded { text: String::new(), is_cut: false };
    // A value whose own formatting fails is shown as far as it came.
    let _ = write!(bounded, "{value}");
    if bounded.is_cut {
        bounded.text.push('…');
    }
    bounded.text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_cut_between_characters() {
        let longest = "x".repeat(VALUE_OCTETS_MAX);
        assert_eq!(shown(&longest), longest);
        assert_eq!(shown(format_args!("{longest}{}", 1)), format!("{longest}…"));
        let cut = shown("ü".repeat(VALUE_OCTETS_MAX));
        assert_eq!(cut, format!("{}…", "ü".repeat(VALUE_OCTETS_MAX / 2)));
        assert_eq!(shown(&cut), cut, "it stays when it is in another reason");
    }
}
