//! Tests that long lists are read a page at a time, and that no more than the page is read.

use std::collections::BTreeSet;
use std::fs;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::api::served::{As, Served, example, tollgate};
use crate::common::wait::wait_for;

/// Returns a gateway whose files are done, a user with a session, and the gateway's journal.
fn served() -> (Served, As, Connection) {
    let served = Served::start(example());
    let anna = served.first();
    served.all_came(&anna);
    let journal = Connection::open(served.folder.path().join("flow.state/journal.db")).unwrap();
    (served, anna, journal)
}

/// Adds files for two receivers that the flow does not name, which are therefore never delivered.
fn deliver(journal: &Connection, files: u32, states: &str) {
    let insert = format!(
        "WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n + 1 < ?1)
         INSERT INTO delivery (post_processing_system, path, records, state, at_ms)
         SELECT iif(n % 3 = 0, 'rare', 'often'), 'out/' || printf('%0100d', n), 7, {states}, unixepoch() * 1000 FROM n"
    );
    assert_eq!(journal.execute(&insert, [files]).unwrap(), files as usize);
}

/// Returns the numbers of all pages of a list.
fn numbers(served: &Served, who: &As, path: &str, of: &str) -> Vec<i64> {
    let (mut found, mut before) = (Vec::new(), i64::MAX);
    loop {
        let page = served.got(who, &format!("{path}limit=7&before={before}"));
        let rows = page[of].as_array().unwrap();
        assert!(rows.len() <= 7, "{page}");
        found.extend(rows.iter().map(|row| row["id"].as_i64().unwrap()));
        if page["more"] == false {
            return found;
        }
        before = *found.last().expect("there are more");
    }
}

#[test]
fn pages_of_deliveries_are_all_that_are_meant_the_newest_first() {
    let (served, anna, journal) = served();
    let states = "CASE n % 5 WHEN 0 THEN 'waiting' WHEN 1 THEN 'put' WHEN 2 THEN 'sent' WHEN 3 THEN 'dead' ELSE 'delivered' END";
    deliver(&journal, 100, states);
    for (asked, meant) in [
        ("", "state <> 'delivered'"),
        ("all=true&", "true"),
        ("state=waiting&", "state IN ('waiting', 'put')"),
        ("state=unacknowledged&", "state = 'sent'"),
        ("state=given-up&all=true&", "state = 'dead'"),
        ("state=delivered&", "state = 'delivered'"),
        (
            "post_processing_system=rare&",
            "state <> 'delivered' AND post_processing_system = 'rare'",
        ),
        (
            "post_processing_system=rare&state=delivered&",
            "state = 'delivered' AND post_processing_system = 'rare'",
        ),
    ] {
        let select = format!("SELECT id FROM delivery WHERE {meant} ORDER BY id DESC");
        let mut select = journal.prepare(&select).unwrap();
        let expected = select.query_map([], |row| row.get(0)).unwrap();
        let expected: Vec<i64> = expected.map(Result::unwrap).collect();
        let found = numbers(&served, &anna, &format!("/api/deliveries?{asked}"), "deliveries");
        assert_eq!(found, expected, "{asked}");
    }
    for (query, status) in [("state=lost", 400), ("post_processing_system=unknown", 404)] {
        let refused = served.ask(&anna, "GET", &format!("/api/deliveries?{query}"), None);
        assert_eq!(refused.status, status, "{query}");
    }
}

/// The lists of the command line are complete, however they are read.
#[test]
fn lists_of_the_command_line_are_longer_than_a_page() {
    let (served, _, journal) = served();
    deliver(&journal, 2_500, "iif(n = 1200, 'dead', 'delivered')");
    let alarms = "WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 2499)
        INSERT INTO alarm (kind, subject, text, raised_ms, cleared_ms, raised, change)
        SELECT 'disk-low', 'out', 'x', n / 900, n, 0, 0 FROM n";
    assert_eq!(journal.execute(alarms, []).unwrap(), 2_500);
    for (list, more) in
        [("deliveries list flow.toml --all", ""), ("alarms flow.toml --all", " --json")]
    {
        let listed = tollgate(&served.folder, &format!("{list}{more}")).output().unwrap();
        let said = String::from_utf8(listed.stdout).unwrap();
        let lines: BTreeSet<&str> = said.lines().collect();
        assert!(lines.len() >= 2_500, "{list}: {}", lines.len());
        assert_eq!(lines.len(), said.lines().count(), "{list}: each is listed once");
    }
    let given_up = tollgate(&served.folder, "deliveries list flow.toml").output().unwrap();
    assert_eq!(given_up.status.code(), Some(1), "what was given up is told by the code");
}

/// The command line and the API are views of the same operations.
#[test]
fn a_list_of_the_command_line_has_the_items_of_the_api_the_oldest_first() {
    let (served, anna, journal) = served();
    // The gateway clears no alarm of a kind that it does not know.
    let alarms = "INSERT INTO alarm (kind, subject, text, raised_ms, cleared_ms, raised, change)
        VALUES ('peer-lost', 'in', 'x', 1, 2, 0, 0), ('peer-lost', 'out', 'y', 3, NULL, 0, 0)";
    journal.execute(alarms, []).unwrap();
    let refused = "INSERT INTO reason (id, code, template, checked_ms) VALUES (900, 'old', 'it is old', 1);
        INSERT INTO refused_file (kind, network_element, path, at_ms, reason, reason_id, reason_values)
        VALUES ('set-aside', 'msc-boston', 'in/a.poison', 9000000000000, 'it is old', 900, '[]'),
               ('set-aside', '', 'in/b.poison', 9000000000000, 'of an earlier version', NULL, NULL)";
    journal.execute_batch(refused).unwrap();
    for (command, path, of) in [
        ("trail flow.toml", "/api/trail?", "entries"),
        ("alarms flow.toml", "/api/alarms?", "alarms"),
        ("alarms flow.toml --all", "/api/alarms?all=true&", "alarms"),
        ("files list flow.toml", "/api/files?", "files"),
        ("files refused flow.toml", "/api/files/refused?", "files"),
        ("files refused flow.toml --code old", "/api/files/refused?code=old&", "files"),
        ("files list flow.toml --name boston", "/api/files?name=boston&", "files"),
    ] {
        let items = |page: &str| -> Vec<Value> {
            served.got(&anna, &format!("{path}{page}"))[of].as_array().unwrap().clone()
        };
        // The raised alarms are cached for a moment.
        wait_for(path, || !items("").is_empty());
        let listed = tollgate(&served.folder, &format!("{command} --json")).output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        let listed: Vec<Value> =
            listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(listed, items("after=-1"), "{command}");
        assert_eq!(listed, items("").into_iter().rev().collect::<Vec<_>>(), "{command}");
    }
}

/// The time of a row is that which the list shows. An alarm is of all times at which it was raised.
#[test]
fn a_list_of_a_period_has_the_rows_of_it() {
    let (served, anna, journal) = served();
    let old = "CREATE TEMP TABLE hour AS
         SELECT value, unixepoch('2020-01-01 00:00', value || ' hours') * 1000 AS ms
         FROM json_each('[1, 2, 3]');
         INSERT INTO delivery (post_processing_system, path, records, state, at_ms)
         SELECT 'old', 'out/' || value, 1, 'delivered', ms FROM hour;
         INSERT INTO alarm (kind, subject, text, raised_ms, cleared_ms, raised, change)
         SELECT 'peer-lost', value, 'x', ms - 5400000, ms - 1800000, 0, 0 FROM hour;
         INSERT INTO trail (at_ms, who, action, subject, reason)
         SELECT ms, 'anna', 'reload', value, '' FROM hour;
         UPDATE file SET done_ms = ms
         FROM hour JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM file) AS nth
             ON nth.place = value
         WHERE file.id = nth.id";
    journal.execute_batch(old).unwrap();
    let period = "from=2020-01-01T02:00:00Z&to=2020-01-01T03:00:00Z";
    for (command, path, of, times) in [
        ("files list flow.toml", "/api/files?", "files", ["done", "2020-01-01T02:00:00Z"]),
        ("trail flow.toml", "/api/trail?", "entries", ["at", "2020-01-01T02:00:00Z"]),
        (
            "deliveries list flow.toml --all",
            "/api/deliveries?all=true&",
            "deliveries",
            ["since", "2020-01-01T02:00:00Z"],
        ),
        (
            "alarms flow.toml --all",
            "/api/alarms?all=true&",
            "alarms",
            ["raised", "2020-01-01T01:30:00Z"],
        ),
    ] {
        let found = served.got(&anna, &format!("{path}{period}"));
        let found = found[of].as_array().unwrap();
        let is_of_period = found.iter().all(|row| row[times[0]] == times[1]);
        assert!(found.len() == 1 && is_of_period, "{path}: {found:?}");
        let until = served.got(&anna, &format!("{path}to=2020-01-01T02:00:00Z"));
        let row = &until[of][0];
        assert!(row[times[0]].as_str() < Some("2020-01-01T02:00:00Z"), "{path}: {until}");
        let bounds = "--from 2020-01-01T02:00:00Z --to 2020-01-01T03:00:00Z --json";
        let listed = tollgate(&served.folder, &format!("{command} {bounds}")).output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        let listed: Vec<Value> =
            listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(listed, *found, "{command}");
        for (query, status) in [("from=2020-01-02&to=2020-01-01", 422), ("from=yesterday", 400)] {
            let refused = served.ask(&anna, "GET", &format!("{path}{query}"), None);
            assert_eq!(refused.status, status, "{path}{query}");
        }
    }
}

#[test]
fn alarms_are_acknowledged_by_numbers_by_what_they_have_in_common_or_all() {
    let (served, anna, journal) = served();
    let raised = "INSERT INTO alarm (id, kind, subject, text, raised_ms, raised, change)
        VALUES (901, 'peer-lost', 'a', 'x', 1, 0, 0), (902, 'peer-lost', 'b', 'x', 1, 0, 0),
               (903, 'peer-late', 'b', 'x', 1, 0, 0)";
    journal.execute(raised, []).unwrap();
    let acknowledge =
        |body: Value| served.ask(&anna, "POST", "/api/alarms/acknowledge", Some(body));
    for (body, changed) in [
        (json!({"numbers": [901, 77], "remark": " a cable is ordered "}), 1),
        (json!({"numbers": [901], "acknowledged": false}), 1),
        (json!({"kind": "peer-lost", "subject": "b"}), 1),
        (json!({"numbers": [902], "kind": "peer-late"}), 0),
        (json!({"subject": "b", "acknowledged": false}), 1),
    ] {
        let answer = acknowledge(body.clone());
        assert_eq!((answer.status, &answer.json()["changed"]), (200, &json!(changed)), "{body}");
    }
    let trail = served.got(&anna, "/api/trail?limit=4");
    let entries = trail["entries"].as_array().unwrap().iter().rev();
    let entries: Vec<String> =
        entries.map(|of| format!("{} {} {}", of["action"], of["subject"], of["reason"])).collect();
    let expected = [
        "\"alarms acknowledge\" \"alarm 901 peer-lost a\" \"a cable is ordered\"",
        "\"alarms unacknowledge\" \"alarm 901 peer-lost a\" \"\"",
        "\"alarms acknowledge\" \"alarm 902 peer-lost b\" \"\"",
        "\"alarms unacknowledge\" \"alarm 902 peer-lost b\" \"\"",
    ];
    assert_eq!(entries, expected);
    assert_eq!(acknowledge(json!({"all": true})).status, 200);
    let left = "SELECT count(*) FROM alarm WHERE cleared_ms IS NULL AND acknowledged IS NULL";
    assert_eq!(journal.query_row(left, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
    for body in [json!({}), json!({"numbers": []}), json!({"all": true, "numbers": [901]})] {
        let refused = acknowledge(body.clone());
        let code = refused.json()["code"].clone();
        assert_eq!((refused.status, code), (422, json!("alarms-not-chosen")), "{body}");
    }
}

/// Returns the most memory that the gateway has used, in octets.
#[cfg(target_os = "linux")]
fn peak(served: &Served) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", served.process.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() * 1_024
}

#[cfg(target_os = "linux")]
#[test]
fn a_page_costs_what_is_on_it_however_long_the_list_is() {
    let (served, anna, journal) = served();
    deliver(&journal, 200_000, "'delivered'");
    let alarms = "WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 199999)
        INSERT INTO alarm (kind, subject, text, raised_ms, cleared_ms, raised, change)
        SELECT 'disk-low', 'out', printf('%0100d', n), n, n, 0, 0 FROM n";
    journal.execute(alarms, []).unwrap();
    for (path, of) in
        [("/api/deliveries?all=true", "deliveries"), ("/api/alarms?all=true", "alarms")]
    {
        let before = peak(&served);
        let page = served.got(&anna, path);
        assert_eq!((page[of].as_array().map(Vec::len), &page["more"]), (Some(50), &json!(true)));
        let grown = peak(&served) - before;
        assert!(grown < 20 << 20, "{path}: {grown} octets");
    }
}

#[test]
fn reasons_without_end_are_counted_and_the_most_frequent_told() {
    let (served, anna, journal) = served();
    let insert = "WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 2999)
        INSERT INTO suspense (file, why, record, offset, node, reason, octets)
        SELECT (SELECT min(id) FROM file), 'suspended', n, n, 'isRoaming',
               iif(n % 2, 'no such plan', 'no such plan: ' || n) || ' (at octet 7)', x'00' FROM n";
    journal.execute(insert, []).unwrap();
    let counted = served.got(&anna, "/api/suspense/alike?node=isRoaming");
    let groups = counted["groups"].as_array().unwrap();
    assert_eq!((groups.len(), &counted["more"]), (50, &json!(true)), "{}", counted["groups"][0]);
    let first = |name: &str| groups[0][name].clone();
    assert_eq!((first("records"), first("reason")), (json!(1_500), json!("no such plan")));
    let last: i64 =
        journal.query_row("SELECT max(id) FROM suspense", [], |row| row.get(0)).unwrap();
    assert_eq!((&counted["records"], &counted["last"]), (&json!(3_000), &json!(last)));
    let few = served.got(&anna, "/api/suspense/alike?node=isRoaming&limit=1");
    assert_eq!(few["groups"], Value::Array(vec![groups[0].clone()]));
    let one = format!("/api/suspense/alike?node=isRoaming&up_to={}", last - 2_999);
    let one = served.got(&anna, &one);
    assert_eq!((&one["records"], &one["more"]), (&json!(1), &json!(false)), "{one}");
}

#[cfg(target_os = "linux")]
#[test]
fn many_who_look_at_a_text_at_once_take_turns() {
    let (served, anna, _) = served();
    let text = served.got(&anna, "/api/flow")["text"].clone();
    let tasks = || fs::read_dir(format!("/proc/{}/task", served.process.id())).unwrap().count();
    let before = tasks();
    std::thread::scope(|scope| {
        for _ in 0..60 {
            scope.spawn(|| {
                served.done(&anna, "POST", "/api/flow/look", Some(json!({"text": text})))
            });
        }
    });
    // Threads that had work are kept for a while.
    let grown = tasks() - before.min(tasks());
    assert!(grown < 50, "{grown} threads more");
    assert!(
        served.got(&anna, "/api/openapi.json")["paths"]["/api/suspense/alike"]["get"]["responses"]
            ["429"]
            .is_object()
    );
}

/// If many records of a file are set aside, they are in the journal before the file is done, and belong to its job only
/// then.
#[test]
fn open_records_are_counted_by_where_they_were_refused_whenever_they_were_written() {
    let (served, anna, journal) = served();
    let told = || {
        let nodes = served.got(&anna, "/api/suspense/nodes");
        let mut told: Vec<_> = nodes["nodes"].as_array().unwrap().clone();
        told.retain(|node| node["network_element"] == "far");
        told
    };
    assert_eq!(told(), Vec::<Value>::new());
    let file = "INSERT INTO file (network_element, path, size, modified_ns, done_ms, records, delivered, filtered, held,
            suspended, duplicate, marked, finished, name, job)
        VALUES ('far', 'in/far', 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 'far', 987654)";
    journal.execute(file, []).unwrap();
    let suspended = "WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 1999)
        INSERT INTO suspense (job, why, record, offset, node, reason, octets, state)
        SELECT iif(n < 1000, 987654, 987655), 'suspended', n, n, iif(n % 2, 'far-node', ''), 'x', x'00',
               iif(n % 10, 'open', 'discarded') FROM n";
    journal.execute(suspended, []).unwrap();
    let count = "SELECT count(*) FROM set_aside WHERE state = 'open'";
    let open: i64 = journal.query_row(count, [], |row| row.get(0)).unwrap();
    let of = |node: &str, records: u64| json!({"network_element": "far", "node": node, "records": records});
    // The count is cached for a moment.
    wait_for("they are counted", || told() == [of("", 400), of("far-node", 500)]);
    let line = format!("tollgate_suspense_records{{why=\"suspended\"}} {open}\n");
    wait_for("they are open", || served.ask(&anna, "GET", "/metrics", None).body.contains(&line));
}
