//! Behaviour of real modules and network elements that the standards do not describe, or that few tools support.

use std::sync::Arc;

use asn1::ber::{Decoder, Encoder};
use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::{Diagnostic, Source};
use record::{Arena, Memory, TypeId};

/// Modules from the octets of files, and one of their types.
struct Given {
    plan: Plan,
    ty: TypeId,
    warnings: Vec<String>,
}

impl Given {
    fn new(files: &[&[u8]], ty: &str) -> Self {
        let sources: Vec<Arc<Source>> = files
            .iter()
            .map(|octets| Source::forgiven("m.asn1", octets.to_vec()).unwrap())
            .collect();
        let (modules, found) = Modules::read(&sources);
        assert!(!found.iter().any(Diagnostic::is_error), "{found:?}");
        let mut resolver = Resolver::new(&modules);
        let ty = resolver.resolve(ty).expect("the type is right");
        let warnings = found.into_iter().map(|warning| warning.message).collect();
        Given { plan: Plan::compile(resolver.finish()), ty, warnings }
    }

    /// Returns the JSON of a record. Asserts that encoding the record gives its octets again.
    fn shown(&self, hex: &str) -> String {
        let octets = octets(hex);
        let mut arena = Arena::new();
        let record =
            Decoder::new(&self.plan, self.ty).decode(&octets, &mut arena).expect("a record");
        let memory = Memory::new(&octets, &mut arena);
        let mut out = Vec::new();
        Encoder::new(&self.plan, self.ty).encode(&memory, record, &mut out).expect("a record");
        assert_eq!(out, octets);
        let mut json = Vec::new();
        let options = jer::Options::default();
        jer::write(&self.plan, &memory, record, options, &mut json).expect("it can be shown");
        String::from_utf8(json).expect("JSON is text")
    }

    fn check(&self, hex: &str, json: &str) {
        assert_eq!(self.shown(hex), json, "{hex}");
    }
}

fn octets(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let digit = |octet: u8| (octet as char).to_digit(16).expect("a digit") as u8;
    digits.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

fn module(body: &str) -> Given {
    let text = format!("M DEFINITIONS IMPLICIT TAGS ::= BEGIN {body} END");
    Given::new(&[text.as_bytes()], "R")
}

#[test]
fn a_module_whose_header_is_missing_or_commented_out_is_read() {
    for text in [
        "R ::= SEQUENCE { a [0] EXPLICIT INTEGER }",
        "-- M DEFINITIONS IMPLICIT TAGS ::= BEGIN\nR ::= SEQUENCE { a [0] EXPLICIT INTEGER }\n-- END",
        "M DEFINITIONS ::= BEGIN R ::= SEQUENCE { a [0] INTEGER }",
    ] {
        let given = Given::new(&[text.as_bytes()], "R");
        assert!(!given.warnings.is_empty(), "it was forgiven, which is said: {text}");
        given.check("3005 A003 020105", "{\"a\":5}");
    }
}

#[test]
fn imports_from_modules_that_are_not_there_matter_only_to_what_uses_them() {
    let text = b"M DEFINITIONS ::= BEGIN IMPORTS X, y FROM TAP-03XX;
        R ::= SEQUENCE { a INTEGER } S ::= SEQUENCE { x X (0..y) } END";
    Given::new(&[text], "R").check("3003 020105", "{\"a\":5}");
}

#[test]
fn octets_that_are_no_utf_8_stand_in_comments() {
    let text =
        b"M DEFINITIONS ::= BEGIN -- dur\xE9e \x96 en secondes -- R ::= INTEGER -- \xFF\nEND";
    Given::new(&[text], "R").check("020105", "5");
}

#[test]
fn a_comment_may_begin_with_an_odd_dash() {
    let text = "M DEFINITIONS ::= BEGIN --– a dash of a word processor\n R ::= INTEGER END";
    Given::new(&[text.as_bytes()], "R").check("020105", "5");
}

#[test]
fn a_name_that_two_modules_define_is_two_types() {
    let circuit = b"A DEFINITIONS IMPLICIT TAGS ::= BEGIN IMPORTS Call FROM B;
        CallType ::= ENUMERATED { voice(1) } R ::= SEQUENCE { own [0] CallType, other [1] Call } END";
    let packet = b"B DEFINITIONS IMPLICIT TAGS ::= BEGIN
        CallType ::= INTEGER Call ::= SEQUENCE { type [0] CallType } END";
    let given = Given::new(&[circuit, packet], "A.R");
    given.check("3008 800101 A103 800101", "{\"own\":\"voice\",\"other\":{\"type\":1}}");
}

#[test]
fn a_module_without_a_tag_default_is_tagged_as_its_operator_says() {
    let text = "M DEFINITIONS ::= BEGIN R ::= SEQUENCE { a [0] INTEGER } END";
    Given::new(&[text.as_bytes()], "R").check("3005 A003 020105", "{\"a\":5}");
    let (mut modules, _) = Modules::read(&[Source::new("m.asn1", text)]);
    modules.set_default_tagging("M", asn1::Tagging::Implicit);
    let mut resolver = Resolver::new(&modules);
    let ty = resolver.resolve("R").expect("the type is right");
    assert!(!resolver.assumed_tagging(), "the tagging is stated and not assumed");
    let plan = Plan::compile(resolver.finish());
    Given { plan, ty, warnings: Vec::new() }.check("3003 800105", "{\"a\":5}");
    let (modules, _) = Modules::read(&[Source::new("m.asn1", text)]);
    let mut doubtful = Resolver::new(&modules);
    doubtful.resolve("R").expect("the type is right");
    assert!(doubtful.assumed_tagging());
}

#[test]
fn a_tagged_choice_is_explicit_in_an_implicit_module() {
    let given = module(
        "R ::= SEQUENCE { a [4] C, b [APPLICATION 426] C OPTIONAL }
         C ::= CHOICE { ip [0] OCTET STRING, name [1] IA5String }",
    );
    given.check(
        "300D A404 80020A0B 7F832A03 810178",
        "{\"a\":{\"ip\":\"0a0b\"},\"b\":{\"name\":\"x\"}}",
    );
}

#[test]
fn tags_above_127_and_above_16383_are_known() {
    let given = module(
        "R ::= [APPLICATION 443] SEQUENCE { a [200] INTEGER, b [16383] NULL OPTIONAL,
             c [16384] INTEGER OPTIONAL, d [2097152] INTEGER OPTIONAL }",
    );
    given.check(
        "7F833B16 9F81480105 9FFF7F00 9F8180000106 9F818080000107",
        "{\"a\":5,\"b\":null,\"c\":6,\"d\":7}",
    );
}

#[test]
fn sets_come_in_any_order_and_leave_in_it() {
    let given = module(
        "R ::= SET { a [0] INTEGER, c C, b [200] INTEGER }
         C ::= CHOICE { x [5] INTEGER, y [300] SEQUENCE { z [0] NULL } }",
    );
    given.check("310B 9F81480107 850106 800105", "{\"a\":5,\"c\":{\"x\":6},\"b\":7}");
    given.check(
        "310E 800105 BF822C028000 9F81480107",
        "{\"a\":5,\"c\":{\"y\":{\"z\":null}},\"b\":7}",
    );
}

#[test]
fn integers_have_64_bits_without_a_sign_and_more() {
    let given = module("R ::= SEQUENCE { a [0] INTEGER (0..18446744073709551615) }");
    given.check("300B 800900FFFFFFFFFFFFFFFF", "{\"a\":18446744073709551615}");
    given.check("3003 8001FF", "{\"a\":-1}");
    given.check("300D 800B0100000000000000000000", "{\"a\":1208925819614629174706176}");
}

#[test]
fn integers_are_read_with_octets_they_do_not_need() {
    module("R ::= SEQUENCE { a [0] INTEGER }").check("3006 800400000005", "{\"a\":5}");
}

#[test]
fn lengths_may_have_more_octets_than_they_need() {
    let given = module("R ::= SEQUENCE { a [0] INTEGER, b [1] SEQUENCE { c [0] NULL } }");
    given.check("3082000F 808400000001 05 A183000003 808100", "{\"a\":5,\"b\":{\"c\":null}}");
}

#[test]
fn brackets_of_the_axe_documents_are_read() {
    let text = b"M DEFINITIONS IMPLICIT TAGS ::= BEGIN
        R ::= SEQUENCE( kind (0) IMPLICIT Kind, name (1) IMPLICIT IA5STRING OPTIONAL, )
        Kind ::= ENUMERATED ( first (0), second (1) ) END";
    let given = Given::new(&[text], "R");
    assert!(!given.warnings.is_empty());
    given.check("3006 800101 810178", "{\"kind\":\"second\",\"name\":\"x\"}");
}

#[test]
fn what_is_of_another_type_than_the_module_says_costs_only_itself() {
    // A time stamp declared as text that comes in semi-octets, and a number of 20 octets.
    let given = module("R ::= SEQUENCE { a [0] IA5String, b [1] INTEGER, c [2] NULL OPTIONAL }");
    let octets = octets("3008 8003 2105F1 810105");
    let mut arena = Arena::new();
    let record = Decoder::new(&given.plan, given.ty).decode(&octets, &mut arena).expect("a record");
    let memory = Memory::new(&octets, &mut arena);
    assert_eq!(memory.number(memory.component(record.root, 1).expect("it is there")), Ok(5));
    assert_eq!(
        memory.octets(memory.component(record.root, 0).expect("it is there")),
        Ok(&octets[4..7])
    );
}

#[test]
fn unknown_elements_stand_within_indefinite_lengths() {
    let given = module("R ::= SEQUENCE { a [0] INTEGER, l [1] SEQUENCE OF INTEGER, ... }");
    given.check(
        "3080 800105 BE80 DF8148020000 BD800000 0000 A180 020106 020107 0000 9F81480155 0000",
        "{\"a\":5,\"l\":[6,7]}",
    );
}

#[test]
fn indefinite_lengths_stand_within_definite_ones() {
    let given = module("R ::= SEQUENCE { a [0] SEQUENCE { b [0] INTEGER }, c [1] NULL }");
    given.check("3009 A080 800105 0000 8100", "{\"a\":{\"b\":5},\"c\":null}");
}

#[test]
fn components_that_must_be_there_may_be_missing() {
    // Network elements leave out components that the module requires. A script that needs one reports it.
    module("R ::= SEQUENCE { a [0] INTEGER, b [1] INTEGER }").check("3003 810105", "{\"b\":5}");
}

#[test]
fn components_with_one_tag_are_told_apart_by_their_order() {
    let given = module(
        "R ::= SEQUENCE { a INTEGER, b INTEGER, c NULL OPTIONAL, d INTEGER OPTIONAL, e ANY OPTIONAL }",
    );
    given.check("3006 020105 020106", "{\"a\":5,\"b\":6}");
    given.check("3009 020105 020106 020107", "{\"a\":5,\"b\":6,\"d\":7}");
    given.check(
        "300E 020105 020106 0500 020107 040108",
        "{\"a\":5,\"b\":6,\"c\":null,\"d\":7,\"e\":\"040108\"}",
    );
}
