//! The records of ended sessions that a charging system writes, collected by a gateway, which delivers them as BER by a module
//! of the operator.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::charging::{Charging, FIRST, SUBSCRIBERS};
use crate::common::gateway::Gateway;
use crate::common::tollgate::tollgate;
use crate::common::wait::wait_for;

const MODULE: &str = "Ended DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Session ::= SEQUENCE {
  record INTEGER, session IA5String, account INTEGER, leg INTEGER, service IA5String, client UTF8String,
  served IA5String, called IA5String OPTIONAL, partner IA5String OPTIONAL,
  event ENUMERATED { debit, refund } OPTIONAL, start IA5String,
  duration INTEGER OPTIONAL, octets INTEGER OPTIONAL, events INTEGER OPTIONAL, end IA5String,
  price IA5String, currency IA5String, session_price IA5String,
  cause ENUMERATED { ended, lapsed, replaced, closed, late-usage } }
END\n";

const FLOW: &str = r#"[asn1]
modules = ["ended.asn1"]

[network-element.charging]
collect = { dir = "records", pattern = "charging-*.json" }
decode  = { type = "Ended.Session", codec = "json" }

[post-processing-system.warehouse]
from    = "charging"
encode  = { codec = "ber" }
deliver = { dir = "out", name = "{stem}.ber" }
"#;

/// The requests of sessions of other services, and of two with one key.
const SESSIONS: [&str; 6] = [
    r#""session":"data","phase":"first","subscriber":"46701000001","legs":[{"service":"data","wanted":{"octets":1000000}}]"#,
    r#""session":"data","number":1,"phase":"final","subscriber":"46701000001","legs":[{"used":{"octets":700000}}]"#,
    r#""session":"sms","phase":"event","event":"debit","subscriber":"46701000001",
       "legs":[{"service":"sms","other":"46702000000","used":{"events":2}}]"#,
    r#""session":"twice","phase":"first","subscriber":"46701000001",
       "legs":[{"service":"telephony","other":"46812345678","wanted":{"seconds":60}}]"#,
    r#""session":"twice","number":7,"phase":"first","subscriber":"46701000001",
       "legs":[{"service":"telephony","other":"46812345679","wanted":{"seconds":60}}]"#,
    r#""session":"twice","number":8,"phase":"final","subscriber":"46701000001","legs":[{"used":{"seconds":61}}]"#,
];

/// What the last session has called.
const LAST_CALLED: &str = "46812345679";

/// The number of an ended session, and the leg.
type Key = (u64, u64);

/// A charging system that records its sessions, and the flow of a gateway beside it.
struct Site {
    charging: Charging,
}

impl Site {
    fn new() -> Self {
        let mut charging = Charging::new();
        charging.define("[records]\nfolder = \"records\"\nevery = \"1 second\"\n");
        charging.start_at_one_address();
        fs::write(charging.folder().join("ended.asn1"), MODULE).unwrap();
        fs::write(charging.folder().join("flow.toml"), FLOW).unwrap();
        Site { charging }
    }

    /// Makes calls of all subscribers.
    fn calls(&self) {
        let load = "--first-number 46701000000 --subscribers 100 --attempts 150 --second 0.01";
        self.charging.run(&format!("simulate calls --url {} {load}", self.charging.url));
    }

    /// Waits until the record of the last session is delivered.
    fn wait(&self) {
        wait_for("the last record", || {
            let delivered = self.delivered();
            let last = delivered.values().next_back();
            last.is_some_and(|last| last["called"] == LAST_CALLED && last["cause"] == "ended")
        });
    }

    /// Returns the records that the receiver got, decoded.
    fn delivered(&self) -> BTreeMap<Key, Value> {
        let mut records = BTreeMap::new();
        let files = fs::read_dir(self.charging.folder().join("out")).into_iter().flatten();
        let names = files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned());
        // A hidden one is not complete.
        for name in names.filter(|name| !name.starts_with('.')) {
            let decode = format!("asn1 decode -m ended.asn1 -t Ended.Session out/{name}");
            let (status, lines) = tollgate(self.charging.folder(), &decode);
            assert_eq!(status, 0, "{lines}");
            for record in lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
                let key = (record["record"].as_u64().unwrap(), record["leg"].as_u64().unwrap());
                let other = records.insert(key, record);
                assert_eq!(other, None, "it is delivered twice");
            }
        }
        records
    }

    /// Returns what entries of all accounts say of the sessions that have paid: their last entry, with the sum of all.
    fn history(&self) -> BTreeMap<String, (Value, i64)> {
        let mut sessions = BTreeMap::<String, (Value, i64)>::new();
        for number in FIRST..FIRST + SUBSCRIBERS {
            // The newest entry is first.
            let entries =
                self.charging.run(&format!("account history {number} --limit 500 --json"));
            let entries = entries.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            for mut entry in entries.filter(|entry| entry["session"].is_string()) {
                let paid = -hundredths(&entry["amount"]);
                let session = entry["session"].as_str().unwrap().to_owned();
                sessions.entry(session).or_insert((entry["charged"].take(), 0)).1 += paid;
            }
        }
        sessions
    }
}

/// Reads an amount.
fn hundredths(amount: &Value) -> i64 {
    amount.as_str().expect("an amount").replace('.', "").parse().expect("an amount")
}

/// Returns how much a record says was used, of whatever unit.
fn used(record: &Value) -> u64 {
    ["duration", "octets", "events"].iter().filter_map(|of| record[of].as_u64()).sum()
}

#[test]
fn each_ended_session_is_delivered_once_as_ber_with_the_values_of_the_history() {
    let mut site = Site::new();
    let mut gateway = Gateway::start(site.charging.folder());
    site.calls();
    gateway.kill();
    site.charging.kill();
    site.charging.start();
    gateway = Gateway::start(site.charging.folder());
    site.calls();
    for request in SESSIONS {
        let (status, answer) = site.charging.ask(&format!("{{{request}}}"));
        assert!(status == 200 && answer["legs"][0]["refused"].is_null(), "{answer}");
    }
    site.wait();
    site.charging.stop();
    drop(gateway);
    let (delivered, mut history) = (site.delivered(), site.history());
    let numbers: Vec<u64> = delivered.keys().map(|(record, _)| *record).collect();
    assert_eq!(numbers, (1..=delivered.len() as u64).collect::<Vec<_>>(), "none is missing");
    for record in delivered.values() {
        let used = used(record);
        if used == 0 {
            assert_eq!(record["price"], "0.00", "{record}");
            continue;
        }
        let paid = history.remove(record["session"].as_str().unwrap());
        let (charged, paid) = paid.unwrap_or_else(|| panic!("it has no entry: {record}"));
        assert_eq!(hundredths(&record["price"]), paid, "{record}");
        for of in ["service", "client", "served", "start"] {
            assert_eq!(record[of], charged[of], "{record}");
        }
        assert_eq!(record["called"].as_str().unwrap_or_default(), charged["other"], "{record}");
        assert_eq!(used, charged["priced"], "{record}");
    }
    assert!(history.is_empty(), "it has paid, and has no record: {history:?}");
    let cause = |cause: &str| delivered.values().filter(|record| record["cause"] == cause).count();
    assert_eq!((cause("replaced"), cause("ended")), (1, delivered.len() - 1));
}
