//! Sums on both sides of a flow: `audit = { seconds = "record.callDuration" }` of a network element and of the
//! post-processing systems that its records go to.

use std::borrow::Cow;
use std::path::PathBuf;

use diagnostics::Diagnostic;
use journal::{JobId, for_each};
use node::{Evaluator, Expression, Language, Summed, Value, ValueType};
use record::{Memory, Opened, Path, Record, Stretch, TypeId, Types};
use serde::{Deserialize, Serialize};
use settings::Settings;
use store::{Connection, QueryResult, params};

use flow::file::{Keys, TableSchema};
use flow::outcome::{Class, Why};

/// `audit` of a network element or post-processing system: sums by names.
pub const AUDIT: TableSchema = TableSchema { name: "audit", keys: Keys::Chosen };

/// The sums of a network element or system.
#[derive(Default)]
pub struct Audited {
    sums: Vec<(String, Box<dyn Expression>)>,
}

impl Audited {
    /// Reads an `audit` table.
    pub fn read(
        table: Option<&Settings>,
        language: &dyn Language,
        ty: TypeId,
        types: &mut dyn Types,
    ) -> Result<Self, Vec<Diagnostic>> {
        let (mut sums, mut mistakes) = (Vec::new(), Vec::new());
        for (settings, setting) in table.iter().flat_map(|t| t.values.iter().map(move |s| (t, s))) {
            match language.expression(settings, setting, ty, types) {
                Ok(each) if each.value_type() == ValueType::Integers => {
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

    /// Returns the values that the sums read.
    pub fn opened(&self) -> Opened {
        self.sums.iter().map(|(_, each)| each.opened()).fold(Opened::none(), Opened::and)
    }

    /// Returns the files of its expressions.
    pub fn files(&self) -> Vec<PathBuf> {
        self.sums.iter().flat_map(|(_, each)| each.files()).collect()
    }
}

/// The names of the classes, by place.
const CLASSES: [&str; 5] = ["delivered", "filtered", "suspended", "duplicate", "held"];

/// The first of [`CLASSES`].
const DELIVERED: usize = 0;

/// The mask of the part of a sum that has a column of its own in the journal.
const LOW: i128 = 0xffff_ffff;

/// A row of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AmountRow {
    at: String,
    side: Cow<'static, str>,
    name: String,
    sum: i128,
    records: i64,
}

impl AmountRow {
    /// Makes a row of a sum at a place and a side of it.
    pub fn new(at: &str, side: &'static str, name: &str, of: Summed) -> Self {
        let Summed { sum, records } = of;
        let side = side.into();
        AmountRow { at: at.into(), side, name: name.into(), sum, records: records as i64 }
    }

    /// Inserts the row, with the entry of its file, in the transaction of the job.
    pub fn insert(&self, db: &Connection, JobId(file): JobId) -> QueryResult<()> {
        let AmountRow { at, side, name, sum, records } = self;
        db.prepare_cached(
            "INSERT INTO amount (file, at, side, name, high, low, records) VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![file, at, side, name, (sum >> 32) as i64, (sum & LOW) as i64, records])
        .map(drop)
    }
}

/// The sums of the current file in one worker, for one network element.
pub struct Amounts<'p> {
    element: Vec<ElementSum<'p>>,
    systems: Vec<SystemSums<'p>>,
}

/// Whether the sums written for a system are compared with the sums it was given of a file. After a node that lets
/// records wait, the written records are also those of other files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// They are compared: all written records come from the file.
    Yes,
    /// They are not compared.
    No,
}

/// A sum of the incoming records.
struct ElementSum<'p> {
    name: &'p str,
    summand: Summand<'p>,
    /// The value of the current record, and where it came.
    value: Option<i64>,
    source_at: Option<Stretch>,
    /// The sum of all records.
    arrived: Sum,
    /// The sums by [`CLASSES`]. The delivered sum is the total less the others, so it costs nothing.
    classes: [Summed; CLASSES.len()],
}

/// The sums of a system that the records may reach.
struct SystemSums<'p> {
    name: &'p str,
    sums: Vec<SystemSum<'p>>,
}

/// A sum of the records written for a system.
struct SystemSum<'p> {
    name: &'p str,
    summand: Summand<'p>,
    /// The place of the network element's sum of this name, if it has one.
    of_element: Option<usize>,
    /// The last record that was written, which may still be taken back.
    last: Last,
    /// The sum of values that were written as given. Most are, so this includes the last record.
    alike: Sum,
    /// The other sums. They do not include the last record yet.
    given: Summed,
    written: Summed,
}

/// The written and given values of a record.
#[derive(Clone, Copy)]
enum Last {
    Nothing,
    /// The value was written as given. Mostly it is the same octets, which are read once.
    Alike(i64),
    /// Several records that were made of one count once in the given sum.
    Other {
        given: Option<i64>,
        written: Summed,
    },
}

/// A sum that mostly fits into a register.
#[derive(Clone, Copy, Default)]
struct Sum {
    low: i64,
    /// The part that did not fit.
    high: i128,
    records: u64,
}

impl<'p> Amounts<'p> {
    /// Makes the sums. Returns `None` if nothing is summed.
    pub fn new(
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

    /// Begins a file.
    pub fn clear(&mut self) {
        for sum in &mut self.element {
            (sum.arrived, sum.classes) = Default::default();
        }
        for sum in self.systems.iter_mut().flat_map(|system| &mut system.sums) {
            (sum.alike, sum.given, sum.written) = Default::default();
            sum.last = Last::Nothing;
        }
        self.forget_record();
    }

    /// Reads the values of the current record.
    #[inline(always)]
    pub fn record(&mut self, memory: &mut Memory<'_>, record: Record) {
        for sum in &mut self.element {
            sum.source_at = sum.summand.source_at(memory, record);
            sum.value = sum.summand.of(memory, record, sum.source_at);
            if let Some(value) = sum.value {
                sum.arrived.add(value);
            }
        }
    }

    /// Notes that the current record has no values.
    pub fn forget_record(&mut self) {
        for sum in &mut self.element {
            (sum.value, sum.source_at) = (None, None);
        }
    }

    /// Adds the values of a record that was written for a system: the first, or another one made of the current record.
    #[inline(always)]
    pub fn written(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        system: usize,
        is_first: bool,
    ) {
        for sum in &mut self.systems[system].sums {
            let given = sum.of_element.map(|place| &self.element[place]);
            let source_at = sum.summand.source_at(memory, record);
            let alike = given.filter(|given| source_at.is_some() && source_at == given.source_at);
            match alike.and_then(|given| given.value) {
                Some(value) if is_first => {
                    sum.settle_other();
                    sum.alike.add(value);
                    sum.last = Last::Alike(value);
                }
                _ => {
                    let given = given.and_then(|given| given.value);
                    sum.written(memory, record, given, is_first);
                }
            }
        }
    }

    /// Takes back what was written of the current record for a system.
    pub fn take_back(&mut self, system: usize) {
        for sum in &mut self.systems[system].sums {
            if let Last::Alike(value) = sum.last {
                sum.alike.take_back(value);
            }
            sum.last = Last::Nothing;
        }
    }

    /// Adds the current record to its class.
    #[inline(always)]
    pub fn end_record(&mut self, class: Class) {
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

    /// Exchanges the sums with those of a chunk of the file.
    pub fn swap(&mut self, stretch: &mut Vec<Summed>) {
        let mut others = std::mem::take(stretch).into_iter();
        self.each(|sum| {
            stretch.push(std::mem::replace(sum, others.next().unwrap_or_default()));
        });
    }

    /// Adds the sums of a chunk of the file.
    pub fn add(&mut self, stretch: &[Summed]) {
        let mut others = stretch.iter();
        self.each(|sum| *sum += others.next().copied().unwrap_or_default());
    }

    /// Changes each sum, always in the same order.
    fn each(&mut self, mut change: impl FnMut(&mut Summed)) {
        for sum in &mut self.element {
            sum.arrived.change(&mut change);
            sum.classes.iter_mut().for_each(&mut change);
        }
        for sum in self.systems.iter_mut().flat_map(|system| &mut system.sums) {
            sum.settle_other();
            sum.alike.change(&mut change);
            change(&mut sum.given);
            change(&mut sum.written);
        }
    }

    /// Returns the sums of the file.
    pub fn rows(&mut self) -> Vec<AmountRow> {
        let mut rows = Vec::new();
        for sum in self.systems.iter_mut().flat_map(|system| &mut system.sums) {
            sum.settle_other();
        }
        for (place, side) in CLASSES.iter().enumerate() {
            for sum in &self.element {
                let of = if place == DELIVERED { sum.delivered() } else { sum.classes[place] };
                if of != Summed::default() {
                    rows.push(AmountRow::new("", side, sum.name, of));
                }
            }
        }
        for SystemSums { name: at, sums } in &self.systems {
            for sum in sums {
                let [given, written] = sum.given_and_written();
                if (given, written) == Default::default() {
                    continue;
                }
                rows.push(AmountRow::new(at, "written", sum.name, written));
                if sum.of_element.is_some() {
                    // Also if it is zero: then what was written came from nowhere.
                    rows.push(AmountRow::new(at, "given", sum.name, given));
                }
            }
        }
        rows
    }
}

impl<'p> ElementSum<'p> {
    fn new((name, each): &'p (String, Box<dyn Expression>)) -> Self {
        let (value, source_at, arrived, classes) = Default::default();
        ElementSum {
            name,
            summand: Summand::new(each.as_ref()),
            value,
            source_at,
            arrived,
            classes,
        }
    }

    fn delivered(&self) -> Summed {
        self.classes.iter().fold(self.arrived.summed(), |of, other| Summed {
            sum: of.sum - other.sum,
            records: of.records - other.records,
        })
    }
}

impl<'p> SystemSum<'p> {
    fn new((name, each): &'p (String, Box<dyn Expression>), of_element: Option<usize>) -> Self {
        let (alike, given, written) = Default::default();
        let (summand, last) = (Summand::new(each.as_ref()), Last::Nothing);
        SystemSum { name, summand, of_element, last, alike, given, written }
    }

    /// Adds a value that was written differently than given, or more than once.
    #[inline(never)]
    fn written(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        given: Option<i64>,
        is_first: bool,
    ) {
        let source_at = self.summand.source_at(memory, record);
        let value = self.summand.of(memory, record, source_at);
        let mut written = Summed::default();
        if is_first {
            self.settle_other();
        } else {
            match self.last {
                Last::Nothing => {}
                Last::Alike(first) => {
                    self.alike.take_back(first);
                    written.add(Some(first));
                }
                Last::Other { written: before, .. } => written = before,
            }
        }
        written.add(value);
        written.records = written.records.min(1);
        self.last = Last::Other { given, written };
    }

    /// Settles the last record, which was written differently than given.
    #[inline(always)]
    fn settle_other(&mut self) {
        if let Last::Other { given, written } = self.last {
            self.given.add(given);
            self.written += written;
        }
        self.last = Last::Nothing;
    }

    fn given_and_written(&self) -> [Summed; 2] {
        [self.given, self.written].map(|mut sum| {
            sum += self.alike.summed();
            sum
        })
    }
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, value: i64) {
        self.low = match self.low.checked_add(value) {
            Some(sum) => sum,
            None => self.carry(value),
        };
        self.records += 1;
    }

    fn take_back(&mut self, value: i64) {
        self.high -= i128::from(value);
        self.records -= 1;
    }

    #[cold]
    fn carry(&mut self, value: i64) -> i64 {
        self.high += i128::from(self.low);
        value
    }

    fn change(&mut self, change: impl FnOnce(&mut Summed)) {
        let mut summed = self.summed();
        change(&mut summed);
        *self = Sum { low: 0, high: summed.sum, records: summed.records };
    }

    fn summed(&self) -> Summed {
        Summed { sum: self.high + i128::from(self.low), records: self.records }
    }
}

/// The evaluator of a sum in one worker.
struct Summand<'p> {
    /// The place of a component, if the expression is only that. Mostly it is.
    component: Option<usize>,
    field: Option<&'p Path>,
    evaluator: Box<dyn Evaluator>,
}

impl<'p> Summand<'p> {
    fn new(expression: &'p dyn Expression) -> Self {
        let field = expression.field();
        let component = field.and_then(Path::component);
        Summand { component, field, evaluator: expression.evaluator() }
    }

    /// Returns the octets that the value came in, if it is unchanged.
    #[inline(always)]
    fn source_at(&self, memory: &Memory<'_>, record: Record) -> Option<Stretch> {
        memory.source_at(record.root, self.component?)
    }

    /// Returns the value of a record, or `None` if it has none, for example because a component is absent.
    #[inline(always)]
    fn of(
        &mut self,
        memory: &mut Memory<'_>,
        record: Record,
        source_at: Option<Stretch>,
    ) -> Option<i64> {
        match source_at.and_then(|source_at| memory.number_at(source_at)) {
            Some(value) => Some(value),
            None => self.looked_for(memory, record),
        }
    }

    #[inline(never)]
    fn looked_for(&mut self, memory: &mut Memory<'_>, record: Record) -> Option<i64> {
        if let Some(value) = self.field.and_then(|field| field.number(memory, record)) {
            return Some(value);
        }
        match self.evaluator.evaluate(memory, record) {
            Ok(Value::Integer(value)) => Some(value),
            Ok(Value::Octets(_)) | Err(_) => None,
        }
    }
}

/// Deletes the sums of jobs.
pub fn prune_files(db: &Connection, jobs: &[JobId]) -> QueryResult<()> {
    for_each(db, "DELETE FROM amount WHERE file = ?", jobs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sum_is_too_large() {
        let mut sum = Sum::default();
        for value in [i64::MAX, i64::MAX, 1, i64::MIN, i64::MIN, i64::MIN] {
            sum.add(value);
        }
        let wanted = Summed { sum: i128::from(i64::MIN) - 1, records: 6 };
        assert_eq!(sum.summed(), wanted);
    }
}
