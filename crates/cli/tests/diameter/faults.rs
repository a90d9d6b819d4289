//! Faults that others have had: each is met here as a client meets it.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::thread;

use diameter::avp::AvpCode;
use diameter::header::flags;
use diameter::write::Writer;

use super::client::{
    CALLS, CREDIT_CONTROL, Ccr, Client, DISCONNECT, EVENT, INITIAL, NUMBER, PACKETS, REALM,
    TERMINATION, UPDATE, WATCHDOG, code, message, origin, packets,
};
use super::{amount, charging, connected};
use crate::common::wait::wait_for;

#[test]
fn what_the_first_request_says_of_a_call_is_known_until_its_end() {
    let (charging, mut client) = connected("");
    let call =
        |kind, number| Ccr { session: "call", context: CALLS, kind, number, ..Ccr::default() };
    let seconds = |to: &mut Writer<'_>, wanted: Option<u32>, used: Option<u32>| {
        to.group(code::SERVICES, |to| {
            let mut units = |code, of: u32| to.group(code, |to| to.u32(code::TIME, of));
            wanted.into_iter().for_each(|of| units(code::REQUESTED, of));
            used.into_iter().for_each(|of| units(code::USED, of));
        });
    };
    client.ask(&call(INITIAL, 0), |to| {
        seconds(to, Some(60), None);
        to.group(code::SERVICE_INFORMATION, |to| {
            to.group(code::IMS, |to| to.text(code::CALLED, "tel:+46812345678"));
        });
    });
    // Later ones do not name the number that is called (siphon-sip PR#195).
    let next = client.ask(&call(UPDATE, 1), |to| seconds(to, Some(60), Some(60)));
    assert_eq!(next.services()[0].granted, Some(60));
    client.ask(&call(TERMINATION, 2), |to| seconds(to, None, Some(30)));
    assert_eq!(amount(&charging, NUMBER), "199.10");
}

#[test]
fn amounts_that_are_too_small_to_be_of_use_may_be_passed_over() {
    let granted = |more: &str| {
        let (_charging, mut client) = connected(more);
        let answer = client.ask(&Ccr::default(), |to| packets(to, 1, (Some(1), None)));
        answer.services()[0].granted.expect("a grant")
    };
    assert_eq!(granted(""), 1);
    let usual = granted("[diameter.peers.\"smf.example.net\"]\nrequested-amounts = \"ignored\"\n");
    assert!(usual >= 1_000_000, "{usual}");
}

#[test]
fn requests_of_sessions_that_are_not_known_leave_none() {
    let (charging, mut client) = connected("");
    for kind in [UPDATE, TERMINATION] {
        let request = Ccr { kind, number: 1, ..Ccr::default() };
        let answer = client.ask(&request, |to| packets(to, 1, (Some(1), Some(1_000_000))));
        assert_eq!(answer.result(), 5002);
    }
    charging.expect_logged("reports usage of the unknown session");
    assert_eq!(charging.json("charge show")["open_sessions"], 0);
}

#[test]
fn a_request_of_another_application_is_none_of_credit_control() {
    let (_charging, mut client) = connected("");
    let (ids, host) = (client.identifiers(), client.host.clone());
    // A request of Gx has the same command.
    let octets = message((272, 16_777_238, flags::REQUEST | flags::PROXIABLE), ids, |to| {
        to.text(code::SESSION, "gx;1");
        origin(to, &host);
        to.text(code::DESTINATION_REALM, REALM);
        to.u32(code::AUTH_APPLICATION, 16_777_238);
        to.u32(code::KIND, INITIAL);
        to.u32(code::NUMBER, 0);
    });
    let answer = client.ask_again(&octets);
    assert_eq!((answer.result(), answer.header.flags & flags::ERROR), (3007, flags::ERROR));
}

#[test]
fn an_avp_of_a_vendor_is_not_the_one_of_the_standard_with_its_code() {
    let (charging, mut client) = connected("");
    let answer = client.ask(&Ccr::default(), |to| {
        for code in [code::KIND, code::SUBSCRIPTION, code::SERVICES] {
            to.avp(AvpCode { vendor: 64_999, ..code }, 0, |to| to.extend([0, 0, 0, 3]));
        }
        packets(to, 1, (Some(1_000_000), None));
    });
    assert_eq!((answer.result(), answer.services().len()), (2001, 1));
    assert_eq!(charging.json("charge show")["open_sessions"], 1);
}

#[test]
fn the_name_of_a_session_may_have_any_form() {
    let (charging, address) = charging("");
    let mut client = Client::connect(address, "smf.example.net");
    for (place, session) in ["1", "no semicolon", "smf.example.net;0;0;ö"].iter().enumerate() {
        let (ids, host) = (client.identifiers(), client.host.clone());
        let octets = message((272, 4, flags::REQUEST | flags::PROXIABLE), ids, |to| {
            to.text(code::SESSION, session);
            origin(to, &host);
            to.text(code::DESTINATION_REALM, REALM);
            to.u32(code::AUTH_APPLICATION, 4);
            to.text(code::CONTEXT, PACKETS);
            to.u32(code::KIND, INITIAL);
            to.u32(code::NUMBER, 1);
            to.group(code::SUBSCRIPTION, |to| {
                to.i32(code::SUBSCRIPTION_TYPE, 0);
                to.text(code::SUBSCRIPTION_DATA, NUMBER);
            });
            packets(to, 1, (Some(1_000_000), None));
        });
        let answer = client.ask_again(&octets);
        assert_eq!((answer.result(), answer.text(code::SESSION)), (2001, (*session).to_owned()));
        assert_eq!(charging.json("charge show")["open_sessions"], place + 1);
    }
}

#[test]
fn an_answer_to_no_question_is_counted_and_the_connection_goes_on() {
    let (charging, mut client) = connected("");
    let host = client.host.clone();
    // Also one of Re-Auth-Request.
    let answers = [(CREDIT_CONTROL, 4), (WATCHDOG, 0), (DISCONNECT, 0), (258, 4)];
    for (command, application) in answers {
        let octets = message((command, application, 0), client.identifiers(), |to| {
            to.text(code::SESSION, "none;1");
            to.u32(code::RESULT, 2001);
            origin(to, &host);
        });
        client.send(&octets);
        let session = format!("behind {command}");
        let next = Ccr { session: &session, ..Ccr::default() };
        assert_eq!(client.ask(&next, |to| packets(to, 1, (Some(1), None))).result(), 2001);
    }
    let peer = charging.json("charge peers list")["peers"][0].take();
    assert_eq!(peer["discarded"], answers.len(), "{peer}");
    let metrics = charging.metrics();
    let line = "tollgate_charging_peer_discarded_total{peer=\"smf.example.net\"} 4";
    assert!(metrics.lines().any(|of| of == line), "{metrics}");
}

/// The requests of a client in the next test.
const MIXED: usize = 300;

/// Numbers that look like any, the same in each run.
struct Mix(u64);

impl Mix {
    /// Returns a number below a limit.
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Returns a request that is good, is refused, or has an AVP that is wrong.
fn any_request(client: &mut Client, mix: &mut Mix) -> Vec<u8> {
    let session = format!("mixed {}", mix.below(20));
    let kind = [INITIAL, UPDATE, TERMINATION, EVENT, 9][mix.below(5)];
    let subscriber = [NUMBER, "46701000002", "46709999999", ""][mix.below(4)];
    let context = [PACKETS, CALLS, "none@example.net"][mix.below(3)];
    let number = mix.below(6) as u32;
    let ccr = Ccr { session: &session, context, kind, number, subscriber };
    let units = [None, Some(0), Some(1_000_000), Some(u64::MAX)];
    let (wanted, used) = (units[mix.below(4)], units[mix.below(4)]);
    let fault = mix.below(12);
    client.ccr(&ccr, |to| {
        packets(to, 1, (wanted, used));
        match fault {
            0 => to.avp(AvpCode::ietf(16_777_000), 0x40, |to| to.extend(b"unknown")),
            1 => to.avp(code::ACTION, 0x40, |to| to.extend([0; 3])),
            2 => to.u32(code::NUMBER, 7),
            3 => to.group(code::SERVICES, |to| to.u32(code::OCTETS, 1)),
            4 => to.avp(code::SUBSCRIPTION, 0x40, |to| to.extend([0, 0, 1, 194, 0x40, 0, 255])),
            5 => to.i32(code::ACTION, 99),
            _ => {}
        }
    })
}

/// Returns how often a client gets an answer to each of its requests, less how often it has sent it.
fn answers_less_requests(address: SocketAddr, place: u64) -> BTreeMap<(u32, u32), i32> {
    let mut client = Client::connect(address, &format!("smf-{place}.example.net"));
    let mut mix = Mix(place);
    let (mut octets, mut requests) = (Vec::new(), Vec::<Vec<u8>>::new());
    for _ in 0..MIXED {
        let request = match requests.len() {
            before @ 1.. if mix.below(5) == 0 => requests[mix.below(before)].clone(),
            _ => any_request(&mut client, &mut mix),
        };
        octets.extend(&request);
        requests.push(request);
    }
    client.send(&octets);
    let ids = |octets: &[u8]| {
        let of = |at: usize| u32::from_be_bytes(octets[at..at + 4].try_into().unwrap());
        (of(12), of(16))
    };
    let mut counts = BTreeMap::new();
    for request in &requests {
        *counts.entry(ids(request)).or_default() -= 1;
    }
    for _ in 0..MIXED {
        let answer = client.receive().expect("an answer");
        assert!(!answer.header.is_request() && answer.result() != 0, "{answer:?}");
        *counts.entry((answer.header.hop_by_hop, answer.header.end_to_end)).or_default() += 1;
    }
    // Behind the answers, there is only that to the end.
    let (end, host) = (client.identifiers(), client.host.clone());
    let octets = message((DISCONNECT, 0, flags::REQUEST), end, |to| {
        origin(to, &host);
        to.i32(code::CAUSE, 1);
    });
    assert_eq!(client.ask_again(&octets).result(), 2001);
    assert!(client.receive().is_none());
    counts
}

#[test]
fn each_request_gets_one_answer_whatever_comes_of_it() {
    let (charging, address) = charging("");
    let clients: Vec<_> =
        (1..=4).map(|place| thread::spawn(move || answers_less_requests(address, place))).collect();
    for client in clients {
        let counts = client.join().expect("a client");
        let wrong: Vec<_> = counts.iter().filter(|(_, count)| **count != 0).collect();
        assert!(counts.len() > MIXED / 2 && wrong.is_empty(), "{wrong:?}");
    }
    // Good ones, refused ones, and those with AVPs that are wrong are among them.
    wait_for("the counts", || {
        let peers = charging.json("charge peers list")["peers"].take();
        let results =
            peers.as_array().unwrap().iter().flat_map(|of| of["results"].as_array().unwrap());
        let codes: Vec<_> = results.filter_map(|of| of["code"].as_u64()).collect();
        [2001, 5001, 5002, 5004, 5005, 5009, 5014, 5030].iter().all(|code| codes.contains(code))
    });
}
