//! What messages consist of: AVPs and commands, read from texts. An operator adds those of vendors.
//!
//! ```text
//! # Lines of a dictionary. What is indented belongs to the line above.
//! vendor 3GPP 10415
//! application Credit-Control 4
//!
//! avp CC-Request-Type 416 Enumerated M      the M bit must be set; m: it may be; -: it must not be
//!     1 INITIAL_REQUEST
//! avp Subscription-Id 443 Grouped M
//!     { Subscription-Id-Type }
//!     [ Subscription-Id-Data ]
//!   * [ AVP ]
//! avp PS-Information 874 Grouped M 3GPP
//!
//! request Credit-Control 272 CCR Credit-Control proxiable
//!     < Session-Id >
//!     { Origin-Host }
//! answer Credit-Control 272 CCA Credit-Control proxiable
//! ```
//!
//! The rules of members are those of RFC 6733 section 3.2: `<>` at this place, `{}` required, `[]` optional, each with the
//! least and the most that may be there, `1*2 { X }`; `*` alone for any number. A group without members has any.

mod text;

use std::collections::HashMap;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

use crate::avp::AvpCode;

/// The dictionary of the base protocol (RFC 6733), of credit control (RFC 8506) and of its AVPs at 3GPP (TS 32.299).
pub const STANDARD: [(&str, &str); 3] = [
    ("base.dictionary", include_str!("../../dictionary/base.dictionary")),
    ("credit-control.dictionary", include_str!("../../dictionary/credit-control.dictionary")),
    ("3gpp.dictionary", include_str!("../../dictionary/3gpp.dictionary")),
];

/// What messages consist of.
#[derive(Debug, Default)]
pub struct Dictionary {
    avps: Vec<AvpRule>,
    /// Where those of the IETF are whose codes are below [`DIRECT`]; [`NONE`] for others.
    direct: Vec<u16>,
    by_code: HashMap<AvpCode, u16>,
    by_name: HashMap<String, u16>,
    commands: Vec<CommandRule>,
    applications: Vec<(String, u32)>,
}

/// The codes that are found without a search: all of the IETF that credit control uses.
const DIRECT: u32 = 1_024;

/// No place.
const NONE: u16 = u16::MAX;

/// The place of an AVP in a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AvpPlace(u16);

/// What an AVP is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AvpRule {
    /// Its name.
    pub name: String,
    /// Its code.
    pub code: AvpCode,
    /// The type of its data.
    pub kind: AvpKind,
    /// Whether its M bit is set.
    pub mandatory: MandatoryBit,
    /// The names of its values, if it is an Enumerated.
    pub values: Vec<(i32, String)>,
    /// Its members, if it is a group. `None`: any.
    pub members: Option<Grammar>,
}

/// The type of an AVP's data (RFC 6733 sections 4.2 and 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AvpKind {
    /// Any octets.
    OctetString,
    /// A number of 4 octets.
    Integer32,
    /// A number of 8 octets.
    Integer64,
    /// A number of 4 octets, not negative.
    Unsigned32,
    /// A number of 8 octets, not negative.
    Unsigned64,
    /// A number of IEEE 754 of 4 octets.
    Float32,
    /// A number of IEEE 754 of 8 octets.
    Float64,
    /// AVPs.
    Grouped,
    /// A family and an address.
    Address,
    /// Seconds since 1900.
    Time,
    /// A text.
    Utf8String,
    /// The name of a node or a realm.
    DiameterIdentity,
    /// The address of a node.
    DiameterUri,
    /// One of some numbers.
    Enumerated,
    /// A rule for packets.
    IpFilterRule,
    /// A rule for the quality of packets.
    QosFilterRule,
}

impl AvpKind {
    /// All types, with their names in dictionaries.
    pub const ALL: [(&str, AvpKind); 16] = [
        ("OctetString", AvpKind::OctetString),
        ("Integer32", AvpKind::Integer32),
        ("Integer64", AvpKind::Integer64),
        ("Unsigned32", AvpKind::Unsigned32),
        ("Unsigned64", AvpKind::Unsigned64),
        ("Float32", AvpKind::Float32),
        ("Float64", AvpKind::Float64),
        ("Grouped", AvpKind::Grouped),
        ("Address", AvpKind::Address),
        ("Time", AvpKind::Time),
        ("UTF8String", AvpKind::Utf8String),
        ("DiameterIdentity", AvpKind::DiameterIdentity),
        ("DiameterURI", AvpKind::DiameterUri),
        ("Enumerated", AvpKind::Enumerated),
        ("IPFilterRule", AvpKind::IpFilterRule),
        ("QoSFilterRule", AvpKind::QosFilterRule),
    ];

    /// Returns the least octets of its data.
    pub(crate) fn least_octets(self) -> usize {
        match self {
            AvpKind::Integer32
            | AvpKind::Unsigned32
            | AvpKind::Float32
            | AvpKind::Time
            | AvpKind::Enumerated => 4,
            AvpKind::Integer64 | AvpKind::Unsigned64 | AvpKind::Float64 => 8,
            AvpKind::Address => 2,
            _ => 0,
        }
    }

    /// Returns the octets of an example of its data in a Failed-AVP, which are zeros: what is read in general, and not the least
    /// possible. Programs take an Address of two octets for a broken one.
    pub(crate) fn example_octets(self) -> usize {
        match self {
            AvpKind::Address => 6,
            kind => kind.least_octets(),
        }
    }

    /// Returns whether its data may have so many octets.
    pub(crate) fn has_length(self, octets: usize) -> bool {
        match self.least_octets() {
            least @ (4 | 8) => octets == least,
            least => octets >= least,
        }
    }
}

/// Whether the M bit of an AVP is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MandatoryBit {
    /// It must be set.
    Must,
    /// It may be set.
    May,
    /// It must not be set.
    MustNot,
}

/// What a command consists of, as a request or as an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRule {
    /// Its name.
    pub name: String,
    /// Its code.
    pub code: u32,
    /// Its short name: `CCR`.
    pub abbreviation: String,
    /// The application that it is of; 0 for those of the base protocol, which each application has.
    pub application: u32,
    /// Whether it is a request.
    pub is_request: bool,
    /// Whether agents may send it on.
    pub is_proxiable: bool,
    /// What is in it.
    pub members: Grammar,
}

/// Which AVPs a message or a group has.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Grammar {
    /// The rules, in their order.
    pub members: Vec<Member>,
    /// Whether others may be there.
    pub has_others: bool,
    /// The rule of each AVP of the dictionary, by its place: the number of the rule and 1; 0 for none.
    by_place: Vec<u8>,
}

/// How often an AVP is in a message or a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The AVP.
    pub avp: AvpPlace,
    /// The least.
    pub least: u32,
    /// The most.
    pub most: u32,
}

/// The most rules of a message or a group.
pub(crate) const MEMBERS_MAX: usize = 96;

impl Grammar {
    /// Returns the number of the rule of an AVP.
    pub(crate) fn rule_of(&self, avp: AvpPlace) -> Option<usize> {
        let number = *self.by_place.get(usize::from(avp.0))?;
        usize::from(number).checked_sub(1)
    }

    /// Makes the rules be found by the places of their AVPs.
    fn index(&mut self) {
        let last = self.members.iter().map(|member| member.avp.0).max();
        self.by_place = vec![0; last.map_or(0, |last| usize::from(last) + 1)];
        for (number, member) in (1..).zip(&self.members) {
            self.by_place[usize::from(member.avp.0)] = number;
        }
    }
}

impl Dictionary {
    /// Reads the texts of a dictionary. A name may be used before the line that it is on, also in another text.
    ///
    /// # Errors
    ///
    /// The mistakes of all texts.
    pub fn read(sources: &[Arc<Source>]) -> Result<Self, Vec<Diagnostic>> {
        text::read(sources)
    }

    /// Returns the dictionary of the standards, with more texts.
    ///
    /// # Errors
    ///
    /// The mistakes of these texts.
    pub fn standard(more: &[Arc<Source>]) -> Result<Self, Vec<Diagnostic>> {
        let standard = STANDARD.map(|(name, text)| Source::new(name, text));
        Self::read(&[&standard, more].concat())
    }

    /// Finds an AVP.
    pub fn place(&self, code: AvpCode) -> Option<AvpPlace> {
        let place = match code {
            AvpCode { vendor: 0, code: direct @ 0..DIRECT } => *self.direct.get(direct as usize)?,
            other => *self.by_code.get(&other)?,
        };
        (place != NONE).then_some(AvpPlace(place))
    }

    /// Returns what an AVP is.
    pub fn rule(&self, place: AvpPlace) -> &AvpRule {
        &self.avps[usize::from(place.0)]
    }

    /// Finds an AVP by its code.
    pub fn avp(&self, code: AvpCode) -> Option<&AvpRule> {
        self.place(code).map(|place| self.rule(place))
    }

    /// Finds an AVP by its name.
    pub fn named(&self, name: &str) -> Option<&AvpRule> {
        let place = self.by_name.get(name)?;
        Some(&self.avps[usize::from(*place)])
    }

    /// Returns all AVPs.
    pub fn avps(&self) -> &[AvpRule] {
        &self.avps
    }

    /// Finds a command.
    pub fn command(&self, code: u32, is_request: bool) -> Option<&CommandRule> {
        self.commands.iter().find(|rule| rule.code == code && rule.is_request == is_request)
    }

    /// Returns the name of an application.
    pub fn application(&self, number: u32) -> Option<&str> {
        let found = self.applications.iter().find(|(_, of)| *of == number);
        found.map(|(name, _)| name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_dictionary_has_no_mistake() {
        let dictionary = Dictionary::standard(&[]).unwrap_or_else(|mistakes| {
            let mistakes: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
            panic!("{}", mistakes.join("\n"))
        });
        let request = dictionary.command(272, true).unwrap();
        assert_eq!((request.abbreviation.as_str(), request.application), ("CCR", 4));
        assert_eq!(dictionary.application(4), Some("Credit-Control"));
        let type_of = |code| dictionary.avp(code).map(|rule| (rule.name.as_str(), rule.kind));
        assert_eq!(type_of(AvpCode::ietf(419)), Some(("CC-Sub-Session-Id", AvpKind::Unsigned64)));
        assert_eq!(type_of(AvpCode::tgpp(873)), Some(("Service-Information", AvpKind::Grouped)));
        assert_eq!(type_of(AvpCode::ietf(873)), None);
        assert_eq!(dictionary.named("Session-Id").unwrap().code, AvpCode::ietf(263));
        let session = dictionary.place(AvpCode::ietf(263)).unwrap();
        assert_eq!(request.members.rule_of(session), Some(0));
    }
}
