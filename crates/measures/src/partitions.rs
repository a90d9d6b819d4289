//! The tables of several threads: each key is in one partition, and each partition takes files in the order of their numbers.
//!
//! A key that is in every file, such as a destination that many call, lets no file wait for another one but for the moment in
//! which its own events are added. Threads read and decode files in any order, and the order of all changes of a key is known: so the
//! same files in the same order give the same values, however many threads there are.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::definition::{Layout, Seconds};
use crate::profile::Event;
use crate::table::Table;

/// The events of a file by partition, in the order of the file.
#[derive(Clone, Debug)]
pub struct FileEvents {
    partitions: Box<[Vec<KeyEvent>]>,
    /// The inputs of all events, one after another.
    inputs: Vec<Option<i64>>,
    measures: usize,
    count: usize,
}

/// An event, with the place of its inputs, which is that of the event in the file, too.
#[derive(Clone, Copy, Debug)]
struct KeyEvent {
    key: u64,
    time: Seconds,
    place: usize,
}

/// The tables of keys.
#[derive(Debug)]
pub struct Partitions {
    all: Box<[Partition]>,
    layout: Layout,
    /// Whether a thread has panicked: its file is added in part, so no other one can be.
    has_panicked: AtomicBool,
}

#[derive(Debug)]
struct Partition {
    turn: Mutex<Turn>,
    /// Another file has its turn.
    moved: Condvar,
}

#[derive(Debug)]
struct Turn {
    /// The number of the file that is next.
    next: u64,
    table: Table,
}

impl Partition {
    fn lock(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Partitions {
    /// Returns so many partitions, one at least, whose first file has the number 0.
    pub fn new(layout: &Layout, count: usize) -> Self {
        let partition = |_| Partition {
            turn: Mutex::new(Turn { next: 0, table: Table::new(layout.clone()) }),
            moved: Condvar::new(),
        };
        let all = (0..count.max(1)).map(partition).collect();
        Partitions { all, layout: layout.clone(), has_panicked: AtomicBool::default() }
    }

    /// Returns memory for the events of a file.
    pub fn file(&self) -> FileEvents {
        FileEvents {
            partitions: self.all.iter().map(|_| Vec::new()).collect(),
            inputs: Vec::new(),
            measures: self.layout.measures().len(),
            count: 0,
        }
    }

    /// Adds the events of a file, and hands out the values of each one with its place in the file. Files are numbered from 0, and each
    /// number comes once: a file waits for those before it, partition by partition. Events before `oldest` come no more.
    ///
    /// # Panics
    ///
    /// Another thread has panicked here, or a number comes twice.
    pub fn apply(
        &self,
        number: u64,
        file: &FileEvents,
        oldest: Seconds,
        mut each: impl FnMut(usize, &[Option<i64>]),
    ) {
        let _noted = NotesPanic(self);
        let mut left: Vec<usize> = (0..self.all.len()).collect();
        let mut values = Vec::new();
        let mut add = |turn: &mut Turn, place: usize| {
            turn.table.advance(oldest);
            for KeyEvent { key, time, place } in &file.partitions[place] {
                let inputs = &file.inputs[place * file.measures..][..file.measures];
                values.clear();
                turn.table.apply(*key, Event { time: *time, inputs }, &mut values);
                each(*place, &values);
            }
            turn.next = number + 1;
        };
        while let Some(first) = left.first().copied() {
            let before = left.len();
            left.retain(|place| {
                let mut turn = self.all[*place].lock();
                let is_next = turn.next == number;
                if is_next {
                    add(&mut turn, *place);
                    self.all[*place].moved.notify_all();
                }
                !is_next
            });
            if left.len() == before {
                let partition = &self.all[first];
                let has_panicked = || self.has_panicked.load(Ordering::Acquire);
                let is_waiting = |turn: &mut Turn| turn.next < number && !has_panicked();
                let turn = partition.moved.wait_while(partition.lock(), is_waiting);
                let turn = turn.unwrap_or_else(PoisonError::into_inner);
                assert!(!has_panicked(), "another thread has panicked");
                assert!(turn.next == number, "the number of a file comes once");
            }
        }
    }

    /// Returns how many keys there are.
    pub fn keys(&self) -> usize {
        self.all.iter().map(|of| of.lock().table.len()).sum()
    }
}

/// Wakes the other threads when this one panics.
struct NotesPanic<'p>(&'p Partitions);

impl Drop for NotesPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.has_panicked.store(true, Ordering::Release);
            for partition in &self.0.all {
                // A thread that is about to wait has the lock until it waits.
                drop(partition.lock());
                partition.moved.notify_all();
            }
        }
    }
}

impl FileEvents {
    /// Adds an event of a key, with an input for each measure.
    pub fn add(&mut self, key: u64, Event { time, inputs }: Event<'_>) {
        assert_eq!(inputs.len(), self.measures, "each measure has an input");
        // The low bits are those of the table.
        let partition = (key >> 32) as usize % self.partitions.len();
        self.partitions[partition].push(KeyEvent { key, time, place: self.count });
        self.inputs.extend_from_slice(inputs);
        self.count += 1;
    }

    /// Removes all events.
    pub fn clear(&mut self) {
        self.partitions.iter_mut().for_each(Vec::clear);
        self.inputs.clear();
        self.count = 0;
    }
}
