//! Messages about mistakes in scripts.

use crate::common;
use std::path::Path;

/// Every script of `mistakes.txt` gives the messages below it. `UPDATE=1` rewrites the file.
#[test]
fn messages_name_the_place_and_what_was_meant() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes.txt");
    let text = std::fs::read_to_string(&path).expect("the cases are there");
    let mut made = String::new();
    for case in text.split("==== ").filter(|case| !case.is_empty()) {
        let (title, rest) = case.split_once('\n').expect("a title");
        let script = rest.split("----\n").next().unwrap_or_default();
        let (compiled, _) = common::compile(script);
        let found = common::shown(&compiled.diagnostics);
        assert!(!found.is_empty(), "nothing is wrong with \"{title}\"");
        assert_eq!(
            compiled.program.is_none(),
            diagnostics::has_errors(&compiled.diagnostics),
            "{title}"
        );
        made.push_str(&format!("==== {title}\n{script}----\n{found}\n"));
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &made).expect("the cases can be written");
    }
    assert!(made == text, "tests/mistakes.txt differs; run with UPDATE=1 and read the difference");
}

/// Texts on which the parser once did not end.
#[test]
fn texts_that_end_anywhere_are_read_to_their_end() {
    for text in [
        "INTEGER f(n CONST INTEGER) {",
        "INTEGER f(n CONST INTEGER) { if",
        "INTEGER f(n CONST INTEGER) { switch (n) { case",
        "INTEGER f(n CONST INTEGER) { switch (n) { case 1: x",
        "INTEGER f(n CONST INTEGER) { declare",
        "test \"a\" { assert (",
        "declare x TABLE",
        "declare x TARIFF \"t\" WITHOUT",
        "ENUMERATED { a(",
        "INTEGER f(n CONST INTEGER) { return n.",
        "INTEGER f(n CONST INTEGER) { switch (n) { case 1: { }",
    ] {
        for end in 0..=text.len() {
            let (compiled, _) = common::compile(&text[..end]);
            let complete = text[..end].trim().is_empty();
            assert_eq!(compiled.diagnostics.is_empty(), complete, "{}", &text[..end]);
        }
    }
}
