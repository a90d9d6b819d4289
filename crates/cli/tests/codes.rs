//! Codes of errors: the index in the book, and that each code means one thing.
//!
//! `UPDATE=1` writes the index.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use reason::Code;
use serde_json::Value;

const INTRODUCTION: &str = "# Codes of errors

A test writes this page from the program. A code stays when the text of its error is improved. Names in braces are values.

## Why records are in suspense

`tollgate suspense list --count` and the page of suspense show the code of each group of records; `--code` and the filter
of the page choose records by it. Errors of a script begin with the place in it.
";

const FILES: &str = "
## Why files are refused

`tollgate files refused`, `tollgate files list` and the page of files show them. A file of a server may also be refused for a
reason of the server, below.
";

const DELIVERIES: &str = "
## Why deliveries fail, and servers refuse files

`tollgate deliveries list` and the page of deliveries show them, and `tollgate files refused` for files that are fetched. The
cause, if the machine or the network says one, follows the error as `: {cause}`.
";

const NETWORKS: &str = "
## Why requests of networks are refused

Answers of a charging system to networks have them in the member `code`. Why a single leg is refused is in
[its reference](charging.md#requests-of-networks).

| code | error |
|---|---|
";

const PUSHES: &str = "
## Why clients may not push files

The log has them, and the header `Tollgate-Code` of an answer over HTTP.
";

const TABLE: &str = "
| code | error | what it means |
|---|---|---|
";

const OPERATIONS: &str = "
## Why operations are refused

The API has them in the member `code` of its answer.

| code | error |
|---|---|
";

fn page() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/errors.md")
}

/// Returns the codes of a part of the index.
fn sorted(codes: Vec<Vec<Code>>) -> Vec<Code> {
    let mut codes = codes.concat();
    codes.sort();
    codes.dedup();
    codes
}

/// Returns the parts of the index, each with its introduction.
fn parts() -> [(&'static str, Vec<Code>); 4] {
    let is_of_file = |code: &Code| {
        let is_own = |prefix: &&str| code.code.starts_with(prefix);
        ["file-", "unpack-", "fetch-"].iter().any(is_own)
    };
    let (files, records) = gateway::codes().into_iter().partition(is_of_file);
    let records = sorted(vec![format::codes(), processing::codes(), records]);
    let is_of_push = |code: &Code| code.code.starts_with("push-");
    let (pushes, places) = remote::codes().into_iter().partition(is_of_push);
    let deliveries = sorted(vec![distribution::codes(), places]);
    [
        (INTRODUCTION, records),
        (FILES, sorted(vec![files])),
        (DELIVERIES, deliveries),
        (PUSHES, sorted(vec![pushes])),
    ]
}

fn codes() -> Vec<Code> {
    sorted(parts().into_iter().map(|(_, codes)| codes).collect())
}

/// Returns a text for a cell of a table, which is one line.
fn cell(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('|', "\\|").replace('<', "&lt;")
}

/// Returns the codes of operations and their texts, as the description of the API has them.
fn of_operations() -> BTreeMap<String, String> {
    let description: Value =
        serde_json::from_str(include_str!("../../serve/openapi.json")).unwrap();
    let paths = description["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|path| path.as_object().unwrap().values());
    let answers =
        operations.flat_map(|operation| operation["responses"].as_object().unwrap().values());
    // Those of requests that are for no operation.
    let answers =
        answers.chain(description["components"]["responses"].as_object().unwrap().values());
    let texts = answers.filter_map(|answer| answer["description"].as_str());
    let each = texts.flat_map(|text| text.split("; `").map(|text| text.trim_start_matches('`')));
    each.filter_map(|text| text.split_once("`: "))
        .map(|(code, text)| (code.to_owned(), text.to_owned()))
        .collect()
}

#[test]
fn the_book_has_an_index_of_all_codes() {
    let mut text = String::new();
    for (introduction, codes) in parts() {
        text.extend([introduction, TABLE]);
        for Code { code, template, meaning } in codes {
            writeln!(text, "| `{code}` | {} | {} |", cell(&template), cell(meaning)).unwrap();
        }
    }
    text.push_str(OPERATIONS);
    for (code, error) in of_operations() {
        writeln!(text, "| `{code}` | {} |", cell(&error)).unwrap();
    }
    text.push_str(NETWORKS);
    for (code, error) in serve::NETWORK_CODES {
        writeln!(text, "| `{code}` | {} |", cell(error)).unwrap();
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(page(), &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(page()).unwrap(), text, "see the head of this file");
}

#[test]
fn a_code_means_one_thing() {
    let codes = codes();
    let names: BTreeSet<&str> = codes.iter().map(|code| code.code).collect();
    let doubled: Vec<&Code> =
        codes.windows(2).filter(|two| two[0].code == two[1].code).map(|two| &two[1]).collect();
    assert_eq!(names.len(), codes.len(), "{doubled:?}");
    let is_kebab =
        |code: &&str| code.chars().all(|letter| matches!(letter, 'a'..='z' | '0'..='9' | '-'));
    assert!(names.iter().all(is_kebab));
}

/// A code that is missing in the lists of its crate would be missing in the index, too.
#[test]
fn each_code_in_the_sources_is_listed() {
    let codes = codes();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for path in crate::house::sources(&crates) {
        let is_product = path.iter().any(|name| name == "src")
            && !path.iter().any(|name| name.to_string_lossy().starts_with("reason"));
        let text = std::fs::read_to_string(&path).unwrap();
        for prefix in text.split("#[code(\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let is_listed = codes.iter().any(|code| {
                code.code
                    .strip_prefix(prefix)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            });
            // A type whose variants all wrap others has no codes of its own.
            let wraps = ["ber", "read"].contains(&prefix);
            assert!(!is_product || is_listed || wraps, "{prefix} of {}", path.display());
        }
    }
}

/// Faults of the gateway itself: answers with the status 500 have these codes, whatever the operation. Their cause is in
/// the log.
const INTERNAL: &[&str] = &[
    "change-unrecorded",
    "journal-damaged",
    "journal-in-use",
    "journal-refused",
    "output-failed",
    "people-database-failed",
    "random-numbers-missing",
    "replay-folder-unusable",
    "replay-not-started",
    "rule-not-checked",
    "state-folder-unusable",
    "versions-database-failed",
];

/// Returns the codes in a source: those that a `fn code` returns, those of `refusals!`, and those of a `Failure`.
fn answered_in(source: &str) -> BTreeSet<&str> {
    let product = source.split("#[cfg(test)]\nmod").next().unwrap();
    let mut found = BTreeSet::new();
    for body in product.split("fn code(&self) -> &'static str {").skip(1) {
        let body = body.split("\n    }\n").next().unwrap();
        found.extend(body.split('"').skip(1).step_by(2));
    }
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    let mut before = "";
    for (place, piece) in product.split('"').enumerate() {
        if place % 2 == 1 && !before.lines().last().iter().any(is_comment) {
            let words: Vec<&str> = before.split_whitespace().rev().take(2).collect();
            let is_refusal = matches!(words.as_slice(), [kind, "=>"] if !kind.contains('('));
            let call = words.first().copied().unwrap_or_default();
            let calls = ["wrong(", "unknown(", "conflict(", "forbidden(", "later(", "busy("];
            let is_failure = calls.iter().any(|name| call.ends_with(&format!("::{name}")))
                || (call.contains("StatusCode::") && call.ends_with(','));
            if is_refusal || is_failure {
                found.insert(piece);
            }
        }
        before = piece;
    }
    found.into_iter().filter(|code| code.contains('-') && !code.contains([' ', '{'])).collect()
}

/// A code that `possible()` of its type, or the description of the API, leaves out would be missing in the index.
#[test]
fn each_code_that_the_api_answers_is_listed() {
    let listed = of_operations();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut answered = BTreeSet::new();
    for name in ["operate", "serve"] {
        for path in crate::house::sources(&crates.join(name).join("src")) {
            let text = std::fs::read_to_string(&path).unwrap();
            answered.extend(answered_in(&text).into_iter().map(str::to_owned));
        }
    }
    for code in ["flow-file-outside", "reason-missing", "path-unknown", "gateway-starting"] {
        assert!(answered.contains(code), "{code} is found in the sources: {answered:?}");
    }
    let missing: Vec<&String> = answered
        .iter()
        .filter(|code| !listed.contains_key(*code) && !INTERNAL.contains(&code.as_str()))
        .filter(|code| !serve::NETWORK_CODES.iter().any(|(known, _)| known == code))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
