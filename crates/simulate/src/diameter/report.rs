//! What came of a load of clients of Diameter.

use std::time::Duration;

/// The most differences that a report names.
const FAULTS_MAX: usize = 20;

/// How often things were done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiameterCounts {
    /// Sessions that ended.
    pub sessions: u64,
    /// Events that were debited.
    pub events: u64,
    /// Sessions and events that were refused, since there was no money.
    pub refused: u64,
    /// Requests that were answered.
    pub requests: u64,
    /// Requests that were sent twice.
    pub repeated: u64,
    /// Connections that broke and were made again.
    pub reconnects: u64,
    /// Requests that the server was too busy for. They were sent again.
    pub too_busy: u64,
}

/// What came of a load.
#[derive(Clone, Debug, Default)]
pub struct DiameterReport {
    /// How often things were done.
    pub counts: DiameterCounts,
    /// What all of it costs, in billionths.
    pub cost: i128,
    /// How long it took.
    pub elapsed: Duration,
    /// The first answers that were not as they must be.
    pub faults: Vec<String>,
    /// How many such answers there were.
    pub fault_count: u64,
    /// How long answers took, in microseconds.
    waits: Vec<u32>,
}

impl DiameterReport {
    pub(super) fn add(&mut self, other: DiameterReport) {
        let DiameterCounts { sessions, events, refused, requests, repeated, reconnects, too_busy } =
            other.counts;
        self.counts.sessions += sessions;
        self.counts.events += events;
        self.counts.refused += refused;
        self.counts.requests += requests;
        self.counts.repeated += repeated;
        self.counts.reconnects += reconnects;
        self.counts.too_busy += too_busy;
        self.cost += other.cost;
        self.fault_count += other.fault_count;
        let room = FAULTS_MAX - self.faults.len();
        self.faults.extend(other.faults.into_iter().take(room));
        self.waits.extend(other.waits);
    }

    pub(super) fn fault(&mut self, text: String) {
        self.fault_count += 1;
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(text);
        }
    }

    pub(super) fn waited(&mut self, wait: Duration) {
        self.waits.push(u32::try_from(wait.as_micros()).unwrap_or(u32::MAX));
    }

    /// Returns within which time a share of all answers came.
    pub fn wait(&mut self, share: f64) -> Duration {
        if self.waits.is_empty() {
            return Duration::ZERO;
        }
        let place = ((self.waits.len() - 1) as f64 * share) as usize;
        let (_, wait, _) = self.waits.select_nth_unstable(place);
        Duration::from_micros(u64::from(*wait))
    }
}
