//! What workers note of records, as octets: the delta of a job.
//!
//! Octets: the version, in four octets the oldest time that counts, in four and eight octets the latest time of all records of the file and
//! the number of that record, the network element, a digest of the rules, and the number of
//! subjects; for each, its name, how many octets have the bits of its filters, and how many values of the record there are. Then each
//! note: the number of the record, its time, the place of the subject, its key, and with their length before them the bits of the filters
//! that are true, and the measures and values of the record, each as bits that say which are there, and their numbers.
//! Those of counts are 1, and those of recent records the record itself: they are not written.
//!
//! So whose a record is can be read without the rules for which the notes were written. Those of the first versions cannot.

use std::ops::Range;

use measures::{Kind, Seconds};
use node::{JobEntry, NotedKey};

use crate::definition::{Rules, Subject};
use crate::form::{SubjectTranslation, Translation};
use crate::octets::{Cut, Reader, bits_of, has_bit, write_number, write_signed, write_sized};

/// The first octet of notes.
const VERSION: u8 = 4;

/// The version without the latest time of the file.
const WITHOUT_LATEST: u8 = 3;

/// The version without late records, names of subjects and lengths of notes, too.
const WITHOUT_NAMES: u8 = 2;

/// Where the latest record is, in front of which are the version and the oldest time.
const LATEST: Range<usize> = 5..5 + Latest::OCTETS;

/// A record of a file, of those at the latest time the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Latest {
    pub(crate) time: Seconds,
    pub(crate) record: u64,
}

impl Latest {
    const OCTETS: usize = 12;

    fn with(self, other: Self) -> Self {
        if other.time > self.time { other } else { self }
    }

    fn octets(self) -> [u8; Self::OCTETS] {
        let mut octets = [0; Self::OCTETS];
        octets[..4].copy_from_slice(&self.time.to_le_bytes());
        octets[4..].copy_from_slice(&self.record.to_le_bytes());
        octets
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Cut> {
        let time = Seconds::from_le_bytes(reader.array()?);
        Ok(Latest { time, record: u64::from_le_bytes(reader.array()?) })
    }
}

/// What a record says of a subject.
#[derive(Clone, Copy, Debug)]
pub struct Note<'n> {
    /// The number of the record in its file, from 1.
    pub record: u64,
    /// When it happened.
    pub time: Seconds,
    /// The place of the subject among those of the rules.
    pub subject: usize,
    /// Which one it is.
    pub key: &'n [u8],
    /// The filters that are true: a bit for each.
    pub filters: &'n [u8],
    /// What measures have of it, as [`measures::Event::inputs`].
    pub inputs: &'n [(usize, i64)],
    /// The values of the record that conditions read.
    pub of_record: &'n [Option<i64>],
}

/// The notes of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    octets: Vec<u8>,
    /// The length behind the last record that was accepted.
    accepted: usize,
    /// The length of the head.
    head: usize,
    /// The latest of the records that were accepted, and of these and the current one.
    latest: Latest,
    latest_with_current: Latest,
    /// Memory for what a note has behind its key.
    values: Vec<u8>,
}

impl Notes {
    /// Begins the notes of a file of a network element, of which records before a time do not count.
    pub fn begin(&mut self, rules: &Rules, network_element: &str, oldest: Seconds) {
        self.octets.clear();
        self.octets.push(VERSION);
        self.octets.extend_from_slice(&oldest.to_le_bytes());
        (self.latest, self.latest_with_current) = Default::default();
        self.octets.extend_from_slice(&self.latest.octets());
        write_sized(&mut self.octets, network_element.as_bytes());
        self.octets.extend_from_slice(&rules.digest);
        write_number(&mut self.octets, rules.subjects.len() as u64);
        for subject in &rules.subjects {
            write_sized(&mut self.octets, subject.name.as_bytes());
            write_number(&mut self.octets, subject.filter_octets() as u64);
            write_number(&mut self.octets, subject.of_record as u64);
        }
        (self.head, self.accepted) = (self.octets.len(), self.octets.len());
    }

    /// Notes when a record happened, whether it concerns rules or not: time goes on with all records.
    pub fn add_time(&mut self, record: u64, time: Seconds) {
        self.latest_with_current = self.latest.with(Latest { time, record });
    }

    /// Adds a note. `subject` is that of the note.
    pub fn add(&mut self, subject: &Subject, note: Note<'_>) {
        let Note { record, time, subject: place, key, filters, inputs, of_record } = note;
        write_number(&mut self.octets, record);
        write_number(&mut self.octets, time.into());
        write_number(&mut self.octets, place as u64);
        write_sized(&mut self.octets, key);
        let to = &mut self.values;
        to.clear();
        to.extend_from_slice(filters);
        let measures = subject.layout.measures();
        let bits = to.len();
        to.resize(bits + measures.len().div_ceil(8), 0);
        for (place, number) in inputs {
            to[bits + place / 8] |= 1 << (place % 8);
            if Input::of(measures[*place].kind) == Input::Number {
                write_signed(to, *number);
            }
        }
        write_present(to, of_record);
        of_record.iter().flatten().for_each(|number| write_signed(to, *number));
        write_sized(&mut self.octets, &self.values);
    }

    /// Ends a record, whose notes are left out if it was refused.
    pub fn end_record(&mut self, is_accepted: bool) {
        if is_accepted {
            (self.accepted, self.latest) = (self.octets.len(), self.latest_with_current);
        } else {
            self.octets.truncate(self.accepted);
            self.latest_with_current = self.latest;
        }
    }

    /// Takes the notes of the file; `None` if no record of it had a time.
    pub fn take(&mut self) -> Option<Vec<u8>> {
        self.octets.truncate(self.accepted);
        let has_any = self.accepted > self.head || self.latest != Latest::default();
        has_any.then(|| {
            self.octets[LATEST].copy_from_slice(&self.latest.octets());
            std::mem::take(&mut self.octets)
        })
    }
}

/// Writes a bit for each value: whether it is there.
fn write_present(to: &mut Vec<u8>, values: &[Option<i64>]) {
    for values in values.chunks(8) {
        let bit = |(place, value): (usize, &Option<i64>)| u8::from(value.is_some()) << place;
        to.push(values.iter().enumerate().map(bit).fold(0, |all, bit| all | bit));
    }
}

/// What notes have of a measure that a record counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Nothing: it is 1.
    One,
    /// Nothing: it is the record.
    Record,
    /// A number.
    Number,
}

impl Input {
    pub(crate) fn of(kind: Kind) -> Self {
        match kind {
            Kind::Count => Input::One,
            Kind::Recent(_) => Input::Record,
            _ => Input::Number,
        }
    }

    pub(crate) fn from_octet(octet: u8) -> Option<Self> {
        [Input::One, Input::Record, Input::Number].into_iter().find(|input| *input as u8 == octet)
    }

    /// Returns the number that a record has, or reads it.
    #[inline]
    fn number(self, record: i64, reader: &mut Reader<'_>) -> Result<i64, Cut> {
        match self {
            Input::One => Ok(1),
            Input::Record => Ok(record),
            Input::Number => reader.signed(),
        }
    }
}

/// The bits of the number of a record, beside that of its job.
const RECORD_BITS: u32 = 32;
const RECORD_MAX: u64 = (1 << RECORD_BITS) - 1;

/// Returns a record as one number. Records with greater numbers than there is room for are known as the last one that has room.
fn packed(job: JobEntry, record: u64) -> i64 {
    job << RECORD_BITS | record.min(RECORD_MAX) as i64
}

/// Returns the job and the number of a record.
pub(crate) fn unpacked(packed: i64) -> (JobEntry, u64) {
    (packed >> RECORD_BITS, packed as u64 & RECORD_MAX)
}

/// Reads the notes of a job, one after the other.
pub(crate) struct NotesReader<'n> {
    reader: Reader<'n>,
    /// For each subject, the octets of its filters' bits, and how many values of the record there are.
    sizes: Vec<(usize, usize)>,
    /// The job whose notes they are.
    job: JobEntry,
    /// Records before it do not count: they were too late when their file began.
    pub(crate) oldest: Seconds,
    pub(crate) latest: Latest,
    pub(crate) network_element: &'n str,
    /// Whether they were written for the rules of now.
    pub(crate) is_of_these_rules: bool,
    /// How they are read, if they were written for other measures.
    translation: Option<&'n Translation>,
}

/// Calls `take` with whose the records of notes are, in the order of the notes. Those of the first versions do not say it.
pub(crate) fn keys_of<'n>(
    octets: &'n [u8],
    mut take: impl FnMut(NotedKey<'n>),
) -> Result<(), NotesError> {
    let mut reader = Reader(octets);
    let [version] = reader.array()?;
    match version {
        VERSION | WITHOUT_LATEST => {}
        WITHOUT_NAMES => return Ok(()),
        other => return Err(NotesError::Version(other)),
    }
    let _oldest: [u8; 4] = reader.array()?;
    if version == VERSION {
        Latest::read(&mut reader)?;
    }
    reader.sized()?;
    let _: [u8; 8] = reader.array()?;
    let mut subjects = Vec::new();
    for _ in 0..reader.number()? {
        subjects.push(str::from_utf8(reader.sized()?).map_err(|_| Cut)?);
        reader.number()?;
        reader.number()?;
    }
    while !reader.is_empty() {
        let record = reader.number()?;
        let at_s = Seconds::try_from(reader.number()?).map_err(|_| Cut)?;
        let subject = usize::try_from(reader.number()?).map_err(|_| Cut)?;
        let subject = subjects.get(subject).ok_or(NotesError::NoSubject)?;
        let key = reader.sized()?;
        reader.sized()?;
        take(NotedKey { record, at_s, subject, key });
    }
    Ok(())
}

/// Memory for what a note has.
#[derive(Debug, Default)]
pub(crate) struct NoteMemory {
    pub(crate) inputs: Vec<(usize, i64)>,
    pub(crate) of_record: Vec<Option<i64>>,
}

/// A note without its values, which are in the memory.
pub(crate) struct NoteHead<'n> {
    pub(crate) record: u64,
    pub(crate) time: Seconds,
    pub(crate) subject: usize,
    pub(crate) key: &'n [u8],
    pub(crate) filters: &'n [u8],
}

/// Why notes cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotesError {
    #[error(transparent)]
    Cut(#[from] Cut),
    #[error("notes of the form {0} are not known: a later version has written them")]
    Version(u8),
    #[error("they are of a subject that is not there")]
    NoSubject,
    #[error("they have other filters than their rules")]
    Sizes,
    #[error("they are of a measure that is not there")]
    NoMeasure,
}

impl<'n> NotesReader<'n> {
    pub(crate) fn new(
        octets: &'n [u8],
        (rules, translation): (&Rules, Option<&'n Translation>),
        job: JobEntry,
    ) -> Result<Self, NotesError> {
        let mut reader = Reader(octets);
        match reader.array()? {
            [VERSION] => {}
            [other] => return Err(NotesError::Version(other)),
        }
        let oldest = Seconds::from_le_bytes(reader.array()?);
        let latest = Latest::read(&mut reader)?;
        let network_element = str::from_utf8(reader.sized()?).map_err(|_| Cut)?;
        let is_of_these_rules = reader.array()? == rules.digest && translation.is_none();
        let subjects = translation.map_or(rules.subjects.len(), |of| of.subjects().len());
        if reader.number()? != subjects as u64 {
            return Err(NotesError::Sizes);
        }
        let mut size = || {
            reader.sized()?;
            Ok((reader.number()? as usize, reader.number()? as usize))
        };
        let sizes: Vec<(usize, usize)> =
            (0..subjects).map(|_| size()).collect::<Result<_, Cut>>()?;
        let own = |subject: &Subject| (subject.filter_octets(), subject.of_record);
        if is_of_these_rules && !rules.subjects.iter().map(own).eq(sizes.iter().copied()) {
            return Err(NotesError::Sizes);
        }
        Ok(NotesReader {
            reader,
            sizes,
            job,
            oldest,
            latest,
            network_element,
            is_of_these_rules,
            translation,
        })
    }

    /// Reads the next note. `None` behind the last one. Notes of subjects that are not there any more are passed over.
    pub(crate) fn next(
        &mut self,
        rules: &Rules,
        memory: &mut NoteMemory,
    ) -> Result<Option<NoteHead<'n>>, NotesError> {
        loop {
            if self.reader.is_empty() {
                return Ok(None);
            }
            let record = self.reader.number()?;
            let time = Seconds::try_from(self.reader.number()?).map_err(|_| Cut)?;
            let subject = usize::try_from(self.reader.number()?).map_err(|_| Cut)?;
            let Some(sizes) = self.sizes.get(subject).copied() else {
                return Err(NotesError::NoSubject);
            };
            let key = self.reader.sized()?;
            let values = self.reader.sized()?;
            let Some(translation) = self.translation else {
                let filters = self.values(values, (sizes, record), (rules, subject), memory)?;
                return Ok(Some(NoteHead { record, time, subject, key, filters }));
            };
            let old = &translation.subjects()[subject];
            if let Some(subject) = old.place {
                self.values_of_others(values, (sizes, record), old, memory)?;
                return Ok(Some(NoteHead { record, time, subject, key, filters: &[] }));
            }
        }
    }

    /// Reads what a note has behind its key. Returns the bits of its filters.
    fn values(
        &self,
        values: &'n [u8],
        ((filter_octets, of_record), record): ((usize, usize), u64),
        (rules, subject): (&Rules, usize),
        memory: &mut NoteMemory,
    ) -> Result<&'n [u8], NotesError> {
        let of = rules.subjects.get(subject).ok_or(NotesError::NoSubject)?;
        let mut reader = Reader(values);
        let filters = reader.take(filter_octets)?;
        let measures = of.layout.measures();
        memory.inputs.clear();
        let present = reader.take(measures.len().div_ceil(8))?;
        for place in bits_of(present) {
            let measure = measures.get(place).ok_or(NotesError::NoMeasure)?;
            let record = packed(self.job, record);
            let number = Input::of(measure.kind).number(record, &mut reader)?;
            memory.inputs.push((place, number));
        }
        memory.of_record.clear();
        let present = reader.take(of_record.div_ceil(8))?;
        for place in 0..of_record {
            let value = has_bit(present, place).then(|| reader.signed()).transpose()?;
            memory.of_record.push(value);
        }
        Ok(filters)
    }

    /// Reads the inputs of the measures that still are there, of a note for other measures. It is not judged, and needs nothing else.
    fn values_of_others(
        &self,
        values: &[u8],
        ((filter_octets, _), record): ((usize, usize), u64),
        old: &SubjectTranslation,
        memory: &mut NoteMemory,
    ) -> Result<(), NotesError> {
        let mut reader = Reader(values);
        reader.take(filter_octets)?;
        memory.inputs.clear();
        memory.of_record.clear();
        for place in bits_of(reader.take(old.measures.len().div_ceil(8))?) {
            let (place, input) = *old.measures.get(place).ok_or(NotesError::NoMeasure)?;
            let number = input.number(packed(self.job, record), &mut reader)?;
            memory.inputs.extend(place.map(|place| (place, number)));
        }
        memory.inputs.sort_unstable_by_key(|(place, _)| *place);
        Ok(())
    }
}
