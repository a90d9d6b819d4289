//! The page of a list in a request, and places to go on at.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::refusals;

/// The number of rows of a page by default.
const ROWS: u32 = 50;

/// The greatest number of rows of a page.
pub const ROWS_MAX: u32 = 1_000;

refusals! {
    /// Why a place to go on at is refused.
    pub enum PlaceError {
        /// No response gave it.
        Unknown { /** The place. */ text: String } => Wrong "place-unknown"
            "\"{text}\" is no place that an answer gave",
    }
}

/// A page of a list, the newest entries first.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
pub struct PageQuery {
    /// Only entries with a smaller number: pass the number of the last entry of the page before.
    pub before: Option<i64>,
    /// Only entries with a greater number, the oldest first: pass the number of the last entry that you have.
    pub after: Option<i64>,
    /// The maximum number of entries. Default 50, at most 1000.
    pub limit: Option<u32>,
}

impl PageQuery {
    /// Returns the largest page after a number, for callers that read a whole list.
    pub fn after(number: i64) -> Self {
        PageQuery { before: None, after: Some(number), limit: Some(ROWS_MAX) }
    }

    /// Returns the page of rows, with a limit in the allowed range.
    pub fn rows(self) -> store::Page {
        store::Page { before: self.before, after: self.after, limit: rows_limit(self.limit) }
    }
}

/// Returns the number of rows of a page, in the allowed range.
pub(crate) fn rows_limit(limit: Option<u32>) -> u32 {
    limit.unwrap_or(ROWS).clamp(1, ROWS_MAX)
}
