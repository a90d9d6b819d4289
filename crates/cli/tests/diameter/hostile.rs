//! What a hostile or broken peer sends: it is answered as the standard says or not at all, and others are served as before.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use diameter::avp::AvpCode;
use diameter::header::flags;
use diameter::write::Writer;

use super::client::{
    CAPABILITIES, Ccr, Client, NUMBER, PACKETS, UPDATE, WATCHDOG, code, message, origin, packets,
};
use super::{amount, charging};

/// The memory that hostile messages may cost, which is that of buffers.
const MEMORY_MAX: u64 = 64 << 20;

/// How soon a fresh peer is answered, whatever others send.
const FRESH_WITHIN: Duration = Duration::from_secs(2);

/// Returns the octets of an AVP whose header may lie.
fn raw(code: u32, flags: u8, length: u32, data: &[u8]) -> Vec<u8> {
    let mut octets = code.to_be_bytes().to_vec();
    octets.push(flags);
    octets.extend(&length.to_be_bytes()[1..]);
    octets.extend(data);
    octets.resize(octets.len().next_multiple_of(4), 0);
    octets
}

/// Returns a request of credit control with some octets behind what each has.
fn ccr_with(more: &[u8]) -> Vec<u8> {
    let mut octets = message((272, 4, 0xc0), (1, 2), |to| {
        to.text(code::SESSION, "evil;1");
        origin(to, "evil.example.net");
        to.text(code::DESTINATION_REALM, "example.net");
        to.u32(code::AUTH_APPLICATION, 4);
        to.text(code::CONTEXT, PACKETS);
        to.u32(code::KIND, 1);
        to.u32(code::NUMBER, 0);
    });
    octets.extend(more);
    with_length(octets)
}

/// Takes flags away from a message.
fn without(flags: u8, mut octets: Vec<u8>) -> Vec<u8> {
    octets[4] &= !flags;
    octets
}

/// Writes the length of a message into its header.
fn with_length(mut octets: Vec<u8>) -> Vec<u8> {
    let length = u32::try_from(octets.len()).unwrap().to_be_bytes();
    octets[1..4].copy_from_slice(&length[1..]);
    octets
}

/// Returns groups within groups, each with the length of what is in it.
fn nested(depth: usize) -> Vec<u8> {
    let length = |level: usize| u32::try_from(8 * (depth - level)).unwrap();
    (0..depth).flat_map(|level| raw(456, 0x40, length(level), &[])).collect()
}

fn assert_fresh_peer_is_answered(address: SocketAddr, what: &str) {
    let begun = Instant::now();
    let mut fresh = Client::connect(address, &format!("fresh-{}.example.net", what.len()));
    let dwr = message((WATCHDOG, 0, flags::REQUEST), (1, 1), |to| origin(to, "fresh.example.net"));
    assert_eq!(fresh.ask_again(&dwr).result(), 2001, "{what}");
    assert!(begun.elapsed() < FRESH_WITHIN, "{what}: {:?}", begun.elapsed());
}

#[test]
fn a_stream_that_is_no_diameter_is_closed_without_an_answer() {
    let (charging, address) = charging("");
    let memory = charging.memory();
    let random: Vec<u8> =
        (0..4_096_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let too_long = [1, 0xff, 0xff, 0xfc];
    let header = |length: u8| [&[1, 0, 0, length][..], &[0; 16]].concat();
    let mut tls = vec![22, 3, 1, 0, 112, 1, 0, 0, 108, 3, 3];
    tls.extend([0; 105]);
    let version = |version| [&[version, 0, 0, 20, 0x80, 0, 1, 1][..], &[0; 12]].concat();
    // The name of a node, longer than a message before the capabilities may be.
    let long_name = Client::capabilities_of(&"a".repeat(1_000_000));
    for octets in [
        b"GET / HTTP/1.1\r\nHost: charging\r\n\r\n".to_vec(),
        tls,
        random,
        header(0),
        header(5),
        header(19),
        header(22),
        [&too_long[..], &[0x80, 0, 1, 1], &[0; 12]].concat(),
        version(0),
        version(2),
        long_name,
        ccr_with(&[]),
        // An answer to nothing.
        without(0x80, ccr_with(&[])),
    ] {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        // It may end before all of it is sent.
        let _ = stream.write_all(&octets);
        let mut answer = Vec::new();
        // Octets that were not read make the end a reset.
        let _ = stream.read_to_end(&mut answer);
        assert_eq!(answer, b"", "{octets:?}");
        assert_fresh_peer_is_answered(address, "no diameter");
        assert!(charging.memory() < memory + MEMORY_MAX);
    }
}

#[test]
fn messages_with_faults_are_answered_with_their_code() {
    let (charging, address) = charging("");
    let grouped = |data: &[u8]| raw(456, 0x40, 8 + u32::try_from(data.len()).unwrap(), data);
    let subscription = grouped(&[]);
    let of_vendor = |length| ccr_with(&raw(873, 0xc0, length, &[0, 0, 40, 175]));
    let session = ccr_with(&[]);
    let first = 20 + 8 + "evil;1".len().next_multiple_of(4);
    let no_session = with_length([&session[..20], &session[first..]].concat());
    let mut short_session = session;
    short_session[20 + 7] -= 4;
    let cases: Vec<(&str, Vec<u8>, u32)> = vec![
        ("an AVP of no octets", ccr_with(&raw(1, 0x40, 0, b"AAAA")), 5014),
        ("an AVP longer than the message", ccr_with(&raw(1, 0x40, 0xffff, b"AAAA")), 5014),
        ("the longest AVP", ccr_with(&raw(1, 0x40, 0xff_ffff, b"")), 5014),
        ("an AVP of a vendor shorter than its header", of_vendor(1), 5014),
        ("an AVP of a vendor shorter than its header", of_vendor(7), 5014),
        ("an AVP of a vendor shorter than its header", of_vendor(8), 5014),
        ("an AVP of a vendor shorter than its header", of_vendor(9), 5014),
        ("an AVP of a vendor shorter than its header", of_vendor(10), 5014),
        ("an AVP of a vendor shorter than its header", of_vendor(11), 5014),
        ("a Session-Id that is longer than its length", short_session, 5014),
        (
            "padding that is not zero",
            ccr_with(&[0, 0, 0, 1, 0x40, 0, 0, 9, 65, 255, 255, 255]),
            5005,
        ),
        ("half a header of an AVP", ccr_with(&[0, 0, 1, 0]), 5014),
        ("a number of 3 octets", ccr_with(&raw(439, 0x40, 11, &[0, 0, 1])), 5014),
        (
            "a number of 8 octets that has 4",
            ccr_with(&grouped(&raw(437, 0x40, 20, &raw(421, 0x40, 12, &[0, 0, 0, 1])))),
            5014,
        ),
        ("an unknown AVP that must be known", ccr_with(&raw(0xff_fff0, 0x40, 9, b"x")), 5001),
        ("a second number", ccr_with(&raw(415, 0x40, 12, &[0, 0, 0, 1])), 5009),
        ("groups within groups", ccr_with(&nested(10_000)), 5004),
        ("many AVPs without data", ccr_with(&raw(1, 0x40, 8, b"").repeat(100_000)), 5009),
        ("a Session-Id twice", ccr_with(&raw(263, 0x40, 16, b"evil;1;1")), 5009),
        ("no Session-Id", no_session, 5005),
        (
            "a group that ends elsewhere",
            ccr_with(&raw(456, 0x40, 16, &raw(437, 0x40, 4_000, &[]))),
            5014,
        ),
        ("many groups", ccr_with(&subscription.repeat(20_000)), 5005),
        ("no text", ccr_with(&raw(444, 0x40, 10, &[0xff, 0xfe])), 5004),
        (
            "the E bit",
            {
                let mut octets = ccr_with(&[]);
                octets[4] |= 0x20;
                octets
            },
            3008,
        ),
        (
            "an unknown command",
            {
                let mut octets = ccr_with(&[]);
                octets[7] ^= 1;
                octets
            },
            3001,
        ),
        (
            "an unknown application",
            {
                let mut octets = ccr_with(&[]);
                octets[11] = 9;
                octets
            },
            3007,
        ),
        (
            "a command of Gx",
            {
                let mut octets = ccr_with(&[]);
                octets[8..12].copy_from_slice(&16_777_238_u32.to_be_bytes());
                octets
            },
            3007,
        ),
        ("no subscriber", ccr_with(&[]), 5005),
    ];
    let memory = charging.memory();
    for (what, octets, result) in cases {
        let mut client = Client::connect(address, "evil.example.net");
        client.send(&octets);
        let answer = client.receive().expect("an answer");
        assert_eq!(answer.result(), result, "{what}: {}", answer.text(code::ERROR_MESSAGE));
        let is_protocol_error = result / 1_000 == 3;
        assert_eq!(answer.header.flags & 0x20 != 0, is_protocol_error, "{what}");
        assert_fresh_peer_is_answered(address, what);
        assert!(charging.memory() < memory + MEMORY_MAX, "{what}");
    }
    assert!(charging.is_balanced());
}

#[test]
fn a_broken_stream_of_a_peer_is_answered_and_ends() {
    let (charging, address) = charging("");
    let dwr = message((WATCHDOG, 0, flags::REQUEST), (7, 8), |to| origin(to, "evil.example.net"));
    let with = |place: usize, value: u8| {
        let mut octets = dwr.clone();
        octets[place] = value;
        octets
    };
    let part_of_a_code = ccr_with(&[0, 0, 1]);
    for (octets, result) in [(with(0, 2), 5011), (with(1, 0xff), 5015), (part_of_a_code, 5015)] {
        let mut client = Client::connect(address, "evil.example.net");
        client.send(&octets);
        let answer = client.receive().expect("an answer");
        assert_eq!(answer.result(), result);
        assert_eq!(answer.header.hop_by_hop.to_be_bytes(), octets[12..16]);
        assert!(client.ends());
        assert_fresh_peer_is_answered(address, "a broken stream");
    }
    assert!(charging.is_balanced());
}

#[test]
fn messages_that_are_too_long_end_the_connection() {
    let (charging, address) = charging("");
    let memory = charging.memory();
    for more in [nested(500_000), raw(456, 0x40, 8, &[]).repeat(300_000)] {
        let mut client = Client::connect(address, "evil.example.net");
        // It may end before all of it is sent.
        let _ = client.try_send(&ccr_with(&more));
        assert!(client.ends());
        assert_fresh_peer_is_answered(address, "a long message");
        assert!(charging.memory() < memory + MEMORY_MAX);
    }
}

#[test]
fn capabilities_with_faults_are_refused_with_their_code() {
    let (charging, address) = charging("");
    let of = |host: &[u8], host_address: &[u8], more: &[u8]| {
        let mut octets = message((CAPABILITIES, 0, flags::REQUEST), (1, 1), |to| {
            to.octets(code::ORIGIN_HOST, host);
            to.text(code::ORIGIN_REALM, "example.net");
            to.octets(code::HOST_ADDRESS, host_address);
            to.u32(code::VENDOR, 0);
            to.avp(code::PRODUCT, 0, |to| to.extend(b"test"));
            to.u32(code::AUTH_APPLICATION, 4);
        });
        octets.extend(more);
        with_length(octets)
    };
    let memory = charging.memory();
    let (host, here) = (&b"evil.example.net"[..], &[0, 1, 127, 0, 0, 1][..]);
    let application = raw(258, 0x40, 12, &[0, 0, 0, 4]);
    let twice = raw(260, 0x40, 32, &application.repeat(2));
    let cut = raw(260, 0x40, 23, &[&application[..], &[0, 0, 1]].concat());
    let mut reserved = of(host, here, &[]);
    reserved[4] |= 0x0f;
    for (what, octets, result) in [
        ("an address of a telephone", of(host, b"\0\x08123456", &[]), 2001),
        ("reserved flags", reserved, 2001),
        ("no address", of(host, &[0], &[]), 5014),
        ("an address of 3 octets", of(host, &[0, 1, 127, 0, 0], &[]), 5014),
        ("two applications of one vendor", of(host, here, &twice), 5009),
        ("half an AVP in a group", of(host, here, &cut), 5014),
        ("a zero in a name", of(b"a\0b", here, &[]), 5004),
        ("a name that is no text", of(b"\xff\xfe", here, &[]), 5004),
        ("a name for a terminal", of(b"<script>\x1b[2J\r\n", here, &[]), 5004),
    ] {
        let mut client = Client::silent(address, "evil.example.net");
        client.send(&octets);
        let answer = client.receive().expect("an answer");
        assert_eq!(answer.result(), result, "{what}: {}", answer.text(code::ERROR_MESSAGE));
        assert_eq!(!client.ends(), result == 2001, "{what}");
        assert_fresh_peer_is_answered(address, what);
        assert!(charging.memory() < memory + MEMORY_MAX, "{what}");
    }
    assert!(charging.is_balanced());
}

#[test]
fn answers_to_nothing_and_many_requests_at_once_do_no_harm() {
    let (charging, address) = charging("");
    let memory = charging.memory();
    let mut client = Client::connect(address, "evil.example.net");
    client.send(&message((WATCHDOG, 0, 0), (0xdead, 0xbeef), |to| {
        to.u32(code::RESULT, 2001);
        origin(to, "evil.example.net");
    }));
    for id in 0..10_000 {
        let dwr = |to: &mut Writer<'_>| origin(to, "evil.example.net");
        client.send(&message((WATCHDOG, 0, flags::REQUEST), (id, id), dwr));
    }
    for id in 0..10_000 {
        let answer = client.receive().expect("an answer");
        assert_eq!((answer.result(), answer.header.hop_by_hop), (2001, id));
    }
    assert_fresh_peer_is_answered(address, "many requests");
    assert!(charging.memory() < memory + MEMORY_MAX);
}

#[test]
fn large_messages_leave_no_memory_behind() {
    let (charging, address) = charging("");
    let mut client = Client::connect(address, "evil.example.net");
    // Many requests at once, whose memory is used for those after them.
    let requests = (0..256).flat_map(|number| {
        let session = format!("at once {number}");
        let ccr = Ccr { session: &session, ..Ccr::default() };
        client.ccr(&ccr, |to| packets(to, 1, (Some(0), None)))
    });
    let requests: Vec<u8> = requests.collect();
    client.send(&requests);
    (0..256).for_each(|_| assert_eq!(client.receive().expect("an answer").result(), 2001));
    let memory = charging.memory();
    let filler = vec![0; 900_000];
    for number in 0..256 {
        let session = format!("large {number}");
        let ccr = Ccr { session: &session, ..Ccr::default() };
        let answer = client.ask(&ccr, |to| {
            packets(to, 1, (Some(0), None));
            to.avp(AvpCode::ietf(0xff_fff0), 0, |to| to.extend(&filler));
        });
        assert_eq!(answer.result(), 2001);
    }
    let more = charging.memory().saturating_sub(memory);
    assert!(more < MEMORY_MAX, "{more}");
}

#[test]
fn amounts_beyond_all_bounds_are_refused_and_nothing_is_taken() {
    let (charging, address) = charging("");
    let mut client = Client::connect(address, "evil.example.net");
    let money = |to: &mut Writer<'_>, digits: i64, exponent: i32| {
        to.group(code::REQUESTED, |to| {
            to.group(AvpCode::ietf(413), |to| {
                to.group(code::VALUE, |to| {
                    to.i64(code::DIGITS, digits);
                    to.i32(AvpCode::ietf(429), exponent);
                });
            });
        });
    };
    let event = |session| Ccr { session, kind: 4, ..Ccr::default() };
    for (session, digits, exponent) in
        [("a", i64::MIN, i32::MAX), ("b", i64::MAX, 18), ("c", -5, 0), ("d", 1, -18)]
    {
        let answer = client.ask(&event(session), |to| money(to, digits, exponent));
        assert_eq!(answer.result(), 5004, "{digits} {exponent}");
    }
    // A price in another currency, which is no amount of this one.
    let foreign = client.ask(&event("e"), |to| {
        to.group(code::REQUESTED, |to| {
            to.group(AvpCode::ietf(413), |to| {
                to.group(code::VALUE, |to| to.i64(code::DIGITS, 5));
                to.u32(AvpCode::ietf(425), 978);
            });
        });
    });
    assert_eq!(foreign.result(), 5004);
    assert!(foreign.text(code::ERROR_MESSAGE).contains("978"));
    // Usage on both sides of a change of the tariff that cannot be added.
    client.ask(&Ccr { session: "f", ..Ccr::default() }, |to| packets(to, 1, (Some(1), None)));
    let sides = Ccr { session: "f", kind: UPDATE, number: 1, ..Ccr::default() };
    let answer = client.ask(&sides, |to| {
        to.group(code::SERVICES, |to| {
            to.u32(code::RATING_GROUP, 1);
            for side in [0, 1] {
                to.group(code::USED, |to| {
                    to.i32(AvpCode::ietf(452), side);
                    to.u64(code::OCTETS, u64::MAX);
                });
            }
        });
    });
    assert_eq!(answer.result(), 5004);
    client.ask(&Ccr::default(), |to| packets(to, 1, (Some(u64::MAX), None)));
    let update = Ccr { kind: UPDATE, number: 1, ..Ccr::default() };
    let answer = client.ask(&update, |to| packets(to, 1, (None, Some(u64::MAX))));
    assert_eq!(answer.services()[0].result, 5031, "it has no price");
    let twice = Ccr { session: "twice", ..Ccr::default() };
    let answer = client.ask(&twice, |to| {
        packets(to, 7, (Some(1), None));
        packets(to, 7, (Some(1), None));
    });
    assert_eq!(answer.result(), 5012);
    assert_eq!(amount(&charging, NUMBER), "200.00");
}

#[test]
fn a_peer_that_sends_an_octet_at_a_time_or_reads_nothing_delays_no_other() {
    let (charging, address) = charging("");
    let memory = charging.memory();
    let mut slow = Client::silent(address, "slow.example.net");
    let capabilities = slow.capabilities();
    let mut deaf = Client::connect(address, "deaf.example.net");
    let dwr = message((WATCHDOG, 0, flags::REQUEST), (1, 1), |to| origin(to, "deaf.example.net"));
    let flood = dwr.repeat(2_000);
    deaf.wait_at_most(Duration::from_secs(1));
    for octet in &capabilities {
        slow.send(&[*octet]);
    }
    assert_eq!(slow.receive().expect("an answer").result(), 2001);
    // Nothing more is read of it when its answers wait.
    let mut sent = 0;
    while sent < 200 && deaf.try_send(&flood).is_ok() {
        sent += 1;
    }
    assert!(sent < 200, "100 MB of requests were read");
    assert!(charging.memory() < memory + MEMORY_MAX);
    assert_fresh_peer_is_answered(address, "deaf");
    crate::common::wait::wait_for("the end of the deaf one", || {
        charging.run("charge peers list").contains("gone: the peer does not read what it is sent")
    });
    assert!(charging.is_balanced());
}

#[test]
fn ten_thousand_capabilities_leave_no_connection() {
    let (charging, address) = charging("");
    let memory = charging.memory();
    for at in 0..10_000 {
        let mut client = Client::silent(address, &format!("peer-{}.example.net", at % 50));
        let capabilities = client.capabilities();
        client.send(&capabilities);
        if at % 100 == 0 {
            // Sometimes the connection before is not gone yet.
            assert!(matches!(client.receive().map(|answer| answer.result()), Some(2001 | 3010)));
        }
    }
    assert_fresh_peer_is_answered(address, "afterwards");
    assert!(charging.memory() < memory + MEMORY_MAX);
    crate::common::wait::wait_for("the end of all", || {
        let list = charging.json("charge peers list");
        let peers = list["peers"].as_array().unwrap();
        peers.iter().all(|peer| peer["connections"].as_array().unwrap().is_empty())
    });
}
