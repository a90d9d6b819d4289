//! Proposals: where the flow wants a second person, one user proposes a version and another activates it.

use flow::flow_journal::JournalError;
use runtime::time::shown;
use store::{Connection, OptionalExtension as _, QueryResult, params};

use super::place::{Activation, PreparedActivation};
use super::{VersionError, VersionStore};

/// A version that a user proposes for activation. It is void once the files on the disk have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredProposal {
    /// When it was proposed.
    pub at: String,
    /// The user.
    pub who: String,
    /// The reason.
    pub because: String,
    /// The [`contents`](super::contents) of the files on the disk at that time.
    pub contents: String,
}

impl VersionStore {
    /// Returns whether the flow on the disk wants a second person for each activation. If its file cannot be read, the
    /// version that was activated last says so; without one, it does.
    pub fn wants_second_person(&self) -> bool {
        let on_disk = self.flow_text().ok();
        let wanted = on_disk.and_then(|text| flow::second_person_wanted(&text));
        wanted.or_else(|| flow::second_person_wanted(&self.last_activated()?)).unwrap_or(true)
    }

    /// Returns the flow file of the version that was activated last.
    fn last_activated(&self) -> Option<String> {
        let last = "SELECT version FROM activation ORDER BY at_ms DESC, rowid DESC LIMIT 1";
        let version = self.store.read(|db| db.query_row(last, [], |row| row.get(0)).optional());
        let (_, mut found) = self.get(version.ok()??).ok()?;
        found.files.remove("")
    }

    /// Drops the proposal of a version. Returns the user who made it; `None` if there is none. `record` notes the change
    /// in the audit trail; without an entry, the proposal stays.
    ///
    /// # Errors
    ///
    /// The databases cannot be written.
    pub fn reject(
        &self,
        version: i64,
        record: impl FnOnce(&str) -> Result<(), JournalError> + Send + 'static,
    ) -> Result<Option<String>, VersionError> {
        let rejected = self.store.attempt(move |db| {
            let delete = "DELETE FROM proposal WHERE version = ? RETURNING who";
            let who: Option<String> =
                db.query_row(delete, [version], |row| row.get(0)).optional()?;
            Ok(who.as_deref().map_or(Ok(()), record).map(|()| who))
        });
        self.has_changed();
        Ok(rejected??)
    }
}

impl PreparedActivation<'_> {
    /// Returns the proposal of the version that is not void.
    ///
    /// # Errors
    ///
    /// The database cannot be read.
    pub fn proposal(&self) -> Result<Option<StoredProposal>, VersionError> {
        let found = self.versions.store.read(|db| of(db, self.version))?;
        Ok(found.filter(|proposal| proposal.contents == self.contents_before))
    }

    /// Proposes the version, in place of an earlier proposal of it. No file changes.
    ///
    /// # Errors
    ///
    /// The database cannot be written.
    pub fn propose(self, proposal: Activation<'_>) -> Result<(), VersionError> {
        let Activation { who, because, now_ms } = proposal;
        let (who, because) = (who.to_owned(), because.to_owned());
        let (version, contents) = (self.version, self.contents_before.clone());
        let proposed = self.versions.store.commit(move |db| {
            let insert = "INSERT OR REPLACE INTO proposal (version, at_ms, who, because, contents)
                          VALUES (?, ?, ?, ?, ?)";
            db.execute(insert, params![version, now_ms, who, because, contents]).map(drop)
        });
        self.versions.has_changed();
        Ok(proposed?)
    }
}

/// Returns the proposal of a version, which may be void.
pub(super) fn of(db: &Connection, version: i64) -> QueryResult<Option<StoredProposal>> {
    let select = "SELECT at_ms, who, because, contents FROM proposal WHERE version = ?";
    let mut select = db.prepare_cached(select)?;
    let proposal = select.query_row([version], |row| {
        Ok(StoredProposal {
            at: shown(row.get(0)?),
            who: row.get(1)?,
            because: row.get(2)?,
            contents: row.get(3)?,
        })
    });
    proposal.optional()
}
