//! Faults that others have had: each is met here as a client meets it.

use diameter::avp::AvpCode;
use diameter::header::flags;
use diameter::write::Writer;

use super::client::{
    CALLS, Ccr, Client, INITIAL, NUMBER, PACKETS, REALM, TERMINATION, UPDATE, code, message,
    origin, packets,
};
use super::{amount, charging, connected};

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
