//! The ends of names that mark files as processed, as duplicates or as set aside.

use std::path::{Path, PathBuf};

/// Returns the name before it got `end`, if it has it. From the second file of a name on, a number
/// follows: `a.ber.done.2`.
pub(crate) fn without_end<'n>(name: &'n str, end: &str) -> Option<&'n str> {
    let (original, rest) = name.rsplit_once(end)?;
    let is_number =
        |rest: &str| !rest.is_empty() && rest.bytes().all(|digit| digit.is_ascii_digit());
    (rest.is_empty() || rest.strip_prefix('.').is_some_and(is_number)).then_some(original)
}

pub(crate) fn has_end(name: &str, end: &str) -> bool {
    without_end(name, end).is_some()
}

pub(crate) fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Returns the first free name: `target`, or `target` with a number. It searches by bisection,
/// since there may be many files of one name after years.
pub(crate) fn free(target: PathBuf, is_taken: impl Fn(&Path) -> bool) -> PathBuf {
    let numbered = |number: u64| match number {
        1 => target.clone(),
        number => with_end(&target, &format!(".{number}")),
    };
    let (mut taken, mut free) = (0, 1);
    while is_taken(&numbered(free)) {
        (taken, free) = (free, free * 2);
    }
    while free - taken > 1 {
        let middle = taken + (free - taken) / 2;
        match is_taken(&numbered(middle)) {
            true => taken = middle,
            false => free = middle,
        }
    }
    numbered(free)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn only_a_number_may_follow_an_end() {
        for (name, original) in [
            ("a.ber.done", Some("a.ber")),
            ("a.ber.done.2", Some("a.ber")),
            ("a.done.done", Some("a.done")),
            (".done", Some("")),
            ("a.ber.done.x", None),
            ("a.ber.done.", None),
            ("a.done.ber", None),
            ("a.donex", None),
        ] {
            assert_eq!(without_end(name, ".done"), original, "{name}");
        }
    }

    #[test]
    fn the_first_free_name_is_found_with_few_checks() {
        for taken in [0_u64, 1, 2, 3, 7, 8, 9, 100_000] {
            let checks = Cell::new(0);
            let is_taken = |path: &Path| {
                checks.set(checks.get() + 1);
                let number = path.to_str().unwrap().strip_prefix("in/cdr.dat.done").unwrap();
                let number = number.strip_prefix('.').map_or(1, |number| number.parse().unwrap());
                number <= taken
            };
            let found = free(PathBuf::from("in/cdr.dat.done"), is_taken);
            let end = if taken == 0 { String::new() } else { format!(".{}", taken + 1) };
            assert_eq!(found, PathBuf::from(format!("in/cdr.dat.done{end}")));
            assert!(checks.get() <= 40, "{} checks of {taken} files", checks.get());
        }
    }
}
