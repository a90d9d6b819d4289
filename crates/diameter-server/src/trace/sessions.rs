//! The sessions of a trace. Answers and some requests do not say whose they are: the session says it.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// The most sessions that are remembered. The oldest one goes first.
const SESSIONS_MAX: usize = 10_000;

/// The sessions of a trace.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    names: HashSet<Arc<str>>,
    /// The names in the order in which they came.
    order: VecDeque<Arc<str>>,
}

impl Sessions {
    pub(super) fn add(&mut self, name: &str) {
        if self.has(name) {
            return;
        }
        if self.order.len() == SESSIONS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.names.remove(&oldest);
        }
        let name: Arc<str> = name.into();
        self.order.push_back(Arc::clone(&name));
        self.names.insert(name);
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_session_is_forgotten_first() {
        let mut sessions = Sessions::default();
        (0..=SESSIONS_MAX).for_each(|session| sessions.add(&session.to_string()));
        assert!(!sessions.has("0") && sessions.has("1"));
        assert_eq!((sessions.names.len(), sessions.order.len()), (SESSIONS_MAX, SESSIONS_MAX));
    }
}
