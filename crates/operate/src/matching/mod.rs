//! Groups of records that wait in matching nodes for others: listed, counted, shown, and ended by
//! request.

mod count;
mod end;
mod group;
mod list;
mod show;

pub use count::{CountGroups, GroupCounts, GroupsInNode};
pub use end::{ENDED_AT_ONCE, EndGroups, EndGroupsError, EndedGroup, EndedGroups};
pub use group::{HeldGroup, HeldPart, RequestedEnd};
pub use list::{Groups, ListGroups, ListGroupsError};
pub use node::ReleaseKind;
pub use show::{ShowGroup, ShowGroupError, ShownGroup};
