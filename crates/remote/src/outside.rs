//! Foreign input that this crate parses itself: names of pushed files, paths of requests, lists of FTP servers. No
//! input may cause a panic, and no name may leave its folder. For tests and fuzzing.

use std::path::{Component, Path};

use transport::name_mistake;

/// Parses octets as each of these, and asserts the properties of the results.
pub fn hold(octets: &[u8]) {
    let text = String::from_utf8_lossy(octets);
    for path in crate::server::paths(&text) {
        let names: Vec<&str> = path[1..].split('/').filter(|name| !name.is_empty()).collect();
        assert!(path.starts_with('/') && names.iter().all(|name| name_mistake(name).is_none()));
        let is_plain =
            |part: Component<'_>| matches!(part, Component::RootDir | Component::Normal(_));
        assert!(Path::new(&path).components().all(is_plain), "{path:?}");
    }
    for line in text.lines() {
        for file in crate::ftp::listed(line) {
            assert!(line.contains(&file.name), "{line:?} names {:?}", file.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Words with a meaning to a parser.
    const WORDS: [&str; 22] = [
        "/",
        "..",
        ".",
        "%2e",
        "%2F",
        "%00",
        "%ff",
        "\\",
        "a.ber",
        " ",
        "type=",
        "file;",
        "cdir;",
        "size=9;",
        "modify=20261121140500;",
        "-rw-r--r--",
        "Nov",
        "21",
        "14:05",
        "11-21-26",
        "02:05PM",
        "<DIR>",
    ];

    proptest! {
        #[test]
        fn no_text_leads_elsewhere_or_panics(
            words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..12),
            between in prop::sample::select(&["", " ", "/"][..]),
            other in "\\PC{0,60}",
        ) {
            hold(words.join(between).as_bytes());
            hold(other.as_bytes());
        }
    }
}
