//! A flow in which some files are replaced: a script, a module or a tariff that a user wants to try.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::layout::{Together, link, plain, real};
use flow::file;
use gateway::compile::prepare::{Parts, prepare};

/// Why an overlay fails.
#[derive(Debug, thiserror::Error)]
pub enum OverlayError {
    /// The flow itself has mistakes, so it is not known which files it has.
    #[error("\"{}\" has mistakes; \"tollgate check\" shows them", .0.display())]
    Mistakes(PathBuf),
    /// The candidate cannot be read.
    #[error("cannot read \"{}\"", candidate.display())]
    Read {
        /// The path of the candidate.
        candidate: PathBuf,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// The flow has no file of this name.
    #[error("the flow has no file \"{name}\" that \"{}\" could take the place of; it is made of {known}", candidate.display())]
    Unknown {
        /// The file that was to replace it.
        candidate: PathBuf,
        /// The name.
        name: String,
        /// The files of the flow.
        known: String,
    },
    /// Several files of the flow have the name.
    #[error("several files of the flow are named \"{name}\" ({known}); say --with OLD={}", candidate.display())]
    Several {
        /// The file that was to replace one of them.
        candidate: PathBuf,
        /// The name.
        name: String,
        /// Their paths.
        known: String,
    },
    /// Two candidates would replace the same file.
    #[error("both \"{}\" and \"{}\" would take the place of \"{}\": try one after the other", first.display(), second.display(), file.display())]
    Twice {
        /// The file of the flow.
        file: PathBuf,
        /// The first candidate.
        first: PathBuf,
        /// The second candidate.
        second: PathBuf,
    },
    /// The flow was laid out, but another file is in the place of the candidate.
    #[error("\"{}\" did not come to lie in the place of \"{}\"", candidate.display(), file.display())]
    NotInPlace {
        /// The candidate.
        candidate: PathBuf,
        /// The file of the flow that it was to replace.
        file: PathBuf,
    },
    /// One of the files to replace is within a folder that is replaced too.
    #[error("\"{}\" is in \"{}\", whose place something else takes: put it there", file.display(), folder.display())]
    Within {
        /// The file of the flow.
        file: PathBuf,
        /// The folder that it is in.
        folder: PathBuf,
    },
    /// The flow names a file by its absolute path, so it is found there, whatever is beside the flow.
    #[error("the flow names \"{}\" by its whole path, so nothing can take its place: give a changed flow file", .0.display())]
    Absolute(PathBuf),
    /// The folder for the candidate cannot be written.
    #[error("could not put the candidate together in \"{}\"", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The cause.
        #[source]
        cause: io::Error,
    },
}

/// Returns the flow file of the candidate. That is the given file, if it is a flow file. Otherwise the flow is laid out
/// in a folder, and the given files replace those of the same name; `OLD=NEW` names the file to replace.
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
    // Files in a folder come with the folder.
    let is_placed = |file: &Path| replaced.iter().any(|old| old.0 == file || is_within(file, old));
    together.put_others(is_placed).map_err(unusable)?;
    let candidate = together.place(&together.flow);
    // If the candidate has mistakes, its run reports them.
    if let Some(plan) = prepare(&candidate, parts).plan {
        let read: BTreeSet<PathBuf> = plan.origin.files.iter().map(|file| plain(file)).collect();
        for (old, new) in &replaced {
            let there = together.place(old);
            if !read.contains(&plain(&there)) {
                return Err(OverlayError::Absolute(old.clone()));
            }
            // Otherwise the flow would be compared with itself.
            if real(&there) != real(new) {
                let (candidate, file) = (new.clone(), old.clone());
                return Err(OverlayError::NotInPlace { candidate, file });
            }
        }
    }
    Ok(candidate)
}

/// Returns the file of the flow that a given file replaces, and the given file.
fn replacement(
    given: &Path,
    files: &BTreeMap<PathBuf, PathBuf>,
) -> Result<(PathBuf, PathBuf), OverlayError> {
    let text = given.to_string_lossy();
    let (old, new) = match text.split_once('=') {
        Some((old, new)) if !given.exists() => (Path::new(old), PathBuf::from(new)),
        _ => (Path::new(given.file_name().unwrap_or_default()), given.to_path_buf()),
    };
    // A file matches by its plain path, or by the path in the flow.
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
