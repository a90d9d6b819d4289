//! Tests who sees subscriber data by the API, and what the audit trail has of that.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::api::served::{As, Served, example};

/// The components of the example that hold subscriber data.
const HIDDEN: [&str; 7] = [
    "servedIMSI",
    "servedIMEI",
    "servedMSISDN",
    "callingNumber",
    "calledNumber",
    "roamingNumber",
    "forwardedToNumber",
];

/// Calls `each` with the name and the value of each part, and whether it is within subscriber data.
fn values(parts: &Value, is_within: bool, each: &mut dyn FnMut(&str, &str, bool)) {
    for part in parts.as_array().expect("parts") {
        let name = part["name"].as_str().expect("a name");
        let is_within = is_within || HIDDEN.contains(&name);
        if let Some(value) = part["value"].as_str() {
            each(name, value, is_within);
        }
        values(&part["parts"], is_within, each);
    }
}

/// Returns the subscriber data in the records of a file.
fn subscriber_data(records: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for record in records["records"].as_array().expect("records") {
        values(&record["parts"], false, &mut |_, value, is_hidden| {
            if is_hidden && value.len() > 6 {
                found.insert(value.to_owned());
            }
        });
    }
    found
}

/// Returns the first of some texts that another text has anywhere. It looks at each place once for each length.
fn first_of<'t>(texts: &BTreeSet<String>, text: &'t str) -> Option<&'t str> {
    let lengths: BTreeSet<usize> = texts.iter().map(String::len).collect();
    let mut parts = lengths.iter().flat_map(|length| {
        (0..text.len()).filter_map(move |begin| text.get(begin..begin + length))
    });
    parts.find(|part| texts.contains(*part))
}

fn refused(served: &Served, who: &As, method: &str, path: &str, body: Option<Value>) {
    let answer = served.ask(who, method, path, body);
    assert_eq!(answer.status, 403, "{method} {path}: {}", answer.body);
    let code = &answer.json()["code"];
    assert_eq!(code, "subscriber-data-hidden", "{method} {path}: {}", answer.body);
}

fn with_privacy(served: &Served, table: &str) {
    let flow = served.folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::write(flow, format!("{text}\n{table}")).unwrap();
}

/// Returns the views in the audit trail: who, action and subject, the oldest first.
fn trail(served: &Served, who: &As) -> Vec<(String, String, String)> {
    let trail = served.got(who, "/api/trail?limit=1000");
    let text = |entry: &Value, key: &str| entry[key].as_str().expect("a text").to_owned();
    let entries = trail["entries"].as_array().expect("entries").iter().rev();
    entries
        .map(|entry| (text(entry, "who"), text(entry, "action"), text(entry, "subject")))
        .collect()
}

#[test]
fn no_answer_to_a_viewer_has_a_number_of_a_subscriber() {
    let served = Served::start(example());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    served.all_came(&anna);
    let files = served.got(&anna, "/api/files");
    let mut paths: Vec<String> = [
        "/api/files",
        "/api/suspense?state=all&limit=1000",
        "/api/suspense/alike?state=all",
        "/api/trail",
        "/api/alarms",
        "/api/audit",
        "/api/deliveries?all=true",
        "/api/matching",
        "/api/replay",
    ]
    .map(str::to_owned)
    .to_vec();
    for file in files["files"].as_array().expect("files") {
        let job = &file["job"];
        let name = file["file"].as_str().expect("a name");
        paths.push(format!("/api/records?job={job}&limit=200"));
        paths.push(format!("/api/trace?file={name}&record=1"));
        let systems = ["home-billing", "roaming-billing", "statistics"];
        let made = systems.map(|system| {
            format!("/api/records?job={job}&limit=200&post_processing_system={system}")
        });
        paths.extend(made);
    }
    let suspended = served.got(&anna, "/api/suspense?state=all&limit=1000");
    let suspended = suspended["records"].as_array().expect("records");
    assert!(!suspended.is_empty());
    paths.extend(suspended.iter().map(|record| format!("/api/suspense/{}", record["id"])));
    let mut numbers = BTreeSet::new();
    for path in paths.iter().filter(|path| path.starts_with("/api/records")) {
        numbers.extend(subscriber_data(&served.got(&anna, path)));
    }
    assert!(numbers.len() > 100, "{numbers:?}");
    // An entry of the trail must not have one either.
    let one = numbers.iter().next().expect("a number");
    served.got(&anna, &format!("/api/suspense?value={one}"));
    for path in paths {
        let answer = served.ask(&vera, "GET", &path, None);
        assert!(matches!(answer.status, 200 | 410), "{path}: {}", answer.body);
        assert_eq!(first_of(&numbers, &answer.body), None, "{path}: {}", answer.body);
    }
}

#[test]
fn values_of_records_are_masked_and_octets_left_out() {
    let served = Served::start(example());
    let anna = served.first();
    let [vera, olaf] = [("vera", "viewer"), ("olaf", "operator")]
        .map(|(name, role)| served.invited(&anna, name, role));
    served.all_came(&anna);
    let job = served.got(&anna, "/api/files?network_element=msc-boston")["files"][0]["job"].clone();
    let path = format!("/api/records?job={job}&limit=50");
    let (masked, whole) = (served.got(&vera, &path), served.got(&olaf, &path));
    assert_eq!((&masked["masked"], &whole["masked"]), (&json!(true), &Value::Null));
    let (mut hidden, mut shown) = (0, 0);
    for (masked, whole) in
        masked["records"].as_array().unwrap().iter().zip(whole["records"].as_array().unwrap())
    {
        assert_eq!(masked["octets"], "");
        assert!(whole["octets"].as_str().is_some_and(|octets| octets.len() > 20));
        let mut of_masked = Vec::new();
        values(&masked["parts"], false, &mut |_, value, _| of_masked.push(value.to_owned()));
        let mut of_masked = of_masked.into_iter();
        values(&whole["parts"], false, &mut |name, value, is_hidden| {
            let masked = of_masked.next().expect("the same parts");
            // A component that the module does not know may hold anything.
            match is_hidden || name == "?" {
                true => assert!(masked.contains("•••") && masked != value, "{name}: {masked}"),
                false => assert_eq!(masked, value, "{name}"),
            }
            *if is_hidden { &mut hidden } else { &mut shown } += 1;
        });
    }
    assert!(hidden > 100 && shown > 100, "{hidden} and {shown}");

    let id = served.got(&anna, "/api/suspense?network_element=msc-new-york&limit=1")["records"][0]
        ["id"]
        .clone();
    let path = format!("/api/suspense/{id}");
    let (masked, whole) = (served.got(&vera, &path), served.got(&olaf, &path));
    assert_eq!((&masked["octets"], &masked["record"]["octets"]), (&json!(""), &json!("")));
    assert_eq!(masked["masked"], true);
    assert_eq!(masked["types"], whole["types"]);
    for name in HIDDEN {
        if let Some(value) = masked["json"][name].as_str() {
            assert!(value.contains("•••"), "{name}: {value}");
            assert_ne!(masked["json"][name], whole["json"][name]);
        }
    }
}

#[test]
fn a_search_by_a_value_needs_the_role_that_sees_it() {
    let served = Served::start(example());
    let anna = served.first();
    let [vera, olaf] = [("vera", "viewer"), ("olaf", "operator")]
        .map(|(name, role)| served.invited(&anna, name, role));
    served.all_came(&anna);
    let job = served.got(&anna, "/api/files?network_element=msc-boston")["files"][0]["job"].clone();
    let searches = [
        format!("/api/records?job={job}&field=servedIMSI&value=24"),
        format!("/api/records?job={job}&value=24"),
        "/api/suspense?value=24".to_owned(),
        "/api/suspense?reason=24".to_owned(),
        "/api/suspense/alike?reason=24".to_owned(),
        "/api/matching?key=24".to_owned(),
        "/api/counters?account=24".to_owned(),
        "/api/trace?where=TRUE".to_owned(),
    ];
    for path in &searches {
        refused(&served, &vera, "GET", path, None);
        served.got(&olaf, path);
    }
    // What is not subscriber data is searched for by all.
    let path = format!("/api/records?job={job}&field=callDuration&value=1");
    assert!(!served.got(&vera, &path)["records"].as_array().unwrap().is_empty());
    let path = format!("/api/records?job={job}&field=servedIMSI");
    assert!(!served.got(&vera, &path)["records"].as_array().unwrap().is_empty());
    let answer = served.ask(&vera, "GET", &searches[0], None).json();
    let error = answer["error"].as_str().unwrap();
    assert!(error.contains("operator") && error.contains("[privacy]"), "{error}");
}

#[test]
fn an_operator_who_does_not_see_subscriber_data_changes_none_by_its_value() {
    let served = Served::start(example());
    let anna = served.first();
    let olaf = served.invited(&anna, "olaf", "operator");
    served.all_came(&anna);
    let id = served.got(&anna, "/api/suspense?limit=1")["records"][0]["id"].clone();
    with_privacy(&served, "[privacy]\nrole = \"administrator\"\n");
    let record = format!("/api/suspense/{id}");
    assert_eq!(served.got(&olaf, &record)["masked"], true);
    let edit = json!({"octets": "00", "because": "a test"});
    refused(&served, &olaf, "PUT", &record, Some(edit));
    let by_value = json!({"filter": {"value": "24"}, "because": "a test"});
    refused(&served, &olaf, "POST", "/api/suspense/discard", Some(by_value));
    let by_value = json!({"filter": {"reason": "24"}});
    refused(&served, &olaf, "POST", "/api/suspense/retry", Some(by_value));
    let by_key = json!({"end": "drop", "node": "x", "key": "24", "because": "a test"});
    refused(&served, &olaf, "POST", "/api/matching/end", Some(by_key));
    let script = fs::read_to_string(served.folder.path().join("scripts/is_roaming.dup")).unwrap();
    let run = json!({"text": script, "node": "isRoaming", "from": "stream"});
    refused(&served, &olaf, "POST", "/api/samples/scripts/is_roaming.dup", Some(run));
    // A test of a draft may read a record, and say what it has.
    let test = "test \"a number\" { assert \"46701234567\" == \"\"; }";
    let test = json!({"text": format!("{script}\n{test}")});
    let tested = served.done(&olaf, "POST", "/api/tests/scripts/is_roaming.dup", Some(test));
    let tests = tested["tests"].as_array().unwrap();
    let failed = tests.iter().find(|test| test["result"] == "failed").expect("a failed test");
    let reason = failed["reason"].as_str().unwrap();
    assert!(reason.contains("assert") && !reason.contains("46701234567"), "{reason}");
    // By its number, a record is discarded all the same.
    let by_number = json!({"ids": [id], "because": "a test"});
    assert_eq!(served.done(&olaf, "POST", "/api/suspense/discard", Some(by_number))["records"], 1);
}

#[test]
fn views_are_in_the_trail_once_and_what_was_viewed_is_masked() {
    let served = Served::start(example());
    let anna = served.first();
    let [vera, olaf] = [("vera", "viewer"), ("olaf", "operator")]
        .map(|(name, role)| served.invited(&anna, name, role));
    served.all_came(&anna);
    let before = trail(&served, &anna).len();
    let job = served.got(&olaf, "/api/files?network_element=msc-boston")["files"][0]["job"].clone();
    let listed = served.got(&olaf, "/api/suspense?limit=1")["records"][0].clone();
    assert_eq!(listed["octets"], "", "the values of a record are seen with an entry");
    let id = listed["id"].clone();
    served.got(&olaf, "/api/suspense/alike");
    served.got(&olaf, "/api/matching");
    assert_eq!(trail(&served, &anna).len(), before, "lists make no entries");
    for who in [&olaf, &vera, &olaf] {
        served.got(who, &format!("/api/suspense/{id}"));
        let found = served.got(who, &format!("/api/records?job={job}&limit=3"));
        let file = found["file"].as_str().unwrap();
        served.got(who, &format!("/api/trace?file={file}&record=2&network_element=msc-boston"));
    }
    served.got(&olaf, "/api/counters?account=46701234567");
    served.got(&olaf, &format!("/api/records?job={job}&field=servedIMSI&value=240017012345678"));
    served.got(&olaf, "/api/trace?where=record.servedIMSI%20==%20%22240017012345678%22");
    let entries = trail(&served, &anna).split_off(before);
    let name = |file: &str| format!("\"{file}\" of \"msc-boston\"");
    let file =
        served.got(&anna, "/api/files?network_element=msc-boston")["files"][0]["file"].clone();
    let file = file.as_str().unwrap();
    let olafs = |action: &str, subject: String| ("olaf".to_owned(), action.to_owned(), subject);
    let expected = [
        olafs("suspense show", format!("1 record: number {id}")),
        olafs("files records", format!("{}, records 1 to 3", name(file))),
        olafs("trace records", format!("\"{file}\", record 2")),
        olafs("tariff counters", "account 46701234567".into()),
        olafs(
            "files records",
            format!("{}, records whose servedIMSI contains \"240017012345678\"", name(file)),
        ),
        olafs("trace records", "records where record.servedIMSI == \"240017012345678\"".into()),
    ];
    assert_eq!(entries, expected);
    let masked = trail(&served, &vera).split_off(before);
    assert!(masked.iter().all(|(.., subject)| subject == "•••"), "{masked:?}");
}

#[test]
fn the_octets_of_an_edit_are_in_the_trail_for_those_who_see_them() {
    let served = Served::start(example());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    served.all_came(&anna);
    let id = served.got(&anna, "/api/suspense?limit=1")["records"][0]["id"].clone();
    let edit = json!({"octets": "6a81", "because": "customer 46701234567 complains"});
    served.done(&anna, "PUT", &format!("/api/suspense/{id}"), Some(edit));
    let entry = |who: &As| served.got(who, "/api/trail?limit=1")["entries"][0].clone();
    let (masked, whole) = (entry(&vera), entry(&anna));
    assert_eq!((&whole["after"], &masked["after"]), (&json!("6a81"), &Value::Null));
    assert_eq!(masked["before"], Value::Null);
    assert_eq!(masked["reason"], "customer 4670•••67 complains");
    let history = served.got(&vera, &format!("/api/suspense/{id}"))["history"][0].clone();
    assert_eq!(history["because"], "customer 4670•••67 complains");
}

#[test]
fn the_flow_file_says_who_sees_what() {
    let served = Served::start(example());
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    served.all_came(&anna);
    let job = served.got(&anna, "/api/files?network_element=msc-boston")["files"][0]["job"].clone();
    let path = format!("/api/records?job={job}&limit=1");
    with_privacy(&served, "[privacy]\nrole = \"viewer\"\n");
    assert_eq!(served.got(&vera, &path), served.got(&anna, &path));
    assert_eq!(trail(&served, &anna).last().map(|(who, ..)| who.as_str()), Some("anna"));
    let veras = trail(&served, &anna).into_iter().filter(|(who, ..)| who == "vera").count();
    assert!(veras > 0, "a viewer who sees subscriber data is in the trail");
}
