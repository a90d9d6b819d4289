//! Digests of keys.

/// Makes digests of keys by a secret. Numbers are few enough to try all, so digests alone must not say whose they are.
#[derive(Clone)]
pub struct Digests([u8; 32]);

impl std::fmt::Debug for Digests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Digests").finish_non_exhaustive()
    }
}

impl Digests {
    /// Makes those of a secret.
    pub fn new(secret: &[u8]) -> Self {
        Digests(blake3::derive_key("tollgate 2026 index of records by key", secret))
    }

    /// Returns the digest of a key.
    pub fn of(&self, key: &[u8]) -> u64 {
        let digest = blake3::keyed_hash(&self.0, key);
        u64::from_be_bytes(std::array::from_fn(|place| digest.as_bytes()[place]))
    }

    /// Returns the digests that a key may have which is written as text: one that is no text is written in hexadecimal.
    pub fn of_text(&self, key: &str) -> Vec<u64> {
        let octet = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
        let is_hexadecimal = !key.is_empty()
            && key.len().is_multiple_of(2)
            && key.bytes().all(|octet| octet.is_ascii_digit() || (b'a'..=b'f').contains(&octet));
        let packed: Option<Vec<u8>> =
            key.as_bytes().chunks(2).map(octet).collect::<Option<_>>().filter(|_| is_hexadecimal);
        // What is a text is never written in hexadecimal.
        let packed = packed.filter(|packed| str::from_utf8(packed).is_err());
        [key.as_bytes().to_vec()].into_iter().chain(packed).map(|key| self.of(&key)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_other_digests_by_another_secret() {
        let [one, other] = [b"a", b"b"].map(|secret| Digests::new(secret));
        assert_ne!(one.of(b"46701234567"), other.of(b"46701234567"));
        assert_eq!(one.of_text("46701234567"), [one.of(b"46701234567")]);
    }

    #[test]
    fn a_key_that_is_no_text_is_found_by_its_hexadecimal_digits() {
        let digests = Digests::new(b"a");
        assert_eq!(digests.of_text("64f7"), [digests.of(b"64f7"), digests.of(&[0x64, 0xf7])]);
        assert_eq!(digests.of_text("6467"), [digests.of(b"6467")], "it would be the text \"dg\"");
    }
}
