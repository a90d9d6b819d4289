//! Tests a charging system as clients of Diameter meet it.

mod alarms;
mod busy;
mod client;
mod ends;
mod faults;
mod final_units;
mod hostile;
mod load;
mod messages;
mod peers;
mod sctp;
mod sessions;
mod tls;
mod traces;

use std::net::SocketAddr;
use std::path::Path;

use crate::charging::Charging;
use client::Client;

/// The tables of a definition that takes clients of this machine.
const TABLES: &str = "[diameter]
listen = \"127.0.0.1:0\"
host = \"charging.example.net\"
realm = \"example.net\"
[diameter.services.data]
contexts = [\"32251@3gpp.org\"]
[diameter.services.telephony]
contexts = [\"32260@3gpp.org\"]
[diameter.services.sms]
contexts = [\"32274@3gpp.org\"]
";

/// Starts a charging system with more tables.
fn charging(more: &str) -> (Charging, SocketAddr) {
    charging_of(&format!("{TABLES}{more}"))
}

/// Starts a charging system with tables.
fn charging_of(tables: &str) -> (Charging, SocketAddr) {
    let charging = charging_in(tables, |_| {});
    let address = charging.diameter_address();
    (charging, address)
}

/// Starts a charging system with tables in a folder that is prepared.
fn charging_in(tables: &str, prepare: impl FnOnce(&Path)) -> Charging {
    let mut charging = Charging::new();
    prepare(charging.folder());
    charging.define(tables);
    charging.start();
    charging
}

/// Starts one, and connects a client.
fn connected(more: &str) -> (Charging, Client) {
    let (charging, address) = charging(more);
    (charging, Client::connect(address, "smf.example.net"))
}

/// Returns what an account has, with what is reserved.
fn amount(charging: &Charging, number: &str) -> String {
    let account = charging.json(&format!("account show {number}"));
    account["balances"][0]["amount"].as_str().expect("an amount").to_owned()
}

fn reserved(charging: &Charging, number: &str) -> String {
    let account = charging.json(&format!("account show {number}"));
    account["balances"][0]["reserved"].as_str().expect("an amount").to_owned()
}
