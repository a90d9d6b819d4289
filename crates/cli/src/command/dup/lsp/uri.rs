//! File URIs (RFC 8089), as editors name files.

use std::path::{Path, PathBuf};

/// Returns the path of a `file` URI on this machine.
pub(super) fn path_of(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    path.starts_with('/').then(|| PathBuf::from(decoded(path)))
}

/// Returns the URI of a path.
pub(super) fn uri_of(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut uri = "file://".to_owned();
    for octet in path.to_string_lossy().bytes() {
        match octet {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(octet)),
            _ if octet.is_ascii_alphanumeric() => uri.push(char::from(octet)),
            _ => uri.push_str(&format!("%{octet:02X}")),
        }
    }
    uri
}

/// Decodes percent-encoding: `%41` becomes `A`. A malformed code stays as it is.
fn decoded(text: &str) -> String {
    let mut octets = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = match (first, behind) {
            (b'%', [high, low, ..]) => {
                let digit = |octet: &u8| char::from(*octet).to_digit(16);
                digit(high).zip(digit(low)).map(|(high, low)| (high << 4 | low) as u8)
            }
            _ => None,
        };
        octets.push(code.unwrap_or(*first));
        rest = if code.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&octets).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_and_its_uri_name_the_same_file() {
        let path = Path::new("/tmp/två ord/100%/a#b.dup");
        assert_eq!(uri_of(path), "file:///tmp/tv%C3%A5%20ord/100%25/a%23b.dup");
        assert_eq!(path_of(&uri_of(path)).as_deref(), Some(path));
        assert_eq!(path_of("file://localhost/a%2").as_deref(), Some(Path::new("/a%2")));
        assert_eq!(path_of("untitled:Untitled-1"), None);
        assert_eq!(path_of("file://elsewhere/a"), None);
    }
}
