//! A journal whose committed transactions are durable, in order. Changes without a commit become
//! durable with the next one; if some are lost, they are the last ones.

use transport::Mark;

use super::choices::Choices;
use super::disk::{Contents, SimulatedPath};
use crate::Unfinished;
use ::journal::JobId;

#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) input: SimulatedPath,
    pub(super) written_at: u32,
    pub(super) contents: Contents,
    pub(super) is_duplicate: bool,
    pub(super) outputs: Vec<SimulatedPath>,
    pub(super) is_finished: bool,
    pub(super) is_marked: bool,
}

/// How a write fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The disk is full: the transaction is rolled back.
    Undone,
    /// The outcome is unknown until the journal is opened again.
    InDoubt,
}

#[derive(Debug, Default)]
pub(super) struct Journal {
    pub(super) rows: Vec<Row>,
    /// The changes without a commit, in order.
    later: Vec<JobId>,
    /// A transaction that may be in the journal or not.
    in_doubt: (Vec<Row>, Vec<JobId>),
    pub(super) has_failed: bool,
}

impl Journal {
    pub(super) fn find(&self, input: SimulatedPath, written_at: u32) -> Option<(JobId, Mark)> {
        let found =
            |row: &Row| !row.is_marked && row.input == input && row.written_at == written_at;
        let place = self.rows.iter().rposition(found)?;
        let mark = if self.rows[place].is_duplicate { Mark::Duplicate } else { Mark::Done };
        Some((JobId(place as i64), mark))
    }

    pub(super) fn knows(&self, contents: Contents) -> bool {
        self.rows.iter().any(|row| !row.is_duplicate && row.contents == contents)
    }

    /// Adds rows. If `detects_duplicates`, rows with contents that came before, even in the same
    /// group, are duplicates.
    pub(super) fn commit(
        &mut self,
        rows: impl Iterator<Item = Row>,
        finished: &[JobId],
        detects_duplicates: bool,
    ) -> Vec<(JobId, bool)> {
        self.write_later(usize::MAX);
        finished.iter().for_each(|JobId(row)| self.rows[*row as usize].is_finished = true);
        rows.map(|mut row| {
            row.is_duplicate = detects_duplicates && self.knows(row.contents);
            if row.is_duplicate {
                row.outputs.clear();
            }
            let is_duplicate = row.is_duplicate;
            self.rows.push(row);
            (JobId(self.rows.len() as i64 - 1), is_duplicate)
        })
        .collect()
    }

    /// Fails a transaction with these rows. The changes without a commit are lost with it.
    pub(super) fn fail(
        &mut self,
        failure: Failure,
        rows: impl Iterator<Item = Row>,
        finished: &[JobId],
    ) {
        if failure == Failure::InDoubt {
            self.has_failed = true;
            self.in_doubt = (rows.collect(), finished.to_vec());
        } else {
            self.later.clear();
        }
    }

    /// Notes that these inputs are marked.
    pub(super) fn marked(&mut self, entries: Vec<JobId>) {
        if !self.has_failed {
            self.later.extend(entries);
        }
    }

    /// Writes the first `count` changes without a commit.
    fn write_later(&mut self, count: usize) {
        let count = count.min(self.later.len());
        for JobId(row) in self.later.drain(..count) {
            self.rows[row as usize].is_marked = true;
        }
    }

    pub(super) fn unfinished(&self) -> Vec<Unfinished<SimulatedPath>> {
        let rows = self.rows.iter().enumerate().filter(|(_, row)| !row.is_finished);
        rows.map(|(place, row)| Unfinished {
            entry: JobId(place as i64),
            outputs: row.outputs.clone(),
        })
        .collect()
    }

    /// Lets some time pass, in which changes are written.
    pub(super) fn write_some(&mut self, choices: &mut Choices) {
        let count = choices.pick(self.later.len() + 1);
        self.write_later(count);
    }

    /// Opens the journal for the next gateway, after the last one ended normally or not.
    pub(super) fn reopen(
        &mut self,
        ended_normally: bool,
        detects_duplicates: bool,
        choices: &mut Choices,
    ) {
        match ended_normally && !self.has_failed {
            true => self.write_later(usize::MAX),
            false => self.write_some(choices),
        }
        let (rows, finished) = std::mem::take(&mut self.in_doubt);
        // It comes after the earlier changes, and includes them.
        if self.has_failed && choices.pick(2) == 1 {
            self.commit(rows.into_iter(), &finished, detects_duplicates);
        }
        self.later.clear();
        self.has_failed = false;
    }
}
