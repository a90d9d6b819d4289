//! Lowers statements: jumps, and writing of values.

use diagnostics::Span;

use super::{JumpsOut, Lowering};
use crate::class::{Alphabet, Class};
use crate::code::{Instruction as I, Switch};
use crate::typed::{
    Case, Expression, ExpressionWhat as What, Labels, Place, Root, Statement, StepWhat, Storage,
    Subject,
};

impl Lowering<'_> {
    pub(super) fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            let mark = self.next;
            // Instructions that cannot fail need a line too, for coverage.
            if let Some(span) = self.beginning(statement) {
                self.span = span;
            }
            self.statement(statement);
            self.release(mark);
        }
    }

    /// Returns the text at the beginning of a statement, if it is known.
    fn beginning(&self, statement: &Statement) -> Option<Span> {
        match statement {
            Statement::Declare(variable) => Some(self.function.variables[*variable].span),
            Statement::Evaluate(value)
            | Statement::Return(Some(value))
            | Statement::If { condition: value, .. } => Some(value.span),
            Statement::Assign { target, .. } | Statement::Delete(target) => Some(target.span),
            Statement::Loop { span, .. }
            | Statement::Switch { span, .. }
            | Statement::Assert { span, .. }
            | Statement::Emit { span, .. }
            | Statement::Reject { span, .. } => Some(*span),
            Statement::Block(_)
            | Statement::Return(None)
            | Statement::Break
            | Statement::Continue => None,
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Block(statements) => self.statements(statements),
            Statement::Declare(variable) => {
                if self.function.variables[*variable].storage == Storage::Slot {
                    self.emit(I::New { to: *variable as u8 });
                }
            }
            Statement::Assign { target, value, span } => self.assign(target, value, *span),
            Statement::Evaluate(expression) => {
                self.expression(expression);
            }
            Statement::If { condition, then, otherwise } => {
                self.if_statement(condition, then, otherwise);
            }
            Statement::Loop { condition, body, step, span } => {
                self.loop_statement(condition.as_ref(), body, step, *span);
            }
            Statement::Switch { subject, cases, default, span } => {
                self.switch(subject, cases, *default, *span);
            }
            Statement::Return(value) => self.return_statement(value.as_ref()),
            Statement::Break => {
                let jump = self.emit(I::Jump { target: 0 });
                if let Some(around) = self.jumps_out.last_mut() {
                    around.breaks.push(jump);
                }
            }
            Statement::Continue => {
                let jump = self.emit(I::Jump { target: 0 });
                if let Some(around) = self.jumps_out.iter_mut().rev().find(|around| around.is_loop)
                {
                    around.continues.push(jump);
                }
            }
            Statement::Delete(place) => self.delete(place),
            Statement::Assert { condition, span } => {
                let value = self.expression(condition);
                self.span = *span;
                self.emit(I::Assert { value });
            }
            Statement::Emit { place, span } => {
                let slot = self.slot(place);
                let ty = self.pool.ty(place.ty);
                self.span = *span;
                self.emit(I::Emit { slot, ty });
            }
            Statement::Reject { reason, span } => {
                let reason = self.expression(reason);
                self.span = *span;
                self.emit(I::Reject { reason });
            }
        }
    }

    fn assign(&mut self, target: &Place, value: &Expression, span: Span) {
        let in_register = match target.root {
            Root::Variable(variable) if target.steps.is_empty() => {
                (self.function.variables[variable].storage == Storage::Register)
                    .then_some(variable as u8)
            }
            _ => None,
        };
        if let Some(to) = in_register {
            self.into(to, value);
            self.check_text(to, value, target.ty);
            return;
        }
        // Read everything before anything is created, so that `x := x` and errors leave no trace.
        let class = self.class(value.ty);
        if let What::Read(source) = &value.what
            && self.can_copy(source, target, class)
        {
            if !class.is_composite() && self.copy_component(source, target) {
                return;
            }
            let mut from = self.slot(source);
            self.span = source.span;
            if class.is_composite() && may_be_within(target, source) {
                // What is created on the way to the target must not become part of the copy.
                let copy = self.register();
                self.emit(I::New { to: copy });
                self.copy_slot(copy, from, source, source);
                from = copy;
            }
            let to = self.made_slot(target);
            self.span = source.span;
            self.copy_slot(to, from, source, target);
            return;
        }
        let from = match value.what {
            What::Null => 0,
            _ => self.expression(value),
        };
        self.check_text(from, value, target.ty);
        let slot = self.made_slot(target);
        self.span = span;
        match class {
            Class::Null => {
                self.emit(I::WriteNull { slot });
            }
            Class::Octets => {
                self.emit(I::WriteOctets { slot, from });
            }
            class if class.is_number() => {
                self.emit(I::WriteNumber { slot, from });
            }
            _ => {
                // A structure that a function returned.
                let (source, ty) = (self.pool.pair(value.ty, target.ty), self.pool.ty(value.ty));
                self.emit(match value.ty == target.ty {
                    true => I::Copy { to: slot, from, ty },
                    false => I::Convert { to: slot, from, pair: source },
                });
            }
        }
    }

    /// Returns whether a value can be copied from slot to slot without decoding.
    fn can_copy(&self, source: &Place, target: &Place, class: Class) -> bool {
        let in_slot = match source.root {
            Root::Variable(variable) => {
                !source.steps.is_empty()
                    || self.function.variables[variable].storage == Storage::Slot
            }
            Root::Result(_) => true,
        };
        let checked = Alphabet::of(self.schema, target.ty)
            .is_some_and(|alphabet| !alphabet.includes(Alphabet::of(self.schema, source.ty)));
        match class {
            Class::Octets => in_slot && !checked && self.same_octets(source, target),
            class if class.is_number() => in_slot && self.same_octets(source, target),
            _ => in_slot,
        }
    }

    fn if_statement(
        &mut self,
        condition: &Expression,
        then: &[Statement],
        otherwise: &[Statement],
    ) {
        let mut skip = Vec::new();
        self.unless(condition, &mut skip);
        self.statements(then);
        if otherwise.is_empty() {
            return self.land(&skip);
        }
        let done = self.emit(I::Jump { target: 0 });
        self.land(&skip);
        self.statements(otherwise);
        self.land(&[done]);
    }

    fn loop_statement(
        &mut self,
        condition: Option<&Expression>,
        body: &[Statement],
        step: &[Statement],
        span: Span,
    ) {
        let top = self.here();
        let mut done = Vec::new();
        if let Some(condition) = condition {
            self.unless(condition, &mut done);
        }
        self.jumps_out.push(JumpsOut { is_loop: true, ..JumpsOut::default() });
        self.statements(body);
        let JumpsOut { breaks, continues, .. } = self.jumps_out.pop().unwrap_or_default();
        self.land(&continues);
        self.statements(step);
        self.span = span;
        self.emit(I::Turn { target: top });
        self.land(&done);
        self.land(&breaks);
    }

    fn switch(&mut self, subject: &Subject, cases: &[Case], default: Option<usize>, span: Span) {
        let value = match subject {
            Subject::Number(value) | Subject::Octets(value) => self.expression(value),
            Subject::Choice(place) => {
                let choice = self.slot(place);
                let to = self.register();
                self.span = place.span;
                self.emit(I::Chosen { to, choice });
                to
            }
        };
        let is_octets = matches!(subject, Subject::Octets(_));
        self.span = span;
        let table = match is_octets {
            true => self.pool.octet_switches.len(),
            false => self.pool.switches.len(),
        } as u16;
        // Create it now and fill it below: a switch within a case takes the next index.
        match is_octets {
            true => {
                self.pool.octet_switches.push(Switch { targets: Vec::new(), otherwise: 0 });
                self.emit(I::SwitchOctets { value, table });
            }
            false => {
                self.pool.switches.push(Switch { targets: Vec::new(), otherwise: 0 });
                self.emit(I::Switch { value, table });
            }
        }
        self.jumps_out.push(JumpsOut::default());
        let mut numbers = Vec::new();
        let mut texts = Vec::new();
        let mut otherwise = None;
        for (place, case) in cases.iter().enumerate() {
            let here = self.here();
            match &case.labels {
                Labels::Numbers(labels) => {
                    numbers.extend(labels.iter().map(|label| (*label, here)))
                }
                Labels::Octets(labels) => {
                    texts.extend(labels.iter().map(|label| (label.clone(), here)))
                }
            }
            if default == Some(place) {
                otherwise = Some(here);
            }
            self.statements(&case.body);
        }
        let JumpsOut { breaks, .. } = self.jumps_out.pop().unwrap_or_default();
        self.land(&breaks);
        let otherwise = otherwise.unwrap_or(self.here());
        numbers.sort_unstable();
        texts.sort_unstable();
        match is_octets {
            true => {
                self.pool.octet_switches[usize::from(table)] = Switch { targets: texts, otherwise };
            }
            false => {
                self.pool.switches[usize::from(table)] = Switch { targets: numbers, otherwise }
            }
        }
    }

    fn return_statement(&mut self, value: Option<&Expression>) {
        let value = match value {
            Some(value) => {
                let register = self.expression(value);
                self.check_text(register, value, self.function.result);
                register
            }
            None => 0,
        };
        self.emit(I::Return { value });
    }

    fn delete(&mut self, place: &Place) {
        let mut absent = Vec::new();
        let Some((last, before)) = place.steps.split_last() else { return };
        let of = Place { steps: before.to_vec(), ..place.clone() };
        let of_slot = self.tried_slot(&of, &mut absent, true);
        self.span = place.span;
        match &last.what {
            StepWhat::Component { place, .. } => {
                let to = self.register();
                absent.push(self.emit(I::TryComponent {
                    to,
                    of: of_slot,
                    place: *place,
                    target: 0,
                }));
                self.emit(I::Touch { slot: of_slot });
                self.emit(I::Delete { slot: to });
            }
            StepWhat::Element(position) => {
                let position = self.expression(position);
                self.span = place.span;
                self.emit(I::Remove { list: of_slot, position });
            }
            StepWhat::Alternative(_) => {}
        }
        self.land(&absent);
    }
}

/// Returns whether one place may lie within the other.
fn may_be_within(inner: &Place, outer: &Place) -> bool {
    match (&inner.root, &outer.root) {
        (Root::Variable(inner), Root::Variable(outer)) => inner == outer,
        _ => false,
    }
}
