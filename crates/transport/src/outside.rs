//! Parsing of foreign input: addresses and patterns of flow files, and names of files. No input may
//! cause a panic, and the results must be consistent. For tests and fuzzing.

use crate::address::Address;
use crate::pattern::{matches, overlap};

/// Parses each line as an address, and uses the first three as two patterns and a name.
pub fn hold(text: &str) {
    for line in text.lines() {
        let Ok(address) = Address::parse(line) else { continue };
        let Address { scheme, user, host, port, path } = &address;
        assert!(!scheme.is_empty() && !host.is_empty() && *port != Some(0), "{line:?}");
        let known = [scheme, host, path].into_iter().chain(user);
        assert!(known.into_iter().all(|part| !part.contains('\0')), "{line:?}");
    }
    let mut lines = text.lines();
    if let (Some(a), Some(b), Some(name)) = (lines.next(), lines.next(), lines.next()) {
        let chars = |text: &str| text.chars().take(CHARACTERS_MAX).collect::<String>();
        let (a, b, name) = (chars(a), chars(b), chars(name));
        assert_eq!(matches(&a, &name), fits(&a, &name), "{a:?} {name:?}");
        assert!(!(matches(&a, &name) && matches(&b, &name)) || overlap(&a, &b), "{a:?} {b:?}");
        assert_eq!(overlap(&a, &b), overlap(&b, &a), "{a:?} {b:?}");
    }
}

/// The maximum number of characters for the simpler implementation, which takes exponential time.
const CHARACTERS_MAX: usize = 12;

/// Matches a pattern, in a simpler implementation: character by character.
fn fits(pattern: &str, name: &str) -> bool {
    let (mut of_pattern, mut of_name) = (pattern.chars(), name.chars());
    match (of_pattern.next(), of_name.next()) {
        (None, first) => first.is_none(),
        (Some('*'), first) => {
            fits(of_pattern.as_str(), name) || first.is_some() && fits(pattern, of_name.as_str())
        }
        (Some(wanted), Some(first)) => {
            (wanted == '?' || wanted == first) && fits(of_pattern.as_str(), of_name.as_str())
        }
        (Some(_), None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests all short patterns of the special characters and two letters.
    #[test]
    fn both_implementations_of_patterns_agree() {
        let letters = ["", "*", "?", "a", "b"];
        let one_more = |texts: &[String]| -> Vec<String> {
            texts.iter().flat_map(|text| letters.map(|letter| format!("{text}{letter}"))).collect()
        };
        let texts = one_more(&one_more(&[String::new()]));
        let texts = one_more(&texts);
        for a in &texts {
            for b in &texts {
                for name in ["a", "b", "ab", "ba", "aab", "*"] {
                    hold(&format!("{a}\n{b}\n{name}"));
                }
            }
        }
        hold("\n\n");
        hold("sftp://a:b@c/\nsftp://%00@b\nhttp://[::1]:0");
    }
}
