//! Writes an index: one thread does.

use std::cell::Cell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use runtime::durable::make_private_folder;

use crate::error::IndexError;
use crate::manifest::{Manifest, RunName};
use crate::run::{self, Entries, Run};
use crate::{Entry, day_of};

/// So many runs of a size become one.
const RUNS_MAX: u32 = 8;

/// A merge looks each so many entries whether it is to stop.
const STOP_EACH: u64 = 1 << 16;

/// An index that is written.
#[derive(Debug)]
pub struct Writer {
    folder: PathBuf,
    manifest: Manifest,
}

impl Writer {
    /// Opens the index in a folder of its own, for a journal with its identity and its last job: what comes after the job `through` is
    /// added, or what comes after its own last one. One of another journal, or of jobs that the journal does not have, begins again.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written, or is damaged.
    pub fn open(
        folder: &Path,
        (journal, last): (&str, i64),
        through: i64,
    ) -> Result<Self, IndexError> {
        make_private_folder(folder).map_err(IndexError::of(folder))?;
        let known = Manifest::read(folder)?
            .filter(|known| known.journal == journal && known.through <= last);
        let manifest = match known {
            // Between, there was no index.
            Some(known) => Manifest { through: known.through.max(through), ..known },
            None => {
                let manifest = Manifest::new(journal, through);
                manifest.write(folder)?;
                manifest
            }
        };
        manifest.remove_others(folder)?;
        Ok(Writer { folder: folder.to_owned(), manifest })
    }

    /// Returns the last job that is in the index.
    pub fn through(&self) -> i64 {
        self.manifest.through
    }

    /// Returns the number of what keys are of records, such as `caller`.
    pub fn subject(&mut self, name: &str) -> u32 {
        let subjects = &mut self.manifest.subjects;
        let place = subjects.iter().position(|known| known == name).unwrap_or_else(|| {
            subjects.push(name.to_owned());
            subjects.len() - 1
        });
        u32::try_from(place).unwrap_or(u32::MAX)
    }

    /// Adds the entries of the jobs after the last one, until the job `through`.
    ///
    /// # Errors
    ///
    /// A file cannot be written. Nothing is added then.
    pub fn add(&mut self, mut entries: Vec<Entry>, through: i64) -> Result<(), IndexError> {
        // By days first: a run is of one.
        entries.sort_unstable_by_key(|entry| (day_of(entry.at), *entry));
        let mut runs = self.manifest.runs.clone();
        for of_day in entries.chunk_by(|one, other| day_of(one.at) == day_of(other.at)) {
            let Some(first) = of_day.first() else { continue };
            runs.push(self.write(day_of(first.at), of_day.iter().copied().map(Ok))?);
        }
        self.replace(Manifest { runs, through, ..self.manifest.clone() })
    }

    /// Makes one run of some of a day, if there are many, or if the day is over. Returns whether it did: there may be more to do.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written, or is damaged. The runs stay as they are then.
    pub fn merge(&mut self, today: u32, is_over: impl Fn() -> bool) -> Result<bool, IndexError> {
        let mut by_day = self.manifest.runs.clone();
        by_day.sort_by_key(|run| (run.day, run.entries));
        let due =
            by_day.chunk_by(|one, other| one.day == other.day).find_map(|runs| due(runs, today));
        let Some(due) = due else { return Ok(false) };
        let Some(day) = due.first().map(|run| run.day) else { return Ok(false) };
        let runs = self.opened(&due)?;
        let (count, stopped) = (Cell::new(0_u64), Cell::new(false));
        let goes_on = |_: &Result<Entry, IndexError>| {
            count.set(count.get() + 1);
            let stops = count.get().is_multiple_of(STOP_EACH) && is_over();
            stopped.set(stopped.get() || stops);
            !stops
        };
        let merged = self.write(day, merged(runs.iter().map(Run::all)).take_while(goes_on))?;
        if stopped.get() {
            let path = merged.path(&self.folder);
            return fs::remove_file(&path).map_err(IndexError::of(&path)).map(|()| false);
        }
        let mut runs = self.manifest.runs.clone();
        runs.retain(|run| !due.contains(run));
        runs.push(merged);
        self.replace(Manifest { runs, ..self.manifest.clone() })?;
        Ok(true)
    }

    /// Removes the days before one. Returns how many entries went.
    ///
    /// # Errors
    ///
    /// A file cannot be written or removed.
    pub fn forget(&mut self, before: u32) -> Result<u64, IndexError> {
        let old = self.manifest.runs.iter().filter(|run| run.day < before);
        let entries = old.map(|run| run.entries).sum();
        if entries > 0 {
            let mut runs = self.manifest.runs.clone();
            runs.retain(|run| run.day >= before);
            self.replace(Manifest { runs, ..self.manifest.clone() })?;
        }
        Ok(entries)
    }

    /// Removes the entries of some keys, by their digests, each until a job.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written, or is damaged. All entries stay then.
    pub fn erase(&mut self, keys: &HashMap<u64, i64>) -> Result<(), IndexError> {
        let mut runs = Vec::with_capacity(self.manifest.runs.len());
        for name in self.manifest.runs.clone() {
            let run = Run::open(name.path(&self.folder), name.day)?;
            let has_key = |key: &u64| {
                let first = Entry { key: *key, at: 0, job: i64::MIN, record: 0, subject: 0 };
                let found = run.since(first)?.next().transpose()?;
                Ok(found.is_some_and(|entry| entry.key == *key))
            };
            let found: Vec<bool> = keys.keys().map(has_key).collect::<Result<_, IndexError>>()?;
            if !found.contains(&true) {
                runs.push(name);
                continue;
            }
            let is_other = |entry: &Result<Entry, IndexError>| {
                let is_erased =
                    |entry: &Entry| keys.get(&entry.key).is_some_and(|job| entry.job <= *job);
                !entry.as_ref().is_ok_and(is_erased)
            };
            let left = self.write(name.day, run.all().filter(is_other))?;
            match left.entries {
                0 => drop(fs::remove_file(left.path(&self.folder))),
                _ => runs.push(left),
            }
        }
        match runs == self.manifest.runs {
            true => Ok(()),
            false => self.replace(Manifest { runs, ..self.manifest.clone() }),
        }
    }

    fn opened(&self, names: &[RunName]) -> Result<Vec<Run>, IndexError> {
        names.iter().map(|name| Run::open(name.path(&self.folder), name.day)).collect()
    }

    /// Writes a run that is not in the manifest yet.
    fn write(
        &mut self,
        day: u32,
        entries: impl Iterator<Item = Result<Entry, IndexError>>,
    ) -> Result<RunName, IndexError> {
        let mut run = RunName { day, number: self.manifest.next, entries: 0 };
        // Whatever comes of it, no other run gets its number.
        self.manifest.next += 1;
        run.entries = run::write(&run.path(&self.folder), day, entries)?;
        Ok(run)
    }

    fn replace(&mut self, manifest: Manifest) -> Result<(), IndexError> {
        manifest.write(&self.folder)?;
        let before = std::mem::replace(&mut self.manifest, manifest);
        for gone in before.runs.iter().filter(|run| !self.manifest.runs.contains(run)) {
            // What stays is removed at the next start.
            let _ = fs::remove_file(gone.path(&self.folder));
        }
        Ok(())
    }
}

/// Returns the runs of a day that are to become one. They are in the order of their sizes.
fn due(runs: &[RunName], today: u32) -> Option<Vec<RunName>> {
    if runs.first()?.day < today {
        // Few runs are left where nothing comes any more. A large one is not written again for a few late entries.
        let (mut due, mut entries) = (Vec::new(), 0);
        for run in runs {
            if !due.is_empty() && run.entries > entries * u64::from(RUNS_MAX) {
                break;
            }
            entries += run.entries;
            due.push(*run);
        }
        return (due.len() > 1).then_some(due);
    }
    let level = |run: &RunName| run.entries.max(1).ilog(RUNS_MAX.into());
    let of_level = |one: &RunName, other: &RunName| level(one) == level(other);
    let mut levels = runs.chunk_by(of_level);
    levels.find(|runs| runs.len() >= RUNS_MAX as usize).map(<[RunName]>::to_vec)
}

/// Returns the entries of several runs in their order.
pub(crate) fn merged<'r>(
    runs: impl Iterator<Item = Entries<'r>>,
) -> impl Iterator<Item = Result<Entry, IndexError>> {
    let mut heads: Vec<_> = runs.map(Iterator::peekable).collect();
    std::iter::from_fn(move || {
        let mut first: Option<(usize, Option<Entry>)> = None;
        for (place, head) in heads.iter_mut().enumerate() {
            // An error is before all entries.
            let Some(entry) = head.peek().map(|entry| entry.as_ref().ok().copied()) else {
                continue;
            };
            if first.is_none_or(|(_, least)| entry < least) {
                first = Some((place, entry));
            }
        }
        heads[first?.0].next()
    })
}
