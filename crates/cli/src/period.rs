//! The period of a report or a list.

use std::ops::Range;

use operate::moment::Moment;
use runtime::time::{moment, shown};

use crate::outcome::CommandError;

/// From when to when.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Period {
    /// Only from this time on: a day, which begins in UTC, or a time with its zone
    #[arg(long, value_name = "TIME", value_parser = moment)]
    from: Option<i64>,
    /// Only before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    to: Option<i64>,
}

impl Period {
    /// Returns whether a bound is given.
    pub(crate) fn is_given(self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    /// Returns its bounds.
    pub(crate) fn bounds(self) -> Result<(Option<Moment>, Option<Moment>), CommandError> {
        self.range()?;
        let moment = |ms: Option<i64>| ms.map(|ms| Moment { ms });
        Ok((moment(self.from), moment(self.to)))
    }

    /// Returns its bounds as texts.
    pub(crate) fn texts(self) -> Result<(Option<String>, Option<String>), CommandError> {
        self.range()?;
        Ok((self.from.map(shown), self.to.map(shown)))
    }

    /// Returns the period for a request.
    pub(crate) fn request(self) -> Result<operate::period::Period, CommandError> {
        self.range()?;
        let [from, to] = [self.from, self.to].map(|at| at.map(|ms| Moment { ms }));
        Ok(operate::period::Period { from, to })
    }

    /// Returns the period in milliseconds since 1970. A missing bound is open.
    pub(crate) fn range(self) -> Result<Range<i64>, CommandError> {
        match (self.from, self.to) {
            (Some(from), Some(to)) if from >= to => Err(CommandError::Mistakes(format!(
                "nothing is from {} on and before {}: --to is the later of the two",
                shown(from),
                shown(to)
            ))),
            (from, to) => Ok(from.unwrap_or(i64::MIN)..to.unwrap_or(i64::MAX)),
        }
    }
}
