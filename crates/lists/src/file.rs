//! The files of lists, which several processes change.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Source, plain};

use crate::table::Table;

/// The most characters of the name of a list that a command makes.
const NAME_CHARACTERS_MAX: usize = 64;

/// What is at the end of the name of a list's file.
const ENDING: &str = "csv";

/// The mark of UTF-8 that spreadsheets write, and need to read a file again as UTF-8.
const MARK: &str = "\u{feff}";

/// Why a list is not read or changed.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// Its file cannot be read or written.
    #[error("could not use the list \"{}\"", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// It has mistakes.
    #[error("the list has mistakes: {}", first(.0))]
    Mistakes(Vec<Diagnostic>),
}

/// Returns the first mistake, and how many there are.
fn first(mistakes: &[Diagnostic]) -> String {
    let first = mistakes.first().map(Diagnostic::line).unwrap_or_default();
    match mistakes.len() {
        0 | 1 => first,
        all => format!("{first}, and {} more", all - 1),
    }
}

/// Returns the file of a list in a folder.
pub fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.{ENDING}"))
}

/// Returns whether a text is a name of a list that a command may make: its file is in the folder, and is not hidden.
pub fn is_name(name: &str) -> bool {
    let is_of_it = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let has_length = (1..=NAME_CHARACTERS_MAX).contains(&name.chars().count());
    has_length && name.chars().all(is_of_it) && !name.starts_with('.')
}

/// Returns the names of the lists in a folder, in their order. There are none if there is no folder.
///
/// # Errors
///
/// The folder cannot be read.
pub fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let path = PathBuf::from(entry?.file_name());
        let is_list = path.extension().is_some_and(|ending| ending == ENDING);
        let name = path.file_stem().and_then(|name| name.to_str()).filter(|_| is_list);
        names.extend(name.filter(|name| is_name(name)).map(str::to_owned));
    }
    names.sort_unstable();
    Ok(names)
}

/// Reads a list.
///
/// # Errors
///
/// Its file cannot be read, or it has mistakes.
pub fn read(path: &Path) -> Result<Table, ListError> {
    decoded(path, octets(path)?)
}

fn octets(path: &Path) -> Result<Vec<u8>, ListError> {
    plain::read(path, plain::TABLE_OCTETS_MAX)
        .map_err(|cause| ListError::File { path: path.into(), cause })
}

fn decoded(path: &Path, octets: Vec<u8>) -> Result<Table, ListError> {
    let source = Source::decoded(path.display().to_string(), octets);
    let source = source.map_err(|mistake| ListError::Mistakes(vec![*mistake]))?;
    Table::read(source).map_err(ListError::Mistakes)
}

/// Changes a list, while no one else does. `change` gets the list, or none if there is no file, and returns its new text, or none if
/// it stays. The new text replaces the old one at once. It is in UTF-8, whatever the encoding was.
///
/// # Errors
///
/// The list has mistakes, cannot be read or written, or `change` fails. It stays as it is then.
pub fn change<T, E: From<ListError>>(
    path: &Path,
    change: impl FnOnce(Option<&Table>) -> Result<(Option<String>, T), E>,
) -> Result<T, E> {
    let failed = |cause| ListError::File { path: path.into(), cause };
    let lock = lock(path).map_err(failed)?;
    let old = match octets(path) {
        Ok(octets) => Some(octets),
        Err(ListError::File { cause, .. }) if cause.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    let is_marked = old.as_ref().is_some_and(|octets| octets.starts_with(MARK.as_bytes()));
    let table = old.map(|octets| decoded(path, octets)).transpose()?;
    let (text, done) = change(table.as_ref())?;
    if let Some(text) = text {
        let text = if is_marked { format!("{MARK}{text}") } else { text };
        runtime::exchange::put(path, &text).map_err(failed)?;
    }
    drop(lock);
    Ok(done)
}

/// Locks a list for changes, also by other processes: a hidden file beside it is locked, since the list itself is replaced.
fn lock(path: &Path) -> io::Result<File> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    fs::create_dir_all(folder)?;
    let mut options = File::options();
    let file = options.write(true).create(true).truncate(false);
    let file = file.open(folder.join(format!(".{name}.lock")))?;
    file.lock()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::{Edit, Entry};

    fn add(path: &Path, key: &str) -> Result<(), ListError> {
        let entry = Entry { key: key.into(), ..Entry::default() };
        change(path, |list| {
            let empty = Table::empty("new");
            let text = Edit::adding(entry).apply(list.unwrap_or(&empty));
            Ok((Some(text), ()))
        })
    }

    #[test]
    fn changes_at_the_same_time_are_all_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(folder.path(), "hot");
        thread::scope(|scope| {
            for number in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    for key in 0..8 {
                        add(path, &format!("{number}{key}")).unwrap();
                    }
                });
            }
        });
        assert_eq!(read(&path).unwrap().rows().len(), 64);
        assert_eq!(names(folder.path()).unwrap(), ["hot"]);
    }

    #[test]
    fn the_mark_of_a_spreadsheet_stays_and_a_list_with_mistakes_is_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(folder.path(), "hot");
        fs::write(&path, "\u{feff}key\r\n1\r\n").unwrap();
        add(&path, "2").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "\u{feff}key\r\n1\r\n2\r\n");
        fs::write(&path, "key\n1,2\n").unwrap();
        let error = add(&path, "2").unwrap_err();
        assert!(error.to_string().contains("hot.csv:2:1"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "key\n1,2\n");
    }

    #[test]
    fn no_name_leaves_the_folder() {
        for name in ["", ".", "..", "../hot", "a/b", ".hot", "a b", &"a".repeat(65), "a\0"] {
            assert!(!is_name(name), "{name:?}");
        }
        assert!(is_name("call-centres_2.old") && is_name("büros"));
    }
}
