//! Searches for the files of a network element: those to process, and those that match but cannot
//! be collected. The latter are reported, so that no matching file is skipped silently.

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

use crate::account::is_temporary;
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
pub struct FindResult {
    /// The files to process, in the order of their names.
    pub files: Vec<FoundFile>,
    /// Files that were [set aside](Collect::set_aside).
    pub poison: Vec<PathBuf>,
    /// Files whose names mark them as processed or as duplicates, and that are not
    /// [known](KnownMarks).
    pub marked: Vec<MarkedFile>,
    /// The errors of entries that could not be read.
    pub problems: Vec<String>,
    /// A message about links to files that match, and to folders that would be searched.
    pub not_followed: Option<String>,
    /// A message about other entries that are not collected: no regular files, too deep, or with a
    /// name that does not match.
    pub ignored: Option<String>,
}

/// The marked files that earlier searches returned, as digests of their paths, so that each is
/// returned once. There are as many as marked files on the disk.
#[derive(Debug, Default)]
pub struct KnownMarks {
    before: HashSet<u64>,
    now: HashSet<u64>,
    /// The number of marked files that this search may still return.
    room: usize,
}

/// The maximum number of marked files that one search returns; the next search returns the rest.
const MARKED_AT_ONCE: usize = 10_000;

/// The maximum number of marked files that are remembered while a folder cannot be read. If there
/// are more, files that this search does not find are returned again later, which only costs time.
const UNREAD_REMEMBERED_MAX: usize = 1_000_000;

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

    /// Forgets files that are gone. Those in a folder that could not be read may still exist, so
    /// they are remembered.
    fn end(&mut self, is_whole: bool) {
        let before = std::mem::replace(&mut self.before, std::mem::take(&mut self.now));
        if !is_whole && before.len() <= UNREAD_REMEMBERED_MAX {
            self.before.extend(before);
        }
    }
}

/// A file whose name marks it as processed or as a duplicate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedFile {
    /// Its path.
    pub path: PathBuf,
    /// Its [name](FoundFile::name) before it was marked.
    pub name: String,
}

/// A file to process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundFile {
    /// Its path.
    pub path: PathBuf,
    /// Its name. In a subfolder, it begins with the folder's name and "~1". A "~" in a name is
    /// written "~0", so that no two files have the same name.
    pub name: String,
    /// Size and modification time, which no longer change once the file is complete.
    pub version: (u64, Option<SystemTime>),
}

impl FoundFile {
    /// Returns whether the file was written to since it was found.
    pub fn has_changed(&self) -> io::Result<bool> {
        let metadata = fs::metadata(&self.path)?;
        Ok((metadata.len(), metadata.modified().ok()) != self.version)
    }

    /// Returns the time of its arrival: when it was renamed or last written to (`ctime`). Unlike
    /// the modification time, no program can set it, so the clock of another host does not matter.
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
    not_regular: Vec<PathBuf>,
    too_deep: Vec<PathBuf>,
    not_matching: Vec<PathBuf>,
}

impl Collect {
    /// Searches for files. An entry that cannot be read does not hide the others.
    pub fn find(&self, known: &mut KnownMarks) -> FindResult {
        let (mut result, mut not_collected) = (FindResult::default(), NotCollected::default());
        known.begin();
        let mut finder =
            Finder { collect: self, known, result: &mut result, not_collected: &mut not_collected };
        finder.search_folder(&self.dir, "", 0);
        known.end(result.problems.is_empty());
        result.not_followed = summary(&not_collected.links, "link", "links").map(|links| {
            format!("{links} not followed: replace it by the file, or hide it with a dot before its name")
        });
        result.ignored = not_collected.message(self);
        result.files.sort_by(|a, b| by_name(&a.name, &b.name));
        result
    }
}

impl NotCollected {
    /// Returns one message, however many entries there are.
    fn message(&self, collect: &Collect) -> Option<String> {
        let (one, many) = ("pipe, socket or device", "pipes, sockets or devices");
        let not_regular = summary(&self.not_regular, one, many).map(|entries| {
            format!(
                "{entries} not read: replace it by a file, or hide it with a dot before its name"
            )
        });
        let too_deep = summary(&self.too_deep, "folder", "folders").map(|folders| {
            format!("{folders} not searched: more than {FOLDER_DEPTH_MAX} folders deep")
        });
        let not_matching = summary(&self.not_matching, "file", "files").map(|files| {
            let pattern = visible(collect.pattern());
            format!("{files} not collected: the name does not match \"{pattern}\"")
        });
        let all: Vec<String> =
            [not_regular, too_deep, not_matching].into_iter().flatten().collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

/// Returns the number of entries, the first of them, and a verb.
fn summary(paths: &[PathBuf], one: &str, many: &str) -> Option<String> {
    let first = paths.iter().min()?.display().to_string();
    let (things, are) = if paths.len() == 1 { (one, "is") } else { (many, "are") };
    Some(format!("{} {things}, such as \"{}\", {are}", paths.len(), visible(&first)))
}

/// Walks the folders of a network element.
struct Finder<'f> {
    collect: &'f Collect,
    known: &'f mut KnownMarks,
    result: &'f mut FindResult,
    not_collected: &'f mut NotCollected,
}

impl Finder<'_> {
    fn search_folder(&mut self, dir: &Path, prefix: &str, depth: usize) {
        let shown = || visible(&dir.display().to_string()).into_owned();
        let entries = match fs::read_dir(dir) {
            Ok(entries) => entries,
            // An in buffer does not exist before its first file.
            Err(error) if self.collect.is_buffer() && error.kind() == io::ErrorKind::NotFound => {
                return;
            }
            Err(error) => {
                let problem = format!("could not read the folder \"{}\": {error}", shown());
                self.result.problems.push(problem);
                return;
            }
        };
        for entry in entries {
            let added = entry.and_then(|entry| self.add_entry(&entry, prefix, depth));
            match added {
                // Other programs may remove a file during the search.
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    let problem = format!("in the folder \"{}\": {error}", shown());
                    self.result.problems.push(problem);
                }
                _ => {}
            }
        }
    }

    fn add_entry(&mut self, entry: &fs::DirEntry, prefix: &str, depth: usize) -> io::Result<()> {
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") || name == OF_FILE_SYSTEM {
            return Ok(());
        }
        // The type of a link itself: its target may be outside of the folder.
        let kind = entry.file_type()?;
        let Some(own) = name.to_str() else { return self.check_not_utf8(&name, kind) };
        let name = || format!("{prefix}{}", own.replace('~', "~0"));
        let collect = self.collect;
        match () {
            () if kind.is_dir() => self.search_subfolder(entry.path(), &name(), depth),
            () if kind.is_file() => return self.add_file(entry, own, name()),
            () if !collect.collects(own) && !self.leads_to_folder(entry, kind) => {}
            () if kind.is_symlink() => self.not_collected.links.push(entry.path()),
            () => self.not_collected.not_regular.push(entry.path()),
        }
        Ok(())
    }

    /// Handles an entry whose name is not UTF-8: an error if it would be collected or searched.
    fn check_not_utf8(&self, name: &OsStr, kind: fs::FileType) -> io::Result<()> {
        let is_searched = kind.is_dir() && self.collect.is_recursive();
        if !is_searched && (kind.is_dir() || !self.collect.collects(&name.to_string_lossy())) {
            return Ok(());
        }
        let message = format!("the name {name:?} is not UTF-8, so the entry is ignored");
        Err(io::Error::new(io::ErrorKind::InvalidData, message))
    }

    /// Returns whether a link would be searched if it were the folder that it points to.
    fn leads_to_folder(&self, entry: &fs::DirEntry, kind: fs::FileType) -> bool {
        self.collect.is_recursive() && kind.is_symlink() && entry.path().is_dir()
    }

    fn search_subfolder(&mut self, folder: PathBuf, name: &str, depth: usize) {
        if !self.collect.is_recursive() {
        } else if depth < FOLDER_DEPTH_MAX {
            self.search_folder(&folder, &format!("{name}~1"), depth + 1);
        } else {
            self.not_collected.too_deep.push(folder);
        }
    }

    fn add_file(&mut self, entry: &fs::DirEntry, own: &str, name: String) -> io::Result<()> {
        let (collect, path) = (self.collect, entry.path());
        if let Some(original) = without_end(own, POISON) {
            self.result.poison.extend(matches(collect.pattern(), original).then_some(path));
        } else if let Some(original) = collect.name_before(own) {
            if self.known.is_new(&path) && matches(collect.pattern(), original) {
                let end = own.len() - original.len();
                let name = name[..name.len() - end].to_owned();
                self.result.marked.push(MarkedFile { path, name });
            }
        } else if collect.collects(own) {
            let metadata = entry.metadata()?;
            let version = (metadata.len(), metadata.modified().ok());
            self.result.files.push(FoundFile { path, name, version });
        } else if collect.is_buffer() && !is_temporary(own) {
            let version = (0, entry.metadata()?.modified().ok());
            let found = FoundFile { path, name, version };
            if !found.is_fresh(RENAMED_WITHIN) {
                self.not_collected.not_matching.push(found.path);
            }
        }
        Ok(())
    }
}
