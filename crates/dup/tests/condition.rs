//! Conditions over values with names.

use std::sync::Arc;

use diagnostics::{Source, Span};
use dup::{Condition, Machine, Native};
use record::{Arena, Field, Kind, Memory, Schema, Type, TypeId};

/// Returns a schema with a SEQUENCE of numbers with names; those with `?` may be absent.
fn values(names: &[&str]) -> (Schema, TypeId) {
    let mut schema = Schema::default();
    let ty = schema.add(Type { name: "INTEGER".into(), kind: Kind::Integer { names: vec![] } });
    let field = |name: &&str| Field {
        name: name.trim_end_matches('?').into(),
        ty,
        optional: name.ends_with('?'),
        default: None,
    };
    let fields = names.iter().map(field).collect();
    let values = schema.add(Type { name: "values".into(), kind: Kind::Sequence(fields) });
    (schema, values)
}

fn parsed(text: &str) -> Condition {
    let source = Source::new("rule.toml", text);
    Condition::parse(&source, Span::new(0, text.len())).expect("its syntax is right")
}

/// Returns the field of a name: each is its own.
fn own(name: &str) -> Option<String> {
    ["calls", "short", "at-once", "known", "record.time", "record.legs[0].cost"]
        .contains(&name)
        .then(|| name.to_owned())
}

/// Returns what a condition is with some values, in machine code and in the interpreter.
fn judged(text: &str, names: &[&str], numbers: &[Option<i64>]) -> bool {
    let (mut schema, ty) = values(names);
    let compiled = parsed(text).compile(ty, &own, &mut schema);
    let program =
        Arc::new(compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics)));
    let native = Native::compile(&program).expect("machine code");
    let [one, other] =
        [Machine::new(Arc::clone(&program)), Machine::native(native)].map(|mut of| {
            let mut arena = Arena::new();
            let mut memory = Memory::new(&[], &mut arena);
            let record = memory.create(ty);
            let first = memory.make_structure(record.root, numbers.len());
            for (place, number) in numbers.iter().enumerate() {
                if let Some(number) = number {
                    memory.set_number(record::SlotIndex(first.0 + place as u32), *number);
                }
            }
            of.call(0, &mut memory, &[record.root]).expect("no fault").boolean()
        });
    assert_eq!(one, other);
    one
}

#[test]
fn measures_have_names() {
    let names = ["calls", "short", "at-once"];
    let of = |calls, short, at_once| {
        let text = "calls >= 50 && short * 10 >= calls * 9 || at-once > 3";
        judged(text, &names, &[Some(calls), Some(short), Some(at_once)])
    };
    assert!(of(100, 90, 0) && of(0, 0, 4));
    assert!(!of(100, 89, 3) && !of(49, 49, 0));
}

#[test]
fn what_it_says_of_the_record_is_a_value_too() {
    let text = "present(known) && record.time - known <= 3 && record.legs[0].cost > 5";
    let parts = parsed(text);
    let of_record: Vec<_> = parts.values().iter().map(|of| (of.name, of.is_of_record)).collect();
    let [known, time, cost] =
        [("known", false), ("record.time", true), ("record.legs[0].cost", true)];
    assert_eq!(of_record, [known, time, known, cost]);
    let names = ["known?", "record.time", "record.legs[0].cost"];
    assert!(judged(text, &names, &[Some(7), Some(10), Some(6)]));
    assert!(!judged(text, &names, &[Some(6), Some(10), Some(6)]));
    assert!(!judged(text, &names, &[None, Some(10), Some(6)]));
}

#[test]
fn what_a_condition_needs_at_least_is_found_where_it_is_plain() {
    let text =
        "calls >= 50 && (3 < short && at-once > 9223372036854775807) && known < 5 || calls > 1";
    assert_eq!(parsed(text).least(), []);
    let text = "calls >= 50 && (3 < short && at-once + 1 > 2) && known < 5 && 7 <= at-once";
    assert_eq!(parsed(text).least(), [("calls", 50), ("short", 4), ("at-once", 7)]);
}

#[test]
fn mistakes_have_their_places() {
    let (mut schema, ty) = values(&["calls"]);
    let compiled = parsed("calls > callz").compile(ty, &own, &mut schema);
    assert_eq!(compiled.diagnostics[0].span, Span::new(8, 13));
    let source = Source::new("rule.toml", "calls >");
    assert!(Condition::parse(&source, Span::new(0, 7)).is_err());
}
