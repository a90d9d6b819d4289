//! The level of the last day: what traffic is to what it was in the weeks before, such as after growth, or with a new neighbour.

use super::recent::Recent;

/// The hours that say what the level is, at most and at least. With less than half of a day, a morning would be the level.
const HOURS_MAX: usize = 24;
const HOURS_MIN: usize = 12;

/// The least and the greatest level: what is beyond is a fault, or a [shift](super::Shift).
const LEAST: f64 = 0.5;
const GREATEST: f64 = 2.0;

/// The steps of an octave. A share is a step of the two octaves from [`LEAST`] to [`GREATEST`], counted from 1; 0 is not known.
const STEPS: f64 = 127.0;

/// What values of the last 24 hours are to their usual ones, in steps of 0.55 %.
///
/// It is for numbers that grow with traffic. A rate of failures has no level: a slow rise would become usual within a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// The last hour, in hours since 1970.
    last: u32,
    /// The shares of the hours up to it, the last one first.
    shares: [u8; HOURS_MAX],
}

impl Level {
    /// Adds the value of an hour, counted since 1970, and its usual one without a level. An hour that comes again replaces its share,
    /// one that is late takes its place, and one that is a day late is left out.
    pub fn add(&mut self, hour: u32, value: f64, middle: f64) {
        let at = match Recent::of(hour, self.last) {
            Recent::Ahead(ahead) => {
                let ahead = (ahead as usize).min(HOURS_MAX);
                self.shares.copy_within(..HOURS_MAX - ahead, ahead);
                self.shares[..ahead].fill(0);
                self.last = hour;
                0
            }
            Recent::Behind(behind) => behind as usize,
        };
        if let Some(share) = self.shares.get_mut(at) {
            *share = step(value / middle);
        }
    }

    /// Returns the level, 0.5 to 2: the median of the shares, or 1 if those of fewer than 12 hours are known.
    pub fn now(&self) -> f64 {
        let mut shares = self.shares;
        shares.sort_unstable();
        let known = &shares[shares.partition_point(|share| *share == 0)..];
        if known.len() < HOURS_MIN {
            return 1.0;
        }
        let [low, high] = [known[(known.len() - 1) / 2], known[known.len() / 2]];
        LEAST * ((f64::from(low) + f64::from(high) - 2.0) / 2.0 / STEPS).exp2()
    }
}

/// Returns the step of a share. A share of nothing is not known.
fn step(share: f64) -> u8 {
    if !share.is_finite() {
        return 0;
    }
    1 + ((share.clamp(LEAST, GREATEST) / LEAST).log2() * STEPS).round() as u8
}

const _: () = assert!(1.0 + 2.0 * STEPS <= u8::MAX as f64);
