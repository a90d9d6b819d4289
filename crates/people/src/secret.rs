//! Random secrets, and passwords.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use sha2::{Digest as _, Sha256};

use crate::{PeopleError, strength};

/// The minimum length of a password, in characters: length is what makes one strong.
const PASSWORD_MIN: usize = 12;

/// The maximum length of a password, in octets, since hashing more takes time.
const PASSWORD_OCTETS_MAX: usize = 1024;

/// Returns 256 random bits, in hexadecimal digits.
pub(crate) fn random() -> Result<String, PeopleError> {
    let mut octets = [0; 32];
    getrandom::fill(&mut octets).map_err(|_| PeopleError::NoChance)?;
    Ok(octets.iter().map(|octet| format!("{octet:02x}")).collect())
}

/// The hash to verify against if an account does not exist, so that it takes as long as for an existing one.
const NOBODYS: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGhhcyB0aGlz$8b2HkY0vT1l7mQ9wZr5cXo3uJd6eKfA4nPsVgBhLtMI";

/// Returns the digest of a random secret, for the database: a reader of the database cannot log in with it. A random
/// secret needs no slow hash.
pub(crate) fn digest(secret: &str) -> Vec<u8> {
    Sha256::digest(secret.as_bytes()).to_vec()
}

/// Checks the length and strength of a new password.
pub(crate) fn check_password(name: &str, password: &str) -> Result<(), PeopleError> {
    if password.chars().count() < PASSWORD_MIN {
        return Err(PeopleError::ShortPassword(PASSWORD_MIN));
    }
    if password.len() > PASSWORD_OCTETS_MAX {
        return Err(PeopleError::LongPassword(PASSWORD_OCTETS_MAX));
    }
    match strength::is_guessed_soon(name, password) {
        true => Err(PeopleError::WeakPassword),
        false => Ok(()),
    }
}

/// Hashes a password for the database: Argon2id (RFC 9106), with a salt.
pub(crate) fn hash(password: &str) -> Result<String, PeopleError> {
    let hash = Argon2::default().hash_password(password.as_bytes());
    hash.map(|hash| hash.to_string()).map_err(|_| PeopleError::NoChance)
}

/// Returns whether a password matches a hash. Without a hash it takes as long, and returns false.
pub(crate) fn is_password(password: &str, hash: Option<&str>) -> bool {
    if password.len() > PASSWORD_OCTETS_MAX {
        return false;
    }
    let Ok(parsed) = PasswordHash::new(hash.unwrap_or(NOBODYS)) else { return false };
    let is = Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok();
    is && hash.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_its_own_hash_and_no_other() {
        let hashed = hash("correct horse battery").expect("chance");
        assert!(hashed.starts_with("$argon2id$"), "{hashed}");
        assert!(is_password("correct horse battery", Some(&hashed)));
        assert!(!is_password("correct horse batterie", Some(&hashed)));
        assert!(!is_password("correct horse battery", None));
        assert_ne!(hash("correct horse battery").expect("chance"), hashed, "each has its salt");
    }

    #[test]
    fn nobodys_hash_takes_as_long_as_others() {
        let parameters = |hash: &str| hash.split('$').take(4).collect::<Vec<_>>().join("$");
        assert!(PasswordHash::new(NOBODYS).is_ok());
        assert_eq!(parameters(NOBODYS), parameters(&hash("another one entirely").expect("chance")));
    }

    #[test]
    fn passwords_that_are_guessed_are_refused() {
        for password in ["short", "aaaaaaaaaaaaaaaa", "administrator", "nightshiftnightshift"] {
            let name = if password.starts_with('n') { "nightshift" } else { "administrator" };
            assert!(check_password(name, password).is_err(), "{password}");
        }
        check_password("nightshift", "a quiet night of watching").expect("a good one");
    }
}
