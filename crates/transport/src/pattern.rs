//! Patterns for names: `*` stands for any characters, `?` for one.

/// Returns whether a name matches a pattern.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut in_name) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(expected) if *expected == '?' || *expected == name[in_name] => {
                at += 1;
                in_name += 1;
            }
            // The last star matches one more character.
            _ => match star {
                Some((star_at, end)) => {
                    star = Some((star_at, end + 1));
                    at = star_at + 1;
                    in_name = end + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|rest| *rest == '*')
}

/// Returns whether one name could match both patterns.
pub fn overlap(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // `row[in_b]` tells whether one name can match the first `in_a` characters of `a` and the first
    // `in_b` of `b`.
    let mut row: Vec<bool> = vec![false; b.len() + 1];
    for in_a in 0..=a.len() {
        let mut next = vec![false; b.len() + 1];
        for in_b in 0..=b.len() {
            next[in_b] = match (in_a.checked_sub(1).map(|at| a[at]), in_b.checked_sub(1)) {
                (None, None) => true,
                (None, Some(at)) => b[at] == '*' && next[at],
                (Some('*'), None) => row[0],
                (Some(_), None) => false,
                (Some('*'), Some(at)) => row[in_b] || next[at],
                (Some(of_a), Some(at)) => match b[at] {
                    '*' => next[at] || row[in_b],
                    of_b => (of_a == of_b || of_a == '?' || of_b == '?') && row[at],
                },
            };
        }
        row = next;
    }
    row[b.len()]
}

/// Returns a pattern for the part of matching names before the last dot, if all of them have the
/// same extension.
pub fn stem(pattern: &str) -> Option<&str> {
    match pattern.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains(['*', '?']) => Some(stem),
        None if !pattern.contains(['*', '?']) => Some(pattern),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_characters_and_a_question_mark_one() {
        for (pattern, name, fits) in [
            ("*", "a.ber", true),
            ("*.ber", "a.ber", true),
            ("*.ber", "a.ber.done", false),
            ("a?.b*r*", "a1.beer", true),
            ("a?", "a", false),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn patterns_overlap_if_a_name_matches_both() {
        for (a, b, both) in [
            ("*.ber", "*.ber", true),
            ("*.ber", "*.json", false),
            ("a-*.ber", "a-b-*.ber", true),
            ("new-york-*", "boston-*", false),
            ("*", "x", true),
            ("a*b", "*ab*", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("a*", "*b", true),
            ("", "*", true),
            ("", "?", false),
            ("*x*", "y*", true),
        ] {
            assert_eq!((overlap(a, b), overlap(b, a)), (both, both), "{a} {b}");
        }
    }
}
