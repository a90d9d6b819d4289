//! Activates versions, and writes scripts that become part of a version later.

use std::fmt;
use std::fs::File;
use std::path::PathBuf;

use diagnostics::plain;
use flow::flow_journal::JournalError;
use gateway::Answer as Reloaded;
use runtime::exchange::{Exchange, NotReplaced, Wanted, put};
use store::params;

use super::found::{FILE_OCTETS_MAX, FileTexts, is_script, is_within, superfluous};
use super::withheld::refused;
use super::{BeginError, VersionError, VersionStore, contents, digest};

/// The state of the files as the user saw it before an activation. If the files differ by then, the activation fails:
/// it would undo a change that the user has not seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct BaseState<'s> {
    /// The [`digest`] of the flow file.
    pub flow: Option<&'s str>,
    /// The [`contents`] of all files.
    pub files: Option<&'s str>,
}

impl BaseState<'_> {
    fn is_all_of(&self, files: &FileTexts) -> bool {
        let is_flow = |expected: &str| files.get("").is_some_and(|text| digest(text) == expected);
        self.flow.is_none_or(is_flow)
            && self.files.is_none_or(|expected| contents(files) == expected)
    }
}

/// Who activates a version, when and why.
#[derive(Clone, Copy, Debug)]
pub struct Activation<'a> {
    /// The user.
    pub who: &'a str,
    /// The reason.
    pub because: &'a str,
    /// The time, in milliseconds since 1970.
    pub now_ms: i64,
}

/// A version whose files are written beside their places. Nothing has changed yet. Other changes of the files wait
/// until this is dropped.
pub struct PreparedActivation<'v> {
    pub(super) versions: &'v VersionStore,
    pub(super) version: i64,
    /// The [`contents`] of the files on the disk.
    pub(super) contents_before: String,
    exchange: Exchange,
    /// Locked as long as this lives.
    _lock: File,
}

impl PreparedActivation<'_> {
    /// Moves the files to their places, and makes the running gateway load them. If a file cannot be written, or the
    /// gateway does not take the flow, the old files are put back.
    ///
    /// # Errors
    ///
    /// A file cannot be written, or no gateway answers. If the flow runs and only its activation could not be noted,
    /// that is an error of the database.
    pub fn activate(self, activation: Activation<'_>) -> Result<Reloaded, VersionError> {
        let PreparedActivation { versions, version, exchange, .. } = self;
        exchange.make()?;
        versions.has_changed();
        let answer = gateway::reload(&versions.flow);
        let is_taken = matches!(
            answer,
            Ok(Reloaded::Active { .. } | Reloaded::Pending { .. } | Reloaded::Stopping)
        );
        if !is_taken {
            exchange.undo()?;
            return Ok(answer?);
        }
        let (Activation { who, because, now_ms }, answer) = (activation, answer?);
        let (who, because) = (who.to_owned(), because.to_owned());
        versions.store.commit(move |db| {
            let insert =
                "INSERT INTO activation (version, at_ms, who, because) VALUES (?, ?, ?, ?)";
            db.execute(insert, params![version, now_ms, who, because])?;
            // All were made for the files that are replaced now.
            db.execute("DELETE FROM proposal", []).map(drop)
        })?;
        versions.has_changed();
        Ok(answer)
    }
}

/// Omits the files.
impl fmt::Debug for PreparedActivation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedActivation").field("version", &self.version).finish_non_exhaustive()
    }
}

impl VersionStore {
    /// Checks that a version can be activated, and writes its files beside their places.
    ///
    /// # Errors
    ///
    /// There is no such version, the files are not in the state that the user saw, or a file is withheld or cannot be
    /// written.
    pub fn prepare(
        &self,
        version: i64,
        base: BaseState<'_>,
    ) -> Result<PreparedActivation<'_>, VersionError> {
        let lock = self.lock()?;
        let (_, mut found) = self.unfiltered(version)?;
        // Without the withheld files it would be an incomplete version.
        refused(self.withhold(&mut found))?;
        let files = found.files;
        let before = self.keep_found()?;
        if !base.is_all_of(&before) {
            return Err(VersionError::Overtaken);
        }
        self.may_be_read(&files)?;
        let exchange = Exchange::prepared(&self.wanted(&files, &before)?)?;
        let contents_before = contents(&before);
        Ok(PreparedActivation { versions: self, version, contents_before, exchange, _lock: lock })
    }

    /// Waits until no other request changes the files, in this process or another one.
    fn lock(&self) -> Result<File, VersionError> {
        // The folder exists already. A file would belong to the user who runs the first command.
        let locked = || {
            let folder = File::open(&self.state)?;
            folder.lock()?;
            Ok(folder)
        };
        locked().map_err(|cause| VersionError::Read { path: self.state.clone(), cause })
    }

    /// Returns the text of a script that the flow does not name yet; `None` if there is no such script.
    pub fn begun(&self, name: &str) -> Option<String> {
        let path = self.path(name).ok().filter(|_| is_script(name))?;
        if self.guard("").why(&path).is_some() {
            return None;
        }
        plain::read_text(&path, FILE_OCTETS_MAX).ok()
    }

    /// Writes a script that the flow does not name yet, or a new text of it. The script becomes part of a version with
    /// the flow file that names it. `record` notes the change in the audit trail before it is made.
    ///
    /// # Errors
    ///
    /// The name is not one of a new script, the script has another text by now, or it or the entry cannot be written.
    pub fn begin(
        &self,
        name: &str,
        text: &str,
        based_on: Option<&str>,
        record: impl FnOnce() -> Result<(), JournalError>,
    ) -> Result<(), BeginError> {
        if !is_script(name) {
            return Err(BeginError::Name(name.into()));
        }
        let _lock = self.lock()?;
        let path = self.path(name)?;
        if self.is_in_flow(&path)? {
            return Err(BeginError::Runs(name.into()));
        }
        if let Some(why) = self.why_records(&path) {
            let withheld = VersionError::Unseen { name: name.into(), why: why.to_string() };
            return Err(withheld.into());
        }
        if let Some(why) = self.guard("").why(&path) {
            let withheld = VersionError::Unseen { name: name.into(), why: why.to_string() };
            return Err(withheld.into());
        }
        let is_unchanged = match based_on {
            Some(expected) => self.begun(name).is_some_and(|text| digest(&text) == expected),
            None => !path.exists(),
        };
        if !is_unchanged {
            return Err(BeginError::Exists(name.into()));
        }
        record().map_err(VersionError::from)?;
        put(&path, text).map_err(|cause| VersionError::from(NotReplaced { path, cause }))?;
        Ok(())
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
