//! Slots for connections. Their number is limited, and no address can take all of them.
//!
//! A connection is unknown (a `Stranger`) until one of its requests carries a login. If no slot is free, the oldest
//! unknown connection is closed. So unknown connections, however many, block neither new logins nor clients that have
//! logged in.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::address::counted;

/// The maximum number of connections. A browser opens about six, and the gateway needs file descriptors of its own.
const SLOTS: usize = 512;

/// The slots of these that are reserved for addresses with few connections.
const RESERVED: usize = 64;

/// The number of connections below which an address has few: those of a browser, and some more.
const FEW: usize = 8;

/// The maximum per address: half, since all clients may connect through one proxy. A loopback address has no such
/// bound, since the proxy may run on this machine.
const OF_ONE_MAX: usize = SLOTS / 2;

const _: () =
    assert!(OF_ONE_MAX < SLOTS - RESERVED, "others have slots besides those that are reserved");

#[derive(Debug, Default)]
pub(crate) struct ConnectionSlots {
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by: HashMap<IpAddr, usize>,
    /// Connections without a login, oldest first.
    strangers: BTreeMap<u64, Stranger>,
    /// The number of slots taken since the start. It numbers the unknown connections.
    count: u64,
}

#[derive(Debug)]
struct Stranger {
    of: IpAddr,
    /// Notified when the connection has to close.
    leave: Arc<Notify>,
}

/// The slot of a connection. Dropping it frees the slot.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    holder: Holder,
    of: IpAddr,
    leave: Arc<Notify>,
}

/// The holder of a slot, and whether it has logged in.
#[derive(Clone, Debug)]
pub(crate) struct Holder {
    slots: Arc<ConnectionSlots>,
    number: u64,
    is_known: Arc<AtomicBool>,
}

impl ConnectionSlots {
    /// Takes a slot, or returns how many the address has already.
    pub(crate) fn take(self: &Arc<Self>, from: IpAddr) -> Result<ConnectionSlot, usize> {
        let of = counted(from);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.by.get(&of).copied().unwrap_or_default();
        let is_within = own < OF_ONE_MAX || of.is_loopback();
        let all_max = if own < FEW { SLOTS } else { SLOTS - RESERVED };
        if !is_within || taken.all >= all_max {
            // An address with many slots makes room among its own.
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
        let holder = Holder { slots: Arc::clone(self), number, is_known: Arc::default() };
        Ok(ConnectionSlot { holder, of, leave })
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

impl ConnectionSlot {
    /// Returns the holder.
    pub(crate) fn holder(&self) -> Holder {
        self.holder.clone()
    }

    /// Waits until the slot is given to another connection.
    pub(crate) async fn is_lost(&self) {
        self.leave.notified().await;
    }
}

impl Holder {
    /// Marks the connection as logged in: it keeps its slot as long as it lasts.
    pub(crate) fn is_known(&self) {
        if !self.is_known.load(Ordering::Relaxed) {
            let mut taken = self.slots.taken.lock().unwrap_or_else(PoisonError::into_inner);
            let was_there = taken.strangers.remove(&self.number).is_some();
            self.is_known.store(was_there, Ordering::Relaxed);
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let Holder { slots, number, is_known } = &self.holder;
        let mut taken = slots.taken.lock().unwrap_or_else(PoisonError::into_inner);
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

    fn take(slots: &Arc<ConnectionSlots>, from: [u8; 4]) -> Option<ConnectionSlot> {
        slots.take(IpAddr::from(from)).ok()
    }

    /// Takes all slots that logged-in clients can take from one address.
    fn all_known(slots: &Arc<ConnectionSlots>, from: [u8; 4]) -> Vec<ConnectionSlot> {
        let known = || take(slots, from).inspect(|slot| slot.holder().is_known());
        std::iter::from_fn(known).collect()
    }

    fn is_lost(slot: &ConnectionSlot) -> bool {
        pin!(slot.is_lost()).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    fn is_empty(slots: &ConnectionSlots) -> bool {
        let taken = slots.taken.lock().expect("no thread panicked");
        taken.all == 0 && taken.by.is_empty() && taken.strangers.is_empty()
    }

    #[test]
    fn one_address_leaves_half_of_them_and_many_leave_some_to_who_has_few() {
        let slots = Arc::new(ConnectionSlots::default());
        let one = all_known(&slots, [10, 0, 0, 1]);
        assert_eq!(one.len(), OF_ONE_MAX);
        let other = all_known(&slots, [10, 0, 0, 2]);
        assert_eq!(other.len(), SLOTS - RESERVED - OF_ONE_MAX);
        let viewer = all_known(&slots, [10, 0, 0, 3]);
        assert_eq!(viewer.len(), FEW);
        drop((one, other, viewer));
        assert!(is_empty(&slots));
    }

    #[test]
    fn a_proxy_on_the_machine_has_all_but_those_that_are_kept() {
        let slots = Arc::new(ConnectionSlots::default());
        let proxy = all_known(&slots, [127, 0, 0, 1]);
        assert_eq!(proxy.len(), SLOTS - RESERVED);
        assert_eq!(all_known(&slots, [10, 0, 0, 1]).len(), FEW);
    }

    #[test]
    fn neighbours_of_ipv6_share_what_one_has() {
        let slots = Arc::new(ConnectionSlots::default());
        let near = |last: u128| IpAddr::from((0x2001_0db8 << 96 | last).to_be_bytes());
        let known = |last| slots.take(near(last)).inspect(|slot| slot.holder().is_known());
        let of_one: Vec<ConnectionSlot> = (0..1_000).filter_map(|last| known(last).ok()).collect();
        assert_eq!(of_one.len(), OF_ONE_MAX);
    }

    #[test]
    fn strangers_from_wherever_keep_nobody_out_and_those_who_logged_in_stay() {
        let from_one: fn(usize) -> [u8; 4] = |_| [127, 0, 0, 1];
        let from_many: fn(usize) -> [u8; 4] = |number| [10, 1, (number >> 8) as u8, number as u8];
        for from in [from_one, from_many] {
            let slots = Arc::new(ConnectionSlots::default());
            let anna = take(&slots, [10, 0, 0, 1]).expect("a slot");
            anna.holder().is_known();
            let strangers: Vec<ConnectionSlot> =
                (0..2 * SLOTS).map(|number| take(&slots, from(number)).expect("room")).collect();
            assert!(is_lost(&strangers[0]) && !is_lost(&strangers[2 * SLOTS - 1]));
            let bo = take(&slots, from(7)).expect("who comes now may log in");
            bo.holder().is_known();
            let more: Vec<ConnectionSlot> =
                (0..2 * SLOTS).map(|number| take(&slots, from(number)).expect("room")).collect();
            assert!(!is_lost(&anna) && !is_lost(&bo), "they have logged in");
            let all = slots.taken.lock().expect("no thread panicked").all;
            assert!(all <= SLOTS, "{all}");
            // A login is too late if the slot is lost.
            strangers[0].holder().is_known();
            drop((strangers, more, anna, bo));
            assert!(is_empty(&slots));
        }
    }
}
