//! Timers of keyed state: a node sets a timer for a key, and the engine calls the node when the timer is due.
//!
//! They work like the timers of Flink's keyed state:
//!
//! - A timer waits for event time or for arrival time ([`Time`]). It is due when that time has reached its own.
//! - A key has at most one timer. Setting a timer replaces the one before, even if that waits for the other time.
//! - A timer fires once, under the claim of its key. The node may then read and change any key, emit records, and set
//!   timers, also for the same key.
//! - A timer may fire late, never early: the engine looks for due timers when the files in hand are done. So a node decides
//!   by the times of its records what belongs together, not by whether a timer has fired.
//! - The timers of a job fire in the order of their times.
//!
//! A timer has the guarantees of the state. It is set, canceled and fired in the transaction of a job, and the changes of a
//! record are undone if another node rejects the record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::watermark::not_now;
use crate::{LatestTime, Origin, RecordEnd, Refusal, StateError, Watermark};

/// The time that a timer waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Time {
    /// The time that the records of all network elements have reached which come to the node
    /// ([`Keyed::pass_time`](crate::Keyed::pass_time)). A network element without records holds it up.
    Event,
    /// The time of day by the gateway's guarded clock ([`Keyed::now_ms`](crate::Keyed::now_ms)).
    Arrival,
}

/// A timer of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timer {
    /// It is due when the time is as late, in milliseconds since 1970.
    pub at_ms: i64,
    /// The time that it waits for.
    pub by: Time,
}

/// What a node with timers gets in each worker, before its first file.
pub struct TimerEquipment {
    /// Reads timers and watermarks.
    pub reader: Box<dyn TimerReader>,
    /// Returns the latest possible time.
    pub latest_ms: LatestTime,
    /// Returns the arrival time, in milliseconds since 1970.
    pub now_ms: Box<dyn Fn() -> i64 + Send>,
}

/// Reads the timers of a node and the times of its network elements.
pub trait TimerReader: Send {
    /// Returns the timer of a key, if it has one.
    fn timer(&mut self, key: &str) -> Result<Option<Timer>, StateError>;

    /// Returns the latest time that a record of a network element had.
    fn watermark(&mut self, network_element: &str) -> Result<Option<i64>, StateError>;
}

/// What a file changed of the timers of a node, and of the time of its network element.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimerChanges {
    /// The keys whose timer is another, or has fired.
    pub timers: Vec<ChangedTimer>,
    /// The latest time of a record of the network element, if the file advanced it.
    pub watermark_ms: Option<i64>,
}

impl TimerChanges {
    /// Returns whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.timers.is_empty() && self.watermark_ms.is_none()
    }
}

/// The new timer of a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedTimer {
    /// The key.
    pub key: String,
    /// The timer; none if it was canceled or has fired.
    pub timer: Option<Timer>,
}

/// The timers that a file in hand has met, by the places of their keys in the file.
#[derive(Default)]
pub(crate) struct TimersInHand {
    timers: BTreeMap<usize, TimerInHand>,
    /// What the current record changed, as it was before.
    undo: Vec<(usize, TimerInHand)>,
    watermark: Watermark,
    /// The latest possible time when the file had its first record with a time.
    latest_ms: Option<i64>,
}

#[derive(Clone, Copy)]
struct TimerInHand {
    stored: Option<Timer>,
    now: Option<Timer>,
    /// Whether it is written even if it is as it was: it has fired, or was canceled unread.
    is_written: bool,
}

impl TimersInHand {
    /// Sets the timer of a key, or cancels it.
    pub(crate) fn set(
        &mut self,
        of: (usize, &str),
        timer: Option<Timer>,
        reader: &mut dyn TimerReader,
    ) -> Result<(), Refusal> {
        let before = self.of(of, reader)?;
        self.change(of.0, before, TimerInHand { now: timer, ..before });
        Ok(())
    }

    /// Takes a timer that is due. Returns whether the key still has it.
    pub(crate) fn fire(
        &mut self,
        of: (usize, &str),
        timer: Timer,
        reader: &mut dyn TimerReader,
    ) -> Result<bool, Refusal> {
        let before = self.of(of, reader)?;
        let is_set = before.now == Some(timer);
        if is_set {
            self.change(of.0, before, TimerInHand { now: None, is_written: true, ..before });
        }
        Ok(is_set)
    }

    /// Notes the time of the current record. Returns the time that the network element has reached with it.
    pub(crate) fn pass_time(
        &mut self,
        origin: &Origin<'_>,
        time_ms: i64,
        TimerEquipment { reader, latest_ms, .. }: &mut TimerEquipment,
    ) -> Result<i64, Refusal> {
        let latest_ms = *self.latest_ms.get_or_insert_with(latest_ms);
        self.watermark.pass(time_ms, latest_ms, || reader.watermark(origin.network_element))?;
        Ok(self.watermark.ms().unwrap_or(time_ms))
    }

    /// Cancels the timer of a key that the current record deletes, once that record is kept.
    pub(crate) fn forget(&mut self, place: usize) {
        let unread = TimerInHand { stored: None, now: None, is_written: true };
        self.timers.entry(place).and_modify(|of| of.now = None).or_insert(unread);
    }

    pub(crate) fn end_record(&mut self, end: RecordEnd) {
        self.watermark.end_record(end);
        while let Some((place, before)) = self.undo.pop() {
            if !end.is_kept() {
                self.timers.insert(place, before);
            }
        }
    }

    /// Returns the changes for the journal. `key` returns the key at a place.
    pub(crate) fn changes(self, key: impl Fn(usize) -> String) -> TimerChanges {
        let is_changed = |of: &TimerInHand| of.is_written || of.now != of.stored;
        let changed = self.timers.into_iter().filter(|(_, of)| is_changed(of));
        let timers = changed.map(|(place, of)| ChangedTimer { key: key(place), timer: of.now });
        let timers = timers.collect();
        TimerChanges { timers, watermark_ms: self.watermark.advanced_ms() }
    }

    fn of(
        &mut self,
        (place, key): (usize, &str),
        reader: &mut dyn TimerReader,
    ) -> Result<TimerInHand, Refusal> {
        if let Some(known) = self.timers.get(&place) {
            return Ok(*known);
        }
        let stored = reader.timer(key).map_err(not_now)?;
        let read = TimerInHand { stored, now: stored, is_written: false };
        self.timers.insert(place, read);
        Ok(read)
    }

    fn change(&mut self, place: usize, before: TimerInHand, now: TimerInHand) {
        self.undo.push((place, before));
        self.timers.insert(place, now);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::{Claims, KeyedOctets, Refused, ValueReader, Values};

    /// What the journal has of a node.
    #[derive(Clone, Default)]
    struct StoredNode(Arc<Mutex<OfNode>>);

    #[derive(Default)]
    struct OfNode {
        timers: HashMap<String, Timer>,
        watermarks: HashMap<String, i64>,
    }

    impl TimerReader for StoredNode {
        fn timer(&mut self, key: &str) -> Result<Option<Timer>, StateError> {
            Ok(self.0.lock().unwrap().timers.get(key).copied())
        }

        fn watermark(&mut self, network_element: &str) -> Result<Option<i64>, StateError> {
            Ok(self.0.lock().unwrap().watermarks.get(network_element).copied())
        }
    }

    impl ValueReader for StoredNode {
        fn read(&mut self, _: &str, _: &mut Vec<u8>) -> Result<(), StateError> {
            Ok(())
        }
    }

    impl StoredNode {
        fn set(&self, key: &str, timer: Timer) {
            self.0.lock().unwrap().timers.insert(key.into(), timer);
        }
    }

    const NOW_MS: i64 = 1_000;

    /// Returns a state on disk and one in memory.
    fn both(stored: &StoredNode) -> [KeyedOctets; 2] {
        let claims = || Arc::new(Claims::new(1 << 20));
        let values = Arc::new(Values::new("form".into(), None, 1 << 20));
        let mut both = [KeyedOctets::new(claims()), KeyedOctets::in_memory(claims(), values)];
        for state in &mut both {
            state.attach(Box::new(stored.clone()));
            let reader = Box::new(stored.clone());
            let [latest_ms, now_ms] = [|| NOW_MS; 2].map(Box::new);
            state.equip_timers(TimerEquipment { reader, latest_ms, now_ms });
            state.begin_file(1);
        }
        both
    }

    fn at(at_ms: i64) -> Timer {
        Timer { at_ms, by: Time::Event }
    }

    fn changes(state: &mut KeyedOctets) -> Vec<(String, Option<Timer>)> {
        let timers = state.end_file().expect("a file has begun").timers().timers;
        timers.into_iter().map(|changed| (changed.key, changed.timer)).collect()
    }

    #[test]
    fn the_last_timer_of_a_key_counts_and_one_that_is_as_it_was_is_not_written() {
        let stored = StoredNode::default();
        stored.set("b", at(7));
        stored.set("c", at(8));
        for mut state in both(&stored) {
            state.set_timer("a", at(5)).unwrap();
            state.set_timer("a", Timer { at_ms: 6, by: Time::Arrival }).unwrap();
            state.set_timer("b", at(7)).unwrap();
            state.end_record(RecordEnd::Kept);
            state.cancel_timer("c").unwrap();
            state.cancel_timer("d").unwrap();
            state.end_record(RecordEnd::Kept);
            let last = Some(Timer { at_ms: 6, by: Time::Arrival });
            assert_eq!(changes(&mut state), [("a".into(), last), ("c".into(), None)]);
        }
    }

    #[test]
    fn the_timers_of_a_rejected_record_are_as_they_were_before_it() {
        let stored = StoredNode::default();
        stored.set("b", at(7));
        for mut state in both(&stored) {
            state.set_timer("a", at(1)).unwrap();
            state.end_record(RecordEnd::Kept);
            state.set_timer("a", at(2)).unwrap();
            state.set_timer("a", at(3)).unwrap();
            state.cancel_timer("b").unwrap();
            assert!(!state.take_timer("b", at(7)).unwrap());
            state.put("c", [1]).unwrap();
            state.delete("c").unwrap();
            state.set_timer("c", at(4)).unwrap();
            state.end_record(RecordEnd::Refused);
            assert!(state.take_timer("b", at(7)).unwrap());
            state.end_record(RecordEnd::Refused);
            assert_eq!(changes(&mut state), [("a".into(), Some(at(1)))]);
        }
    }

    #[test]
    fn a_timer_fires_once_if_it_is_still_the_one_and_may_be_set_again() {
        let stored = StoredNode::default();
        stored.set("a", at(7));
        stored.set("b", at(7));
        for mut state in both(&stored) {
            for (key, timer, fires) in
                [("a", at(6), false), ("a", at(7), true), ("a", at(7), false)]
            {
                assert_eq!(state.take_timer(key, timer).unwrap(), fires, "{key} {timer:?}");
                state.end_record(RecordEnd::Kept);
            }
            assert!(state.take_timer("b", at(7)).unwrap());
            // As another timer, though it is at the same time.
            state.set_timer("b", at(7)).unwrap();
            state.end_record(RecordEnd::Kept);
            assert_eq!(changes(&mut state), [("a".into(), None), ("b".into(), Some(at(7)))]);
        }
    }

    #[test]
    fn a_key_that_is_deleted_has_no_timer() {
        let stored = StoredNode::default();
        for mut state in both(&stored) {
            for key in ["a", "b"] {
                state.put(key, [1]).unwrap();
                state.set_timer(key, at(5)).unwrap();
                state.end_record(RecordEnd::Kept);
            }
            state.delete("a").unwrap();
            state.set_timer("a", at(9)).unwrap();
            state.end_record(RecordEnd::Kept);
            state.delete("b").unwrap();
            state.end_record(RecordEnd::Refused);
            state.put("c", []).unwrap();
            state.end_record(RecordEnd::Kept);
            // Whether the journal has a timer of "c" was not looked up.
            assert_eq!(changes(&mut state), [("b".into(), Some(at(5))), ("c".into(), None)]);
        }
    }

    #[test]
    fn time_goes_on_with_records_that_are_kept() {
        let stored = StoredNode::default();
        stored.0.lock().unwrap().watermarks.insert("boston".into(), 50);
        let origin = |network_element| Origin { network_element, file: "", record: 1, offset: 0 };
        for mut state in both(&stored) {
            assert_eq!(state.pass_time(&origin("boston"), 40).unwrap(), 50);
            state.end_record(RecordEnd::Kept);
            assert_eq!(state.pass_time(&origin("boston"), 60).unwrap(), 60);
            state.end_record(RecordEnd::Refused);
            assert_eq!(state.pass_time(&origin("boston"), 55).unwrap(), 55);
            state.end_record(RecordEnd::Kept);
            // A clock that is ahead advances it to now at most.
            assert_eq!(state.pass_time(&origin("boston"), 2_000).unwrap(), NOW_MS);
            state.end_record(RecordEnd::Refused);
            let ahead = state.pass_time(&origin("boston"), 100_000_000).unwrap_err();
            assert_eq!(ahead.refused, Refused::Record);
            state.end_record(RecordEnd::Refused);
            let TimerChanges { watermark_ms, .. } = state.end_file().unwrap().timers();
            assert_eq!(watermark_ms, Some(55));
        }
    }

    #[test]
    fn a_node_without_timers_cannot_set_one() {
        let mut state = KeyedOctets::new(Arc::new(Claims::new(1 << 20)));
        state.attach(Box::new(StoredNode::default()));
        state.begin_file(1);
        assert!(state.set_timer("a", at(5)).is_err());
        assert!(state.end_file().unwrap().timers().is_empty());
    }
}
