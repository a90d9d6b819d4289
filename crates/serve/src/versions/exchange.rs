//! Files that take the places of others, all of them or none: they are written beside their places first, so what has no
//! room or may not be written is seen while all is as it was; then each gets its name, right behind the one before it.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::VersionError;

/// What is to lie in a place; nothing where the file is removed.
pub(super) struct Wanted<'t> {
    pub(super) place: PathBuf,
    pub(super) text: Option<&'t str>,
}

/// Files that wait beside their places under hidden names, which are gone with it.
pub(super) struct Exchange {
    steps: Vec<Step>,
    /// Whether something could not be put back: its copy is all that there is of it.
    keeps_old: Cell<bool>,
}

struct Step {
    place: PathBuf,
    new: Option<PathBuf>,
    /// A copy of what lies there: to put it back needs no room.
    old: Option<PathBuf>,
}

impl Exchange {
    /// Writes all that is needed to exchange files, and to put back what they replaced.
    pub(super) fn prepared(wanted: &[Wanted<'_>]) -> Result<Self, VersionError> {
        let mut exchange = Exchange { steps: Vec::new(), keeps_old: Cell::new(false) };
        for Wanted { place, text } in wanted {
            let step = Step {
                place: place.clone(),
                new: text.is_some().then(|| beside(place, "new")),
                old: place.is_file().then(|| beside(place, "old")),
            };
            let written = step.write(*text);
            exchange.steps.push(step);
            written.map_err(|cause| VersionError::Write { path: place.clone(), cause })?;
        }
        Ok(exchange)
    }

    /// Puts the new files in their places, in the order that was wanted. Where one cannot be, all is as it was before.
    pub(super) fn make(&self) -> Result<(), VersionError> {
        self.touch(|step| step.new.as_deref())?;
        for (count, step) in self.steps.iter().enumerate() {
            let made = exchange(step.new.as_deref(), &step.place);
            if let Err(cause) = made {
                // What cannot be put back is in the log; what is told is why all that began.
                let _ = self.put_back(count);
                return Err(VersionError::Write { path: step.place.clone(), cause });
            }
        }
        self.sync().inspect_err(|_| drop(self.put_back(self.steps.len())))
    }

    /// Puts back what was replaced.
    pub(super) fn undo(&self) -> Result<(), VersionError> {
        if let Err(error) = self.touch(|step| step.old.as_deref()) {
            tracing::warn!("{error}");
        }
        self.put_back(self.steps.len())?;
        self.sync()
    }

    /// Puts back as much as can be of the first steps, the last first; says what first could not.
    fn put_back(&self, count: usize) -> Result<(), VersionError> {
        let mut done = Ok(());
        for step in self.steps[..count].iter().rev() {
            if let Err(cause) = exchange(step.old.as_deref(), &step.place) {
                self.keeps_old.set(true);
                tracing::error!("could not put back \"{}\": {cause}", step.place.display());
                done = done.and(Err(step.refused(cause)));
            }
        }
        done
    }

    /// They change now, and not when they were written: a gateway that reads the flow while they get their names one behind
    /// the other sees that by their times, and reads it again.
    fn touch<'s>(&'s self, of: impl Fn(&'s Step) -> Option<&'s Path>) -> Result<(), VersionError> {
        let now = SystemTime::now();
        let touch = |path: &Path| File::open(path)?.set_modified(now);
        for step in &self.steps {
            of(step).map_or(Ok(()), touch).map_err(|cause| step.refused(cause))?;
        }
        Ok(())
    }

    /// Names that were given outlive a loss of power.
    fn sync(&self) -> Result<(), VersionError> {
        let folders: BTreeSet<&Path> =
            self.steps.iter().map(|step| folder_of(&step.place)).collect();
        for folder in folders {
            let sync = File::open(folder).and_then(|folder| folder.sync_all());
            sync.map_err(|cause| VersionError::Write { path: folder.into(), cause })?;
        }
        Ok(())
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        for Step { new, old, .. } in &self.steps {
            let old = old.iter().filter(|_| !self.keeps_old.get());
            new.iter().chain(old).for_each(|path| drop(fs::remove_file(path)));
        }
    }
}

impl Step {
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

    fn refused(&self, cause: io::Error) -> VersionError {
        VersionError::Write { path: self.place.clone(), cause }
    }
}

/// Gives a file its name, or removes what has that.
fn exchange(file: Option<&Path>, place: &Path) -> io::Result<()> {
    match file {
        Some(file) => fs::rename(file, place),
        None => fs::remove_file(place),
    }
}

/// Replaces a file as a whole: who reads it meanwhile sees the old one or the new one.
pub(super) fn put(place: &Path, text: &str) -> io::Result<()> {
    let new = beside(place, "new");
    let put = || {
        write(&new, place, text)?;
        fs::rename(&new, place)?;
        File::open(folder_of(place))?.sync_all()
    };
    put().inspect_err(|_| drop(fs::remove_file(&new)))
}

/// Writes a file that is to be in a place, as who may read it there is to.
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
    place.parent().unwrap_or(Path::new(""))
}

/// Hidden, so that neither a flow nor a folder of tables takes it for a file of theirs.
fn beside(place: &Path, ending: &str) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    folder_of(place).join(format!(".{name}.{ending}"))
}
