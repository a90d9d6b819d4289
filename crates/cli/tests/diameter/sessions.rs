//! What clients ask for, and what they are answered: sessions and events.

use std::time::Duration;

use diameter::avp::AvpCode;
use diameter::header::flags;
use diameter::write::Writer;

use super::client::{
    CALLS, Ccr, Client, EVENT, INITIAL, MESSAGES, NUMBER, ServiceAnswer, TERMINATION, UPDATE, code,
    member, origin, packets,
};
use super::{amount, charging, connected, reserved};
use crate::charging::FIRST;
use crate::common::wait::wait_for;

/// The place of the flags in a header.
const FLAGS_AT: usize = 4;

/// A subscriber with 0.35, of whom each twentieth is one.
const POOR: u64 = FIRST + 20;

#[test]
fn a_packet_session_reserves_and_pays() {
    let (charging, mut client) = connected("");
    let answer = client.ask(&Ccr::default(), |to| packets(to, 100, (Some(1_000_000), None)));
    assert_eq!((answer.result(), answer.text(code::SESSION)), (2001, "smf.example.net;a".into()));
    let codes: Vec<u32> = answer.avps().iter().map(|avp| avp.code.code).collect();
    assert_eq!(codes, [263, 268, 264, 296, 258, 416, 415, 456]);
    assert_eq!(answer.text(code::ORIGIN_HOST), "charging.example.net");
    let [service] = answer.services()[..] else { panic!("{answer:?}") };
    assert_eq!((service.result, service.rating_group), (2001, 100));
    assert_eq!((service.granted, service.last), (Some(1_000_000), None));
    let valid = service.valid_seconds.expect("a validity");
    assert!((540..=660).contains(&valid), "{valid}");
    assert_eq!(reserved(&charging, NUMBER), "0.10");
    let sessions = charging.run("charge sessions");
    for part in [NUMBER, "smf.example.net", "data"] {
        assert!(sessions.contains(part), "{part}: {sessions}");
    }
    let update = Ccr { kind: UPDATE, number: 1, ..Ccr::default() };
    let answer = client.ask(&update, |to| packets(to, 100, (Some(1_000_000), Some(900_000))));
    assert_eq!(answer.services()[0].granted, Some(1_000_000));
    assert_eq!(amount(&charging, NUMBER), "199.91");
    let end = Ccr { kind: TERMINATION, number: 2, ..Ccr::default() };
    let answer = client.ask(&end, |to| packets(to, 100, (None, Some(100_000))));
    let done = ServiceAnswer { result: 2001, rating_group: 100, ..ServiceAnswer::default() };
    assert_eq!((answer.result(), &answer.services()[..]), (2001, &[done][..]));
    assert_eq!(
        (amount(&charging, NUMBER), reserved(&charging, NUMBER)),
        ("199.90".into(), "0.00".into())
    );
    assert!(charging.is_balanced());
}

#[test]
fn a_request_that_comes_again_gets_the_same_answer_and_pays_once() {
    let (charging, mut client) = connected("");
    let ask = |to: &mut Writer<'_>| packets(to, 1, (Some(1_000_000), Some(1_000_000)));
    client.ask(&Ccr::default(), |to| packets(to, 1, (Some(1_000_000), None)));
    let mut update = client.ccr(&Ccr { kind: UPDATE, number: 1, ..Ccr::default() }, ask);
    let first = client.ask_again(&update);
    update[FLAGS_AT] |= flags::RETRANSMITTED;
    let again = client.ask_again(&update);
    assert_eq!(first.body(), again.body());
    assert_eq!(again.header.flags & flags::RETRANSMITTED, 0, "an answer has no T bit");
    assert_eq!(amount(&charging, NUMBER), "199.90");
    // An agent adds its own AVPs, and has other identifiers.
    let by_agent = client.ccr(&Ccr { kind: UPDATE, number: 1, ..Ccr::default() }, |to| {
        ask(to);
        to.text(code::ROUTE_RECORD, "smf.example.net");
    });
    assert_eq!(client.ask_again(&by_agent).services(), first.services());
    // The number of another request of the session.
    let other = client.ask(&Ccr { kind: UPDATE, number: 1, ..Ccr::default() }, |to| {
        packets(to, 1, (Some(1_000_000), Some(7_000_000)));
    });
    assert_eq!(other.result(), 5012);
    assert!(other.text(code::ERROR_MESSAGE).contains("the same CC-Request-Number"));
    // None of its services is charged, since it has one answer.
    let more = client.ask(&Ccr { kind: UPDATE, number: 1, ..Ccr::default() }, |to| {
        packets(to, 2, (None, Some(7_000_000)));
        packets(to, 1, (Some(1_000_000), Some(7_000_000)));
    });
    assert_eq!(more.result(), 5012);
    assert_eq!(amount(&charging, NUMBER), "199.90");
}

#[test]
fn each_service_of_a_session_is_granted_by_itself() {
    let (charging, mut client) = connected("");
    let answer = client.ask(&Ccr::default(), |to| {
        packets(to, 20, (Some(2_000_000), None));
        packets(to, 10, (Some(1_000_000), None));
        packets(to, 30, (None, None));
    });
    let services: Vec<_> =
        answer.services().iter().map(|of| (of.rating_group, of.granted)).collect();
    assert_eq!(services, [(20, Some(2_000_000)), (10, Some(1_000_000)), (30, None)]);
    // In parallel, and in another order than their numbers.
    let mut updates = Vec::new();
    for (number, group) in [(2, 20), (1, 10)] {
        let update = Ccr { kind: UPDATE, number, ..Ccr::default() };
        updates.extend(client.ccr(&update, |to| packets(to, group, (Some(1), Some(500_000)))));
    }
    client.send(&updates);
    for _ in 0..2 {
        assert_eq!(client.receive().expect("an answer").services()[0].result, 2001);
    }
    let end = Ccr { kind: TERMINATION, number: 3, ..Ccr::default() };
    assert_eq!(client.ask(&end, |_| {}).result(), 2001, "it ends without a word of its services");
    assert_eq!(
        (amount(&charging, NUMBER), reserved(&charging, NUMBER)),
        ("199.90".into(), "0.00".into())
    );
    assert!(charging.is_balanced());
}

#[test]
fn updates_of_many_services_at_once_are_done_in_any_order_and_once() {
    const SERVICES: u32 = 30;
    let (mut charging, address) = charging("");
    let mut client = Client::connect(address, "smf.example.net");
    client.ask(&Ccr::default(), |to| {
        (1..=SERVICES).for_each(|group| packets(to, group, (Some(100_000), None)));
    });
    let update = |client: &mut Client, number: u32| {
        let update = Ccr { kind: UPDATE, number, ..Ccr::default() };
        client.ccr(&update, |to| packets(to, number, (Some(100_000), Some(100_000))))
    };
    // The last one first, as a gateway with many threads may do. One of them has not come yet.
    let updates: Vec<_> =
        (1..=SERVICES).rev().map(|number| (number, update(&mut client, number))).collect();
    let (late, there): (Vec<_>, Vec<_>) = updates.into_iter().partition(|(of, _)| *of == 20);
    client.send(&there.iter().flat_map(|(_, octets)| octets).copied().collect::<Vec<u8>>());
    let mut answers = Vec::new();
    for _ in &there {
        answers.push(client.receive().expect("an answer"));
        assert_eq!(answers.last().map(|of| of.services()[0].result), Some(2001));
    }
    assert_eq!(amount(&charging, NUMBER), "199.71", "29 times 0.01");
    charging.kill();
    charging.start();
    let mut client = Client::connect(charging.diameter_address(), "smf.example.net");
    assert_eq!(client.ask_again(&late[0].1).services()[0].result, 2001);
    assert_eq!(amount(&charging, NUMBER), "199.70");
    // Those that come again get their answers, or are refused: they are never charged twice.
    let (_, last) = there.last().unwrap();
    assert_eq!(client.ask_again(last).body(), answers.last().unwrap().body());
    let refused = client.ask_again(&there[0].1);
    assert_eq!(refused.result(), 5012);
    assert!(refused.text(code::ERROR_MESSAGE).contains("the answer to this one is forgotten"));
    assert_eq!(amount(&charging, NUMBER), "199.70");
    // The end does not wait for an update that it has overtaken, which is paid when it comes.
    let end = Ccr { kind: TERMINATION, number: SERVICES + 2, ..Ccr::default() };
    assert_eq!(client.ask(&end, |_| {}).result(), 2001);
    let overtaken = Ccr { kind: UPDATE, number: SERVICES + 1, ..Ccr::default() };
    let overtaken = client.ask(&overtaken, |to| packets(to, 1, (None, Some(100_000))));
    assert_eq!(overtaken.services()[0].result, 2001);
    assert_eq!(
        (amount(&charging, NUMBER), reserved(&charging, NUMBER)),
        ("199.69".into(), "0.00".into())
    );
    assert!(charging.is_balanced());
}

#[test]
fn services_with_identifiers_are_apart_in_one_rating_group() {
    let (charging, mut client) = connected("");
    let group = |to: &mut Writer<'_>, identifier: u32, wanted: bool, used: u64| {
        to.group(code::SERVICES, |to| {
            to.u32(code::RATING_GROUP, 7);
            to.u32(AvpCode::ietf(439), identifier);
            match wanted {
                true => to.group(code::REQUESTED, |to| to.u64(code::OCTETS, 1_000_000)),
                false => to.group(code::USED, |to| to.u64(code::OCTETS, used)),
            }
        });
    };
    let answer = client.ask(&Ccr::default(), |to| {
        group(to, 1, true, 0);
        group(to, 2, true, 0);
        // The number of the identifier is that of no rating group.
        packets(to, 1, (Some(1_000_000), None));
    });
    let granted: Vec<_> = answer.services().iter().map(|of| of.granted).collect();
    assert_eq!(granted, [Some(1_000_000); 3], "{answer:?}");
    let end = Ccr { kind: TERMINATION, number: 1, ..Ccr::default() };
    client.ask(&end, |to| {
        group(to, 1, false, 500_000);
        group(to, 2, false, 500_000);
    });
    assert_eq!(amount(&charging, NUMBER), "199.90");
    assert!(charging.is_balanced());
}

/// Writes a request as the SMF of open5gs does: one group without a name, an action also where it has no meaning, octets by
/// direction without a total, and seconds beside them.
fn as_open5gs(to: &mut Writer<'_>, used: Option<(u32, u64, u64)>, wants: bool) {
    to.text(AvpCode::ietf(293), "charging.example.net");
    to.time(AvpCode::ietf(55), 1_795_000_000);
    for (kind, name) in [(1, "240010000000001"), (0, NUMBER)] {
        to.group(code::SUBSCRIPTION, |to| {
            to.i32(code::SUBSCRIPTION_TYPE, kind);
            to.text(code::SUBSCRIPTION_DATA, name);
        });
    }
    to.i32(code::ACTION, 0);
    to.i32(AvpCode::tgpp(2055), 1);
    to.i32(AvpCode::ietf(455), 0);
    to.group(code::SERVICES, |to| {
        if wants {
            to.group(code::REQUESTED, |to| to.u64(code::OCTETS, 1_000_000));
        }
        if let Some((seconds, input, output)) = used {
            to.group(code::USED, |to| {
                to.u32(code::TIME, seconds);
                to.u64(AvpCode::ietf(412), input);
                to.u64(AvpCode::ietf(414), output);
            });
        }
        to.group(AvpCode::tgpp(1016), |to| to.i32(AvpCode::tgpp(1028), 9));
    });
    to.group(code::SERVICE_INFORMATION, |to| {
        to.group(AvpCode::tgpp(874), |to| {
            to.octets(AvpCode::tgpp(2), &[0, 0, 0, 1]);
            to.text(AvpCode::ietf(30), "internet");
            to.octets(AvpCode::tgpp(21), &[6]);
            to.text(AvpCode::tgpp(10), "\u{5}");
            to.group(AvpCode::ietf(458), |to| {
                to.i32(AvpCode::ietf(459), 0);
                to.octets(AvpCode::ietf(460), b"353490068910109");
            });
        });
    });
}

#[test]
fn an_smf_of_open5gs_is_granted_octets_and_pays_for_them() {
    let (charging, mut client) =
        connected("[diameter.peers.\"smf.example.net\"]\nprofile = \"open5gs\"\n");
    let request = |kind, number| Ccr { kind, number, subscriber: "", ..Ccr::default() };
    let answer = client.ask(&request(INITIAL, 0), |to| as_open5gs(to, None, true));
    let [service] = answer.services()[..] else { panic!("{answer:?}") };
    assert_eq!((answer.result(), service.result, service.granted), (2001, 2001, Some(1_000_000)));
    assert!(service.valid_seconds.is_some() && service.last.is_none());
    // The answer repeats no name, since the request has none; what is left at the threshold is said.
    let group = &answer.all(code::SERVICES)[0];
    let codes: Vec<u32> = group.members().map(|avp| avp.unwrap().code.code).collect();
    assert_eq!(codes, [431, 448, 268, 869]);
    let used = Some((10, 300_000, 600_000));
    let answer = client.ask(&request(UPDATE, 1), |to| as_open5gs(to, used, true));
    assert_eq!(answer.services()[0].granted, Some(1_000_000));
    assert_eq!(amount(&charging, NUMBER), "199.91");
    let answer = client.ask(&request(TERMINATION, 2), |to| {
        as_open5gs(to, Some((5, 0, 100_000)), false);
        to.i32(AvpCode::ietf(295), 1);
    });
    assert_eq!((answer.result(), answer.services()[0].granted), (2001, None));
    assert_eq!(amount(&charging, NUMBER), "199.90");
    assert!(charging.is_balanced());
}

#[test]
fn a_subscriber_in_another_network_roams() {
    let tables = super::TABLES.replace("realm =", "home-networks = [\"24001\"]\nrealm =");
    let (_charging, address) = super::charging_of(&tables);
    let mut client = Client::connect(address, "smf.example.net");
    let mut ask = |session: &str, network: &str| {
        let answer = client.ask(&Ccr { session, ..Ccr::default() }, |to| {
            packets(to, 1, (Some(1_000), None));
            to.group(code::SERVICE_INFORMATION, |to| {
                to.group(AvpCode::tgpp(874), |to| to.text(AvpCode::tgpp(18), network));
            });
        });
        (answer.result(), answer.services().first().map(|of| of.result))
    };
    assert_eq!(ask("home", "24001"), (2001, Some(2001)));
    // The plan has no price there.
    assert_eq!(ask("abroad", "26201"), (5031, Some(5031)));
}

#[test]
fn a_service_that_begins_later_has_the_other_party_of_its_session() {
    let (charging, mut client) = connected("");
    let call = |to: &mut Writer<'_>, rating_group, called: Option<&str>| {
        to.group(code::SERVICES, |to| {
            to.u32(code::RATING_GROUP, rating_group);
            to.group(code::REQUESTED, |to| to.u32(code::TIME, 30));
        });
        if let Some(called) = called {
            to.group(code::SERVICE_INFORMATION, |to| {
                to.group(code::IMS, |to| to.text(code::CALLED, called));
            });
        }
    };
    let begin = Ccr { context: CALLS, ..Ccr::default() };
    let answer = client.ask(&begin, |to| call(to, 1, Some("tel:+46812345678")));
    assert_eq!(answer.services()[0].granted, Some(30), "{answer:?}");
    // The client says once who is called.
    let more = Ccr { context: CALLS, kind: UPDATE, number: 1, ..Ccr::default() };
    let answer = client.ask(&more, |to| call(to, 2, None));
    assert_eq!(answer.services()[0].granted, Some(30), "{answer:?}");
    let alone = Ccr { session: "b", context: CALLS, ..Ccr::default() };
    let answer = client.ask(&alone, |to| call(to, 2, None));
    assert_eq!(answer.services()[0].result, 5031, "a call has no price without the number");
    client.ask(&Ccr { context: CALLS, kind: TERMINATION, number: 2, ..Ccr::default() }, |_| {});
    assert!(charging.is_balanced());
}

#[test]
fn a_subscriber_is_found_by_each_of_its_names() {
    let (charging, mut client) = connected("");
    charging.run(&format!("account number add {NUMBER} 240010000000001 --because IMSI"));
    let request = |kind, number| Ccr { kind, number, subscriber: "", ..Ccr::default() };
    let names = |to: &mut Writer<'_>| {
        for (kind, name) in [(0, "46999999999"), (1, "240010000000001")] {
            to.group(code::SUBSCRIPTION, |to| {
                to.i32(code::SUBSCRIPTION_TYPE, kind);
                to.text(code::SUBSCRIPTION_DATA, name);
            });
        }
    };
    let first = client.ask(&request(INITIAL, 0), |to| {
        names(to);
        packets(to, 1, (Some(1_000_000), None));
    });
    assert_eq!(first.services()[0].granted, Some(1_000_000), "{first:?}");
    // A later request needs none of them.
    let next = client.ask(&request(UPDATE, 1), |to| packets(to, 1, (None, Some(500_000))));
    assert_eq!(next.result(), 2001);
    let end = client.ask(&request(TERMINATION, 2), |to| {
        names(to);
        packets(to, 1, (None, Some(500_000)));
    });
    assert_eq!((end.result(), amount(&charging, NUMBER)), (2001, "199.90".into()));
    let unknown = Ccr { session: "b", subscriber: "46999999999", ..Ccr::default() };
    assert_eq!(client.ask(&unknown, |to| packets(to, 1, (Some(1), None))).result(), 5030);
}

#[test]
fn a_subscriber_with_names_of_two_accounts_begins_nothing() {
    let (charging, mut client) = connected("");
    let of_another = |to: &mut Writer<'_>| {
        to.group(code::SUBSCRIPTION, |to| {
            to.i32(code::SUBSCRIPTION_TYPE, 1);
            to.text(code::SUBSCRIPTION_DATA, &(FIRST + 2).to_string());
        });
    };
    let refused = client.ask(&Ccr::default(), |to| {
        of_another(to);
        packets(to, 1, (Some(1_000_000), None));
    });
    assert_eq!(refused.result(), 5030);
    assert!(refused.text(code::ERROR_MESSAGE).contains("belong to two accounts"));
    charging.expect_logged("by numbers of the accounts");
    // What was used in a session is paid by the first one.
    client.ask(&Ccr::default(), |to| packets(to, 1, (Some(1_000_000), None)));
    let update = Ccr { kind: UPDATE, number: 1, ..Ccr::default() };
    let next = client.ask(&update, |to| {
        of_another(to);
        packets(to, 1, (None, Some(1_000_000)));
    });
    assert_eq!((next.result(), amount(&charging, NUMBER)), (2001, "199.90".into()));
}

#[test]
fn sessions_within_a_session_are_apart() {
    let (charging, mut client) = connected("");
    let sub_session = |to: &mut Writer<'_>, number: u64| to.u64(AvpCode::ietf(419), number);
    for number in [1, 2] {
        let answer = client.ask(&Ccr::default(), |to| {
            sub_session(to, number);
            packets(to, 1, (Some(1_000_000), None));
        });
        assert_eq!(answer.services()[0].granted, Some(1_000_000));
        assert_eq!(answer.all(AvpCode::ietf(419))[0].u64(), Ok(number));
    }
    assert_eq!(reserved(&charging, NUMBER), "0.20");
    let end = Ccr { kind: TERMINATION, number: 1, ..Ccr::default() };
    let answer = client.ask(&end, |to| {
        sub_session(to, 1);
        packets(to, 1, (None, Some(500_000)));
    });
    assert_eq!(answer.result(), 2001);
    assert_eq!(
        (amount(&charging, NUMBER), reserved(&charging, NUMBER)),
        ("199.95".into(), "0.10".into()),
        "the other one goes on"
    );
}

#[test]
fn avps_of_a_vendor_are_known_by_a_dictionary_of_the_operator() {
    let vendor = AvpCode { vendor: 64_999, code: 1 };
    let ask = |client: &mut Client, value: &[u8]| {
        client.ask(&Ccr::default(), |to| {
            packets(to, 1, (Some(1), None));
            to.octets(vendor, value);
        })
    };
    let (_charging, mut client) = connected("");
    assert_eq!(ask(&mut client, &[0, 0, 0, 1]).result(), 5001, "it is not known");
    let tables = super::TABLES.replace("realm =", "dictionaries = [\"fjord.dictionary\"]\nrealm =");
    let charging = super::charging_in(&tables, |folder| {
        let text = "vendor Fjord 64999\navp Fjord-Access-Class 1 Unsigned32 M Fjord\n";
        std::fs::write(folder.join("fjord.dictionary"), text).unwrap();
    });
    let mut client = Client::connect(charging.diameter_address(), "smf.example.net");
    assert_eq!(ask(&mut client, &[1]).result(), 5014, "its length is checked");
    assert_eq!(ask(&mut client, &[0, 0, 0, 1]).result(), 2001);
    let shown = charging.run("charge messages --avps");
    assert!(shown.contains("Fjord-Access-Class: 1"), "{shown}");
    // A mistake in it is found where it stands.
    std::fs::write(charging.folder().join("fjord.dictionary"), "avp X 1 Unsigned33 M\n").unwrap();
    let refused = charging.command("charge check").output().unwrap();
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(why.contains("fjord.dictionary:1") && why.contains("Unsigned33"), "{why}");
}

#[test]
fn a_call_is_priced_by_the_number_that_is_called_until_the_money_ends() {
    let (charging, mut client) =
        connected("[diameter.peers.\"smf.example.net\"]\nprofile = \"kamailio\"\n");
    let call = |kind, number| Ccr {
        session: "call",
        context: "ext.01.001.8.32260@3gpp.org",
        kind,
        number,
        subscriber: "+46701000020",
    };
    let seconds = |to: &mut Writer<'_>, wanted: Option<u32>, used: Option<u32>| {
        to.group(code::SERVICES, |to| {
            to.u32(code::RATING_GROUP, 100);
            wanted
                .into_iter()
                .for_each(|of| to.group(code::REQUESTED, |to| to.u32(code::TIME, of)));
            used.into_iter().for_each(|of| to.group(code::USED, |to| to.u32(code::TIME, of)));
        });
        to.group(code::SERVICE_INFORMATION, |to| {
            to.group(code::IMS, |to| to.text(code::CALLED, "sip:+46812345678@ims.example.net"));
        });
    };
    assert_eq!(amount(&charging, &POOR.to_string()), "0.35");
    let answer = client.ask(&call(INITIAL, 0), |to| seconds(to, Some(30), None));
    assert_eq!(answer.services()[0].granted, Some(30));
    let answer = client.ask(&call(UPDATE, 1), |to| seconds(to, Some(30), Some(30)));
    // 0.01 a second: five seconds are left, and then the call ends.
    let [last] = answer.services()[..] else { panic!("{answer:?}") };
    assert_eq!((last.granted, last.last, answer.result()), (Some(5), Some(0), 2001));
    let answer = client.ask(&call(UPDATE, 2), |to| seconds(to, Some(30), Some(5)));
    // Kamailio looks at the result of the message.
    assert_eq!((answer.result(), answer.services()[0].result), (4012, 4012));
    assert_eq!(client.ask(&call(TERMINATION, 3), |to| seconds(to, None, None)).result(), 2001);
    assert_eq!(amount(&charging, &POOR.to_string()), "0.00");
    assert!(charging.is_balanced());
}

#[test]
fn what_cannot_be_charged_is_refused_with_its_reason() {
    let (charging, mut client) = connected("");
    let wants = |to: &mut Writer<'_>| packets(to, 1, (Some(1_000), None));
    let unknown = client.ask(&Ccr { subscriber: "46709999999", ..Ccr::default() }, wants);
    assert_eq!((unknown.result(), unknown.services().len()), (5030, 0));
    let missing = client.ask(&Ccr { subscriber: "", ..Ccr::default() }, wants);
    let failed = missing.all(code::FAILED);
    assert_eq!((missing.result(), member(&failed[0]).code), (5005, code::SUBSCRIPTION));
    let context = client.ask(&Ccr { context: "32270@3gpp.org", ..Ccr::default() }, wants);
    let failed = context.all(code::FAILED);
    assert_eq!(context.result(), 5031);
    assert_eq!(member(&failed[0]).text(), Ok("32270@3gpp.org"));
    let mut money = client.ask(&Ccr { subscriber: "46701000020", ..Ccr::default() }, |to| {
        packets(to, 1, (Some(1_000_000), None));
    });
    assert_eq!(money.services()[0].granted, Some(1_000_000));
    charging.run("account adjust 46701000021 -199.95 --because empty --reference r-1");
    money = client.ask(&Ccr { session: "b", subscriber: "46701000021", ..Ccr::default() }, |to| {
        packets(to, 1, (Some(1_000_000), None));
    });
    assert_eq!(money.services()[0].last, Some(0), "{money:?}");
    charging.run("account adjust 46701000022 -200 --because empty --reference r-2");
    money = client.ask(&Ccr { session: "c", subscriber: "46701000022", ..Ccr::default() }, wants);
    assert_eq!((money.result(), money.services()[0].result), (2001, 4012));
    assert_eq!(money.services()[0].granted, None);
    charging.run("account block 46701000023 --because lost");
    let barred =
        client.ask(&Ccr { session: "d", subscriber: "46701000023", ..Ccr::default() }, wants);
    assert_eq!((barred.result(), barred.services()[0].result), (2001, 4010));
    // What is said in the message for a request without groups.
    let plain =
        client.ask(&Ccr { session: "e", subscriber: "46701000022", ..Ccr::default() }, |to| {
            to.group(code::REQUESTED, |to| to.u64(code::OCTETS, 1));
        });
    assert_eq!(plain.result(), 4012);
}

#[test]
fn usage_of_a_session_that_is_not_known_is_refused_and_has_an_alarm() {
    let (mut charging, mut client) = connected("");
    let update = Ccr { kind: UPDATE, number: 1, ..Ccr::default() };
    let update = client.ccr(&update, |to| packets(to, 1, (Some(1), Some(5_000_000))));
    let answer = client.ask_again(&update);
    assert_eq!(answer.result(), 5002);
    charging.expect_logged("reports usage of the unknown session");
    let end = Ccr { kind: TERMINATION, number: 2, ..Ccr::default() };
    assert_eq!(client.ask(&end, |_| {}).result(), 5002);
    assert_eq!(amount(&charging, NUMBER), "200.00");
    let refusals = charging.run(&format!("account refusals {NUMBER}"));
    assert!(refusals.contains("there is no such session; what was used costs 0.50"), "{refusals}");
    wait_for("the alarm", || {
        let list = charging.json("charge peers list");
        let alarm = list.pointer("/alarms/0").cloned().unwrap_or_default();
        alarm["kind"] == "orphan-usage" && alarm["peer"] == "smf.example.net"
    });
    let peers = charging.run("charge peers list");
    assert!(peers.contains("1 reports of usage in sessions that are not known since"), "{peers}");
    assert_eq!(charging.json("charge peers list")["peers"][0]["orphans"], 1);
    // The history of the account has it once, with what it costs, also after a restart.
    assert_eq!(client.ask_again(&update).body(), answer.body());
    charging.kill();
    charging.start();
    let mut client = Client::connect(charging.diameter_address(), "smf.example.net");
    assert_eq!(client.ask_again(&update).body(), answer.body());
    let entry = charging.json(&format!("account history {NUMBER} --of orphan"));
    let texts = ["/amount", "/charged/total", "/charged/before", "/charged/client"];
    let texts = texts.map(|place| entry.pointer(place).and_then(|of| of.as_str()).unwrap());
    assert_eq!(texts, ["0.00", "0.50", "0.00", "smf.example.net"]);
    let history = charging.run(&format!("account history {NUMBER}"));
    assert!(history.contains("not charged: the session is not known; it costs 0.50"), "{history}");
    let why = charging.run(&format!("account explain {NUMBER} {}", entry["entry"]));
    assert!(why.contains("it is not charged, since its session is not known"), "{why}");
    let reverse = format!("account reverse {NUMBER} {} --because test", entry["entry"]);
    let reversed = charging.command(&reverse).output().unwrap();
    assert!(String::from_utf8(reversed.stderr).unwrap().contains("it was not charged"));
    assert_eq!(amount(&charging, NUMBER), "200.00");
    assert!(charging.is_balanced());
}

#[test]
fn a_session_that_begins_again_and_octets_that_differ_are_counted() {
    let (charging, mut client) = connected("");
    client.ask(&Ccr::default(), |to| packets(to, 1, (Some(5_000_000), None)));
    client.ask(&Ccr { number: 1, ..Ccr::default() }, |to| packets(to, 1, (Some(1_000_000), None)));
    assert_eq!(reserved(&charging, NUMBER), "0.10", "the first one is over");
    assert_eq!(charging.json("charge show")["traffic"]["replaced_sessions"], 1);
    let update = Ccr { kind: UPDATE, number: 2, ..Ccr::default() };
    let answer = client.ask(&update, |to| {
        to.group(code::SERVICES, |to| {
            to.u32(code::RATING_GROUP, 1);
            to.group(code::USED, |to| {
                to.u64(code::OCTETS, 500_000);
                to.u64(code::INPUT_OCTETS, 400_000);
                to.u64(code::OUTPUT_OCTETS, 600_000);
            });
        });
    });
    assert_eq!((answer.result(), amount(&charging, NUMBER)), (2001, "199.90".into()));
    assert_eq!(charging.json("charge peers list")["peers"][0]["unequal_octets"], 1);
    let peers = charging.run("charge peers list");
    let line =
        "smf.example.net: 1 services whose total of octets is not the sum of both directions";
    assert!(peers.contains(line), "{peers}");
    let metrics = charging.metrics();
    for line in [
        "tollgate_charging_replaced_sessions_total 1",
        "tollgate_charging_peer_unequal_octets_total{peer=\"smf.example.net\"} 1",
        "tollgate_charging_peer_orphans_total{peer=\"smf.example.net\"} 0",
        "tollgate_charging_peer_requests_total{peer=\"smf.example.net\"} 3",
        "tollgate_charging_peer_answers_total{peer=\"smf.example.net\",result=\"2001\"} 3",
        "tollgate_charging_peer_connections{peer=\"smf.example.net\"} 1",
    ] {
        assert!(metrics.lines().any(|of| of == line), "{line} is not in\n{metrics}");
    }
}

#[test]
fn the_answer_to_a_request_that_comes_again_is_the_same_whatever_has_happened_since() {
    let (mut charging, address) = charging("");
    let mut client = Client::connect(address, "smf.example.net");
    let empty = (FIRST + 22).to_string();
    charging.run(&format!("account adjust {empty} -200 --because empty --reference r-1"));
    let wants = |to: &mut Writer<'_>| packets(to, 1, (Some(10_000_000), None));
    // A last grant, an event with its price, and a refusal for want of money.
    let poor = POOR.to_string();
    let requests = [
        client.ccr(&Ccr { subscriber: &poor, ..Ccr::default() }, wants),
        client.ccr(&Ccr { context: MESSAGES, kind: EVENT, ..Ccr::default() }, |_| {}),
        client.ccr(&Ccr { session: "b", subscriber: &empty, ..Ccr::default() }, wants),
    ];
    let answers = requests.each_ref().map(|octets| client.ask_again(octets));
    assert_eq!(answers[0].services()[0].last, Some(0));
    assert_eq!(answers[1].all(code::COST).len(), 1);
    assert_eq!(answers[2].services()[0].result, 4012);
    charging.run(&format!("account refill {empty} 50 --reference p-1"));
    charging.run(&format!("account refill {poor} 50 --reference p-1"));
    charging.kill();
    charging.start();
    let mut client = Client::connect(charging.diameter_address(), "smf.example.net");
    for (octets, answer) in requests.iter().zip(&answers) {
        assert_eq!(client.ask_again(octets).body(), answer.body());
    }
    // Another request with such a number is counted for itself.
    let reused = client.ask(&Ccr { subscriber: &poor, ..Ccr::default() }, |to| {
        packets(to, 1, (Some(7), None));
    });
    assert_eq!(reused.result(), 5012);
    let metrics = charging.metrics();
    for line in [
        "tollgate_charging_repeated_total 3",
        "tollgate_charging_refused_total{code=\"number-reused\"} 1",
    ] {
        assert!(metrics.lines().any(|of| of == line), "{line} is not in\n{metrics}");
    }
}

#[test]
fn events_are_debited_refunded_checked_and_priced() {
    let (charging, mut client) = connected("");
    let mut event = |session: &str, action: Option<i32>, count: u64| {
        let ccr = Ccr { session, context: MESSAGES, kind: EVENT, ..Ccr::default() };
        client.ask(&ccr, |to| {
            action.into_iter().for_each(|of| to.i32(code::ACTION, of));
            to.group(code::REQUESTED, |to| to.u64(code::SPECIFIC, count));
        })
    };
    let debited = event("a", Some(0), 2);
    assert_eq!(debited.result(), 2001);
    let granted = debited.all(code::GRANTED);
    assert_eq!(member(&granted[0]).u64(), Ok(2));
    assert_eq!(amount(&charging, NUMBER), "199.02");
    assert_eq!(event("b", None, 1).result(), 2001, "without an action, it is debited");
    assert_eq!(amount(&charging, NUMBER), "198.53");
    assert_eq!(event("c", Some(1), 1).result(), 2001);
    assert_eq!(amount(&charging, NUMBER), "199.02");
    let enough = |answer: &super::client::Received| {
        answer.all(code::CHECK_BALANCE).first().map(|avp| avp.u32().unwrap())
    };
    let checked = [event("d", Some(2), 100), event("e", Some(2), 1_000)];
    assert_eq!(
        checked.each_ref().map(|of| (of.result(), enough(of))),
        [(2001, Some(0)), (2001, Some(1))]
    );
    let price = event("f", Some(3), 2);
    let cost = price.all(code::COST);
    let value = member(&cost[0]);
    assert_eq!((value.code, member(&value).code), (code::VALUE, code::DIGITS));
    assert_eq!(member(&value).i64(), Ok(980_000_000));
    assert_eq!(amount(&charging, NUMBER), "199.02", "a check and a price take nothing");
    let one = Ccr { session: "g", context: MESSAGES, kind: EVENT, ..Ccr::default() };
    let answer = client.ask(&one, |to| to.i32(code::ACTION, 0));
    assert_eq!((answer.result(), amount(&charging, NUMBER)), (2001, "198.53".into()), "it is one");
    assert!(charging.is_balanced());
}

#[test]
fn events_of_one_session_pay_each_and_one_that_comes_again_does_not() {
    let (charging, mut client) = connected("");
    let event = Ccr { context: MESSAGES, kind: EVENT, ..Ccr::default() };
    let [first, mut second] = [(); 2].map(|()| client.ccr(&event, |_| {}));
    let answers = [&first, &second].map(|octets| client.ask_again(octets));
    assert_eq!(answers.each_ref().map(|of| of.result()), [2001; 2]);
    assert_eq!(amount(&charging, NUMBER), "199.02");
    second[FLAGS_AT] |= flags::RETRANSMITTED;
    assert_eq!(client.ask_again(&second).body(), answers[1].body());
    assert_eq!(client.ask_again(&first).body(), answers[0].body());
    assert_eq!(amount(&charging, NUMBER), "199.02");
}

#[test]
fn a_session_outlives_a_kill_of_the_charging_system() {
    let (mut charging, address) = charging("");
    let mut client = Client::connect(address, "smf.example.net");
    client.ask(&Ccr::default(), |to| packets(to, 1, (Some(1_000_000), None)));
    charging.kill();
    assert!(client.ends());
    charging.start();
    let mut client = Client::connect(charging.diameter_address(), "smf.example.net");
    let update = Ccr { kind: UPDATE, number: 1, ..Ccr::default() };
    let answer = client.ask(&update, |to| packets(to, 1, (Some(1), Some(1_000_000))));
    assert_eq!(answer.services()[0].result, 2001);
    assert_eq!(amount(&charging, NUMBER), "199.90");
}

#[test]
fn ten_thousand_updates_of_one_session_are_answered_and_paid() {
    let (charging, mut client) = connected("");
    client.ask(&Ccr::default(), |to| packets(to, 1, (Some(1_000_000), None)));
    const UPDATES: u32 = 10_000;
    let mut number = 1;
    while number <= UPDATES {
        let mut octets = Vec::new();
        let batch = number..(number + 200).min(UPDATES + 1);
        for number in batch.clone() {
            let update = Ccr { kind: UPDATE, number, ..Ccr::default() };
            octets.extend(client.ccr(&update, |to| packets(to, 1, (Some(1_000), Some(1_000)))));
        }
        client.send(&octets);
        for _ in batch.clone() {
            assert_eq!(client.receive().expect("an answer").services()[0].result, 2001);
        }
        number = batch.end;
    }
    // 10 MB at 0.10.
    assert_eq!(amount(&charging, NUMBER), "199.00");
}

#[test]
fn a_report_that_comes_before_the_beginning_is_answered_ends_its_session() {
    let (charging, mut client) = connected("");
    // Short calls, whose beginning and end are sent together (kamailio#2143).
    let mut octets = Vec::new();
    for call in 0..200 {
        let session = format!("call {call}");
        let first = Ccr { session: &session, ..Ccr::default() };
        octets.extend(client.ccr(&first, |to| packets(to, 1, (Some(1_000_000), None))));
        let last = Ccr { session: &session, kind: TERMINATION, number: 1, ..Ccr::default() };
        octets.extend(client.ccr(&last, |to| packets(to, 1, (None, Some(1_000_000)))));
    }
    client.send(&octets);
    for _ in 0..400 {
        assert_eq!(client.receive().expect("an answer").services()[0].result, 2001);
    }
    assert_eq!(amount(&charging, NUMBER), "180.00");
    assert!(charging.is_balanced());
}

#[test]
fn a_client_is_asked_to_end_a_session_that_people_end_or_block() {
    let (charging, mut client) = connected("");
    let wants = |to: &mut Writer<'_>| packets(to, 1, (Some(1_000_000), None));
    client.ask(&Ccr::default(), wants);
    let session = charging.json("charge sessions")["session"].as_str().unwrap().to_owned();
    charging.run(&format!("account end {NUMBER} {session} --because test"));
    let abort = client.receive().expect("a request");
    assert_eq!((abort.header.command, abort.header.application), (274, 4));
    assert_eq!(abort.header.flags, flags::REQUEST | flags::PROXIABLE);
    let texts = [code::SESSION, code::ORIGIN_HOST, code::DESTINATION_HOST];
    let expected = ["smf.example.net;a", "charging.example.net", "smf.example.net"];
    assert_eq!(texts.map(|code| abort.text(code)), expected);
    client.answer(&abort, 2001);
    // Some clients name the number that pays in the first request only.
    let end = Ccr { kind: TERMINATION, number: 1, subscriber: "", ..Ccr::default() };
    assert_eq!(client.ask(&end, |to| packets(to, 1, (None, Some(500_000)))).result(), 2001);
    assert_eq!(amount(&charging, NUMBER), "199.95", "what was used until then is paid");
    // Blocked, with two sessions, of which the client no longer knows one.
    for session in ["b", "c"] {
        client.ask(&Ccr { session, ..Ccr::default() }, wants);
    }
    charging.run(&format!("account block {NUMBER} --because lost"));
    let mut names = Vec::new();
    for result in [2001, 5002] {
        let abort = client.receive().expect("a request");
        assert_eq!(abort.header.command, 274);
        names.push(abort.text(code::SESSION));
        client.answer(&abort, result);
    }
    names.sort();
    assert_eq!(names, ["smf.example.net;b", "smf.example.net;c"]);
    charging.expect_logged("answers 5002 to the request 274");
    assert_eq!(charging.json("charge peers list")["peers"][0]["discarded"], 0);
}

#[test]
fn a_client_with_its_last_grant_is_asked_to_ask_again_when_there_is_more() {
    let (charging, mut client) = connected("");
    let poor = |kind, number| Ccr { kind, number, subscriber: "46701000020", ..Ccr::default() };
    let answer = client.ask(&poor(INITIAL, 0), |to| packets(to, 1, (Some(10_000_000), None)));
    assert_eq!(answer.services()[0].last, Some(0));
    charging.run("account refill 46701000020 50 --reference p-1");
    let asked = client.receive().expect("a request");
    assert_eq!(
        (asked.header.command, asked.text(code::SESSION)),
        (258, "smf.example.net;a".into())
    );
    assert_eq!(asked.all(AvpCode::ietf(285))[0].u32(), Ok(0), "it is to authorize only");
    client.answer(&asked, 2002);
    let answer = client.ask(&poor(UPDATE, 1), |to| packets(to, 1, (Some(10_000_000), Some(1))));
    assert_eq!((answer.services()[0].granted, answer.services()[0].last), (Some(10_000_000), None));
    // With more than it uses, it asks by itself; the same refill once more is none.
    charging.run("account refill 46701000020 50 --reference p-1");
    charging.run("account refill 46701000020 50 --reference p-2");
    client.wait_at_most(Duration::from_millis(300));
    assert!(client.is_silent());
}

#[test]
fn a_client_gets_no_requests_that_it_does_not_know() {
    let (charging, mut client) = connected(
        "[diameter.peers.\"smf.example.net\"]\nprofile = \"open5gs\"\nre-auth = \"not-sent\"\n",
    );
    let poor = "46701000020";
    let first = Ccr { subscriber: poor, ..Ccr::default() };
    let answer = client.ask(&first, |to| packets(to, 1, (Some(10_000_000), None)));
    assert_eq!(answer.services()[0].last, Some(0));
    charging.run(&format!("account refill {poor} 50 --reference p-1"));
    charging.run(&format!("account block {poor} --because lost"));
    client.wait_at_most(Duration::from_millis(300));
    assert!(client.is_silent());
    // The next request of its session says the same.
    let update = Ccr { kind: UPDATE, number: 1, subscriber: poor, ..Ccr::default() };
    let answer = client.ask(&update, |to| packets(to, 1, (Some(1_000_000), Some(1))));
    assert_eq!(answer.services()[0].result, 4010, "{answer:?}");
}

#[test]
fn a_session_that_its_client_does_not_know_any_more_ends() {
    let (charging, mut client) = connected("");
    let poor = "46701000020";
    let first = Ccr { subscriber: poor, ..Ccr::default() };
    let answer = client.ask(&first, |to| packets(to, 1, (Some(10_000_000), None)));
    assert_eq!(answer.services()[0].last, Some(0));
    assert_ne!(reserved(&charging, poor), "0.00");
    charging.run(&format!("account refill {poor} 50 --reference p-1"));
    let asked = client.receive().expect("a request");
    client.answer(&asked, 5002);
    wait_for("the end", || reserved(&charging, poor) == "0.00");
    assert!(charging.is_balanced());
}

#[test]
fn a_request_behind_an_agent_is_that_of_its_client() {
    let (charging, address) = charging(
        "[diameter.peers.\"agent.example.net\"]\n[diameter.peers.\"scscf.example.net\"]\nprofile = \"kamailio\"\n",
    );
    let mut agent = Client::connect(address, "agent.example.net");
    charging.run("account adjust 46701000022 -200 --because empty --reference r-2");
    let request = super::client::message((272, 4, 0xc0), (7, 8), |to| {
        to.text(code::SESSION, "scscf.example.net;1");
        origin(to, "scscf.example.net");
        to.text(code::DESTINATION_REALM, "example.net");
        to.u32(code::AUTH_APPLICATION, 4);
        to.text(code::CONTEXT, CALLS);
        to.u32(code::KIND, INITIAL);
        to.u32(code::NUMBER, 0);
        to.group(code::SUBSCRIPTION, |to| {
            to.i32(code::SUBSCRIPTION_TYPE, 0);
            to.text(code::SUBSCRIPTION_DATA, "+46701000022");
        });
        to.group(code::SERVICES, |to| {
            to.group(code::REQUESTED, |to| to.u32(code::TIME, 30));
        });
        to.group(code::SERVICE_INFORMATION, |to| {
            to.group(code::IMS, |to| to.text(code::CALLED, "tel:+46812345678"));
        });
        to.group(code::PROXY_INFO, |to| {
            to.text(AvpCode::ietf(280), "agent.example.net");
            to.octets(AvpCode::ietf(33), b"state");
        });
        to.text(code::ROUTE_RECORD, "scscf.example.net");
    });
    let answer = agent.ask_again(&request);
    assert_eq!(answer.result(), 4012, "the profile is that of the client");
    assert_eq!(answer.avps().last().map(|avp| avp.code), Some(code::PROXY_INFO));
    assert!(answer.all(code::ROUTE_RECORD).is_empty());
    let refusals = charging.run("account refusals 46701000022");
    assert!(refusals.contains("scscf.example.net"), "{refusals}");
}
