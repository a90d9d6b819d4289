//! Blocks: what is noted of some thousands of records that follow each other.

use serde::{Deserialize, Serialize};

use super::column::{self, NoColumn};
use super::step::Step;

/// Records of a block: what is noted of them stays in a processor's cache until they are many.
pub(crate) const RECORDS_MAX: usize = 4096;

/// What of a block is known without looking at its columns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) records: u32,
    /// Where the first record lies, and the last.
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// The steps of its ways.
    pub(crate) steps: Vec<Step>,
    /// By way: its steps.
    pub(crate) ways: Vec<Vec<u16>>,
    /// How often more than some records were made of one.
    pub(crate) often: u32,
    /// The systems that something was written for.
    pub(crate) systems: Vec<OfSystem>,
}

/// What was written for a system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OfSystem {
    pub(crate) name: String,
    pub(crate) records: u32,
    pub(crate) octets: u64,
}

/// The columns of a block.
pub(crate) struct Columns<'b> {
    /// How far each record lies behind the one before it.
    pub(crate) distances: &'b [u32],
    pub(crate) ways: &'b [u32],
    /// How many records were written for a system of one, where they are many.
    pub(crate) often: &'b [u32],
    /// By system of the head: how long the records are.
    pub(crate) lengths: Vec<&'b [u32]>,
}

/// Adds a block behind its length.
pub(crate) fn put(head: &Head, columns: &Columns<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    let head = postcard::to_stdvec(head).expect("numbers and texts can be written to memory");
    out.extend_from_slice(&head);
    column::put(columns.distances, out);
    column::put(columns.ways, out);
    column::put(columns.often, out);
    columns.lengths.iter().for_each(|lengths| column::put(lengths, out));
    let length = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// Blocks as they were put, one behind the other.
pub(crate) struct Blocks<'b> {
    octets: &'b [u8],
}

/// A block that is looked at.
pub(crate) struct Block<'b> {
    pub(crate) head: Head,
    columns: &'b [u8],
}

/// What is noted of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Where it lies in its file; or the number of a group.
    pub(crate) position: u64,
    pub(crate) way: Vec<Step>,
    /// The systems that something was written for, and how long that is.
    pub(crate) written: Vec<(String, u32)>,
}

impl<'b> Blocks<'b> {
    pub(crate) fn new(octets: &'b [u8]) -> Self {
        Blocks { octets }
    }

    /// Those that are not looked at yet.
    pub(crate) fn octets_left(&self) -> &'b [u8] {
        self.octets
    }

    /// The next block, if there is one.
    pub(crate) fn next(&mut self) -> Result<Option<Block<'b>>, NoColumn> {
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
    /// What is noted of its records.
    pub(crate) fn lines(&self) -> Result<Vec<Line>, NoColumn> {
        let Head { records, first, ref steps, ref ways, often, ref systems, .. } = self.head;
        let mut left = self.columns;
        let distances = column::take(&mut left, records as usize)?;
        let of_ways = column::take(&mut left, records as usize)?;
        let mut often = column::take(&mut left, often as usize)?.into_iter();
        let mut lengths = Vec::new();
        for system in systems {
            lengths.push(column::take(&mut left, system.records as usize)?.into_iter());
        }
        let mut position = first;
        let mut lines = Vec::with_capacity(distances.len());
        for (distance, way) in distances.into_iter().zip(of_ways) {
            position = position.wrapping_add(u64::from(distance));
            let way = ways.get(way as usize).ok_or(NoColumn)?;
            let way = way.iter().map(|step| steps.get(usize::from(*step)).cloned().ok_or(NoColumn));
            let way: Vec<Step> = way.collect::<Result<_, _>>()?;
            let mut written = Vec::new();
            for step in &way {
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
            lines.push(Line { position, way, written });
        }
        Ok(lines)
    }
}
