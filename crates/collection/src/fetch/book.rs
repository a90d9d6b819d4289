//! The journal's record of each file of a remote place: how far its transfer has come.

use std::collections::HashMap;
use std::fmt;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use runtime::sync::lock;
use runtime::time::at_ms;
use store::{Connection, QueryResult, StoreError, params};
use transport::RemoteFile;

use journal::Journal;

/// How long a finished file stays in the journal after the remote place stopped listing it. A listing may be stale and
/// leave a file out.
const RETENTION_MS: i64 = 24 * 60 * 60 * 1000;

/// The size and time that distinguish versions of a far file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FarVersion {
    /// `None` where the remote place does not tell the size.
    pub(super) octets: Option<u64>,
    modified_ms: Option<i64>,
}

/// The journal's value for an unknown size.
const UNKNOWN: i64 = -1;

/// Writes the version as a suffix for file names: the time of the last change in milliseconds since 1970, and the
/// octets.
impl fmt::Display for FarVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.modified_ms.iter().try_for_each(|at| write!(f, "{at}-"))?;
        match self.octets {
            Some(octets) => write!(f, "{octets}"),
            None => f.write_str("unknown"),
        }
    }
}

impl FarVersion {
    pub(super) fn of(file: &RemoteFile) -> Self {
        let since = |at: SystemTime| at.duration_since(UNIX_EPOCH).ok();
        let modified = file.modified.and_then(since).map(|since| since.as_millis() as i64);
        FarVersion { octets: file.octets, modified_ms: modified }
    }

    /// Returns when the file was written, if the remote place tells that. A time in the future becomes now: the far clock
    /// may be ahead.
    pub(super) fn written(self) -> Option<SystemTime> {
        self.modified_ms.map(|at| at_ms(at).min(SystemTime::now()))
    }

    /// Returns whether a listed file can be this version. Some servers leave out the time or size, so an unknown size
    /// matches every size, and a version without a time matches every time.
    pub(super) fn may_be(self, file: &RemoteFile) -> bool {
        let now = FarVersion::of(file);
        let has_size = self.octets.zip(now.octets).is_none_or(|(then, now)| then == now);
        has_size && (self.modified_ms.is_none() || self.modified_ms == now.modified_ms)
    }
}

/// How far the transfer of a version has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The file is on the disk, under its hidden name or already under its own.
    Fetched,
    /// The file is in the in buffer, or was processed from there.
    Committed,
    /// The file was moved or deleted at the remote place, or stays there by configuration.
    Done,
}

const WORDS: [(&str, Step); 3] =
    [("fetched", Step::Fetched), ("committed", Step::Committed), ("done", Step::Done)];

impl Step {
    fn word(self) -> &'static str {
        WORDS.iter().find(|(_, step)| *step == self).expect("all are in the list").0
    }

    fn of(word: &str) -> Option<Self> {
        WORDS.iter().find(|(known, _)| *known == word).map(|(_, step)| *step)
    }
}

/// The files of a network element's remote place, as the journal has them.
pub(super) struct Book<'b> {
    journal: &'b Journal,
    network_element: String,
    known: Mutex<HashMap<String, (FarVersion, Step)>>,
}

impl<'b> Book<'b> {
    /// Reads the files of a network element from the journal.
    pub(super) fn open(journal: &'b Journal, network_element: &str) -> Result<Self, StoreError> {
        let reader = journal.reader()?;
        let known = journal.answer(known(&reader, network_element))?;
        let (network_element, known) = (network_element.to_owned(), Mutex::new(known));
        Ok(Book { journal, network_element, known })
    }

    /// Returns how far this version of a file has come, or `None` if the journal has another version or none.
    pub(super) fn step(&self, name: &str, version: FarVersion) -> Option<Step> {
        lock(&self.known).get(name).filter(|(known, _)| *known == version).map(|(_, step)| *step)
    }

    /// Returns the files at a step, sorted by name.
    pub(super) fn on(&self, step: Step) -> Vec<(String, FarVersion)> {
        let known = lock(&self.known);
        let of = known.iter().filter(|(_, (_, known))| *known == step);
        let mut of: Vec<_> = of.map(|(name, (version, _))| (name.clone(), *version)).collect();
        of.sort_by(|a, b| a.0.cmp(&b.0));
        of
    }

    /// Writes to the journal how far a version has come. The row is on the disk when this returns.
    pub(super) fn note(
        &self,
        name: &str,
        version: FarVersion,
        step: Step,
    ) -> Result<(), StoreError> {
        let (element, file) = (self.network_element.clone(), name.to_owned());
        let now = self.journal.now_ms();
        self.journal.commit(move |db| {
            db.prepare_cached(
                "INSERT INTO fetched VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
                 SET octets = excluded.octets, modified_ms = excluded.modified_ms, step = excluded.step,
                     at_ms = excluded.at_ms",
            )?
            .execute(params![
                element,
                file,
                version.octets.map_or(UNKNOWN, |octets| octets as i64),
                version.modified_ms,
                step.word(),
                now
            ])
            .map(drop)
        })?;
        lock(&self.known).insert(name.to_owned(), (version, step));
        Ok(())
    }

    /// Removes files from the journal that were done more than [`RETENTION_MS`] ago and are no longer at the remote place.
    pub(super) fn forget(&self, is_there: impl Fn(&str) -> bool) -> Result<(), StoreError> {
        let of_done = |(name, (_, step)): (&String, &(FarVersion, Step))| {
            (*step == Step::Done && !is_there(name)).then(|| name.clone())
        };
        let gone: Vec<String> = lock(&self.known).iter().filter_map(of_done).collect();
        if gone.is_empty() {
            return Ok(());
        }
        let (element, before) =
            (self.network_element.clone(), self.journal.now_ms() - RETENTION_MS);
        let forgotten = self.journal.commit(move |db| {
            let mut delete = db.prepare_cached(
                "DELETE FROM fetched WHERE network_element = ? AND name = ? AND step = 'done' AND at_ms < ?",
            )?;
            let mut forgotten = Vec::new();
            for name in gone {
                if delete.execute(params![element, name, before])? > 0 {
                    forgotten.push(name);
                }
            }
            Ok(forgotten)
        })?;
        lock(&self.known).retain(|name, _| !forgotten.contains(name));
        Ok(())
    }
}

fn known(db: &Connection, element: &str) -> QueryResult<HashMap<String, (FarVersion, Step)>> {
    let mut select = db
        .prepare("SELECT name, octets, modified_ms, step FROM fetched WHERE network_element = ?")?;
    let rows = select.query_map([element], |row| {
        let octets = u64::try_from(row.get::<_, i64>(1)?).ok();
        let version = FarVersion { octets, modified_ms: row.get(2)? };
        Ok((row.get(0)?, version, row.get::<_, String>(3)?))
    })?;
    let mut known = HashMap::new();
    for row in rows {
        let (name, version, step) = row?;
        // A step written by another version of this program is ignored: the file is fetched again.
        known.extend(Step::of(&step).map(|step| (name, (version, step))));
    }
    Ok(known)
}
