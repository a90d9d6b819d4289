//! Filters for records in suspense.

use std::fmt;
use std::path::Path;

use diagnostics::counted;
use runtime::time::shown;
use store::{Connection, Page, QueryResult, ToSql, params_from_iter};

use super::State;
use flow::flow_journal;
use flow::flow_journal::JournalError;
use flow::outcome::Why;

/// A filter for records: a record must match every field that is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Their numbers.
    pub ids: Option<Vec<i64>>,
    /// The network element of their files.
    pub network_element: Option<String>,
    /// The name of their file.
    pub file: Option<String>,
    /// The node or system that could not process them; the empty name where they could not be read.
    pub node: Option<String>,
    /// A text that the reason contains.
    pub reason: Option<String>,
    /// The code of the reason.
    pub code: Option<String>,
    /// The template of the reason.
    pub template: Option<String>,
    /// A value in the reason.
    pub value: Option<String>,
    /// Why they were set aside.
    pub why: Option<Why>,
    /// The earliest time they came, in milliseconds since 1970.
    pub from_ms: Option<i64>,
    /// The time before which they came, in milliseconds since 1970.
    pub to_ms: Option<i64>,
    /// The greatest record number.
    pub up_to: Option<i64>,
    /// Their state.
    pub state: Option<State>,
    /// The most records to choose; the oldest are chosen.
    pub limit: Option<u64>,
}

/// The condition that the number of a record is in the list that is the first value.
pub const IS_CHOSEN: &str = "suspense.id IN (SELECT value FROM json_each(?1))";

impl Filter {
    /// Returns whether the filter matches all records of its state.
    pub fn is_all(&self) -> bool {
        *self == Filter { state: self.state, ..Filter::default() }
    }

    /// Returns the numbers of the matching records as a JSON list, for [`IS_CHOSEN`].
    pub fn choose(&self, db: &Connection) -> QueryResult<String> {
        self.numbers(db, "ASC", Bounds { limit: self.limit_or_none(), ..Bounds::NONE })
    }

    /// Returns the limit, or -1, with which SQLite's LIMIT has no bound.
    pub(super) fn limit_or_none(&self) -> i64 {
        self.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(-1))
    }

    /// Returns the matching records on a page, and one more if there are more.
    pub(super) fn choose_page(&self, db: &Connection, page: Page) -> QueryResult<String> {
        if self.limit.is_some() {
            let oldest: Vec<i64> = serde_json::from_str(&self.choose(db)?).expect("numbers");
            let without_limit = Filter { ids: Some(oldest), limit: None, ..self.clone() };
            return without_limit.choose_page(db, page);
        }
        let bounds = Bounds { above: page.above(), below: page.below(), limit: page.one_more() };
        self.numbers(db, page.order(), bounds)
    }

    fn numbers(&self, db: &Connection, order: &str, bounds: Bounds) -> QueryResult<String> {
        let select = format!("SELECT json_group_array(id) FROM ({})", chosen(self, order));
        let values = self.values(bounds);
        db.query_row(&select, params_from_iter(values), |row| row.get(0))
    }

    /// Returns the values for the parameters of [`chosen`].
    pub(super) fn values(&self, bounds: Bounds) -> [Box<dyn ToSql + '_>; 16] {
        let ids = self.ids.as_ref().map(|ids| serde_json::to_string(ids).expect("numbers"));
        [
            Box::new(ids),
            Box::new(&self.network_element),
            Box::new(&self.file),
            Box::new(&self.node),
            Box::new(&self.reason),
            Box::new(self.why.map(Why::word)),
            Box::new(self.from_ms),
            Box::new(self.to_ms),
            Box::new(self.state.map(State::word)),
            Box::new(bounds.limit),
            Box::new(bounds.below),
            Box::new(self.up_to),
            Box::new(bounds.above),
            Box::new(&self.code),
            Box::new(&self.template),
            Box::new(&self.value),
        ]
    }
}

/// The numbers that records must be between, and the most of them.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) above: i64,
    pub(super) below: i64,
    /// -1 for no limit.
    pub(super) limit: i64,
}

impl Bounds {
    pub(super) const NONE: Bounds = Bounds { above: i64::MIN, below: i64::MAX, limit: -1 };
}

/// Returns the query of the records that match a filter's values: their numbers, and the columns to count by. Given
/// numbers are looked up, and not compared with each record.
pub(super) fn chosen(filter: &Filter, order: &str) -> String {
    let ids = match filter.ids {
        Some(_) => "suspense.id IN (SELECT value FROM json_each(?1))",
        None => "?1 IS NULL",
    };
    format!(
        "SELECT suspense.id AS id, network_element, node, reason, reason_id, reason_values
         FROM set_aside AS suspense JOIN file ON file.id = suspense.file
         WHERE {ids}
           AND (?2 IS NULL OR network_element = ?2)
           AND (?3 IS NULL OR name = ?3)
           AND (?4 IS NULL OR node = ?4)
           AND (?5 IS NULL OR instr(reason, ?5) > 0)
           AND (?6 IS NULL OR why = ?6)
           AND (?7 IS NULL OR done_ms >= ?7)
           AND (?8 IS NULL OR done_ms < ?8)
           AND (?9 IS NULL OR state = ?9) AND suspense.id < ?11 AND suspense.id > ?13
           AND (?12 IS NULL OR suspense.id <= ?12)
           AND (?14 IS NULL OR reason_id IN (SELECT id FROM reason WHERE code = ?14))
           AND (?15 IS NULL OR reason_id IN (SELECT id FROM reason WHERE template = ?15))
           AND (?16 IS NULL OR ?16 IN
               (SELECT value FROM json_each(iif(json_valid(reason_values), reason_values, '[]'))))
         ORDER BY suspense.id {order} LIMIT ?10"
    )
}

/// The most records that an entry of the audit trail names; `suspense list --state discarded` lists all.
const NAMED_MAX: usize = 100;

/// The action of the audit trail for records that were reopened.
pub const REOPEN: &str = "suspense reopen";

/// Returns the subject that the audit trail uses for one record; the record's history is found by it.
pub fn subject(id: i64) -> String {
    format!("1 record: number {id}")
}

/// Lists numbers of records: `17`, `17, 18 and 4 more`.
pub(super) fn numbers(ids: &[i64]) -> String {
    let named: Vec<String> = ids.iter().take(NAMED_MAX).map(i64::to_string).collect();
    match ids.len() - named.len() {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

impl Filter {
    /// Returns the subject for the audit trail: the filter, and the records that were changed.
    pub fn subject(&self, done: &[i64]) -> String {
        let (count, numbers) = (counted(done.len(), "record"), numbers(done));
        let number = if done.len() == 1 { "number" } else { "numbers" };
        let is_by_number = Filter { ids: None, ..self.clone() }.is_all();
        match self.ids.is_some() && is_by_number {
            true => format!("{count}: {number} {numbers}"),
            false => format!("{count}: {self}, {number} {numbers}"),
        }
    }
}

/// Shows the filter without the numbers: `of "boston", reason "no IMSI"`.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |what: &str, text: &Option<String>| {
            text.as_ref().map(|text| format!("{what} \"{text}\""))
        };
        let when = |what: &str, at: Option<i64>| at.map(|at| format!("{what} {}", shown(at)));
        let parts = [
            quoted("of", &self.network_element),
            quoted("file", &self.file),
            quoted("node", &self.node),
            quoted("reason", &self.reason),
            quoted("code", &self.code),
            quoted("reason like", &self.template),
            // The value may be the number of a subscriber. The trail lives longer than the records.
            self.value.as_ref().map(|_| "a value in the reason".to_owned()),
            self.why.map(|why| why.word().to_owned()),
            when("from", self.from_ms),
            when("before", self.to_ms),
            self.up_to.map(|last| format!("up to number {last}")),
            self.limit.map(|limit| format!("{limit} at most")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(if parts.is_empty() { "all".into() } else { parts.join(", ") }.as_str())
    }
}

/// Returns the number of records that are to be retried, on any request.
///
/// # Errors
///
/// There is no journal, or it cannot be read.
pub fn to_be_retried(flow: &Path) -> Result<u64, JournalError> {
    let count = "SELECT count(*) FROM suspense WHERE asked IS NOT NULL";
    flow_journal::read(flow, |db| db.query_row(count, [], |row| row.get::<_, i64>(0)))
        .map(|count| count as u64)
}

/// Returns a message for those numbers that have no record in this state; the action skips them.
pub fn others(flow: &Path, ids: &[i64], state: State) -> Result<Vec<String>, JournalError> {
    let ids = serde_json::to_string(ids).expect("numbers");
    let others = flow_journal::read(flow, |db| {
        let mut select = db.prepare(
            "SELECT DISTINCT value, suspense.id IS NOT NULL FROM json_each(?)
             LEFT JOIN suspense ON suspense.id = value
             WHERE state IS NOT ? ORDER BY value",
        )?;
        let others =
            select.query_map([&ids, state.word()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        others.collect::<QueryResult<_>>()
    })?;
    let (known, unknown): (Vec<(i64, bool)>, Vec<_>) = Vec::into_iter(others).partition(|id| id.1);
    let message = |ids: &[(i64, bool)], one: &str, several: &str| {
        let ids: Vec<i64> = ids.iter().map(|(id, _)| *id).collect();
        let text = if ids.len() == 1 { one } else { several };
        (!ids.is_empty()).then(|| text.replace("{}", &numbers(&ids)))
    };
    let known = match state {
        State::Open => {
            message(&known, "record {} is no longer open", "records {} are no longer open")
        }
        State::Discarded => {
            message(&known, "record {} is not discarded", "records {} are not discarded")
        }
        State::Retried => {
            message(&known, "record {} was not retried", "records {} were not retried")
        }
    };
    let unknown = message(
        &unknown,
        "there is no record {} in suspense",
        "there are no records {} in suspense",
    );
    Ok(known.into_iter().chain(unknown).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trail_names_the_records_and_what_they_were_chosen_by() {
        let by_number = Filter { ids: Some(vec![63, 25, 9]), ..Filter::default() };
        let boston = Filter { network_element: Some("boston".into()), ..by_number.clone() };
        let of_value = Filter { value: Some("33509978926".into()), ..Filter::default() };
        let hundred: Vec<i64> = (1..=100).collect();
        let first: Vec<String> = hundred.iter().map(i64::to_string).collect();
        let first = first.join(", ");
        for (filter, done, expected) in [
            (&by_number, &[25, 63][..], "2 records: numbers 25, 63"),
            (&by_number, &[25], "1 record: number 25"),
            (&boston, &[25, 63], "2 records: of \"boston\", numbers 25, 63"),
            (&Filter::default(), &[7], "1 record: all, number 7"),
            // Not the number of a subscriber.
            (&of_value, &[7], "1 record: a value in the reason, number 7"),
            (&by_number, &hundred, &format!("100 records: numbers {first}")),
            (
                &by_number,
                &[&hundred[..], &[101, 102]].concat(),
                &format!("102 records: numbers {first} and 2 more"),
            ),
        ] {
            assert_eq!(filter.subject(done), expected);
        }
    }
}
