//! Finding the files of a network element, and marking those that are done.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use diagnostics::{Diagnostic, counted};
use node::Settings;
use serde::{Deserialize, Serialize};

use crate::account::is_under_way;
use crate::deliver::{make_folder, sync_folder};
use crate::order::by_name;
use crate::pattern::{matches, overlap};
use crate::place::{lies_within, real};

/// Numbers that are tried of a file that was marked, before all names are looked at.
const NUMBERS_TRIED: usize = 16;

/// Folders within folders that are looked into; deeper ones are left alone, so that a loop ends.
pub const FOLDER_DEPTH_MAX: usize = 16;

/// How a network element's files are collected.
#[derive(Debug)]
pub struct Collect {
    /// The folder.
    pub dir: PathBuf,
    pattern: String,
    recursive: bool,
    done: Done,
    quiet: Duration,
    /// Whether the folder is an in buffer, which nobody but the gateway sees to.
    is_buffer: bool,
}

/// What becomes of a file that was processed.
#[derive(Debug)]
enum Done {
    /// Its name ends with this from then on.
    Named(String),
    /// It is moved to this folder.
    Moved(PathBuf),
    /// It is removed: whoever sent it has it, or the archive.
    Removed,
}

/// What was seen to of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    /// It was processed.
    Done,
    /// It was seen before, and is set aside.
    Duplicate,
}

/// What the name of a file gets that was processed, if nothing is said.
const DONE: &str = ".done";

/// What the name of a file of an in buffer gets that was processed and is to be archived. Nobody can send one of such a
/// name, which would not be collected.
pub const TO_ARCHIVE: &str = ".to-archive";

/// What the name of a file that is set aside as a duplicate ends with.
pub const DUPLICATE: &str = ".duplicate";

/// What the name of a file that is set aside ends with, since whoever has it in hand does not survive it.
pub const POISON: &str = ".poison";

/// What a look into a folder found.
#[derive(Debug, Default)]
pub struct Look {
    /// The files that are there, by name.
    pub files: Vec<Found>,
    /// Those that were [set aside](Collect::set_aside).
    pub poison: Vec<PathBuf>,
    /// What could not be looked at, and why.
    pub problems: Vec<String>,
    /// That there are links which would be collected if they were files.
    pub not_followed: Option<String>,
    links: Vec<PathBuf>,
}

/// A file that is there to be processed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// Its name; in a folder below, with the folder's before it and "~1" between. A "~" of its own is
    /// "~0", so that no two files have one name.
    pub name: String,
    /// Its size and time, which no longer change once it is complete.
    pub version: (u64, Option<SystemTime>),
}

impl Found {
    /// Whether it was written to since it was found.
    pub fn has_changed(&self) -> io::Result<bool> {
        let metadata = fs::metadata(&self.path)?;
        Ok((metadata.len(), metadata.modified().ok()) != self.version)
    }

    /// When it came: when it got its name there, or was last written to. Unlike the time of a version nobody sets it, so
    /// that a file that was dated by another machine came when it came.
    pub fn came(&self) -> Option<SystemTime> {
        let metadata = fs::metadata(&self.path).ok()?;
        let seconds = u64::try_from(metadata.ctime()).ok()?;
        let nanoseconds = u32::try_from(metadata.ctime_nsec()).ok()?;
        SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds))
    }

    /// Whether it was written to within this time, or has no time to tell.
    pub fn is_fresh(&self, within: Duration) -> bool {
        let age = self.version.1.and_then(|written| written.elapsed().ok());
        age.is_none_or(|age| age < within)
    }
}

/// What file systems find of files that they have lost goes here, and nobody else can read it.
const OF_FILE_SYSTEM: &str = "lost+found";

impl Collect {
    /// Reads a `collect` table.
    pub fn new(settings: &Settings) -> Result<Self, Vec<Diagnostic>> {
        let dir = settings.get("dir").map_or(PathBuf::new(), |dir| settings.path(dir));
        let limit = settings.get("limit").map(|limit| {
            settings.error(limit, "only an in buffer has a limit, not a folder of somebody else's")
        });
        let read = Self::read(settings, dir, Done::Named(DONE.into()));
        match (read, limit) {
            (read, None) => read,
            (Ok(_), Some(mistake)) => Err(vec![mistake]),
            (Err(mistakes), Some(mistake)) => Err([mistakes, vec![mistake]].concat()),
        }
    }

    /// Reads the `collect` table of a network element whose files come into an in buffer. What is processed is removed
    /// from there, unless it is to be moved, or is archived: then it is removed by whoever does that.
    pub fn buffer(
        settings: &Settings,
        dir: PathBuf,
        is_archived: bool,
    ) -> Result<Self, Vec<Diagnostic>> {
        if let Some(done) = settings.get("done") {
            let message = "a file that is done does not stay in the in buffer";
            return Err(vec![settings.error(done, message).hint("write move = \"FOLDER\"")]);
        }
        let done = if is_archived { Done::Named(TO_ARCHIVE.into()) } else { Done::Removed };
        Ok(Collect { is_buffer: true, ..Self::read(settings, dir, done)? })
    }

    /// Whether what is processed does not stay where it is.
    pub fn is_buffer(&self) -> bool {
        self.is_buffer
    }

    fn read(settings: &Settings, dir: PathBuf, usually: Done) -> Result<Self, Vec<Diagnostic>> {
        let mut mistakes = Vec::new();
        if let Some(done) = settings.get("done")
            && (done.value.is_empty() || done.value.contains('/'))
        {
            let message = "\"done\" is what the name of a processed file gets at its end";
            mistakes.push(settings.error(done, message).hint("write \".done\""));
        }
        if let Some(recursive) = settings.get("recursive")
            && !matches!(recursive.value.as_str(), "true" | "false")
        {
            mistakes.push(settings.error(recursive, "\"recursive\" is true or false"));
        }
        let text = |key: &str, usual: &str| {
            settings.get(key).map_or(usual.to_owned(), |setting| setting.value.clone())
        };
        let recursive = text("recursive", "false") == "true";
        let done = match settings.get("move") {
            None => settings.get("done").map_or(usually, |end| Done::Named(end.value.clone())),
            Some(to) => {
                let folder = settings.path(to);
                if settings.get("done").is_some() {
                    mistakes.push(
                        settings.error(to, "a file is either moved or renamed when it is done"),
                    );
                }
                if folder == dir || (recursive && folder.starts_with(&dir)) {
                    let message = "files moved here would be collected again";
                    mistakes.push(settings.error(to, message).hint("name a folder beside \"dir\""));
                }
                Done::Moved(folder)
            }
        };
        let quiet = match settings.get("quiet").map(|quiet| settings.duration(quiet)) {
            Some(Ok(quiet)) => quiet,
            Some(Err(mistake)) => {
                mistakes.push(mistake);
                Duration::ZERO
            }
            None => Duration::ZERO,
        };
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let pattern = text("pattern", "*");
        Ok(Collect { dir, pattern, recursive, done, quiet, is_buffer: false })
    }

    /// How long nobody must have written to a file before it is taken; none where its element says nothing.
    pub fn quiet(&self) -> Duration {
        self.quiet
    }

    /// A pattern of the names its files go by: those from folders within begin with the folder's.
    pub fn names(&self) -> String {
        if self.recursive { format!("*{}", self.pattern) } else { self.pattern.clone() }
    }

    /// Whether it takes files from a folder whose names fit a pattern.
    pub fn takes_from(&self, folder: &Path, names: &str) -> bool {
        let (own, folder) = (real(&self.dir), real(folder));
        let within = own == folder || (self.recursive && lies_within(&folder, &own));
        let done = match &self.done {
            Done::Named(end) => names.ends_with(end.as_str()),
            Done::Moved(_) | Done::Removed => false,
        };
        within && !done && overlap(&self.pattern, names)
    }

    /// Whether a file could be taken by both.
    pub fn meets(&self, other: &Collect) -> bool {
        self.takes_from(&other.dir, &other.pattern) || other.takes_from(&self.dir, &self.pattern)
    }

    /// Whether it takes what is done elsewhere.
    pub fn takes_done(&self, other: &Collect) -> bool {
        match &other.done {
            Done::Named(end) => self.takes_from(&other.dir, &format!("{}{end}", other.pattern)),
            Done::Moved(folder) => self.takes_from(folder, &other.names()),
            Done::Removed => false,
        }
    }

    /// Looks for files. What cannot be looked at does not keep the rest from being found.
    pub fn find(&self) -> Look {
        let mut look = Look::default();
        self.look(&self.dir, "", 0, &mut look);
        look.not_followed = not_followed(&look.links);
        look.files.sort_by(|a, b| by_name(&a.name, &b.name));
        look
    }

    fn look(&self, dir: &Path, prefix: &str, depth: usize, to: &mut Look) {
        let entries = match fs::read_dir(dir) {
            Ok(entries) => entries,
            // Nothing has come yet.
            Err(error) if self.is_buffer && error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => {
                let problem = format!("could not read the folder \"{}\": {error}", dir.display());
                to.problems.push(problem);
                return;
            }
        };
        for entry in entries {
            let looked = entry.and_then(|entry| self.look_at(&entry, prefix, depth, to));
            match looked {
                // Somebody else's file may vanish while it is looked at.
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    let problem = format!("in the folder \"{}\": {error}", dir.display());
                    to.problems.push(problem);
                }
                _ => {}
            }
        }
    }

    fn look_at(
        &self,
        entry: &fs::DirEntry,
        prefix: &str,
        depth: usize,
        to: &mut Look,
    ) -> io::Result<()> {
        // A link's own type: what it leads to may be outside of the folder.
        let kind = entry.file_type()?;
        let Ok(own) = entry.file_name().into_string() else {
            let shown = entry.file_name();
            let message = format!("the name {shown:?} is not UTF-8; the file is left alone");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        };
        let name = format!("{prefix}{}", own.replace('~', "~0"));
        if own.starts_with('.') || own == OF_FILE_SYSTEM {
            return Ok(());
        }
        if kind.is_dir() && self.recursive && depth < FOLDER_DEPTH_MAX {
            self.look(&entry.path(), &format!("{name}~1"), depth + 1, to);
        } else if kind.is_file() && has_end(&own, POISON) {
            let was = own.rsplit_once(POISON).map_or(own.as_str(), |(was, _)| was);
            to.poison.extend(matches(&self.pattern, was).then(|| entry.path()));
        } else if kind.is_file() && self.takes(&own) {
            let metadata = entry.metadata()?;
            let version = (metadata.len(), metadata.modified().ok());
            to.files.push(Found { path: entry.path(), name, version });
        } else if kind.is_symlink() && self.takes(&own) {
            to.links.push(entry.path());
        }
        Ok(())
    }

    fn takes(&self, name: &str) -> bool {
        let is_under_way = self.is_buffer && is_under_way(name);
        !self.is_done(name) && !is_under_way && matches(&self.pattern, name)
    }

    fn is_done(&self, name: &str) -> bool {
        match &self.done {
            Done::Named(end) => has_end(name, end) || has_end(name, DUPLICATE),
            // The flow may have had an archive.
            Done::Removed => has_end(name, DUPLICATE) || has_end(name, TO_ARCHIVE),
            Done::Moved(_) => false,
        }
    }

    /// A file that was marked as done some time, if there is one.
    pub fn marked(&self) -> Option<PathBuf> {
        let (folder, is_marked): (_, &dyn Fn(&str) -> bool) = match &self.done {
            Done::Named(end) => (&self.dir, &|name| has_end(name, end)),
            Done::Moved(folder) => (folder, &|name| !name.starts_with('.')),
            Done::Removed => return None,
        };
        let mut entries = fs::read_dir(folder).ok()?.filter_map(Result::ok);
        entries.find(|entry| entry.file_name().to_str().is_some_and(is_marked)).map(|e| e.path())
    }

    /// The duplicates that stayed where they were collected, and when each came.
    pub fn duplicates(&self) -> io::Result<Vec<(PathBuf, SystemTime)>> {
        let (mut found, mut folders) = (Vec::new(), vec![(self.dir.clone(), 0)]);
        while let Some((folder, depth)) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let entry = entry?;
                let (name, kind) = (entry.file_name(), entry.file_type()?);
                if kind.is_dir() && self.recursive && depth < FOLDER_DEPTH_MAX {
                    folders.push((entry.path(), depth + 1));
                } else if kind.is_file()
                    && name.to_str().is_some_and(|name| has_end(name, DUPLICATE))
                {
                    found.push((entry.path(), entry.metadata()?.modified()?));
                }
            }
        }
        Ok(found)
    }

    /// Where a file is that [was marked](Self::mark), or was not: it lay at a path, had a name, and is known by how it looks.
    pub fn find_marked(
        &self,
        path: &Path,
        name: &str,
        is_it: impl Fn(&fs::Metadata) -> bool,
    ) -> io::Result<Option<PathBuf>> {
        let marked = match &self.done {
            Done::Named(end) => with_end(path, end),
            Done::Moved(folder) => folder.join(crate::file_name(name)),
            // It was marked only if it is not there any more.
            Done::Removed => path.to_path_buf(),
        };
        let is_there = |path: &PathBuf| match fs::metadata(path) {
            Ok(metadata) => metadata.is_file() && is_it(&metadata),
            Err(_) => false,
        };
        // Mostly it is one of the first of its name.
        let numbered = (2..NUMBERS_TRIED).map(|number| with_end(&marked, &format!(".{number}")));
        let first = [marked.clone(), path.to_path_buf()].into_iter().chain(numbered).find(is_there);
        if first.is_some() {
            return Ok(first);
        }
        let entries = match fs::read_dir(marked.parent().unwrap_or(Path::new("."))) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            entries => entries?,
        };
        let own = marked.file_name().unwrap_or_default().to_string_lossy().into_owned() + ".";
        for entry in entries {
            let entry = entry?;
            let is_of_name = entry.file_name().to_string_lossy().starts_with(&own);
            if is_of_name && entry.metadata().is_ok_and(|metadata| is_it(&metadata)) {
                return Ok(Some(entry.path()));
            }
        }
        Ok(None)
    }

    /// Sets a file aside where it lies: it is not found again until somebody gives it another name. Returns that which it
    /// has; the folder is to be [synced](crate::sync_folder).
    pub fn set_aside(&self, found: &Found) -> io::Result<PathBuf> {
        let target = free(with_end(&found.path, POISON), |path| path.exists());
        fs::rename(&found.path, &target)?;
        Ok(target)
    }

    /// Marks a file, so that it is not found again. Another file that was marked under the same
    /// name stays: this one gets a number. Returns where it is then; both folders are to be
    /// [synced](crate::sync_folder).
    pub fn mark(&self, found: &Found, mark: Mark) -> io::Result<PathBuf> {
        let target = match (&self.done, mark) {
            (Done::Named(end), Mark::Done) => with_end(&found.path, end),
            (Done::Named(_) | Done::Removed, Mark::Duplicate) => with_end(&found.path, DUPLICATE),
            (Done::Removed, Mark::Done) => {
                fs::remove_file(&found.path)?;
                return Ok(found.path.clone());
            }
            (Done::Moved(folder), mark) => {
                make_folder(folder)?;
                let target = folder.join(crate::file_name(&found.name));
                if mark == Mark::Done { target } else { with_end(&target, DUPLICATE) }
            }
        };
        let target = free(target, |path| path.exists());
        match fs::rename(&found.path, &target) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                copy_across(&found.path, &target)?;
            }
            renamed => renamed?,
        }
        Ok(target)
    }
}

/// What is said of links: however many there are, it is one thing.
fn not_followed(links: &[PathBuf]) -> Option<String> {
    let first = links.iter().min()?.display();
    let (links, are) = (counted(links.len(), "link"), if links.len() == 1 { "is" } else { "are" });
    Some(format!(
        "{links}, such as \"{first}\", {are} not followed, and what is behind not collected: lay files there, or put a dot \
         before the name"
    ))
}

/// Whether a name has an end; that of the second of its name has a number behind it: `a.ber.done.2`.
fn has_end(name: &str, end: &str) -> bool {
    name.rsplit_once(end).is_some_and(|(_, rest)| {
        rest.strip_prefix('.').map_or(rest.is_empty(), |rest| {
            !rest.is_empty() && rest.bytes().all(|digit| digit.is_ascii_digit())
        })
    })
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// A name that nobody has: this, or with a number. Where files come under one name for years there are many, so not each
/// of them is looked at.
fn free(target: PathBuf, is_taken: impl Fn(&Path) -> bool) -> PathBuf {
    let numbered = |number: u64| match number {
        1 => target.clone(),
        number => with_end(&target, &format!(".{number}")),
    };
    let (mut taken, mut free) = (0, 1);
    while is_taken(&numbered(free)) {
        (taken, free) = (free, free * 2);
    }
    while free - taken > 1 {
        let middle = taken + (free - taken) / 2;
        match is_taken(&numbered(middle)) {
            true => taken = middle,
            false => free = middle,
        }
    }
    numbered(free)
}

/// Moves a file to another file system: there it appears whole or not at all, and is on the disk under its name before
/// the one that it came from is removed.
fn copy_across(from: &Path, to: &Path) -> io::Result<()> {
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let part = to.with_file_name(format!(".{name}.part"));
    fs::copy(from, &part)?;
    let copy = fs::File::options().write(true).open(&part)?;
    if let Ok(written) = fs::metadata(from)?.modified() {
        copy.set_modified(written)?;
    }
    copy.sync_all()?;
    fs::rename(&part, to)?;
    sync_folder(to.parent().unwrap_or(Path::new(".")))?;
    fs::remove_file(from)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn the_first_free_name_is_found_among_many_without_looking_at_each() {
        for taken in [0_u64, 1, 2, 3, 7, 8, 9, 100_000] {
            let looks = Cell::new(0);
            let is_taken = |path: &Path| {
                looks.set(looks.get() + 1);
                let number = path.to_str().unwrap().strip_prefix("in/cdr.dat.done").unwrap();
                let number = number.strip_prefix('.').map_or(1, |number| number.parse().unwrap());
                number <= taken
            };
            let found = free(PathBuf::from("in/cdr.dat.done"), is_taken);
            let end = if taken == 0 { String::new() } else { format!(".{}", taken + 1) };
            assert_eq!(found, PathBuf::from(format!("in/cdr.dat.done{end}")));
            assert!(looks.get() <= 40, "{} looks at {taken} files", looks.get());
        }
    }

    /// The two are on different file systems where the machine has such; where not, the copy is the same.
    #[test]
    fn what_is_moved_to_another_disk_keeps_its_octets_and_its_time() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (from, to) = (here.path().join("a.ber"), there.path().join("a.ber"));
        fs::write(&from, "money").unwrap();
        let written = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        fs::File::options().write(true).open(&from).unwrap().set_modified(written).unwrap();
        copy_across(&from, &to).unwrap();
        assert!(!from.exists());
        assert_eq!(fs::read(&to).unwrap(), b"money");
        assert_eq!(fs::metadata(&to).unwrap().modified().unwrap(), written);
        assert_eq!(fs::read_dir(there.path()).unwrap().count(), 1);
    }
}
