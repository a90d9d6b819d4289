//! Tells all parts of a service that it stops.
//!
//! A [`Shutdown`] token is passed to every part that works or waits. Each part checks it often enough, finishes what it
//! must, and returns. A token that was set stays set.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::Duration;

use crate::sync::lock;

/// A token that tells when to stop. Clones are the same token.
///
/// A [child](Self::child) stops with its parent, or alone before it: the service has one token, and a part that ends
/// earlier, such as that of a replaced configuration, has a child of it.
#[derive(Clone, Debug, Default)]
pub struct Shutdown(Arc<Token>);

#[derive(Debug, Default)]
struct Token {
    is_set: Arc<AtomicBool>,
    /// Its lock is also that of `changed`.
    children: Mutex<Vec<Weak<Token>>>,
    changed: Condvar,
    /// Keeps the parent tokens alive, through which this one is set, even if no other code holds them.
    _above: Option<Arc<Token>>,
}

impl Shutdown {
    /// Stops all holders of this token or one below it. Those in [`wait`](Self::wait) return at once.
    ///
    /// It takes a lock, so it must not be called in a signal handler.
    pub fn set(&self) {
        let mut children = lock(&self.0.children);
        self.0.is_set.store(true, Ordering::Relaxed);
        let below = mem::take(&mut *children);
        self.0.changed.notify_all();
        drop(children);
        below.iter().filter_map(Weak::upgrade).for_each(|child| Shutdown(child).set());
    }

    /// Returns whether to stop. This is cheap: it may be called for each record.
    #[inline]
    pub fn is_set(&self) -> bool {
        // The flag publishes no other data.
        self.0.is_set.load(Ordering::Relaxed)
    }

    /// Returns the flag of the token, for code that only checks a flag. It must not set it: that would
    /// not reach the tokens below.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.is_set)
    }

    /// Waits until the token is set, but no longer than `timeout`. Returns whether it is set.
    pub fn wait(&self, timeout: Duration) -> bool {
        let children = lock(&self.0.children);
        let waited = self.0.changed.wait_timeout_while(children, timeout, |_| !self.is_set());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        self.is_set()
    }

    /// Returns a token that is set with this one, but can be set alone.
    pub fn child(&self) -> Self {
        let above = Some(Arc::clone(&self.0));
        let child = Shutdown(Arc::new(Token { _above: above, ..Token::default() }));
        let mut children = lock(&self.0.children);
        if self.is_set() {
            drop(children);
            child.set();
        } else {
            children.retain(|child| child.strong_count() > 0);
            children.push(Arc::downgrade(&child.0));
        }
        child
    }

    /// Returns a guard that sets the token when it is dropped: at the end of a scope, also where it panics.
    pub fn set_on_drop(&self) -> SetOnDrop {
        SetOnDrop(self.clone())
    }
}

/// Sets a token when it is dropped, see [`Shutdown::set_on_drop`].
#[derive(Debug)]
pub struct SetOnDrop(Shutdown);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn what_is_below_stops_with_what_is_above_and_not_the_other_way_round() {
        let service = Shutdown::default();
        let (part, other) = (service.child(), service.child());
        let below = part.child();
        part.set();
        assert!(part.is_set() && below.is_set() && part.child().is_set());
        assert!(!service.is_set() && !other.is_set());
        service.clone().set();
        assert!(service.is_set() && other.is_set() && service.child().is_set());
        assert!(other.flag().load(Ordering::Relaxed));
    }

    #[test]
    fn whoever_waits_wakes_when_it_is_set() {
        const LONG: Duration = Duration::from_secs(60);
        let service = Shutdown::default();
        assert!(!service.wait(Duration::ZERO));
        thread::scope(|scope| {
            let waits = [service.clone(), service.child(), service.child().child()]
                .map(|token| scope.spawn(move || token.wait(LONG)));
            drop(service.set_on_drop());
            waits.into_iter().for_each(|waits| assert!(waits.join().unwrap()));
        });
        assert!(service.wait(LONG));
    }

    #[test]
    fn children_that_are_gone_take_no_room() {
        let service = Shutdown::default();
        (0..100).for_each(|_| drop(service.child()));
        assert!(lock(&service.0.children).len() <= 1);
    }
}
