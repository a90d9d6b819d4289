//! What a line begins with as `ls -l` writes it (POSIX): the kind of a file, and who may do what with it.

use transport::FarKind;

/// Letters of a mode behind the first: the kind.
const LETTERS: usize = 9;

/// What the line is about; unknown where it does not begin so.
pub(crate) fn kind(line: &str) -> FarKind {
    let mode = line.split_ascii_whitespace().next().unwrap_or_default();
    let is_mode = |mode: &str| mode.chars().all(|letter| "-rwxsStTlL".contains(letter));
    match (mode.get(..1), mode.get(1..=LETTERS)) {
        (Some("-"), Some(mode)) if is_mode(mode) => FarKind::File,
        (Some("d"), Some(mode)) if is_mode(mode) => FarKind::Folder,
        (Some("l" | "b" | "c" | "p" | "s"), Some(mode)) if is_mode(mode) => FarKind::Other,
        _ => FarKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_begins_with_a_mode_says_what_it_is_about() {
        for (line, about) in [
            ("-rw-r--r-- 1 cdr cdr 10 Nov 21 14:05 a.csv", FarKind::File),
            ("-rw-r--r--+", FarKind::File),
            ("drwxr-sr-t 2 cdr cdr", FarKind::Folder),
            ("lrwxrwxrwx 1", FarKind::Other),
            ("prw-r--r-- 1", FarKind::Other),
            ("?rw-rw-rw- 1 cdr cdr 10 Nov 21 14:05 a.csv", FarKind::Unknown),
            ("-rw-r--r", FarKind::Unknown),
            ("document-1 x", FarKind::Unknown),
            ("dé--------", FarKind::Unknown),
            ("total 12", FarKind::Unknown),
            ("", FarKind::Unknown),
        ] {
            assert_eq!(kind(line), about, "{line}");
        }
    }
}
