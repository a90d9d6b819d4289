//! Records to a charging system.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;
use transport::RemoteConnection;

use crate::kit::{Octets, place, told};
use crate::scripted::{Reply, http_with_bodies};

type Requests = Arc<Mutex<Vec<Value>>>;

fn reply(status: u16, body: &str) -> Reply {
    (status, format!("Content-Length: {}\r\n", body.len()), body.to_owned())
}

/// Returns a connection to a system, and the requests that it gets.
fn connected(
    answers: impl Fn(&Value) -> Reply + Send + Sync + 'static,
) -> (Box<dyn RemoteConnection>, Requests) {
    let requests = Requests::default();
    let noted = Arc::clone(&requests);
    let port = http_with_bodies(move |method, path, body| {
        assert_eq!((method, path), ("POST", "/billing/records"));
        let Ok(request) = serde_json::from_slice::<Value>(body) else {
            return reply(400, "{\"error\":\"no JSON\"}");
        };
        let answer = answers(&request);
        noted.lock().unwrap().push(request);
        answer
    });
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("token"), "geheim").unwrap();
    let url = format!("http://127.0.0.1:{port}/billing/");
    let settings = [("kind", "charging"), ("url", url.as_str()), ("token-file", "token")];
    (place(folder.path(), &settings).unwrap().connect().unwrap(), requests)
}

fn count(request: &Value) -> usize {
    request["records"].as_array().unwrap().len()
}

fn all_debited(request: &Value) -> Reply {
    reply(200, &json!({ "debited": count(request), "repeated": 0, "refused": [] }).to_string())
}

/// Returns a file of records.
fn file(records: usize) -> Octets {
    let record = |at| format!("{{\"number\":\"46{at}\",\"amount\":\"1\",\"start\":{at}}}\n");
    Octets((0..records).map(record).collect::<String>().into_bytes())
}

#[test]
fn a_file_is_sent_part_by_part_with_the_lines_of_its_records() {
    let (mut far, requests) = connected(all_debited);
    let records = file(2_500);
    let octets = records.0.len() as u64;
    assert_eq!(far.put("a \"b\".json", &records).unwrap(), octets);
    assert_eq!(far.put("a \"b\".json", &records).unwrap(), octets);
    let requests = std::mem::take(&mut *requests.lock().unwrap());
    assert_eq!(requests[..3], requests[3..], "it is the same each time");
    let parts: Vec<_> = requests[..3].iter().map(|of| (of["first"].as_u64(), count(of))).collect();
    assert_eq!(parts, [(Some(1), 1_000), (Some(1_001), 1_000), (Some(2_001), 500)]);
    assert_eq!(requests[0]["file"], "a \"b\".json");
    assert_eq!(requests[2]["records"][499]["number"], "462499");
    let digest = requests[0]["digest"].as_str().unwrap();
    assert!(digest.len() == 64 && requests.iter().all(|of| of["digest"] == digest));
}

#[test]
fn large_records_are_sent_in_smaller_parts_and_too_large_ones_are_refused() {
    let (mut far, requests) = connected(all_debited);
    let record = |octets: usize| format!("{{\"more\":\"{}\"}}", "x".repeat(octets));
    let lines = [record(200_000), record(200_000), record(200_000), "\n".into(), record(1)];
    far.put("a", &Octets(lines.join("\n").into_bytes())).unwrap();
    let counts: Vec<usize> = requests.lock().unwrap().iter().map(count).collect();
    assert_eq!(counts, [3, 3], "with the empty lines");
    let said = told(far.put("a", &Octets([record(1), record(262_144)].join("\n").into_bytes())));
    assert_eq!(said, "refused: \"a\": line 2 is longer than 262144 octets");
    requests.lock().unwrap().clear();
    assert_eq!(far.put("empty", &Octets(Vec::new())).unwrap(), 0);
    assert_eq!(requests.lock().unwrap().len(), 0);
}

#[test]
fn refused_records_are_reported_when_all_of_the_file_is_sent() {
    let (mut far, requests) = connected(|request| {
        let first = request["first"].as_u64().unwrap();
        let refused = |line, code, text| json!({ "line": line, "code": code, "text": text });
        let unknown = (0..7).map(|at| refused(first + at, "number-unknown", "no such number"));
        let refused: Vec<_> = unknown.chain([refused(first + 9, "too-old", "too old")]).collect();
        let debited = count(request) - refused.len();
        reply(200, &json!({ "debited": debited, "repeated": 0, "refused": refused }).to_string())
    });
    let said = told(far.put("a.json", &file(1_010)));
    assert_eq!(
        said,
        "refused: \"a.json\": 16 of 1010 records are not debited: \
         no such number (lines 1, 2, 3, 4, 5 and more); too old (lines 10, 1010)"
    );
    assert_eq!(requests.lock().unwrap().len(), 2);
}

#[test]
fn what_is_no_charging_system_gets_no_records() {
    for (status, body, said) in [
        (200, "{}", "shut: \"a\": what is answered is not what a charging system answers"),
        (200, "{\"debited\":1,\"repeated\":0,\"refused\":[]}", "shut: \"a\": what is answered"),
        (404, "", "unavailable: \"a\": the answer is 404 Not Found: no charging system takes"),
        (401, "no token", "shut: \"a\": the answer is 401 Unauthorized: no token"),
        (503, "later", "unavailable: \"a\": the answer is 503 Service Unavailable: later"),
        (422, "no", "refused: \"a\": the answer is 422 Unprocessable"),
    ] {
        let (mut far, _) = connected(move |_| reply(status, body));
        let told = told(far.put("a", &file(2)));
        assert!(told.starts_with(said), "{status} {body}: {told}");
        assert!(far.stat("a").is_err() && far.list("").is_err());
    }
}

#[test]
fn what_cannot_be_meant_is_a_mistake_of_the_flow_file() {
    let mistake = |settings: &[(&str, &str)]| place(Path::new("."), settings).map(drop);
    let charging = ("kind", "charging");
    for (settings, said) in [
        (&[charging, ("url", "sftp://a@b/c")][..], "unknown protocol \"sftp://\""),
        (&[("kind", "chargin"), ("url", "https://b")], "there is no kind of place \"chargin\""),
        (&[charging, ("url", "https://a@b")], "a charging system knows its clients by tokens"),
        (
            &[charging, ("url", "http://billing.example"), ("token-file", "t")],
            "a secret does not go over a line that anybody may listen to",
        ),
        (
            &[charging, ("url", "https://b"), ("method", "PUT")],
            "\"method\" does not apply to \"https://\"",
        ),
        (
            &[charging, ("url", "https://b?c")],
            "the address of a charging system has neither \"?\" nor \"#\"",
        ),
    ] {
        assert_eq!(mistake(settings), Err(said.to_owned()));
    }
    assert!(mistake(&[charging, ("url", "https://b/?c")]).is_err());
    assert_eq!(mistake(&[charging, ("url", "https://b"), ("token-file", "t")]), Ok(()));
}
