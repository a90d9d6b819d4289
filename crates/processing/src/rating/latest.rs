//! How late a usage may have started. What lies in the future was made by a clock that is wrong, or is read wrongly: it has
//! no price yet, and counted in a month to come it would end the months before.

use ::rating::{Moment, in_utc};
use node::{LatestTime, Refusal};

/// How far a network element's clock may be ahead, its zone mistaken.
const AHEAD_SECONDS: Moment = 24 * 60 * 60;

/// The latest moment at which a usage may have started.
pub(super) struct Latest {
    clock: Option<LatestTime>,
    /// As the clock said when it was last asked, which is when something started later.
    moment: Moment,
}

impl Default for Latest {
    /// Without a clock nothing is too late.
    fn default() -> Self {
        Latest { clock: None, moment: Moment::MAX }
    }
}

impl Latest {
    pub(super) fn by(clock: LatestTime) -> Self {
        Latest { clock: Some(clock), moment: Moment::MIN }
    }

    /// Refuses what started in the future.
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
    Refusal::new(format!(
        "no tariff: time: it was made in the future: it started at {}, which is more than a day from now",
        in_utc(start)
    ))
}
