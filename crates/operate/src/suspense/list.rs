//! Lists records in suspense, and counts them.

use ::suspense::{Alike, Counted, Suspended, known};
use people::Role;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::filter::RecordFilter;
use crate::context::Context;
use crate::operation::Operation;
use crate::page::{PageQuery, rows_limit};
use crate::refusal::NamedReadError;

/// Lists the records in suspense, the newest first.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct ListRecords {
    /// The records.
    #[serde(flatten)]
    pub filter: RecordFilter,
    /// The page.
    #[serde(flatten)]
    pub page: PageQuery,
}

/// A page of records in suspense.
#[derive(Debug, Serialize, ToSchema)]
pub struct Records {
    /// The records, the newest first.
    pub records: Vec<Suspended>,
    /// Whether there are more records.
    pub more: bool,
}

impl Operation for ListRecords {
    type Response = Records;
    type Error = NamedReadError;

    const NAME: &'static str = "suspense list";
    const ROLE: Role = Role::Viewer;
    const IS_CHANGE: bool = false;

    fn perform(self, context: &Context<'_>) -> Result<Records, NamedReadError> {
        let ListRecords { filter, page } = self;
        let filter = filter.records();
        known(context.flow, &filter)?;
        let (records, more) = context.read(|db| ::suspense::page(db, &filter, page.rows()))?;
        Ok(Records { records, more })
    }
}

/// Counts the records in suspense by network element, node and error.
///
/// The groups with the most records come first.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct CountRecords {
    /// The records.
    #[serde(flatten)]
    pub filter: RecordFilter,
    /// The numbers of the records.
    #[serde(skip)]
    pub ids: Option<Vec<i64>>,
    /// The maximum number of groups. Default 50, at most 1000.
    pub limit: Option<u32>,
}

/// The records in suspense, counted.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Groups)]
pub struct RecordGroups {
    /// The groups, those with the most records first.
    pub groups: Vec<Alike>,
    /// Whether there are more groups.
    pub more: bool,
    /// The number of records in all groups.
    pub records: u64,
    /// The greatest number of a record in all groups, for `up_to`; 0 if there is no record.
    pub last: i64,
}

impl Operation for CountRecords {
    type Response = RecordGroups;
    type Error = NamedReadError;

    const NAME: &'static str = "suspense alike";
    const ROLE: Role = Role::Viewer;
    const IS_CHANGE: bool = false;

    fn perform(self, context: &Context<'_>) -> Result<RecordGroups, NamedReadError> {
        let CountRecords { filter, ids, limit } = self;
        let filter = ::suspense::Filter { ids, ..filter.records() };
        known(context.flow, &filter)?;
        let groups_max = rows_limit(limit) as usize;
        let counted = context.read(|db| ::suspense::counted(db, &filter, groups_max))?;
        let Counted { groups, more, records, last } = counted;
        Ok(RecordGroups { groups, more, records, last })
    }
}
