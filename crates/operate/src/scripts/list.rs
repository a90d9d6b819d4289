//! Lists scripts.

use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::found;
use crate::context::Context;
use crate::operation::Operation;
use crate::versions::VersionsError;

/// Lists the scripts of the flow.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
pub struct ListScripts {}

/// The scripts of the flow.
#[derive(Debug, Serialize, ToSchema)]
pub struct Scripts {
    /// The scripts, in the order in which the flow file names them.
    pub scripts: Vec<ListedScript>,
}

/// A script of the flow.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ListedScript {
    /// The script's file, as the flow file names it.
    pub file: String,
    /// The nodes that run it.
    pub nodes: Vec<String>,
    /// The digest of the text.
    pub digest: String,
}

impl Operation for ListScripts {
    type Response = Scripts;
    type Error = VersionsError;

    const NAME: &'static str = "scripts list";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<Scripts, VersionsError> {
        let scripts = found(context)?.into_iter().map(|(listed, _)| listed).collect();
        Ok(Scripts { scripts })
    }
}
