//! Places for connections: there are so many, and nobody has them all.
//!
//! A connection is a stranger until one of its requests carries a login. If no place is free, the
//! oldest stranger is closed: so strangers, however many, block neither new logins nor people who
//! have logged in.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

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
    /// Connections without a login, oldest first.
    strangers: BTreeMap<u64, Stranger>,
    /// Places taken since the start, which number the strangers.
    count: u64,
}

#[derive(Debug)]
struct Stranger {
    of: IpAddr,
    /// Notified when the connection has to close.
    leave: Arc<Notify>,
}

/// A place that somebody has until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    guest: Guest,
    of: IpAddr,
    leave: Arc<Notify>,
}

/// The holder of a place, and whether it has logged in.
#[derive(Clone, Debug)]
pub(crate) struct Guest {
    places: Arc<Places>,
    number: u64,
    is_known: Arc<AtomicBool>,
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
            // An address with many places makes room among its own.
            let may_go = |stranger: &Stranger| own < FEW || stranger.of == of;
            let found = taken.strangers.iter().find(|(_, stranger)| may_go(stranger));
            let number = found.map(|(number, _)| *number).ok_or(own)?;
            taken.send_away(number);
        }
        let number = taken.count;
        let leave = Arc::<Notify>::default();
        taken.count += 1;
        taken.all += 1;
        *taken.by.entry(of).or_default() += 1;
        taken.strangers.insert(number, Stranger { of, leave: Arc::clone(&leave) });
        let guest = Guest { places: Arc::clone(self), number, is_known: Arc::default() };
        Ok(Place { guest, of, leave })
    }
}

impl Taken {
    fn send_away(&mut self, number: u64) {
        if let Some(Stranger { of, leave }) = self.strangers.remove(&number) {
            self.free(of);
            leave.notify_one();
        }
    }

    fn free(&mut self, of: IpAddr) {
        self.all -= 1;
        match self.by.get(&of).copied().unwrap_or_default() {
            0 | 1 => drop(self.by.remove(&of)),
            own => drop(self.by.insert(of, own - 1)),
        }
    }
}

impl Place {
    /// The holder.
    pub(crate) fn guest(&self) -> Guest {
        self.guest.clone()
    }

    /// Waits until the place is given to another connection.
    pub(crate) async fn is_lost(&self) {
        self.leave.notified().await;
    }
}

impl Guest {
    /// A request carried a login: the place is kept as long as the connection lasts.
    pub(crate) fn is_known(&self) {
        if !self.is_known.load(Ordering::Relaxed) {
            let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
            let was_there = taken.strangers.remove(&self.number).is_some();
            self.is_known.store(was_there, Ordering::Relaxed);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Guest { places, number, is_known } = &self.guest;
        let mut taken = places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let was_there = taken.strangers.remove(number).is_some();
        if was_there || is_known.load(Ordering::Relaxed) {
            taken.free(self.of);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    fn take(places: &Arc<Places>, from: [u8; 4]) -> Option<Place> {
        places.take(IpAddr::from(from)).ok()
    }

    /// All places that people who have logged in can take from one address.
    fn all_known(places: &Arc<Places>, from: [u8; 4]) -> Vec<Place> {
        let known = || take(places, from).inspect(|place| place.guest().is_known());
        std::iter::from_fn(known).collect()
    }

    fn is_lost(place: &Place) -> bool {
        pin!(place.is_lost()).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    fn is_empty(places: &Places) -> bool {
        let taken = places.taken.lock().expect("nobody panicked");
        taken.all == 0 && taken.by.is_empty() && taken.strangers.is_empty()
    }

    #[test]
    fn one_address_leaves_half_of_them_and_many_leave_some_to_who_has_few() {
        let places = Arc::new(Places::default());
        let one = all_known(&places, [10, 0, 0, 1]);
        assert_eq!(one.len(), OF_ONE_MAX);
        let other = all_known(&places, [10, 0, 0, 2]);
        assert_eq!(other.len(), PLACES - KEPT - OF_ONE_MAX);
        let viewer = all_known(&places, [10, 0, 0, 3]);
        assert_eq!(viewer.len(), FEW);
        drop((one, other, viewer));
        assert!(is_empty(&places));
    }

    #[test]
    fn a_proxy_on_the_machine_has_all_but_those_that_are_kept() {
        let places = Arc::new(Places::default());
        let proxy = all_known(&places, [127, 0, 0, 1]);
        assert_eq!(proxy.len(), PLACES - KEPT);
        assert_eq!(all_known(&places, [10, 0, 0, 1]).len(), FEW);
    }

    #[test]
    fn neighbours_of_ipv6_share_what_one_has() {
        let places = Arc::new(Places::default());
        let near = |last: u128| IpAddr::from((0x2001_0db8 << 96 | last).to_be_bytes());
        let known = |last| places.take(near(last)).inspect(|place| place.guest().is_known());
        let of_one: Vec<Place> = (0..1_000).filter_map(|last| known(last).ok()).collect();
        assert_eq!(of_one.len(), OF_ONE_MAX);
    }

    #[test]
    fn strangers_from_wherever_keep_nobody_out_and_those_who_logged_in_stay() {
        let from_one: fn(usize) -> [u8; 4] = |_| [127, 0, 0, 1];
        let from_many: fn(usize) -> [u8; 4] = |number| [10, 1, (number >> 8) as u8, number as u8];
        for from in [from_one, from_many] {
            let places = Arc::new(Places::default());
            let anna = take(&places, [10, 0, 0, 1]).expect("a place");
            anna.guest().is_known();
            let strangers: Vec<Place> =
                (0..2 * PLACES).map(|number| take(&places, from(number)).expect("room")).collect();
            assert!(is_lost(&strangers[0]) && !is_lost(&strangers[2 * PLACES - 1]));
            let bo = take(&places, from(7)).expect("who comes now may log in");
            bo.guest().is_known();
            let more: Vec<Place> =
                (0..2 * PLACES).map(|number| take(&places, from(number)).expect("room")).collect();
            assert!(!is_lost(&anna) && !is_lost(&bo), "they have logged in");
            let all = places.taken.lock().expect("nobody panicked").all;
            assert!(all <= PLACES, "{all}");
            // A login is too late if the place is lost.
            strangers[0].guest().is_known();
            drop((strangers, more, anna, bo));
            assert!(is_empty(&places));
        }
    }
}
