//! Fields of CSV that people open in a spreadsheet (RFC 4180).

use std::borrow::Cow;

/// What makes a spreadsheet take a text for a formula. Reasons and references come from other people and machines.
const BEGIN_FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Returns a text as a field. An apostrophe makes a spreadsheet take it for text.
pub(crate) fn field(text: &str) -> Cow<'_, str> {
    let text = match text.starts_with(BEGIN_FORMULA) {
        true => Cow::from(format!("'{text}")),
        false => Cow::from(text),
    };
    match text.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn a_text_is_one_field_and_no_formula() {
        for (text, expected) in [
            ("plain", "plain"),
            ("", ""),
            ("a, b", "\"a, b\""),
            ("a \"b\"", "\"a \"\"b\"\"\""),
            ("=1+1", "'=1+1"),
            ("-1,2", "\"'-1,2\""),
            ("two\nlines", "\"two\nlines\""),
        ] {
            assert_eq!(field(text), expected, "{text}");
        }
    }
}
