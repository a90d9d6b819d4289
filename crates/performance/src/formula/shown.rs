//! Numbers for people.

/// Digits of a number with a fraction, at most.
const DIGITS: i32 = 4;

/// Digits of a fraction, at most.
const FRACTION_DIGITS_MAX: i32 = 9;

/// From here on, digits of a number say less than its exponent. All integers below are exact.
const PLAIN_MAX: f64 = 1e15;

/// Returns a number as people read it: `3,880`, `0.03`, `12.35`. A whole number has all its digits, any other four at most, or those
/// before its point.
pub fn shown(number: f64) -> String {
    let size = number.abs();
    if number.is_nan() {
        return "absent".to_owned();
    }
    if size >= PLAIN_MAX {
        return format!("{number:e}");
    }
    if size == 0.0 {
        return "0".to_owned();
    }
    let decimals = match number.fract() == 0.0 {
        true => 0,
        false => (DIGITS - 1 - size.log10().floor() as i32).clamp(0, FRACTION_DIGITS_MAX),
    };
    let text = format!("{size:.*}", decimals as usize);
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction = fraction.trim_end_matches('0');
    let whole = grouped(whole);
    let sign = if number < 0.0 { "-" } else { "" };
    match (fraction, whole.as_str()) {
        // It is less than the last digit.
        ("", "0") => format!("{number:.1e}"),
        ("", _) => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction}"),
    }
}

/// Returns digits with a comma before each third from the end.
fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_the_digits_that_people_read() {
        for (number, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (7.0, "7"),
            (3_880.0, "3,880"),
            (-1_234_567.0, "-1,234,567"),
            (9_007_199_254_740_991.0, "9.007199254740991e15"),
            (123_456_789_012_345.0, "123,456,789,012,345"),
            (0.03, "0.03"),
            (2.0 / 3.0, "0.6667"),
            (12.345_678, "12.35"),
            (-12.5, "-12.5"),
            (99.999, "100"),
            (98_765.4, "98,765"),
            (0.000_012_346, "0.00001235"),
            (1e-12, "1.0e-12"),
            (f64::NAN, "absent"),
            (f64::MAX, "1.7976931348623157e308"),
        ] {
            assert_eq!(shown(number), expected, "{number}");
        }
    }
}
