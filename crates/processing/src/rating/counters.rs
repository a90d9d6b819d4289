//! The counters of subscribers, as the keyed state of a node. Only one file at a time has the counters of a subscriber,
//! so that no unit of a bundle is used twice. The counts of a file go into the journal with the file, or not at all.

use ::rating::SubscriberCounters;
use node::{StateError, StateValue};

/// The counters of a subscriber.
#[derive(Default)]
pub(super) struct CountersValue(pub(super) SubscriberCounters);

impl StateValue for CountersValue {
    const KEY: &'static str = "subscriber";

    fn read(octets: &[u8]) -> Result<Self, StateError> {
        SubscriberCounters::read(octets).map(CountersValue).map_err(StateError::octets)
    }

    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
    }

    fn is_changed(&self) -> bool {
        self.0.is_changed()
    }

    fn accept(&mut self) {
        self.0.keep();
    }

    fn undo(&mut self) {
        self.0.take_back();
    }
}

/// Adds up the counts that two nodes have for one subscriber.
pub(super) fn add(one: &[u8], other: &[u8]) -> Result<Vec<u8>, StateError> {
    let read = |octets| SubscriberCounters::read(octets).map_err(StateError::octets);
    let mut both = read(one)?;
    both.add(&read(other)?);
    let mut octets = Vec::new();
    both.write(&mut octets);
    Ok(octets)
}
