//! Runs: sorted entries of a day in a file.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use runtime::durable::create_anew;

use crate::block::{BLOCK_OCTETS, BlockError, Packer, entries};
use crate::error::IndexError;
use crate::{DAY_SECONDS, Entry};

/// Writes a run of a day, and syncs it. The entries are in their order; those that are there twice are written once. Returns how many
/// there are.
pub(crate) fn write(
    path: &Path,
    day: u32,
    entries: impl Iterator<Item = Result<Entry, IndexError>>,
) -> Result<u64, IndexError> {
    let failed = IndexError::of(path);
    let mut file = BufWriter::new(create_anew(path).map_err(&failed)?);
    let (mut packer, mut last, mut count) = (Packer::new(day * DAY_SECONDS), None, 0);
    for entry in entries {
        let entry = entry?;
        if last == Some(entry) {
            continue;
        }
        if !packer.has_room() {
            file.write_all(&packer.take()).map_err(&failed)?;
        }
        packer.push(entry);
        (last, count) = (Some(entry), count + 1);
    }
    if !packer.is_empty() {
        file.write_all(&packer.take()).map_err(&failed)?;
    }
    let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
    file.sync_all().map_err(&failed)?;
    Ok(count)
}

/// A run that is read. It may be unlinked meanwhile.
#[derive(Debug)]
pub(crate) struct Run {
    path: PathBuf,
    file: File,
    blocks: u64,
    begins: u32,
}

impl Run {
    pub(crate) fn open(path: PathBuf, day: u32) -> Result<Self, IndexError> {
        let failed = IndexError::of(&path);
        let file = File::open(&path).map_err(&failed)?;
        let octets = file.metadata().map_err(&failed)?.len();
        if octets % BLOCK_OCTETS as u64 != 0 {
            return Err(IndexError::Damaged { path });
        }
        Ok(Run { path, file, blocks: octets / BLOCK_OCTETS as u64, begins: day * DAY_SECONDS })
    }

    fn block(&self, number: u64) -> Result<Vec<Entry>, IndexError> {
        let mut block = [0; BLOCK_OCTETS];
        let read = self.file.read_exact_at(&mut block, number * BLOCK_OCTETS as u64);
        read.map_err(IndexError::of(&self.path))?;
        entries(&block, self.begins).map_err(|error| match error {
            BlockError::Damaged => IndexError::Damaged { path: self.path.clone() },
            BlockError::Form => IndexError::Form { path: self.path.clone() },
        })
    }

    /// Returns the entries that are not before one, in their order.
    pub(crate) fn since(&self, first: Entry) -> Result<Entries<'_>, IndexError> {
        let (mut before, mut behind) = (0, self.blocks);
        while before < behind {
            let middle = before + (behind - before) / 2;
            match self.block(middle)?.first().is_some_and(|entry| *entry < first) {
                true => before = middle + 1,
                false => behind = middle,
            }
        }
        // The block before has entries that are not, too.
        let mut entries =
            Entries { run: self, next: before.saturating_sub(1), of_block: Vec::new().into_iter() };
        entries.pass(first)?;
        Ok(entries)
    }

    /// Returns all entries.
    pub(crate) fn all(&self) -> Entries<'_> {
        Entries { run: self, next: 0, of_block: Vec::new().into_iter() }
    }
}

/// Entries of a run, in their order.
pub(crate) struct Entries<'r> {
    run: &'r Run,
    next: u64,
    of_block: std::vec::IntoIter<Entry>,
}

impl Entries<'_> {
    /// Passes those before an entry.
    fn pass(&mut self, first: Entry) -> Result<(), IndexError> {
        while self.next < self.run.blocks {
            let block = self.run.block(self.next)?;
            self.next += 1;
            let place = block.partition_point(|entry| *entry < first);
            let is_within = place < block.len();
            self.of_block = block.into_iter();
            if is_within {
                self.of_block.by_ref().take(place).for_each(drop);
                return Ok(());
            }
        }
        self.of_block = Vec::new().into_iter();
        Ok(())
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<Entry, IndexError>;

    fn next(&mut self) -> Option<Result<Entry, IndexError>> {
        if let Some(entry) = self.of_block.next() {
            return Some(Ok(entry));
        }
        if self.next == self.run.blocks {
            return None;
        }
        match self.run.block(self.next) {
            Ok(block) => {
                self.next += 1;
                self.of_block = block.into_iter();
                self.of_block.next().map(Ok)
            }
            Err(error) => {
                self.next = self.run.blocks;
                Some(Err(error))
            }
        }
    }
}
