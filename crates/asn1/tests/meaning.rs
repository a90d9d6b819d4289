//! What modules mean: their records as JSON and as octets, each made of the other. All octets are X.690's for
//! what X.680 and X.683 say, worked out by hand.

use asn1::ber::{Decoder, Encoder};
use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::Source;
use record::{Arena, Memory, TypeId};

/// Type `R` of a module, whose header is `options`.
fn plan(options: &str, body: &str) -> (Plan, TypeId) {
    let text = format!("M DEFINITIONS {options} ::= BEGIN {body} END");
    let (modules, wrong) = Modules::read(&[Source::new("m.asn1", text)]);
    assert!(wrong.is_empty(), "{wrong:?}");
    let mut resolver = Resolver::new(&modules);
    let ty = resolver.resolve("M.R").unwrap_or_else(|wrong| panic!("{body}\n{wrong:?}"));
    (Plan::compile(resolver.finish()), ty)
}

fn octets(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

/// A record as JSON is these octets, and they are that record.
fn check(options: &str, body: &str, json: &str, hex: &str) {
    let (plan, ty) = plan(options, body);
    let mut arena = Arena::new();
    let mut memory = Memory::new(&[], &mut arena);
    let record = jer::read(&plan, &mut memory, ty, json.as_bytes())
        .unwrap_or_else(|error| panic!("{body}: {error}"));
    let mut encoded = Vec::new();
    Encoder::new(&plan, ty).encode(&memory, record, &mut encoded).unwrap();
    assert_eq!(format!("{encoded:02X?}"), format!("{:02X?}", octets(hex)), "{body}");
    assert_eq!(decoded(&plan, ty, hex), json, "{body}");
}

fn decoded(plan: &Plan, ty: TypeId, hex: &str) -> String {
    let (octets, mut arena) = (octets(hex), Arena::new());
    let record = Decoder::new(plan, ty).decode(&octets, &mut arena).unwrap();
    let (memory, mut shown) = (Memory::new(&octets, &mut arena), Vec::new());
    jer::write(plan, &memory, record, jer::Options::default(), &mut shown).unwrap();
    String::from_utf8(shown).unwrap()
}

#[test]
fn automatic_tags_number_the_roots_before_the_additions() {
    let automatic = |body, json, hex| check("AUTOMATIC TAGS", body, json, hex);
    automatic(
        "R ::= SEQUENCE { ..., b INTEGER, ..., c INTEGER }",
        r#"{"b":2,"c":3}"#,
        "30 06 81 01 02 80 01 03",
    );
    automatic(
        "R ::= SEQUENCE { a INTEGER, ..., [[ 2: b INTEGER, c INTEGER OPTIONAL ]], d INTEGER, ..., e INTEGER }",
        r#"{"a":1,"b":2,"c":3,"d":4,"e":5}"#,
        "30 0F 80 01 01 82 01 02 83 01 03 84 01 04 81 01 05",
    );
    automatic(
        "R ::= SET { a INTEGER, ..., b INTEGER, ..., c INTEGER }",
        r#"{"a":1,"b":2,"c":3}"#,
        "31 09 80 01 01 82 01 02 81 01 03",
    );
    automatic(
        "R ::= SEQUENCE { a INTEGER, ..., ..., c INTEGER }",
        r#"{"a":1,"c":3}"#,
        "30 06 80 01 01 81 01 03",
    );
    automatic(
        "R ::= SEQUENCE { x CHOICE { a INTEGER, ..., b INTEGER, ... } }",
        r#"{"x":{"b":2}}"#,
        "30 05 A0 03 81 01 02",
    );
}

#[test]
fn components_of_takes_the_roots_alone() {
    let base = "B ::= SEQUENCE { a [0] INTEGER, ..., x [1] INTEGER, ..., z [2] INTEGER }";
    check(
        "IMPLICIT TAGS",
        &format!("R ::= SEQUENCE {{ COMPONENTS OF B, own [5] INTEGER, ... }} {base}"),
        r#"{"a":1,"z":2,"own":3}"#,
        "30 09 80 01 01 82 01 02 85 01 03",
    );
    // Automatic tags are those of the whole list.
    check(
        "AUTOMATIC TAGS",
        "R ::= SEQUENCE { COMPONENTS OF B, own INTEGER, ..., more INTEGER }
         B ::= SEQUENCE { a INTEGER, ..., x INTEGER, ..., z INTEGER }",
        r#"{"a":1,"z":2,"own":3,"more":4}"#,
        "30 0C 80 01 01 81 01 02 82 01 03 83 01 04",
    );
    // Taken over behind "...", they are additions.
    check(
        "AUTOMATIC TAGS",
        "R ::= SEQUENCE { ..., COMPONENTS OF B, ..., own INTEGER } B ::= SEQUENCE { a INTEGER, ... }",
        r#"{"a":1,"own":2}"#,
        "30 06 81 01 01 80 01 02",
    );
    check(
        "IMPLICIT TAGS",
        "R ::= SEQUENCE { own [9] INTEGER, COMPONENTS OF B } S C ::= { {BOOLEAN ID 1} | {NULL ID 2} }
         B ::= SEQUENCE { ..., x [3] NULL, ..., id [0] C.&id ({S}), value [1] C.&Type ({S}{@id}) }
         C ::= CLASS { &id INTEGER UNIQUE, &Type } WITH SYNTAX { &Type ID &id }",
        r#"{"own":2,"id":1,"value":true}"#,
        "30 0B 89 01 02 80 01 01 A1 03 01 01 FF",
    );
}

#[test]
fn an_addition_may_be_absent_since_older_senders_do_not_know_it() {
    for form in ["SEQUENCE", "SET"] {
        let tag = if form == "SET" { "31" } else { "30" };
        check(
            "AUTOMATIC TAGS",
            &format!("R ::= {form} {{ a INTEGER, ..., [[ b INTEGER, c NULL ]], d INTEGER }}"),
            r#"{"a":1}"#,
            &format!("{tag} 03 80 01 01"),
        );
    }
}

#[test]
fn what_has_an_extension_marker_is_known_to_have_one() {
    for (options, body, is_extensible) in [
        ("", "R ::= SEQUENCE { a [0] NULL }", false),
        ("", "R ::= SEQUENCE { a [0] NULL, ... }", true),
        ("", "R ::= SEQUENCE { ... }", true),
        ("", "R ::= SET { ..., a [0] NULL, ... }", true),
        ("", "R ::= CHOICE { a [0] NULL }", false),
        ("", "R ::= CHOICE { a [0] NULL, ... ! 5 }", true),
        ("", "R ::= SEQUENCE { COMPONENTS OF B } B ::= SEQUENCE { a [0] NULL, ... }", false),
        ("", "R ::= B B ::= SEQUENCE { a [0] NULL, ... }", true),
        ("EXPLICIT TAGS EXTENSIBILITY IMPLIED", "R ::= SEQUENCE { a [0] NULL }", true),
        ("EXTENSIBILITY IMPLIED", "R ::= CHOICE { a [0] NULL }", true),
        ("EXTENSIBILITY IMPLIED", "R ::= SEQUENCE OF NULL", false),
    ] {
        let (plan, ty) = plan(options, body);
        assert_eq!(plan.is_extensible(ty), is_extensible, "{options} {body}");
    }
}
