//! The files of a network element to collect, and their marks when they are done. `find` searches
//! for them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use diagnostics::{Diagnostic, plain};
use serde::{Deserialize, Serialize};
use settings::Settings;

use crate::account::is_temporary;
use crate::canonical::{is_within, real_path};
use crate::find::FoundFile;
use crate::marks::{free, has_end, with_end, without_end};
use crate::pattern::{matches, overlap};
use runtime::durable::{make_folder, sync_folder};

/// The number of names with a number that are tried for a marked file, before the folder is
/// searched.
const NUMBERS_TRIED: usize = 16;

/// The maximum length of a file name on common file systems, in octets.
const NAME_MAX: usize = 255;

/// The maximum depth of folders that are searched. It bounds loops.
pub const FOLDER_DEPTH_MAX: usize = 16;

/// How the files of a network element are collected.
#[derive(Debug)]
pub struct Collect {
    /// The folder.
    pub dir: PathBuf,
    pattern: String,
    recursive: bool,
    done: Done,
    quiet: Duration,
    size_max: u64,
    /// Whether the folder is an in buffer, which only the gateway clears.
    is_buffer: bool,
}

/// The treatment of processed files.
#[derive(Debug)]
enum Done {
    /// The file gets this ending.
    Named(String),
    /// The file moves to this folder.
    Moved(PathBuf),
    /// The file is removed: the sender or the archive has it.
    Removed,
}

/// The reason for the mark of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    /// The file was processed.
    Done,
    /// The file is a duplicate, and is set aside.
    Duplicate,
}

/// The default of the maximum file size, in octets: a tenth of a day of the busiest network
/// element. Anything larger, such as a sparse file, is not a file of call records.
pub const FILE_SIZE_MAX: u64 = 20_000_000_000;

/// The default ending of processed files.
const DONE: &str = ".done";

/// The ending of processed files in an in buffer that wait to be archived. Clients cannot push
/// files with such a name, since they would not be collected.
pub const TO_ARCHIVE: &str = ".to-archive";

/// The ending of files that are set aside as duplicates.
pub const DUPLICATE: &str = ".duplicate";

/// The ending of files that are set aside because the process that handles them crashes.
pub const POISON: &str = ".poison";

impl Collect {
    /// Reads a `collect` table.
    pub fn new(settings: &Settings) -> Result<Self, Vec<Diagnostic>> {
        let dir = settings.get("dir").map_or(PathBuf::new(), |dir| settings.path(dir));
        let limit = settings
            .get("limit")
            .map(|limit| settings.error(limit, "\"limit\" applies only to an in buffer"));
        let read = Self::read(settings, dir, Done::Named(DONE.into()));
        match (read, limit) {
            (read, None) => read,
            (Ok(_), Some(mistake)) => Err(vec![mistake]),
            (Err(mistakes), Some(mistake)) => Err([mistakes, vec![mistake]].concat()),
        }
    }

    /// Reads the `collect` table of a network element whose files come into an in buffer. Processed
    /// files are removed, unless they are to be moved or archived. Archiving removes them itself.
    pub fn buffer(
        settings: &Settings,
        dir: PathBuf,
        is_archived: bool,
    ) -> Result<Self, Vec<Diagnostic>> {
        if let Some(done) = settings.get("done") {
            let message = "processed files do not stay in an in buffer";
            return Err(vec![settings.error(done, message).hint("write move = \"FOLDER\"")]);
        }
        let done = if is_archived { Done::Named(TO_ARCHIVE.into()) } else { Done::Removed };
        Ok(Collect { is_buffer: true, ..Self::read(settings, dir, done)? })
    }

    /// Returns whether processed files leave the folder, as in an in buffer.
    pub fn is_buffer(&self) -> bool {
        self.is_buffer
    }

    fn read(
        settings: &Settings,
        dir: PathBuf,
        default_done: Done,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut mistakes = Vec::new();
        if let Some(done) = settings.get("done")
            && (done.value.is_empty() || done.value.contains('/'))
        {
            let message = "\"done\" is an ending for names of processed files, without slashes";
            mistakes.push(settings.error(done, message).hint("write \".done\""));
        }
        if let Some(recursive) = settings.get("recursive")
            && !matches!(recursive.value.as_str(), "true" | "false")
        {
            mistakes.push(settings.error(recursive, "\"recursive\" is true or false"));
        }
        let text = |key: &str, default: &str| {
            settings.get(key).map_or(default.to_owned(), |setting| setting.value.clone())
        };
        let recursive = text("recursive", "false") == "true";
        let done = match settings.get("move") {
            None => settings.get("done").map_or(default_done, |end| Done::Named(end.value.clone())),
            Some(to) => {
                let folder = settings.path(to);
                if settings.get("done").is_some() {
                    mistakes.push(settings.error(to, "\"move\" and \"done\" exclude each other"));
                }
                if folder == dir || (recursive && folder.starts_with(&dir)) {
                    let message = "files moved here would be collected again";
                    mistakes.push(
                        settings.error(to, message).hint("choose a folder outside of \"dir\""),
                    );
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
        let size_max = settings.get("size-limit").map(|limit| settings.octets(limit)).transpose();
        let size_max = size_max.map_err(|mistake| mistakes.push(mistake)).unwrap_or_default();
        let size_max = size_max.unwrap_or(FILE_SIZE_MAX);
        let pattern = text("pattern", "*");
        let collect = Collect { dir, pattern, recursive, done, quiet, size_max, is_buffer: false };
        if let Some(setting) = settings.get("pattern")
            && let Some(why) = collect.why_nothing_matches()
        {
            let message = format!("no file is ever collected: {why}");
            mistakes.push(settings.error(setting, message).hint("write \"*.ber\", or remove it"));
        }
        if mistakes.is_empty() { Ok(collect) } else { Err(mistakes) }
    }

    /// Returns why the pattern can match no file name, if so.
    fn why_nothing_matches(&self) -> Option<String> {
        let pattern = self.pattern.as_str();
        let letters = pattern.bytes().filter(|octet| *octet != b'*').count();
        if pattern.is_empty() {
            return Some("an empty pattern matches no name".into());
        }
        if pattern.contains(['/', '\0']) {
            let why =
                "a pattern is for names, which have no slash; recursive = true searches subfolders";
            return Some(why.into());
        }
        if pattern.starts_with('.') {
            return Some("names that begin with a dot are hidden and ignored".into());
        }
        if letters > NAME_MAX {
            return Some(format!("a name has at most {NAME_MAX} octets"));
        }
        let reserved = match &self.done {
            Done::Named(end) => &[end.as_str(), DUPLICATE, POISON][..],
            Done::Removed => &[TO_ARCHIVE, DUPLICATE, POISON],
            Done::Moved(_) => &[POISON],
        };
        let end = reserved.iter().find(|end| pattern.ends_with(**end))?;
        Some(format!("names that end with \"{end}\" mark processed files"))
    }

    /// Returns the pattern for the names of collected files.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Returns whether subfolders are searched.
    pub(crate) fn is_recursive(&self) -> bool {
        self.recursive
    }

    /// Returns the maximum file size, in octets.
    pub fn size_max(&self) -> u64 {
        self.size_max
    }

    /// Returns whether a file of this name is collected.
    pub(crate) fn collects(&self, name: &str) -> bool {
        let is_temporary = self.is_buffer && is_temporary(name);
        self.name_before(name).is_none() && !is_temporary && matches(&self.pattern, name)
    }

    /// Returns the name of a file before it was marked as done or as a duplicate, if it is marked.
    pub(crate) fn name_before<'n>(&self, name: &'n str) -> Option<&'n str> {
        let ends = match &self.done {
            Done::Named(end) => &[end.as_str(), DUPLICATE][..],
            // An earlier version of the flow may have had an archive.
            Done::Removed => &[TO_ARCHIVE, DUPLICATE],
            Done::Moved(_) => &[],
        };
        ends.iter().find_map(|end| without_end(name, end))
    }

    /// Returns how long a file must be unchanged before it is collected; zero by default.
    pub fn quiet(&self) -> Duration {
        self.quiet
    }

    /// Returns a pattern for the names of its files. The name of a file in a subfolder begins with
    /// that of the subfolder.
    pub fn names(&self) -> String {
        if self.recursive { format!("*{}", self.pattern) } else { self.pattern.clone() }
    }

    /// Returns whether it collects files from a folder, if their names match `names`.
    pub fn collects_from(&self, folder: &Path, names: &str) -> bool {
        let (dir, folder) = (real_path(&self.dir), real_path(folder));
        let is_searched = dir == folder || (self.recursive && is_within(&folder, &dir));
        let is_done = match &self.done {
            Done::Named(end) => names.ends_with(end.as_str()),
            Done::Moved(_) | Done::Removed => false,
        };
        is_searched && !is_done && overlap(&self.pattern, names)
    }

    /// Returns whether both could collect the same file.
    pub fn overlaps(&self, other: &Collect) -> bool {
        self.collects_from(&other.dir, &other.pattern)
            || other.collects_from(&self.dir, &self.pattern)
    }

    /// Returns whether it collects processed files of `other`.
    pub fn collects_done_files_of(&self, other: &Collect) -> bool {
        match &other.done {
            Done::Named(end) => self.collects_from(&other.dir, &format!("{}{end}", other.pattern)),
            Done::Moved(folder) => self.collects_from(folder, &other.names()),
            Done::Removed => false,
        }
    }

    /// Returns a file that was marked as done at any time, if there is one.
    pub fn marked(&self) -> Option<PathBuf> {
        let (folder, is_marked): (_, &dyn Fn(&str) -> bool) = match &self.done {
            Done::Named(end) => (&self.dir, &|name| has_end(name, end)),
            Done::Moved(folder) => (folder, &|name| !name.starts_with('.')),
            Done::Removed => return None,
        };
        let mut entries = fs::read_dir(folder).ok()?.filter_map(Result::ok);
        entries.find(|entry| entry.file_name().to_str().is_some_and(is_marked)).map(|e| e.path())
    }

    /// Returns the duplicates in the folder where they were collected, and the modification time of
    /// each.
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

    /// Finds a file that may have been [marked](Self::mark) or not. `path` and `name` are those
    /// before the mark, and `is_same_file` recognises the file.
    pub fn find_marked(
        &self,
        path: &Path,
        name: &str,
        is_same_file: impl Fn(&fs::Metadata) -> bool,
    ) -> io::Result<Option<PathBuf>> {
        let marked = match &self.done {
            Done::Named(end) => with_end(path, end),
            Done::Moved(folder) => folder.join(crate::file_name(name)),
            // A removed file was marked only if it is gone.
            Done::Removed => path.to_path_buf(),
        };
        let is_there = |path: &PathBuf| match fs::metadata(path) {
            Ok(metadata) => metadata.is_file() && is_same_file(&metadata),
            Err(_) => false,
        };
        // Usually its number is small.
        let numbered = (2..NUMBERS_TRIED).map(|number| with_end(&marked, &format!(".{number}")));
        let first = [marked.clone(), path.to_path_buf()].into_iter().chain(numbered).find(is_there);
        if first.is_some() {
            return Ok(first);
        }
        let entries = match fs::read_dir(marked.parent().unwrap_or(Path::new("."))) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            entries => entries?,
        };
        let prefix = marked.file_name().unwrap_or_default().to_string_lossy().into_owned() + ".";
        for entry in entries {
            let entry = entry?;
            let has_prefix = entry.file_name().to_string_lossy().starts_with(&prefix);
            if has_prefix && entry.metadata().is_ok_and(|metadata| is_same_file(&metadata)) {
                return Ok(Some(entry.path()));
            }
        }
        Ok(None)
    }

    /// Sets aside a file in its folder. It is not found again until an operator renames it. Returns
    /// its new path. [Sync](crate::sync_folder) the folder afterwards.
    pub fn set_aside(&self, found: &FoundFile) -> io::Result<PathBuf> {
        let target = free(with_end(&found.path, POISON), |path| path.exists());
        fs::rename(&found.path, &target)?;
        Ok(target)
    }

    /// Marks a file, so that it is not found again. If another file was marked under the same name,
    /// this one gets a number. Returns its new path. [Sync](crate::sync_folder) both folders
    /// afterwards.
    pub fn mark(&self, found: &FoundFile, mark: Mark) -> io::Result<PathBuf> {
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

/// Moves a file to another file system. It appears there only when it is complete, and is on the
/// disk before the original is removed.
fn copy_across(from: &Path, to: &Path) -> io::Result<()> {
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let part = to.with_file_name(format!(".{name}.part"));
    let (mut source, mut copy) = (plain::open(from)?, fs::File::create(&part)?);
    let of_source = source.metadata()?;
    copy.set_permissions(of_source.permissions())?;
    io::copy(&mut source, &mut copy)?;
    if let Ok(written) = of_source.modified() {
        copy.set_modified(written)?;
    }
    copy.sync_all()?;
    fs::rename(&part, to)?;
    sync_folder(to.parent().unwrap_or(Path::new(".")))?;
    fs::remove_file(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two folders are on different file systems if the host has several; if not, the copy is
    /// the same.
    #[test]
    fn a_file_that_is_moved_to_another_disk_keeps_its_contents_and_time() {
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

    #[test]
    fn a_pipe_is_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, at("a.ber"), mode).unwrap();
        let refused = copy_across(&at("a.ber"), &at("b.ber")).unwrap_err();
        assert_eq!(refused.to_string(), "it is a pipe, and has to be a plain file");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no partial file is left");
    }
}
