//! The mode at the start of a line in the format of `ls -l` (POSIX): file type and permissions.

use transport::RemoteKind;

/// The number of letters of a mode after the file type.
const LETTERS: usize = 9;

/// Returns the file type of a line; unknown if it does not start with a mode.
pub(crate) fn kind(line: &str) -> RemoteKind {
    let mode = line.split_ascii_whitespace().next().unwrap_or_default();
    let is_mode = |mode: &str| mode.chars().all(|letter| "-rwxsStTlL".contains(letter));
    match (mode.get(..1), mode.get(1..=LETTERS)) {
        (Some("-"), Some(mode)) if is_mode(mode) => RemoteKind::File,
        (Some("d"), Some(mode)) if is_mode(mode) => RemoteKind::Folder,
        (Some("l" | "b" | "c" | "p" | "s"), Some(mode)) if is_mode(mode) => RemoteKind::Other,
        _ => RemoteKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_begins_with_a_mode_says_what_it_is_about() {
        for (line, about) in [
            ("-rw-r--r-- 1 cdr cdr 10 Nov 21 14:05 a.csv", RemoteKind::File),
            ("-rw-r--r--+", RemoteKind::File),
            ("drwxr-sr-t 2 cdr cdr", RemoteKind::Folder),
            ("lrwxrwxrwx 1", RemoteKind::Other),
            ("prw-r--r-- 1", RemoteKind::Other),
            ("?rw-rw-rw- 1 cdr cdr 10 Nov 21 14:05 a.csv", RemoteKind::Unknown),
            ("-rw-r--r", RemoteKind::Unknown),
            ("document-1 x", RemoteKind::Unknown),
            ("dé--------", RemoteKind::Unknown),
            ("total 12", RemoteKind::Unknown),
            ("", RemoteKind::Unknown),
        ] {
            assert_eq!(kind(line), about, "{line}");
        }
    }
}
