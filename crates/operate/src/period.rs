//! The period of a report or a list in a request.

use std::ops::Range;

use flow::flow_journal::JournalError;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::moment::Moment;
use crate::refusals;

/// A period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
pub struct Period {
    /// The beginning of the period, inclusive: a day (`2026-11-21`, which begins in UTC), or a time with its zone
    /// (`2026-11-21T14:05:00Z`).
    pub from: Option<Moment>,
    /// The end of the period, exclusive; written like `from`.
    pub to: Option<Moment>,
}

refusals! {
    /// Why a period is refused.
    pub enum PeriodError {
        /// Its end is not behind its beginning.
        Reversed => Wrong "period-reversed" "\"to\" has to be later than \"from\"",
    }
}

refusals! {
    /// Why nothing of a period is read.
    pub enum PeriodReadError {
        /// The period is wrong.
        Period(PeriodError) => [Wrong],
        /// The journal fails.
        Journal(JournalError) => [],
    }
}

refusals! {
    /// Why nothing of a period is read, where the request may name what is unknown.
    pub enum NamedPeriodReadError {
        /// The period is wrong.
        Period(PeriodError) => [Wrong],
        /// A name in the request is unknown, or the journal fails.
        Journal(JournalError) => [Unknown],
    }
}

impl Period {
    /// Returns the period in milliseconds since 1970. A missing bound is open.
    pub(crate) fn range(self) -> Result<Range<i64>, PeriodError> {
        match (self.from, self.to) {
            (Some(from), Some(to)) if from >= to => Err(PeriodError::Reversed),
            (from, to) => {
                Ok(from.map_or(i64::MIN, |from| from.ms)..to.map_or(i64::MAX, |to| to.ms))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_ends_behind_its_beginning() {
        let range = |from: Option<i64>, to: Option<i64>| {
            let [from, to] = [from, to].map(|at| at.map(|ms| Moment { ms }));
            Period { from, to }.range().ok()
        };
        assert_eq!(range(Some(1), Some(2)), Some(1..2));
        assert_eq!(range(None, Some(2)), Some(i64::MIN..2));
        assert_eq!(range(Some(1), None), Some(1..i64::MAX));
        assert_eq!((range(Some(2), Some(2)), range(Some(2), Some(1))), (None, None));
    }
}
