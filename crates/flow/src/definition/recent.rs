//! Pages of what there is much of: the newest first, for who looks at a screen.

/// Some of many rows, the newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recent {
    /// Those with a smaller number than this, where it is not the first page.
    pub before: Option<i64>,
    /// So many of them at most.
    pub limit: u32,
}

impl Recent {
    /// The number that all are smaller than.
    pub(crate) fn before(self) -> i64 {
        self.before.unwrap_or(i64::MAX)
    }

    /// Those of all that there are that are on the page, by their numbers, and whether there are more.
    pub fn of<T>(self, mut rows: Vec<T>, number: impl Fn(&T) -> i64) -> (Vec<T>, bool) {
        rows.retain(|row| number(row) < self.before());
        rows.sort_by_key(|row| std::cmp::Reverse(number(row)));
        self.cut(rows)
    }

    /// Of one more than were asked for: those, and whether there are more.
    pub(crate) fn cut<T>(self, mut rows: Vec<T>) -> (Vec<T>, bool) {
        let are_more = rows.len() > self.limit as usize;
        rows.truncate(self.limit as usize);
        (rows, are_more)
    }
}
