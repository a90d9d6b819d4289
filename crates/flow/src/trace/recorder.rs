//! Notes of each record what the trace has of it, while it is in hand: a few additions and moves, no search.

use std::io;
use std::sync::Arc;

use super::block::{self, Columns, Head, OfSystem, RECORDS_MAX};
use super::row::TraceRow;
use super::shelf::Shelf;
use super::step::{Numbers, Step, steps};
use crate::journal::Book;
use crate::prepare::Prepared;
use crate::suspense::Why;

/// Octets of blocks that lie in memory, and then in the row of the journal.
const IN_ROW_OCTETS_MAX: usize = 32 << 10;

/// Steps that are noted of a way before those of systems.
const STEPS_MAX: usize = 64;

/// Records that are made of one, each of which is a step. Of more, the number is noted.
const WRITTEN_MAX: usize = 8;

/// Places for what may follow where a way has come to; when there are more, it is begun anew.
const PLACES_MAX: usize = 1 << 20;

/// What a worker has for it.
pub(crate) struct Recorder {
    systems: Vec<String>,
    numbers: Numbers,
    /// By number of a step.
    steps: Arc<[Vec<Step>]>,
    ways: Ways,
    /// Where the record in hand lies.
    position: u64,
    /// What was written of the record in hand: for which system, how many octets.
    written: Vec<(u16, u32)>,
    open: Open,
    row: TraceRow,
    shelf: Arc<Shelf>,
}

/// All ways that records took so far, as a tree: each begins with the first step.
struct Ways {
    steps: usize,
    /// By way and step: the way that is longer by this step; 0 where there is none yet.
    next: Vec<u32>,
    /// By way: that without its last step, and this.
    last: Vec<(u32, u32)>,
    /// By way: its number in the open block, and 1; 0 where it has none.
    in_block: Vec<u32>,
}

/// A block that is not full.
#[derive(Default)]
struct Open {
    first: u64,
    last: u64,
    distances: Vec<u32>,
    of_ways: Vec<u32>,
    often: Vec<u32>,
    /// By system.
    lengths: Vec<Vec<u32>>,
    /// The ways in it.
    ways: Vec<u32>,
}

impl Recorder {
    /// For the flow, if it is to be traced.
    pub(crate) fn new(flow: &Prepared, book: &Book) -> Option<Self> {
        if !book.is_kept || !flow.trace.is_on {
            return None;
        }
        let (steps, numbers) = steps(flow);
        let systems: Vec<String> = flow.systems.iter().map(|system| system.name.clone()).collect();
        let open = Open { lengths: vec![Vec::new(); systems.len()], ..Open::default() };
        Some(Recorder {
            ways: Ways::new(steps.len()),
            systems,
            numbers,
            steps: steps.into(),
            position: 0,
            written: Vec::new(),
            open,
            row: TraceRow::default(),
            shelf: Arc::clone(&book.shelf),
        })
    }

    /// A file begins.
    pub(crate) fn clear(&mut self) {
        self.row = TraceRow::default();
        self.written.clear();
        self.open.clear(&mut self.ways);
    }

    /// The record in hand lies there.
    #[inline(always)]
    pub(crate) fn at(&mut self, position: u64) {
        self.position = position;
        if position.wrapping_sub(self.open.last) > u64::from(u32::MAX) {
            // It lies before the last, or far behind it: it begins a block.
            self.close();
        }
    }

    /// So many octets were written of the record in hand.
    #[inline(always)]
    pub(crate) fn written(&mut self, system: usize, octets: usize) {
        self.written.push((system as u16, octets as u32));
    }

    /// So many octets stand before the first record for a system.
    pub(crate) fn begun(&mut self, system: usize, octets: usize) {
        self.row.begun(&self.systems[system], octets as u64);
    }

    /// The record in hand is kept, and came by these steps. Returns whether there is much to be [put away](Self::put_away).
    #[inline(always)]
    pub(crate) fn kept(&mut self, steps: impl ExactSizeIterator<Item = u32>) -> bool {
        if steps.len() > STEPS_MAX || self.written.len() > WRITTEN_MAX {
            self.long(steps);
            return true;
        }
        let mut way = 0;
        for step in steps {
            way = self.ways.step(way, step);
        }
        for (system, octets) in &self.written {
            way = self.ways.step(way, self.numbers.written(*system));
            self.open.lengths[usize::from(*system)].push(*octets);
        }
        self.written.clear();
        self.note(way)
    }

    /// What was written of the record in hand is taken back; it is set aside, or none that is counted.
    #[cold]
    pub(crate) fn taken_back(
        &mut self,
        steps: impl ExactSizeIterator<Item = u32>,
        set_aside: Option<(usize, Why)>,
    ) {
        self.written.clear();
        let Some((place, why)) = set_aside else { return };
        let way = self.steps_of(steps);
        let way = self.ways.step(
            way,
            match why {
                Why::Suspended => self.numbers.suspended(place),
                Why::Duplicate => self.numbers.duplicate(place),
            },
        );
        self.note(way);
    }

    /// The record in hand could not be read.
    #[cold]
    pub(crate) fn unreadable(&mut self) {
        let way = self.ways.step(0, self.numbers.unreadable());
        self.note(way);
    }

    /// A way that has many steps, or a record of which many were made.
    #[cold]
    fn long(&mut self, steps: impl ExactSizeIterator<Item = u32>) {
        let mut way = self.steps_of(steps);
        for system in 0..self.systems.len() as u16 {
            let lengths = self.written.iter().filter(|(of, _)| *of == system);
            let before = self.open.lengths[usize::from(system)].len();
            self.open.lengths[usize::from(system)].extend(lengths.map(|(_, octets)| *octets));
            let count = self.open.lengths[usize::from(system)].len() - before;
            if count > 0 {
                way = self.ways.step(way, self.numbers.written_often(system));
                self.open.often.push(count as u32);
            }
        }
        self.written.clear();
        self.note(way);
    }

    fn steps_of(&mut self, steps: impl ExactSizeIterator<Item = u32>) -> u32 {
        let are_more = steps.len() > STEPS_MAX;
        let way = steps.take(STEPS_MAX).fold(0, |way, step| self.ways.step(way, step));
        if are_more { self.ways.step(way, self.numbers.more()) } else { way }
    }

    /// Notes the record in hand; returns whether a block is full.
    #[inline(always)]
    fn note(&mut self, way: u32) -> bool {
        if self.open.distances.is_empty() {
            self.open.first = self.position;
            self.open.last = self.position;
        }
        self.open.distances.push(self.position.wrapping_sub(self.open.last) as u32);
        self.open.last = self.position;
        let known = self.ways.in_block[way as usize];
        let number = if known > 0 { known - 1 } else { self.open.way(way, &mut self.ways) };
        self.open.of_ways.push(number);
        let is_full = self.open.distances.len() >= RECORDS_MAX || self.ways.are_crowded();
        if is_full {
            self.close();
        }
        is_full
    }

    /// Ends the block that is open.
    #[cold]
    pub(crate) fn close(&mut self) {
        let Open { first, last, distances, of_ways, often, lengths, ways } = &self.open;
        if !distances.is_empty() {
            let mut named = Vec::new();
            let mut number = |step: &Step| {
                let place = named.iter().position(|known| known == step);
                place.unwrap_or_else(|| {
                    named.push(step.clone());
                    named.len() - 1
                }) as u16
            };
            let mut way = |way: &u32| -> Vec<u16> {
                let steps = self.ways.steps_of(*way);
                let steps = steps.iter().flat_map(|step| &self.steps[*step as usize]);
                steps.map(&mut number).collect()
            };
            let ways = ways.iter().map(&mut way).collect();
            let written = lengths.iter().zip(&self.systems);
            let written = written.filter(|(lengths, _)| !lengths.is_empty());
            let systems = written.clone().map(|(lengths, name)| OfSystem {
                name: name.clone(),
                records: lengths.len() as u32,
                octets: lengths.iter().map(|length| u64::from(*length)).sum(),
            });
            let head = Head {
                records: distances.len() as u32,
                first: *first,
                last: *last,
                steps: Vec::new(),
                ways,
                often: often.len() as u32,
                systems: systems.collect(),
            };
            let head = Head { steps: named, ..head };
            let lengths = written.map(|(lengths, _)| lengths.as_slice()).collect();
            let columns = Columns { distances, ways: of_ways, often, lengths };
            block::put(&head, &columns, self.row.blocks());
        }
        self.open.clear(&mut self.ways);
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
    pub(crate) fn swap(&mut self, part: &mut Vec<u8>) {
        self.close();
        std::mem::swap(self.row.blocks(), part);
    }

    /// Adds what was noted of the next stretch of the file.
    pub(crate) fn add(&mut self, part: &[u8]) -> io::Result<()> {
        self.close();
        self.row.blocks().extend_from_slice(part);
        self.put_away()
    }

    /// What was noted of a file.
    pub(crate) fn take(&mut self) -> TraceRow {
        self.close();
        std::mem::take(&mut self.row)
    }
}

impl Ways {
    fn new(steps: usize) -> Self {
        Ways { steps, next: vec![0; steps], last: vec![(0, 0)], in_block: vec![0] }
    }

    #[inline(always)]
    fn step(&mut self, way: u32, step: u32) -> u32 {
        match self.next[way as usize * self.steps + step as usize] {
            0 => self.longer(way, step),
            next => next,
        }
    }

    #[cold]
    fn longer(&mut self, way: u32, step: u32) -> u32 {
        let new = self.last.len() as u32;
        self.next[way as usize * self.steps + step as usize] = new;
        self.next.resize(self.next.len() + self.steps, 0);
        self.last.push((way, step));
        self.in_block.push(0);
        new
    }

    fn are_crowded(&self) -> bool {
        self.next.len() > PLACES_MAX
    }

    fn steps_of(&self, mut way: u32) -> Vec<u32> {
        let mut steps = Vec::new();
        while way > 0 {
            let (before, step) = self.last[way as usize];
            steps.push(step);
            way = before;
        }
        steps.reverse();
        steps
    }
}

impl Open {
    #[cold]
    fn way(&mut self, way: u32, ways: &mut Ways) -> u32 {
        self.ways.push(way);
        ways.in_block[way as usize] = self.ways.len() as u32;
        self.ways.len() as u32 - 1
    }

    fn clear(&mut self, ways: &mut Ways) {
        self.ways.drain(..).for_each(|way| ways.in_block[way as usize] = 0);
        if ways.are_crowded() {
            *ways = Ways::new(ways.steps);
        }
        self.distances.clear();
        self.of_ways.clear();
        self.often.clear();
        self.lengths.iter_mut().for_each(Vec::clear);
    }
}
