//! A flow in which some files are others: a script, a module or a tariff that somebody wants to try.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::layout::{Together, link, plain, real};
use crate::compile::prepare::{Parts, prepare};
use crate::definition::file;

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
    let plan = prepare(flow, parts).plan;
    let plan = plan.ok_or_else(|| OverlayError::Mistakes(flow.into()))?;
    let together = Together::of(flow, &plan.origin.files, folder);
    let mut replaced: Vec<(PathBuf, PathBuf)> = Vec::new();
    for given in with {
        let (file, second) = replacement(given, &together.files)?;
        if let Some((_, first)) = replaced.iter().find(|(known, _)| *known == file) {
            return Err(OverlayError::Twice { file, first: first.clone(), second });
        }
        replaced.push((file, second));
    }
    let is_within =
        |file: &Path, (old, _): &(PathBuf, PathBuf)| file != old && file.starts_with(old);
    for (file, _) in &replaced {
        if let Some((folder, _)) = replaced.iter().find(|old| is_within(file, old)) {
            return Err(OverlayError::Within { file: file.clone(), folder: folder.clone() });
        }
    }
    for (old, new) in &replaced {
        link(&real(new), &together.place(old)).map_err(unusable)?;
    }
    // What lies in a folder came with that.
    let came = |file: &Path| replaced.iter().any(|old| old.0 == file || is_within(file, old));
    together.put_others(came).map_err(unusable)?;
    let candidate = together.place(&together.flow);
    // What has mistakes is told by whoever runs it.
    if let Some(plan) = prepare(&candidate, parts).plan {
        let read: BTreeSet<PathBuf> = plan.origin.files.iter().map(|file| plain(file)).collect();
        for (old, new) in &replaced {
            let there = together.place(old);
            if !read.contains(&plain(&there)) {
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

/// The file of the flow whose place a given one takes, and that one.
fn replacement(
    given: &Path,
    files: &BTreeMap<PathBuf, PathBuf>,
) -> Result<(PathBuf, PathBuf), OverlayError> {
    let text = given.to_string_lossy();
    let (old, new) = match text.split_once('=') {
        Some((old, new)) if !given.exists() => (Path::new(old), PathBuf::from(new)),
        _ => (Path::new(given.file_name().unwrap_or_default()), given.to_path_buf()),
    };
    // By the name that it has, or as the flow names it.
    let has = |path: &PathBuf| path.ends_with(old);
    let named = files.iter().filter(|(file, path)| has(file) || has(path));
    let named: Vec<&PathBuf> = named.map(|(file, _)| file).collect();
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
            let known = shown(&files.keys().collect::<Vec<_>>());
            Err(OverlayError::Unknown { candidate, name, known })
        }
        several => Err(OverlayError::Several { candidate, name, known: shown(several) }),
    }
}
