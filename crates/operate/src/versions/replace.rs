//! Replaces a single file of the flow.

use ::versions::{BaseState, VersionError, contents, digest};

use super::Activated;
use super::activate::activate_recorded;
use super::save::save_recorded;
use crate::context::Context;

/// Saves a version with a new text of one file, and activates it, with entries in the audit trail: an action and its
/// reason. `before` is the digest of the text that it replaces, as the caller has read it; none for a new file.
///
/// # Errors
///
/// The files of the flow do not allow it, a database cannot be written, or the gateway does not answer.
pub fn activate_file(
    context: &Context<'_>,
    (file, text): (&str, String),
    before: Option<&str>,
    (action, because): (&str, &str),
) -> Result<Activated, VersionError> {
    let store = context.shared.versions()?;
    let there = store.on_disk()?.files;
    if there.get(file).map(digest).as_deref() != before {
        return Err(VersionError::Overtaken);
    }
    let flow = there.get("").map_or("", String::as_str);
    let found = store.whole(flow, Some((file, text)));
    let version = save_recorded(context, &store, found, because, file)?.version;
    let base = BaseState { files: Some(&contents(&there)), ..BaseState::default() };
    let subject = format!("{file}, version {version}");
    activate_recorded(context, (version, base), (action, &subject, because))
}
