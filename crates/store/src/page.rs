//! Pages of long lists, by the numbers of their rows.

use std::cmp::Reverse;

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

#[cfg(test)]
mod tests {
    use super::*;

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
