//! Edge cases of chains. `differential.rs` checks that they mean the same as their links one by one.

use crate::common;
use std::sync::Arc;

use dup::{Chain, ChainMachine, Gives, Link, Next, Program, Why};
use record::{Arena, Memory, Record, SlotIndex};

fn machine(links: Vec<Link>) -> ChainMachine {
    ChainMachine::new(Chain::compile(links).expect("machine code").expect("they are short"))
}

/// Returns a record that is a number, for a script's only parameter.
fn number(memory: &mut Memory<'_>, program: &Program, number: i64) -> Record {
    let record = memory.create(program.functions()[0].parameters[0].ty);
    memory.set_number(record.root, number);
    record
}

fn link(program: &Arc<Program>, gives: Gives) -> Link {
    Link { program: Arc::clone(program), function: 0, gives }
}

#[test]
fn a_number_that_leads_nowhere_is_told_with_its_link() {
    let (kind, _) = common::program("INTEGER kind(n INTEGER) { return n % 10; }");
    let ways = vec![(1, Next::Link(1)), (2, Next::Out(0))];
    let behind = vec![(1, Next::Out(1))];
    let mut chain =
        machine(vec![link(&kind, Gives::Numbers(ways)), link(&kind, Gives::Numbers(behind))]);
    let mut arena = Arena::new();
    let mut memory = Memory::new(&[], &mut arena);
    for (given, expected) in [(12, Ok(0)), (21, Ok(1)), (13, Err((0, 3))), (-3, Err((0, -3)))] {
        let record = number(&mut memory, &kind, given);
        let found = chain.call(&mut memory, record).map(|(way, _)| way);
        let found = found.map_err(|stopped| match stopped.why {
            Why::Number(number) => (stopped.link, number),
            Why::Fault(fault) => panic!("{}", kind.describe(&fault)),
        });
        assert_eq!(found, expected, "{given}");
    }
}

#[test]
fn each_link_has_the_whole_budget_and_its_own_constants() {
    let turns = dup::BUDGET * 2 / 3;
    let text = |word: &str| {
        format!(
            "BOOLEAN f(n INTEGER)
            {{
              declare i INTEGER := 0;
              while (i < {turns}) {{ i += 1; }}
              return concat(\"{word}\", toString(n)) == \"{word}7\" && toInteger(\"{}\") == {};
            }}",
            word.len(),
            word.len(),
        )
    };
    let (first, _) = common::program(&text("one"));
    let (second, _) = common::program(&text("another"));
    let either = |on_true, way| Gives::Boolean { on_true, on_false: Next::Out(way) };
    let mut chain = machine(vec![
        link(&first, either(Next::Link(1), 0)),
        link(&second, either(Next::Out(2), 1)),
    ]);
    let mut arena = Arena::new();
    let mut memory = Memory::new(&[], &mut arena);
    for (given, way) in [(7, 2), (8, 0)] {
        let record = number(&mut memory, &first, given);
        let (found, out) = chain.call(&mut memory, record).expect("there is no fault");
        assert_eq!((found, out), (way, record));
    }
}

#[test]
#[should_panic]
fn a_record_that_is_not_in_the_memory_is_not_looked_at() {
    let (kind, _) = common::program("BOOLEAN f(n INTEGER) { return n > 0; }");
    let gives = Gives::Boolean { on_true: Next::Out(0), on_false: Next::Out(1) };
    let mut chain = machine(vec![link(&kind, gives)]);
    let mut arena = Arena::new();
    let mut memory = Memory::new(&[], &mut arena);
    let ty = kind.functions()[0].parameters[0].ty;
    let _ = chain.call(&mut memory, Record { ty, root: SlotIndex(1_000_000) });
}
