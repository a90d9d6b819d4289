//! What a version of a flow has: its file and what that names, as they lie on the disk. What cannot be kept is left out by name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use diagnostics::plain;

use super::{VersionError, Versions};
use crate::secret_files::{Guard, WithheldFile};

/// Octets of the largest file that is kept with a version.
pub(super) const FILE_OCTETS_MAX: u64 = plain::TEXT_OCTETS_MAX;

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

/// Why a file that a flow names is not kept with it, or not read for who edits it.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    #[error("a variable is in its name")]
    Variable,
    #[error("it does not lie beneath the folder of the flow")]
    Outside,
    #[error(transparent)]
    Withheld(#[from] WithheldFile),
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

/// What a flow file names a file as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Script,
    Module,
}

/// How scripts are called.
const SCRIPT: &str = ".dup";

/// What stands in each module (ITU-T X.680, 13.1).
const OF_MODULES: &str = "DEFINITIONS";

/// The scripts and modules that a flow file names.
pub(super) fn sorts(text: &str) -> BTreeMap<String, Sort> {
    let modules = flow::drawing::named(text).into_iter().map(|name| (name, Sort::Module));
    let scripts = flow::drawing::scripts(text).into_iter().map(|name| (name, Sort::Script));
    modules.chain(scripts).collect()
}

impl Versions {
    /// The files of the flow as they lie on the disk, for a text of its flow file; the tables of its scripts are not among
    /// them.
    pub(crate) fn files(&self, text: &str) -> Files {
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
        let plans = flow::drawing::plans(text).into_iter().filter(|plan| is_within(plan));
        for name in plans.flat_map(|plan| tables(&self.folder().join(&plan), &plan)) {
            found.put(self.read(&guard, &name), name);
        }
        found
    }

    /// Whether a text is what a flow names it as. What is not may be something that nobody is to see.
    pub(super) fn fits(&self, sort: Sort, name: &str, text: &str) -> Result<(), FileError> {
        match sort {
            _ if self.is_named_so(sort, name) => Ok(()),
            Sort::Script if flow::drawing::filled_in(name).ends_with(SCRIPT) => Ok(()),
            Sort::Script if self.language.is_script(text) => Ok(()),
            Sort::Script => Err(FileError::NotScript),
            Sort::Module if text.contains(OF_MODULES) => Ok(()),
            Sort::Module => Err(FileError::NotModule),
        }
    }

    /// Whether the flow that lies there names a file as the same: that may be broken, and is seen to be mended.
    fn is_named_so(&self, sort: Sort, name: &str) -> bool {
        let text = plain::read_text(&self.flow, FILE_OCTETS_MAX).unwrap_or_default();
        sorts(&text).get(name) == Some(&sort)
    }

    /// All that a version has, for a text of the flow file and perhaps another file in the place of one on the disk.
    pub(crate) fn whole(&self, text: &str, instead: Option<(&str, String)>) -> Found {
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

    /// The tables that scripts look things up in, as the flow's folder sees them.
    fn tables_of_scripts(&self, text: &str, files: &Files) -> BTreeSet<String> {
        let scripts = flow::drawing::scripts(text);
        let scripts = scripts.iter().filter_map(|script| Some((script, files.get(script)?)));
        let of_script = |(script, text): (&String, &String)| {
            let folder = Path::new(script).parent().unwrap_or(Path::new("")).to_owned();
            let named = self.language.named(text).tables.into_iter();
            named.map(move |table| straight(&folder.join(table))).collect::<Vec<_>>()
        };
        scripts.flat_map(of_script).collect()
    }

    /// A table that is to have no more octets than these. What has no columns is none, and not kept: it may be a secret that
    /// somebody named to see it.
    fn table(&self, guard: &Guard, name: &str, left: u64) -> Result<Option<String>, FileError> {
        let path = self.folder().join(name);
        if is_within(name) && path.metadata().is_ok_and(|file| file.len() > left) {
            return Err(FileError::TablesTooLarge);
        }
        let read = self.read(guard, name)?;
        if let Some(text) = &read {
            fits_as_table(text.as_bytes())?;
        }
        Ok(read)
    }

    /// A file as it lies on the disk; none where there is none.
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
            // What is not there is a mistake of the flow, and told as that.
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(FileError::Unread(error)),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Those that lie on the disk.
    pub(crate) fn on_disk(&self) -> Result<Found, VersionError> {
        let read = |cause| VersionError::Read { path: self.flow.clone(), cause };
        let text = plain::read_text(&self.flow, FILE_OCTETS_MAX).map_err(read)?;
        self.secret_files.learn(&text);
        Ok(self.whole(&text, None))
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
        for (name, text) in drafts {
            if !is_within(&name) || !(named.contains(&name) || is_of_plan(&plans, &name)) {
                return Err(VersionError::Outside(name));
            }
            files.insert(name, text);
        }
        Ok(files)
    }
}

/// Whether the file does not exist.
pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn unread(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(_) => format!("it could not be read: {error}"),
        None => error.to_string(),
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

/// Whether a file is one of a plan.
pub(super) fn is_of_plan(plans: &BTreeSet<String>, name: &str) -> bool {
    name.rsplit_once('/').is_some_and(|(plan, table)| {
        (table == PLAN || table.ends_with(".csv"))
            && plans.iter().any(|known| known.trim_end_matches('/') == plan)
    })
}

/// Whether a table has columns: a comma in its first line that has something, as who reads it sees lines.
pub(super) fn fits_as_table(octets: &[u8]) -> Result<(), FileError> {
    let octets = octets.strip_prefix("\u{feff}".as_bytes()).unwrap_or(octets);
    let mut lines = octets.split(|octet| b"\r\n".contains(octet));
    let names = lines.find(|line| !line.is_empty()).unwrap_or_default();
    names.contains(&b',').then_some(()).ok_or(FileError::NotTable)
}

/// The files of a tariff plan's folder that people write, with the name of that.
pub(super) fn tables(folder: &Path, plan: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
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
    fn put(&mut self, read: Result<Option<String>, FileError>, name: String) {
        match read {
            Ok(Some(text)) => drop(self.files.insert(name, text)),
            Ok(None) => {}
            Err(why) => self.left_out.push(LeftOut { name, why: why.to_string() }),
        }
    }
}

/// Whether a name of a flow file leads to where the environment says.
pub(super) fn has_variable(name: &str) -> bool {
    name.contains("${")
}

/// Whether a name leads to a file beneath the flow's folder.
pub(super) fn is_within(name: &str) -> bool {
    let mut components = Path::new(name).components();
    !name.is_empty() && components.all(|part| matches!(part, Component::Normal(_)))
}

/// Whether a file that the flow does not name may be a script of it: nothing that is hidden, as the state is, and nothing that
/// is not called like one.
pub(crate) fn is_script(name: &str) -> bool {
    let is_hidden = name.split('/').any(|part| part.starts_with('.'));
    is_within(name) && !is_hidden && name.ends_with(SCRIPT)
}
