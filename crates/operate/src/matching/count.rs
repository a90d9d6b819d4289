//! Counts the groups that wait.

use people::Role;
use runtime::time::shown;
use serde::{Deserialize, Serialize};
use store::{Connection, QueryResult, Row};
use utoipa::ToSchema;

use crate::context::Context;
use crate::operation::Operation;
use crate::refusal::ReadError;

/// Counts the groups that wait, by node.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
pub struct CountGroups {}

/// The groups that wait, counted.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MatchingNodes)]
pub struct GroupCounts {
    /// The nodes, by name.
    pub nodes: Vec<GroupsInNode>,
}

/// A matching node in which groups wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = MatchingNode)]
pub struct GroupsInNode {
    /// The name of the node.
    pub node: String,
    /// The number of groups that wait.
    pub groups: i64,
    /// When the first record of the oldest group arrived.
    pub since: String,
}

impl Operation for CountGroups {
    type Response = GroupCounts;
    type Error = ReadError;

    const NAME: &'static str = "matching nodes";
    const ROLE: Role = Role::Viewer;

    fn perform(self, context: &Context<'_>) -> Result<GroupCounts, ReadError> {
        Ok(GroupCounts { nodes: context.read(counts)? })
    }
}

fn counts(db: &Connection) -> QueryResult<Vec<GroupsInNode>> {
    let mut select = db.prepare(
        "SELECT node, open, (SELECT min(came_ms) FROM group_state WHERE is_open AND node = held_node.node) AS since_ms
         FROM held_node WHERE open > 0 AND since_ms IS NOT NULL ORDER BY node",
    )?;
    let of = |row: &Row<'_>| {
        Ok(GroupsInNode { node: row.get(0)?, groups: row.get(1)?, since: shown(row.get(2)?) })
    };
    select.query_map([], of)?.collect()
}
