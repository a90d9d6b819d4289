//! JSON values for the record reader. Duplicate object members are rejected (`serde_json` alone
//! silently keeps the last), and numbers keep digits that floating point would lose.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    /// An integer that fits into 64 bits, signed or unsigned.
    Whole(i128),
    /// A number as floating point; may have lost digits.
    Float(f64),
    /// A number in its original digits.
    Digits(String),
    Text(String),
    Array(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// Parses a value. Never returns [`Digits`](Self::Digits).
    pub(super) fn read(text: &[u8]) -> Result<Self, serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let value = JsonForm::Plain.deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(value)
    }

    /// Parses a value with all digits of its numbers; slower than [`read`](Self::read).
    /// `serde_json` keeps only the digits of strings, so numbers are turned into strings first, and
    /// a prefix letter tells the two apart.
    pub(super) fn read_exactly(text: &[u8]) -> Result<Self, serde_json::Error> {
        let text = str::from_utf8(text).map_err(serde_json::Error::custom)?;
        let marked = marked(text);
        let mut deserializer = serde_json::Deserializer::from_str(&marked);
        let value = JsonForm::Marked.deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(value)
    }
}

/// The form shown in messages.
impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => out.write_str("null"),
            Json::Bool(value) => write!(out, "{value}"),
            Json::Whole(value) => write!(out, "{value}"),
            Json::Float(value) => write!(out, "{value:?}"),
            Json::Digits(digits) => out.write_str(digits),
            Json::Text(text) => write!(out, "{text:?}"),
            Json::Array(_) => out.write_str("an array"),
            Json::Object(members) if members.is_empty() => {
                out.write_str("an object without members")
            }
            Json::Object(members) => {
                let names: Vec<String> = members.keys().take(5).map(|n| format!("{n:?}")).collect();
                write!(out, "an object of {}", names.join(", "))
            }
        }
    }
}

const STRING: char = 's';
const NUMBER: char = 'n';

/// Turns the numbers of a JSON text into marked strings.
fn marked(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => string_length(rest),
            '-' | '0'..='9' => number_length(rest),
            first => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        match first {
            '"' => {
                out.push('"');
                out.push(STRING);
                out.push_str(&token[1..]);
            }
            '-' | '0'..='9' if is_number(token) => {
                out.push('"');
                out.push(NUMBER);
                out.push_str(token);
                out.push('"');
            }
            // Also text that only resembles a number; the parser rejects it.
            _ => out.push_str(token),
        }
        rest = behind;
    }
    out
}

/// Returns the length of the string at the start of `text`, with its quotes.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, octet) in text.bytes().enumerate().skip(1) {
        match octet {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn number_length(text: &str) -> usize {
    let is_part = |octet: &u8| matches!(octet, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    text.bytes().take_while(|octet| is_part(octet)).count()
}

/// Returns whether the text is a JSON number (RFC 8259, 6).
fn is_number(text: &str) -> bool {
    let is_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    is_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(is_digits)
        && exponent
            .is_none_or(|digits| is_digits(digits.strip_prefix(['-', '+']).unwrap_or(digits)))
}

#[derive(Clone, Copy, Debug)]
enum JsonForm {
    /// Unchanged JSON.
    Plain,
    /// Output of [`marked`].
    Marked,
}

impl<'de> DeserializeSeed<'de> for JsonForm {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonForm {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Whole(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Whole(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(match (self, value.strip_prefix(NUMBER)) {
            (JsonForm::Plain, _) => Json::Text(value.to_owned()),
            (JsonForm::Marked, Some(digits)) => Json::Digits(digits.to_owned()),
            (JsonForm::Marked, None) => Json::Text(value.get(1..).unwrap_or_default().to_owned()),
        })
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Json, E> {
        match self {
            JsonForm::Plain => Ok(Json::Text(value)),
            JsonForm::Marked => self.visit_str(&value),
        }
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = elements.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Json::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut object = BTreeMap::new();
        while let Some(Name(mut name)) = members.next_key()? {
            if let JsonForm::Marked = self
                && (name.is_empty() || name.remove(0) != STRING)
            {
                return Err(A::Error::custom("the name of a member is a string"));
            }
            if object.contains_key(&name) {
                return Err(A::Error::custom(format!("{name:?} stands twice in an object")));
            }
            let value = members.next_value_seed(self)?;
            object.insert(name, value);
        }
        Ok(Json::Object(object))
    }
}

struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_digits_and_all_else_is_read_as_it_is() {
        let text = r#"{"a\"1": [1e-400, -18446744073709551616, "5", "n\\", 0.10], "": null, "é": [true, {}]}"#;
        let Json::Object(exact) = Json::read_exactly(text.as_bytes()).expect("it is JSON") else {
            panic!("it is an object")
        };
        let digits = |text: &str| Json::Digits(text.to_owned());
        let string = |text: &str| Json::Text(text.to_owned());
        let numbers = [digits("1e-400"), digits("-18446744073709551616"), string("5")];
        let all = numbers.into_iter().chain([string("n\\"), digits("0.10")]).collect();
        assert_eq!(exact["a\"1"], Json::Array(all));
        assert_eq!(exact[""], Json::Null);
        let empty = Json::Object(BTreeMap::new());
        assert_eq!(exact["é"], Json::Array(vec![Json::Bool(true), empty]));
    }

    #[test]
    fn what_is_no_json_is_none_either_way() {
        for text in [
            "01",
            "1.",
            "-",
            "--5",
            "1e",
            ".5",
            "+1",
            "1 2",
            "\"a",
            "{1:2}",
            "[1,]",
            "{\"a\":1,\"a\":2}",
            "nan",
            "\"a\"1",
            "{\"a\" 1}",
            "",
            "\"\u{1}\"",
        ] {
            assert!(Json::read(text.as_bytes()).is_err(), "{text}");
            assert!(Json::read_exactly(text.as_bytes()).is_err(), "{text}");
        }
    }
}
