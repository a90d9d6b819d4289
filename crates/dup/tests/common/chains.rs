//! Runs scripts in a chain, and in sequence by the interpreter, and compares all observable effects.

use std::path::Path;
use std::sync::Arc;

use asn1::ber::{Decoder, Encoder};
use asn1::{Modules, Plan, Resolver};
use diagnostics::Source;
use dup::{Chain, ChainMachine, Gives, Link, Machine, Next, Program, Why};
use record::{Arena, Memory, Record};

use crate::common::MODULE;
use crate::common::programs::{Dice, damage, some_record};

/// Returns two filters and a formatter, each from a script that fills a bill. A record for which a filter returns FALSE
/// leaves by an exit of its own. `None` if a script has mistakes, or cannot be in a chain.
pub(crate) fn chained(texts: [&str; 3], folder: &Path) -> Option<(Vec<Link>, Plan)> {
    let (modules, _) = Modules::read(&[Source::new("m.asn1", MODULE)]);
    let mut resolver = Resolver::new(&modules);
    for root in ["M.Call", "M.Bill"] {
        resolver.resolve(root).expect("the module is right");
    }
    let mut compiled = |text: &str| {
        let program = dup::compile(&Source::new("script.dup", text), folder, &mut resolver).program;
        program.filter(|program| program.functions()[0].emits.is_empty()).map(Arc::new)
    };
    let filter = |text: &str, remainder: usize| {
        format!(
            "BOOLEAN w(in CONST Call)
            {{ declare out Bill; f(in, out); return !present(out.seconds) || out.seconds % 3 != {remainder}; }}
            {text}"
        )
    };
    let first = compiled(&filter(texts[0], 1))?;
    let second = compiled(&filter(texts[1], 0))?;
    let third = compiled(texts[2])?;
    let bill = third.functions()[0].parameters.get(1)?.ty;
    let either = |on_true, way| Gives::Boolean { on_true, on_false: Next::Out(way) };
    let link = |program, gives| Link { program, function: 0, gives };
    let links = vec![
        link(first, either(Next::Link(1), 0)),
        link(second, either(Next::Link(2), 1)),
        link(third, Gives::Record(bill, Next::Out(2))),
    ];
    Some((links, Plan::compile(resolver.finish())))
}

/// Compares on random records, each whole and with a damaged octet. Returns their number; 0 if there is no chain.
pub(crate) fn compare_chain(
    (links, plan): (&[Link], &Plan),
    records: usize,
    dice: &mut Dice<'_>,
) -> u64 {
    let Some(chain) = Chain::compile(links.to_vec()).expect("machine code") else { return 0 };
    let mut chain = ChainMachine::new(chain);
    let ty = links[0].program.functions()[0].parameters[0].ty;
    let opened = links.iter().flat_map(|link| link.program.opened().iter().copied());
    let outline = plan.outline(&opened.collect());
    let decoder = Decoder::outlined(plan, &outline, ty);
    let mut machines: Vec<Machine> =
        links.iter().map(|link| Machine::new(Arc::clone(&link.program))).collect();
    for _ in 0..records {
        let mut octets = some_record(plan, ty, dice);
        for is_whole in [true, false] {
            if !is_whole {
                damage(&mut octets, dice);
            }
            let mut arena = Arena::new();
            let Ok(record) = decoder.decode(&octets, &mut arena) else { continue };
            let mut memory = Memory::new(&octets, &mut arena);
            let expected = one_by_one(&mut machines, links, &mut memory, record);
            let expected = shown(plan, &memory, expected);
            let mut arena = Arena::new();
            let record = decoder.decode(&octets, &mut arena).expect("as before");
            let mut memory = Memory::new(&octets, &mut arena);
            let found = chain.call(&mut memory, record).map_err(|stopped| {
                let program = chain.program(stopped.link);
                let why = match &stopped.why {
                    Why::Fault(fault) => program.describe(fault),
                    Why::Number(number) => panic!("no script gives numbers: {number}"),
                };
                format!("link {}: {why}", stopped.link)
            });
            assert_eq!(shown(plan, &memory, found), expected, "{}", texts(links));
        }
    }
    2 * records as u64
}

/// The exit and the record there, or the error.
type Outcome = Result<(u16, Record), String>;

fn one_by_one(
    machines: &mut [Machine],
    links: &[Link],
    memory: &mut Memory<'_>,
    mut record: Record,
) -> Outcome {
    let mut place = 0;
    loop {
        let described =
            |program: &Program, fault: &_| format!("link {place}: {}", program.describe(fault));
        let machine = &mut machines[place];
        let next = match &links[place].gives {
            Gives::Boolean { on_true, on_false } => {
                let returned = machine.call(0, memory, &[record.root]);
                let returned = returned.map_err(|fault| described(machine.program(), &fault))?;
                if returned.boolean() { *on_true } else { *on_false }
            }
            Gives::Record(ty, next) => {
                let made = memory.create(*ty);
                let called = machine.call(0, memory, &[record.root, made.root]);
                called.map_err(|fault| described(machine.program(), &fault))?;
                record = made;
                *next
            }
            Gives::Numbers(_) => unreachable!("there is no such link"),
        };
        match next {
            Next::Link(link) => place = link,
            Next::Out(way) => return Ok((way, record)),
        }
    }
}

fn shown(plan: &Plan, memory: &Memory<'_>, outcome: Outcome) -> String {
    let (way, record) = match outcome {
        Ok(out) => out,
        Err(why) => return why,
    };
    if let Err(fault) = memory.check_depth(plan.schema(), record) {
        return fault.to_string();
    }
    let mut out = Vec::new();
    match Encoder::new(plan, record.ty).encode(memory, record, &mut out) {
        Ok(()) => format!("out by {way}: {out:02x?}"),
        Err(error) => format!("out by {way}: {error}"),
    }
}

/// Returns random octets from which a [script](crate::common::programs::script) builds a bill instead of changing the
/// call.
pub(crate) fn for_a_bill(mut dice: Vec<u8>) -> Vec<u8> {
    dice[0] |= 1;
    dice
}

fn texts(links: &[Link]) -> String {
    let texts = links.iter().map(|link| link.program.source().text.as_str());
    texts.collect::<Vec<_>>().join("\n-- then\n")
}
