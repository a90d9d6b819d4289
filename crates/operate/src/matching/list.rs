//! Lists the groups that wait.

use flow::flow_journal::JournalError;
use people::Role;
use serde::{Deserialize, Serialize};
use store::QueryResult;
use utoipa::ToSchema;

use super::group::{GroupQuery, HeldGroup, known_node, read_groups};
use crate::context::Context;
use crate::operation::Operation;
use crate::page::rows_limit;
use crate::period::{Period, PeriodError};
use crate::privacy::{SubscriberDataError, is_whole};
use crate::refusals;

/// Lists the groups of records that wait in matching nodes, the oldest first.
///
/// For each group the list shows since when it waits, and when it expires by the flow as its files
/// are now. The period chooses groups by `since`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ListGroups {
    /// Only groups of this node.
    pub node: Option<String>,
    /// Only groups with this key. With a key, the list includes released groups that the gateway
    /// still remembers. It needs the role that sees subscriber data.
    pub key: Option<String>,
    /// Only groups whose first records arrived in this period.
    #[serde(flatten)]
    pub period: Period,
    /// Whether to return the records of the groups. The API lists no records, because a page of
    /// them has no bound.
    #[serde(skip)]
    pub records: bool,
    /// Only groups with a greater number: pass the number of the last group of the page before.
    pub after: Option<i64>,
    /// The maximum number of groups. Default 50, at most 1000.
    pub limit: Option<u32>,
}

/// A page of groups.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MatchingGroups)]
pub struct Groups {
    /// The groups, the oldest first.
    pub groups: Vec<HeldGroup>,
    /// Whether there are more groups.
    pub more: bool,
    /// `true` if subscriber data is masked. Absent otherwise.
    #[serde(skip_serializing_if = "is_whole")]
    pub masked: bool,
}

refusals! {
    /// Why groups are not listed.
    pub enum ListGroupsError {
        /// The period is wrong.
        Period(PeriodError) => [Wrong],
        /// There is no such node, or the journal fails.
        Journal(JournalError) => [Unknown],
        /// The role does not see subscriber data, or the search cannot be recorded.
        SubscriberData(SubscriberDataError) => [Forbidden, NotReady],
    }
}

impl Operation for ListGroups {
    type Response = Groups;
    type Error = ListGroupsError;

    const NAME: &'static str = "matching list";
    const ROLE: Role = Role::Viewer;
    const IS_LONG: bool = true;

    fn perform(self, context: &Context<'_>) -> Result<Groups, ListGroupsError> {
        let ListGroups { node, key, period, records, after, limit } = self;
        let rows_max = rows_limit(limit) as usize;
        let access = context.subscriber_access();
        let viewed = key.as_ref().map(|key| format!("groups with the key \"{key}\""));
        if viewed.is_some() {
            access.allow("a search by key")?;
        }
        let since = period.range()?;
        known_node(context, node.as_deref())?;
        let query = GroupQuery {
            node,
            key,
            ids: None,
            since,
            released: true,
            after: after.unwrap_or(0),
            limit: rows_max + 1,
        };
        let (mut groups, more) = read_groups(context, |reader| {
            let numbers = reader.numbers(&query)?;
            let more = numbers.len() > rows_max;
            let groups = numbers.into_iter().take(rows_max).map(|id| match records {
                true => reader.group_with_records(id),
                false => reader.group(id),
            });
            let groups =
                groups.filter_map(QueryResult::transpose).collect::<QueryResult<Vec<_>>>()?;
            Ok((groups, more))
        })?;
        if let Some(viewed) = viewed {
            context.record_view(&access, Self::NAME, &viewed)?;
        }
        if access.is_masked() {
            groups.iter_mut().for_each(HeldGroup::hide);
        }
        Ok(Groups { groups, more, masked: access.is_masked() })
    }
}
