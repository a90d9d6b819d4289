//! Blocks of the trace: the notes on some thousands of consecutive records.

use serde::{Deserialize, Serialize};

use super::column::{self, NoColumn};
use super::step::Step;

/// The most records of a block. The notes on that many stay in a processor's cache.
pub(crate) const RECORDS_MAX: usize = 4096;

/// The head of a block, which is read without its columns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Head {
    pub records: u32,
    /// The positions of the first and the last record.
    pub first: u64,
    pub last: u64,
    /// The steps that its paths use.
    pub steps: Vec<Step>,
    /// The steps of each path, as indexes into `steps`.
    pub paths: Vec<Vec<u16>>,
    /// The number of values in the column `often`.
    pub often: u32,
    /// The systems that records were written for.
    pub systems: Vec<OfSystem>,
}

/// The totals of a system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OfSystem {
    pub name: String,
    pub records: u32,
    pub octets: u64,
}

/// The columns of a block.
pub(crate) struct Columns<'b> {
    /// The distance of each record from the one before it.
    pub distances: &'b [u32],
    pub paths: &'b [u32],
    /// The number of records written for a system from one record, where there are many.
    pub often: &'b [u32],
    /// The lengths of the records, for each system of the head.
    pub lengths: Vec<&'b [u32]>,
}

/// Appends a block, preceded by its length.
pub(crate) fn put(head: &Head, columns: &Columns<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    let head = postcard::to_stdvec(head).expect("numbers and texts can be written to memory");
    out.extend_from_slice(&head);
    column::put(columns.distances, out);
    column::put(columns.paths, out);
    column::put(columns.often, out);
    columns.lengths.iter().for_each(|lengths| column::put(lengths, out));
    let length = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// A reader of consecutive blocks.
pub struct Blocks<'b> {
    octets: &'b [u8],
}

/// A block that is read.
pub struct Block<'b> {
    /// The head, which is read without the columns.
    pub head: Head,
    columns: &'b [u8],
}

/// The notes on a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its position in its file, or the number of a group.
    pub position: u64,
    /// The steps of the record, in order.
    pub path: Vec<Step>,
    /// The systems that it was written for, each with the length in octets.
    pub written: Vec<(String, u32)>,
}

impl<'b> Blocks<'b> {
    /// Makes a reader of octets that are whole blocks, each after its length.
    pub fn new(octets: &'b [u8]) -> Self {
        Blocks { octets }
    }

    /// Returns the octets that are not read yet.
    pub fn octets_left(&self) -> &'b [u8] {
        self.octets
    }

    /// Returns the next block, if there is one.
    pub fn read(&mut self) -> Result<Option<Block<'b>>, NoColumn> {
        if self.octets.is_empty() {
            return Ok(None);
        }
        let length = self.octets.split_off(..4).and_then(|octets| octets.first_chunk());
        let length = u32::from_le_bytes(*length.ok_or(NoColumn)?);
        let block = self.octets.split_off(..length as usize).ok_or(NoColumn)?;
        let (head, columns) = postcard::take_from_bytes(block).map_err(|_| NoColumn)?;
        Ok(Some(Block { head, columns }))
    }
}

impl Block<'_> {
    /// Returns the notes on its records.
    pub fn lines(&self) -> Result<Vec<Line>, NoColumn> {
        let Head { records, first, ref steps, ref paths, often, ref systems, .. } = self.head;
        let mut left = self.columns;
        let distances = column::take(&mut left, records as usize)?;
        let path_numbers = column::take(&mut left, records as usize)?;
        let mut often = column::take(&mut left, often as usize)?.into_iter();
        let mut lengths = Vec::new();
        for system in systems {
            lengths.push(column::take(&mut left, system.records as usize)?.into_iter());
        }
        let mut position = first;
        let mut lines = Vec::with_capacity(distances.len());
        for (distance, path) in distances.into_iter().zip(path_numbers) {
            position = position.wrapping_add(u64::from(distance));
            let path = paths.get(path as usize).ok_or(NoColumn)?;
            let path =
                path.iter().map(|step| steps.get(usize::from(*step)).cloned().ok_or(NoColumn));
            let path: Vec<Step> = path.collect::<Result<_, _>>()?;
            let mut written = Vec::new();
            for step in &path {
                let (name, times) = match step {
                    Step::Written { system } => (system, 1),
                    Step::WrittenOften { system } => (system, often.next().ok_or(NoColumn)?),
                    _ => continue,
                };
                let place = systems.iter().position(|system| system.name == *name);
                let lengths = &mut lengths[place.ok_or(NoColumn)?];
                for _ in 0..times {
                    written.push((name.clone(), lengths.next().ok_or(NoColumn)?));
                }
            }
            lines.push(Line { position, path, written });
        }
        Ok(lines)
    }
}
