//! Every limit against hostile or endless input is enforced, and named in the error.

use asn1::ber::{DecodeError, Decoder, Reason, extent};
use asn1::limits::{DEPTH_MAX, RECORD_OCTETS_MAX, TAG_NUMBER_MAX};
use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::Source;
use record::{Arena, Memory, TypeId};

fn plan(body: &str) -> (Plan, TypeId) {
    let text = format!("M DEFINITIONS IMPLICIT TAGS ::= BEGIN {body} END");
    let (modules, wrong) = Modules::read(&[Source::new("m.asn1", text)]);
    assert!(wrong.is_empty(), "{wrong:?}");
    let mut resolver = Resolver::new(&modules);
    let ty = resolver.resolve("M.R").expect("the type is right");
    (Plan::compile(resolver.finish()), ty)
}

fn refused(body: &str, octets: &[u8]) -> DecodeError {
    let (plan, ty) = plan(body);
    let decoded = Decoder::new(&plan, ty).decode(octets, &mut Arena::new());
    decoded.expect_err("it is beyond a limit")
}

/// Returns the mistakes of a type that does not resolve.
fn unresolved(body: &str) -> String {
    let text = format!("M DEFINITIONS IMPLICIT TAGS ::= BEGIN {body} END");
    let (modules, _) = Modules::read(&[Source::new("m.asn1", text)]);
    let wrong = Resolver::new(&modules).resolve("M.R").expect_err("it is beyond a limit");
    wrong.iter().map(|wrong| wrong.message.clone()).collect::<Vec<_>>().join("; ")
}

/// Returns the error for a value that cannot be shown.
fn not_shown(body: &str, octets: &[u8]) -> String {
    let (plan, ty) = plan(body);
    let mut arena = Arena::new();
    let record = Decoder::new(&plan, ty).decode(octets, &mut arena).expect("a record");
    let memory = Memory::new(octets, &mut arena);
    let shown = jer::write(&plan, &memory, record, jer::Options::default(), &mut Vec::new());
    shown.expect_err("it is beyond a limit").to_string()
}

#[test]
fn depth() {
    let octets = [[0x30, 0x80]; DEPTH_MAX as usize + 1].concat();
    let error = refused("R ::= SEQUENCE OF R", &octets);
    assert_eq!(error.reason, Reason::TooDeep);
    assert!(error.to_string().contains("more than 64 deep"), "{error}");
    assert_eq!(extent(&octets, 0), Err(Reason::TooDeep));
    // A choice within a choice reads no octets, but its nesting is bounded too.
    let error = refused("R ::= CHOICE { a R, b [0] NULL }", &[0x80, 0]);
    assert_eq!(error.reason, Reason::TooDeep);
    let octets = [&[0x30, 0x80, 0xA0, 0x80][..], &[0x24, 0x80].repeat(70)].concat();
    assert_eq!(refused("R ::= SEQUENCE { s [0] OCTET STRING }", &octets).reason, Reason::TooDeep);
}

#[test]
fn tag_numbers() {
    let largest = [0xBF, 0xFF, 0xFF, 0xFF, 0x7F, 0x00];
    assert_eq!(extent(&largest, 0), Ok(6));
    assert_eq!(TAG_NUMBER_MAX, 0x0FFF_FFFF);
    let larger = [0xBF, 0x81, 0x80, 0x80, 0x80, 0x00, 0x00];
    let error = refused("R ::= SEQUENCE {}", &larger);
    assert_eq!(error.reason, Reason::TagTooLarge);
    assert!(error.to_string().contains(&TAG_NUMBER_MAX.to_string()), "{error}");
    // A number must not begin with endless zeros.
    assert_eq!(extent(&[[0xBF].as_slice(), &[0x80; 1000]].concat(), 0), Err(Reason::TagPadded));
}

#[test]
fn lengths() {
    let beyond = refused("R ::= SEQUENCE {}", &[0x30, 5, 0, 0]);
    assert_eq!(beyond.reason, Reason::LongerThanParent);
    let overflow = [&[0x30, 0x89][..], &[0xFF; 9]].concat();
    assert_eq!(extent(&overflow, 0), Err(Reason::LengthTooLarge));
    let to_the_end_of_memory = [&[0x30, 0x88][..], &[0xFF; 8]].concat();
    assert!(extent(&to_the_end_of_memory, 0).is_err());
    let zeros = [&[0x30, 0xFE][..], &[0; 126]].concat();
    assert_eq!(extent(&zeros, 0), Ok(128));
}

#[test]
fn octets_of_a_record() {
    // The system does not allocate memory that is never touched.
    let octets = vec![0_u8; RECORD_OCTETS_MAX + 1];
    let error = refused("R ::= SEQUENCE {}", &octets);
    assert_eq!(error.reason, Reason::RecordTooLarge);
    assert!(error.to_string().contains(&RECORD_OCTETS_MAX.to_string()), "{error}");
}

#[test]
fn depth_of_types() {
    let wrong = unresolved("P {T} ::= SEQUENCE { a P {SEQUENCE OF T} OPTIONAL } R ::= P {NULL}");
    assert!(wrong.contains("types lie more than 200 deep within each other"), "{wrong}");
}

#[test]
fn number_of_types() {
    let mut body = "R ::= P0 {NULL} P20 {T} ::= T ".to_owned();
    for level in 0..20 {
        let next = level + 1;
        body += &format!(
            "P{level} {{T}} ::= SEQUENCE {{ a [0] P{next} {{SET OF T}}, b [1] P{next} {{SEQUENCE OF T}} }} "
        );
    }
    let wrong = unresolved(&body);
    assert!(wrong.contains("more than 200000 types"), "{wrong}");
}

#[test]
fn names_of_numbers() {
    let mut body = "R ::= [a0] NULL a40 INTEGER ::= 7 ".to_owned();
    for name in 0..40 {
        body += &format!("a{name} INTEGER ::= a{} ", name + 1);
    }
    let wrong = unresolved(&body);
    let message = "more than 32 names stand for each other before a number";
    assert_eq!(wrong, message);
    assert_eq!(unresolved("R ::= [a] NULL a INTEGER ::= b b INTEGER ::= a"), message);
}

#[test]
fn octets_of_numbers() {
    let integer = |octets: usize| {
        let length = [0x82, (octets >> 8) as u8, octets as u8];
        [&[0x02][..], &length, &vec![0x55; octets]].concat()
    };
    let wrong = not_shown("R ::= INTEGER", &integer(4097));
    assert!(wrong.contains("a number of too many octets"), "{wrong}");
}

#[test]
fn octets_of_arcs() {
    let larger = [&[0x06, 20, 0x2A, 0x84][..], &[0x80; 17], &[0]].concat();
    let wrong = not_shown("R ::= OBJECT IDENTIFIER", &larger);
    assert!(wrong.contains("more than 128 bits"), "{wrong}");
    let cut = not_shown("R ::= OBJECT IDENTIFIER", &[0x06, 2, 0x2A, 0x81]);
    assert!(cut.contains("ends within a number"), "{cut}");
}
