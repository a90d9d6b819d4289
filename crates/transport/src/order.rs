//! The order in which files are processed: by name, with numbers in names compared as numbers.

use std::cmp::Ordering;

/// Compares names, with numbers in them as numbers: `msc-2` comes before `msc-10`. Names that
/// differ only in leading zeros come in the order of their characters.
pub fn by_name(left: &str, right: &str) -> Ordering {
    let (mut a, mut b) = (left.as_bytes(), right.as_bytes());
    while let ([first, rest_a @ ..], [second, rest_b @ ..]) = (a, b) {
        let order = if first.is_ascii_digit() && second.is_ascii_digit() {
            let (number_a, number_b) = (number(&mut a), number(&mut b));
            number_a.len().cmp(&number_b.len()).then_with(|| number_a.cmp(number_b))
        } else {
            (a, b) = (rest_a, rest_b);
            first.cmp(second)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    a.len().cmp(&b.len()).then_with(|| left.cmp(right))
}

/// Takes the digits at the start of a name, and returns them without leading zeros.
fn number<'n>(name: &mut &'n [u8]) -> &'n [u8] {
    let end = name.iter().position(|octet| !octet.is_ascii_digit()).unwrap_or(name.len());
    let (digits, rest) = name.split_at(end);
    *name = rest;
    &digits[digits.iter().take_while(|digit| **digit == b'0').count()..]
}

#[cfg(test)]
mod tests {
    use super::by_name;

    #[test]
    fn numbers_in_names_are_compared_as_numbers() {
        let sorted = [
            "",
            "01",
            "1",
            "2",
            "10",
            "a",
            "a-1.ber",
            "a-1.ber.2",
            "a-2.ber",
            "a-9999.ber",
            "a-010000.ber",
            "a-20261121-9",
            "a-20261121-10",
            "b",
            "ä",
        ];
        for (place, name) in sorted.iter().enumerate() {
            for (other_place, other) in sorted.iter().enumerate() {
                assert_eq!(by_name(name, other), place.cmp(&other_place), "{name} and {other}");
            }
        }
    }
}
