//! The values that are most frequent in the reasons of a group of records: `prefix of 33509978926: 33, 412 records`.

use std::collections::HashMap;

use serde::Serialize;
use store::{Answer, Connection, params_from_iter};
use utoipa::ToSchema;

use super::filter::{Bounds, Filter, chosen};
use super::reasons;

/// The most records whose values are counted: the newest. So an answer takes a fraction of a second.
pub(crate) const RECORDS_MAX: i64 = 100_000;

/// The most frequent values that are returned.
const VALUES_MAX: usize = 5;

/// The values of a parameter in the reasons of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommonValues {
    /// The name of the parameter, as it is in the reason.
    pub name: String,
    /// The most frequent values, and the number of counted records with each.
    pub values: Vec<CommonValue>,
    /// The number of other values.
    pub others: u64,
}

/// A value, and the number of records that have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommonValue {
    /// The value.
    pub value: String,
    /// The number of records.
    pub records: u64,
}

/// What the records of a group have in common: network element, node, and the number of their reason.
pub(crate) type GroupKey = (String, String, i64);

/// The numbers of records with each value of a parameter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts(HashMap<String, u64>);

/// Counts the values in the reasons of groups, whose places are given. Returns the counts of each parameter.
pub(crate) fn count(
    db: &Connection,
    filter: &Filter,
    places: &HashMap<GroupKey, usize>,
) -> Answer<HashMap<usize, Vec<Counts>>> {
    let limit = filter.limit_or_none();
    let limit = if limit < 0 { RECORDS_MAX } else { limit.min(RECORDS_MAX) };
    // A filter with a limit chooses the oldest.
    let order = if filter.limit.is_some() { "ASC" } else { "DESC" };
    let select = format!(
        "SELECT network_element, node, reason_id, reason_values FROM ({}) WHERE reason_id IS NOT NULL",
        chosen(filter, order)
    );
    let mut counts: HashMap<usize, Vec<Counts>> = HashMap::new();
    let mut select = db.prepare(&select)?;
    let bounds = Bounds { limit, ..Bounds::NONE };
    let mut rows = select.query(params_from_iter(filter.values(bounds)))?;
    while let Some(row) = rows.next()? {
        let Some(place) = places.get(&(row.get(0)?, row.get(1)?, row.get(2)?)) else { continue };
        let values = reasons::values(row.get_ref(3)?.as_str_or_null()?);
        let counts = counts.entry(*place).or_default();
        counts.resize_with(counts.len().max(values.len()), Counts::default);
        for (counts, value) in counts.iter_mut().zip(values) {
            *counts.0.entry(value).or_default() += 1;
        }
    }
    Ok(counts)
}

impl Counts {
    /// Returns the number of records that were counted.
    pub(crate) fn records(&self) -> u64 {
        self.0.values().sum()
    }

    /// Returns the value that all records have.
    pub(crate) fn only(&self) -> Option<&str> {
        let mut values = self.0.keys();
        values.next().filter(|_| values.next().is_none()).map(String::as_str)
    }

    /// Returns the most frequent values.
    pub(crate) fn common(&self, name: &str) -> CommonValues {
        let value = |(value, records): (&String, &u64)| CommonValue {
            value: value.clone(),
            records: *records,
        };
        let mut values: Vec<CommonValue> = self.0.iter().map(value).collect();
        values.sort_unstable_by(|one, other| {
            other.records.cmp(&one.records).then_with(|| one.value.cmp(&other.value))
        });
        let others = values.len().saturating_sub(VALUES_MAX) as u64;
        values.truncate(VALUES_MAX);
        CommonValues { name: name.to_owned(), values, others }
    }
}
