//! A client of Diameter for tests: it sends what a test writes, and reads what comes back.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use diameter::avp::{Avp, AvpCode};
use diameter::frame::{Frame, MESSAGE_OCTETS, Message};
use diameter::header::{Header, VERSION, flags};
use diameter::write::{self, Writer};

/// How long an answer may take.
const WITHIN: Duration = Duration::from_secs(10);

pub(super) const REALM: &str = "example.net";
pub(super) const NUMBER: &str = "46701000001";

/// The contexts of packets, calls and messages (3GPP TS 32.299, 7.1.12).
pub(super) const PACKETS: &str = "32251@3gpp.org";
pub(super) const CALLS: &str = "32260@3gpp.org";
pub(super) const MESSAGES: &str = "32274@3gpp.org";

/// The codes of AVPs in these tests.
pub(super) mod code {
    use diameter::avp::AvpCode;

    pub(in super::super) const HOST_ADDRESS: AvpCode = AvpCode::ietf(257);
    pub(in super::super) const AUTH_APPLICATION: AvpCode = AvpCode::ietf(258);
    pub(in super::super) const ACCOUNTING_APPLICATION: AvpCode = AvpCode::ietf(259);
    pub(in super::super) const VENDOR_APPLICATION: AvpCode = AvpCode::ietf(260);
    pub(in super::super) const SESSION: AvpCode = AvpCode::ietf(263);
    pub(in super::super) const ORIGIN_HOST: AvpCode = AvpCode::ietf(264);
    pub(in super::super) const VENDOR: AvpCode = AvpCode::ietf(266);
    pub(in super::super) const RESULT: AvpCode = AvpCode::ietf(268);
    pub(in super::super) const PRODUCT: AvpCode = AvpCode::ietf(269);
    pub(in super::super) const CAUSE: AvpCode = AvpCode::ietf(273);
    pub(in super::super) const FAILED: AvpCode = AvpCode::ietf(279);
    pub(in super::super) const ERROR_MESSAGE: AvpCode = AvpCode::ietf(281);
    pub(in super::super) const ROUTE_RECORD: AvpCode = AvpCode::ietf(282);
    pub(in super::super) const DESTINATION_REALM: AvpCode = AvpCode::ietf(283);
    pub(in super::super) const PROXY_INFO: AvpCode = AvpCode::ietf(284);
    pub(in super::super) const DESTINATION_HOST: AvpCode = AvpCode::ietf(293);
    pub(in super::super) const ORIGIN_REALM: AvpCode = AvpCode::ietf(296);
    pub(in super::super) const INBAND_SECURITY: AvpCode = AvpCode::ietf(299);
    pub(in super::super) const NUMBER: AvpCode = AvpCode::ietf(415);
    pub(in super::super) const KIND: AvpCode = AvpCode::ietf(416);
    pub(in super::super) const SPECIFIC: AvpCode = AvpCode::ietf(417);
    pub(in super::super) const TIME: AvpCode = AvpCode::ietf(420);
    pub(in super::super) const OCTETS: AvpCode = AvpCode::ietf(421);
    pub(in super::super) const INPUT_OCTETS: AvpCode = AvpCode::ietf(412);
    pub(in super::super) const OUTPUT_OCTETS: AvpCode = AvpCode::ietf(414);
    pub(in super::super) const CHECK_BALANCE: AvpCode = AvpCode::ietf(422);
    pub(in super::super) const COST: AvpCode = AvpCode::ietf(423);
    pub(in super::super) const FINAL_UNIT: AvpCode = AvpCode::ietf(430);
    pub(in super::super) const GRANTED: AvpCode = AvpCode::ietf(431);
    pub(in super::super) const RATING_GROUP: AvpCode = AvpCode::ietf(432);
    pub(in super::super) const ACTION: AvpCode = AvpCode::ietf(436);
    pub(in super::super) const REQUESTED: AvpCode = AvpCode::ietf(437);
    pub(in super::super) const SUBSCRIPTION: AvpCode = AvpCode::ietf(443);
    pub(in super::super) const SUBSCRIPTION_DATA: AvpCode = AvpCode::ietf(444);
    pub(in super::super) const VALUE: AvpCode = AvpCode::ietf(445);
    pub(in super::super) const USED: AvpCode = AvpCode::ietf(446);
    pub(in super::super) const DIGITS: AvpCode = AvpCode::ietf(447);
    pub(in super::super) const VALIDITY: AvpCode = AvpCode::ietf(448);
    pub(in super::super) const SUBSCRIPTION_TYPE: AvpCode = AvpCode::ietf(450);
    pub(in super::super) const SERVICES: AvpCode = AvpCode::ietf(456);
    pub(in super::super) const CONTEXT: AvpCode = AvpCode::ietf(461);
    pub(in super::super) const SERVICE_INFORMATION: AvpCode = AvpCode::tgpp(873);
    pub(in super::super) const IMS: AvpCode = AvpCode::tgpp(876);
    pub(in super::super) const CALLED: AvpCode = AvpCode::tgpp(832);
}

/// The kinds of requests (RFC 8506 section 8.3).
pub(super) const INITIAL: u32 = 1;
pub(super) const UPDATE: u32 = 2;
pub(super) const TERMINATION: u32 = 3;
pub(super) const EVENT: u32 = 4;

pub(super) const CAPABILITIES: u32 = 257;
pub(super) const CREDIT_CONTROL: u32 = 272;
pub(super) const WATCHDOG: u32 = 280;
pub(super) const DISCONNECT: u32 = 282;

/// A message that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Received {
    pub(super) header: Header,
    octets: Vec<u8>,
}

impl Received {
    fn message(&self) -> Message<'_> {
        let Ok(Frame::Message(message)) = Frame::read(&self.octets, MESSAGE_OCTETS) else {
            panic!("{:?}", self.octets)
        };
        message
    }

    pub(super) fn avps(&self) -> Vec<Avp<'_>> {
        self.message().avps().collect::<Result<_, _>>().expect("AVPs")
    }

    pub(super) fn all(&self, code: AvpCode) -> Vec<Avp<'_>> {
        self.avps().into_iter().filter(|avp| avp.code == code).collect()
    }

    pub(super) fn result(&self) -> u32 {
        self.all(code::RESULT).first().and_then(|avp| avp.u32().ok()).unwrap_or_default()
    }

    pub(super) fn text(&self, code: AvpCode) -> String {
        self.all(code).first().map_or("", |avp| avp.text().unwrap()).to_owned()
    }

    /// Returns the answers for the services.
    pub(super) fn services(&self) -> Vec<ServiceAnswer> {
        self.all(code::SERVICES).iter().map(ServiceAnswer::read).collect()
    }

    /// Returns its octets without the identifiers of its header.
    pub(super) fn body(&self) -> &[u8] {
        &self.octets[20..]
    }
}

/// What a service is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ServiceAnswer {
    pub(super) result: u32,
    pub(super) rating_group: u32,
    /// Octets, or seconds, or events.
    pub(super) granted: Option<u64>,
    pub(super) valid_seconds: Option<u32>,
    /// The action of the Final-Unit-Indication.
    pub(super) last: Option<u32>,
}

impl ServiceAnswer {
    fn read(group: &Avp<'_>) -> Self {
        let mut read = ServiceAnswer::default();
        for avp in group.members().map(Result::unwrap) {
            match avp.code {
                code::RESULT => read.result = avp.u32().unwrap(),
                code::RATING_GROUP => read.rating_group = avp.u32().unwrap(),
                code::VALIDITY => read.valid_seconds = Some(avp.u32().unwrap()),
                code::FINAL_UNIT => read.last = Some(member(&avp).u32().unwrap()),
                code::GRANTED => {
                    let units = member(&avp);
                    read.granted = units.u64().ok().or(units.u32().ok().map(u64::from));
                }
                _ => {}
            }
        }
        read
    }
}

/// Returns the first AVP of a group.
pub(super) fn member<'m>(group: &Avp<'m>) -> Avp<'m> {
    group.members().next().expect("a member").expect("an AVP")
}

/// Returns a message.
pub(super) fn message(
    (command, application, flags): (u32, u32, u8),
    (hop_by_hop, end_to_end): (u32, u32),
    avps: impl FnOnce(&mut Writer<'_>),
) -> Vec<u8> {
    let header =
        Header { version: VERSION, length: 0, flags, command, application, hop_by_hop, end_to_end };
    let mut octets = Vec::new();
    write::message(&mut octets, header, avps);
    octets
}

/// A request of credit control, without its identifiers.
pub(super) struct Ccr<'c> {
    pub(super) session: &'c str,
    pub(super) context: &'c str,
    pub(super) kind: u32,
    pub(super) number: u32,
    /// The number that pays; empty for none.
    pub(super) subscriber: &'c str,
}

impl Default for Ccr<'_> {
    fn default() -> Self {
        Ccr { session: "a", context: PACKETS, kind: INITIAL, number: 0, subscriber: NUMBER }
    }
}

/// A connection of a client.
pub(super) struct Client {
    stream: TcpStream,
    pub(super) host: String,
    input: Vec<u8>,
    next: u32,
}

impl Client {
    /// Connects, and sends nothing.
    pub(super) fn silent(address: SocketAddr, host: &str) -> Self {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(WITHIN)).unwrap();
        stream.set_write_timeout(Some(WITHIN)).unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream, host: host.to_owned(), input: Vec::new(), next: 1 }
    }

    /// Connects, and exchanges capabilities, which are accepted.
    pub(super) fn connect(address: SocketAddr, host: &str) -> Self {
        let mut client = Client::silent(address, host);
        let answer = client.exchange_capabilities();
        assert_eq!(answer.result(), 2001, "{}", answer.text(code::ERROR_MESSAGE));
        client
    }

    pub(super) fn exchange_capabilities(&mut self) -> Received {
        let capabilities = self.capabilities();
        self.send(&capabilities);
        self.receive().expect("an answer")
    }

    /// Returns the capabilities of the client.
    pub(super) fn capabilities(&self) -> Vec<u8> {
        Self::capabilities_of(&self.host)
    }

    pub(super) fn capabilities_of(host: &str) -> Vec<u8> {
        message((CAPABILITIES, 0, flags::REQUEST), (1, 1), |to| capabilities(to, host))
    }

    pub(super) fn identifiers(&mut self) -> (u32, u32) {
        self.next += 1;
        (self.next, 0x1000_0000 + self.next)
    }

    /// Returns a request of credit control. `avps` writes what it asks.
    pub(super) fn ccr(&mut self, ccr: &Ccr<'_>, avps: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
        let host = self.host.clone();
        let of = (CREDIT_CONTROL, 4, flags::REQUEST | flags::PROXIABLE);
        message(of, self.identifiers(), |to| {
            to.text(code::SESSION, &format!("{host};{}", ccr.session));
            origin(to, &host);
            to.text(code::DESTINATION_REALM, REALM);
            to.u32(code::AUTH_APPLICATION, 4);
            to.text(code::CONTEXT, ccr.context);
            to.u32(code::KIND, ccr.kind);
            to.u32(code::NUMBER, ccr.number);
            if !ccr.subscriber.is_empty() {
                to.group(code::SUBSCRIPTION, |to| {
                    to.i32(code::SUBSCRIPTION_TYPE, 0);
                    to.text(code::SUBSCRIPTION_DATA, ccr.subscriber);
                });
            }
            avps(to);
        })
    }

    /// Sends a request of credit control, and returns its answer.
    pub(super) fn ask(&mut self, ccr: &Ccr<'_>, avps: impl FnOnce(&mut Writer<'_>)) -> Received {
        let octets = self.ccr(ccr, avps);
        self.ask_again(&octets)
    }

    /// Sends a message, and returns its answer.
    pub(super) fn ask_again(&mut self, octets: &[u8]) -> Received {
        self.send(octets);
        let answer = self.receive().expect("an answer");
        let header = Header::read(octets.first_chunk().expect("a header"));
        let ids = |of: &Header| (of.hop_by_hop, of.end_to_end, of.command, of.is_request());
        assert_eq!(ids(&answer.header), ids(&Header { flags: 0, ..header }), "{answer:?}");
        answer
    }

    /// Answers a request about a session with a result.
    pub(super) fn answer(&mut self, request: &Received, result: u32) {
        let Header { command, application, hop_by_hop, end_to_end, .. } = request.header;
        let (session, host) = (request.text(code::SESSION), self.host.clone());
        let of = (command, application, flags::PROXIABLE);
        self.send(&message(of, (hop_by_hop, end_to_end), |to| {
            to.text(code::SESSION, &session);
            to.u32(code::RESULT, result);
            origin(to, &host);
        }));
    }

    /// Returns whether nothing comes for as long as is waited.
    pub(super) fn is_silent(&mut self) -> bool {
        let read = self.stream.read(&mut [0; 1]);
        self.input.is_empty() && read.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    pub(super) fn send(&mut self, octets: &[u8]) {
        self.stream.write_all(octets).expect("the connection is open");
    }

    pub(super) fn try_send(&mut self, octets: &[u8]) -> io::Result<()> {
        self.stream.write_all(octets)
    }

    /// Returns the next message. `None` at the end of the connection.
    pub(super) fn receive(&mut self) -> Option<Received> {
        loop {
            if let Ok(Frame::Message(message)) = Frame::read(&self.input, MESSAGE_OCTETS) {
                let (header, octets) = (message.header, message.octets.to_vec());
                self.input.drain(..octets.len());
                return Some(Received { header, octets });
            }
            let mut read = [0; 64 << 10];
            match self.stream.read(&mut read) {
                Ok(0) => return None,
                Ok(count) => self.input.extend_from_slice(&read[..count]),
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("no answer: {error}"),
            }
        }
    }

    /// Returns whether the connection ends, whatever comes before.
    pub(super) fn ends(&mut self) -> bool {
        let mut read = [0; 64 << 10];
        loop {
            match self.stream.read(&mut read) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => return error.kind() == io::ErrorKind::ConnectionReset,
            }
        }
    }

    /// Lets reads fail after a time.
    pub(super) fn wait_at_most(&self, within: Duration) {
        self.stream.set_read_timeout(Some(within)).unwrap();
    }
}

/// Writes the capabilities of a client.
pub(super) fn capabilities(to: &mut Writer<'_>, host: &str) {
    origin(to, host);
    to.address(code::HOST_ADDRESS, [127, 0, 0, 1].into());
    to.u32(code::VENDOR, 0);
    to.avp(code::PRODUCT, 0, |to| to.extend(b"test"));
    to.u32(code::AUTH_APPLICATION, 4);
}

/// Writes who sends a message.
pub(super) fn origin(to: &mut Writer<'_>, host: &str) {
    to.text(code::ORIGIN_HOST, host);
    to.text(code::ORIGIN_REALM, REALM);
}

/// Writes a service with what is wanted and used, in octets.
pub(super) fn packets(
    to: &mut Writer<'_>,
    rating_group: u32,
    (wanted, used): (Option<u64>, Option<u64>),
) {
    to.group(code::SERVICES, |to| {
        to.u32(code::RATING_GROUP, rating_group);
        if let Some(wanted) = wanted {
            to.group(code::REQUESTED, |to| to.u64(code::OCTETS, wanted));
        }
        if let Some(used) = used {
            to.group(code::USED, |to| to.u64(code::OCTETS, used));
        }
    });
}
