//! The queue of a connection: workers save each request to it, and one thread empties it.

use std::collections::LinkedList;
use std::sync::{Mutex, PoisonError};

use crate::message::Saved;

/// How a queue is emptied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueKind {
    /// All is taken at once, and workers go on while it is written.
    #[default]
    UnlockedList,
    /// Workers wait until all is written.
    LockedList,
    LockedVector,
}

pub enum Queue {
    UnlockedList(Mutex<LinkedList<Saved>>),
    LockedList(Mutex<LinkedList<Saved>>),
    LockedVector(Mutex<Vec<Saved>>),
}

fn locked<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Queue {
    pub fn new(kind: QueueKind) -> Self {
        match kind {
            QueueKind::UnlockedList => Queue::UnlockedList(Mutex::default()),
            QueueKind::LockedList => Queue::LockedList(Mutex::default()),
            QueueKind::LockedVector => Queue::LockedVector(Mutex::default()),
        }
    }

    pub fn save(&self, message: Saved) {
        match self {
            Queue::UnlockedList(list) | Queue::LockedList(list) => locked(list).push_back(message),
            Queue::LockedVector(vector) => locked(vector).push(message),
        }
    }

    /// Empties the queue.
    pub fn write(&self, to: &mut String) {
        match self {
            Queue::UnlockedList(list) => {
                let taken = std::mem::take(&mut *locked(list));
                taken.into_iter().for_each(|message| message.write(to));
            }
            Queue::LockedList(list) => {
                let mut list = locked(list);
                while let Some(message) = list.pop_front() {
                    message.write(to);
                }
            }
            Queue::LockedVector(vector) => {
                locked(vector).drain(..).for_each(|message| message.write(to));
            }
        }
    }
}
