//! Checks calls: of the script's functions, of built-in ones, and of the special ones.

use diagnostics::Span;

use super::facts::keys;
use super::{Checked, Checker, Symbol};
use crate::builtin::{self, BuiltIn, Takes, Zones};
use crate::class::Class;
use crate::syntax::{Name, WrittenExpression, WrittenExpressionWhat as Syntax};
use crate::tariff::{self, Wanted};
use crate::typed::{Argument, Expression, ExpressionWhat as What, Lookup, Root, Storage};

impl Checker<'_> {
    pub(super) fn call(
        &mut self,
        function: &Name,
        arguments: &[WrittenExpression],
        span: Span,
    ) -> Checked<Expression> {
        self.note_called(function);
        let made = |what, ty| Ok(Expression { what, ty, span });
        match (function.text.as_str(), arguments) {
            ("present", [tested]) => {
                let what = self.presence(tested)?;
                made(what, self.basic.boolean)
            }
            ("length" | "count", [counted]) => self.length(function, counted, span),
            ("toString", [value]) => self.text_of(value, span),
            ("toInteger", [value]) => self.integer_of(value, span),
            ("lookup" | "prefix", [_, _] | [_, _, _]) => {
                let lookup = self.lookup(function.text == "lookup", arguments)?;
                made(What::Lookup(lookup), self.basic.text)
            }
            ("tariffClass", [tariff, usage]) => {
                let question = self.tariff_question(Wanted::Class, tariff, usage)?;
                made(What::Answer(question), self.basic.text)
            }
            ("rate", [tariff, usage]) | ("rate", [tariff, usage, _]) => {
                let unit = self.unit(arguments.get(2))?;
                let question = self.tariff_question(Wanted::Price { unit }, tariff, usage)?;
                made(What::Answer(question), tariff::price_type(self.types))
            }
            ("emit" | "reject", _) => {
                let message = format!("\"{}\" is a statement, it has no value", function.text);
                Err(self.error(span, message, None))
            }
            _ => match self.functions.get(&function.text).copied() {
                Some(place) => self.own_call(place, arguments, span),
                None => self.built_in_call(function, arguments, span),
            },
        }
    }

    fn own_call(
        &mut self,
        function: usize,
        arguments: &[WrittenExpression],
        span: Span,
    ) -> Checked<Expression> {
        let signature = &self.signatures[function];
        let (parameters, result) = (signature.parameters.clone(), signature.result);
        let name = signature.name.text.clone();
        self.counted(&name, parameters.len(), parameters.len(), arguments, span)?;
        let mut given = Vec::new();
        let mut wrong = None;
        for (argument, (ty, constant)) in arguments.iter().zip(parameters) {
            match self.argument(argument, ty, constant) {
                Ok(argument) => given.push(argument),
                Err(reported) => wrong = Some(reported),
            }
        }
        // The function may have changed what it was given to write to.
        for argument in &given {
            if let Argument::Reference(place) = argument {
                self.is_set(place);
            }
        }
        match wrong {
            Some(reported) => Err(reported),
            None => {
                Ok(Expression { what: What::Call { function, arguments: given }, ty: result, span })
            }
        }
    }

    fn argument(
        &mut self,
        written: &WrittenExpression,
        ty: record::TypeId,
        constant: bool,
    ) -> Checked<Argument> {
        if constant {
            let value = self.expression(written, Some(ty))?;
            self.fits(&value, ty)?;
            if self.class(ty).is_composite() && value.ty != ty {
                let message = format!(
                    "{} stands here, exactly {} is expected",
                    self.name_of(value.ty),
                    self.name_of(ty)
                );
                return Err(self.error(value.span, message, None));
            }
            return Ok(Argument::Value(value));
        }
        let is_path =
            matches!(written.what, Syntax::Name(_) | Syntax::Field { .. } | Syntax::Element { .. });
        if !is_path {
            let message = "the function may change this, so a variable or field must stand here";
            let hint = "declare the parameter CONST if it only reads it";
            return Err(self.error(written.span, message.into(), Some(hint.into())));
        }
        let place = self.target(written)?;
        if place.ty != ty
            && self.class(place.ty) != Class::Octets
            && self.class(place.ty) != Class::Integer
            || self.class(place.ty) != self.class(ty)
        {
            let (found, wanted) = (self.described(place.ty), self.described(ty));
            let message = format!("{found} stands here, exactly {wanted} is expected");
            return Err(self.error(place.span, message, None));
        }
        if let Root::Variable(variable) = place.root {
            self.body.variables[variable].used = true;
            if place.steps.is_empty() {
                self.body.variables[variable].storage = Storage::Slot;
            }
        }
        Ok(Argument::Reference(place))
    }

    /// Reports a wrong number of arguments.
    fn counted(
        &mut self,
        name: &str,
        least: usize,
        most: usize,
        arguments: &[WrittenExpression],
        span: Span,
    ) -> Checked<()> {
        if (least..=most).contains(&arguments.len()) {
            return Ok(());
        }
        let wanted = match (least, most) {
            (least, most) if least == most => least.to_string(),
            (least, usize::MAX) => format!("at least {least}"),
            (least, most) => format!("{least} to {most}"),
        };
        let message = format!("\"{name}\" takes {wanted} arguments, {} given", arguments.len());
        Err(self.error(span, message, None))
    }

    fn built_in_call(
        &mut self,
        name: &Name,
        arguments: &[WrittenExpression],
        span: Span,
    ) -> Checked<Expression> {
        let Some(function) = builtin::find(&name.text) else {
            if let Some((least, most)) = builtin::special(&name.text) {
                self.counted(&name.text, least, most, arguments, span)?;
            }
            let own: Vec<String> = self.signatures.iter().map(|s| s.name.text.clone()).collect();
            let mut known: Vec<&str> = own.iter().map(String::as_str).collect();
            for built_in in builtin::names() {
                known.push(built_in);
            }
            let hint = self.meant(&name.text, known);
            return Err(self.error(name.span, format!("no function \"{}\"", name.text), hint));
        };
        let (least, most) = function.arguments();
        self.counted(&name.text, least, most, arguments, span)?;
        let mut given = Vec::new();
        let mut wrong = None;
        for (place, argument) in arguments.iter().enumerate() {
            match self.built_in_argument(function, place, argument) {
                Ok(value) => given.push(value),
                Err(reported) => wrong = Some(reported),
            }
        }
        if let Some(reported) = wrong {
            return Err(reported);
        }
        let ty = match function.gives {
            Takes::Integer => self.basic.integer,
            Takes::Boolean => self.basic.boolean,
            Takes::Text | Takes::Zone => self.basic.text,
            Takes::Octets => self.basic.octets,
        };
        Ok(Expression { what: What::BuiltIn { function, arguments: given }, ty, span })
    }

    fn built_in_argument(
        &mut self,
        function: &BuiltIn,
        place: usize,
        written: &WrittenExpression,
    ) -> Checked<Expression> {
        let takes = function.takes(place);
        let (class, what) = match takes {
            Takes::Integer => (Class::Integer, "an INTEGER"),
            Takes::Boolean => (Class::Boolean, "a BOOLEAN"),
            Takes::Text | Takes::Octets | Takes::Zone => (Class::Octets, "a string"),
        };
        if let (Takes::Zone, Syntax::Text(name)) = (takes, &written.what) {
            let zone = Zones::default().get(name);
            zone.map_err(|reason| self.error(written.span, reason.to_string(), None))?;
        }
        let wanted = format!("argument {} of \"{}\" is {what}", place + 1, function.name);
        self.value_of(written, class, &wanted)
    }

    /// Checks `present(path)`, `present(lookup(…))`, `present(rate(…))`.
    fn presence(&mut self, tested: &WrittenExpression) -> Checked<What> {
        if let Syntax::Call { function, arguments } = &tested.what
            && let exact @ ("lookup" | "prefix") = function.text.as_str()
            && matches!(arguments.len(), 2 | 3)
        {
            return Ok(What::Found(self.lookup(exact == "lookup", arguments)?));
        }
        if let Syntax::Call { function, arguments } = &tested.what
            && let "rate" | "tariffClass" = function.text.as_str()
            && let What::Answer(question) = self.call(function, arguments, tested.span)?.what
        {
            return Ok(What::Answered(question));
        }
        let is_path =
            matches!(tested.what, Syntax::Name(_) | Syntax::Field { .. } | Syntax::Element { .. });
        if !is_path {
            let message = "present() takes a field, a search in a table, or a question to a tariff"
                .to_owned();
            return Err(self.error(tested.span, message, None));
        }
        let place = self.place(tested)?;
        if let Root::Variable(variable) = place.root {
            self.body.variables[variable].used = true;
            if place.steps.is_empty() && self.body.variables[variable].storage == Storage::Register
            {
                let hint = Some("present() is for fields".to_owned());
                return Err(self.error(place.span, "a variable is always there".into(), hint));
            }
        }
        Ok(What::Present(place))
    }

    fn length(
        &mut self,
        name: &Name,
        counted: &WrittenExpression,
        span: Span,
    ) -> Checked<Expression> {
        // An absent list has no elements, which is no error.
        let silent = std::mem::replace(&mut self.body.silent, true);
        let value = self.expression(counted, None);
        self.body.silent = silent;
        let value = value?;
        if let (Class::Octets, What::Read(place)) = (self.class(value.ty), &value.what) {
            self.is_read(place);
        }
        let what = match (self.class(value.ty), value.what) {
            (Class::List, What::Read(place)) => What::Count(place),
            (Class::Octets, what) => {
                let argument = Expression { what, ..value };
                let function = builtin::find("length").expect("a built-in function");
                What::BuiltIn { function, arguments: vec![argument] }
            }
            _ => {
                let message = format!(
                    "\"{}\" takes a string or a list, this is {}",
                    name.text,
                    self.described(value.ty)
                );
                return Err(self.error(value.span, message, None));
            }
        };
        Ok(Expression { what, ty: self.basic.integer, span })
    }

    fn text_of(&mut self, value: &WrittenExpression, span: Span) -> Checked<Expression> {
        let value = self.expression(value, None)?;
        let convert = |name, value| {
            let function = builtin::find(name).expect("a built-in function");
            What::BuiltIn { function, arguments: vec![value] }
        };
        let what = match self.class(value.ty) {
            Class::Integer => convert("toString", value),
            Class::Boolean => convert("booleanToString", value),
            Class::Enumerated => What::NameOf(Box::new(value)),
            _ => {
                let message = format!("toString() does not take {}", self.described(value.ty));
                let hint = "digits() and hex() make text of octets".to_owned();
                return Err(self.error(value.span, message, Some(hint)));
            }
        };
        Ok(Expression { what, ty: self.basic.text, span })
    }

    fn integer_of(&mut self, value: &WrittenExpression, span: Span) -> Checked<Expression> {
        let value = self.expression(value, None)?;
        let ty = self.basic.integer;
        match self.class(value.ty) {
            class if class.is_number() => Ok(Expression { ty, span, ..value }),
            Class::Octets => {
                let function = builtin::find("toInteger").expect("a built-in function");
                let what = What::BuiltIn { function, arguments: vec![value] };
                Ok(Expression { what, ty, span })
            }
            _ => {
                let message = format!("toInteger() does not take {}", self.described(value.ty));
                Err(self.error(value.span, message, None))
            }
        }
    }

    fn lookup(&mut self, exact: bool, arguments: &[WrittenExpression]) -> Checked<Lookup> {
        let Syntax::Name(name) = &arguments[0].what else {
            let message = "the name of a table stands here".to_owned();
            return Err(self.error(arguments[0].span, message, None));
        };
        let Some(table) = self.tables.iter().position(|(known, _)| known.text == *name) else {
            let known: Vec<String> =
                self.tables.iter().map(|(name, _)| name.text.clone()).collect();
            let hint = self.meant(name, known.iter().map(String::as_str));
            let hint = hint.unwrap_or_else(|| format!("declare {name} TABLE \"{name}.csv\";"));
            return Err(self.error(arguments[0].span, format!("no table \"{name}\""), Some(hint)));
        };
        self.note(arguments[0].span, Symbol::Table(table));
        let key = self.value_of(&arguments[1], Class::Octets, "the key of a table is a string")?;
        let columns = self.tables[table].1.columns().to_vec();
        if columns.is_empty() {
            return Err(super::Reported); // The table could not be read.
        }
        let column = match arguments.get(2).map(|argument| (&argument.what, argument.span)) {
            None => 0,
            Some((Syntax::Text(wanted), span)) => {
                match columns.iter().position(|column| column.as_bytes() == wanted) {
                    Some(place) => place,
                    None => {
                        let wanted = String::from_utf8_lossy(wanted).into_owned();
                        let hint = self.meant(&wanted, columns.iter().map(String::as_str));
                        let hint =
                            hint.unwrap_or_else(|| format!("it has: {}", columns.join(", ")));
                        let message = format!("table \"{name}\" has no column \"{wanted}\"");
                        return Err(self.error(span, message, Some(hint)));
                    }
                }
            }
            Some((_, span)) => {
                let message = "the name of a column is written as text, \"…\"".to_owned();
                return Err(self.error(span, message, None));
            }
        };
        if !exact && let Some(wrong) = self.tables[table].1.index_prefixes() {
            let hint = "prefix() works on digits, *, # and letters a to c".to_owned();
            let message = format!("the key \"{wrong}\" of table \"{name}\" is not made of digits");
            return Err(self.error(arguments[0].span, message, Some(hint)));
        }
        Ok(Lookup { table, column, exact, key: Box::new(key) })
    }

    /// Forgets what is known of a deleted place.
    pub(super) fn is_deleted(&mut self, place: &crate::typed::Place) {
        if let Some(own) = keys(place).and_then(|keys| keys.last().cloned()) {
            self.body.facts.forget(&own);
        }
    }
}
