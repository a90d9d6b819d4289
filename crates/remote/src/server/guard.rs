//! A limit on the connections of a network element.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The maximum number of connections of a network element.
const EACH_MAX: usize = 16;

/// The number of connections, by network element.
#[derive(Debug, Default)]
pub(super) struct Guests(Mutex<HashMap<String, usize>>);

/// A counted connection, until dropped.
#[derive(Debug)]
pub(super) struct CountedConnection {
    guests: Arc<Guests>,
    network_element: String,
}

impl Guests {
    /// Counts a connection; `None` if the network element has too many.
    pub(super) fn come(self: &Arc<Self>, network_element: &str) -> Option<CountedConnection> {
        let mut guests = self.all();
        let count = guests.entry(network_element.to_owned()).or_insert(0);
        if *count >= EACH_MAX {
            return None;
        }
        *count += 1;
        Some(CountedConnection {
            guests: Arc::clone(self),
            network_element: network_element.to_owned(),
        })
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        if let Some(count) = self.guests.all().get_mut(&self.network_element) {
            *count -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_gone_makes_room_for_another() {
        let guests = Arc::new(Guests::default());
        let mut held: Vec<CountedConnection> =
            (0..EACH_MAX).map(|_| guests.come("msc").unwrap()).collect();
        assert!(guests.come("msc").is_none());
        assert!(guests.come("other").is_some());
        held.pop();
        assert!(guests.come("msc").is_some());
    }
}
