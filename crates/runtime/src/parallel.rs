//! Doing the same with several things at the same time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::threads;

/// Files and folders that are synced at the same time.
const SIDE_BY_SIDE: usize = 16;

/// Does the same with several things at the same time; returns what came of each.
pub fn side_by_side<T: Sync, R: Send>(things: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let some = || {
        let mut done = Vec::new();
        while let place = next.fetch_add(1, Ordering::Relaxed)
            && let Some(thing) = things.get(place)
        {
            done.push((place, act(thing)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        // What no thread can be started for is done by those that there are.
        let others =
            (1..things.len().min(SIDE_BY_SIDE)).map_while(|_| threads::start(scope, some).ok());
        let others: Vec<_> = others.collect();
        let mut done = some();
        for other in others {
            match other.join() {
                Ok(others) => done.extend(others),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}
