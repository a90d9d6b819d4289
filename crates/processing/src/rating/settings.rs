//! Reads the settings of a rating node, with all mistakes.

use std::path::PathBuf;

use ::rating::{Plan, Plans, Zone, decimal};
use diagnostics::{Diagnostic, did_you_mean};
use record::{Kind as TypeKind, Path, PathError, Schema, TextKind, TypeId, Types};
use settings::{Setting, Settings};

use super::price::{RESULTS, ResultField};
use super::usage::{Field, NUMBER_FORMS, NumberForm};
use crate::expression::Dup;
use crate::script::Execution;

/// The two values of `counters`.
const KEPT: &str = "kept";
const IGNORED: &str = "ignored";

/// The default memory for counters, in octets.
const MEMORY_OCTETS: u64 = 64 << 20;

/// The memory for counters of all workers, in octets.
#[derive(Clone, Copy)]
pub(super) struct MemoryOctets(pub(super) u64);

/// Reads settings and notes all mistakes.
pub(super) struct Reader<'r> {
    pub(super) settings: &'r Settings,
    pub(super) input: TypeId,
    pub(super) execution: Execution,
    pub(super) mistakes: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn error(&mut self, setting: &Setting, message: impl Into<String>, hint: Option<String>) {
        self.mistakes.push(self.settings.error(setting, message).hint_maybe(hint));
    }

    /// Reads `counters`. If counters are kept, it returns their memory. It reports settings that only apply then.
    pub(super) fn counters(&mut self) -> Option<MemoryOctets> {
        let counters = self.settings.get("counters");
        let has_counters = counters.is_some_and(|counters| counters.value == KEPT);
        if let Some(counters) =
            counters.filter(|counters| !has_counters && counters.value != IGNORED)
        {
            let message = format!("\"{}\" is no way with counters", counters.value);
            let hint = format!(
                "write \"{KEPT}\", or \"{IGNORED}\" if bundles and discounts are not to count"
            );
            self.error(counters, message, Some(hint));
        }
        for key in ["account", "memory"] {
            if let Some(setting) = self.settings.get(key).filter(|_| !has_counters) {
                let message = format!("\"{key}\" is about counters, and none are kept");
                self.error(setting, message, Some(format!("say counters = \"{KEPT}\"")));
            }
        }
        let memory = self.settings.get("memory").map(|memory| self.settings.octets(memory));
        let memory_octets = match memory.transpose() {
            Ok(octets) => octets.unwrap_or(MEMORY_OCTETS),
            Err(mistake) => {
                self.mistakes.push(mistake);
                MEMORY_OCTETS
            }
        };
        has_counters.then_some(MemoryOctets(memory_octets))
    }

    /// Returns the plans, if they have no mistakes, and their files. If no counters are kept, plans with bundles or
    /// discounts need an explicit setting that ignores these.
    pub(super) fn plans(
        &mut self,
        setting: &Setting,
        counters: Option<MemoryOctets>,
    ) -> Option<(Plans, Vec<PathBuf>)> {
        let read = tariffs::read(&self.settings.path(setting));
        let read = read.map_err(|error| self.error(setting, error.to_string(), None)).ok()?;
        let Some(plans) = read.plans else {
            self.mistakes.extend(read.diagnostics);
            return None;
        };
        if counters.is_some() {
            return Some((plans, read.files));
        }
        if plans.all().any(Plan::has_counters) && self.settings.get("counters").is_none() {
            let message = "this plan has bundles or discounts, which need counters of subscribers";
            let hint =
                format!("say counters = \"{KEPT}\", or \"{IGNORED}\" to rate as if it had none");
            self.error(setting, message, Some(hint));
        }
        Some((plans.map(Plan::without_counters), read.files))
    }

    pub(super) fn field(&mut self, setting: &Setting, types: &mut dyn Types) -> Option<Field> {
        let expression = Dup(self.execution).read(self.settings, setting, self.input, types);
        expression.map_err(|mistakes| self.mistakes.extend(mistakes)).ok()
    }

    pub(super) fn number_form(&mut self) -> NumberForm {
        let Some(setting) = self.settings.get("numbers") else { return NumberForm::Characters };
        match NUMBER_FORMS.iter().find(|(name, _)| *name == setting.value) {
            Some((_, form)) => *form,
            None => {
                let names = NUMBER_FORMS.map(|(name, _)| name);
                let hint = did_you_mean(&setting.value, names)
                    .unwrap_or_else(|| format!("write {}", names.join(", ")));
                self.error(
                    setting,
                    format!("\"{}\" is no form of numbers", setting.value),
                    Some(hint),
                );
                NumberForm::Characters
            }
        }
    }

    pub(super) fn zone(&mut self) -> Option<Zone> {
        let setting = self.settings.get("time-zone")?;
        Zone::find(&setting.value)
            .map_err(|fault| self.error(setting, fault.to_string(), None))
            .ok()
    }

    pub(super) fn results(&mut self, schema: &Schema, plans: Option<&Plans>) -> Vec<ResultField> {
        let units = plans.into_iter().flat_map(Plans::all).map(|plan| plan.currency().minor_unit());
        let minor_unit = units.min().unwrap_or(1);
        let unit = match self.settings.get("unit") {
            None => minor_unit,
            Some(setting) => match decimal(&setting.value) {
                Ok(unit) if unit > 0 => unit,
                _ => {
                    let hint = "write \"0.01\" for a field that counts hundredths".to_owned();
                    self.error(
                        setting,
                        format!("\"{}\" is no unit of money", setting.value),
                        Some(hint),
                    );
                    minor_unit
                }
            },
        };
        let mut results = Vec::new();
        for (key, part) in RESULTS {
            if let Some(setting) = self.settings.get(key) {
                results.extend(
                    self.result(setting, unit, schema).map(|(path, unit)| ResultField {
                        part,
                        path,
                        unit,
                    }),
                );
            }
        }
        if results.is_empty() && self.mistakes.is_empty() {
            let message = format!("\"{}\" does not say where the price goes", self.settings.name);
            let hint = "name a field of the record: total = \"record.charge\"";
            let source = &self.settings.source;
            self.mistakes.push(Diagnostic::error(source, self.settings.span, message).hint(hint));
        }
        results
    }

    /// Returns the field for a result, and its unit in billionths if it is a number.
    fn result(
        &mut self,
        setting: &Setting,
        unit: i128,
        schema: &Schema,
    ) -> Option<(Path, Option<i128>)> {
        let Some(field) = field_of(setting) else {
            let hint = "write \"record.charge\"".to_owned();
            self.error(
                setting,
                format!("\"{}\" is no field of the record", setting.value),
                Some(hint),
            );
            return None;
        };
        let path = match Path::resolve(schema, self.input, field) {
            Ok(path) => path,
            Err(fault) => {
                let hint = match &fault {
                    PathError::NoField { name, known, .. } => {
                        did_you_mean(name, known.iter().map(String::as_str))
                    }
                    _ => None,
                };
                self.error(setting, fault.to_string(), hint);
                return None;
            }
        };
        let is_name = matches!(setting.key.as_str(), "class" | "currency");
        match schema.kind(path.ty()) {
            TypeKind::Integer { .. } if !is_name => Some((path, Some(unit))),
            TypeKind::Text(kind) if !matches!(kind, TextKind::Universal | TextKind::Bmp) => {
                Some((path, None))
            }
            _ => {
                let hint = "amounts and counts go into an INTEGER or a string, names into a string";
                self.error(
                    setting,
                    format!("\"{}\" cannot hold this", setting.value),
                    Some(hint.into()),
                );
                None
            }
        }
    }
}

/// Returns the path of a setting that is only a field.
fn field_of(setting: &Setting) -> Option<&str> {
    let field = setting.value.strip_prefix(dup::RECORD)?.strip_prefix('.')?;
    let is_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '[' | ']');
    field.chars().all(is_path).then_some(field)
}
