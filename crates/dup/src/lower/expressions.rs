//! Lowers expressions. Each leaves its value in a register. Conditions become jumps where only the branch matters.

use record::TypeId;

use super::Lowering;
use crate::class::Alphabet;
use crate::code::{Column, Instruction as I, Register};
use crate::typed::{Argument, Expression, ExpressionWhat as What, Lookup, Place, TariffQuestion};

impl Lowering<'_> {
    /// Returns the register with the value of an expression, or with the slot of a structure.
    pub(super) fn expression(&mut self, expression: &Expression) -> Register {
        match &expression.what {
            What::Read(place) => self.read(place),
            _ => {
                let to = self.register();
                self.into(to, expression);
                to
            }
        }
    }

    pub(super) fn number(&mut self, to: Register, number: i64) {
        match i32::try_from(number) {
            Ok(value) => self.emit(I::Number { to, value }),
            Err(_) => {
                let constant = self.pool.number(number);
                self.emit(I::Constant { to, constant })
            }
        };
    }

    /// Puts the value of an expression into a register.
    pub(super) fn into(&mut self, to: Register, expression: &Expression) {
        let mark = self.next;
        match &expression.what {
            What::Number(number) => self.number(to, *number),
            What::Null => {}
            What::Octets(octets) => {
                let constant = self.pool.string(octets);
                self.emit(I::Constant { to, constant });
            }
            What::Read(place) => {
                let from = self.read(place);
                self.emit(I::Move { to, from });
            }
            What::Call { function, arguments } => self.call(to, *function, arguments, expression),
            What::BuiltIn { function, arguments } => {
                let base = self.next as Register;
                for argument in arguments {
                    let register = self.register();
                    self.into(register, argument);
                }
                let (function, count) = (self.pool.built_in(function), arguments.len() as u8);
                self.span = expression.span;
                self.emit(I::CallBuiltIn { function, base, count, to });
            }
            What::Lookup(lookup) => {
                let (key, found) = self.lookup(to, lookup, expression);
                let done = self.emit(I::Jump { target: 0 });
                self.land(&[found]);
                self.emit(I::NotFound { key });
                self.land(&[done]);
            }
            What::Answer(tariff_question) => {
                let question = self.pool.question(tariff_question.question);
                let (usage, answered) = self.ask(to, tariff_question, expression);
                let done = self.emit(I::Jump { target: 0 });
                self.land(&[answered]);
                self.emit(I::NoTariff { usage, question });
                self.land(&[done]);
            }
            What::Count(place) => self.count(to, place),
            What::NameOf(value) => {
                let ty = self.pool.ty(value.ty);
                let value = self.expression(value);
                self.span = expression.span;
                self.emit(I::NameOf { to, value, ty });
            }
            What::Not(inner) => {
                let from = self.expression(inner);
                self.emit(I::Not { to, from });
            }
            What::Negate(inner) => {
                let from = self.expression(inner);
                self.span = expression.span;
                self.emit(I::Negate { to, from });
            }
            What::Arithmetic { operator, left, right } => {
                let (left, right) = (self.expression(left), self.expression(right));
                self.span = expression.span;
                self.emit(I::Arithmetic { operator: *operator, to, left, right });
            }
            What::Compare { operator, octets, left, right } => {
                let (operator, left, right) = (*operator, self.operand(left), self.operand(right));
                self.span = expression.span;
                self.emit(match octets {
                    true => I::CompareOctets { operator, to, left, right },
                    false => I::Compare { operator, to, left, right },
                });
            }
            What::InNumbers { value, ranges } => {
                let value = self.expression(value);
                self.pool.number_sets.push(sorted_ranges(ranges));
                let set = (self.pool.number_sets.len() - 1) as u16;
                self.emit(I::InNumbers { to, value, set });
            }
            What::InOctets { value, members } => {
                let value = self.expression(value);
                let mut members = members.clone();
                members.sort();
                self.pool.octet_sets.push(members);
                let set = (self.pool.octet_sets.len() - 1) as u16;
                self.emit(I::InOctets { to, value, set });
            }
            What::Present(_)
            | What::Found(_)
            | What::Answered(_)
            | What::And(..)
            | What::Or(..) => {
                let mut otherwise = Vec::new();
                self.unless(expression, &mut otherwise);
                self.number(to, 1);
                let done = self.emit(I::Jump { target: 0 });
                self.land(&otherwise);
                self.number(to, 0);
                self.land(&[done]);
            }
        }
        self.release(mark);
    }

    /// Returns the register of a compared value; for REAL and similar types, with its octets.
    fn operand(&mut self, expression: &Expression) -> Register {
        match &expression.what {
            What::Read(place) if self.class(expression.ty) == crate::class::Class::Opaque => {
                let slot = self.slot(place);
                let to = self.register();
                self.span = place.span;
                self.emit(I::ReadOctets { to, slot });
                to
            }
            _ => self.expression(expression),
        }
    }

    /// Continues if a condition is true. Adds the jumps for the other case to `jumps`.
    pub(super) fn unless(&mut self, condition: &Expression, jumps: &mut Vec<usize>) {
        let mark = self.next;
        match &condition.what {
            What::And(left, right) => {
                self.unless(left, jumps);
                self.unless(right, jumps);
            }
            What::Or(left, right) => {
                let mut second = Vec::new();
                self.unless(left, &mut second);
                let done = self.emit(I::Jump { target: 0 });
                self.land(&second);
                self.unless(right, jumps);
                self.land(&[done]);
            }
            What::Not(inner) => {
                let mut inner_false = Vec::new();
                self.unless(inner, &mut inner_false);
                jumps.push(self.emit(I::Jump { target: 0 }));
                self.land(&inner_false);
            }
            What::Present(place) => self.unless_present(place, jumps),
            What::Found(lookup) => {
                let to = self.register();
                jumps.push(self.lookup(to, lookup, condition).1);
            }
            What::Answered(question) => {
                let to = self.register();
                jumps.push(self.ask(to, question, condition).1);
            }
            What::Compare { operator, octets: false, left, right } => {
                let (operator, left, right) = (*operator, self.operand(left), self.operand(right));
                jumps.push(self.emit(I::JumpUnlessCompare { operator, left, right, target: 0 }));
            }
            What::Number(number) => {
                if *number == 0 {
                    jumps.push(self.emit(I::Jump { target: 0 }));
                }
            }
            _ => {
                let value = self.expression(condition);
                jumps.push(self.emit(I::JumpUnless { value, target: 0 }));
            }
        }
        self.release(mark);
    }

    /// Emits a search. Returns the register of the key, and the jump if the key is missing.
    fn lookup(&mut self, to: Register, lookup: &Lookup, whole: &Expression) -> (Register, usize) {
        let key = self.expression(&lookup.key);
        let Lookup { table, column, exact, .. } = *lookup;
        let column = self.pool.column(Column { table, column, exact });
        self.span = whole.span;
        (key, self.emit(I::Lookup { to, key, column, target: 0 }))
    }

    /// Emits a question. Returns the register of the usage, and the jump if there is no answer.
    fn ask(
        &mut self,
        to: Register,
        question: &TariffQuestion,
        whole: &Expression,
    ) -> (Register, usize) {
        let usage = self.expression(&question.usage);
        let question = self.pool.question(question.question);
        self.span = whole.span;
        (usage, self.emit(I::Ask { to, usage, question, target: 0 }))
    }

    fn count(&mut self, to: Register, place: &Place) {
        let mut absent = Vec::new();
        let slot = self.tried_slot(place, &mut absent, false);
        self.emit(I::Count { to, slot });
        let done = self.emit(I::Jump { target: 0 });
        self.land(&absent);
        self.number(to, 0);
        self.land(&[done]);
    }

    fn call(&mut self, to: Register, function: usize, arguments: &[Argument], whole: &Expression) {
        let base = self.next as Register;
        let window: Vec<Register> = arguments.iter().map(|_| self.register()).collect();
        for (place, (argument, register)) in arguments.iter().zip(window).enumerate() {
            let mark = self.next;
            match argument {
                Argument::Value(value) => {
                    self.into(register, value);
                    let wanted = self.functions[function].variables[place].ty;
                    self.check_text(register, value, wanted);
                }
                Argument::Reference(place) => {
                    let from = self.made_slot(place);
                    self.emit(I::Move { to: register, from });
                }
            }
            self.release(mark);
        }
        // The callee writes its result to the first register of its window, so there must be one.
        let mark = self.next;
        if arguments.is_empty() {
            self.register();
        }
        self.span = whole.span;
        self.emit(I::Call { function: function as u16, base, to });
        self.release(mark);
    }

    /// Checks that a string has only characters of the target type's alphabet.
    pub(super) fn check_text(&mut self, value: Register, from: &Expression, wanted: TypeId) {
        let Some(alphabet) = Alphabet::of(self.schema, wanted) else { return };
        let known = matches!(from.what, What::Octets(_));
        if !known && !alphabet.includes(Alphabet::of(self.schema, from.ty)) {
            self.span = from.span;
            self.emit(I::Check { value, alphabet });
        }
    }
}

/// Returns the ranges in order, with adjacent ones joined.
fn sorted_ranges(ranges: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable();
    let mut joined: Vec<(i64, i64)> = Vec::new();
    for (first, last) in sorted {
        match joined.last_mut() {
            Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
            _ => joined.push((first, last)),
        }
    }
    joined
}
