//! Checks a text of the flow file.

use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Graph, drawn};
use crate::context::Context;
use crate::mistakes::Mistakes;
use crate::operation::Operation;
use crate::versions::VersionsError;

/// Checks an edited text of the flow file.
///
/// The answer has the mistakes that `tollgate check` would find. Nothing is saved.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CheckFlow {
    /// The edited text.
    pub text: String,
}

/// The graph and the mistakes of a text.
#[derive(Debug, Serialize, ToSchema)]
pub struct Looked {
    /// The graph.
    pub graph: Graph,
    /// The mistakes.
    #[serde(flatten)]
    pub mistakes: Mistakes,
}

impl Operation for CheckFlow {
    type Response = Looked;
    type Error = VersionsError;

    const NAME: &'static str = "flow look";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<Looked, VersionsError> {
        let store = context.shared.versions()?;
        let (graph, mistakes) = drawn((context.flow, context.parts), &store, &self.text);
        Ok(Looked { graph, mistakes })
    }
}
