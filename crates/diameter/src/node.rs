//! This node, and the answers that it gives to any request (RFC 6733 section 6.2).

use std::net::IpAddr;

use crate::avp::Avp;
use crate::check::Fault;
use crate::codes::{
    ERROR_MESSAGE, FAILED_AVP, ORIGIN_HOST, ORIGIN_REALM, ORIGIN_STATE_ID, PROXY_INFO, RESULT_CODE,
    SESSION_ID,
};
use crate::frame::Message;
use crate::header;
use crate::result::ResultCode;
use crate::write::{self, Template, Writer};

/// What a node says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: NodeName,
    /// Its addresses, one at least.
    pub addresses: Vec<IpAddr>,
    /// Its vendor, by the number at IANA; 0 for none.
    pub vendor: u32,
    /// The name of the program.
    pub product: String,
    /// The applications that it has, for authorization.
    pub applications: Vec<u32>,
    /// The vendors whose AVPs it knows.
    pub supported_vendors: Vec<u32>,
}

/// Who a node is, which each of its messages has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeName {
    host: String,
    realm: String,
    avps: Template,
}

impl NodeName {
    /// Returns the name of a process, in a realm. Its state is a number that is greater after sessions were lost; `None` to say
    /// nothing of it (section 8.16).
    pub fn new(host: &str, realm: &str, state: Option<u32>) -> Self {
        let avps = Template::new(|to| {
            to.text(ORIGIN_HOST, host);
            to.text(ORIGIN_REALM, realm);
            if let Some(state) = state {
                to.u32(ORIGIN_STATE_ID, state);
            }
        });
        NodeName { host: host.to_owned(), realm: realm.to_owned(), avps }
    }

    /// Returns its Origin-Host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns its Origin-Realm.
    pub fn realm(&self) -> &str {
        &self.realm
    }
}

impl Node {
    /// Appends an answer to a request, with what each answer has. `avps` writes the others. A protocol error has the E bit.
    ///
    /// The Session-Id is the first AVP, and all of Proxy-Info are copied, in order (section 6.2).
    pub fn answer(
        &self,
        to: &mut Vec<u8>,
        request: &Message<'_>,
        result: ResultCode,
        avps: impl FnOnce(&mut Writer<'_>),
    ) {
        let mut header = request.header.answer();
        if result.is_protocol_error() {
            header.flags |= header::flags::ERROR;
        }
        write::message(to, header, |to| {
            let of_request = |code| move |avp: &Avp<'_>| avp.code == code;
            let readable = || request.avps().map_while(Result::ok);
            if let Some(session) = readable().find(of_request(SESSION_ID)) {
                to.copy(&session);
            }
            to.u32(RESULT_CODE, result.0);
            self.write_origin(to);
            avps(to);
            readable().filter(of_request(PROXY_INFO)).for_each(|proxy| to.copy(&proxy));
        });
    }

    /// Appends the answer to a request with a fault.
    pub fn refuse(&self, to: &mut Vec<u8>, request: &Message<'_>, fault: &Fault) {
        self.answer(to, request, fault.result, |to| write_fault(to, fault));
    }

    /// Appends who this node is.
    pub fn write_origin(&self, to: &mut Writer<'_>) {
        to.template(&self.name.avps);
    }
}

/// The most octets of an Error-Message.
const TEXT_OCTETS_MAX: usize = 500;

/// Appends what is wrong with a request: an Error-Message, and a Failed-AVP if there is one.
pub fn write_fault(to: &mut Writer<'_>, fault: &Fault) {
    // It may have a name that the peer has sent.
    let text = &fault.text[..fault.text.floor_char_boundary(TEXT_OCTETS_MAX)];
    to.avp(ERROR_MESSAGE, 0, |to| to.extend_from_slice(text.as_bytes()));
    if !fault.failed.is_empty() {
        to.octets(FAILED_AVP, &fault.failed);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::avp::AvpCode;
    use crate::check;
    use crate::dictionary::Dictionary;
    use crate::frame::Frame;
    use crate::header::{Header, VERSION};

    pub(crate) fn node() -> Node {
        Node {
            name: NodeName::new("charging.example.net", "example.net", Some(7)),
            addresses: vec![[127, 0, 0, 1].into()],
            vendor: 0,
            product: "Tollgate".to_owned(),
            applications: vec![4],
            supported_vendors: vec![10_415],
        }
    }

    pub(crate) fn request(command: u32, flags: u8, avps: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
        let (hop_by_hop, end_to_end) = (0x1111, 0x2222);
        let application = if command == 272 { 4 } else { 0 };
        let header = Header {
            version: VERSION,
            length: 0,
            flags,
            command,
            application,
            hop_by_hop,
            end_to_end,
        };
        let mut octets = Vec::new();
        write::message(&mut octets, header, avps);
        octets
    }

    pub(crate) fn message(octets: &[u8]) -> Message<'_> {
        match Frame::read(octets, octets.len()) {
            Ok(Frame::Message(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    fn codes(message: &Message<'_>) -> Vec<u32> {
        message.avps().map(|avp| avp.unwrap().code.code).collect()
    }

    #[test]
    fn an_answer_begins_with_the_session_and_ends_with_the_proxies() {
        let proxy = |to: &mut Writer<'_>, name| {
            to.group(PROXY_INFO, |to| {
                to.text(AvpCode::ietf(280), name);
                to.octets(AvpCode::ietf(33), &[1, 2, 3]);
            });
        };
        let request_octets = request(272, 0xd0, |to| {
            proxy(to, "first.example.net");
            to.text(SESSION_ID, "client;1;1");
            to.text(ORIGIN_HOST, "client.example.net");
            proxy(to, "second.example.net");
        });
        let mut octets = Vec::new();
        node().answer(&mut octets, &message(&request_octets), ResultCode::SUCCESS, |to| {
            to.u32(AvpCode::ietf(258), 4);
        });
        let answer = message(&octets);
        assert_eq!(codes(&answer), [263, 268, 264, 296, 278, 258, 284, 284]);
        let hosts: Vec<&str> = answer
            .avps()
            .filter_map(|avp| avp.unwrap().members().next()?.ok()?.text().ok())
            .collect();
        assert!(hosts.contains(&"first.example.net"));
        // The P bit is that of the request, and the T bit is not.
        assert_eq!(answer.header.flags, 0x40);
        assert_eq!((answer.header.hop_by_hop, answer.header.end_to_end), (0x1111, 0x2222));
    }

    #[test]
    fn a_refusal_says_what_is_wrong() {
        let request_octets = request(272, 0xc0, |to| to.text(SESSION_ID, "client;1;1"));
        let dictionary = Dictionary::standard(&[]).unwrap();
        let fault = check::check(&message(&request_octets), &dictionary).unwrap_err();
        let mut octets = Vec::new();
        node().refuse(&mut octets, &message(&request_octets), &fault);
        let answer = message(&octets);
        assert_eq!(codes(&answer), [263, 268, 264, 296, 278, 281, 279]);
        assert_eq!(answer.header.flags, 0x40, "only protocol errors have the E bit");
        let busy =
            Fault { result: ResultCode::TOO_BUSY, failed: Vec::new(), text: "busy".to_owned() };
        octets.clear();
        node().refuse(&mut octets, &message(&request_octets), &busy);
        let answer = message(&octets);
        assert_eq!((answer.header.flags, codes(&answer).len()), (0x60, 6));
        check::check(&answer, &dictionary).unwrap();
    }
}
