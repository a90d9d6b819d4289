//! Reads some records of a file, or searches for them.

use std::io;

use ::record::part::VALUE_OCTETS_MAX;
use ::record::{Anatomy, Arena, Part};
use format::{Excerpt, Reader, Stretch};

use super::octets::Octets;
use super::place::Placed;
use super::{At, Beginning, Record, Records, RecordsError, RecordsQuery, Search};

/// The most octets of records that are read for one answer, whether they are shown or not. After that the answer says
/// where to continue. Records before the first wanted one do not count: otherwise an answer would never get beyond them
/// where a file is read from its beginning.
const READ_OCTETS_MAX: u64 = 256 << 20;

/// The most records that are taken apart for one search.
const SEARCHED_MAX: u64 = 20_000;

/// The most octets of one record that are shown.
const SHOWN_OCTETS_MAX: usize = 16 << 10;

/// The most parts of all records of one answer: a user does not look through more, and the page would load slowly.
const PARTS_MAX: usize = 20_000;

const _: () = assert!(VALUE_OCTETS_MAX < SHOWN_OCTETS_MAX);

/// Reads the records of a query.
pub(super) fn read(placed: Placed<'_>, query: &RecordsQuery) -> Result<Records, RecordsError> {
    let failed = |cause| RecordsError::Read { file: placed.file.clone(), cause };
    let octets = placed.octets.there().map_err(failed)?;
    let mut page = Page { records: Vec::new(), read: 0, parts: 0, next: None };
    page.run(&placed, query).map_err(failed)?;
    let Page { records, read, next, .. } = page;
    let Placed { node, file, job, lies, .. } = placed;
    Ok(Records { node, file, lies, job, octets, records, read, next })
}

struct Page {
    records: Vec<Record>,
    read: u64,
    parts: usize,
    next: Option<Beginning>,
}

impl Page {
    fn run(&mut self, placed: &Placed<'_>, query: &RecordsQuery) -> io::Result<()> {
        let (mut reader, mut number) = begin(placed, query.from.at)?;
        let (mut arena, mut passed, mut searched) = (Arena::new(), 0, 0);
        loop {
            let position = reader.position();
            let at = At { record: number, offset: position.unwrap_or(0) };
            let at = position.map(|_| at);
            let is_enough = self.records.len() >= query.limit
                || self.parts >= PARTS_MAX
                || passed >= READ_OCTETS_MAX
                || searched >= SEARCHED_MAX;
            let context = is_wanted(number, query).then(|| reader.context().to_vec());
            arena.reset();
            let Some(found) = reader.next(&mut arena)? else { return Ok(()) };
            if is_enough {
                self.next = Some(Beginning { record: number.max(query.from.record), at });
                return Ok(());
            }
            self.read += 1;
            if let Some(context) = context {
                passed += found.octets.len() as u64;
                let excerpt = Excerpt { context: &context, octets: found.octets };
                let mut anatomy = placed.input.take_apart(&excerpt);
                // Before the search: what is found would tell what is masked.
                if let Some(mask) = &query.mask {
                    mask.anatomy(&mut anatomy);
                }
                searched += u64::from(query.search.is_some());
                if query.search.as_ref().is_none_or(|search| search.is_in(&anatomy)) {
                    self.parts += anatomy.parts.iter().flat_map(Part::all).count();
                    let shown = match query.mask {
                        None => found.octets.len().min(SHOWN_OCTETS_MAX),
                        Some(_) => 0,
                    };
                    let problem = found.record.err().map(|error| error.to_string());
                    let problem = problem.map(|problem| match &query.mask {
                        None => problem,
                        Some(mask) => mask.reason(&problem),
                    });
                    self.records.push(Record {
                        record: number,
                        offset: found.offset,
                        length: found.octets.len() as u64,
                        octets: found.octets[..shown].to_vec(),
                        problem,
                        anatomy,
                    });
                }
            }
            number = number.saturating_add(1);
        }
    }
}

fn is_wanted(number: u64, query: &RecordsQuery) -> bool {
    number >= query.from.record
}

/// Opens a reader, and returns it with the number of its next record. It continues at `at` if it can; otherwise it
/// begins at the start of the file.
pub fn begin<'p>(
    placed: &'p Placed<'_>,
    at: Option<At>,
) -> io::Result<(Box<dyn Reader + 'p>, u64)> {
    let reader = placed.input.open(&placed.octets)?;
    let (Some(at), Some(stretches), true) =
        (at, placed.input.stretches(), placed.octets.are_at_hand())
    else {
        return Ok((reader, 1));
    };
    let context = reader.context().to_vec();
    let behind = octets_from(&placed.octets, at.offset)?;
    let stretch = Stretch { offset: at.offset, octets: Vec::new(), begin: 0, end: 0, behind };
    Ok((stretches.read_on(&context, stretch)?, at.record))
}

fn octets_from(octets: &Octets, offset: u64) -> io::Result<Box<dyn io::Read>> {
    format::Contents::octets_from(octets, offset)
}

impl Search {
    /// Returns whether a record matches.
    fn is_in(&self, anatomy: &Anatomy) -> bool {
        let (field, value) = (self.field.to_lowercase(), self.value.to_lowercase());
        anatomy.parts.iter().any(|part| is_in(part, "", &field, &value))
    }
}

fn is_in(part: &Part, above: &str, field: &str, value: &str) -> bool {
    let path = format!("{above}.{}", part.name.to_lowercase());
    let is_field = field.is_empty() || path.ends_with(&format!(".{field}"));
    let has_value = || match &part.value {
        Some(found) => found.to_lowercase().contains(value),
        None => value.is_empty(),
    };
    (is_field && has_value()) || part.parts.iter().any(|part| is_in(part, &path, field, value))
}

#[cfg(test)]
mod tests {
    use format::{Contents, Input, Read, ReadError};

    use super::*;
    use crate::records::{Lies, RecordsOf};

    /// An input of large records.
    struct Large;

    const RECORDS: u64 = 1_000;
    const RECORD_OCTETS: usize = 1 << 20;

    impl Input for Large {
        fn open(&self, _: &dyn Contents) -> io::Result<Box<dyn Reader + '_>> {
            Ok(Box::new(Larges { read: 0, octets: vec![0; RECORD_OCTETS] }))
        }
    }

    struct Larges {
        read: u64,
        octets: Vec<u8>,
    }

    impl Reader for Larges {
        fn next(&mut self, _: &mut Arena) -> io::Result<Option<Read<'_>>> {
            self.read += 1;
            let offset = (self.read - 1) * RECORD_OCTETS as u64;
            let record = Err(ReadError::other(reason::Fixed("unknown", "unknown record")));
            Ok((self.read <= RECORDS).then_some(Read { offset, octets: &self.octets, record }))
        }
    }

    #[test]
    fn who_searches_a_large_file_that_is_compressed_comes_to_its_end() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let octets = Octets { is_archived: true, ..Octets::open(file.path()).unwrap() };
        let (node, file) = ("msc".to_owned(), "large.ber".to_owned());
        let placed = Placed { node, file, job: None, lies: Lies::Archive, input: &Large, octets };
        let mut from = Beginning { record: 1, at: None };
        let (mut answers, mut read) = (0, 0);
        loop {
            let search = Some(Search { field: "cell".into(), value: String::new() });
            let of = RecordsOf::Collected(1);
            let query = RecordsQuery { of, from, limit: 20, search, mask: None };
            let mut page = Page { records: Vec::new(), read: 0, parts: 0, next: None };
            page.run(&placed, &query).unwrap();
            answers += 1;
            read = page.read.max(read);
            let Some(next) = page.next else { break };
            assert!(next.record > from.record, "{next:?} is no further than {from:?}");
            from = next;
        }
        assert_eq!((answers, read), (4, RECORDS), "256 of them an answer");
    }

    fn part(name: &str, value: Option<&str>, parts: Vec<Part>) -> Part {
        Part { name: name.into(), value: value.map(str::to_owned), parts, ..Part::default() }
    }

    #[test]
    fn a_record_is_found_by_the_name_of_a_part_and_by_what_it_says() {
        let cell = part("cell", Some("4711"), Vec::new());
        let location = part("location", None, vec![cell]);
        let parts =
            vec![part("Call", None, vec![part("IMSI", Some("24001"), Vec::new()), location])];
        let anatomy = Anatomy { parts, ..Anatomy::default() };
        let check = |field: &str, value: &str| {
            Search { field: field.into(), value: value.into() }.is_in(&anatomy)
        };
        assert!(check("cell", "71") && check("location.cell", "4711") && check("imsi", "240"));
        assert!(check("", "4711") && check("location", "") && check("", ""));
        assert!(!check("imsi", "4711") && !check("ell", "4711") && !check("cell", "12"));
    }
}
