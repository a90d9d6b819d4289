//! Searches for the files of a network element: those to process, and those that are not collected
//! though they look as if they should be. The latter are reported, so that nothing that matches is
//! skipped silently.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use diagnostics::visible;
use serde::{Deserialize, Serialize};

use crate::account::is_under_way;
use crate::collect::{Collect, FOLDER_DEPTH_MAX, POISON};
use crate::marks::without_end;
use crate::order::by_name;
use crate::pattern::matches;

/// The folder for files that a file system check has recovered. Only root can read it.
const OF_FILE_SYSTEM: &str = "lost+found";

/// How long a file in an in buffer may have a name that does not match the pattern: some clients
/// rename a file after sending it.
const RENAMED_WITHIN: Duration = Duration::from_secs(10 * 60);

/// The result of a search.
#[derive(Debug, Default)]
pub struct Look {
    /// The files to process, in the order of their names.
    pub files: Vec<Found>,
    /// Files that were [set aside](Collect::set_aside).
    pub poison: Vec<PathBuf>,
    /// Files whose names mark them as processed or as duplicates, and that are not
    /// [known](KnownMarks).
    pub marked: Vec<Marked>,
    /// The errors of entries that could not be read.
    pub problems: Vec<String>,
    /// A message about links that would be collected, or searched, if they were no links.
    pub not_followed: Option<String>,
    /// A message about other entries that are not collected: no regular files, too deep, or with a
    /// name that does not match.
    pub left_alone: Option<String>,
}

/// The marked files that earlier searches returned, as digests of their paths, so that each is returned once. There are
/// as many as marked files on the disk.
#[derive(Debug, Default)]
pub struct KnownMarks {
    before: HashSet<u64>,
    now: HashSet<u64>,
    /// The number of marked files that this search may still return.
    room: usize,
}

/// The maximum number of marked files that one search returns; the next search returns the rest.
const MARKED_AT_ONCE: usize = 10_000;

/// The maximum number of marked files that are remembered while a folder cannot be read. If there are more, files that
/// this search does not find are returned again later, which only costs time.
const UNREAD_KEPT_MAX: usize = 1_000_000;

impl KnownMarks {
    fn begin(&mut self) {
        self.room = MARKED_AT_ONCE;
        self.now = HashSet::with_capacity(self.before.len());
    }

    /// Returns whether this search returns the file.
    fn is_new(&mut self, path: &Path) -> bool {
        let mut digest = DefaultHasher::new();
        path.as_os_str().hash(&mut digest);
        let digest = digest.finish();
        let is_new = !self.before.contains(&digest);
        if is_new && self.room == 0 {
            return false;
        }
        self.room -= usize::from(is_new);
        self.now.insert(digest);
        is_new
    }

    /// Forgets files that are gone. Those in a folder that could not be read may still exist, so they are remembered.
    fn end(&mut self, is_whole: bool) {
        let before = std::mem::replace(&mut self.before, std::mem::take(&mut self.now));
        if !is_whole && before.len() <= UNREAD_KEPT_MAX {
            self.before.extend(before);
        }
    }
}

/// A file whose name marks it as processed or as a duplicate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marked {
    /// Its path.
    pub path: PathBuf,
    /// Its [name](Found::name) before it was marked.
    pub name: String,
}

/// A file to process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Its path.
    pub path: PathBuf,
    /// Its name; in a subfolder, the folder's name and "~1" stand before it. A "~" in a name is
    /// written "~0", so that no two files have the same name.
    pub name: String,
    /// Size and modification time, which no longer change once the file is complete.
    pub version: (u64, Option<SystemTime>),
}

impl Found {
    /// Returns whether the file was written to since it was found.
    pub fn has_changed(&self) -> io::Result<bool> {
        let metadata = fs::metadata(&self.path)?;
        Ok((metadata.len(), metadata.modified().ok()) != self.version)
    }

    /// Returns the time of its arrival: when it was renamed or last written to (`ctime`). Unlike the modification time,
    /// no program can set it, so the clock of another host does not matter.
    pub fn arrived_at(&self) -> Option<SystemTime> {
        let metadata = fs::metadata(&self.path).ok()?;
        let seconds = u64::try_from(metadata.ctime()).ok()?;
        let nanoseconds = u32::try_from(metadata.ctime_nsec()).ok()?;
        SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds))
    }

    /// Returns whether it was written to within this time, or has no modification time.
    pub fn is_fresh(&self, within: Duration) -> bool {
        let age = self.version.1.and_then(|written| written.elapsed().ok());
        age.is_none_or(|age| age < within)
    }
}

/// Entries that are not collected, by reason.
#[derive(Debug, Default)]
struct NotCollected {
    links: Vec<PathBuf>,
    no_files: Vec<PathBuf>,
    too_deep: Vec<PathBuf>,
    no_fit: Vec<PathBuf>,
}

impl Collect {
    /// Searches for files. An entry that cannot be read does not hide the others.
    pub fn find(&self, known: &mut KnownMarks) -> Look {
        let (mut look, mut left) = (Look::default(), NotCollected::default());
        known.begin();
        let mut finder = Finder { collect: self, known, look: &mut look, left: &mut left };
        finder.folder(&self.dir, "", 0);
        known.end(look.problems.is_empty());
        look.not_followed = such(&left.links, "link", "links").map(|links| {
            format!(
                "{links} not followed, and what is behind not collected: lay files there, or put a dot before the name"
            )
        });
        look.left_alone = left.message(self);
        look.files.sort_by(|a, b| by_name(&a.name, &b.name));
        look
    }
}

impl NotCollected {
    /// Returns one message, however many entries there are.
    fn message(&self, collect: &Collect) -> Option<String> {
        let no_files = such(&self.no_files, "pipe, socket or device", "pipes, sockets or devices")
            .map(|such| format!("{such} not read: lay files there, or put a dot before the name"));
        let too_deep = such(&self.too_deep, "folder", "folders").map(|such| {
            format!("{such} not looked into, being more than {FOLDER_DEPTH_MAX} folders deep")
        });
        let no_fit = such(&self.no_fit, "file", "files").map(|such| {
            format!(
                "{such} not collected: the name does not fit \"{}\"",
                visible(collect.pattern())
            )
        });
        let all: Vec<String> = [no_files, too_deep, no_fit].into_iter().flatten().collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

/// Returns the number of entries, the first of them, and a verb.
fn such(paths: &[PathBuf], one: &str, many: &str) -> Option<String> {
    let first = paths.iter().min()?.display().to_string();
    let (things, are) = if paths.len() == 1 { (one, "is") } else { (many, "are") };
    Some(format!("{} {things}, such as \"{}\", {are}", paths.len(), visible(&first)))
}

/// Walks the folders of a network element.
struct Finder<'f> {
    collect: &'f Collect,
    known: &'f mut KnownMarks,
    look: &'f mut Look,
    left: &'f mut NotCollected,
}

impl Finder<'_> {
    fn folder(&mut self, dir: &Path, prefix: &str, depth: usize) {
        let shown = || visible(&dir.display().to_string()).into_owned();
        let entries = match fs::read_dir(dir) {
            Ok(entries) => entries,
            // An in buffer does not exist before its first file.
            Err(error) if self.collect.is_buffer() && error.kind() == io::ErrorKind::NotFound => {
                return;
            }
            Err(error) => {
                let problem = format!("could not read the folder \"{}\": {error}", shown());
                self.look.problems.push(problem);
                return;
            }
        };
        for entry in entries {
            let looked = entry.and_then(|entry| self.entry(&entry, prefix, depth));
            match looked {
                // Other programs may remove a file during the search.
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    let problem = format!("in the folder \"{}\": {error}", shown());
                    self.look.problems.push(problem);
                }
                _ => {}
            }
        }
    }

    fn entry(&mut self, entry: &fs::DirEntry, prefix: &str, depth: usize) -> io::Result<()> {
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") || name == OF_FILE_SYSTEM {
            return Ok(());
        }
        // The type of a link itself: its target may be outside of the folder.
        let kind = entry.file_type()?;
        let Some(own) = name.to_str() else { return self.unnamed(&name, kind) };
        let name = || format!("{prefix}{}", own.replace('~', "~0"));
        let collect = self.collect;
        match () {
            () if kind.is_dir() => self.within(entry.path(), &name(), depth),
            () if kind.is_file() => return self.file(entry, own, name()),
            () if !collect.takes(own) && !self.leads_to_folder(entry, kind) => {}
            () if kind.is_symlink() => self.left.links.push(entry.path()),
            () => self.left.no_files.push(entry.path()),
        }
        Ok(())
    }

    /// Handles an entry whose name is not UTF-8: an error if it would be collected or searched.
    fn unnamed(&self, name: &OsStr, kind: fs::FileType) -> io::Result<()> {
        let is_looked_into = kind.is_dir() && self.collect.is_recursive();
        if !is_looked_into && (kind.is_dir() || !self.collect.takes(&name.to_string_lossy())) {
            return Ok(());
        }
        let message = format!("the name {name:?} is not UTF-8; what has it is left alone");
        Err(io::Error::new(io::ErrorKind::InvalidData, message))
    }

    /// Returns whether a link would be searched if it were the folder that it points to.
    fn leads_to_folder(&self, entry: &fs::DirEntry, kind: fs::FileType) -> bool {
        self.collect.is_recursive() && kind.is_symlink() && entry.path().is_dir()
    }

    fn within(&mut self, folder: PathBuf, name: &str, depth: usize) {
        if !self.collect.is_recursive() {
        } else if depth < FOLDER_DEPTH_MAX {
            self.folder(&folder, &format!("{name}~1"), depth + 1);
        } else {
            self.left.too_deep.push(folder);
        }
    }

    fn file(&mut self, entry: &fs::DirEntry, own: &str, name: String) -> io::Result<()> {
        let (collect, path) = (self.collect, entry.path());
        if let Some(was) = without_end(own, POISON) {
            self.look.poison.extend(matches(collect.pattern(), was).then_some(path));
        } else if let Some(was) = collect.name_before(own) {
            if self.known.is_new(&path) && matches(collect.pattern(), was) {
                let end = own.len() - was.len();
                let name = name[..name.len() - end].to_owned();
                self.look.marked.push(Marked { path, name });
            }
        } else if collect.takes(own) {
            let metadata = entry.metadata()?;
            let version = (metadata.len(), metadata.modified().ok());
            self.look.files.push(Found { path, name, version });
        } else if collect.is_buffer() && !is_under_way(own) {
            let version = (0, entry.metadata()?.modified().ok());
            let found = Found { path, name, version };
            if !found.is_fresh(RENAMED_WITHIN) {
                self.left.no_fit.push(found.path);
            }
        }
        Ok(())
    }
}
