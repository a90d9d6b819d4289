//! A module with one record type, and helpers to decode and encode its octets.

use std::sync::LazyLock;

use asn1::ber::{DecodeError, Decoder, Encoder, take_apart};
use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::Source;
use record::{Arena, Memory, TypeId};

/// All types without components, with constraints that change the form of some.
pub(crate) const PRIMITIVES: [&str; 32] = [
    "BOOLEAN",
    "INTEGER",
    "INTEGER { one(1), two(2) }",
    "BIT STRING",
    "BIT STRING (SIZE (12))",
    "BIT STRING { first(0), last(15) } (SIZE (16))",
    "OCTET STRING",
    "OCTET STRING (SIZE (2))",
    "NULL",
    "OBJECT IDENTIFIER",
    "RELATIVE-OID",
    "REAL",
    "ENUMERATED { zero(0), one(1), ... }",
    "UTF8String",
    "NumericString",
    "PrintableString",
    "TeletexString",
    "VideotexString",
    "IA5String",
    "GraphicString",
    "VisibleString",
    "GeneralString",
    "UniversalString",
    "BMPString",
    "ObjectDescriptor",
    "UTCTime",
    "GeneralizedTime",
    "DATE",
    "TIME-OF-DAY",
    "DATE-TIME",
    "DURATION",
    "TIME",
];

/// Per type of [`PRIMITIVES`], a record with one component of that type, tagged [0].
pub(crate) static EACH: LazyLock<Vec<(&str, Given)>> = LazyLock::new(|| {
    let body = |ty| format!("R ::= [APPLICATION 1] SEQUENCE {{ v [0] {ty} }}");
    PRIMITIVES.iter().map(|ty| (*ty, Given::new(&body(ty)))).collect()
});

pub(crate) struct Given {
    pub(crate) plan: Plan,
    pub(crate) ty: TypeId,
}

impl Given {
    /// Returns the type `R` of a module with IMPLICIT TAGS.
    pub(crate) fn new(body: &str) -> Self {
        let text = format!("M DEFINITIONS IMPLICIT TAGS ::= BEGIN {body} END");
        let (modules, wrong) = Modules::read(&[Source::new("m.asn1", text)]);
        assert!(wrong.is_empty(), "{wrong:?}");
        let mut resolver = Resolver::new(&modules);
        let ty = resolver.resolve("M.R").unwrap_or_else(|wrong| panic!("{wrong:?}"));
        Given { plan: Plan::compile(resolver.finish()), ty }
    }

    /// Returns the record as JSON, or why it cannot be decoded or shown. Asserts that the anatomy agrees with the
    /// decoder.
    pub(crate) fn json(&self, octets: &[u8]) -> Result<String, String> {
        let mut arena = Arena::new();
        let decoder = Decoder::new(&self.plan, self.ty);
        let anatomy = take_apart(&self.plan, self.ty, octets);
        let record = match decoder.decode(octets, &mut arena) {
            Ok(record) => record,
            Err(error) => {
                let (at, reason) =
                    anatomy.damage.unwrap_or_else(|| panic!("{error} {octets:02X?}"));
                let explained = decoder.explain(octets, error).to_string();
                assert_eq!(explained, format!("{reason} (at octet {at} of the record)"));
                return Err(explained);
            }
        };
        assert_eq!(anatomy.damage, None, "{octets:02X?}");
        let mut text = Vec::new();
        let memory = Memory::new(octets, &mut arena);
        let written = jer::write(&self.plan, &memory, record, jer::Options::default(), &mut text);
        written.map_err(|error| error.to_string())?;
        Ok(String::from_utf8(text).expect("JSON is UTF-8"))
    }

    /// Returns why octets cannot be decoded.
    pub(crate) fn refused(&self, octets: &[u8]) -> DecodeError {
        let decoded = Decoder::new(&self.plan, self.ty).decode(octets, &mut Arena::new());
        decoded.map(drop).expect_err("it is no record")
    }

    /// Returns the octets of a record given as JSON.
    pub(crate) fn octets(&self, json: &str) -> Result<Vec<u8>, String> {
        let mut arena = Arena::new();
        let mut memory = Memory::new(&[], &mut arena);
        let record = jer::read(&self.plan, &mut memory, self.ty, json.as_bytes())
            .map_err(|error| error.to_string())?;
        let mut octets = Vec::new();
        Encoder::new(&self.plan, self.ty)
            .encode(&memory, record, &mut octets)
            .map_err(|error| error.to_string())?;
        Ok(octets)
    }

    /// Returns the octets of a received record after a correction as JSON.
    pub(crate) fn corrected(&self, came: &[u8], json: &str) -> Result<Vec<u8>, String> {
        let mut arena = Arena::new();
        let record = Decoder::new(&self.plan, self.ty)
            .decode(came, &mut arena)
            .map_err(|error| error.to_string())?;
        let mut memory = Memory::new(came, &mut arena);
        let options = jer::Options::default();
        let is_corrected = jer::correct(&self.plan, &mut memory, record, options, json.as_bytes())
            .map_err(|error| error.to_string())?;
        assert!(is_corrected, "the record has a JSON form");
        let mut octets = Vec::new();
        Encoder::new(&self.plan, self.ty)
            .encode(&memory, record, &mut octets)
            .map_err(|error| error.to_string())?;
        Ok(octets)
    }
}

/// Parses octets from hexadecimal digits; blanks are ignored.
pub(crate) fn octets(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// Returns an element with a definite length.
pub(crate) fn element(identifier: u8, content: &[u8]) -> Vec<u8> {
    match content.len() {
        length @ 0..0x80 => [&[identifier, length as u8], content].concat(),
        length => [&[identifier, 0x82, (length >> 8) as u8, length as u8], content].concat(),
    }
}

/// Like [`octets`], with parentheses around the contents of elements instead of their lengths.
pub(crate) fn nested(text: &str) -> Vec<u8> {
    let mut open = vec![Vec::new()];
    let mut digits = String::new();
    for character in text.chars() {
        match character {
            '(' | ')' => {
                let innermost = open.last_mut().expect("as many end as begin");
                innermost.extend(octets(&std::mem::take(&mut digits)));
                if character == '(' {
                    open.push(Vec::new());
                    continue;
                }
                let content = open.pop().expect("as many end as begin");
                let around = open.last_mut().expect("as many end as begin");
                let identifier = around.pop().expect("an identifier");
                around.extend(element(identifier, &content));
            }
            digit => digits.push(digit),
        }
    }
    open[0].extend(octets(&digits));
    open.swap_remove(0)
}
