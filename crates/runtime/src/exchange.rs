//! Replaces several files, all of them or none. New files are written beside their places first, so a full disk or a
//! missing permission shows before anything has changed. Then the renames follow directly one after the other.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The log target. It is stable, since operators filter by it.
const LOG: &str = "serve::versions";

/// A file that cannot be replaced.
#[derive(Debug, thiserror::Error)]
#[error("could not write \"{}\"", path.display())]
pub struct NotReplaced {
    /// The file.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub cause: io::Error,
}

/// The text that a path is to have; `None` removes the file.
#[derive(Clone, Debug)]
pub struct Wanted<'t> {
    /// Its place.
    pub place: PathBuf,
    /// Its text.
    pub text: Option<&'t str>,
}

/// New files and copies of the old ones, under hidden names beside their places. Dropping this removes them.
#[derive(Debug)]
pub struct Exchange {
    steps: Vec<Replacement>,
    /// Whether a file could not be put back: its copy is then the only one, and stays.
    keeps_old: Cell<bool>,
}

#[derive(Debug)]
struct Replacement {
    place: PathBuf,
    new: Option<PathBuf>,
    /// A copy of the current file, so that putting it back needs no space.
    old: Option<PathBuf>,
}

impl Exchange {
    /// Writes the new files, and copies of the files that they replace.
    ///
    /// # Errors
    ///
    /// One of them cannot be written. Nothing has changed then.
    pub fn prepared(wanted: &[Wanted<'_>]) -> Result<Self, NotReplaced> {
        let mut exchange = Exchange { steps: Vec::new(), keeps_old: Cell::new(false) };
        for Wanted { place, text } in wanted {
            let step = Replacement {
                place: place.clone(),
                new: text.is_some().then(|| beside(place, "new")),
                old: place.is_file().then(|| beside(place, "old")),
            };
            let written = step.write(*text);
            exchange.steps.push(step);
            written.map_err(|cause| NotReplaced { path: place.clone(), cause })?;
        }
        Ok(exchange)
    }

    /// Moves the new files to their places, in the given order. After an error it puts the old files back.
    ///
    /// # Errors
    ///
    /// A file cannot be renamed, or a folder cannot be synced.
    pub fn make(&self) -> Result<(), NotReplaced> {
        self.touch(|step| step.new.as_deref())?;
        for (count, step) in self.steps.iter().enumerate() {
            let made = exchange(step.new.as_deref(), &step.place);
            if let Err(cause) = made {
                // Failures to put back are in the log; the caller gets the first cause.
                let _ = self.put_back(count);
                return Err(NotReplaced { path: step.place.clone(), cause });
            }
        }
        self.sync().inspect_err(|_| drop(self.put_back(self.steps.len())))
    }

    /// Puts the old files back.
    ///
    /// # Errors
    ///
    /// One of them cannot be put back: its copy stays beside it.
    pub fn undo(&self) -> Result<(), NotReplaced> {
        if let Err(error) = self.touch(|step| step.old.as_deref()) {
            tracing::warn!(target: LOG, "{error}");
        }
        self.put_back(self.steps.len())?;
        self.sync()
    }

    /// Puts the old files of the first `count` steps back as far as possible, the last first. Returns the first error.
    fn put_back(&self, count: usize) -> Result<(), NotReplaced> {
        let mut done = Ok(());
        for step in self.steps[..count].iter().rev() {
            if let Err(cause) = exchange(step.old.as_deref(), &step.place) {
                self.keeps_old.set(true);
                tracing::error!(target: LOG, "could not put back \"{}\": {cause}", step.place.display());
                done = done.and(Err(step.refused(cause)));
            }
        }
        done
    }

    /// Sets the modification times of all files to now. A program that reads the files between two renames
    /// notices the change by these times, and reads them again.
    fn touch<'s>(
        &'s self,
        of: impl Fn(&'s Replacement) -> Option<&'s Path>,
    ) -> Result<(), NotReplaced> {
        let now = SystemTime::now();
        let touch = |path: &Path| File::open(path)?.set_modified(now);
        for step in &self.steps {
            of(step).map_or(Ok(()), touch).map_err(|cause| step.refused(cause))?;
        }
        Ok(())
    }

    /// Syncs the folders, so that the renames survive a power cut.
    fn sync(&self) -> Result<(), NotReplaced> {
        let folders: BTreeSet<&Path> =
            self.steps.iter().map(|step| folder_of(&step.place)).collect();
        for folder in folders {
            let sync = File::open(folder).and_then(|folder| folder.sync_all());
            sync.map_err(|cause| NotReplaced { path: folder.into(), cause })?;
        }
        Ok(())
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        for Replacement { new, old, .. } in &self.steps {
            let old = old.iter().filter(|_| !self.keeps_old.get());
            new.iter().chain(old).for_each(|path| drop(fs::remove_file(path)));
        }
    }
}

impl Replacement {
    fn write(&self, text: Option<&str>) -> io::Result<()> {
        if let Some(old) = &self.old {
            fs::copy(&self.place, old)?;
            File::open(old)?.sync_all()?;
        }
        match (&self.new, text) {
            (Some(new), Some(text)) => write(new, &self.place, text),
            _ => Ok(()),
        }
    }

    fn refused(&self, cause: io::Error) -> NotReplaced {
        NotReplaced { path: self.place.clone(), cause }
    }
}

/// Renames a file to `place`, or removes the file there.
fn exchange(file: Option<&Path>, place: &Path) -> io::Result<()> {
    match file {
        Some(file) => fs::rename(file, place),
        None => fs::remove_file(place),
    }
}

/// Replaces a file atomically: a reader sees either the old text or the new one.
///
/// # Errors
///
/// It cannot be written.
pub fn put(place: &Path, text: &str) -> io::Result<()> {
    let new = beside(place, "new");
    let put = || {
        write(&new, place, text)?;
        fs::rename(&new, place)?;
        File::open(folder_of(place))?.sync_all()
    };
    put().inspect_err(|_| drop(fs::remove_file(&new)))
}

/// Writes a file with the permissions of the one at `place`.
fn write(path: &Path, place: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(folder_of(place))?;
    let mut file = File::create(path)?;
    if let Ok(there) = place.metadata() {
        file.set_permissions(there.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn folder_of(place: &Path) -> &Path {
    match place.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns a hidden name, so that nothing that goes by names reads the file.
fn beside(place: &Path, ending: &str) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    folder_of(place).join(format!(".{name}.{ending}"))
}
