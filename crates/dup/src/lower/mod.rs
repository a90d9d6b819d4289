//! Lowers typed trees to instructions: a register for each variable, steps for each path, jumps for each branch.

mod expressions;
mod paths;
mod pool;
mod statements;

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, Span};
use record::{Schema, TypeId};

use crate::class::Class;
use crate::code::{Code, INSTRUCTIONS_MAX, Instruction, Pool, REGISTERS_MAX, Register, Target};
use crate::typed::CheckedFunction;

/// Lowers a function. Fails if it is too large.
pub(crate) fn lower(
    function: &CheckedFunction,
    functions: &[CheckedFunction],
    schema: &Schema,
    pool: &mut Pool,
    source: &Arc<Source>,
) -> Result<Code, Diagnostic> {
    let variables = function.variables.len();
    let mut lowering = Lowering {
        function,
        functions,
        schema,
        pool,
        instructions: Vec::new(),
        spans: Vec::new(),
        span: Span::default(),
        next: variables,
        most: variables,
        jumps_out: Vec::new(),
    };
    lowering.statements(&function.body);
    lowering.emit(Instruction::Return { value: 0 });
    let Lowering { instructions, spans, most, pool, .. } = lowering;
    let hint = if most >= REGISTERS_MAX {
        format!("a function has at most {REGISTERS_MAX} variables and values in hand; split it")
    } else if instructions.len() >= INSTRUCTIONS_MAX {
        format!("a function has at most {INSTRUCTIONS_MAX} instructions; split it")
    } else if !pool.is_addressable() {
        "a script has at most 65536 different numbers and strings; put what is data into a TABLE"
            .into()
    } else {
        return Ok(Code { instructions, spans });
    };
    let span = function.variables.first().map_or(Span::default(), |variable| variable.span);
    let message = format!("\"{}\" is too large", function.name);
    Err(Diagnostic::error(source, span, message).hint(hint))
}

struct Lowering<'l> {
    function: &'l CheckedFunction,
    functions: &'l [CheckedFunction],
    schema: &'l Schema,
    pool: &'l mut Pool,
    instructions: Vec<Instruction>,
    spans: Vec<Span>,
    /// The text that the next instructions are made from.
    span: Span,
    /// The first free register. It may exceed the maximum, and then the function is refused.
    next: usize,
    most: usize,
    /// The statements that `break` and `continue` leave, innermost last.
    jumps_out: Vec<JumpsOut>,
}

/// The jumps out of a loop or switch. They get their targets at its end.
#[derive(Default)]
struct JumpsOut {
    is_loop: bool,
    breaks: Vec<usize>,
    continues: Vec<usize>,
}

impl Lowering<'_> {
    fn emit(&mut self, instruction: Instruction) -> usize {
        self.instructions.push(instruction);
        self.spans.push(self.span);
        self.instructions.len() - 1
    }

    fn here(&self) -> Target {
        self.instructions.len() as Target
    }

    /// Returns a register that is in use until [`release`](Self::release).
    fn register(&mut self) -> Register {
        let register = self.next;
        self.next += 1;
        self.most = self.most.max(self.next);
        register as Register
    }

    /// Frees all registers taken since a mark.
    fn release(&mut self, mark: usize) {
        self.next = mark;
    }

    fn class(&self, ty: TypeId) -> Class {
        Class::of(self.schema, ty)
    }

    /// Makes earlier jumps lead here.
    fn land(&mut self, jumps: &[usize]) {
        let here = self.here();
        for jump in jumps {
            self.retarget(*jump, here);
        }
    }

    fn retarget(&mut self, jump: usize, to: Target) {
        *self.instructions[jump].target_mut().expect("what jumps has a target") = to;
    }
}
