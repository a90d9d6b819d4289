//! Tests finding records by their contents, one answer at a time.

use serde_json::{Value, json};

use crate::api::served::{As, Served, example, tollgate};

/// Returns the value of a part, anywhere in a record.
fn value<'v>(parts: &'v Value, name: &str) -> Option<&'v str> {
    parts.as_array()?.iter().find_map(|part| match part["name"] == name {
        true => part["value"].as_str(),
        false => value(&part["parts"], name),
    })
}

/// Returns the numbers of the records in a file whose calls took longer, as the list of its records shows them.
fn longer(served: &Served, who: &As, file: &Value, than: u64) -> Vec<(String, u64)> {
    let (job, name) = (&file["job"], file["file"].as_str().unwrap());
    let (mut found, mut record) = (Vec::new(), 1);
    loop {
        let path = format!("/api/records?job={job}&limit=200&record={record}");
        let page = served.got(who, &path);
        let records = page["records"].as_array().unwrap().iter();
        let whole = records.filter(|record| record["problem"].is_null());
        let fits = |record: &&Value| {
            let seconds = value(&record["parts"], "callDuration");
            seconds.is_some_and(|seconds| seconds.parse::<u64>().unwrap() > than)
        };
        let numbers = whole.filter(fits).map(|record| record["record"].as_u64().unwrap());
        found.extend(numbers.map(|number| (name.to_owned(), number)));
        match page["next"]["record"].as_u64() {
            Some(next) => record = next,
            None => return found,
        }
    }
}

#[test]
fn records_are_found_by_what_is_in_them_an_answer_at_a_time() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let files = served.got(&anna, "/api/files?network_element=msc-boston");
    let mut files = files["files"].as_array().unwrap().clone();
    files.sort_by_key(|file| file["job"].as_i64());
    let expected: Vec<_> =
        files.iter().flat_map(|file| longer(&served, &anna, file, 300)).collect();
    assert!(expected.len() > 14, "{expected:?}");

    let asked = "/api/trace?where=record.callDuration%3E300&file=boston-*&limit=7";
    let (mut found, mut after, mut answers) = (Vec::new(), String::new(), 0);
    loop {
        let answer = served.got(&anna, &format!("{asked}&after={after}"));
        let traced = answer["traced"].as_array().unwrap();
        assert!(traced.len() <= 7, "{answer}");
        assert_eq!(answer["looked"]["problems"].as_array().map(Vec::len), Some(0), "{answer}");
        found.extend(traced.iter().map(|traced| {
            assert_eq!(traced["network_element"], "msc-boston");
            (traced["file"].as_str().unwrap().to_owned(), traced["record"].as_u64().unwrap())
        }));
        answers += 1;
        assert!(answers < 1_000, "it goes on from {after} for ever");
        match answer["looked"]["next"].as_str() {
            Some(next) => after = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(found, expected);
    assert!(answers > expected.len() / 7, "{answers}");
    let many = served.got(&anna, "/api/trace?where=TRUE&limit=1000");
    assert_eq!(many["traced"].as_array().map(Vec::len), Some(100), "no answer is longer");
}

#[test]
fn what_cannot_be_looked_for_is_told() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    for (query, status, code, told) in [
        (
            "where=record.callDurations%3E1",
            422,
            "expression-has-mistakes",
            "did you mean \\\"callDuration\\\"?",
        ),
        ("where=TRUE&record=1", 422, "where-and-place", "neither output nor record nor offset"),
        ("where=TRUE&after=here", 422, "place-unknown", "no place that an answer gave"),
        ("where=TRUE&from=2026-11-22&to=2026-11-21", 422, "period-reversed", "has to be later"),
        (
            "where=TRUE&network_element=msc-bostn",
            404,
            "network-element-unknown",
            "no network element is named",
        ),
        ("file=boston-00002.ber", 422, "record-not-chosen", "record or offset"),
        ("record=1", 422, "file-not-chosen", "file or output"),
        ("file=boston-00002.ber&record=99999999", 404, "record-unknown", "has no record"),
    ] {
        let answer = served.ask(&anna, "GET", &format!("/api/trace?{query}"), None);
        assert!(answer.status == status && answer.body.contains(told), "{query}: {}", answer.body);
        assert_eq!(answer.json()["code"], code, "{query}");
    }
    let soon = served.ask(&anna, "GET", "/api/trace?where=TRUE&from=soon", None);
    assert!(soon.status == 400 && soon.body.contains("soon"), "{}", soon.body);
}

#[test]
fn the_command_shows_the_traces_that_the_api_shows() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    for (arguments, query) in [
        ("--file boston-00002.ber --record 3", "file=boston-00002.ber&record=3"),
        (
            "--where record.callDuration>300 --file boston-* --limit 7",
            "where=record.callDuration%3E300&file=boston-*&limit=7",
        ),
    ] {
        let mut trace = tollgate(&served.folder, &format!("trace flow.toml --json {arguments}"));
        let output = trace.output().unwrap();
        let lines = String::from_utf8(output.stdout).unwrap();
        let shown: Vec<Value> =
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let answer = served.got(&anna, &format!("/api/trace?{query}"));
        assert_eq!(json!(shown), answer["traced"], "{query}");
    }
}

#[test]
fn a_file_that_is_not_known_is_told_in_words_of_no_command_line() {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    for (query, wanted) in [
        ("file=nothing.csv", "if it is an output, ask for it as one"),
        ("output=boston-00002.ber", "if it was collected, ask for it as such"),
    ] {
        let answer = served.ask(&anna, "GET", &format!("/api/trace?{query}&record=1"), None);
        let said = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(answer.status == 404 && said.ends_with(wanted) && !said.contains("--"), "{said}");
    }
}
