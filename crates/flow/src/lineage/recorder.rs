//! Notes of each record what the trace has of it: where it lies, which way it took, and how long what was written of it is.

use std::io;
use std::sync::Arc;

use super::block::{self, Columns, Head, OfSystem, RECORDS_MAX};
use super::path_counters::Passages;
use super::path_tree::PathTree;
use super::row::TraceRow;
use super::shelf::Shelf;
use super::step::{Numbers, Step, steps};
use crate::definition::fusion::Role;
use crate::definition::outcome::Why;
use crate::definition::topology::Topology;

/// Octets of blocks that lie in memory, and then in the row of the journal.
const IN_ROW_OCTETS_MAX: usize = 32 << 10;

/// What a worker has for it.
pub(crate) struct Recorder {
    systems: Vec<String>,
    numbers: Numbers,
    /// By number of a step.
    steps: Vec<Vec<Step>>,
    /// Where the record in hand lies.
    position: u64,
    open: Open,
    row: TraceRow,
    shelf: Arc<Shelf>,
}

/// A block that is not full.
struct Open {
    records: usize,
    first: u64,
    last: u64,
    distances: Box<[u32; RECORDS_MAX]>,
    of_ways: Box<[u32; RECORDS_MAX]>,
    often: Vec<u32>,
    /// By system; those of what was written of the record in hand too.
    lengths: Vec<Vec<u32>>,
    /// The ways in it.
    ways: Vec<u32>,
}

impl Recorder {
    /// Of the records of a flow; what does not lie in the journal's row goes to the shelf.
    pub(crate) fn new(flow: &Topology, roles: &[Role], shelf: Arc<Shelf>) -> Self {
        let (steps, numbers) = steps(flow, roles);
        let systems: Vec<String> = flow.systems.iter().map(|system| system.name.clone()).collect();
        Recorder {
            open: Open::new(systems.len()),
            systems,
            numbers,
            steps,
            position: 0,
            row: TraceRow::default(),
            shelf,
        }
    }

    /// How many different steps there are.
    pub(crate) fn steps(&self) -> usize {
        self.steps.len()
    }

    /// A file begins.
    pub(crate) fn clear(&mut self, passages: &mut Passages) {
        self.row = TraceRow::default();
        self.open.clear(&mut passages.ways);
    }

    /// The next record lies there.
    #[inline(always)]
    pub(crate) fn at(&mut self, passages: &mut Passages, position: u64) {
        self.position = position;
        if position.wrapping_sub(self.open.last) > u64::from(u32::MAX) {
            // It lies before the last, or far behind it: it begins a block.
            self.close(passages);
        }
    }

    /// So many octets were written of the record in hand.
    #[inline(always)]
    pub(crate) fn written(&mut self, passages: &mut Passages, system: usize, octets: usize) {
        passages.step(self.numbers.written(system));
        self.open.lengths[system].push(octets as u32);
    }

    /// So many that were written of the record in hand are taken back.
    pub(crate) fn take_back(&mut self, system: usize, records: u64) {
        let lengths = &mut self.open.lengths[system];
        lengths.truncate(lengths.len() - records as usize);
    }

    /// So many octets stand before the first record for a system.
    pub(crate) fn begun(&mut self, system: usize, octets: usize) {
        self.row.begun(&self.systems[system], octets as u64);
    }

    /// The record in hand has steps that its way does not have: how many were written of it is noted beside it.
    #[cold]
    pub(crate) fn beyond(&mut self, passages: &mut Passages) {
        let beyond: Vec<u32> = passages.beyond().collect();
        if beyond.is_empty() {
            return;
        }
        passages.lengthen(self.numbers.more());
        for system in 0..self.systems.len() {
            let written = self.numbers.written(system);
            match beyond.iter().filter(|step| **step == written).count() {
                0 => {}
                1 => passages.lengthen(written),
                times => {
                    passages.lengthen(self.numbers.written_often(system));
                    self.open.often.push(times as u32);
                }
            }
        }
    }

    /// A record was kept that took a way, of which the number in the open block is known, and 1. Returns whether there may be
    /// much to be [put away](Self::put_away).
    #[inline(always)]
    pub(crate) fn kept(&mut self, passages: &mut Passages, (way, in_block): (u32, u32)) -> bool {
        if in_block == 0 || self.open.records >= RECORDS_MAX - 1 {
            return self.note(passages, way);
        }
        self.open.put(self.position, in_block - 1);
        false
    }

    /// A record is taken back and set aside at a place, with which its way ends. Nothing was written of it.
    #[cold]
    pub(crate) fn set_aside(&mut self, passages: &mut Passages, (place, why): (usize, Why)) {
        let numbers = self.numbers;
        let steps = passages.steps().into_iter().filter(|step| numbers.is_counted(*step));
        let more = passages.beyond().any(|step| numbers.is_counted(step)).then(|| numbers.more());
        let end = match why {
            Why::Suspended => numbers.suspended(place),
            Why::Duplicate => numbers.duplicate(place),
        };
        let steps = steps.chain(more).chain([end]);
        let way = steps.fold(0, |way, step| passages.ways.longer(way, step));
        self.note(passages, way);
    }

    /// The next record could not be read.
    #[cold]
    pub(crate) fn unreadable(&mut self, passages: &mut Passages) {
        let way = passages.ways.longer(0, self.numbers.unreadable());
        self.note(passages, way);
    }

    /// Notes a record, also where it is the first or the last of its block; returns whether it was the last.
    #[cold]
    #[inline(never)]
    fn note(&mut self, passages: &mut Passages, way: u32) -> bool {
        let open = &mut self.open;
        if open.records == 0 {
            (open.first, open.last) = (self.position, self.position);
        }
        let in_block = passages.ways.in_block(way);
        if *in_block == 0 {
            open.ways.push(way);
            *in_block = open.ways.len() as u32;
        }
        open.put(self.position, *in_block - 1);
        let is_full = open.records >= RECORDS_MAX || passages.ways.are_crowded();
        if is_full {
            self.close(passages);
        }
        is_full
    }

    /// Ends the block that is open, between records.
    #[cold]
    pub(crate) fn close(&mut self, passages: &mut Passages) {
        let open = &self.open;
        if open.records > 0 {
            let mut named = Vec::new();
            let mut number = |step: &Step| {
                let place = named.iter().position(|known| known == step);
                place.unwrap_or_else(|| {
                    named.push(step.clone());
                    named.len() - 1
                }) as u16
            };
            let mut way = |way: &u32| -> Vec<u16> {
                let steps = passages.ways.steps_of(*way);
                let steps = steps.iter().flat_map(|step| &self.steps[*step as usize]);
                steps.map(&mut number).collect()
            };
            let ways = open.ways.iter().map(&mut way).collect();
            let written = open.lengths.iter().zip(&self.systems);
            let written = written.filter(|(lengths, _)| !lengths.is_empty());
            let systems = written.clone().map(|(lengths, name)| OfSystem {
                name: name.clone(),
                records: lengths.len() as u32,
                octets: lengths.iter().map(|length| u64::from(*length)).sum(),
            });
            let head = Head {
                records: open.records as u32,
                first: open.first,
                last: open.last,
                steps: Vec::new(),
                ways,
                often: open.often.len() as u32,
                systems: systems.collect(),
            };
            let head = Head { steps: named, ..head };
            let columns = Columns {
                distances: &open.distances[..open.records],
                ways: &open.of_ways[..open.records],
                often: &open.often,
                lengths: written.map(|(lengths, _)| lengths.as_slice()).collect(),
            };
            block::put(&head, &columns, self.row.blocks());
        }
        self.open.clear(&mut passages.ways);
        passages.relieve();
    }

    /// Writes away what there is beyond what a row of the journal has.
    #[cold]
    pub(crate) fn put_away(&mut self) -> io::Result<()> {
        if self.row.blocks().len() <= IN_ROW_OCTETS_MAX {
            return Ok(());
        }
        let piece = self.shelf.append(self.row.blocks())?;
        self.row.put_away(piece);
        Ok(())
    }

    /// Goes on with what is noted of a stretch of the file, and leaves there what it had; or comes back to that.
    pub(crate) fn swap(&mut self, passages: &mut Passages, part: &mut Vec<u8>) {
        self.close(passages);
        std::mem::swap(self.row.blocks(), part);
    }

    /// Adds what was noted of the next stretch of the file.
    pub(crate) fn add(&mut self, passages: &mut Passages, part: &[u8]) -> io::Result<()> {
        self.close(passages);
        self.row.blocks().extend_from_slice(part);
        self.put_away()
    }

    /// What was noted of a file.
    pub(crate) fn take(&mut self, passages: &mut Passages) -> TraceRow {
        self.close(passages);
        std::mem::take(&mut self.row)
    }
}

impl Open {
    fn new(systems: usize) -> Self {
        Open {
            records: 0,
            first: 0,
            last: 0,
            distances: Box::new([0; RECORDS_MAX]),
            of_ways: Box::new([0; RECORDS_MAX]),
            often: Vec::new(),
            lengths: vec![Vec::new(); systems],
            ways: Vec::new(),
        }
    }

    #[inline(always)]
    fn put(&mut self, position: u64, way: u32) {
        self.distances[self.records] = position.wrapping_sub(self.last) as u32;
        self.of_ways[self.records] = way;
        self.records += 1;
        self.last = position;
    }

    fn clear(&mut self, ways: &mut PathTree) {
        self.ways.drain(..).for_each(|way| *ways.in_block(way) = 0);
        self.records = 0;
        self.often.clear();
        self.lengths.iter_mut().for_each(Vec::clear);
    }
}
