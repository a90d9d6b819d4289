//! Finding the files of a network element, and marking those that are done.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use diagnostics::Diagnostic;
use node::Settings;

/// Folders within folders that are looked into; deeper ones are left alone, so that a loop ends.
pub const FOLDER_DEPTH_MAX: usize = 16;

/// How a network element's files are collected.
#[derive(Debug)]
pub struct Collect {
    /// The folder.
    pub dir: PathBuf,
    pattern: String,
    recursive: bool,
    done: String,
}

/// A file that is there to be processed.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Whether it was written to within this time, or has no time to tell.
    pub fn is_fresh(&self, within: Duration) -> bool {
        let age = self.version.1.and_then(|written| written.elapsed().ok());
        age.is_none_or(|age| age < within)
    }
}

impl Collect {
    /// Reads a `collect` table.
    pub fn new(settings: &Settings) -> Result<Self, Vec<Diagnostic>> {
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
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let text = |key: &str, usual: &str| {
            settings.get(key).map_or(usual.to_owned(), |setting| setting.value.clone())
        };
        Ok(Collect {
            dir: settings.get("dir").map_or(PathBuf::new(), |dir| settings.path(dir)),
            pattern: text("pattern", "*"),
            recursive: text("recursive", "false") == "true",
            done: text("done", ".done"),
        })
    }

    /// The files that are there, by name.
    pub fn find(&self) -> io::Result<Vec<Found>> {
        let mut found = Vec::new();
        self.look(&self.dir, "", 0, &mut found)?;
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    fn look(&self, dir: &Path, prefix: &str, depth: usize, to: &mut Vec<Found>) -> io::Result<()> {
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            // A link's own type: what it leads to may be outside of the folder.
            let kind = entry.file_type()?;
            let Ok(own) = entry.file_name().into_string() else {
                let shown = entry.path();
                let message = format!("the name of \"{}\" is not UTF-8", shown.display());
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            };
            let name = format!("{prefix}{}", own.replace('~', "~0"));
            if own.starts_with('.') {
                continue;
            }
            if kind.is_dir() && self.recursive && depth < FOLDER_DEPTH_MAX {
                self.look(&entry.path(), &format!("{name}~1"), depth + 1, to)?;
            } else if kind.is_file() && !own.ends_with(&self.done) && matches(&self.pattern, &own) {
                let metadata = entry.metadata()?;
                let version = (metadata.len(), metadata.modified().ok());
                to.push(Found { path: entry.path(), name, version });
            }
        }
        Ok(())
    }

    /// Marks a file as done, so that it is not found again.
    pub fn mark_done(&self, found: &Found) -> io::Result<()> {
        let mut done = found.path.clone().into_os_string();
        done.push(&self.done);
        fs::rename(&found.path, done)
    }
}

/// Whether a name fits a pattern of `*` and `?`.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut in_name) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(wanted) if *wanted == '?' || *wanted == name[in_name] => {
                at += 1;
                in_name += 1;
            }
            // The last star takes one character more.
            _ => match star {
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    at = place + 1;
                    in_name = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_takes_any_characters_and_a_question_mark_one() {
        for (pattern, name, fits) in [
            ("*", "a.ber", true),
            ("*.ber", "a.ber", true),
            ("*.ber", "a.ber.done", false),
            ("a?.b*r*", "a1.beer", true),
            ("a?", "a", false),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
