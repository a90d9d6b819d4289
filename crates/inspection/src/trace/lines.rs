//! The trace of all records of a job, in order.

use std::collections::VecDeque;
use std::io;

use lineage::{Blocks, Line, TraceRow};
use lineage::{Piece, Shelf};

/// Reads the trace of a job, some thousands of records at a time.
pub(crate) struct JobLines {
    pieces: VecDeque<Piece>,
    /// The blocks after all pieces.
    last: Option<Vec<u8>>,
    octets: Vec<u8>,
    at: usize,
    lines: std::vec::IntoIter<Line>,
}

impl JobLines {
    pub(crate) fn new(row: TraceRow) -> Self {
        let (pieces, blocks) = row.parts();
        JobLines {
            pieces: pieces.into(),
            last: Some(blocks),
            octets: Vec::new(),
            at: 0,
            lines: Vec::new().into_iter(),
        }
    }

    pub(crate) fn next(&mut self, shelf: &Shelf) -> io::Result<Option<Line>> {
        let damaged = |_| io::Error::new(io::ErrorKind::InvalidData, "the trace is damaged");
        loop {
            if let Some(line) = self.lines.next() {
                return Ok(Some(line));
            }
            let mut blocks = Blocks::new(&self.octets[self.at..]);
            if let Some(block) = blocks.read().map_err(damaged)? {
                self.lines = block.lines().map_err(damaged)?.into_iter();
                self.at = self.octets.len() - blocks.octets_left().len();
                continue;
            }
            self.octets = match self.pieces.pop_front() {
                Some(piece) => shelf.read(&piece)?,
                None => match self.last.take() {
                    Some(last) => last,
                    None => return Ok(None),
                },
            };
            self.at = 0;
        }
    }
}
