//! Recognizes files that come twice: by name, by contents or by both, within a time window.

use std::time::Duration;

use diagnostics::Diagnostic;
use journal::JobId;
use reason::Coded;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use settings::Settings;
use store::{Connection, OptionalExtension as _, QueryResult, ToSql, params};

use crate::input::Digest;
use flow::file::{Keys, TableSchema};

/// `duplicates` of a network element.
pub const DUPLICATES: TableSchema =
    TableSchema { name: "duplicates", keys: Keys::These(&["files", "window"]) };

/// How long a file is remembered, where the flow file does not say.
const WINDOW: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The rule that makes a file of a network element a duplicate of another.
#[derive(Clone, Copy, Debug)]
pub struct DuplicateFiles {
    by: CompareBy,
    window: Duration,
}

/// The properties that are compared to find duplicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CompareBy {
    /// Nothing is compared: no file is a duplicate.
    Nothing,
    Name,
    Contents,
    /// Name and contents must both be the same.
    Both,
    /// The name or the contents must be the same.
    Either,
}

const WORDS: [(&str, CompareBy); 5] = [
    ("off", CompareBy::Nothing),
    ("name", CompareBy::Name),
    ("contents", CompareBy::Contents),
    ("both", CompareBy::Both),
    ("either", CompareBy::Either),
];

/// A file that was processed before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Original {
    /// Its entry in the journal.
    pub entry: JobId,
    name: String,
    done_ms: i64,
}

impl Original {
    /// Returns why another file is not processed: it is a duplicate of this one.
    pub fn of_duplicate(&self) -> DuplicateFile {
        DuplicateFile::of(self.name.clone(), self.done_ms)
    }
}

/// Why a file is not processed: it came before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code("file-duplicate")]
#[error("it came before, as \"{original}\", done {done}")]
pub struct DuplicateFile {
    /// The name of the earlier file.
    pub original: String,
    /// When that was done.
    pub done: String,
}

impl DuplicateFile {
    /// Makes the reason for a duplicate of a file that was done at a time.
    pub fn of(original: String, done_ms: i64) -> Self {
        DuplicateFile { original, done: shown(done_ms) }
    }
}

/// The result of a search for an earlier copy of a file.
#[derive(Clone, Debug)]
pub enum DuplicateCheck {
    /// It is no duplicate. By contents, an empty file never is one.
    New,
    /// It is a duplicate of this file.
    Duplicate(Original),
    /// The digest of the file is needed to decide.
    NeedsDigest,
}

/// The properties by which a file is compared.
#[derive(Clone, Copy, Debug)]
pub struct KnownBy<'k> {
    /// The network element that it came from. It is compared with no other's files.
    pub network_element: &'k str,
    /// Its name, as [`transport::FoundFile`] has it.
    pub name: &'k str,
    /// The size on the disk in octets.
    pub size: u64,
    /// The size of the unpacked contents in octets.
    pub contents: u64,
}

impl KnownBy<'_> {
    /// Returns the SQL condition for a file of the same size: the unpacked size as `?1`, or the size on the disk as `?2`.
    /// For an old row of a compressed file the journal has only the size on the disk.
    fn same_size(&self) -> &'static str {
        // For a list, SQLite makes a table in each query, which costs more than the search.
        match self.contents == self.size {
            true => "ifnull(contents, size) = ?1",
            false => "ifnull(contents, size) IN (?1, ?2)",
        }
    }
}

impl Default for DuplicateFiles {
    fn default() -> Self {
        DuplicateFiles { by: CompareBy::Contents, window: WINDOW }
    }
}

impl DuplicateFiles {
    /// Reads a `duplicates` table.
    pub fn new(settings: &Settings) -> Result<Self, Vec<Diagnostic>> {
        let mut policy = DuplicateFiles::default();
        let mut mistakes = Vec::new();
        if let Some(files) = settings.get("files") {
            match settings.choice(files, &WORDS) {
                Ok(by) => policy.by = by,
                Err(mistake) => mistakes.push(mistake),
            }
        }
        if let Some(window) = settings.get("window") {
            match settings.duration(window) {
                Ok(span) => policy.window = span,
                Err(mistake) => mistakes.push(mistake),
            }
        }
        if mistakes.is_empty() { Ok(policy) } else { Err(mistakes) }
    }

    /// Returns how long a file is remembered. It is zero where nothing is compared.
    pub fn window(&self) -> Duration {
        if self.by == CompareBy::Nothing { Duration::ZERO } else { self.window }
    }

    /// Looks up whether a file was processed before. `now_ms` comes from the guarded clock. Without a `digest` the
    /// answer may be [`DuplicateCheck::NeedsDigest`], where name and size do not decide.
    pub fn check(
        &self,
        db: &Connection,
        file: &KnownBy<'_>,
        digest: Option<Digest>,
        now_ms: i64,
    ) -> QueryResult<DuplicateCheck> {
        let since = now_ms.saturating_sub(self.window.as_millis() as i64);
        let (name, same_size) = (&file.name, file.same_size());
        let find =
            |condition: &str, values: &[&dyn ToSql]| find(db, (file, since), condition, values);
        let by_name = || find("name = ?5", &[name]);
        let by_contents = || {
            find_digest(db, file, digest, |digest| {
                find(&format!("{same_size} AND digest = ?5"), &[&digest])
            })
        };
        let by_both = || {
            find_digest(db, file, digest, |digest| {
                find(&format!("{same_size} AND digest = ?5 AND name = ?6"), &[&digest, name])
            })
        };
        match self.by {
            CompareBy::Nothing => Ok(DuplicateCheck::New),
            CompareBy::Name => Ok(by_name()?.into()),
            CompareBy::Contents => by_contents(),
            CompareBy::Both => by_both(),
            CompareBy::Either => match by_name()? {
                None => by_contents(),
                known => Ok(known.into()),
            },
        }
    }
}

impl From<Option<Original>> for DuplicateCheck {
    fn from(original: Option<Original>) -> Self {
        original.map_or(DuplicateCheck::New, DuplicateCheck::Duplicate)
    }
}

/// Looks up a file by its digest. The digest is needed only if the journal has a file of the same size.
fn find_digest(
    db: &Connection,
    file: &KnownBy<'_>,
    digest: Option<Digest>,
    find: impl Fn(Digest) -> QueryResult<Option<Original>>,
) -> QueryResult<DuplicateCheck> {
    match digest {
        // Empty files are no duplicates of each other.
        _ if file.contents == 0 => Ok(DuplicateCheck::New),
        Some(digest) => Ok(find(digest)?.into()),
        None if is_any_of_its_size(db, file)? => Ok(DuplicateCheck::NeedsDigest),
        None => Ok(DuplicateCheck::New),
    }
}

/// Returns whether the journal has a file of the same size. The query stops at the first match.
fn is_any_of_its_size(db: &Connection, file: &KnownBy<'_>) -> QueryResult<bool> {
    db.prepare_cached(&format!(
        "SELECT 1 FROM file WHERE {} AND network_element = ?3 AND duplicate_of IS NULL",
        file.same_size()
    ))?
    .exists(params![file.contents as i64, file.size as i64, file.network_element])
}

/// Returns the last file of the same network element that was done since a time and meets `condition`. The placeholders
/// of the condition's `values` begin at `?5`.
fn find(
    db: &Connection,
    (file, since): (&KnownBy<'_>, i64),
    condition: &str,
    values: &[&dyn ToSql],
) -> QueryResult<Option<Original>> {
    let (contents, size) = (file.contents as i64, file.size as i64);
    let all = [&[&contents as &dyn ToSql, &size, &file.network_element, &since], values].concat();
    db.prepare_cached(&format!(
        "SELECT id, name, done_ms FROM file
         WHERE network_element = ?3 AND done_ms >= ?4 AND {condition} AND duplicate_of IS NULL AND is_known
         ORDER BY id DESC LIMIT 1",
    ))?
    .query_row(&*all, |row| {
        Ok(Original { entry: JobId(row.get(0)?), name: row.get(1)?, done_ms: row.get(2)? })
    })
    .optional()
}
