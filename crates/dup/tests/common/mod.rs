//! A module of records for scripts, and helpers to run scripts on them.

pub(crate) mod aliases;
pub(crate) mod chains;
pub(crate) mod compare;
pub(crate) mod programs;

use std::path::Path;
use std::sync::Arc;

use asn1::ber::{Decoder, Encoder};
use asn1::{Modules, Plan, Resolver};
use diagnostics::{Diagnostic, Source};
use dup::{Compiled, Machine, Native, Program};
use record::{Arena, Memory, Record, TypeId};

/// Records of calls as a switch might write them, and bills made from them.
pub(crate) const MODULE: &str = r"
M DEFINITIONS IMPLICIT TAGS ::= BEGIN
Call ::= SET {
  kind      [0] INTEGER { voice(0), text(6) },
  caller    [1] TBCD OPTIONAL,
  called    [2] TBCD OPTIONAL,
  start     [3] OCTET STRING,
  seconds   [4] INTEGER,
  answered  [5] BOOLEAN DEFAULT TRUE,
  priority  [6] INTEGER DEFAULT 5,
  radio     [7] Radio OPTIONAL,
  services  [8] SEQUENCE OF Service OPTIONAL,
  party     [9] Party OPTIONAL,
  note      [10] IA5String OPTIONAL,
  marked    [11] NULL OPTIONAL,
  factor    [12] REAL OPTIONAL,
  place     [13] Place OPTIONAL,
  tree      [14] Tree OPTIONAL,
  ...
}
Place ::= SEQUENCE { area [0] OCTET STRING, cell [1] INTEGER OPTIONAL }
Service ::= SEQUENCE { code [0] INTEGER, used [1] BOOLEAN }
Radio ::= ENUMERATED { gsm(0), umts(1), lte(5), ... }
Party ::= CHOICE { number [0] TBCD, name [1] UTF8String, network [2] Place }
TBCD ::= OCTET STRING
Bill ::= SEQUENCE {
  caller   [0] OCTET STRING OPTIONAL,
  seconds  [1] INTEGER,
  text     [2] UTF8String OPTIONAL,
  digits   [3] NumericString OPTIONAL,
  services [4] SEQUENCE OF Used OPTIONAL,
  radio    [5] Radio OPTIONAL,
  party    [6] Party OPTIONAL,
  factor   [7] REAL OPTIONAL,
  marked   [8] NULL OPTIONAL,
  place    [9] Place OPTIONAL,
  tree     [10] Tree OPTIONAL
}
Used ::= SEQUENCE { code [5] INTEGER, used [6] BOOLEAN }
Tree ::= SEQUENCE { n [0] INTEGER, child [1] Tree OPTIONAL, children [2] SEQUENCE OF Tree OPTIONAL }
END";

/// Compiles a script against [`MODULE`].
pub(crate) fn compile(text: &str) -> (Compiled, Plan) {
    compile_at("script.dup", text, Path::new("."))
}

/// Like [`compile`], with the name and folder of a file.
pub(crate) fn compile_at(name: &str, text: &str, folder: &Path) -> (Compiled, Plan) {
    let (modules, mistakes) = Modules::read(&[Source::new("m.asn1", MODULE)]);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let mut resolver = Resolver::new(&modules);
    for root in ["M.Call", "M.Bill"] {
        resolver.resolve(root).expect("the module is right");
    }
    let compiled = dup::compile(&Source::new(name, text), folder, &mut resolver);
    (compiled, Plan::compile(resolver.finish()))
}

/// Compiles a script without mistakes.
pub(crate) fn program(text: &str) -> (Arc<Program>, Plan) {
    let (compiled, plan) = compile(text);
    let program = compiled.program.unwrap_or_else(|| panic!("{}", shown(&compiled.diagnostics)));
    (Arc::new(program), plan)
}

/// Returns diagnostics as text.
pub(crate) fn shown(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Runs a script's first function on a record given as JSON: `in` and a new `out`. Returns the out record, or what it
/// emitted, as JSON, or the fault. A record that came as octets, of which only the types that the script reads were
/// decoded, must give the same.
pub(crate) fn transform(text: &str, json: &str) -> Result<Vec<String>, String> {
    let (program, plan) = program(text);
    let types: Vec<TypeId> = program.functions()[0].parameters.iter().map(|p| p.ty).collect();
    let mut arena = Arena::new();
    let mut memory = Memory::new(&[], &mut arena);
    let record = read(&plan, &mut memory, types[0], json);
    let mut octets = Vec::new();
    let encoded = Encoder::new(&plan, types[0]).encode(&memory, record, &mut octets);
    let native = Native::compile(&program).expect("machine code");
    let compiled = || Machine::native(Arc::clone(&native));
    let by_machine = run(compiled(), &plan, &mut memory, record, types[1]);
    let mut arena = Arena::new();
    let mut memory = Memory::new(&[], &mut arena);
    let record = read(&plan, &mut memory, types[0], json);
    let made = run(Machine::new(Arc::clone(&program)), &plan, &mut memory, record, types[1]);
    assert_eq!(by_machine, made, "{text}");
    if encoded.is_ok() {
        let outline = plan.outline(&program.opened().iter().copied().collect());
        let decoder = Decoder::outlined(&plan, &outline, types[0]);
        for machine in [Machine::new(Arc::clone(&program)), compiled()] {
            let mut arena = Arena::new();
            let record = decoder.decode(&octets, &mut arena).expect("it was encoded");
            let mut memory = Memory::new(&octets, &mut arena);
            assert_eq!(run(machine, &plan, &mut memory, record, types[1]), made, "{text}");
        }
    }
    made
}

fn run(
    mut machine: Machine,
    plan: &Plan,
    memory: &mut Memory<'_>,
    record: Record,
    out: TypeId,
) -> Result<Vec<String>, String> {
    let program = Arc::clone(machine.program());
    let out = memory.create(out);
    machine.call(0, memory, &[record.root, out.root]).map_err(|fault| program.describe(&fault))?;
    let records = match !program.functions()[0].emits.is_empty() {
        true => {
            machine.emitted().iter().map(|(ty, root)| Record { ty: *ty, root: *root }).collect()
        }
        false => vec![out],
    };
    for record in &records {
        memory.check_depth(plan.schema(), *record).map_err(|fault| fault.to_string())?;
    }
    Ok(records.iter().map(|record| by_octets(plan, memory, *record)).collect())
}

/// Returns a record as JSON, after encoding and decoding it.
fn by_octets(plan: &Plan, memory: &Memory<'_>, record: Record) -> String {
    let mut octets = Vec::new();
    Encoder::new(plan, record.ty).encode(memory, record, &mut octets).expect("a whole record");
    let mut arena = Arena::new();
    let record = Decoder::new(plan, record.ty).decode(&octets, &mut arena).expect("a record");
    write(plan, &Memory::new(&octets, &mut arena), record)
}

pub(crate) fn read(plan: &Plan, memory: &mut Memory<'_>, ty: TypeId, json: &str) -> Record {
    asn1::jer::read(plan, memory, ty, json.as_bytes())
        .unwrap_or_else(|error| panic!("{error}: {json}"))
}

pub(crate) fn write(plan: &Plan, memory: &Memory<'_>, record: Record) -> String {
    let mut out = Vec::new();
    asn1::jer::write(plan, memory, record, asn1::jer::Options::default(), &mut out)
        .expect("a whole record");
    String::from_utf8(out).expect("JSON is UTF-8")
}
