//! Lists alarms.

use alarm::Alarm;
use flow::flow_journal::JournalError;
use gateway::compile::alarms::ALARMS;
use people::Role;
use serde::{Deserialize, Serialize};
use store::Page;
use utoipa::ToSchema;

use super::raised::of_full_disk;
use crate::context::Context;
use crate::operation::Operation;
use crate::page::PageQuery;
use crate::refusal::ReadError;

/// Lists the raised alarms, or all alarms.
///
/// The newest come first. The list of raised alarms may be a few seconds old.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
pub struct ListAlarms {
    /// Whether to include alarms that are cleared.
    #[serde(default)]
    pub all: bool,
    /// The page.
    #[serde(flatten)]
    pub page: PageQuery,
}

/// A page of alarms.
#[derive(Debug, Serialize, ToSchema)]
pub struct Alarms {
    /// The alarms, the newest first.
    pub alarms: Vec<Alarm>,
    /// Whether there are more alarms.
    pub more: bool,
}

impl Operation for ListAlarms {
    type Response = Alarms;
    type Error = ReadError;

    const NAME: &'static str = "alarms list";
    const ROLE: Role = Role::Viewer;
    const IS_CHANGE: bool = false;

    fn perform(self, context: &Context<'_>) -> Result<Alarms, ReadError> {
        let page = self.page.rows();
        let (alarms, more) = match self.all {
            true => all(context, page)?,
            false => raised(context, page)?,
        };
        Ok(Alarms { alarms, more })
    }
}

/// Returns the raised alarms of a page. Clients request them at the same moment, when an event says that they have changed. The
/// list must not be older than the event, so both come from the same shared answer.
fn raised(context: &Context<'_>, page: Page) -> Result<(Vec<Alarm>, bool), JournalError> {
    let raised = context.shared.raised_alarms()?;
    let (alarms, more) = page.of(raised.iter().collect(), |alarm| alarm.id);
    Ok((alarms.into_iter().cloned().collect(), more))
}

/// Returns the alarms of a page, also cleared ones, with that of a full disk as in [`raised_alarms`](super::raised_alarms).
fn all(context: &Context<'_>, page: Page) -> Result<(Vec<Alarm>, bool), JournalError> {
    let mut alarms = context.read(|db| alarm::recent(db, ALARMS, page))?;
    alarms.extend(of_full_disk(context.flow)?);
    Ok(page.of(alarms, |alarm| alarm.id))
}
