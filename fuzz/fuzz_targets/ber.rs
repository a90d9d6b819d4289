//! Octets from outside: decoding never panics; what was decoded is encoded to the same octets, means the
//! same when every structure is put together anew, and survives JSON.
#![no_main]

use std::sync::LazyLock;

use asn1::ber::{Decoder, Encoder, extent};
use asn1::{Modules, Plan, Resolver, jer};
use diagnostics::Source;
use libfuzzer_sys::fuzz_target;
use record::{Arena, Kind, Memory, Record, SlotIndex, TypeId};

/// What the modules of the examples lack.
const ODD: &str = "ODD DEFINITIONS IMPLICIT TAGS ::= BEGIN
    C ::= CLASS { &id INTEGER UNIQUE, &Value } WITH SYNTAX { &Value ID &id }
    S C ::= { {INTEGER ID 1} | {R ID 2} | {[5] IA5String ID 3}, ... }
    R ::= SET { id [0] C.&id ({S}), value [1] C.&Value ({S}{@id}) OPTIONAL, choice Either OPTIONAL,
        long [300] SEQUENCE OF Either OPTIONAL, real REAL OPTIONAL, bits [2] BIT STRING OPTIONAL,
        text [3] UTF8String OPTIONAL, oid OBJECT IDENTIFIER OPTIONAL, any [4] ANY OPTIONAL,
        sets [16384] SET OF R OPTIONAL, last [6] EXPLICIT BOOLEAN DEFAULT TRUE,
        twice [7] SEQUENCE { a INTEGER, b INTEGER, c OCTET STRING OPTIONAL, d INTEGER } OPTIONAL }
    Either ::= CHOICE { a [APPLICATION 40] NULL, b [10] Or, c Or, d [11] INTEGER }
    Or ::= CHOICE { x [APPLICATION 200] SEQUENCE { r R OPTIONAL }, y [12] OCTET STRING }
    END";

static PLAN: LazyLock<(Plan, Vec<TypeId>)> = LazyLock::new(|| {
    let msc = include_str!("../../examples/msc-billing/asn1/msc.asn1");
    let tap = include_str!("../../examples/tap/asn1/tap.asn1");
    let sources = [Source::new("msc", msc), Source::new("tap", tap), Source::new("odd", ODD)];
    let (modules, _) = Modules::read(&sources);
    let mut resolver = Resolver::new(&modules);
    let types = ["MSC.CallDataRecord", "TAP.TransferBatch", "TAP.CallEventDetail", "ODD.R"]
        .map(|name| resolver.resolve(name).expect("the module is right"));
    (Plan::compile(resolver.finish()), types.to_vec())
});

fn json(plan: &Plan, memory: &Memory<'_>, record: Record) -> Option<Vec<u8>> {
    let mut json = Vec::new();
    jer::write(plan, memory, record, jer::Options::default(), &mut json).ok().map(|()| json)
}

fn json_of_octets(plan: &Plan, ty: TypeId, octets: &[u8]) -> Option<Vec<u8>> {
    let mut arena = Arena::new();
    let record = Decoder::new(plan, ty).decode(octets, &mut arena).expect("it was encoded");
    json(plan, &Memory::new(octets, &mut arena), record)
}

/// Marks every structure, list and choice as changed.
fn touch_all(plan: &Plan, memory: &mut Memory<'_>, ty: TypeId, at: SlotIndex) {
    match plan.schema().kind(ty) {
        Kind::Sequence(fields) | Kind::Set(fields) => {
            for (place, field) in fields.iter().enumerate() {
                if let Some(value) = memory.component(at, place)
                    && memory.slot(value).is_present()
                {
                    touch_all(plan, memory, field.ty, value);
                }
            }
        }
        Kind::Choice(fields) => {
            if let Some((place, value)) = memory.chosen(at) {
                touch_all(plan, memory, fields[place].ty, value);
            }
        }
        Kind::SequenceOf(element) | Kind::SetOf(element) => {
            for place in 0..memory.count(at) {
                if let Some(value) = memory.element(at, place) {
                    touch_all(plan, memory, *element, value);
                }
            }
        }
        _ => return,
    }
    memory.touch(at);
}

/// Of what is decoded, every second type's values can be left as they are.
fn in_outline(plan: &Plan, ty: TypeId, octets: &[u8], shown: Option<&[u8]>) {
    for part in [0, 1] {
        let opened = plan.schema().iter().map(|(ty, _)| ty).filter(|ty| ty.0 % 2 == part).collect();
        let outline = plan.outline(&opened);
        let mut arena = Arena::new();
        let decoded = Decoder::outlined(plan, &outline, ty).decode_first(octets, &mut arena);
        let (record, end) = decoded.expect("what can be read as a whole can be in part");
        assert_eq!(end, octets.len());
        let mut memory = Memory::new(octets, &mut arena);
        let mut out = Vec::new();
        let mut encoder = Encoder::new(plan, ty);
        encoder.encode(&memory, record, &mut out).expect("it came as octets");
        assert_eq!(out, octets);
        memory.touch(record.root);
        out.clear();
        encoder.encode(&memory, record, &mut out).expect("nothing was taken away");
        assert_eq!(json_of_octets(plan, ty, &out).as_deref(), shown);
    }
}

fuzz_target!(|octets: &[u8]| {
    let (plan, types) = &*PLAN;
    let _ = extent(octets, 0);
    for ty in types {
        let mut arena = Arena::new();
        let decoded = Decoder::new(plan, *ty).decode_first(octets, &mut arena);
        let Ok((record, end)) = decoded else { continue };
        assert_eq!(extent(octets, 0), Ok(end));
        let octets = &octets[..end];
        let mut memory = Memory::new(octets, &mut arena);
        let mut encoder = Encoder::new(plan, *ty);
        let mut out = Vec::new();
        encoder.encode(&memory, record, &mut out).expect("it came as octets");
        assert_eq!(out, octets);
        let shown = json(plan, &memory, record);
        in_outline(plan, *ty, octets, shown.as_deref());
        touch_all(plan, &mut memory, *ty, record.root);
        out.clear();
        encoder.encode(&memory, record, &mut out).expect("nothing was taken away");
        assert_eq!(json_of_octets(plan, *ty, &out), shown);
        let Some(shown) = shown else { continue };
        let mut made = Arena::new();
        let mut memory = Memory::new(&[], &mut made);
        let read = jer::read(plan, &mut memory, *ty, &shown);
        // What must be there and is not, or is no value of its type, can be shown and not be read.
        let Ok(record) = read else { continue };
        out.clear();
        // A REAL has as many texts as it has forms: 0 and 0.0.
        let is_exact = !shown.windows(6).any(|text| text == b"\"real\"");
        if encoder.encode(&memory, record, &mut out).is_ok() && is_exact {
            assert_eq!(json_of_octets(plan, *ty, &out), Some(shown));
        }
    }
});
