//! Tests that every mistake of a flow file is reported at its place, with a hint.

use crate::common;
use std::path::Path;

use flow::graph::Scripts;

const ELEMENT: &str = r#"[network-element.a]
collect = { dir = "in" }
decode = { type = "Test.Call" }
"#;
const SYSTEM: &str = r#"
encode = {}
deliver = { dir = "out" }
"#;

/// Checks the mistakes of a flow of one network element and `text`: line:column and message, then the hint. `SYSTEM` in
/// `text` stands for the required keys of a system.
fn check(text: &str, mistakes: &[&str]) {
    let text = format!("{ELEMENT}{}", text.replace("SYSTEM", SYSTEM.trim()));
    let kinds = common::kinds();
    let (file, mut found) = gateway::parse(Path::new("flow.toml"), text, &kinds);
    if found.is_empty() {
        found = flow::graph::build(&file, &kinds, &mut common::schema(), Scripts::Built).1;
    }
    let found: Vec<String> = found
        .iter()
        .map(|diagnostic| {
            let place = diagnostic.place();
            let hint = diagnostic.hint.as_deref().unwrap_or("-");
            format!("{}:{} {} / {hint}", place.line, place.column, diagnostic.message)
        })
        .collect();
    assert_eq!(found, mistakes);
}

#[test]
fn a_right_flow_has_no_mistakes() {
    check(
        r#"[odd.isOdd]
from = ["a"]
[double.twice]
from = ["isOdd.false", "isOdd"]
[post-processing-system.billing]
from = "twice"
SYSTEM"#,
        &[],
    );
}

#[test]
fn what_is_not_toml_is_said_where_it_ends_to_be() {
    check("[odd.x]\nfrom = \"a", &["5:10 invalid basic string, expected `\"` / -"]);
}

#[test]
fn unknown_tables_and_keys_are_all_reported() {
    check(
        "[od.x]\n[odd.y]\nfrm = \"a\"",
        &[
            "4:2 no table is named \"od\" / did you mean \"odd\"?",
            "6:1 no key is named \"frm\" / did you mean \"from\"?",
            "5:6 \"y\" has no \"from\" / -",
        ],
    );
}

#[test]
fn a_name_is_no_longer_than_files_and_answers_can_repeat() {
    let named = |octets: usize| {
        let name = "x".repeat(octets);
        format!("[odd.{name}]\nfrom = \"a\"\n[post-processing-system.b]\nfrom = \"{name}\"\nSYSTEM")
    };
    check(&named(200), &[]);
    check(&named(201), &["4:6 this name has 201 octets, at most 200 are allowed / -"]);
}

#[test]
fn a_name_that_nobody_has_is_marked_alone() {
    check(
        "[odd.isOdd]\nfrom = \"a\"\n[post-processing-system.b]\nfrom = [\"isOd.true\", \"isOdd.flase\"]\nSYSTEM",
        &[
            "7:10 no node named \"isOd\" / did you mean \"isOdd\"?",
            "7:29 \"isOdd\" has no stream \"flase\" / its streams are true, false",
        ],
    );
}

#[test]
fn a_circle_is_shown_with_its_names() {
    check(
        "[odd.x]\nfrom = [\"a\", \"y\"]\n[odd.y]\nfrom = \"x.false\"",
        &["7:9 records go in a circle: y -> x -> y / one of these takes from another giver"],
    );
}

#[test]
fn what_no_element_leads_to_is_reported() {
    check(
        "[odd.x]\nfrom = []\n[post-processing-system.b]\nfrom = \"x\"\nSYSTEM",
        &[
            "4:6 no network element leads to \"x\" / -",
            "6:25 no network element leads to \"b\" / -",
        ],
    );
}

#[test]
fn two_types_on_one_way_are_a_mistake() {
    check(
        "[double.x]\nfrom = \"a\"\n[double.y]\nfrom = \"x\"\n[post-processing-system.b]\nfrom = [\"a\", \"y\"]\nSYSTEM",
        &[
            "7:9 \"y\" takes \"Test.Call\" and is given \"Test.Bill\" / a formatter makes one of the other",
            "9:15 \"b\" takes \"Test.Call\" and is given \"Test.Bill\" / a formatter makes one of the other",
        ],
    );
}

#[test]
fn what_a_table_lacks_is_said_once() {
    let system = "[network-element.b]\ncolect = { dir = \"in\" }\ndecode = { type = \"Test.Call\" }\n\
                  [post-processing-system.c]\nfrom = \"b\"\nSYSTEM";
    check(
        system,
        &[
            "5:1 no key is named \"colect\" / did you mean \"collect\"?",
            "4:18 \"b\" has no \"collect\" / -",
        ],
    );
}

#[test]
fn values_of_another_sort_are_mistakes() {
    check(
        "[network-element.b]\ncollect = { dir = 5, recursive = \"true\", pattern = [\"a\", \"b\"] }\n\
         decode = { type = \"Test.Call\", skip = \"5\" }\n[odd.x]\nfrom = true",
        &[
            "5:19 \"dir\" is a text, found integer / -",
            "5:34 \"recursive\" is true or false / -",
            "5:52 \"pattern\" is a text, found array / -",
            "6:39 \"skip\" is a number, found string / -",
            "8:8 \"from\" is a text or a list of texts, found boolean / -",
        ],
    );
}

#[test]
fn the_name_alone_is_the_stream_true_or_the_only_one() {
    check(
        "[size.x]\nfrom = \"a\"\n[post-processing-system.b]\nfrom = [\"x\", \"x.small\"]\nSYSTEM",
        &[concat!(
            "7:10 \"x\" has several streams, and none is \"true\" / ",
            "write \"x.small\" or \"x.large\""
        )],
    );
}

#[test]
fn an_environment_variable_that_is_not_there_is_named() {
    check(
        "[state]\ndir = \"${TOLLGATE_NO_SUCH_VARIABLE}\"",
        &["5:8 no environment variable is named \"TOLLGATE_NO_SUCH_VARIABLE\" / -"],
    );
}
