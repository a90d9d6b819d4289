//! Changed records: new values are present, and the rest keeps its octets.

use asn1::ber::{Decoder, Encoder};
use asn1::{Modules, Plan, Resolver};
use diagnostics::Source;
use record::{Arena, Memory, SlotIndex, TypeId};

const MODULE: &str = "M DEFINITIONS IMPLICIT TAGS ::= BEGIN
R ::= [1] SEQUENCE {
  a [0] INTEGER OPTIONAL, b [1] INTEGER OPTIONAL, c [200] INTEGER OPTIONAL, s [3] S OPTIONAL,
  o [4] OCTET STRING OPTIONAL, q [5] Q OPTIONAL, t [9] T OPTIONAL, n [10] N OPTIONAL, u [20] U OPTIONAL, ... }
T ::= SEQUENCE {
  a [0] INTEGER, b [1] INTEGER OPTIONAL, ..., add [2] INTEGER OPTIONAL, ...,
  z [3] INTEGER OPTIONAL, last [4] INTEGER OPTIONAL }
N ::= SEQUENCE { x [0] INTEGER OPTIONAL, y [1] INTEGER OPTIONAL }
U ::= SET { a [0] INTEGER OPTIONAL, b [1] INTEGER OPTIONAL, ... }
Q ::= SEQUENCE { x INTEGER, y INTEGER OPTIONAL, z BOOLEAN, w INTEGER }
S ::= SEQUENCE { x [0] INTEGER OPTIONAL, y [1] INTEGER OPTIONAL, s [3] S OPTIONAL, ... }
END";

#[test]
fn a_component_that_was_there_is_replaced() {
    check("A1 06 80 01 05 81 01 06", "a=7", "A1 06 80 01 07 81 01 06");
    check("A1 06 80 01 05 81 01 06", "b=7", "A1 06 80 01 05 81 01 07");
    check("A1 06 80 01 05 81 01 06", "a=7 b=300", "A1 07 80 01 07 81 02 01 2C");
    check("A1 05 9F 81 48 01 05", "c=-1", "A1 05 9F 81 48 01 FF");
}

#[test]
fn a_component_that_was_there_is_removed() {
    check("A1 06 80 01 05 81 01 06", "-a", "A1 03 81 01 06");
    check("A1 06 80 01 05 81 01 06", "-a -b", "A1 00");
    check("A1 06 80 01 05 81 01 06", "-a b=7", "A1 03 81 01 07");
}

#[test]
fn a_component_that_was_not_there_comes_before_those_after_it() {
    check("A1 03 81 01 06", "a=7", "A1 06 80 01 07 81 01 06");
    check("A1 06 80 01 05 84 01 41", "b=7", "A1 09 80 01 05 81 01 07 84 01 41");
    check("A1 03 80 01 05", "a=1 c=7", "A1 08 80 01 01 9F 81 48 01 07");
    check("A1 00", "a=1", "A1 03 80 01 01");
}

#[test]
fn components_out_of_order_stay_so() {
    check("A1 06 81 01 06 80 01 05", "a=7 b=8", "A1 06 81 01 08 80 01 07");
    check("A1 06 81 01 06 80 01 05", "a=7", "A1 06 81 01 06 80 01 07");
}

#[test]
fn unknown_elements_stay() {
    check("A1 0A BF 7F 01 00 80 01 05 87 01 09", "a=7", "A1 0A BF 7F 01 00 80 01 07 87 01 09");
    check("A1 06 87 01 09 81 01 05", "-b", "A1 03 87 01 09");
}

#[test]
fn what_the_module_does_not_know_is_behind_what_it_knows() {
    check("A1 06 87 01 09 81 01 05", "a=7", "A1 09 80 01 07 87 01 09 81 01 05");
    check("A1 06 80 01 05 87 01 09", "b=7", "A1 09 80 01 05 81 01 07 87 01 09");
    check("A1 03 87 01 09", "a=7 c=8", "A1 0B 80 01 07 9F 81 48 01 08 87 01 09");
    let came = "A1 0C 87 01 09 88 01 09 81 01 05 87 01 09";
    let made = "A1 14 80 01 07 87 01 09 88 01 09 81 01 05 9F 81 48 01 08 87 01 09";
    check(came, "a=7 c=8", made);
    // This also holds if the module is not extensible there.
    check("A1 05 AA 03 87 01 09", "n.x=7", "A1 08 AA 06 80 01 07 87 01 09");
}

#[test]
fn what_the_module_does_not_know_is_before_a_second_root() {
    let came = "A1 0B A9 09 80 01 05 87 01 09 83 01 06";
    check(came, "t.b=7", "A1 0E A9 0C 80 01 05 81 01 07 87 01 09 83 01 06");
    check(came, "t.add=7", "A1 0E A9 0C 80 01 05 82 01 07 87 01 09 83 01 06");
    check(came, "t.last=7", "A1 0E A9 0C 80 01 05 87 01 09 83 01 06 84 01 07");
    let without = "A1 08 A9 06 80 01 05 87 01 09";
    check(without, "t.z=7", "A1 0B A9 09 80 01 05 87 01 09 83 01 07");
    check(without, "t.z=7 t.b=8", "A1 0E A9 0C 80 01 05 81 01 08 87 01 09 83 01 07");
}

#[test]
fn components_of_a_set_are_put_in_without_losing_what_is_unknown() {
    check("A1 08 B4 06 87 01 09 81 01 05", "u.a=7", "A1 0B B4 09 80 01 07 87 01 09 81 01 05");
}

#[test]
fn structures_within_are_changed_in_place() {
    let came = "A1 0B A3 06 80 01 01 81 01 02 84 01 41";
    check(came, "s.y=9", "A1 0B A3 06 80 01 01 81 01 09 84 01 41");
    check(came, "s.y=9 -s.x a=3", "A1 0B 80 01 03 A3 03 81 01 09 84 01 41");
    check("A1 05 A3 03 81 01 02", "s.x=1 s.y=3", "A1 08 A3 06 80 01 01 81 01 03");
    check(
        "A1 0A A3 08 A3 03 81 01 02 80 01 01",
        "s.s.x=4",
        "A1 0D A3 0B A3 06 80 01 04 81 01 02 80 01 01",
    );
}

#[test]
fn components_with_one_tag_are_told_apart_by_their_order() {
    let all = "A1 0E A5 0C 02 01 01 02 01 02 01 01 FF 02 01 03";
    check(all, "q.x=9", "A1 0E A5 0C 02 01 09 02 01 02 01 01 FF 02 01 03");
    check(all, "q.y=9", "A1 0E A5 0C 02 01 01 02 01 09 01 01 FF 02 01 03");
    check(all, "q.w=9", "A1 0E A5 0C 02 01 01 02 01 02 01 01 FF 02 01 09");
    check(all, "-q.y q.w=9", "A1 0B A5 09 02 01 01 01 01 FF 02 01 09");
    let without = "A1 0B A5 09 02 01 01 01 01 FF 02 01 03";
    check(without, "q.w=9", "A1 0B A5 09 02 01 01 01 01 FF 02 01 09");
    check(without, "q.y=9", "A1 0E A5 0C 02 01 01 02 01 09 01 01 FF 02 01 03");
    check(without, "q.y=9 q.x=8", "A1 0E A5 0C 02 01 08 02 01 09 01 01 FF 02 01 03");
}

#[test]
fn an_indefinite_length_becomes_definite() {
    check("A1 80 80 01 05 A3 80 80 01 01 00 00 00 00", "s.x=2", "A1 08 80 01 05 A3 03 80 01 02");
}

#[test]
fn lengths_take_as_many_octets_as_they_need() {
    let text = |count: usize| "41 ".repeat(count);
    let record = |head: &str, number: &str, count| format!("{head} {number} 84 7A {}", text(count));
    check(&record("A1 7F", "80 01 05", 122), "a=300", &record("A1 81 80", "80 02 01 2C", 122));
    check(&record("A1 81 80", "80 02 01 2C", 122), "a=5", &record("A1 7F", "80 01 05", 122));
    check(&record("A1 82 00 7F", "80 01 05", 122), "a=6", &record("A1 7F", "80 01 06", 122));
}

/// Decodes octets, changes components ("a=7" sets a number, "-a" removes one), and encodes.
fn check(came: &str, changes: &str, expected: &str) {
    let (modules, _) = Modules::read(&[Source::new("m.asn1", MODULE)]);
    let mut resolver = Resolver::new(&modules);
    let ty = resolver.resolve("M.R").expect("the type is there");
    let plan = Plan::compile(resolver.finish());
    let octets = octets(came);
    let mut arena = Arena::new();
    let record = Decoder::new(&plan, ty).decode(&octets, &mut arena).expect("it is a record");
    let mut memory = Memory::new(&octets, &mut arena);
    for change in changes.split(' ') {
        match (change.strip_prefix('-'), change.split_once('=')) {
            (Some(path), _) => {
                let at = touched(&plan, &mut memory, ty, record.root, path);
                memory.delete(at);
            }
            (None, Some((path, number))) => {
                let at = touched(&plan, &mut memory, ty, record.root, path);
                memory.set_number(at, number.parse().expect("a number"));
            }
            _ => panic!("\"{change}\" is no change"),
        }
    }
    let mut out = Vec::new();
    Encoder::new(&plan, ty).encode(&memory, record, &mut out).expect("it can be encoded");
    let shown: Vec<String> = out.iter().map(|octet| format!("{octet:02X}")).collect();
    assert_eq!(shown.join(" "), expected.trim(), "{came} with {changes}");
}

fn octets(text: &str) -> Vec<u8> {
    let octet = |text| u8::from_str_radix(text, 16).expect("an octet");
    text.split_whitespace().map(octet).collect()
}

/// Returns the slot of a component, and marks everything on the way to it as changed.
fn touched(
    plan: &Plan,
    memory: &mut Memory<'_>,
    mut ty: TypeId,
    mut at: SlotIndex,
    path: &str,
) -> SlotIndex {
    for name in path.split('.') {
        memory.touch(at);
        let fields = plan.schema().kind(ty).fields();
        let place = fields.iter().position(|field| field.name == name).expect("a component");
        at = memory.component(at, place).expect("a structure");
        ty = fields[place].ty;
    }
    at
}
