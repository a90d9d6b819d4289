//! Edits a text of the flow file.

use ::versions::VersionError;
use flow::drawing::{self, Edit, EditError};
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Graph, drawn};
use crate::context::Context;
use crate::mistakes::Mistakes;
use crate::operation::Operation;
use crate::refusal::{PossibleRefusal, Refusal, RefusalKind};
use crate::refusals;

/// The maximum number of edits in one request.
const EDITS_MAX: usize = 1_000;

/// Edits a text of the flow file.
///
/// Comments and the order of tables stay. Nothing is saved.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct EditFlow {
    /// The text to edit.
    pub text: String,
    /// The edits, in order; 1000 at most. If one fails, none is made. An edit is `add`, `remove`, `rename`, `connect`,
    /// `disconnect`, `set` or `unset`: `{"do": "connect", "from": "isRoaming.false", "to": "home"}`.
    pub edits: Vec<Edit>,
}

/// The edited text, with its graph and its mistakes.
#[derive(Debug, Serialize, ToSchema)]
pub struct Edited {
    /// The text after all edits.
    pub text: String,
    /// The graph.
    pub graph: Graph,
    /// The mistakes.
    #[serde(flatten)]
    pub mistakes: Mistakes,
}

refusals! {
    /// Why a text is not edited.
    pub enum EditFlowError {
        /// There are too many edits.
        TooMany => Wrong "flow-too-many-edits" "a request has 1,000 edits at most",
        /// An edit cannot be made.
        Edit(EditError) => [Wrong],
        /// The versions cannot be read.
        Versions(VersionError) => [],
    }
}

impl Refusal for EditError {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Wrong
    }

    fn code(&self) -> &'static str {
        "flow-edit-impossible"
    }

    fn possible() -> Vec<PossibleRefusal> {
        let text =
            Some(("flow-edit-impossible", "an edit cannot be made: the text says which, and why"));
        vec![PossibleRefusal { kind: RefusalKind::Wrong, text }]
    }
}

impl Operation for EditFlow {
    type Response = Edited;
    type Error = EditFlowError;

    const NAME: &'static str = "flow edit";
    const ROLE: Role = Role::Operator;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<Edited, EditFlowError> {
        if self.edits.len() > EDITS_MAX {
            return Err(EditFlowError::TooMany);
        }
        let text = drawing::edit(&self.text, &self.edits, context.parts.kinds)?;
        let store = context.shared.versions()?;
        let (graph, mistakes) = drawn((context.flow, context.parts), &store, &text);
        Ok(Edited { text, graph, mistakes })
    }
}
