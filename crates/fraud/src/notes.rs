//! What workers note of records, as octets: the delta of a job.
//!
//! Octets: the version, in four octets the oldest time that counts, the network element, a digest of the rules, and the number of
//! subjects; for each, its name, how many octets have the bits of its filters, and how many values of the record there are. Then each
//! note: the number of the record, its time, the place of the subject, its key, and with their length before them the bits of the filters
//! that are true, and the measures and values of the record, each as bits that say which are there, and their numbers.
//! Those of counts are 1, and those of recent records the record itself: they are not written.
//!
//! So whose a record is can be read without the rules for which the notes were written. Those of the version before cannot.

use measures::{Kind, Seconds};
use node::{JobEntry, NotedKey};

use crate::definition::{Rules, Subject};
use crate::octets::{Cut, Reader, bits_of, has_bit, write_number, write_signed, write_sized};

/// The first octet of notes.
const VERSION: u8 = 3;

/// The version without late records, names of subjects and lengths of notes.
const WITHOUT_NAMES: u8 = 2;

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
    /// Memory for what a note has behind its key.
    values: Vec<u8>,
}

impl Notes {
    /// Begins the notes of a file of a network element, of which records before a time do not count.
    pub fn begin(&mut self, rules: &Rules, network_element: &str, oldest: Seconds) {
        self.octets.clear();
        self.octets.push(VERSION);
        self.octets.extend_from_slice(&oldest.to_le_bytes());
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
            if !is_implied(measures[*place].kind) {
                write_signed(to, *number);
            }
        }
        write_present(to, of_record);
        of_record.iter().flatten().for_each(|number| write_signed(to, *number));
        write_sized(&mut self.octets, &self.values);
    }

    /// Ends a record, whose notes are left out if it was refused.
    pub fn end_record(&mut self, is_accepted: bool) {
        match is_accepted {
            true => self.accepted = self.octets.len(),
            false => self.octets.truncate(self.accepted),
        }
    }

    /// Takes the notes of the file; `None` without any.
    pub fn take(&mut self) -> Option<Vec<u8>> {
        self.octets.truncate(self.accepted);
        (self.accepted > self.head).then(|| std::mem::take(&mut self.octets))
    }
}

/// Writes a bit for each value: whether it is there.
fn write_present(to: &mut Vec<u8>, values: &[Option<i64>]) {
    for values in values.chunks(8) {
        let bit = |(place, value): (usize, &Option<i64>)| u8::from(value.is_some()) << place;
        to.push(values.iter().enumerate().map(bit).fold(0, |all, bit| all | bit));
    }
}

/// Returns whether the input of a measure is not written: that of a count is 1, and that of recent records is the record.
fn is_implied(kind: Kind) -> bool {
    matches!(kind, Kind::Count | Kind::Recent(_))
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
    pub(crate) network_element: &'n str,
    /// Whether they were written for the rules of now.
    pub(crate) is_of_these_rules: bool,
}

/// Calls `take` with whose the records of notes are, in the order of the notes. Those of the version before do not say it.
pub(crate) fn keys_of<'n>(
    octets: &'n [u8],
    mut take: impl FnMut(NotedKey<'n>),
) -> Result<(), NotesError> {
    let mut reader = Reader(octets);
    match reader.array()? {
        [VERSION] => {}
        [WITHOUT_NAMES] => return Ok(()),
        [other] => return Err(NotesError::Version(other)),
    }
    let _oldest: [u8; 4] = reader.array()?;
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
    pub(crate) fn new(octets: &'n [u8], rules: &Rules, job: JobEntry) -> Result<Self, NotesError> {
        let mut reader = Reader(octets);
        match reader.array()? {
            [VERSION] => {}
            [other] => return Err(NotesError::Version(other)),
        }
        let oldest = Seconds::from_le_bytes(reader.array()?);
        let network_element = str::from_utf8(reader.sized()?).map_err(|_| Cut)?;
        let is_of_these_rules = reader.array()? == rules.digest;
        if reader.number()? != rules.subjects.len() as u64 {
            return Err(NotesError::Sizes);
        }
        let mut size = || {
            reader.sized()?;
            Ok((reader.number()? as usize, reader.number()? as usize))
        };
        let sizes: Vec<(usize, usize)> =
            rules.subjects.iter().map(|_| size()).collect::<Result<_, Cut>>()?;
        let own = |subject: &Subject| (subject.filter_octets(), subject.of_record);
        if is_of_these_rules && !rules.subjects.iter().map(own).eq(sizes.iter().copied()) {
            return Err(NotesError::Sizes);
        }
        Ok(NotesReader { reader, sizes, job, oldest, network_element, is_of_these_rules })
    }

    /// Reads the next note. `None` behind the last one.
    pub(crate) fn next(
        &mut self,
        rules: &Rules,
        memory: &mut NoteMemory,
    ) -> Result<Option<NoteHead<'n>>, NotesError> {
        if self.reader.is_empty() {
            return Ok(None);
        }
        let reader = &mut self.reader;
        let record = reader.number()?;
        let time = Seconds::try_from(reader.number()?).map_err(|_| Cut)?;
        let subject = usize::try_from(reader.number()?).map_err(|_| Cut)?;
        let (Some(of), Some((filter_octets, of_record))) =
            (rules.subjects.get(subject), self.sizes.get(subject).copied())
        else {
            return Err(NotesError::NoSubject);
        };
        let key = reader.sized()?;
        reader.number()?;
        let filters = reader.take(filter_octets)?;
        let measures = of.layout.measures();
        memory.inputs.clear();
        let present = reader.take(measures.len().div_ceil(8))?;
        for place in bits_of(present) {
            let measure = measures.get(place).ok_or(NotesError::NoMeasure)?;
            let number = match measure.kind {
                Kind::Count => 1,
                Kind::Recent(_) => packed(self.job, record),
                _ => reader.signed()?,
            };
            memory.inputs.push((place, number));
        }
        memory.of_record.clear();
        let present = reader.take(of_record.div_ceil(8))?;
        for place in 0..of_record {
            let value = has_bit(present, place).then(|| reader.signed()).transpose()?;
            memory.of_record.push(value);
        }
        Ok(Some(NoteHead { record, time, subject, key, filters }))
    }
}
