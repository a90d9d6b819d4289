//! Tables of a plan that is a folder: shown, checked as drafts, and replaced while records flow. A replaced table is a
//! version of the flow.

use ::versions::{VersionError, digest};
use people::Role;
use rating::Plan;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{PlanError, is_of, named, path};
use crate::context::Context;
use crate::mistakes::Mistakes;
use crate::operation::Operation;
use crate::refusal::{ReasonError, reason};
use crate::refusals;
use crate::versions::{Activated, activate_file};

refusals! {
    /// Why a table is not found.
    pub enum TableError {
        /// No plan has it.
        Unknown {
            /// Its file.
            file: String
        } => Unknown "tariff-table-unknown" "no plan of the flow has a table \"{file}\"",
        /// The flow file cannot be read.
        Plan(PlanError) => [],
        /// The files of the flow or the versions cannot be read.
        Versions(VersionError) => [],
    }
}

/// Returns a table of a tariff plan that is a folder.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ShowTariffTable {
    /// The file, with the folder as the flow file names it.
    pub file: String,
}

/// A table of a tariff plan, or its `tariff.toml`.
#[derive(Debug, Serialize, ToSchema)]
pub struct TariffText {
    /// The file, with the folder as the flow file names it.
    pub file: String,
    /// The text.
    pub text: String,
    /// The digest of the text, for `based_on`.
    pub digest: String,
}

impl Operation for ShowTariffTable {
    type Response = TariffText;
    type Error = TableError;

    const NAME: &'static str = "tariff table";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<TariffText, TableError> {
        let (_, text) = found(context, &self.file)?;
        Ok(TariffText { digest: digest(&text), file: self.file, text })
    }
}

/// Checks an edited table of a tariff plan.
///
/// The answer has the mistakes that `tollgate tariff check` would find in the plan with this text. Nothing is saved.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CheckTariffTable {
    /// The file, with the folder as the flow file names it.
    pub file: String,
    /// The edited text.
    pub text: String,
}

/// The mistakes of a plan with an edited table.
#[derive(Debug, Serialize, ToSchema)]
pub struct CheckedTable {
    /// The mistakes.
    #[serde(flatten)]
    pub mistakes: Mistakes,
}

impl Operation for CheckTariffTable {
    type Response = CheckedTable;
    type Error = TableError;

    const NAME: &'static str = "tariff check-table";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<CheckedTable, TableError> {
        let CheckTariffTable { file, text } = self;
        let (plan, _) = found(context, &file)?;
        let store = context.shared.versions()?;
        let mut files = store.files(&store.flow_text()?);
        files.insert(file, text);
        let own = files.into_iter().filter(|(name, _)| is_of(name, &plan));
        let own = own.filter_map(|(name, text)| {
            Some((name.rsplit_once('/')?.1.to_owned(), text.into_bytes()))
        });
        let read = Plan::of_files(&path(context.flow, &plan), own.collect());
        Ok(CheckedTable { mistakes: Mistakes::of(&read.diagnostics) })
    }
}

/// Replaces a table of a tariff plan and activates it.
///
/// The new text is saved in a new version of the flow. The gateway switches to it without a stop.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PutTariffTable {
    /// The file, with the folder as the flow file names it.
    pub file: String,
    /// The new text.
    pub text: String,
    /// The digest of the text that the edit began with. The request is refused if the table has another text by now.
    pub based_on: Option<String>,
    /// A remark about the change, for the version and the audit trail. It must not be empty.
    pub remark: String,
}

refusals! {
    /// Why a table is not replaced.
    pub enum PutTableError {
        /// The table has changed.
        Overtaken => Conflict "tariff-table-changed"
            "the table was changed by another user meanwhile: load it, and look again",
        /// The request has no remark.
        Reason(ReasonError) => [Wrong],
        /// No plan has such a table.
        Table(TableError) => [Unknown],
        /// The files of the flow do not allow it, or the gateway does not answer.
        Versions(VersionError) => [Conflict, Wrong, NotReady],
    }
}

impl Operation for PutTariffTable {
    type Response = Activated;
    type Error = PutTableError;

    const NAME: &'static str = "tariff put";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<Activated, PutTableError> {
        let PutTariffTable { file, text, based_on, remark } = self;
        let remark = reason(&remark)?;
        let (_, before) = found(context, &file)?;
        let before = digest(&before);
        if based_on.is_some_and(|expected| expected != before) {
            return Err(PutTableError::Overtaken);
        }
        Ok(activate_file(context, (&file, text), Some(&before), (Self::NAME, remark))?)
    }
}

/// Returns the plan that has a table, and the text of the table.
fn found(context: &Context<'_>, file: &str) -> Result<(String, String), TableError> {
    let plan = named(context.flow, context.parts)?.into_keys().find(|plan| is_of(file, plan));
    let store = context.shared.versions()?;
    let text = store.files(&store.flow_text()?).remove(file);
    plan.zip(text).ok_or_else(|| TableError::Unknown { file: file.to_owned() })
}
