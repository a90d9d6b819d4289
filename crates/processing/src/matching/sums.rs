//! Sums over the records that come to a node, and over those that it makes, for the audit: `audit = { seconds =
//! "record.callDuration" }`, or `"record.duration = record.totalDuration"` if the made records have another field for
//! it.

use diagnostics::Diagnostic;
use node::{Evaluator, Expression as _, Sum, Summed, Value};
use record::{Memory, Opened, Record, TypeId, Types};
use settings::Settings;

use crate::expression::{DupExpression, number};
use crate::script::Execution;

/// The sums of a node.
pub(super) struct Sums {
    pub(super) names: Vec<Sum>,
    each: Vec<Each>,
}

/// The expressions for a record that comes, and for one that is made.
struct Each {
    came: DupExpression,
    made: DupExpression,
}

/// The evaluators of the sums in one worker.
pub(super) struct Summing {
    came: Vec<Box<dyn Evaluator>>,
    made: Vec<Box<dyn Evaluator>>,
    /// The sums of the records that the current group became.
    pub(super) emitted: Vec<Summed>,
}

impl Sums {
    pub(super) fn read(
        settings: &Settings,
        execution: Execution,
        (input, output): (TypeId, TypeId),
        types: &mut dyn Types,
    ) -> Result<Self, Vec<Diagnostic>> {
        let (mut names, mut each, mut mistakes) = (Vec::new(), Vec::new(), Vec::new());
        for setting in &settings.values {
            let Some(name) = setting.key.strip_prefix("audit.") else { continue };
            let (of_came, of_made) =
                setting.halves().unwrap_or_else(|| (setting.clone(), setting.clone()));
            let came = number(settings, &of_came, input, types, execution);
            let made = number(settings, &of_made, output, types, execution);
            match (came, made) {
                (Ok(came), Ok(made)) => {
                    names.push(Sum { name: name.into(), text: of_came.value });
                    each.push(Each { came, made });
                }
                (Err(found), _) | (_, Err(found)) => mistakes.extend(found),
            }
        }
        if mistakes.is_empty() { Ok(Sums { names, each }) } else { Err(mistakes) }
    }

    /// Returns which values of records are read.
    pub(super) fn opened(&self) -> Opened {
        let opened = self.each.iter().flat_map(|each| [each.came.opened(), each.made.opened()]);
        opened.fold(Opened::none(), Opened::and)
    }

    pub(super) fn instance(&self) -> Summing {
        Summing {
            came: self.each.iter().map(|each| each.came.evaluator()).collect(),
            made: self.each.iter().map(|each| each.made.evaluator()).collect(),
            emitted: vec![Summed::default(); self.each.len()],
        }
    }
}

impl Summing {
    /// Returns the values of a record that came.
    pub(super) fn came(&mut self, memory: &mut Memory<'_>, record: Record) -> Box<[Option<i64>]> {
        self.came.iter_mut().map(|each| value(each.as_mut(), memory, record)).collect()
    }

    /// Begins a combined group.
    pub(super) fn begin(&mut self) {
        self.emitted.fill(Summed::default());
    }

    /// Adds a record that the group became.
    pub(super) fn made(&mut self, memory: &mut Memory<'_>, record: Record) {
        for (each, sum) in self.made.iter_mut().zip(&mut self.emitted) {
            sum.add(value(each.as_mut(), memory, record));
        }
    }
}

/// Returns the value of a record; `None` if there is none, for example because a field is absent.
fn value(each: &mut dyn Evaluator, memory: &mut Memory<'_>, record: Record) -> Option<i64> {
    match each.evaluate(memory, record) {
        Ok(Value::Integer(value)) => Some(value),
        Ok(Value::Octets(_)) | Err(_) => None,
    }
}
