//! The content of a version of a flow: the flow file and the files that it names, as they are on the disk. Files that
//! cannot be kept are listed by name.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use diagnostics::plain;

use super::folders::Folders;
use super::secret_files::{Guard, WithheldFile};
use super::{VersionError, VersionStore};

/// The maximum size in octets of a file that a version keeps.
pub(super) const FILE_OCTETS_MAX: u64 = plain::TEXT_OCTETS_MAX;

/// The maximum size in octets of all tables of scripts together: a whole version is in memory at once.
const TABLES_OCTETS_MAX: u64 = 64 << 20;

/// The files of a flow, by their names relative to the flow's folder. The name of the flow file is empty.
pub type FileTexts = BTreeMap<String, String>;

/// The files of a flow, and the files that it names but that are not kept.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The files.
    pub files: FileTexts,
    /// The files that are not kept.
    pub left_out: Vec<LeftOut>,
}

/// A file that a version does not keep. Going back to the version leaves that file as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The name relative to the flow's folder.
    pub name: String,
    /// Why it is not kept.
    pub why: String,
}

/// Why a file that a flow names is not kept with it, or not read for a user who edits the flow.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    #[error("a variable is in its name")]
    Variable,
    #[error("it does not lie beneath the folder of the flow")]
    Outside,
    #[error(transparent)]
    Withheld(#[from] WithheldFile),
    #[error("it lies in a folder of records, which the flow collects, delivers or archives")]
    Records,
    #[error("it is no script")]
    NotScript,
    #[error("it is no ASN.1 module")]
    NotModule,
    #[error("it is no table")]
    NotTable,
    #[error("the tables have more than {} MiB together", TABLES_OCTETS_MAX >> 20)]
    TablesTooLarge,
    #[error("{}", unread(.0))]
    Unread(io::Error),
}

/// The role in which a flow file names a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileRole {
    Script,
    Module,
}

/// The file extension of scripts.
const SCRIPT: &str = ".dup";

/// A word that each ASN.1 module contains (ITU-T X.680, 13.1).
const OF_MODULES: &str = "DEFINITIONS";

/// Returns the scripts and modules that a flow file names.
pub(super) fn sorts(text: &str) -> BTreeMap<String, FileRole> {
    let modules = flow::drawing::named(text).into_iter().map(|name| (name, FileRole::Module));
    let scripts = flow::drawing::scripts(text).into_iter().map(|name| (name, FileRole::Script));
    modules.chain(scripts).collect()
}

impl VersionStore {
    /// Returns the files of the flow on the disk, for a text of its flow file. The tables of its scripts are not among
    /// them.
    pub fn files(&self, text: &str) -> FileTexts {
        self.found(text).files
    }

    fn found(&self, text: &str) -> Found {
        let guard = self.guard(text);
        let mut found = Found::default();
        found.files.insert(String::new(), text.to_owned());
        for (name, sort) in sorts(text) {
            if has_variable(&name) {
                found.put(Err(FileError::Variable), name);
                continue;
            }
            let read = self.read(&guard, &name);
            let fits = |text: Option<String>| match text {
                Some(text) => self.fits(sort, &name, &text).map(|()| Some(text)),
                None => Ok(None),
            };
            found.put(read.and_then(fits), name);
        }
        for name in Folders::of(text).files(|folder| self.folder().join(folder)) {
            if is_within(&name) {
                found.put(self.read_beside_records(&guard, &name), name);
            }
        }
        found
    }

    /// Checks that a text is what the flow names it as. Another text may be a secret.
    pub(super) fn fits(&self, sort: FileRole, name: &str, text: &str) -> Result<(), FileError> {
        match sort {
            _ if self.is_named_so(sort, name) => Ok(()),
            FileRole::Script if flow::drawing::filled_in(name).ends_with(SCRIPT) => Ok(()),
            FileRole::Script if self.language.is_script(text) => Ok(()),
            FileRole::Script => Err(FileError::NotScript),
            FileRole::Module if text.contains(OF_MODULES) => Ok(()),
            FileRole::Module => Err(FileError::NotModule),
        }
    }

    /// Returns whether the flow on the disk names the file in the same role. Such a file may be broken, and users see
    /// it to correct it.
    fn is_named_so(&self, sort: FileRole, name: &str) -> bool {
        let text = plain::read_text(&self.flow, FILE_OCTETS_MAX).unwrap_or_default();
        sorts(&text).get(name) == Some(&sort)
    }

    /// Returns all files of a version, for a text of the flow file. `instead` replaces one file on the disk.
    pub fn whole(&self, text: &str, instead: Option<(&str, String)>) -> Found {
        let mut found = self.found(text);
        if let Some((name, text)) = instead {
            found.left_out.retain(|left_out| left_out.name != name);
            found.files.insert(name.to_owned(), text);
        }
        let guard = self.guard(text);
        let mut octets = 0;
        for name in self.tables_of_scripts(text, &found.files) {
            if found.files.contains_key(&name) {
                continue;
            }
            let read = self.table(&guard, &name, TABLES_OCTETS_MAX.saturating_sub(octets));
            octets += read.as_ref().map_or(0, |read| read.as_ref().map_or(0, String::len)) as u64;
            found.put(read, name);
        }
        found
    }

    /// Returns the tables that scripts look values up in, relative to the flow's folder.
    fn tables_of_scripts(&self, text: &str, files: &FileTexts) -> BTreeSet<String> {
        let scripts = flow::drawing::scripts(text);
        let scripts = scripts.iter().filter_map(|script| Some((script, files.get(script)?)));
        let of_script = |(script, text): (&String, &String)| {
            let folder = Path::new(script).parent().unwrap_or(Path::new("")).to_owned();
            let named = self.language.named(text).tables.into_iter();
            named.map(move |table| straight(&folder.join(table))).collect::<Vec<_>>()
        };
        scripts.flat_map(of_script).collect()
    }

    /// Reads a table of at most `left` octets. A text without columns is no table and is not kept: it may be a secret
    /// that a user named to reveal it.
    fn table(&self, guard: &Guard, name: &str, left: u64) -> Result<Option<String>, FileError> {
        let path = self.folder().join(name);
        if is_within(name) && path.metadata().is_ok_and(|file| file.len() > left) {
            return Err(FileError::TablesTooLarge);
        }
        let read = self.read_beside_records(guard, name)?;
        if let Some(text) = &read {
            fits_as_table(text.as_bytes())?;
        }
        Ok(read)
    }

    /// Reads a table, which lies in no folder of records; `None` if it does not exist.
    fn read_beside_records(&self, guard: &Guard, name: &str) -> Result<Option<String>, FileError> {
        match self.why_records(&self.folder().join(name)) {
            Some(why) if is_within(name) => Err(why),
            _ => self.read(guard, name),
        }
    }

    /// Reads a file; `None` if it does not exist.
    fn read(&self, guard: &Guard, name: &str) -> Result<Option<String>, FileError> {
        if !is_within(name) {
            return Err(FileError::Outside);
        }
        let path = self.folder().join(name);
        if let Some(why) = guard.why(&path) {
            return Err(why.into());
        }
        match plain::read_text(&path, FILE_OCTETS_MAX) {
            Ok(text) => Ok(Some(text)),
            // A missing file is a mistake of the flow, and reported as that.
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(FileError::Unread(error)),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the text of the flow file on the disk.
    pub fn flow_text(&self) -> Result<String, VersionError> {
        let read = |cause| VersionError::Read { path: self.flow.clone(), cause };
        plain::read_text(&self.flow, FILE_OCTETS_MAX).map_err(read)
    }

    /// Returns the files of the flow on the disk.
    pub fn on_disk(&self) -> Result<Found, VersionError> {
        let text = self.flow_text()?;
        self.secret_files.learn(&text);
        Ok(self.whole(&text, None))
    }

    /// Returns the files of the flow on the disk, with drafts in the places of some. A draft has to be of a file that
    /// the flow names, or of one in a folder of plans or rules that it names.
    pub fn drafted(
        &self,
        text: Option<String>,
        drafts: Vec<(String, String)>,
    ) -> Result<FileTexts, VersionError> {
        let mut files = match text {
            Some(text) => self.whole(&text, None).files,
            None => self.on_disk()?.files,
        };
        let text = files.get("").cloned().unwrap_or_default();
        let (named, folders) = (flow::drawing::named(&text), Folders::of(&text));
        for (name, text) in drafts {
            if !is_within(&name) || !(named.contains(&name) || folders.have(&name)) {
                return Err(VersionError::Outside(name));
            }
            files.insert(name, text);
        }
        Ok(files)
    }
}

/// Returns whether the file does not exist.
pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn unread(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(_) => format!("it could not be read: {error}"),
        None => error.to_string(),
    }
}

/// Returns the files of `there` that have to go when `files` are a version: a table that a plan did not have would change the plan, and
/// a rule would run.
pub fn superfluous<'t>(files: &FileTexts, there: &'t FileTexts) -> Vec<&'t String> {
    let folders = files.get("").map(|text| Folders::of(text)).unwrap_or_default();
    folders.superfluous(files, there)
}

/// Checks that a table has columns: a comma in its first line that is not empty, where a line ends with CR or LF.
pub(super) fn fits_as_table(octets: &[u8]) -> Result<(), FileError> {
    let octets = octets.strip_prefix("\u{feff}".as_bytes()).unwrap_or(octets);
    let mut lines = octets.split(|octet| b"\r\n".contains(octet));
    let names = lines.find(|line| !line.is_empty()).unwrap_or_default();
    names.contains(&b',').then_some(()).ok_or(FileError::NotTable)
}

/// Returns a path without `..` that only undo other components, so that it shows whether it is inside a folder.
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
    fn put(&mut self, read: Result<Option<String>, FileError>, name: String) {
        match read {
            Ok(Some(text)) => drop(self.files.insert(name, text)),
            Ok(None) => {}
            Err(why) => self.left_out.push(LeftOut { name, why: why.to_string() }),
        }
    }
}

/// Returns whether a name in a flow file contains an environment variable.
pub(super) fn has_variable(name: &str) -> bool {
    name.contains("${")
}

/// Returns whether a name leads to a file inside the flow's folder.
pub(super) fn is_within(name: &str) -> bool {
    let mut components = Path::new(name).components();
    !name.is_empty() && components.all(|part| matches!(part, Component::Normal(_)))
}

/// Returns whether a file that the flow does not name may become a script of it: it has the extension of scripts and is
/// not hidden, as the state folder is. Each script has one such name: `scripts//a.dup` is none.
pub fn is_script(name: &str) -> bool {
    let is_hidden = name.split('/').any(|part| part.starts_with('.'));
    let is_straight = straight(Path::new(name)) == name;
    is_within(name) && is_straight && !is_hidden && name.ends_with(SCRIPT)
}
