//! Limits on the work, memory and size of a script. Exceeding one is reported soon and clearly.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dup::Machine;
use record::{Arena, Memory};

use crate::common::{compile, program, shown, transform};

const CALL: &str =
    r#"{"kind":0,"caller":"2143","start":"00","seconds":60,"services":[],"place":{"area":"0102"}}"#;

/// Statements that build a text of 8 MiB.
const LONG: &str =
    "declare i INTEGER; declare found INTEGER := 0; declare text UTF8String := \"aaaaaaaa\";
    for (i := 0; i < 20; i += 1) { text := concat(text, text); }";

/// Returns the error of some statements. The interpreter and machine code must agree.
fn fault(statements: &str) -> String {
    let script = format!("NULL f(in CONST Call, out Bill) {{ {statements} }}");
    let fault = transform(&script, CALL).expect_err(statements);
    fault.split_once(": ").map(|(_, what)| what.to_owned()).expect(&fault)
}

#[test]
fn functions_are_charged_for_the_octets_they_look_at() {
    let calls = [
        "found := find(text, concat(text, \"b\"));",
        "found := find(text, \"ab\");",
        "if (contains(text, \"ab\")) { found := 1; }",
        "if (text == concat(left(text, 8388607), \"b\")) { found := 1; }",
        "if (isDigits(text)) { found := 1; }",
        "found := length(trim(text, \"a\"));",
        "if (startsWith(text, text)) { found := 1; }",
        "if (upper(text) == text) { found := 1; }",
        "if (text IN [\"a\", \"b\"]) { found := 1; }",
    ];
    for call in calls {
        let what =
            fault(&format!("{LONG} while (in.seconds > 0) {{ {call} }} out.seconds := found;"));
        let is_bounded =
            what.starts_with("more than 10000000 turns") || what.starts_with("more memory");
        assert!(is_bounded, "{call}: {what}");
    }
}

#[test]
fn a_function_makes_no_more_than_a_record_may_take() {
    let what = fault(&format!("{LONG} out.seconds := length(replace(text, \"a\", text));"));
    assert_eq!(what, "more memory than a record may take (67108864 octets)");
    let many = vec!["text"; 20].join(", ");
    let what = fault(&format!("{LONG} out.seconds := length(concat({many}));"));
    assert_eq!(what, "more memory than a record may take (67108864 octets)");
}

#[test]
fn calendars_and_lists_are_charged_too() {
    let times =
        "while (in.seconds > 0) { out.seconds := parseTime(\"20260101\", \"%Y%m%d\", \"UTC\"); }";
    assert!(fault(times).starts_with("more than 10000000 turns"));
    let list = "declare i INTEGER; for (i := 0; i < 50000; i += 1) { out.services[i].code := i; }
        while (in.seconds > 0) { delete out.services[0]; out.services[49999].code := 1; }";
    assert!(fault(list).starts_with("more than 10000000 turns"));
}

#[test]
fn a_call_that_nobody_waits_for_ends() {
    let (program, plan) = program("INTEGER f(in CONST Call) { return in.seconds; }");
    let flag = Arc::new(AtomicBool::new(false));
    let native = dup::Native::compile(&program).expect("machine code");
    for mut machine in [Machine::new(Arc::clone(&program)), Machine::native(native)] {
        machine.stop_when(Arc::clone(&flag));
        let mut arena = Arena::new();
        let mut memory = Memory::new(&[], &mut arena);
        let ty = program.functions()[0].parameters[0].ty;
        let record = crate::common::read(&plan, &mut memory, ty, CALL);
        assert!(machine.call(0, &mut memory, &[record.root]).is_ok());
        flag.store(true, Ordering::Relaxed);
        let fault = machine.call(0, &mut memory, &[record.root]).expect_err("it is stopped");
        assert_eq!(fault.reason.to_string(), "was cancelled");
        flag.store(false, Ordering::Relaxed);
    }
}

#[test]
fn what_is_too_large_is_refused_in_words() {
    let mistake = |text: &str| {
        let (compiled, _) = compile(text);
        assert!(compiled.program.is_none());
        shown(&compiled.diagnostics)
    };
    let function = |body: &str| format!("INTEGER f(in CONST Call) {{ {body} return 0; }}");
    let long = mistake(&function(&" ".repeat(1 << 20)));
    assert!(long.contains("at most 1048576 are allowed"), "{long}");
    let variables: String = (0..300).map(|n| format!("declare v{n} INTEGER := {n};\n")).collect();
    let variables = mistake(&function(&variables));
    assert!(variables.contains("a function has at most 256 variables"), "{variables}");
    let functions: String = (0..10_001).map(|n| format!("NULL f{n}() {{}}\n")).collect();
    let functions = mistake(&functions);
    assert!(functions.contains("at most 10000 functions"), "{functions}");
    let labels: String = (0..65_536).map(|n| format!("case {n}:")).collect();
    let labels = mistake(&function(&format!("switch (in.seconds) {{ {labels} break; }}")));
    assert!(labels.contains("a switch has at most 65535 labels"), "{labels}");
    // Each number is a constant; instructions address constants with 16 bits.
    let numbers = |function: u64| {
        let sum: Vec<String> =
            (0..80).map(|n| (3_000_000_000_u64 + function * 80 + n).to_string()).collect();
        format!("INTEGER f{function}(c CONST Call) {{ return c.seconds + {}; }}\n", sum.join("+"))
    };
    let numbers = mistake(&(0..830).map(numbers).collect::<String>());
    assert!(numbers.contains("at most 65536 different numbers and strings"), "{numbers}");
}

#[test]
fn what_is_large_and_allowed_is_translated_as_it_is() {
    let labels: String = (0..50_000).map(|n| format!("case {n}:")).collect();
    let script = format!(
        "NULL f(in CONST Call, out Bill) {{ switch (in.seconds) {{ {labels} out.seconds := 1; break; default: out.seconds := 2; }} }}"
    );
    assert_eq!(transform(&script, CALL), Ok(vec![r#"{"seconds":1}"#.to_owned()]));
}
