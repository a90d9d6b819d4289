//! How sessions end, besides by their clients: with a refusal, and when clients lose them.

use diameter::avp::AvpCode;
use diameter::header::flags;
use diameter::write::Writer;

use super::client::{
    Ccr, Client, INITIAL, NUMBER, Received, TERMINATION, UPDATE, WATCHDOG, code, member, message,
    origin, packets,
};
use super::{amount, charging, connected, reserved};
use crate::common::wait::wait_for;

/// A peer with a key of its table.
fn smf(key: &str) -> String {
    format!("[diameter.peers.\"smf.example.net\"]\n{key}\n")
}

fn open_sessions(charging: &crate::charging::Charging) -> u64 {
    charging.json("charge show")["open_sessions"].as_u64().expect("a count")
}

#[test]
fn an_update_that_is_refused_as_a_whole_pays_and_ends_its_session() {
    let (charging, mut client) = connected("");
    let poor = |kind, number| Ccr { kind, number, subscriber: "46701000020", ..Ccr::default() };
    // Without groups: the message has the refusal.
    let octets = |to: &mut Writer<'_>, wanted: bool, used: u64| {
        if wanted {
            to.group(code::REQUESTED, |to| to.u64(code::OCTETS, 10_000_000));
        }
        if used > 0 {
            to.group(code::USED, |to| to.u64(code::OCTETS, used));
        }
    };
    let first = client.ask(&poor(INITIAL, 0), |to| octets(to, true, 0));
    let granted = member(&first.all(code::GRANTED)[0]).u64().unwrap();
    assert_eq!((first.result(), granted / 100_000), (2001, 35), "0.10 for each megabyte");
    let update = client.ccr(&poor(UPDATE, 1), |to| octets(to, true, granted));
    let refused = client.ask_again(&update);
    assert_eq!(refused.result(), 4012);
    assert_eq!((amount(&charging, "46701000020"), open_sessions(&charging)), ("0.00".into(), 0));
    // The same answer, and nothing more is paid.
    assert_eq!(client.ask_again(&update).body(), refused.body());
    let end = client.ask(&poor(TERMINATION, 2), |to| octets(to, false, 0));
    assert_eq!((end.result(), amount(&charging, "46701000020")), (2001, "0.00".into()));
    // A client that goes on all the same gets nothing, and what it reports is paid.
    let late = client.ask(&poor(UPDATE, 3), |to| octets(to, true, 1_000_000));
    assert_eq!((late.result(), amount(&charging, "46701000020")), (5002, "-0.10".into()));
    assert!(charging.is_balanced());
}

#[test]
fn a_service_that_is_refused_in_its_group_does_not_end_its_session() {
    let (charging, mut client) = connected("");
    let poor = |kind, number| Ccr { kind, number, subscriber: "46701000020", ..Ccr::default() };
    client.ask(&poor(INITIAL, 0), |to| packets(to, 1, (Some(10_000_000), None)));
    let refused =
        client.ask(&poor(UPDATE, 1), |to| packets(to, 1, (Some(10_000_000), Some(3_500_000))));
    assert_eq!((refused.result(), refused.services()[0].result), (2001, 4012));
    assert_eq!(open_sessions(&charging), 1);
    charging.run("account refill 46701000020 50 --reference p-1");
    let request = client.receive().expect("a request");
    assert_eq!(request.header.command, 258, "its client may ask again");
    client.answer(&request, 2001);
    let more = client.ask(&poor(UPDATE, 2), |to| packets(to, 1, (Some(1_000_000), None)));
    assert_eq!(more.services()[0].granted, Some(1_000_000));
}

#[test]
fn a_client_that_looks_at_the_message_ends_its_session_with_a_refused_service() {
    let (charging, mut client) = connected(&smf("profile = \"kamailio\""));
    let poor = |kind, number| Ccr { kind, number, subscriber: "46701000020", ..Ccr::default() };
    client.ask(&poor(INITIAL, 0), |to| packets(to, 1, (Some(10_000_000), None)));
    let refused =
        client.ask(&poor(UPDATE, 1), |to| packets(to, 1, (Some(10_000_000), Some(3_500_000))));
    assert_eq!((refused.result(), open_sessions(&charging)), (4012, 0));
    let end = client.ask(&poor(TERMINATION, 2), |to| packets(to, 1, (None, Some(0))));
    assert_eq!((end.result(), amount(&charging, "46701000020")), (2001, "0.00".into()));
}

#[test]
fn later_requests_of_a_session_need_no_number_that_pays() {
    let (mut charging, address) = charging("");
    let mut client = Client::connect(address, "smf.example.net");
    let without = |kind, number| Ccr { kind, number, subscriber: "", ..Ccr::default() };
    client.ask(&Ccr::default(), |to| packets(to, 1, (Some(1_000_000), None)));
    let update = |to: &mut Writer<'_>| packets(to, 1, (Some(1_000_000), Some(1_000_000)));
    let answer = client.ask(&without(UPDATE, 1), update);
    assert_eq!((answer.result(), answer.services()[0].granted), (2001, Some(1_000_000)));
    assert_eq!(amount(&charging, NUMBER), "199.90");
    // Also after a start, which knows the session from the accounts.
    charging.kill();
    charging.start();
    let mut client = Client::connect(charging.diameter_address(), "smf.example.net");
    assert_eq!(client.ask(&without(UPDATE, 2), update).result(), 2001);
    let end = client.ccr(&without(TERMINATION, 3), |to| packets(to, 1, (None, Some(1_000_000))));
    let ended = client.ask_again(&end);
    assert_eq!((ended.result(), amount(&charging, NUMBER)), (2001, "199.70".into()));
    assert_eq!(client.ask_again(&end).body(), ended.body(), "it may come again");
    // A session that is not known names no number.
    let unknown = Ccr { session: "b", ..without(UPDATE, 1) };
    let answer = client.ask(&unknown, update);
    let failed = answer.all(code::FAILED);
    assert_eq!((answer.result(), member(&failed[0]).code), (5005, code::SUBSCRIPTION));
    let event = client.ask(&Ccr { session: "c", ..without(super::client::EVENT, 0) }, update);
    assert_eq!((event.result(), amount(&charging, NUMBER)), (5005, "199.70".into()));
    assert!(charging.is_balanced());
}

/// The Origin-State-Id of a node.
const STATE: AvpCode = AvpCode::ietf(278);

/// Begins a session of a client with a state.
fn begin(client: &mut Client, session: &str, state: Option<u32>) -> Received {
    let answer = client.ask(&Ccr { session, ..Ccr::default() }, |to| {
        state.into_iter().for_each(|state| to.u32(STATE, state));
        packets(to, 1, (Some(1_000_000), None));
    });
    assert_eq!(answer.services()[0].granted, Some(1_000_000));
    assert!(answer.all(STATE).is_empty(), "{answer:?}");
    answer
}

fn question(client: &mut Client, state: u32) -> Received {
    let (ids, host) = (client.identifiers(), client.host.clone());
    let octets = message((WATCHDOG, 0, flags::REQUEST), ids, |to| {
        origin(to, &host);
        to.u32(STATE, state);
    });
    client.ask_again(&octets)
}

#[test]
fn the_sessions_of_a_client_that_has_lost_them_end() {
    let (charging, address) = charging("");
    let mut client = Client::connect(address, "smf.example.net");
    let mut other = Client::connect(address, "pgw.example.net");
    begin(&mut client, "a", Some(7));
    begin(&mut client, "b", Some(7));
    begin(&mut other, "c", Some(7));
    // An old request that comes once more says nothing new.
    begin(&mut client, "d", Some(6));
    assert_eq!((open_sessions(&charging), reserved(&charging, NUMBER)), (4, "0.40".into()));
    begin(&mut client, "e", Some(8));
    let lost = "\"smf.example.net\" has lost its sessions (Origin-State-Id 8): 3 have ended";
    charging.expect_logged(lost);
    assert_eq!(open_sessions(&charging), 2);
    // What was used until then is paid, if it is reported after all.
    let end = Ccr { kind: TERMINATION, number: 1, subscriber: "", ..Ccr::default() };
    assert_eq!(client.ask(&end, |to| packets(to, 1, (None, Some(1_000_000)))).result(), 2001);
    assert_eq!(
        (amount(&charging, NUMBER), reserved(&charging, NUMBER)),
        ("199.90".into(), "0.20".into())
    );
    // The watchdog says it, too. This node's own state never changes: its sessions outlive a start.
    let answer = question(&mut other, 7);
    assert!(answer.result() == 2001 && answer.all(STATE).is_empty(), "{answer:?}");
    assert_eq!(open_sessions(&charging), 2);
    question(&mut other, 8);
    wait_for("the end of what is lost", || open_sessions(&charging) == 1);
}

#[test]
fn a_client_whose_restarts_are_ignored_loses_no_session() {
    let (charging, mut client) = connected(&smf("restarts = \"ignored\""));
    begin(&mut client, "a", Some(7));
    begin(&mut client, "b", Some(8));
    question(&mut client, 9);
    begin(&mut client, "c", None);
    assert_eq!(open_sessions(&charging), 3);
    assert!(!charging.has_logged("has lost its sessions"));
}

fn terminate(client: &mut Client, session: &str) -> Received {
    let (ids, host) = (client.identifiers(), client.host.clone());
    let octets = message((275, 4, flags::REQUEST | flags::PROXIABLE), ids, |to| {
        to.text(code::SESSION, &format!("{host};{session}"));
        origin(to, &host);
        to.text(code::DESTINATION_REALM, super::client::REALM);
        to.u32(code::AUTH_APPLICATION, 4);
        to.i32(AvpCode::ietf(295), 1);
    });
    client.ask_again(&octets)
}

#[test]
fn a_session_termination_request_ends_a_session_if_its_client_may() {
    let (charging, mut client) = connected("");
    begin(&mut client, "a", None);
    let refused = terminate(&mut client, "a");
    assert_eq!((refused.result(), open_sessions(&charging)), (3001, 1));
    let (charging, mut client) = connected(&smf("session-termination = \"ends-session\""));
    begin(&mut client, "a", None);
    assert_eq!(terminate(&mut client, "a").result(), 2001);
    assert_eq!((open_sessions(&charging), reserved(&charging, NUMBER)), (0, "0.00".into()));
    assert_eq!(terminate(&mut client, "a").result(), 2001, "it may come again");
    assert_eq!(terminate(&mut client, "b").result(), 5002);
    // What was used is reported by the client's own request, before or behind.
    let end = Ccr { kind: TERMINATION, number: 1, ..Ccr::default() };
    assert_eq!(client.ask(&end, |to| packets(to, 1, (None, Some(1_000_000)))).result(), 2001);
    assert_eq!(amount(&charging, NUMBER), "199.90");
    begin(&mut client, "c", None);
    let end = Ccr { session: "c", ..end };
    assert_eq!(client.ask(&end, |to| packets(to, 1, (None, Some(1_000_000)))).result(), 2001);
    assert_eq!(terminate(&mut client, "c").result(), 2001, "it is over already");
    assert_eq!(amount(&charging, NUMBER), "199.80");
    assert!(charging.is_balanced());
}

#[test]
fn another_peer_cannot_say_that_a_client_has_lost_its_sessions() {
    let (charging, address) = charging("");
    let mut client = Client::connect(address, "smf.example.net");
    let mut other = Client::connect(address, "pgw.example.net");
    begin(&mut client, "a", Some(7));
    other.host.clone_from(&client.host);
    begin(&mut other, "b", Some(8));
    assert_eq!(open_sessions(&charging), 2);
    assert!(!charging.has_logged("has lost its sessions"));
    // The client itself can.
    begin(&mut client, "c", Some(8));
    charging.expect_logged("has lost its sessions");
}
