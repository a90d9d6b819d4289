//! What a running system has counted: plain counters, to which a worker adds once for all requests that it took together.
//!
//! All are totals since the start. Rates and percentiles are those of the last minute: samples of the totals are taken every
//! few seconds, and compared.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use charging::{EventKind, LegAnswer, LegRefusal, Phase};
use ledger::Millis;
use store::COMMIT_SECONDS;

use crate::interrogation::refusal_code;
use crate::queued_request::RequestAnswer;

/// The requests of networks that are counted: phases of sessions, and kinds of events.
pub const REQUEST_KINDS: [&str; 8] = [
    "first",
    "next",
    "final",
    "debit",
    "refund",
    "balance-check",
    "price-enquiry",
    "spend-consent",
];

/// The codes of refusals that are counted: those of legs, and those of requests.
pub const REFUSAL_CODES: [&str; 15] = [
    "no-money",
    "spend-limit",
    "barred",
    "no-service",
    "service-too-long",
    "damaged",
    "no-price",
    "amount-too-large",
    "number-reused",
    "session-unknown",
    "too-many",
    "subscriber-unknown",
    "request-invalid",
    "too-busy",
    "accounts-unusable",
];

/// The upper bounds of the times of answers, in seconds. Longer ones have a place of their own.
pub const ANSWER_SECONDS: [f64; 14] =
    [0.000_2, 0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0];

/// How long the samples go back.
const WINDOW: Duration = Duration::from_secs(60);

const REQUESTS: Range<usize> = 0..REQUEST_KINDS.len();
const REFUSED: Range<usize> = REQUESTS.end..REQUESTS.end + REFUSAL_CODES.len();
const ANSWERS: Range<usize> = REFUSED.end..REFUSED.end + ANSWER_SECONDS.len() + 1;
const ANSWER_MICROSECONDS: usize = ANSWERS.end;
const BATCHES: usize = ANSWER_MICROSECONDS + 1;
const REPEATED: usize = BATCHES + 1;
const UNKNOWN_SESSIONS: usize = REPEATED + 1;
const REPLACED: usize = UNKNOWN_SESSIONS + 1;
const LAPSED: usize = REPLACED + 1;
const COUNTERS: usize = LAPSED + 1;

/// Counts of all kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts([u64; COUNTERS]);

impl Default for Counts {
    fn default() -> Self {
        Counts([0; COUNTERS])
    }
}

impl Counts {
    /// Counts a request of a network.
    pub(crate) fn request(&mut self, phase: Phase) {
        let kind = match phase {
            Phase::First => 0,
            Phase::Next => 1,
            Phase::Final => 2,
            Phase::Event(EventKind::Debit) => 3,
            Phase::Event(EventKind::Refund) => 4,
            Phase::Event(EventKind::BalanceCheck) => 5,
            Phase::Event(EventKind::PriceEnquiry) => 6,
            Phase::Event(EventKind::SpendConsent) => 7,
        };
        self.0[REQUESTS][kind] += 1;
    }

    /// Counts an answer, and how long after its request it came.
    pub(crate) fn answer(&mut self, answer: RequestAnswer<'_>, took: Duration) {
        let place = ANSWER_SECONDS.partition_point(|upto| *upto < took.as_secs_f64());
        self.0[ANSWERS][place] += 1;
        self.0[ANSWER_MICROSECONDS] += u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        match answer {
            RequestAnswer::Legs(legs) => legs.iter().for_each(|leg| self.leg(leg)),
            RequestAnswer::SubscriberUnknown => self.refused("subscriber-unknown", 1),
            RequestAnswer::SessionUnknown => self.refused("session-unknown", 1),
            RequestAnswer::Invalid(_) => self.refused("request-invalid", 1),
            RequestAnswer::TooBusy => self.refused("too-busy", 1),
            RequestAnswer::Unavailable => self.refused("accounts-unusable", 1),
        }
    }

    fn leg(&mut self, leg: &LegAnswer) {
        // A number of another request was not answered before.
        let is_again = leg.is_repeated && leg.grant != Err(LegRefusal::NumberReused);
        self.0[REPEATED] += u64::from(is_again);
        if let Err(refusal) = &leg.grant {
            self.refused(refusal_code(refusal), 1);
        }
    }

    /// Counts refusals of a code.
    pub(crate) fn refused(&mut self, code: &str, count: u64) {
        let place = REFUSAL_CODES.iter().position(|known| *known == code);
        self.0[REFUSED][place.expect("all codes are there")] += count;
    }

    /// Counts requests that were worked on together.
    pub(crate) fn batch(&mut self) {
        self.0[BATCHES] += 1;
    }

    /// Counts a request with usage of a session that is not known.
    pub(crate) fn unknown_session(&mut self) {
        self.0[UNKNOWN_SESSIONS] += 1;
    }

    /// Counts a session that a request ended to begin another one with its name.
    pub(crate) fn replaced(&mut self) {
        self.0[REPLACED] += 1;
    }

    /// Counts sessions whose network reported nothing in time.
    pub(crate) fn lapsed(&mut self, count: usize) {
        self.0[LAPSED] += count as u64;
    }

    /// Returns the requests, by kind.
    pub fn requests(&self) -> impl Iterator<Item = (&'static str, u64)> {
        REQUEST_KINDS.into_iter().zip(self.0[REQUESTS].iter().copied())
    }

    /// Returns the refusals, by code.
    pub fn refusals(&self) -> impl Iterator<Item = (&'static str, u64)> {
        REFUSAL_CODES.into_iter().zip(self.0[REFUSED].iter().copied())
    }

    /// Returns the answers: by [`ANSWER_SECONDS`], then later ones.
    pub fn answers(&self) -> &[u64] {
        &self.0[ANSWERS]
    }

    /// Returns the time between all requests and their answers, in seconds.
    pub fn answer_seconds(&self) -> f64 {
        self.0[ANSWER_MICROSECONDS] as f64 / 1e6
    }

    /// Returns how often requests were worked on, some together.
    pub fn batches(&self) -> u64 {
        self.0[BATCHES]
    }

    /// Returns the requests that came again, and got the answer of the first time.
    pub fn repeated(&self) -> u64 {
        self.0[REPEATED]
    }

    /// Returns the requests with usage of sessions that are not known.
    pub fn unknown_sessions(&self) -> u64 {
        self.0[UNKNOWN_SESSIONS]
    }

    /// Returns the sessions that ended since another one with their name began.
    pub fn replaced_sessions(&self) -> u64 {
        self.0[REPLACED]
    }

    /// Returns the sessions whose network reported nothing in time.
    pub fn lapsed_sessions(&self) -> u64 {
        self.0[LAPSED]
    }

    fn since(&self, before: &Counts) -> Counts {
        Counts(std::array::from_fn(|place| self.0[place].saturating_sub(before.0[place])))
    }
}

/// The counts of a system.
#[derive(Debug)]
pub(crate) struct Meters {
    totals: [AtomicU64; COUNTERS],
    /// When it began to answer networks.
    since: OnceLock<Millis>,
    samples: Mutex<VecDeque<Sample>>,
}

impl Default for Meters {
    fn default() -> Self {
        Meters {
            totals: std::array::from_fn(|_| AtomicU64::new(0)),
            since: OnceLock::new(),
            samples: Mutex::default(),
        }
    }
}

/// The totals at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) counts: Counts,
    /// Transactions of the journal: by [`COMMIT_SECONDS`], then longer ones.
    pub(crate) commits: [u64; COMMIT_SECONDS.len() + 1],
    /// What was charged, in billionths.
    pub(crate) revenue: i128,
}

#[derive(Debug)]
struct Sample {
    at: Instant,
    totals: Totals,
}

/// What was counted in the last minute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recent {
    /// How long that was.
    pub(crate) time: Duration,
    pub(crate) counted: Totals,
}

impl Meters {
    /// Adds what a worker has counted.
    pub(crate) fn add(&self, counts: &Counts) {
        for (total, count) in self.totals.iter().zip(counts.0) {
            if count > 0 {
                total.fetch_add(count, Ordering::Relaxed);
            }
        }
    }

    /// Returns the totals.
    pub(crate) fn counts(&self) -> Counts {
        Counts(std::array::from_fn(|place| self.totals[place].load(Ordering::Relaxed)))
    }

    /// Notes that networks are answered from now on.
    pub(crate) fn begin(&self, now: Millis) {
        self.since.get_or_init(|| now);
    }

    /// Returns since when networks are answered. `None` if they are not.
    pub(crate) fn since(&self) -> Option<Millis> {
        self.since.get().copied()
    }

    /// Takes a sample of the totals.
    pub(crate) fn sample(&self, at: Instant, totals: Totals) {
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        // One that is older than the window stays: it is its beginning.
        while samples.get(1).is_some_and(|next| at.duration_since(next.at) >= WINDOW) {
            samples.pop_front();
        }
        samples.push_back(Sample { at, totals });
    }

    /// Returns what was counted since the oldest sample. `None` if there is none.
    pub(crate) fn recent(&self, now: Instant, totals: &Totals) -> Option<Recent> {
        let samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        let Sample { at, totals: before } = samples.front()?;
        let commits = std::array::from_fn(|place| {
            totals.commits[place].saturating_sub(before.commits[place])
        });
        let counted = Totals {
            counts: totals.counts.since(&before.counts),
            commits,
            revenue: totals.revenue - before.revenue,
        };
        Some(Recent { time: now.saturating_duration_since(*at), counted })
    }
}

/// Returns the time within which a part of all things was done, in seconds. `None` if there are none.
///
/// Within its bounds it is estimated; beyond the last bound it is that.
pub(crate) fn percentile(counts: &[u64], bounds: &[f64], part: f64) -> Option<f64> {
    let all: u64 = counts.iter().sum();
    let mut wanted = part * all as f64;
    let mut before = 0.0;
    for (count, bound) in counts.iter().zip(bounds) {
        let count = *count as f64;
        if count > 0.0 && wanted <= count {
            return Some(before + (bound - before) * wanted / count);
        }
        wanted -= count;
        before = *bound;
    }
    (all > 0).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_between_the_bounds_of_its_place() {
        let bounds = [1.0, 2.0, 5.0];
        assert_eq!(percentile(&[0, 0, 0, 0], &bounds, 0.5), None);
        assert_eq!(percentile(&[0, 10, 0, 0], &bounds, 0.5), Some(1.5));
        assert_eq!(percentile(&[50, 49, 1, 0], &bounds, 0.5), Some(1.0));
        assert_eq!(percentile(&[50, 49, 1, 0], &bounds, 0.99), Some(2.0));
        assert_eq!(
            percentile(&[0, 0, 0, 3], &bounds, 0.5),
            Some(5.0),
            "it is later than all bounds"
        );
    }

    #[test]
    fn the_last_minute_is_since_the_sample_at_its_beginning() {
        let meters = Meters::default();
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut counts = Counts::default();
        counts.refused("barred", 1);
        let totals = |revenue| Totals { counts: meters.counts(), commits: [0; 11], revenue };
        assert_eq!(meters.recent(begun, &totals(0)), None);
        for second in (0..=100).step_by(5) {
            meters.sample(at(second), totals(second.into()));
            meters.add(&counts);
        }
        let recent = meters.recent(at(101), &totals(101)).unwrap();
        assert_eq!((recent.time, recent.counted.revenue), (Duration::from_secs(61), 61));
        let refusals = recent.counted.counts.refusals();
        assert_eq!(refusals.map(|(_, count)| count).sum::<u64>(), 13);
    }
}
