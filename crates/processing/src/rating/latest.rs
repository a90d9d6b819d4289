//! The latest start time that is accepted. A usage in the future comes from a wrong clock or a
//! misread time. It has no price yet, and counting it in a future month would close the months
//! before.

use ::rating::{Cause, Moment, NoTariff, Step, in_utc};
use node::{LatestTime, Refusal};

/// How far the clock of a network element may be ahead, including a wrong time zone.
const AHEAD_SECONDS: Moment = 24 * 60 * 60;

/// The latest start time of a usage.
pub(super) struct Latest {
    clock: Option<LatestTime>,
    /// Updated only when a usage starts later.
    moment: Moment,
}

impl Default for Latest {
    /// Without a clock, no start time is too late.
    fn default() -> Self {
        Latest { clock: None, moment: Moment::MAX }
    }
}

impl Latest {
    pub(super) fn by(clock: LatestTime) -> Self {
        Latest { clock: Some(clock), moment: Moment::MIN }
    }

    /// Refuses a usage that starts in the future.
    pub(super) fn check(&mut self, start: Moment) -> Result<(), Refusal> {
        if start > self.moment
            && let Some(clock) = &self.clock
        {
            self.moment = clock() / 1_000 + AHEAD_SECONDS;
        }
        match start > self.moment {
            true => Err(in_the_future(start)),
            false => Ok(()),
        }
    }
}

#[cold]
fn in_the_future(start: Moment) -> Refusal {
    Refusal::new(&NoTariff::new(Step::Time, Cause::InFuture { start: in_utc(start) }))
}
