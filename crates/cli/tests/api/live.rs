//! Tests the live figures.

use std::fs;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::api::served::{As, Served, example};
use crate::common::wait::wait_for;

#[test]
fn what_changes_before_the_first_figures_come_is_told_too() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let text = served.got(&anna, "/api/flow")["text"].clone();
    // The figures of a second may arrive between the graph and the change, but hardly each time.
    for time in 0..3 {
        let mut events = served.live(&anna);
        assert_eq!(events.next().expect("the graph").0, "graph");
        let version = json!({"text": text, "remark": time.to_string()});
        served.done(&anna, "POST", "/api/flow/versions", Some(version));
        let told =
            events.take(5).any(|(event, data)| event == "changed" && data["what"] == "versions");
        assert!(told, "version {time}");
    }
}

#[test]
fn figures_end_for_who_is_removed_or_goes_out_and_for_a_token_that_is_no_more() {
    let served = Served::start(example());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    let olaf = served.invited(&anna, "olaf", "viewer");
    let made = json!({"name": "wall", "role": "viewer"});
    let made = served.done(&anna, "POST", "/api/tokens", Some(made));
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    let wall = As { more: vec![("Authorization", bearer)], ..As::default() };
    let mut looks = [&vera, &olaf, &wall, &anna].map(|who| served.live(who));
    for look in &mut looks {
        assert_eq!(look.next().expect("the graph").0, "graph");
    }
    served.done(&anna, "DELETE", "/api/people/vera", None);
    served.done(&olaf, "POST", "/logout", None);
    served.done(&anna, "DELETE", &format!("/api/tokens/{}", made["id"]), None);
    let [vera, olaf, wall, anna] = looks;
    // Far fewer than without an end, and more than were already on the way.
    let ends = |look: &mut dyn Iterator<Item = (String, Value)>| look.take(60).count() < 60;
    for mut look in [vera, olaf, wall] {
        assert!(ends(&mut look), "who is out still looks");
    }
    let figures = anna.filter(|(event, _)| event == "figures");
    assert_eq!(figures.take(10).count(), 10, "who is in goes on");
}

/// A duplicate check of the records from Boston.
const CHECK: &str = r#"
[duplicate-check.calls]
from = "msc-boston"
type = "MSC.CallDataRecord"
key = ["record.sequenceNumber", "record.servedIMSI", "record.answerTime", "record.callDuration"]
[post-processing-system.checked]
from = "calls"
encode = { type = "MSC.CallDataRecord", codec = "json" }
deliver = { dir = "out/checked" }
"#;

#[test]
fn figures_come_each_second_and_what_is_reported_agrees_with_them() {
    let folder = example();
    let flow = folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::write(flow, text + CHECK).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    served.all_came(&anna);
    let mut events = served.live(&anna);
    let (event, graph) = events.next().expect("the graph");
    assert!(event == "graph" && graph["nodes"].as_array().unwrap().len() > 5, "{graph}");
    // Each record that reached the node and was not refused.
    let keys = |data: &Value| {
        let refused = data["elements"]["msc-boston"]["today"]["suspended"].as_u64()?;
        Some(data["nodes"]["calls"]["keys"].as_u64()? + refused)
    };
    let (_, figures) = events
        // The journal is read only now and then.
        .find(|(_, data)| {
            data["elements"]["msc-boston"]["today"]["files"] == 2
                && data["suspense_open"] == 84
                && keys(data) == Some(10_000)
        })
        .expect("figures");
    assert_eq!(figures["nodes"]["isRoaming"].get("keys"), None, "it knows none");
    assert_eq!(figures["elements"]["msc-boston"]["today"]["in"], 10_000);
    let node = &figures["nodes"]["isRoaming"]["today"];
    let audit = served.got(&anna, "/api/audit");
    let counts = audit["counts"].as_array().unwrap();
    let of = counts.iter().filter(|count| count["node"] == "isRoaming");
    assert_eq!(
        Some(of.filter_map(|count| count["records"].as_u64()).sum()),
        node["in"].as_u64(),
        "no record was refused behind it"
    );
    assert_eq!(audit["differences"], json!([]));
    let history = served.got(&anna, "/api/history");
    assert_eq!(
        history["at"].as_array().map(Vec::len),
        history["records"].as_array().map(Vec::len),
        "{history}"
    );
    let traced = served.got(&anna, "/api/trace?file=boston-00002.ber&record=1");
    assert_eq!(traced["traced"][0]["network_element"], "msc-boston", "{traced}");
    let none = served.ask(&anna, "GET", "/api/sequences", None);
    assert_eq!(none.status, 404, "nothing is numbered: {}", none.body);
    for path in ["/api/deliveries", "/api/alarms?all=true", "/api/files?name=new-york"] {
        served.got(&anna, path);
    }
}

/// Outputs may be written directly into the receivers' folders, delivered there, or merged on the way.
#[test]
fn a_plot_of_delays_tells_how_long_the_slowest_file_took_whatever_its_date() {
    for way in [
        "name = \"{network-element}-{stem}.x\"",
        "name = \"{network-element}-{stem}.x\", checksum = \"sha256\"",
        "name = \"M{number}.x\", merge = { within = \"1 second\", files-max = 2 }",
    ] {
        let folder = example();
        let flow = folder.path().join("flow.toml");
        let text = fs::read_to_string(&flow).unwrap();
        let line =
            |line: &str| match line.split_once("name =").filter(|_| line.starts_with("deliver")) {
                Some((before, _)) => format!("{before}{way} }}\n"),
                None => format!("{line}\n"),
            };
        fs::write(&flow, text.lines().map(line).collect::<String>()).unwrap();
        let dated = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        for element in ["in/boston", "in/new-york"] {
            for file in fs::read_dir(folder.path().join(element)).unwrap() {
                let file = fs::File::options().write(true).open(file.unwrap().path()).unwrap();
                file.set_modified(dated).unwrap();
            }
        }
        let served = Served::start(folder);
        let anna = served.first();
        let mut delays: Vec<f64> = Vec::new();
        wait_for("a delay", || {
            let history = served.got(&anna, "/api/history");
            let told = history["delay_seconds"].as_array().expect("delays").clone();
            assert_eq!(told.len(), history["at"].as_array().unwrap().len(), "{history}");
            delays = told.iter().filter_map(Value::as_f64).collect();
            !delays.is_empty()
        });
        let is_of_today = |delay: &f64| *delay > 0.0 && *delay < 3_600.0;
        assert!(delays.iter().all(is_of_today), "{way}: {delays:?}");
    }
}
