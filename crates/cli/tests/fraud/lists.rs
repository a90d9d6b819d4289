//! Lists of keys: who is left out of a rule, and whom alone it is about.

use std::fs;

use super::{alerts, expect_mistake, flow_with, found, put, run};
use crate::common::tollgate::tollgate;

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

fn keys(folder: &std::path::Path) -> Vec<String> {
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
