//! Runs a script by the interpreter and in machine code, and compares all observable effects.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use asn1::Plan;
use asn1::ber::{Decoder, Encoder};
use dup::{Machine, Native, Program};
use record::{Arena, Memory, Record, TypeId};

use crate::common::programs::{Dice, damage, some_record};

/// Returns the observable effects of a call.
fn observed(machine: &mut Machine, plan: &Plan, decoder: &Decoder<'_>, octets: &[u8]) -> String {
    let program = Arc::clone(machine.program());
    let function = &program.functions()[0];
    let types: Vec<TypeId> = function.parameters.iter().map(|p| p.ty).collect();
    let mut arena = Arena::new();
    let Ok(record) = decoder.decode(octets, &mut arena) else { return "no record".into() };
    let mut memory = Memory::new(octets, &mut arena);
    let made = types.get(1).map(|ty| memory.create(*ty));
    let arguments: Vec<_> = [Some(record), made].into_iter().flatten().map(|r| r.root).collect();
    if let Err(fault) = machine.call(0, &mut memory, &arguments) {
        return program.describe(&fault);
    }
    let mut records: Vec<Record> = [Some(record), made].into_iter().flatten().collect();
    records.extend(machine.emitted().iter().map(|(ty, root)| Record { ty: *ty, root: *root }));
    let shown = records.iter().map(|record| {
        if let Err(fault) = memory.check_depth(plan.schema(), *record) {
            return fault.to_string();
        }
        let mut out = Vec::new();
        match Encoder::new(plan, record.ty).encode(&memory, *record, &mut out) {
            Ok(()) => out.iter().map(|octet| format!("{octet:02x}")).collect(),
            Err(error) => error.to_string(),
        }
    });
    shown.collect::<Vec<String>>().join(" ")
}

/// Returns the folder of the tests' tables, also for another crate that includes this file.
pub(crate) fn tables() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = here.join("tests/common");
    if own.is_dir() { own } else { here.join("../crates/dup/tests/common") }
}

pub(crate) fn compiled(text: &str) -> Option<(Arc<Program>, Plan)> {
    let (compiled, plan) = crate::common::compile_at("script.dup", text, &tables());
    Some((Arc::new(compiled.program?), plan))
}

/// Compares the ways to run a script on random records, each whole and with a damaged octet.
pub(crate) fn compare(
    text: &str,
    (program, plan): (&Arc<Program>, &Plan),
    records: usize,
    dice: &mut Dice<'_>,
) {
    let native = Native::compile(program).expect("machine code");
    let ty = program.functions()[0].parameters[0].ty;
    let outline = plan.outline(&program.opened().iter().copied().collect());
    let whole = Decoder::new(plan, ty);
    let outlined = Decoder::outlined(plan, &outline, ty);
    let mut interpreter = Machine::new(Arc::clone(program));
    let mut machine = Machine::native(native);
    for _ in 0..records {
        let mut octets = some_record(plan, ty, dice);
        for _ in 0..2 {
            let expected = observed(&mut interpreter, plan, &whole, &octets);
            assert_eq!(observed(&mut machine, plan, &whole, &octets), expected, "{text}");
            // A script does not see damage in types that it does not read.
            if expected != "no record" {
                let part = observed(&mut machine, plan, &outlined, &octets);
                assert_eq!(part, expected, "{text}");
            }
            damage(&mut octets, dice);
        }
    }
}
