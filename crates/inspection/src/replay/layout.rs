//! Lays out a flow in a folder of its own, so that some of its files can be replaced there. For all other files there
//! are links to the originals.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

/// The files of a flow, and where they are laid out.
pub(super) struct Together<'f> {
    /// The flow file, by its plain path.
    pub(super) flow: PathBuf,
    /// All other files of the flow, by plain path, each with the absolute path that the flow names. A file keeps its
    /// own name, whatever links lead to it.
    pub(super) files: BTreeMap<PathBuf, PathBuf>,
    /// The lowest folder that has all of them.
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

    /// Returns where the file of a plain path is laid out.
    pub(super) fn place(&self, file: &Path) -> PathBuf {
        self.folder.join(file.strip_prefix(&self.base).unwrap_or(file))
    }

    /// Adds a file, if it lies below the common folder.
    pub(super) fn add(&mut self, file: &Path) {
        if plain(file).starts_with(&self.base) {
            self.files.entry(plain(file)).or_insert_with(|| absolute(file));
        }
    }

    /// Makes links to all files that are not laid out yet.
    pub(super) fn put_others(&self, is_placed: impl Fn(&Path) -> bool) -> io::Result<()> {
        let named: BTreeSet<&Path> = self.files.keys().map(PathBuf::as_path).collect();
        for (file, path) in self.files.iter().filter(|(file, _)| !is_placed(file)) {
            let target = self.place(file);
            match path.is_dir() {
                true => link_entries(path, &target, file, &named)?,
                false => link(&real(path), &target)?,
            }
        }
        self.files.values().try_for_each(|path| self.pass(path))
    }

    /// Makes the folders that a path enters before a `..`: the system resolves a path as it is written.
    fn pass(&self, path: &Path) -> io::Result<()> {
        let below = passed(path).into_iter().map(|(below, _)| below);
        let mut below = below.filter(|folder| folder.starts_with(&self.base));
        below.try_for_each(|folder| fs::create_dir_all(self.place(&folder)))
    }
}

/// Returns the `..` of a path: each with the folder that it leaves and the one that it leads to.
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

/// Makes a link. An entry that exists stays: it is the same file.
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to.parent().unwrap_or(Path::new("")))?;
    match symlink(from, to) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Makes a folder with links to the entries of a folder that the flow names. The folder itself is no link: files that
/// replace others would be written through it. Entries that the flow names itself are left out here.
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

/// Returns the lowest folder that has both.
fn common(folder: PathBuf, file: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|folder| file.starts_with(folder)).map(Path::to_path_buf)
}

/// Returns the path with all links resolved.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.into())
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

/// Makes a path absolute, without `..`, so that what is laid out stays in its folder.
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
