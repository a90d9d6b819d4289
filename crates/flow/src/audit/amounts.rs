//! What is summed on both sides of a flow: `audit = { seconds = "record.callDuration" }` of a network element and of the
//! post-processing systems its records go to.

use std::path::PathBuf;

use diagnostics::Diagnostic;
use node::{Evaluator, Expression, Gives, Language, Settings};
use record::{Memory, Opened, Record, TypeId, Types};
use store::{Answer, Connection, params};

use crate::journal::Entry;
use crate::suspense::Why;

/// What is summed of the records of a network element or system.
#[derive(Default)]
pub(crate) struct Audited {
    sums: Vec<(String, Box<dyn Expression>)>,
}

impl Audited {
    /// Reads an `audit` table.
    pub(crate) fn read(
        table: Option<&Settings>,
        language: &dyn Language,
        ty: TypeId,
        types: &mut dyn Types,
    ) -> Result<Self, Vec<Diagnostic>> {
        let (mut sums, mut mistakes) = (Vec::new(), Vec::new());
        for (settings, setting) in table.iter().flat_map(|t| t.values.iter().map(move |s| (t, s))) {
            match language.expression(settings, setting, ty, types) {
                Ok(each) if each.gives() == Gives::Integers => {
                    sums.push((setting.key.clone(), each))
                }
                Ok(_) => {
                    let hint = "toInteger() makes a number of digits";
                    mistakes.push(settings.error(setting, "only numbers have a sum").hint(hint));
                }
                Err(found) => mistakes.extend(found),
            }
        }
        if mistakes.is_empty() { Ok(Audited { sums }) } else { Err(mistakes) }
    }

    /// Into which values it looks.
    pub(crate) fn opened(&self) -> Opened {
        self.sums.iter().map(|(_, each)| each.opened()).fold(Opened::none(), Opened::and)
    }

    /// The files it was made of.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.sums.iter().flat_map(|(_, each)| each.files()).collect()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.sums.iter().position(|(own, _)| own == name)
    }

    fn evaluators(&self) -> Vec<Box<dyn Evaluator>> {
        self.sums.iter().map(|(_, each)| each.evaluator()).collect()
    }
}

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Delivered,
    Filtered,
    SetAside(Why),
}

/// How each is called, in the order of its place.
const CLASSES: [&str; 4] = ["delivered", "filtered", "suspended", "duplicate"];

/// A sum, and how many records have a part in it. Wide enough for any file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    sum: i128,
    records: u64,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.sum += other.sum;
        self.records += other.records;
    }
}

/// The part of a sum that the journal has in a column of its own.
const LOW: i128 = 0xffff_ffff;

/// A row of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AmountRow {
    at: String,
    side: &'static str,
    name: String,
    sum: i128,
    records: i64,
}

impl AmountRow {
    pub(crate) fn insert(&self, db: &Connection, Entry(file): Entry) -> Answer<()> {
        let AmountRow { at, side, name, sum, records } = self;
        db.prepare_cached(
            "INSERT INTO amount (file, at, side, name, high, low, records) VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![file, at, side, name, (sum >> 32) as i64, (sum & LOW) as i64, records])
        .map(drop)
    }
}

/// The sums of a file in hand, in one worker, for one network element.
pub(crate) struct Amounts<'p> {
    audited: &'p Audited,
    evaluators: Vec<Box<dyn Evaluator>>,
    /// Of the record in hand.
    values: Vec<Sum>,
    /// By [`CLASSES`], then by sum.
    classes: [Vec<Sum>; CLASSES.len()],
    systems: Vec<SystemAmounts<'p>>,
}

/// The sums of a system that its records may come to.
struct SystemAmounts<'p> {
    name: &'p str,
    /// By sum of the system: the place of the network element's, if it has one of that name.
    places: Vec<(&'p str, Option<usize>)>,
    evaluators: Vec<Box<dyn Evaluator>>,
    /// Of what was written of the record in hand.
    pending: Vec<Sum>,
    given: Vec<Sum>,
    written: Vec<Sum>,
}

impl<'p> Amounts<'p> {
    /// None where nothing is summed.
    pub(crate) fn new(
        audited: &'p Audited,
        systems: impl Iterator<Item = (&'p str, &'p Audited)>,
    ) -> Option<Self> {
        let systems: Vec<_> = systems
            .map(|(name, own)| SystemAmounts {
                name,
                places: own
                    .sums
                    .iter()
                    .map(|(name, _)| (name.as_str(), audited.place(name)))
                    .collect(),
                evaluators: own.evaluators(),
                pending: vec![Sum::default(); own.sums.len()],
                given: vec![Sum::default(); own.sums.len()],
                written: vec![Sum::default(); own.sums.len()],
            })
            .collect();
        let none = vec![Sum::default(); audited.sums.len()];
        let is_any = !none.is_empty() || systems.iter().any(|system| !system.places.is_empty());
        is_any.then(|| Amounts {
            audited,
            evaluators: audited.evaluators(),
            values: none.clone(),
            classes: std::array::from_fn(|_| none.clone()),
            systems,
        })
    }

    /// A file begins.
    pub(crate) fn clear(&mut self) {
        let sums = self.classes.iter_mut().chain(
            self.systems.iter_mut().flat_map(|system| [&mut system.given, &mut system.written]),
        );
        sums.for_each(|sums| sums.fill(Sum::default()));
        self.forget_record();
    }

    /// Takes the values of the record in hand.
    pub(crate) fn record(&mut self, memory: &mut Memory<'_>, record: Record) {
        for (value, each) in self.values.iter_mut().zip(&mut self.evaluators) {
            *value = evaluated(each, memory, record);
        }
    }

    /// The record in hand has no values.
    pub(crate) fn forget_record(&mut self) {
        self.values.fill(Sum::default());
        self.take_back();
    }

    /// What was written of the record in hand is taken back.
    pub(crate) fn take_back(&mut self) {
        for system in &mut self.systems {
            system.pending.fill(Sum::default());
        }
    }

    /// Takes the values of a record that was written for a system.
    pub(crate) fn written(&mut self, memory: &mut Memory<'_>, record: Record, system: usize) {
        let system = &mut self.systems[system];
        for (pending, each) in system.pending.iter_mut().zip(&mut system.evaluators) {
            pending.add(evaluated(each, memory, record));
        }
    }

    /// A system keeps what was written of the record in hand. Several records made of one have one part in the sum.
    pub(crate) fn keep(&mut self, system: usize) {
        let SystemAmounts { places, pending, given, written, .. } = &mut self.systems[system];
        for (place, (_, of_element)) in places.iter().enumerate() {
            let part = std::mem::take(&mut pending[place]);
            written[place].add(Sum { sum: part.sum, records: part.records.min(1) });
            given[place].add(of_element.map(|of| self.values[of]).unwrap_or_default());
        }
    }

    /// What became of the record in hand.
    pub(crate) fn end_record(&mut self, class: Class) {
        let place = match class {
            Class::Delivered => 0,
            Class::Filtered => 1,
            Class::SetAside(Why::Suspended) => 2,
            Class::SetAside(Why::Duplicate) => 3,
        };
        for (sum, value) in self.classes[place].iter_mut().zip(&self.values) {
            sum.add(*value);
        }
    }

    /// The sums of the file.
    pub(crate) fn rows(&self) -> Vec<AmountRow> {
        let mut rows = Vec::new();
        for (sums, side) in self.classes.iter().zip(CLASSES) {
            for (sum, (name, _)) in sums.iter().zip(&self.audited.sums) {
                if *sum != Sum::default() {
                    rows.push(row("", side, name, *sum));
                }
            }
        }
        for SystemAmounts { name: at, places, given, written, .. } in &self.systems {
            for (place, (name, of_element)) in places.iter().enumerate() {
                let (given, written) = (given[place], written[place]);
                if (given, written) == Default::default() {
                    continue;
                }
                rows.push(row(at, "written", name, written));
                if of_element.is_some() {
                    // Also where it is nothing: what is written then comes from nowhere.
                    rows.push(row(at, "given", name, given));
                }
            }
        }
        rows
    }
}

fn row(at: &str, side: &'static str, name: &str, of: Sum) -> AmountRow {
    let Sum { sum, records } = of;
    AmountRow { at: at.into(), side, name: name.into(), sum, records: records as i64 }
}

/// The value of a record; nothing where that cannot be had, since something is absent, say.
fn evaluated(each: &mut Box<dyn Evaluator>, memory: &mut Memory<'_>, record: Record) -> Sum {
    match each.number(memory, record) {
        Some(value) => Sum { sum: value.into(), records: 1 },
        None => Sum::default(),
    }
}
