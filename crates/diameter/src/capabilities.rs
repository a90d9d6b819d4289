//! What two peers can do: they exchange it when they connect (RFC 6733 section 5.3).

use crate::avp::Avp;
use crate::check::Fault;
use crate::codes::{
    ACCT_APPLICATION_ID, AUTH_APPLICATION_ID, HOST_IP_ADDRESS, INBAND_SECURITY_ID, ORIGIN_HOST,
    ORIGIN_REALM, ORIGIN_STATE_ID, PRODUCT_NAME, RELAY, SUPPORTED_VENDOR_ID, VENDOR_ID,
    VENDOR_SPECIFIC_APPLICATION_ID,
};
use crate::frame::Message;
use crate::node::{Node, write_fault};
use crate::result::ResultCode;
use crate::write::Writer;

/// What a peer says of itself. It was checked against a dictionary before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// Its name.
    pub origin_host: String,
    /// Its realm.
    pub origin_realm: String,
    /// The name of its program.
    pub product: String,
    /// Its applications. The vendor that an application is said to be of does not count (section 5.3).
    pub applications: Vec<u32>,
    /// Those of them that it says to be of a vendor, each behind the vendor.
    pub vendor_applications: Vec<(u32, u32)>,
    /// Whether it begins TLS after this exchange, as old peers do.
    pub has_inband_tls: bool,
    /// Whether it can do without.
    pub has_no_security: bool,
    /// A number that is greater after it lost its sessions.
    pub state: Option<u32>,
}

/// How a connection is protected, or will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// Not at all.
    None,
    /// By TLS, which has begun.
    Tls,
    /// By TLS, which begins after this exchange. The peer must offer it (section 6.10, and RFC 3588 section 13.1).
    InbandTls,
}

/// The values of Inband-Security-Id (section 6.10).
const NO_INBAND_SECURITY: u32 = 0;
const INBAND_TLS: u32 = 1;

impl Capabilities {
    /// Reads what a peer says of itself.
    ///
    /// # Errors
    ///
    /// An application of a vendor is of no kind, or of both (section 6.11).
    pub fn read(message: &Message<'_>) -> Result<Self, Fault> {
        let mut read = Capabilities::default();
        let mut has_security = false;
        for avp in message.avps().map_while(Result::ok) {
            let text = || avp.text().unwrap_or_default().to_owned();
            match avp.code {
                ORIGIN_HOST => read.origin_host = text(),
                ORIGIN_REALM => read.origin_realm = text(),
                PRODUCT_NAME => read.product = text(),
                ORIGIN_STATE_ID => read.state = avp.u32().ok(),
                AUTH_APPLICATION_ID | ACCT_APPLICATION_ID => {
                    read.applications.extend(avp.u32().ok())
                }
                VENDOR_SPECIFIC_APPLICATION_ID => {
                    let application = of_vendor(&avp)?;
                    read.applications.push(application);
                    let vendor =
                        avp.members().map_while(Result::ok).find(|of| of.code == VENDOR_ID);
                    let vendor = vendor.and_then(|vendor| vendor.u32().ok());
                    read.vendor_applications.extend(vendor.map(|vendor| (vendor, application)));
                }
                INBAND_SECURITY_ID => {
                    has_security = true;
                    read.has_inband_tls |= avp.u32() == Ok(INBAND_TLS);
                    read.has_no_security |= avp.u32() == Ok(NO_INBAND_SECURITY);
                }
                _ => {}
            }
        }
        // A peer that says nothing of it does without.
        read.has_no_security |= !has_security;
        Ok(read)
    }

    /// Returns whether the peer has one of some applications. A relay has all.
    pub fn has_one_of(&self, applications: &[u32]) -> bool {
        let is_common = |of: &u32| *of == RELAY || applications.contains(of);
        self.applications.iter().any(is_common)
    }
}

/// Returns the application in a Vendor-Specific-Application-Id.
fn of_vendor(group: &Avp<'_>) -> Result<u32, Fault> {
    let is_kind = |avp: &Avp<'_>| matches!(avp.code, AUTH_APPLICATION_ID | ACCT_APPLICATION_ID);
    let kinds: Vec<Avp<'_>> = group.members().map_while(Result::ok).filter(is_kind).collect();
    let fault = |result, text: &str, members: &dyn Fn(&mut Writer<'_>)| {
        let mut failed = Vec::new();
        Writer::new(&mut failed).group(group.code, |to| members(to));
        Fault { result, failed, text: text.to_owned() }
    };
    match kinds[..] {
        [one] => Ok(one.u32().unwrap_or_default()),
        [] => {
            let text = "an application of a vendor is one of authorization or of accounting";
            Err(fault(ResultCode::MISSING_AVP, text, &|to| {
                to.u32(AUTH_APPLICATION_ID, 0);
                to.u32(ACCT_APPLICATION_ID, 0);
            }))
        }
        _ => {
            let text = "an application of a vendor is not one of authorization and of accounting";
            let copy = |to: &mut Writer<'_>| kinds.iter().for_each(|avp| to.copy(avp));
            Err(fault(ResultCode::AVP_OCCURS_TOO_MANY_TIMES, text, &copy))
        }
    }
}

impl Node {
    /// Appends what this node can do: all its applications, and not only those that the peer has too (section 5.3.2).
    pub fn write_capabilities(&self, to: &mut Writer<'_>) {
        self.addresses.iter().for_each(|address| to.address(HOST_IP_ADDRESS, *address));
        to.u32(VENDOR_ID, self.vendor);
        to.avp(PRODUCT_NAME, 0, |to| to.extend_from_slice(self.product.as_bytes()));
        for vendor in &self.supported_vendors {
            to.u32(SUPPORTED_VENDOR_ID, *vendor);
        }
        for application in &self.applications {
            to.u32(AUTH_APPLICATION_ID, *application);
        }
    }

    /// Takes the capabilities of a peer that connects, and appends the answer to them.
    ///
    /// # Errors
    ///
    /// The peers have no application or no security in common. The answer says so; the connection is to be closed.
    pub fn meet(
        &self,
        to: &mut Vec<u8>,
        request: &Message<'_>,
        security: Security,
    ) -> Result<Capabilities, Fault> {
        let met = self.capabilities_of(request, security);
        let result = met.as_ref().map_or_else(|fault| fault.result, |_| ResultCode::SUCCESS);
        match &met {
            Err(fault) => self.refuse_capabilities(to, request, fault),
            Ok(peer) => self.answer(to, request, result, |to| {
                self.write_capabilities(to);
                self.write_vendor_applications(to, peer);
                if security == Security::InbandTls {
                    to.u32(INBAND_SECURITY_ID, INBAND_TLS);
                }
            }),
        }
        met
    }

    /// Refuses the capabilities of a peer. But for a protocol error, the answer has those of this node, too.
    pub fn refuse_capabilities(&self, to: &mut Vec<u8>, request: &Message<'_>, fault: &Fault) {
        self.answer(to, request, fault.result, |to| {
            if !fault.result.is_protocol_error() {
                self.write_capabilities(to);
            }
            write_fault(to, fault);
        });
    }

    /// Appends the applications that a peer says to be of a vendor, if this node has them. Kamailio finds no peer for such an
    /// application that does not say it too.
    fn write_vendor_applications(&self, to: &mut Writer<'_>, peer: &Capabilities) {
        let is_own = |of: &&(u32, u32)| self.applications.contains(&of.1);
        for (vendor, application) in peer.vendor_applications.iter().filter(is_own) {
            to.group(VENDOR_SPECIFIC_APPLICATION_ID, |to| {
                to.u32(VENDOR_ID, *vendor);
                to.u32(AUTH_APPLICATION_ID, *application);
            });
        }
    }

    fn capabilities_of(
        &self,
        request: &Message<'_>,
        security: Security,
    ) -> Result<Capabilities, Fault> {
        let peer = Capabilities::read(request)?;
        let fault = |result, text: String| Fault { result, failed: Vec::new(), text };
        if !peer.has_one_of(&self.applications) {
            let text = format!(
                "{} has none of the applications {:?}",
                peer.origin_host, self.applications
            );
            return Err(fault(ResultCode::NO_COMMON_APPLICATION, text));
        }
        let refused = match security {
            Security::None if !peer.has_no_security => "connects only with TLS",
            Security::InbandTls if !peer.has_inband_tls => "does not offer TLS, and needs it",
            Security::None | Security::Tls | Security::InbandTls => return Ok(peer),
        };
        let text = format!("{} {refused}", peer.origin_host);
        Err(fault(ResultCode::NO_COMMON_SECURITY, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::avp::{AvpCode, Avps};
    use crate::check::check;
    use crate::codes::command::CAPABILITIES_EXCHANGE;
    use crate::codes::{FAILED_AVP, RESULT_CODE};
    use crate::dictionary::Dictionary;
    use crate::node::tests::{message, node, request};

    /// Returns the first AVP with a code.
    fn first<'m>(avps: Avps<'m>, code: AvpCode) -> Option<Avp<'m>> {
        avps.map_while(Result::ok).find(|avp| avp.code == code)
    }

    fn cer(more: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
        request(CAPABILITIES_EXCHANGE, 0x80, |to| {
            to.text(ORIGIN_HOST, "peer.example.net");
            to.text(ORIGIN_REALM, "example.net");
            to.address(HOST_IP_ADDRESS, [127, 0, 0, 1].into());
            to.u32(VENDOR_ID, 0);
            to.avp(PRODUCT_NAME, 0, |to| to.extend_from_slice(b"peer"));
            more(to);
        })
    }

    /// Returns what an exchange ends with, and the result of the answer.
    fn met(octets: &[u8]) -> (Result<Capabilities, Fault>, u32) {
        met_with(octets, Security::None)
    }

    fn met_with(octets: &[u8], security: Security) -> (Result<Capabilities, Fault>, u32) {
        let dictionary = Dictionary::standard(&[]).unwrap();
        check(&message(octets), &dictionary).unwrap();
        let mut answer = Vec::new();
        let met = node().meet(&mut answer, &message(octets), security);
        let answer = message(&answer);
        check(&answer, &dictionary).unwrap();
        let has_inband_tls = first(answer.avps(), INBAND_SECURITY_ID).is_some();
        assert_eq!(has_inband_tls, met.is_ok() && security == Security::InbandTls);
        (met, first(answer.avps(), RESULT_CODE).unwrap().u32().unwrap())
    }

    fn of_vendor(to: &mut Writer<'_>, kinds: &[AvpCode]) {
        to.group(VENDOR_SPECIFIC_APPLICATION_ID, |to| {
            to.u32(VENDOR_ID, 10_415);
            kinds.iter().for_each(|kind| to.u32(*kind, 4));
        });
    }

    #[test]
    fn peers_with_a_common_application_meet() {
        for application in [4, RELAY] {
            let (peer, result) = met(&cer(|to| to.u32(AUTH_APPLICATION_ID, application)));
            assert_eq!((peer.unwrap().origin_host.as_str(), result), ("peer.example.net", 2001));
        }
        let (peer, _) = met(&cer(|to| {
            of_vendor(to, &[AUTH_APPLICATION_ID]);
            to.u32(ORIGIN_STATE_ID, 3);
        }));
        let peer = peer.unwrap();
        assert_eq!((peer.applications, peer.state, peer.has_no_security), (vec![4], Some(3), true));
        let octets = cer(|to| {
            to.u32(AUTH_APPLICATION_ID, 4);
            of_vendor(to, &[AUTH_APPLICATION_ID]);
        });
        let mut answer = Vec::new();
        node().meet(&mut answer, &message(&octets), Security::None).unwrap();
        let own = first(message(&answer).avps(), VENDOR_SPECIFIC_APPLICATION_ID).unwrap();
        let numbers: Vec<u32> = own.members().map(|avp| avp.unwrap().u32().unwrap()).collect();
        assert_eq!(numbers, [10_415, 4], "it says what the peer says");
        let (peer, result) = met(&cer(|to| to.u32(AUTH_APPLICATION_ID, 16_777_238)));
        assert_eq!((peer.unwrap_err().result, result), (ResultCode::NO_COMMON_APPLICATION, 5010));
    }

    #[test]
    fn an_application_of_a_vendor_has_one_kind() {
        let octets = cer(|to| of_vendor(to, &[]));
        let (peer, result) = met(&octets);
        let failed = peer.unwrap_err().failed;
        let members = Avps::new(&failed).next().unwrap().unwrap().members().count();
        assert_eq!((result, members), (5005, 2));
        let (_, result) =
            met(&cer(|to| of_vendor(to, &[AUTH_APPLICATION_ID, ACCT_APPLICATION_ID])));
        assert_eq!(result, 5009);
        let mut answer = Vec::new();
        node().meet(&mut answer, &message(&octets), Security::None).unwrap_err();
        assert!(first(message(&answer).avps(), FAILED_AVP).is_some());
    }

    #[test]
    fn a_peer_that_needs_tls_is_refused_without() {
        let tls = |values: &'static [u32]| {
            cer(move |to| {
                to.u32(AUTH_APPLICATION_ID, 4);
                values.iter().for_each(|value| to.u32(INBAND_SECURITY_ID, *value));
            })
        };
        assert_eq!(met(&tls(&[1])).1, 5017);
        let (peer, result) = met(&tls(&[0, 1]));
        assert_eq!((peer.unwrap().has_inband_tls, result), (true, 2001));
        assert_eq!(met_with(&tls(&[1]), Security::Tls).1, 2001);
        // Where TLS begins after the exchange, the peer must offer it.
        for (offered, result) in [(&[1][..], 2001), (&[0, 1], 2001), (&[0], 5017), (&[], 5017)] {
            assert_eq!(met_with(&tls(offered), Security::InbandTls).1, result, "{offered:?}");
        }
    }
}
