//! Pages of long lists, the newest first.

/// A page of many rows, the newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recent {
    /// The number that all rows must be below; none for the first page.
    pub before: Option<i64>,
    /// The most rows of the page.
    pub limit: u32,
}

impl Recent {
    /// Returns the number that all rows must be below.
    pub fn before(self) -> i64 {
        self.before.unwrap_or(i64::MAX)
    }

    /// Returns those of all rows that are on the page, by their numbers, and whether there are more.
    pub fn of<T>(self, mut rows: Vec<T>, number: impl Fn(&T) -> i64) -> (Vec<T>, bool) {
        rows.retain(|row| number(row) < self.before());
        rows.sort_by_key(|row| std::cmp::Reverse(number(row)));
        self.cut(rows)
    }

    /// Cuts rows that may be one more than the page, and returns whether there are more.
    pub fn cut<T>(self, mut rows: Vec<T>) -> (Vec<T>, bool) {
        let are_more = rows.len() > self.limit as usize;
        rows.truncate(self.limit as usize);
        (rows, are_more)
    }
}
