//! Accounts that cannot be charged for a while, since their disk does not answer: what begins is refused in time, what was used is
//! paid, and what comes too late is not sent.

use std::collections::HashMap;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use diameter::header::flags;
use tempfile::TempDir;

use super::client::{Ccr, Client, DISCONNECT, NUMBER, UPDATE, WATCHDOG, message, origin, packets};
use super::{TABLES, amount};
use crate::charging::Charging;
use crate::common::preload;
use crate::common::wait::wait_for;

/// After how long an answer is not sent, with a bit more.
const LATE: Duration = Duration::from_millis(9_300);

/// For how long the disk stalls while the system ends: less than the five seconds in which it answers.
const STALLED_AT_THE_END: Duration = Duration::from_secs(3);

/// More requests than a connection may have without an answer.
const TOO_MANY: usize = 4_500;

/// A charging system whose disk stalls while a file is there.
struct Stalling {
    charging: Charging,
    stalled: PathBuf,
    _folder: TempDir,
}

impl Stalling {
    fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let stalled = folder.path().join("stalled");
        let mut charging = Charging::endless();
        charging.define(TABLES);
        let mut run = charging.command("charge run");
        run.env("LD_PRELOAD", preload::library("stalled")).env("STALLED", &stalled);
        charging.start_as(run);
        Stalling { charging, stalled, _folder: folder }
    }

    fn connect(&self) -> Client {
        Client::connect(self.charging.diameter_address(), "smf.example.net")
    }

    fn stall(&self) {
        std::fs::write(&self.stalled, "").unwrap();
    }

    fn go_on(&self) {
        std::fs::remove_file(&self.stalled).unwrap();
    }
}

/// Returns an update of the session `a` that reports usage.
fn report(client: &mut Client) -> Vec<u8> {
    let update = Ccr { kind: UPDATE, number: 1, ..Ccr::default() };
    client.ccr(&update, |to| packets(to, 1, (Some(1_000_000), Some(1_000_000))))
}

fn question(client: &mut Client) {
    let (ids, host) = (client.identifiers(), client.host.clone());
    let octets = message((WATCHDOG, 0, flags::REQUEST), ids, |to| origin(to, &host));
    assert_eq!(client.ask_again(&octets).result(), 2001);
}

#[test]
fn while_the_disk_stalls_what_begins_is_refused_and_what_was_used_is_paid_afterwards() {
    let system = Stalling::start();
    let mut client = system.connect();
    client.ask(&Ccr::default(), |to| packets(to, 1, (Some(1_000_000), None)));
    system.stall();
    let mut begin = |session: &str| {
        let octets = client.ccr(&Ccr { session, ..Ccr::default() }, |to| {
            packets(to, 1, (Some(1_000_000), None));
        });
        client.send(&octets);
        octets
    };
    // Each worker of the charging system takes some of these, and waits for the disk.
    for number in 0..50 {
        begin(&format!("taken {number}"));
        thread::sleep(Duration::from_millis(20));
    }
    let mut refused: HashMap<u32, Vec<u8>> = HashMap::new();
    for number in 0..100 {
        let octets = begin(&format!("refused {number}"));
        refused.insert(u32::from_be_bytes(octets[12..16].try_into().unwrap()), octets);
    }
    let report = report(&mut client);
    client.send(&report);
    let mut again = Vec::new();
    while !refused.is_empty() {
        let answer = client.receive().expect("an answer");
        // The client sends it to another node, or once more (RFC 6733 section 7.1.3).
        assert_eq!((answer.result(), answer.header.flags & flags::ERROR), (3004, flags::ERROR));
        again.extend(refused.remove(&answer.header.hop_by_hop));
    }
    system.go_on();
    wait_for("the payment", || amount(&system.charging, NUMBER) == "999999.90");
    let mut other = Client::connect(system.charging.diameter_address(), "pgw.example.net");
    assert_eq!(other.ask_again(&again[0]).result(), 2001, "nothing was done before");
}

#[test]
fn what_was_used_is_paid_on_a_connection_with_too_many_requests() {
    let system = Stalling::start();
    let mut client = system.connect();
    client.ask(&Ccr::default(), |to| packets(to, 1, (Some(1_000_000), None)));
    system.stall();
    let mut begins = Vec::new();
    for number in 0..TOO_MANY {
        let session = format!("begins {number}");
        let begin = Ccr { session: &session, ..Ccr::default() };
        begins.extend(client.ccr(&begin, |to| packets(to, 1, (Some(1), None))));
    }
    client.send(&begins);
    let report = report(&mut client);
    client.send(&report);
    // Some are refused at once, since there are too many.
    let mut answer = || client.receive().expect("an answer");
    for _ in 0..100 {
        let answer = answer();
        assert_eq!(answer.result(), 3004);
        assert_ne!(answer.header.hop_by_hop.to_be_bytes(), report[12..16]);
    }
    system.go_on();
    let of_report = std::iter::repeat_with(answer)
        .find(|answer| answer.header.hop_by_hop.to_be_bytes() == report[12..16]);
    assert_eq!(of_report.map(|answer| answer.result()), Some(2001));
    wait_for("the payment", || amount(&system.charging, NUMBER) == "999999.90");
}

#[test]
fn a_system_that_stops_answers_what_came_before_and_takes_nothing_new() {
    let system = Stalling::start();
    let mut client = system.connect();
    client.ask(&Ccr::default(), |to| packets(to, 1, (Some(1_000_000), None)));
    system.stall();
    let report = report(&mut client);
    client.send(&report);
    // It was read before the end.
    question(&mut client);
    let Stalling { mut charging, stalled, _folder } = system;
    let stopping = thread::spawn(move || {
        charging.stop();
        charging
    });
    thread::sleep(STALLED_AT_THE_END);
    let begin = Ccr { session: "b", ..Ccr::default() };
    let begin = client.ask(&begin, |to| packets(to, 1, (Some(1), None)));
    assert_eq!(begin.result(), 3004, "the client sends it to another node");
    std::fs::remove_file(stalled).unwrap();
    let answer = client.receive().expect("an answer");
    assert_eq!(answer.header.hop_by_hop.to_be_bytes(), report[12..16]);
    assert_eq!((answer.result(), answer.services()[0].granted), (2001, Some(1_000_000)));
    let dpr = client.receive().expect("a request");
    assert_eq!((dpr.header.command, dpr.header.is_request()), (DISCONNECT, true));
    drop(client);
    let mut charging = stopping.join().unwrap();
    charging.start();
    assert_eq!(amount(&charging, NUMBER), "999999.90");
}

#[test]
fn an_answer_that_comes_too_late_is_not_sent_and_its_request_may_come_again() {
    let system = Stalling::start();
    let mut client = system.connect();
    client.ask(&Ccr::default(), |to| packets(to, 1, (Some(1_000_000), None)));
    system.stall();
    let octets = report(&mut client);
    client.send(&octets);
    // The watchdog does not wait for accounts.
    question(&mut client);
    thread::sleep(LATE);
    system.go_on();
    wait_for("the payment", || amount(&system.charging, NUMBER) == "999999.90");
    // No answer to the first one comes before those to these.
    question(&mut client);
    let mut again = report(&mut client);
    again[4] |= flags::RETRANSMITTED;
    let answer = client.ask_again(&again);
    assert_eq!(answer.services()[0].granted, Some(1_000_000));
    assert_eq!(amount(&system.charging, NUMBER), "999999.90", "it is paid once");
    let next = Ccr { session: "b", ..Ccr::default() };
    assert_eq!(client.ask(&next, |to| packets(to, 1, (Some(1), None))).result(), 2001);
}
