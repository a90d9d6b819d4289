//! Tests what the API shows of outputs that wait to be merged into one file for a receiver.

use std::fs;

use runtime::time::moment;
use serde_json::{Value, json};

use crate::api::served::{Served, example};
use crate::common::wait::wait_for;

#[test]
fn what_waits_in_the_file_that_outputs_are_gathered_for_is_told() {
    let folder = example();
    let path = folder.path().join("flow.toml");
    let flow = fs::read_to_string(&path).unwrap();
    let plain = "deliver = { dir = \"out/home\", name = \"{network-element}-{stem}.ber\" }";
    let merged = "deliver = { dir = \"out/home\", name = \"home-{number}.ber\", \
                  merge = { within = \"1 hour\", files-max = 50, size-max = \"2 GB\" } }";
    assert!(flow.contains(plain), "{flow}");
    fs::write(&path, flow.replace(plain, merged)).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    served.all_came(&anna);
    let gathering = || served.got(&anna, "/api/deliveries/gathering")["gathering"].clone();
    wait_for("four outputs", || gathering()[0]["outputs"] == 4);
    let gathering = gathering();
    assert_eq!(gathering.as_array().map(Vec::len), Some(1), "{gathering}");
    let file = &gathering[0];
    assert_eq!(file["post_processing_system"], "home-billing");
    let lie = fs::read_dir(served.folder.path().join("flow.state/out/home-billing")).unwrap();
    let octets: u64 = lie.map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
    assert!(octets > 0 && file["octets"] == octets, "{octets}: {file}");
    assert!(file["records"].as_i64().unwrap() > 0);
    let at = |text: &Value| moment(text.as_str().unwrap()).unwrap();
    let closes = &file["closes"];
    assert_eq!(at(&closes["at"]) - at(&file["since"]), 3_600_000, "{file}");
    assert_eq!(closes["outputs_max"], 50);
    assert_eq!(closes["octets_max"], 2_000_000_000_u64);
    assert_eq!(closes["records_max"], Value::Null);

    let of = |system: &str| {
        served.got(&anna, &format!("/api/deliveries/gathering?post_processing_system={system}"))
    };
    assert_eq!(of("home-billing")["gathering"], gathering);
    assert_eq!(of("statistics"), json!({"gathering": []}));
}
