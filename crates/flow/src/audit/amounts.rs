//! What is summed on both sides of a flow: `audit = { seconds = "record.callDuration" }` of a network element and of the
//! post-processing systems its records go to.

use std::borrow::Cow;
use std::path::PathBuf;

use diagnostics::Diagnostic;
use node::{Evaluator, Expression, Gives, Language, Settings, Summed, Value};
use record::{Memory, Opened, Path, Record, TypeId, Types};
use serde::{Deserialize, Serialize};
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
}

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Delivered,
    Filtered,
    /// It waits in a node.
    Held,
    SetAside(Why),
}

/// How each is called, in the order of its place.
const CLASSES: [&str; 5] = ["delivered", "filtered", "suspended", "duplicate", "held"];

/// The first of [`CLASSES`].
const DELIVERED: usize = 0;

/// The part of a sum that the journal has in a column of its own.
const LOW: i128 = 0xffff_ffff;

/// A row of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AmountRow {
    at: String,
    side: Cow<'static, str>,
    name: String,
    sum: i128,
    records: i64,
}

impl AmountRow {
    /// A sum at a place and a side of it.
    pub(crate) fn new(at: &str, side: &'static str, name: &str, of: Summed) -> Self {
        let Summed { sum, records } = of;
        let side = side.into();
        AmountRow { at: at.into(), side, name: name.into(), sum, records: records as i64 }
    }

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
    element: Vec<ElementSum<'p>>,
    systems: Vec<SystemSums<'p>>,
}

/// Whether what is written for a system is held against what it was given of a file. Behind a node that lets records
/// wait, what is written is of other files too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    Yes,
    No,
}

/// What is summed of the records that come in.
struct ElementSum<'p> {
    name: &'p str,
    summand: Summand<'p>,
    /// Of the record in hand.
    value: Option<i64>,
    /// Of all records.
    came: Summed,
    /// By [`CLASSES`]; what was delivered is what came less the others, so that nothing is done for it.
    classes: [Summed; CLASSES.len()],
}

/// The sums of a system that the records may come to.
struct SystemSums<'p> {
    name: &'p str,
    sums: Vec<SystemSum<'p>>,
}

/// What is summed of the records that are written for a system.
struct SystemSum<'p> {
    name: &'p str,
    summand: Summand<'p>,
    /// The place of the network element's sum of this name, if it has one.
    of_element: Option<usize>,
    pending: Pending,
    given: Summed,
    written: Summed,
}

/// What was written of the record in hand. Mostly it is one record, whose value is read as it was written: a sum that is
/// read as a whole, just after its halves were written, is waited for.
#[derive(Clone, Copy)]
enum Pending {
    Nothing,
    One(Option<i64>),
    Several(Summed),
}

impl<'p> Amounts<'p> {
    /// None where nothing is summed.
    pub(crate) fn new(
        audited: &'p Audited,
        systems: impl Iterator<Item = (&'p str, &'p Audited, Compared)>,
    ) -> Option<Self> {
        let element: Vec<_> = audited.sums.iter().map(ElementSum::new).collect();
        let of_element = |name: &str| element.iter().position(|sum| sum.name == name);
        let systems: Vec<_> = systems
            .map(|(name, own, compared)| {
                let held_against =
                    |name: &str| of_element(name).filter(|_| compared == Compared::Yes);
                let sums = own.sums.iter();
                let sums = sums.map(|sum| SystemSum::new(sum, held_against(&sum.0))).collect();
                SystemSums { name, sums }
            })
            .collect();
        let is_any = !element.is_empty() || systems.iter().any(|system| !system.sums.is_empty());
        is_any.then_some(Amounts { element, systems })
    }

    /// A file begins.
    pub(crate) fn clear(&mut self) {
        for sum in &mut self.element {
            (sum.came, sum.classes) = Default::default();
        }
        for sum in self.systems.iter_mut().flat_map(|system| &mut system.sums) {
            (sum.given, sum.written) = Default::default();
        }
        self.forget_record();
    }

    /// Takes the values of the record in hand.
    pub(crate) fn record(&mut self, memory: &mut Memory<'_>, record: Record) {
        for sum in &mut self.element {
            sum.value = sum.summand.of(memory, record);
            sum.came.add(sum.value);
        }
    }

    /// The record in hand has no values.
    pub(crate) fn forget_record(&mut self) {
        for sum in &mut self.element {
            sum.value = None;
        }
        self.take_back();
    }

    /// What was written of the record in hand is taken back.
    pub(crate) fn take_back(&mut self) {
        for sum in self.systems.iter_mut().flat_map(|system| &mut system.sums) {
            sum.pending = Pending::Nothing;
        }
    }

    /// Takes the values of a record that was written for a system.
    pub(crate) fn written(&mut self, memory: &mut Memory<'_>, record: Record, system: usize) {
        for sum in &mut self.systems[system].sums {
            let value = sum.summand.of(memory, record);
            sum.pending = match sum.pending {
                Pending::Nothing => Pending::One(value),
                Pending::One(first) => {
                    Pending::Several(plus(plus(Summed::default(), first), value))
                }
                Pending::Several(of) => Pending::Several(plus(of, value)),
            };
        }
    }

    /// A system keeps what was written of the record in hand. Several records made of one have one part in the sum.
    pub(crate) fn keep(&mut self, system: usize) {
        for sum in &mut self.systems[system].sums {
            match &sum.pending {
                Pending::Nothing => {}
                Pending::One(value) => sum.written.add(*value),
                Pending::Several(of) => {
                    sum.written.sum += of.sum;
                    sum.written.records += of.records.min(1);
                }
            }
            sum.pending = Pending::Nothing;
            if let Some(of_element) = sum.of_element {
                sum.given.add(self.element[of_element].value);
            }
        }
    }

    /// What became of the record in hand.
    #[inline(always)]
    pub(crate) fn end_record(&mut self, class: Class) {
        if class != Class::Delivered {
            self.end_undelivered(class);
        }
    }

    #[inline(never)]
    fn end_undelivered(&mut self, class: Class) {
        let place = match class {
            Class::Delivered => DELIVERED,
            Class::Filtered => 1,
            Class::SetAside(Why::Suspended) => 2,
            Class::SetAside(Why::Duplicate) => 3,
            Class::Held => 4,
        };
        for sum in &mut self.element {
            sum.classes[place].add(sum.value);
        }
    }

    /// Each sum of the file, in an order that is always the same.
    fn sums(&mut self) -> impl Iterator<Item = &mut Summed> {
        let of_systems = self.systems.iter_mut().flat_map(|system| &mut system.sums);
        let of_systems = of_systems.flat_map(|sum| [&mut sum.given, &mut sum.written]);
        let of_element = self.element.iter_mut();
        let of_element = of_element.flat_map(|sum| sum.classes.iter_mut().chain([&mut sum.came]));
        of_element.chain(of_systems)
    }

    /// Goes on with the sums of a stretch of the file, and leaves there what it had.
    pub(crate) fn swap(&mut self, stretch: &mut Vec<Summed>) {
        let sums = self.sums().count();
        stretch.resize(sums, Summed::default());
        self.sums().zip(stretch).for_each(|(sum, other)| std::mem::swap(sum, other));
    }

    /// Adds the sums of a stretch of the file.
    pub(crate) fn add(&mut self, stretch: &[Summed]) {
        for (sum, other) in self.sums().zip(stretch) {
            *sum += *other;
        }
    }

    /// The sums of the file.
    pub(crate) fn rows(&self) -> Vec<AmountRow> {
        let mut rows = Vec::new();
        for (place, side) in CLASSES.iter().enumerate() {
            for sum in &self.element {
                let of = if place == DELIVERED { sum.delivered() } else { sum.classes[place] };
                if of != Summed::default() {
                    rows.push(AmountRow::new("", side, sum.name, of));
                }
            }
        }
        for SystemSums { name: at, sums } in &self.systems {
            for SystemSum { name, given, written, of_element, .. } in sums {
                if (*given, *written) == Default::default() {
                    continue;
                }
                rows.push(AmountRow::new(at, "written", name, *written));
                if of_element.is_some() {
                    // Also where it is nothing: what is written then comes from nowhere.
                    rows.push(AmountRow::new(at, "given", name, *given));
                }
            }
        }
        rows
    }
}

impl<'p> ElementSum<'p> {
    fn new((name, each): &'p (String, Box<dyn Expression>)) -> Self {
        let (value, came, classes) = Default::default();
        ElementSum { name, summand: Summand::new(each.as_ref()), value, came, classes }
    }

    fn delivered(&self) -> Summed {
        self.classes.iter().fold(self.came, |of, other| Summed {
            sum: of.sum - other.sum,
            records: of.records - other.records,
        })
    }
}

impl<'p> SystemSum<'p> {
    fn new((name, each): &'p (String, Box<dyn Expression>), of_element: Option<usize>) -> Self {
        let (given, written) = Default::default();
        let (summand, pending) = (Summand::new(each.as_ref()), Pending::Nothing);
        SystemSum { name, summand, of_element, pending, given, written }
    }
}

fn plus(mut sum: Summed, value: Option<i64>) -> Summed {
    sum.add(value);
    sum
}

/// What is summed, in one worker.
struct Summand<'p> {
    field: Option<&'p Path>,
    evaluator: Box<dyn Evaluator>,
}

impl<'p> Summand<'p> {
    fn new(expression: &'p dyn Expression) -> Self {
        Summand { field: expression.field(), evaluator: expression.evaluator() }
    }

    /// The value of a record; nothing where that cannot be had, since something is absent, say.
    #[inline(always)]
    fn of(&mut self, memory: &mut Memory<'_>, record: Record) -> Option<i64> {
        match self.field.and_then(|field| field.number(memory, record)) {
            Some(value) => Some(value),
            None => self.evaluated(memory, record),
        }
    }

    #[inline(never)]
    fn evaluated(&mut self, memory: &mut Memory<'_>, record: Record) -> Option<i64> {
        match self.evaluator.evaluate(memory, record) {
            Ok(Value::Integer(value)) => Some(value),
            Ok(Value::Octets(_)) | Err(_) => None,
        }
    }
}
