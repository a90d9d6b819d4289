//! Calls that mostly wait, such as those that sync files, at the same time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::threads;

/// Most threads of one call, the calling one included: more would not make a disk faster.
const THREADS_MAX: usize = 16;

/// Calls `act` for each item, up to 16 at the same time, and returns the results in the order of the items. It uses fewer
/// threads if the system refuses some. A panic of `act` goes on in the caller.
///
/// ```
/// assert_eq!(runtime::parallel::map(&[1, 2, 3], |number| number * 2), [2, 4, 6]);
/// ```
pub fn map<T: Sync, R: Send>(items: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let some = || {
        let mut done = Vec::new();
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(index)
        {
            done.push((index, act(item)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        // If the system refuses a thread, those that run take its share.
        let others = (1..items.len().min(THREADS_MAX))
            .map_while(|_| threads::spawn_scoped(scope, some).ok());
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
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
