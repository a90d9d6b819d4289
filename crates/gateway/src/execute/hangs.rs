//! Detects threads that hang at a record. A script that never ends keeps its thread forever, and the gateway still
//! looks alive. Worker processes have [a watch](crate::processes) of their own.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use alarm::{Condition, EventType, Kind, Severity};
use diagnostics::visible;
use journal::Journal;
use runtime::sync::lock;
use store::{Connection, StoreError};

use crate::execute::job::About;

const HANGS: &Kind = &Kind::new(
    "thread-hangs",
    Severity::Critical,
    EventType::Processing,
    "applicationSubsystemFailure",
);

/// The kinds of alarms that are raised here.
pub(crate) const ALARMS: &[&Kind] = &[HANGS];

/// A thread hangs when this many looks in a row, one a second, find it at the same record. Looks are counted, not
/// seconds, because nothing looks while the gateway process is stopped.
const LOOKS_MAX: u32 = 60;

/// The record that a thread works on, as a number that changes with each record; 0 is none. It is written for every
/// record, so it holds nothing more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pulse {
    begun: u64,
    in_hand: Arc<AtomicU64>,
}

impl Pulse {
    /// Notes that a record begins.
    #[inline(always)]
    pub(crate) fn begin(&mut self) {
        self.begun += 1;
        self.in_hand.store(self.begun, Ordering::Relaxed);
    }

    /// Notes that the record is done.
    #[inline(always)]
    pub(crate) fn end(&self) {
        self.in_hand.store(0, Ordering::Relaxed);
    }
}

/// The tasks that the threads of this process work on.
#[derive(Debug, Default)]
pub(crate) struct Hands(Mutex<RegisteredTasks>);

#[derive(Debug, Default)]
struct RegisteredTasks {
    next: u64,
    tasks: BTreeMap<u64, InHand>,
}

#[derive(Debug)]
struct InHand {
    about: About,
    pulse: Arc<AtomicU64>,
    /// The record at the last look, and how many looks in a row found the same one.
    record: u64,
    looks: u32,
}

impl Hands {
    /// Registers a thread's task. Drop the returned value when the task is over.
    pub(crate) fn take<'h>(&'h self, about: &About, pulse: &Pulse) -> impl Drop + use<'h> {
        struct Registration<'h>(&'h Hands, u64);
        impl Drop for Registration<'_> {
            fn drop(&mut self) {
                lock(&self.0.0).tasks.remove(&self.1);
            }
        }
        let mut state = lock(&self.0);
        state.next += 1;
        let (place, pulse) = (state.next, Arc::clone(&pulse.in_hand));
        state.tasks.insert(place, InHand { about: about.clone(), pulse, record: 0, looks: 0 });
        Registration(self, place)
    }

    /// Looks once more and returns the conditions of the threads that hang.
    fn look(&self) -> Vec<Condition> {
        lock(&self.0).tasks.values_mut().filter_map(InHand::look).collect()
    }

    /// Looks once more. If the result differs from the last look, raises and clears alarms and returns true.
    pub(crate) fn alarm(
        &self,
        before: &mut Option<Vec<Condition>>,
        journal: &Journal,
        reader: &Connection,
    ) -> Result<bool, StoreError> {
        let wrong = self.look();
        if before.as_ref() == Some(&wrong) {
            return Ok(false);
        }
        let raised = journal.answer(alarm::raised(reader, &[HANGS]))?;
        alarm::reconcile(wrong.iter().cloned(), &raised, journal)?;
        *before = Some(wrong);
        Ok(true)
    }
}

impl InHand {
    fn look(&mut self) -> Option<Condition> {
        let record = self.pulse.load(Ordering::Relaxed);
        let is_same = record != 0 && record == self.record;
        (self.record, self.looks) =
            (record, if is_same { self.looks.saturating_add(1) } else { 0 });
        if self.looks < LOOKS_MAX {
            return None;
        }
        let About { network_element, file, .. } = &self.about;
        let text = format!(
            "{network_element}: a thread has been at one record of \"{}\" for more than {LOOKS_MAX} seconds, and has no end in \
             sight: look for a script that works on it without end, change it, and start the gateway again",
            visible(file)
        );
        Some(Condition { kind: HANGS, subject: network_element.clone(), text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_hangs_that_is_at_one_record_for_a_minute() {
        let (hands, mut pulse) = (Hands::default(), Pulse::default());
        let about = About { network_element: "boston".into(), file: "a.ber".into(), job: None };
        let taken = hands.take(&about, &pulse);
        let looks = |looks: u32| (0..looks).map(|_| hands.look().len()).sum::<usize>();
        assert_eq!(looks(1_000), 0, "it unpacks, say, and has no record in hand");
        pulse.begin();
        assert_eq!(looks(LOOKS_MAX), 0);
        assert_eq!(hands.look()[0].subject, "boston");
        pulse.end();
        pulse.begin();
        assert_eq!(looks(LOOKS_MAX), 0, "it is another record");
        assert_eq!(looks(1), 1);
        drop(taken);
        assert_eq!(looks(1), 0);
    }

    #[test]
    fn a_thread_that_helps_with_a_file_hangs_though_its_owner_gets_on() {
        let (hands, mut owner, mut helper) = (Hands::default(), Pulse::default(), Pulse::default());
        let about = About { network_element: "boston".into(), file: "a.ber".into(), job: None };
        let _taken = [&owner, &helper].map(|pulse| hands.take(&about, pulse));
        helper.begin();
        let mut look = || {
            owner.begin();
            hands.look().len()
        };
        assert_eq!((0..LOOKS_MAX).map(|_| look()).sum::<usize>(), 0);
        assert_eq!(look(), 1);
    }
}
