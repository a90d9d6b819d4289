//! Checks tariffs and the questions to them.

use std::path::Path;

use super::{Checked, Checker, Symbol};
use crate::syntax::{self, WrittenExpression, WrittenExpressionWhat as Syntax};
use crate::tariff::{self, Question, Tariff, Wanted};
use crate::typed::TariffQuestion;

impl Checker<'_> {
    pub(super) fn tariffs(&mut self, script: &syntax::Script, folder: &Path) {
        for declared in &script.tariffs {
            let syntax::WrittenTariff { name, place, without_counters } = declared;
            let mut known = self.tables.iter().map(|(name, _)| name);
            let mut before = self.tariffs.iter().map(|(name, _)| name);
            if known.any(|known| known.text == name.text)
                || before.any(|known| known.text == name.text)
            {
                let message = format!("a table or tariff \"{}\" is declared twice", name.text);
                self.error(name.span, message, None);
            }
            self.note_definition(name.span, Symbol::Tariff(self.tariffs.len()));
            let read = Tariff::read(&folder.join(&place.text), *without_counters);
            let tariff = read.unwrap_or_else(|error| {
                let hint = format!("tollgate tariff check {} shows all that is wrong", place.text);
                self.error(place.span, error.to_string(), Some(hint));
                Tariff::default()
            });
            if let Some(notes) = &mut self.notes {
                notes.tariffs.push(tariff.described());
            }
            self.tariffs.push((name.clone(), tariff));
        }
    }

    /// Checks a question to a tariff about a usage.
    pub(super) fn tariff_question(
        &mut self,
        wanted: Wanted,
        tariff: &WrittenExpression,
        usage: &WrittenExpression,
    ) -> Checked<TariffQuestion> {
        let place = self.tariff(tariff)?;
        let ty = tariff::usage_type(self.types);
        let value = self.expression(usage, Some(ty))?;
        if value.ty != ty {
            let found = self.described(value.ty);
            let message = format!("{found} stands here, a {} is expected", tariff::USAGE);
            let hint =
                format!("declare usage {}; and say in its fields what was used", tariff::USAGE);
            return Err(self.error(value.span, message, Some(hint)));
        }
        let (name, found) = &self.tariffs[place];
        if matches!(wanted, Wanted::Price { .. }) && found.has_counters() {
            let hint = format!(
                "declare {} TARIFF \"…\" WITHOUT COUNTERS; rates as if it had none",
                name.text
            );
            let message =
                "this plan has bundles or discounts, and a script keeps no counters of subscribers";
            return Err(self.error(tariff.span, message.into(), Some(hint)));
        }
        Ok(TariffQuestion { question: Question { tariff: place, wanted }, usage: Box::new(value) })
    }

    /// Returns the index of the named tariff.
    fn tariff(&mut self, written: &WrittenExpression) -> Checked<usize> {
        let Syntax::Name(name) = &written.what else {
            let message = "the name of a tariff stands here".to_owned();
            return Err(self.error(written.span, message, None));
        };
        let Some(place) = self.tariffs.iter().position(|(known, _)| known.text == *name) else {
            let known: Vec<String> =
                self.tariffs.iter().map(|(name, _)| name.text.clone()).collect();
            let hint = self.meant(name, known.iter().map(String::as_str));
            let hint = hint.unwrap_or_else(|| format!("declare {name} TARIFF \"tariff\";"));
            return Err(self.error(written.span, format!("no tariff \"{name}\""), Some(hint)));
        };
        self.note(written.span, Symbol::Tariff(place));
        match self.tariffs[place].1.plans {
            Some(_) => Ok(place),
            None => Err(super::Reported), // The plan has mistakes.
        }
    }

    /// Returns the unit of amounts in billionths, if one is given.
    pub(super) fn unit(&mut self, written: Option<&WrittenExpression>) -> Checked<Option<i128>> {
        let Some(written) = written else { return Ok(None) };
        let unit = match &written.what {
            Syntax::Text(text) => std::str::from_utf8(text).ok().map(rating::decimal),
            _ => None,
        };
        match unit {
            Some(Ok(unit)) if unit > 0 => Ok(Some(unit)),
            _ => {
                let hint = "write \"0.001\" for thousandths of the currency".to_owned();
                let message = "the unit of the amounts is written as text".to_owned();
                Err(self.error(written.span, message, Some(hint)))
            }
        }
    }
}
