//! The files of a version of a plan.

use people::Role;
use serde::{Deserialize, Serialize};
use tariffs::Files;
use utoipa::ToSchema;

use super::{ChosenPlan, StoredPlanError};
use crate::context::Context;
use crate::operation::Operation;
use crate::refusals;

/// The maximum size in octets of a file that is shown for editing in a browser. Larger files stay
/// as they are in the next version; `tollgate tariff take-out` writes them to a folder for editing.
const SHOWN_OCTETS_MAX: usize = 2 << 20;

/// Lists the files of a version of a tariff plan.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ListTariffFiles {
    /// The plan.
    #[serde(flatten)]
    pub chosen: ChosenPlan,
    /// The number of the version.
    pub version: i64,
}

/// The files of a version.
#[derive(Debug, Serialize, ToSchema)]
pub struct TariffFiles {
    /// The files, by name.
    pub files: Vec<TariffFile>,
}

/// A file of a version.
#[derive(Debug, Serialize, ToSchema)]
pub struct TariffFile {
    /// The name of the file: `prices.csv`.
    pub file: String,
    /// The size of the file in octets.
    pub octets: usize,
    /// The digest of the file. Two versions of a file with the same digest are the same.
    pub digest: String,
}

impl Operation for ListTariffFiles {
    type Response = TariffFiles;
    type Error = StoredPlanError;

    const NAME: &'static str = "tariff files";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<TariffFiles, StoredPlanError> {
        let files = stored(context, &self.chosen, self.version)?;
        let file = |(file, octets): (String, Vec<u8>)| TariffFile {
            file,
            octets: octets.len(),
            digest: ::versions::digest(&octets),
        };
        Ok(TariffFiles { files: files.into_iter().map(file).collect() })
    }
}

/// Returns the text of a file of a version.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ShowTariffFile {
    /// The plan.
    #[serde(flatten)]
    pub chosen: ChosenPlan,
    /// The number of the version.
    pub version: i64,
    /// The name of the file: `prices.csv`.
    pub file: String,
}

/// The text of a file of a version.
#[derive(Debug, Serialize, ToSchema)]
pub struct TariffFileText {
    /// The text.
    pub text: String,
}

refusals! {
    /// Why the text of a file is not returned.
    pub enum FileTextError {
        /// The version has no such file.
        Unknown {
            /// The version.
            version: i64,
            /// The name.
            file: String,
        } => Unknown "tariff-file-unknown" "version {version} has no file \"{file}\"",
        /// The file is too large.
        TooLarge {
            /// The name.
            file: String,
            /// Its size.
            octets: usize,
            /// The version.
            version: i64,
        } => Conflict "tariff-file-too-large"
            "\"{file}\" has {octets} octets; change it where \"tollgate tariff take-out\" puts \
             version {version}",
        /// The file is no text.
        NotText {
            /// The name.
            file: String,
            /// The version.
            version: i64,
        } => Conflict "tariff-file-not-text"
            "\"{file}\" is not UTF-8 text; change it where \"tollgate tariff take-out\" puts \
             version {version}",
        /// The plan or the version cannot be read.
        Stored(StoredPlanError) => [Unknown, Conflict],
    }
}

impl Operation for ShowTariffFile {
    type Response = TariffFileText;
    type Error = FileTextError;

    const NAME: &'static str = "tariff file";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<TariffFileText, FileTextError> {
        let ShowTariffFile { chosen, version, file } = self;
        let octets = stored(context, &chosen, version)?.remove(&file);
        let Some(octets) = octets else {
            return Err(FileTextError::Unknown { version, file });
        };
        if octets.len() > SHOWN_OCTETS_MAX {
            return Err(FileTextError::TooLarge { file, octets: octets.len(), version });
        }
        match String::from_utf8(octets) {
            Ok(text) => Ok(TariffFileText { text }),
            Err(_) => Err(FileTextError::NotText { file, version }),
        }
    }
}

/// Returns the files of a version.
fn stored(
    context: &Context<'_>,
    chosen: &ChosenPlan,
    version: i64,
) -> Result<Files, StoredPlanError> {
    Ok(tariffs::files(&chosen.database(context)?, version)?)
}
