//! A flow some of whose files are texts that lie nowhere yet: a version of it, or what somebody is about to write.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::OverlayError;
use super::overlay::{common, link, link_entries};
use crate::drawing;
use crate::prepare::{Parts, prepare};

/// Puts a flow together in a folder that is empty: texts by the names by which the flow's folder sees them, the flow file's
/// being empty, and all else that the flow is made of as it lies there. What is named in `without` is not there. Nothing is
/// written where the flow is.
pub fn overlay_texts(
    flow: &Path,
    parts: Parts<'_>,
    (texts, without): (&BTreeMap<String, String>, &[String]),
    folder: &Path,
) -> Result<PathBuf, OverlayError> {
    let unusable = |cause| OverlayError::Folder { folder: folder.into(), cause };
    let (prepared, _) = prepare(flow, parts);
    let prepared = prepared.ok_or_else(|| OverlayError::Mistakes(flow.into()))?;
    let flow = plain(flow);
    let root = flow.parent().unwrap_or(Path::new("")).to_path_buf();
    let files: BTreeSet<PathBuf> = prepared.files.iter().map(|path| plain(path)).collect();
    let base = files.iter().try_fold(root.clone(), |folder, file| common(Some(folder), file));
    let base = base.unwrap_or_default();
    let there = |path: &Path| folder.join(path.strip_prefix(&base).unwrap_or(path));
    let at = |name: &str| match name {
        "" => flow.clone(),
        name => root.join(name),
    };
    // Before anything else is there: behind a link they would be written where the flow is.
    for (name, text) in texts {
        let target = there(&at(name));
        fs::create_dir_all(target.parent().unwrap_or(folder)).map_err(unusable)?;
        fs::write(target, text).map_err(unusable)?;
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
    // What a text names that the flow does not may lie there all the same.
    let text = texts.get("").map(String::as_str).unwrap_or_default();
    let named = drawing::named(text).into_iter().chain(drawing::plans(text));
    let named = named.map(|name| plain(&root.join(name))).filter(|path| path.exists());
    let named: Vec<PathBuf> = named.filter(|path| path.starts_with(&base)).collect();
    for file in files.iter().chain(&named).chain([&flow]) {
        let target = there(file);
        let put = match file.is_dir() {
            true => link_entries(file, &target, &files),
            // A text that is there stays.
            false => link(&real(file), &target),
        };
        put.map_err(unusable)?;
    }
    for name in without.iter().filter(|name| !texts.contains_key(*name)) {
        let target = there(&at(name));
        if target.is_symlink() {
            fs::remove_file(target).map_err(unusable)?;
        }
    }
    Ok(there(&flow))
}

/// A path from the root on, without ways up: what is put together keeps to its folder.
fn plain(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}
