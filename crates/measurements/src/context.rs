//! What is known around a row: its file, its network element, its info.

use crate::fault::Fault;
use crate::text::Text;
use crate::time::Time;
use crate::wanted::Wanted;

/// Maximum counters of an info.
pub(crate) const NAMES_MAX: usize = 1 << 13;

/// The form of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// 3GPP TS 32.435.
    #[default]
    Ts32435,
    /// 3GPP TS 28.532.
    Ts28532,
    /// 3GPP TS 32.401: the older form with a DTD.
    Ts32401,
    /// `OMeS`, of one vendor.
    Omes,
}

/// What is known around a row.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The form of the file.
    pub format: Format,
    /// The vendor.
    pub vendor: Option<Text>,
    /// The sender of the file: a distinguished name, or a name.
    pub sender: Option<Text>,
    /// The type of the sender.
    pub sender_type: Option<Text>,
    /// The part of all distinguished names that is not repeated in them.
    pub prefix: Option<Text>,
    /// The distinguished name of the network element. `None` if neither it nor the sender has one.
    pub element: Option<Text>,
    /// The name of the network element for people.
    pub element_label: Option<Text>,
    /// The version of its software.
    pub software_version: Option<Text>,
    /// The name of the info, which is a group of counters.
    pub info: Option<Text>,
    /// The measurement job.
    pub job: Option<Text>,
    /// The length of the granularity period in seconds.
    pub seconds: Option<u32>,
    /// The beginning of the granularity period.
    pub begin: Option<Time>,
    /// The end of the granularity period.
    pub end: Option<Time>,
    /// The names of the counters that are read.
    pub names: Vec<Text>,
    /// The measured objects of all rows of an info, of a form that names them there. Several are one object together, such as
    /// the relation of two cells.
    pub objects: Vec<Text>,
    pub(crate) columns: Columns,
    /// Whether the section has an element for its network element, perhaps without a name.
    pub(crate) has_entity: bool,
}

impl Context {
    /// Forgets what is of one section.
    pub(crate) fn leave_section(&mut self) {
        (self.element, self.element_label, self.software_version) = (None, None, None);
        self.has_entity = false;
        (self.seconds, self.begin, self.end) = (None, None, None);
        self.leave_info();
    }

    /// Forgets what is of one info.
    pub(crate) fn leave_info(&mut self) {
        (self.info, self.job) = (None, None);
        self.objects.clear();
        // The period of `OMeS` is that of the section, and the network element that of the object.
        match self.format {
            Format::Omes => self.element = None,
            _ => (self.seconds, self.begin, self.end) = (None, None, None),
        }
        self.leave_names();
    }

    pub(crate) fn leave_names(&mut self) {
        self.names.clear();
        self.columns.clear();
    }

    /// Adds a counter. Its number is 0 if it has none.
    pub(crate) fn add(
        &mut self,
        octets: &[u8],
        name: Text,
        number: u32,
        wanted: &Wanted,
    ) -> Result<(), Fault> {
        if self.columns.count() >= NAMES_MAX {
            return Err(Fault::TooManyNames(NAMES_MAX));
        }
        let column = wanted.has(octets, name).then_some(self.names.len());
        self.names.extend(column.map(|_| name));
        self.columns.add(number, column);
        Ok(())
    }

    /// Completes the period from its end or its beginning: files have one of these.
    pub(crate) fn complete_period(&mut self) {
        let Some(seconds) = self.seconds.map(i64::from) else { return };
        match self.format {
            Format::Omes => self.end = self.begin.map(|begin| begin.plus(seconds)),
            _ => self.begin = self.end.map(|end| end.plus(-seconds)),
        }
    }
}

/// Which result is of which counter. Results nearly always stand in the order of the counters, so the next one is looked at
/// first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    /// By position: the number in the file, and the place among the names; [`SKIPPED`] for a counter that is not read.
    all: Vec<(u32, u32)>,
    /// The numbers and their positions, in order.
    by_number: Vec<(u32, u32)>,
}

const SKIPPED: u32 = u32::MAX;

impl Columns {
    fn clear(&mut self) {
        self.all.clear();
        self.by_number.clear();
    }

    fn add(&mut self, number: u32, column: Option<usize>) {
        if number > 0 {
            self.by_number.push((number, self.all.len() as u32));
        }
        self.all.push((number, column.map_or(SKIPPED, |column| column as u32)));
    }

    /// Returns the number of counters, also of those that are not read.
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// Makes the numbers ready to be found.
    pub(crate) fn sort(&mut self) -> Result<(), Fault> {
        if !self.by_number.is_sorted_by(|one, other| one.0 < other.0) {
            self.by_number.sort_unstable();
            let mut pairs = self.by_number.windows(2);
            if let Some(pair) = pairs.find(|pair| pair[0].0 == pair[1].0) {
                return Err(Fault::NumberTwice(pair[0].0));
            }
        }
        Ok(())
    }

    /// Returns the position of the counter with a number; `next` is the likely one.
    #[inline]
    pub(crate) fn position(&self, number: u32, next: usize) -> Result<usize, Fault> {
        match self.all.get(next) {
            Some((found, _)) if *found == number => Ok(next),
            _ => self.search(number),
        }
    }

    fn search(&self, number: u32) -> Result<usize, Fault> {
        let found = self.by_number.binary_search_by_key(&number, |(number, _)| *number);
        found.map(|place| self.by_number[place].1 as usize).map_err(|_| Fault::NoCounter(number))
    }

    /// Returns the place among the names of the counter at a position. `None` if it is not read.
    #[inline]
    pub(crate) fn column(&self, position: usize) -> Option<usize> {
        let (_, column) = *self.all.get(position)?;
        (column != SKIPPED).then_some(column as usize)
    }
}
