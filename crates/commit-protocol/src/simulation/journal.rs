//! A journal whose transactions are on the disk when they end, in their order. What nobody waits for comes with the
//! next; what is lost of it is the last.

use transport::Mark;

use super::choices::Choices;
use super::disk::{Contents, Path};
use crate::Unfinished;
use ::journal::Entry;

#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) input: Path,
    pub(super) written_at: u32,
    pub(super) contents: Contents,
    pub(super) is_duplicate: bool,
    pub(super) outputs: Vec<Path>,
    pub(super) is_finished: bool,
    pub(super) is_marked: bool,
}

/// How a write fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// For want of room: the transaction is undone.
    Undone,
    /// Nobody knows what is on the disk until the journal is opened anew.
    InDoubt,
}

#[derive(Debug, Default)]
pub(super) struct Journal {
    pub(super) rows: Vec<Row>,
    /// What nobody waits for, in order.
    later: Vec<Entry>,
    /// A transaction that is in it or not.
    in_doubt: (Vec<Row>, Vec<Entry>),
    pub(super) has_failed: bool,
}

impl Journal {
    pub(super) fn find(&self, input: Path, written_at: u32) -> Option<(Entry, Mark)> {
        let found =
            |row: &Row| !row.is_marked && row.input == input && row.written_at == written_at;
        let place = self.rows.iter().rposition(found)?;
        let mark = if self.rows[place].is_duplicate { Mark::Duplicate } else { Mark::Done };
        Some((Entry(place as i64), mark))
    }

    pub(super) fn knows(&self, contents: Contents) -> bool {
        self.rows.iter().any(|row| !row.is_duplicate && row.contents == contents)
    }

    /// Adds rows; those whose contents came before, perhaps with the same group, as duplicates if these are told
    /// apart.
    pub(super) fn commit(
        &mut self,
        rows: impl Iterator<Item = Row>,
        finished: &[Entry],
        tells_duplicates: bool,
    ) -> Vec<(Entry, bool)> {
        self.write_later(usize::MAX);
        finished.iter().for_each(|Entry(row)| self.rows[*row as usize].is_finished = true);
        rows.map(|mut row| {
            row.is_duplicate = tells_duplicates && self.knows(row.contents);
            if row.is_duplicate {
                row.outputs.clear();
            }
            let is_duplicate = row.is_duplicate;
            self.rows.push(row);
            (Entry(self.rows.len() as i64 - 1), is_duplicate)
        })
        .collect()
    }

    /// A transaction with these rows fails, and takes with it what nobody waited for.
    pub(super) fn fail(
        &mut self,
        failure: Failure,
        rows: impl Iterator<Item = Row>,
        finished: &[Entry],
    ) {
        if failure == Failure::InDoubt {
            self.has_failed = true;
            self.in_doubt = (rows.collect(), finished.to_vec());
        } else {
            self.later.clear();
        }
    }

    /// These inputs are marked.
    pub(super) fn marked(&mut self, entries: Vec<Entry>) {
        if !self.has_failed {
            self.later.extend(entries);
        }
    }

    /// So many of the changes that nobody waits for are on the disk.
    fn write_later(&mut self, count: usize) {
        let count = count.min(self.later.len());
        for Entry(row) in self.later.drain(..count) {
            self.rows[row as usize].is_marked = true;
        }
    }

    pub(super) fn unfinished(&self) -> Vec<Unfinished<Path>> {
        let rows = self.rows.iter().enumerate().filter(|(_, row)| !row.is_finished);
        rows.map(|(place, row)| Unfinished {
            entry: Entry(place as i64),
            outputs: row.outputs.clone(),
        })
        .collect()
    }

    /// Some time passes.
    pub(super) fn write_some(&mut self, choices: &mut Choices) {
        let count = choices.pick(self.later.len() + 1);
        self.write_later(count);
    }

    /// The gateway has ended, in order or not, and another opens it.
    pub(super) fn open_anew(
        &mut self,
        in_order: bool,
        tells_duplicates: bool,
        choices: &mut Choices,
    ) {
        match in_order && !self.has_failed {
            true => self.write_later(usize::MAX),
            false => self.write_some(choices),
        }
        let (rows, finished) = std::mem::take(&mut self.in_doubt);
        // It comes behind what was noted before it, and with that.
        if self.has_failed && choices.pick(2) == 1 {
            self.commit(rows.into_iter(), &finished, tells_duplicates);
        }
        self.later.clear();
        self.has_failed = false;
    }
}
