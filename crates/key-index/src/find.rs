//! Finds the entries of a key.

use std::ops::Range;
use std::path::Path;

use crate::error::IndexError;
use crate::manifest::Manifest;
use crate::run::Run;
use crate::{DAY_SECONDS, Entry, day_of};

/// How often the runs are opened again, if some became one meanwhile.
const TRIES: u32 = 5;

/// Which entry is first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The oldest one.
    Oldest,
    /// The newest one.
    Newest,
}

/// The place of an entry among those of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// When it happened, in seconds since 1970.
    pub at: u32,
    /// The job.
    pub job: i64,
    /// The number of the record.
    pub record: u64,
    /// What the key is of the record.
    pub subject: u32,
}

impl From<&Entry> for Place {
    fn from(&Entry { at, job, record, subject, .. }: &Entry) -> Self {
        Place { at, job, record, subject }
    }
}

/// Which entries are searched for.
pub struct Search<'s> {
    /// The digests that the key may have.
    pub keys: &'s [u64],
    /// When it happened, in seconds since 1970.
    pub between: Range<u32>,
    /// Which is first.
    pub order: Order,
    /// Only those behind this place, in the order.
    pub after: Option<Place>,
    /// The most entries.
    pub limit: usize,
    /// Whether an entry counts.
    pub is_listed: &'s dyn Fn(&Entry) -> bool,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The entries, in the order of the search.
    pub entries: Vec<Entry>,
    /// Whether there are more.
    pub more: bool,
}

/// An index as it is at a moment.
#[derive(Debug)]
pub struct View {
    manifest: Manifest,
    /// The runs with their days, the oldest first.
    runs: Vec<(u32, Run)>,
}

impl View {
    /// Opens an index for the days of a time, in seconds since 1970. `None` if there is none.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or is damaged.
    pub fn open(folder: &Path, between: &Range<u32>) -> Result<Option<Self>, IndexError> {
        let mut tries = 0;
        loop {
            tries += 1;
            match Self::open_once(folder, between) {
                // A run that became part of another one was unlinked meanwhile.
                Err(error) if error.is_gone() && tries < TRIES => {}
                opened => return opened,
            }
        }
    }

    fn open_once(folder: &Path, between: &Range<u32>) -> Result<Option<Self>, IndexError> {
        let Some(manifest) = Manifest::read(folder)? else { return Ok(None) };
        let days = day_of(between.start)..=day_of(between.end);
        let of_days = manifest.runs.iter().filter(|run| days.contains(&run.day));
        let open =
            |run: &crate::manifest::RunName| Ok((run.day, Run::open(run.path(folder), run.day)?));
        let mut runs: Vec<(u32, Run)> = of_days.map(open).collect::<Result<_, IndexError>>()?;
        runs.sort_by_key(|(day, _)| *day);
        Ok(Some(View { manifest, runs }))
    }

    /// Returns the last job that is in the index: all before are, too.
    pub fn through(&self) -> i64 {
        self.manifest.through
    }

    /// Returns the number of entries of all days, with those that are in two runs.
    pub fn entries(&self) -> u64 {
        self.manifest.runs.iter().map(|run| run.entries).sum()
    }

    /// Returns what the keys of entries are of their records, by its number.
    pub fn subject(&self, number: u32) -> Option<&str> {
        self.manifest.subjects.get(number as usize).map(String::as_str)
    }

    /// Returns the entries of a key.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or is damaged.
    pub fn find(&self, search: &Search<'_>) -> Result<Found, IndexError> {
        let mut days: Vec<&[(u32, Run)]> =
            self.runs.chunk_by(|(one, _), (other, _)| one == other).collect();
        if search.order == Order::Newest {
            days.reverse();
        }
        let mut entries = Vec::new();
        for runs in days {
            let Some((day, _)) = runs.first() else { continue };
            if search.after.is_some_and(|after| is_behind(*day, after, search.order)) {
                continue;
            }
            let mut of_day = entries_of_day(runs, search.keys, &search.between)?;
            of_day.retain(|entry| (search.is_listed)(entry) && is_after(entry, search));
            if search.order == Order::Newest {
                of_day.reverse();
            }
            of_day.truncate(search.limit.saturating_add(1) - entries.len());
            entries.append(&mut of_day);
            if entries.len() > search.limit {
                break;
            }
        }
        let more = entries.len() > search.limit;
        entries.truncate(search.limit);
        Ok(Found { entries, more })
    }

    /// Returns how many records are about a key, by the digests that it may have.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or is damaged.
    pub fn count(
        &self,
        keys: &[u64],
        is_listed: &dyn Fn(&Entry) -> bool,
    ) -> Result<u64, IndexError> {
        let mut count = 0;
        for runs in self.runs.chunk_by(|(one, _), (other, _)| one == other) {
            let of_day = entries_of_day(runs, keys, &(0..u32::MAX))?;
            count += of_day.iter().filter(|entry| is_listed(entry)).count() as u64;
        }
        Ok(count)
    }

    /// Calls `take` for each entry of the days that were opened, those of a day by their keys. Those that are in two runs come once.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or is damaged, or `take` fails.
    pub fn each<E: From<IndexError>>(
        &self,
        mut take: impl FnMut(&Entry) -> Result<(), E>,
    ) -> Result<(), E> {
        for runs in self.runs.chunk_by(|(one, _), (other, _)| one == other) {
            let mut last = None;
            for entry in crate::writer::merged(runs.iter().map(|(_, run)| run.all())) {
                let entry = entry?;
                if last != Some(entry) {
                    take(&entry)?;
                }
                last = Some(entry);
            }
        }
        Ok(())
    }
}

/// Returns whether all of a day is before a place, in the order.
fn is_behind(day: u32, after: Place, order: Order) -> bool {
    match order {
        Order::Oldest => day < day_of(after.at),
        Order::Newest => day > day_of(after.at),
    }
}

fn is_after(entry: &Entry, search: &Search<'_>) -> bool {
    let place = Place::from(entry);
    search.after.is_none_or(|after| match search.order {
        Order::Oldest => place > after,
        Order::Newest => place < after,
    })
}

/// Returns the entries of a key in the runs of a day, the oldest first.
fn entries_of_day(
    runs: &[(u32, Run)],
    keys: &[u64],
    between: &Range<u32>,
) -> Result<Vec<Entry>, IndexError> {
    let mut entries = Vec::new();
    for (day, run) in runs {
        for key in keys {
            let at = between.start.max(day * DAY_SECONDS);
            let first = Entry { key: *key, at, job: i64::MIN, record: 0, subject: 0 };
            for entry in run.since(first)? {
                let entry = entry?;
                if entry.key != *key || entry.at >= between.end {
                    break;
                }
                entries.push(entry);
            }
        }
    }
    entries.sort_unstable_by_key(|entry| Place::from(entry));
    entries.dedup();
    Ok(entries)
}
