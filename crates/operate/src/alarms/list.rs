//! Lists alarms.

use std::ops::Range;

use alarm::Alarm;
use flow::flow_journal::JournalError;
use gateway::compile::alarms::ALARMS;
use people::Role;
use runtime::time::moment;
use serde::{Deserialize, Serialize};
use store::Page;
use utoipa::ToSchema;

use super::raised::of_full_disk;
use crate::context::Context;
use crate::operation::Operation;
use crate::page::PageQuery;
use crate::period::{Period, PeriodReadError};

/// Lists the raised alarms, or all alarms.
///
/// The newest come first. The list of raised alarms may be a few seconds old. The period chooses alarms that were raised at
/// some time of it.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
pub struct ListAlarms {
    /// Whether to include alarms that are cleared.
    #[serde(default)]
    pub all: bool,
    /// Only alarms that were raised at some time of this period.
    #[serde(flatten)]
    pub period: Period,
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
    type Error = PeriodReadError;

    const NAME: &'static str = "alarms list";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<Alarms, PeriodReadError> {
        let (page, period) = (self.page.rows(), self.period.range()?);
        let (alarms, more) = match self.all {
            true => all(context, &period, page)?,
            false => raised(context, &period, page)?,
        };
        Ok(Alarms { alarms, more })
    }
}

/// Returns the raised alarms of a page. Clients request them at the same moment, when an event says that they have changed. The
/// list must not be older than the event, so both come from the same shared answer.
fn raised(
    context: &Context<'_>,
    period: &Range<i64>,
    page: Page,
) -> Result<(Vec<Alarm>, bool), JournalError> {
    let raised = context.shared.raised_alarms()?;
    let of_period = raised.iter().filter(|alarm| was_raised_before(alarm, period.end));
    let (alarms, more) = page.of(of_period.collect(), |alarm| alarm.id);
    Ok((alarms.into_iter().cloned().collect(), more))
}

/// Returns the alarms of a page, also cleared ones, with that of a full disk as in [`raised_alarms`](super::raised_alarms).
fn all(
    context: &Context<'_>,
    period: &Range<i64>,
    page: Page,
) -> Result<(Vec<Alarm>, bool), JournalError> {
    let mut alarms = context.read(|db| alarm::recent(db, ALARMS, period, page))?;
    let full = of_full_disk(context.flow)?;
    alarms.extend(full.filter(|alarm| was_raised_before(alarm, period.end)));
    Ok(page.of(alarms, |alarm| alarm.id))
}

/// Returns whether an alarm that is still raised is of a period with this end, in milliseconds since 1970.
fn was_raised_before(alarm: &Alarm, end: i64) -> bool {
    moment(&alarm.raised).is_ok_and(|raised| raised < end)
}
