//! What is counted of a peer.

use std::sync::atomic::{AtomicU64, Ordering};

use diameter::result::ResultCode;
use prepaid::PeerResult;

/// The classes of results, with one for others (RFC 6733 section 7.1).
pub(crate) const CLASSES: usize = 6;

/// The codes of results that are counted each for itself.
const RESULTS: [u32; 23] = [
    2001, 3001, 3002, 3003, 3004, 3005, 3007, 3008, 3009, 4010, 4011, 4012, 5001, 5002, 5004, 5005,
    5006, 5008, 5009, 5012, 5014, 5030, 5031,
];

/// What was counted of a peer.
#[derive(Debug, Default)]
pub(crate) struct PeerMeters {
    requests: AtomicU64,
    results: [AtomicU64; RESULTS.len()],
    other_results: AtomicU64,
    /// Answers to no request of this node, and requests after the peer wanted to disconnect.
    discarded: AtomicU64,
    /// Reports of usage in sessions that are not known.
    orphans: AtomicU64,
    /// Services of which the total of octets is not the sum of both directions.
    unequal_octets: AtomicU64,
}

impl PeerMeters {
    pub(crate) fn request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn answered(&self, result: ResultCode) {
        let place = RESULTS.iter().position(|code| *code == result.0);
        let counter = place.map_or(&self.other_results, |place| &self.results[place]);
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn discarded(&self) {
        self.discarded.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn orphan(&self) {
        self.orphans.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn unequal_octets(&self, services: u64) {
        self.unequal_octets.fetch_add(services, Ordering::Relaxed);
    }

    /// Returns the requests of credit control.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Returns the messages that were passed over.
    pub(crate) fn discarded_count(&self) -> u64 {
        self.discarded.load(Ordering::Relaxed)
    }

    /// Returns the reports of usage in sessions that are not known.
    pub(crate) fn orphan_count(&self) -> u64 {
        self.orphans.load(Ordering::Relaxed)
    }

    /// Returns the services of which the total of octets is not the sum of both directions.
    pub(crate) fn unequal_octets_count(&self) -> u64 {
        self.unequal_octets.load(Ordering::Relaxed)
    }

    /// Returns the answers by the classes of their results: the thousands of their codes. Those of codes that are not counted each
    /// for itself are in the first place.
    pub(crate) fn answers_by_class(&self) -> [u64; CLASSES] {
        let mut classes = [0; CLASSES];
        for (code, counter) in RESULTS.into_iter().zip(&self.results) {
            classes[code as usize / 1_000] += counter.load(Ordering::Relaxed);
        }
        classes[0] = self.other_results.load(Ordering::Relaxed);
        classes
    }

    /// Returns the answers by their codes.
    pub(crate) fn results(&self) -> Vec<PeerResult> {
        let counted = |(code, count): (u32, &AtomicU64)| PeerResult {
            code,
            count: count.load(Ordering::Relaxed),
        };
        let known = RESULTS.into_iter().zip(&self.results);
        known.chain([(0, &self.other_results)]).map(counted).filter(|of| of.count > 0).collect()
    }
}
