//! Lists the outputs that wait to be merged.

use distribution::Gathered;
use flow::file;
use flow::flow_journal::JournalError;
use flow::names;
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::NamedReadError;

/// Lists the outputs that wait to be merged into one file, by receiver.
///
/// The file is delivered when it is closed.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ListGathering {
    /// Only outputs for this receiver.
    pub post_processing_system: Option<String>,
}

/// The outputs that wait to be merged.
#[derive(Debug, Serialize, ToSchema)]
pub struct Gathering {
    /// The outputs, by receiver.
    pub gathering: Vec<Gathered>,
}

impl Operation for ListGathering {
    type Response = Gathering;
    type Error = NamedReadError;

    const NAME: &'static str = "deliveries gathering";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<Gathering, NamedReadError> {
        let system = self.post_processing_system.as_deref();
        names::known_system(context.flow, system)?;
        let unreadable = |cause| JournalError::Flow { flow: context.flow.into(), cause };
        let file = file::outline(context.flow).map_err(unreadable)?;
        let mut gathering = context.read(|db| distribution::gathered(db, &file))?;
        gathering.retain(|of| system.is_none_or(|wanted| wanted == of.post_processing_system));
        Ok(Gathering { gathering })
    }
}
