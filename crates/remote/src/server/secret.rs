//! Comparing a secret in a time that does not depend on how much of it matches.

use settings::Secret;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// Returns whether `given` is the secret. Without a secret it compares too, so the time is the same, and returns false.
pub(super) fn is_same(wanted: Option<&Secret>, given: &[u8]) -> bool {
    let text = wanted.map_or("", Secret::reveal);
    // Digests have one length, so the time does not reveal the length of the secret either.
    let is_same = Sha256::digest(text).ct_eq(&Sha256::digest(given));
    bool::from(is_same) && wanted.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_secret_is_the_secret() {
        let secret = Secret::new("sesame".to_owned());
        assert!(is_same(Some(&secret), b"sesame"));
        for given in ["", "s", "sesam", "sesame ", "Sesame"] {
            assert!(!is_same(Some(&secret), given.as_bytes()), "{given}");
        }
        assert!(!is_same(None, b""));
    }
}
