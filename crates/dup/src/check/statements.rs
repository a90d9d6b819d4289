//! Checks statements: where they may stand, whether they are reached, which facts each path leaves.

use std::collections::HashSet;

use diagnostics::Span;

use super::expressions::Label;
use super::facts::{Facts, implied, keys};
use super::{Breakable, Checked, Checker, Symbol};
use crate::class::Class;
use crate::syntax::{
    Assignment, Block, Declaration, StatementWhat as Syn, WrittenCase, WrittenExpression,
    WrittenExpressionWhat as Syntax, WrittenStatement,
};
use crate::typed::{
    Arithmetic, Case, Expression, ExpressionWhat as What, Labels, Place, Root, Statement, StepWhat,
    Subject,
};

/// Maximum labels of a switch. Larger jump tables are a risk for code generation, and a table is easier to read.
const LABELS_MAX: usize = 65_535;

impl Checker<'_> {
    pub(super) fn block(&mut self, block: &Block) -> Vec<Statement> {
        self.body.scopes.push(Vec::new());
        let mut made = Vec::new();
        for declaration in &block.declarations {
            self.declaration(declaration, &mut made);
        }
        self.statements(&block.statements, &mut made);
        let scope = self.body.scopes.pop().unwrap_or_default();
        self.note_scope(&scope, block.end);
        made
    }

    fn declaration(&mut self, declaration: &Declaration, made: &mut Vec<Statement>) {
        if let Some(fixture) = &declaration.fixture {
            // In a test's own scope, it was declared as a parameter already.
            let known = self.find_variable(&declaration.name.text);
            let is_parameter = self.body.is_test && self.body.scopes.len() == 2 && known.is_some();
            if !is_parameter {
                let message =
                    "only the outermost scope of a test reads records from files".to_owned();
                self.error(fixture.span, message, None);
            }
            return;
        }
        let ty = self.ty_or_unknown(&declaration.ty);
        let initial =
            declaration.initial.as_ref().map(|written| self.expression(written, Some(ty)));
        let variable = self.variable(&declaration.name, ty);
        made.push(Statement::Declare(variable));
        if self.class(ty) == Class::Null {
            let message = "a variable of type NULL has no value".to_owned();
            self.error(declaration.ty.span, message, None);
        }
        let span = declaration.name.span;
        match initial {
            Some(Ok(value)) if self.fits(&value, ty).is_ok() => {
                let target = Place { root: Root::Variable(variable), steps: Vec::new(), ty, span };
                self.is_set(&target);
                made.push(Statement::Assign { target, value, span });
            }
            None if !self.is_unknown(ty) => {}
            // Its mistake was reported. Without a second message for its missing value.
            _ => self.body.facts.add(variable.to_string()),
        }
    }

    fn statements(&mut self, statements: &[WrittenStatement], made: &mut Vec<Statement>) {
        let mut never = false;
        for statement in statements {
            if !self.body.reachable && !never {
                never = true;
                self.warning(statement.span, "this is never reached".into(), None);
            }
            self.body.reachable |= never; // Said once, not again of all that lies within.
            if let Ok(statement) = self.statement(statement) {
                made.push(statement);
            }
        }
        self.body.reachable &= !never;
    }

    fn scoped(&mut self, statement: &WrittenStatement) -> Vec<Statement> {
        self.body.scopes.push(Vec::new());
        let made = self.statement(statement).into_iter().collect();
        self.body.scopes.pop();
        made
    }

    fn statement(&mut self, statement: &WrittenStatement) -> Checked<Statement> {
        let span = statement.span;
        match &statement.what {
            Syn::Block(block) => Ok(Statement::Block(self.block(block))),
            Syn::Assign { target, operator, value } => self.assign(target, *operator, value, span),
            Syn::Evaluate(expression) => self.evaluate(expression, span),
            Syn::If { condition, then, otherwise } => {
                self.if_statement(condition, then, otherwise.as_deref())
            }
            Syn::While { condition, body } => {
                self.loop_statement(Some(condition), None, body, span)
            }
            Syn::For { start, condition, step, body } => {
                let mut both = Vec::new();
                if let Some(start) = start {
                    both.extend(self.statement(start).ok());
                }
                both.push(self.loop_statement(condition.as_ref(), step.as_deref(), body, span)?);
                Ok(Statement::Block(both))
            }
            Syn::Switch { value, cases } => self.switch(value, cases, span),
            Syn::Return(value) => self.return_statement(value.as_ref(), span),
            Syn::Break => self.leave(span, false),
            Syn::Continue => self.leave(span, true),
            Syn::Delete(path) => self.delete(path),
            Syn::Assert(condition) => {
                let condition = self.condition(condition)?;
                self.body.facts.extend(implied(&condition, true));
                Ok(Statement::Assert { condition, span })
            }
        }
    }

    fn assign(
        &mut self,
        written: &WrittenExpression,
        operator: Assignment,
        value: &WrittenExpression,
        span: Span,
    ) -> Checked<Statement> {
        let target = self.target(written);
        let expected = target.as_ref().ok().map(|target| target.ty);
        let value = self.expression(value, expected);
        let (target, value) = (target?, value?);
        let value = match operator {
            Assignment::Set => value,
            _ => self.updated(&target, operator, value, span)?,
        };
        self.fits(&value, target.ty)?;
        self.is_set(&target);
        // After the assignment, the facts about the source hold for the target.
        if let (What::Read(source), Some(to)) = (&value.what, keys(&target)) {
            self.carry_facts(source, &to[to.len() - 1]);
        }
        Ok(Statement::Assign { target, value, span })
    }

    /// After `a := b`, copies the facts about the parts of `b` to `a`.
    fn carry_facts(&mut self, source: &Place, to: &str) {
        let Some(from) = keys(source).and_then(|keys| keys.last().cloned()) else { return };
        let carried = self.body.facts.below(&from).map(|rest| format!("{to}{rest}")).collect();
        self.body.facts.extend(carried);
    }

    /// Returns the value of `target += value`.
    fn updated(
        &mut self,
        target: &Place,
        operator: Assignment,
        value: Expression,
        span: Span,
    ) -> Checked<Expression> {
        let is_or = operator == Assignment::Or;
        let class = self.class(target.ty);
        let fits = class == Class::Integer || is_or && class == Class::Boolean;
        if !fits || self.class(value.ty) != class {
            let wanted = if is_or { "two INTEGERs or two BOOLEANs" } else { "INTEGERs" };
            let message = format!(
                "this takes {wanted}, not {} and {}",
                self.described(target.ty),
                self.described(value.ty)
            );
            return Err(self.error(span, message, None));
        }
        let operator = match operator {
            Assignment::Add => Arithmetic::Add,
            Assignment::Subtract => Arithmetic::Subtract,
            _ => Arithmetic::Or,
        };
        let ty = target.ty;
        let left = Box::new(self.read(target.clone()));
        let what = What::Arithmetic { operator, left, right: Box::new(value) };
        Ok(Expression { what, ty, span })
    }

    fn evaluate(&mut self, written: &WrittenExpression, span: Span) -> Checked<Statement> {
        let Syntax::Call { function, arguments } = &written.what else {
            self.expression(written, None)?;
            let message = "this value is not used".to_owned();
            return Err(self.error(span, message, Some("assign it with \":=\"".into())));
        };
        match (function.text.as_str(), arguments.as_slice()) {
            ("emit", [emitted]) => {
                self.note_called(function);
                let place = self.place(emitted)?;
                if !self.class(place.ty).is_composite() {
                    let message =
                        format!("emit() takes a record, this is {}", self.described(place.ty));
                    return Err(self.error(place.span, message, None));
                }
                self.is_read(&place);
                Ok(Statement::Emit { place, span })
            }
            ("reject", [reason]) => {
                self.note_called(function);
                let reason = self.value_of(reason, Class::Octets, "the reason is text")?;
                self.body.reachable = false;
                Ok(Statement::Reject { reason, span })
            }
            ("emit" | "reject", _) => {
                let message = format!("\"{}\" takes 1 argument", function.text);
                Err(self.error(span, message, None))
            }
            _ => {
                let call = self.expression(written, None)?;
                let used = match call.what {
                    What::Call { .. } => true,
                    _ => self.class(call.ty) == Class::Null,
                };
                if !used {
                    self.warning(span, "the result of this call is not used".into(), None);
                }
                Ok(Statement::Evaluate(call))
            }
        }
    }

    fn if_statement(
        &mut self,
        condition: &WrittenExpression,
        then: &WrittenStatement,
        otherwise: Option<&WrittenStatement>,
    ) -> Checked<Statement> {
        let condition = self.condition(condition);
        let before = self.body.facts.clone();
        let reachable = self.body.reachable;
        if let Ok(condition) = &condition {
            self.body.facts.extend(implied(condition, true));
        }
        let then = self.scoped(then);
        let after_then = (std::mem::replace(&mut self.body.facts, before), self.body.reachable);
        self.body.reachable = reachable;
        if let Ok(condition) = &condition {
            self.body.facts.extend(implied(condition, false));
        }
        let otherwise = otherwise.map(|otherwise| self.scoped(otherwise)).unwrap_or_default();
        let after_else = (std::mem::take(&mut self.body.facts), self.body.reachable);
        (self.body.facts, self.body.reachable) = joined(after_then, after_else);
        Ok(Statement::If { condition: condition?, then, otherwise })
    }

    fn loop_statement(
        &mut self,
        condition: Option<&WrittenExpression>,
        step: Option<&WrittenStatement>,
        body: &WrittenStatement,
        span: Span,
    ) -> Checked<Statement> {
        let constants: Vec<bool> = self.body.variables.iter().map(|v| v.constant).collect();
        self.body.facts.keep(|variable| constants.get(variable).copied().unwrap_or(false));
        let condition = condition.map(|condition| self.condition(condition)).transpose();
        let forever = match &condition {
            Ok(None) => true,
            Ok(Some(condition)) => matches!(condition.what, What::Number(1)),
            Err(_) => false,
        };
        let entered = self.body.facts.clone();
        let mut left = entered.clone();
        if let Ok(Some(condition)) = &condition {
            self.body.facts.extend(implied(condition, true));
            left.extend(implied(condition, false));
        }
        self.body.breakable.push(Breakable { is_loop: true, left_with: Vec::new() });
        let body = self.scoped(body);
        let step = step.map(|step| self.scoped(step)).unwrap_or_default();
        let breaks = self.body.breakable.pop().map(|b| b.left_with).unwrap_or_default();
        self.body.reachable = !forever || !breaks.is_empty();
        // Variables set before the loop stay set. What the body sets may not have been reached.
        let ends = breaks.into_iter().chain((!forever).then_some(left));
        self.body.facts = ends.reduce(|a, b| a.both(&b)).unwrap_or(entered);
        Ok(Statement::Loop { condition: condition?, body, step, span })
    }

    fn leave(&mut self, span: Span, to_next_turn: bool) -> Checked<Statement> {
        let facts = self.body.facts.clone();
        let mut around = self.body.breakable.iter_mut().rev();
        let found = around.find(|around| around.is_loop || !to_next_turn);
        let Some(found) = found else {
            let word = if to_next_turn { "continue" } else { "break" };
            let place = if to_next_turn { "a loop" } else { "a loop or switch" };
            return Err(self.error(span, format!("\"{word}\" stands outside of {place}"), None));
        };
        if !to_next_turn {
            found.left_with.push(facts);
        }
        self.body.reachable = false;
        Ok(if to_next_turn { Statement::Continue } else { Statement::Break })
    }

    fn return_statement(
        &mut self,
        value: Option<&WrittenExpression>,
        span: Span,
    ) -> Checked<Statement> {
        let result = self.body.result.unwrap_or(self.basic.null);
        let is_null = self.class(result) == Class::Null;
        let value = value.map(|value| self.expression(value, Some(result))).transpose();
        self.body.reachable = false;
        let value = match value? {
            Some(value) if is_null && matches!(value.what, What::Null) => None,
            Some(value) if is_null => {
                let message = "a NULL function returns no value".to_owned();
                return Err(self.error(value.span, message, Some("write \"return;\"".into())));
            }
            Some(value) => {
                self.fits(&value, result)?;
                if self.class(result).is_composite() && value.ty != result {
                    let message = format!("exactly {} is to be returned", self.name_of(result));
                    return Err(self.error(value.span, message, None));
                }
                Some(value)
            }
            None if is_null || self.is_unknown(result) => None,
            None => {
                let message = format!("a value of {} is to be returned", self.described(result));
                return Err(self.error(span, message, None));
            }
        };
        Ok(Statement::Return(value))
    }

    fn delete(&mut self, path: &WrittenExpression) -> Checked<Statement> {
        let place = self.target(path)?;
        match place.steps.last().map(|step| &step.what) {
            Some(StepWhat::Alternative(_)) => {
                let message =
                    "an alternative cannot be deleted; delete the CHOICE, or assign another";
                return Err(self.error(place.span, message.into(), None));
            }
            Some(StepWhat::Component { .. }) if !self.is_optional(&place) => {
                let message = "this field is not OPTIONAL, a record must have it".to_owned();
                return Err(self.error(place.span, message, None));
            }
            None => {
                let message = "only fields and elements are deleted".to_owned();
                return Err(self.error(place.span, message, None));
            }
            _ => {}
        }
        self.is_deleted(&place);
        Ok(Statement::Delete(place))
    }

    /// Returns whether the last field of a path may be absent.
    fn is_optional(&self, place: &Place) -> bool {
        let Root::Variable(variable) = place.root else { return false };
        let schema = self.types.schema();
        let mut ty = self.body.variables[variable].ty;
        let mut optional = true;
        for step in &place.steps {
            let kind = schema.kind(ty);
            ty = match &step.what {
                StepWhat::Component { place, .. } | StepWhat::Alternative(place) => {
                    let field = &kind.fields()[usize::from(*place)];
                    optional = field.optional || field.default.is_some();
                    field.ty
                }
                StepWhat::Element(_) => kind.element().unwrap_or(ty),
            };
        }
        optional
    }

    fn switch(
        &mut self,
        value: &WrittenExpression,
        cases: &[WrittenCase],
        span: Span,
    ) -> Checked<Statement> {
        let subject = self.expression(value, None)?;
        let class = self.class(subject.ty);
        if !class.is_scalar() && class != Class::Choice {
            let message = format!(
                "switch takes a number, a string or a CHOICE, this is {}",
                self.described(subject.ty)
            );
            return Err(self.error(subject.span, message, None));
        }
        let before = (self.body.facts.clone(), self.body.reachable);
        self.body.breakable.push(Breakable { is_loop: false, left_with: Vec::new() });
        let mut made = Vec::new();
        let mut default = None;
        let mut labelled: HashSet<Label> = HashSet::new();
        for (place, case) in cases.iter().enumerate() {
            (self.body.facts, self.body.reachable) = before.clone();
            let labels = self.labels(case, &subject, &mut labelled);
            if let Some(written) = case.default
                && default.replace(place).is_some()
            {
                self.error(written, "\"default\" stands here twice".into(), None);
            }
            let mut body = Vec::new();
            self.body.scopes.push(Vec::new());
            self.statements(&case.body, &mut body);
            self.body.scopes.pop();
            if self.body.reachable && place + 1 < cases.len() {
                let message = "this case goes on into the next one".to_owned();
                let hint = "end it with break; or write both labels before one body".to_owned();
                self.error(case.span, message, Some(hint));
            }
            made.push(Case { labels, body });
        }
        let mut left = self.body.breakable.pop().map(|b| b.left_with).unwrap_or_default();
        if !cases.is_empty() && self.body.reachable {
            left.push(std::mem::take(&mut self.body.facts));
        }
        if default.is_none() {
            // A newer sender may send values that are not named here, so control may pass all cases.
            self.warn_of_unnamed(&subject, &labelled, span);
            left.push(before.0.clone());
        }
        self.body.reachable = !left.is_empty();
        self.body.facts = left.into_iter().reduce(|a, b| a.both(&b)).unwrap_or(before.0);
        let subject = match (class, subject.what) {
            (Class::Choice, What::Read(place)) => Subject::Choice(place),
            (Class::Choice, what) => {
                let (ty, span) = (subject.ty, subject.span);
                let root = Root::Result(Box::new(Expression { what, ty, span }));
                Subject::Choice(Place { root, steps: Vec::new(), ty, span })
            }
            (Class::Octets, what) => Subject::Octets(Expression { what, ..subject }),
            (_, what) => Subject::Number(Expression { what, ..subject }),
        };
        Ok(Statement::Switch { subject, cases: made, default, span })
    }

    fn labels(
        &mut self,
        case: &WrittenCase,
        subject: &Expression,
        labelled: &mut HashSet<Label>,
    ) -> Labels {
        let is_choice = self.class(subject.ty) == Class::Choice;
        let mut numbers = Vec::new();
        let mut octets = Vec::new();
        for written in &case.labels {
            let label = match is_choice {
                true => self.alternative(written, subject, case.labels.len() == 1),
                false => self.constant(written, subject),
            };
            let Ok(label) = label else { continue };
            if labelled.contains(&label) {
                self.error(written.span, "this label stands here twice".into(), None);
            } else if labelled.len() == LABELS_MAX {
                let message = format!("a switch has at most {LABELS_MAX} labels");
                self.error(written.span, message, Some("look it up in a TABLE".into()));
            }
            labelled.insert(label.clone());
            match label {
                Label::Number(number) => numbers.push(number),
                Label::Octets(text) => octets.push(text),
            }
        }
        match octets.is_empty() {
            true => Labels::Numbers(numbers),
            false => Labels::Octets(octets),
        }
    }

    /// Returns the index of an alternative. After its label it is known to be present.
    fn alternative(
        &mut self,
        written: &WrittenExpression,
        subject: &Expression,
        alone: bool,
    ) -> Checked<Label> {
        let fields = self.types.schema().kind(subject.ty).fields();
        let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
        let found = match &written.what {
            Syntax::Name(name) => names.iter().position(|known| known == name),
            _ => None,
        };
        let Some(place) = found else {
            let hint = match &written.what {
                Syntax::Name(name) => self.meant(name, names.iter().map(String::as_str)),
                _ => None,
            };
            let message = format!("an alternative of {} stands here", self.name_of(subject.ty));
            return Err(self.error(written.span, message, hint));
        };
        self.note(written.span, Symbol::Field { owner: subject.ty, place });
        if let What::Read(choice) = &subject.what
            && let Some(mut keys) = keys(choice)
            && alone
        {
            let own = keys.last().map(|key| format!("{key}/a{place}"));
            keys.extend(own);
            self.body.facts.extend(keys);
        }
        Ok(Label::Number(place as i64))
    }

    /// Warns of the values that a switch without default does not handle.
    fn warn_of_unnamed(&mut self, subject: &Expression, labelled: &HashSet<Label>, span: Span) {
        let names: Vec<(String, i64)> = match self.class(subject.ty) {
            Class::Enumerated => self.names(subject.ty),
            Class::Choice => {
                let fields = self.types.schema().kind(subject.ty).fields();
                fields.iter().enumerate().map(|(p, f)| (f.name.clone(), p as i64)).collect()
            }
            _ => return,
        };
        let missing: Vec<String> = names
            .into_iter()
            .filter(|(_, value)| !labelled.contains(&Label::Number(*value)))
            .map(|(name, _)| name)
            .collect();
        if !missing.is_empty() {
            let shown: Vec<&str> = missing.iter().take(8).map(String::as_str).collect();
            let message = format!("no case for: {}", shown.join(", "));
            let hint = "add \"default:\" if that is meant".to_owned();
            self.warning(Span { end: span.start + 6, ..span }, message, Some(hint));
        }
    }
}

/// Joins the facts of two paths. Only paths that reach the end count.
fn joined(a: (Facts, bool), b: (Facts, bool)) -> (Facts, bool) {
    match (a.1, b.1) {
        (true, true) => (a.0.both(&b.0), true),
        (false, true) => b,
        (_, false) => a,
    }
}
