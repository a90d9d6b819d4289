//! A message is checked against a dictionary. Only the first fault is found: an answer names one (RFC 6733 section 7).

use crate::avp::{Avp, AvpCode, Avps, LengthError, flags};
use crate::codes::{FAILED_AVP, ORIGIN_HOST, ORIGIN_REALM};
use crate::dictionary::{AvpKind, AvpRule, Dictionary, Grammar, MEMBERS_MAX, MandatoryBit};
use crate::frame::Message;
use crate::header;
use crate::result::ResultCode;
use crate::value::{Address, ValueError};
use crate::write::Writer;

/// How deep groups are nested at most.
const DEPTH_MAX: usize = 16;

/// The most octets of an AVP that a Failed-AVP repeats. Of a longer one, it has the beginning.
const FAILED_OCTETS_MAX: usize = 1_024;

/// The most octets of the name of a node or a realm: that of a host (RFC 1035 section 2.3.4).
const IDENTITY_OCTETS_MAX: usize = 255;

/// What is wrong with a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{result}: {text}")]
pub struct Fault {
    /// The code for the answer.
    pub result: ResultCode,
    /// The members of the Failed-AVP for the answer; empty for none. A fault in a group has the groups around it, and nothing else
    /// of these (RFC 6733 section 7.5).
    pub failed: Vec<u8>,
    /// What is wrong, for the Error-Message.
    pub text: String,
}

/// Checks a message.
///
/// # Errors
///
/// Its first fault.
pub fn check(message: &Message<'_>, dictionary: &Dictionary) -> Result<(), Fault> {
    let header = &message.header;
    let without_avp = |result, text: String| Fault { result, failed: Vec::new(), text };
    let Some(command) = dictionary.command(header.command, header.is_request()) else {
        let text = format!("the command {} is not known", header.command);
        return Err(without_avp(ResultCode::COMMAND_UNSUPPORTED, text));
    };
    if header.is_request() && header.flags & header::flags::ERROR != 0 {
        let text = "a request has the E bit of an answer".to_owned();
        return Err(without_avp(ResultCode::INVALID_HDR_BITS, text));
    }
    // An answer with the E bit has the form of all such answers, whatever its command.
    let grammar = (header.flags & header::flags::ERROR == 0).then_some(&command.members);
    Checking { dictionary, depth: 0, is_mandatory: true }.avps(message.avps(), grammar)
}

/// The check of a message or a group.
#[derive(Clone, Copy)]
struct Checking<'d> {
    dictionary: &'d Dictionary,
    depth: usize,
    /// Whether what is in it must be understood. A group without the M bit may be passed over as a whole (section 4.4).
    is_mandatory: bool,
}

impl Checking<'_> {
    fn avps(self, avps: Avps<'_>, grammar: Option<&Grammar>) -> Result<(), Fault> {
        let mut counts = [0_u32; MEMBERS_MAX];
        for avp in avps {
            let avp = avp.map_err(|error| self.wrong_length(error))?;
            let Some(place) = self.dictionary.place(avp.code) else {
                self.unknown(&avp)?;
                continue;
            };
            let rule = self.dictionary.rule(place);
            self.bits(&avp, rule)?;
            match grammar.map(|grammar| (grammar, grammar.rule_of(place))) {
                None => {}
                Some((grammar, Some(number))) => {
                    counts[number] += 1;
                    let most = grammar.members[number].most;
                    // Looked for once only, so that a long message costs no more than its length.
                    let is_second = counts[number].checked_sub(1) == Some(most);
                    if counts[number] > most && !(is_second && is_said_again(avps, &avp)) {
                        let text = format!("{} is there too often", rule.name);
                        return Err(fault(ResultCode::AVP_OCCURS_TOO_MANY_TIMES, &avp, text));
                    }
                }
                Some((grammar, None)) if grammar.has_others || !avp.is_mandatory() => {}
                Some(_) => {
                    let text = format!("{} must not be there", rule.name);
                    return Err(fault(ResultCode::AVP_NOT_ALLOWED, &avp, text));
                }
            }
            self.data(&avp, rule)?;
        }
        let Some(grammar) = grammar else { return Ok(()) };
        let missing = grammar.members.iter().zip(counts).find(|(of, count)| *count < of.least);
        match missing {
            Some((member, _)) => Err(self.missing(self.dictionary.rule(member.avp))),
            None => Ok(()),
        }
    }

    fn unknown(self, avp: &Avp<'_>) -> Result<(), Fault> {
        if !avp.is_mandatory() || !self.is_mandatory {
            return Ok(());
        }
        let AvpCode { vendor, code } = avp.code;
        let text = format!("the AVP {code} of vendor {vendor} is not known");
        Err(fault(ResultCode::AVP_UNSUPPORTED, avp, text))
    }

    /// Checks the M bit. Many peers leave it out where it must be set, which does no harm.
    fn bits(self, avp: &Avp<'_>, rule: &AvpRule) -> Result<(), Fault> {
        if rule.mandatory != MandatoryBit::MustNot || !avp.is_mandatory() {
            return Ok(());
        }
        let text = format!("{} must not have the M bit", rule.name);
        Err(fault(ResultCode::INVALID_AVP_BITS, avp, text))
    }

    fn data(self, avp: &Avp<'_>, rule: &AvpRule) -> Result<(), Fault> {
        if !rule.kind.has_length(avp.data.len()) {
            return Err(self.wrong_length_of(avp.code, avp.flags, rule));
        }
        let value = match rule.kind {
            AvpKind::Grouped => return self.group(avp, rule),
            AvpKind::Address => Address::read(avp.data).map(drop),
            AvpKind::Utf8String => avp.text().map(drop),
            AvpKind::DiameterIdentity if avp.data.len() > IDENTITY_OCTETS_MAX => {
                Err(ValueError::Value)
            }
            AvpKind::DiameterIdentity | AvpKind::DiameterUri => identity(avp.data),
            _ => Ok(()),
        };
        match value {
            Ok(()) => Ok(()),
            Err(ValueError::Length) => Err(self.wrong_length_of(avp.code, avp.flags, rule)),
            Err(ValueError::Value) => {
                let text = format!("{} has no value of its type", rule.name);
                Err(fault(ResultCode::INVALID_AVP_VALUE, avp, text))
            }
        }
    }

    fn group(self, avp: &Avp<'_>, rule: &AvpRule) -> Result<(), Fault> {
        if avp.code == FAILED_AVP {
            // What is in it is wrong on purpose.
            return Ok(());
        }
        if self.depth == DEPTH_MAX {
            let text = format!("groups are nested deeper than {DEPTH_MAX}");
            return Err(fault(ResultCode::INVALID_AVP_VALUE, avp, text));
        }
        let is_mandatory = self.is_mandatory && avp.is_mandatory();
        let within = Checking { depth: self.depth + 1, is_mandatory, ..self };
        within
            .avps(avp.members(), rule.members.as_ref())
            .map_err(|fault| Fault { failed: written(avp.code, avp.flags, &fault.failed), ..fault })
    }

    /// Returns the fault of an AVP whose length says that it ends elsewhere.
    fn wrong_length(self, LengthError { code, flags }: LengthError) -> Fault {
        match self.dictionary.avp(code) {
            Some(rule) => self.wrong_length_of(code, flags, rule),
            None => Fault {
                result: ResultCode::INVALID_AVP_LENGTH,
                failed: written(code, flags, &[]),
                text: format!("the AVP {} of vendor {} has a wrong length", code.code, code.vendor),
            },
        }
    }

    /// Returns the fault of an AVP with a wrong length: its header with the least data of its type (section 7.1.5).
    fn wrong_length_of(self, code: AvpCode, flags: u8, rule: &AvpRule) -> Fault {
        Fault {
            result: ResultCode::INVALID_AVP_LENGTH,
            failed: written(code, flags, &ZEROS[..rule.kind.example_octets()]),
            text: format!("{} has a wrong length", rule.name),
        }
    }

    /// Returns the fault of a message or group without an AVP: an example of it, with zeros (section 7.5).
    fn missing(self, rule: &AvpRule) -> Fault {
        let flags = match rule.mandatory {
            MandatoryBit::Must => flags::MANDATORY,
            MandatoryBit::May | MandatoryBit::MustNot => 0,
        };
        Fault {
            result: ResultCode::MISSING_AVP,
            failed: written(rule.code, flags, &ZEROS[..rule.kind.example_octets()]),
            text: format!("{} is missing", rule.name),
        }
    }
}

/// The least data of all types.
const ZEROS: [u8; 8] = [0; 8];

/// Returns whether an AVP says once more who sends the message: clients of Kamailio do.
fn is_said_again(avps: Avps<'_>, avp: &Avp<'_>) -> bool {
    matches!(avp.code, ORIGIN_HOST | ORIGIN_REALM)
        && avps.find_code(avp.code).is_some_and(|first| first.data == avp.data)
}

/// Returns the fault of an AVP that is there.
fn fault(result: ResultCode, avp: &Avp<'_>, text: String) -> Fault {
    let data = &avp.data[..avp.data.len().min(FAILED_OCTETS_MAX)];
    Fault { result, failed: written(avp.code, avp.flags, data), text }
}

fn written(code: AvpCode, flags: u8, data: &[u8]) -> Vec<u8> {
    let mut octets = Vec::new();
    Writer::new(&mut octets).avp(code, flags, |to| to.extend_from_slice(data));
    octets
}

/// Checks the name of a node or a realm: printable letters of ASCII, one at least.
fn identity(data: &[u8]) -> Result<(), ValueError> {
    match !data.is_empty() && data.iter().all(u8::is_ascii_graphic) {
        true => Ok(()),
        false => Err(ValueError::Value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;
    use crate::header::{Header, VERSION};
    use crate::write;

    const SESSION_ID: AvpCode = AvpCode::ietf(263);
    const ORIGIN_HOST: AvpCode = AvpCode::ietf(264);
    const ORIGIN_REALM: AvpCode = AvpCode::ietf(296);
    const REALM: AvpCode = AvpCode::ietf(283);
    const APPLICATION: AvpCode = AvpCode::ietf(258);
    const CONTEXT: AvpCode = AvpCode::ietf(461);
    const KIND: AvpCode = AvpCode::ietf(416);
    const NUMBER: AvpCode = AvpCode::ietf(415);
    const SERVICES: AvpCode = AvpCode::ietf(456);
    const WANTED: AvpCode = AvpCode::ietf(437);
    const OCTETS: AvpCode = AvpCode::ietf(421);

    fn request(flags: u8, avps: impl FnOnce(&mut Writer<'_>)) -> Result<(), Fault> {
        let header = Header {
            version: VERSION,
            length: 0,
            flags,
            command: 272,
            application: 4,
            hop_by_hop: 1,
            end_to_end: 2,
        };
        let mut octets = Vec::new();
        write::message(&mut octets, header, avps);
        let Ok(Frame::Message(message)) = Frame::read(&octets, octets.len()) else { panic!() };
        check(&message, &Dictionary::standard(&[]).unwrap())
    }

    /// Writes what a request of credit control must have, without an AVP.
    fn needed(avps: &mut Writer<'_>, without: Option<AvpCode>) {
        for (code, data) in [
            (SESSION_ID, &b"client;1;1"[..]),
            (ORIGIN_HOST, b"client.example.net"),
            (ORIGIN_REALM, b"example.net"),
            (REALM, b"example.net"),
            (APPLICATION, &[0, 0, 0, 4]),
            (CONTEXT, b"32251@3gpp.org"),
            (KIND, &[0, 0, 0, 1]),
            (NUMBER, &[0; 4]),
        ] {
            if without != Some(code) {
                avps.octets(code, data);
            }
        }
    }

    const REQUEST: u8 = 0xc0;

    fn fault_of(avps: impl FnOnce(&mut Writer<'_>)) -> (u32, Vec<u8>) {
        let fault = request(REQUEST, |to| {
            needed(to, None);
            avps(to);
        });
        let Fault { result, failed, .. } = fault.unwrap_err();
        (result.0, failed)
    }

    fn avps(write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
        let mut octets = Vec::new();
        write(&mut Writer::new(&mut octets));
        octets
    }

    #[test]
    fn a_request_with_all_that_it_needs_has_no_fault() {
        request(REQUEST, |to| {
            needed(to, None);
            to.group(SERVICES, |to| to.group(WANTED, |to| to.u64(OCTETS, 1)));
            // Other AVPs may be there; one that is not known must be without the M bit.
            to.avp(AvpCode::ietf(0x00ff_fff0), 0, |_| {});
        })
        .unwrap();
    }

    #[test]
    fn each_avp_that_is_missing_has_an_example() {
        let missing = request(REQUEST, |to| needed(to, Some(NUMBER))).unwrap_err();
        assert_eq!(
            (missing.result, &missing.text[..]),
            (ResultCode::MISSING_AVP, "CC-Request-Number is missing")
        );
        assert_eq!(missing.failed, avps(|to| to.u32(NUMBER, 0)));
        let missing = request(REQUEST, |to| needed(to, Some(CONTEXT))).unwrap_err();
        assert_eq!(missing.failed, avps(|to| to.octets(CONTEXT, b"")));
    }

    #[test]
    fn faults_are_named_with_their_avp() {
        let unknown = AvpCode::ietf(0x00ff_fff0);
        assert_eq!(
            fault_of(|to| to.octets(unknown, b"x")),
            (5001, avps(|to| to.octets(unknown, b"x")))
        );
        assert_eq!(
            fault_of(|to| to.octets(NUMBER, &[9; 4])),
            (5009, avps(|to| to.octets(NUMBER, &[9; 4])))
        );
        let message = AvpCode::ietf(281);
        assert_eq!(fault_of(|to| to.text(message, "x")), (3009, avps(|to| to.text(message, "x"))));
        let host = AvpCode::ietf(293);
        for wrong in [&b""[..], b"a\0b", b"\xff", b"a b"] {
            assert_eq!(fault_of(|to| to.octets(host, wrong)).0, 5004, "{wrong:?}");
        }
        let user = AvpCode::ietf(1);
        assert_eq!(fault_of(|to| to.octets(user, b"\xff\xfe")).0, 5004);
        let timestamp = AvpCode::ietf(55);
        assert_eq!(
            fault_of(|to| to.octets(timestamp, &[1; 3])),
            (5014, avps(|to| to.octets(timestamp, &[0; 4])))
        );
    }

    #[test]
    fn a_fault_in_a_group_has_the_groups_around_it() {
        let (result, failed) = fault_of(|to| {
            to.group(SERVICES, |to| {
                to.u32(AvpCode::ietf(432), 7);
                to.group(WANTED, |to| to.octets(OCTETS, &[1; 4]));
            });
        });
        let expected = avps(|to| {
            to.group(SERVICES, |to| to.group(WANTED, |to| to.u64(OCTETS, 0)));
        });
        assert_eq!((result, failed), (5014, expected));
        // What is in a group without the M bit need not be understood.
        let unknown = AvpCode::ietf(0x00ff_fff0);
        let group = |flags| {
            request(REQUEST, |to| {
                needed(to, None);
                to.avp(SERVICES, flags, |to| Writer::new(to).octets(unknown, b""));
            })
        };
        assert_eq!(group(0), Ok(()));
        assert_eq!(group(flags::MANDATORY).unwrap_err().result, ResultCode::AVP_UNSUPPORTED);
    }

    #[test]
    fn a_group_that_allows_no_others_has_none_that_must_be_understood() {
        let subscription = AvpCode::ietf(443);
        let (result, failed) = fault_of(|to| {
            to.group(subscription, |to| {
                to.i32(AvpCode::ietf(450), 0);
                to.text(AvpCode::ietf(444), "46701234567");
                to.u32(NUMBER, 1);
            });
        });
        assert_eq!(
            (result, failed),
            (5008, avps(|to| to.group(subscription, |to| to.u32(NUMBER, 1))))
        );
    }

    #[test]
    fn nested_groups_end_somewhere() {
        fn nested(to: &mut Writer<'_>, depth: usize) {
            if depth > 0 {
                to.group(SERVICES, |to| nested(to, depth - 1));
            }
        }
        assert_eq!(fault_of(|to| nested(to, 1_000)).0, 5004);
    }

    #[test]
    fn lengths_that_lie_are_found() {
        let (result, failed) = fault_of(|to| {
            to.avp(SERVICES, flags::MANDATORY, |to| {
                to.extend([0, 0, 1, 0xa5, 0x40, 0, 0x0f, 0xa0])
            });
        });
        assert_eq!((result, failed), (5014, avps(|to| to.group(SERVICES, |to| to.u64(OCTETS, 0)))));
    }

    #[test]
    fn no_octet_that_is_changed_ends_the_program() {
        let dictionary = Dictionary::standard(&[]).unwrap();
        let header = Header {
            version: VERSION,
            length: 0,
            flags: REQUEST,
            command: 272,
            application: 4,
            hop_by_hop: 1,
            end_to_end: 2,
        };
        let mut octets = Vec::new();
        write::message(&mut octets, header, |to| {
            needed(to, None);
            to.group(SERVICES, |to| to.group(WANTED, |to| to.u64(OCTETS, 1)));
            to.avp(AvpCode::tgpp(873), flags::MANDATORY, |to| Writer::new(to).u32(NUMBER, 1));
        });
        let mut faults = 0;
        for place in 0..octets.len() {
            for value in 0..=u8::MAX {
                let mut changed = octets.clone();
                changed[place] = value;
                if let Ok(Frame::Message(message)) = Frame::read(&changed, changed.len()) {
                    faults += usize::from(check(&message, &dictionary).is_err());
                }
            }
        }
        assert!(faults > 1_000, "{faults}");
    }

    #[test]
    fn headers_are_checked_first() {
        assert_eq!(request(0xe0, |_| {}).unwrap_err().result, ResultCode::INVALID_HDR_BITS);
        // An answer to a protocol error has another form.
        assert_eq!(request(0x20, |_| {}), Ok(()));
        assert_eq!(request(0x40, |_| {}).unwrap_err().result, ResultCode::MISSING_AVP);
    }
}
