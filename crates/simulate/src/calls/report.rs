//! What became of a load.

use std::time::Duration;

use super::FAULTS_MAX;

/// How many attempts there were of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Inquiries of balances.
    pub inquiries: u64,
    /// Calls that no one answered.
    pub without_answer: u64,
    /// Calls that ended by themselves.
    pub calls: u64,
    /// Calls that ended because there was no money for more.
    pub cut: u64,
    /// Calls that were refused for lack of money.
    pub refused: u64,
    /// Requests that were sent twice.
    pub repeated: u64,
    /// Attempts that broke off since there was no answer.
    pub failed: u64,
}

/// What became of a load.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The attempts.
    pub counts: Counts,
    /// How long they took.
    pub elapsed: Duration,
    /// How long each request waited for its answer, in microseconds.
    waits: Vec<u32>,
    /// What was used costs this, in billionths.
    pub cost: i128,
    /// What the balances have less, in billionths.
    pub taken: i128,
    /// Answers and balances that are wrong: the first ones.
    pub faults: Vec<String>,
    /// How many there are of these.
    pub fault_count: u64,
}

impl Report {
    /// Returns the number of requests that were answered.
    pub fn requests(&self) -> usize {
        self.waits.len()
    }

    /// Returns how long requests waited: the time that a share of them was answered within.
    pub fn wait(&mut self, share: f64) -> Duration {
        self.waits.sort_unstable();
        let at = (self.waits.len() as f64 * share) as usize;
        let wait = self.waits.get(at.min(self.waits.len().saturating_sub(1)));
        Duration::from_micros(wait.copied().unwrap_or_default().into())
    }

    pub(super) fn answered(&mut self, wait: Duration) {
        self.waits.push(u32::try_from(wait.as_micros()).unwrap_or(u32::MAX));
    }

    pub(super) fn fault(&mut self, text: String) {
        self.fault_count += 1;
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(text);
        }
    }

    pub(super) fn add(&mut self, other: Report) {
        let (own, of) = (&mut self.counts, other.counts);
        own.inquiries += of.inquiries;
        own.without_answer += of.without_answer;
        own.calls += of.calls;
        own.cut += of.cut;
        own.refused += of.refused;
        own.repeated += of.repeated;
        own.failed += of.failed;
        self.waits.extend(other.waits);
        self.fault_count += other.fault_count;
        let room = FAULTS_MAX.saturating_sub(self.faults.len());
        self.faults.extend(other.faults.into_iter().take(room));
    }
}
