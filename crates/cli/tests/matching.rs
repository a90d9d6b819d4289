//! Tests that records that belong together become one, once, in whatever files they come and however the gateway ends.

mod asked;
mod ends;
pub(crate) mod flow;
mod model;
mod proof;
mod steps;
mod time;

use flow::Flow;
use proptest::collection::vec;
use proptest::prelude::*;
use state::groups::{StoredGroup, StoredGroups, StoredRecord};

#[test]
fn parts_of_a_call_become_one_in_whatever_files_they_come() {
    for (files, made, account) in [
        ("7 first 1 @0 +60; 7 last 2 @60 +30", "7 @0 +90 of 2", "2 = 1 delivered, 1 held"),
        ("7 whole 1 @0 +60", "7 @0 +60 of 1", "1 = 1 delivered"),
        ("7 first 1 @0 +60 | 7 last 2 @60 +30", "7 @0 +90 of 2", "2 = 1 delivered, 1 held"),
        (
            "7 last 3 @90 +1; 8 first 1 @0 +5 | 7 first 1 @0 +60 | 8 last 2 @9 +1; 7 middle 2 @60 +30",
            "7 @0 +91 of 3, 8 @0 +6 of 2",
            "5 = 2 delivered, 3 held",
        ),
        ("7 first 1 @0 +60", "", "1 = 1 held"),
    ] {
        let flow = Flow::new("wait = { arrival = \"1 day\" }");
        files.split(" | ").enumerate().for_each(|(place, parts)| {
            flow.put("boston", &format!("{place}.json"), parts);
            flow.run();
        });
        assert_eq!(flow.made(), made, "{files}");
        assert_eq!(flow.account(), account, "{files}");
        flow.audit();
    }
}

#[test]
fn files_in_hand_at_once_wait_for_each_other() {
    let flow = Flow::new("wait = { arrival = \"1 day\" }");
    // Each call has a part in each file, in another order.
    const CALLS: usize = 60;
    for (element, file) in [("boston", 0), ("chicago", 1), ("boston", 2), ("chicago", 3)] {
        let kind = ["first", "middle", "middle", "last"][file];
        let part = |place: usize| {
            let call = 100 + if file % 2 == 0 { place } else { CALLS - 1 - place };
            format!("{call} {kind} {} @{} +1", file + 1, file * 10)
        };
        let parts: Vec<String> = (0..CALLS).map(part).collect();
        flow.put(element, &format!("{file}.json"), &parts.join("; "));
    }
    flow.run();
    let wanted: Vec<String> = (0..CALLS).map(|call| format!("{} @0 +4 of 4", 100 + call)).collect();
    assert_eq!(flow.made(), wanted.join(", "));
    assert_eq!(flow.account(), "240 = 60 delivered, 180 held");
    flow.audit();
}

/// Runs files one after the other (`boston: 7 first 1 @0 +60 | …`) with a table, and checks the outputs, the account of
/// all records, and how many still wait.
fn check(table: &str, files: &str, made: &str, account: &str) -> Flow {
    let flow = Flow::new(table);
    for (place, file) in files.split(" | ").enumerate() {
        let (element, parts) = file.split_once(": ").unwrap();
        flow.put(element, &format!("{place:02}.json"), parts);
        flow.run();
    }
    assert_eq!(flow.made(), made, "{table}: {files}");
    assert_eq!(flow.account(), account, "{table}: {files}");
    flow.audit();
    flow
}

const TWO_HOURS: &str = "wait = { record-time = \"2 hours\" }";

#[test]
fn a_group_goes_on_when_all_network_elements_are_past_its_time() {
    let first = "boston: 7 first 1 @0 +60";
    let past = |element: &str| format!("{element}: 9 whole 1 @7201 +1");
    let files = format!("{first} | {}", past("boston"));
    check(TWO_HOURS, &files, "9 @7201 +1 of 1", "2 = 1 delivered, 1 held");
    let files = format!("{files} | chicago: 8 whole 1 @7200 +1");
    check(TWO_HOURS, &files, "8 @7200 +1 of 1, 9 @7201 +1 of 1", "3 = 2 delivered, 1 held");
    let files = format!("{files} | {}", past("chicago").replace('9', "6"));
    check(
        TWO_HOURS,
        &files,
        "6 @7201 +1 of 1, 7 @0 +60 of 1, 8 @7200 +1 of 1, 9 @7201 +1 of 1",
        "4 = 3 delivered, 1 held",
    );
}

#[test]
fn what_becomes_of_a_group_whose_time_is_over_the_flow_says() {
    let files = "chicago: 8 whole 1 @9000 +1 | boston: 7 first 1 @0 +60; 9 whole 1 @9000 +1";
    let others = "8 @9000 +1 of 1, 9 @9000 +1 of 1";
    let expired = |what: &str| format!("{TWO_HOURS}\nexpired = \"{what}\"");
    let account = "3 = 2 delivered, 1 held";
    check(&expired("emit"), files, &format!("7 @0 +60 of 1, {others}"), account);
    check(&expired("drop"), files, others, account);
    let flow = check(&expired("suspend"), files, others, account);
    let (_, listed) = flow.command("suspense list flow.toml");
    assert!(listed.contains("was not complete when its time was over"), "{listed}");
    // After a retry the record is late: it begins a group if the flow says so.
    flow.edit("expired = \"suspend\"", "expired = \"emit\"\nlate = \"begin\"");
    assert_eq!(flow.command("suspense retry flow.toml --all").0, 0);
    flow.run();
    assert_eq!(flow.made(), format!("7 @0 +60 of 1, {others}"));
    flow.audit();
}

#[test]
fn a_record_that_comes_late_goes_where_the_flow_says() {
    let files = "boston: 7 whole 1 @0 +60; 7 middle 2 @60 +5";
    let late = |what: &str| format!("{TWO_HOURS}\nlate = \"{what}\"");
    check(&late("suspend"), files, "7 @0 +60 of 1", "2 = 1 delivered, 1 suspended");
    check(&late("pass"), files, "7 @0 +60 of 1", "2 = 1 delivered, 1 filtered");
    check(&late("begin"), files, "7 @0 +60 of 1", "2 = 1 delivered, 1 held");
    // A record is late by the time of its own network element, whether its group was released by then or not.
    let files = "boston: 7 first 1 @0 +60; 9 whole 1 @7201 +1; 7 last 2 @60 +1";
    check(&late("pass"), files, "9 @7201 +1 of 1", "3 = 1 delivered, 1 filtered, 1 held");
}

#[test]
fn a_record_that_is_in_its_group_already_does_not_come_again() {
    let files = "boston: 7 first 1 @0 +60; 7 first 1 @0 +60; 7 last 2 @60 +1";
    let duplicate = |what: &str| format!("{TWO_HOURS}\nduplicate = \"{what}\"");
    check(&duplicate("suspend"), files, "7 @0 +61 of 2", "3 = 1 delivered, 1 held, 1 suspended");
    check(&duplicate("pass"), files, "7 @0 +61 of 2", "3 = 1 delivered, 1 filtered, 1 held");
}

#[test]
fn records_of_one_key_that_lie_far_apart_are_not_of_one_group() {
    let table = format!("{TWO_HOURS}\nwithin = \"5 seconds\"");
    let files =
        "boston: 7 first 1 @0 +60; 7 first 1 @100 +9 | chicago: 7 last 2 @95 +1; 7 last 2 @5 +2";
    check(&table, files, "7 @0 +62 of 2, 7 @95 +10 of 2", "4 = 2 delivered, 2 held");
}

#[test]
fn a_group_and_the_groups_have_a_largest_number() {
    let table = format!("{TWO_HOURS}\ngroup-max = 2");
    let files = "boston: 7 first 1 @0 +1; 7 middle 2 @1 +1; 7 middle 3 @2 +1";
    check(&table, files, "", "3 = 2 held, 1 suspended");
    let flow = Flow::new(&format!("{TWO_HOURS}\ngroups-max = 2"));
    flow.put(
        "boston",
        "0.json",
        "1 first 1 @0 +1; 2 first 1 @0 +1; 2 last 2 @1 +1; 3 first 1 @2 +1",
    );
    flow.run();
    flow.put("boston", "1.json", "4 first 1 @3 +1");
    let said = flow.run();
    assert!(said.contains("2 groups are open at most: allow more \"groups-max\""), "{said}");
    assert!(said.contains("or give \"wait\" an \"arrival\""), "{said}");
    assert!(flow.path().join("in/boston/1.json").exists(), "it waits for room");
    flow.audit();
}

#[test]
fn a_record_that_somebody_refuses_did_not_come_and_completes_its_group_when_it_is_retried() {
    let flow = Flow::new(TWO_HOURS);
    let script = std::fs::read_to_string(flow.path().join("calls.dup")).unwrap();
    let with = |text: &str| std::fs::write(flow.path().join("calls.dup"), text).unwrap();
    with(&script.replace("call.seconds := 0;", "reject(\"not now\");"));
    flow.put("boston", "0.json", "7 first 1 @0 +60; 7 last 2 @60 +1");
    flow.run();
    assert_eq!(flow.account(), "2 = 1 held, 1 suspended");
    flow.audit();
    with(&script);
    assert_eq!(flow.command("suspense retry flow.toml --all").0, 0);
    assert_eq!(flow.made(), "7 @0 +61 of 2");
    assert_eq!(flow.account(), "3 = 1 delivered, 1 held, 1 suspended");
    flow.audit();
}

#[test]
fn a_record_that_is_retried_waits_like_any_other() {
    let flow = Flow::new(TWO_HOURS);
    let script = std::fs::read_to_string(flow.path().join("calls.dup")).unwrap();
    let with = |text: &str| std::fs::write(flow.path().join("calls.dup"), text).unwrap();
    with(&script.replace("return part.call;", "reject(\"not now\"); return 0;"));
    flow.put("boston", "0.json", "7 first 1 @0 +60");
    flow.run();
    with(&script);
    let (status, said) = flow.command("suspense retry flow.toml --all");
    assert_eq!(status, 0, "{said}");
    assert_eq!(flow.account(), "2 = 1 held, 1 suspended");
    flow.put("chicago", "1.json", "7 last 2 @60 +1");
    flow.run();
    assert_eq!(flow.made(), "7 @0 +61 of 2");
    flow.audit();
}

#[test]
fn records_that_were_set_aside_join_each_other_when_they_are_retried() {
    let flow = check(
        &format!("{TWO_HOURS}\nexpired = \"suspend\""),
        "chicago: 8 whole 1 @9000 +1 | boston: 7 first 1 @0 +60; 7 middle 2 @60 +5; 9 whole 1 @9000 +1",
        "8 @9000 +1 of 1, 9 @9000 +1 of 1",
        "4 = 2 delivered, 2 held",
    );
    // Without the last part they are set aside again.
    assert_eq!(flow.command("suspense retry flow.toml --all").0, 0);
    flow.run();
    flow.put("chicago", "9.json", "7 last 3 @65 +2");
    flow.run();
    assert_eq!(flow.made(), "8 @9000 +1 of 1, 9 @9000 +1 of 1");
    assert_eq!(flow.command("suspense retry flow.toml --all").0, 0);
    assert_eq!(flow.made(), "7 @0 +67 of 3, 8 @9000 +1 of 1, 9 @9000 +1 of 1");
    flow.audit();
}

#[test]
fn groups_go_on_when_their_network_element_is_renamed_and_are_told_when_their_node_is() {
    let flow = Flow::new(TWO_HOURS);
    flow.put("boston", "0.json", "7 first 1 @0 +60");
    flow.run();
    flow.edit("calls\"\nencode", "joined\"\nencode");
    flow.edit("[matching.calls]", "[matching.joined]");
    flow.run();
    let (_, alarms) = flow.command("alarms flow.toml");
    assert!(
        alarms.contains("1 group of records wait in \"calls\", which is no matching node"),
        "{alarms}"
    );
    flow.edit("joined\"\nencode", "calls\"\nencode");
    flow.edit("[matching.joined]", "[matching.calls]");
    // The first network element of the flow gives the node no records.
    flow.edit(
        "[network-element.boston]",
        "[network-element.atlanta]\ncollect = { dir = \"in/atlanta\" }\n\
         decode = { type = \"CALLS.Part\", codec = \"json\" }\n\
         [post-processing-system.parts]\nfrom = \"atlanta\"\nencode = { codec = \"json\" }\n\
         deliver = { dir = \"parts\" }\n[network-element.denver]",
    );
    flow.edit("from = [\"boston\"", "from = [\"denver\"");
    flow.put("boston", "1.json", "8 whole 1 @9000 +1");
    flow.put("chicago", "1.json", "9 whole 1 @9000 +1");
    flow.run();
    assert_eq!(flow.made(), "7 @0 +60 of 1, 8 @9000 +1 of 1, 9 @9000 +1 of 1");
    let (_, alarms) = flow.command("alarms flow.toml");
    assert!(!alarms.contains("\"calls\""), "{alarms}");
    flow.audit();
}

#[test]
fn what_waits_is_not_read_as_something_else() {
    let flow = Flow::new("wait = { arrival = \"1 day\" }");
    let module = std::fs::read_to_string(flow.path().join("calls.asn1")).unwrap();
    let with = |part: &str| {
        let module = module.replace("number INTEGER, time INTEGER, seconds INTEGER", part);
        std::fs::write(flow.path().join("calls.asn1"), module).unwrap();
    };
    let part = "number INTEGER, time INTEGER, seconds INTEGER";
    flow.put("boston", "0.json", "7 first 1 @0 +60");
    flow.run();
    with("number INTEGER, seconds INTEGER, time INTEGER");
    flow.put("boston", "1.json", "7 middle 2 @60 +30");
    let said = flow.run();
    assert!(said.contains("\"CALLS.Part.seconds"), "{said}");
    assert!(flow.path().join("in/boston/1.json").exists(), "it waits: {said}");
    assert!(flow.command("alarms flow.toml").1.contains("groups-unreadable"));
    // With more fields in the type, the records can be read as before.
    with(&format!("{part}, cell INTEGER OPTIONAL"));
    flow.run();
    assert_eq!(flow.command("alarms flow.toml").0, 0);
    flow.put("chicago", "2.json", "7 last 3 @90 +1");
    flow.run();
    assert_eq!(flow.made(), "7 @0 +91 of 3");
    // Where no record waits, records are written in the new form from now on.
    with("number INTEGER, seconds INTEGER, time INTEGER");
    flow.put("chicago", "3.json", "8 first 1 @0 +5");
    flow.put("boston", "4.json", "8 last 2 @5 +1");
    flow.run();
    assert_eq!(flow.made(), "7 @0 +91 of 3, 8 @0 +6 of 2");
    flow.audit();
}

/// The database itself does not detect this: only a digest shows what the octets were.
#[test]
fn a_record_that_was_damaged_while_it_waited_becomes_a_part_of_nothing() {
    let flow = Flow::new("wait = { arrival = \"1 day\" }");
    flow.put("boston", "0.json", "7 first 1 @0 +60; 8 first 1 @0 +5");
    flow.run();
    let journal = flow.path().join("flow.state/journal.db");
    let flip = || {
        let journal = rusqlite::Connection::open(&journal).unwrap();
        let page = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let (first, mut octets): (i64, Vec<u8>) =
            journal.query_row("SELECT first, octets FROM group_page", [], page).unwrap();
        // An octet of the first entry, which is that of call 7, behind its key.
        octets[20] ^= 1;
        let update = "UPDATE group_page SET octets = ? WHERE first = ?";
        journal.execute(update, (octets, first)).unwrap();
    };
    flip();
    flow.put("boston", "1.json", "7 last 2 @60 +30");
    flow.put("chicago", "2.json", "8 last 2 @5 +1");
    let said = flow.run();
    assert!(
        said.contains("the octets of a record that waits were damaged in the journal: entry 1"),
        "{said}"
    );
    assert_eq!(flow.made(), "8 @0 +6 of 2");
    assert!(flow.path().join("in/boston/1.json").exists(), "it waits: {said}");
    assert!(flow.command("alarms flow.toml").1.contains("files-waiting"));
    flip();
    flow.run();
    assert_eq!(flow.made(), "7 @0 +90 of 2, 8 @0 +6 of 2");
    flow.audit();
}

/// Turns a journal into one of the version in which groups and their records had rows, without digests of the keys.
const ROWS_OF_GROUPS: &str = "
    ALTER TABLE passage DROP COLUMN refused_later;
    ALTER TABLE passage DROP COLUMN sources;
    DROP VIEW set_aside;
    CREATE VIEW set_aside AS
        SELECT suspense.id, file.id AS file, why, record, offset, node, reason, octets, state, came, was, asked, discarded,
            part_of, found_by, waited_in, layout, of_group, octets_digest
        FROM suspense JOIN file
            ON file.id = suspense.file OR (suspense.file IS NULL AND file.job = suspense.job);
    ALTER TABLE suspense DROP COLUMN reason_id;
    ALTER TABLE suspense DROP COLUMN reason_values;
    ALTER TABLE delivery DROP COLUMN reason_id;
    ALTER TABLE delivery DROP COLUMN reason_values;
    DROP TABLE reason;
    DROP TABLE refused_file;
    DROP TABLE alert_found;
    DROP TABLE fraud_case;
    DROP TABLE fraud_case_step;
    DROP TABLE list_hit;
    DROP TABLE action;
    DROP TABLE action_stop;
    DROP TABLE fraud_rule;
    DROP TABLE fraud_rule_approval;
    DROP TABLE alert_record;
    DROP TABLE fraud_hour;
    DROP TABLE key_index;
    DROP TABLE key_index_erasure;
    DROP TABLE key_secret;
    DROP INDEX trail_by_time;
    DROP INDEX delivery_by_time;
    DROP INDEX trail_view;
    ALTER TABLE trail DROP COLUMN is_view;
    CREATE TABLE poison (path TEXT PRIMARY KEY, reason TEXT NOT NULL, at_ms INTEGER NOT NULL) STRICT;
    DROP TABLE state_timer;
    DROP TABLE state_delta;
    DROP TABLE state_form;
    DROP TABLE threshold_alarm;
    DROP TABLE threshold_event;
    DROP TABLE state_snapshot;
    DROP TABLE group_batch;
    DROP TABLE group_page;
    DROP TABLE group_state;
    DROP TABLE group_link;
    DROP TABLE group_index;
    DROP TABLE group_request;
    DROP TABLE group_forgotten;
    CREATE TABLE held_group (
        id              INTEGER PRIMARY KEY AUTOINCREMENT,
        node            TEXT    NOT NULL,
        key             TEXT    NOT NULL,
        network_element TEXT    NOT NULL,
        first_ms        INTEGER,
        last_ms         INTEGER,
        came_ms         INTEGER NOT NULL,
        release         TEXT CHECK (release IN ('complete', 'expired', 'dropped', 'suspended')),
        released_ms     INTEGER,
        released_by     INTEGER,
        asked           INTEGER REFERENCES trail (id),
        asked_end       TEXT CHECK (asked_end IN ('release', 'suspend', 'drop')),
        began_late      INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX held_group_by_key ON held_group (node, key);
    CREATE TABLE held_part (
        in_group   INTEGER NOT NULL REFERENCES held_group (id) ON DELETE CASCADE,
        place      INTEGER NOT NULL,
        file       INTEGER NOT NULL,
        record     INTEGER NOT NULL,
        offset     INTEGER NOT NULL,
        time_ms    INTEGER,
        is_held    INTEGER NOT NULL,
        octets     BLOB,
        digest     BLOB,
        PRIMARY KEY (in_group, place)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE held_sum (
        in_group INTEGER NOT NULL REFERENCES held_group (id) ON DELETE CASCADE,
        name     TEXT    NOT NULL,
        text     TEXT    NOT NULL,
        high     INTEGER NOT NULL,
        low      INTEGER NOT NULL,
        records  INTEGER NOT NULL,
        PRIMARY KEY (in_group, name)
    ) STRICT, WITHOUT ROWID;
    PRAGMA user_version = 56;";

/// Gives a journal the rows that it would have of these calls in that version.
fn as_rows(journal: &rusqlite::Connection, calls: &[&str]) {
    let mut groups = StoredGroups::default();
    let of_call = |call: &&str| groups.of_key(journal, "calls", call).unwrap();
    let groups: Vec<StoredGroup> = calls.iter().flat_map(of_call).collect();
    journal.execute_batch(ROWS_OF_GROUPS).unwrap();
    for group in groups {
        let insert =
            "INSERT INTO held_group (id, node, key, network_element, first_ms, last_ms, came_ms,
                          release, released_ms, released_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        let (node, network_element) = (group.node(), group.network_element());
        let StoredGroup { id, key, times, came_ms, release, .. } = &group;
        let (first, last) = times.map(|times| (times.first_ms, times.last_ms)).unzip();
        let how = release.map(|release| release.kind.word());
        let (at, by) = (release.map(|release| release.at_ms), release.map(|release| release.by));
        let values = rusqlite::params![
            id,
            node,
            key,
            network_element,
            first,
            last,
            came_ms,
            how,
            at,
            by.flatten()
        ];
        journal.execute(insert, values).unwrap();
        for (place, record) in (1..).zip(&group.records) {
            let insert = "INSERT INTO held_part (in_group, place, file, record, offset, time_ms, is_held, octets)
                          VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
            let StoredRecord { job, record, offset, time_ms, is_held, octets, .. } = record;
            let (record, offset) = (*record as i64, *offset as i64);
            let values =
                rusqlite::params![id, place, job, record, offset, time_ms, is_held, octets];
            journal.execute(insert, values).unwrap();
        }
    }
}

#[test]
fn groups_that_an_earlier_version_began_become_complete() {
    let flow = Flow::new("wait = { arrival = \"1 day\" }");
    flow.put("boston", "0.json", "7 first 1 @0 +60; 8 first 1 @0 +5; 9 whole 1 @0 +1");
    flow.run();
    let journal = rusqlite::Connection::open(flow.path().join("flow.state/journal.db")).unwrap();
    as_rows(&journal, &["7", "8", "9"]);
    drop(journal);
    flow.put("chicago", "1.json", "7 last 2 @60 +30; 8 middle 2 @5 +1");
    flow.run();
    assert_eq!(flow.made(), "7 @0 +90 of 2, 9 @0 +1 of 1");
    let (status, shown) = flow.command("matching show flow.toml 8");
    assert!(status == 0 && shown.contains("chicago/1.json"), "{shown}");
    flow.put("boston", "2.json", "8 last 3 @6 +1; 9 whole 1 @0 +1");
    flow.run();
    assert_eq!(flow.made(), "7 @0 +90 of 2, 8 @0 +7 of 3, 9 @0 +1 of 1");
    flow.audit();
}

/// Generates the parts of a file: call, kind, number and time.
fn parts() -> impl Strategy<Value = Vec<(u8, usize, u8, u16)>> {
    vec((0_u8..4, 0_usize..4, 1_u8..4, 0_u16..20_000), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn the_same_files_again_give_the_same_and_nothing_is_lost(files in vec(parts(), 1..6)) {
        let one_by_one = Flow::new(&format!("{TWO_HOURS}\nlate = \"pass\""));
        let at_once = Flow::new(&format!("{TWO_HOURS}\nlate = \"pass\""));
        for (place, parts) in files.iter().enumerate() {
            let element = place % 2;
            // Each network element has calls of its own.
            let part = |(call, kind, number, time): &(u8, usize, u8, u16)| {
                let kind = ["first", "middle", "last", "whole"][*kind];
                format!("{} {kind} {number} @{time} +1", usize::from(*call) * 2 + element)
            };
            let parts: Vec<String> = parts.iter().map(part).collect();
            for flow in [&one_by_one, &at_once] {
                flow.put(["boston", "chicago"][element], &format!("{place}.json"), &parts.join("; "));
            }
            one_by_one.run();
        }
        at_once.run();
        prop_assert_eq!(one_by_one.made(), at_once.made());
        prop_assert_eq!(one_by_one.account(), at_once.account());
        one_by_one.audit();
        at_once.audit();
    }
}

#[test]
fn what_becomes_of_a_group_can_be_looked_at() {
    let flow = check(
        TWO_HOURS,
        "boston: 7 first 1 @0 +60; 8 first 1 @5 +1 | chicago: 7 last 2 @60 +1",
        "7 @0 +61 of 2",
        "3 = 1 delivered, 2 held",
    );
    let (status, listed) = flow.command("matching list flow.toml");
    assert!(status == 0 && listed.contains("\tcalls\t8\t1\t2023-11-14T22:13:25Z\t"), "{listed}");
    assert_eq!(listed.lines().count(), 1, "{listed}");
    let (status, shown) = flow.command("matching show flow.toml 7");
    assert_eq!(status, 0, "{shown}");
    for wanted in [
        "boston/00.json  record 1 at octet 0",
        "chicago/01.json  record 1 at octet 0",
        "complete, by 01.json",
    ] {
        assert!(shown.contains(wanted), "{shown}");
    }
    let (status, said) = flow.command("matching show flow.toml 9");
    assert!(status == 2 && said.contains("no group \"9\" waits"), "{said}");
    let (status, said) = flow.command("matching list flow.toml --node nope");
    assert!(status == 2 && said.contains("no matching node \"nope\""), "{said}");
    assert_eq!(flow.command("matching list flow.toml --node calls").0, 0);
}

#[test]
fn a_gateway_that_is_killed_releases_each_group_once() {
    let flow = Flow::new("wait = { record-time = \"1 hour\" }");
    const FILES: usize = 40;
    const CALLS: usize = 25;
    // A call begins in each file and ends in the next, except for every fifth, which never ends.
    for file in 0..FILES {
        let part = |place: usize| {
            let (begun, ended) = (file * CALLS + place, (file * CALLS + place).checked_sub(CALLS));
            let first = format!("{begun} first 1 @{} +1", file * 600);
            let last = ended.filter(|call| call % 5 > 0);
            let last = last.map(|call| format!("; {call} last 2 @{} +1", file * 600 + 1));
            first + &last.unwrap_or_default()
        };
        let parts: Vec<String> = (0..CALLS).map(part).collect();
        flow.put("boston", &format!("{file:02}.json"), &parts.join("; "));
    }
    // The other network element is later than all of these, so that groups expire all the time.
    flow.put("chicago", "0.json", "999999 whole 1 @90000 +1");
    let mut kills = 0;
    let is_left = |flow: &Flow| flow.path().join(format!("in/boston/{}.json", FILES - 1)).exists();
    while is_left(&flow) {
        // The time grows, so that a start that takes longer than usual makes progress too.
        let patience = 1 + kills / 50;
        flow.run_for(std::time::Duration::from_millis((20 + kills % 7 * 15) * patience));
        kills += 1;
        flow.take();
        assert!(kills < 1_000, "the gateway gets on");
    }
    flow.run();
    flow.take();
    let made = flow.taken();
    let mut calls: Vec<&str> = made.iter().map(|call| call.split(' ').next().unwrap()).collect();
    calls.sort_unstable();
    let count = calls.len();
    calls.dedup();
    assert_eq!(count, calls.len(), "no call goes out twice");
    let whole = made.iter().filter(|call| call.ends_with("of 2")).count();
    assert_eq!(whole, (FILES - 1) * CALLS * 4 / 5);
    // The calls of the last files still wait.
    assert!(count > whole && count < FILES * CALLS, "{count}");
    flow.audit();
}

#[test]
fn mistakes_of_the_table_and_the_script_are_at_their_place() {
    for (table, said) in [
        ("", "flow.toml:11:11: \"calls\" does not say how long a group waits"),
        (
            "wait = { record-time = \"1 hour\", files = \"1 day\" }",
            "flow.toml:14:43: \"files\" is how much longer than its \"arrival\" a group waits",
        ),
        ("wait = { record-tine = \"1 hour\" }", "no key is named \"record-tine\""),
        ("wait = { arrival = \"soon\" }", "flow.toml:14:21: \"soon\" is no length of time"),
        (
            "wait = { arrival = \"1 day\" }\nexpired = \"emits\"",
            "flow.toml:15:12: \"expired\" is not \"emits\"",
        ),
        (
            "wait = { arrival = \"1 day\" }\nhistory = \"23 hours\"",
            "flow.toml:15:12: a group is forgotten before its time is over",
        ),
        ("wait = { arrival = \"1 day\" }\ngroup-max = 0", "\"group-max\" is a number from 1"),
        (
            "wait = { arrival = \"1 day\" }\ncomplete = \"isComplete\"",
            "the script has no function \"isComplete\"",
        ),
        (
            "wait = { arrival = \"1 day\" }\ncomplete = \"key\"",
            "calls.dup:2:9: this is not the form of the function that says whether a group is complete",
        ),
        (
            "wait = { arrival = \"1 day\" }\ncombine = \"complete\"",
            "calls.dup:7:9: this is not the form of the function that combines",
        ),
    ] {
        let flow = Flow::new(table);
        let (status, found) = flow.command("check flow.toml");
        assert!(status > 0 && found.contains(said), "{table}: {found}");
    }
}
