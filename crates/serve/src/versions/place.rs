//! Activates versions, and writes scripts that become part of a version later.

use std::path::PathBuf;
use std::sync::PoisonError;

use diagnostics::plain;
use gateway::Answer as Reloaded;
use store::params;

use super::exchange::{Exchange, Wanted, put};
use super::found::{FILE_OCTETS_MAX, FileTexts, is_script, is_within, superfluous};
use super::withheld::refused;
use super::{VersionError, VersionStore, contents, digest};

/// The state of the files as the user saw it before an activation. If the files differ by then, the activation fails:
/// it would undo a change that the user has not seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BaseState<'s> {
    /// The [`digest`] of the flow file.
    pub(crate) flow: Option<&'s str>,
    /// The [`contents`] of all files.
    pub(crate) files: Option<&'s str>,
}

impl BaseState<'_> {
    fn is_all_of(&self, files: &FileTexts) -> bool {
        let is_flow = |expected: &str| files.get("").is_some_and(|text| digest(text) == expected);
        self.flow.is_none_or(is_flow)
            && self.files.is_none_or(|expected| contents(files) == expected)
    }
}

impl VersionStore {
    /// Puts the files of a version in their places, and makes the running gateway load them. If a file cannot be
    /// written, or the gateway finds mistakes, the old files are put back.
    pub(crate) fn activate(
        &self,
        id: i64,
        base: BaseState<'_>,
        who: &str,
        now_ms: i64,
    ) -> Result<Reloaded, VersionError> {
        let _one = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, mut found) = self.unfiltered(id)?;
        // Without the withheld files it would be an incomplete version.
        refused(self.withhold(&mut found))?;
        let files = found.files;
        let before = self.keep_found()?;
        if !base.is_all_of(&before) {
            return Err(VersionError::Overtaken);
        }
        self.may_be_read(&files)?;
        let exchange = Exchange::prepared(&self.wanted(&files, &before)?)?;
        exchange.make()?;
        let answer = gateway::reload(&self.flow);
        let is_taken = matches!(
            answer,
            Ok(Reloaded::Active { .. } | Reloaded::Pending { .. } | Reloaded::Stopping)
        );
        if !is_taken {
            exchange.undo()?;
            return Ok(answer?);
        }
        let (who, answer) = (who.to_owned(), answer?);
        self.store.commit(move |db| {
            let insert = "INSERT INTO activation (version, at_ms, who) VALUES (?, ?, ?)";
            db.execute(insert, params![id, now_ms, who]).map(drop)
        })?;
        Ok(answer)
    }

    /// Returns the text of a script that the flow does not name yet; `None` if there is no such script.
    pub(crate) fn begun(&self, name: &str) -> Option<String> {
        let path = self.path(name).ok().filter(|_| is_script(name))?;
        if self.guard("").why(&path).is_some() {
            return None;
        }
        plain::read_text(&path, FILE_OCTETS_MAX).ok()
    }

    /// Writes a script that the flow does not name yet, or a new text of it. The script becomes part of a version with
    /// the flow file that names it.
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
            return Err(VersionError::Unseen { name: name.into(), why: why.to_string() });
        }
        let is_unchanged = match based_on {
            Some(expected) => self.begun(name).is_some_and(|text| digest(&text) == expected),
            None => !path.exists(),
        };
        if !is_unchanged {
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

    /// Returns the changes from the files on the disk to the files of a version. The flow file is the last one written,
    /// since it names the others.
    fn wanted<'f>(
        &self,
        files: &'f FileTexts,
        there: &FileTexts,
    ) -> Result<Vec<Wanted<'f>>, VersionError> {
        let others = files.iter().filter(|(name, _)| !name.is_empty());
        let all = others.chain(files.get_key_value(""));
        let changed = all.filter(|(name, text)| there.get(*name) != Some(text));
        let changed = changed.map(|(name, text)| (name, Some(text.as_str())));
        let removed = superfluous(files, there).into_iter().map(|name| (name, None));
        let wanted = |(name, text): (&String, _)| Ok(Wanted { place: self.path(name)?, text });
        changed.chain(removed).map(wanted).collect()
    }
}
