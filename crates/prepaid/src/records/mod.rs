//! Records of ended sessions (call data records), in files that a flow collects.
//!
//! Each ended session is in one file, whenever the process is killed. The steps are:
//!
//! 1. [`write`](Records::write): the sessions after the last that is recorded go to a file with a hidden name, which is synced;
//! 2. [`commit`](Records::commit): the journal gets the last session and the file, in one transaction;
//! 3. [`give_name`](Records::give_name): the file gets its name, and the folder is synced;
//! 4. [`settle`](Records::settle): the journal forgets the file and the sessions.
//!
//! Before step 2 a start writes the file again; after it, the start goes on with step 3. A file that cannot be written is
//! logged and tried again; sessions wait in the journal meanwhile, and charging goes on.

mod file;
mod line;

use std::io;
use std::path::{Path, PathBuf};

use accounts::{AccountSession, AccountsError};
use ledger::Millis;

use crate::LOG;
use crate::definition::RecordSettings;
use crate::system::System;

pub use file::RecordFile;

/// The longest time between two looks for ended sessions.
const LOOK_EVERY: Millis = 10_000;

/// Why records could not be written. They are tried again.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file cannot be written or renamed.
    #[error("could not write the records to \"{}\"", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The cause.
        #[source]
        error: io::Error,
    },
    /// The ended sessions, and how far they are recorded, cannot be read or stored.
    #[error("could not read or store how far sessions are recorded")]
    Accounts(#[from] AccountsError),
    /// Sessions are in a file already, or another file waits for its name: another process writes records.
    #[error("another process records the sessions {first} to {last}")]
    Recorded {
        /// The first of them.
        first: u64,
        /// The last one.
        last: u64,
    },
}

/// Writes the records of a system.
#[derive(Debug)]
pub struct Records<'s> {
    system: &'s System,
    next_look: Millis,
}

/// How far sessions are recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    /// The last session that is in a file.
    pub(crate) last: u64,
    /// The file that has it, if it may be without its name.
    pub(crate) file: Option<RecordFile>,
}

/// What a file is made of.
struct Batch {
    sessions: Vec<AccountSession>,
    is_full: bool,
}

impl<'s> Records<'s> {
    /// Creates the writer of a system. There may be one at a time.
    pub fn new(system: &'s System) -> Self {
        Records { system, next_look: Millis::MIN }
    }

    /// Writes the files that are due at a time. Returns their number.
    ///
    /// # Errors
    ///
    /// A file could not be written. It is tried again some seconds later.
    pub fn step(&mut self, now: Millis) -> Result<usize, RecordError> {
        let settings = self.system.rules().records.clone();
        let pause = settings.as_ref().map_or(LOOK_EVERY, |of| of.every.min(LOOK_EVERY));
        let until_look = self.next_look.saturating_sub(now);
        // A clock that was set back does not stop it.
        if (1..=pause).contains(&until_look) {
            return Ok(0);
        }
        self.next_look = now.saturating_add(pause);
        match settings {
            Some(settings) if self.system.back.writes_records()? => {
                self.finish()?;
                self.write_due(&settings, now)
            }
            Some(_) => Ok(0),
            None => self.forget().map(|()| 0),
        }
    }

    /// Forgets ended sessions, since no process has a folder for their records.
    fn forget(&self) -> Result<(), RecordError> {
        if self.system.back.needs_no_records()? {
            self.finish()?;
            self.system.back.forget_ended_sessions(u64::MAX)?;
        }
        Ok(())
    }

    /// Finishes a file that was interrupted after its commit.
    ///
    /// # Errors
    ///
    /// The file could not be renamed, or the back fails.
    pub fn finish(&self) -> Result<(), RecordError> {
        match self.recorded()?.file {
            Some(file) => self.give_name(&file).and_then(|()| self.settle(&file)),
            None => Ok(()),
        }
    }

    fn write_due(&self, settings: &RecordSettings, now: Millis) -> Result<usize, RecordError> {
        let mut count = 0;
        loop {
            let batch = self.batch(settings)?;
            // Many files take longer than the right to write them holds.
            if !batch.is_due(settings, now) || !self.system.back.writes_records()? {
                return Ok(count);
            }
            let Some(file) = self.write_batch(settings, &batch)? else { continue };
            self.commit(&file)?;
            self.give_name(&file)?;
            self.settle(&file)?;
            count += 1;
        }
    }

    /// Writes a file of the sessions that are not recorded, under its hidden name. `None` if there is nothing to record.
    ///
    /// # Errors
    ///
    /// The file could not be written, or the sessions could not be read.
    pub fn write(&self, settings: &RecordSettings) -> Result<Option<RecordFile>, RecordError> {
        let batch = self.batch(settings)?;
        self.write_batch(settings, &batch)
    }

    fn batch(&self, settings: &RecordSettings) -> Result<Batch, RecordError> {
        let after = self.recorded()?.last;
        let sessions = self.system.back.ended_sessions(after, settings.records_max)?;
        Ok(Batch { is_full: sessions.len() >= settings.records_max, sessions })
    }

    fn write_batch(
        &self,
        settings: &RecordSettings,
        Batch { sessions, .. }: &Batch,
    ) -> Result<Option<RecordFile>, RecordError> {
        let Some(first) = sessions.first() else { return Ok(None) };
        let currency = self.system.rules().currency;
        let (mut octets, mut lines, mut last) = (Vec::new(), 0, first.number);
        for session in sessions {
            if lines >= settings.records_max {
                break;
            }
            lines += line::write(session, currency, &mut octets);
            last = session.number;
        }
        if lines == 0 {
            self.skip(last)?;
            return Ok(None);
        }
        let file = RecordFile { folder: absolute(&settings.folder)?, first: first.number, last };
        file.write(&octets).map_err(|error| RecordError::File { path: file.path(), error })?;
        Ok(Some(file))
    }

    /// Stores that sessions until one are recorded, and in which file.
    ///
    /// # Errors
    ///
    /// The back fails, or another process records the sessions.
    pub fn commit(&self, file: &RecordFile) -> Result<(), RecordError> {
        match self.system.back.record(file)? {
            true => Ok(()),
            false => Err(RecordError::Recorded { first: file.first, last: file.last }),
        }
    }

    /// Gives a file its name.
    ///
    /// # Errors
    ///
    /// The file could not be renamed.
    pub fn give_name(&self, file: &RecordFile) -> Result<(), RecordError> {
        file.give_name().map_err(|error| RecordError::File { path: file.path(), error })
    }

    /// Forgets a file that has its name, and its sessions.
    ///
    /// # Errors
    ///
    /// The back fails.
    pub fn settle(&self, file: &RecordFile) -> Result<(), RecordError> {
        self.skip(file.last)
    }

    /// Forgets the sessions until one.
    fn skip(&self, last: u64) -> Result<(), RecordError> {
        self.system.back.skip_records(last)?;
        Ok(self.system.back.forget_ended_sessions(last)?)
    }

    fn recorded(&self) -> Result<Recorded, RecordError> {
        Ok(self.system.back.recorded()?)
    }
}

impl Drop for Records<'_> {
    fn drop(&mut self) {
        if let Err(why) = self.system.back.end_records() {
            tracing::warn!(target: LOG, "another process writes records only after a while: {why}");
        }
    }
}

impl Batch {
    /// Returns whether the file of these sessions is closed: there are many, or the first has waited for long enough.
    fn is_due(&self, settings: &RecordSettings, now: Millis) -> bool {
        self.sessions.first().is_some_and(|first| {
            let waited = now.saturating_sub(first.ended.at);
            // A session from behind now is from before the clock was set back.
            self.is_full || waited >= settings.every || waited < 0
        })
    }
}

/// Returns a folder as the next start finds it, wherever that is from.
fn absolute(folder: &Path) -> Result<PathBuf, RecordError> {
    let path = std::path::absolute(folder);
    path.map_err(|error| RecordError::File { path: folder.to_owned(), error })
}
