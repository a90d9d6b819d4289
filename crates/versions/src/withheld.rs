//! Files that a flow names but that are not even read to check the flow: a mistake shows the line that contains it, and
//! a table shows its columns.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use diagnostics::plain;

use super::folders::Folders;
use super::found::{
    FILE_OCTETS_MAX, FileError, FileRole, fits_as_table, has_variable, is_missing, is_within, sorts,
};
use super::secret_files::Guard;
use super::{FileTexts, Found, LeftOut, NamedFiles, VersionError, VersionStore};

/// The octets read from the beginning of a table.
const COLUMNS_OCTETS_MAX: u64 = 64 * 1024;

impl VersionStore {
    /// Returns the files that a text of the flow file names and that are withheld, as they are on the disk.
    pub fn withheld(&self, text: &str) -> Vec<LeftOut> {
        self.withheld_beside(text, &FileTexts::new())
    }

    /// Refuses the files of a flow if they name a withheld file.
    pub fn may_be_read(&self, files: &FileTexts) -> Result<(), VersionError> {
        let text = files.get("").map_or("", String::as_str);
        refused(self.withheld_beside(text, files))
    }

    /// Refuses a script that names a withheld file.
    pub fn script_may_be_read(&self, name: &str, text: &str) -> Result<(), VersionError> {
        // The name of an edited script is a plain path: variables in it are not filled in.
        refused(self.withheld_by_script(&self.guard(""), &self.folder().join(name), text))
    }

    /// Removes withheld files from a version, and files that do not fit the role in which the flow names them. Returns
    /// the removed ones.
    pub(super) fn withhold(&self, found: &mut Found) -> Vec<LeftOut> {
        let text = found.files.get("").map_or("", String::as_str);
        let (guard, sorts, folders) = (self.guard(text), sorts(text), Folders::of(text));
        let why = |(name, text): (&String, &String)| {
            let places = [self.folder().join(name), self.leads(name)];
            let withheld = places.iter().find_map(|path| guard.why(path)).map(FileError::from);
            let is_table = !sorts.contains_key(name);
            let records = || self.why_records(&places[0]).filter(|_| is_table);
            let misfit = || match sorts.get(name) {
                Some(sort) => self.fits(*sort, name, text).err(),
                None if folders.have(name) => None,
                None => fits_as_table(text.as_bytes()).err(),
            };
            let why = withheld.or_else(records).or_else(misfit)?;
            Some(LeftOut { name: name.clone(), why: why.to_string() })
        };
        let others = found.files.iter().filter(|(name, _)| !name.is_empty());
        let withheld: Vec<LeftOut> = others.filter_map(why).collect();
        for left_out in &withheld {
            found.files.remove(&left_out.name);
        }
        found.left_out.extend_from_slice(&withheld);
        withheld
    }

    /// Returns the path of a name in the flow file, with variables filled in as the flow does it.
    pub(super) fn leads(&self, name: &str) -> PathBuf {
        self.folder().join(flow::drawing::filled_in(name))
    }

    /// Returns the scripts, modules and plans that a text of the flow file names, and the tables of the plans.
    pub(super) fn read_openly(&self, text: &str) -> Vec<PathBuf> {
        let folders = Folders::of(text);
        let own = folders.files(|folder| self.leads(folder));
        let own = own.into_iter().map(|name| self.leads(&name));
        let folders = folders.names().map(|name| self.leads(name)).chain(own);
        let others = sorts(text).into_keys().map(|name| self.leads(&name));
        folders.chain(others).collect()
    }

    /// Returns the withheld files for a text of the flow file, where `files` replace some files on the disk.
    fn withheld_beside(&self, text: &str, files: &FileTexts) -> Vec<LeftOut> {
        let guard = self.guard(text);
        let mut withheld = Vec::new();
        for (name, sort) in sorts(text) {
            let path = self.leads(&name);
            let why = guard.why(&path).map(FileError::from);
            // A name with a variable leads to another file, so `files` does not replace it.
            let instead = files.get(&name).filter(|_| !has_variable(&name)).cloned();
            let text = match instead {
                Some(text) => Ok(Some(text)),
                None => readable(&path),
            };
            let text = match text {
                Ok(Some(text)) => text,
                Ok(None) => {
                    withheld.extend(why.map(|why| left_out(name, &why)));
                    continue;
                }
                Err(unread) => {
                    withheld.push(left_out(name, &why.unwrap_or(unread)));
                    continue;
                }
            };
            match why.or_else(|| self.fits(sort, &name, &text).err()) {
                Some(why) => withheld.push(left_out(name, &why)),
                None if sort == FileRole::Script => {
                    let files = self.withheld_by_script(&guard, &path, &text);
                    withheld.extend(files);
                }
                None => {}
            }
        }
        for name in flow::drawing::plans(text) {
            let why = self.why_no_plan(&guard, &self.leads(&name));
            withheld.extend(why.map(|why| left_out(name, &why)));
        }
        withheld.extend(self.withheld_by_rules(&guard, text, files));
        withheld
    }

    /// Returns the withheld files of a script, as the script names them.
    fn withheld_by_script(&self, guard: &Guard, script: &Path, text: &str) -> Vec<LeftOut> {
        let at = |name: &str| script.parent().unwrap_or(Path::new("")).join(name);
        let named = self.language.named(text);
        let of_tables = named.tables.into_iter().map(|name| {
            let why = self.why_no_table(guard, &at(&name));
            (name, why)
        });
        let of_tariffs = named.tariffs.into_iter().map(|name| {
            let why = self.why_no_plan(guard, &at(&name));
            (name, why)
        });
        let of_records = named.records.into_iter().map(|name| {
            let path = at(&name);
            let why = guard.why(&path).map(FileError::from);
            let why = why.or_else(|| self.why_records(&path));
            (name, why)
        });
        let all = of_tables.chain(of_tariffs).chain(of_records);
        all.filter_map(|(name, why)| Some(left_out(name, &why?))).collect()
    }

    /// Returns the withheld files of rules in folders of the flow, where `files` replace some on the disk. A rule in another file than
    /// that on the disk names files beneath its folder alone.
    fn withheld_by_rules(&self, guard: &Guard, text: &str, files: &FileTexts) -> Vec<LeftOut> {
        let folders = Folders::of(text);
        let on_disk = folders.files(|folder| self.leads(folder)).into_iter();
        let names: BTreeSet<String> =
            on_disk.chain(files.keys().filter(|name| folders.is_of_rules(name)).cloned()).collect();
        let mut withheld = Vec::new();
        for name in names {
            let path = self.leads(&name);
            if let Some(why) = guard.why(&path) {
                withheld.push(left_out(name, &why.into()));
                continue;
            }
            let there = readable(&path).ok().flatten().unwrap_or_default();
            let known = flow::drawing::named_by_rule(&there);
            let text = files.get(&name).unwrap_or(&there);
            if name.ends_with(".dup") {
                withheld.extend(self.withheld_by_script(guard, &path, text));
                continue;
            }
            for named in flow::drawing::named_by_rule(text) {
                let file = path.parent().unwrap_or(Path::new("")).join(&named);
                let is_outside = !is_within(&named) && !known.contains(&named);
                let outside = is_outside.then_some(FileError::Outside);
                let why = guard.why(&file).map(FileError::from).or(outside);
                let why = why.or_else(|| self.why_records(&file));
                withheld.extend(why.map(|why| left_out(named, &why)));
            }
        }
        withheld
    }

    /// Returns why a table is withheld, if it is. A table without the extension `.csv` needs columns. Outside the
    /// flow's folder, the running scripts have to use it already.
    fn why_no_table(&self, guard: &Guard, path: &Path) -> Option<FileError> {
        let withheld = guard.why(path).map(FileError::from);
        if let Some(why) = withheld.or_else(|| self.why_records(path)) {
            return Some(why);
        }
        let Ok(real) = path.canonicalize() else { return None };
        let is_called_so = path.extension().is_some_and(|ending| ending == "csv");
        if is_called_so || self.read_by_scripts_now().contains(&real) {
            return None;
        }
        let folder = self.folder().canonicalize().unwrap_or_default();
        match real.starts_with(folder) {
            true => match plain::read_beginning(&real, COLUMNS_OCTETS_MAX) {
                Ok(octets) => fits_as_table(&octets).err(),
                Err(error) => Some(FileError::Unread(error)),
            },
            false => Some(FileError::NotTable),
        }
    }

    /// Returns the tables of the running scripts, and the records of their tests.
    pub(super) fn read_by_scripts_now(&self) -> BTreeSet<PathBuf> {
        let text = plain::read_text(&self.flow, FILE_OCTETS_MAX).unwrap_or_default();
        let scripts = flow::drawing::scripts(&text).into_iter();
        let scripts = scripts.map(|script| self.leads(&script));
        let tables = scripts.filter_map(|script| {
            let NamedFiles { tables, records, .. } = self.language.named(&readable(&script).ok()??);
            let folder = script.parent().unwrap_or(Path::new("")).to_path_buf();
            let named = tables.into_iter().chain(records);
            Some(named.filter_map(move |file| folder.join(file).canonicalize().ok()))
        });
        tables.flatten().collect()
    }

    /// Returns why a plan is withheld, if it is. A plan is a folder of tables, or a database.
    fn why_no_plan(&self, guard: &Guard, path: &Path) -> Option<FileError> {
        let folders = Folders::of_plan(&path.to_string_lossy());
        let own = folders.files(|folder| PathBuf::from(folder)).into_iter().map(PathBuf::from);
        let withheld = |path: &PathBuf| guard.why(path).map(FileError::from);
        [path.to_path_buf()]
            .into_iter()
            .chain(own)
            .find_map(|path| withheld(&path).or_else(|| self.why_records(&path)))
    }
}

fn left_out(name: String, why: &FileError) -> LeftOut {
    LeftOut { name, why: why.to_string() }
}

pub(super) fn refused(withheld: Vec<LeftOut>) -> Result<(), VersionError> {
    match withheld.into_iter().next() {
        Some(LeftOut { name, why }) => Err(VersionError::Unseen { name, why }),
        None => Ok(()),
    }
}

/// Reads the text of a file; `None` if it does not exist.
pub(super) fn readable(path: &Path) -> Result<Option<String>, FileError> {
    match plain::read(path, FILE_OCTETS_MAX) {
        // A module may be in Latin-1.
        Ok(octets) => Ok(Some(String::from_utf8_lossy(&octets).into_owned())),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(FileError::Unread(error)),
    }
}
