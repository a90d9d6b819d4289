//! A flow put together in a folder of its own, so that some of its files may be others there. Where nothing else is said, links
//! lead to what the flow is made of as it lies there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

/// Where the files of a flow lie, and where they come to lie.
pub(super) struct Together<'f> {
    /// The flow file, by its plain path.
    pub(super) flow: PathBuf,
    /// What else the flow is made of, by plain paths, each as the flow names it from the root on. A file is there under its
    /// own name, whatever links lead to it.
    pub(super) files: BTreeMap<PathBuf, PathBuf>,
    /// The folder that has all of that.
    base: PathBuf,
    folder: &'f Path,
}

impl<'f> Together<'f> {
    pub(super) fn of(flow: &Path, files: &[PathBuf], folder: &'f Path) -> Self {
        let of_file = |file: &PathBuf| (plain(file), absolute(file));
        let mut files: BTreeMap<PathBuf, PathBuf> = files.iter().map(of_file).collect();
        let beside = plain(flow).parent().unwrap_or(Path::new("")).to_path_buf();
        let passed = files.values().flat_map(|path| passed(path)).map(|(_, above)| above);
        let all: Vec<PathBuf> = files.keys().cloned().chain(passed).collect();
        let base = all.iter().try_fold(beside, |folder, file| common(folder, file));
        files.insert(plain(flow), absolute(flow));
        Together { flow: plain(flow), files, base: base.unwrap_or_default(), folder }
    }

    /// Where the file of a plain path comes to lie.
    pub(super) fn place(&self, file: &Path) -> PathBuf {
        self.folder.join(file.strip_prefix(&self.base).unwrap_or(file))
    }

    /// Takes one more file, if it lies where the others do.
    pub(super) fn add(&mut self, file: &Path) {
        if plain(file).starts_with(&self.base) {
            self.files.entry(plain(file)).or_insert_with(|| absolute(file));
        }
    }

    /// Has links lead to all files that did not come yet.
    pub(super) fn put_others(&self, came: impl Fn(&Path) -> bool) -> io::Result<()> {
        let named: BTreeSet<&Path> = self.files.keys().map(PathBuf::as_path).collect();
        for (file, path) in self.files.iter().filter(|(file, _)| !came(file)) {
            let target = self.place(file);
            match path.is_dir() {
                true => link_entries(path, &target, file, &named)?,
                false => link(&real(path), &target)?,
            }
        }
        self.files.values().try_for_each(|path| self.pass(path))
    }

    /// Makes the folders that a path goes through before it goes up again: it is read as it is written.
    fn pass(&self, path: &Path) -> io::Result<()> {
        let below = passed(path).into_iter().map(|(below, _)| below);
        let mut below = below.filter(|folder| folder.starts_with(&self.base));
        below.try_for_each(|folder| fs::create_dir_all(self.place(&folder)))
    }
}

/// Where a path goes up: from which folder, and to which.
fn passed(path: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut through = PathBuf::new();
    let mut passed = Vec::new();
    for part in path.components() {
        let below = plain(&through);
        through.push(part);
        if part == Component::ParentDir {
            passed.push((below, plain(&through)));
        }
    }
    passed
}

/// Has something lie at another place, too; what is there already is the same.
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to.parent().unwrap_or(Path::new("")))?;
    match symlink(from, to) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Makes a folder with what is in one that the flow names. No link leads to that itself: what is put into this would lie
/// there. What the flow names in it has its own turn.
fn link_entries(from: &Path, to: &Path, plain: &Path, named: &BTreeSet<&Path>) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        if !named.iter().any(|file| file.starts_with(plain.join(&name))) {
            link(&real(&from.join(&name)), &to.join(&name))?;
        }
    }
    Ok(())
}

/// The folder that has both.
fn common(folder: PathBuf, file: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|folder| file.starts_with(folder)).map(Path::to_path_buf)
}

/// What a path leads to.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.into())
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

/// A path from the root on, without ways up: what is put together keeps to its folder.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in absolute(path).components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}
