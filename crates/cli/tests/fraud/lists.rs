//! Lists of keys: who is left out of a rule, and whom alone it is about.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{alerts, expect_mistake, flow_with, found, put, run};
use crate::api::served::{As, Served};
use crate::common::tollgate::{tollgate, tollgate_words};

const LISTS: &str = "lists = \"lists\"\n";

const BUSY: &str =
    "about = \"caller\"\nat-least = 2\nwithin = \"1 minute\"\nagain = \"1 second\"\n";

fn with_lists(rule: &str, lists: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = flow_with(LISTS, &[("busy", rule)]);
    fs::create_dir(folder.path().join("lists")).unwrap();
    for (name, text) in lists {
        fs::write(folder.path().join("lists").join(name).with_extension("csv"), text).unwrap();
    }
    folder
}

const CALLS: [(i64, &str, &str, u32); 6] = [
    (0, "4670", "1", 1),
    (1, "4670", "1", 1),
    (2, "4671", "1", 1),
    (3, "4671", "1", 1),
    (4, "3170", "1", 1),
    (5, "3170", "1", 1),
];

fn keys(folder: &Path) -> Vec<String> {
    found(&alerts(folder, "")).iter().map(|of| of.1.to_owned()).collect()
}

#[test]
fn who_is_in_a_list_is_left_out_or_alone_has_alerts() {
    let offices = "key,from,until,source,who,because\n4670,2026-01-01,,import,anna,a call centre\n31*,,2026-05-31,import,anna,before June\n";
    let except = with_lists(&format!("{BUSY}except = \"offices\"\n"), &[("offices", offices)]);
    put(except.path(), "1.csv", &CALLS);
    run(except.path());
    assert_eq!(keys(except.path()), ["4671", "3170"], "an entry has an end");
    let only = with_lists(&format!("{BUSY}only = \"offices\"\n"), &[("offices", offices)]);
    put(only.path(), "1.csv", &CALLS);
    run(only.path());
    assert_eq!(keys(only.path()), ["4670"]);
}

#[test]
fn an_entry_that_is_added_takes_effect_and_keeps_what_was_counted() {
    let folder = with_lists(&format!("{BUSY}only = \"hot\"\n"), &[("hot", "key\n1\n")]);
    put(folder.path(), "1.csv", &CALLS[..1]);
    run(folder.path());
    fs::write(folder.path().join("lists/hot.csv"), "key\n4670\n").unwrap();
    put(folder.path(), "2.csv", &CALLS[1..2]);
    run(folder.path());
    assert_eq!(keys(folder.path()), ["4670"]);
}

#[test]
fn mistakes_of_lists_have_their_places() {
    let folder = with_lists(&format!("{BUSY}except = \"office\"\n"), &[]);
    expect_mistake(folder.path(), "busy.toml", ("5:11", "could not read the list"));
    fs::write(folder.path().join("lists/office.csv"), "key,until\n4670,soon\n,2026-12-31\n")
        .unwrap();
    let (status, said) = tollgate(folder.path(), "check flow.toml");
    assert_eq!(status, 2, "{said}");
    for expected in ["office.csv:2:6", "\"soon\" is no day", "office.csv:3:1", "an entry has a key"]
    {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let without = flow_with("", &[("busy", &format!("{BUSY}except = \"office\"\n"))]);
    expect_mistake(without.path(), "busy.toml", ("5:11", "the node has no lists"));
}

/// A list as people write it.
const OFFICES: &str = "\
# ours, see the wiki
key,from,until,source,who,because
4670 ,,,import,anna,\"a call centre,
with two lines\"

# before June
31*,,2026-05-31,import,anna,old
4672,,,support,bert,never calls
";

fn with_offices() -> tempfile::TempDir {
    let folder = with_lists(&format!("{BUSY}except = \"offices\"\n"), &[("offices", OFFICES)]);
    put(folder.path(), "1.csv", &CALLS);
    run(folder.path());
    folder
}

fn list(folder: &Path, words: &[&str]) -> (i32, String) {
    tollgate_words(folder, &[&["fraud", "list"], words].concat())
}

fn shown(folder: &Path, more: &[&str]) -> Vec<Value> {
    let words = [&["show", "flow.toml", "offices", "--json"], more].concat();
    let (status, shown) = list(folder, &words);
    assert_eq!(status, 0, "{shown}");
    shown.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn offices(folder: &Path) -> String {
    fs::read_to_string(folder.join("lists/offices.csv")).unwrap()
}

/// Expects that a command about lists fails, and changes nothing.
fn expect_refusal(folder: &Path, words: &[&str], expected: &str) {
    let before = offices(folder);
    let (status, said) = list(folder, words);
    assert!(status != 0 && said.contains(expected), "{words:?}: {said}");
    assert_eq!(offices(folder), before, "{words:?}");
}

#[test]
fn a_list_shows_how_often_its_entries_mattered_and_which_are_dead() {
    let folder = with_offices();
    let all = shown(folder.path(), &[]);
    let of: Vec<_> = all.iter().map(|of| (&of["key"], &of["hits"], &of["line"])).collect();
    let expected = [("4670", 1, 3), ("31*", 0, 7), ("4672", 0, 8)];
    let expected = expected.map(|(key, hits, line)| (json!(key), json!(hits), json!(line)));
    assert_eq!(of, expected.iter().map(|(a, b, c)| (a, b, c)).collect::<Vec<_>>());
    assert_eq!(all[0]["last_hit"], "2026-06-01T12:00:01Z");
    assert_eq!((&all[1]["over"], &all[1]["until"]), (&json!(true), &json!("2026-05-31")));
    let dead: Vec<Value> = shown(folder.path(), &["--dead"]);
    let dead: Vec<&Value> = dead.iter().map(|of| &of["key"]).collect();
    assert_eq!(dead, ["31*", "4672"]);
    let for_key = |key| {
        shown(folder.path(), &["--key", key]).iter().map(|of| of["key"].clone()).collect::<Vec<_>>()
    };
    assert_eq!((for_key("3170"), for_key("467")), (vec![json!("31*")], vec![]));
    let (_, table) = list(folder.path(), &["show", "flow.toml", "offices"]);
    assert!(table.contains("2026-05-31 (over)"), "{table}");
    let (status, said) = list(folder.path(), &["show", "flow.toml", "offces"]);
    assert!(status != 0 && said.contains("did you mean \"offices\"?"), "{said}");
}

#[test]
fn an_entry_is_added_and_removed_and_other_lines_stay() {
    let folder = with_offices();
    let here = folder.path();
    let add =
        ["add", "flow.toml", "offices", "4671", "--until", "2099-01-01", "--source", "support"];
    let (status, said) = list(here, &[&add[..], &["--because", "they, too"]].concat());
    assert!(status == 0 && said.contains("1 entry added"), "{said}");
    let added = offices(here);
    let row = added.strip_prefix(OFFICES).expect("the rest stays").trim_end();
    assert!(
        row.starts_with("4671,,2099-01-01,support,") && row.ends_with(",\"they, too\""),
        "{row}"
    );
    expect_refusal(here, &[&add[..], &["--because", "again"]].concat(), "holds as long");
    put(here, "2.csv", &[(10, "4671", "1", 1), (11, "4671", "1", 1)]);
    run(here);
    assert_eq!(keys(here), ["4671", "3170"], "rules go by it");
    let (status, said) =
        list(here, &["remove", "flow.toml", "offices", "4671", "--because", "they left"]);
    assert!(status == 0 && said.contains("1 entry removed"), "{said}");
    assert_eq!(offices(here), OFFICES);
    let (_, trail) = tollgate(here, "trail flow.toml --json");
    let entries: Vec<Value> =
        trail.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |action: &str| entries.iter().find(|of| of["action"] == action).unwrap().clone();
    let (added, removed) = (of("fraud list add"), of("fraud list remove"));
    assert_eq!((&added["after"], &added["reason"]), (&json!("4671"), &json!("they, too")));
    assert_eq!((&removed["before"], &removed["reason"]), (&json!("4671"), &json!("they left")));
    assert_eq!(added["subject"], "list \"offices\": 1 added");
}

#[test]
fn what_cannot_be_an_entry_is_refused() {
    let folder = with_offices();
    let here = folder.path();
    let add = |name, key, more: &[&'static str]| {
        let words = ["add", "flow.toml", name, key, "--because", "so"];
        [&words[..], more].concat()
    };
    for (words, expected) in [
        (add("offices", "4699", &["--until", "soon"]), "\"soon\" is no day or time"),
        (add("offices", "4699", &["--until", "2020-01-01"]), "over already"),
        (add("offices", " ", &[]), "a key is missing"),
        (add("offices", "46\n99", &[]), "no control characters"),
        (add("../rules/x", "4699", &[]), "is no name of a list"),
        (add("none", "4699", &[]), "there is no list \"none\""),
        (add("offices", "4670", &[]), "holds as long"),
    ] {
        expect_refusal(here, &words, expected);
    }
    let remove = |key| ["remove", "flow.toml", "offices", key, "--because", "so"];
    expect_refusal(here, &remove("4699"), "no entry of this key");
    expect_refusal(here, &remove("3170"), "\"31*\" is for all keys that begin so");
    let no_reason = ["add", "flow.toml", "offices", "4699", "--because", " "];
    expect_refusal(here, &no_reason, "give a reason");
    fs::write(here.join("lists/offices.csv"), "key,until\n4670,soon\n").unwrap();
    expect_refusal(here, &add("offices", "4699", &[]), "offices.csv:2:6: \"soon\" is no day");
}

#[test]
fn an_import_shows_the_differences_and_applies_them_when_it_is_meant() {
    let folder = with_offices();
    let here = folder.path();
    let new = "key,until,because\n4670,,\"a call centre,\nwith two lines\"\n4672,2099-01-01,never calls\n#31#,,n\n\"#31#\",,hidden\n";
    fs::write(here.join("new.csv"), new).unwrap();
    let import = ["import", "flow.toml", "offices", "new.csv"];
    let (status, said) = list(here, &import);
    assert_eq!(status, 0, "{said}");
    for expected in [
        "- 31* until 2026-05-31, import, anna, old",
        "- 4672 support, bert, never calls",
        "+ 4672 until 2099-01-01, support, bert, never calls",
        "+ #31# import, ",
        "1 added, 1 removed, 1 changed; --apply changes the list",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert_eq!(offices(here), OFFICES);
    let apply = [&import[..], &["--apply", "--because", "those of June", "--json"]].concat();
    let (status, said) = list(here, &apply);
    let applied: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((status, &applied["applied"], &applied["added"]), (0, &json!(true), &json!(1)));
    let after = offices(here);
    let who = after.lines().last().unwrap().strip_prefix("\"#31#\",,,import,").unwrap();
    assert!(who.ends_with(",hidden"), "{after}");
    let expected = "\
# ours, see the wiki
key,from,until,source,who,because
4670 ,,,import,anna,\"a call centre,
with two lines\"

# before June
4672,,2099-01-01,support,bert,never calls
";
    assert_eq!(after.lines().take(7).map(|line| format!("{line}\n")).collect::<String>(), expected);
    let (_, trail) = tollgate(here, "trail flow.toml");
    assert!(trail.contains("1 added, 1 removed, 1 changed") && trail.contains("those of June"));
    let (_, said) = list(here, &import);
    assert!(said.contains("0 added, 0 removed, 0 changed"), "{said}");
    assert_eq!(list(here, &["import", "flow.toml", "new", "new.csv", "--apply"]).0, 0);
    assert!(fs::read_to_string(here.join("lists/new.csv")).unwrap().starts_with("key,from,until,"));
}

#[test]
fn mistakes_of_an_imported_file_have_their_places_and_the_list_stays() {
    let folder = with_offices();
    let here = folder.path();
    for (text, expected) in [
        (&b""[..], "new.csv:1:1: the list has no first line"),
        (b"4670\n4671\n", "new.csv:1:1: a list has no column \"4670\""),
        (b"who\nanna\n", "new.csv:1:1: the column \"key\" is missing"),
        (b"key,until\n4670,\n4671,soon\n", "new.csv:3:6: \"soon\" is no day"),
        (b"key,until\n4670\n", "new.csv:2:1: this line has 1 cell, the first line has 2"),
        (b"key\n\"4670\n4671\n", "new.csv:2:1: this quote is not closed"),
        (b"key\n4670\0\n", "new.csv:2:1: this cell has NULs in it"),
        (b"key,key\n1,2\n", "new.csv:1:5: the column \"key\" stands there twice"),
        (b"key\n46\xff\n", "new.csv:2:3: "),
    ] {
        fs::write(here.join("new.csv"), text).unwrap();
        expect_refusal(here, &["import", "flow.toml", "offices", "new.csv", "--apply"], expected);
    }
    expect_refusal(here, &["import", "flow.toml", "offices", "none.csv", "--apply"], "none.csv");
    fs::write(here.join("new.csv"), "key,until\n,soon\n4670,never\n").unwrap();
    let (_, said) = list(here, &["import", "flow.toml", "offices", "new.csv"]);
    for expected in ["new.csv:2:1", "new.csv:2:2", "new.csv:3:6", "the list stays as it is"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn a_node_is_named_where_several_have_lists_of_their_own() {
    let folder = with_offices();
    let here = folder.path();
    let path = here.join("flow.toml");
    let text = fs::read_to_string(&path).unwrap();
    let second = "\n[fraud.second]\nfrom = \"switch\"\ntype = \"Events.Event\"\ntime = \"record.time\"\n\
                  subjects = \"caller = record.caller\"\nrules = \"rules\"\nlists = \"other\"\n";
    fs::write(&path, format!("{text}{second}")).unwrap();
    let (status, said) = list(here, &["show", "flow.toml", "offices"]);
    assert!(status != 0 && said.contains("\"calls\", \"second\""), "{said}");
    assert_eq!(list(here, &["show", "flow.toml", "offices", "--node", "calls"]).0, 0);
    let (status, said) = list(here, &["show", "flow.toml", "offices", "--node", "second"]);
    assert!(status != 0 && said.contains("there is none yet"), "{said}");
}

#[test]
fn keys_of_lists_are_masked_for_viewers_and_views_are_in_the_trail() {
    let long = OFFICES.replace("4672,", "46701234567,");
    let folder = with_lists(&format!("{BUSY}except = \"offices\"\n"), &[("offices", &long)]);
    put(folder.path(), "1.csv", &CALLS);
    run(folder.path());
    let served = Served::start(folder);
    let anna = served.first();
    let (vera, otto) =
        (served.invited(&anna, "vera", "viewer"), served.invited(&anna, "otto", "operator"));
    let path = "/api/fraud/lists/offices";
    let masked = served.ask(&vera, "GET", path, None);
    assert_eq!(masked.json()["masked"], true);
    for key in ["\"4670\"", "31*", "46701234567"] {
        assert!(!masked.body.contains(key), "{key}: {}", masked.body);
    }
    let whole = served.got(&otto, path);
    assert_eq!(whole["entries"][0]["key"], "46701234567", "the last line first");
    let add = json!({"key": "46709876543", "because": "so"});
    let refused = served.ask(&vera, "POST", &format!("{path}/add"), Some(add.clone()));
    assert_eq!(refused.status, 403, "{}", refused.body);
    served.done(&otto, "POST", &format!("{path}/add"), Some(add));
    let trail = |who: &As| served.ask(who, "GET", "/api/trail?limit=20", None).body;
    assert!(trail(&otto).contains("list \\\"offices\\\"") && trail(&otto).contains("46709876543"));
    assert!(trail(&vera).contains("fraud list add") && !trail(&vera).contains("46709876543"));
    let flow = served.folder.path().join("flow.toml");
    let text = fs::read_to_string(&flow).unwrap();
    fs::write(&flow, format!("{text}\n[privacy]\nrole = \"administrator\"\n")).unwrap();
    for (deed, body) in [
        ("add", json!({"key": "4601", "because": "so"})),
        ("remove", json!({"key": "4670", "because": "so"})),
        ("import", json!({"text": "key\n"})),
    ] {
        let answer = served.ask(&otto, "POST", &format!("{path}/{deed}"), Some(body));
        assert_eq!(answer.json()["code"], "subscriber-data-hidden", "{deed}: {}", answer.body);
    }
    fs::write(served.folder.path().join("lists/offices.csv"), "46701234567\n4671\n").unwrap();
    let answer = served.ask(&vera, "GET", path, None);
    assert_eq!(answer.status, 409);
    assert!(!answer.body.contains("46701234567"), "{}", answer.body);
}

#[test]
fn the_lists_of_all_nodes_have_their_numbers_and_a_search_by_key_is_a_view() {
    let long = OFFICES.replace("4672,", "46701234567,");
    let lists = [("offices", &long[..]), ("wrong", "46709876543\n")];
    let folder = with_lists(&format!("{BUSY}except = \"offices\"\n"), &lists);
    put(folder.path(), "1.csv", &CALLS);
    run(folder.path());
    let served = Served::start(folder);
    let anna = served.first();
    let vera = served.invited(&anna, "vera", "viewer");
    let all = served.got(&anna, "/api/fraud/lists");
    let [of_calls] = &all["folders"].as_array().unwrap()[..] else { panic!("{all}") };
    assert_eq!((&of_calls["nodes"], &of_calls["problem"]), (&json!(["calls"]), &Value::Null));
    let offices = json!({"name": "offices", "entries": 3, "dead": 2, "problem": null});
    assert_eq!(of_calls["lists"][0], offices);
    let wrong = &of_calls["lists"][1];
    assert_eq!((&wrong["name"], &wrong["entries"]), (&json!("wrong"), &Value::Null));
    assert!(wrong["problem"].as_str().unwrap().contains("no column \"46709876543\""), "{wrong}");
    let masked = served.ask(&vera, "GET", "/api/fraud/lists", None).body;
    assert!(masked.contains("\"entries\":3") && !masked.contains("46709876543"), "{masked}");
    let search = "/api/fraud/lists/offices?key=46701234567";
    let found = served.got(&anna, search);
    let [entry] = &found["entries"].as_array().unwrap()[..] else { panic!("{found}") };
    assert_eq!(entry["key"], "46701234567");
    let refused = served.ask(&vera, "GET", search, None);
    assert_eq!(refused.json()["code"], "subscriber-data-hidden", "{}", refused.body);
    let trail = served.got(&anna, "/api/trail?limit=20")["entries"].to_string();
    assert!(trail.contains(r#"list \"offices\", entries for \"46701234567\""#), "{trail}");
}
