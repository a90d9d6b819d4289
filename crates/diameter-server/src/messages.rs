//! The last messages of all connections, for people: those of a number, a session or a peer.

use std::collections::HashSet;
use std::net::SocketAddr;

use credit_control::codes::{APPLICATION, COMMAND};
use credit_control::parties::telephone_number;
use credit_control::request::Request;
use diameter::codes::{RESULT_CODE, SESSION_ID};
use diameter::decoded::{DecodedAvp, decode};
use diameter::dictionary::Dictionary;
use diameter::frame::{Frame, MESSAGE_OCTETS, Message};
use ledger::SessionKey;
use prepaid::{MessageAvp, MessageFilter, PeerMessage};
use runtime::time;

use crate::keys;
use crate::message_log::{LoggedMessage, messages};
use crate::summary::summary;

/// What was logged of a connection.
pub(crate) struct ConnectionLog {
    pub(crate) host: String,
    pub(crate) address: SocketAddr,
    pub(crate) octets: Vec<u8>,
}

/// A message with its connection.
pub(crate) struct Found<'l> {
    pub(crate) connection: &'l ConnectionLog,
    pub(crate) logged: LoggedMessage<'l>,
    pub(crate) message: Message<'l>,
}

/// A message and its peer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageOf<'m> {
    /// The name of the peer's node.
    pub(crate) host: &'m str,
    /// The address of the peer.
    pub(crate) address: SocketAddr,
    pub(crate) logged: LoggedMessage<'m>,
    pub(crate) message: Message<'m>,
}

impl<'l> Found<'l> {
    /// Returns the message and its peer.
    pub(crate) fn of(&self) -> MessageOf<'l> {
        let Found { connection, logged, message } = *self;
        MessageOf { host: &connection.host, address: connection.address, logged, message }
    }
}

/// Returns the messages of the logs of a filter's peer that it takes, in the order of time.
pub(crate) fn find<'l>(logs: &'l [ConnectionLog], filter: &MessageFilter) -> Vec<Found<'l>> {
    let all = logs.iter().flat_map(|connection| {
        messages(&connection.octets).filter_map(move |logged| {
            let Ok(Frame::Message(message)) = Frame::read(logged.octets, MESSAGE_OCTETS) else {
                return None;
            };
            Some(Found { connection, logged, message })
        })
    });
    let mut all: Vec<Found<'_>> = all.collect();
    if filter.number.is_some() || filter.session.is_some() {
        // Answers do not say whose they are: the session says it.
        let sessions: HashSet<String> =
            all.iter().filter_map(|found| session_of(&found.message, filter)).collect();
        all.retain(|found| session(&found.message).is_some_and(|of| sessions.contains(of)));
    }
    all.sort_by_key(|found| found.logged.at);
    let first = all.len().saturating_sub(filter.limit);
    all.split_off(first)
}

/// Returns the session of a message.
pub(crate) fn session<'m>(message: &Message<'m>) -> Option<&'m str> {
    message.find(SESSION_ID)?.text().ok()
}

/// Returns the session of a message, if the filter takes it by this message.
pub(crate) fn session_of(message: &Message<'_>, filter: &MessageFilter) -> Option<String> {
    let name = session(message)?;
    let by_name = filter.session.as_deref() == Some(name);
    let is_request = (message.header.application, message.header.command) == (APPLICATION, COMMAND)
        && message.header.is_request();
    let request = Request::read(message).ok().filter(|_| is_request);
    let by_request = request.is_some_and(|request| {
        let by_key = filter.session.as_deref().and_then(session_key);
        let has_number = |number: &String| {
            let is_same = |name: &str| {
                let digits = telephone_number(name);
                name == number || digits.is_some() && digits == telephone_number(number)
            };
            request.subscriptions().any(|of| is_same(of.name))
        };
        by_key.is_some_and(|key| keys::of_request(message, &request) == key)
            || filter.number.as_ref().is_some_and(has_number)
    });
    (by_name || by_request).then(|| name.to_owned())
}

/// Reads the key of a session in lists of sessions: 32 hexadecimal digits.
fn session_key(text: &str) -> Option<SessionKey> {
    (text.len() == 32).then(|| u128::from_str_radix(text, 16).ok().map(SessionKey)).flatten()
}

/// Returns a message as people see it.
pub(crate) fn shown(found: &Found<'_>, dictionary: &Dictionary) -> PeerMessage {
    let Found { connection, logged, message } = found;
    let result = message.find(RESULT_CODE);
    let avps =
        decode(message.avps(), dictionary, &|seconds| time::shown(seconds.saturating_mul(1_000)));
    PeerMessage {
        at: microsecond(logged.at),
        peer: connection.host.clone(),
        address: connection.address.to_string(),
        sent: logged.is_sent,
        command: command(message, dictionary),
        summary: summary(message),
        session: session(message).map(str::to_owned),
        result: result.and_then(|avp| avp.u32().ok()),
        hop_by_hop: message.header.hop_by_hop,
        octets: message.octets.len() as u64,
        avps: avps.into_iter().map(message_avp).collect(),
    }
}

/// Returns the short name of a command, or its code.
pub(crate) fn command(message: &Message<'_>, dictionary: &Dictionary) -> String {
    let (code, is_request) = (message.header.command, message.header.is_request());
    let known = dictionary.command(code, is_request);
    known.map_or_else(|| code.to_string(), |rule| rule.abbreviation.clone())
}

/// Formats microseconds since 1970: `2026-11-21T14:05:00.123456Z`.
pub(crate) fn microsecond(at: i64) -> String {
    let second = time::shown(at.div_euclid(1_000));
    let second = second.strip_suffix('Z').unwrap_or(&second);
    format!("{second}.{:06}Z", at.rem_euclid(1_000_000))
}

fn message_avp(DecodedAvp { name, code, vendor, value, members, .. }: DecodedAvp) -> MessageAvp {
    let members = members.into_iter().map(message_avp).collect();
    MessageAvp { name, code, vendor, value, members }
}
