//! Putting the files of a version in their places, and those of a script that is to be part of one.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use flow::Answer as Reloaded;
use store::params;

use super::found::{FILE_OCTETS_MAX, Files, is_script, is_within, superfluous};
use super::unseen::refused;
use super::{VersionError, Versions, contents, digest};

/// What whoever activates a version looked at. Where anything else lies there now, nothing is done: it would be undone
/// unseen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen<'s> {
    /// The [`digest`] of the flow file.
    pub(crate) flow: Option<&'s str>,
    /// The [`contents`] of all files.
    pub(crate) files: Option<&'s str>,
}

impl Seen<'_> {
    fn is_all_of(&self, files: &Files) -> bool {
        let is_flow = |seen: &str| files.get("").is_some_and(|text| digest(text) == seen);
        self.flow.is_none_or(is_flow) && self.files.is_none_or(|seen| contents(files) == seen)
    }
}

impl Versions {
    /// Puts the files of a version in their places, and has the gateway that runs take them. Where it finds mistakes in
    /// them, all is as it was before.
    pub(crate) fn activate(
        &self,
        id: i64,
        seen: Seen<'_>,
        who: &str,
        now_ms: i64,
    ) -> Result<Reloaded, VersionError> {
        let _one = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, mut found) = self.kept(id)?;
        // Without what nobody is shown it would be half of a version.
        refused(self.withhold(&mut found))?;
        let files = found.files;
        let before = self.keep_found()?;
        if !seen.is_all_of(&before) {
            return Err(VersionError::Overtaken);
        }
        self.may_be_read(&files)?;
        // What is to take the place of another file than the flow names now is kept too.
        let mut replaced = before.clone();
        for name in files.keys().filter(|name| !before.contains_key(*name)) {
            if let Ok(text) = fs::read_to_string(self.path(name)?) {
                replaced.insert(name.clone(), text);
            }
        }
        self.write(&files, &replaced)?;
        let answer = flow::reload(&self.flow);
        let is_taken = matches!(
            answer,
            Ok(Reloaded::Active { .. } | Reloaded::Pending { .. } | Reloaded::Stopping)
        );
        if !is_taken {
            self.write(&replaced, &files)?;
            return Ok(answer?);
        }
        let (who, answer) = (who.to_owned(), answer?);
        self.store.commit(move |db| {
            let insert = "INSERT INTO activation (version, at_ms, who) VALUES (?, ?, ?)";
            db.execute(insert, params![id, now_ms, who]).map(drop)
        })?;
        Ok(answer)
    }

    /// The text of a script that was begun; none where there is none.
    pub(crate) fn begun(&self, name: &str) -> Option<String> {
        let path = self.path(name).ok().filter(|_| is_script(name))?;
        if self.guard("").why(&path).is_some() {
            return None;
        }
        let is_kept = path.metadata().is_ok_and(|file| file.len() <= FILE_OCTETS_MAX);
        is_kept.then(|| fs::read_to_string(path).ok())?
    }

    /// Writes a script that the flow does not have yet, or goes on writing it. It becomes part of a version with the flow
    /// file that names it.
    pub(crate) fn begin(
        &self,
        name: &str,
        text: &str,
        based_on: Option<&str>,
    ) -> Result<(), VersionError> {
        if !is_script(name) {
            return Err(VersionError::NoScript(name.into()));
        }
        let _one = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.on_disk()?.files.contains_key(name) {
            return Err(VersionError::Runs(name.into()));
        }
        let path = self.path(name)?;
        if let Some(why) = self.guard("").why(&path) {
            return Err(VersionError::Unseen { name: name.into(), why: why.into() });
        }
        let is_as_seen = match based_on {
            Some(seen) => self.begun(name).is_some_and(|text| digest(&text) == seen),
            None => !path.exists(),
        };
        if !is_as_seen {
            return Err(VersionError::There(name.into()));
        }
        put(&path, text).map_err(|cause| VersionError::Write { path, cause })
    }

    fn path(&self, name: &str) -> Result<PathBuf, VersionError> {
        match name {
            "" => Ok(self.flow.clone()),
            name if is_within(name) => Ok(self.folder().join(name)),
            name => Err(VersionError::Outside(name.into())),
        }
    }

    /// Writes those files that are not so; the flow file last, which names the others.
    fn write(&self, files: &Files, there: &Files) -> Result<(), VersionError> {
        let others = files.iter().filter(|(name, _)| !name.is_empty());
        for (name, text) in others.chain(files.get_key_value("")) {
            if there.get(name) != Some(text) {
                let path = self.path(name)?;
                put(&path, text).map_err(|cause| VersionError::Write { path, cause })?;
            }
        }
        for name in superfluous(files, there) {
            let path = self.path(name)?;
            fs::remove_file(&path).map_err(|cause| VersionError::Write { path, cause })?;
        }
        Ok(())
    }
}

/// Replaces a file as a whole: who reads it meanwhile sees the old one or the new one.
fn put(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.new"));
    let written = || -> io::Result<()> {
        let mut file = File::create(&beside)?;
        if let Ok(there) = path.metadata() {
            file.set_permissions(there.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, path)?;
        File::open(folder)?.sync_all()
    };
    written().inspect_err(|_| drop(fs::remove_file(&beside)))
}
