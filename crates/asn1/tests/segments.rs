//! Constructed encodings of types without components: string segments, and nothing else.

use asn1::ber::{Reason, TagText};
use proptest::prelude::*;

use super::common::{EACH, Given, element, octets};

/// The type's own universal tag for segments.
fn own(ty: &str) -> u8 {
    match ty.split([' ', '(']).next().unwrap_or_default() {
        "BOOLEAN" => 1,
        "INTEGER" => 2,
        "BIT" => 3,
        "OCTET" => 4,
        "NULL" => 5,
        "OBJECT" => 6,
        "ObjectDescriptor" => 7,
        "REAL" => 9,
        "ENUMERATED" => 10,
        "UTF8String" => 12,
        "RELATIVE-OID" => 13,
        "TIME" => 14,
        "NumericString" => 18,
        "PrintableString" => 19,
        "TeletexString" => 20,
        "VideotexString" => 21,
        "IA5String" => 22,
        "UTCTime" => 23,
        "GeneralizedTime" => 24,
        "GraphicString" => 25,
        "VisibleString" => 26,
        "GeneralString" => 27,
        "UniversalString" => 28,
        "BMPString" => 30,
        // Tags of two octets.
        _ => 0,
    }
}

fn is_string(ty: &str) -> bool {
    ty.contains("String")
        || ty.contains("STRING")
        || matches!(ty, "UTCTime" | "GeneralizedTime" | "ObjectDescriptor")
}

/// Content that is valid in every string type.
fn segment(ty: &str, is_last: bool) -> Vec<u8> {
    match ty {
        _ if ty.starts_with("BIT") => vec![if is_last { 4 } else { 0 }, 0x30],
        "UniversalString" => vec![0, 0, 0, 0x30],
        "BMPString" => vec![0, 0x30],
        _ => vec![0x30],
    }
}

fn constructed(segments: &[Vec<u8>]) -> Vec<u8> {
    element(0x61, &element(0xA0, &segments.concat()))
}

#[test]
fn strings_come_in_segments_and_nothing_else_does() {
    for (ty, given) in EACH.iter() {
        let own = own(ty);
        let two = [element(own, &segment(ty, false)), element(own, &segment(ty, true))];
        let nested = [element(own | 0x20, &two[0]), two[1].clone()];
        let of_octets = [element(4, &segment(ty, false)), element(4, &segment(ty, true))];
        let others = [element(0x80, &segment(ty, false)), two[1].clone()];
        let structure = [element(0x30, &two[0])];
        for segments in [two.as_slice(), &nested] {
            let found = given.json(&constructed(segments));
            assert_eq!(found.is_ok(), is_string(ty), "{ty}: {found:?}");
        }
        let found = given.json(&constructed(&of_octets));
        assert_eq!(found.is_ok(), is_string(ty) && own != 3, "{ty}: {found:?}");
        for segments in [others.as_slice(), &structure] {
            let found = given.refused(&constructed(segments)).reason;
            assert!(matches!(found, Reason::ElementsWithin(_)), "{ty}: {found:?}");
        }
    }
}

#[test]
fn a_value_tagged_explicit_against_its_module_is_one_element_of_its_own_tag() {
    let given = Given::new("R ::= SEQUENCE { n [9] INTEGER, i [1] INTEGER OPTIONAL }");
    assert_eq!(given.json(&octets("3008 890101 A103 020105")), Ok("{\"n\":1,\"i\":5}".into()));
    let without_length = octets("300A 890101 A180 020105 0000");
    assert_eq!(given.json(&without_length), Ok("{\"n\":1,\"i\":5}".into()));
    for (content, reason) in [
        ("A103 0A0105", Reason::ElementsWithin(TagText(10))),
        ("A106 020105 020106", Reason::OneTooMany(TagText(2))),
        ("A106 800105 810106", Reason::ElementsWithin(TagText(0x8000_0000))),
        ("A105 2203 020105", Reason::ElementsWithin(TagText(2))),
        ("A100", Reason::Truncated),
    ] {
        let content = octets(content);
        let record = element(0x30, &[octets("890101"), content].concat());
        assert_eq!(given.refused(&record).reason, reason, "{record:02X?}");
    }
}

#[test]
fn bits_are_unused_in_the_last_segment_alone() {
    let given = Given::new("R ::= SEQUENCE { b [0] BIT STRING }");
    let bits = |segments: &str| given.json(&element(0x30, &element(0xA0, &octets(segments))));
    let said = |value: &str, length: u32| {
        Ok(format!("{{\"b\":{{\"value\":\"{value}\",\"length\":{length}}}}}"))
    };
    assert_eq!(bits("0303000A3B 0305045F291CD0"), said("0a3b5f291cd0", 44));
    assert_eq!(bits("030100 030204A0"), said("a0", 4));
    assert_eq!(bits(""), said("", 0));
    assert_eq!(bits("2304 030204A0"), said("a0", 4));
    for (segments, expected) in [
        ("030204A0 030200FF", "a segment other than the last has unused bits"),
        ("030204A0 030100", "a segment other than the last has unused bits"),
        ("2304 030204A0 030200FF", "a segment other than the last has unused bits"),
        ("030208A0", "more of them than bits"),
        ("030104", "more of them than bits"),
        ("0300", "no number of unused bits"),
        ("040204A0", "an element [UNIVERSAL 4] lies within it"),
    ] {
        let found = bits(segments).expect_err(segments);
        assert!(found.contains(expected) && found.contains("\"M.R.b\": "), "{segments}: {found}");
    }
}

#[test]
fn what_is_refused_is_told_with_its_component() {
    let given = Given::new(
        "R ::= SEQUENCE { n [9] INTEGER, i [1] INTEGER OPTIONAL, s [2] S OPTIONAL, c [3] C OPTIONAL,
            l [4] SEQUENCE OF INTEGER OPTIONAL, e [5] EXPLICIT INTEGER OPTIONAL }
         S ::= SEQUENCE { x [0] NULL OPTIONAL } C ::= CHOICE { p [0] NULL, q [1] NULL }",
    );
    for (content, expected) in [
        (
            "A106 800105 810106",
            "\"M.R.i\": an element [0] lies within it, where there can be only octets; it is an INTEGER (at octet 7 of the record)",
        ),
        (
            "8201 05",
            "\"M.R.s\": it came without elements within it; it is a SEQUENCE and has them (at octet 5 of the record)",
        ),
        ("A302 8500", "\"M.R.c\": unexpected tag [5]; M.C is [3]"),
        (
            "A403 040105",
            "\"M.R.l[0]\": unexpected tag [UNIVERSAL 4]; INTEGER is [UNIVERSAL 2] (at octet 7 of the record)",
        ),
        ("A503 040105", "\"M.R.e\": unexpected tag [UNIVERSAL 4]; INTEGER is [5] [UNIVERSAL 2]"),
        ("810105 810106", "\"M.R.i\": it stands twice (at octet 8 of the record)"),
        (
            "A304 8000 8100",
            "\"M.R.c\": another element, [1], stands behind the one that there is room for (at octet 9 of the record)",
        ),
        (
            "9F80 0105",
            "\"M.R\": a tag number begins with an octet 80, which adds nothing to it (at octet 5 of the record)",
        ),
        (
            "9F9080808001 0163",
            "\"M.R\": a tag number is larger than 268435455 (at octet 5 of the record)",
        ),
    ] {
        let record = element(0x30, &[octets("890101"), octets(content)].concat());
        let found = given.json(&record).expect_err(content);
        assert!(found.starts_with(expected), "{content}: {found}");
    }
    let root = Given::new("R ::= CHOICE { a [0] NULL, b [1] NULL }").json(&[0x82, 0]);
    let expected = "unexpected tag [2]; M.R is one of [0], [1] (at octet 0 of the record)";
    assert_eq!(root, Err(expected.into()));
    let root = Given::new("R ::= [APPLICATION 1] SEQUENCE {}").json(&[0x30, 0]);
    let expected =
        "unexpected tag [UNIVERSAL 16]; M.R is [APPLICATION 1] (at octet 0 of the record)";
    assert_eq!(root, Err(expected.into()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Arbitrary elements within a primitive type never become a value unless they are its segments.
    #[test]
    fn elements_are_never_run_together(
        elements in prop::collection::vec((any::<u8>(), prop::collection::vec(any::<u8>(), 0..4)), 1..4),
    ) {
        let elements: Vec<(u8, Vec<u8>)> =
            elements.into_iter().filter(|(identifier, _)| identifier & 0x1F != 0x1F && *identifier != 0).collect();
        let content: Vec<Vec<u8>> =
            elements.iter().map(|(identifier, content)| element(*identifier, content)).collect();
        for (ty, given) in EACH.iter() {
            let own = own(ty);
            let is_segment = |identifier: u8| {
                let tag = identifier & !0x20;
                tag == own && own != 0 || tag == 4 && is_string(ty) && own != 3
            };
            let is_alone = elements.len() == 1 && elements[0].0 == own;
            let may_be = match is_string(ty) {
                true => elements.iter().all(|(identifier, _)| is_segment(*identifier)),
                false => is_alone,
            };
            let found = given.json(&constructed(&content));
            prop_assert!(found.is_err() || may_be, "{ty}: {content:02X?} is {found:?}");
        }
    }

    /// A tag number is read from all of its octets or not at all.
    #[test]
    fn tag_numbers_have_no_bits_beyond_those_that_are_kept(septets in prop::collection::vec(0_u8..0x80, 1..8)) {
        let number = septets.iter().fold(0_u64, |number, septet| number << 7 | u64::from(*septet));
        let last = septets.len() - 1;
        let octets: Vec<u8> = septets.iter().enumerate()
            .map(|(place, septet)| septet | if place == last { 0 } else { 0x80 }).collect();
        let record = [&[0x9F], octets.as_slice(), &[0]].concat();
        let found = asn1::ber::header(&record, 0, record.len());
        let is_taken = number <= u64::from(asn1::limits::TAG_NUMBER_MAX) && (septets[0] > 0 || last == 0);
        prop_assert_eq!(found.is_ok(), is_taken);
        if let Ok(found) = found {
            prop_assert_eq!(u64::from(found.key & 0x3FFF_FFFF), number);
        }
    }
}
