//! Versions of a flow: its file, scripts, their tables, modules and tariff plans as a user saved them, the user, and
//! the activations. Files that were changed outside the interface become a version before they are replaced. Files that
//! cannot be kept are listed as left out.
//!
//! Files that a flow reads as secrets, and the gateway's own files, are in no version and in no answer.
#![forbid(unsafe_code)]

mod folders;
mod found;
mod modules;
mod place;
mod proposal;
mod record_folders;
mod scripts;
mod secret_files;
mod withheld;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use diagnostics::plain;
use flow::flow_journal::JournalError;
use gateway::ReloadError;
use runtime::exchange::NotReplaced;
use runtime::time::{now_ms, shown};
use sha2::{Digest as _, Sha256};
use store::{Access, Connection, OptionalExtension as _, Page, QueryResult, StoreError, params};

use found::FILE_OCTETS_MAX;
pub use found::{FileTexts, Found, LeftOut, is_script, superfluous};
pub use place::{Activation, BaseState, PreparedActivation};
pub use proposal::StoredProposal;
use record_folders::RecordFolders;
pub use scripts::{NamedFiles, NoScripts, ScriptLanguage};
use secret_files::{Guard, SecretFiles};

const MIGRATIONS: &[&str] = &[
    include_str!("versions.sql"),
    include_str!("left_out.sql"),
    include_str!("reason.sql"),
    include_str!("proposal.sql"),
];

/// The name of the database file in the state folder.
const DATABASE: &str = "versions.db";

/// The user of a version whose files were found on the disk.
const FOUND: &str = "somebody outside the interface";

/// Returns the SHA-256 digest of a text, in hexadecimal.
pub fn digest(text: impl AsRef<[u8]>) -> String {
    diagnostics::hexadecimal(&Sha256::digest(text))
}

/// A version, without its files.
#[derive(Clone, Debug)]
pub struct StoredVersion {
    /// Its number.
    pub id: i64,
    /// When it was saved.
    pub at: String,
    /// The user who saved it.
    pub who: String,
    /// The remark; may be empty.
    pub remark: String,
    /// Its activations, the oldest first.
    pub activated: Vec<StoredActivation>,
    /// Its proposal, which may be void.
    pub proposal: Option<StoredProposal>,
    /// The [`contents`] of its files.
    pub contents: String,
}

/// An activation of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredActivation {
    /// When it was activated.
    pub at: String,
    /// The user.
    pub who: String,
    /// The reason. Empty for activations by programs that did not ask for it.
    pub because: String,
}

/// What became of files that a user saved as a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedAs {
    /// The number of the version.
    pub version: i64,
    /// Whether it is the last version, which a user saved before. Its user and its remark stay.
    pub unchanged: bool,
}

/// Why a version is not saved or activated.
#[derive(Debug, thiserror::Error)]
pub enum VersionError {
    /// There is no such version.
    #[error("there is no version {0}")]
    Unknown(i64),
    /// The files on the disk are not those that the user has read.
    #[error(
        "the files of the flow were changed by another user meanwhile: load them, and look again"
    )]
    Overtaken,
    /// The file is not a file of the flow, or lies outside of its folder.
    #[error("\"{0}\" is no file of the flow that may be changed here")]
    Outside(String),
    /// The file is withheld.
    #[error("\"{name}\" is not read here: {why}")]
    Unseen {
        /// Its name.
        name: String,
        /// Why it is withheld.
        why: String,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] NotReplaced),
    /// A file cannot be read.
    #[error("could not read \"{}\"", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// The gateway does not answer.
    #[error(transparent)]
    Reload(#[from] ReloadError),
    /// The database of versions fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The journal fails, so there is no entry in the audit trail.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Why a script that the flow does not name yet is not written.
#[derive(Debug, thiserror::Error)]
pub enum BeginError {
    /// The name is none of a script.
    #[error(
        "\"{0}\" cannot be a script: it lies beneath the folder of the flow file, and ends with \".dup\""
    )]
    Name(String),
    /// The flow names the script.
    #[error("the flow has the script \"{0}\" already: change it in its place")]
    Runs(String),
    /// The script exists with another text.
    #[error(
        "there is a script \"{0}\" already, or another user wrote it meanwhile: load it, and look again"
    )]
    Exists(String),
    /// The files of the flow cannot be read, or the script cannot be written.
    #[error(transparent)]
    Versions(#[from] VersionError),
}

/// The versions of a flow.
pub struct VersionStore {
    store: Access,
    flow: PathBuf,
    /// The folder to which names in the flow file are relative.
    folder: PathBuf,
    /// The state folder. It is locked while files are replaced: only one request does it at a time.
    state: PathBuf,
    /// The files that neither versions nor answers contain.
    secret_files: SecretFiles,
    /// The folders of records of the flow on the disk.
    record_folders: RecordFolders,
    /// The language of its scripts.
    language: &'static dyn ScriptLanguage,
    /// The number of versions that were saved or activated by this store.
    changes: AtomicU64,
}

impl VersionStore {
    /// Opens the versions of a flow with this state folder, as the only process that has them open.
    ///
    /// # Errors
    ///
    /// The database cannot be opened, or is damaged.
    pub fn open(
        flow: &Path,
        state: &Path,
        language: &'static dyn ScriptLanguage,
    ) -> Result<Self, StoreError> {
        let store = Access::owner(&state.join(DATABASE), MIGRATIONS)?;
        Self::with_store(store, (flow, state), language)
    }

    /// Opens the versions of a flow while a server may have them open.
    ///
    /// # Errors
    ///
    /// The database does not exist, or cannot be read.
    pub fn open_as_guest(
        flow: &Path,
        state: &Path,
        language: &'static dyn ScriptLanguage,
    ) -> Result<Self, StoreError> {
        let store = Access::guest(state.join(DATABASE), MIGRATIONS);
        Self::with_store(store, (flow, state), language)
    }

    fn with_store(
        store: Access,
        (flow, state): (&Path, &Path),
        language: &'static dyn ScriptLanguage,
    ) -> Result<Self, StoreError> {
        let secret_files = SecretFiles::of(flow, state);
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
        let folder = flow.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = real(folder.unwrap_or(Path::new(".")));
        // If the flow file is a link, the target is written, but names are relative to the folder of the link.
        let (flow, state) = (real(flow), state.to_owned());
        let versions = VersionStore {
            store,
            flow,
            folder,
            state,
            secret_files,
            record_folders: RecordFolders::default(),
            language,
            changes: AtomicU64::new(0),
        };
        versions.learn()?;
        Ok(versions)
    }

    /// Returns how often this store has saved or activated a version, or tried to.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    fn has_changed(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
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
        self.store.read(|db| {
            let mut select = db.prepare(
                "SELECT DISTINCT text FROM version_file JOIN content USING (digest) WHERE name = ''",
            )?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                self.secret_files.learn(&row.get::<_, String>(0)?);
            }
            Ok(())
        })
    }

    /// Saves files as a version, unless the last version has the same files. Before that, it saves the files on the disk
    /// if no version has them. A last version that was only found on the disk gets the user and the remark. `record`
    /// notes who saves the version; without it, no version is saved.
    ///
    /// # Errors
    ///
    /// The files on the disk cannot be read, or the databases cannot be written.
    pub fn save(
        &self,
        found: Found,
        (who, remark): (&str, &str),
        record: impl FnOnce(i64) -> Result<(), JournalError> + Send + 'static,
    ) -> Result<SavedAs, VersionError> {
        self.keep_found()?;
        self.secret_files.learn(found.files.get("").map_or("", String::as_str));
        let (who, remark) = (who.to_owned(), remark.to_owned());
        let saved = self.store.attempt(move |db| {
            let contents = contents(&found.files);
            let last = "SELECT id, who FROM version
                WHERE id = (SELECT max(id) FROM version) AND contents = ?";
            let same: Option<(i64, String)> =
                db.query_row(last, [&contents], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
            let saved = match same {
                Some((version, by)) if by == FOUND => {
                    let claim = "UPDATE version SET at_ms = ?, who = ?, remark = ? WHERE id = ?";
                    db.execute(claim, params![now_ms(), who, remark, version])?;
                    SavedAs { version, unchanged: false }
                }
                Some((version, _)) => SavedAs { version, unchanged: true },
                None => {
                    let version = insert(db, &found, &contents, &who, &remark)?;
                    SavedAs { version, unchanged: false }
                }
            };
            Ok(record(saved.version).map(|()| saved))
        });
        self.has_changed();
        Ok(saved??)
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

    /// Returns the versions of a page, and whether there are more.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn list(&self, page: Page) -> Result<(Vec<StoredVersion>, bool), VersionError> {
        let versions = self.store.read(|db| {
            let mut select = db.prepare(&format!(
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
                    proposal: None,
                    contents: row.get(4)?,
                })
            })?;
            let mut versions: Vec<StoredVersion> = versions.collect::<QueryResult<_>>()?;
            let mut select = db.prepare(
                "SELECT at_ms, who, because FROM activation WHERE version = ? ORDER BY at_ms",
            )?;
            for version in &mut versions {
                let activated = select.query_map([version.id], |row| {
                    let at = shown(row.get(0)?);
                    Ok(StoredActivation { at, who: row.get(1)?, because: row.get(2)? })
                })?;
                version.activated = activated.collect::<QueryResult<_>>()?;
                version.proposal = proposal::of(db, version.id)?;
            }
            Ok(versions)
        })?;
        Ok(page.cut(versions))
    }

    /// Returns a version, its files, and the files that it left out. Files that are withheld by now count as left out.
    ///
    /// # Errors
    ///
    /// There is no such version, or the database cannot be read.
    pub fn get(&self, id: i64) -> Result<(StoredVersion, Found), VersionError> {
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
        let found = self.store.read(|db| {
            let mut select = db.prepare(
                "SELECT name, text FROM version_file JOIN content USING (digest) WHERE version = ?",
            )?;
            let files = select.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let files = files.collect::<QueryResult<_>>()?;
            let mut select = db.prepare(
                "SELECT name, why FROM version_left_out WHERE version = ? ORDER BY name",
            )?;
            let left_out = select
                .query_map([id], |row| Ok(LeftOut { name: row.get(0)?, why: row.get(1)? }))?;
            Ok(Found { files, left_out: left_out.collect::<QueryResult<_>>()? })
        })?;
        Ok((version, found))
    }
}

/// Omits the content.
impl fmt::Debug for VersionStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VersionStore").field("flow", &self.flow).finish_non_exhaustive()
    }
}

/// Returns a digest of all names and texts.
pub fn contents(files: &FileTexts) -> String {
    let mut all = Sha256::new();
    for (name, text) in files {
        for part in [name, text] {
            all.update((part.len() as u64).to_le_bytes());
            all.update(part);
        }
    }
    diagnostics::hexadecimal(&all.finalize())
}

fn insert(
    db: &Connection,
    found: &Found,
    contents: &str,
    who: &str,
    remark: &str,
) -> QueryResult<i64> {
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
