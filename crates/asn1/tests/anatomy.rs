//! The anatomy of records: names, tags, octets and values, and what can be shown of damaged records.

use asn1::ber::take_apart;
use asn1::{Modules, Plan, Resolver};
use diagnostics::Source;
use record::part::{PARTS_MAX, VALUE_OCTETS_MAX};
use record::{Anatomy, Part};

const MODULE: &str = "M DEFINITIONS IMPLICIT TAGS ::= BEGIN
R ::= CHOICE { call [0] Call }
Call ::= SET { number [0] TBCD-STRING, seconds [1] INTEGER OPTIONAL, where [2] Where OPTIONAL,
    times [3] SEQUENCE OF INTEGER OPTIONAL, text [4] EXPLICIT IA5String OPTIONAL, flags [5] Flags OPTIONAL, ... }
Where ::= CHOICE { cell [0] OCTET STRING, area [1] INTEGER }
Flags ::= BIT STRING { roamed(0), forwarded(2) }
TBCD-STRING ::= OCTET STRING
END";

fn anatomy(octets: &[u8]) -> Anatomy {
    let (modules, wrong) = Modules::read(&[Source::new("m.asn1", MODULE)]);
    assert!(wrong.is_empty(), "{wrong:?}");
    let mut resolver = Resolver::new(&modules);
    let ty = resolver.resolve("M.R").expect("the type is right");
    take_apart(&Plan::compile(resolver.finish()), ty, octets)
}

/// Writes a line per part: its name, type and tag, its octets, and its value.
fn lines(part: &Part, depth: usize, out: &mut Vec<String>) {
    let Part { name, ty, mark, place, content, value, is_cut, .. } = part;
    let (mark, value) = (mark.as_deref().unwrap_or("-"), value.as_deref().unwrap_or("-"));
    let cut = if *is_cut { " …" } else { "" };
    let indent = "  ".repeat(depth);
    out.push(format!(
        "{indent}{name} {ty} {mark} {}..{} ({}..{}) {value}{cut}",
        place.start, place.end, content.start, content.end
    ));
    part.parts.iter().for_each(|part| lines(part, depth + 1, out));
}

fn check(octets: &[u8], expected: &[&str], damage: Option<(usize, &str)>) {
    let anatomy = anatomy(octets);
    let mut found = Vec::new();
    anatomy.parts.iter().for_each(|part| lines(part, 0, &mut found));
    assert_eq!(found, expected);
    assert_eq!(anatomy.damage.as_ref().map(|(at, reason)| (*at, reason.as_str())), damage);
}

#[test]
fn every_value_has_its_name_its_tag_its_octets_and_what_it_says() {
    let octets = [
        &[0xA0, 35][..],
        &[0x80, 3, 0x64, 0x07, 0xF1],
        &[0x81, 1, 0x2A],
        &[0xA2, 3, 0x81, 1, 7],
        &[0xA3, 6, 2, 1, 1, 2, 1, 2],
        &[0xA4, 4, 0x16, 2, b'h', b'i'],
        &[0x85, 2, 5, 0xA0],
        &[0x9F, 0x50, 1, 0xFF],
    ]
    .concat();
    check(
        &octets,
        &[
            "M.R M.R - 0..37 (0..37) -",
            "  call M.Call [0] 0..37 (2..37) -",
            "    number M.TBCD-STRING [0] 2..7 (4..7) 46701",
            "    seconds INTEGER [1] 7..10 (9..10) 42",
            "    where M.Where [2] 10..15 (12..15) -",
            "      area INTEGER [1] 12..15 (14..15) 7",
            "    times SEQUENCE OF INTEGER [3] 15..23 (17..23) -",
            "      [0] INTEGER [UNIVERSAL 2] 17..20 (19..20) 1",
            "      [1] INTEGER [UNIVERSAL 2] 20..23 (22..23) 2",
            "    text IA5String [4] [UNIVERSAL 22] 23..29 (27..29) hi",
            "    flags M.Flags [5] 29..33 (31..33) 101 (roamed, forwarded)",
            "    ?  [80] 33..37 (36..37) ff",
        ],
        None,
    );
}

#[test]
fn of_a_damaged_record_all_is_shown_up_to_the_damage() {
    let octets = [&[0xA0, 10, 0x80, 3, 0x64, 0x07, 0xF1][..], &[0x81, 9, 1, 2, 3]].concat();
    check(
        &octets,
        &[
            "M.R M.R - 0..7 (0..7) -",
            "  call M.Call [0] 0..7 (2..7) -",
            "    number M.TBCD-STRING [0] 2..7 (4..7) 46701",
        ],
        Some((7, "\"M.R.call\": an element is longer than what it lies in")),
    );
    check(
        &[0xA1, 0],
        &["M.R M.R - 0..0 (0..0) -"],
        Some((0, "unexpected tag [1]; M.R is one of [0]")),
    );
    check(
        &[],
        &["M.R M.R - 0..0 (0..0) -"],
        Some((0, "\"M.R\": the octets end within an element")),
    );
}

#[test]
fn a_value_without_a_length_and_one_in_segments_have_their_ends_with_them() {
    let octets = [
        &[0xA0, 0x80][..],
        &[0xA0, 0x80, 4, 1, 0x64, 4, 2, 0x07, 0xF1, 0, 0],
        &[0x81, 1, 5],
        &[0, 0],
    ]
    .concat();
    check(
        &octets,
        &[
            "M.R M.R - 0..18 (0..18) -",
            "  call M.Call [0] 0..18 (2..16) -",
            "    number M.TBCD-STRING [0] 2..13 (4..11) 46701",
            "      ?  [UNIVERSAL 4] 4..7 (6..7) 64",
            "      ?  [UNIVERSAL 4] 7..11 (9..11) 07f1",
            "    seconds INTEGER [1] 13..16 (15..16) 5",
        ],
        None,
    );
}

#[test]
fn large_values_are_cut_and_many_parts_left_out() {
    let long = VALUE_OCTETS_MAX + 1;
    let number = [&[0x80, 0x82, (long >> 8) as u8, long as u8][..], &vec![0x21; long]].concat();
    let times = [2, 1, 7].repeat(PARTS_MAX);
    let times = [&[0xA3, 0x82, (times.len() >> 8) as u8, times.len() as u8][..], &times].concat();
    let inner = [number, times].concat();
    let octets = [&[0xA0, 0x82, (inner.len() >> 8) as u8, inner.len() as u8][..], &inner].concat();
    let anatomy = anatomy(&octets);
    assert!(anatomy.is_cut && anatomy.damage.is_none());
    assert_eq!(anatomy.parts[0].place, 0..octets.len());
    assert!(anatomy.parts[0].all().count() <= PARTS_MAX);
    let number = &anatomy.parts[0].parts[0].parts[0];
    assert!(number.is_cut);
    assert_eq!(number.value.as_deref().map(str::len), Some(2 * VALUE_OCTETS_MAX));
}

#[test]
fn a_value_that_is_not_what_its_type_says_is_said_to_be() {
    let octets = [0xA0, 4, 0x81, 0, 0x85, 0];
    let anatomy = anatomy(&octets);
    assert_eq!(anatomy.damage, None);
    let faults: Vec<_> = anatomy.parts[0].all().filter_map(|part| part.fault.as_deref()).collect();
    assert_eq!(
        faults,
        ["an INTEGER has no octets", "a BIT STRING has no number of its unused bits"]
    );
}
