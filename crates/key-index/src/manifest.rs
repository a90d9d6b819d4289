//! Which runs there are. Octets: a digest of what follows in hexadecimal, a line feed, and JSON.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use runtime::durable::{create_anew, sync_folder};
use runtime::time::day;
use serde::{Deserialize, Serialize};

use crate::DAY_SECONDS;
use crate::error::IndexError;

const NAME: &str = "manifest";
const NEW: &str = "manifest.new";

/// How the names of runs end.
const ENDING: &str = ".run";

/// The form of manifests and runs.
const FORM: u32 = 1;

/// The digits of the digest.
const DIGITS: usize = 16;

/// What an index consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) form: u32,
    /// The identity of the journal with the jobs.
    pub(crate) journal: String,
    /// All jobs until this one have their entries in the index.
    pub(crate) through: i64,
    /// The number of the next run.
    pub(crate) next: u64,
    /// What keys are of records. An entry has the place.
    pub(crate) subjects: Vec<String>,
    pub(crate) runs: Vec<RunName>,
}

/// A run in the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunName {
    /// The day, in days since 1970.
    pub(crate) day: u32,
    /// The number, which no other run has.
    pub(crate) number: u64,
    /// How many entries it has.
    pub(crate) entries: u64,
}

impl RunName {
    /// Returns the path of the file.
    pub(crate) fn path(&self, folder: &Path) -> PathBuf {
        let day = day(i64::from(self.day) * i64::from(DAY_SECONDS) * 1_000);
        folder.join(format!("{day}.{}{ENDING}", self.number))
    }
}

impl Manifest {
    pub(crate) fn new(journal: &str, through: i64) -> Self {
        let (subjects, runs) = Default::default();
        Manifest { form: FORM, journal: journal.to_owned(), through, next: 1, subjects, runs }
    }

    /// Reads that of a folder. `None` if there is none.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, IndexError> {
        let path = folder.join(NAME);
        let octets = match fs::read(&path) {
            Ok(octets) => octets,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(IndexError::of(&path)(error)),
        };
        let damaged = || IndexError::Damaged { path: path.clone() };
        let (expected, content) = octets.split_at_checked(DIGITS).ok_or_else(damaged)?;
        let content = content.strip_prefix(b"\n").ok_or_else(damaged)?;
        if digest(content).as_bytes() != expected {
            return Err(damaged());
        }
        let manifest: Self = serde_json::from_slice(content).map_err(|_| damaged())?;
        match manifest.form {
            FORM => Ok(Some(manifest)),
            _ => Err(IndexError::Form { path }),
        }
    }

    /// Replaces that of a folder, durably: the names of new runs, too.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), IndexError> {
        let new = folder.join(NEW);
        let failed = IndexError::of(&new);
        let content = serde_json::to_vec(self).map_err(|error| failed(error.into()))?;
        let mut file = create_anew(&new).map_err(&failed)?;
        let head = format!("{}\n", digest(&content));
        file.write_all(head.as_bytes()).and_then(|()| file.write_all(&content)).map_err(&failed)?;
        file.sync_all().map_err(&failed)?;
        // The runs that it names are there before it is.
        sync_folder(folder).map_err(IndexError::of(folder))?;
        fs::rename(&new, folder.join(NAME)).map_err(&failed)?;
        sync_folder(folder).map_err(IndexError::of(folder))
    }

    /// Removes the runs that it does not name.
    pub(crate) fn remove_others(&self, folder: &Path) -> Result<(), IndexError> {
        let own: Vec<PathBuf> = self.runs.iter().map(|run| run.path(folder)).collect();
        for file in fs::read_dir(folder).map_err(IndexError::of(folder))? {
            let path = file.map_err(IndexError::of(folder))?.path();
            let is_run = path.to_str().is_some_and(|path| path.ends_with(ENDING));
            if is_run && !own.contains(&path) {
                fs::remove_file(&path).map_err(IndexError::of(&path))?;
            }
        }
        Ok(())
    }
}

fn digest(content: &[u8]) -> String {
    blake3::hash(content).to_hex().as_str()[..DIGITS].to_owned()
}
