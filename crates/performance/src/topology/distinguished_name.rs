//! Names of managed objects: distinguished names, such as `SubNetwork=A,ManagedElement=1,NRCellDU=3` (3GPP TS 32.300, 7; RFC 4514),
//! and paths, such as `PLMN-PLMN/RNC-1/WCEL-7`, which `OMeS` files have.

use std::ops::Range;

/// The class of managed elements (3GPP TS 28.622, 4.3.3).
const MANAGED_ELEMENT: &str = "ManagedElement";

/// The class of the first part of a path. The part below it is the managed element.
const NETWORK: &str = "PLMN";

/// Returns the class of an object, which is that of the last part of its name: `NRCellDU`. `None` if its name has none.
///
/// A comma that is escaped, or in a value in quotes, separates no parts; nor does one behind which no `=` comes, since some vendors do
/// not escape it.
pub fn class_of(name: &str) -> Option<&str> {
    match name.contains('=') {
        true => parts(name).filter_map(|part| attribute(&name[part])).last(),
        false => path_class(name.rsplit('/').next()?),
    }
}

/// Returns the managed element that an object is part of, or which it is itself: its name up to the part of that class. `None` if its
/// name has none.
pub fn element_of(name: &str) -> Option<&str> {
    if !name.contains('=') {
        let network = name.find('/').filter(|at| path_class(&name[..*at]) == Some(NETWORK))?;
        let behind = &name[network + 1..];
        let length = behind.find('/').unwrap_or(behind.len());
        return (length > 0).then(|| &name[..network + 1 + length]);
    }
    let mut end = None;
    for part in parts(name) {
        match attribute(&name[part.clone()]) {
            Some(MANAGED_ELEMENT) if end.is_none() => end = Some(part.end),
            Some(_) if end.is_some() => break,
            // The rest of a value.
            None if end.is_some() => end = Some(part.end),
            _ => {}
        }
    }
    end.map(|end| &name[..end])
}

/// Returns the class of a part of a path, such as `RNC` of `RNC-1`.
fn path_class(part: &str) -> Option<&str> {
    part.split_once('-').map(|(class, _)| class).filter(|class| !class.is_empty())
}

/// Returns the type of the attribute that a part begins with.
fn attribute(part: &str) -> Option<&str> {
    let attribute = part.split_once('=')?.0.trim();
    (!attribute.is_empty()).then_some(attribute)
}

/// Returns the parts of a distinguished name, without their separators.
fn parts(name: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = Some(0);
    std::iter::from_fn(move || {
        let begin = start?;
        let end = end_of_part(name.as_bytes(), begin);
        start = (end < name.len()).then_some(end + 1);
        Some(begin..end)
    })
}

/// Returns the place of the separator behind a part, or the end. Separators are ASCII, so parts are whole characters.
fn end_of_part(name: &[u8], begin: usize) -> usize {
    let (mut at, mut is_quoted, mut begins_value) = (begin, false, false);
    while let Some(octet) = name.get(at) {
        match octet {
            b'\\' => at += 1,
            b'"' if begins_value || is_quoted => is_quoted = !is_quoted,
            b',' if !is_quoted => return at,
            _ => {}
        }
        begins_value = *octet == b'=' || (begins_value && *octet == b' ');
        at += 1;
    }
    name.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_class_is_that_of_the_last_part_and_the_element_ends_with_its_own() {
        for (name, class, element) in [
            (
                "SubNetwork=A,MeContext=B,ManagedElement=1,NRCellDU=3",
                Some("NRCellDU"),
                Some("SubNetwork=A,MeContext=B,ManagedElement=1"),
            ),
            (
                "ManagedElement=1,ENodeBFunction=1,EUtranCellFDD=7",
                Some("EUtranCellFDD"),
                Some("ManagedElement=1"),
            ),
            (
                "DC=a.com, ManagedElement = 1 , Cell=2",
                Some("Cell"),
                Some("DC=a.com, ManagedElement = 1 "),
            ),
            (
                "SubNetwork=A,ManagedElement=1",
                Some("ManagedElement"),
                Some("SubNetwork=A,ManagedElement=1"),
            ),
            ("SubNetwork=A", Some("SubNetwork"), None),
            ("PLMN-PLMN/RNC-1/WCEL-7", Some("WCEL"), Some("PLMN-PLMN/RNC-1")),
            ("PLMN-PLMN/MRBTS-1", Some("MRBTS"), Some("PLMN-PLMN/MRBTS-1")),
            ("PLMN-PLMN", Some("PLMN"), None),
            ("PLMN-PLMN/", None, None),
            ("RNC-1/WCEL-7", Some("WCEL"), None),
            ("cell 7", None, None),
            ("", None, None),
            ("=,=", None, None),
        ] {
            assert_eq!((class_of(name), element_of(name)), (class, element), "{name}");
        }
    }

    #[test]
    fn commas_of_values_separate_no_parts() {
        for (name, class, element) in [
            (r"ManagedElement=a\,Cell=9,Cell=1", "Cell", r"ManagedElement=a\,Cell=9"),
            (r"ManagedElement=a\2CB=9\\,Cell=1", "Cell", r"ManagedElement=a\2CB=9\\"),
            (r#"ManagedElement="a,B=2",Cell=1"#, "Cell", r#"ManagedElement="a,B=2""#),
            (r#"ManagedElement= "a\",B=2",Cell=1"#, "Cell", r#"ManagedElement= "a\",B=2""#),
            // A quote within a value is a character.
            (r#"ManagedElement=5" a,Cell=1"#, "Cell", r#"ManagedElement=5" a"#),
            ("ManagedElement=Keysight, Inc.,Cell=1", "Cell", "ManagedElement=Keysight, Inc."),
            ("ManagedElement=1,Cell=a,b", "Cell", "ManagedElement=1"),
            (r"ManagedElement=1,Cell=\", "Cell", "ManagedElement=1"),
        ] {
            assert_eq!((class_of(name), element_of(name)), (Some(class), Some(element)), "{name}");
        }
    }

    proptest! {
        #[test]
        fn the_element_of_an_element_is_itself(name in "(ManagedElement|[AB]|=|,|\\\\|\"|/|PLMN-|å| ){0,12}") {
            if let Some(element) = element_of(&name) {
                prop_assert!(name.starts_with(element));
                prop_assert_eq!(element_of(element), Some(element));
            }
            class_of(&name);
        }
    }
}
