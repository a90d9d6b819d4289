//! More elements than a type has components: none is lost, whatever its form.

use asn1::ber::Reason;

use super::common::{Given, element, octets};

/// Types of a component, tagged [0] unless they have their own tag, and the octets of a value of each.
const COMPONENTS: [(&str, &str); 12] = [
    ("[0] INTEGER", "800105"),
    ("[0] OCTET STRING", "A003 040105"),
    ("[4000] INTEGER", "9F9F20 0105"),
    ("[40000] INTEGER", "9F82B840 0105"),
    ("[0] EXPLICIT INTEGER", "A003 020105"),
    ("[0] SEQUENCE { x [0] INTEGER OPTIONAL }", "A003 800105"),
    ("[0] SET { x [0] INTEGER OPTIONAL }", "A080 800105 0000"),
    ("[0] SEQUENCE OF INTEGER", "A003 020105"),
    ("[4000] SEQUENCE OF INTEGER", "BF9F20 00"),
    ("[0] CHOICE { x [0] INTEGER, y [1] INTEGER }", "A003 810105"),
    ("CHOICE { x [0] INTEGER, y [1] INTEGER }", "800105"),
    ("[0] ANY", "A003 020105"),
];

#[test]
fn a_component_that_stands_twice_is_refused_whatever_it_is() {
    for (ty, value) in COMPONENTS {
        let value = octets(value);
        for around in ["SEQUENCE", "SET"] {
            let body = format!("R ::= {around} {{ v {ty}, n [9] INTEGER OPTIONAL, ... }}");
            let given = Given::new(&body);
            let identifier = if around == "SET" { 0x31 } else { 0x30 };
            let record = |parts: &[&[u8]]| element(identifier, &parts.concat());
            let other = octets("890101");
            assert!(given.json(&record(&[&value, &other])).is_ok(), "{body}");
            for twice in [
                record(&[&value, &value]),
                record(&[&value, &other, &value]),
                [&[identifier, 0x80], value.as_slice(), &value, &[0, 0]].concat(),
            ] {
                assert_eq!(given.refused(&twice).reason, Reason::Twice, "{body} {twice:02X?}");
            }
        }
    }
}

#[test]
fn a_component_that_stands_twice_is_refused_in_whatever_order_they_come() {
    for around in ["SEQUENCE", "SET"] {
        let body = format!(
            "R ::= {around} {{ a [0] INTEGER OPTIONAL, b [1] INTEGER OPTIONAL, c [2] SEQUENCE {{ x [0] INTEGER }} OPTIONAL }}"
        );
        let given = Given::new(&body);
        let identifier = if around == "SET" { 0x31 } else { 0x30 };
        let components = ["800105", "810105", "A203 800105"].map(octets);
        for order in 0..81 {
            let places = [order % 3, order / 3 % 3, order / 9 % 3, order / 27];
            for length in 2..=places.len() {
                let places = &places[..length];
                let is_last_again = places[..length - 1].contains(&places[length - 1]);
                let all_others_once = (1..length - 1).all(|at| !places[..at].contains(&places[at]));
                if is_last_again && all_others_once {
                    let parts: Vec<&[u8]> = places.iter().map(|at| &components[*at][..]).collect();
                    let twice = element(identifier, &parts.concat());
                    assert_eq!(given.refused(&twice).reason, Reason::Twice, "{around} {places:?}");
                }
            }
        }
    }
}

#[test]
fn another_alternative_of_a_choice_is_the_same_component_again() {
    let given = Given::new("R ::= SEQUENCE { c CHOICE { x [0] INTEGER, y [1] INTEGER }, ... }");
    assert_eq!(given.refused(&octets("3006 800105 810106")).reason, Reason::Twice);
}

#[test]
fn an_element_behind_the_one_there_is_room_for_is_refused_whatever_is_around_it() {
    for (body, sound) in [
        ("R ::= [1] CHOICE { x [0] INTEGER, y [1] INTEGER, ... }", "A1 03 800105"),
        ("R ::= [1] EXPLICIT INTEGER", "A1 03 020105"),
        ("R ::= [1] EXPLICIT SEQUENCE { x [0] INTEGER }", "A1 05 3003800105"),
        ("R ::= [1] EXPLICIT SEQUENCE OF INTEGER", "A1 05 3003020105"),
        ("R ::= [1] EXPLICIT OCTET STRING", "A1 03 040105"),
        ("R ::= [1] ANY", "A1 03 020105"),
        ("R ::= [1] EXPLICIT CHOICE { x [0] INTEGER }", "A1 03 800105"),
    ] {
        let given = Given::new(body);
        let sound = octets(sound);
        assert!(given.json(&sound).is_ok(), "{body}");
        for more in ["810106", "9F810100", "A000", "0500", "A0800000"] {
            let content = [&sound[2..], &octets(more)].concat();
            let without_length = [&[0xA1, 0x80], content.as_slice(), &[0, 0]].concat();
            for record in [element(0xA1, &content), without_length] {
                let found = given.refused(&record).reason;
                assert!(matches!(found, Reason::OneTooMany(_)), "{body} {record:02X?}: {found:?}");
            }
        }
    }
}

#[test]
fn an_open_value_of_two_elements_is_not_shown_as_the_first() {
    let given =
        Given::new("R ::= SEQUENCE { id OBJECT IDENTIFIER, value [0] ANY DEFINED BY id OPTIONAL }");
    let record = octets("300B 06012A A006 020105 020106");
    assert!(matches!(given.refused(&record).reason, Reason::OneTooMany(_)));
}

#[test]
fn components_of_one_tag_are_as_many_as_the_type_has() {
    let given = Given::new("R ::= SEQUENCE { a INTEGER, b INTEGER OPTIONAL, c NULL OPTIONAL }");
    assert_eq!(given.json(&octets("3006 020105 020106")), Ok("{\"a\":5,\"b\":6}".into()));
    assert_eq!(given.refused(&octets("3007 020105 0500 0500")).reason, Reason::Twice);
}
