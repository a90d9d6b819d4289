//! The types whose values a script reads. A decoder need not decode the contents of others.

use std::collections::BTreeSet;

use record::{Kind, Schema, TypeId};

use crate::class::Class;
use crate::typed::{
    Argument, CheckedFunction, Expression, ExpressionWhat as What, Place, Root, Statement,
    StepWhat, Subject,
};

/// Returns the types whose values any of these functions reads.
pub(crate) fn opened(functions: &[CheckedFunction], schema: &Schema) -> Vec<TypeId> {
    let (mut types, mut whole) = (BTreeSet::new(), BTreeSet::new());
    for function in functions {
        let mut opened = Opened { function, schema, types: &mut types, whole: &mut whole };
        opened.statements(&function.body);
    }
    types.union(&whole).copied().collect()
}

struct Opened<'o> {
    function: &'o CheckedFunction,
    schema: &'o Schema,
    types: &'o mut BTreeSet<TypeId>,
    /// The types of values that are read completely.
    whole: &'o mut BTreeSet<TypeId>,
}

impl Opened<'_> {
    fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Block(body) => self.statements(body),
            Statement::Assign { target, value, .. } => {
                self.place(target);
                self.expression(value);
                // Between different types, a value is copied component by component. A recursive value must be decoded
                // too, because it may be too deep for the target.
                if value.ty != target.ty || self.is_recursive(value.ty) {
                    self.whole(value.ty);
                }
            }
            Statement::Evaluate(value) | Statement::Return(Some(value)) => self.expression(value),
            Statement::If { condition, then, otherwise } => {
                self.expression(condition);
                self.statements(then);
                self.statements(otherwise);
            }
            Statement::Loop { condition, body, step, .. } => {
                condition.iter().for_each(|condition| self.expression(condition));
                self.statements(body);
                self.statements(step);
            }
            Statement::Switch { subject, cases, .. } => {
                match subject {
                    Subject::Number(value) | Subject::Octets(value) => self.expression(value),
                    Subject::Choice(place) => {
                        self.place(place);
                        self.types.insert(place.ty);
                    }
                }
                cases.iter().for_each(|case| self.statements(&case.body));
            }
            Statement::Delete(place) | Statement::Emit { place, .. } => self.place(place),
            Statement::Assert { condition: value, .. }
            | Statement::Reject { reason: value, .. } => {
                self.expression(value);
            }
            Statement::Declare(_)
            | Statement::Return(None)
            | Statement::Break
            | Statement::Continue => {}
        }
    }

    fn expression(&mut self, expression: &Expression) {
        match &expression.what {
            What::Number(_) | What::Octets(_) | What::Null => {}
            What::Read(place) | What::Present(place) => self.place(place),
            What::Count(place) => {
                self.place(place);
                self.types.insert(place.ty);
            }
            What::Call { arguments, .. } => {
                for argument in arguments {
                    match argument {
                        // What the function reads is found in the function itself.
                        Argument::Value(value) => self.expression(value),
                        Argument::Reference(place) => self.place(place),
                    }
                }
            }
            What::BuiltIn { arguments, .. } => {
                arguments.iter().for_each(|argument| self.expression(argument));
            }
            What::Found(lookup) | What::Lookup(lookup) => self.expression(&lookup.key),
            What::Answered(question) | What::Answer(question) => {
                self.expression(&question.usage);
                self.types.insert(question.usage.ty);
            }
            What::NameOf(value) | What::Not(value) | What::Negate(value) => self.expression(value),
            What::Arithmetic { left, right, .. }
            | What::Compare { left, right, .. }
            | What::And(left, right)
            | What::Or(left, right) => {
                self.expression(left);
                self.expression(right);
            }
            What::InNumbers { value, .. } | What::InOctets { value, .. } => self.expression(value),
        }
    }

    /// Adds the types on the way to a place.
    fn place(&mut self, place: &Place) {
        let mut ty = match &place.root {
            Root::Variable(variable) => self.function.variables[*variable].ty,
            Root::Result(result) => {
                self.expression(result);
                result.ty
            }
        };
        for step in &place.steps {
            self.types.insert(ty);
            let kind = self.schema.kind(ty);
            let next = match &step.what {
                StepWhat::Component { place, .. } | StepWhat::Alternative(place) => {
                    kind.fields().get(usize::from(*place)).map(|field| field.ty)
                }
                StepWhat::Element(position) => {
                    self.expression(position);
                    kind.element()
                }
            };
            ty = next.unwrap_or(ty);
        }
    }

    fn is_recursive(&self, ty: TypeId) -> bool {
        Class::of(self.schema, ty).is_composite() && self.schema.is_recursive(ty)
    }

    /// Adds everything within values of a type.
    fn whole(&mut self, ty: TypeId) {
        if !Class::of(self.schema, ty).is_composite() || !self.whole.insert(ty) {
            return;
        }
        match self.schema.kind(ty) {
            Kind::Sequence(fields) | Kind::Set(fields) | Kind::Choice(fields) => {
                fields.iter().for_each(|field| self.whole(field.ty));
            }
            Kind::SequenceOf(element) | Kind::SetOf(element) => self.whole(*element),
            _ => {}
        }
    }
}
