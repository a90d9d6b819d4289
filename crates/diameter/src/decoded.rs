//! AVPs in words, for people.

use diagnostics::hexadecimal;

use crate::avp::{Avp, Avps};
use crate::dictionary::{AvpKind, Dictionary};
use crate::value::Address;

/// How deep groups are decoded at most. Those deeper are shown as octets.
const DEPTH_MAX: usize = 16;

/// The most octets of a value that is shown. Of a longer one, the beginning is.
const VALUE_OCTETS_MAX: usize = 1_024;

/// An AVP in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedAvp {
    /// Its name; empty if the dictionary does not have it.
    pub name: String,
    /// Its code.
    pub code: u32,
    /// Its vendor; 0 for those of the IETF.
    pub vendor: u32,
    /// Whether it must be understood.
    pub is_mandatory: bool,
    /// Its value; empty for a group.
    pub value: String,
    /// What is in it, if it is a group.
    pub members: Vec<DecodedAvp>,
}

/// Decodes AVPs. `time` writes seconds since 1970 for people.
pub fn decode(
    avps: Avps<'_>,
    dictionary: &Dictionary,
    time: &dyn Fn(i64) -> String,
) -> Vec<DecodedAvp> {
    Decoding { dictionary, time }.avps(avps, 0)
}

struct Decoding<'d> {
    dictionary: &'d Dictionary,
    time: &'d dyn Fn(i64) -> String,
}

impl Decoding<'_> {
    fn avps(&self, avps: Avps<'_>, depth: usize) -> Vec<DecodedAvp> {
        let decoded = |avp: Result<Avp<'_>, _>| match avp {
            Ok(avp) => self.avp(&avp, depth),
            Err(error) => {
                let crate::avp::LengthError { code, .. } = error;
                let value = "its length is wrong; nothing behind it can be read".to_owned();
                self.named(code, (false, value), Vec::new())
            }
        };
        avps.map(decoded).collect()
    }

    fn avp(&self, avp: &Avp<'_>, depth: usize) -> DecodedAvp {
        let kind = self.dictionary.avp(avp.code).map(|rule| rule.kind);
        if kind == Some(AvpKind::Grouped) && depth < DEPTH_MAX {
            let members = self.avps(avp.members(), depth + 1);
            return self.named(avp.code, (avp.is_mandatory(), String::new()), members);
        }
        self.named(avp.code, (avp.is_mandatory(), self.value(avp, kind)), Vec::new())
    }

    fn named(
        &self,
        code: crate::avp::AvpCode,
        (is_mandatory, value): (bool, String),
        members: Vec<DecodedAvp>,
    ) -> DecodedAvp {
        let name = self.dictionary.avp(code).map_or("", |rule| &rule.name).to_owned();
        let crate::avp::AvpCode { vendor, code } = code;
        DecodedAvp { name, code, vendor, is_mandatory, value, members }
    }

    /// Returns a value as its type says, or its octets.
    fn value(&self, avp: &Avp<'_>, kind: Option<AvpKind>) -> String {
        let of_type = match kind {
            Some(AvpKind::Integer32) => avp.i32().ok().map(|value| value.to_string()),
            Some(AvpKind::Unsigned32) => avp.u32().ok().map(|value| value.to_string()),
            Some(AvpKind::Integer64) => avp.i64().ok().map(|value| value.to_string()),
            Some(AvpKind::Unsigned64) => avp.u64().ok().map(|value| value.to_string()),
            Some(AvpKind::Float32) => avp.u32().ok().map(|bits| f32::from_bits(bits).to_string()),
            Some(AvpKind::Float64) => avp.u64().ok().map(|bits| f64::from_bits(bits).to_string()),
            Some(AvpKind::Enumerated) => avp.i32().ok().map(|value| self.word(avp, value)),
            Some(AvpKind::Time) => avp.time().ok().map(self.time),
            Some(AvpKind::Address) => match avp.address() {
                Ok(Address::Ip(address)) => Some(address.to_string()),
                _ => None,
            },
            Some(
                AvpKind::Utf8String
                | AvpKind::DiameterIdentity
                | AvpKind::DiameterUri
                | AvpKind::IpFilterRule
                | AvpKind::QosFilterRule,
            ) => avp.text().ok().map(beginning),
            _ => None,
        };
        of_type.unwrap_or_else(|| {
            let shown = &avp.data[..avp.data.len().min(VALUE_OCTETS_MAX)];
            match std::str::from_utf8(shown) {
                Ok(text) if !text.is_empty() && text.chars().all(|c| !c.is_control()) => {
                    text.to_owned()
                }
                _ => format!("0x{}", hexadecimal(shown)),
            }
        })
    }

    fn word(&self, avp: &Avp<'_>, value: i32) -> String {
        let rule = self.dictionary.avp(avp.code);
        let known = rule.and_then(|rule| rule.values.iter().find(|(of, _)| *of == value));
        known.map_or_else(|| value.to_string(), |(_, word)| format!("{word} ({value})"))
    }
}

fn beginning(text: &str) -> String {
    text[..text.floor_char_boundary(VALUE_OCTETS_MAX)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::avp::AvpCode;
    use crate::write::Writer;

    #[test]
    fn avps_have_their_names_and_values() {
        let mut octets = Vec::new();
        let mut to = Writer::new(&mut octets);
        to.text(AvpCode::ietf(263), "smf;1");
        to.u32(AvpCode::ietf(416), 2);
        to.u32(AvpCode::ietf(416), 77);
        to.time(AvpCode::ietf(55), 1_795_000_000);
        to.address(AvpCode::ietf(257), [127, 0, 0, 1].into());
        to.group(AvpCode::ietf(456), |to| {
            to.group(AvpCode::ietf(431), |to| to.u64(AvpCode::ietf(421), 1_000));
        });
        to.avp(AvpCode { vendor: 9, code: 8 }, 0, |to| to.extend([0, 255]));
        octets.extend([0, 0, 1, 0]);
        let dictionary = Dictionary::standard(&[]).unwrap();
        let decoded = decode(Avps::new(&octets), &dictionary, &|seconds| format!("{seconds} s"));
        let shown: Vec<(&str, &str)> =
            decoded.iter().map(|of| (of.name.as_str(), of.value.as_str())).collect();
        assert_eq!(
            shown[..5],
            [
                ("Session-Id", "smf;1"),
                ("CC-Request-Type", "UPDATE_REQUEST (2)"),
                ("CC-Request-Type", "77"),
                ("Event-Timestamp", "1795000000 s"),
                ("Host-IP-Address", "127.0.0.1"),
            ]
        );
        let total = &decoded[5].members[0].members[0];
        assert_eq!((total.name.as_str(), total.value.as_str()), ("CC-Total-Octets", "1000"));
        assert_eq!((shown[6], decoded[6].vendor), (("", "0x00ff"), 9));
        assert!(shown[7].1.contains("its length is wrong"));
    }
}
