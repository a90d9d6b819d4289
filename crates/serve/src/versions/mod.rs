//! Versions of a flow: its file, scripts, their tables, modules and tariff plans as a user saved them, the user, and
//! the activations. Files that were changed outside the interface become a version before they are replaced. Files that
//! cannot be kept are listed as left out.

mod exchange;
mod found;
mod place;
mod withheld;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use diagnostics::plain;
use gateway::ReloadError;
use runtime::time::{now_ms, shown};
use sha2::{Digest as _, Sha256};
use store::{Answer, Connection, OptionalExtension as _, Page, Store, StoreError, params};

use crate::language::Language;
use crate::secret_files::{Guard, SecretFiles};

use found::FILE_OCTETS_MAX;
pub(crate) use found::{FileTexts, Found, LeftOut, is_script, superfluous};
pub(crate) use place::BaseState;

const MIGRATIONS: &[&str] = &[include_str!("versions.sql"), include_str!("left_out.sql")];

/// The name of the database file in the state folder.
const DATABASE: &str = "versions.db";

/// The user of a version whose files were found on the disk.
const FOUND: &str = "somebody outside the interface";

/// Returns the SHA-256 digest of a text, in hexadecimal.
pub(crate) fn digest(text: impl AsRef<[u8]>) -> String {
    hexadecimal(&Sha256::digest(text))
}

/// Returns octets in hexadecimal.
pub(crate) fn hexadecimal(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}

/// A version, without its files.
#[derive(Clone, Debug)]
pub(crate) struct StoredVersion {
    pub(crate) id: i64,
    pub(crate) at: String,
    pub(crate) who: String,
    pub(crate) remark: String,
    /// The times of its activations, and the users.
    pub(crate) activated: Vec<(String, String)>,
    /// The [`contents`] of its files.
    pub(crate) contents: String,
}

/// Why a version is not saved or activated.
#[derive(Debug, thiserror::Error)]
pub(crate) enum VersionError {
    #[error("there is no version {0}")]
    Unknown(i64),
    #[error(
        "the files of the flow were changed by somebody else meanwhile: load them, and look again"
    )]
    Overtaken,
    #[error("\"{0}\" is no file of the flow that may be changed here")]
    Outside(String),
    #[error(
        "\"{0}\" cannot be a script: it lies beneath the folder of the flow file, and ends with \".dup\""
    )]
    NoScript(String),
    #[error("\"{name}\" is not read here: {why}")]
    Unseen { name: String, why: String },
    #[error("the flow has the script \"{0}\" already: change it in its place")]
    Runs(String),
    #[error(
        "there is a script \"{0}\" already, or somebody else wrote it meanwhile: load it, and look again"
    )]
    There(String),
    #[error("could not write \"{}\"", path.display())]
    Write {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("could not read \"{}\"", path.display())]
    Read {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error(transparent)]
    Reload(#[from] ReloadError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The versions of a flow.
pub(crate) struct VersionStore {
    store: Store,
    flow: PathBuf,
    /// The folder to which names in the flow file are relative.
    folder: PathBuf,
    /// The files that neither versions nor answers contain.
    secret_files: SecretFiles,
    /// The language of its scripts.
    language: &'static dyn Language,
    /// A lock, so that only one request changes the files at a time.
    changing: Mutex<()>,
}

impl VersionStore {
    pub(crate) fn open(
        flow: &Path,
        state: &Path,
        language: &'static dyn Language,
    ) -> Result<Self, StoreError> {
        let store = Store::open(&state.join(DATABASE), MIGRATIONS)?;
        let secret_files = SecretFiles::of(flow, state);
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
        let folder = flow.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = real(folder.unwrap_or(Path::new(".")));
        // If the flow file is a link, the target is written, but names are relative to the folder of the link.
        let (flow, changing) = (real(flow), Mutex::default());
        let versions = VersionStore { store, flow, folder, secret_files, language, changing };
        versions.learn()?;
        Ok(versions)
    }

    /// Returns the guard for a text of the flow file. It knows the secrets of this text, of the flow on the disk, and
    /// of all flows before.
    fn guard(&self, text: &str) -> Guard {
        let on_disk = plain::read_text(&self.flow, FILE_OCTETS_MAX).unwrap_or_default();
        self.secret_files.learn(&on_disk);
        self.secret_files.guard(text, &on_disk, &self.read_openly(&on_disk))
    }

    /// Collects the secrets of the flow on the disk, and of all versions.
    fn learn(&self) -> Result<(), StoreError> {
        if let Ok(text) = plain::read_text(&self.flow, FILE_OCTETS_MAX) {
            self.secret_files.learn(&text);
        }
        let reader = self.store.reader()?;
        let learn = || -> Answer<()> {
            let mut select = reader.prepare(
                "SELECT DISTINCT text FROM version_file JOIN content USING (digest) WHERE name = ''",
            )?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                self.secret_files.learn(&row.get::<_, String>(0)?);
            }
            Ok(())
        };
        learn().map_err(|error| self.store.readers().error(&error))
    }

    /// Saves files as a version, unless the last version is the same, and returns its number. Before that, it saves the
    /// files on the disk if no version has them.
    pub(crate) fn save(&self, found: Found, who: &str, remark: &str) -> Result<i64, VersionError> {
        self.keep_found()?;
        self.secret_files.learn(found.files.get("").map_or("", String::as_str));
        let (who, remark) = (who.to_owned(), remark.to_owned());
        Ok(self.store.commit(move |db| {
            let contents = contents(&found.files);
            let last = "SELECT id, contents FROM version ORDER BY id DESC LIMIT 1";
            let last: Option<(i64, String)> =
                db.query_row(last, [], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
            match last {
                Some((id, same)) if same == contents => Ok(id),
                _ => insert(db, &found, &contents, &who, &remark),
            }
        })?)
    }

    /// Saves the files on the disk, unless a version has them.
    fn keep_found(&self) -> Result<FileTexts, VersionError> {
        let found = self.on_disk()?;
        let files = found.files.clone();
        self.store.commit(move |db| {
            let contents = contents(&found.files);
            let known = "SELECT 1 FROM version WHERE contents = ?";
            if !db.prepare_cached(known)?.exists([&contents])? {
                insert(db, &found, &contents, FOUND, "as it was found")?;
            }
            Ok(())
        })?;
        Ok(files)
    }

    /// Returns the versions, the last first, and whether there are more.
    pub(crate) fn list(&self, page: Page) -> Result<(Vec<StoredVersion>, bool), VersionError> {
        let reader = self.store.reader()?;
        let list = || -> Answer<Vec<StoredVersion>> {
            let mut select = reader.prepare(&format!(
                "SELECT id, at_ms, who, remark, contents FROM version WHERE id > ? AND id < ?
                 ORDER BY id {} LIMIT ?",
                page.order()
            ))?;
            let values = params![page.above(), page.below(), page.one_more()];
            let versions = select.query_map(values, |row| {
                Ok(StoredVersion {
                    id: row.get(0)?,
                    at: shown(row.get(1)?),
                    who: row.get(2)?,
                    remark: row.get(3)?,
                    activated: Vec::new(),
                    contents: row.get(4)?,
                })
            })?;
            let mut versions: Vec<StoredVersion> = versions.collect::<Answer<_>>()?;
            let mut select = reader
                .prepare("SELECT at_ms, who FROM activation WHERE version = ? ORDER BY at_ms")?;
            for version in &mut versions {
                let activated =
                    select.query_map([version.id], |row| Ok((shown(row.get(0)?), row.get(1)?)))?;
                version.activated = activated.collect::<Answer<_>>()?;
            }
            Ok(versions)
        };
        Ok(page.cut(list().map_err(|error| self.store.readers().error(&error))?))
    }

    /// Returns a version, its files, and the files that it left out. Files that are withheld by now count as left out.
    pub(crate) fn get(&self, id: i64) -> Result<(StoredVersion, Found), VersionError> {
        let (version, mut found) = self.unfiltered(id)?;
        self.withhold(&mut found);
        Ok((version, found))
    }

    /// Returns a version with all its files, including those that are withheld by now.
    fn unfiltered(&self, id: i64) -> Result<(StoredVersion, Found), VersionError> {
        let one = Page { before: Some(id.saturating_add(1)), ..Page::newest(1) };
        let (versions, _) = self.list(one)?;
        let version = versions.into_iter().find(|version| version.id == id);
        let version = version.ok_or(VersionError::Unknown(id))?;
        let reader = self.store.reader()?;
        let found = || -> Answer<Found> {
            let mut select = reader.prepare(
                "SELECT name, text FROM version_file JOIN content USING (digest) WHERE version = ?",
            )?;
            let files = select.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let files = files.collect::<Answer<_>>()?;
            let mut select = reader.prepare(
                "SELECT name, why FROM version_left_out WHERE version = ? ORDER BY name",
            )?;
            let left_out = select
                .query_map([id], |row| Ok(LeftOut { name: row.get(0)?, why: row.get(1)? }))?;
            Ok(Found { files, left_out: left_out.collect::<Answer<_>>()? })
        };
        let found = found().map_err(|error| self.store.readers().error(&error))?;
        Ok((version, found))
    }
}

/// Returns a digest of all names and texts.
pub(crate) fn contents(files: &FileTexts) -> String {
    let mut all = Sha256::new();
    for (name, text) in files {
        for part in [name, text] {
            all.update((part.len() as u64).to_le_bytes());
            all.update(part);
        }
    }
    hexadecimal(&all.finalize())
}

fn insert(db: &Connection, found: &Found, contents: &str, who: &str, remark: &str) -> Answer<i64> {
    let insert = "INSERT INTO version (at_ms, who, remark, contents) VALUES (?, ?, ?, ?)";
    db.execute(insert, params![now_ms(), who, remark, contents])?;
    let version = db.last_insert_rowid();
    for LeftOut { name, why } in &found.left_out {
        let left_out = "INSERT INTO version_left_out (version, name, why) VALUES (?, ?, ?)";
        db.execute(left_out, params![version, name, why])?;
    }
    for (name, text) in &found.files {
        let digest = digest(text);
        let content = "INSERT INTO content (digest, text) VALUES (?, ?) ON CONFLICT DO NOTHING";
        db.execute(content, params![digest, text])?;
        let file = "INSERT INTO version_file (version, name, digest) VALUES (?, ?, ?)";
        db.execute(file, params![version, name, digest])?;
    }
    Ok(version)
}
