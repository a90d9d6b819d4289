//! Tests looking into files: every record is shown with its parts, and no path outside the flow can be read.

use std::fs;

use serde_json::{Value, json};

use crate::api::served::{Served, example};
use crate::common::wait::wait_for;

/// Returns a record's octets from an answer.
fn octets(record: &Value) -> Vec<u8> {
    let text = record["octets"].as_str().expect("octets");
    let pairs = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

/// Collects the parts of a record that have no parts below them: name, value and the octets of the value.
fn leaves(parts: &Value, octets: &[u8], to: &mut Vec<(String, String, Vec<u8>)>) {
    for part in parts.as_array().expect("parts") {
        let place = |key: &str| part[key].as_u64().expect("a number") as usize;
        let (start, length) = (place("content_offset"), place("content_length"));
        assert!(place("offset") <= start, "{part}");
        assert!(start + length <= place("offset") + place("length"), "{part}");
        if let Some(value) = part["value"].as_str() {
            let name = part["name"].as_str().expect("a name").to_owned();
            to.push((name, value.to_owned(), octets[start..start + length].to_vec()));
        }
        leaves(&part["parts"], octets, to);
    }
}

#[test]
fn a_file_is_looked_into_record_by_record_with_the_octets_of_each_value() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let files = served.got(&anna, "/api/files?network_element=msc-boston");
    let file = &files["files"][0];
    let (job, name) = (file["job"].as_i64().unwrap(), file["file"].as_str().unwrap());
    let collected = served.folder.path().join("in/boston").join(format!("{name}.done"));
    let on_disk = fs::read(collected).unwrap();
    let first = served.got(&anna, &format!("/api/records?job={job}"));
    assert_eq!((&first["node"], &first["file"]), (&json!("msc-boston"), &json!(name)));
    assert_eq!(first["records"].as_array().map(Vec::len), Some(20));
    let (mut page, mut seen, mut damaged) = (first, 0, 0);
    loop {
        for record in page["records"].as_array().unwrap() {
            seen += 1;
            assert_eq!(record["record"], seen, "they are all there, in order");
            let begin = record["offset"].as_u64().unwrap() as usize;
            let octets = octets(record);
            assert_eq!(octets, on_disk[begin..begin + octets.len()], "{record}");
            let mut found = Vec::new();
            leaves(&record["parts"], &octets, &mut found);
            for (name, value, octets) in &found {
                if name == "callDuration" {
                    let number =
                        octets.iter().fold(0_u64, |sum, octet| sum << 8 | u64::from(*octet));
                    assert_eq!(*value, number.to_string());
                }
            }
            match record["problem"].as_str() {
                None => assert!(found.len() > 5 && record["damage"].is_null(), "{record}"),
                Some(_) => damaged += 1,
            }
        }
        let Some(next) = page["next"].as_object() else { break };
        let at = next["at"].as_str().expect("a place");
        let path = format!("/api/records?job={job}&limit=200&record={}&at={at}", next["record"]);
        page = served.got(&anna, &path);
    }
    assert_eq!(seen, file["records"].as_u64().unwrap());
    // Some of the simulated records are damaged; the parts before the damage are shown, and where the damage is.
    assert!(damaged > 0);
    let unread = served.got(&anna, "/api/suspense?network_element=msc-boston&limit=1000");
    let unread = unread["records"].as_array().unwrap().iter();
    let one = unread.clone().find(|record| record["node"] == "").expect("one that cannot be read");
    let (name, record) = (one["file"].as_str().unwrap(), &one["record"]);
    let path =
        format!("/api/records?network_element=msc-boston&file={name}&record={record}&limit=1");
    let found = &served.got(&anna, &path)["records"][0];
    assert_eq!((&found["record"], &found["offset"]), (record, &one["offset"]));
    let damage = found["damage"]["offset"].as_u64().expect("where it is damaged");
    assert!(damage <= found["length"].as_u64().unwrap(), "{found}");
    assert!(
        one["reason"].as_str().unwrap().starts_with(found["problem"].as_str().unwrap()),
        "{found}"
    );
}

#[test]
fn a_record_is_searched_for_and_what_was_made_of_it_is_looked_into() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let job = served.got(&anna, "/api/files?network_element=msc-boston")["files"][0]["job"].clone();
    let all = served.got(&anna, &format!("/api/records?job={job}&limit=200"));
    let mut found = Vec::new();
    let third = &all["records"][2];
    leaves(&third["parts"], &octets(third), &mut found);
    let (field, value, _) =
        found.iter().find(|(_, value, _)| value.len() > 8).expect("a long value");
    let path = format!("/api/records?job={job}&field={field}&value={value}");
    let searched = served.got(&anna, &path);
    let records = searched["records"].as_array().unwrap();
    assert!(records.iter().any(|record| record["record"] == 3), "{path}: {searched}");
    assert!(records.len() < 20 || searched["next"].is_object(), "{searched}");
    let none =
        served.got(&anna, &format!("/api/records?job={job}&field={field}&value=no%20such%20value"));
    assert_eq!((&none["records"], &none["next"]), (&json!([]), &Value::Null));
    assert_eq!(
        none["read"],
        served.got(&anna, "/api/files?network_element=msc-boston")["files"][0]["records"]
    );
    // The outputs for the records of the file, in BER and as CSV.
    for system in ["home-billing", "statistics"] {
        let path = format!("/api/records?job={job}&post_processing_system={system}&limit=3");
        let made = served.got(&anna, &path);
        assert_eq!((&made["node"], &made["lies"]), (&json!(system), &json!("output")));
        for record in made["records"].as_array().unwrap() {
            assert!(record["problem"].is_null(), "{record}");
            let file = made["file"].as_str().unwrap();
            let path = format!("/api/trace?output={file}&record={}", record["record"]);
            let traced = served.got(&anna, &path);
            let traced = traced["traced"].as_array().unwrap().iter();
            let outputs: Vec<&Value> =
                traced.flat_map(|traced| traced["outputs"].as_array().unwrap()).collect();
            // Both network elements have files of this name.
            let is_it = |output: &Value| {
                output["post_processing_system"] == system && output["offset"] == record["offset"]
            };
            assert!(outputs.iter().any(|output| is_it(output)), "{record} {outputs:?}");
        }
    }
}

#[test]
fn only_files_that_the_gateway_knows_are_looked_into() {
    let folder = example();
    let flow = folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    // The files of one network element wait to be complete.
    let waits = text.replace("dir = \"in/boston\",", "dir = \"in/boston\", quiet = \"1h\",");
    assert_ne!(waits, text);
    fs::write(&flow, waits).unwrap();
    let served = Served::start(folder);
    let anna = served.first();
    wait_for("the files of the other", || {
        let files = served.got(&anna, "/api/files?network_element=msc-new-york");
        files["files"].as_array().is_some_and(|files| files.len() == 2)
    });
    let ask = |query: &str| served.ask(&anna, "GET", &format!("/api/records?{query}"), None);
    let boston = served.folder.path().join("in/boston");
    let names = fs::read_dir(&boston).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names = names.map(|name| name.into_string().unwrap());
    let waiting = names.find(|name| name.ends_with(".ber")).expect("a file that waits");
    let found = ask(&format!("network_element=msc-boston&file={waiting}"));
    assert_eq!(found.status, 200, "{}", found.body);
    assert_eq!(found.json()["job"], Value::Null);
    assert_eq!(found.json()["records"][0]["record"], 1);
    for name in ["../../flow.toml", "..%2Fnew-york", "%2Fetc%2Fpasswd", "flow.toml", "", "."] {
        let answer = ask(&format!("network_element=msc-boston&file={name}"));
        assert_eq!(answer.status, 404, "{name}: {}", answer.body);
    }
    // A symbolic link in a folder of inputs is not followed.
    std::os::unix::fs::symlink("/etc/passwd", boston.join("linked.ber")).unwrap();
    assert_eq!(ask("network_element=msc-boston&file=linked.ber").status, 404);
    // Nor is a link that was put in the place of an output.
    let job = served.got(&anna, "/api/files")["files"][0]["job"].clone();
    let made = ask(&format!("job={job}&post_processing_system=home-billing")).json();
    let output = served.folder.path().join("out/home").join(made["file"].as_str().unwrap());
    fs::remove_file(&output).unwrap();
    let gone = ask(&format!("job={job}&post_processing_system=home-billing"));
    assert_eq!((gone.status, &gone.json()["code"]), (410, &json!("file-gone")));
    std::os::unix::fs::symlink("/etc/passwd", &output).unwrap();
    let linked = ask(&format!("job={job}&post_processing_system=home-billing"));
    assert_eq!(linked.status, 409, "{}", linked.body);
    for (query, status) in [
        ("", 422),
        ("job=1&delivery=1", 422),
        ("network_element=msc-boston", 422),
        ("job=1&at=here", 422),
        ("job=9999", 404),
        ("delivery=9999", 404),
        ("job=1&post_processing_system=nobody", 404),
        ("network_element=nobody&file=x", 409),
        ("job=x", 400),
    ] {
        let answer = ask(query);
        assert_eq!(answer.status, status, "{query}: {}", answer.body);
        assert!(answer.json()["error"].is_string(), "{}", answer.body);
    }
    // A request with any position gets an answer.
    let far = ask(&format!("job={job}&record=18446744073709551615&at=18446744073709551615-7"));
    assert_eq!(far.status, 200, "{}", far.body);
    let beyond = ask(&format!("job={job}&at=1-18446744073709551615"));
    assert!(beyond.status < 500, "{}", beyond.body);
}
