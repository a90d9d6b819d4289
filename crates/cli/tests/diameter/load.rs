//! Many clients at once: each answer is checked, and what is charged is what all sessions cost, also through kills.

use std::net::SocketAddr;
use std::process::Child;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::TABLES;
use crate::charging::{Charging, SUBSCRIBERS};
use crate::common::wait::wait_for;

/// Starts a load, and lets it run beside the test.
fn load(charging: &Charging, address: SocketAddr, more: &str) -> Child {
    let line = format!(
        "simulate diameter {address} --charging charging.toml --subscribers {SUBSCRIBERS} --patience 60 --json {more}"
    );
    let mut command = charging.command(&line);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    command.spawn().expect("a process")
}

/// Returns what came of a load without faults.
fn result(load: Child) -> Value {
    let output = load.wait_with_output().unwrap();
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{wrong}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn sessions_in_any_order_and_twice_are_charged_exactly() {
    let mut charging = Charging::new();
    charging.define(TABLES);
    charging.start();
    let more = "--sessions 4000 --repeated 0.2 --disordered 0.5 --updates 4 --hot 0.3 --events 0.2";
    let of = result(load(&charging, charging.diameter_address(), more));
    assert_eq!(of["cost"], of["charged"], "{of}");
    for what in ["sessions", "events", "refused", "repeated"] {
        assert!(of[what].as_u64().unwrap() > 0, "{what}: {of}");
    }
    assert_nothing_is_open(&charging);
    charging.stop();
    assert!(charging.is_balanced());
}

/// Checks that a load without faults has left no session, no reservation, no connection and no request without an answer.
fn assert_nothing_is_open(charging: &Charging) {
    let figures = charging.json("charge show");
    let left = (&figures["open_sessions"], &figures["reserved"]);
    assert_eq!(left, (&0.into(), &"0.00".into()), "{figures}");
    let peers = || charging.json("charge peers list")["peers"].take();
    let connections = |peers: &Value| -> usize {
        let all = peers.as_array().expect("peers").iter();
        all.map(|peer| peer["connections"].as_array().expect("connections").len()).sum()
    };
    wait_for("the end of the connections", || connections(&peers()) == 0);
    for peer in peers().as_array().unwrap() {
        let results = peer["results"].as_array().unwrap().iter();
        let answers: u64 = results.map(|of| of["count"].as_u64().unwrap()).sum();
        assert!(answers >= peer["requests"].as_u64().unwrap(), "{peer}");
        assert_eq!(peer["discarded"], 0, "{peer}");
    }
}

#[test]
fn sessions_are_charged_exactly_through_kills() {
    let mut charging = Charging::endless();
    charging.define(TABLES);
    charging.start();
    let address = charging.diameter_address();
    charging.stop();
    // The next processes listen at the same address.
    let path = charging.folder().join("charging.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let listen = "listen = \"127.0.0.1:0\"\nhost";
    let fixed = format!("listen = \"{address}\"\nhost");
    std::fs::write(&path, text.replace(listen, &fixed)).unwrap();
    charging.start();
    // The sum of before is that of a system that runs.
    let running = load(&charging, address, "--connections 4 --sessions 60000 --repeated 0.1");
    for _ in 0..3 {
        thread::sleep(Duration::from_millis(700));
        charging.kill();
        charging.start();
    }
    let of = result(running);
    assert_eq!(of["cost"], of["charged"], "{of}");
    assert!(of["reconnects"].as_u64().unwrap() >= 4, "{of}");
    charging.stop();
    assert!(charging.is_balanced());
}
