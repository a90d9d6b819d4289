//! Tests what the API shows of a subscriber's counters in rating nodes.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api::served::{As, Served, tollgate};
use crate::api::tariffs::rated;
use crate::common::wait::wait_for;

/// Creates a flow whose rating node keeps counters, and a call of 5,000 seconds.
fn counting() -> TempDir {
    let folder = rated();
    let here = folder.path();
    change(&here.join("flow.toml"), "counters = \"ignored\"", "counters = \"kept\"");
    change(&here.join("tariff/tariff.toml"), "subscriber = \"consumer\"", "subscriber = \"plus\"");
    let call = "service,served,other,partner,start,duration,octets\n\
                telephony,0701234567,0721234567,,20261005120000Z,5000,\n";
    fs::write(here.join("in/calls.csv"), call).unwrap();
    folder
}

fn change(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

/// Returns the node of each counter of a subscriber, and the counter's value.
fn used(served: &Served, who: &As, account: &str) -> Vec<String> {
    let answer = served.ask(who, "GET", &format!("/api/counters?account={account}"), None);
    if answer.status != 200 {
        return Vec::new();
    }
    let counters = answer.json()["counters"].as_array().unwrap().clone();
    let of =
        |of: &Value| format!("{} {}", of["node"].as_str().unwrap(), of["used"].as_str().unwrap());
    counters.iter().map(of).collect()
}

/// Returns the line of JSON that the command prints.
fn line(served: &Served, arguments: &str) -> Value {
    let command = format!("tariff counters flow.toml {arguments}");
    let output = tollgate(&served.folder, &command).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

fn in_doubt(served: &Served, who: &As) -> Value {
    served.got(who, "/api/counters/in-doubt")
}

#[test]
fn who_looks_sees_what_was_counted_of_a_subscriber() {
    let served = Served::start(counting());
    let anna = served.first();
    let olaf = served.invited(&anna, "olaf", "operator");
    wait_for("the call", || used(&served, &olaf, "46701234567") == ["price 5000"]);
    let counters = served.got(&olaf, "/api/counters?account=46701234567&node=price");
    let counted = json!({
        "node": "price", "of": "bundle", "name": "plus-100", "period": "2026-10", "used": "5000",
        "unit": "seconds", "changed_by": "calls.csv",
    });
    assert_eq!(counters["counters"], json!([counted]));
    assert_eq!(
        line(&served, "46701234567 --node price --json"),
        counted,
        "the command and the API"
    );
    for nothing in ["account=46700000000", "account=46701234567&node=cost"] {
        let counters = served.got(&olaf, &format!("/api/counters?{nothing}"));
        assert_eq!(counters["counters"], json!([]), "{nothing}");
    }
    assert_eq!(served.ask(&olaf, "GET", "/api/counters", None).status, 400, "whose?");
}

#[test]
fn counters_of_a_node_with_another_name_go_to_it_while_the_gateway_runs() {
    let served = Served::start(counting());
    let anna = served.first();
    let (olaf, vera) =
        (served.invited(&anna, "olaf", "operator"), served.invited(&anna, "vera", "viewer"));
    wait_for("the call", || used(&served, &anna, "46701234567") == ["price 5000"]);
    assert_eq!(in_doubt(&served, &vera), json!({"nodes": [], "keeping": []}));
    let flow = served.folder.path().join("flow.toml");
    change(&flow, "[rating.price]", "[rating.cost]");
    change(&flow, "from    = \"price\"", "from    = \"cost\"");
    wait_for("the alarm", || in_doubt(&served, &vera)["nodes"][0].is_object());
    let doubted = in_doubt(&served, &vera);
    let node = &doubted["nodes"][0];
    assert_eq!((&node["node"], &node["why"]), (&json!("price"), &json!("orphaned")));
    assert_eq!((&node["subscribers"], &node["asked"]), (&json!(1), &Value::Null));
    assert!(node["since"].is_string() && doubted["keeping"] == json!(["cost"]), "{doubted}");
    let ask = |who: &As, deed: Value| served.ask(who, "POST", "/api/counters/change", Some(deed));
    let moves = |to: &str| json!({"deed": "move", "node": "price", "to": to, "because": "renamed"});
    assert_eq!(ask(&vera, moves("cost")).status, 403);
    for (status, deed, code, told) in [
        (
            422,
            json!({"deed": "move", "node": "price", "because": "renamed"}),
            "counters-target-missing",
            "to which node",
        ),
        (
            422,
            json!({"deed": "forget", "node": "price", "because": " "}),
            "reason-missing",
            "give a reason",
        ),
        (
            422,
            json!({"deed": "forget", "node": "price", "to": "cost", "because": "x"}),
            "counters-target-unexpected",
            "only counters that are moved",
        ),
        (
            404,
            json!({"deed": "forget", "node": "prise", "because": "x"}),
            "counters-unknown",
            "no counters of \\\"prise\\\"",
        ),
        (
            409,
            json!({"deed": "accept", "node": "price", "because": "x"}),
            "node-keeps-no-counters",
            "no node \\\"price\\\"",
        ),
        (409, moves("cots"), "node-keeps-no-counters", "no node \\\"cots\\\" that keeps counters"),
    ] {
        let answer = ask(&olaf, deed);
        assert!(answer.status == status && answer.body.contains(told), "{}", answer.body);
        assert_eq!(answer.json()["code"], code, "{}", answer.body);
    }
    let changed = served.done(&olaf, "POST", "/api/counters/change", Some(moves("cost")));
    let expected = json!({"waiting": false, "subscribers": 1, "added_up": 0, "left": 0});
    assert_eq!(changed, expected);
    assert_eq!(used(&served, &anna, "46701234567"), ["cost 5000"]);
    assert_eq!(in_doubt(&served, &vera)["nodes"], json!([]), "the alarm is over");
    let alarms = served.got(&vera, "/api/alarms");
    assert_eq!(alarms["alarms"], json!([]));
    let trail = served.got(&anna, "/api/trail")["entries"].clone();
    let entry = trail.as_array().unwrap().iter().find(|entry| entry["action"] == "counters move");
    let entry = entry.expect("an entry");
    assert_eq!((&entry["who"], &entry["reason"]), (&json!("olaf"), &json!("renamed")));
    assert_eq!(entry["subject"], "1 subscriber of \"price\" to \"cost\"");
}

#[test]
fn counters_that_were_counted_by_something_else_are_accepted_or_forgotten() {
    let served = Served::start(counting());
    let anna = served.first();
    wait_for("the call", || used(&served, &anna, "46701234567") == ["price 5000"]);
    let flow = served.folder.path().join("flow.toml");
    let (kept, account) =
        ("counters = \"kept\"", "counters = \"kept\"\naccount  = 'concat(\"+\", record.served)'");
    let ask = |deed: &str| {
        let body = json!({"deed": deed, "node": "price", "because": "looked into"});
        served.ask(&anna, "POST", "/api/counters/change", Some(body))
    };
    let doubted = || in_doubt(&served, &anna)["nodes"][0].clone();
    change(&flow, kept, account);
    wait_for("the alarm", || doubted()["why"] == "keyed-otherwise");
    assert_eq!(doubted()["subscribers"], 1);
    let accepted = line(&served, "--accept price --because equal --json");
    let expected = json!({"waiting": false, "subscribers": 1, "added_up": 0, "left": 0});
    assert_eq!(accepted, expected);
    assert_eq!(doubted(), Value::Null);
    assert_eq!(used(&served, &anna, "46701234567"), ["price 5000"], "they count on");
    let answer = ask("accept");
    assert!(answer.status == 409 && answer.body.contains("nothing to accept"), "{}", answer.body);
    change(&flow, account, kept);
    wait_for("the alarm again", || doubted()["why"] == "keyed-otherwise");
    assert_eq!(ask("forget").json()["subscribers"], 1);
    assert_eq!((doubted(), used(&served, &anna, "46701234567").len()), (Value::Null, 0));
}
