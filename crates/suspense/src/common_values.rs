//! The values that are most frequent in the reasons of a group of records: `prefix of 33509978926: 33, 412 records`.

use std::collections::HashMap;

use serde::Serialize;
use store::{Connection, QueryResult, params_from_iter};
use utoipa::ToSchema;

use super::filter::{Bounds, Filter, chosen};
use flow::reasons;

/// The most records whose values are counted: the newest. So an answer takes a fraction of a second.
pub(crate) const RECORDS_MAX: i64 = 100_000;

/// The most frequent values that are returned.
const VALUES_MAX: usize = 5;

/// The most values of a parameter that are counted at once. Beyond it, the rarer ones are forgotten, so memory is bounded
/// even if each of the records has a value of its own.
const COUNTED_MAX: usize = 10_000;

/// The name of a place in a record. It differs from record to record and explains nothing, so it is not counted.
const OFFSET: &str = "offset";

/// Returns whether the values of a parameter are counted. A second one of a name has a number.
pub(crate) fn is_counted(name: &str) -> bool {
    name.strip_prefix(OFFSET)
        .is_none_or(|number| number.parse::<u32>().is_err() && !number.is_empty())
}

/// The values of a parameter in the reasons of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommonValues {
    /// The name of the parameter, as it is in the reason.
    pub name: String,
    /// The most frequent values, and the number of counted records with each.
    pub values: Vec<CommonValue>,
    /// The number of other values. It is about right if there are more than 10,000.
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
pub(crate) struct Counts {
    of_values: HashMap<String, u64>,
    /// All counted records.
    records: u64,
    /// The number of values that were forgotten.
    forgotten: u64,
}

/// Counts the values in the reasons of groups, whose places are given. Returns the counts of each parameter.
pub(crate) fn count(
    db: &Connection,
    filter: &Filter,
    places: &HashMap<GroupKey, usize>,
) -> QueryResult<HashMap<usize, Vec<Counts>>> {
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
            counts.add(value);
        }
    }
    Ok(counts)
}

impl Counts {
    fn add(&mut self, value: String) {
        self.records += 1;
        *self.of_values.entry(value).or_default() += 1;
        if self.of_values.len() > COUNTED_MAX {
            self.forget_rare();
        }
    }

    /// Forgets at least half of the values, the rarer ones. Those that are frequent among all records stay.
    fn forget_rare(&mut self) {
        let mut counts: Vec<u64> = self.of_values.values().copied().collect();
        let (_, median, _) = counts.select_nth_unstable(COUNTED_MAX / 2);
        let (before, median) = (self.of_values.len(), *median);
        self.of_values.retain(|_, records| *records > median);
        self.forgotten += (before - self.of_values.len()) as u64;
    }

    /// Returns the number of records that were counted.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// Returns the value that all records have.
    pub(crate) fn only(&self) -> Option<&str> {
        let mut values = self.of_values.keys();
        let is_one = self.forgotten == 0 && self.of_values.len() == 1;
        values.next().filter(|_| is_one).map(String::as_str)
    }

    /// Returns the most frequent values.
    pub(crate) fn common(&self, name: &str) -> CommonValues {
        let value = |(value, records): (&String, &u64)| CommonValue {
            value: value.clone(),
            records: *records,
        };
        let mut values: Vec<CommonValue> = self.of_values.iter().map(value).collect();
        values.sort_unstable_by(|one, other| {
            other.records.cmp(&one.records).then_with(|| one.value.cmp(&other.value))
        });
        let others = values.len().saturating_sub(VALUES_MAX) as u64 + self.forgotten;
        values.truncate(VALUES_MAX);
        CommonValues { name: name.to_owned(), values, others }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frequent_value_is_found_among_more_values_than_are_counted() {
        let mut counts = Counts::default();
        for record in 0..10 * COUNTED_MAX {
            let value = if record % 3 == 0 { "33".to_owned() } else { record.to_string() };
            counts.add(value);
            assert!(counts.of_values.len() <= COUNTED_MAX);
        }
        assert_eq!(counts.records(), 10 * COUNTED_MAX as u64);
        let CommonValues { values, others, .. } = counts.common("number");
        let records = 10 * COUNTED_MAX as u64 / 3 + 1;
        assert_eq!(values[0], CommonValue { value: "33".into(), records });
        assert_eq!(others + 5, 10 * COUNTED_MAX as u64 - records + 1);
        assert_eq!(counts.only(), None);
    }

    #[test]
    fn places_in_a_record_are_not_counted() {
        let names = ["offset", "offset2", "offsets", "tag"];
        assert_eq!(names.map(is_counted), [false, false, true, true]);
    }
}
