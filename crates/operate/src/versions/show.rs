//! Shows a version with its files.

use ::versions::{Found, contents};
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{LeftOutFile, NamedVersionError, Version};
use crate::context::Context;
use crate::operation::Operation;

/// Returns a version with its files.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub struct ShowVersion {
    /// The number of the version.
    pub version: i64,
}

/// A version with its files.
#[derive(Debug, Serialize, ToSchema)]
pub struct VersionContent {
    /// The version.
    #[serde(flatten)]
    pub version: Version,
    /// The text of the flow file.
    pub text: String,
    /// The scripts, their tables, modules and tariff plans.
    pub files: Vec<VersionFile>,
    /// The files that the flow names and the version does not contain.
    pub left_out: Vec<LeftOutFile>,
    /// The digest of the files on the disk now, for `found` of an activation.
    pub found: String,
}

/// A file of a version.
#[derive(Debug, Serialize, ToSchema)]
pub struct VersionFile {
    /// The file, as the flow names it.
    pub name: String,
    /// The size of the file in octets.
    pub octets: usize,
    /// The text. Absent if the file is larger than 1 MiB.
    pub text: Option<String>,
    /// Whether the file on the disk has another text, or does not exist.
    pub is_other: bool,
    /// The text on the disk, if it is another one. Absent if the file does not exist, or is larger than 1 MiB.
    pub now: Option<String>,
}

/// The maximum size in octets of a text that is shown.
const SHOWN_OCTETS_MAX: usize = 1 << 20;

impl VersionFile {
    fn of(name: String, text: String, now: Option<String>) -> Self {
        let is_shown = |text: &String| text.len() <= SHOWN_OCTETS_MAX;
        let is_other = now.as_ref() != Some(&text);
        let now = now.filter(|now| is_other && is_shown(now));
        VersionFile { name, octets: text.len(), is_other, now, text: Some(text).filter(is_shown) }
    }
}

impl Operation for ShowVersion {
    type Response = VersionContent;
    type Error = NamedVersionError;

    const NAME: &'static str = "versions show";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<VersionContent, NamedVersionError> {
        let store = context.shared.versions()?;
        let mut now = store.on_disk()?.files;
        let (stored, Found { mut files, left_out }) = store.get(self.version)?;
        let found = contents(&now);
        let version = Version::of(stored, &found);
        let text = files.remove("").unwrap_or_default();
        let files = files.into_iter().map(|(name, text)| {
            let now = now.remove(&name);
            VersionFile::of(name, text, now)
        });
        let files = files.collect();
        let left_out = left_out.into_iter().map(LeftOutFile::from).collect();
        Ok(VersionContent { version, text, files, left_out, found })
    }
}
