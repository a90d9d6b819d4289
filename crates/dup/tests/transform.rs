//! The results of a script on a record: as JSON, or the fault and its place.

use crate::common;
use crate::common::transform;

const CALL: &str = r#"{"kind":0,"caller":"2143","start":"00","seconds":60,"services":[{"code":17,"used":true}],"party":{"number":"21"},"marked":null,"place":{"area":"0102","cell":9}}"#;

/// Checks the result of a formatter's statements on [`CALL`].
fn check(statements: &str, expected: &str) {
    let script = format!("NULL f(in CONST Call, out Bill) {{ {statements} }}");
    match transform(&script, CALL) {
        Ok(records) => assert_eq!(records.join(" "), expected, "{statements}"),
        Err(fault) => {
            assert_eq!(fault.split_once(": ").map(|(_, what)| what), Some(expected), "{statements}")
        }
    }
}

#[test]
fn what_is_assigned_is_there() {
    check("out.seconds := in.seconds + 1;", r#"{"seconds":61}"#);
    check(
        "out.caller := in.caller; out.seconds := in.seconds;",
        r#"{"caller":"2143","seconds":60}"#,
    );
    check(
        r#"out.seconds := 1; out.text := concat("to ", digits(in.party.number)); out.digits := "1 2";"#,
        r#"{"seconds":1,"text":"to 12","digits":"1 2"}"#,
    );
    check(
        "out.seconds := 1; out.marked := in.marked; out.radio := umts;",
        r#"{"seconds":1,"radio":"umts","marked":null}"#,
    );
    check(
        "out.seconds := 1; out.services := in.services; out.services[1].code := 2; out.services[1].used := FALSE;",
        r#"{"seconds":1,"services":[{"code":17,"used":true},{"code":2,"used":false}]}"#,
    );
    check(
        "out.seconds := 1; out.place := in.place; delete out.place.cell; out.party.network := in.place;",
        r#"{"seconds":1,"party":{"network":{"area":"0102","cell":9}},"place":{"area":"0102"}}"#,
    );
}

#[test]
fn a_value_can_be_put_within_itself_and_not_without_end() {
    check(
        "out.seconds := 1; out.tree.n := 1; out.tree.child := out.tree; out.tree.n := 2; out.tree.children[0] := out.tree;",
        r#"{"seconds":1,"tree":{"n":2,"child":{"n":1},"children":[{"n":2,"child":{"n":1}}]}}"#,
    );
    let deeper = |times| {
        format!(
            "declare i INTEGER; out.seconds := 1; out.tree.n := 1;
             for (i := 0; i < {times}; i += 1) {{ out.tree.child := out.tree; }} delete out.tree;"
        )
    };
    check(&deeper(64), r#"{"seconds":1}"#);
    check(&deeper(65), "values lie more than 64 deep within each other");
}

#[test]
fn emit_sends_what_there_is_at_that_moment() {
    check(
        "declare i INTEGER; for (i := 1; i <= 3; i += 1) { out.seconds := i; emit(out); }",
        r#"{"seconds":1} {"seconds":2} {"seconds":3}"#,
    );
    check("if (in.seconds > 100) { emit(out); }", "");
    let parts = "NULL f(in CONST Call, out Place) { emit(in.place); }";
    assert_eq!(transform(parts, CALL), Ok(vec![r#"{"area":"0102","cell":9}"#.to_owned()]));
}

#[test]
fn a_fault_says_where_and_why() {
    check("out.seconds := length(in.note);", "\"in.note\" is absent");
    check("out.text := in.party.name;", "\"in.party.name\" is not the alternative that is there");
    check("out.seconds := in.services[3].code;", "there is no element 3, the list has 1");
    check("out.services[1].code := 1;", "element 1 cannot be written, the list has 0");
    check("out.seconds := 9223372036854775807 + in.seconds;", "the result is beyond 64 bits");
    check("out.seconds := in.seconds / (in.seconds - 60);", "a division by zero");
    check(
        "out.seconds := -9223372036854775808 / (in.seconds - 61);",
        "the result is beyond 64 bits",
    );
    check("out.seconds := toInteger(\"12x\");", "\"12x\" is not a number");
    check("out.digits := digits('AB'H);", "these are not characters of NumericString");
    check("reject(concat(\"call of \", toString(in.seconds)));", "call of 60");
    check("assert in.seconds > 60;", "\"assert in.seconds > 60;\" is not so");
    check(
        "while (TRUE) { out.seconds := 1; }",
        "more than 10000000 turns of loops and calls, where 64 octets of a string count as one",
    );
    check(
        "declare t IA5String := \"x\"; while (TRUE) { t := concat(t, t); out.seconds := length(t); }",
        "more memory than a record may take (67108864 octets)",
    );
    check(
        "out.seconds := parseTime(\"x\", \"%Y\", \"UTC\") + hour(0, concat(\"Now\", \"here\"));",
        "\"x\" is no time of the form \"%Y\": strptime parsing failed: %Y failed: failed to parse year: invalid number, no digits found",
    );
    check("out.seconds := hour(0, concat(\"Now\", \"here\"));", "no time zone \"Nowhere\"");
    // A truncated time must not be read as another time.
    for (text, format) in [
        ("2026112113000", "%Y%m%d%H%M%S"),
        ("2026112113000+0000", "%Y%m%d%H%M%S%z"),
        ("2026112113000.5-01:00", "%Y%m%d%H%M%S%.f%:z"),
        ("261121130", "%y%m%d%H%M"),
    ] {
        let statement = format!("out.seconds := parseTime(\"{text}\", \"{format}\", \"UTC\");");
        let expected =
            format!("\"{text}\" is no time of the form \"{format}\": a digit is missing");
        check(&statement, &expected);
    }
    // Only numbers without anything between them need all digits.
    for (text, format) in [
        ("1/2/2026 183000", "%d/%m/%Y %H%M%S"),
        ("1.2.2026 183000", "%d.%m.%Y %H%M%S"),
        ("01.02.2026183000+0000", "%d.%m.%Y%H%M%S%z"),
        ("20260201183000.25+00:00", "%Y%m%d%H%M%S%.f%:z"),
    ] {
        let statement = format!("out.seconds := parseTime(\"{text}\", \"{format}\", \"UTC\");");
        check(&statement, r#"{"seconds":1769970600}"#);
    }
    check(
        "out.seconds := parseTime(\"20261121130000+1401\", \"%Y%m%d%H%M%S%z\");",
        "\"20261121130000+1401\" is no time: its offset is over 14 hours",
    );
    check(
        "out.seconds := timeStampSeconds('2611211300002B0A00'H);",
        "'2611211300002B0A00'H is no TimeStamp of TS 32.298: nine octets, YYMMDDhhmmss in BCD, + or -, hhmm in BCD",
    );
}

#[test]
fn recursion_has_an_end() {
    let script = "NULL f(in CONST Call, out Bill) { g(out); } NULL g(out Bill) { g(out); }";
    let fault = transform(script, CALL).expect_err("it has no end");
    assert!(fault.ends_with("calls more than 200 deep"), "{fault}");
}

#[test]
fn what_a_script_copies_without_looking_into_it_may_lie_too_deep_where_it_goes() {
    let script = "NULL f(in CONST Call, out Bill) { out.seconds := 1; out.tree.n := 1; out.tree.child := in.tree; }";
    let tree = |levels| {
        let one = "{\"n\":1}".to_owned();
        (1..levels).fold(one, |tree, _| format!("{{\"n\":1,\"children\":[{tree}]}}"))
    };
    for (levels, is_too_deep) in [(31, false), (32, true)] {
        let call = format!("{{\"tree\":{},{}", tree(levels), &CALL[1..]);
        assert_eq!(transform(script, &call).is_err(), is_too_deep, "{levels}");
    }
}

#[test]
fn places_are_those_of_the_script() {
    let script =
        "NULL f(in CONST Call, out Bill)\n{\n  out.seconds := 1;\n  out.text := in.note;\n}";
    assert_eq!(transform(script, CALL), Err("script.dup:4:15: \"in.note\" is absent".to_owned()));
}

#[test]
fn a_script_opens_what_it_looks_into() {
    let opened = |statements: &str| {
        let script = format!("NULL f(in CONST Call, out Bill) {{ {statements} }}");
        let (program, plan) = common::program(&script);
        let names = program.opened().iter().map(|ty| plan.schema().get(*ty).name.clone());
        names.collect::<Vec<_>>().join(", ")
    };
    for (statements, expected) in [
        ("out.seconds := in.seconds;", "M.Call, M.Bill"),
        ("out.place := in.place; out.seconds := 1;", "M.Call, M.Bill"),
        ("out.seconds := in.place.cell;", "M.Call, M.Place, M.Bill"),
        ("out.seconds := count(in.services);", "M.Call, SEQUENCE OF M.Service, M.Bill"),
        ("if (present(in.services)) { out.seconds := 1; }", "M.Call, M.Bill"),
        // The target needs to know how deep it is.
        ("out.tree := in.tree; out.seconds := 1;", "M.Call, M.Tree, SEQUENCE OF M.Tree, M.Bill"),
        // Between types that differ, every component is copied.
        (
            "out.services := in.services; out.seconds := 1;",
            "M.Call, M.Service, SEQUENCE OF M.Service, M.Bill",
        ),
        (
            "switch (in.party) { case number: out.seconds := 1; break; default: out.seconds := 2; }",
            "M.Call, M.Party, M.Bill",
        ),
    ] {
        let mut expected: Vec<&str> = expected.split(", ").collect();
        let found = opened(statements);
        let mut found: Vec<&str> = found.split(", ").collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{statements}");
    }
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn machine_code_is_given_no_slot_that_is_not_there() {
    let (program, _) = common::program("INTEGER f(in CONST Call) { return in.seconds; }");
    let mut machine = dup::Machine::native(dup::Native::compile(&program).expect("machine code"));
    let mut arena = record::Arena::new();
    let mut memory = record::Memory::new(&[], &mut arena);
    let _ = machine.call(0, &mut memory, &[record::SlotIndex(1_000_000)]);
}
