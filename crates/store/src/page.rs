//! Pages of long lists, by the numbers of their rows.

use std::cmp::Reverse;
use std::ops::Range;

use crate::{Connection, QueryResult};

/// A page of many rows. The newest rows come first; with `after`, the oldest do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// The number that all rows must be below, if any.
    pub before: Option<i64>,
    /// The number that all rows must be above, if any.
    pub after: Option<i64>,
    /// The most rows of the page.
    pub limit: u32,
}

impl Page {
    /// Returns the page of the newest rows.
    pub fn newest(limit: u32) -> Self {
        Page { before: None, after: None, limit }
    }

    /// Returns the number that all rows must be below.
    pub fn below(self) -> i64 {
        self.before.unwrap_or(i64::MAX)
    }

    /// Returns the number that all rows must be above.
    pub fn above(self) -> i64 {
        self.after.unwrap_or(i64::MIN)
    }

    /// Returns the numbers between which the rows of the page are, of those between two numbers.
    pub fn between(self, (above, below): (i64, i64)) -> (i64, i64) {
        (self.above().max(above), self.below().min(below))
    }

    /// Returns the order of the numbers, as SQL says it.
    pub fn order(self) -> &'static str {
        if self.after.is_some() { "ASC" } else { "DESC" }
    }

    /// Returns the limit of a query that finds out whether there are more rows.
    pub fn one_more(self) -> i64 {
        i64::from(self.limit) + 1
    }

    /// Returns those of all rows that are on the page, by their numbers, and whether there are
    /// more.
    pub fn of<T>(self, mut rows: Vec<T>, number: impl Fn(&T) -> i64) -> (Vec<T>, bool) {
        rows.retain(|row| (self.above() < number(row)) && (number(row) < self.below()));
        match self.after {
            Some(_) => rows.sort_by_key(number),
            None => rows.sort_by_key(|row| Reverse(number(row))),
        }
        self.cut(rows)
    }

    /// Cuts rows that may be one more than the page, and returns whether there are more.
    pub fn cut<T>(self, mut rows: Vec<T>) -> (Vec<T>, bool) {
        let are_more = rows.len() > self.limit as usize;
        rows.truncate(self.limit as usize);
        (rows, are_more)
    }
}

/// The most rows of a period whose numbers are looked up, which takes about a millisecond. The rows
/// of a longer period lie so close that a page is found soon without.
const PERIOD_ROWS_MAX: i64 = 10_000;

/// An index of a table by a time. Rows get their numbers nearly in the order of these times, so the
/// rows of a period lie close together, with few others among them.
#[derive(Clone, Copy, Debug)]
pub struct TimeIndex {
    /// The table. The numbers of its rows are `id`.
    pub table: &'static str,
    /// The name of the index.
    pub name: &'static str,
    /// The column with the time in milliseconds since 1970.
    pub column: &'static str,
}

impl TimeIndex {
    /// Returns the numbers between which all rows of a period are, for a query that also compares
    /// the time: without them, it would read all rows between the end of the table and the period.
    /// For a period with many rows, these are all numbers.
    ///
    /// The numbers are values, not a part of the query, because SQLite uses one bound of each side,
    /// and not always the closer one.
    pub fn between(self, db: &Connection, period: &Range<i64>) -> QueryResult<(i64, i64)> {
        self.between_few(db, period, PERIOD_ROWS_MAX)
    }

    fn between_few(
        self,
        db: &Connection,
        period: &Range<i64>,
        rows_max: i64,
    ) -> QueryResult<(i64, i64)> {
        const ALL: (i64, i64) = (i64::MIN, i64::MAX);
        if *period == (i64::MIN..i64::MAX) {
            return Ok(ALL);
        }
        let TimeIndex { table, name, column } = self;
        let mut select = db.prepare(&format!(
            "SELECT count(*), min(id), max(id) FROM (SELECT id FROM {table} INDEXED BY {name}
                 WHERE {column} >= ?1 AND {column} < ?2 LIMIT ?3)"
        ))?;
        let values = [period.start, period.end, rows_max + 1];
        let (rows, first, last): (i64, Option<i64>, Option<i64>) =
            select.query_row(values, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(match (first, last) {
            (Some(_), Some(_)) if rows > rows_max => ALL,
            (Some(first), Some(last)) => (first.saturating_sub(1), last.saturating_add(1)),
            // No row is on the page.
            _ => (i64::MAX, i64::MIN),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_a_period_lie_between_numbers() {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(
            "CREATE TABLE deed (id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL) STRICT;
             CREATE INDEX deed_by_time ON deed (at_ms);
             -- The clock was set back before the row 5.
             INSERT INTO deed VALUES (1, 10), (2, 20), (3, 30), (4, 40), (5, 21), (6, 50);",
        )
        .unwrap();
        let index = TimeIndex { table: "deed", name: "deed_by_time", column: "at_ms" };
        let cases = [
            (20..30, (1, 6)),
            (40..60, (3, 7)),
            (10..11, (0, 2)),
            (60..70, (i64::MAX, i64::MIN)),
            (i64::MIN..i64::MAX, (i64::MIN, i64::MAX)),
            // More rows than are looked up.
            (10..50, (i64::MIN, i64::MAX)),
        ];
        for (period, expected) in cases {
            assert_eq!(index.between_few(&db, &period, 3).unwrap(), expected, "{period:?}");
        }
        let page = Page { before: Some(4), after: None, limit: 2 };
        assert_eq!(page.between((1, 6)), (1, 4));
    }

    #[test]
    fn a_page_is_the_newest_rows_or_the_oldest_after_a_number() {
        let rows = vec![3, 1, 4, 2, 5];
        let page = |before, after| Page { before, after, limit: 2 };
        let of = |page: Page| page.of(rows.clone(), |row| *row);
        assert_eq!(of(page(None, None)), (vec![5, 4], true));
        assert_eq!(of(page(Some(3), None)), (vec![2, 1], false));
        assert_eq!(of(page(None, Some(0))), (vec![1, 2], true));
        assert_eq!(of(page(Some(3), Some(1))), (vec![2], false));
    }
}
