//! Files that come twice: known by name, by contents, or by both, for some time.

use std::time::Duration;

use diagnostics::Diagnostic;
use journal::JobId;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use settings::Settings;
use store::{Answer, Connection, OptionalExtension as _, ToSql, params};

use crate::collection::input::Digest;
use crate::definition::file::{Keys, TableSchema};

/// `duplicates` of a network element.
pub(crate) const DUPLICATES: TableSchema =
    TableSchema { name: "duplicates", keys: Keys::These(&["files", "window"]) };

/// How long a file is known, if nothing is said.
const WINDOW: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What makes a file of a network element a duplicate of another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DuplicateFiles {
    by: By,
    window: Duration,
}

/// By what files are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// They are not.
    Nothing,
    Name,
    Contents,
    /// Name and contents are the same.
    Both,
    /// One of them is.
    Either,
}

const WORDS: [(&str, By); 5] = [
    ("off", By::Nothing),
    ("name", By::Name),
    ("contents", By::Contents),
    ("both", By::Both),
    ("either", By::Either),
];

/// A file that came before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Original {
    pub(crate) entry: JobId,
    name: String,
    done_ms: i64,
}

impl Original {
    /// How it is spoken of.
    pub(crate) fn told(&self) -> String {
        format!("\"{}\", done {}", self.name, shown(self.done_ms))
    }
}

/// Whether a file came before.
#[derive(Clone, Debug)]
pub(crate) enum Seen {
    Never,
    /// As this one.
    Before(Original),
    /// Its digest decides.
    Perhaps,
}

/// What a file is known by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownBy<'k> {
    pub(crate) network_element: &'k str,
    pub(crate) name: &'k str,
    /// Its octets, as it lies on the disk.
    pub(crate) size: u64,
    /// Those of what is in it, however it is compressed.
    pub(crate) contents: u64,
}

impl Default for DuplicateFiles {
    fn default() -> Self {
        DuplicateFiles { by: By::Contents, window: WINDOW }
    }
}

impl DuplicateFiles {
    /// Reads a `duplicates` table.
    pub(crate) fn new(settings: &Settings) -> Result<Self, Vec<Diagnostic>> {
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

    /// How long a file is known.
    pub(crate) fn window(&self) -> Duration {
        if self.by == By::Nothing { Duration::ZERO } else { self.window }
    }

    /// Whether a file came before, by a clock that is believed. Its digest is of no need where its name or size decides.
    pub(crate) fn seen(
        &self,
        db: &Connection,
        file: &KnownBy<'_>,
        digest: Option<Digest>,
        now_ms: i64,
    ) -> Answer<Seen> {
        let since = now_ms.saturating_sub(self.window.as_millis() as i64);
        let (name, contents, size) = (&file.name, file.contents as i64, file.size as i64);
        let find = |condition: &str, values: &[&dyn ToSql]| {
            find(db, (file.network_element, since), condition, values)
        };
        let by_name = || find("name = ?3", &[name]);
        let by_contents = || {
            find_digest(db, file, digest, |digest| {
                find(SAME_CONTENTS, &[&contents, &size, &digest])
            })
        };
        let by_both = || {
            find_digest(db, file, digest, |digest| {
                find(&format!("{SAME_CONTENTS} AND name = ?6"), &[&contents, &size, &digest, name])
            })
        };
        match self.by {
            By::Nothing => Ok(Seen::Never),
            By::Name => Ok(by_name()?.into()),
            By::Contents => by_contents(),
            By::Both => by_both(),
            By::Either => match by_name()? {
                None => by_contents(),
                known => Ok(known.into()),
            },
        }
    }
}

impl From<Option<Original>> for Seen {
    fn from(original: Option<Original>) -> Self {
        original.map_or(Seen::Never, Seen::Before)
    }
}

/// The condition for the same contents: their size, the size on the disk, and their digest. Of a compressed file that came
/// before its contents were measured only the size on the disk is known.
const SAME_CONTENTS: &str = "ifnull(contents, size) IN (?3, ?4) AND digest = ?5";

/// Whether a file came before, by its digest, which is only needed where there ever was one of its size.
fn find_digest(
    db: &Connection,
    file: &KnownBy<'_>,
    digest: Option<Digest>,
    find: impl Fn(Digest) -> Answer<Option<Original>>,
) -> Answer<Seen> {
    match digest {
        // Empty files have nothing in common but that.
        _ if file.contents == 0 => Ok(Seen::Never),
        Some(digest) => Ok(find(digest)?.into()),
        None if is_any_of_its_size(db, file)? => Ok(Seen::Perhaps),
        None => Ok(Seen::Never),
    }
}

/// Whether there ever was a file of its size: of files that all have one, the first to be found says it.
fn is_any_of_its_size(db: &Connection, file: &KnownBy<'_>) -> Answer<bool> {
    db.prepare_cached(
        "SELECT 1 FROM file
         WHERE network_element = ?1 AND ifnull(contents, size) IN (?2, ?3) AND duplicate_of IS NULL",
    )?
    .exists(params![file.network_element, file.contents as i64, file.size as i64])
}

/// The last file of a network element, done since a time, for which a condition holds, whose values are `?3` and so on.
fn find(
    db: &Connection,
    (network_element, since): (&str, i64),
    condition: &str,
    values: &[&dyn ToSql],
) -> Answer<Option<Original>> {
    let all = [&[&network_element as &dyn ToSql, &since], values].concat();
    db.prepare_cached(&format!(
        "SELECT id, name, done_ms FROM file
         WHERE network_element = ?1 AND done_ms >= ?2 AND {condition} AND duplicate_of IS NULL AND is_known
         ORDER BY id DESC LIMIT 1",
    ))?
    .query_row(&*all, |row| {
        Ok(Original { entry: JobId(row.get(0)?), name: row.get(1)?, done_ms: row.get(2)? })
    })
    .optional()
}
