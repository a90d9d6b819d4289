//! The URIs by which clients name files.

use std::path::{Path, PathBuf};

/// How a client names files.
#[derive(Clone, Debug)]
pub(super) enum Naming {
    /// By their paths, as `file` URIs (RFC 8089): the client runs on this machine.
    Paths,
    /// By the names that the flow file has for them, as in `flow:asn1/msc.asn1`: the client knows no paths of this machine.
    /// This is the folder of the flow.
    InFlow(PathBuf),
}

impl Naming {
    /// Returns the URI of a file.
    pub(super) fn uri_of(&self, path: &Path) -> String {
        match self {
            Naming::Paths => {
                let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
                format!("file://{}", encoded(&path))
            }
            Naming::InFlow(folder) => {
                format!("flow:{}", encoded(path.strip_prefix(folder).unwrap_or(path)))
            }
        }
    }
}

/// Returns the path of a `file` URI on this machine.
pub(super) fn path_of(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    path.starts_with('/').then(|| PathBuf::from(decoded(path)))
}

/// Returns a path in percent-encoding.
fn encoded(path: &Path) -> String {
    let mut uri = String::new();
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
        let uri = Naming::Paths.uri_of(path);
        assert_eq!(uri, "file:///tmp/tv%C3%A5%20ord/100%25/a%23b.dup");
        assert_eq!(path_of(&uri).as_deref(), Some(path));
        assert_eq!(path_of("file://localhost/a%2").as_deref(), Some(Path::new("/a%2")));
        assert_eq!(path_of("untitled:Untitled-1"), None);
        assert_eq!(path_of("file://elsewhere/a"), None);
    }

    #[test]
    fn a_client_elsewhere_gets_the_names_that_the_flow_file_has() {
        let naming = Naming::InFlow(PathBuf::from("/srv/flow"));
        for (path, uri) in [
            ("/srv/flow/asn1/två ord.asn1", "flow:asn1/tv%C3%A5%20ord.asn1"),
            ("/srv/flow/../shared/m.asn1", "flow:../shared/m.asn1"),
            ("/usr/share/m.asn1", "flow:/usr/share/m.asn1"),
        ] {
            assert_eq!(naming.uri_of(Path::new(path)), uri);
        }
    }
}
