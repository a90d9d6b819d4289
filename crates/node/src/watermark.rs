//! How far the time of a network element has come in a node: the latest time that one of its records had.

use std::fmt::Display;

use crate::{RecordEnd, Refusal, Refused, StateError};

/// How far the clock of a network element may be ahead, including a wrong time zone. A later time is not accepted as
/// the time of a record.
const AHEAD_MS: i64 = 24 * 60 * 60 * 1_000;

/// The latest time of a network element's records, with those of the file in hand. All times are in milliseconds since
/// 1970.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watermark {
    is_known: bool,
    /// The time by the records before the current one.
    before_ms: Option<i64>,
    /// The time with the current record included.
    ms: Option<i64>,
    /// Whether the file has advanced it.
    is_new: bool,
}

impl Watermark {
    /// Notes the time at which the current record was made. `latest_ms` is the latest possible time. `read` reads the
    /// watermark of the files before; it is called once a file.
    ///
    /// # Errors
    ///
    /// Rejects the record if it was made in the future, and the file for now if the watermark cannot be read.
    #[inline]
    pub fn pass(
        &mut self,
        time_ms: i64,
        latest_ms: i64,
        read: impl FnOnce() -> Result<Option<i64>, StateError>,
    ) -> Result<(), Refusal> {
        if time_ms > latest_ms.saturating_add(AHEAD_MS) {
            return Err(Refusal::new("it was made in the future"));
        }
        if !self.is_known {
            let ms = read().map_err(not_now)?;
            *self = Watermark { is_known: true, before_ms: ms, ms, is_new: false };
        }
        // A clock that is ahead advances the time no farther than the gateway's own: records that others write now are
        // not late.
        self.ms = self.ms.max(Some(time_ms.min(latest_ms)));
        Ok(())
    }

    /// Ends the current record. If it is not kept, it advanced nothing.
    #[inline]
    pub fn end_record(&mut self, end: RecordEnd) {
        match end.is_kept() {
            true => {
                self.is_new |= self.ms != self.before_ms;
                self.before_ms = self.ms;
            }
            false => self.ms = self.before_ms,
        }
    }

    /// Returns the time by the records before the current one.
    pub fn before_ms(&self) -> Option<i64> {
        self.before_ms
    }

    /// Returns the time with the current record included.
    pub fn ms(&self) -> Option<i64> {
        self.ms
    }

    /// Returns the time for the journal, if the file has advanced it.
    pub fn advanced_ms(&self) -> Option<i64> {
        self.ms.filter(|_| self.is_new)
    }
}

/// Rejects the file for now: it is tried again later.
#[cold]
pub(crate) fn not_now(why: impl Display) -> Refusal {
    Refusal::of(Refused::File, why.to_string())
}
