//! Traces of messages to files: what is in them, and when they end.

use std::path::Path;

use serde_json::Value;

use super::client::{Ccr, Client, NUMBER, TERMINATION, UPDATE, WATCHDOG, message, origin, packets};
use super::{Charging, charging, connected};
use crate::common::wait::wait_for;
use diameter::header::flags;

/// Returns the commands and the sessions of the messages in a file of XML, each with an arrow.
fn ladder(xml: &str) -> Vec<String> {
    let value = |text: &str, before: &str| {
        let (_, rest) = text.split_once(before)?;
        rest.split_once('"').map(|(value, _)| value.to_owned())
    };
    let message = |text: &str| {
        let arrow = if text.contains("sent=\"true\"") { "<" } else { ">" };
        let command = value(text, "command=\"").unwrap_or_default();
        let session = value(text, "name=\"Session-Id\" value=\"").unwrap_or_default();
        format!("{arrow} {command} {session}").trim_end().to_owned()
    };
    xml.split("<message ").skip(1).map(message).collect()
}

/// Returns what is in a trace.
fn exported(charging: &Charging, trace: u32) -> Vec<String> {
    charging.run(&format!("charge traces export {trace} trace.xml --xml"));
    let xml = std::fs::read_to_string(charging.folder().join("trace.xml")).unwrap();
    assert!(xml.starts_with("<?xml") && xml.ends_with("</messages>\n"), "{xml}");
    ladder(&xml)
}

fn traces(charging: &Charging) -> Vec<Value> {
    let list = charging.run("charge traces list --json");
    list.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn ask(client: &mut Client, session: &str, subscriber: &str) {
    let ccr = Ccr { session, subscriber, ..Ccr::default() };
    client.ask(&ccr, |to| packets(to, 100, (Some(1_000), None)));
}

#[test]
fn a_trace_of_a_number_has_its_messages_of_both_directions_in_order_and_no_others() {
    let (charging, address) = charging("");
    let mut smf = Client::connect(address, "smf.example.net");
    let mut pgw = Client::connect(address, "pgw.example.net");
    ask(&mut smf, "before", NUMBER);
    let start = format!("charge traces start --number +{NUMBER} --because no-data");
    assert_eq!(charging.json(&start)["trace"], 1);
    ask(&mut smf, "a", NUMBER);
    ask(&mut pgw, "b", "46701000002");
    ask(&mut pgw, "c", NUMBER);
    let end = Ccr { kind: TERMINATION, number: 1, ..Ccr::default() };
    smf.ask(&end, |to| packets(to, 100, (None, Some(400))));
    // An answer that refuses is one of its session, too.
    let update = Ccr { session: "a", kind: UPDATE, number: 2, subscriber: "", ..Ccr::default() };
    assert_eq!(smf.ask(&update, |to| packets(to, 100, (Some(1), None))).result(), 5005);
    let ended = charging.run("charge traces end 1 --because found-it");
    assert_eq!(ended, "the trace 1 has ended: 8 messages\n");
    ask(&mut smf, "after", NUMBER);
    let of = |host: &str, session: &str| {
        ["> CCR", "< CCA"].map(|of| format!("{of} {host}.example.net;{session}"))
    };
    let expected = [of("smf", "a"), of("pgw", "c"), of("smf", "a"), of("smf", "a")].concat();
    assert_eq!(exported(&charging, 1), expected);
    // Who, and why.
    let trail = charging.run("account trail");
    for part in [format!("trace 1 of number +{NUMBER}").as_str(), "no-data", "found-it"] {
        assert!(trail.contains(part), "{part}: {trail}");
    }
    let shown = charging.run("charge traces list");
    assert!(shown.contains("ended: an operator ended it"), "{shown}");
    let removed = charging.run("charge traces remove 1 --because done");
    assert_eq!(removed, "the trace 1 is removed\n");
    assert_eq!(traces(&charging), [] as [Value; 0]);
    assert_eq!(files(charging.folder()), [] as [String; 0]);
}

/// Returns the names of the files of traces.
fn files(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder.join("charging.state/message-traces")).unwrap();
    files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_session_a_peer_and_all_messages_are_traced_at_once() {
    let (charging, address) = charging("");
    for of in ["--session smf.example.net;a", "--peer PGW.example.net", "--all"] {
        charging.run(&format!("charge traces start {of} --because test"));
    }
    let mut smf = Client::connect(address, "smf.example.net");
    let mut pgw = Client::connect(address, "pgw.example.net");
    ask(&mut smf, "a", NUMBER);
    ask(&mut pgw, "b", NUMBER);
    for trace in 1..=3 {
        charging.run(&format!("charge traces end {trace} --because test"));
    }
    let [a, b] = ["smf.example.net;a", "pgw.example.net;b"]
        .map(|session| ["> CCR", "< CCA"].map(|of| format!("{of} {session}")));
    let capabilities = ["> CER", "< CEA"].map(str::to_owned);
    assert_eq!(exported(&charging, 1), a);
    assert_eq!(exported(&charging, 2), [capabilities.clone(), b.clone()].concat());
    assert_eq!(exported(&charging, 3), [capabilities.clone(), capabilities, a, b].concat());
}

#[test]
fn a_trace_ends_by_itself_by_its_time_or_its_size() {
    let (charging, mut client) = connected("");
    let start = |limit: [&str; 2]| {
        let mut command = charging.command("charge traces start --all --because test");
        assert!(command.args(limit).status().unwrap().success());
    };
    start(["--for", "1 second"]);
    start(["--size", "1 kB"]);
    ask(&mut client, "a", NUMBER);
    ask(&mut client, "b", NUMBER);
    let why = |trace: &Value| trace["ended_because"].as_str().map(str::to_owned);
    wait_for("the ends", || traces(&charging).iter().all(|trace| trace["ended"].is_string()));
    let whys: Vec<_> = traces(&charging).iter().filter_map(why).collect();
    assert_eq!(whys, ["its file is full", "its time is over"]);
    charging.expect_logged("the trace 1 has ended, since its time is over");
    let refused = |line: &str| {
        let output = charging.command(line).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let late = refused("charge traces end 1 --because late");
    assert!(late.contains("1 has ended"), "{late}");
    let long = refused("charge traces start --all --for 2d --because long");
    assert!(long.contains("\"2d\" is no length of a trace"), "{long}");
    assert!(refused("charge traces export 7 x.pcapng").contains("there is no trace 7"));
    let one = "charge traces start --all --because one";
    (0..8).for_each(|_| drop(charging.run(one)));
    assert!(refused(one).contains("8 traces run already"));
    assert!(refused("charge traces remove 3 --because early").contains("3 runs: end it first"));
}

#[test]
fn a_trace_of_a_process_that_is_killed_is_readable() {
    let (mut charging, mut client) = connected("");
    charging.run("charge traces start --all --because test");
    ask(&mut client, "a", NUMBER);
    let file = charging.folder().join("charging.state/message-traces/1.pcapng");
    let is_there = || {
        let text = std::fs::read(&file).unwrap();
        String::from_utf8_lossy(&text).matches("smf.example.net;a").count() == 2
    };
    wait_for("the messages", is_there);
    charging.kill();
    // What the kill has cut.
    use std::io::Write as _;
    let mut cut = std::fs::OpenOptions::new().append(true).open(&file).unwrap();
    cut.write_all(&[6, 0, 0, 0, 200, 0, 0, 0, 1]).unwrap();
    let killed = &traces(&charging)[0];
    assert_eq!(killed["ended_because"], "the charging system was killed");
    charging.run("charge traces export 1 trace.pcapng");
    let exported_octets = std::fs::read(charging.folder().join("trace.pcapng")).unwrap();
    assert_eq!(exported_octets.len() + 9, std::fs::read(&file).unwrap().len());
    charging.start();
    let session = "smf.example.net;a";
    assert_eq!(exported(&charging, 1), [format!("> CCR {session}"), format!("< CCA {session}")]);
    let next = charging.json("charge traces start --all --because test");
    assert_eq!(next["trace"], 2, "a trace does not run on after a restart");
    charging.run("charge traces remove 1 --because test");
}

#[test]
fn messages_that_have_no_room_are_missing_and_counted() {
    let (charging, mut client) = connected("");
    charging.run("charge traces start --all --because test");
    let (ids, host) = (client.identifiers(), client.host.clone());
    let large = message((WATCHDOG, 0, flags::REQUEST), ids, |to| {
        origin(to, &host);
        to.avp(diameter::avp::AvpCode::ietf(1), 0, |to| to.resize(to.len() + 600_000, b'x'));
    });
    client.send(&large);
    client.receive().unwrap();
    ask(&mut client, "a", NUMBER);
    let ended = charging.run("charge traces end 1 --because test");
    let expected = "the trace 1 has ended: 3 messages, and 1 came too fast and may be missing\n";
    assert_eq!(ended, expected);
    assert_eq!(traces(&charging)[0]["dropped"], 1);
    charging.run("charge traces export 1 trace.pcapng");
    let file = std::fs::read(charging.folder().join("trace.pcapng")).unwrap();
    let missing: &[u8] = &[[5, 0, 8, 0, 1].as_slice(), &[0; 7]].concat();
    assert!(file.windows(missing.len()).any(|of| of == missing), "isb_ifdrop");
    assert!(String::from_utf8_lossy(&file).contains("messages are missing"));
}
