//! A flow in which some files are others: a script, a module or a tariff that somebody wants to try.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::file;
use crate::prepare::{Parts, prepare};

/// Why there is no such flow.
#[derive(Debug, thiserror::Error)]
pub enum OverlayError {
    /// The flow itself has mistakes, so nobody knows what it is made of.
    #[error("\"{}\" has mistakes; \"tollgate check\" shows them", .0.display())]
    Mistakes(PathBuf),
    /// What is to be tried cannot be read.
    #[error("cannot read \"{}\"", candidate.display())]
    Read {
        /// What.
        candidate: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// No file of the flow has the name.
    #[error("the flow has no file \"{name}\" that \"{}\" could take the place of; it is made of {known}", candidate.display())]
    Unknown {
        /// What was to take its place.
        candidate: PathBuf,
        /// The name.
        name: String,
        /// The files of the flow.
        known: String,
    },
    /// Several have it.
    #[error("several files of the flow are named \"{name}\" ({known}); say --with OLD={}", candidate.display())]
    Several {
        /// What was to take the place of one.
        candidate: PathBuf,
        /// The name.
        name: String,
        /// Which they are.
        known: String,
    },
    /// Two are to take one place.
    #[error("both \"{}\" and \"{}\" would take the place of \"{}\": try one after the other", first.display(), second.display(), file.display())]
    Twice {
        /// Which file of the flow.
        file: PathBuf,
        /// What was named first.
        first: PathBuf,
        /// What was named then.
        second: PathBuf,
    },
    /// It was put together, and has something else in its place.
    #[error("\"{}\" did not come to lie in the place of \"{}\"", candidate.display(), file.display())]
    NotInPlace {
        /// What was to take the place.
        candidate: PathBuf,
        /// Which file of the flow.
        file: PathBuf,
    },
    /// One of those that are to take a place is to lie within another.
    #[error("\"{}\" is in \"{}\", whose place something else takes: put it there", file.display(), folder.display())]
    Within {
        /// Which file of the flow.
        file: PathBuf,
        /// The folder that it is in.
        folder: PathBuf,
    },
    /// A file that is named from the root on is found there, whatever is beside the flow.
    #[error("the flow names \"{}\" by its whole path, so nothing can take its place: give a changed flow file", .0.display())]
    Absolute(PathBuf),
    /// The folder cannot be written.
    #[error("could not put the candidate together in \"{}\"", folder.display())]
    Folder {
        /// Which.
        folder: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
}

/// The flow file of the candidate: that which is given, if it is one; or that of a flow that is put together in a folder,
/// with these files in the places of those of their names, or of `OLD=NEW`.
pub fn overlay(
    flow: &Path,
    parts: Parts<'_>,
    with: &[PathBuf],
    folder: &Path,
) -> Result<PathBuf, OverlayError> {
    if let [only] = with
        && file::outline(only).is_ok_and(|outline| !outline.network_elements.is_empty())
    {
        return Ok(only.clone());
    }
    let unusable = |cause| OverlayError::Folder { folder: folder.into(), cause };
    let (prepared, _) = prepare(flow, parts);
    let prepared = prepared.ok_or_else(|| OverlayError::Mistakes(flow.into()))?;
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
    // A file is there under its own name, whatever links lead to it.
    let files: BTreeSet<PathBuf> = prepared
        .files
        .iter()
        .map(|path| std::path::absolute(path).unwrap_or(path.clone()))
        .collect();
    let mut replaced: Vec<(PathBuf, PathBuf)> = Vec::new();
    for given in with {
        let (file, second) = replacement(given, &files)?;
        if let Some((_, first)) = replaced.iter().find(|(known, _)| *known == file) {
            return Err(OverlayError::Twice { file, first: first.clone(), second });
        }
        replaced.push((file, second));
    }
    let flow = std::path::absolute(flow).map_err(unusable)?;
    let base = files
        .iter()
        .fold(flow.parent().map(Path::to_path_buf), |folder, file| common(folder, file));
    let base = base.unwrap_or_default();
    let is_within =
        |file: &Path, (old, _): &(PathBuf, PathBuf)| file != old && file.starts_with(old);
    for (file, _) in &replaced {
        if let Some((folder, _)) = replaced.iter().find(|old| is_within(file, old)) {
            return Err(OverlayError::Within { file: file.clone(), folder: folder.clone() });
        }
    }
    for file in files.iter().chain([&flow]) {
        let target = folder.join(file.strip_prefix(&base).unwrap_or(file));
        let found = replaced.iter().find(|(old, _)| old == file);
        let put = match found {
            Some((_, new)) => link(&real(new), &target),
            // It came with its folder.
            None if replaced.iter().any(|old| is_within(file, old)) => Ok(()),
            None if file.is_dir() => link_entries(file, &target, &files),
            None => link(&real(file), &target),
        };
        put.map_err(unusable)?;
    }
    let candidate = folder.join(flow.strip_prefix(&base).unwrap_or(&flow));
    // What has mistakes is told by whoever runs it.
    if let (Some(candidate), _) = prepare(&candidate, parts) {
        for (old, new) in &replaced {
            let there = folder.join(old.strip_prefix(&base).unwrap_or(old));
            if !candidate.files.contains(&there) {
                return Err(OverlayError::Absolute(old.clone()));
            }
            // Else what is compared would be the flow with itself.
            if real(&there) != real(new) {
                let (candidate, file) = (new.clone(), old.clone());
                return Err(OverlayError::NotInPlace { candidate, file });
            }
        }
    }
    Ok(candidate)
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
pub(super) fn link_entries(from: &Path, to: &Path, named: &BTreeSet<PathBuf>) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        if !named.iter().any(|file| file.starts_with(&path)) {
            link(&path, &to.join(path.file_name().unwrap_or_default()))?;
        }
    }
    Ok(())
}

/// The file of the flow whose place a given one takes, and that one.
fn replacement(
    given: &Path,
    files: &BTreeSet<PathBuf>,
) -> Result<(PathBuf, PathBuf), OverlayError> {
    let text = given.to_string_lossy();
    let (old, new) = match text.split_once('=') {
        Some((old, new)) if !given.exists() => (Path::new(old), PathBuf::from(new)),
        _ => (Path::new(given.file_name().unwrap_or_default()), given.to_path_buf()),
    };
    let named: Vec<&PathBuf> = files.iter().filter(|file| file.ends_with(old)).collect();
    let shown = |files: &[&PathBuf]| {
        files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
    };
    let (name, candidate) = (old.display().to_string(), new.clone());
    if let Err(cause) = fs::metadata(&new) {
        return Err(OverlayError::Read { candidate, cause });
    }
    match named.as_slice() {
        [one] => Ok(((*one).clone(), new)),
        [] => {
            let known = shown(&files.iter().collect::<Vec<_>>());
            Err(OverlayError::Unknown { candidate, name, known })
        }
        several => Err(OverlayError::Several { candidate, name, known: shown(several) }),
    }
}

/// The folder that has both.
pub(super) fn common(folder: Option<PathBuf>, file: &Path) -> Option<PathBuf> {
    folder?.ancestors().find(|folder| file.starts_with(folder)).map(Path::to_path_buf)
}
