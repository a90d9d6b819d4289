//! Who takes part in a call or a message, and where: what 3GPP puts into Service-Information (3GPP TS 32.299, 7.2.192).

use compact_str::CompactString;
use diameter::avp::Avps;

use crate::codes::{
    ADDRESS_DATA, CALLED_PARTY_ADDRESS, CALLING_PARTY_ADDRESS, IMS_INFORMATION, PS_INFORMATION,
    RECIPIENT_ADDRESS, RECIPIENT_INFO, ROLE_OF_NODE, SERVICE_INFORMATION, SGSN_MCC_MNC,
    SMS_INFORMATION,
};
use crate::request::{Request, Subscription};

/// The role of a node that serves the party that is called (7.2.172).
const TERMINATING: u32 = 1;

/// The kinds of names of subscribers, those with a telephone number first (RFC 8506 section 8.47): E.164, SIP URI, NAI, IMSI, others.
const KINDS: [i32; 5] = [0, 2, 3, 1, 4];

impl<'m> Request<'m> {
    /// Returns the names of the subscriber that are best known: a telephone number before an IMSI.
    pub fn subscribers(&self) -> [Option<Subscription<'m>>; 2] {
        let rank = |of: &Subscription<'_>| KINDS.iter().position(|kind| *kind == of.kind);
        let best_of = |other_than: Option<&str>| {
            self.subscriptions()
                .filter(|of| !of.name.is_empty() && Some(of.name) != other_than)
                .min_by_key(|of| rank(of).unwrap_or(KINDS.len()))
        };
        let best = best_of(None);
        [best, best.and_then(|best| best_of(Some(best.name)))]
    }

    /// Returns the address of the other party: the one that is called, or the one that calls if the subscriber is called; or the
    /// receiver of a message.
    pub fn other_party(&self) -> Option<&'m str> {
        let information = self.information()?;
        if let Some(ims) = information.find_code(IMS_INFORMATION) {
            let is_called = ims.members().find_code(ROLE_OF_NODE).and_then(|role| role.u32().ok())
                == Some(TERMINATING);
            let code = if is_called { CALLING_PARTY_ADDRESS } else { CALLED_PARTY_ADDRESS };
            return ims.members().find_code(code)?.text().ok();
        }
        let recipient =
            information.find_code(SMS_INFORMATION)?.members().find_code(RECIPIENT_INFO)?;
        let address = recipient.members().find_code(RECIPIENT_ADDRESS)?;
        address.members().find_code(ADDRESS_DATA)?.text().ok()
    }

    /// Returns the network in which a packet connection is: the digits of its MCC and MNC.
    pub fn visited_network(&self) -> Option<&'m str> {
        let packets = self.information()?.find_code(PS_INFORMATION)?;
        packets.members().find_code(SGSN_MCC_MNC)?.text().ok()
    }

    fn information(&self) -> Option<Avps<'m>> {
        self.avps().find_code(SERVICE_INFORMATION).map(|group| group.members())
    }
}

/// Returns the telephone number in an address: digits without `+`, scheme, separators and domain. `None` if it has none.
///
/// ```
/// use credit_control::parties::telephone_number;
///
/// assert_eq!(telephone_number("tel:+46-8-12345678").as_deref(), Some("46812345678"));
/// assert_eq!(telephone_number("sip:+46812345678@ims.example.net;user=phone").as_deref(), Some("46812345678"));
/// assert_eq!(telephone_number("sip:anna@example.net"), None);
/// ```
pub fn telephone_number(address: &str) -> Option<CompactString> {
    let address = address.trim();
    let bare = ["tel:", "sip:", "sips:"].iter().find_map(|scheme| {
        address
            .get(..scheme.len())
            .filter(|of| of.eq_ignore_ascii_case(scheme))
            .map(|_| &address[scheme.len()..])
    });
    let user = bare.unwrap_or(address).split(['@', ';']).next().unwrap_or_default();
    let digits: CompactString = user.chars().filter(|letter| !" -./()".contains(*letter)).collect();
    let digits = digits.strip_prefix('+').unwrap_or(&digits);
    let is_number = !digits.is_empty() && digits.bytes().all(|octet| octet.is_ascii_digit());
    is_number.then(|| digits.into())
}

/// Returns the number of an account in the name of a subscriber: the digits of a telephone number, or the address. The digits of
/// an address are a telephone number only if the address says so: each domain has its own short ones.
pub fn account_number(of: &Subscription<'_>) -> CompactString {
    let name = of.name.trim();
    let bare = name.split(';').next().unwrap_or_default();
    let is_local = bare.contains('@') && !bare.contains('+') && !name.contains("user=phone");
    match telephone_number(name).filter(|_| !is_local) {
        Some(digits) => digits,
        None => bare.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::{SUBSCRIPTION_ID, SUBSCRIPTION_ID_DATA, SUBSCRIPTION_ID_TYPE};
    use crate::request::tests::{checked, request_of};
    use diameter::write::Writer;

    fn with<T>(avps: impl FnOnce(&mut Writer<'_>), look: impl FnOnce(&Request<'_>) -> T) -> T {
        let octets = request_of(1, avps);
        let message = checked(&octets);
        look(&Request::read(&message).unwrap())
    }

    fn call(role: Option<i32>) -> impl FnOnce(&mut Writer<'_>) {
        move |to| {
            to.group(SERVICE_INFORMATION, |to| {
                to.group(IMS_INFORMATION, |to| {
                    role.into_iter().for_each(|role| to.i32(ROLE_OF_NODE, role));
                    to.text(CALLING_PARTY_ADDRESS, "tel:+46701234567");
                    to.text(CALLED_PARTY_ADDRESS, "sip:+46812345678@ims.example.net");
                });
            });
        }
    }

    #[test]
    fn the_other_party_is_the_one_that_the_subscriber_is_not() {
        let other = |request: &Request<'_>| request.other_party().map(str::to_owned);
        let called = Some("sip:+46812345678@ims.example.net".to_owned());
        assert_eq!(with(call(None), other), called);
        assert_eq!(with(call(Some(0)), other), called);
        assert_eq!(with(call(Some(1)), other), Some("tel:+46701234567".to_owned()));
        let message = |to: &mut Writer<'_>| {
            to.group(SERVICE_INFORMATION, |to| {
                to.group(SMS_INFORMATION, |to| {
                    to.group(RECIPIENT_INFO, |to| {
                        to.group(RECIPIENT_ADDRESS, |to| to.text(ADDRESS_DATA, "46812345678"));
                    });
                });
            });
        };
        assert_eq!(with(message, other), Some("46812345678".to_owned()));
        assert_eq!(with(|_| {}, other), None);
    }

    #[test]
    fn a_packet_connection_is_in_a_network() {
        let packets = |to: &mut Writer<'_>| {
            to.group(SERVICE_INFORMATION, |to| {
                to.group(PS_INFORMATION, |to| to.text(SGSN_MCC_MNC, "24001"));
            });
        };
        let network = |request: &Request<'_>| request.visited_network().map(str::to_owned);
        assert_eq!(with(packets, network), Some("24001".to_owned()));
        assert_eq!(with(call(None), network), None);
    }

    #[test]
    fn a_telephone_number_is_known_better_than_an_imsi() {
        let names = |names: &'static [(i32, &'static str)]| {
            move |to: &mut Writer<'_>| {
                for (kind, name) in names {
                    to.group(SUBSCRIPTION_ID, |to| {
                        to.i32(SUBSCRIPTION_ID_TYPE, *kind);
                        to.text(SUBSCRIPTION_ID_DATA, name);
                    });
                }
            }
        };
        let subscriber =
            |request: &Request<'_>| request.subscribers()[0].map(|of| of.name.to_owned());
        let both = &[(1, "001010000000001"), (0, ""), (0, "46701234567")];
        assert_eq!(with(names(both), subscriber), Some("46701234567".to_owned()));
        let imsi = &[(4, "private"), (1, "001010000000001")];
        assert_eq!(with(names(imsi), subscriber), Some("001010000000001".to_owned()));
        assert_eq!(with(names(&[]), subscriber), None);
    }

    #[test]
    fn an_account_has_a_telephone_number_or_an_address() {
        for (name, number) in [
            ("+46 70-1234567", "46701234567"),
            ("sip:+46701234567@ims.example.net;user=phone", "46701234567"),
            ("sip:46701234567@ims.example.net;user=phone", "46701234567"),
            ("sip:1001@b.example.net;transport=tcp", "sip:1001@b.example.net"),
            ("anna@example.net", "anna@example.net"),
        ] {
            assert_eq!(account_number(&Subscription { kind: 2, name }), number, "{name}");
        }
    }

    #[test]
    fn an_address_has_a_number_or_none() {
        for (address, number) in [
            ("+46 70-123.45/67", Some("46701234567")),
            ("SIP:+46701234567@Example.net", Some("46701234567")),
            ("tel:112;phone-context=example.net", Some("112")),
            ("anna@example.net", None),
            ("", None),
            ("+", None),
            ("tel:", None),
        ] {
            assert_eq!(telephone_number(address).as_deref(), number, "{address}");
        }
    }
}
