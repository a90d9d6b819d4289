//! Saves a version of the flow.

use ::versions::{Found, SavedAs, VersionError, VersionStore, contents};
use flow::flow_journal;
use journal::audit_trail::Author;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{LeftOutFile, VersionsError};
use crate::context::Context;
use crate::operation::Operation;

/// Saves a version of the flow.
///
/// The version contains the flow file, and the scripts, their tables, modules and tariff plans as they are on the disk.
/// It is not activated.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct SaveVersion {
    /// The text of the flow file.
    pub text: String,
    /// A remark about the change, for the version and the audit trail.
    #[serde(default)]
    pub remark: String,
}

/// A version that was saved.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Saved)]
pub struct SavedVersion {
    /// The number of the version. It is that of the last version if nothing has changed since.
    pub version: i64,
    /// Whether a user saved the same files as the last version before. That version keeps its user and its remark.
    pub unchanged: bool,
    /// The files that the flow names and the version does not contain.
    pub left_out: Vec<LeftOutFile>,
    /// The digest of the files on the disk when the version was saved, for `found` of an activation.
    pub found: String,
}

impl Operation for SaveVersion {
    type Response = SavedVersion;
    type Error = VersionsError;

    const NAME: &'static str = "versions save";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<SavedVersion, VersionsError> {
        let store = context.shared.versions()?;
        // Read first, so that a concurrent change of the files does not count as seen by the user.
        let there = contents(&store.on_disk()?.files);
        let found = store.whole(&self.text, None);
        let left_out = found.left_out.iter().cloned().map(LeftOutFile::from).collect();
        let remark = self.remark.trim();
        let SavedAs { version, unchanged } = save_recorded(context, &store, found, remark, "")?;
        Ok(SavedVersion { version, unchanged, left_out, found: there })
    }
}

/// Saves a version, with an entry in the audit trail. If there is no entry, there is no version. `of` is the file that
/// changes, or empty.
///
/// # Errors
///
/// The files on the disk cannot be read, or the databases cannot be written.
pub(super) fn save_recorded(
    context: &Context<'_>,
    store: &VersionStore,
    found: Found,
    remark: &str,
    of: &str,
) -> Result<SavedAs, VersionError> {
    let separator = if of.is_empty() { "" } else { ", " };
    let beginning = format!("{of}{separator}");
    let (flow, who, reason) = (context.flow.to_owned(), context.who.to_owned(), remark.to_owned());
    store.save(found, (context.who, remark), move |version| {
        let author = Author::new(&who, SaveVersion::NAME);
        let subject = format!("{beginning}version {version}");
        flow_journal::change(&flow, |db| author.record(db, &subject, &reason).map(drop))
    })
}
