//! Tests that an edited script runs on records that reach its node: of the files that came last, and of suspense.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api::served::{Answer, As, Served, example};
use crate::common::wait::wait_for;

fn run(served: &Served, who: &As, file: &str, node: &str, (from, text): (&str, &str)) -> Answer {
    let body = json!({"text": text, "node": node, "from": from});
    served.ask(who, "POST", &format!("/api/samples/scripts/{file}"), Some(body))
}

/// Returns the samples, of which there must be one at least, each with its record as it reached the node.
fn samples(found: &Value) -> Vec<(&Value, Value)> {
    let records = found["records"].as_array().unwrap_or_else(|| panic!("{found}"));
    assert!(!records.is_empty(), "{found}");
    let came = |record: &Value| serde_json::from_str(record["came"].as_str().unwrap()).unwrap();
    records.iter().map(|record| (record, came(record))).collect()
}

fn made(became: &Value) -> Value {
    assert_eq!(became["problem"], Value::Null, "{became}");
    let records = became["records"].as_array().unwrap();
    assert_eq!(records.len(), 1, "{became}");
    serde_json::from_str(records[0].as_str().unwrap()).unwrap()
}

#[test]
fn a_script_that_is_edited_runs_on_records_that_come_to_its_node_beside_the_one_that_runs() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let edited = "BOOLEAN isRoaming(cdr CONST CallDataRecord) { return cdr.callDuration > 60; }";
    let found = run(&served, &anna, "is_roaming.dup", "isRoaming", ("stream", edited)).json();
    let records = samples(&found);
    assert_eq!(records.len(), 20);
    for centre in ["msc-new-york", "msc-boston"] {
        let of = records.iter().filter(|(sample, _)| sample["network_element"] == centre);
        assert_eq!(of.count(), 10, "of each as many: {found}");
    }
    for (sample, came) in &records {
        // Records that the filter before the node keeps do not reach it.
        assert!([json!(0), json!(4)].contains(&came["causeForTermination"]), "{came}");
        let is_roaming = came["recordType"] == 2;
        assert_eq!(sample["now"]["stream"], is_roaming.to_string(), "{sample}");
        let is_long = came["callDuration"].as_u64().unwrap() > 60;
        assert_eq!(sample["edited"]["stream"], is_long.to_string(), "{sample}");
    }
    for took in ["edited_nanoseconds", "now_nanoseconds"] {
        assert!(found[took].as_f64().unwrap() > 0.0, "{found}");
    }
    assert_eq!(found["unknown_behind"], json!([]));

    // The output of a formatter; if the text is the same as that which runs, there is none to compare.
    let path = served.folder.path().join("scripts/home_v8.dup");
    let text = fs::read_to_string(path).unwrap();
    let home = |text: &str| run(&served, &anna, "home_v8.dup", "home-v8", ("stream", text)).json();
    let found = home(&text.replace("out.version := 8", "out.version := 9"));
    for (sample, came) in samples(&found) {
        assert_ne!(came["recordType"], 2);
        let (edited, now) = (made(&sample["edited"]), made(&sample["now"]));
        assert_eq!((&edited["version"], &now["version"]), (&json!(9), &json!(8)));
        assert_eq!(edited["servedIMSI"], came["servedIMSI"]);
    }
    let found = home(&text);
    assert!(found["now_nanoseconds"].is_null() && samples(&found)[0].0["now"].is_null(), "{found}");
}

#[test]
fn a_script_is_mended_on_the_records_that_it_refused() {
    let folder = example();
    let refusing = "BOOLEAN isRoaming(cdr CONST CallDataRecord)\n\
                    { assert cdr.callDuration % 10 != 7; return cdr.recordType == 2; }\n";
    fs::write(folder.path().join("scripts/is_roaming.dup"), refusing).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    served.all_came(&anna);
    let refused = served.got(&anna, "/api/suspense?node=isRoaming&limit=20");
    let refused = refused["records"].as_array().unwrap();
    assert_eq!(refused.len(), 20);
    let mended = refusing.replace("assert cdr.callDuration % 10 != 7; ", "");
    let asked = ("suspense", mended.as_str());
    let found = run(&served, &anna, "is_roaming.dup", "isRoaming", asked).json();
    let records = samples(&found);
    assert_eq!(records.len(), 20);
    for ((sample, came), refused) in records.iter().zip(refused) {
        assert_eq!(sample["suspended"], refused["id"], "the newest first");
        assert_eq!((&sample["file"], &sample["record"]), (&refused["file"], &refused["record"]));
        assert_eq!(came["callDuration"].as_u64().unwrap() % 10, 7);
        assert_eq!(sample["now"]["problem"], refused["reason"]);
        assert_eq!(sample["edited"]["stream"], (came["recordType"] == 2).to_string());
    }
    assert_eq!(found["now_nanoseconds"], Value::Null, "none ends well");
    // The test changed nothing.
    let after = served.got(&anna, "/api/suspense?node=isRoaming&limit=20");
    assert_eq!(after["records"].as_array(), Some(refused));
}

#[test]
fn a_script_that_cannot_run_on_records_says_why_and_one_without_end_is_ended() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let ask = |text: &str| run(&served, &anna, "is_roaming.dup", "isRoaming", ("stream", text));
    for (text, why) in [
        ("retrun", "is_roaming.dup:1:7"),
        ("BOOLEAN f(a INTEGER) { return TRUE; }", "does not take a record"),
        (
            "BOOLEAN f(a CONST HomeRecord) { return TRUE; }",
            "come records of \\\"MSC.CallDataRecord\\\"",
        ),
    ] {
        let answer = ask(text);
        assert!(answer.status == 422 && answer.body.contains(why), "{text}: {}", answer.body);
    }
    let endless = ask("BOOLEAN f(a CONST CallDataRecord) { while (TRUE) {} return TRUE; }").json();
    for (sample, _) in samples(&endless) {
        assert!(sample["edited"]["problem"].is_string(), "{sample}");
    }
    assert_eq!(endless["edited_nanoseconds"], Value::Null, "none ended well");
    let other = run(&served, &anna, "is_roaming.dup", "isBillable", ("stream", ""));
    assert_eq!(other.status, 404, "{}", other.body);
}

#[test]
fn records_come_as_the_nodes_before_make_them_and_behind_those_that_wait_nobody_knows() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    for made in ["in", "scripts"] {
        fs::create_dir(folder.path().join(made)).unwrap();
    }
    write(
        "calls.asn1",
        "C DEFINITIONS AUTOMATIC TAGS ::= BEGIN Call ::= SEQUENCE { id INTEGER, seconds INTEGER } END\n",
    );
    write("scripts/halved.dup", "NULL halved(call Call) { call.seconds := call.seconds / 2; }\n");
    write("scripts/long.dup", "BOOLEAN long(call CONST Call) { return call.seconds > 60; }\n");
    write("scripts/last.dup", "BOOLEAN last(call CONST Call) { return TRUE; }\n");
    write(
        "scripts/pairs.dup",
        "INTEGER key(call CONST Call) { return call.id / 2; }\n\
         BOOLEAN complete(calls CONST SEQUENCE OF Call) { return count(calls) == 2; }\n\
         NULL combine(calls CONST SEQUENCE OF Call, out Call) \
         { out.id := calls[0].id; out.seconds := calls[0].seconds; }\n",
    );
    write(
        "flow.toml",
        "[asn1]\nmodules = [\"calls.asn1\"]\n\
         [network-element.own]\ncollect = { dir = \"in\", pattern = \"*.json\" }\n\
         decode = { type = \"C.Call\", codec = \"json\" }\n\
         [duplicate-check.once]\nfrom = \"own\"\ntype = \"C.Call\"\nkey = [\"record.id\"]\nwindow = \"1 day\"\n\
         [formatter.halved]\nfrom = \"once\"\nscript = \"scripts/halved.dup\"\n\
         [filter.long]\nfrom = \"halved\"\nscript = \"scripts/long.dup\"\n\
         [matching.pairs]\nfrom = \"long\"\nscript = \"scripts/pairs.dup\"\nwait = { arrival = \"1 day\" }\n\
         [filter.last]\nfrom = \"pairs\"\nscript = \"scripts/last.dup\"\n\
         [post-processing-system.all]\nfrom = \"last\"\nencode = { codec = \"json\" }\n\
         deliver = { dir = \"out\" }\n",
    );
    // The first record comes twice.
    let calls = [(1, 100), (1, 100), (2, 200)];
    let lines = calls.map(|(id, seconds)| format!("{{\"id\":{id},\"seconds\":{seconds}}}\n"));
    write("in/calls.json.part", &lines.concat());
    fs::rename(folder.path().join("in/calls.json.part"), folder.path().join("in/calls.json"))
        .unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    wait_for("the file", || served.got(&anna, "/api/files")["files"][0]["records"] == 3);
    let ask =
        |file: &str, node: &str, text: &str| run(&served, &anna, file, node, ("stream", text));
    let text = "BOOLEAN long(call CONST Call) { return call.seconds > 80; }";
    let found = ask("long.dup", "long", text).json();
    let streams: Vec<_> = samples(&found)
        .into_iter()
        .map(|(sample, came)| {
            let stream = |which: &str| sample[which]["stream"].as_str().unwrap().to_owned();
            (came["seconds"].as_i64().unwrap(), stream("now"), stream("edited"))
        })
        .collect();
    let expected = |seconds, now: &str, edited: &str| (seconds, now.to_owned(), edited.to_owned());
    let short = expected(50, "false", "false");
    assert_eq!(streams, [short.clone(), short, expected(100, "true", "true")]);
    let doubled = "NULL halved(call Call) { call.seconds := call.seconds * 2; }";
    let found = ask("halved.dup", "halved", doubled).json();
    let seconds = samples(&found).into_iter().map(|(sample, came)| {
        let of = |record: &Value| record["seconds"].as_i64().unwrap();
        (of(&came), of(&made(&sample["now"])), of(&made(&sample["edited"])))
    });
    assert_eq!(seconds.collect::<Vec<_>>(), [(100, 50, 200), (100, 50, 200), (200, 100, 400)]);
    let behind = ask("last.dup", "last", "BOOLEAN last(call CONST Call) { return FALSE; }").json();
    assert_eq!((&behind["records"], &behind["unknown_behind"]), (&json!([]), &json!(["pairs"])));
    let pairs =
        ask("pairs.dup", "pairs", "INTEGER key(calls CONST SEQUENCE OF Call) { return 1; }");
    assert_eq!(pairs.status, 422, "a node that takes several at once: {}", pairs.body);
}
