//! Parses types: built-in ones, those of the modules by name, and those defined in place.

use super::{Parsed, Parser};
use crate::lexer::{Sign, Token};
use crate::syntax::{Name, Type, TypeField, TypeWhat};

/// The types of one word.
const ONE_WORD: &[&str] = &[
    "BOOLEAN",
    "INTEGER",
    "NULL",
    "REAL",
    "UTF8String",
    "NumericString",
    "PrintableString",
    "TeletexString",
    "T61String",
    "VideotexString",
    "IA5String",
    "GraphicString",
    "VisibleString",
    "ISO646String",
    "GeneralString",
    "ObjectDescriptor",
    "UTCTime",
    "GeneralizedTime",
    "TIME",
    "DATE",
    "TIME-OF-DAY",
    "DATE-TIME",
    "DURATION",
];

/// The types of two words.
const TWO_WORDS: &[(&str, &str, &str)] = &[
    ("OCTET", "STRING", "OCTET STRING"),
    ("TBCD", "STRING", "TBCD STRING"),
    ("BIT", "STRING", "BIT STRING"),
];

/// Returns all of them.
pub(crate) fn type_words() -> impl Iterator<Item = &'static str> {
    let two = TWO_WORDS.iter().map(|(_, _, whole)| *whole);
    ONE_WORD.iter().copied().chain(two)
}

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let start = self.span();
        let what = self.nested(Self::type_what)?;
        Ok(Type { what, span: self.since(start) })
    }

    fn type_what(&mut self) -> Parsed<TypeWhat> {
        let Some(word) = self.word() else { return Err(self.unexpected("a type")) };
        if let Some(built_in) = ONE_WORD.iter().find(|built_in| **built_in == word) {
            self.at += 1;
            return Ok(TypeWhat::BuiltIn(built_in));
        }
        if let Some((_, second, whole)) = TWO_WORDS.iter().find(|(first, ..)| *first == word) {
            self.at += 1;
            if !self.is_word(second) {
                return Err(self.unexpected(&format!("\"{second}\"")));
            }
            self.at += 1;
            return Ok(TypeWhat::BuiltIn(whole));
        }
        match word {
            "SEQUENCE" => self.structure("SEQUENCE"),
            "SET" => self.structure("SET"),
            "CHOICE" => {
                self.at += 1;
                self.fields("CHOICE")
            }
            "ENUMERATED" => {
                self.at += 1;
                self.expect(Sign::OpenBrace)?;
                Ok(TypeWhat::Enumerated(self.list(Sign::CloseBrace, Self::enumerated_item)?))
            }
            _ => self.named_type(),
        }
    }

    fn named_type(&mut self) -> Parsed<TypeWhat> {
        let mut name = self.name("a type")?.text;
        if self.take(Sign::Dot) {
            name = format!("{name}.{}", self.name("a type of the module")?.text);
        }
        Ok(TypeWhat::Named(name))
    }

    fn structure(&mut self, word: &'static str) -> Parsed<TypeWhat> {
        self.at += 1;
        if self.is_word("OF") {
            self.at += 1;
            return Ok(TypeWhat::List { word, element: Box::new(self.ty()?) });
        }
        self.fields(word)
    }

    fn fields(&mut self, word: &'static str) -> Parsed<TypeWhat> {
        self.expect(Sign::OpenBrace)?;
        let fields = self.list(Sign::CloseBrace, Self::type_field)?;
        Ok(TypeWhat::Fields { word, fields })
    }

    fn type_field(&mut self) -> Parsed<TypeField> {
        let name = self.name("the name of a field")?;
        let ty = self.ty()?;
        let optional = self.is_word("OPTIONAL");
        self.at += usize::from(optional);
        Ok(TypeField { name, ty, optional })
    }

    fn enumerated_item(&mut self) -> Parsed<(Name, Option<i64>)> {
        let name = self.name("a name")?;
        if !self.take(Sign::Open) {
            return Ok((name, None));
        }
        let negative = self.take(Sign::Minus);
        if self.peek() != Token::Number {
            return Err(self.unexpected("a number"));
        }
        let value = self.number(negative)?;
        self.expect(Sign::Close)?;
        Ok((name, Some(value)))
    }

    /// Parses the number at this place.
    pub(super) fn number(&mut self, negative: bool) -> Parsed<i64> {
        let span = self.span();
        let digits = self.slice(span);
        let value: Result<i64, _> = match negative {
            true => format!("-{digits}").parse(),
            false => digits.parse(),
        };
        self.at += 1;
        value.map_err(|_| {
            let hint = "an INTEGER is from -9223372036854775808 to 9223372036854775807";
            self.error(span, "this number is too large", Some(hint))
        })
    }
}
