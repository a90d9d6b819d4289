//! Versions of a flow: its file, scripts, their tables, modules and tariff plans as they were when somebody saved them, who
//! that was, and which of them runs. What somebody changed without saving it here becomes a version before it is replaced.
//! What the flow names and cannot be kept is named as left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use flow::time::shown;
use flow::{Answer as Reloaded, ReloadError};
use sha2::{Digest as _, Sha256};
use store::{Answer, Connection, OptionalExtension as _, Store, StoreError, params};

use crate::language::Language;

const MIGRATIONS: &[&str] = &[include_str!("versions.sql"), include_str!("versions_left_out.sql")];

/// The database, in the folder of the state.
const DATABASE: &str = "versions.db";

/// Who made a version that was found.
const FOUND: &str = "somebody outside the interface";

/// Octets of the largest file that is kept with a version.
const FILE_OCTETS_MAX: u64 = 16 << 20;

/// Octets that the tables of scripts may have together: all of a version is in memory at once.
const TABLES_OCTETS_MAX: u64 = 64 << 20;

/// The files of a flow, by their names as the flow's folder sees them; the flow file's is empty.
pub(crate) type Files = BTreeMap<String, String>;

/// Files of a flow, and those that it names and that are not kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) files: Files,
    pub(crate) left_out: Vec<LeftOut>,
}

/// A file that no version has: going back to one leaves it as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// As the flow's folder sees it.
    pub(crate) name: String,
    pub(crate) why: String,
}

/// Tells a text from another one.
pub(crate) fn digest(text: impl AsRef<[u8]>) -> String {
    hexadecimal(&Sha256::digest(text))
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
    #[error(
        "\"{0}\" cannot be a script: it lies beneath the folder of the flow file, and ends with \".dup\""
    )]
    NoScript(String),
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
pub(crate) struct Versions {
    store: Store,
    flow: PathBuf,
    /// The folder of the state: what lies in it is the gateway's own.
    state: PathBuf,
    /// Of its scripts.
    language: &'static dyn Language,
    /// One changes the files at a time.
    changing: Mutex<()>,
}

impl Versions {
    pub(crate) fn open(
        flow: &Path,
        state: &Path,
        language: &'static dyn Language,
    ) -> Result<Self, StoreError> {
        let store = Store::open(&state.join(DATABASE), MIGRATIONS)?;
        // A link leads to the file that is written.
        let flow = flow.canonicalize().unwrap_or_else(|_| flow.into());
        let state = state.canonicalize().unwrap_or_else(|_| state.into());
        Ok(Versions { store, flow, state, language, changing: Mutex::default() })
    }

    /// The files of the flow as they lie on the disk, for a text of its flow file; the tables of its scripts are not among
    /// them.
    pub(crate) fn files(&self, text: &str) -> Files {
        self.found(text).files
    }

    fn found(&self, text: &str) -> Found {
        let mut found = Found::default();
        found.files.insert(String::new(), text.to_owned());
        let plans = flow::drawing::plans(text).into_iter().filter(|plan| is_within(plan));
        let of_plans = plans.flat_map(|plan| tables(self.folder(), &plan));
        for name in flow::drawing::named(text).into_iter().chain(of_plans) {
            found.put(self.read(&name), name);
        }
        found
    }

    /// All that a version has, for a text of the flow file and perhaps another file in the place of one on the disk.
    pub(crate) fn whole(&self, text: &str, instead: Option<(&str, String)>) -> Found {
        let mut found = self.found(text);
        if let Some((name, text)) = instead {
            found.left_out.retain(|left_out| left_out.name != name);
            found.files.insert(name.to_owned(), text);
        }
        let mut octets = 0;
        for name in self.tables_of_scripts(text, &found.files) {
            if found.files.contains_key(&name) {
                continue;
            }
            let read = self.table(&name, TABLES_OCTETS_MAX.saturating_sub(octets));
            octets += read.as_ref().map_or(0, |read| read.as_ref().map_or(0, String::len)) as u64;
            found.put(read, name);
        }
        found
    }

    /// The tables that scripts look things up in, as the flow's folder sees them.
    fn tables_of_scripts(&self, text: &str, files: &Files) -> BTreeSet<String> {
        let scripts = flow::drawing::scripts(text);
        let scripts = scripts.iter().filter_map(|script| Some((script, files.get(script)?)));
        let of_script = |(script, text): (&String, &String)| {
            let folder = Path::new(script).parent().unwrap_or(Path::new("")).to_owned();
            let named = self.language.tables(text).into_iter();
            named.map(move |table| straight(&folder.join(table))).collect::<Vec<_>>()
        };
        scripts.flat_map(of_script).collect()
    }

    /// A table that is to have no more octets than these. What has no columns is none, and not kept: it may be a secret that
    /// somebody named to see it.
    fn table(&self, name: &str, left: u64) -> Result<Option<String>, String> {
        let path = self.folder().join(name);
        if path.canonicalize().is_ok_and(|path| path.starts_with(&self.state)) {
            return Err("it is the gateway's own".into());
        }
        if is_within(name) && path.metadata().is_ok_and(|file| file.len() > left) {
            let most = TABLES_OCTETS_MAX >> 20;
            return Err(format!("the tables have more than {most} MiB together"));
        }
        let read = self.read(name)?;
        let has_columns =
            |text: &String| text.lines().next().is_some_and(|line| line.contains(','));
        if read.as_ref().is_some_and(|text| !has_columns(text)) {
            return Err("it is no table".into());
        }
        Ok(read)
    }

    /// A file as it lies on the disk; none where there is none.
    fn read(&self, name: &str) -> Result<Option<String>, String> {
        if !is_within(name) {
            return Err("it does not lie beneath the folder of the flow".into());
        }
        let path = self.folder().join(name);
        match path.metadata() {
            Ok(file) if file.len() > FILE_OCTETS_MAX => {
                Err(format!("it has more than {} MiB", FILE_OCTETS_MAX >> 20))
            }
            Ok(file) if file.is_file() => match fs::read(&path).map(String::from_utf8) {
                Ok(Ok(text)) => Ok(Some(text)),
                Ok(Err(_)) => Err("it is no text in UTF-8".into()),
                Err(error) => Err(format!("it could not be read: {error}")),
            },
            // What is not there is a mistake of the flow, and told as that.
            _ => Ok(None),
        }
    }

    fn folder(&self) -> &Path {
        self.flow.parent().unwrap_or(Path::new(""))
    }

    /// Those that lie on the disk.
    pub(crate) fn on_disk(&self) -> Result<Found, VersionError> {
        let read = |cause| VersionError::Read { path: self.flow.clone(), cause };
        Ok(self.whole(&fs::read_to_string(&self.flow).map_err(read)?, None))
    }

    /// Those that lie on the disk, with drafts in the places of some of them. A draft is of a file that the flow names, or of a
    /// table of a plan that it names.
    pub(crate) fn drafted(
        &self,
        text: Option<String>,
        drafts: Vec<(String, String)>,
    ) -> Result<Files, VersionError> {
        let mut files = match text {
            Some(text) => self.whole(&text, None).files,
            None => self.on_disk()?.files,
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
    pub(crate) fn save(&self, found: Found, who: &str, remark: &str) -> Result<i64, VersionError> {
        self.keep_found()?;
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

    /// Keeps what lies on the disk, where it is no version yet.
    fn keep_found(&self) -> Result<Files, VersionError> {
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

    /// A version with its files, and what it has not.
    pub(crate) fn get(&self, id: i64) -> Result<(Version, Found), VersionError> {
        let one = flow::Recent { before: Some(id.saturating_add(1)), limit: 1 };
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
        let found = found().map_err(|error| self.store.readers().refused(&error))?;
        Ok((version, found))
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
        let (_, Found { files, .. }) = self.get(id)?;
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

    /// The text of a script that was begun; none where there is none.
    pub(crate) fn begun(&self, name: &str) -> Option<String> {
        let path = self.path(name).ok().filter(|_| is_script(name))?;
        let is_kept = path.metadata().is_ok_and(|file| file.len() <= FILE_OCTETS_MAX);
        is_kept.then(|| fs::read_to_string(path).ok())?
    }

    /// Writes a script that the flow does not have yet, or goes on writing it. It becomes part of a version with the flow
    /// file that names it.
    pub(crate) fn begin(
        &self,
        name: &str,
        text: &str,
        based_on: Option<&str>,
    ) -> Result<(), VersionError> {
        if !is_script(name) {
            return Err(VersionError::NoScript(name.into()));
        }
        let _one = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.on_disk()?.files.contains_key(name) {
            return Err(VersionError::Runs(name.into()));
        }
        let path = self.path(name)?;
        let is_as_seen = match based_on {
            Some(seen) => self.begun(name).is_some_and(|text| digest(&text) == seen),
            None => !path.exists(),
        };
        if !is_as_seen {
            return Err(VersionError::There(name.into()));
        }
        put(&path, text).map_err(|cause| VersionError::Write { path, cause })
    }

    fn path(&self, name: &str) -> Result<PathBuf, VersionError> {
        match name {
            "" => Ok(self.flow.clone()),
            name if is_within(name) => Ok(self.folder().join(name)),
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

/// A path without the steps back that only undo others: what is beneath a folder is known by that.
fn straight(path: &Path) -> String {
    let mut straight = PathBuf::new();
    for part in path.components() {
        let is_undone = part == Component::ParentDir
            && matches!(straight.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::CurDir => {}
            _ if is_undone => {
                straight.pop();
            }
            part => straight.push(part),
        }
    }
    straight.to_string_lossy().into_owned()
}

impl Found {
    fn put(&mut self, read: Result<Option<String>, String>, name: String) {
        match read {
            Ok(Some(text)) => drop(self.files.insert(name, text)),
            Ok(None) => {}
            Err(why) => self.left_out.push(LeftOut { name, why }),
        }
    }
}

/// Whether a name leads to a file beneath the flow's folder.
fn is_within(name: &str) -> bool {
    let mut components = Path::new(name).components();
    !name.is_empty() && components.all(|part| matches!(part, Component::Normal(_)))
}

/// Whether a file that the flow does not name may be a script of it: nothing that is hidden, as the state is, and nothing that
/// is not called like one.
pub(crate) fn is_script(name: &str) -> bool {
    let is_hidden = name.split('/').any(|part| part.starts_with('.'));
    is_within(name) && !is_hidden && name.ends_with(".dup")
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
