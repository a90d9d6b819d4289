//! Masks subscriber data in what users see who may not see it: values of records, reasons and keys.
//!
//! ```text
//! 46701234567 ─▶ 4670•••67
//! ```
//!
//! Enough is shown to compare a value with one that the user has from elsewhere, and too little to find the subscriber.
//! Components that the flow's privacy settings name are masked whatever their value is. Texts have no components, so
//! in them everything that looks like a number or an address is masked.

use std::fmt;
use std::sync::Arc;

use flow::privacy::Privacy;
use record::{Anatomy, Part};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// What stands for the characters that are not shown, however many there are.
pub const HIDDEN: &str = "•••";

/// The fewest characters of a value that are hidden: 100,000 numbers look alike.
const HIDDEN_MIN: usize = 5;

/// The most characters at the beginning and the end of a value that are shown: country and network, and two more.
const FIRST_MAX: usize = 4;
const LAST_MAX: usize = 2;

/// The fewest digits in a row of a text that are masked: shorter numbers are counts, codes and parts of times.
const DIGITS_MIN: usize = 7;

/// The deepest JSON that is masked part by part. What is deeper is hidden as a whole.
const DEPTH_MAX: usize = 100;

/// The name of a component that the schema of a record does not have. It may hold anything.
const UNKNOWN: &str = "?";

/// Masks a value, whatever it is: `46701234567` is `4670•••67`.
pub fn masked(value: &str) -> String {
    match value.split_once('@') {
        // The domain is that of a network.
        Some((user, domain)) => format!("{}@{}", hidden(user), without_numbers(domain)),
        None => hidden(value),
    }
}

/// Masks a key of records as one value: parts of other values may stand in it on both sides of an `@`.
pub fn masked_key(key: &str) -> String {
    hidden(key)
}

fn hidden(value: &str) -> String {
    let characters = value.chars().count();
    if characters == 0 {
        return String::new();
    }
    let shown = characters.saturating_sub(HIDDEN_MIN).min(FIRST_MAX + LAST_MAX);
    let last = shown.min(LAST_MAX);
    let first = value.chars().take(shown - last);
    first.chain(HIDDEN.chars()).chain(value.chars().skip(characters - last)).collect()
}

/// Masks numbers and addresses in a text: digits of which 7 or more are in a row, also hexadecimal ones, and words with
/// an `@`.
pub fn without_numbers(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    for piece in text.split_inclusive(ends_word) {
        let word = piece.trim_end_matches(ends_word);
        match word.contains('@') {
            true => found.push_str(&masked(word)),
            false => mask_digits(word, &mut found),
        }
        found.push_str(&piece[word.len()..]);
    }
    found
}

fn ends_word(sign: char) -> bool {
    sign.is_whitespace() || matches!(sign, '"' | '\'' | '<' | '>' | '(' | ')' | ',' | ';')
}

fn mask_digits(word: &str, to: &mut String) {
    let mut rest = word;
    while let Some(begin) = rest.find(is_digit) {
        let (before, run) = rest.split_at(begin);
        let end = run.find(|sign| !is_digit(sign)).unwrap_or(run.len());
        let (run, behind) = run.split_at(end);
        to.push_str(before);
        match run.chars().filter(|sign| sign.is_numeric()).count() >= DIGITS_MIN {
            true => to.push_str(&hidden(run)),
            false => to.push_str(run),
        }
        rest = behind;
    }
    to.push_str(rest);
}

/// Returns whether a character may be part of a number: the digits of packed numbers are shown in hexadecimal.
fn is_digit(sign: char) -> bool {
    sign.is_numeric() || sign.is_ascii_hexdigit()
}

/// Masks the subscriber data of a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask(Arc<Privacy>);

impl Mask {
    /// Returns the mask for the components that the settings name.
    pub fn new(privacy: impl Into<Arc<Privacy>>) -> Self {
        Mask(privacy.into())
    }

    /// Returns whether a component holds subscriber data, by its name or by the path that ends with it:
    /// `location.servedIMSI`.
    pub fn hides(&self, path: &str) -> bool {
        path.split('.').any(|name| self.hides_name(name))
    }

    fn hides_name(&self, name: &str) -> bool {
        name == UNKNOWN || self.0.is_subscriber_data(name)
    }

    /// Masks the values of a record.
    pub fn anatomy(&self, anatomy: &mut Anatomy) {
        anatomy.parts.iter_mut().for_each(|part| self.part(part, false));
        if let Some((_, reason)) = &mut anatomy.damage {
            *reason = self.reason(reason);
        }
    }

    /// Masks a value, or all within it; also if it is within one that is masked.
    fn part(&self, part: &mut Part, is_within: bool) {
        let is_hidden = is_within || self.hides_name(&part.name);
        if let Some(fault) = &mut part.fault {
            *fault = match (&part.value, is_hidden) {
                (Some(value), true) => replaced(fault, value),
                _ => fault.clone(),
            };
            *fault = self.reason(fault);
        }
        if let Some(value) = part.value.as_mut().filter(|_| is_hidden) {
            *value = masked(value);
        }
        part.parts.iter_mut().for_each(|part| self.part(part, is_hidden));
    }

    /// Masks the values of a record in JSON. Everything else stays as it is written, so no number loses a digit.
    pub fn json(&self, json: &RawValue) -> String {
        let mut to = String::with_capacity(json.get().len());
        self.json_value(json.get(), false, 0, &mut to);
        to
    }

    /// Masks a value in JSON of a component with this path. A value that was cut is no JSON, so its components cannot
    /// be told apart: it is hidden.
    pub fn json_of(&self, path: &str, json: &str) -> String {
        let is_hidden = self.hides(path);
        match serde_json::from_str::<&RawValue>(json) {
            Ok(json) => {
                let mut to = String::with_capacity(json.get().len());
                self.json_value(json.get(), is_hidden, 0, &mut to);
                to
            }
            Err(_) => HIDDEN.to_owned(),
        }
    }

    fn json_value(&self, json: &str, is_hidden: bool, depth: usize, to: &mut String) {
        match json.bytes().next() {
            Some(b'{' | b'[') if depth == DEPTH_MAX => push_text(HIDDEN, to),
            Some(b'{') => match serde_json::from_str::<Members<'_>>(json) {
                Ok(Members(members)) => {
                    let each = members.into_iter().map(|(name, value)| (Some(name), value));
                    self.json_values(("{", "}"), each, (is_hidden, depth), to);
                }
                Err(_) => push_text(HIDDEN, to),
            },
            Some(b'[') => match serde_json::from_str::<Vec<&RawValue>>(json) {
                Ok(values) => {
                    let each = values.into_iter().map(|value| (None, value));
                    self.json_values(("[", "]"), each, (is_hidden, depth), to);
                }
                Err(_) => push_text(HIDDEN, to),
            },
            Some(b'"') if is_hidden => {
                push_text(
                    &serde_json::from_str(json).map_or(HIDDEN.into(), |text: String| masked(&text)),
                    to,
                );
            }
            Some(b'-' | b'0'..=b'9') if is_hidden => push_text(&masked(json), to),
            _ => to.push_str(json),
        }
    }

    fn json_values<'j>(
        &self,
        (begin, end): (&str, &str),
        values: impl Iterator<Item = (Option<String>, &'j RawValue)>,
        (is_hidden, depth): (bool, usize),
        to: &mut String,
    ) {
        to.push_str(begin);
        for (place, (name, value)) in values.enumerate() {
            to.push_str(if place == 0 { "" } else { "," });
            if let Some(name) = &name {
                push_text(name, to);
                to.push(':');
            }
            let is_hidden = is_hidden || name.is_some_and(|name| self.hides_name(&name));
            self.json_value(value.get(), is_hidden, depth + 1, to);
        }
        to.push_str(end);
    }

    /// Masks a reason that has no values of its own. If it names a component that holds subscriber data, what it quotes
    /// is masked too.
    pub fn reason(&self, text: &str) -> String {
        if !self.is_named_in(text) {
            return without_numbers(text);
        }
        let pieces = text.split('"').enumerate().map(|(place, piece)| {
            let is_quoted = place % 2 == 1;
            match is_quoted && !self.is_named_in(piece) {
                true => masked(piece),
                false => without_numbers(piece),
            }
        });
        pieces.collect::<Vec<_>>().join("\"")
    }

    /// Masks a value of a reason. The text is that of the reason.
    pub fn value_of_reason(&self, text: &str, name: &str, value: &str) -> String {
        let is_hidden = self.hides(name) || (self.is_named_in(text) && !self.is_named_in(value));
        if is_hidden { masked(value) } else { without_numbers(value) }
    }

    /// Masks a reason with the names and values that are in its text.
    pub fn reason_with_values<'v>(
        &self,
        text: &mut String,
        values: impl Iterator<Item = (&'v str, &'v mut String)>,
    ) {
        let whole = text.clone();
        for (name, value) in values {
            let hidden = self.value_of_reason(&whole, name, value);
            if hidden != *value {
                *text = replaced(text, value);
                *value = hidden;
            }
        }
        *text = self.reason(text);
    }

    /// Returns whether a text names a component that holds subscriber data.
    fn is_named_in(&self, text: &str) -> bool {
        let is_name = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '_');
        let words = text.split(|sign| !is_name(sign)).filter(|word| !word.is_empty());
        words.filter(|word| word.chars().any(char::is_alphabetic)).any(|word| self.hides_name(word))
    }
}

/// Masks a value wherever it stands in a text. One or two characters identify no subscriber, and may be part of a word.
fn replaced(text: &str, value: &str) -> String {
    match value.chars().count() {
        0..3 => text.to_owned(),
        _ => text.replace(value, &masked(value)),
    }
}

fn push_text(text: &str, to: &mut String) {
    to.push_str(&serde_json::Value::from(text).to_string());
}

/// The members of a JSON object, in their order.
struct Members<'j>(Vec<(String, &'j RawValue)>);

impl<'de: 'j, 'j> Deserialize<'de> for Members<'j> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn mask() -> Mask {
        Mask::new(Privacy::default())
    }

    /// Returns the most digits in a row.
    fn longest_run(text: &str) -> usize {
        text.split(|sign: char| !sign.is_numeric())
            .map(|run| run.chars().count())
            .max()
            .unwrap_or(0)
    }

    #[test]
    fn a_value_shows_few_characters_and_hides_at_least_five() {
        for (value, shown) in [
            ("46701234567", "4670•••67"),
            ("240017012345678", "2400•••78"),
            ("4670123456", "467•••56"),
            ("46701234", "4•••34"),
            ("4670123", "•••23"),
            ("467012", "•••2"),
            ("46701", "•••"),
            ("112", "•••"),
            ("", ""),
            ("alice@ims.example.org", "•••@ims.example.org"),
            ("240017012345678@ims.mnc001.org", "2400•••78@ims.mnc001.org"),
            ("٤٦٧٠١٢٣٤٥٦٧", "٤٦٧٠•••٦٧"),
        ] {
            assert_eq!(masked(value), shown, "{value}");
        }
    }

    #[test]
    fn a_key_is_masked_as_one_value() {
        assert_eq!(masked_key("491702@2024-11-20 10"), "4917•••10");
        assert_eq!(masked_key("46701234567"), masked("46701234567"));
    }

    #[test]
    fn numbers_and_addresses_in_a_text_are_masked_and_the_rest_stays() {
        for (text, shown) in [
            ("no prefix of \"33509978926\"", "no prefix of \"3350•••26\""),
            ("+46701234567 called 46709", "+4670•••67 called 46709"),
            ("octets 6407214365f7", "octets 6407•••f7"),
            ("2026-11-21T14:05:00Z, record 123456", "2026-11-21T14:05:00Z, record 123456"),
            ("of <sip:alice@example.org>", "of <si•••ce@example.org>"),
            ("a decade of facade", "a decade of facade"),
        ] {
            assert_eq!(without_numbers(text), shown, "{text}");
        }
    }

    #[test]
    fn a_reason_that_names_a_component_hides_what_it_quotes() {
        for (text, shown) in [
            (
                "column \"servedMSISDN\": \"alice\" is no number",
                "column \"servedMSISDN\": \"•••\" is no number",
            ),
            (
                "column \"duration\": \"alice\" is no number",
                "column \"duration\": \"alice\" is no number",
            ),
        ] {
            assert_eq!(mask().reason(text), shown);
        }
        let mut text = "servedIMSI: 24001x is no TBCD (at 17)".to_owned();
        let mut values = vec![("field", "servedIMSI".to_owned()), ("text", "24001x".to_owned())];
        mask().reason_with_values(&mut text, values.iter_mut().map(|(name, value)| (*name, value)));
        assert_eq!(text, "servedIMSI: •••x is no TBCD (at 17)");
        assert_eq!(values, [("field", "servedIMSI".into()), ("text", "•••x".into())]);
    }

    #[test]
    fn json_keeps_its_order_and_its_digits_around_what_is_masked() {
        let json = r#"{"z": {"servedIMSI": "240017012345678", "a": 1e400},
            "callingNumber": {"isdn": ["46701234567", 46701234567, true, null]}, "duration": 12345678901234567890}"#;
        let json = RawValue::from_string(json.to_owned()).expect("JSON");
        let expected = r#"{"z":{"servedIMSI":"2400•••78","a":1e400},"callingNumber":{"isdn":["4670•••67","4670•••67",true,null]},"duration":12345678901234567890}"#;
        assert_eq!(mask().json(&json), expected);
        let deep = format!("{}\"46701234567\"{}", "[".repeat(120), "]".repeat(120));
        let deep = RawValue::from_string(deep).expect("JSON");
        assert!(mask().json(&deep).contains(HIDDEN));
    }

    #[test]
    fn parts_within_a_masked_part_are_masked() {
        let leaf = |name: &str, value: &str| Part {
            name: name.into(),
            value: Some(value.into()),
            fault: Some(format!("\"{value}\" is too long")),
            ..Part::default()
        };
        let within = |name: &str, parts| Part { name: name.into(), parts, ..Part::default() };
        let call = within(
            "Call",
            vec![
                within("callingNumber", vec![leaf("[0]", "alice in the valley")]),
                leaf("?", "0102030405060708"),
                leaf("duration", "46701234567"),
            ],
        );
        let mut anatomy = Anatomy { parts: vec![call], ..Anatomy::default() };
        mask().anatomy(&mut anatomy);
        let found: Vec<(&str, &str)> = anatomy.parts[0]
            .all()
            .filter_map(|part| Some((part.value.as_deref()?, part.fault.as_deref()?)))
            .collect();
        let expected = [
            ("alic•••ey", "\"alic•••ey\" is too long"),
            ("0102•••08", "\"0102•••08\" is too long"),
            ("46701234567", "\"4670•••67\" is too long"),
        ];
        assert_eq!(found, expected);
    }

    /// Returns random texts of digits, letters and signs, the same for a seed.
    fn texts(mut seed: u64) -> impl Iterator<Item = String> {
        const SIGNS: [char; 24] = [
            '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '٤', '½', 'a', 'f', 'x', '@', ' ',
            '"', '.', '-', '•', '+', '(', 'é',
        ];
        std::iter::from_fn(move || {
            let mut next = || {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                seed
            };
            let length = next() % 60;
            // Digits in a row are rare otherwise.
            let signs = if next() % 2 == 0 { 12 } else { SIGNS.len() as u64 };
            Some((0..length).map(|_| SIGNS[(next() % signs) as usize]).collect())
        })
    }

    #[test]
    fn no_long_number_survives() {
        let strict = Mask::new(Privacy::of_flow(Path::new("/no/such/file")));
        for text in texts(4_711).take(20_000) {
            for found in
                [masked(&text), without_numbers(&text), mask().reason(&text), strict.reason(&text)]
            {
                assert!(longest_run(&found) < DIGITS_MIN, "{text:?} is {found:?}");
            }
        }
    }
}
