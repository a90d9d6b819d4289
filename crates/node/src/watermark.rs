//! Watermarks: the latest time of a network element's records in a node.

use crate::{RecordEnd, Refusal, StateError, StateRefusal};

/// How far the clock of a network element may be ahead, including a wrong time zone. A later time
/// is not accepted as the time of a record.
const AHEAD_MS: i64 = 24 * 60 * 60 * 1_000;

/// The latest time of a network element's records, with those of the file in hand. All times are in
/// milliseconds since 1970.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watermark {
    is_known: bool,
    /// The time by the records before the current one.
    before_ms: Option<i64>,
    /// The time with the current record included.
    ms: Option<i64>,
    /// Whether the file has advanced it.
    is_advanced: bool,
}

impl Watermark {
    /// Notes the time at which the current record was made. `latest_ms` is the latest possible
    /// time. `read` reads the watermark of the files before; it is called once a file.
    ///
    /// # Errors
    ///
    /// Rejects the record if it was made in the future, and the file for now if the watermark
    /// cannot be read.
    #[inline]
    pub fn advance(
        &mut self,
        time_ms: i64,
        latest_ms: i64,
        read: impl FnOnce() -> Result<Option<i64>, StateError>,
    ) -> Result<(), Refusal> {
        if time_ms > latest_ms.saturating_add(AHEAD_MS) {
            return Err(Refusal::new(&StateRefusal::InFuture));
        }
        if !self.is_known {
            let ms = read().map_err(|error| Refusal::of_file(&error))?;
            *self = Watermark { is_known: true, before_ms: ms, ms, is_advanced: false };
        }
        // A record from a clock that is ahead advances the watermark to the gateway's time at most.
        // Otherwise current records of other network elements would be late.
        self.ms = self.ms.max(Some(time_ms.min(latest_ms)));
        Ok(())
    }

    /// Ends the current record. A refused record does not advance the watermark.
    #[inline]
    pub fn end_record(&mut self, end: RecordEnd) {
        match end.is_accepted() {
            true => {
                self.is_advanced |= self.ms != self.before_ms;
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
        self.ms.filter(|_| self.is_advanced)
    }
}
