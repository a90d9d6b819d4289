//! Searches the trace of one job for a record, block by block.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;

use super::report::{Delivered, Place};
use lineage::{Block, Blocks, Line};
use lineage::{NoColumn, TraceRow};

/// How much a job or a file has, where it does not have what is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    Records(u64),
    /// The octets of all its records.
    Octets(u64),
}

impl fmt::Display for Amount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Records(records) => {
                formatter.write_str(&diagnostics::counted(*records as usize, "record"))
            }
            Amount::Octets(octets) => write!(formatter, "records up to octet {octets}"),
        }
    }
}

/// What to look for in the trace of a job.
#[derive(Clone, Copy)]
pub(super) enum Wanted<'w> {
    Record(u64),
    /// The last record that begins at this octet or before it.
    Within(u64),
    /// The record that begins at this octet.
    Begins(u64),
    Made {
        system: &'w str,
        place: Place,
    },
}

/// The trace of a record, and where the record is.
pub(super) struct Found {
    pub(super) record: u64,
    pub(super) line: Line,
    pub(super) outputs: Vec<Delivered>,
}

/// How much of a job's trace was read.
#[derive(Clone)]
pub(super) struct Cursor<'s> {
    /// The files that were made, by system.
    outputs: &'s [(String, PathBuf)],
    records: u64,
    /// Records and octets so far, by system.
    made: HashMap<String, (u64, u64)>,
    /// The block that may have the record if no later block has it, and the counts before that block.
    before: Option<Box<(Vec<u8>, Cursor<'s>)>>,
}

impl<'s> Cursor<'s> {
    pub(super) fn new(row: &TraceRow, outputs: &'s [(String, PathBuf)]) -> Self {
        let made = outputs.iter().map(|(system, _)| (system.clone(), (0, row.before(system))));
        Cursor { outputs, records: 0, made: made.collect(), before: None }
    }

    /// Searches blocks.
    pub(super) fn look(
        &mut self,
        octets: &[u8],
        wanted: Wanted<'_>,
    ) -> Result<Option<Found>, NoColumn> {
        let mut blocks = Blocks::new(octets);
        loop {
            let left = blocks.octets_left();
            let Some(block) = blocks.read()? else { return Ok(None) };
            let head = &block.head;
            let records = self.records + u64::from(head.records);
            let may_have = match wanted {
                Wanted::Record(record) => (self.records + 1..=records).contains(&record),
                Wanted::Begins(at) => (head.first..=head.last).contains(&at),
                Wanted::Within(offset) => {
                    if head.first <= offset {
                        let octets = left[..left.len() - blocks.octets_left().len()].into();
                        let cursor = Cursor { before: None, ..self.clone() };
                        self.before = Some(Box::new((octets, cursor)));
                    }
                    false
                }
                Wanted::Made { system, place } => {
                    let (before, at) = self.made(system);
                    let of = head.systems.iter().find(|of| of.name == system);
                    let (count, octets) =
                        of.map_or((0, 0), |of| (u64::from(of.records), of.octets));
                    match place {
                        Place::Record(record) => (before + 1..=before + count).contains(&record),
                        Place::Offset(offset) => (at..at + octets).contains(&offset),
                    }
                }
            };
            if may_have && let Some(found) = self.clone().within(&block, wanted)? {
                return Ok(Some(found));
            }
            self.pass(&block);
        }
    }

    /// Searches the block that was noted as a candidate.
    pub(super) fn candidate(&mut self, wanted: Wanted<'_>) -> Result<Option<Found>, NoColumn> {
        let Some(before) = self.before.take() else { return Ok(None) };
        let (octets, cursor) = *before;
        match Blocks::new(&octets).read()? {
            Some(block) => cursor.within(&block, wanted),
            None => Ok(None),
        }
    }

    fn pass(&mut self, block: &Block<'_>) {
        self.records += u64::from(block.head.records);
        for of in &block.head.systems {
            let made = self.made.entry(of.name.clone()).or_default();
            *made = (made.0 + u64::from(of.records), made.1 + of.octets);
        }
    }

    fn made(&self, system: &str) -> (u64, u64) {
        self.made.get(system).copied().unwrap_or_default()
    }

    /// Adds the records of these numbers that the blocks have, and returns the numbers of the others. The numbers are
    /// sorted.
    pub(super) fn all<'n>(
        &mut self,
        octets: &[u8],
        mut numbers: &'n [u64],
        found: &mut Vec<Found>,
    ) -> Result<&'n [u64], NoColumn> {
        let mut blocks = Blocks::new(octets);
        while let Some(block) = blocks.read()? {
            let records = self.records + u64::from(block.head.records);
            let (here, behind) = numbers.split_at(numbers.partition_point(|of| *of <= records));
            if !here.is_empty() {
                self.clone().each(&block, |of| {
                    if here.binary_search(&of.record).is_ok() {
                        found.push(of);
                    }
                    true
                })?;
            }
            numbers = behind;
            self.pass(&block);
        }
        Ok(numbers)
    }

    fn within(self, block: &Block<'_>, wanted: Wanted<'_>) -> Result<Option<Found>, NoColumn> {
        let mut found = None;
        self.each(block, |of| {
            let is_it = match wanted {
                Wanted::Record(record) => of.record == record,
                Wanted::Begins(at) => of.line.position == at,
                Wanted::Within(offset) => {
                    let is_before = of.line.position <= offset;
                    if is_before {
                        found = Some(of);
                    }
                    return is_before;
                }
                Wanted::Made { system, place } => of.outputs.iter().any(|made| {
                    made.post_processing_system == system
                        && match place {
                            Place::Record(record) => made.record == record,
                            Place::Offset(offset) => (made.offset
                                ..made.offset + u64::from(made.octets))
                                .contains(&offset),
                        }
                }),
            };
            if is_it {
                found = Some(of);
            }
            !is_it
        })?;
        Ok(found)
    }

    /// Passes each record of a block to `shows`, until that returns `false`.
    fn each(
        mut self,
        block: &Block<'_>,
        mut shows: impl FnMut(Found) -> bool,
    ) -> Result<(), NoColumn> {
        for line in block.lines()? {
            self.records += 1;
            let mut outputs = Vec::new();
            for (system, octets) in &line.written {
                let made = self.made.entry(system.clone()).or_default();
                let (record, offset) = (made.0 + 1, made.1);
                *made = (record, offset + u64::from(*octets));
                let file = self.outputs.iter().find(|(of, _)| of == system);
                outputs.push(Delivered {
                    post_processing_system: system.clone(),
                    file: file.map_or(PathBuf::new(), |(_, path)| path.clone()),
                    record,
                    offset,
                    octets: *octets,
                    carried: None,
                });
            }
            if !shows(Found { record: self.records, line, outputs }) {
                break;
            }
        }
        Ok(())
    }

    /// Returns how many records or octets there are.
    pub(super) fn has(&self, wanted: Wanted<'_>) -> Amount {
        match wanted {
            Wanted::Made { system, place } => {
                let (records, octets) = self.made(system);
                match place {
                    Place::Record(_) => Amount::Records(records),
                    Place::Offset(_) => Amount::Octets(octets),
                }
            }
            _ => Amount::Records(self.records),
        }
    }
}
