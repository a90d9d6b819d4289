//! Writes a script that no node runs yet.

use ::versions::{BeginError, VersionError, digest};
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::{PossibleRefusal, Refusal, RefusalKind};
use crate::refusals;

/// Writes a script that no node runs yet.
///
/// A flow file can name it afterwards. The running flow does not change.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct BeginScript {
    /// The script's file: a path within the folder of the flow file that ends with `.dup`, such as
    /// `scripts/is_long.dup`.
    pub file: String,
    /// The text of the script.
    pub text: String,
    /// To replace such a script: the digest of its text. The request is refused if the text is another one by now.
    /// Leave it out for a new file.
    pub based_on: Option<String>,
}

/// A script that was written.
#[derive(Debug, Serialize, ToSchema)]
pub struct BegunScript {
    /// The digest of the text.
    pub digest: String,
}

refusals! {
    /// Why a script is not written.
    pub enum BeginScriptError {
        /// The file name is not allowed, or the file exists with another text.
        Begin(BeginError) => [Wrong, Conflict],
        /// The versions or the journal cannot be read or written.
        Versions(VersionError) => [NotReady],
    }
}

impl Refusal for BeginError {
    fn kind(&self) -> RefusalKind {
        match self {
            BeginError::Name(_) => RefusalKind::Wrong,
            BeginError::Runs(_) | BeginError::Exists(_) => RefusalKind::Conflict,
            BeginError::Versions(error) => error.kind(),
        }
    }

    fn code(&self) -> &'static str {
        match self {
            BeginError::Name(_) => "script-name-wrong",
            BeginError::Runs(_) => "script-in-flow",
            BeginError::Exists(_) => "script-exists",
            BeginError::Versions(error) => error.code(),
        }
    }

    fn possible() -> Vec<PossibleRefusal> {
        let of = |kind, code, text| PossibleRefusal { kind, text: Some((code, text)) };
        let own = vec![
            of(
                RefusalKind::Wrong,
                "script-name-wrong",
                "\"{file}\" cannot be a script: it lies beneath the folder of the flow file, and ends with \".dup\"",
            ),
            of(
                RefusalKind::Conflict,
                "script-in-flow",
                "the flow has the script \"{file}\" already: change it in its place",
            ),
            of(
                RefusalKind::Conflict,
                "script-exists",
                "there is a script \"{file}\" already, or another user wrote it meanwhile: load it, and look again",
            ),
        ];
        [own, VersionError::possible()].concat()
    }
}

impl Operation for BeginScript {
    type Response = BegunScript;
    type Error = BeginScriptError;

    const NAME: &'static str = "scripts begin";
    const ROLE: Role = Role::Operator;
    const ACTIONS: &[&str] = &[Self::NAME];

    fn perform(self, context: &Context<'_>) -> Result<BegunScript, BeginScriptError> {
        let BeginScript { file, text, based_on } = self;
        let record =
            || context.change(Self::NAME, |db, author| author.record(db, &file, "").map(drop));
        context.shared.versions()?.begin(&file, &text, based_on.as_deref(), record)?;
        Ok(BegunScript { digest: digest(&text) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::testing::{break_trail, with_journal};

    #[test]
    fn no_script_is_written_without_an_entry() {
        with_journal(|context| {
            let begin = |file: &str| {
                BeginScript { file: file.into(), text: "-- Later.\n".into(), based_on: None }
                    .perform(context)
            };
            begin("first.dup").expect("a script");
            break_trail(context);
            assert!(begin("second.dup").is_err());
            let is_written = |file: &str| context.flow.with_file_name(file).exists();
            assert!(is_written("first.dup") && !is_written("second.dup"));
        });
    }
}
