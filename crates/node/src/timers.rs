//! Timers of keyed state: a node sets a timer for a key, and the engine calls the node when the
//! timer is due.
//!
//! They work like the timers of Flink's keyed state:
//!
//! - A timer waits for event time or for arrival time ([`Time`]). It is due when that time has
//!   reached its own.
//! - A key has at most one timer. Setting a timer replaces the one before, even if that waits for
//!   the other time.
//! - A timer fires once, under the claim of its key. The node may then read and change any key,
//!   emit records, and set timers, also for the same key.
//! - A timer may fire late, never early: the engine looks for due timers when the files in hand are
//!   done. So a node decides by the times of its records what belongs together, not by whether a
//!   timer has fired.
//! - The timers of a job fire in the order of their times.
//!
//! A timer has the guarantees of the state. It is set, canceled and fired in the transaction of a
//! job, and the changes of a record are undone if another node rejects the record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{LatestTime, Origin, RecordEnd, Refusal, StateError, Watermark};

/// The time that a timer waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Time {
    /// The time that the records of all network elements have reached which come to the node
    /// ([`Keyed::pass_time`](crate::Keyed::pass_time)). A network element without records holds it
    /// up.
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

/// The timers that a file in hand has used, by the indexes of their keys in the file.
#[derive(Default)]
pub(crate) struct TimersInHand {
    timers: BTreeMap<usize, TimerInHand>,
    /// The timers that the current record changed, as they were before it.
    undo: Vec<(usize, TimerInHand)>,
    watermark: Watermark,
    /// The latest possible time when the file had its first record with a time.
    latest_ms: Option<i64>,
}

#[derive(Clone, Copy)]
struct TimerInHand {
    stored: Option<Timer>,
    now: Option<Timer>,
    /// Whether it is written even if it is unchanged: it has fired, or was canceled without being
    /// read.
    is_written: bool,
}

impl TimersInHand {
    /// Sets the timer of a key, or cancels it.
    pub(crate) fn set(
        &mut self,
        key: (usize, &str),
        timer: Option<Timer>,
        reader: &mut dyn TimerReader,
    ) -> Result<(), Refusal> {
        let before = self.read(key, reader)?;
        self.change(key.0, before, TimerInHand { now: timer, ..before });
        Ok(())
    }

    /// Takes a timer that is due. Returns whether the key still has it.
    pub(crate) fn fire(
        &mut self,
        key: (usize, &str),
        timer: Timer,
        reader: &mut dyn TimerReader,
    ) -> Result<bool, Refusal> {
        let before = self.read(key, reader)?;
        let is_set = before.now == Some(timer);
        if is_set {
            self.change(key.0, before, TimerInHand { now: None, is_written: true, ..before });
        }
        Ok(is_set)
    }

    /// Notes the time of the current record. Returns the time of the network element, including
    /// this record.
    pub(crate) fn advance_time(
        &mut self,
        origin: &Origin<'_>,
        time_ms: i64,
        TimerEquipment { reader, latest_ms, .. }: &mut TimerEquipment,
    ) -> Result<i64, Refusal> {
        let latest_ms = *self.latest_ms.get_or_insert_with(latest_ms);
        self.watermark.advance(time_ms, latest_ms, || reader.watermark(origin.network_element))?;
        Ok(self.watermark.ms().unwrap_or(time_ms))
    }

    /// Cancels the timer of a key that the current record deletes. The record has been accepted.
    pub(crate) fn forget(&mut self, index: usize) {
        let unread = TimerInHand { stored: None, now: None, is_written: true };
        self.timers.entry(index).and_modify(|timer| timer.now = None).or_insert(unread);
    }

    pub(crate) fn end_record(&mut self, end: RecordEnd) {
        self.watermark.end_record(end);
        while let Some((index, before)) = self.undo.pop() {
            if !end.is_accepted() {
                self.timers.insert(index, before);
            }
        }
    }

    /// Returns the changes for the journal. `key` returns the key at an index.
    pub(crate) fn changes(self, key: impl Fn(usize) -> String) -> TimerChanges {
        let is_changed = |timer: &TimerInHand| timer.is_written || timer.now != timer.stored;
        let changed = self.timers.into_iter().filter(|(_, timer)| is_changed(timer));
        let timers =
            changed.map(|(index, timer)| ChangedTimer { key: key(index), timer: timer.now });
        let timers = timers.collect();
        TimerChanges { timers, watermark_ms: self.watermark.advanced_ms() }
    }

    fn read(
        &mut self,
        (index, key): (usize, &str),
        reader: &mut dyn TimerReader,
    ) -> Result<TimerInHand, Refusal> {
        if let Some(known) = self.timers.get(&index) {
            return Ok(*known);
        }
        let stored = reader.timer(key).map_err(|error| Refusal::of_file(&error))?;
        let read = TimerInHand { stored, now: stored, is_written: false };
        self.timers.insert(index, read);
        Ok(read)
    }

    fn change(&mut self, index: usize, before: TimerInHand, now: TimerInHand) {
        self.undo.push((index, before));
        self.timers.insert(index, now);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::{Claims, KeyedOctets, Refused, ValueReader, Values};

    /// The rows of a node in the journal.
    #[derive(Clone, Default)]
    struct StoredNode(Arc<Mutex<NodeRows>>);

    #[derive(Default)]
    struct NodeRows {
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
    fn states(stored: &StoredNode) -> [KeyedOctets; 2] {
        let claims = || Arc::new(Claims::new(1 << 20));
        let values = Arc::new(Values::new("form".into(), None, 1 << 20));
        let mut states = [KeyedOctets::new(claims()), KeyedOctets::in_memory(claims(), values)];
        for state in &mut states {
            state.attach(Box::new(stored.clone()));
            let reader = Box::new(stored.clone());
            let [latest_ms, now_ms] = [|| NOW_MS; 2].map(Box::new);
            state.equip_timers(TimerEquipment { reader, latest_ms, now_ms });
            state.begin_file(1);
        }
        states
    }

    fn at(at_ms: i64) -> Timer {
        Timer { at_ms, by: Time::Event }
    }

    fn changes(state: &mut KeyedOctets) -> Vec<(String, Option<Timer>)> {
        let timers = state.end_file().expect("a file has begun").timers().timers;
        timers.into_iter().map(|changed| (changed.key, changed.timer)).collect()
    }

    #[test]
    fn the_last_timer_of_a_key_is_written_unless_it_is_unchanged() {
        let stored = StoredNode::default();
        stored.set("b", at(7));
        stored.set("c", at(8));
        for mut state in states(&stored) {
            state.set_timer("a", at(5)).unwrap();
            state.set_timer("a", Timer { at_ms: 6, by: Time::Arrival }).unwrap();
            state.set_timer("b", at(7)).unwrap();
            state.end_record(RecordEnd::Accepted);
            state.cancel_timer("c").unwrap();
            state.cancel_timer("d").unwrap();
            state.end_record(RecordEnd::Accepted);
            let last = Some(Timer { at_ms: 6, by: Time::Arrival });
            assert_eq!(changes(&mut state), [("a".into(), last), ("c".into(), None)]);
        }
    }

    #[test]
    fn the_timer_changes_of_a_rejected_record_are_undone() {
        let stored = StoredNode::default();
        stored.set("b", at(7));
        for mut state in states(&stored) {
            state.set_timer("a", at(1)).unwrap();
            state.end_record(RecordEnd::Accepted);
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
    fn an_unchanged_timer_fires_once_and_may_be_set_again() {
        let stored = StoredNode::default();
        stored.set("a", at(7));
        stored.set("b", at(7));
        for mut state in states(&stored) {
            for (key, timer, fires) in
                [("a", at(6), false), ("a", at(7), true), ("a", at(7), false)]
            {
                assert_eq!(state.take_timer(key, timer).unwrap(), fires, "{key} {timer:?}");
                state.end_record(RecordEnd::Accepted);
            }
            assert!(state.take_timer("b", at(7)).unwrap());
            // The same time, but a new timer.
            state.set_timer("b", at(7)).unwrap();
            state.end_record(RecordEnd::Accepted);
            assert_eq!(changes(&mut state), [("a".into(), None), ("b".into(), Some(at(7)))]);
        }
    }

    #[test]
    fn deleting_a_key_cancels_its_timer() {
        let stored = StoredNode::default();
        for mut state in states(&stored) {
            for key in ["a", "b"] {
                state.put(key, [1]).unwrap();
                state.set_timer(key, at(5)).unwrap();
                state.end_record(RecordEnd::Accepted);
            }
            state.delete("a").unwrap();
            state.set_timer("a", at(9)).unwrap();
            state.end_record(RecordEnd::Accepted);
            state.delete("b").unwrap();
            state.end_record(RecordEnd::Refused);
            state.put("c", []).unwrap();
            state.end_record(RecordEnd::Accepted);
            // The timer of "c" was not read, so it is canceled in any case.
            assert_eq!(changes(&mut state), [("b".into(), Some(at(5))), ("c".into(), None)]);
        }
    }

    #[test]
    fn only_accepted_records_advance_the_time() {
        let stored = StoredNode::default();
        stored.0.lock().unwrap().watermarks.insert("boston".into(), 50);
        let origin = |network_element| Origin { network_element, file: "", record: 1, offset: 0 };
        for mut state in states(&stored) {
            assert_eq!(state.advance_time(&origin("boston"), 40).unwrap(), 50);
            state.end_record(RecordEnd::Accepted);
            assert_eq!(state.advance_time(&origin("boston"), 60).unwrap(), 60);
            state.end_record(RecordEnd::Refused);
            assert_eq!(state.advance_time(&origin("boston"), 55).unwrap(), 55);
            state.end_record(RecordEnd::Accepted);
            // A clock that is ahead advances it to now at most.
            assert_eq!(state.advance_time(&origin("boston"), 2_000).unwrap(), NOW_MS);
            state.end_record(RecordEnd::Refused);
            let ahead = state.advance_time(&origin("boston"), 100_000_000).unwrap_err();
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
