//! A flow in which some files come as texts: a version of the flow, or what a user is about to write.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::OverlayError;
use super::layout::{Together, plain};
use flow::drawing;
use gateway::compile::prepare::{Parts, prepare};

/// Lays out a flow in an empty folder. The texts go by their names relative to the folder of the flow; the name of the
/// flow file is empty. All other files of the flow are links. Files that `without` names are left out. Nothing is
/// written where the flow is.
pub fn overlay_texts(
    flow: &Path,
    parts: Parts<'_>,
    (texts, without): (&BTreeMap<String, String>, &[String]),
    folder: &Path,
) -> Result<PathBuf, OverlayError> {
    let unusable = |cause| OverlayError::Folder { folder: folder.into(), cause };
    let plan = prepare(flow, parts).plan;
    let plan = plan.ok_or_else(|| OverlayError::Mistakes(flow.into()))?;
    let mut together = Together::of(flow, &plan.origin.files, folder);
    let root = together.flow.parent().unwrap_or(Path::new("")).to_path_buf();
    // A text may name files that the present flow does not name, but that are there.
    let text = texts.get("").map(String::as_str).unwrap_or_default();
    for name in drawing::named(text)
        .into_iter()
        .chain(drawing::plans(text))
        .chain(drawing::rule_folders(text))
    {
        if root.join(&name).exists() {
            together.add(&root.join(&name));
        }
    }
    let at = |name: &str| match name {
        "" => together.flow.clone(),
        name => plain(&root.join(name)),
    };
    // The texts go first: through a link they would be written where the flow is.
    for (name, text) in texts {
        let target = together.place(&at(name));
        fs::create_dir_all(target.parent().unwrap_or(folder)).map_err(unusable)?;
        fs::write(target, text).map_err(unusable)?;
    }
    // Texts that are there stay.
    together.put_others(|_| false).map_err(unusable)?;
    for name in without.iter().filter(|name| !texts.contains_key(*name)) {
        let target = together.place(&at(name));
        if target.is_symlink() {
            fs::remove_file(target).map_err(unusable)?;
        }
    }
    Ok(together.place(&together.flow))
}
