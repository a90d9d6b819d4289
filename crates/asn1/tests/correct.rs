//! Correction of records as JSON: unedited values keep their original octets.

use super::common::{Given, nested, octets};

const MODULE: &str = "R ::= SEQUENCE {
  n [0] INTEGER, text [1] IA5String OPTIONAL, bits [2] BIT STRING (SIZE (12)) OPTIONAL,
  real [3] REAL OPTIONAL, flag [4] BOOLEAN OPTIONAL, inner [5] S OPTIONAL, choice [6] C OPTIONAL,
  list [7] SEQUENCE OF S OPTIONAL, note [8] UTF8String OPTIONAL, ... }
S ::= SEQUENCE { x [0] INTEGER OPTIONAL, y [1] INTEGER OPTIONAL, ... }
C ::= CHOICE { p [0] S, q [1] INTEGER }";

/// Corrects a record by replacing some text in its JSON.
fn check(came: &str, from: &str, to: &str, expected: &str) {
    let given = Given::new(MODULE);
    let record = |content: &str| nested(&format!("30({content})"));
    let came = record(came);
    let json = given.json(&came).expect("a record");
    assert!(json.contains(from), "{json}");
    let corrected = given.corrected(&came, &json.replacen(from, to, 1));
    assert_eq!(corrected, Ok(record(expected)), "{json}: {from} to {to}");
}

#[test]
fn what_json_does_not_tell_stays() {
    // ISO 8859-1, 12 bits with nonzero padding, a base-16 REAL, TRUE as 1, a string in segments.
    let rest = "81(636166E9) 82(0400CF) 83(A8FF08) 84(01) A8(04(C3) 04(A941)) 9F50(AA)";
    // A non-minimal integer.
    check(&format!("80(000005) {rest}"), "\"n\":5", "\"n\":6", &format!("80(06) {rest}"));
}

#[test]
fn unknown_elements_stay_wherever_they_are() {
    let record =
        |x: &str| format!("80(05) A5(80({x}) 9F50(AA)) A7(30(9F50(BB) 85()) 30(80(01))) 9F50(CC)");
    check(&record("01"), "{\"x\":1}", "{\"x\":2}", &record("02"));
    check(
        "80(05) A6(A0(80(01) 9F50(AA)))",
        "\"x\":1",
        "\"x\":2,\"y\":3",
        "80(05) A6(A0(80(02) 81(03) 9F50(AA)))",
    );
}

#[test]
fn what_is_taken_out_or_put_in_is_all_that_changes() {
    check("80(05) 81(78) 84(01) 9F50(AA)", ",\"flag\":true", "", "80(05) 81(78) 9F50(AA)");
    check("80(05) 9F50(AA)", "\"n\":5", "\"n\":5,\"note\":\"x\"", "80(05) 88(78) 9F50(AA)");
}

#[test]
fn elements_of_a_list_stay_with_what_is_unknown_in_them() {
    let (first, second) = ("30(80(01) 9F50(AA))", "30(80(02) 9F50(BB))");
    let list = |elements: &str| format!("80(05) A7({elements})");
    let both = list(&format!("{first} {second}"));
    let changed = list(&format!("{first} 30(80(03) 9F50(BB))"));
    check(&both, "{\"x\":2}", "{\"x\":3}", &changed);
    check(&both, "{\"x\":1},", "", &list(second));
    let longer = list(&format!("30(81(04)) {first} {second}"));
    check(&both, "[{\"x\":1}", "[{\"y\":4},{\"x\":1}", &longer);
    let turned = list(&format!("{second} {first}"));
    check(&both, "{\"x\":1},{\"x\":2}", "{\"x\":2},{\"x\":1}", &turned);
}

#[test]
fn another_alternative_is_made_anew() {
    let came = "80(05) A6(A0(80(01) 9F50(AA)))";
    check(came, "{\"p\":{\"x\":1}}", "{\"q\":7}", "80(05) A6(81(07))");
}

#[test]
fn numbers_are_compared_by_all_their_digits() {
    let (came, changed) = ("80(010000000000000000)", "80(010000000000000001)");
    check(came, "18446744073709551616", "18446744073709551617", changed);
}

#[test]
fn a_name_that_the_type_does_not_have_is_refused() {
    let given = Given::new(MODULE);
    let wrong = given.corrected(&octets("3003 800105"), "{\"n\":5,\"nummer\":6}");
    assert_eq!(wrong, Err("\"M.R\" has no field \"nummer\"".into()));
}
