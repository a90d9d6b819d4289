//! Properties of all octets, texts and values.

use std::collections::BTreeSet;

use asn1::ber::{Decoder, Encoder, extent, take_apart};
use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::{Source, has_errors};
use proptest::prelude::*;
use record::{
    Anatomy, Arena, Kind, Memory, Part, Record, SlotIndex, State, TypeId, integer_octets,
};

/// Every form a type can have in a record, with tags of every kind before them.
const MODULE: &str = "Any DEFINITIONS IMPLICIT TAGS ::= BEGIN
Root ::= CHOICE { record [0] Record, other [APPLICATION 443] Record, list SEQUENCE OF Root, ... }
Record ::= SET {
  flag [0] BOOLEAN DEFAULT TRUE, number [1] INTEGER, state [2] ENUMERATED { a, b, c(200), ... },
  digits [3] OCTET STRING, bits [4] BIT STRING OPTIONAL, name [5] UTF8String OPTIONAL,
  nothing [6] NULL OPTIONAL, twice [7] EXPLICIT [8] EXPLICIT INTEGER OPTIONAL,
  where [9] Where OPTIONAL, Inline, far [4000] SEQUENCE OF Pair OPTIONAL, fixed [PRIVATE 31] Pair,
  words SET OF [31] IA5String, oid OBJECT IDENTIFIER OPTIONAL, again [10] Record OPTIONAL, ... }
Where ::= CHOICE { cell [0] INTEGER, area [1] Pair, deeper Deeper }
Deeper ::= CHOICE { x [2] INTEGER, y [3] Where }
Pair ::= SEQUENCE { first INTEGER OPTIONAL, inline Where OPTIONAL, last UTF8String OPTIONAL, ... }
END";

fn plan() -> (Plan, TypeId) {
    let text = MODULE.replace("Inline,", "inline CHOICE { p [20] INTEGER, q [21] NULL } OPTIONAL,");
    let (modules, wrong) = Modules::read(&[Source::new("any.asn1", text)]);
    assert!(wrong.is_empty(), "{wrong:?}");
    let mut resolver = Resolver::new(&modules);
    let ty = resolver.resolve("Any.Root").unwrap_or_else(|wrong| panic!("{wrong:?}"));
    (Plan::compile(resolver.finish()), ty)
}

/// Makes decisions from random octets. When they are used up, all are "no" and 0, so that values end.
struct Dice<'d>(&'d [u8]);

impl Dice<'_> {
    fn below(&mut self, sides: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % sides
    }

    fn octets(&mut self) -> Vec<u8> {
        let count = self.below(40).min(self.0.len());
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken.to_vec()
    }
}

fn fill(plan: &Plan, memory: &mut Memory<'_>, ty: TypeId, at: SlotIndex, dice: &mut Dice<'_>) {
    match plan.schema().kind(ty).clone() {
        Kind::Sequence(fields) | Kind::Set(fields) => {
            let frame = memory.make_structure(at, fields.len());
            for (place, field) in fields.iter().enumerate() {
                if !field.optional || dice.below(3) == 1 {
                    fill(plan, memory, field.ty, SlotIndex(frame.0 + place as u32), dice);
                }
            }
        }
        Kind::Choice(fields) => {
            let place = dice.below(fields.len());
            let value = memory.make_choice(at, place);
            fill(plan, memory, fields[place].ty, value, dice);
        }
        Kind::SequenceOf(element) | Kind::SetOf(element) => {
            memory.make_list(at);
            for _ in 0..dice.below(5) {
                let slot = memory.append(at);
                fill(plan, memory, element, slot, dice);
            }
        }
        Kind::Boolean => memory.set_number(at, dice.below(2) as i64),
        Kind::Enumerated { .. } => memory.set_number(at, dice.below(4) as i64),
        Kind::Integer { .. } => {
            let octets = dice.octets();
            let value =
                octets.iter().take(8).fold(0, |sum: i64, octet| sum << 8 | i64::from(*octet));
            memory.set_octets(at, integer_octets(value).as_slice());
        }
        Kind::BitString { .. } => {
            let octets: Vec<u8> = std::iter::once(0).chain(dice.octets()).collect();
            memory.set_octets(at, &octets);
        }
        Kind::ObjectIdentifier => memory.set_octets(at, &[0x2A, 0x86, 0x48]),
        Kind::Text(_) => {
            let text: String = dice.octets().iter().map(|octet| char::from(*octet)).collect();
            memory.set_octets(at, text.as_bytes());
        }
        Kind::Null => memory.set_octets(at, &[]),
        _ => memory.set_octets(at, &dice.octets()),
    }
}

fn json(plan: &Plan, memory: &Memory<'_>, record: Record) -> Result<String, jer::WriteError> {
    let mut text = Vec::new();
    jer::write(plan, memory, record, jer::Options::default(), &mut text)?;
    Ok(String::from_utf8(text).expect("JSON is UTF-8"))
}

fn octets_of_random_values(plan: &Plan, ty: TypeId, dice: &[u8]) -> (Vec<u8>, String) {
    let mut arena = Arena::new();
    let mut memory = Memory::new(&[], &mut arena);
    let record = memory.create(ty);
    fill(plan, &mut memory, ty, record.root, &mut Dice(dice));
    let mut octets = Vec::new();
    Encoder::new(plan, ty).encode(&memory, record, &mut octets).unwrap();
    (octets, json(plan, &memory, record).unwrap())
}

/// Decodes octets and returns their JSON; `None` if they cannot be decoded.
fn decoded(plan: &Plan, ty: TypeId, octets: &[u8]) -> Option<String> {
    let mut arena = Arena::new();
    let record = Decoder::new(plan, ty).decode(octets, &mut arena).ok()?;
    json(plan, &Memory::new(octets, &mut arena), record).ok()
}

/// Checks that values of opened types have the same contents, and those of others the same octets.
fn alike(
    plan: &Plan,
    opened: &BTreeSet<TypeId>,
    ty: TypeId,
    (whole, at): (&Memory<'_>, SlotIndex),
    (part, other): (&Memory<'_>, SlotIndex),
) {
    assert_eq!(whole.slot(at).state, part.slot(other).state);
    let kind = plan.schema().kind(ty);
    if !whole.slot(at).is_present() || !kind.is_constructed() || !opened.contains(&ty) {
        assert_eq!(whole.octets(at), part.octets(other), "{}", plan.schema().get(ty).name);
        return;
    }
    let below = |ty, at, other| alike(plan, opened, ty, (whole, at), (part, other));
    match kind {
        Kind::Sequence(fields) | Kind::Set(fields) => {
            for (place, field) in fields.iter().enumerate() {
                let (a, b) = (whole.component(at, place), part.component(other, place));
                below(field.ty, a.expect("it is opened"), b.expect("it is opened"));
            }
        }
        Kind::Choice(fields) => {
            let (a, b) = (whole.chosen(at).expect("it is opened"), part.chosen(other));
            let b = b.expect("it is opened");
            assert_eq!(a.0, b.0);
            below(fields[a.0].ty, a.1, b.1);
        }
        Kind::SequenceOf(element) | Kind::SetOf(element) => {
            assert_eq!(whole.count(at), part.count(other));
            for place in 0..whole.count(at) {
                let (a, b) = (whole.element(at, place), part.element(other, place));
                below(*element, a.expect("counted"), b.expect("counted"));
            }
        }
        _ => {}
    }
}

/// Returns the values of a record without values below them: the names of their types, and their octets; no octets for
/// joined values.
fn leaves_of_slots(plan: &Plan, memory: &Memory<'_>, ty: TypeId, at: SlotIndex) -> Vec<Leaf> {
    let below = |ty, at| leaves_of_slots(plan, memory, ty, at);
    match plan.schema().kind(ty) {
        _ if !memory.slot(at).is_present() => Vec::new(),
        Kind::Sequence(fields) | Kind::Set(fields) => {
            let places = fields.iter().enumerate();
            let below = places
                .filter_map(|(place, field)| Some(below(field.ty, memory.component(at, place)?)));
            below.flatten().collect()
        }
        Kind::Choice(fields) => {
            let (place, value) = memory.chosen(at).expect("an alternative");
            below(fields[place].ty, value)
        }
        Kind::SequenceOf(element) | Kind::SetOf(element) => {
            let elements = (0..memory.count(at)).filter_map(|place| memory.element(at, place));
            elements.flat_map(|at| below(*element, at)).collect()
        }
        _ => {
            let is_joined = memory.slot(at).state != State::Source;
            let octets = if is_joined { &[] } else { memory.octets(at).expect("octets") };
            vec![(plan.schema().shown(ty), octets.to_vec())]
        }
    }
}

type Leaf = (String, Vec<u8>);

/// Returns the same for a record that was taken apart, in the order of its octets.
fn leaves_of_parts(part: &Part, octets: &[u8]) -> Vec<Leaf> {
    let is_leaf = part.value.is_some() || part.fault.is_some();
    match part.ty.is_empty() {
        true => Vec::new(),
        false if !is_leaf => {
            part.parts.iter().flat_map(|part| leaves_of_parts(part, octets)).collect()
        }
        // In segments.
        false if !part.parts.is_empty() => vec![(part.ty.clone(), Vec::new())],
        false => vec![(part.ty.clone(), octets[part.content.clone()].to_vec())],
    }
}

/// Checks that each part encloses its content, and that this encloses its parts in order, in damaged records too.
fn nested(anatomy: &Anatomy, octets: &[u8]) {
    for part in anatomy.parts.iter().flat_map(Part::all) {
        let (place, content) = (&part.place, &part.content);
        let is_within = place.start <= content.start && content.end <= place.end;
        assert!(is_within && content.start <= content.end, "{part:?} of {octets:02x?}");
        let mut last = content.start;
        for inner in &part.parts {
            let is_next = last <= inner.place.start && inner.place.end <= content.end;
            assert!(is_next, "{inner:?} in {part:?} of {octets:02x?}");
            last = inner.place.end;
        }
    }
}

/// Checks that the anatomy has the values that the decoder finds, and is complete only for what the decoder accepts.
fn agree(plan: &Plan, ty: TypeId, octets: &[u8]) {
    let mut arena = Arena::new();
    let decoded = Decoder::new(plan, ty).decode_first(octets, &mut arena);
    let anatomy = take_apart(plan, ty, octets);
    nested(&anatomy, octets);
    let (record, end) = match decoded {
        Ok(decoded) => decoded,
        Err(error) => {
            let (at, reason) = anatomy.damage.unwrap_or_else(|| panic!("{error}: {octets:02x?}"));
            assert!(at >= error.offset && at <= octets.len(), "{at}: {reason}; {error}");
            return;
        }
    };
    assert_eq!(anatomy.damage, None, "{octets:02x?}");
    assert_eq!(anatomy.parts[0].place, 0..end);
    let memory = Memory::new(octets, &mut arena);
    let mut found = leaves_of_parts(&anatomy.parts[0], octets);
    for leaf in leaves_of_slots(plan, &memory, record.ty, record.root) {
        let place = found.iter().position(|found| *found == leaf);
        let place = place.unwrap_or_else(|| panic!("{leaf:?} is not in {anatomy:?}"));
        found.swap_remove(place);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_decoded_is_taken_apart_and_damage_is_found_by_both(
        dice in prop::collection::vec(any::<u8>(), 0..400),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
    ) {
        let (plan, ty) = plan();
        let (mut octets, _) = octets_of_random_values(&plan, ty, &dice);
        agree(&plan, ty, &octets);
        for (place, octet) in damage {
            let place = place.index(octets.len());
            octets[place] = octet;
        }
        agree(&plan, ty, &octets);
    }

    #[test]
    fn random_octets_are_taken_apart_as_far_as_they_go(octets in prop::collection::vec(any::<u8>(), 0..300)) {
        let (plan, ty) = plan();
        agree(&plan, ty, &octets);
    }

    #[test]
    fn values_survive_encoding_and_decoding(dice in prop::collection::vec(any::<u8>(), 0..600)) {
        let (plan, ty) = plan();
        let (octets, before) = octets_of_random_values(&plan, ty, &dice);
        prop_assert_eq!(extent(&octets, 0), Ok(octets.len()));
        prop_assert_eq!(decoded(&plan, ty, &octets), Some(before));
    }

    #[test]
    fn damage_is_an_error_or_another_value_but_never_a_crash(
        dice in prop::collection::vec(any::<u8>(), 0..400),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let (plan, ty) = plan();
        let (mut octets, _) = octets_of_random_values(&plan, ty, &dice);
        for (place, octet) in damage {
            let place = place.index(octets.len());
            octets[place] = octet;
        }
        decoded(&plan, ty, &octets);
        let mut arena = Arena::new();
        if let Ok(record) = Decoder::new(&plan, ty).decode(&octets, &mut arena) {
            let mut memory = Memory::new(&octets, &mut arena);
            memory.touch(record.root);
            let _ = Encoder::new(&plan, ty).encode(&memory, record, &mut Vec::new());
        }
    }

    #[test]
    fn what_is_opened_is_as_in_the_whole_and_what_is_closed_is_copied(
        dice in prop::collection::vec(any::<u8>(), 0..600),
        opened in any::<u64>(),
        damage in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
    ) {
        let (plan, ty) = plan();
        let (mut octets, _) = octets_of_random_values(&plan, ty, &dice);
        if let Some((place, octet)) = damage {
            let place = place.index(octets.len());
            octets[place] = octet;
        }
        let opened: BTreeSet<TypeId> = plan
            .schema()
            .iter()
            .map(|(ty, _)| ty)
            .filter(|ty| opened >> (ty.0 % 64) & 1 == 1)
            .collect();
        let outline = plan.outline(&opened);
        let (mut whole, mut part) = (Arena::new(), Arena::new());
        let in_part = Decoder::outlined(&plan, &outline, ty).decode_first(&octets, &mut part);
        if let Ok((record, end)) = Decoder::new(&plan, ty).decode_first(&octets, &mut whole) {
            let (other, other_end) = in_part.expect("what can be read as a whole can be in part");
            prop_assert_eq!(other_end, end);
            let octets = &octets[..end];
            let (whole, mut part) = (Memory::new(octets, &mut whole), Memory::new(octets, &mut part));
            alike(&plan, &opened, ty, (&whole, record.root), (&part, other.root));
            // Changed or not, types that were not decoded are written as they came.
            let mut out = Vec::new();
            Encoder::new(&plan, ty).encode(&part, other, &mut out).unwrap();
            prop_assert_eq!(&out, octets);
            part.touch(other.root);
            out.clear();
            Encoder::new(&plan, ty).encode(&part, other, &mut out).unwrap();
            prop_assert_eq!(decoded(&plan, ty, &out), json(&plan, &whole, record).ok());
        }
    }

    #[test]
    fn random_octets_never_crash_the_decoder(octets in prop::collection::vec(any::<u8>(), 0..300)) {
        let (plan, ty) = plan();
        decoded(&plan, ty, &octets);
        let _ = extent(&octets, 0);
    }

    #[test]
    fn random_text_never_crashes_the_front_end(
        words in prop::collection::vec(prop::sample::select(WORDS), 0..80),
    ) {
        let (modules, _) = Modules::read(&[Source::new("random.asn1", words.join(" "))]);
        let mut resolver = Resolver::new(&modules);
        for name in modules.type_names() {
            let _ = resolver.resolve(&name);
        }
    }

    #[test]
    fn random_definitions_are_types_or_mistakes(
        options in prop::sample::select(vec!["", "IMPLICIT TAGS", "AUTOMATIC TAGS"]),
        definitions in prop::collection::vec(definition(), 7),
        parameterised in prop::collection::vec(definition(), 3),
    ) {
        let mut text = format!("M DEFINITIONS {options} ::= BEGIN n INTEGER ::= m m INTEGER ::= 30 ");
        for (name, definition) in ["A", "B", "C", "D", "E", "T", "U"].iter().zip(&definitions) {
            text += &format!("{name} ::= {definition} ");
        }
        for (name, definition) in ["P {T}", "Q {T, U}", "V {INTEGER:n}"].iter().zip(&parameterised) {
            text += &format!("{name} ::= {definition} ");
        }
        let (modules, wrong) = Modules::read(&[Source::new("random.asn1", text + "END")]);
        prop_assert!(!has_errors(&wrong), "{:?}", wrong);
        for name in modules.type_names() {
            let mut resolver = Resolver::new(&modules);
            match resolver.resolve(&name) {
                Ok(ty) => {
                    prop_assert_eq!(resolver.resolve(&name), Ok(ty));
                    let plan = Plan::compile(resolver.finish());
                    let _ = Decoder::new(&plan, ty).decode(&[0x30, 0], &mut Arena::new());
                }
                Err(mistakes) => prop_assert!(!mistakes.is_empty()),
            }
        }
    }
}

/// A type that the grammar of X.680 to X.683 allows. Some of its names are types, some dummy references.
fn definition() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["A", "B", "C", "D", "E", "T", "U", "M.A"]);
    let leaf =
        prop::sample::select(vec!["NULL", "INTEGER", "INTEGER { x(n) }", "ENUMERATED { p, q(n) }"]);
    let leaf = prop_oneof![2 => leaf.prop_map(str::to_owned), 3 => name.prop_map(str::to_owned)];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let components = || prop::collection::vec((0..6, inner.clone()), 0..3);
        prop_oneof![
            components().prop_map(|list| format!("SEQUENCE {{ {} }}", listed(&list))),
            components().prop_map(|list| format!("SET {{ {} }}", listed(&list))),
            components().prop_map(|list| format!(
                "CHOICE {{ {} }}",
                listed(&list).replace("COMPONENTS OF", "z")
            )),
            inner.clone().prop_map(|of| format!("SEQUENCE OF {of}")),
            inner.clone().prop_map(|of| format!("SET SIZE (1) OF {of}")),
            inner.clone().prop_map(|of| format!("[n] {of}")),
            inner.clone().prop_map(|of| format!("a0 < {of}")),
            inner.clone().prop_map(|of| format!("P {{{of}}}")),
            (inner.clone(), inner).prop_map(|(of, other)| format!("Q {{{of}, {other}}}")),
            Just("V {n}".to_owned()),
        ]
    })
}

fn listed(components: &[(i32, String)]) -> String {
    let component = |(place, (form, ty)): (usize, &(i32, String))| match form {
        0 => format!("a{place} [{place}] {ty} OPTIONAL"),
        1 => format!("..., a{place} [{place}] {ty}"),
        2 | 3 => format!("COMPONENTS OF {ty}"),
        _ => format!("a{place} {ty}"),
    };
    components.iter().enumerate().map(component).collect::<Vec<_>>().join(", ")
}

const WORDS: &[&str] = &[
    "M",
    "DEFINITIONS",
    "AUTOMATIC",
    "TAGS",
    "::=",
    "BEGIN",
    "END",
    "IMPORTS",
    "FROM",
    ";",
    "A",
    "B",
    "a",
    "b",
    "SEQUENCE",
    "SET",
    "CHOICE",
    "OF",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "[[",
    "]]",
    ",",
    "...",
    "..",
    "0",
    "1",
    "-",
    "INTEGER",
    "OPTIONAL",
    "DEFAULT",
    "ENUMERATED",
    "CLASS",
    "&Type",
    "&id",
    ".",
    "@",
    "|",
    ":",
    "<",
    "COMPONENTS",
    "SIZE",
    "'0A'H",
    "\"x\"",
    "TRUE",
    "--",
    "\n",
    "NULL",
    "BIT",
    "STRING",
    "A{B}",
    "A ::= A",
    "\nA ::= SEQUENCE {",
    "WITH",
    "SYNTAX",
    "EXTERNAL",
    "é",
    "EXTENSIBILITY",
    "IMPLIED",
    "XER",
    "INSTRUCTIONS",
    "ENCODING-CONTROL",
    "----",
    "\nM {1 2} DEFINITIONS",
    "a{5}",
    "({A}{@...a})",
];

#[test]
fn endless_nesting_is_refused_by_name() {
    let (plan, ty) = plan();
    let list: Vec<u8> = [0x30, 0x80].repeat(5000);
    let mut arena = Arena::new();
    let error = Decoder::new(&plan, ty).decode(&list, &mut arena).unwrap_err();
    assert_eq!(error.reason, asn1::ber::Reason::TooDeep);
    assert_eq!(extent(&list, 0), Err(asn1::ber::Reason::TooDeep));
    for deep in [
        "A ::= ".to_owned() + &"SEQUENCE OF ".repeat(5000),
        "a A ::= ".to_owned() + &"- ".repeat(50_000),
    ] {
        let (_, wrong) = Modules::read(&[Source::new("deep.asn1", deep)]);
        assert!(wrong.iter().any(|w| w.message.contains("within each other")), "{wrong:?}");
    }
}

#[test]
fn an_element_with_the_tag_of_end_of_contents_ends_nothing() {
    let (plan, ty) = plan();
    for end in [
        &[0x20, 0x80][..],
        &[0x20, 0x00],
        &[0x00, 0x01, 0x00],
        &[0x00, 0x81, 0x00],
        &[0x00, 0x82, 0x00, 0x00],
        &[0x1F, 0x00, 0x00],
    ] {
        let twice =
            [&[0xA0, 0x80, 0xA7, 0x80, 0xA8, 0x80, 0x02, 0x01, 0x05][..], end, &[0; 12]].concat();
        assert!(Decoder::new(&plan, ty).decode(&twice, &mut Arena::new()).is_err(), "{twice:02x?}");
    }
}

#[test]
fn a_string_in_segments_is_read_whole_and_leaves_as_it_came() {
    let text = "M DEFINITIONS IMPLICIT TAGS ::= BEGIN
        R ::= SEQUENCE { s [0] OCTET STRING, b [1] BIT STRING OPTIONAL, n [2] INTEGER OPTIONAL } END";
    let (modules, _) = Modules::read(&[Source::new("m.asn1", text)]);
    let mut resolver = Resolver::new(&modules);
    let ty = resolver.resolve("M.R").expect("the module is right");
    let plan = Plan::compile(resolver.finish());
    let octets = [
        &[0x30, 0x80, 0xA0, 0x80, 4, 2, 1, 2, 0x24, 3, 4, 1, 3, 0, 0][..],
        &[0xA1, 8, 3, 2, 0, 0xAB, 3, 2, 4, 0xC0, 0x82, 1, 5, 0, 0],
    ]
    .concat();
    let mut arena = Arena::new();
    let record = Decoder::new(&plan, ty).decode(&octets, &mut arena).expect("a record");
    let mut memory = Memory::new(&octets, &mut arena);
    let at = memory.component(record.root, 0).expect("it is there");
    assert_eq!(memory.octets(at), Ok(&[1, 2, 3][..]));
    let bits = memory.component(record.root, 1).expect("it is there");
    assert_eq!(memory.octets(bits), Ok(&[4, 0xAB, 0xC0][..]));
    let mut out = Vec::new();
    Encoder::new(&plan, ty).encode(&memory, record, &mut out).expect("a record");
    assert_eq!(out, octets);
    // With another field changed, the strings keep their original octets.
    memory.touch(record.root);
    let number = memory.component(record.root, 2).expect("it is there");
    memory.set_number(number, 6);
    out.clear();
    Encoder::new(&plan, ty).encode(&memory, record, &mut out).expect("a record");
    assert!(out.windows(13).any(|part| part == &octets[2..15]), "{out:02x?}");
}

#[test]
fn damage_is_found_where_nobody_looks() {
    let (plan, ty) = plan();
    let outline = plan.outline(&BTreeSet::new());
    let sound = [0xA0, 12, 0x81, 1, 5, 0xA9, 2, 0x80, 0, 0x83, 3, 1, 2, 3];
    let decode = |octets: &[u8]| {
        Decoder::outlined(&plan, &outline, ty)
            .decode_first(octets, &mut Arena::new())
            .map(|(_, end)| end)
    };
    assert_eq!(decode(&sound), Ok(sound.len()));
    // In the choice [9], and one level deeper in a SEQUENCE: longer than the enclosing element.
    let mut damaged = sound;
    damaged[8] = 4;
    assert_eq!(decode(&damaged).unwrap_err().reason, asn1::ber::Reason::LongerThanParent);
    let deeper = [0xA0, 8, 0xA9, 6, 0xA1, 4, 0x02, 3, 1, 2];
    assert_eq!(decode(&deeper).unwrap_err().reason, asn1::ber::Reason::LongerThanParent);
    // End-of-contents octets that end nothing.
    let stray = [0xA0, 9, 0xA9, 7, 0xA1, 5, 0x02, 1, 5, 0, 0];
    assert_eq!(decode(&stray).unwrap_err().reason, asn1::ber::Reason::StrayEndOfContents);
}
