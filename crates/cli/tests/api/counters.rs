//! What rating nodes have counted of a subscriber.

use std::fs;

use serde_json::json;

use crate::served::Served;
use crate::tariffs::rated;
use crate::wait::wait_for;

#[test]
fn who_looks_sees_what_was_counted_of_a_subscriber() {
    let folder = rated();
    for (file, from, to) in [
        ("flow.toml", "counters = \"ignored\"", "counters = \"kept\""),
        ("tariff/tariff.toml", "subscriber = \"consumer\"", "subscriber = \"plus\""),
    ] {
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).unwrap();
    }
    let call = "service,served,other,partner,start,duration,octets\n\
                telephony,0701234567,0721234567,,20261005120000Z,5000,\n";
    fs::write(folder.path().join("in/calls.csv"), call).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    wait_for("the call", || {
        let counters = served.ask(&vera, "GET", "/api/counters?account=46701234567", None);
        counters.status == 200 && counters.json()["counters"][0].is_object()
    });
    let counters = served.got(&vera, "/api/counters?account=46701234567&node=price");
    let counted = json!({
        "node": "price", "of": "bundle", "name": "plus-100", "period": "2026-10", "used": "5000",
        "unit": "seconds", "changed_by": "calls.csv",
    });
    assert_eq!(counters["counters"], json!([counted]));
    for nothing in ["account=46700000000", "account=46701234567&node=cost"] {
        let counters = served.got(&vera, &format!("/api/counters?{nothing}"));
        assert_eq!(counters["counters"], json!([]), "{nothing}");
    }
    assert_eq!(served.ask(&vera, "GET", "/api/counters", None).status, 400, "whose?");
}
