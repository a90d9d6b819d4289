//! The meaning of modules: records as JSON and as octets, converted in both directions. The octets are worked out by
//! hand from X.690, X.680 and X.683.

use asn1::ber::{Decoder, Encoder};
use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::Source;
use record::{Arena, Memory, TypeId};

/// Returns type `R` of a module with the header `options`.
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

/// Checks that JSON and octets convert to each other.
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
    // Automatic tagging numbers the whole list.
    check(
        "AUTOMATIC TAGS",
        "R ::= SEQUENCE { COMPONENTS OF B, own INTEGER, ..., more INTEGER }
         B ::= SEQUENCE { a INTEGER, ..., x INTEGER, ..., z INTEGER }",
        r#"{"a":1,"z":2,"own":3,"more":4}"#,
        "30 0C 80 01 01 81 01 02 82 01 03 83 01 04",
    );
    // Included after "...", they are additions.
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

#[test]
fn a_tag_before_a_dummy_reference_is_explicit() {
    for options in ["IMPLICIT TAGS", "AUTOMATIC TAGS"] {
        check(
            options,
            "R ::= P {B} P {T} ::= SEQUENCE { body [1] T } B ::= SEQUENCE { seconds [0] INTEGER }",
            r#"{"body":{"seconds":60}}"#,
            "30 07 A1 05 30 03 80 01 3C",
        );
        check(
            options,
            "R ::= P {INTEGER} P {T} ::= SEQUENCE { z [2] CHOICE { q [0] T } }",
            r#"{"z":{"q":7}}"#,
            "30 07 A2 05 A0 03 02 01 07",
        );
        // An explicit mode is respected; only the last tag directly precedes the dummy reference.
        check(
            options,
            "R ::= P {INTEGER} P {T} ::= SEQUENCE { a [0] IMPLICIT T, b [1] EXPLICIT [2] T, c [3] EXPLICIT T }",
            r#"{"a":7,"b":8,"c":9}"#,
            "30 0F 80 01 07 A1 05 A2 03 02 01 08 A3 03 02 01 09",
        );
        // A list and a definition of the dummy reference's type are types of their own.
        check(
            options,
            "R ::= SEQUENCE { a [0] P {INTEGER}, b [1] L {INTEGER} } P {T} ::= T L {T} ::= SEQUENCE OF T",
            r#"{"a":7,"b":[8]}"#,
            "30 08 80 01 07 A1 03 02 01 08",
        );
    }
    // Also with automatic tags.
    check(
        "AUTOMATIC TAGS",
        "R ::= P {INTEGER} P {T} ::= SEQUENCE { a T, b INTEGER, c SEQUENCE OF T }",
        r#"{"a":7,"b":8,"c":[9]}"#,
        "30 0D A0 03 02 01 07 81 01 08 A2 03 02 01 09",
    );
    check(
        "EXPLICIT TAGS",
        "R ::= P {INTEGER} P {T} ::= SEQUENCE { a [0] T }",
        r#"{"a":7}"#,
        "30 05 A0 03 02 01 07",
    );
}

#[test]
fn parameterised_types_may_contain_themselves() {
    let implicit = |body, json, hex| check("IMPLICIT TAGS", body, json, hex);
    implicit(
        "R ::= P {INTEGER} P {T} ::= SEQUENCE { x [0] EXPLICIT T, next [1] P {T} OPTIONAL }",
        r#"{"x":1,"next":{"x":2}}"#,
        "30 0C A0 03 02 01 01 A1 05 A0 03 02 01 02",
    );
    // Mutual recursion, through names and through inline types.
    implicit(
        "R ::= P {INTEGER, BOOLEAN}
         P {T, U} ::= SEQUENCE { x [0] EXPLICIT T, next [1] P {U, T} OPTIONAL }",
        r#"{"x":1,"next":{"x":true,"next":{"x":2}}}"#,
        "30 13 A0 03 02 01 01 A1 0C A0 03 01 01 FF A1 05 A0 03 02 01 02",
    );
    implicit(
        "R ::= P {A} A ::= INTEGER P {T} ::= SEQUENCE { x [0] EXPLICIT T, next [1] Q {T} OPTIONAL }
         Q {T} ::= P {T}",
        r#"{"x":1,"next":{"x":2}}"#,
        "30 0C A0 03 02 01 01 A1 05 A0 03 02 01 02",
    );
    implicit(
        "R ::= P {INTEGER, 1}
         P {T, INTEGER:n} ::= SEQUENCE { x [0] EXPLICIT T, next [1] P {SEQUENCE { y [7] BOOLEAN }, 2} OPTIONAL }",
        r#"{"x":1,"next":{"x":{"y":true},"next":{"x":{"y":true}}}}"#,
        "30 17 A0 03 02 01 01 A1 10 A0 05 30 03 87 01 FF A1 07 A0 05 30 03 87 01 FF",
    );
    implicit(
        "R ::= L {INTEGER} L {T} ::= SEQUENCE OF CHOICE { leaf [0] EXPLICIT T, list [1] L {T} }",
        r#"[{"leaf":1},{"list":[{"leaf":2}]}]"#,
        "30 0C A0 03 02 01 01 A1 05 A0 03 02 01 02",
    );
    implicit(
        "R ::= E {C} E {T} ::= CHOICE { raw [0] OCTET STRING, call [1] S {T} }
         S {T} ::= SEQUENCE { body [0] EXPLICIT T, more [1] SEQUENCE OF E {T} OPTIONAL } C ::= NULL",
        r#"{"call":{"body":null,"more":[{"raw":"ca"}]}}"#,
        "A1 09 A0 02 05 00 A1 03 80 01 CA",
    );
}

#[test]
fn the_same_parameters_make_the_same_type() {
    let (plan, ty) = plan("IMPLICIT TAGS", "P {T, INTEGER:n} ::= SEQUENCE { x [0] EXPLICIT T } five INTEGER ::= 5
        R ::= SEQUENCE { a [0] P {INTEGER, 5}, b [1] P {INTEGER, five}, c [2] P {BOOLEAN, 5}, d [3] P {INTEGER, 6} }");
    let types: Vec<TypeId> = plan.schema().kind(ty).fields().iter().map(|field| field.ty).collect();
    assert_eq!(types[0], types[1]);
    assert!(types[0] != types[2] && types[0] != types[3]);
}

#[test]
fn parameters_that_are_values_are_numbers_and_defaults() {
    check(
        "IMPLICIT TAGS",
        "R ::= P {7} P {INTEGER:n} ::= SEQUENCE { b [1] ENUMERATED { x(n), y }, c [n] NULL }",
        r#"{"b":"x","c":null}"#,
        "30 05 81 01 07 87 00",
    );
    check(
        "IMPLICIT TAGS",
        "R ::= P {seven} seven INTEGER ::= 7 P {INTEGER:n} ::= Q {n} Q {INTEGER:m} ::= SEQUENCE { b ENUMERATED { x(m) } }",
        r#"{"b":"x"}"#,
        "30 03 0A 01 07",
    );
}

#[test]
fn a_default_is_read_behind_all_names() {
    use record::Default;
    let octets = |octets: &[u8]| Default::Octets(octets.to_vec());
    for (parameters, component, expected) in [
        ("{5}", "INTEGER DEFAULT n", Default::Integer(5)),
        ("{five}", "INTEGER DEFAULT n", Default::Integer(5)),
        ("{5}", "INTEGER DEFAULT of {n}", Default::Integer(5)),
        ("{of {5}}", "INTEGER DEFAULT n", Default::Integer(5)),
        ("{M.five}", "INTEGER DEFAULT n", Default::Integer(5)),
        ("{5}", "INTEGER DEFAULT also-five", Default::Integer(5)),
        ("{-5}", "INTEGER { five(5) } DEFAULT five", Default::Integer(5)),
        ("{q}", "ENUMERATED { p, q } DEFAULT n", Default::Integer(1)),
        ("{TRUE}", "BOOLEAN DEFAULT n", Default::Integer(1)),
        ("{\"a\"\"\"}", "IA5String DEFAULT n", octets(b"a\"")),
        ("{'0A'H}", "OCTET STRING DEFAULT n", octets(&[10])),
        ("{'0000000011'B}", "OCTET STRING DEFAULT n", octets(&[0, 0xC0])),
        ("{'01'B}", "BIT STRING DEFAULT n", octets(&[6, 0x40])),
    ] {
        let body = format!(
            "R ::= P {parameters} P {{Any:n}} ::= SEQUENCE {{ c {component} }}
             five INTEGER ::= 5 also-five INTEGER ::= five of {{INTEGER:v}} INTEGER ::= v"
        );
        let (plan, ty) = plan("", &body);
        let field = &plan.schema().kind(ty).fields()[0];
        assert_eq!(field.default, Some(expected), "{parameters} {component}");
    }
}

#[test]
fn enumerations_are_numbered_as_x_680_does() {
    for (items, expected) in [
        ("a, b, c", "a 0, b 1, c 2"),
        ("a, b(0), c", "a 1, b 0, c 2"),
        ("red(3), green, blue", "red 3, green 0, blue 1"),
        ("a(-1), b(1), c, d", "a -1, b 1, c 0, d 2"),
        ("a(5), ..., b, c(7), d", "a 5, b 0, c 7, d 8"),
        ("a0, z(25), ..., d", "a0 0, z 25, d 1"),
        ("x, y, ..., v(3), w", "x 0, y 1, v 3, w 4"),
        ("p(1), q, ..., r, s", "p 1, q 0, r 2, s 3"),
        ("a(1), b(3), ..., c, d, e, f", "a 1, b 3, c 0, d 2, e 4, f 5"),
        ("a, ..., b(-5), c", "a 0, b -5, c 1"),
        ("a(9223372036854775807), ..., b", "a 9223372036854775807, b 0"),
    ] {
        let (plan, ty) = plan("", &format!("R ::= ENUMERATED {{ {items} }}"));
        let record::Kind::Enumerated { items: found, .. } = plan.schema().kind(ty) else {
            panic!()
        };
        let found: Vec<String> =
            found.iter().map(|item| format!("{} {}", item.name, item.value)).collect();
        assert_eq!(found.join(", "), expected, "{items}");
    }
}
