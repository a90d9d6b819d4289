//! What somebody probably meant by a name that is not there.

/// Maximum candidates to compare: among more, a close match is likely to be chance.
const CANDIDATES_MAX: usize = 1_000;

/// Maximum characters of a name to compare: longer names are not typing errors.
const CHARACTERS_MAX: usize = 64;

/// The candidate closest to `name`, if it is close enough to be a typing error. The cost is
/// bounded, since a text may have as many errors as words.
pub fn closest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let count = |name: &str| name.chars().take(CHARACTERS_MAX + 1).count();
    let length = count(name);
    if length > CHARACTERS_MAX {
        return None;
    }
    let allowed = (length / 3).max(1);
    let is_as_long = |candidate: &&str| count(candidate).abs_diff(length) <= allowed;
    { candidates.into_iter().filter(is_as_long).take(CANDIDATES_MAX) }
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The hint `did you mean "…"?` for an unknown name. `None` if the name itself is a candidate: it
/// is the right word in the wrong place.
pub fn did_you_mean<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<String> {
    let found = closest(name, candidates).filter(|found| *found != name);
    found.map(|found| format!("did you mean \"{found}\"?"))
}

/// Insertions, deletions and replacements between two words, letter case aside.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (place, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        let names = ["isRoaming", "isBillable", "roaming-v8"];
        assert_eq!(closest("isRoming", names), Some("isRoaming"));
        assert_eq!(closest("isbillable", names), Some("isBillable"));
        assert_eq!(closest("statistics", names), None);
        assert_eq!(closest(&"a".repeat(100_000), ["a".repeat(100_000).as_str()]), None);
        assert_eq!(did_you_mean("roaming_v8", names).unwrap(), "did you mean \"roaming-v8\"?");
        assert_eq!(did_you_mean("isRoaming", names), None);
    }
}
