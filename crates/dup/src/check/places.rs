//! Checks paths: from `cdr.services[i].type` to a variable and steps.

use diagnostics::Span;
use record::{Kind, TypeId};

use super::facts::keys;
use super::{Checked, Checker, Symbol};
use crate::class::Class;
use crate::syntax::{Name, WrittenExpression, WrittenExpressionWhat as Syntax};
use crate::typed::{Expression, ExpressionWhat, Place, Root, Step, StepWhat};

impl Checker<'_> {
    /// Checks a path. It has no expected type: a path means the same everywhere.
    pub(super) fn place(&mut self, written: &WrittenExpression) -> Checked<Place> {
        match &written.what {
            Syntax::Name(name) => self.variable_place(name, written.span),
            Syntax::Field { of, field } => {
                let of = self.place(of)?;
                self.enter_field(of, field, written.span)
            }
            Syntax::Element { of, index } => {
                let of = self.place(of)?;
                self.enter_element(of, index, written.span)
            }
            Syntax::Wrong => Err(super::Reported),
            _ => {
                let result = self.expression(written, None)?;
                self.result_place(result)
            }
        }
    }

    fn variable_place(&mut self, name: &str, span: Span) -> Checked<Place> {
        let Some(variable) = self.find_variable(name) else {
            let known: Vec<String> =
                self.body.scopes.iter().flatten().map(|(name, _)| name.clone()).collect();
            let hint = self.meant(name, known.iter().map(String::as_str));
            return Err(self.error(span, format!("no variable \"{name}\""), hint));
        };
        let ty = self.body.variables[variable].ty;
        if self.is_unknown(ty) {
            return Err(super::Reported);
        }
        self.note(span, Symbol::Variable(variable));
        Ok(Place { root: Root::Variable(variable), steps: Vec::new(), ty, span })
    }

    /// Returns the place of a function's result, if it is a structure.
    fn result_place(&mut self, result: Expression) -> Checked<Place> {
        let (ty, span) = (result.ty, result.span);
        match result.what {
            ExpressionWhat::Read(place) => Ok(place),
            _ if self.class(ty).is_composite() => {
                let root = Root::Result(Box::new(result));
                Ok(Place { root, steps: Vec::new(), ty, span })
            }
            _ => {
                let message = format!("a value of {} has nothing in it", self.name_of(ty));
                Err(self.error(span, message, None))
            }
        }
    }

    fn enter_field(&mut self, mut of: Place, field: &Name, span: Span) -> Checked<Place> {
        let owner = of.ty;
        let ty = self.types.schema().get(owner);
        let Some(place) = ty.kind.field(&field.text) else {
            let names: Vec<String> =
                ty.kind.fields().iter().map(|field| field.name.clone()).collect();
            let (message, hint) = match names.is_empty() {
                true => (format!("a value of {} has no fields", ty.name), None),
                false => {
                    let meant = self.meant(&field.text, names.iter().map(String::as_str));
                    let shown: Vec<&str> = names.iter().take(12).map(String::as_str).collect();
                    let all = format!("its fields: {}", shown.join(", "));
                    (format!("{} has no field \"{}\"", ty.name, field.text), meant.or(Some(all)))
                }
            };
            return Err(self.error(field.span, message, hint));
        };
        let fields = ty.kind.fields();
        let entered = &fields[place];
        let what = match ty.kind {
            Kind::Choice(_) => StepWhat::Alternative(place as u16),
            _ => StepWhat::Component {
                place: place as u16,
                fields: fields.len() as u16,
                default: entered.default.clone(),
            },
        };
        of.ty = entered.ty;
        of.span = span;
        of.steps.push(Step { what, span });
        self.note(field.span, Symbol::Field { owner, place });
        Ok(of)
    }

    fn enter_element(
        &mut self,
        mut of: Place,
        index: &WrittenExpression,
        span: Span,
    ) -> Checked<Place> {
        let ty = self.types.schema().get(of.ty);
        let Some(element) = ty.kind.element() else {
            let message = format!("a value of {} has no elements", ty.name);
            return Err(self.error(span, message, None));
        };
        let index = self.value_of(index, Class::Integer, "a position is an INTEGER")?;
        if matches!(index.what, ExpressionWhat::Number(position) if position < 0) {
            return Err(self.error(index.span, "elements are counted from 0".into(), None));
        }
        of.ty = element;
        of.span = span;
        of.steps.push(Step { what: StepWhat::Element(Box::new(index)), span });
        Ok(of)
    }

    /// Checks a place that is written to.
    pub(super) fn target(&mut self, written: &WrittenExpression) -> Checked<Place> {
        let place = self.place(written)?;
        let Root::Variable(variable) = place.root else {
            let message = "what a function returns can be read, not changed".to_owned();
            return Err(self.error(place.span, message, None));
        };
        let variable = &self.body.variables[variable];
        if variable.constant {
            let message = format!("\"{}\" is CONST and cannot be changed", variable.name);
            let hint = "leave CONST out of the parameter, or change a copy".to_owned();
            return Err(self.error(place.span, message, Some(hint)));
        }
        Ok(place)
    }

    /// Notes that a place is present now, and forgets what was known below it.
    pub(super) fn is_set(&mut self, place: &Place) {
        if let Some(keys) = keys(place) {
            if let Some(own) = keys.last() {
                self.body.facts.forget_below(own);
            }
            self.body.facts.extend(keys);
        } else if let Root::Variable(variable) = place.root {
            self.body.facts.add(variable.to_string());
        }
    }

    /// Reports that a place that is read may be absent.
    pub(super) fn is_read(&mut self, place: &Place) {
        let Root::Variable(variable) = place.root else { return };
        self.body.variables[variable].used = true;
        let unset = !self.body.facts.contains(&variable.to_string());
        let of_register = self.class(self.body.variables[variable].ty).is_scalar();
        if unset && of_register {
            let name = &self.body.variables[variable].name;
            let message = format!("\"{name}\" may be read before it is set");
            self.error(place.span, message, Some("set it where it is declared: := …".into()));
            self.body.facts.add(variable.to_string());
            return;
        }
        self.warn_of_absence(place);
    }

    fn warn_of_absence(&mut self, place: &Place) {
        let Some(keys) = keys(place).filter(|_| !self.body.silent) else { return };
        let mut ty = match place.root {
            Root::Variable(variable) => self.body.variables[variable].ty,
            Root::Result(_) => return,
        };
        for (step, key) in place.steps.iter().zip(&keys[1..]) {
            let kind = self.types.schema().kind(ty);
            let (may_lack, message, next) = match (&step.what, kind) {
                (StepWhat::Component { place, .. }, kind) => {
                    let field = &kind.fields()[usize::from(*place)];
                    let lacks = field.optional && field.default.is_none();
                    (lacks, format!("\"{}\" is OPTIONAL", field.name), field.ty)
                }
                (StepWhat::Alternative(place), kind) => {
                    let field = &kind.fields()[usize::from(*place)];
                    let message = format!("\"{}\" is one of several alternatives", field.name);
                    (kind.fields().len() > 1, message, field.ty)
                }
                (StepWhat::Element(_), kind) => match kind.element() {
                    Some(element) => (false, String::new(), element),
                    None => return,
                },
            };
            ty = next;
            if may_lack && !self.body.facts.contains(key) && !self.body.warned.contains(key) {
                self.body.warned.push(key.clone());
                let hint = match self.body.stands_alone {
                    true => {
                        "a record without it goes to suspense; a function of a script, which can test present(), may stand here"
                    }
                    false => "a record without it goes to suspense; test present() first",
                };
                self.warning(step.span, message, Some(hint.into()));
            }
        }
    }

    /// Reads a place.
    pub(super) fn read(&mut self, place: Place) -> Expression {
        self.is_read(&place);
        let (ty, span): (TypeId, Span) = (place.ty, place.span);
        Expression { what: ExpressionWhat::Read(place), ty, span }
    }
}
