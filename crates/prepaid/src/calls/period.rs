//! The period of a request.

use std::ops::Range;

use ledger::Millis;
use runtime::time::moment;

use crate::refused::Refused;

/// Returns a period. A missing bound is open.
pub(super) fn period(from: &Option<String>, to: &Option<String>) -> Result<Range<Millis>, Refused> {
    let bound = |text: &Option<String>, open| match text {
        None => Ok(open),
        Some(text) => moment(text)
            .map_err(|why| Refused::TimeInvalid { text: text.clone(), why: why.to_string() }),
    };
    let (from_ms, to_ms) = (bound(from, Millis::MIN)?, bound(to, Millis::MAX)?);
    match (from, to) {
        (Some(_), Some(text)) if to_ms <= from_ms => {
            let why = "the end of a period is later than its beginning".to_owned();
            Err(Refused::TimeInvalid { text: text.clone(), why })
        }
        _ => Ok(from_ms..to_ms),
    }
}
