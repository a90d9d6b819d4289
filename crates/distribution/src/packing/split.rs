//! Finds the cuts of an output while it is written.

use format::coding::Writer;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::Limits;

/// The cuts of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cuts {
    /// The octets before the first record and after the last.
    pub(super) head: u64,
    pub(super) tail: u64,
    /// A digest of these octets: only outputs with the same digest are merged.
    pub(super) form: [u8; 16],
    pub(super) slices: Vec<Cut>,
}

/// The records between two cuts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cut {
    pub(super) records: u64,
    pub(super) octets: u64,
}

/// Finds the cuts of outputs that a worker writes one after the other.
#[derive(Debug)]
pub struct Cutter {
    limits: Limits,
    cuts: Cuts,
    open: Cut,
    /// The lengths of records that are not committed yet: those of the current input record, or of
    /// all records of a chunk.
    lengths: Vec<u32>,
}

impl Cutter {
    /// Makes a cutter for outputs of a writer.
    pub fn new(limits: Limits, writer: &mut dyn Writer) -> Self {
        let mut around = Vec::new();
        writer.begin(&mut around);
        let head = around.len() as u64;
        writer.end(&mut around);
        let tail = around.len() as u64 - head;
        let form = xxh3_128(&[&head.to_le_bytes()[..], &around].concat()).to_le_bytes();
        let cuts = Cuts { head, tail, form, slices: Vec::new() };
        Cutter { limits, cuts, open: Cut::default(), lengths: Vec::new() }
    }

    /// Begins an output.
    pub fn clear(&mut self) {
        self.cuts.slices.clear();
        self.open = Cut::default();
        self.lengths.clear();
    }

    /// Notes a written record and its octets.
    pub fn written(&mut self, octets: usize) {
        self.lengths.push(octets as u32);
    }

    /// Removes the records that were written last.
    pub fn roll_back(&mut self, records: u64) {
        self.lengths.truncate(self.lengths.len() - records as usize);
    }

    /// Makes the written records final.
    pub fn commit(&mut self) {
        let mut lengths = std::mem::take(&mut self.lengths);
        lengths.drain(..).for_each(|octets| self.count(octets));
        self.lengths = lengths;
    }

    /// Exchanges the gathered lengths, at the start and end of a chunk.
    pub fn swap(&mut self, lengths: &mut Vec<u32>) {
        std::mem::swap(&mut self.lengths, lengths);
    }

    /// Adds the records of the next chunk.
    pub fn add(&mut self, lengths: &[u32]) {
        lengths.iter().for_each(|octets| self.count(*octets));
    }

    fn count(&mut self, octets: u32) {
        let Cut { records, octets: before } = self.open;
        let with = (records + 1, before + u64::from(octets));
        let around = self.cuts.head + self.cuts.tail;
        if records > 0 && self.limits.are_exceeded(with.0, with.1 + around) {
            self.cuts.slices.push(self.open);
            self.open = Cut { records: 1, octets: u64::from(octets) };
        } else {
            self.open = Cut { records: with.0, octets: with.1 };
        }
    }

    /// Returns the cuts of the finished output.
    pub fn cuts(&mut self) -> Cuts {
        let mut cuts = Cuts { slices: std::mem::take(&mut self.cuts.slices), ..self.cuts.clone() };
        cuts.slices.push(std::mem::take(&mut self.open));
        cuts
    }
}

#[cfg(test)]
mod tests {
    use format::WriteError;
    use record::{Memory, Record};

    use super::*;

    struct Framed;

    impl Writer for Framed {
        fn begin(&mut self, out: &mut Vec<u8>) {
            out.extend_from_slice(b"<<<");
        }

        fn write(&mut self, _: &Memory<'_>, _: Record, _: &mut Vec<u8>) -> Result<(), WriteError> {
            unreachable!("no record is written here")
        }

        fn end(&mut self, out: &mut Vec<u8>) {
            out.extend_from_slice(b">>");
        }
    }

    fn cut(records: Option<u64>, octets: Option<u64>, lengths: &[u32]) -> Vec<(u64, u64)> {
        let mut cutter = Cutter::new(Limits { records, octets }, &mut Framed);
        let (first, rest) = lengths.split_at(lengths.len() / 2);
        for octets in first {
            cutter.written(*octets as usize);
            cutter.written(1_000);
            cutter.roll_back(1);
            cutter.commit();
        }
        cutter.add(rest);
        let cuts = cutter.cuts();
        assert_eq!((cuts.head, cuts.tail), (3, 2));
        cuts.slices.iter().map(|cut| (cut.records, cut.octets)).collect()
    }

    #[test]
    fn an_output_is_cut_before_the_record_that_would_exceed_a_limit() {
        let lengths = [10, 20, 30, 40, 50];
        assert_eq!(cut(None, None, &lengths), [(5, 150)]);
        assert_eq!(cut(Some(2), None, &lengths), [(2, 30), (2, 70), (1, 50)]);
        assert_eq!(cut(Some(5), None, &lengths), [(5, 150)]);
        // The octets around the records count too.
        assert_eq!(cut(None, Some(65), &lengths), [(3, 60), (1, 40), (1, 50)]);
        assert_eq!(cut(None, Some(64), &lengths), [(2, 30), (1, 30), (1, 40), (1, 50)]);
        assert_eq!(cut(Some(2), Some(65), &lengths), [(2, 30), (1, 30), (1, 40), (1, 50)]);
        // A single record is never cut.
        assert_eq!(cut(None, Some(1), &lengths[..2]), [(1, 10), (1, 20)]);
    }
}
