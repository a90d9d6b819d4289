//! Versions of the definition that were in use.

use diagnostics::with_causes;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use store::Page;
use utoipa::ToSchema;

use super::{Call, Clerk, page, text, unusable};
use crate::refused::Refused;
use crate::restore::{Restored, restore};
use crate::system::System;
use crate::versions::{self, StoredVersion};

/// Lists the versions of the definition that were in use, the newest first. A system that runs has a new one when its
/// definition or a file of a tariff has changed.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ListChargingVersions {
    /// Only versions before this one.
    pub before: Option<i64>,
    /// The versions of a page, 500 at most.
    pub limit: Option<u32>,
}

/// A page of the versions of the definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChargingVersions {
    /// The versions, the newest first.
    pub versions: Vec<ChargingVersion>,
    /// The version that is in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<i64>,
    /// Whether there are older ones.
    pub more: bool,
}

/// A version of the definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChargingVersion {
    /// Its number.
    pub version: i64,
    /// When it came into use.
    pub since: String,
    /// The version before it, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
    /// The files that differ from the version before: they were changed, added or removed.
    pub changed: Vec<String>,
    /// All of its files. Their names are relative to the folder of the definition.
    pub files: Vec<String>,
}

/// Shows a file of a version.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ShowVersionFile {
    /// The version.
    pub version: i64,
    /// The file, as the list of versions names it.
    pub file: String,
}

/// A file of a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShownVersionFile {
    /// Its text.
    pub text: String,
}

/// Puts the files of a version back, all or none, or one of them. A system that runs goes by them within a second.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct RestoreChargingVersion {
    /// The version.
    pub version: i64,
    /// The one file that is put back, as the list of versions names it. Without it, all are.
    pub file: Option<String>,
    /// The reason.
    pub because: String,
}

/// A version whose files are back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RestoredChargingVersion {
    /// The files that were changed or removed; none if they were those of the version already.
    pub changed: Vec<String>,
}

impl Call for ListChargingVersions {
    type Reply = ChargingVersions;

    const NAME: &'static str = "charging versions";

    fn perform(self, clerk: &Clerk<'_>) -> Result<ChargingVersions, Refused> {
        let page = page(self.before, self.limit);
        // One more than the page, since each is compared with the one before.
        let one_more = Page { limit: page.limit + 1, ..page };
        let (stored, _) = clerk.system.back.versions(one_more).map_err(unusable)?;
        let befores = stored.iter().skip(1).map(Some).chain([None]);
        let lines = stored.iter().zip(befores).take(page.limit as usize);
        let versions = lines
            .map(|(StoredVersion { number, at, files }, before)| ChargingVersion {
                version: *number,
                since: shown(*at),
                before: before.map(|before| before.number),
                changed: versions::changed(before.map_or(&[], |before| &before.files), files),
                files: files.iter().map(|file| file.name.clone()).collect(),
            })
            .collect();
        let used = clerk.system.rules().version;
        Ok(ChargingVersions { versions, used, more: stored.len() > page.limit as usize })
    }

    fn subject(&self) -> Option<String> {
        None
    }
}

impl Call for ShowVersionFile {
    type Reply = ShownVersionFile;

    const NAME: &'static str = "charging version file";

    fn perform(self, clerk: &Clerk<'_>) -> Result<ShownVersionFile, Refused> {
        let ShowVersionFile { version, file } = self;
        let back = &clerk.system.back;
        let found = versions::find(back, version).map_err(unusable)?;
        let found = found.as_ref().and_then(|found| found.files.iter().find(|of| of.name == file));
        let Some(of) = found else { return Err(Refused::VersionFileUnknown { version, file }) };
        match back.version_text(&of.digest).map_err(unusable)? {
            Some(text) => Ok(ShownVersionFile { text }),
            None => Err(Refused::Unusable { why: format!("the text of \"{file}\" is missing") }),
        }
    }

    fn subject(&self) -> Option<String> {
        None
    }
}

impl Call for RestoreChargingVersion {
    type Reply = RestoredChargingVersion;

    const NAME: &'static str = "charging version restore";

    fn perform(self, clerk: &Clerk<'_>) -> Result<RestoredChargingVersion, Refused> {
        let version = self.version;
        let because = text("the reason", &self.because)?;
        let System { back, definition: (definition, place), .. } = clerk.system;
        let _turn = clerk.system.restore_turn();
        let found = versions::find(back, version).map_err(unusable)?;
        let found = found.ok_or(Refused::VersionUnknown { version })?;
        let newest = versions::newest(back).map_err(unusable)?;
        let others = newest.map_or(Vec::new(), |newest| newest.files);
        let others: Vec<String> = others.into_iter().map(|file| file.name).collect();
        let not_restored = |why| Refused::NotRestored { version, why };
        let texts = found.texts(back).map_err(unusable)?;
        let texts =
            texts.ok_or_else(|| not_restored("the text of a file is missing".to_owned()))?;
        let only = self.file.as_deref();
        if let Some(file) = only.filter(|file| !texts.contains_key(*file)) {
            return Err(Refused::VersionFileUnknown { version, file: file.to_owned() });
        }
        let restored = Restored { files: &texts, others: &others, only };
        let changed = restore((definition, place), restored);
        let changed = changed.map_err(|why| not_restored(with_causes(&why)))?;
        if !changed.is_empty() {
            let subject = format!("version {version}: {}", changed.join(", "));
            back.commit(clerk.trail(Self::NAME, subject, because)).map_err(unusable)?;
        }
        Ok(RestoredChargingVersion { changed })
    }

    fn subject(&self) -> Option<String> {
        None
    }
}
