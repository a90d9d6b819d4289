//! Open types by tables: information objects determine the type of a value (X.681, X.682).

use asn1::ber::{Decoder, Encoder};
use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::Source;
use record::{Arena, Memory};

const MODULE: &str = r"
M DEFINITIONS IMPLICIT TAGS ::= BEGIN
EXTENSION ::= CLASS { &id INTEGER UNIQUE, &Value, &note IA5String OPTIONAL }
  WITH SYNTAX { [NOTE &note] VALUE &Value IDENTIFIED BY &id }
Known EXTENSION ::= {
  { VALUE INTEGER IDENTIFIED BY 1 } |
  { NOTE 'a pair' VALUE Pair IDENTIFIED BY two } |
  named | More, ... }
named EXTENSION ::= { VALUE SEQUENCE OF Pair IDENTIFIED BY 300 }
More EXTENSION ::= { { VALUE [5] IA5String IDENTIFIED BY 4 } }
two INTEGER ::= 2
Pair ::= SEQUENCE { a [0] INTEGER, b [1] BOOLEAN OPTIONAL }
Record ::= SEQUENCE {
  value [1] EXTENSION.&Value ({Known}{@id}) OPTIONAL,
  id    [0] EXTENSION.&id ({Known}) }

ATTRIBUTE ::= CLASS { &Type, &id OBJECT IDENTIFIER UNIQUE }
Attributes ATTRIBUTE ::= { {&Type Pair, &id {base 1}} | {&Type NULL, &id {iso(1) 2 3}} }
base OBJECT IDENTIFIER ::= { joint-iso-itu-t 999 }
Attribute ::= SET { type ATTRIBUTE.&id ({Attributes}), value ATTRIBUTE.&Type ({Attributes}{@type}) }

Container {EXTENSION : Set} ::= SEQUENCE OF Field {{Set}}
Field {EXTENSION : Parameter} ::= SEQUENCE {
  id    [0] EXTENSION.&id ({Parameter}),
  value [1] EXTENSION.&Value ({Parameter}{@id}) }
Message ::= SEQUENCE { known [0] Container {{Known}}, more [1] Container {{More}} }

INSTANCE ::= TYPE-IDENTIFIER
END";

fn plan(ty: &str) -> (Plan, record::TypeId) {
    let text = MODULE.replace('\'', "\"");
    let (modules, wrong) = Modules::read(&[Source::new("m.asn1", text)]);
    assert!(wrong.is_empty(), "{wrong:?}");
    let mut resolver = Resolver::new(&modules);
    let ty = resolver.resolve(ty).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    (Plan::compile(resolver.finish()), ty)
}

/// Checks that octets show as this JSON, and that the JSON gives the same octets.
fn check(ty: &str, octets: &str, json: &str) {
    let (plan, ty) = plan(ty);
    let digits: Vec<u32> = octets.chars().filter_map(|c| c.to_digit(16)).collect();
    let octets: Vec<u8> = digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect();
    let mut arena = Arena::new();
    let record = Decoder::new(&plan, ty).decode(&octets, &mut arena).expect("a record");
    let memory = Memory::new(&octets, &mut arena);
    let mut shown = Vec::new();
    jer::write(&plan, &memory, record, jer::Options::default(), &mut shown)
        .expect("a whole record");
    assert_eq!(String::from_utf8_lossy(&shown), json);
    let mut arena = Arena::new();
    let mut memory = Memory::new(&[], &mut arena);
    let record = jer::read(&plan, &mut memory, ty, json.as_bytes()).expect("what was written");
    let mut again = Vec::new();
    Encoder::new(&plan, ty).encode(&memory, record, &mut again).expect("a whole record");
    assert_eq!(again, octets, "{json}");
}

#[test]
fn the_component_beside_it_says_what_an_open_value_is() {
    check("M.Record", "30 08 A1 03 02 01 07 80 01 01", r#"{"value":7,"id":1}"#);
    check("M.Record", "30 0A A1 05 30 03 80 01 05 80 01 02", r#"{"value":{"a":5},"id":2}"#);
    check(
        "M.Record",
        "30 0D A1 07 30 05 30 03 80 01 06 80 02 01 2C",
        r#"{"value":[{"a":6}],"id":300}"#,
    );
    check("M.Record", "30 08 A1 03 85 01 41 80 01 04", r#"{"value":"A","id":4}"#);
}

#[test]
fn what_no_object_explains_is_shown_as_octets() {
    check("M.Record", "30 08 A1 03 02 01 07 80 01 09", r#"{"value":"020107","id":9}"#);
    // The object says INTEGER, but the octets are something else.
    check("M.Record", "30 08 A1 03 04 01 07 80 01 01", r#"{"value":"040107","id":1}"#);
    check("M.Record", "30 03 80 01 01", r#"{"id":1}"#);
}

#[test]
fn a_set_may_be_a_parameter() {
    check(
        "M.Message",
        "30 18 A0 0A 30 08 80 01 01 A1 03 02 01 07 A1 0A 30 08 80 01 04 A1 03 85 01 41",
        r#"{"known":[{"id":1,"value":7}],"more":[{"id":4,"value":"A"}]}"#,
    );
    // Each use has its own set.
    check(
        "M.Message",
        "30 0E A0 00 A1 0A 30 08 80 01 01 A1 03 02 01 07",
        r#"{"known":[],"more":[{"id":1,"value":"020107"}]}"#,
    );
}

#[test]
fn object_identifiers_choose_types_too() {
    check(
        "M.Attribute",
        "31 0A 06 03 88 37 01 30 03 80 01 05",
        r#"{"type":"2.999.1","value":{"a":5}}"#,
    );
    check("M.Attribute", "31 06 06 02 2A 03 05 00", r#"{"type":"1.2.3","value":null}"#);
}

#[test]
fn values_within_values_and_sets_within_sets_have_an_end() {
    let module = r"M DEFINITIONS IMPLICIT TAGS ::= BEGIN
        C ::= CLASS { &id INTEGER UNIQUE, &Value } WITH SYNTAX { &Value ID &id }
        S C ::= { {R ID 1} | S | S | T | T } T C ::= { S | S | S | T | T | T }
        R ::= SEQUENCE { id [0] C.&id ({S}), value [1] C.&Value ({S}{@id}) OPTIONAL } END";
    let (modules, wrong) = Modules::read(&[Source::new("m.asn1", module)]);
    assert!(wrong.is_empty(), "{wrong:?}");
    let mut resolver = Resolver::new(&modules);
    let ty = resolver.resolve("M.R").expect("the module is right");
    let plan = Plan::compile(resolver.finish());
    let mut octets = vec![0x30, 3, 0x80, 1, 1];
    let length = |length: usize| [&[0x83][..], &(length as u32).to_be_bytes()[1..]].concat();
    for _ in 0..20_000 {
        let value = [&[0xA1][..], &length(octets.len()), &octets].concat();
        let inside = [&[0x80, 1, 1][..], &value].concat();
        octets = [&[0x30][..], &length(inside.len()), &inside].concat();
    }
    let mut arena = Arena::new();
    let record = Decoder::new(&plan, ty).decode(&octets, &mut arena).expect("a record");
    let memory = Memory::new(&octets, &mut arena);
    let mut shown = Vec::new();
    jer::write(&plan, &memory, record, jer::Options::default(), &mut shown)
        .expect("a whole record");
    assert!(shown.len() < 3 * octets.len(), "what is deep is shown as octets");
}

#[test]
fn types_that_double_with_every_level_are_refused() {
    let module = "M DEFINITIONS ::= BEGIN A ::= P{NULL}
        P {T} ::= SEQUENCE { a P{SEQUENCE OF T}, b P{SET OF T} } END";
    let (modules, _) = Modules::read(&[Source::new("m.asn1", module)]);
    let wrong = Resolver::new(&modules).resolve("M.A").expect_err("it has no end");
    assert!(wrong.iter().any(|w| w.message.contains("deep within each other")), "{wrong:?}");
}
