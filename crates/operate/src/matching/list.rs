//! Lists the groups that wait.

use people::Role;
use serde::{Deserialize, Serialize};
use store::Answer;
use utoipa::ToSchema;

use super::group::{GroupQuery, HeldGroup, read_groups};
use crate::context::Context;
use crate::operation::Operation;
use crate::page::rows_limit;
use crate::period::{Period, PeriodReadError};

/// Lists the groups of records that wait in matching nodes, the oldest first.
///
/// For each group the list shows since when it waits, and when it expires by the flow as its files
/// are now. The period chooses groups by `since`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ListGroups {
    /// Only groups of this node.
    pub node: Option<String>,
    /// Only groups with this key. With a key, the list includes released groups that the gateway
    /// still remembers.
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
}

impl Operation for ListGroups {
    type Response = Groups;
    type Error = PeriodReadError;

    const NAME: &'static str = "matching list";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<Groups, PeriodReadError> {
        let ListGroups { node, key, period, records, after, limit } = self;
        let rows_max = rows_limit(limit) as usize;
        let query = GroupQuery {
            node,
            key,
            ids: None,
            since: period.range()?,
            released: true,
            after: after.unwrap_or(0),
            limit: rows_max + 1,
        };
        let groups = read_groups(context, |reader| {
            let numbers = reader.numbers(&query)?;
            let more = numbers.len() > rows_max;
            let groups = numbers.into_iter().take(rows_max).map(|id| match records {
                true => reader.group_with_records(id),
                false => reader.group(id),
            });
            let groups = groups.filter_map(Answer::transpose).collect::<Answer<_>>()?;
            Ok(Groups { groups, more })
        })?;
        Ok(groups)
    }
}
