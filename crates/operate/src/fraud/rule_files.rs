//! The files of rules: shown, checked as drafts, and replaced while records flow. A replaced rule is a version of the flow.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use ::versions::{FileTexts, VersionError, digest};
use inspection::OverlayError;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::mistakes::Mistakes;
use crate::operation::Operation;
use crate::refusal::{ReasonError, reason};
use crate::refusals;
use crate::versions::{Activated, VersionsError, activate_file};

/// Lists the files in the folders of rules: rules, tables of limits, and scripts.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub struct ListFraudRuleFiles {}

/// The files of rules.
#[derive(Debug, Serialize, ToSchema)]
pub struct FraudRuleFiles {
    /// The files, by folder and name.
    pub files: Vec<FraudRuleFile>,
    /// The folders of rules, as the flow file names them: a new rule is a new file in one of them.
    pub folders: Vec<String>,
}

/// A file in a folder of rules.
#[derive(Debug, Serialize, ToSchema)]
pub struct FraudRuleFile {
    /// The file, with the folder as the flow file names it.
    pub file: String,
    /// The digest of the text.
    pub digest: String,
}

impl Operation for ListFraudRuleFiles {
    type Response = FraudRuleFiles;
    type Error = VersionsError;

    const NAME: &'static str = "fraud rule-files";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<FraudRuleFiles, VersionsError> {
        let (folders, files) = found(context)?;
        let file = |(file, text): (String, String)| FraudRuleFile { digest: digest(&text), file };
        Ok(FraudRuleFiles { files: files.into_iter().map(file).collect(), folders })
    }
}

refusals! {
    /// Why a file of rules is not found.
    pub enum FraudRuleFileError {
        /// There is no such file.
        Unknown {
            /// The file.
            file: String,
        } => Unknown "rule-file-unknown" "no folder of rules has a file \"{file}\"",
        /// The files of the flow or the versions cannot be read.
        Versions(VersionError) => [],
    }
}

/// Returns a file in a folder of rules.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ShowFraudRuleFile {
    /// The file, with the folder as the flow file names it.
    pub file: String,
}

/// A file in a folder of rules.
#[derive(Debug, Serialize, ToSchema)]
pub struct FraudRuleText {
    /// The file, with the folder as the flow file names it.
    pub file: String,
    /// The text.
    pub text: String,
    /// The digest of the text, for `based_on`.
    pub digest: String,
}

impl Operation for ShowFraudRuleFile {
    type Response = FraudRuleText;
    type Error = FraudRuleFileError;

    const NAME: &'static str = "fraud rule-file";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<FraudRuleText, FraudRuleFileError> {
        let (_, mut files) = found(context)?;
        match files.remove(&self.file) {
            Some(text) => Ok(FraudRuleText { digest: digest(&text), file: self.file, text }),
            None => Err(FraudRuleFileError::Unknown { file: self.file }),
        }
    }
}

/// Checks an edited file of rules, or a new one.
///
/// The answer has the mistakes that `tollgate check` would find with this text. Nothing is saved.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CheckFraudRuleFile {
    /// The file, with the folder as the flow file names it.
    pub file: String,
    /// The text.
    pub text: String,
}

/// The mistakes of an edited file.
#[derive(Debug, Serialize, ToSchema)]
pub struct CheckedFraudRuleFile {
    /// The mistakes.
    #[serde(flatten)]
    pub mistakes: Mistakes,
}

refusals! {
    /// Why a file of rules is not checked.
    pub enum CheckFraudRuleFileError {
        /// The folder for the check cannot be made.
        Folder {
            /// Why.
            cause: io::Error,
        } => Internal "rule-not-checked" "the rule could not be checked: {cause}",
        /// The file is in no folder of rules, or the files of the flow cannot be read.
        Versions(VersionError) => [Conflict, Wrong, NotReady],
        /// The flow has mistakes.
        Overlay(OverlayError) => [Conflict],
    }
}

impl Operation for CheckFraudRuleFile {
    type Response = CheckedFraudRuleFile;
    type Error = CheckFraudRuleFileError;

    const NAME: &'static str = "fraud check-rule-file";
    const ROLE: Role = Role::Operator;
    const IS_LONG: bool = true;

    fn perform(
        self,
        context: &Context<'_>,
    ) -> Result<CheckedFraudRuleFile, CheckFraudRuleFileError> {
        let CheckFraudRuleFile { file, text } = self;
        let store = context.shared.versions()?;
        let files = store.drafted(None, vec![(file.clone(), text)])?;
        store.may_be_read(&files)?;
        let folder = Folder::new().map_err(|cause| CheckFraudRuleFileError::Folder { cause })?;
        let candidate =
            inspection::overlay_texts(context.flow, context.parts, (&files, &[]), &folder.0)?;
        let mut found = gateway::check(&candidate, context.parts);
        // Where the draft is laid out, the folders of the flow are not.
        found.retain(|found| found.is_error() || found.source.name.ends_with(&file));
        let root = format!("{}/", candidate.parent().unwrap_or(Path::new("")).display());
        Ok(CheckedFraudRuleFile { mistakes: Mistakes::of(&found).beneath(&root) })
    }
}

/// A folder that is removed when this is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tollgate-check-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder)?;
        Ok(Folder(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Replaces a file of rules and activates it, or adds a rule.
///
/// The new text is saved in a new version of the flow. The gateway switches to it without a stop. Where the flow wants a second person,
/// the version is proposed, and another user activates it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PutFraudRuleFile {
    /// The file, with the folder as the flow file names it.
    pub file: String,
    /// The new text.
    pub text: String,
    /// The digest of the text that the edit began with; absent for a new file. The request is refused if the file has another text by
    /// now.
    pub based_on: Option<String>,
    /// A remark about the change, for the version and the audit trail. It must not be empty.
    pub remark: String,
}

refusals! {
    /// Why a file of rules is not replaced.
    pub enum PutFraudRuleFileError {
        /// The file has changed.
        Overtaken => Conflict "rule-file-changed"
            "the rule was changed by another user meanwhile: load it, and look again",
        /// The request has no remark.
        Reason(ReasonError) => [Wrong],
        /// The files of the flow do not allow it, or the gateway does not answer.
        Versions(VersionError) => [Conflict, Wrong, NotReady],
    }
}

impl Operation for PutFraudRuleFile {
    type Response = Activated;
    type Error = PutFraudRuleFileError;

    const NAME: &'static str = "fraud put-rule-file";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<Activated, PutFraudRuleFileError> {
        let PutFraudRuleFile { file, text, based_on, remark } = self;
        let remark = reason(&remark)?;
        let (_, files) = found(context)?;
        let before = files.get(&file).map(digest);
        if before != based_on {
            return Err(PutFraudRuleFileError::Overtaken);
        }
        // It must be in a folder of rules, and name no file that users may not see.
        let store = context.shared.versions()?;
        store.may_be_read(&store.drafted(None, vec![(file.clone(), text.clone())])?)?;
        let of = (file.as_str(), text);
        Ok(activate_file(context, of, before.as_deref(), (Self::NAME, remark))?)
    }
}

/// Returns the folders of rules, and the files in them.
fn found(context: &Context<'_>) -> Result<(Vec<String>, FileTexts), VersionError> {
    let store = context.shared.versions()?;
    let text = store.flow_text()?;
    let mut files = store.files(&text);
    let folders: Vec<String> = flow::drawing::rule_folders(&text).into_iter().collect();
    let is_of = |name: &str| {
        let folder = name.rsplit_once('/').map(|(folder, _)| folder);
        folders.iter().any(|known| folder == Some(known.trim_end_matches('/')))
    };
    files.retain(|name, _| is_of(name));
    Ok((folders, files))
}
