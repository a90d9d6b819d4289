//! Records the trace of each record: its position, its path, and the lengths of what was written of it.

use std::io;
use std::sync::Arc;

use super::block::{self, Columns, Head, OfSystem, RECORDS_MAX};
use super::path_counters::Passages;
use super::path_tree::PathTree;
use super::row::TraceRow;
use super::shelf::Shelf;
use super::step::{Numbers, Step, steps};
use flow::fusion::Role;
use flow::outcome::Why;
use flow::topology::Topology;

/// The most octets of blocks that stay in memory and then go into the journal's row.
const IN_ROW_OCTETS_MAX: usize = 32 << 10;

/// The recorder of a worker.
pub struct Recorder {
    systems: Vec<String>,
    numbers: Numbers,
    /// The steps by number.
    steps: Vec<Vec<Step>>,
    /// The position of the current record.
    position: u64,
    open: Open,
    row: TraceRow,
    shelf: Arc<Shelf>,
}

/// A block that is being filled.
struct Open {
    records: usize,
    first: u64,
    last: u64,
    distances: Box<[u32; RECORDS_MAX]>,
    path_numbers: Box<[u32; RECORDS_MAX]>,
    often: Vec<u32>,
    /// The lengths by system, including those of the current record.
    lengths: Vec<Vec<u32>>,
    /// The paths in the block.
    paths: Vec<u32>,
}

impl Recorder {
    /// Makes a recorder for a flow. Blocks that do not fit into the journal's row go to `shelf`.
    pub fn new(flow: &Topology, roles: &[Role], shelf: Arc<Shelf>) -> Self {
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

    /// Returns the number of different steps.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Begins a file.
    pub fn clear(&mut self, passages: &mut Passages) {
        self.row = TraceRow::default();
        self.open.clear(&mut passages.paths);
    }

    /// Sets the position of the next record.
    #[inline(always)]
    pub fn at(&mut self, passages: &mut Passages, position: u64) {
        self.position = position;
        if position.wrapping_sub(self.open.last) > u64::from(u32::MAX) {
            // It lies before the last record or far after it, so it begins a block.
            self.close(passages);
        }
    }

    /// Notes octets that were written of the current record for a system.
    #[inline(always)]
    pub fn written(&mut self, passages: &mut Passages, system: usize, octets: usize) {
        passages.step(self.numbers.written(system));
        self.open.lengths[system].push(octets as u32);
    }

    /// Takes back records that were written last of the current record.
    pub fn take_back(&mut self, system: usize, records: u64) {
        let lengths = &mut self.open.lengths[system];
        lengths.truncate(lengths.len() - records as usize);
    }

    /// Notes the octets before the first record for a system.
    pub fn begun(&mut self, system: usize, octets: usize) {
        self.row.begun(&self.systems[system], octets as u64);
    }

    /// Notes how many records were written of the current record, if it has steps that its path does not have.
    #[cold]
    pub fn beyond(&mut self, passages: &mut Passages) {
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

    /// Notes a kept record by its path and the path's number in the open block plus 1. Returns whether there may be much
    /// to [put away](Self::put_away).
    #[inline(always)]
    pub fn keep(&mut self, passages: &mut Passages, (path, in_block): (u32, u32)) -> bool {
        if in_block == 0 || self.open.records >= RECORDS_MAX - 1 {
            return self.note(passages, path);
        }
        self.open.put(self.position, in_block - 1);
        false
    }

    /// Notes a record that was taken back and set aside at a place, which ends its path. Nothing was written of it.
    #[cold]
    pub fn set_aside(&mut self, passages: &mut Passages, (place, why): (usize, Why)) {
        let numbers = self.numbers;
        let steps = passages.steps().into_iter().filter(|step| numbers.is_counted(*step));
        let more = passages.beyond().any(|step| numbers.is_counted(step)).then(|| numbers.more());
        let end = match why {
            Why::Suspended => numbers.suspended(place),
            Why::Duplicate => numbers.duplicate(place),
        };
        let steps = steps.chain(more).chain([end]);
        let path = steps.fold(0, |path, step| passages.paths.longer(path, step));
        self.note(passages, path);
    }

    /// Notes that the next record could not be read.
    #[cold]
    pub fn unreadable(&mut self, passages: &mut Passages) {
        let path = passages.paths.longer(0, self.numbers.unreadable());
        self.note(passages, path);
    }

    /// Notes a record, including the first and the last of a block. Returns whether it was the last.
    #[cold]
    #[inline(never)]
    fn note(&mut self, passages: &mut Passages, path: u32) -> bool {
        let open = &mut self.open;
        if open.records == 0 {
            (open.first, open.last) = (self.position, self.position);
        }
        let in_block = passages.paths.in_block(path);
        if *in_block == 0 {
            open.paths.push(path);
            *in_block = open.paths.len() as u32;
        }
        open.put(self.position, *in_block - 1);
        let is_full = open.records >= RECORDS_MAX || passages.paths.are_crowded();
        if is_full {
            self.close(passages);
        }
        is_full
    }

    /// Ends the open block. Call it between records.
    #[cold]
    pub fn close(&mut self, passages: &mut Passages) {
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
            let mut path = |path: &u32| -> Vec<u16> {
                let steps = passages.paths.steps_of(*path);
                let steps = steps.iter().flat_map(|step| &self.steps[*step as usize]);
                steps.map(&mut number).collect()
            };
            let paths = open.paths.iter().map(&mut path).collect();
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
                paths,
                often: open.often.len() as u32,
                systems: systems.collect(),
            };
            let head = Head { steps: named, ..head };
            let columns = Columns {
                distances: &open.distances[..open.records],
                paths: &open.path_numbers[..open.records],
                often: &open.often,
                lengths: written.map(|(lengths, _)| lengths.as_slice()).collect(),
            };
            block::put(&head, &columns, self.row.blocks());
        }
        self.open.clear(&mut passages.paths);
        passages.relieve();
    }

    /// Moves the blocks to the shelf if they are more than the journal's row takes.
    #[cold]
    pub fn put_away(&mut self) -> io::Result<()> {
        if self.row.blocks().len() <= IN_ROW_OCTETS_MAX {
            return Ok(());
        }
        let piece = self.shelf.append(self.row.blocks())?;
        self.row.put_away(piece);
        Ok(())
    }

    /// Exchanges the blocks with those of a chunk of the file.
    pub fn swap(&mut self, passages: &mut Passages, part: &mut Vec<u8>) {
        self.close(passages);
        std::mem::swap(self.row.blocks(), part);
    }

    /// Adds the blocks of the next chunk of the file.
    pub fn add(&mut self, passages: &mut Passages, part: &[u8]) -> io::Result<()> {
        self.close(passages);
        self.row.blocks().extend_from_slice(part);
        self.put_away()
    }

    /// Takes the trace of the file.
    pub fn take(&mut self, passages: &mut Passages) -> TraceRow {
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
            path_numbers: Box::new([0; RECORDS_MAX]),
            often: Vec::new(),
            lengths: vec![Vec::new(); systems],
            paths: Vec::new(),
        }
    }

    #[inline(always)]
    fn put(&mut self, position: u64, path: u32) {
        self.distances[self.records] = position.wrapping_sub(self.last) as u32;
        self.path_numbers[self.records] = path;
        self.records += 1;
        self.last = position;
    }

    fn clear(&mut self, paths: &mut PathTree) {
        self.paths.drain(..).for_each(|path| *paths.in_block(path) = 0);
        self.records = 0;
        self.often.clear();
        self.lengths.iter_mut().for_each(Vec::clear);
    }
}
