//! Peers: how they connect, stay and go, and which of them may.

use std::net::SocketAddr;
use std::time::Duration;

use diameter::avp::AvpCode;
use diameter::header::flags;

use super::client::{
    CAPABILITIES, Ccr, Client, DISCONNECT, NUMBER, TERMINATION, UPDATE, WATCHDOG, capabilities,
    code, message, origin, packets,
};
use super::{TABLES, amount, charging, connected};
use crate::charging::Charging;
use crate::common::wait::wait_for;

/// A peer that may connect, and no other.
const SMF: &str = "[diameter.peers.\"smf.example.net\"]\n";

fn of_base(client: &mut Client, command: u32) -> Vec<u8> {
    let (ids, host) = (client.identifiers(), client.host.clone());
    message((command, 0, flags::REQUEST), ids, |to| {
        origin(to, &host);
        if command == DISCONNECT {
            to.i32(code::CAUSE, 1);
        }
    })
}

#[test]
fn a_peer_that_is_not_known_is_refused_until_it_is_let_in() {
    let (charging, address) = charging(SMF);
    let mut stranger = Client::silent(address, "PGW.example.net");
    let answer = stranger.exchange_capabilities();
    assert_eq!((answer.result(), answer.header.flags & flags::ERROR), (3010, flags::ERROR));
    assert!(stranger.ends());
    Client::silent(address, "pgw.example.net").exchange_capabilities();
    let list = charging.json("charge peers list");
    let refused = &list["refused"][0];
    assert_eq!((&refused["attempts"], &refused["unknown"]), (&2.into(), &true.into()), "{list}");
    assert_eq!(refused["product"], "test");
    let shown = charging.run("charge peers list");
    assert!(shown.contains("\"pgw.example.net\" is no peer of this node"), "{shown}");
    let refused = |line: &str| {
        let output = charging.command(line).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let wrong = refused("charge peers allow pgw.example.net --profile open6gs --because new");
    assert!(wrong.contains("there is no profile \"open6gs\""), "{wrong}");
    charging.run("charge peers allow pgw.example.net --profile open5gs --because new");
    let may_connect = || {
        let answer = Client::silent(address, "pgw.example.net").exchange_capabilities();
        answer.result() == 2001
    };
    wait_for("the definition", may_connect);
    assert_eq!(charging.json("charge peers list")["refused"], serde_json::json!([]));
    let trail = charging.run("account trail");
    assert!(trail.contains("the peer pgw.example.net with the profile open5gs"), "{trail}");
    // It has its table already.
    let again = refused("charge peers allow pgw.example.net --because twice");
    assert!(again.contains("it has a table in [diameter.peers] already"), "{again}");
    assert!(charging.run("charge check").contains("peers: smf.example.net, pgw.example.net"));
}

/// Changes the definition of a system that runs, which notices it within a second or two.
pub(super) fn change(charging: &Charging, from: &str, to: &str) {
    let path = charging.folder().join("charging.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    std::fs::write(&path, text.replace(from, to)).unwrap();
}

/// Waits until a client is disconnected for good, which it is when it sends a message.
pub(super) fn assert_is_let_out(client: &mut Client) {
    let mut cause = None;
    wait_for("the disconnect", || {
        let dwr = of_base(client, WATCHDOG);
        client.send(&dwr);
        let came = client.receive().expect("a message");
        cause = came.all(code::CAUSE).first().map(|cause| cause.u32().unwrap());
        came.header.command == DISCONNECT
    });
    assert_eq!(cause, Some(2));
    assert!(client.ends());
}

#[test]
fn a_peer_that_is_connected_is_treated_as_its_table_says_now() {
    let (charging, mut client) = connected(&format!("{SMF}requested-amounts = \"honoured\"\n"));
    let mut sessions = 0..;
    let mut granted = || {
        let session = &format!("session {}", sessions.next().unwrap());
        let begin = Ccr { session, ..Ccr::default() };
        let answer = client.ask(&begin, |to| packets(to, 1, (Some(1_000), None)));
        client.ask(&Ccr { session, kind: TERMINATION, number: 1, ..Ccr::default() }, |_| {});
        answer.services()[0].granted
    };
    assert_eq!(granted(), Some(1_000));
    change(&charging, "\"honoured\"", "\"ignored\"");
    wait_for("the usual amount", || granted() > Some(1_000));
}

#[test]
fn a_peer_that_is_let_out_is_disconnected() {
    let (charging, address) = charging(&format!("{SMF}[diameter.peers.\"pgw.example.net\"]\n"));
    let mut client = Client::connect(address, "pgw.example.net");
    change(&charging, "pgw.example.net", "other.example.net");
    assert_is_let_out(&mut client);
    assert_eq!(Client::silent(address, "pgw.example.net").exchange_capabilities().result(), 3010);
}

#[test]
fn the_first_peer_is_not_let_in_by_a_command_since_it_would_shut_out_the_others() {
    let (charging, _address) = charging("");
    let refused =
        charging.command("charge peers allow a.example.net --because new").output().unwrap();
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(why.contains("all peers of this machine may connect"), "{why}");
}

#[test]
fn people_see_peers_with_what_they_were_answered() {
    let (charging, address) = charging("");
    let mut client = Client::connect(address, "smf.example.net");
    client.ask(&Ccr::default(), |to| packets(to, 1, (Some(1_000), None)));
    let unknown = Ccr { session: "b", subscriber: "46709999999", ..Ccr::default() };
    client.ask(&unknown, |to| packets(to, 1, (Some(1_000), None)));
    // An answer to nothing.
    let ids = client.identifiers();
    client.send(&message((272, 4, 0), ids, |to| to.u32(code::RESULT, 2001)));
    let peer = || charging.json("charge peers list")["peers"][0].clone();
    wait_for("the answer", || peer()["discarded"] == 1);
    let peer = peer();
    assert_eq!((&peer["host"], &peer["product"]), (&"smf.example.net".into(), &"test".into()));
    assert_eq!(
        (&peer["requests"], &peer["connections"][0]["transport"]),
        (&2.into(), &"tcp".into())
    );
    let results = serde_json::json!([{"code": 2001, "count": 1}, {"code": 5030, "count": 1}]);
    assert_eq!(peer["results"], results);
    drop(client);
    wait_for("the end", || {
        charging.run("charge peers list").contains("gone: the peer closed the connection")
    });
}

#[test]
fn a_peer_that_connects_twice_is_refused_unless_its_connection_is_dead() {
    let (charging, mut client) = connected("");
    let address = charging.diameter_address();
    let second = std::thread::spawn(move || {
        Client::silent(address, "smf.example.net").exchange_capabilities().result()
    });
    // It proves that it is alive.
    let question = client.receive().expect("a question");
    assert_eq!(question.header.command, WATCHDOG);
    assert_eq!(question.text(code::ORIGIN_HOST), "charging.example.net");
    let (ids, host) =
        ((question.header.hop_by_hop, question.header.end_to_end), client.host.clone());
    client.send(&message((WATCHDOG, 0, 0), ids, |to| {
        to.u32(code::RESULT, 2001);
        origin(to, &host);
    }));
    assert_eq!(second.join().unwrap(), 3010);
    let peer = charging.json("charge peers list")["peers"][0].clone();
    assert!(peer["connections"][0]["round_trip_us"].is_u64(), "{peer}");
    // It says nothing any more: another one takes its place.
    let mut next = Client::connect(address, "smf.example.net");
    assert!(client.ends());
    assert_eq!(next.ask(&Ccr::default(), |to| packets(to, 1, (Some(1), None))).result(), 2001);
    let list = charging.json("charge peers list");
    assert_eq!(list["peers"][0]["connections"].as_array().unwrap().len(), 1, "{list}");
}

#[test]
fn a_peer_may_have_several_connections() {
    let (_charging, address) = charging(&format!("{SMF}connections = 3\n"));
    let mut all: Vec<Client> =
        (0..3).map(|_| Client::connect(address, "smf.example.net")).collect();
    for (place, client) in all.iter_mut().enumerate() {
        let session = format!("session {place}");
        let ccr = Ccr { session: &session, ..Ccr::default() };
        assert_eq!(client.ask(&ccr, |to| packets(to, 1, (Some(1), None))).result(), 2001);
    }
}

#[test]
fn a_question_of_the_watchdog_is_answered() {
    let (_charging, mut client) = connected("");
    let dwr = of_base(&mut client, WATCHDOG);
    let answer = client.ask_again(&dwr);
    assert_eq!(
        (answer.result(), answer.text(code::ORIGIN_HOST)),
        (2001, "charging.example.net".into())
    );
}

/// Starts a charging system with the shortest interval of the watchdog.
fn watchful() -> (Charging, SocketAddr) {
    super::charging_of(&TABLES.replace("realm =", "watchdog = \"6 seconds\"\nrealm ="))
}

#[test]
fn a_peer_that_sends_something_gets_no_question_of_the_watchdog() {
    let (_charging, address) = watchful();
    let mut client = Client::connect(address, "smf.example.net");
    // Longer than an interval with its random part.
    for _ in 0..10 {
        std::thread::sleep(Duration::from_secs(1));
        let dwr = of_base(&mut client, WATCHDOG);
        assert!(!client.ask_again(&dwr).header.is_request());
    }
}

#[test]
fn a_peer_that_does_not_answer_the_watchdog_is_given_up() {
    let (charging, address) = watchful();
    let mut silent = Client::connect(address, "smf.example.net");
    silent.wait_at_most(Duration::from_secs(40));
    assert_eq!(silent.receive().expect("a question").header.command, WATCHDOG);
    wait_for("the suspicion", || {
        charging.json("charge peers list")["peers"][0]["connections"][0]["suspect"] == true
    });
    assert!(silent.ends());
    charging.expect_logged("does not answer the watchdog");
}

#[test]
fn a_peer_disconnects_after_its_answers() {
    let (charging, mut client) = connected("");
    let mut octets = client.ccr(&Ccr::default(), |to| packets(to, 1, (Some(1), None)));
    octets.extend(of_base(&mut client, DISCONNECT));
    // Behind the end, nothing is done.
    let late = Ccr { kind: UPDATE, number: 1, ..Ccr::default() };
    octets.extend(client.ccr(&late, |to| packets(to, 1, (None, Some(100_000_000)))));
    client.send(&octets);
    assert_eq!(client.receive().expect("an answer").services()[0].result, 2001);
    let end = client.receive().expect("an answer");
    assert_eq!((end.header.command, end.result()), (DISCONNECT, 2001));
    assert!(client.ends());
    wait_for("the end", || charging.run("charge peers list").contains("disconnected: busy"));
    assert_eq!(amount(&charging, NUMBER), "200.00");
}

#[test]
fn a_charging_system_that_stops_disconnects_its_peers() {
    let (mut charging, mut client) = connected("");
    let stopping = std::thread::spawn(move || {
        charging.stop();
        charging
    });
    let dpr = client.receive().expect("a request");
    assert_eq!((dpr.header.command, dpr.header.is_request()), (DISCONNECT, true));
    assert_eq!(dpr.all(code::CAUSE)[0].u32(), Ok(0), "it may come back");
    let (ids, host) = ((dpr.header.hop_by_hop, dpr.header.end_to_end), client.host.clone());
    client.send(&message((DISCONNECT, 0, 0), ids, |to| {
        to.u32(code::RESULT, 2001);
        origin(to, &host);
    }));
    assert!(client.ends());
    drop(stopping.join().unwrap());
}

#[test]
fn capabilities_are_exchanged_once_and_have_an_application_in_common() {
    let (_charging, address) = charging("");
    let mut client = Client::connect(address, "smf.example.net");
    let again = client.capabilities();
    let answer = client.ask_again(&again);
    assert_eq!((answer.header.command, answer.result()), (CAPABILITIES, 5012));
    assert!(client.ends());
    let mut other = Client::silent(address, "hss.example.net");
    let ids = other.identifiers();
    let of = |application: u32| {
        message((CAPABILITIES, 0, flags::REQUEST), ids, |to| {
            origin(to, "hss.example.net");
            to.address(code::HOST_ADDRESS, [127, 0, 0, 1].into());
            to.u32(code::VENDOR, 0);
            to.avp(code::PRODUCT, 0, |to| to.extend(b"test"));
            to.u32(code::AUTH_APPLICATION, application);
        })
    };
    let answer = other.ask_again(&of(16_777_251));
    assert_eq!(answer.result(), 5010);
    let own: Vec<u32> =
        answer.all(code::AUTH_APPLICATION).iter().map(|avp| avp.u32().unwrap()).collect();
    assert_eq!(own, [4], "it says what it has");
    assert!(other.ends());
    // A relay has all applications.
    let mut relay = Client::silent(address, "relay.example.net");
    assert_eq!(relay.ask_again(&of(u32::MAX)).result(), 2001);
}

#[test]
fn a_peer_may_offer_more_applications_and_what_is_not_known() {
    let (_charging, address) = charging("");
    let mut client = Client::silent(address, "pgw.example.net");
    let octets = message((CAPABILITIES, 0, flags::REQUEST), (1, 1), |to| {
        // Gx, S6a, credit control and Rf.
        for application in [16_777_238, 16_777_251] {
            to.u32(code::AUTH_APPLICATION, application);
        }
        capabilities(to, &client.host);
        to.u32(code::ACCOUNTING_APPLICATION, 3);
        to.group(code::VENDOR_APPLICATION, |to| {
            to.u32(code::VENDOR, 10_415);
            to.u32(code::AUTH_APPLICATION, 16_777_236);
        });
        for unknown in [AvpCode::ietf(16_777_000), AvpCode { vendor: 64_999, code: 258 }] {
            to.avp(unknown, 0, |to| to.extend(b"of no matter"));
        }
    });
    let answer = client.ask_again(&octets);
    assert_eq!(answer.result(), 2001, "{}", answer.text(code::ERROR_MESSAGE));
    let own: Vec<u32> =
        answer.all(code::AUTH_APPLICATION).iter().map(|avp| avp.u32().unwrap()).collect();
    assert_eq!(own, [4], "it says what it has");
    assert_eq!(client.ask(&Ccr::default(), |to| packets(to, 1, (Some(1), None))).result(), 2001);
}
