//! Places for connections: there are so many, and nobody has them all.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::address::counted;

/// Most connections: a viewer has some six, and the gateway needs files of its own.
const PLACES: usize = 512;

/// Of those the ones that are kept for who has few.
const KEPT: usize = 64;

/// What few are: those of a browser, and some more.
const FEW: usize = 8;

/// Most that one address has: half, since all may come by way of one proxy. The machine itself has no such bound, for the
/// proxy may be there.
const OF_ONE_MAX: usize = PLACES / 2;

const _: () = assert!(OF_ONE_MAX < PLACES - KEPT, "others have places besides those that are kept");

#[derive(Debug, Default)]
pub(crate) struct Places {
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by: HashMap<IpAddr, usize>,
}

/// A place that somebody has until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    of: IpAddr,
}

impl Places {
    /// A place for somebody, or how many he has.
    pub(crate) fn take(self: &Arc<Self>, from: IpAddr) -> Result<Place, usize> {
        let of = counted(from);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.by.get(&of).copied().unwrap_or_default();
        let is_within = own < OF_ONE_MAX || of.is_loopback();
        let all_max = if own < FEW { PLACES } else { PLACES - KEPT };
        if !is_within || taken.all >= all_max {
            return Err(own);
        }
        taken.all += 1;
        taken.by.insert(of, own + 1);
        Ok(Place { places: Arc::clone(self), of })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.all -= 1;
        let own = taken.by.get(&self.of).copied().unwrap_or_default();
        match own {
            0 | 1 => drop(taken.by.remove(&self.of)),
            own => drop(taken.by.insert(self.of, own - 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(places: &Arc<Places>, from: [u8; 4]) -> Vec<Place> {
        std::iter::from_fn(|| places.take(IpAddr::from(from)).ok()).collect()
    }

    #[test]
    fn one_address_leaves_half_of_them_and_many_leave_some_to_who_has_few() {
        let places = Arc::new(Places::default());
        let one = all(&places, [10, 0, 0, 1]);
        assert_eq!(one.len(), OF_ONE_MAX);
        let other = all(&places, [10, 0, 0, 2]);
        assert_eq!(other.len(), PLACES - KEPT - OF_ONE_MAX);
        let viewer = all(&places, [10, 0, 0, 3]);
        assert_eq!(viewer.len(), FEW);
        drop((one, other, viewer));
        assert_eq!(places.taken.lock().expect("nobody panicked").all, 0);
        assert!(places.taken.lock().expect("nobody panicked").by.is_empty());
    }

    #[test]
    fn a_proxy_on_the_machine_has_all_but_those_that_are_kept() {
        let places = Arc::new(Places::default());
        let _proxy = all(&places, [127, 0, 0, 1]);
        assert_eq!(_proxy.len(), PLACES - KEPT);
        assert_eq!(all(&places, [10, 0, 0, 1]).len(), FEW);
    }

    #[test]
    fn neighbours_of_ipv6_share_what_one_has() {
        let places = Arc::new(Places::default());
        let near = |last: u128| IpAddr::from((0x2001_0db8 << 96 | last).to_be_bytes());
        let of_one: Vec<Place> =
            (0..1_000).filter_map(|last| places.take(near(last)).ok()).collect();
        assert_eq!(of_one.len(), OF_ONE_MAX);
    }
}
