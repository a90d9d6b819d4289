//! Checks expressions: the type of every value, the operands of every operator.

use diagnostics::Span;
use record::{Kind, TypeId};

use super::facts::implied;
use super::{Checked, Checker, Symbol};
use crate::class::{Alphabet, Class, is_alike};
use crate::syntax::{
    Binary, Comparison, Constant, Unary, WrittenExpression, WrittenExpressionWhat as Syntax,
};
use crate::typed::{Arithmetic, Expression, ExpressionWhat as What};

impl Checker<'_> {
    /// Checks an expression. A name that is no variable can be a value of the expected type.
    pub(super) fn expression(
        &mut self,
        written: &WrittenExpression,
        expected: Option<TypeId>,
    ) -> Checked<Expression> {
        let span = written.span;
        let basic = self.basic;
        let made = |what, ty| Ok(Expression { what, ty, span });
        match &written.what {
            Syntax::Number(number) => made(What::Number(*number), basic.integer),
            Syntax::Boolean(value) => made(What::Number(i64::from(*value)), basic.boolean),
            Syntax::Null => made(What::Null, basic.null),
            Syntax::Text(text) => made(What::Octets(text.clone()), basic.text),
            Syntax::Octets(octets) => made(What::Octets(octets.clone()), basic.octets),
            Syntax::Name(name) if self.find_variable(name).is_none() => {
                self.named_value(name, span, expected)
            }
            Syntax::Name(_) | Syntax::Field { .. } | Syntax::Element { .. } => {
                let place = self.place(written)?;
                Ok(self.read(place))
            }
            Syntax::Call { function, arguments } => self.call(function, arguments, span),
            Syntax::Unary { operator, operand } => self.unary(*operator, operand, span),
            Syntax::Binary { operator, left, right } => self.binary(*operator, left, right, span),
            Syntax::In { value, constants } => self.membership(value, constants, span),
            Syntax::Wrong => Err(super::Reported),
        }
    }

    /// Finds a name among the values of an ENUMERATED or an INTEGER with named numbers.
    fn named_value(
        &mut self,
        name: &str,
        span: Span,
        expected: Option<TypeId>,
    ) -> Checked<Expression> {
        let names = expected.map(|ty| self.names(ty)).unwrap_or_default();
        if let (Some(place), Some(ty)) =
            (names.iter().position(|(known, _)| known == name), expected)
        {
            self.note(span, Symbol::Value { ty, place });
            let (_, value) = &names[place];
            return Ok(Expression { what: What::Number(*value), ty, span });
        }
        let variables = self.body.scopes.iter().flatten().map(|(name, _)| name.clone());
        let known: Vec<String> = names.into_iter().map(|(name, _)| name).chain(variables).collect();
        let hint = self.meant(name, known.iter().map(String::as_str));
        let hint = hint.or_else(|| {
            let is_function = self.functions.contains_key(name);
            is_function.then(|| format!("\"{name}\" is a function; write {name}(…)"))
        });
        let message = match expected.filter(|ty| !self.names(*ty).is_empty()) {
            Some(ty) => {
                format!("no variable and no value of {} is named \"{name}\"", self.name_of(ty))
            }
            None => format!("no variable \"{name}\""),
        };
        Err(self.error(span, message, hint))
    }

    /// Returns the names that a type gives to numbers.
    pub(super) fn names(&self, ty: TypeId) -> Vec<(String, i64)> {
        match self.types.schema().kind(ty) {
            Kind::Enumerated { items, .. } => {
                items.iter().map(|item| (item.name.clone(), item.value)).collect()
            }
            Kind::Integer { names } => names.clone(),
            _ => Vec::new(),
        }
    }

    /// Checks an expression that must have a class.
    pub(super) fn value_of(
        &mut self,
        written: &WrittenExpression,
        class: Class,
        wanted: &str,
    ) -> Checked<Expression> {
        self.value_or_hint(written, class, wanted, None)
    }

    /// Like [`value_of`](Self::value_of), with a hint for a string in that place.
    fn value_or_hint(
        &mut self,
        written: &WrittenExpression,
        class: Class,
        wanted: &str,
        hint: Option<&str>,
    ) -> Checked<Expression> {
        let value = self.expression(written, None)?;
        if self.class(value.ty) == class {
            return Ok(value);
        }
        if self.is_unknown(value.ty) {
            return Err(super::Reported);
        }
        let message = format!("{wanted}, this is {}", self.described(value.ty));
        let hint = hint.filter(|_| self.class(value.ty) == Class::Octets).map(str::to_owned);
        Err(self.error(value.span, message, hint))
    }

    /// Returns a type for messages: its name and, if that does not tell it, its class.
    pub(super) fn described(&self, ty: TypeId) -> String {
        let name = self.name_of(ty);
        let what = match self.class(ty) {
            Class::Null => "NULL",
            Class::Boolean => "BOOLEAN",
            Class::Integer => "INTEGER",
            Class::Enumerated => "ENUMERATED",
            Class::Octets => match self.types.schema().kind(ty) {
                Kind::OctetString => "OCTET STRING",
                _ => "a character string",
            },
            Class::Structure => "a SEQUENCE or SET",
            Class::Choice => "a CHOICE",
            Class::List => "a list",
            Class::Opaque => return name,
        };
        match name.contains('.') {
            true => format!("{name} ({what})"),
            false => name,
        }
    }

    pub(super) fn condition(&mut self, written: &WrittenExpression) -> Checked<Expression> {
        self.value_of(written, Class::Boolean, "a condition is a BOOLEAN")
    }

    fn unary(
        &mut self,
        operator: Unary,
        operand: &WrittenExpression,
        span: Span,
    ) -> Checked<Expression> {
        let (what, ty): (fn(Box<Expression>) -> What, _) = match operator {
            Unary::Not => (What::Not, Class::Boolean),
            Unary::Negate => (What::Negate, Class::Integer),
        };
        let wanted = match operator {
            Unary::Not => "\"!\" takes a BOOLEAN",
            Unary::Negate => "\"-\" takes an INTEGER",
        };
        let operand = self.value_of(operand, ty, wanted)?;
        let ty = match operator {
            Unary::Not => self.basic.boolean,
            Unary::Negate => self.basic.integer,
        };
        Ok(Expression { what: what(Box::new(operand)), ty, span })
    }

    fn binary(
        &mut self,
        operator: Binary,
        left: &WrittenExpression,
        right: &WrittenExpression,
        span: Span,
    ) -> Checked<Expression> {
        match operator {
            Binary::And => self.logic(left, right, true, What::And, span),
            Binary::Or => self.logic(left, right, false, What::Or, span),
            Binary::Compare(operator) => self.comparison(operator, left, right, span),
            Binary::Arithmetic(operator) => {
                let wanted = "arithmetic takes INTEGERs";
                let hint = Some("toInteger() makes a number of text, concat() joins texts");
                let left = self.value_or_hint(left, Class::Integer, wanted, hint);
                let right = self.value_or_hint(right, Class::Integer, wanted, hint);
                let right = Box::new(right?);
                let what = What::Arithmetic { operator, left: Box::new(left?), right };
                if let What::Arithmetic {
                    operator: Arithmetic::Divide | Arithmetic::Remainder,
                    right,
                    ..
                } = &what
                    && matches!(right.what, What::Number(0))
                {
                    return Err(self.error(span, "a division by zero".into(), None));
                }
                Ok(Expression { what, ty: self.basic.integer, span })
            }
        }
    }

    /// Checks `&&` and `||`. The right side is reached only if the left one is `reached_if`.
    fn logic(
        &mut self,
        left: &WrittenExpression,
        right: &WrittenExpression,
        reached_if: bool,
        what: fn(Box<Expression>, Box<Expression>) -> What,
        span: Span,
    ) -> Checked<Expression> {
        let wanted = "\"&&\" and \"||\" take BOOLEANs";
        let left = self.value_of(left, Class::Boolean, wanted);
        let before = self.body.facts.clone();
        if let Ok(left) = &left {
            self.body.facts.extend(implied(left, reached_if));
        }
        let right = self.value_of(right, Class::Boolean, wanted);
        self.body.facts = before;
        Ok(Expression {
            what: what(Box::new(left?), Box::new(right?)),
            ty: self.basic.boolean,
            span,
        })
    }

    fn comparison(
        &mut self,
        operator: Comparison,
        left: &WrittenExpression,
        right: &WrittenExpression,
        span: Span,
    ) -> Checked<Expression> {
        let (left, right) = self.pair(left, right)?;
        let (a, b) = (self.class(left.ty), self.class(right.ty));
        let ordered = !matches!(operator, Comparison::Equal | Comparison::NotEqual);
        let comparable = match (a, b) {
            (Class::Enumerated, Class::Enumerated) => {
                is_alike(self.types.schema(), left.ty, right.ty)
            }
            (Class::Opaque, Class::Opaque) => {
                !ordered && is_alike(self.types.schema(), left.ty, right.ty)
            }
            _ => a == b && a.is_scalar() && !(ordered && a == Class::Boolean),
        };
        if !comparable {
            let (left, right) = (self.described(left.ty), self.described(right.ty));
            let hint = match (a.is_composite(), b.is_composite()) {
                (true, _) | (_, true) => Some("compare their fields".to_owned()),
                _ if a == Class::Integer || b == Class::Integer => {
                    Some("toInteger() and toString() convert".to_owned())
                }
                _ => None,
            };
            return Err(self.error(span, format!("{left} cannot be compared with {right}"), hint));
        }
        let octets = !a.is_number();
        let what = What::Compare { operator, octets, left: Box::new(left), right: Box::new(right) };
        Ok(Expression { what, ty: self.basic.boolean, span })
    }

    /// Checks two operands. Either may be a name whose meaning depends on the other's type.
    fn pair(
        &mut self,
        left: &WrittenExpression,
        right: &WrittenExpression,
    ) -> Checked<(Expression, Expression)> {
        let is_name = |checker: &Self, written: &WrittenExpression| matches!(&written.what, Syntax::Name(name) if checker.find_variable(name).is_none());
        if is_name(self, left) {
            let right = self.expression(right, None)?;
            let left = self.expression(left, Some(right.ty))?;
            return Ok((left, right));
        }
        let left = self.expression(left, None);
        let expected = left.as_ref().ok().map(|left| left.ty);
        let right = self.expression(right, expected);
        Ok((left?, right?))
    }

    fn membership(
        &mut self,
        value: &WrittenExpression,
        constants: &[Constant],
        span: Span,
    ) -> Checked<Expression> {
        let value = self.expression(value, None)?;
        let class = self.class(value.ty);
        if !class.is_scalar() {
            let message =
                format!("IN takes a number or a string, this is {}", self.described(value.ty));
            return Err(self.error(value.span, message, None));
        }
        let mut ranges = Vec::new();
        let mut members = Vec::new();
        for constant in constants {
            let Ok(first) = self.constant(&constant.first, &value) else { continue };
            match (first, &constant.last) {
                (Label::Number(first), Some(last)) => match self.constant(last, &value) {
                    Ok(Label::Number(last)) if first <= last => ranges.push((first, last)),
                    Ok(_) => {
                        let message =
                            "a range goes from a number to one that is not less".to_owned();
                        self.error(constant.first.span.to(last.span), message, None);
                    }
                    Err(_) => {}
                },
                (Label::Number(number), None) => ranges.push((number, number)),
                (Label::Octets(octets), None) => members.push(octets),
                (Label::Octets(_), Some(last)) => {
                    self.error(last.span, "only numbers have ranges".into(), None);
                }
            }
        }
        let value = Box::new(value);
        let what = match class.is_number() {
            true => What::InNumbers { value, ranges },
            false => What::InOctets { value, members },
        };
        Ok(Expression { what, ty: self.basic.boolean, span })
    }

    /// Checks a constant that a value is compared with.
    pub(super) fn constant(
        &mut self,
        written: &WrittenExpression,
        value: &Expression,
    ) -> Checked<Label> {
        let constant = self.expression(written, Some(value.ty))?;
        let (wanted, found) = (self.class(value.ty), self.class(constant.ty));
        match constant.what {
            What::Number(number) if wanted == found => Ok(Label::Number(number)),
            What::Octets(octets) if wanted == found => Ok(Label::Octets(octets)),
            What::Number(_) | What::Octets(_) => {
                let (value, constant) = (self.described(value.ty), self.described(constant.ty));
                let message = format!("{constant} stands here, the value is {value}");
                Err(self.error(written.span, message, None))
            }
            _ => Err(self.error(written.span, "only constants stand here".into(), None)),
        }
    }

    /// Checks whether a value can be assigned to a type, and reports why not.
    pub(super) fn fits(&mut self, value: &Expression, target: TypeId) -> Checked<()> {
        if self.is_unknown(target) || self.is_unknown(value.ty) {
            return Err(super::Reported);
        }
        let (from, to) = (self.class(value.ty), self.class(target));
        let schema = self.types.schema();
        let fits = match (from, to) {
            (Class::Octets, Class::Octets) => return self.text_fits(value, target),
            (Class::Enumerated, Class::Enumerated)
            | (Class::Opaque, Class::Opaque)
            | (Class::Structure, Class::Structure)
            | (Class::Choice, Class::Choice)
            | (Class::List, Class::List) => is_alike(schema, value.ty, target),
            _ => from == to,
        };
        if fits {
            return Ok(());
        }
        let hint = match (from, to) {
            (Class::Octets | Class::Enumerated | Class::Boolean, Class::Integer) => {
                Some("toInteger() converts".to_owned())
            }
            (_, Class::Octets) if from.is_scalar() => Some("toString() converts".to_owned()),
            (Class::Structure, Class::Structure) => {
                Some("their fields differ; assign them one by one".to_owned())
            }
            _ => None,
        };
        let message = format!(
            "{} stands here, {} is expected",
            self.described(value.ty),
            self.described(target)
        );
        Err(self.error(value.span, message, hint))
    }

    /// Checks a text whose characters are known at compile time.
    fn text_fits(&mut self, value: &Expression, target: TypeId) -> Checked<()> {
        match (&value.what, Alphabet::of(self.types.schema(), target)) {
            (What::Octets(octets), Some(alphabet)) if !alphabet.allows(octets) => {
                let message = format!("these are not characters of {}", alphabet.name());
                Err(self.error(value.span, message, None))
            }
            _ => Ok(()),
        }
    }
}

/// A constant of `IN` or `case`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Label {
    Number(i64),
    Octets(Vec<u8>),
}
