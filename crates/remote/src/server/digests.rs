//! Compares the octets of a request with the digests in its headers: `Content-MD5` (RFC 1864),
//! `Repr-Digest` and `Content-Digest` (RFC 9530), and the older `Digest` (RFC 3230). A sender that
//! states a digest expects a mismatch to be reported.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hyper::HeaderMap;
use md5::Md5;
use reason::Coded;
use sha2::{Digest as _, Sha256, Sha512};

/// The headers, and whether the digest is between colons.
const HEADERS: [(&str, bool); 3] =
    [("repr-digest", true), ("content-digest", true), ("digest", false)];

/// The digests that a request states, and the digests computed from its octets.
#[derive(Default)]
pub(super) struct Digests {
    expected: Vec<Expected>,
    md5: Option<Md5>,
    sha256: Option<Sha256>,
    sha512: Option<Sha512>,
}

struct Expected {
    header: &'static str,
    algorithm: Algorithm,
    digest: Vec<u8>,
}

/// The error of a digest that a request states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("push-digest")]
pub(crate) enum DigestError {
    /// It is not a valid digest of its algorithm.
    #[error("the digest of {header} is none")]
    Unreadable { header: &'static str },
    /// It does not match the octets.
    #[error("the octets that came are not those of {header}: send it again")]
    Another { header: &'static str },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Algorithm {
    Md5,
    Sha256,
    Sha512,
}

impl Algorithm {
    /// Returns the algorithm of this name; `None` for an unknown one, whose digest is ignored.
    fn of(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "md5" => Some(Algorithm::Md5),
            "sha-256" => Some(Algorithm::Sha256),
            "sha-512" => Some(Algorithm::Sha512),
            _ => None,
        }
    }

    fn octets(self) -> usize {
        match self {
            Algorithm::Md5 => 16,
            Algorithm::Sha256 => 32,
            Algorithm::Sha512 => 64,
        }
    }
}

impl Digests {
    /// Reads the digests that a request states.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, DigestError> {
        let mut digests = Digests::default();
        for value in headers.get_all("content-md5") {
            digests.expect("content-md5", Algorithm::Md5, value.to_str().unwrap_or_default())?;
        }
        for (header, is_between) in HEADERS {
            for value in headers.get_all(header) {
                let parts = value.to_str().unwrap_or_default().split(',');
                for (name, stated) in parts.filter_map(|part| part.trim().split_once('=')) {
                    let Some(algorithm) = Algorithm::of(name) else { continue };
                    let stated = if is_between { stated.trim_matches(':') } else { stated };
                    digests.expect(header, algorithm, stated)?;
                }
            }
        }
        Ok(digests)
    }

    fn expect(
        &mut self,
        header: &'static str,
        algorithm: Algorithm,
        stated: &str,
    ) -> Result<(), DigestError> {
        let digest =
            BASE64.decode(stated.trim()).ok().filter(|digest| digest.len() == algorithm.octets());
        let digest = digest.ok_or(DigestError::Unreadable { header })?;
        match algorithm {
            Algorithm::Md5 => drop(self.md5.get_or_insert_default()),
            Algorithm::Sha256 => drop(self.sha256.get_or_insert_default()),
            Algorithm::Sha512 => drop(self.sha512.get_or_insert_default()),
        }
        self.expected.push(Expected { header, algorithm, digest });
        Ok(())
    }

    pub(super) fn take(&mut self, octets: &[u8]) {
        self.md5.iter_mut().for_each(|digest| digest.update(octets));
        self.sha256.iter_mut().for_each(|digest| digest.update(octets));
        self.sha512.iter_mut().for_each(|digest| digest.update(octets));
    }

    /// Compares the digests, after all octets have come.
    pub(super) fn end(self) -> Result<(), DigestError> {
        let md5 = self.md5.map(|digest| digest.finalize().to_vec());
        let sha256 = self.sha256.map(|digest| digest.finalize().to_vec());
        let sha512 = self.sha512.map(|digest| digest.finalize().to_vec());
        for Expected { header, algorithm, digest } in self.expected {
            let computed = match algorithm {
                Algorithm::Md5 => &md5,
                Algorithm::Sha256 => &sha256,
                Algorithm::Sha512 => &sha512,
            };
            if computed.as_ref() != Some(&digest) {
                return Err(DigestError::Another { header });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};

    use super::*;

    const MD5: &str = "XUFAKrxLKna5cZ2REBfFkg==";
    const SHA256: &str = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=";

    fn check(headers: &[(&str, &str)], octets: &[u8]) -> Result<(), DigestError> {
        let header = |(name, value): &(&str, &str)| {
            (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap())
        };
        let mut digests = Digests::of(&headers.iter().map(header).collect())?;
        octets.chunks(2).for_each(|octets| digests.take(octets));
        digests.end()
    }

    #[test]
    fn octets_are_held_against_each_digest_that_is_said_of_them() {
        let repr = format!("sha-256=:{SHA256}:");
        let both = format!("unixsum=:AAA=:, sha-256=:{SHA256}:, md5=:{MD5}:");
        let before = format!("SHA-256={SHA256},MD5={MD5}");
        for headers in [
            &[][..],
            &[("content-md5", MD5)],
            &[("repr-digest", &repr)],
            &[("content-digest", &repr)],
            &[("content-digest", &both), ("content-md5", MD5)],
            &[("digest", &before)],
        ] {
            assert_eq!(check(headers, b"hello"), Ok(()), "{headers:?}");
            assert_eq!(check(headers, b"hallo").is_ok(), headers.is_empty(), "{headers:?}");
        }
        assert_eq!(check(&[("repr-digest", "sha-1=:AAAA:, what")], b"hello"), Ok(()), "not known");
    }

    #[test]
    fn a_digest_that_is_none_is_refused() {
        for headers in [
            [("content-md5", "AAAA")],
            [("content-md5", "rubbish")],
            [("repr-digest", "sha-256=:AAAA:")],
            [("digest", "SHA-256=")],
        ] {
            assert!(check(&headers, b"hello").is_err(), "{headers:?}");
        }
    }
}
