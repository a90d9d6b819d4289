//! What clients do at the end of the money, and without an answer: what their settings say, and what is answered to them.

use std::path::Path;

use diameter::avp::AvpCode;
use diameter::header::flags;
use diameter::write::Writer;

use super::client::{
    Ccr, Client, EVENT, INITIAL, MESSAGES, NUMBER, Received, TERMINATION, UPDATE, code, packets,
};
use super::{TABLES, amount, charging, charging_in, connected, reserved};

/// The place of the flags in a header.
const FLAGS_AT: usize = 4;

/// 2025-06-01 00:00 UTC, in seconds.
const SUMMER_OF_2025: i64 = 1_748_736_000;

const REDIRECTS: &str = "[diameter.peers.\"smf.example.net\"]
final-unit = \"redirect https://refill.example.net\"
without-money = \"final-unit\"
";

/// A subscriber whose account is empty.
const EMPTY: &str = "46701000022";

fn request(kind: u32, number: u32) -> Ccr<'static> {
    Ccr { kind, number, subscriber: EMPTY, ..Ccr::default() }
}

/// Checks that a service waits for money: its client redirects until the validity is over, or this node asks.
fn assert_redirects(answer: &Received) {
    let [service] = answer.services()[..] else { panic!("{answer:?}") };
    assert_eq!((answer.result(), service.result), (2001, 2001), "{answer:?}");
    assert_eq!((service.granted, service.last), (None, Some(1)), "{answer:?}");
    // Clients that pass over a request to ask again do so soon.
    assert_eq!(service.valid_seconds, Some(60));
    let group = &answer.all(code::SERVICES)[0];
    let codes: Vec<u32> = group.members().map(|avp| avp.unwrap().code.code).collect();
    assert_eq!(codes, [448, 430, 432, 268], "there is no empty grant");
}

#[test]
fn a_subscriber_without_money_is_redirected_from_the_beginning_until_a_refill() {
    let (charging, mut client) = connected(REDIRECTS);
    charging.run(&format!("account adjust {EMPTY} -200 --because empty --reference r-1"));
    let wants = (Some(1_000_000), None);
    assert_redirects(&client.ask(&request(INITIAL, 0), |to| packets(to, 1, wants)));
    // While it redirects, the client reports what it lets through, and wants nothing; then it tries again.
    assert_redirects(&client.ask(&request(UPDATE, 1), |to| packets(to, 1, (None, Some(0)))));
    assert_redirects(&client.ask(&request(UPDATE, 2), |to| packets(to, 1, wants)));
    charging.run(&format!("account refill {EMPTY} 50 --reference p-1"));
    let re_auth = client.receive().expect("a request");
    assert_eq!(
        (re_auth.header.command, re_auth.text(code::SESSION)),
        (258, "smf.example.net;a".into())
    );
    client.answer(&re_auth, 2002);
    let answer = client.ask(&request(UPDATE, 3), |to| packets(to, 1, wants));
    let [service] = answer.services()[..] else { panic!("{answer:?}") };
    assert_eq!((service.granted, service.last), (Some(1_000_000), None), "the redirect ends");
    assert_eq!(reserved(&charging, EMPTY), "0.10");
    let end = client.ask(&request(TERMINATION, 4), |to| packets(to, 1, (None, Some(1_000_000))));
    assert_eq!((end.result(), amount(&charging, EMPTY)), (2001, "49.90".into()));
    assert!(charging.is_balanced());
}

#[test]
fn after_its_last_grant_a_client_redirects_and_is_answered_so_again() {
    let (charging, mut client) = connected(REDIRECTS);
    charging.run(&format!("account adjust {EMPTY} -199.90 --because empty --reference r-1"));
    let first = client.ask(&request(INITIAL, 0), |to| packets(to, 1, (Some(5_000_000), None)));
    let [last] = first.services()[..] else { panic!("{first:?}") };
    let granted = last.granted.expect("what is left");
    assert_eq!((granted / 100_000, last.last), (10, Some(1)));
    // What was used is paid, and no grant is wanted.
    let used = client.ask(&request(UPDATE, 1), |to| packets(to, 1, (None, Some(granted))));
    assert_redirects(&used);
    assert_eq!(amount(&charging, EMPTY), "0.00");
    assert_redirects(&client.ask(&request(UPDATE, 2), |to| packets(to, 1, (Some(1), None))));
    let end = client.ask(&request(TERMINATION, 3), |_| {});
    assert_eq!((end.result(), reserved(&charging, EMPTY)), (2001, "0.00".into()));
}

#[test]
fn a_definition_redirects_only_with_an_address() {
    let (charging, _) = charging("");
    charging.define("[diameter.peers.\"smf.example.net\"]\nwithout-money = \"final-unit\"\n");
    let refused = charging.command("charge check").output().unwrap();
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && why.contains("the final unit is to terminate"), "{why}");
}

#[test]
fn a_client_that_restricts_gets_its_rules() {
    let (charging, mut client) = connected(
        "[diameter.peers.\"smf.example.net\"]
final-unit = \"restrict\"
final-unit-filters = [\"permit out ip from 192.0.2.0/24 to any\"]
without-money = \"final-unit\"
triggers = [\"rat\", \"location-mcc\"]
",
    );
    let [filter, trigger, kind] = [AvpCode::ietf(438), AvpCode::tgpp(1264), AvpCode::tgpp(870)];
    let wants = |to: &mut Writer<'_>| packets(to, 1, (Some(1_000_000), None));
    let first = client.ask(&Ccr::default(), wants);
    let service = first.all(code::SERVICES)[0];
    let triggers = service.members().find_code(trigger).expect("triggers");
    let kinds = triggers.members().map(|avp| avp.unwrap()).filter(|avp| avp.code == kind);
    assert!(kinds.map(|avp| avp.u32().unwrap()).eq([4, 30]));
    charging.run(&format!("account adjust {EMPTY} -200 --because empty --reference r-1"));
    let without = client.ask(&Ccr { session: "b", subscriber: EMPTY, ..Ccr::default() }, wants);
    let service = without.all(code::SERVICES)[0];
    let last = service.members().find_code(code::FINAL_UNIT).expect("what follows");
    assert_eq!(last.members().next().unwrap().unwrap().u32(), Ok(2));
    let rule = last.members().find_code(filter).expect("a rule");
    assert_eq!(rule.text(), Ok("permit out ip from 192.0.2.0/24 to any"));
}

#[test]
fn what_a_client_lets_through_fits_its_final_unit() {
    for (settings, expected) in [
        ("final-unit = \"restrict\"", "needs the name of a filter, or \"final-unit-filters\""),
        (
            "final-unit-filters = [\"permit out ip from any to any\"]",
            "a client that terminates lets nothing through",
        ),
        (
            "final-unit = \"restrict web\"\nfinal-unit-filters = [\"permit all\"]",
            "\"permit all\" is no IPFilterRule",
        ),
        (
            "final-unit = \"restrict\"\nfinal-unit-form = \"rfc-8506\"\n\
             final-unit-filters = [\"permit out ip from any to any\"]",
            "the form of RFC 8506 has no \"final-unit-filters\"",
        ),
        (
            "final-unit = \"restrict\"\nfinal-unit-filters = [\"permit out ip from any to\"]",
            "\"permit out ip from any to\" is no IPFilterRule",
        ),
        ("triggers = [\"rat\", \"locaton\"]", "did you mean \"location\"?"),
    ] {
        let (charging, _) = charging("");
        charging.define(&format!("[diameter.peers.\"smf.example.net\"]\n{settings}\n"));
        let refused = charging.command("charge check").output().unwrap();
        let why = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && why.contains(expected), "{settings}: {why}");
    }
}

#[test]
fn a_client_is_answered_what_to_do_without_an_answer() {
    let (charging, mut client) = connected(
        "[diameter.peers.\"smf.example.net\"]
session-failover = \"not-supported\"
session-failure = \"retry-and-terminate\"
event-failure = \"continue\"
",
    );
    let wants = (Some(1_000_000), None);
    let [failover, session, event] = [418, 427, 428].map(AvpCode::ietf);
    let number = |answer: &Received, code| answer.all(code).first().map(|avp| avp.u32().unwrap());
    let first = client.ask(&Ccr::default(), |to| packets(to, 1, wants));
    let all = |answer: &Received| [failover, session, event].map(|code| number(answer, code));
    assert_eq!(all(&first), [Some(0), Some(2), None]);
    let end = Ccr { kind: TERMINATION, number: 1, ..Ccr::default() };
    assert_eq!(all(&client.ask(&end, |_| {})), [None; 3], "there is no next request");
    let event = Ccr { session: "e", context: MESSAGES, kind: EVENT, ..Ccr::default() };
    assert_eq!(all(&client.ask(&event, |_| {})), [None, None, Some(1)]);
    // Sessions of accounts in a folder are those of one process.
    let path = charging.folder().join("charging.toml");
    let text =
        std::fs::read_to_string(&path).unwrap().replace("\"not-supported\"", "\"supported\"");
    std::fs::write(&path, text).unwrap();
    let refused = charging.command("charge check").output().unwrap();
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(why.contains("no other node can go on with the sessions of this one"), "{why}");
}

/// Sets a tariff in which messages have become more expensive in 2026: from 0.49 to 0.98.
fn raise_the_price(folder: &Path) {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/prepaid/tariff");
    let tariff = folder.join("tariff");
    std::fs::create_dir(&tariff).unwrap();
    for file in std::fs::read_dir(&example).unwrap().map(Result::unwrap) {
        let text = std::fs::read_to_string(file.path()).unwrap();
        let now = "sms,2026-01-01 Europe/Stockholm,,*,,0.49,message";
        let then = now.replace("2026", "2025");
        let text = text.replace(now, &format!("{then},,,,\n{}", now.replace("0.49", "0.98")));
        std::fs::write(tariff.join(file.file_name()), text).unwrap();
    }
    let definition = folder.join("charging.toml");
    let text = std::fs::read_to_string(&definition).unwrap();
    std::fs::write(&definition, text.replace(&format!("{example:?}"), "\"tariff\"")).unwrap();
}

#[test]
fn an_event_that_was_stored_has_the_price_of_its_time_if_that_is_set() {
    for (setting, left) in [("price-of-now", "199.02"), ("price-of-then", "199.51")] {
        let table =
            format!("[diameter.peers.\"smf.example.net\"]\nstored-events = \"{setting}\"\n");
        let charging = charging_in(&format!("{TABLES}{table}"), raise_the_price);
        let mut client = Client::connect(charging.diameter_address(), "smf.example.net");
        let event = Ccr { session: "e", context: MESSAGES, kind: EVENT, ..Ccr::default() };
        let mut octets = client.ccr(&event, |to| to.time(AvpCode::ietf(55), SUMMER_OF_2025));
        octets[FLAGS_AT] |= flags::RETRANSMITTED;
        assert_eq!(client.ask_again(&octets).result(), 2001);
        assert_eq!(amount(&charging, NUMBER), left, "{setting}");
        // One that is sent at once has the price of now.
        let event = Ccr { session: "f", ..event };
        client.ask(&event, |to| to.time(AvpCode::ietf(55), SUMMER_OF_2025));
        let now = if setting == "price-of-now" { "198.04" } else { "198.53" };
        assert_eq!(amount(&charging, NUMBER), now);
    }
}

#[test]
fn a_subscriber_is_named_by_an_extension_too() {
    let (charging, address) = charging("");
    let mut client = Client::connect(address, "smf.example.net");
    let answer = client.ask(&Ccr { subscriber: "", ..Ccr::default() }, |to| {
        to.group(AvpCode::ietf(659), |to| to.text(AvpCode::ietf(661), "240010000000001"));
        to.group(AvpCode::ietf(659), |to| to.text(AvpCode::ietf(660), "+46701000001"));
        packets(to, 1, (Some(1_000_000), None));
    });
    assert_eq!(answer.services()[0].granted, Some(1_000_000));
    assert_eq!(reserved(&charging, NUMBER), "0.10");
}
