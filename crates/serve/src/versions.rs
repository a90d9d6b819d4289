//! Versions of a flow: its file, scripts, modules and tariff plans as they were when somebody saved them, who that was, and
//! which of them runs. What somebody changed without saving it here becomes a version before it is replaced.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use flow::time::shown;
use flow::{Answer as Reloaded, ReloadError};
use sha2::{Digest as _, Sha256};
use store::{Answer, Connection, OptionalExtension as _, Store, StoreError, params};

const MIGRATIONS: &[&str] = &[include_str!("versions.sql")];

/// The database, in the folder of the state.
const DATABASE: &str = "versions.db";

/// Who made a version that was found.
const FOUND: &str = "somebody outside the interface";

/// Octets of the largest file that is kept with a version.
const FILE_OCTETS_MAX: u64 = 16 << 20;

/// The files of a flow, by their names as the flow's folder sees them; the flow file's is empty.
pub(crate) type Files = BTreeMap<String, String>;

/// Tells a text from another one.
pub(crate) fn digest(text: &str) -> String {
    hexadecimal(&Sha256::digest(text.as_bytes()))
}

/// Octets in hexadecimal.
pub(crate) fn hexadecimal(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}

/// A version, without its files.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub(crate) id: i64,
    pub(crate) at: String,
    pub(crate) who: String,
    pub(crate) remark: String,
    /// When it was activated, and by whom.
    pub(crate) activated: Vec<(String, String)>,
    /// Tells its files from those of another.
    pub(crate) contents: String,
}

/// Why a version is not made or activated.
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
pub(crate) struct Versions {
    store: Store,
    flow: PathBuf,
    /// One changes the files at a time.
    changing: Mutex<()>,
}

impl Versions {
    pub(crate) fn open(flow: &Path, state: &Path) -> Result<Self, StoreError> {
        let store = Store::open(&state.join(DATABASE), MIGRATIONS)?;
        // A link leads to the file that is written.
        let flow = flow.canonicalize().unwrap_or_else(|_| flow.into());
        Ok(Versions { store, flow, changing: Mutex::default() })
    }

    /// The files of the flow as they lie on the disk, for a text of its flow file.
    pub(crate) fn files(&self, text: &str) -> Result<Files, VersionError> {
        let mut files = Files::from([(String::new(), text.to_owned())]);
        let folder = self.flow.parent().unwrap_or(Path::new(""));
        let plans = flow::drawing::plans(text).into_iter().filter(|plan| is_within(plan));
        let of_plans = plans.flat_map(|plan| tables(folder, &plan));
        for name in flow::drawing::named(text).into_iter().chain(of_plans) {
            if !is_within(&name) {
                continue;
            }
            let path = folder.join(&name);
            let is_kept = path.metadata().is_ok_and(|file| file.len() <= FILE_OCTETS_MAX);
            // What is no text, or not there, is left as it is.
            if let (true, Ok(text)) = (is_kept, fs::read_to_string(&path)) {
                files.insert(name, text);
            }
        }
        Ok(files)
    }

    /// Those that lie on the disk.
    pub(crate) fn on_disk(&self) -> Result<Files, VersionError> {
        let read = |cause| VersionError::Read { path: self.flow.clone(), cause };
        self.files(&fs::read_to_string(&self.flow).map_err(read)?)
    }

    /// Those that lie on the disk, with drafts in the places of some of them. A draft is of a file that the flow names, or of a
    /// table of a plan that it names.
    pub(crate) fn drafted(
        &self,
        text: Option<String>,
        drafts: Vec<(String, String)>,
    ) -> Result<Files, VersionError> {
        let mut files = match text {
            Some(text) => self.files(&text)?,
            None => self.on_disk()?,
        };
        let text = files.get("").cloned().unwrap_or_default();
        let (named, plans) = (flow::drawing::named(&text), flow::drawing::plans(&text));
        let is_table = |name: &str| {
            name.rsplit_once('/').is_some_and(|(plan, table)| {
                (table == PLAN || table.ends_with(".csv"))
                    && plans.iter().any(|known| known.trim_end_matches('/') == plan)
            })
        };
        for (name, text) in drafts {
            if !is_within(&name) || !(named.contains(&name) || is_table(&name)) {
                return Err(VersionError::Outside(name));
            }
            files.insert(name, text);
        }
        Ok(files)
    }

    /// Keeps files as a version, if the last one is not the same; returns its number. What lies on the disk becomes one
    /// before it.
    pub(crate) fn save(&self, files: Files, who: &str, remark: &str) -> Result<i64, VersionError> {
        self.keep_found()?;
        let (who, remark) = (who.to_owned(), remark.to_owned());
        Ok(self.store.commit(move |db| {
            let contents = contents(&files);
            let last = "SELECT id, contents FROM version ORDER BY id DESC LIMIT 1";
            let last: Option<(i64, String)> =
                db.query_row(last, [], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
            match last {
                Some((id, same)) if same == contents => Ok(id),
                _ => insert(db, &files, &contents, &who, &remark),
            }
        })?)
    }

    /// Keeps what lies on the disk, where it is no version yet.
    fn keep_found(&self) -> Result<Files, VersionError> {
        let files = self.on_disk()?;
        let found = files.clone();
        self.store.commit(move |db| {
            let contents = contents(&found);
            let known = "SELECT 1 FROM version WHERE contents = ?";
            if !db.prepare_cached(known)?.exists([&contents])? {
                insert(db, &found, &contents, FOUND, "as it was found")?;
            }
            Ok(())
        })?;
        Ok(files)
    }

    /// The versions, the last first, and whether there are more.
    pub(crate) fn list(&self, asked: flow::Recent) -> Result<(Vec<Version>, bool), VersionError> {
        let reader = self.store.reader()?;
        let list = || -> Answer<Vec<Version>> {
            let mut select = reader.prepare(
                "SELECT id, at_ms, who, remark, contents FROM version WHERE id < ? ORDER BY id DESC LIMIT ? + 1",
            )?;
            let before = asked.before.unwrap_or(i64::MAX);
            let versions = select.query_map(params![before, asked.limit], |row| {
                Ok(Version {
                    id: row.get(0)?,
                    at: shown(row.get(1)?),
                    who: row.get(2)?,
                    remark: row.get(3)?,
                    activated: Vec::new(),
                    contents: row.get(4)?,
                })
            })?;
            let mut versions: Vec<Version> = versions.collect::<Answer<_>>()?;
            let mut select = reader
                .prepare("SELECT at_ms, who FROM activation WHERE version = ? ORDER BY at_ms")?;
            for version in &mut versions {
                let activated =
                    select.query_map([version.id], |row| Ok((shown(row.get(0)?), row.get(1)?)))?;
                version.activated = activated.collect::<Answer<_>>()?;
            }
            Ok(versions)
        };
        let mut versions = list().map_err(|error| self.store.readers().refused(&error))?;
        let are_more = versions.len() > asked.limit as usize;
        versions.truncate(asked.limit as usize);
        Ok((versions, are_more))
    }

    /// A version with its files.
    pub(crate) fn get(&self, id: i64) -> Result<(Version, Files), VersionError> {
        let one = flow::Recent { before: Some(id.saturating_add(1)), limit: 1 };
        let (versions, _) = self.list(one)?;
        let version = versions.into_iter().find(|version| version.id == id);
        let version = version.ok_or(VersionError::Unknown(id))?;
        let reader = self.store.reader()?;
        let files = || -> Answer<Files> {
            let mut select = reader.prepare(
                "SELECT name, text FROM version_file JOIN content USING (digest) WHERE version = ?",
            )?;
            select.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        let files = files().map_err(|error| self.store.readers().refused(&error))?;
        Ok((version, files))
    }

    /// Puts the files of a version in their places, and has the gateway that runs take them. Where it finds mistakes in
    /// them, all is as it was before.
    pub(crate) fn activate(
        &self,
        id: i64,
        based_on: Option<&str>,
        who: &str,
        now_ms: i64,
    ) -> Result<Reloaded, VersionError> {
        let _one = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, files) = self.get(id)?;
        let before = self.keep_found()?;
        let is_as_seen = |seen: &str| before.get("").is_some_and(|text| digest(text) == seen);
        if based_on.is_some_and(|seen| !is_as_seen(seen)) {
            return Err(VersionError::Overtaken);
        }
        // What is to take the place of another file than the flow names now is kept too.
        let mut replaced = before.clone();
        for name in files.keys().filter(|name| !before.contains_key(*name)) {
            if let Ok(text) = fs::read_to_string(self.path(name)?) {
                replaced.insert(name.clone(), text);
            }
        }
        self.write(&files, &replaced)?;
        let answer = flow::reload(&self.flow);
        let is_taken = matches!(
            answer,
            Ok(Reloaded::Active { .. } | Reloaded::Pending { .. } | Reloaded::Stopping)
        );
        if !is_taken {
            self.write(&replaced, &files)?;
            return Ok(answer?);
        }
        let (who, answer) = (who.to_owned(), answer?);
        self.store.commit(move |db| {
            let insert = "INSERT INTO activation (version, at_ms, who) VALUES (?, ?, ?)";
            db.execute(insert, params![id, now_ms, who]).map(drop)
        })?;
        Ok(answer)
    }

    fn path(&self, name: &str) -> Result<PathBuf, VersionError> {
        match name {
            "" => Ok(self.flow.clone()),
            name if is_within(name) => Ok(self.flow.parent().unwrap_or(Path::new("")).join(name)),
            name => Err(VersionError::Outside(name.into())),
        }
    }

    /// Writes those files that are not so; the flow file last, which names the others.
    fn write(&self, files: &Files, there: &Files) -> Result<(), VersionError> {
        let others = files.iter().filter(|(name, _)| !name.is_empty());
        for (name, text) in others.chain(files.get_key_value("")) {
            if there.get(name) != Some(text) {
                let path = self.path(name)?;
                put(&path, text).map_err(|cause| VersionError::Write { path, cause })?;
            }
        }
        for name in superfluous(files, there) {
            let path = self.path(name)?;
            fs::remove_file(&path).map_err(|cause| VersionError::Write { path, cause })?;
        }
        Ok(())
    }
}

/// Files that are there and are not to be with others: a table that a plan did not have then would have a meaning in it. Of a
/// plan that is no part of the version, all tables stay.
pub(crate) fn superfluous<'t>(files: &Files, there: &'t Files) -> Vec<&'t String> {
    let plans = files.get("").map(|text| flow::drawing::plans(text)).unwrap_or_default();
    let is_of_plan = |name: &str| {
        name.rsplit_once('/').is_some_and(|(folder, _)| {
            files.contains_key(&format!("{folder}/{PLAN}"))
                && plans.iter().any(|plan| plan.trim_end_matches('/') == folder)
        })
    };
    there.keys().filter(|name| !files.contains_key(*name) && is_of_plan(name)).collect()
}

/// The file that every plan has.
const PLAN: &str = "tariff.toml";

/// The files of a tariff plan's folder that people write.
fn tables(folder: &Path, plan: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder.join(plan)) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_table =
        |name: &String| !name.starts_with('.') && (name == PLAN || name.ends_with(".csv"));
    let plan = plan.trim_end_matches('/');
    let mut tables: Vec<String> =
        { names }.filter(is_table).map(|name| format!("{plan}/{name}")).collect();
    tables.sort();
    tables
}

/// Whether a name leads to a file beneath the flow's folder.
fn is_within(name: &str) -> bool {
    let mut components = Path::new(name).components();
    !name.is_empty() && components.all(|part| matches!(part, Component::Normal(_)))
}

/// Tells files from others.
pub(crate) fn contents(files: &Files) -> String {
    let mut all = Sha256::new();
    for (name, text) in files {
        for part in [name, text] {
            all.update((part.len() as u64).to_le_bytes());
            all.update(part);
        }
    }
    hexadecimal(&all.finalize())
}

fn insert(db: &Connection, files: &Files, contents: &str, who: &str, remark: &str) -> Answer<i64> {
    let insert = "INSERT INTO version (at_ms, who, remark, contents) VALUES (?, ?, ?, ?)";
    db.execute(insert, params![now_ms(), who, remark, contents])?;
    let version = db.last_insert_rowid();
    for (name, text) in files {
        let digest = digest(text);
        let content = "INSERT INTO content (digest, text) VALUES (?, ?) ON CONFLICT DO NOTHING";
        db.execute(content, params![digest, text])?;
        let file = "INSERT INTO version_file (version, name, digest) VALUES (?, ?, ?)";
        db.execute(file, params![version, name, digest])?;
    }
    Ok(version)
}

pub(crate) fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}

/// Replaces a file as a whole: who reads it meanwhile sees the old one or the new one.
fn put(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.new"));
    let written = || -> io::Result<()> {
        let mut file = File::create(&beside)?;
        if let Ok(there) = path.metadata() {
            file.set_permissions(there.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, path)?;
        File::open(folder)?.sync_all()
    };
    written().inspect_err(|_| drop(fs::remove_file(&beside)))
}
